//! The colours that text is printed in, as far as they can hide it.

use crate::terminal::tokens::{Csi, number};

/// Components of two colours that differ by no more than this look alike on any screen.
const ALIKE: u16 = 24;

/// A colour that was chosen. The terminal's own default is not known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Indexed(u16),
    Rgb(u16, u16, u16),
}

impl Colour {
    /// Red, green, blue, where they are the same on every terminal: the first 16 of the palette are the user's.
    fn rgb(self) -> Option<(u16, u16, u16)> {
        /// xterm's colour cube (256colres.pl).
        const LEVELS: [u16; 6] = [0, 95, 135, 175, 215, 255];
        let level = |n: u16| LEVELS.get(usize::from(n % 6)).copied();
        match self {
            Self::Rgb(r, g, b) => Some((r, g, b)),
            Self::Indexed(n @ 16..=231) => {
                Some((level((n - 16) / 36)?, level((n - 16) / 6)?, level(n - 16)?))
            }
            Self::Indexed(n @ 232..=255) => {
                Some((8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10))
            }
            Self::Indexed(_) => None,
        }
    }

    fn is_like(self, other: Self) -> bool {
        let near = |(a, b): (u16, u16)| a.abs_diff(b) <= ALIKE;
        self == other
            || matches!((self.rgb(), other.rgb()), (Some(a), Some(b))
                if [(a.0, b.0), (a.1, b.1), (a.2, b.2)].into_iter().all(near))
    }
}

/// SGR as far as it matters here.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Colours {
    front: Option<Colour>,
    back: Option<Colour>,
    conceals: bool,
}

impl Colours {
    pub(super) fn is_concealed(&self) -> bool {
        self.conceals
    }

    pub(super) fn are_alike(&self) -> bool {
        self.front.zip(self.back).is_some_and(|(front, back)| front.is_like(back))
    }

    pub(super) fn apply(&mut self, csi: &Csi<'_>) {
        let mut fields = csi.params.split(|b| *b == b';');
        while let Some(field) = fields.next() {
            match number(field) {
                0 => *self = Self::default(),
                8 => self.conceals = true,
                28 => self.conceals = false,
                n @ 30..=37 => self.front = Some(Colour::Indexed(n - 30)),
                n @ 90..=97 => self.front = Some(Colour::Indexed(n - 82)),
                n @ 40..=47 => self.back = Some(Colour::Indexed(n - 40)),
                n @ 100..=107 => self.back = Some(Colour::Indexed(n - 92)),
                39 => self.front = None,
                49 => self.back = None,
                38 => self.front = extended(field, &mut fields),
                48 => self.back = extended(field, &mut fields),
                _ => {}
            }
        }
    }
}

/// `38;5;N`, `38;2;R;G;B`, and with colons `38:5:N`, `38:2::R:G:B` (T.416) or `38:2:R:G:B`.
fn extended<'a>(field: &'a [u8], fields: &mut impl Iterator<Item = &'a [u8]>) -> Option<Colour> {
    if field.contains(&b':') {
        let parts: Vec<u16> = field.split(|b| *b == b':').map(number).collect();
        return match parts.as_slice() {
            [_, 5, n, ..] => Some(Colour::Indexed(*n)),
            [_, 2, _, r, g, b, ..] | [_, 2, r, g, b] => Some(Colour::Rgb(*r, *g, *b)),
            _ => None,
        };
    }
    let mut next = || fields.next().map(number);
    match next()? {
        5 => next().map(Colour::Indexed),
        2 => Some(Colour::Rgb(next()?, next()?, next()?)),
        _ => None,
    }
}
