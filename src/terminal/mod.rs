//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

pub mod monitor;
pub mod outbox;
pub mod pty;
pub mod signals;
mod size;
pub mod tty;

pub use size::Size;
