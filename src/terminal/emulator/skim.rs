//! Output that the emulator will not see, because there was too much of it: the shell's marks in it are kept, and
//! where in a sequence it ended.

use super::signals::{self, Signal};
use crate::terminal::Modes;
use crate::terminal::tokens::{Token, Tokenizer};
use std::collections::VecDeque;

/// Marks kept of one gap: some prompts' worth. The first ends the command that ran, the last say where we are.
const MARKS: usize = 64;

/// Reads skipped output, split anywhere.
#[derive(Debug, Clone)]
pub struct Skimmer {
    scan: Tokenizer,
    marks: VecDeque<Vec<u8>>,
}

impl Skimmer {
    /// For what comes after the stream that `modes` has seen.
    pub fn after(modes: &Modes) -> Self {
        Self { scan: modes.scan(), marks: VecDeque::new() }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, token) = self.scan.next_sequence(rest);
            if let Some(Token::Osc(payload)) = token {
                self.marks.extend(signals::command(payload).into_iter().filter_map(|signal| match signal {
                    Signal::Osc(payload) => Some(payload),
                    _ => None,
                }));
                while self.marks.len() > MARKS {
                    self.marks.remove(1);
                }
            }
            rest = &rest[used..];
        }
    }

    /// Payloads of the marks, in their order.
    pub fn marks(&self) -> impl Iterator<Item = &[u8]> {
        self.marks.iter().map(Vec::as_slice)
    }

    /// The sequence or character in which the skipped output ended, as bytes.
    pub fn pending(&self) -> Vec<u8> {
        self.scan.pending()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skim(chunks: &[&[u8]]) -> Skimmer {
        let mut skimmer = Skimmer::after(&Modes::new());
        chunks.iter().for_each(|chunk| skimmer.feed(chunk));
        skimmer
    }

    #[test]
    fn marks_are_kept_at_any_split_and_nothing_else_is() {
        let stream = b"text\x1b[1mx\x1b]133;D;1\x07more\x1b]52;c;aGk=\x07\x1b]133;A\x1b\\$ \x1b[31";
        for at in 0..=stream.len() {
            let skimmer = skim(&[&stream[..at], &stream[at..]]);
            assert_eq!(skimmer.marks().collect::<Vec<_>>(), [&b"133;D;1"[..], b"133;A"], "split at {at}");
            assert_eq!(skimmer.pending(), b"\x1b[31");
        }
    }

    #[test]
    fn the_first_and_the_last_marks_are_kept() {
        let stream: String = (0..1000).map(|n| format!("\x1b]133;D;{}\x07", n % 256)).collect();
        let skimmer = skim(&[stream.as_bytes()]);
        let marks: Vec<&[u8]> = skimmer.marks().collect();
        assert_eq!(marks.len(), MARKS);
        assert_eq!((marks[0], marks[MARKS - 1]), (&b"133;D;0"[..], &b"133;D;231"[..]));
    }

    #[test]
    fn it_begins_where_the_stream_stands() {
        let mut modes = Modes::new();
        modes.feed(b"x\x1b]133;D;");
        let mut skimmer = Skimmer::after(&modes);
        skimmer.feed(b"7\x07");
        assert_eq!(skimmer.marks().collect::<Vec<_>>(), [&b"133;D;7"[..]]);
    }
}
