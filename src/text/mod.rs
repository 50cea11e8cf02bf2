//! Text on its way to the user's terminal: made harmless, measured, wrapped.
//!
//! Everything that Linus, a remote or a file says passes here before it is drawn. Nothing here draws.

mod classify;
mod escape;
pub(crate) mod quote;
mod sanitize;
mod visible;
pub(crate) mod wildcard;
mod wrap;

pub(crate) use classify::{is_invisible, is_odd_space};
pub use sanitize::{sanitize, sanitize_sgr, strip_sgr};
pub use visible::{is_sendable_char, visible, visible_char};
pub use wrap::{char_width, cut, last, rows, truncate, width, wrap, wrap_ranges};

/// Two lower-case digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
