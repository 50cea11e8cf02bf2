mod differential;
mod echo;
mod random;
mod screen;

use super::{Emulator, SNIP, Signal};
use crate::terminal::Size;

fn emulator(cols: u16, rows: u16) -> Emulator {
    Emulator::new(Size::new(cols, rows))
}

fn fed(cols: u16, rows: u16, bytes: impl AsRef<[u8]>) -> Emulator {
    let mut emulator = emulator(cols, rows);
    emulator.feed(bytes.as_ref());
    emulator
}

fn rows(emulator: &Emulator) -> Vec<String> {
    let cols = emulator.size().cols;
    emulator.screen().rows(0, cols).map(|row| row.trim_end().to_owned()).collect()
}

/// The same stream for the same seed, on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        // Knuth's MMIX generator; the high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
