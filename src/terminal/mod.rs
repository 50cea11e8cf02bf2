//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

mod modes;
mod size;
mod tokens;

pub use modes::Modes;
pub use size::Size;
