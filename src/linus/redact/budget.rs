//! What redaction may cost: bytes looked at and anchors met are counted, and no clock is asked, so the same text always
//! gives the same answer, on any machine.

/// Steps that are left.
#[derive(Debug)]
pub(super) struct Budget(usize);

/// There are no steps left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

impl Budget {
    pub(super) fn new(steps: usize) -> Self {
        Self(steps)
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(steps).ok_or(Exhausted)?;
        Ok(())
    }
}
