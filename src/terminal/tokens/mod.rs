//! ECMA-48 tokens: cuts a terminal's byte stream into text, controls and complete escape sequences, whatever
//! the split of the input. It says where a sequence begins and ends; it never says what one means.

mod csi;
mod image;
#[cfg(test)]
mod tests;

use csi::CSI_LIMIT;
pub(crate) use csi::{Csi, number};

/// Longest OSC kept: OSC 52 carries a clipboard, everything else is far below. A longer one is swallowed whole.
const OSC_LIMIT: usize = 64 * 1024;
/// Longest DCS kept: queries (XTGETTCAP, DECRQSS) are short, of images only the fact is wanted.
const DCS_LIMIT: usize = 4 * 1024;
/// Of an APC the beginning is looked at: kitty's images have their keys there.
const APC_HEAD: usize = 256;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// Printable bytes with CR, LF, VT, FF and TAB among them; a UTF-8 character may be split over two.
    Text(&'a [u8]),
    /// Any other C0 control; inside a CSI also those that `Text` would carry.
    Control(u8),
    Escape {
        intermediates: &'a [u8],
        last: u8,
    },
    Csi(Csi<'a>),
    /// The payload of an OSC that was terminated by BEL or ST.
    Osc(&'a [u8]),
    /// The body of a DCS that was terminated by ST.
    Dcs(&'a [u8]),
    /// A picture (sixel, kitty's or iTerm2's), whole or the first part of one.
    Image,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Osc,
    Dcs,
    Apc,
    /// SOS and PM: nothing is kept.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Ground,
    Escape,
    Csi,
    String(Kind),
    /// After an ESC inside a string: `\` ends it, anything else breaks it off and begins a sequence.
    StringEscape(Kind),
}

#[derive(Debug, Clone)]
pub(crate) struct Tokenizer {
    place: Place,
    /// What came after `ESC`, `ESC [` or the opener of the string.
    body: Vec<u8>,
    overflow: bool,
    /// What was too long to keep began as a picture does.
    image: bool,
    /// The last bytes of text, to know whether a UTF-8 character is incomplete.
    tail: [u8; 3],
}

impl Tokenizer {
    pub(crate) fn new() -> Self {
        Self { place: Place::Ground, body: Vec::new(), overflow: false, image: false, tail: [0; 3] }
    }

    /// Neither inside a sequence nor inside a UTF-8 character.
    pub(crate) fn is_ground(&self) -> bool {
        self.place == Place::Ground && self.partial_character().is_empty()
    }

    /// As `next`, for those who look for sequences and shifts only: text is passed over at memory speed, and so are
    /// the controls in it.
    pub(crate) fn next_sequence<'a>(&'a mut self, input: &'a [u8]) -> (usize, Option<Token<'a>>) {
        let mut text = 0;
        if self.is_text() {
            text = memchr::memchr3(0x1b, 0x0e, 0x0f, input).unwrap_or(input.len());
            self.skip_text(&input[..text]);
        }
        let (used, token) = self.next(&input[text..]);
        (text + used, token)
    }

    /// Outside a sequence; perhaps inside a UTF-8 character.
    pub(crate) fn is_text(&self) -> bool {
        self.place == Place::Ground
    }

    /// Takes what ends outside a sequence without looking at it.
    pub(crate) fn skip_text(&mut self, text: &[u8]) {
        for byte in &text[text.len().saturating_sub(3)..] {
            self.tail = [self.tail[1], self.tail[2], *byte];
        }
    }

    /// The next token and how many bytes it took from `input`; `None` when all of `input` was taken without one.
    pub(crate) fn next<'a>(&'a mut self, input: &'a [u8]) -> (usize, Option<Token<'a>>) {
        let mut used = 0;
        while let Some(byte) = input.get(used) {
            if self.place == Place::Ground && !is_special(*byte) {
                let text = &input[used..];
                let text = &text[..text.iter().position(|b| is_special(*b)).unwrap_or(text.len())];
                self.skip_text(text);
                return (used + text.len(), Some(Token::Text(text)));
            }
            if self.place == Place::Ground
                && let Some((len, csi)) = Csi::at_start(&input[used..])
            {
                self.tail = [0; 3];
                return (used + len, Some(Token::Csi(csi)));
            }
            used += 1;
            match self.step(*byte) {
                Step::Nothing => {}
                Step::Control => return (used, Some(Token::Control(*byte))),
                Step::Escape => {
                    return (used, Some(Token::Escape { intermediates: &self.body, last: *byte }));
                }
                Step::Csi if Csi::parse(&self.body, *byte).is_none() => {}
                Step::Csi => return (used, Csi::parse(&self.body, *byte).map(Token::Csi)),
                Step::Osc => return (used, Some(Token::Osc(&self.body))),
                Step::Dcs => return (used, Some(Token::Dcs(&self.body))),
                Step::Image => return (used, Some(Token::Image)),
            }
        }
        (used, None)
    }

    fn step(&mut self, byte: u8) -> Step {
        match (self.place, byte) {
            (_, 0x18 | 0x1a) => {
                self.place = Place::Ground;
                self.tail = [0; 3];
                Step::Control
            }
            (Place::String(kind), _) => self.string(kind, byte),
            (Place::StringEscape(kind), b'\\') => self.end_string(kind),
            (_, 0x1b) => self.open(Place::Escape),
            (Place::Ground, _) => {
                self.tail = [0; 3];
                Step::Control
            }
            (_, 0x00..=0x1f) => {
                if matches!(self.place, Place::StringEscape(_)) {
                    self.open(Place::Escape);
                }
                Step::Control
            }
            (_, 0x7f..=0xff) => Step::Nothing,
            (Place::StringEscape(_), _) => {
                self.open(Place::Escape);
                self.escape(byte)
            }
            (Place::Escape, _) => self.escape(byte),
            (Place::Csi, 0x20..=0x3f) => self.keep(byte, CSI_LIMIT),
            (Place::Csi, _) => {
                self.place = Place::Ground;
                if self.overflow { Step::Nothing } else { Step::Csi }
            }
        }
    }

    fn escape(&mut self, byte: u8) -> Step {
        match byte {
            0x20..=0x2f => return self.keep(byte, CSI_LIMIT),
            b'[' if self.body.is_empty() => return self.open(Place::Csi),
            b']' if self.body.is_empty() => return self.open(Place::String(Kind::Osc)),
            b'P' if self.body.is_empty() => return self.open(Place::String(Kind::Dcs)),
            b'_' if self.body.is_empty() => return self.open(Place::String(Kind::Apc)),
            b'X' | b'^' if self.body.is_empty() => return self.open(Place::String(Kind::Other)),
            _ => {}
        }
        self.place = Place::Ground;
        // A lone ST ends nothing.
        let nothing = self.overflow || (byte == b'\\' && self.body.is_empty());
        if nothing { Step::Nothing } else { Step::Escape }
    }

    fn string(&mut self, kind: Kind, byte: u8) -> Step {
        match (kind, byte) {
            (_, 0x1b) => {
                self.place = Place::StringEscape(kind);
                Step::Nothing
            }
            (Kind::Osc, 0x07) => self.end_string(kind),
            (_, 0x00..=0x1f) | (Kind::Other, _) => Step::Nothing,
            (Kind::Osc, _) => self.keep(byte, OSC_LIMIT),
            (Kind::Dcs, _) => self.keep(byte, DCS_LIMIT),
            (Kind::Apc, _) if self.body.len() < APC_HEAD => self.keep(byte, APC_HEAD),
            (Kind::Apc, _) => Step::Nothing,
        }
    }

    fn end_string(&mut self, kind: Kind) -> Step {
        self.place = Place::Ground;
        match kind {
            _ if self.image || image::is_one(kind, &self.body) => Step::Image,
            Kind::Osc if !self.overflow => Step::Osc,
            Kind::Dcs if !self.overflow => Step::Dcs,
            _ => Step::Nothing,
        }
    }

    fn open(&mut self, place: Place) -> Step {
        self.place = place;
        self.body.clear();
        // A clipboard's worth of memory is given back; the usual few bytes are kept.
        self.body.shrink_to(DCS_LIMIT);
        (self.overflow, self.image) = (false, false);
        self.tail = [0; 3];
        Step::Nothing
    }

    fn keep(&mut self, byte: u8, limit: usize) -> Step {
        if self.body.len() < limit {
            self.body.push(byte);
        } else {
            if let Place::String(kind) = self.place {
                self.image |= image::is_one(kind, &self.body);
            }
            self.overflow = true;
            self.body.clear();
        }
        Step::Nothing
    }

    fn partial_character(&self) -> &[u8] {
        for back in 1..=3 {
            let need = match self.tail[3 - back] {
                0x80..=0xbf => continue,
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            return if need > back { &self.tail[3 - back..] } else { &[] };
        }
        &[]
    }

    /// Bytes that bring another terminal, which is at ground, to where this stream stands: the sequence
    /// or character that has begun. Where it was too long to keep, one of no effect that ends alike.
    pub(crate) fn pending(&self) -> Vec<u8> {
        let opener: &[u8] = match self.place {
            Place::Ground => return self.partial_character().to_vec(),
            Place::Escape => b"\x1b",
            Place::Csi if self.overflow => b"\x1b[<999;",
            Place::Csi => b"\x1b[",
            Place::String(Kind::Osc) | Place::StringEscape(Kind::Osc) if self.overflow => b"\x1b]6973;",
            Place::String(Kind::Osc) | Place::StringEscape(Kind::Osc) => b"\x1b]",
            Place::String(Kind::Dcs) | Place::StringEscape(Kind::Dcs) if !self.overflow => b"\x1bP",
            Place::String(_) | Place::StringEscape(_) => b"\x1b_",
        };
        let mut bytes = opener.to_vec();
        if !matches!(self.place, Place::String(Kind::Apc) | Place::StringEscape(Kind::Apc)) {
            bytes.extend_from_slice(&self.body);
        }
        if matches!(self.place, Place::StringEscape(_)) {
            bytes.push(0x1b);
        }
        bytes
    }

    /// Bytes that bring a terminal which received the stream so far back to ground, without any effect.
    pub(crate) fn cut(&self) -> &'static [u8] {
        match self.place {
            Place::Ground => b"",
            // CAN aborts a string in xterm, VTE, kitty and Alacritty; ST would execute what came of it.
            _ => b"\x18",
        }
    }
}

enum Step {
    /// Nothing complete yet, or something that has no effect.
    Nothing,
    Control,
    Escape,
    Csi,
    Osc,
    Dcs,
    Image,
}

/// Bytes that end a run of text.
fn is_special(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}
