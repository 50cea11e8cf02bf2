//! Puts placeholders into a text.

use std::ops::Range;

use super::{Class, Found, Redacted};

/// What stands in the place of a part of the text.
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// `None` for what is no secret and only looked like a placeholder.
    pub(super) class: Option<Class>,
}

/// The pieces in the order of the text and apart, each on whole characters. They may come in any order and overlap (a
/// string for the terminal lies within what is shown around it): what overlaps becomes one.
pub(super) fn apart(text: &str, mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.retain(|piece| !piece.range.is_empty());
    pieces.sort_by_key(|piece| (piece.range.start, std::cmp::Reverse(piece.range.end)));
    let mut apart = Vec::with_capacity(pieces.len());
    let mut done = 0;
    for piece in pieces {
        let end = char_end(text, piece.range.end);
        let start = char_start(text, piece.range.start.max(done));
        if end > done {
            apart.push(Piece { range: start..end, ..piece });
            done = end;
        }
    }
    apart
}

/// The text with all pieces in their places.
pub(super) fn assemble(text: &str, pieces: Vec<Piece>) -> Redacted {
    let mut redacted = Redacted { text: String::with_capacity(text.len()), found: Vec::new() };
    let mut done = 0;
    for piece in apart(text, pieces) {
        let Range { start, end } = piece.range;
        redacted.text.push_str(text.get(done..start).unwrap_or_default());
        let from = redacted.text.len();
        redacted.text.push_str(&piece.text);
        if let Some(class) = piece.class {
            let range = from..redacted.text.len();
            redacted.found.push(Found { class, placeholder: piece.text, range, field: "" });
        }
        done = end;
    }
    redacted.text.push_str(text.get(done..).unwrap_or_default());
    redacted
}

/// The end of the character that ends at or goes on over `at`.
fn char_end(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

fn char_start(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
