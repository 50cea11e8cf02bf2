//! The connectivity guard: a timed undo for a command that may cut this very session.
//!
//! Pure: a command in, cards to offer out. What takes a command back is Linus's own `undo`, else what `derive` can
//! honestly say; where neither says anything, the user is asked (a hole). How it is timed is the remote's own means: on a
//! shell `systemd-run`, `at`, or a shell that sleeps (`timer`); on network devices what their makers give for this
//! (`device`). Nothing here sends anything.

mod derive;
mod device;
mod timer;

use super::risk::{Class, Syntax, assess};
use crate::linus::contract::Placeholder;
use crate::shell::Dialect;

pub(super) use timer::Known;

/// When it is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Before the command.
    Before,
    /// In its place.
    Instead,
    /// When the change is made and not in force yet.
    After,
}

/// What takes the timer back when all is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cancel {
    Command(String),
    /// `at` says its job's number when it takes it.
    AtJob {
        sudo: bool,
    },
}

/// What shows that a timer was set, where no exit status tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Its output says so.
    Says(&'static str),
    /// It has no output.
    Silence,
    /// Nothing in its output is an error of a device's.
    NoError,
}

impl Proof {
    pub(super) fn is_in(self, output: &str) -> bool {
        match self {
            Self::Says(words) => output.contains(words),
            Self::Silence => output.trim().is_empty(),
            Self::NoError => {
                !["%", "error", "Error", "nvalid", "nrecognized", "yntax"].iter().any(|e| output.contains(e))
            }
        }
    }
}

/// One card to offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timer {
    pub(super) command: String,
    pub(super) description: String,
    /// The user's own undo, where nothing here knows one.
    pub(super) placeholders: Vec<Placeholder>,
    pub(super) order: Order,
    pub(super) cancel: Cancel,
    pub(super) proof: Proof,
}

/// What can be offered for a command: timers to choose from, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Guard {
    pub(super) timers: Vec<Timer>,
    pub(super) note: Option<&'static str>,
}

/// The command as it stands, and what is known of where it goes. `tag` tells this timer from others on that machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) command: &'a str,
    /// Linus's own.
    pub(super) undo: Option<&'a str>,
    pub(super) dialect: Dialect,
    pub(super) known: Known,
    pub(super) tag: &'a str,
}

/// What the hole for the user's own undo is called.
const UNDO_HOLE: &str = "UNDO";

/// `None` for a command that does not touch how the session is reached, and for one that no undo helps against: a
/// machine that is off runs none.
pub(super) fn guard(asked: Asked<'_>) -> Option<Guard> {
    let found = assess(asked.command, Syntax::of(asked.dialect));
    if !found.classes.has(Class::Connectivity) {
        return None;
    }
    if asked.dialect.is_device() {
        return device::guard(asked.command, asked.dialect);
    }
    if derive::is_the_end(asked.command) {
        return None;
    }
    if matches!(asked.dialect, Dialect::Tcsh | Dialect::PowerShell) {
        return Some(Guard { note: Some("No timed undo is known for this shell."), ..Guard::default() });
    }
    let sudo = derive::uses_sudo(asked.command);
    let undo = asked.undo.filter(|undo| !undo.contains('\n')).map(derive::Inverse::of_linus);
    let undo = undo.or_else(|| derive::inverse(asked.command, asked.tag));
    Some(timer::guard(&asked, undo.as_ref(), sudo))
}

#[cfg(test)]
mod tests;
