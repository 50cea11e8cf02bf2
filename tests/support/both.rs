//! The same play with plain ssh and with aissh in its place: what comes out must be equal.

use std::fmt::{self, Debug};

use nix::sys::termios::Termios;
use nix::unistd::Pid;

use super::aissh::{Run, wait_panel};
use super::lab::Lab;
use super::process::{child_of, ssh_below, ssh_of};
use super::terminal::{Exit, Size, Terminal};

/// What stands where the user types `ssh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// ssh itself, which is right by definition.
    Ssh,
    /// aissh with `--no-copilot`.
    Alone,
    /// aissh as it is.
    Hidden,
    /// aissh with its panel on the screen.
    Shown,
}

impl Way {
    pub(crate) fn run(self, lab: &Lab) -> Run<'_> {
        match self {
            Self::Ssh => Run::plain(lab),
            Self::Alone => Run::aissh(lab).own(&["--no-copilot"]),
            Self::Hidden => Run::aissh(lab),
            Self::Shown => Run::aissh(lab).own(&["--sidebar"]),
        }
    }

    /// At the remote prompt, and with the panel drawn where there is one.
    pub(crate) fn at_prompt(self, lab: &Lab) -> Terminal {
        self.ready(lab, self.run(lab).start())
    }

    /// The same, started by a shell script, in which `"$@"` is the program with its arguments.
    pub(crate) fn in_script(self, lab: &Lab, script: &str) -> Terminal {
        self.ready(lab, self.run(lab).in_script(script))
    }

    fn ready(self, lab: &Lab, terminal: Terminal) -> Terminal {
        terminal.wait_prompt(lab.prompt());
        if self == Self::Shown {
            wait_panel(&terminal);
        }
        terminal
    }

    /// The process that is ssh, in a terminal whose program is it or aissh.
    pub(crate) fn ssh(self, terminal: &Terminal) -> Pid {
        if self == Self::Ssh { terminal.pid() } else { ssh_of(terminal) }
    }

    /// The same, where a shell has started it.
    pub(crate) fn ssh_below(self, shell: &Terminal) -> Pid {
        let job = self.job_below(shell);
        if self == Self::Ssh { job } else { ssh_below(job) }
    }

    /// What the shell has started.
    pub(crate) fn job_below(self, shell: &Terminal) -> Pid {
        child_of(shell.pid(), if self == Self::Ssh { "ssh " } else { "aissh " })
    }

    /// What to type into a shell.
    pub(crate) fn command(self, lab: &Lab, rest: &[&str]) -> String {
        let run = self.run(lab).ssh(rest);
        let words = [vec![run.program().to_owned()], run.args()].concat();
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Plays with ssh and in each of these ways; returns what came out, the same for all.
pub(crate) fn same<T: PartialEq + Debug>(ways: &[Way], play: impl Fn(Way) -> T) -> T {
    let expected = play(Way::Ssh);
    for way in ways {
        let got = play(*way);
        assert!(got == expected, "{way:?}:\n{got:#?}\nand ssh:\n{expected:#?}");
    }
    expected
}

/// How a terminal was left.
#[derive(PartialEq)]
pub(crate) struct Left {
    pub(crate) exit: Exit,
    pub(crate) termios: Termios,
    /// Every byte that it got, from the first to the last.
    pub(crate) printed: Vec<u8>,
}

impl Left {
    pub(crate) fn of(terminal: &Terminal) -> Self {
        let exit = terminal.wait_exit();
        Self { exit, termios: terminal.termios(), printed: terminal.raw() }
    }
}

impl Debug for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = (self.termios.input_flags, self.termios.output_flags, self.termios.local_flags);
        let printed = self.printed.escape_ascii().to_string().replace("\\n", "\n");
        write!(f, "{:?}, {flags:?}, printed:\n{printed}", self.exit)
    }
}

/// A bash with job control around it, at its prompt.
pub(crate) fn bash(lab: &Lab, size: Size) -> Terminal {
    let args: Vec<String> = ["--norc", "--noprofile", "-i"].map(str::to_owned).into();
    let mut env = lab.env();
    // No history of anybody's is read or written.
    env.extend([("PS1".into(), "outer> ".into()), ("HISTFILE".into(), String::new())]);
    let terminal = Terminal::spawn("bash", &args, &env, size);
    terminal.wait_prompt("outer>");
    terminal
}
