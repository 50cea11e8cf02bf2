//! Input for the terminal pane, taken apart just so far that replies of the user's terminal and the marks of a paste
//! can be told from what is typed; everything is passed on unchanged otherwise.

use super::sequence::{ESC, Lexer, PASTE, PasteEnd, REPLY_WAIT, Step};
use std::time::Duration;

/// A piece of input, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Keys, pastes, anything: to be passed on.
    Plain(Vec<u8>),
    /// One whole escape sequence, which may be a reply.
    Sequence(Vec<u8>),
    /// The begin or the end of a bracketed paste; what is between is plain.
    PasteMark(&'static [u8]),
}

impl Input {
    /// As it came.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Plain(bytes) | Self::Sequence(bytes) => bytes,
            Self::PasteMark(mark) => mark.to_vec(),
        }
    }
}

/// Feeds on bytes in any split. Holds back only an unfinished escape sequence, until [`Splitter::flush`].
#[derive(Debug, Default)]
pub struct Splitter {
    lexer: Lexer,
    paste: Option<PasteEnd>,
    plain: Vec<u8>,
}

impl Splitter {
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut out = Vec::new();
        for &byte in bytes {
            if let Some(end) = &mut self.paste {
                self.plain.push(byte);
                if end.push(byte) {
                    self.paste = None;
                    self.plain.truncate(self.plain.len() - PasteEnd::MARK.len());
                    self.end_plain(&mut out);
                    out.push(Input::PasteMark(PasteEnd::MARK));
                }
                continue;
            }
            let mut step = self.lexer.push(byte);
            while step == Step::Refused {
                self.unit(&mut out);
                step = self.lexer.push(byte);
            }
            if step == Step::Done {
                self.unit(&mut out);
            }
        }
        // What may be the begin of the end mark waits for the rest of it.
        let mark = self.paste.as_ref().map_or(0, PasteEnd::matched);
        let held = self.plain.split_off(self.plain.len() - mark);
        self.end_plain(&mut out);
        self.plain = held;
        out
    }

    /// Whether a paste or a sequence has begun and not ended.
    pub fn is_within(&self) -> bool {
        self.paste.is_some() || !self.lexer.raw().is_empty()
    }

    /// What is held, for somebody else to go on with.
    pub fn take_held(&mut self) -> Vec<u8> {
        let held = std::mem::take(self);
        [&held.plain, held.lexer.raw()].concat()
    }

    /// How long to wait for the rest of a sequence, counted from the last feed. Where an answer with the cursor's place is
    /// to come (`awaits_place`), what may be the begin of one is waited for as other replies are.
    pub fn wait(&self, awaits_place: bool) -> Option<Duration> {
        let parameters = self.lexer.raw().strip_prefix(b"\x1b[").and_then(|rest| rest.first());
        if awaits_place && parameters.is_some_and(u8::is_ascii_digit) {
            return Some(REPLY_WAIT);
        }
        self.lexer.wait()
    }

    /// The wait is over: what is held is passed on as it is.
    pub fn flush(&mut self) -> Vec<Input> {
        let mut out = Vec::new();
        while !self.lexer.raw().is_empty() {
            let unit = self.lexer.take();
            self.plain.extend(unit.raw);
        }
        self.end_plain(&mut out);
        out
    }

    fn unit(&mut self, out: &mut Vec<Input>) {
        let unit = self.lexer.take();
        if unit.raw == PASTE {
            self.paste = Some(PasteEnd::default());
            self.end_plain(out);
            out.push(Input::PasteMark(PASTE));
        } else if unit.raw.len() > 2 && unit.raw[0] == ESC {
            self.end_plain(out);
            // What was cut is longer than any key: a reply of a length that nobody asked for, dropped whole.
            if !unit.cut {
                out.push(Input::Sequence(unit.raw));
            }
        } else {
            self.plain.extend(unit.raw);
        }
    }

    fn end_plain(&mut self, out: &mut Vec<Input>) {
        if !self.plain.is_empty() {
            out.push(Input::Plain(std::mem::take(&mut self.plain)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_at(bytes: &[u8], at: usize) -> Vec<Input> {
        let mut splitter = Splitter::default();
        let mut out = splitter.feed(&bytes[..at]);
        out.extend(splitter.feed(&bytes[at..]));
        out.extend(splitter.flush());
        // Where plain input is cut does not matter.
        let mut joined: Vec<Input> = Vec::new();
        for piece in out {
            match (joined.last_mut(), piece) {
                (Some(Input::Plain(before)), Input::Plain(more)) => before.extend(more),
                (_, piece) => joined.push(piece),
            }
        }
        joined
    }

    #[test]
    fn sequences_come_whole_and_everything_else_in_order_wherever_it_is_split() {
        let bytes = b"ls\x1b[?62;22crest\xc3\xa9";
        let whole = [
            Input::Plain(b"ls".to_vec()),
            Input::Sequence(b"\x1b[?62;22c".to_vec()),
            Input::Plain("rest\u{e9}".as_bytes().to_vec()),
        ];
        for at in 0..=bytes.len() {
            assert_eq!(split_at(bytes, at), whole, "split at {at}");
        }
    }

    #[test]
    fn a_paste_is_not_looked_into_and_its_marks_are_told() {
        let bytes = b"\x1b[200~a\x1b[?62c\x1b[20b\x1b[201~c";
        let whole = [
            Input::PasteMark(PASTE),
            Input::Plain(b"a\x1b[?62c\x1b[20b".to_vec()),
            Input::PasteMark(PasteEnd::MARK),
            Input::Plain(b"c".to_vec()),
        ];
        for at in 0..=bytes.len() {
            assert_eq!(split_at(bytes, at), whole, "split at {at}");
        }
    }

    #[test]
    fn an_escape_key_is_passed_on_after_the_wait() {
        let mut splitter = Splitter::default();
        assert_eq!(splitter.feed(b"\x1b"), []);
        assert!(splitter.wait(true).is_some_and(|wait| wait < REPLY_WAIT));
        assert_eq!(splitter.flush(), [Input::Plain(b"\x1b".to_vec())]);
        assert_eq!(splitter.wait(true), None);
        splitter.feed(b"\x1b[12;");
        assert_eq!(splitter.wait(true), Some(REPLY_WAIT));
        assert!(splitter.wait(false).is_some_and(|wait| wait < REPLY_WAIT));
    }
}
