//! The modes as values, and what each token does to them. No bytes are made here.

use crate::terminal::mouse::MouseModes;
use crate::terminal::tokens::{Csi, Token, number};

/// Different private modes remembered. About 40 are in use; a hostile stream gets no more memory than this.
const PRIVATE_LIMIT: usize = 64;
/// kitty's own limit on pushed keyboard flags is 8; deeper entries fall off the bottom as they do there.
const KEYBOARD_LIMIT: usize = 8;
/// Longest title or link kept.
const TEXT_LIMIT: usize = 4096;

/// What the mouse reports, and how.
pub(super) const MOUSE: [u16; 9] = [9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016];
/// What designates G0 to G3.
pub(super) const SETS: [u8; 4] = *b"()*+";

pub(super) fn is_mouse(mode: u16) -> bool {
    MOUSE.contains(&mode)
}

/// Designated character sets, and which of the four is shifted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Charsets {
    pub(crate) g: [u8; 4],
    pub(crate) shift: u8,
}

impl Default for Charsets {
    fn default() -> Self {
        Self { g: *b"BBBB", shift: 0 }
    }
}

impl Charsets {
    /// Whether letters are drawn as lines (DEC special graphics).
    pub(crate) fn draws_lines(&self) -> bool {
        self.g[usize::from(self.shift & 3)] == b'0'
    }

    /// `ESC ( x` to `ESC + x`.
    pub(crate) fn designate(&mut self, intermediates: &[u8], last: u8) {
        let Some((first, more)) = intermediates.split_first() else { return };
        if let Some(set) = SETS.iter().position(|opener| opener == first) {
            // Two-byte designators name national sets, none of which has lines.
            self.g[set] = if more.is_empty() { last } else { b'B' };
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct State {
    /// Private modes seen, in the order of their last change.
    pub(crate) private: Vec<(u16, bool)>,
    /// The last setting and the last resetting of each mouse mode, in their order.
    pub(crate) mouse: Vec<(u16, bool)>,
    /// 0, or the mode that entered the alternate screen: 47, 1047 or 1049.
    pub(crate) alternate: u16,
    pub(crate) insert: bool,
    pub(crate) newline: bool,
    pub(crate) keypad: bool,
    pub(crate) region: Option<(u16, u16)>,
    pub(crate) charsets: Charsets,
    saved: [(Charsets, bool); 2],
    /// kitty's keyboard flags of the primary and the alternate screen: what was pushed over, then the present.
    /// Empty is "never touched".
    pub(crate) keyboard: [Vec<u16>; 2],
    /// xterm's `CSI > n ; v m` (modifyOtherKeys is 4).
    pub(crate) key_options: [Option<u16>; 8],
    pub(crate) shape: u16,
    /// The payloads of the last title and of the open hyperlink.
    pub(crate) title: Option<Vec<u8>>,
    pub(crate) link: Option<Vec<u8>>,
    /// Whether drawing attributes other than the default are on.
    pub(crate) pen: bool,
}

impl State {
    pub(crate) fn with_charsets(charsets: Charsets) -> Self {
        Self { charsets, ..Self::default() }
    }

    pub(crate) fn apply(&mut self, token: &Token<'_>) {
        match token {
            Token::Control(0x0e) => self.charsets.shift = 1,
            Token::Control(0x0f) => self.charsets.shift = 0,
            Token::Escape { intermediates: [], last } => self.escape(*last),
            Token::Escape { intermediates, last } => self.charsets.designate(intermediates, *last),
            Token::Csi(csi) => self.control(csi),
            Token::Osc(payload) => self.command(payload),
            _ => {}
        }
    }

    fn escape(&mut self, last: u8) {
        match last {
            b'=' => self.keypad = true,
            b'>' => self.keypad = false,
            b'7' => self.save(),
            b'8' => self.recall(),
            b'n' => self.charsets.shift = 2,
            b'o' => self.charsets.shift = 3,
            b'c' => *self = Self::default(),
            _ => {}
        }
    }

    fn control(&mut self, csi: &Csi<'_>) {
        match csi.name() {
            (b'?', 0, b'h') => csi.numbers().for_each(|mode| self.set(mode, true)),
            (b'?', 0, b'l') => csi.numbers().for_each(|mode| self.set(mode, false)),
            (0, 0, b'h') => csi.numbers().for_each(|mode| self.set_ansi(mode, true)),
            (0, 0, b'l') => csi.numbers().for_each(|mode| self.set_ansi(mode, false)),
            (0, 0, b'r') => {
                let (top, bottom) = (csi.number(0, 1), csi.number(1, 0));
                match bottom {
                    0 if top == 1 => self.region = None,
                    _ if bottom == 0 || top < bottom => self.region = Some((top, bottom)),
                    _ => {}
                }
            }
            (0, b' ', b'q') => self.shape = csi.number(0, 0),
            (0, b'!', b'p') => self.soft_reset(),
            (b'>', 0, b'm') => {
                let option = usize::from(csi.number(0, 0));
                if csi.params.is_empty() {
                    self.key_options = [None; 8];
                } else if let Some(value) = self.key_options.get_mut(option) {
                    *value = csi.numbers().nth(1);
                }
            }
            (b'>', 0, b'n') => {
                if let Some(value) = self.key_options.get_mut(usize::from(csi.number(0, 2))) {
                    *value = None;
                }
            }
            (marker @ (b'>' | b'<' | b'='), 0, b'u') => self.keyboard(marker, csi),
            (0, 0, b's') if csi.params.is_empty() => self.save(),
            (0, 0, b'u') if csi.params.is_empty() => self.recall(),
            (0, 0, b'm') => self.pen = !matches!(csi.params.rsplit(|b| *b == b';').next(), Some(b"" | b"0")),
            _ => {}
        }
    }

    fn command(&mut self, payload: &[u8]) {
        if payload.len() > TEXT_LIMIT {
            return;
        }
        match payload {
            [b'0' | b'2', b';', ..] => self.title = Some(payload.to_vec()),
            [b'8', b';', link @ ..] => {
                let is_open = link.iter().position(|b| *b == b';').is_some_and(|at| at + 1 < link.len());
                self.link = is_open.then(|| payload.to_vec());
            }
            _ => {}
        }
    }

    fn set(&mut self, mode: u16, on: bool) {
        match mode {
            47 | 1047 | 1049 => {
                if on && mode == 1049 && self.alternate == 0 {
                    self.save();
                }
                self.alternate = if on { mode } else { 0 };
                if !on && mode == 1049 {
                    self.recall();
                }
            }
            1048 if on => self.save(),
            1048 => self.recall(),
            // 132 columns clears the screen, Tektronix mode is another terminal: neither is ever sent again.
            3 | 38 => {}
            _ => self.note(mode, on),
        }
    }

    fn note(&mut self, mode: u16, on: bool) {
        if is_mouse(mode) {
            self.mouse.retain(|had| *had != (mode, on));
            self.mouse.push((mode, on));
            // Resetting what was never set is nothing.
            let first = self.mouse.iter().position(|(_, on)| *on).unwrap_or(self.mouse.len());
            self.mouse.drain(..first);
            return;
        }
        self.private.retain(|(had, _)| *had != mode);
        if self.private.len() < PRIVATE_LIMIT {
            self.private.push((mode, on));
        }
    }

    fn set_ansi(&mut self, mode: u16, on: bool) {
        match mode {
            4 => self.insert = on,
            20 => self.newline = on,
            _ => {}
        }
    }

    /// DECSTR, as xterm documents it. Mouse, paste and focus modes survive it.
    fn soft_reset(&mut self) {
        for (mode, on) in [(1, false), (6, false), (7, true), (25, true), (66, false)] {
            if self.value(mode) != Some(on) {
                self.note(mode, on);
            }
        }
        (self.insert, self.keypad, self.region, self.pen) = (false, false, None, false);
        self.charsets = Charsets::default();
        self.saved = Default::default();
    }

    fn keyboard(&mut self, marker: u8, csi: &Csi<'_>) {
        let stack = &mut self.keyboard[usize::from(self.alternate != 0)];
        if stack.is_empty() {
            stack.push(0);
        }
        let flags = csi.numbers().next().unwrap_or(0);
        match marker {
            b'>' => {
                stack.push(flags);
                // One more than the limit: the present flags are not on the stack.
                if stack.len() > KEYBOARD_LIMIT + 1 {
                    stack.remove(0);
                }
            }
            b'<' => {
                let count = usize::from(csi.number(0, 1));
                stack.truncate(stack.len().saturating_sub(count));
                if stack.is_empty() {
                    stack.push(0);
                }
            }
            _ => {
                if let Some(present) = stack.last_mut() {
                    *present = match csi.number(1, 1) {
                        1 => flags,
                        2 => *present | flags,
                        3 => *present & !flags,
                        _ => *present,
                    };
                }
            }
        }
    }

    fn save(&mut self) {
        self.saved[usize::from(self.alternate != 0)] = (self.charsets, self.is_on(6));
    }

    fn recall(&mut self) {
        let (charsets, origin) = self.saved[usize::from(self.alternate != 0)];
        self.charsets = charsets;
        if origin != self.is_on(6) {
            self.note(6, origin);
        }
    }

    /// What a private mode was set to, or its default; `None` where terminals differ.
    pub(crate) fn value(&self, mode: u16) -> Option<bool> {
        let list = if is_mouse(mode) { &self.mouse } else { &self.private };
        let seen = list.iter().rfind(|(had, _)| *had == mode).map(|(_, on)| *on);
        seen.or(match mode {
            7 | 25 => Some(true),
            1 | 5 | 6 | 45 | 66 | 69 | 1004 | 2004 | 2026 | 2031 | 2048 => Some(false),
            _ if is_mouse(mode) => Some(false),
            _ => None,
        })
    }

    pub(crate) fn is_on(&self, mode: u16) -> bool {
        self.value(mode) == Some(true)
    }

    /// The mouse modes that are on; of several the one that was set last.
    pub(crate) fn mouse(&self) -> MouseModes {
        let last = |modes: &[u16]| {
            let is_last = |(mode, on): &&(u16, bool)| *on && modes.contains(mode) && self.is_on(*mode);
            self.mouse.iter().rfind(is_last).map_or(0, |(mode, _)| *mode)
        };
        MouseModes { protocol: last(&[9, 1000, 1002, 1003]), encoding: last(&[1005, 1006, 1015, 1016]) }
    }

    /// The same, with nothing that moves what is drawn: what text is printed into when the screen is painted.
    pub(crate) fn neutral(&self) -> Self {
        let mut state = self.clone();
        for (mode, on) in [(6, false), (7, true), (69, false)] {
            if state.value(mode) != Some(on) {
                state.note(mode, on);
            }
        }
        (state.insert, state.newline, state.region, state.link) = (false, false, None, None);
        state.charsets = Charsets::default();
        state
    }

    /// The same, with what changes how a character is printed left as it is in `from`.
    pub(crate) fn placed_in(&self, from: &Self) -> Self {
        let mut state = self.clone();
        state.note(7, true);
        (state.insert, state.newline, state.charsets) = (from.insert, from.newline, from.charsets);
        state.link = None;
        state
    }

    /// What the outer terminal is set to when the panel begins to be drawn. Bracketed paste is on whatever the remote
    /// wants: without its marks a pasted line end is the key Enter.
    pub(crate) fn suspended(&self) -> Self {
        let mut state = self.neutral();
        if !state.is_on(2004) {
            state.note(2004, true);
        }
        for mode in MOUSE.into_iter().chain([1, 45, 66, 1004, 2026, 2031, 2048]) {
            if state.is_on(mode) {
                state.note(mode, false);
            }
        }
        if !state.is_on(25) {
            state.note(25, true);
        }
        (state.keypad, state.shape, state.key_options) = (false, 0, [None; 8]);
        if state.keyboard[1].last().is_some_and(|flags| *flags != 0) {
            state.keyboard[1].push(0);
        }
        state
    }
}

/// The number in front of an OSC's first `;`.
pub(crate) fn osc_number(payload: &[u8]) -> Option<u16> {
    payload.first().is_some_and(u8::is_ascii_digit).then(|| number(payload))
}
