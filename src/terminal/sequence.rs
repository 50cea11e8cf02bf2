//! Where one unit of a terminal's input ends: a character, a control byte, an escape sequence, a string. One byte
//! at a time, bounded, and never stuck: a byte that cannot continue a unit ends it. What a unit means is not
//! known here.

use std::time::Duration;

/// How long an unfinished key may wait for its rest before it counts as what it is (ESC as Escape). Terminals
/// send a key in one write; 25 ms covers a loaded machine and is not felt.
pub const KEY_WAIT: Duration = Duration::from_millis(25);
/// The same for what only a reply starts with. Replies come later and in pieces when the terminal is far away, and
/// half of one must not turn into keystrokes.
pub const REPLY_WAIT: Duration = Duration::from_millis(500);

/// Control sequences of terminals have some 30 bytes; kitty's with associated text a few more.
const SEQUENCE_LIMIT: usize = 256;
/// Strings: clipboard and capability replies. What is longer is read to its end but not kept.
const STRING_LIMIT: usize = 64 << 10;

pub(crate) const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// What a byte did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The unit goes on.
    More,
    /// The byte ends the unit.
    Done,
    /// The unit ended before the byte, which is to be pushed again after [`Lexer::take`].
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    /// UTF-8 bytes that are to come.
    Utf8(u8),
    Escape,
    Csi,
    /// `ESC [ [`: the Linux console's F1 to F5.
    Console,
    /// `ESC [ M`: bytes of an X10 mouse report that are to come.
    X10(u8),
    Ss3,
    /// OSC, DCS, APC, PM, SOS.
    String,
    /// ESC within a string: its end if a `\` follows.
    StringEscape,
}

/// One unit, as it came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Unit {
    pub(crate) raw: Vec<u8>,
    /// Too long: `raw` is only its start.
    pub(crate) cut: bool,
}

/// The unit in progress.
#[derive(Debug, Default)]
pub(crate) struct Lexer {
    state: State,
    unit: Unit,
}

impl Lexer {
    pub(crate) fn push(&mut self, byte: u8) -> Step {
        let Some(next) = self.next(byte) else { return Step::Refused };
        let limit = if matches!(self.state, State::String | State::StringEscape) {
            STRING_LIMIT
        } else {
            SEQUENCE_LIMIT
        };
        if self.unit.raw.len() < limit {
            self.unit.raw.push(byte);
        } else {
            self.unit.cut = true;
        }
        self.state = next;
        if next == State::Ground { Step::Done } else { Step::More }
    }

    /// What is there of the unit in progress.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.unit.raw
    }

    /// Ends the unit, finished or not. An ESC that turned out to be no string's end begins the next one.
    pub(crate) fn take(&mut self) -> Unit {
        let mut unit = std::mem::take(&mut self.unit);
        if self.state == State::StringEscape {
            if !unit.cut {
                unit.raw.pop();
            }
            self.unit.raw.push(ESC);
            self.state = State::Escape;
        } else {
            self.state = State::Ground;
        }
        unit
    }

    /// How long to wait for the rest of what is there.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let reply = match self.state {
            State::Ground => return None,
            State::String => self.unit.raw.len() > 2,
            State::StringEscape => true,
            State::Csi => matches!(self.unit.raw.get(2), Some(b'?' | b'>' | b'<')),
            _ => false,
        };
        Some(if reply { REPLY_WAIT } else { KEY_WAIT })
    }

    /// The state after the byte; `None` where it cannot go on.
    fn next(&self, byte: u8) -> Option<State> {
        let first = self.unit.raw.len() == 2;
        match self.state {
            State::Ground => Some(if byte == ESC { State::Escape } else { character(byte) }),
            State::Utf8(left) => match byte {
                0x80..=0xbf if left > 1 => Some(State::Utf8(left - 1)),
                0x80..=0xbf => Some(State::Ground),
                _ => None,
            },
            State::Escape => match byte {
                b'[' => Some(State::Csi),
                b'O' => Some(State::Ss3),
                b']' | b'P' | b'_' | b'^' | b'X' => Some(State::String),
                ESC => None,
                _ => Some(character(byte)),
            },
            State::Csi => match byte {
                b'[' if first => Some(State::Console),
                b'M' if first => Some(State::X10(3)),
                0x20..=0x3f => Some(State::Csi),
                0x40..=0x7e => Some(State::Ground),
                _ => None,
            },
            State::Console => (0x40..=0x7e).contains(&byte).then_some(State::Ground),
            State::X10(left) => match byte {
                0..=0x1f => None,
                _ if left > 1 => Some(State::X10(left - 1)),
                _ => Some(State::Ground),
            },
            State::Ss3 => match byte {
                b'0'..=b';' => Some(State::Ss3),
                0x40..=0x7e => Some(State::Ground),
                _ => None,
            },
            State::String => match byte {
                BEL => Some(State::Ground),
                ESC => Some(State::StringEscape),
                // Replies have no control bytes; these come from a key (Alt-] and then something else).
                0..=0x1f => None,
                _ => Some(State::String),
            },
            State::StringEscape => (byte == b'\\').then_some(State::Ground),
        }
    }
}

/// The state after the first byte of a character.
fn character(byte: u8) -> State {
    match byte {
        0xc2..=0xdf => State::Utf8(1),
        0xe0..=0xef => State::Utf8(2),
        0xf0..=0xf4 => State::Utf8(3),
        _ => State::Ground,
    }
}

/// The start of a bracketed paste.
pub(crate) const PASTE: &[u8] = b"\x1b[200~";

/// Finds the end of a bracketed paste, in which nothing else means anything.
#[derive(Debug, Default)]
pub(crate) struct PasteEnd {
    matched: usize,
}

impl PasteEnd {
    pub(crate) const MARK: &'static [u8] = b"\x1b[201~";

    /// How many bytes of the mark the last ones were.
    pub(crate) fn matched(&self) -> usize {
        self.matched
    }

    /// True when this byte is the last one of the mark.
    pub(crate) fn push(&mut self, byte: u8) -> bool {
        // ESC occurs in the mark only at its start, so that a failed match can begin again only there.
        self.matched = match byte {
            _ if byte == Self::MARK[self.matched] => self.matched + 1,
            ESC => 1,
            _ => 0,
        };
        if self.matched == Self::MARK.len() {
            self.matched = 0;
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lexer = Lexer::default();
        let mut out = Vec::new();
        for &byte in bytes {
            loop {
                match lexer.push(byte) {
                    Step::More => break,
                    Step::Done => {
                        out.push(lexer.take().raw);
                        break;
                    }
                    Step::Refused => out.push(lexer.take().raw),
                }
            }
        }
        while !lexer.raw().is_empty() {
            out.push(lexer.take().raw);
        }
        out
    }

    #[test]
    fn units_end_where_they_end() {
        let cases: &[&[&[u8]]] = &[
            &[b"a", b"\r", b"\x1c"],
            &["é".as_bytes(), "€".as_bytes(), "🚀".as_bytes(), b"a"],
            &[b"\x1bx", b"y"],
            &["\x1bé".as_bytes(), b"y"],
            &[b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1b[[A", b"A"],
            &[b"\x1b", b"\x1b[A"],
            &[b"\x1b[M !!", b"a"],
            &[b"\x1b[M ", b"\x1c"],
            &[b"\x1b[1;", b"\x1c", b"a"],
            &[b"\x1b]11;rgb:0/0/0\x07", b"a"],
            &[b"\x1b]11;rgb:0/0/0\x1b\\", b"a"],
            &[b"\x1b]11;", b"\x1b[A"],
            &[b"\x1b]11;", b"\x1b", b"\x1b[A"],
            &[b"\x1bP1$r0m\x1b\\", b"\x1b_Gi=1;OK\x1b\\"],
            &[b"\x1b]", b"\x1c", b"a"],
            &[b"\xc3", b"a", b"\xff", b"\xa9"],
            &[b"\xe2\x82", b"\x1b[A"],
            &[b"\x1bO5P", b"\x1bO", b"\r"],
            &[b"\x1b[?1;2c", b"\x1b["],
        ];
        for want in cases {
            assert_eq!(units(&want.concat()), *want, "{}", want.concat().escape_ascii());
        }
    }

    #[test]
    fn no_byte_is_lost_or_made_up() {
        let mut seed = 1_u32;
        let alphabet = b"\x1b\x1b[]OPM\\\x07\x1c;0a\xc3\xa9\xf0\x80~?";
        for _ in 0..3000 {
            let bytes: Vec<u8> = (0..12)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(seed >> 16) as usize % alphabet.len()]
                })
                .collect();
            let units = units(&bytes);
            assert_eq!(units.concat(), bytes, "{}", bytes.escape_ascii());
            assert!(units.iter().all(|unit| !unit.is_empty()));
        }
    }

    #[test]
    fn endless_sequences_are_cut_but_read_to_their_end() {
        for (start, end, limit) in
            [(&b"\x1b["[..], &b"~"[..], SEQUENCE_LIMIT), (b"\x1b]", b"\x1b\\", STRING_LIMIT)]
        {
            let mut lexer = Lexer::default();
            for &byte in [start, "1".repeat(limit * 2).as_bytes(), &end[..end.len() - 1]].concat().iter() {
                assert_eq!(lexer.push(byte), Step::More);
            }
            assert_eq!(lexer.push(end[end.len() - 1]), Step::Done);
            let unit = lexer.take();
            assert!(unit.cut && unit.raw.len() == limit);
            assert_eq!(lexer.push(b'a'), Step::Done);
            assert!(!lexer.take().cut);
        }
    }

    #[test]
    fn replies_may_take_longer_than_keys() {
        let wait = |bytes: &[u8]| {
            let mut lexer = Lexer::default();
            bytes.iter().for_each(|&byte| assert_eq!(lexer.push(byte), Step::More));
            lexer.wait()
        };
        assert_eq!(wait(b""), None);
        for key in [&b"\x1b"[..], b"\x1b[", b"\x1b[1;", b"\x1bO", b"\x1b]", b"\xc3"] {
            assert_eq!(wait(key), Some(KEY_WAIT));
        }
        for reply in [&b"\x1b[?1"[..], b"\x1b]1", b"\x1bP1", b"\x1b]11;x\x1b"] {
            assert_eq!(wait(reply), Some(REPLY_WAIT));
        }
    }

    #[test]
    fn the_end_of_a_paste_is_found_after_false_starts() {
        for (text, want) in [
            (&b"\x1b[201~"[..], true),
            (b"a\x1b[20\x1b[201~", true),
            (b"\x1b\x1b[201~", true),
            (b"\x1b[201\x1b[200~", false),
            (b"\x1b[201", false),
        ] {
            let mut end = PasteEnd::default();
            let found: Vec<bool> = text.iter().map(|&byte| end.push(byte)).collect();
            assert_eq!(found.last(), Some(&want), "{}", text.escape_ascii());
            assert!(!found[..text.len() - 1].contains(&true));
        }
    }
}
