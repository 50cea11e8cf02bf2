//! Bytes to characters that vt100 can print: UTF-8 across splits, DEC line drawing, substitutes.

use super::looks;

/// Printed for what is not UTF-8. vt100 skips U+FFFD without moving the cursor, which would shift the rest of the
/// line; this is the picture of the control SUB, "a character that could not be shown".
pub(super) const SUBSTITUTE: char = '\u{2426}';

/// DEC special graphics, 0x60 to 0x7e.
const LINES: [char; 31] = [
    '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽', '├',
    '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

#[derive(Debug, Default)]
pub(super) struct Text {
    /// The beginning of a character.
    partial: Vec<u8>,
}

impl Text {
    pub(super) fn is_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Something else came in the middle of a character.
    pub(super) fn abandon(&mut self) -> String {
        self.partial.clear();
        SUBSTITUTE.to_string()
    }

    /// Decodes; an incomplete character at the end is kept for the next call.
    pub(super) fn feed(&mut self, bytes: &[u8], lines: bool) -> String {
        let joined;
        let mut rest = bytes;
        if self.is_partial() {
            joined = [&self.partial, bytes].concat();
            self.partial.clear();
            rest = &joined;
        }
        let mut text = String::with_capacity(rest.len());
        for chunk in rest.utf8_chunks() {
            push(&mut text, chunk.valid(), lines);
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let is_last = invalid.as_ptr_range().end == rest.as_ptr_range().end;
            let is_incomplete = std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
            if is_last && is_incomplete {
                self.partial = invalid.to_vec();
            } else {
                text.push(SUBSTITUTE);
            }
        }
        text
    }
}

fn push(text: &mut String, part: &str, lines: bool) {
    // Only what begins with these bytes needs a look: U+0080 to U+009F, U+FE0F, U+FFFD, and what `looks` uses.
    if !lines && memchr::memchr3(0xc2, 0xef, looks::LEAD, part.as_bytes()).is_none() {
        return text.push_str(part);
    }
    for c in part.chars() {
        match c {
            '\u{fe0f}' => text.push(looks::EMOJI),
            // C1 controls print nothing.
            '\u{80}'..='\u{9f}' => {}
            c if looks::is_tag(c) => {}
            '\u{fffd}' => text.push(SUBSTITUTE),
            '_' if lines => text.push(' '),
            '`'..='~' if lines => text.push(LINES[c as usize - 0x60]),
            _ => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_gives_the_same_characters() {
        let bytes = b"a\xe9 b\xe2\x94\x80\xf0\x9f\x98\x80 \xe2\x82x \xff\xef\xb8\x8f\xc2\x85z\xef\xbf\xbd";
        let expected = "a\u{2426} b─😀 \u{2426}x \u{2426}\u{e0fff}z\u{2426}";
        for at in 0..=bytes.len() {
            let mut text = Text::default();
            let got = text.feed(&bytes[..at], false) + &text.feed(&bytes[at..], false);
            assert_eq!(got, expected, "split at {at}");
        }
    }

    #[test]
    fn line_drawing_maps_lower_case_only() {
        assert_eq!(Text::default().feed(b"lqk A_z", true), "┌─┐ A ≥");
    }
}
