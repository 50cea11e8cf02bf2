//! Why auto ended or did not begin: data, with a name for records and a sentence for the panel.

use super::hidden::{Found, Hidden};
use super::instructions::Instruction;
use crate::linus::contract::Risk;

/// A reason. What it quotes may come from the remote or from Linus: it is drawn through `text::visible`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// `prefix !`.
    User,
    /// `prefix m`.
    Left,
    /// A key while a card was about to be sent.
    Key,
    /// Keys to the remote.
    Typed,
    /// The user sent a card or the shell integration.
    SentByUser,
    /// The word was not typed.
    NotConfirmed,
    /// Auto and its countdown cannot be seen.
    NotShown,
    /// aissh was stopped, and the terminal was somebody else's.
    Suspended,
    /// ssh itself asks something, or the session is over.
    NotConnected,
    /// The prompt has no mark of this session's integration.
    Untrusted,
    Secret,
    FullScreen,
    /// A pager or a question waits for a key, or a program reads lines.
    Waiting,
    /// No prompt waits.
    NoPrompt,
    /// Something stands on the remote's line.
    LineTaken,
    /// User, host, prompt or language is another; what.
    Target(String),
    Offline,
    /// Another sender than Linus.
    Sender(String),
    Level {
        id: String,
        level: Risk,
        why: String,
    },
    /// The card says itself why it cannot be sent.
    Refused {
        id: String,
        why: String,
    },
    /// The user has changed the card.
    Edited {
        id: String,
    },
    /// Something in it is to be filled in first.
    Holes {
        id: String,
    },
    Lines {
        id: String,
    },
    Repeat {
        command: String,
    },
    NearRepeat {
        command: String,
        before: String,
    },
    Cycle {
        period: usize,
    },
    Limit(u8),
    Failures(u8),
    UnknownExit,
    Hidden(Hidden),
    Instruction(Instruction),
    /// Nothing to do for a while.
    Idle,
    /// The record of the session cannot be kept; why.
    Audit(String),
}

impl From<Found> for Stop {
    fn from(found: Found) -> Self {
        match found {
            Found::Hidden(how) => Self::Hidden(how),
            Found::Instruction(which) => Self::Instruction(which),
        }
    }
}

impl Stop {
    /// For records: one word a reason, never changed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Left => "left",
            Self::Key => "key",
            Self::Typed => "typed",
            Self::SentByUser => "sent_by_user",
            Self::NotConfirmed => "not_confirmed",
            Self::NotShown => "not_shown",
            Self::Suspended => "suspended",
            Self::NotConnected => "not_connected",
            Self::Untrusted => "untrusted",
            Self::Secret => "secret",
            Self::FullScreen => "full_screen",
            Self::Waiting => "waiting",
            Self::NoPrompt => "no_prompt",
            Self::LineTaken => "line_taken",
            Self::Target(_) => "target",
            Self::Offline => "offline",
            Self::Sender(_) => "sender",
            Self::Level { .. } => "level",
            Self::Refused { .. } => "refused",
            Self::Edited { .. } => "edited",
            Self::Holes { .. } => "holes",
            Self::Lines { .. } => "lines",
            Self::Repeat { .. } => "repeat",
            Self::NearRepeat { .. } => "near_repeat",
            Self::Cycle { .. } => "cycle",
            Self::Limit(_) => "limit",
            Self::Failures(_) => "failures",
            Self::UnknownExit => "unknown_exit",
            Self::Hidden(_) => "hidden_text",
            Self::Instruction(_) => "instruction_text",
            Self::Idle => "idle",
            Self::Audit(_) => "audit",
        }
    }

    /// A sentence without its begin ("Auto is off: …"), for the panel.
    pub fn text(&self) -> String {
        let fixed = match self {
            Self::User => "you stopped it. What runs on the remote runs on",
            Self::Left => "you chose another mode",
            Self::Key => "a key was pressed before the card was sent",
            Self::Typed => "you typed on the remote",
            Self::SentByUser => "you sent something yourself",
            Self::NotConfirmed => "auto or yes was not typed",
            Self::NotShown => "it runs only while the panel is open and shows it",
            Self::Suspended => "aissh was suspended",
            Self::NotConnected => "ssh itself has the terminal",
            Self::Untrusted => "this prompt has no mark of this session's shell integration (prefix i)",
            Self::Secret => "a secret is asked for",
            Self::FullScreen => "a full-screen program runs",
            Self::Waiting => "a pager, a question or a program waits for input",
            Self::NoPrompt => "no prompt waits",
            Self::LineTaken => "something stands on the remote's line",
            Self::Offline => "Linus is offline",
            Self::UnknownExit => "the shell did not tell how the last command ended",
            Self::Idle => "there was nothing to do for some minutes",
            _ => return self.particular(),
        };
        fixed.to_owned()
    }

    fn particular(&self) -> String {
        match self {
            Self::Target(what) => format!("another place than where it was turned on: {what}"),
            Self::Sender(who) => format!("the card is {who}'s: auto is for Linus's own"),
            Self::Level { id, level, why } => format!("card {id} is {}: {why}", level.name()),
            Self::Refused { id, why } => format!("card {id}: {why}"),
            Self::Edited { id } => format!("card {id} was changed by you: it needs your key"),
            Self::Holes { id } => format!("card {id} has something to fill in"),
            Self::Lines { id } => format!("card {id} has several lines"),
            Self::Repeat { command } => format!("Linus repeats a command: {command}"),
            Self::NearRepeat { command, before } => {
                format!("Linus repeats a command in other words: {command}, after {before}")
            }
            Self::Cycle { period: 1 } => {
                "the commands go on in one way and differ in numbers only".to_owned()
            }
            Self::Cycle { period } => {
                format!("the commands go in a circle of {period} and differ in numbers only")
            }
            Self::Limit(limit) => format!("{limit} commands in a row is the limit (policy.chain_limit)"),
            Self::Failures(count) => format!("{count} commands in a row failed"),
            Self::Hidden(how) => format!("the output {}", how.text()),
            Self::Instruction(which) => {
                format!("the output has text that tells an agent what to do ({})", which.name)
            }
            Self::Audit(why) => format!("the record of this session is not kept: {why}"),
            _ => String::new(),
        }
    }
}
