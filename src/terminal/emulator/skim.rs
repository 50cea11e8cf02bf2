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
            if self.scan.is_text() {
                let (text, sequence) = rest.split_at(without_strings(rest));
                self.scan.skip_text(text);
                rest = sequence;
            }
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

/// How much of this, which begins outside of a sequence, can be passed over: up to what opens a string (ECMA-48 5.6), or
/// to the last escape, behind which a sequence may be incomplete.
fn without_strings(bytes: &[u8]) -> usize {
    let mut last = bytes.len();
    for at in memchr::memchr_iter(0x1b, bytes) {
        last = at;
        // What is no part of a sequence stands between an escape and what it opens without a difference.
        if matches!(bytes.get(at + 1), Some(b']' | b'P' | b'X' | b'^' | b'_' | 0..=0x1f | 0x7f..)) {
            break;
        }
    }
    last
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

    #[test]
    fn passing_over_and_reading_everything_come_to_the_same() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let bytes = b"\x1b\x1b]]133;AD[P_\\\x07\x18mx\xe6\x97";
        for _ in 0..2_000 {
            let stream: Vec<u8> =
                (0..random(60)).map(|_| bytes[random(bytes.len() as u64) as usize]).collect();
            let mut scan = Tokenizer::new();
            let (mut rest, mut marks) = (stream.as_slice(), Vec::new());
            while !rest.is_empty() {
                let (used, token) = scan.next(rest);
                if let Some(Token::Osc(payload)) = token
                    && signals::command(payload).iter().any(|signal| matches!(signal, Signal::Osc(_)))
                {
                    marks.push(payload.to_vec());
                }
                rest = &rest[used..];
            }
            let at = random(stream.len() as u64 + 1) as usize;
            let skimmer = skim(&[&stream[..at], &stream[at..]]);
            assert_eq!(skimmer.marks().collect::<Vec<_>>(), marks, "{:?}", stream.escape_ascii().to_string());
            assert_eq!(skimmer.pending(), scan.pending(), "{:?}", stream.escape_ascii().to_string());
        }
    }
}
