//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

mod decode;
mod emulator;
pub mod keys;
mod modes;
pub mod monitor;
pub mod outbox;
pub mod prefix;
pub mod pty;
mod queries;
mod sequence;
pub mod signals;
mod size;
mod tokens;
pub mod tty;

pub use emulator::{EchoStart, Emulator, Mark, Signal};
pub use modes::Modes;
pub use queries::{Answer, Outstanding, Query, Reply, answer};
pub use size::Size;
