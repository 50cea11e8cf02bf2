//! Output that waits for the observer: all of it, or after too much the newest, with the modes in which that begins.

use crate::terminal::{Modes, Skimmer};

/// Output up to this is emulated whole, however fast it came.
pub(super) const WHOLE: usize = 1024 * 1024;
/// Of more than that so much of the newest at least: several screens of any size, and more than a command's output as it
/// is reported. The modes are noted as often.
pub(super) const RING: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Ring {
    bytes: Vec<u8>,
    /// Places in `bytes`, and the modes there; the first is the begin.
    places: Vec<(usize, Modes)>,
    /// What was read of the output that is missing before `bytes`, if any is.
    gap: Option<Skimmer>,
}

impl Ring {
    /// `modes` is what the stream is in before the first byte.
    pub(super) fn new(modes: &Modes) -> Self {
        Self { bytes: Vec::new(), places: vec![(0, modes.clone())], gap: None }
    }

    /// The same, and what came before it was seen by nobody.
    pub(super) fn behind_gap(modes: &Modes) -> Self {
        let mut ring = Self::new(modes);
        ring.leave_gap();
        ring
    }

    /// `modes` is what the stream is in after these bytes.
    pub(super) fn push(&mut self, bytes: &[u8], modes: &Modes) {
        self.bytes.extend_from_slice(bytes);
        if self.places.last().is_none_or(|(at, _)| self.bytes.len() - at >= RING) {
            self.places.push((self.bytes.len(), modes.clone()));
        }
    }

    /// The window has another height, which ends some modes wherever they were set.
    pub(super) fn resized(&mut self) {
        self.places.iter_mut().for_each(|(_, modes)| modes.resized());
    }

    /// Drops what is older than the newest [`RING`] bytes, up to a place where the modes are known.
    pub(super) fn drop_oldest(&mut self) {
        self.leave_gap();
        let most = self.bytes.len().saturating_sub(RING);
        let begin = self.places.iter().rposition(|(at, _)| *at <= most).unwrap_or(0);
        self.places.drain(..begin);
        let cut = self.places.first().map_or(0, |(at, _)| *at);
        if let Some(gap) = &mut self.gap {
            gap.feed(&self.bytes[..cut]);
        }
        self.bytes.drain(..cut);
        self.places.iter_mut().for_each(|(at, _)| *at -= cut);
    }

    /// Something is missing from here on, if only the order of things.
    fn leave_gap(&mut self) {
        if let Some((_, modes)) = self.places.first() {
            self.gap.get_or_insert_with(|| Skimmer::after(modes));
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What is known of the output that is missing before `bytes`, and the modes behind it.
    pub(super) fn gap(&self) -> Option<(&Skimmer, &Modes)> {
        let (_, modes) = self.places.first()?;
        self.gap.as_ref().map(|gap| (gap, modes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_begins_where_the_modes_are_known() {
        let mut modes = Modes::new();
        let mut ring = Ring::new(&modes);
        let mut all = Vec::new();
        for n in 0..1_000 {
            // Modes change all the time, and chunks end anywhere.
            let chunk = format!("\x1b[?{}h{}\x1b[?100", 1000 + n % 7, "text\r\n".repeat(n * 7 % 400));
            modes.feed(chunk.as_bytes());
            ring.push(chunk.as_bytes(), &modes);
            all.extend_from_slice(chunk.as_bytes());
            if ring.bytes().len() > WHOLE {
                ring.drop_oldest();
                assert!((RING..=3 * RING).contains(&ring.bytes().len()));
                assert!(all.ends_with(ring.bytes()));
                let mut right = Modes::new();
                right.feed(&all[..all.len() - ring.bytes().len()]);
                let (_, begin) = ring.gap().expect("a gap");
                assert_eq!((begin.restore(), begin.pending()), (right.restore(), right.pending()));
            }
        }
        assert!(ring.gap().is_some());
    }
}
