//! What follows from a plan's facts: the checklist, the findings, the cards.

use super::super::facts::{Row, Value};
use super::super::{plain, size, systemd};
use super::compiled::{Remedy, Step};
use super::eval::Scope;
use super::plan::{NO_SYSTEMD, Plan};
use crate::linus::contract::{self, IntentUpdate, Risk, StepStatus};
use std::sync::Arc;

/// Most cards at a time: more do not fit a panel, and nobody reads them.
const MAX_CARDS: usize = 10;

/// A card before it has an id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) command: String,
    pub(crate) text: String,
    pub(crate) risk: Risk,
    pub(crate) remedy: Option<String>,
    pub(crate) empty: Option<String>,
}

/// What follows from everything seen so far.
pub(crate) struct Outcome {
    pub(crate) intent: IntentUpdate,
    pub(crate) cards: Vec<Proposal>,
    pub(crate) findings: Vec<String>,
    pub(crate) is_closed: bool,
}

impl Plan {
    pub(crate) fn outcome(&self) -> Outcome {
        let scope = self.scope(None);
        let steps: Vec<(&Step, bool)> = self
            .runbook
            .steps
            .iter()
            .filter(|s| s.when.as_ref().is_none_or(|w| w.holds(scope)) && self.can_look(s))
            .map(|s| (s, s.done.holds(scope)))
            .collect();
        let is_closed = match &self.runbook.close {
            Some(close) => close.holds(scope),
            None => steps.iter().all(|(_, done)| *done),
        };
        // What was not needed in the end is not ticked: it was not done.
        let steps: Vec<_> = steps.into_iter().filter(|(_, done)| *done || !is_closed).collect();
        // After a change its effect is what matters next, whatever else was still to be measured.
        let effect = steps.iter().position(|(s, done)| !done && s.remedies).filter(|_| self.is_look_due);
        let current = effect.or_else(|| steps.iter().position(|(_, done)| !done));
        let text = |s: &Step| s.text.text(scope).unwrap_or_default();
        Outcome {
            intent: IntentUpdate {
                summary: match self.runbook.summary.text(scope).unwrap_or_default() {
                    summary if is_closed => finished(&summary),
                    summary => summary,
                },
                confidence: Some(self.confidence(&steps)),
                steps: steps
                    .iter()
                    .enumerate()
                    .map(|(i, (step, done))| contract::Step {
                        status: match current {
                            _ if *done => StepStatus::Done,
                            Some(at) if at == i => StepStatus::Current,
                            _ => StepStatus::Pending,
                        },
                        text: text(step),
                        check: None,
                    })
                    .collect(),
            },
            cards: self.cards(&steps, current),
            findings: self.findings(),
            is_closed,
        }
    }

    /// The runbook's own, else the share of the steps that are done, between "began" and "nearly there".
    fn confidence(&self, steps: &[(&Step, bool)]) -> f64 {
        let own = self.runbook.confidence.as_ref().and_then(|c| c.eval(self.scope(None)).number());
        let done = steps.iter().filter(|(_, done)| *done).count();
        own.unwrap_or(0.4 + 0.5 * done as f64 / steps.len().max(1) as f64).clamp(0.0, 1.0)
    }

    fn findings(&self) -> Vec<String> {
        let scope = self.scope(None);
        let findings = self.runbook.findings.iter().filter(|f| f.when.holds(scope));
        findings
            .filter_map(|f| {
                let text = f.text.text(scope)?;
                match f.cite.as_ref().map(|c| c.eval(scope)) {
                    Some(Value::Row(row)) => Some(format!("{text}\n    {}", plain::quoted_row(&row.line))),
                    _ => Some(text),
                }
            })
            .collect()
    }

    fn cards(&self, steps: &[(&Step, bool)], current: Option<usize>) -> Vec<Proposal> {
        let mut cards: Vec<Proposal> = Vec::new();
        // The current step's cards come first, the early ones after them.
        let others = (0..steps.len()).filter(|i| Some(*i) != current);
        for i in current.into_iter().chain(others) {
            let Some((step, done)) = steps.get(i) else { continue };
            let is_current = Some(i) == current;
            let is_early = step.early.as_ref().is_some_and(|e| e.holds(self.scope(None)));
            if *done || !(is_current || is_early) {
                continue;
            }
            let own = if is_current || !step.remedies || self.is_look_due {
                self.step_cards(step)
            } else {
                Vec::new()
            };
            let remedies = if step.remedies { self.remedies() } else { Vec::new() };
            // After a remedy the look at its effect comes first.
            let order = if self.is_look_due { [own, remedies] } else { [remedies, own] };
            for card in order.into_iter().flatten() {
                if cards.iter().all(|c| c.command != card.command) {
                    cards.push(card);
                }
            }
        }
        cards.truncate(MAX_CARDS);
        cards
    }

    fn step_cards(&self, step: &Step) -> Vec<Proposal> {
        let scope = self.scope(None);
        let cards = step.cards.iter().filter(|c| c.when.as_ref().is_none_or(|w| w.holds(scope)));
        cards
            .filter_map(|c| {
                Some(Proposal {
                    command: self.runnable(c.command.command(scope, self.runbook.syntax())?)?,
                    text: c.text.text(scope)?,
                    risk: c.risk,
                    remedy: None,
                    empty: c.empty.clone(),
                })
            })
            .collect()
    }

    /// Remedies for what was found, the safest first, among equals the one that frees most.
    fn remedies(&self) -> Vec<Proposal> {
        let mut found: Vec<(f64, Proposal)> = Vec::new();
        for remedy in &self.runbook.remedies {
            match &remedy.each {
                None => found.extend(self.remedy(remedy, None)),
                Some(table) => found.extend(self.remedies_of(remedy, table)),
            }
        }
        found.sort_by(|(gain_a, a), (gain_b, b)| a.risk.cmp(&b.risk).then(gain_b.total_cmp(gain_a)));
        found.into_iter().map(|(_, proposal)| proposal).collect()
    }

    fn remedies_of(&self, remedy: &Remedy, table: &str) -> Vec<(f64, Proposal)> {
        let by = |row| remedy.by.as_ref().and_then(|b| b.eval(self.scope(Some(row))).number()).unwrap_or(0.0);
        let Some(table) = self.facts.table(table) else { return Vec::new() };
        let mut rows: Vec<_> = table.rows().filter(|row| remedy.when.holds(self.scope(Some(row)))).collect();
        rows.sort_by(|a, b| by(b).total_cmp(&by(a)));
        rows.into_iter().take(remedy.limit).filter_map(|row| self.remedy(remedy, Some(row))).collect()
    }

    fn remedy(&self, remedy: &Remedy, row: Option<&Arc<Row>>) -> Option<(f64, Proposal)> {
        let scope = self.scope(row);
        if !remedy.when.holds(scope) {
            return None;
        }
        let command = self.runnable(remedy.command.command(scope, self.runbook.syntax())?)?;
        let key = format!("{}\n{command}", remedy.id);
        if self.tried.contains(&key) {
            return None;
        }
        let gain = remedy.gain.as_ref().and_then(|g| g.eval(scope).number()).unwrap_or(0.0);
        let text = self.describe(remedy, gain, scope)?;
        Some((gain, Proposal { command, text, risk: remedy.risk, remedy: Some(key), empty: None }))
    }
    /// Why, how much, the way back, and how to see the effect.
    fn describe(&self, remedy: &Remedy, gain: f64, scope: Scope<'_>) -> Option<String> {
        let mut text = remedy.text.text(scope)?;
        if gain > 0.0 {
            text.push_str(&format!(" Frees about {}.", size::human(gain)));
        }
        if let Some(undo) = &remedy.undo {
            text.push_str(&format!(" Undo: {undo}."));
        }
        let verify = remedy.verify.as_ref().and_then(|v| v.command(scope, self.runbook.syntax()));
        if let Some(verify) = verify.and_then(|v| self.runnable(v)) {
            text.push_str(&format!(" Then check: {verify}"));
        }
        Some(text)
    }

    /// The command in the words of this host, where it can be run at all.
    fn runnable(&self, command: String) -> Option<String> {
        match self.facts.has_flag(NO_SYSTEMD) {
            true => systemd::without(&command),
            false => Some(command),
        }
    }

    /// A step that only systemd can show is no part of a plan for a host without it.
    fn can_look(&self, step: &Step) -> bool {
        let scope = self.scope(None);
        let commands = || step.cards.iter().filter_map(|c| c.command.command(scope, self.runbook.syntax()));
        !self.facts.has_flag(NO_SYSTEMD)
            || step.remedies
            || step.done.holds(scope)
            || commands().next().is_none()
            || commands().any(|c| systemd::without(&c).is_some())
    }
}

/// The heading of a checklist that is done: "Finding" would say that it goes on.
fn finished(summary: &str) -> String {
    const VERBS: [(&str, &str); 4] =
        [("Finding ", "Found "), ("Looking ", "Looked "), ("Reading ", "Read "), ("Freeing ", "Freed ")];
    let past = VERBS.iter().find_map(|(now, past)| Some(format!("{past}{}", summary.strip_prefix(now)?)));
    past.unwrap_or_else(|| format!("Done: {summary}"))
}
