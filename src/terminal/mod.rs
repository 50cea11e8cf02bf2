//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

pub mod ahead;
pub mod crash;
mod decode;
mod emulator;
pub mod keys;
mod modes;
pub mod monitor;
pub mod mouse;
pub mod outbox;
pub mod prefix;
pub mod pty;
pub mod queries;
pub mod replies;
mod sequence;
pub mod signals;
mod size;
pub(crate) mod tokens;
pub mod tty;

pub use emulator::{Additions, EchoStart, Emulator, Kept, Mark, SNIP, Signal, Skimmer};
pub use modes::{InputModes, Modes};
pub use size::Size;
