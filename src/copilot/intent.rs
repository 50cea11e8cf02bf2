//! The Intent: Linus's living checklist, replaced whole by each update.

use super::card::short;
use crate::linus::contract::{IntentUpdate, Step, StepStatus};

/// More steps than a plan that a person follows; the rest is cut.
const STEPS_LIMIT: usize = 50;

/// Bytes of a summary or a step: a few lines of the panel.
const TEXT_LIMIT: usize = 500;

#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    pub summary: String,
    /// 0 to 1; `None` where Linus gave none or no number.
    pub confidence: Option<f64>,
    pub steps: Vec<Step>,
}

impl Intent {
    pub(super) fn from_wire(update: IntentUpdate) -> Self {
        let steps = update.steps.into_iter().take(STEPS_LIMIT);
        Self {
            summary: short(&update.summary, TEXT_LIMIT),
            confidence: update.confidence.filter(|c| c.is_finite()).map(|c| c.clamp(0.0, 1.0)),
            steps: steps.map(harmless).collect(),
        }
    }

    /// Steps done, and all of them.
    pub fn progress(&self) -> (usize, usize) {
        (self.steps.iter().filter(|s| s.status == StepStatus::Done).count(), self.steps.len())
    }
}

fn harmless(step: Step) -> Step {
    let check = step.check.map(|c| short(&c, TEXT_LIMIT)).filter(|c| !c.is_empty());
    Step { status: step.status, text: short(&step.text, TEXT_LIMIT), check }
}
