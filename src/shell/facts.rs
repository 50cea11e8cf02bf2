//! The tracker's vocabulary: states, facts and events.

use super::dialect::{Clue, Dialect};

/// What stands in the foreground on the remote, as far as can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// No evidence yet. Consumers must handle this; it is not "busy".
    #[default]
    Unknown,
    /// A prompt waits for a command.
    AtPrompt,
    /// A command runs.
    Running,
    /// It waits for a key: a pager, or a question. It has not ended.
    Waiting,
    /// It reads lines of its own (python, psql, gdb): what is sent goes to it, and not to the shell.
    Program,
    /// The alternate screen is in use (editor, pager, remote tmux).
    FullScreen,
    /// Input is not echoed: a password or passphrase is being asked for.
    Secret,
}

/// Where a fact came from, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// A mark of our own integration, with this session's nonce: the shell that the user put it into said so.
    Trusted,
    /// A mark in the stream (OSC 133, 633, 3008, 7, 1337). The remote can forge it.
    Mark,
    /// The window's title. So it can this.
    Title,
    /// The user's own prompt shows it.
    Prompt,
    /// Text of a program that implies it ("command not found" is 127).
    Text,
}

/// An exit status and what it rests on. Absent (`None` around it) when nothing tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitStatus {
    pub code: i32,
    pub evidence: Evidence,
}

/// Who entered a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Typed by the user into the session.
    UserTyped,
    /// Sent by the user from a card of the panel.
    Suggested {
        /// The card's id as Linus gave it.
        id: String,
        /// Whether the user changed the text before sending.
        was_edited: bool,
    },
    /// The line of the shell integration. It is no command of anyone's: it is not reported.
    Integration,
}

/// One command from prompt to prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    /// The command line, `None` where it cannot be told (history recall seen half, multi-line editing).
    pub command: Option<String>,
    pub origin: Origin,
    /// The text that appeared between the command line and the next prompt; SGR kept, tail-bounded.
    pub output: String,
    pub exit: Option<ExitStatus>,
    /// False for the report at 5 s of a command that still runs.
    pub finished: bool,
    /// It was reported before, at 5 s.
    pub reported: bool,
}

/// What is known of the shell now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub cwd: Option<String>,
    pub user: Option<String>,
    pub host: Option<String>,
    pub last_command: Option<String>,
    pub last_exit: Option<i32>,
    /// The prompt that waits, or that the running command was entered at, was marked with this session's nonce.
    pub trusted: bool,
    /// What reads the commands, and what told so. `Unknown` where nothing did.
    pub dialect: Dialect,
    pub dialect_from: Option<Clue>,
    pub sources: Sources,
    /// The last line of the prompt that waits, or that the running command was entered at.
    pub prompt: Option<String>,
    /// Counts the shells that may have begun over one another; another number is perhaps another shell.
    pub shell: u32,
}

/// What each of the facts rests on; the last command's text is the screen's or the remote's word, as is all of this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sources {
    pub cwd: Option<Evidence>,
    pub user: Option<Evidence>,
    pub host: Option<Evidence>,
    pub last_exit: Option<Evidence>,
}

/// What the tracker reports, in the order of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellEvent {
    /// A first prompt, or the prompt after a command: the shell waits for input.
    Prompt,
    /// A command was accepted and runs now.
    Started { command: Option<String> },
    /// A command ended, or has run for 5 s (`finished` is false, once).
    Command(CommandRecord),
    /// Something was printed (coalesced: at most one of these per `feed`).
    Output,
}
