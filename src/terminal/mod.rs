//! Both terminals: the user's (raw mode, size, keys) and ssh's (PTY, emulator, queries).

mod decode;
pub mod keys;
pub mod prefix;
mod sequence;
mod size;

pub use size::Size;
