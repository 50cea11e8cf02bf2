//! Mouse reports: read in each of the encodings of xterm's, and written in the one that a program asked for. Pure.

use super::Size;
use crate::terminal::sequence::ESC;

/// Bits of xterm's button code.
const MOTION: u16 = 32;
const WHEEL: u16 = 64;
const MORE_BUTTONS: u16 = 128;
const MODIFIERS: u16 = 4 | 8 | 16;
/// In the low bits: no button.
const NONE: u16 = 3;

/// What happened with the mouse, in cells counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// xterm's button code, with modifiers and motion.
    code: u16,
    released: bool,
    pub col: u16,
    pub row: u16,
}

/// What it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button went down, is dragged, or was let go.
    Press,
    Drag,
    Release,
    /// The wheel turned by one step.
    WheelUp,
    WheelDown,
    /// Another button, or a motion without one.
    Other,
}

/// The reports that the remote wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MouseModes {
    /// 9, 1000, 1002 or 1003; 0 for none.
    pub(crate) protocol: u16,
    /// 1005, 1006, 1015 or 1016; 0 for the first one, a byte each.
    pub(crate) encoding: u16,
}

impl MouseModes {
    pub fn is_on(self) -> bool {
        self.protocol != 0
    }

    /// They begin with `CSI <`.
    pub fn is_sgr(self) -> bool {
        matches!(self.encoding, 1006 | 1016)
    }
}

impl Mouse {
    /// The left button with nothing held down.
    #[cfg(test)]
    pub(crate) fn new(kind: MouseKind, col: u16, row: u16) -> Self {
        let code = match kind {
            MouseKind::Press | MouseKind::Release => 0,
            MouseKind::Drag => MOTION,
            MouseKind::WheelUp => WHEEL,
            MouseKind::WheelDown => WHEEL + 1,
            MouseKind::Other => MOTION | NONE,
        };
        Self { code, released: kind == MouseKind::Release, col, row }
    }

    pub fn kind(&self) -> MouseKind {
        match self.code & !MODIFIERS {
            0 | NONE if self.released => MouseKind::Release,
            0 => MouseKind::Press,
            MOTION => MouseKind::Drag,
            WHEEL => MouseKind::WheelUp,
            code if code == WHEEL + 1 => MouseKind::WheelDown,
            _ => MouseKind::Other,
        }
    }

    /// Whether a button went down.
    pub fn is_press(&self) -> bool {
        !self.released && self.code & (MOTION | WHEEL) == 0
    }

    /// Whether a button went down or the wheel turned: no mere motion.
    pub fn acts(&self) -> bool {
        self.is_press() || self.code & (MOTION | WHEEL) == WHEEL
    }

    /// Whether the last button was let go.
    pub fn is_release(&self) -> bool {
        self.released
    }

    pub fn at(self, col: u16, row: u16) -> Self {
        Self { col, row, ..self }
    }

    /// Reads a report: `CSI < b ; x ; y M` (1006), `CSI b ; x ; y M` (1015), or `CSI M` and three bytes.
    pub(crate) fn parse(raw: &[u8]) -> Option<Self> {
        let rest = raw.strip_prefix(&[ESC, b'['])?;
        if let [b'M', code, x, y] = rest {
            let released = (u16::from(*code).checked_sub(32)? & !MODIFIERS) == NONE;
            return Self::of(u16::from(*code).checked_sub(32)?, released, (*x).into(), (*y).into(), 32);
        }
        let (is_sgr, rest) = match rest.strip_prefix(b"<") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (last, body) = rest.split_last()?;
        let mut numbers = std::str::from_utf8(body).ok()?.split(';').map(|n| n.parse::<u16>().ok());
        let mut next = || numbers.next().flatten();
        let (code, x, y) = (next()?, next()?, next()?);
        match (is_sgr, last) {
            (true, b'M' | b'm') => Self::of(code, *last == b'm', x, y, 0),
            (false, b'M') => {
                let code = code.checked_sub(32)?;
                Self::of(code, code & !MODIFIERS == NONE, x, y, 0)
            }
            _ => None,
        }
    }

    fn of(code: u16, released: bool, x: u16, y: u16, offset: u16) -> Option<Self> {
        let cell = |at: u16| at.checked_sub(offset + 1);
        // Buttons, motion and modifiers are eight bits (xterm, ctlseqs).
        let code = u8::try_from(code).ok()?.into();
        Some(Self { code, released, col: cell(x)?, row: cell(y)? })
    }

    /// The report for a program that wants these; `None` if this is none of them. `size` is its terminal's, which says
    /// how large a cell is.
    pub fn report(&self, wants: MouseModes, size: Size) -> Option<Vec<u8>> {
        if !self.is_wanted(wants.protocol) {
            return None;
        }
        let code = if wants.protocol == 9 { self.code & !MODIFIERS } else { self.code };
        // Only 1006 says which button was let go.
        let single = if self.released { code & !NONE | NONE } else { code };
        let (x, y) = (u32::from(self.col) + 1, u32::from(self.row) + 1);
        let end = if self.released { 'm' } else { 'M' };
        Some(match wants.encoding {
            1006 => format!("\x1b[<{code};{x};{y}{end}").into_bytes(),
            1016 => {
                let pixel = |at: u16, pixels: u16, cells: u16| {
                    let cell = u32::from(pixels.checked_div(cells)?);
                    (cell > 0).then_some(u32::from(at) * cell + cell / 2 + 1)
                };
                let x = pixel(self.col, size.xpixel, size.cols)?;
                let y = pixel(self.row, size.ypixel, size.rows)?;
                format!("\x1b[<{code};{x};{y}{end}").into_bytes()
            }
            1015 => format!("\x1b[{};{x};{y}M", single + 32).into_bytes(),
            1005 => {
                let mut bytes = b"\x1b[M".to_vec();
                for number in [u32::from(single), x, y] {
                    let c = char::from_u32(number + 32).filter(|c| u32::from(*c) <= 2047)?;
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                bytes
            }
            _ => {
                let mut bytes = b"\x1b[M".to_vec();
                for number in [u32::from(single), x, y] {
                    bytes.push(u8::try_from(number + 32).ok()?);
                }
                bytes
            }
        })
    }

    fn is_wanted(&self, protocol: u16) -> bool {
        let moves = self.code & MOTION != 0;
        let has_button = self.code & NONE != NONE || self.code & (WHEEL | MORE_BUTTONS) != 0;
        match protocol {
            9 => self.is_press(),
            1000 => !moves,
            1002 => !moves || has_button,
            1003 => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { cols: 80, rows: 24, xpixel: 800, ypixel: 480 };

    fn wants(protocol: u16, encoding: u16) -> MouseModes {
        MouseModes { protocol, encoding }
    }

    #[test]
    fn reports_are_read_in_each_encoding() {
        let press = Mouse { code: 0, released: false, col: 9, row: 4 };
        for raw in [&b"\x1b[<0;10;5M"[..], b"\x1b[M\x20\x2a\x25", b"\x1b[32;10;5M"] {
            assert_eq!(Mouse::parse(raw), Some(press), "{raw:?}");
        }
        assert_eq!(Mouse::parse(b"\x1b[<0;10;5m").unwrap().kind(), MouseKind::Release);
        assert_eq!(Mouse::parse(b"\x1b[M\x23\x2a\x25").unwrap().kind(), MouseKind::Release);
        assert_eq!(Mouse::parse(b"\x1b[<64;1;1M").unwrap().kind(), MouseKind::WheelUp);
        assert_eq!(Mouse::parse(b"\x1b[<81;1;1M").unwrap().kind(), MouseKind::WheelDown, "with Ctrl");
        assert_eq!(Mouse::parse(b"\x1b[<35;1;1M").unwrap().kind(), MouseKind::Other);
        for raw in
            [&b"\x1b[<0;0;5M"[..], b"\x1b[<0;10M", b"\x1b[<a;1;1M", b"\x1b[A", b"\x1b[M\x10\x21\x21", b"x"]
        {
            assert_eq!(Mouse::parse(raw), None, "{raw:?}");
        }
    }

    #[test]
    fn each_program_gets_what_it_asked_for_as_it_asked_for_it() {
        let press = Mouse::parse(b"\x1b[<16;10;5M").unwrap();
        let release = Mouse::parse(b"\x1b[<0;10;5m").unwrap();
        let report = |mouse: Mouse, wanted| mouse.report(wanted, SIZE).map(|b| String::from_utf8(b).unwrap());
        assert_eq!(report(press, wants(1000, 1006)).as_deref(), Some("\x1b[<16;10;5M"));
        assert_eq!(report(release, wants(1000, 1006)).as_deref(), Some("\x1b[<0;10;5m"));
        assert_eq!(report(press, wants(1000, 1016)).as_deref(), Some("\x1b[<16;96;91M"));
        assert_eq!(report(release, wants(1000, 1015)).as_deref(), Some("\x1b[35;10;5M"));
        assert_eq!(report(release, wants(1000, 0)).as_deref(), Some("\x1b[M#*%"));
        assert_eq!(report(press, wants(9, 0)).as_deref(), Some("\x1b[M *%"), "X10 has no modifiers");
        assert_eq!(report(release, wants(9, 0)), None);
        let far = press.at(299, 4);
        assert_eq!(report(far, wants(1000, 0)), None, "a byte does not hold it");
        assert_eq!(report(far, wants(1000, 1005)).as_deref(), Some("\x1b[M0\u{14c}%"));
        assert_eq!(press.report(wants(1000, 1016), Size::new(80, 24)), None, "no size of a cell is known");
    }

    #[test]
    fn motion_goes_to_those_who_asked_for_it() {
        let drag = Mouse::new(MouseKind::Drag, 1, 1);
        let motion = Mouse::new(MouseKind::Other, 1, 1);
        let goes =
            |mouse: Mouse| [9, 1000, 1002, 1003, 0].map(|p| mouse.report(wants(p, 1006), SIZE).is_some());
        assert_eq!(goes(drag), [false, false, true, true, false]);
        assert_eq!(goes(motion), [false, false, false, true, false]);
        assert_eq!(goes(Mouse::new(MouseKind::WheelUp, 1, 1)), [false, true, true, true, false]);
    }
}
