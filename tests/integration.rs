//! Shell integration in real shells behind a real sshd: sent on a key, its marks are trusted, and nothing of the
//! user's is other than before.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::DEADLINE;
use support::aissh::{PREFIX, Run};
use support::lab::Lab;
use support::linus::{Call, Linus};
use support::terminal::{Size, Terminal};
use support::told::{Ran, commands, everything, wait_connected};

/// A shell as it is started, and how things are said in it.
struct Kind {
    /// As the dialog names it, and its number there.
    name: &'static str,
    number: char,
    /// On the remote; `$HOME` is the lab's.
    start: &'static str,
    /// A file in HOME that it reads, and what is in it.
    rc: (&'static str, &'static str),
    /// Prints what is the user's, one fact a line.
    facts: &'static str,
    /// A command whose status is 7.
    seven: &'static str,
    /// Prints the history; empty where there is none, or where the line cannot be kept out.
    history: &'static str,
    /// Prints the nonce's field.
    nonce: &'static str,
}

const BASH: Kind = Kind {
    name: "bash",
    number: '1',
    start: "bash --rcfile $HOME/.rc -i",
    rc: (
        ".rc",
        "PS1='test$ '\nPROMPT_COMMAND='seen=$?'\ntrap 'err=1' ERR\nHISTCONTROL=\nset -o vi -o noclobber -u\n",
    ),
    facts: "echo \"=${PROMPT_COMMAND[*]}=$seen=$(trap -p)=$-=\" | sed 's/__ai[s]sh_[a-z]*//g; s/  *//g'",
    seven: "(exit 7)",
    history: "history",
    nonce: "$__aissh",
};

const ZSH: Kind = Kind {
    name: "zsh",
    number: '2',
    start: "env ZDOTDIR=$HOME zsh -i",
    rc: (
        ".zshrc",
        "PROMPT='test$ '\nprecmd() { seen=$? }\nsetopt hist_ignore_space no_unset no_clobber\nHISTSIZE=99\n\
         TRAPUSR1() { true }\nbindkey -v\n",
    ),
    facts: "echo \"=$seen=$(functions precmd TRAPUSR1 | tr -d ' \\t\\n')=$(setopt | tr '\\n' ,)=\"",
    seven: "(exit 7)",
    history: "fc -l 1",
    nonce: "$__aissh",
};

const FISH: Kind = Kind {
    name: "fish",
    number: '3',
    start: "fish -i",
    rc: (
        ".config/fish/config.fish",
        "function fish_prompt; set -g seen $status; echo -n 'test$ '; end\nfunction mine --on-event fish_prompt; set -g \
         events $events x; end\nset -g fish_greeting\n",
    ),
    facts: "echo =$seen=(count $events | string match -r '^[1-9]' -q; and echo yes)=(functions fish_prompt | string collect | string length)=",
    seven: "sh -c 'exit 7'",
    history: "history",
    nonce: "$__aissh",
};

const MKSH: Kind = Kind {
    name: "ksh",
    number: '4',
    start: "env ENV=$HOME/.rc mksh -i",
    rc: (".rc", "PS1='test$ '\ntrap 'true' USR1\nset -u\n"),
    facts: "echo \"=$(trap)=$-=\"",
    seven: "(exit 7)",
    history: "",
    nonce: "$__aissh",
};

const KSH93: Kind = Kind { start: "env ENV=$HOME/.rc ksh93 -i", ..MKSH };

const DASH: Kind = Kind { name: "dash", number: '5', start: "env ENV=$HOME/.rc dash -i", ..MKSH };

const ASH: Kind = Kind { name: "ash", number: '6', start: "env ENV=$HOME/.rc busybox ash -i", ..MKSH };

const PROMPT: &str = "test$";

/// A session in that shell.
struct Session {
    terminal: Terminal,
    linus: Linus,
    told: usize,
    said: usize,
    integrated: usize,
}

impl Kind {
    fn lab(&self) -> Lab {
        let lab = Lab::start();
        let (name, text) = self.rc;
        let rc = lab.home().join(name);
        fs::create_dir_all(rc.parent().unwrap()).unwrap();
        fs::write(rc, text).unwrap();
        lab
    }

    fn session(&self, lab: &Lab) -> Session {
        let linus = Linus::modern();
        let run = Run::aissh(lab).linus(&linus).size(Size::WIDE);
        let terminal = run.ssh(&["-t", "lab", &format!("cd; {}", self.start)]).start();
        terminal.wait_prompt(PROMPT);
        wait_connected(&linus);
        Session { terminal, linus, told: 0, said: 0, integrated: 0 }
    }
}

impl Session {
    /// Runs a command and returns what Linus was told of it.
    fn run(&mut self, command: &str) -> Ran {
        self.terminal.type_line(command);
        let is_it = |(n, ran): &(usize, Ran)| *n >= self.told && ran.command == command;
        let find = |calls: &[Call]| commands(calls).into_iter().enumerate().find(is_it);
        let calls = self.linus.wait_for(|calls| find(calls).is_some(), DEADLINE);
        let (n, ran) = find(&calls).unwrap();
        self.told = n + 1;
        self.terminal.wait_prompt(PROMPT);
        ran
    }

    /// What a command prints. By a file and a word, since an unmarked shell need not tell what was run.
    fn says(&mut self, lab: &Lab, command: &str) -> String {
        self.said += 1;
        let n = self.said;
        self.terminal.type_line(&format!("{command} > $HOME/said{n}; echo sa''id{n}"));
        self.terminal.wait_text(&format!("\nsaid{n}"));
        self.terminal.wait_prompt(PROMPT);
        fs::read_to_string(lab.home().join(format!("said{n}"))).unwrap().trim().to_owned()
    }

    /// Runs a command of which nothing need be known.
    fn enter(&self, command: &str) {
        let prompts = |screen: &vt100::Screen| screen.contents().matches(PROMPT).count();
        let before = self.terminal.screen(prompts);
        self.terminal.type_line(command);
        self.terminal.wait_for(|screen| prompts(screen) > before, "the next prompt");
        self.terminal.wait_prompt(PROMPT);
    }

    fn integrate(&mut self, kind: &Kind) {
        self.integrated += 1;
        integrate(&self.terminal, kind.number, self.integrated);
        // The keys go to the terminal again.
        self.terminal.send(format!("{PREFIX}\t"));
        self.terminal.wait_prompt(PROMPT);
    }
}

/// Opens the dialog, chooses the shell and says yes; once more where the prompt had not settled yet. Waits until it is
/// told that it is on, for the `n`th time.
fn integrate(terminal: &Terminal, number: char, n: usize) {
    terminal.send(format!("{PREFIX}i"));
    terminal.wait_text("Esc  leave");
    terminal.send(number.to_string());
    terminal.wait_text("What is typed");
    terminal.send("y");
    let is_on = |screen: &vt100::Screen| screen.contents().matches("integration is on").count() == n;
    let is_held = |screen: &vt100::Screen| screen.contents().contains("y types it");
    terminal.wait_for(|screen| is_on(screen) || is_held(screen), "an answer to y");
    if terminal.screen(is_held) {
        terminal.send("y");
        terminal.wait_for(is_on, "the integration");
    }
}

/// Everything that must hold in every shell.
fn assert_integrates(kind: &Kind) {
    let lab = kind.lab();
    let mut session = kind.session(&lab);
    let before = session.says(&lab, kind.facts);
    assert!(before.starts_with('='), "{before}");
    session.enter(kind.seven);
    session.integrate(kind);
    // The echo is gone, and so is the nonce from the screen.
    let text = session.terminal.screen_text();
    assert!(!text.contains("__aissh") && text.matches(PROMPT).count() >= 3, "{text}");
    // What was the user's is as it was; the prompt too, on the screen.
    assert_eq!(session.says(&lab, kind.facts).replace("=7=", "=0="), before.replace("=7=", "=0="));
    session.run(": from here on");
    // Statuses and directories are told.
    for (command, status) in [(kind.seven, 7), ("true", 0), ("nonsense-x", 127), ("true", 0)] {
        assert_eq!(session.run(command).exit_code, Some(status), "{}: {command}", kind.name);
    }
    let dir = session.run("cd /usr/share").context.cwd;
    assert_eq!(dir.as_deref(), Some("/usr/share"), "{}", kind.name);
    let echo = session.run("echo one; echo two");
    assert_eq!((echo.output.as_str(), echo.exit_code), ("one\ntwo", Some(0)), "{}", kind.name);
    // A second time changes nothing.
    session.run(kind.seven);
    session.integrate(kind);
    assert!(!session.terminal.screen_text().contains("__aissh"), "the second echo");
    assert_eq!(session.run("false").exit_code, Some(1));
    assert_eq!(session.says(&lab, kind.facts).replace("=1=", "=0="), before.replace("=7=", "=0="));
    if !kind.history.is_empty() {
        let history = session.says(&lab, kind.history);
        assert!(history.contains("cd /usr/share") && !history.contains("aissh"), "{history}");
    }
    // The nonce is in no program's environment, and Linus has not seen it.
    session.run("env > $HOME/env");
    session.run(&format!("echo {} > $HOME/nonce", kind.nonce));
    let nonce = fs::read_to_string(lab.home().join("nonce")).unwrap();
    let nonce = nonce.trim().strip_prefix(";nonce=").unwrap();
    assert_eq!(nonce.len(), 32);
    let env = fs::read_to_string(lab.home().join("env")).unwrap();
    assert!(!env.contains(nonce), "{env}");
    session.run(&format!("echo {}", kind.nonce));
    let told = everything(&session.linus);
    assert!(told.contains("‹nonce›"), "{told}");
    for piece in [&nonce[..9], &nonce[12..22], &nonce[23..]] {
        assert!(!told.contains(piece), "{piece} of {nonce} is in {told}");
    }
    // No command of the user's was the integration.
    assert!(!commands(&session.linus.calls()).iter().any(|ran| ran.command.contains("__aissh_")));
}

#[test]
fn bash_is_integrated_and_all_else_stays() {
    assert_integrates(&BASH);
}

#[test]
fn zsh_is_integrated_and_all_else_stays() {
    assert_integrates(&ZSH);
}

#[test]
fn fish_is_integrated_and_all_else_stays() {
    assert_integrates(&FISH);
}

#[test]
fn mksh_is_integrated_and_all_else_stays() {
    assert_integrates(&MKSH);
}

#[test]
fn ksh93_is_integrated_and_all_else_stays() {
    assert_integrates(&KSH93);
}

#[test]
fn dash_is_integrated_and_all_else_stays() {
    assert_integrates(&DASH);
}

#[test]
fn busybox_ash_is_integrated_and_all_else_stays() {
    assert_integrates(&ASH);
}
