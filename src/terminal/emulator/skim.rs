//! Output that the emulator will not see, because there was too much of it. What it says of the shell is kept, as far as
//! it matters to who reads on behind it.

use super::signals::{self, Signal};
use crate::terminal::Modes;
use crate::terminal::tokens::{Token, Tokenizer};

/// Marks kept up to the one that ends what ran, and since the last prompt. A shell sends about five from prompt to prompt.
const MARKS: usize = 16;
/// Kinds of claims of which only the newest counts (title, directory, …).
const CLAIMS: usize = 16;

/// Reads skipped output, split anywhere.
#[derive(Debug, Clone)]
pub struct Skimmer {
    scan: Tokenizer,
    is_alternate: bool,
    has_changed: bool,
    /// Marks of commands and prompts: the first, up to the one that ends the command that ran.
    front: Vec<Vec<u8>>,
    /// The last, from the newest prompt on. What ran between the two is nobody's any more.
    back: Vec<Vec<u8>>,
    claims: Vec<Vec<u8>>,
}

impl Skimmer {
    /// For what comes after the stream that `modes` has seen.
    pub fn after(modes: &Modes) -> Self {
        let (front, back, claims) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            scan: modes.scan(),
            is_alternate: modes.is_alternate(),
            has_changed: false,
            front,
            back,
            claims,
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.scan.is_text() {
                let (text, sequence) = rest.split_at(without_news(rest));
                self.scan.skip_text(text);
                rest = sequence;
            }
            let (used, token) = self.scan.next_sequence(rest);
            let news = match token {
                Some(Token::Osc(payload)) => News::of(payload),
                Some(Token::Csi(csi)) if csi.name().0 == b'?' && matches!(csi.last, b'h' | b'l') => {
                    let switches = csi.numbers().any(|mode| matches!(mode, 47 | 1047 | 1049));
                    if switches { News::Alternate(csi.last == b'h') } else { News::None }
                }
                Some(Token::Escape { intermediates: [], last: b'c' }) => News::Alternate(false),
                _ => News::None,
            };
            self.note(news);
            rest = &rest[used..];
        }
    }

    fn note(&mut self, news: News) {
        match news {
            News::None => {}
            News::Alternate(on) => {
                self.has_changed |= on != self.is_alternate;
                self.is_alternate = on;
            }
            // What a full-screen program passes on is about its own shells.
            _ if self.is_alternate => {}
            News::Claim(payload) => {
                self.claims.retain(|claim| kind(claim) != kind(&payload));
                self.claims.push(payload);
                if self.claims.len() > CLAIMS {
                    self.claims.remove(0);
                }
            }
            News::Mark(payload) => {
                if self.front.last().is_none_or(|mark| !ends_command(mark)) {
                    if self.front.len() < MARKS {
                        self.front.push(payload);
                    }
                    return;
                }
                if is_prompt(&payload) {
                    self.back.clear();
                }
                self.back.push(payload);
                if self.back.len() > MARKS {
                    self.back.remove(0);
                }
            }
        }
    }

    /// Payloads of the marks that count, in their order.
    pub fn marks(&self) -> impl Iterator<Item = &[u8]> {
        self.front.iter().chain(&self.back).chain(&self.claims).map(Vec::as_slice)
    }

    /// Whether the alternate screen is shown at the end of what was skipped.
    pub fn is_alternate(&self) -> bool {
        self.is_alternate
    }

    /// Whether it was shown all the time.
    pub fn stays_alternate(&self) -> bool {
        self.is_alternate && !self.has_changed
    }
}

/// What a token means for who reads on.
enum News {
    None,
    Alternate(bool),
    Mark(Vec<u8>),
    Claim(Vec<u8>),
}

impl News {
    fn of(payload: &[u8]) -> Self {
        let is_signal = |signal: &Signal| matches!(signal, Signal::Osc(_));
        if !signals::command(payload).iter().any(is_signal) {
            return Self::None;
        }
        let is_mark = [&b"133;"[..], b"633;", b"3008;"].iter().any(|number| payload.starts_with(number));
        if is_mark && !payload.starts_with(b"633;P") {
            return Self::Mark(payload.to_vec());
        }
        Self::Claim(payload.to_vec())
    }
}

/// A mark after which what ran before does not run any more: the end of a command, or a new prompt.
fn ends_command(mark: &[u8]) -> bool {
    let ends = [&b"133;D"[..], b"633;D", b"3008;end"];
    is_prompt(mark) || ends.iter().any(|end| mark.starts_with(end))
}

fn is_prompt(mark: &[u8]) -> bool {
    mark.starts_with(b"133;A") || mark.starts_with(b"633;A")
}

/// What a claim is about: its number, and its key where one number has several.
fn kind(claim: &[u8]) -> &[u8] {
    let mut ends = claim.iter().enumerate().filter(|(_, byte)| matches!(byte, b';' | b'=')).map(|(at, _)| at);
    let has_keys = [&b"9;"[..], b"633;", b"1337;"].iter().any(|number| claim.starts_with(number));
    let end = if has_keys { ends.nth(1) } else { ends.next() };
    &claim[..end.unwrap_or(claim.len())]
}

/// How much of this, which begins outside of a sequence, can be passed over: up to what opens a string (ECMA-48 5.6), sets
/// a private mode or resets, or to the last escape, behind which a sequence may be incomplete.
fn without_news(bytes: &[u8]) -> usize {
    let mut last = bytes.len();
    for at in memchr::memchr_iter(0x1b, bytes) {
        last = at;
        match (bytes.get(at + 1), bytes.get(at + 2)) {
            (Some(b']' | b'P' | b'X' | b'^' | b'_' | b'c'), _) => break,
            // What is no part of a sequence stands in it without a difference.
            (Some(0..=0x1f | 0x7f..), _) => break,
            (Some(b'['), Some(b'?' | 0..=0x1f | 0x7f..)) => break,
            _ => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
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
        }
    }

    #[test]
    fn the_end_of_what_ran_and_the_newest_prompt_are_kept() {
        let command = |n: usize| format!("\x1b]133;D;{n}\x07\x1b]133;A\x07\x1b]133;B\x07\x1b]133;C\x07");
        let stream: String = (0..200).map(command).collect();
        let skimmer = skim(&[stream.as_bytes()]);
        let marks: Vec<&[u8]> = skimmer.marks().collect();
        assert_eq!(marks, [&b"133;D;0"[..], b"133;A", b"133;B", b"133;C"]);
        let skimmer = skim(&[stream.as_bytes(), b"\x1b]133;D;7\x07"]);
        assert_eq!(skimmer.marks().last(), Some(&b"133;D;7"[..]));
    }

    #[test]
    fn of_titles_and_directories_the_newest_counts() {
        let noise: String = (0..200).map(|n| format!("\x1b]9;4;1;{n}\x07\x1b]0;title {n}\x07")).collect();
        let stream = format!("\x1b]7;file://h/a\x07{noise}\x1b]133;D;1\x07{noise}\x1b]7;file://h/b\x07");
        let skimmer = skim(&[stream.as_bytes()]);
        let marks: Vec<&[u8]> = skimmer.marks().collect();
        assert_eq!(marks, [&b"133;D;1"[..], b"9;4;1;199", b"0;title 199", b"7;file://h/b"]);
    }

    #[test]
    fn marks_in_the_alternate_screen_are_about_something_else() {
        let skimmer = skim(&[b"\x1b[?25l\x1b[?1049h\x1b]133;D;1\x07\x1b]2;joe@inner: /\x07"]);
        assert_eq!(skimmer.marks().count(), 0);
        assert!(skimmer.is_alternate() && !skimmer.stays_alternate());
        let skimmer = skim(&[b"\x1b[?1049h\x1b]133;D;1\x07\x1b[?1049", b"l\x1b]133;D;2\x07"]);
        assert_eq!(skimmer.marks().collect::<Vec<_>>(), [&b"133;D;2"[..]]);
        assert!(!skimmer.is_alternate());
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
        let mut random = Random(1);
        let pieces: [&[u8]; 18] = [
            b"\x1b",
            b"\x1b]",
            b"133;D",
            b"133;A",
            b"\x07",
            b"\x1b\\",
            b"\x1b[",
            b"?",
            b"1049",
            b"h",
            b"l",
            b"\x1bP",
            b"m",
            b"x",
            b"\x18",
            b"\xe6\x97",
            b"\n",
            b"c",
        ];
        for _ in 0..3_000 {
            let stream: Vec<u8> = (0..random.below(40)).flat_map(|_| random.pick(&pieces).to_vec()).collect();
            let whole = skim(&[&stream]);
            // A byte at a time nothing can be passed over.
            let single = skim(&stream.chunks(1).collect::<Vec<_>>());
            let at = random.below(stream.len() + 1);
            let split = skim(&[&stream[..at], &stream[at..]]);
            for other in [split, single] {
                assert!(
                    whole.marks().eq(other.marks()) && whole.is_alternate == other.is_alternate,
                    "{:?}",
                    stream.escape_ascii().to_string()
                );
                assert_eq!(whole.scan.pending(), other.scan.pending());
            }
        }
    }
}
