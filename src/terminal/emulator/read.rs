//! Every line that is kept, as it stands at one moment: for looking back through them. Reads, and changes nothing.

use super::charset::SUBSTITUTE;
use super::looks::bare;
use super::{Emulator, lines, styled};
use std::borrow::Cow;

/// History and screen as logical lines with SGR, up to the last that has text or the cursor. On the alternate screen
/// that screen stands behind the history.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    text: String,
    /// Where each line ends in `text`.
    ends: Vec<usize>,
    /// The cursor: its line, and the cells before it there.
    pub cursor: (usize, usize),
    /// Where the screen begins, in the same way.
    pub screen: (usize, usize),
}

impl Kept {
    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A line with SGR; empty where there is none.
    pub fn line(&self, index: usize) -> &str {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(index).map_or("", |end| &self.text[start..*end])
    }

    /// The same without SGR.
    pub fn plain(&self, index: usize) -> Cow<'_, str> {
        let line = self.line(index);
        if line.contains('\x1b') { Cow::Owned(styled::plain(line)) } else { Cow::Borrowed(line) }
    }

    fn push(&mut self, line: &str) {
        // What rides in the cells has no width, and nobody searches for it.
        let line = bare(line.to_owned());
        if line.contains(SUBSTITUTE) {
            self.text.push_str(&line.replace(SUBSTITUTE, "\u{fffd}"));
        } else {
            self.text.push_str(&line);
        }
        self.ends.push(self.text.len());
    }
}

impl Emulator {
    /// A copy of all that is kept.
    pub fn kept(&self) -> Kept {
        let history = self.history();
        let mut kept = Kept::default();
        (history.first()..history.next()).for_each(|line| kept.push(history.get(line).unwrap_or_default()));
        kept.screen = (kept.len(), styled::cells(self.head()));
        let spans = lines::spans(self.screen());
        let used = lines::last_used(self.screen(), &spans);
        for (index, span) in spans.into_iter().take(used + 1).enumerate() {
            let text = lines::line_of(self.screen(), span).text;
            kept.push(&if index == 0 { lines::joined(self.head(), &text) } else { text });
        }
        let (row, col) = self.screen().cursor_position();
        let place = self.place(row, col.min(self.size.cols - 1));
        kept.cursor = (kept.screen.0 + (place.line - history.next()) as usize, place.offset);
        kept
    }

    /// How many bytes of history are kept, what a line costs beside its text included.
    pub fn keep(&mut self, bytes: usize) {
        self.parser.callbacks_mut().keep(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Size;

    #[test]
    fn history_and_screen_are_one_and_the_cursor_is_in_it() {
        let mut emulator = Emulator::new(Size::new(10, 3));
        emulator.feed(b"one\r\ntwo two two t\r\n\x1b[31mred\x1b[m\r\nfour");
        let kept = emulator.kept();
        let lines: Vec<_> = (0..kept.len()).map(|at| kept.plain(at).into_owned()).collect();
        assert_eq!(lines, ["one", "two two two t", "red", "four"]);
        assert!(kept.line(2).contains("\x1b[31m"));
        assert_eq!((kept.cursor, kept.screen), ((3, 4), (1, 10)));
        assert_eq!(kept.line(9), "");
    }

    #[test]
    fn on_the_alternate_screen_it_stands_behind_the_history() {
        let mut emulator = Emulator::new(Size::new(10, 2));
        emulator.feed(b"one\r\ntwo\r\nthree\x1b[?1049h\x1b[HALT");
        let kept = emulator.kept();
        let lines: Vec<_> = (0..kept.len()).map(|at| kept.plain(at).into_owned()).collect();
        assert_eq!(lines, ["one", "ALT"]);
        assert_eq!(kept.cursor, (1, 3));
    }

    #[test]
    fn no_more_bytes_are_kept_than_said() {
        let mut emulator = Emulator::new(Size::new(40, 4));
        emulator.keep(64 << 10);
        for n in 0..5_000 {
            emulator.feed(format!("line {n}\r\n").as_bytes());
        }
        let kept = emulator.kept();
        let last = kept.plain(kept.len() - 2).into_owned();
        assert_eq!(last, "line 4999");
        assert!((500..1000).contains(&kept.len()), "{} lines in 64 KiB", kept.len());
    }
}
