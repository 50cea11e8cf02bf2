//! Why a helper command was of no use, as one sentence that begins with its name.

use std::fmt;
use std::time::Duration;

use crate::linus::call_error::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelperError {
    /// The setting itself is wrong.
    Bad(String),
    /// It could not be started.
    Start { program: String, why: String },
    /// It did not end in time, and was killed.
    TimedOut { program: String, after: Duration },
    /// It printed more than is taken, and was killed.
    TooMuch { program: String, limit: usize },
    /// It ended with this status; `said` is its last line of complaint.
    Failed { program: String, status: String, said: String },
    /// It was taken back, and killed.
    Cancelled,
}

impl fmt::Display for HelperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(text) => f.write_str(&one_line(text)),
            Self::Start { program, why } => write!(f, "{}: {}", one_line(program), one_line(why)),
            Self::TimedOut { program, after } => {
                write!(f, "{}: not done after {} s", one_line(program), after.as_secs_f32())
            }
            Self::TooMuch { program, limit } => {
                write!(f, "{}: it printed more than {} KiB", one_line(program), limit / 1024)
            }
            Self::Failed { program, status, said } if said.is_empty() => {
                write!(f, "{}: {status}", one_line(program))
            }
            Self::Failed { program, status, said } => {
                write!(f, "{}: {status}: {}", one_line(program), one_line(said))
            }
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for HelperError {}
