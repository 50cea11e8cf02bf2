//! The exact record of what ssh's side switched on in the user's terminal: private modes, keypad, mouse, keyboard
//! protocols, scroll region, charsets, cursor shape, title, link. It only listens; bytes that bring a terminal to
//! this state, or back from it, are made on request. Runs inline in the hot path.

mod change;
mod input;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use change::{change, keyboard_change};
pub use input::InputModes;
pub(crate) use state::{Charsets, State, osc_number};

use crate::terminal::mouse::MouseModes;
use crate::terminal::tokens::Tokenizer;

#[derive(Debug, Clone)]
pub struct Modes {
    scan: Tokenizer,
    state: State,
}

impl Default for Modes {
    fn default() -> Self {
        Self::new()
    }
}

impl Modes {
    pub fn new() -> Self {
        Self { scan: Tokenizer::new(), state: State::default() }
    }

    /// Takes a chunk of the stream, split anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, token) = self.scan.next_sequence(rest);
            if let Some(token) = token {
                self.state.apply(&token);
            }
            rest = &rest[used..];
        }
    }

    /// What can read on where this stream stands.
    pub(crate) fn scan(&self) -> Tokenizer {
        self.scan.clone()
    }

    /// Whether the stream stands between two sequences and between two characters.
    pub fn is_ground(&self) -> bool {
        self.scan.is_ground()
    }

    /// Bytes that bring a terminal that received the stream so far back to ground, without any other effect.
    pub fn cut(&self) -> Vec<u8> {
        // Alacritty obeys an OSC that is cut off: a link must not spread over what is drawn next.
        let link = if self.pending().starts_with(b"\x1b]8") { &b"\x1b]8;;\x1b\\"[..] } else { b"" };
        [self.scan.cut(), link].concat()
    }

    /// The sequence or character that has begun, as bytes: undoes a `cut`.
    pub fn pending(&self) -> Vec<u8> {
        self.scan.pending()
    }

    /// Whether the remote takes a paste as one piece (mode 2004).
    pub fn bracketed_paste(&self) -> bool {
        self.state.is_on(2004)
    }

    /// Which mouse reports the remote wants.
    pub fn mouse(&self) -> MouseModes {
        self.state.mouse()
    }

    /// Whether it wants to know when the terminal gets or loses the focus (mode 1004).
    pub fn focus_reports(&self) -> bool {
        self.state.is_on(1004)
    }

    /// Whether its arrow keys are application keys (DECCKM).
    pub fn application_cursor(&self) -> bool {
        self.state.is_on(1)
    }

    /// Whether the wheel may stand for arrow keys on the alternate screen (mode 1007, on in most terminals).
    pub fn alternate_scroll(&self) -> bool {
        self.is_alternate() && self.state.value(1007) != Some(false)
    }

    pub fn is_alternate(&self) -> bool {
        self.state.alternate != 0
    }

    /// The window has another size: terminals then drop the scroll region (xterm, kitty, Alacritty).
    pub fn resized(&mut self) {
        self.state.region = None;
    }

    /// Bytes that bring a terminal in its default state to these modes. They move the cursor.
    pub fn restore(&self) -> Vec<u8> {
        change(&State::default(), &self.state)
    }

    /// Bytes that undo what was seen switched on, and nothing else; empty if that is nothing. For a session that
    /// ended without cleaning up (the state of `restore`, backwards).
    pub fn reset(&self) -> Vec<u8> {
        let mut bytes = change(&self.state, &State::default());
        if self.state.pen {
            bytes.extend_from_slice(b"\x1b[m");
        }
        bytes
    }

    /// Bytes for the outer terminal when the panel takes it over, written once it shows its alternate screen:
    /// nothing reports in wrong coordinates, margins and charsets do not spoil the drawing, the cursor is visible
    /// and of default shape, pastes have marks. How keys are encoded follows the remote from there on, by
    /// `InputModes`. Whoever draws brings it back to this state before it calls
    /// `Emulator::replay`, whose bytes go on from here.
    pub fn suspend_for_panel(&self) -> Vec<u8> {
        let suspended = self.state.suspended();
        let mut bytes = change(&self.state, &suspended);
        if !self.is_alternate() {
            // The alternate screen is shown all the same, with its own keyboard flags.
            bytes.extend(keyboard_change(&self.state, &suspended));
        }
        bytes
    }

    /// The way back from there.
    pub fn resume_from_panel(&self) -> Vec<u8> {
        change(&self.state.suspended(), &self.state)
    }

    /// Whether nothing keeps text from being printed below the cursor: no margins, no origin mode, no other screen.
    pub fn prints_anywhere(&self) -> bool {
        !self.is_alternate() && self.state.region.is_none() && !self.state.is_on(6) && !self.state.is_on(69)
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }
}
