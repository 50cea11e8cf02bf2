//! How wide vt100 takes a character to be.

use unicode_width::UnicodeWidthChar;

/// How many cells it gives it.
pub(super) fn cells_of(c: char) -> usize {
    c.width().unwrap_or(1).min(2)
}
