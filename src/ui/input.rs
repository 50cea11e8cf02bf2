//! The input at the bottom of the panel: the chat's, or the edit line of a card.
//!
//! Everything in it is shown as it is: wrapped by character, invisible characters by a sign.

use super::editor::LineEditor;
use crate::text::{visible_char, width};

/// Rows of text with a cursor in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) rows: Vec<String>,
    /// Row and column.
    pub(super) cursor: (usize, usize),
    /// Bytes of the rows before the first of these.
    pub(super) skipped: usize,
}

impl Rows {
    pub(super) fn new(editor: &LineEditor, cols: usize) -> Self {
        // A wide character, and the cursor behind the last column.
        let cols = cols.max(2);
        let mut rows = vec![String::new()];
        let mut used = 0;
        let mut cursor = None;
        for (at, c) in editor.text().char_indices() {
            let shown = visible_char(c);
            let cells = width(&shown);
            if used + cells > cols && used > 0 {
                rows.push(String::new());
                used = 0;
            }
            if at == editor.cursor() {
                cursor = Some((rows.len() - 1, used));
            }
            // A sign may be wider than the room; it wraps too.
            for piece in shown.chars() {
                let cells = width(piece.encode_utf8(&mut [0; 4]));
                if used + cells > cols {
                    rows.push(String::new());
                    used = 0;
                }
                if let Some(row) = rows.last_mut() {
                    row.push(piece);
                }
                used += cells;
            }
            if c == '\n' {
                rows.push(String::new());
                used = 0;
            }
        }
        let end = if used < cols { (rows.len() - 1, used) } else { (rows.len(), 0) };
        let cursor = cursor.unwrap_or(end);
        if cursor.0 == rows.len() {
            rows.push(String::new());
        }
        Self { rows, cursor, skipped: 0 }
    }

    /// The rows that are seen in `height`, with the cursor among them.
    pub(super) fn window(mut self, height: usize) -> Self {
        let start = (self.cursor.0 + 1).saturating_sub(height.max(1));
        self.skipped += self.rows.iter().take(start).map(String::len).sum::<usize>();
        self.rows = self.rows.into_iter().skip(start).take(height).collect();
        self.cursor.0 -= start;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, cols: usize) -> (Vec<String>, (usize, usize)) {
        let rows = Rows::new(&LineEditor::with_text(text), cols);
        (rows.rows, rows.cursor)
    }

    #[test]
    fn text_wraps_by_character_and_keeps_every_blank() {
        assert_eq!(rows("ab  cd", 3), (vec!["ab ".into(), " cd".into(), String::new()], (2, 0)));
        assert_eq!(rows("漢字", 3), (vec!["漢".into(), "字".into()], (1, 2)));
        assert_eq!(rows("", 3), (vec![String::new()], (0, 0)));
    }

    #[test]
    fn newlines_and_invisible_characters_have_signs() {
        assert_eq!(rows("a\nb", 5), (vec!["a⏎".into(), "b".into()], (1, 1)));
        assert_eq!(rows("a\u{202e}", 20), (vec!["a⟨U+202E⟩".into()], (0, 9)));
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let window = Rows::new(&LineEditor::with_text("1\n2\n3\n4"), 5).window(2);
        assert_eq!(
            window,
            Rows { rows: vec!["3⏎".into(), "4".into()], cursor: (1, 1), skipped: "1⏎2⏎".len() }
        );
    }
}
