//! How the user's keys are encoded while the panel is drawn: as the remote wants them, all the time, because most of
//! them are for the remote, and the panel reads every encoding.

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
}

impl InputModes {
    /// Bytes that bring the outer terminal to what the remote wants now; none if that is what it is in.
    pub fn follow(&mut self, modes: &Modes) -> Vec<u8> {
        self.become_these(Self::of(modes.state()))
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
        *self = to;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_follow_the_remote_and_come_back() {
        let mut modes = Modes::new();
        let mut input = InputModes::default();
        assert_eq!(input.follow(&modes), b"");
        modes.feed(b"\x1b[?1h\x1b=\x1b[>4;2m\x1b[>5u");
        assert_eq!(input.follow(&modes), b"\x1b[?1h\x1b=\x1b[>4;2m\x1b[=5u");
        assert_eq!(input.follow(&modes), b"");
        modes.feed(b"\x1b[?1l\x1b[<u");
        assert_eq!(input.follow(&modes), b"\x1b[?1l\x1b[=0u");
        assert_eq!(input.leave(), b"\x1b>\x1b[>4m");
        assert_eq!(input, InputModes::default());
    }
}
