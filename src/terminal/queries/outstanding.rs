//! The questions passed on to the outer terminal, in order, and the replies that come back among the user's keys.

use super::Query;
use crate::terminal::tokens::{Csi, Token, Tokenizer, number};
use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

/// A reply later than this is dropped: the program has given up, and what it did not read would be typed into
/// the shell. fish waits 2 seconds for its first one.
const EXPIRY: Duration = Duration::from_secs(2);
/// Questions awaited at once. Programs ask a handful at start; a flood of them is an attack.
const LIMIT: usize = 64;

/// What bytes from the user's terminal are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The reply to a question of the remote: to ssh, once.
    ToSsh,
    /// A reply that nobody waits for: discarded whole.
    Drop,
    /// No reply: a key, a paste, a mouse report.
    NotAReply,
}

/// What names a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Attributes(u8),
    Mode {
        private: bool,
        mode: u16,
    },
    Version,
    Keyboard,
    /// `4;N` or `10`…`12`.
    Colour(Vec<u8>),
    /// A reply to something that is never passed on.
    Unasked,
}

#[derive(Debug, Default)]
pub struct Outstanding {
    queue: VecDeque<(Kind, Instant)>,
    /// Since then questions are passed on here; before, the terminal itself had them.
    since: Option<Instant>,
}

impl Outstanding {
    pub fn new() -> Self {
        Self::default()
    }

    /// Until now the remote's questions went to the terminal by themselves; some may not be answered yet.
    pub fn begin(&mut self, now: Instant) {
        self.since = Some(now);
    }

    /// A question went to the outer terminal.
    pub fn forwarded(&mut self, query: &Query, now: Instant) {
        let kind = match query {
            Query::Attributes(level) => Kind::Attributes(*level),
            Query::Mode { private, mode } => Kind::Mode { private: *private, mode: *mode },
            Query::Version => Kind::Version,
            Query::Keyboard => Kind::Keyboard,
            Query::Colour(payload) => Kind::Colour(payload.strip_suffix(b";?").unwrap_or(payload).to_vec()),
            _ => return,
        };
        if self.queue.len() == LIMIT {
            self.queue.pop_front();
        }
        self.queue.push_back((kind, now));
    }

    /// When the next question expires.
    pub fn deadline(&self) -> Option<Instant> {
        self.queue.front().map(|(_, asked)| *asked + EXPIRY)
    }

    /// Judges one complete sequence that came from the outer terminal.
    pub fn claim(&mut self, raw: &[u8], now: Instant) -> Reply {
        let Some(kind) = reply_kind(raw) else { return Reply::NotAReply };
        while self.queue.front().is_some_and(|(_, asked)| now.saturating_duration_since(*asked) > EXPIRY) {
            self.queue.pop_front();
        }
        match self.queue.iter().position(|(awaited, _)| *awaited == kind) {
            Some(at) => {
                // A terminal answers in order: what it passed over it does not know.
                self.queue.drain(..=at);
                Reply::ToSsh
            }
            // Numbers and colours only: what could say anything is not let through on a guess.
            None if self.may_be_older(now) && (kind != Kind::Unasked || raw.starts_with(b"\x1b[")) => {
                Reply::ToSsh
            }
            None => Reply::Drop,
        }
    }

    /// Whether a reply may be to a question from before [`Outstanding::begin`].
    fn may_be_older(&self, now: Instant) -> bool {
        self.since.is_some_and(|since| now.saturating_duration_since(since) <= EXPIRY)
    }
}

/// Whether these bytes are one whole reply of a terminal, asked for or not. A CPR counts, although `CSI 1;n R` may
/// also be F3 with a modifier: such a key writes nothing on a line.
pub fn is_reply(raw: &[u8]) -> bool {
    let is_place = find_place(raw).is_some_and(|(_, place)| place == (0..raw.len()));
    is_place || raw.len() > 2 && raw[0] == 0x1b && reply_kind(raw).is_some()
}

/// The row in the first CPR (`CSI row ; col R`), and where that stands among the bytes.
pub fn find_place(bytes: &[u8]) -> Option<(u16, Range<usize>)> {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&bytes[from..], b"\x1b[").map(|at| from + at) {
        let body = &bytes[at + 2..];
        let end = body.iter().position(|b| !b.is_ascii_digit() && *b != b';').unwrap_or(body.len());
        if body.get(end) == Some(&b'R') {
            let place = std::str::from_utf8(&body[..end]).ok().and_then(|text| text.split_once(';'));
            if let Some(row) = place.and_then(|(row, _)| row.parse().ok()) {
                return Some((row, at..at + 2 + end + 1));
            }
        }
        from = at + 2;
    }
    None
}

fn reply_kind(raw: &[u8]) -> Option<Kind> {
    let mut tokenizer = Tokenizer::new();
    match tokenizer.next(raw) {
        (used, Some(token)) if used == raw.len() => match token {
            Token::Csi(csi) => control_kind(&csi),
            Token::Osc(payload) => Some(colour_kind(payload)),
            Token::Dcs([b'!', b'|', unit @ ..]) if unit.iter().all(u8::is_ascii_hexdigit) => {
                Some(Kind::Attributes(3))
            }
            Token::Dcs([b'>', b'|', version @ ..]) if version.iter().all(|b| (0x20..0x7f).contains(b)) => {
                Some(Kind::Version)
            }
            Token::Dcs(_) | Token::Image => Some(Kind::Unasked),
            _ => None,
        },
        // An overlong string is swallowed by the tokenizer; it is no key either.
        _ if raw.starts_with(b"\x1b]") || raw.starts_with(b"\x1bP") || raw.starts_with(b"\x1b_") => {
            Some(Kind::Unasked)
        }
        _ => None,
    }
}

fn control_kind(csi: &Csi<'_>) -> Option<Kind> {
    match csi.name() {
        (b'?', 0, b'c') => Some(Kind::Attributes(1)),
        (b'>', 0, b'c') => Some(Kind::Attributes(2)),
        (b'?', b'$', b'y') => Some(Kind::Mode { private: true, mode: csi.number(0, 0) }),
        (0, b'$', b'y') => Some(Kind::Mode { private: false, mode: csi.number(0, 0) }),
        (b'?', 0, b'u') => Some(Kind::Keyboard),
        // Reports of status, size and theme. `CSI 1;n R` may also be F3 with a modifier: left to the keys.
        (b'?', 0, b'R' | b'n') | (0, 0, b'n' | b't') => Some(Kind::Unasked),
        _ => None,
    }
}

fn colour_kind(payload: &[u8]) -> Kind {
    let parts: Vec<&[u8]> = payload.split(|b| *b == b';').collect();
    let (key, value) = match parts[..] {
        [b"4", index, value] if number(index) < 256 => ([b"4;", index].concat(), value),
        [name @ (b"10" | b"11" | b"12"), value] => (name.to_vec(), value),
        _ => return Kind::Unasked,
    };
    let digits = value.strip_prefix(b"rgb:").or_else(|| value.strip_prefix(b"rgba:")).unwrap_or(b"!");
    let is_colour = digits.len() <= 19 && digits.iter().all(|b| b.is_ascii_hexdigit() || *b == b'/');
    if is_colour { Kind::Colour(key) } else { Kind::Unasked }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_routed_once_and_a_second_one_dropped() {
        let now = Instant::now();
        let mut outstanding = Outstanding::new();
        outstanding.forwarded(&Query::Attributes(1), now);
        assert_eq!(outstanding.claim(b"\x1b[?62;22c", now), Reply::ToSsh);
        assert_eq!(outstanding.claim(b"\x1b[?62;22c", now), Reply::Drop);
    }

    #[test]
    fn the_terminals_answer_is_found_among_keys_and_nothing_else_is() {
        assert_eq!(find_place(b"\x1b[12;40R"), Some((12, 0..8)));
        assert_eq!(find_place(b"ls\x1b[A\x1b[3;1Rx"), Some((3, 5..11)));
        for other in [&b"\x1b[A"[..], b"\x1b[R", b"\x1b[12;40", b"\x1b[<0;3;4M", b"R", b""] {
            assert_eq!(find_place(other), None);
        }
    }

    #[test]
    fn a_reply_is_one_only_if_it_is_all_that_came() {
        for reply in [&b"\x1b[12;40R"[..], b"\x1b[?12;40R", b"\x1b[?62;22c", b"\x1b[0n"] {
            assert!(is_reply(reply), "{reply:?}");
        }
        for other in [&b"x\x1b[12;40R"[..], b"\x1b[12;40Rx", b"\x1b[R", b"\x1b[A", b"\x1bOR", b"\x1b", b""] {
            assert!(!is_reply(other), "{other:?}");
        }
    }

    #[test]
    fn a_question_from_before_the_panel_is_answered_all_the_same() {
        let now = Instant::now();
        let mut outstanding = Outstanding::new();
        outstanding.begin(now);
        for reply in [&b"\x1b[?62;22c"[..], b"\x1b[0n", b"\x1b]11;rgb:0/0/0\x07"] {
            assert_eq!(outstanding.claim(reply, now), Reply::ToSsh, "{reply:?}");
            assert_eq!(outstanding.claim(reply, now + EXPIRY * 2), Reply::Drop, "{reply:?}");
        }
        assert_eq!(outstanding.claim(b"\x1b]l\rrm -rf\x1b\\", now), Reply::Drop);
    }

    #[test]
    fn late_replies_are_dropped() {
        let now = Instant::now();
        let mut outstanding = Outstanding::new();
        outstanding.forwarded(&Query::Version, now);
        assert_eq!(outstanding.deadline(), Some(now + EXPIRY));
        assert_eq!(outstanding.claim(b"\x1bP>|kitty(0.40)\x1b\\", now + EXPIRY * 2), Reply::Drop);
        assert_eq!(outstanding.deadline(), None);
    }

    #[test]
    fn questions_that_the_terminal_passed_over_are_forgotten() {
        let now = Instant::now();
        let mut outstanding = Outstanding::new();
        outstanding.forwarded(&Query::Keyboard, now);
        outstanding.forwarded(&Query::Mode { private: true, mode: 2026 }, now);
        outstanding.forwarded(&Query::Colour(b"11;?".to_vec()), now);
        assert_eq!(outstanding.claim(b"\x1b[?2026;2$y", now), Reply::ToSsh);
        assert_eq!(outstanding.claim(b"\x1b[?1u", now), Reply::Drop);
        assert_eq!(outstanding.claim(b"\x1b]11;rgb:0000/0000/0000\x07", now), Reply::ToSsh);
    }

    #[test]
    fn keys_are_not_replies_and_unasked_reports_are_dropped_whole() {
        let now = Instant::now();
        let mut outstanding = Outstanding::new();
        for key in
            [&b"\x1b[A"[..], b"\x1b[1;2R", b"\x1bOP", b"a", b"\x1b[200~", b"\x1b[<0;3;4M", b"\x1b[97;5u"]
        {
            assert_eq!(outstanding.claim(key, now), Reply::NotAReply, "{key:?}");
        }
        for report in
            [&b"\x1b]l\rrm -rf\x1b\\"[..], b"\x1b]52;c;aGk=\x07", b"\x1bP1+r\x1b\\", b"\x1b[8;24;80t"]
        {
            assert_eq!(outstanding.claim(report, now), Reply::Drop, "{report:?}");
        }
        outstanding.forwarded(&Query::Colour(b"4;1;?".to_vec()), now);
        assert_eq!(outstanding.claim(b"\x1b]4;1;$(reboot)\x07", now), Reply::Drop);
    }
}
