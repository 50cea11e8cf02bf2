//! What vt100 has no place for in a cell: strike, blink, conceal and overline, styles and colours of underlines, hyperlinks.
//! They ride in the cell, as characters without width behind its own, so that they go wherever it goes: through scrolling,
//! history and reflow. Only what leaves the emulator is told of them.

use super::width::cells_of;
use std::fmt::Write as _;

/// Code points that are unassigned and have no width. They are not let in from the remote (charset.rs).
const FIRST: u32 = 0xe01f0;
const LAST: u32 = EMOJI as u32;
/// The first byte of each in UTF-8.
pub(super) const LEAD: u8 = 0xf3;

/// Attributes are bits, and in the upper ones the style of the underline; the colour follows, and the link.
const STRIKE: u8 = 1;
const BLINK: u8 = 2;
const CONCEAL: u8 = 4;
const OVERLINE: u8 = 8;
/// Bold and dim: vt100 has the one or the other.
const BOTH: u8 = 0x80;
const STYLE: u32 = 4;
const STYLES: u8 = 7;
const STYLE_BITS: u8 = 7 << STYLE;
/// SGR 21: a double underline, or the end of bold, as the terminal has it.
const TWENTY_ONE: u8 = 6;
const COLOURS: u16 = 256;
const RGB: u16 = COLOURS + 256;
const RGB_LIMIT: u16 = 1024;
const LINKS: u16 = RGB + RGB_LIMIT;
const EMOJI_AT: u16 = (LAST - FIRST) as u16;
const LINKS_LIMIT: u16 = EMOJI_AT - LINKS;
/// In the place of U+FE0F, which widens a cell in vt100 0.18 and may panic there.
pub(super) const EMOJI: char = '\u{e0fff}';
/// What all links may take; those beyond it are text.
const LINK_BYTES: usize = 1 << 20;

/// The additions of one character. Offsets from `FIRST`, 0 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Look {
    attributes: u8,
    colour: u16,
    link: u16,
}

/// The colours and links that offsets name.
#[derive(Debug, Default)]
pub(super) struct Looks {
    rgb: Vec<[u8; 3]>,
    links: Vec<Box<[u8]>>,
    link_bytes: usize,
}

/// What the panel's drawing can carry of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Additions {
    pub strike: bool,
    pub blink: bool,
    pub conceal: bool,
    pub underline: bool,
}

impl Additions {
    /// Of the contents of a cell.
    pub fn of(contents: &str) -> Self {
        let attributes = Look::of(contents).attributes;
        let has = |bit| attributes & bit != 0;
        let underline = Look::of(contents).style() == TWENTY_ONE;
        Self { strike: has(STRIKE), blink: has(BLINK), conceal: has(CONCEAL), underline }
    }
}

impl Look {
    /// Takes an SGR parameter, if it is one of these.
    pub(super) fn set(&mut self, code: u16) {
        match code {
            0 => *self = Self { link: self.link, ..Self::default() },
            4 | 24 => self.underline(0),
            21 => self.underline(TWENTY_ONE.into()),
            5 | 6 => self.attributes |= BLINK,
            25 => self.attributes &= !BLINK,
            8 => self.attributes |= CONCEAL,
            28 => self.attributes &= !CONCEAL,
            9 => self.attributes |= STRIKE,
            29 => self.attributes &= !STRIKE,
            53 => self.attributes |= OVERLINE,
            55 => self.attributes &= !OVERLINE,
            59 => self.colour = 0,
            _ => {}
        }
    }

    /// A style of underline (`4:2` double, `4:3` curly, …); 0 and 1 are those that vt100 has.
    pub(super) fn underline(&mut self, style: u16) {
        let style = if (2..u16::from(STYLES)).contains(&style) { style as u8 } else { 0 };
        self.attributes = self.attributes & !STYLE_BITS | style << STYLE;
    }

    pub(super) fn both(&mut self, on: bool) {
        self.attributes = if on { self.attributes | BOTH } else { self.attributes & !BOTH };
    }

    pub(super) fn keep_link(&mut self, from: Self) {
        self.link = from.link;
    }

    fn style(self) -> u8 {
        (self.attributes & STYLE_BITS) >> STYLE
    }

    fn of(glyph: &str) -> Self {
        let mut look = Self::default();
        for offset in glyph.chars().filter_map(offset) {
            match offset {
                0..COLOURS => look.attributes = offset as u8,
                COLOURS..LINKS => look.colour = offset,
                LINKS..EMOJI_AT => look.link = offset,
                _ => {}
            }
        }
        look
    }

    /// Text with the additions behind each character.
    pub(super) fn dress(self, text: &str) -> String {
        let mut tags = String::new();
        for offset in [u16::from(self.attributes), self.colour, self.link].into_iter().filter(|n| *n > 0) {
            tags.extend(char::from_u32(FIRST + u32::from(offset)));
        }
        if tags.is_empty() {
            return text.to_owned();
        }
        let mut dressed = String::with_capacity(text.len() * 2);
        for c in text.chars() {
            dressed.push(c);
            if c >= ' ' && cells_of(c) > 0 {
                dressed.push_str(&tags);
            }
        }
        dressed
    }
}

impl Looks {
    /// The colour of underlines from here on, as `5;n` or `2;r;g;b`.
    pub(super) fn colour(&mut self, look: &mut Look, values: &[u16]) {
        look.colour = match *values {
            [index] => COLOURS + index.min(255),
            [r, g, b] => {
                let rgb = [r, g, b].map(|value| value.min(255) as u8);
                let known = self.rgb.iter().position(|had| *had == rgb);
                let index = known.unwrap_or(self.rgb.len()) as u16;
                if known.is_none() && index < RGB_LIMIT {
                    self.rgb.push(rgb);
                }
                if index < RGB_LIMIT { RGB + index } else { 0 }
            }
            _ => 0,
        };
    }

    /// The link that text is part of from here on: the payload of an OSC 8.
    pub(super) fn link(&mut self, look: &mut Look, payload: &[u8]) {
        look.link = 0;
        if payload.ends_with(b";") {
            return;
        }
        let known = self.links.iter().rposition(|had| **had == *payload);
        let index = known.unwrap_or(self.links.len());
        if known.is_none() {
            if index >= usize::from(LINKS_LIMIT) || self.link_bytes + payload.len() > LINK_BYTES {
                return;
            }
            self.link_bytes += payload.len();
            self.links.push(payload.into());
        }
        look.link = LINKS + index as u16;
    }

    /// SGR and OSC 8 that lead from one look to another, where vt100 has this weight (0, 1 bold, 2 dim).
    fn write(&self, from: Look, to: Look, weight: u16, out: &mut String) {
        let mut codes = String::new();
        if (from.attributes ^ to.attributes) & BOTH != 0 {
            codes.push_str("22;");
            match (to.attributes & BOTH, weight) {
                (0, 0) => {}
                (0, _) => codes.push_str(&format!("{weight};")),
                _ => codes.push_str("1;2;"),
            }
        }
        for (bit, on, off) in [(STRIKE, 9, 29), (BLINK, 5, 25), (CONCEAL, 8, 28), (OVERLINE, 53, 55)] {
            if (from.attributes ^ to.attributes) & bit != 0 {
                let code = if to.attributes & bit != 0 { on } else { off };
                let _ = write!(codes, "{code};");
            }
        }
        match to.style() {
            style if style == from.style() => {}
            0 => codes.push_str(if from.style() == TWENTY_ONE { "24;" } else { "4;" }),
            TWENTY_ONE => codes.push_str("21;"),
            style => {
                let _ = write!(codes, "4:{style};");
            }
        }
        if from.colour != to.colour {
            let _ = match (to.colour, self.rgb.get(usize::from(to.colour.wrapping_sub(RGB)))) {
                (0, _) => write!(codes, "59;"),
                // Where it is not known, a terminal takes the colon form for what it is.
                (_, Some([r, g, b])) => write!(codes, "58:2::{r}:{g}:{b};"),
                (colour, None) => write!(codes, "58:5:{};", colour - COLOURS),
            };
        }
        if codes.pop().is_some() {
            let _ = write!(out, "\x1b[{codes}m");
        }
        if from.link != to.link {
            let payload = self.links.get(usize::from(to.link.wrapping_sub(LINKS)));
            let payload = payload.map_or("8;;".into(), |payload| String::from_utf8_lossy(payload));
            let _ = write!(out, "\x1b]{payload}\x1b\\");
        }
    }

    pub(super) fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// SGR behind `CSI m`, for the next character; its link is a mode.
    pub(super) fn write_pen(&self, look: Look, out: &mut String) {
        self.write(Look::default(), Look { link: 0, ..look }, 0, out);
    }

    /// What vt100 holds, for a terminal that has all of it.
    pub(super) fn shown(&self, text: &str) -> String {
        if memchr::memchr(LEAD, text.as_bytes()).is_none() {
            return text.to_owned();
        }
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        let (mut is, mut weight) = (Look::default(), 0);
        while let Some(c) = rest.chars().next() {
            let end = if c == '\x1b' { sequence_end(rest) } else { glyph_end(rest) };
            let (unit, after) = rest.split_at(end);
            rest = after;
            if c == '\x1b' {
                after_sgr(&mut is, &mut weight, unit);
            } else if c >= ' ' {
                let look = Look::of(unit);
                self.write(is, look, weight, &mut out);
                is = look;
            }
            out.extend(unit.chars().filter_map(|c| match c {
                EMOJI => Some('\u{fe0f}'),
                _ => offset(c).is_none().then_some(c),
            }));
        }
        self.write(is, Look { link: 0, ..is }, weight, &mut out);
        out
    }
}

/// Text without them.
pub(super) fn bare(text: String) -> String {
    if memchr::memchr(LEAD, text.as_bytes()).is_none() {
        return text;
    }
    text.chars().filter(|c| offset(*c).is_none()).collect()
}

pub(super) fn is_tag(c: char) -> bool {
    (FIRST..=LAST).contains(&(c as u32))
}

fn offset(c: char) -> Option<u16> {
    is_tag(c).then(|| (c as u32 - FIRST) as u16)
}

/// What vt100 and this module write are control sequences, and escapes of two bytes.
fn sequence_end(text: &str) -> usize {
    let last = |c: char| ('@'..='~').contains(&c);
    match text.strip_prefix("\x1b[") {
        Some(body) => body.find(last).map_or(text.len(), |at| at + 3),
        None => text.char_indices().nth(2).map_or(text.len(), |(at, _)| at),
    }
}

fn glyph_end(text: &str) -> usize {
    let ends = |c: &(usize, char)| c.1 < ' ' || cells_of(c.1) > 0;
    text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at)
}

/// What is left of a look behind an SGR of vt100's, and the weight there.
fn after_sgr(look: &mut Look, weight: &mut u16, sequence: &str) {
    let Some(params) = sequence.strip_prefix("\x1b[").and_then(|rest| rest.strip_suffix('m')) else { return };
    let mut numbers = params.split(';').map(|n| n.parse::<u16>().unwrap_or(0));
    while let Some(code) = numbers.next() {
        match code {
            38 | 48 => {
                let skipped = if numbers.next() == Some(5) { 0 } else { 2 };
                numbers.nth(skipped);
            }
            1 | 2 => *weight = code,
            0 | 22 => {
                *weight = 0;
                look.both(false);
                look.set(code);
            }
            _ => look.set(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthChar;

    #[test]
    fn no_tag_has_a_width() {
        assert!((FIRST..=LAST).filter_map(char::from_u32).all(|c| c.width() == Some(0)));
        assert!((FIRST..=LAST).filter_map(char::from_u32).all(|c| c.to_string().as_bytes()[0] == LEAD));
    }

    #[test]
    fn a_look_is_read_from_what_it_dresses() {
        let (mut looks, mut look) = (Looks::default(), Look::default());
        [9, 5, 8, 53].into_iter().for_each(|code| look.set(code));
        look.underline(3);
        looks.colour(&mut look, &[1, 2, 3]);
        looks.link(&mut look, b"8;;http://x");
        let dressed = look.dress("a漢");
        assert_eq!(Look::of(&dressed), look);
        assert_eq!(bare(dressed.clone()), "a漢");
        assert_eq!(
            looks.shown(&dressed),
            "\x1b[9;5;8;53;4:3;58:2::1:2:3m\x1b]8;;http://x\x1b\\a漢\x1b]8;;\x1b\\"
        );
        looks.link(&mut look, b"8;;");
        look.set(0);
        assert_eq!(look, Look::default());
    }

    #[test]
    fn what_a_reset_takes_away_is_said_again_and_what_goes_on_is_not() {
        let (looks, mut look) = (Looks::default(), Look::default());
        look.set(9);
        let struck = look.dress("ab");
        assert_eq!(looks.shown(&format!("{struck}c")), "\x1b[9mab\x1b[29mc");
        assert_eq!(looks.shown(&format!("{struck}\x1b[31m{struck}")), "\x1b[9mab\x1b[31mab");
        assert_eq!(
            looks.shown(&format!("{struck}\x1b[0;38;5;0m{struck}")),
            "\x1b[9mab\x1b[0;38;5;0m\x1b[9mab"
        );
        assert_eq!(
            looks.shown(&format!("{struck}\x1b[1;1H\r\n\x1b7{struck}")),
            "\x1b[9mab\x1b[1;1H\r\n\x1b7ab"
        );
    }

    #[test]
    fn colours_and_links_without_end_take_no_memory_without_end() {
        let (mut looks, mut look) = (Looks::default(), Look::default());
        for n in 0..5000u16 {
            looks.colour(&mut look, &[n & 255, n >> 8, 7]);
            looks.link(&mut look, format!("8;;http://{n}").as_bytes());
        }
        assert_eq!((looks.rgb.len(), looks.links.len()), (usize::from(RGB_LIMIT), usize::from(LINKS_LIMIT)));
        assert_eq!((look.colour, look.link), (0, 0));
        looks.link(&mut look, b"8;;http://7");
        assert!(look.link > 0);
        let mut looks = Looks::default();
        (0..2000).for_each(|n| looks.link(&mut look, &[n.to_string().as_bytes(), &[b'x'; 4000]].concat()));
        assert!(looks.link_bytes <= LINK_BYTES);
    }
}
