//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

mod emulator;
mod modes;
mod queries;
mod size;
mod tokens;

pub use emulator::{EchoStart, Emulator, Mark, Signal};
pub use modes::Modes;
pub use queries::{Answer, Outstanding, Query, Reply, answer};
pub use size::Size;
