//! How a session ends: exactly as ssh ended.

use crate::terminal::pty::Change;
use crate::terminal::signals::die_by;
use std::process::ExitCode;

/// ssh's exit status, or the signal that it died by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Code(u8),
    Signal(i32),
}

impl Verdict {
    /// Ends this process the same way. For a signal this does not return: the caller's shell must see a death
    /// by signal, not a status of 128 and something.
    pub fn conclude(self) -> ExitCode {
        match self {
            Self::Code(code) => ExitCode::from(code),
            Self::Signal(signal) => die_by(signal),
        }
    }

    /// Whether ssh itself failed (255) or was killed, so that what the remote had switched on is still on.
    pub(super) fn is_abnormal(self) -> bool {
        !matches!(self, Self::Code(code) if code != crate::error::status::SSH)
    }
}

impl From<Change> for Verdict {
    fn from(change: Change) -> Self {
        match change {
            Change::Exited(code) => Self::Code(code as u8),
            Change::Killed(signal) => Self::Signal(signal),
            // The pump does not return for a stop.
            Change::Stopped => Self::Code(crate::error::status::SSH),
        }
    }
}
