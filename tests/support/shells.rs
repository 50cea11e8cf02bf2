//! The shells of the integration's tests: how each is started, how things are said in it, and a session in it.

use std::fs;

use super::DEADLINE;
use super::aissh::{PREFIX, Run};
use super::lab::Lab;
use super::linus::{Call, Linus};
use super::terminal::{Size, Terminal};
use super::told::{Ran, commands, wait_connected};

/// A shell as it is started, and how things are said in it.
pub(crate) struct Kind {
    /// As the dialog names it, and its number there.
    pub(crate) name: &'static str,
    pub(crate) number: char,
    /// On the remote; `$HOME` is the lab's.
    pub(crate) start: &'static str,
    /// A file in HOME that it reads, and what is in it.
    pub(crate) rc: (&'static str, &'static str),
    pub(crate) prompt: &'static str,
    /// Prints what is the user's.
    pub(crate) facts: &'static str,
    /// A command whose status is 7.
    pub(crate) seven: &'static str,
    /// Prints the history; empty where there is none, or where the line cannot be kept out.
    pub(crate) history: &'static str,
    /// Prints the nonce's field.
    pub(crate) nonce: &'static str,
}

pub(crate) const BASH: Kind = Kind {
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

pub(crate) const ZSH: Kind = Kind {
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

pub(crate) const FISH: Kind = Kind {
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

pub(crate) const MKSH: Kind = Kind {
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

pub(crate) const KSH93: Kind = Kind { start: "env ENV=$HOME/.rc ksh93 -i", ..MKSH };

pub(crate) const DASH: Kind = Kind { name: "dash", number: '5', start: "env ENV=$HOME/.rc dash -i", ..MKSH };

pub(crate) const ASH: Kind =
    Kind { name: "ash", number: '6', start: "env ENV=$HOME/.rc busybox ash -i", ..MKSH };

pub(crate) const PROMPT: &str = "test$";

/// A session in that shell.
pub(crate) struct Session {
    pub(crate) terminal: Terminal,
    pub(crate) prompt: &'static str,
    pub(crate) linus: Linus,
    pub(crate) told: usize,
    pub(crate) said: usize,
    pub(crate) integrated: usize,
}

impl Kind {
    pub(crate) fn lab(&self) -> Lab {
        let lab = Lab::start();
        let (name, text) = self.rc;
        let rc = lab.home().join(name);
        fs::create_dir_all(rc.parent().unwrap()).unwrap();
        fs::write(rc, text).unwrap();
        lab
    }

    pub(crate) fn session(&self, lab: &Lab) -> Session {
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
    pub(crate) fn run(&mut self, command: &str) -> Ran {
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
    pub(crate) fn make_room(&self) {
        let row = |screen: &vt100::Screen| screen.cursor_position().0;
        if self.terminal.screen(row) > 25 {
            self.terminal.type_line("clear");
            self.terminal.wait_for(|screen| row(screen) < 5, "a clear screen");
            self.terminal.wait_prompt(self.prompt);
        }
    }

    /// What a command prints. By a file and a word, since an unmarked shell need not tell what was run.
    pub(crate) fn says(&mut self, lab: &Lab, command: &str) -> String {
        self.said += 1;
        let n = self.said;
        self.terminal.type_line(&format!("{command} > $HOME/said{n}; echo sa''id{n}"));
        self.terminal.wait_text(&format!("\nsaid{n}"));
        self.terminal.wait_prompt(self.prompt);
        fs::read_to_string(lab.home().join(format!("said{n}"))).unwrap().trim().to_owned()
    }

    /// Runs a command of which nothing need be known.
    pub(crate) fn enter(&self, command: &str) {
        self.make_room();
        let prompts = |screen: &vt100::Screen| screen.contents().matches(self.prompt).count();
        let before = self.terminal.screen(prompts);
        self.terminal.type_line(command);
        self.terminal.wait_for(|screen| prompts(screen) > before, "the next prompt");
        self.terminal.wait_prompt(self.prompt);
    }

    pub(crate) fn integrate(&mut self, kind: &Kind) {
        self.integrated += 1;
        integrate(&self.terminal, kind.number, self.integrated);
        // The keys go to the terminal again.
        self.terminal.send(format!("{PREFIX}\t"));
        self.terminal.wait_prompt(self.prompt);
    }
}

/// Opens the dialog, chooses the shell and says yes; once more where the prompt had not settled yet. Waits until it is
/// told that it is on, for the `n`th time.
pub(crate) fn integrate(terminal: &Terminal, number: char, n: usize) {
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

/// Opens the dialog; what it says is on the screen.
pub(crate) fn open_dialog(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}i"));
    terminal.wait_text("Esc  leave");
}
