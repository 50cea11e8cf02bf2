//! How much of a context window a prompt may take.
//!
//! Tokens are estimated by one rule: three bytes each. English has about four to a token, logs and tables about three,
//! Chinese three to one and a half: the estimate is rather too high. Where it is too low the server says so, and the prompt
//! is made again for a smaller window.

/// Bytes that are counted as a token.
pub(super) const BYTES: usize = 3;
/// What a turn costs beside its text.
const TURN: usize = 8 * BYTES;
/// The answer has a fourth of the window, and no more than this.
const MAX_ANSWER: u32 = 8192;

pub(super) fn answer(window: u32) -> u32 {
    (window / 4).min(MAX_ANSWER)
}

pub(in crate::builtin) fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES)
}

/// Bytes that are left.
pub(super) struct Room(usize);

impl Room {
    pub(super) fn new(tokens: u32) -> Self {
        Self(tokens as usize * BYTES)
    }

    /// `None`: it does not fit.
    pub(super) fn take(&mut self, text: &str) -> Option<()> {
        // Each text may begin a token of its own.
        self.0 = self.0.checked_sub(text.len() + BYTES)?;
        Some(())
    }

    pub(super) fn take_turn(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.checked_sub(text.len() + TURN)?;
        Some(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.saturating_sub(BYTES)
    }
}
