//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

mod decode;
pub mod keys;
pub mod monitor;
pub mod outbox;
pub mod prefix;
pub mod pty;
mod sequence;
pub mod signals;
mod size;
pub mod tty;

pub use size::Size;
