//! How the user's keys are encoded while the panel is drawn: as the remote wants them, all the time, because most of
//! them are for the remote, and the panel reads every encoding. And whether the mouse and the focus are reported.

use super::Modes;
use super::change::key_options;
use super::state::State;

/// The encodings that the outer terminal is in. The default is how `Modes::suspend_for_panel` leaves them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputModes {
    /// DECCKM and DECNKM.
    cursor_keys: bool,
    numeric_keypad: bool,
    keypad: bool,
    key_options: [Option<u16>; 8],
    /// kitty's keyboard flags of the screen that the remote is on.
    flags: u16,
    /// 1002 or 1003, reported as 1006; 0 for none.
    mouse: u16,
    /// Focus reports.
    focus: bool,
}

impl InputModes {
    /// Bytes that bring the outer terminal to what the remote wants now; none if that is what it is in. With `mouse` the
    /// panel reads the mouse: drags at least, and every motion if the remote wants that.
    pub fn follow(&mut self, modes: &Modes, mouse: bool) -> Vec<u8> {
        let mut to = Self::of(modes.state());
        if mouse {
            to.mouse = if modes.mouse().protocol == 1003 { 1003 } else { 1002 };
            to.focus = modes.focus_reports();
        }
        self.become_these(to)
    }

    /// Bytes that bring it back, before `Emulator::replay`.
    pub fn leave(&mut self) -> Vec<u8> {
        self.become_these(Self::default())
    }

    fn of(state: &State) -> Self {
        let screen = usize::from(state.alternate != 0);
        Self {
            cursor_keys: state.is_on(1),
            numeric_keypad: state.is_on(66),
            keypad: state.keypad,
            key_options: state.key_options,
            flags: state.keyboard[screen].last().copied().unwrap_or(0),
            mouse: 0,
            focus: false,
        }
    }

    fn become_these(&mut self, to: Self) -> Vec<u8> {
        let mut out = Vec::new();
        for (mode, was, is) in
            [(1, self.cursor_keys, to.cursor_keys), (66, self.numeric_keypad, to.numeric_keypad)]
        {
            if was != is {
                out.extend_from_slice(format!("\x1b[?{mode}{}", if is { 'h' } else { 'l' }).as_bytes());
            }
        }
        if self.keypad != to.keypad {
            out.extend_from_slice(if to.keypad { b"\x1b=" } else { b"\x1b>" });
        }
        key_options(&mut out, &self.key_options, &to.key_options);
        if self.flags != to.flags {
            out.extend_from_slice(format!("\x1b[={}u", to.flags).as_bytes());
        }
        self.reports(&to, &mut out);
        *self = to;
        out
    }

    fn reports(&self, to: &Self, out: &mut Vec<u8>) {
        let mut set = |mode: u16, on: bool| {
            out.extend_from_slice(format!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }).as_bytes());
        };
        if self.mouse != to.mouse {
            if self.mouse != 0 {
                set(self.mouse, false);
            }
            if (self.mouse == 0) != (to.mouse == 0) {
                set(1006, to.mouse != 0);
            }
            if to.mouse != 0 {
                set(to.mouse, true);
            }
        }
        if self.focus != to.focus {
            set(1004, to.focus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_follow_the_remote_and_come_back() {
        let mut modes = Modes::new();
        let mut input = InputModes::default();
        assert_eq!(input.follow(&modes, false), b"");
        modes.feed(b"\x1b[?1h\x1b=\x1b[>4;2m\x1b[>5u");
        assert_eq!(input.follow(&modes, false), b"\x1b[?1h\x1b=\x1b[>4;2m\x1b[=5u");
        assert_eq!(input.follow(&modes, false), b"");
        modes.feed(b"\x1b[?1l\x1b[<u");
        assert_eq!(input.follow(&modes, false), b"\x1b[?1l\x1b[=0u");
        assert_eq!(input.leave(), b"\x1b>\x1b[>4m");
        assert_eq!(input, InputModes::default());
    }

    #[test]
    fn the_mouse_is_the_panels_and_reports_what_the_remote_wants_too() {
        let mut modes = Modes::new();
        let mut input = InputModes::default();
        assert_eq!(input.follow(&modes, true), b"\x1b[?1006h\x1b[?1002h");
        modes.feed(b"\x1b[?1003h\x1b[?1015h\x1b[?1004h");
        assert_eq!(input.follow(&modes, true), b"\x1b[?1002l\x1b[?1003h\x1b[?1004h");
        modes.feed(b"\x1b[?1003l\x1b[?1004l");
        assert_eq!(input.follow(&modes, true), b"\x1b[?1003l\x1b[?1002h\x1b[?1004l");
        assert_eq!(input.leave(), b"\x1b[?1002l\x1b[?1006l");
    }
}
