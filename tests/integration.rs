//! Shell integration in real shells behind a real sshd: sent on a key, its marks are trusted, and nothing of the
//! user's is other than before.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use support::DEADLINE;
use support::aissh::{PREFIX, PROGRAM, Run, close_panel, open_panel};
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
    prompt: &'static str,
    /// Prints what is the user's.
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
    prompt: PROMPT,
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
    prompt: PROMPT,
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
    prompt: PROMPT,
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
    prompt: PROMPT,
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
    prompt: &'static str,
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
        terminal.wait_prompt(self.prompt);
        wait_connected(&linus);
        Session { terminal, prompt: self.prompt, linus, told: 0, said: 0, integrated: 0 }
    }
}

impl Session {
    /// Runs a command and returns what Linus was told of it.
    fn run(&mut self, command: &str) -> Ran {
        self.make_room();
        let prompts = |screen: &vt100::Screen| screen.contents().matches(self.prompt).count();
        let before = self.terminal.screen(prompts);
        self.terminal.type_line(command);
        let is_it = |(n, ran): &(usize, Ran)| *n >= self.told && ran.command == command;
        let find = |calls: &[Call]| commands(calls).into_iter().enumerate().find(is_it);
        let calls = self.linus.wait_for(|calls| find(calls).is_some(), DEADLINE);
        let (n, ran) = find(&calls).unwrap();
        self.told = n + 1;
        // The frame that shows it comes after it was told.
        self.terminal.wait_for(|screen| prompts(screen) > before, "the next prompt");
        self.terminal.wait_prompt(self.prompt);
        ran
    }

    /// So that nothing scrolls, and prompts can be counted.
    fn make_room(&self) {
        let row = |screen: &vt100::Screen| screen.cursor_position().0;
        if self.terminal.screen(row) > 25 {
            self.terminal.type_line("clear");
            self.terminal.wait_for(|screen| row(screen) < 5, "a clear screen");
            self.terminal.wait_prompt(self.prompt);
        }
    }

    /// What a command prints. By a file and a word, since an unmarked shell need not tell what was run.
    fn says(&mut self, lab: &Lab, command: &str) -> String {
        self.said += 1;
        let n = self.said;
        self.terminal.type_line(&format!("{command} > $HOME/said{n}; echo sa''id{n}"));
        self.terminal.wait_text(&format!("\nsaid{n}"));
        self.terminal.wait_prompt(self.prompt);
        fs::read_to_string(lab.home().join(format!("said{n}"))).unwrap().trim().to_owned()
    }

    /// Runs a command of which nothing need be known.
    fn enter(&self, command: &str) {
        self.make_room();
        let prompts = |screen: &vt100::Screen| screen.contents().matches(self.prompt).count();
        let before = self.terminal.screen(prompts);
        self.terminal.type_line(command);
        self.terminal.wait_for(|screen| prompts(screen) > before, "the next prompt");
        self.terminal.wait_prompt(self.prompt);
    }

    fn integrate(&mut self, kind: &Kind) {
        self.integrated += 1;
        integrate(&self.terminal, kind.number, self.integrated);
        // The keys go to the terminal again.
        self.terminal.send(format!("{PREFIX}\t"));
        self.terminal.wait_prompt(self.prompt);
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

/// A set-up of another kind: statuses and directories are told, and the prompt stays what it is.
fn assert_survives(kind: &Kind) {
    let lab = kind.lab();
    let mut session = kind.session(&lab);
    session.enter(kind.seven);
    let line = |session: &Session| {
        let row = |screen: &vt100::Screen| {
            let (row, col) = screen.cursor_position();
            screen.rows(0, col).nth(row.into()).unwrap()
        };
        session.terminal.screen(row)
    };
    let before = line(&session);
    session.integrate(kind);
    assert_eq!(line(&session).trim_end(), before.trim_end());
    assert!(!session.terminal.screen_text().contains("__aissh"), "{}", session.terminal.screen_text());
    session.run(": from here on");
    for (command, status) in [(kind.seven, 7), ("true", 0), ("false", 1)] {
        assert_eq!(session.run(command).exit_code, Some(status), "{command}");
    }
    let echo = session.run("echo one; echo two");
    assert_eq!((echo.output.as_str(), echo.exit_code), ("one\ntwo", Some(0)));
    assert_eq!(session.run("cd /usr/share").context.cwd.as_deref(), Some("/usr/share"));
    open_dialog(&session.terminal);
    session.terminal.wait_text("It is on in this shell");
}

/// Opens the dialog; what it says is on the screen.
fn open_dialog(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}i"));
    terminal.wait_text("Esc  leave");
}

#[test]
fn bash_with_a_debug_trap_a_list_of_commands_and_a_two_line_prompt_survives() {
    // The trap would show in the output if it saw a command of ours.
    let trap = "PS1='test$ '\ntrap '[[ $BASH_COMMAND == __ai* ]] && echo seen' DEBUG\n";
    let list = "PROMPT_COMMAND=('last=$?' 'PS1=\"[$last] test$ \"')\n";
    let lines = "PROMPT_COMMAND='printf \"%s at noon\\n\" \"$PWD\"'\nPS1='test$ '\n";
    for text in [trap, list, lines] {
        assert_survives(&Kind { rc: (".rc", text), ..BASH });
    }
}

#[test]
fn a_status_is_not_taken_from_a_command_that_someone_put_before_ours() {
    let lab = BASH.lab();
    let mut session = BASH.session(&lab);
    session.integrate(&BASH);
    session.run("PROMPT_COMMAND=\"true;$PROMPT_COMMAND\"");
    assert_eq!(session.run("(exit 7)").exit_code, Some(7));
    session.run("PROMPT_COMMAND=true");
    assert_eq!(session.run("(exit 7)").exit_code, Some(7));
}

#[test]
fn bash_before_5_1_is_integrated_by_its_prompt() {
    // The branch for it, taken by hand: the elements of PROMPT_COMMAND are not known to those versions.
    let text = "PS1='test$ '\nPROMPT_COMMAND='seen=$?'\n";
    let lab = Kind { rc: (".rc", text), ..BASH }.lab();
    let mut session = BASH.session(&lab);
    let line = "__aissh=; PROMPT_COMMAND+=$'\\n''${__aissh+__aissh_post}'";
    session.enter(line);
    session.integrate(&BASH);
    session.run(": from here on");
    for status in [7, 0, 1] {
        assert_eq!(session.run(&format!("(exit {status})")).exit_code, Some(status));
    }
    assert_eq!(session.run("cd /usr/share").context.cwd.as_deref(), Some("/usr/share"));
    assert_eq!(session.says(&lab, "echo \"${#PROMPT_COMMAND[@]}\""), "1");
}

#[test]
fn zsh_themes_that_write_the_prompt_anew_survive() {
    let theme = "autoload -Uz add-zsh-hook\nsetopt prompt_subst\ntheme() { local s=$?; print -Pn '\\e]2;%n@%m: %~\\a'; \
                 PROMPT=\"%(?..$s )%1~ test$ \"; RPROMPT='%(?..:()' }\nadd-zsh-hook precmd theme\n\
                 zle-line-init() { zle reset-prompt }\nzle -N zle-line-init\n";
    let two =
        "PROMPT=$'%F{blue}%~%f\\n%(?.%F{green}.%F{red})test$%f '\nsetopt transient_rprompt\nRPROMPT='%T'\n";
    for text in [theme, two] {
        assert_survives(&Kind { rc: (".zshrc", text), ..ZSH });
    }
}

#[test]
fn starship_survives_in_bash_zsh_and_fish() {
    let found = Command::new("starship").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: starship is not installed");
        return;
    }
    let config = "printf '[character]\\nsuccess_symbol=\"test❯\"\\nerror_symbol=\"test❯\"\\n[container]\\ndisabled=true\\n' \
                  > $HOME/.star.toml\nexport STARSHIP_CONFIG=$HOME/.star.toml\n";
    let rc = |init: &str| -> &'static str { Box::leak(format!("{config}{init}\n").into_boxed_str()) };
    let bash = rc("eval \"$(starship init bash)\"");
    assert_survives(&Kind { rc: (".rc", bash), prompt: "test❯", ..BASH });
    assert_survives(&Kind { rc: (".zshrc", rc("eval \"$(starship init zsh)\"")), prompt: "test❯", ..ZSH });
    let fish = rc("set -g fish_greeting\nstarship init fish | source");
    assert_survives(&Kind { rc: (".config/fish/config.fish", fish), prompt: "test❯", ..FISH });
}

#[test]
fn another_shell_in_its_place_is_not_trusted_and_coming_back_is() {
    let lab = BASH.lab();
    let mut session = BASH.session(&lab);
    session.integrate(&BASH);
    let expect = |session: &Session, on: bool| {
        open_dialog(&session.terminal);
        let is_on = |screen: &vt100::Screen| screen.contents().contains("It is on in this shell");
        session.terminal.wait_for(|screen| is_on(screen) == on, "what the dialog says");
        session.terminal.send("\x1b");
        session.terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
        session.terminal.send(format!("{PREFIX}\t"));
        session.terminal.wait_prompt(PROMPT);
    };
    expect(&session, true);
    session.enter("PS1='test$ ' bash --norc -i");
    expect(&session, false);
    session.enter("exit");
    expect(&session, true);
    session.enter("PS1='test$ ' exec bash --norc -i");
    expect(&session, false);
    session.enter("echo plain");
    assert!(!session.terminal.screen_text().contains("not found"), "{}", session.terminal.screen_text());
}

#[test]
fn nothing_is_typed_without_the_key_nor_where_it_does_not_belong() {
    let lab = BASH.lab();
    let session = BASH.session(&lab);
    let terminal = &session.terminal;
    // Looked at and left.
    open_dialog(terminal);
    for key in ["1", "\r", " ", "\x1b"] {
        terminal.send(key);
    }
    terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
    // A program reads; a secret is asked for; a program has the whole screen.
    let cases = [
        ("cat > $HOME/got", "anyway", "\x03"),
        ("read -rsp 'Pass''word: ' x; echo \"$x\" > $HOME/got", "Not sent: a secret is asked for", "\x03"),
        ("printf '\\e[?1049h'; sleep 99", "Not sent: a full-screen program runs", "\x03"),
    ];
    terminal.send(format!("{PREFIX}\t"));
    for (command, says, end) in cases {
        terminal.type_line(command);
        terminal.send(format!("{PREFIX}i1"));
        terminal.wait_text("What is typed");
        terminal.send("y");
        terminal.wait_text(says);
        terminal.send("\x1b");
        terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
        terminal.send(format!("{PREFIX}\t{end}"));
        terminal.wait_prompt(PROMPT);
        terminal.type_line("printf '\\e[?1049l'; echo ba''ck");
        terminal.wait_text("back");
        terminal.wait_prompt(PROMPT);
    }
    session.enter("echo over");
    close_panel(&session.terminal);
    session.terminal.wait_prompt(PROMPT);
    let all = session.terminal.transcript().join("\n");
    assert!(!all.contains("__aissh") && all.contains("over"), "{all}");
    assert!(!lab.home().join("got").exists() || fs::read(lab.home().join("got")).unwrap().is_empty());
}

#[test]
fn the_answer_is_kept_for_the_host_and_only_changes_what_is_said() {
    const OFFER: &str = "does not tell exit";
    let lab = BASH.lab();
    let file = lab.client_home().join(".local/state/aissh/integration");
    let shell = |answer: &str| {
        let session = BASH.session(&lab);
        open_panel(&session.terminal);
        // What tells the shell, and a status that nothing tells.
        session.enter("nonsense-x");
        session.enter("true");
        if answer == "none" {
            session.enter("true");
            let text = session.terminal.screen_text();
            assert!(!text.contains(OFFER) && !text.contains("__aissh"), "{text}");
        } else {
            session.terminal.wait_text(OFFER);
        }
        session
    };
    let session = shell("first");
    assert!(!session.terminal.screen_text().contains("before."));
    assert!(!file.exists());
    integrate(&session.terminal, '1', 1);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with("yes ") && kept.ends_with("@127.0.0.1\n"), "{kept}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let session = shell("second");
    session.terminal.wait_text("before.");
    open_dialog(&session.terminal);
    session.terminal.wait_text("You said yes on this host before.");
    session.terminal.send("n");
    session.terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
    assert!(fs::read_to_string(&file).unwrap().starts_with("no "));
    shell("none");
    fs::remove_file(&file).unwrap();
    let config = lab.client_home().join(".config/aissh");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[integration]\noffer = false\n").unwrap();
    shell("none");
}

#[test]
fn the_snippet_for_an_rc_file_tells_statuses_and_is_not_trusted() {
    for kind in [BASH, ZSH, FISH, MKSH, KSH93, DASH, ASH] {
        let output = Command::new(PROGRAM).args(["--integration", kind.name]).output().unwrap();
        let snippet = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !snippet.contains("nonce="), "{snippet}");
        let (file, text) = kind.rc;
        let text = Box::leak(format!("{text}\n{snippet}").into_boxed_str());
        let kind = Kind { rc: (file, text), ..kind };
        let lab = kind.lab();
        let mut session = kind.session(&lab);
        for (command, status) in [(kind.seven, 7), ("true", 0), ("false", 1)] {
            assert_eq!(session.run(command).exit_code, Some(status), "{}: {command}", kind.name);
        }
        assert_eq!(session.run("cd /usr/share").context.cwd.as_deref(), Some("/usr/share"), "{}", kind.name);
        open_dialog(&session.terminal);
        assert!(!session.terminal.screen_text().contains("It is on in this shell"), "{}", kind.name);
    }
}
