//! Lines out of what a terminal gets: without escape sequences, with what a line editor does to the line it edits.
//!
//! No emulator: a screen has rows that come and go, and a log has lines that stay. What a full-screen program draws on the
//! alternate screen is left out. Pure.

use crate::terminal::tokens::{Csi, Token, Tokenizer};

/// Characters of a line; a longer one goes on in another.
const LINE: usize = 8 * 1024;

/// The line in progress.
pub(super) struct Lines {
    tokens: Tokenizer,
    line: Vec<char>,
    /// Where the next character goes.
    at: usize,
    /// The beginning of a character that is split over two reads.
    partial: Vec<u8>,
    is_alternate: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Self { tokens: Tokenizer::new(), line: Vec::new(), at: 0, partial: Vec::new(), is_alternate: false }
    }
}

impl Lines {
    /// The lines that have ended.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut done = Vec::new();
        let mut tokens = std::mem::replace(&mut self.tokens, Tokenizer::new());
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, token) = tokens.next(rest);
            match token {
                Some(Token::Text(text)) if !self.is_alternate => self.text(text, &mut done),
                Some(Token::Control(8)) => self.at = self.at.saturating_sub(1),
                Some(Token::Csi(csi)) => self.csi(&csi),
                _ => {}
            }
            rest = &rest[used..];
        }
        self.tokens = tokens;
        done
    }

    /// The line that has not ended.
    pub(super) fn current(&self) -> String {
        ended(&self.line)
    }

    /// The same behind a gap in the stream.
    pub(super) fn after_gap(&self) -> Self {
        Self { is_alternate: self.is_alternate, ..Self::default() }
    }

    fn text(&mut self, text: &[u8], done: &mut Vec<String>) {
        let mut bytes = std::mem::take(&mut self.partial);
        bytes.extend_from_slice(text);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' => {
                        done.push(ended(&self.line));
                        self.line.clear();
                        self.at = 0;
                    }
                    '\r' => self.at = 0,
                    '\t' => (0..8 - self.at % 8).for_each(|_| self.put(' ', done)),
                    '\u{b}' | '\u{c}' => {}
                    c => self.put(c, done),
                }
            }
            // At the very end it may be a character of which the rest is to come.
            if chunks.peek().is_none() && chunk.invalid().len() < 4 && !chunk.invalid().is_empty() {
                self.partial = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                self.put(char::REPLACEMENT_CHARACTER, done);
            }
        }
    }

    fn put(&mut self, c: char, done: &mut Vec<String>) {
        if self.at >= LINE {
            done.push(ended(&self.line));
            self.line.clear();
            self.at = 0;
        }
        if self.line.len() <= self.at {
            self.line.resize(self.at + 1, ' ');
        }
        self.line[self.at] = c;
        self.at += 1;
    }

    fn csi(&mut self, csi: &Csi<'_>) {
        let count = usize::from(csi.number(0, 1)).min(LINE);
        if csi.marker == b'?' && matches!(csi.last, b'h' | b'l') {
            if csi.numbers().any(|mode| matches!(mode, 47 | 1047 | 1049)) {
                self.is_alternate = csi.last == b'h';
            }
            return;
        }
        match (csi.last, csi.number(0, 0)) {
            _ if self.is_alternate || csi.marker != 0 => {}
            (b'C', _) => self.at = (self.at + count).min(LINE),
            (b'D', _) => self.at = self.at.saturating_sub(count),
            (b'G', _) => self.at = count - 1,
            (b'K', 0) => self.line.truncate(self.at),
            (b'K', 1) => self.line.iter_mut().take(self.at + 1).for_each(|c| *c = ' '),
            (b'K', 2) => self.line.clear(),
            (b'P', _) => {
                let end = (self.at + count).min(self.line.len());
                self.line.drain(self.at.min(end)..end);
            }
            (b'@', _) if self.at < self.line.len() => {
                self.line.splice(self.at..self.at, std::iter::repeat_n(' ', count));
                self.line.truncate(LINE);
            }
            _ => {}
        }
    }
}

fn ended(line: &[char]) -> String {
    let text: String = line.iter().collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<String>, String) {
        let mut lines = Lines::default();
        let done = lines.feed(bytes);
        (done, lines.current())
    }

    #[test]
    fn lines_are_as_a_line_editor_leaves_them() {
        let (done, current) =
            all(b"\x1b[1;31mred\x1b[m\r\n10%\r100%\x1b[K\r\nlsx\x08\x1b[K -l\r\n$ \xc3\xbc");
        assert_eq!((done, current), (vec!["red".into(), "100%".into(), "ls -l".into()], "$ ü".to_owned()));
        let (done, _) = all(b"abc\x1b[3D\x1b[@x\r\nabc\x1b[2D\x1b[P\r\na\tb\r\n\x1b]0;title\x07t\n");
        assert_eq!(done, ["xabc", "ac", "a       b", "t"]);
    }

    #[test]
    fn what_a_full_screen_program_draws_is_no_line() {
        let (done, current) = all(b"vi\r\n\x1b[?1049hone\r\ntwo\x1b[?1049l$ ");
        assert_eq!((done, current), (vec!["vi".to_owned()], "$".to_owned()));
    }

    #[test]
    fn every_split_gives_the_same_lines_and_a_long_line_is_bounded() {
        let bytes = "grö\u{1b}[1mße\u{1b}[m \u{1f600}\r\n\u{1b}]8;;x\u{7}l\u{7}\r\nend".as_bytes();
        let whole = all(bytes);
        for cut in 0..=bytes.len() {
            let mut lines = Lines::default();
            let mut done = lines.feed(&bytes[..cut]);
            done.extend(lines.feed(&bytes[cut..]));
            assert_eq!((done, lines.current()), whole, "{cut}");
        }
        let (done, current) = all(&vec![b'x'; 20_000]);
        assert_eq!((done.len(), current.len()), (2, 20_000 - 2 * LINE));
        assert!(all(b"\x1b[99999999C\x1b[99999999@\xff\xffx\n").0.len() <= 2);
    }
}
