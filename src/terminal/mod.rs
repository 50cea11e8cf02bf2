//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

mod size;

pub use size::Size;
