//! What redaction may cost: bytes looked at and anchors met are counted, and no clock is asked, so the same text always
//! gives the same answer, on any machine.
//!
//! A step is about a nanosecond of a release build. Whoever looks at bytes says how many, also where nothing comes of
//! it: each look is bounded, and between two of them it is asked whether there are steps left.

use std::cell::Cell;

/// Steps that are left; the views of a text share them.
#[derive(Debug)]
pub(super) struct Budget(Cell<usize>);

/// There are no steps left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

impl Budget {
    pub(super) fn new(steps: usize) -> Self {
        Self(Cell::new(steps))
    }

    pub(super) fn spend(&self, steps: usize) {
        self.0.set(self.0.get().saturating_sub(steps));
    }

    pub(super) fn check(&self) -> Result<(), Exhausted> {
        if self.0.get() == 0 { Err(Exhausted) } else { Ok(()) }
    }
}

/// For what is not of a text that leaves.
impl Default for Budget {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}
