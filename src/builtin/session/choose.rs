//! Which of the runbooks a question, a screen or a pipe is about, and the plans that wait while another is at hand.

use super::super::runbook::compiled::Runbook;
use super::super::runbook::library::Reading;
use super::super::runbook::plan::{Asker, Plan};
use super::super::{plain, voice};
use super::{Session, Tell};
use crate::linus::contract::{ChatContext, Envelope};
use crate::shell::Dialect;
use std::sync::Arc;

/// Plans that wait. Who jumps between more subjects than this begins anew.
const MAX_SHELF: usize = 8;
/// Runbooks among which the user is asked to choose.
const MAX_CHOICES: usize = 4;

// What speaks for a runbook. A question for something special says more than everything on the screen, and that more
// than a question which is about services or the network in general.
const ASKED: u32 = 8;
const ASKED_GENERALLY: u32 = 4;
const SHOWN: u32 = 5;
const READABLE: u32 = 1;
const EXIT: u32 = 2;

/// A runbook that something speaks for, as a plan that has read what there is.
pub(super) struct Candidate {
    pub(super) plan: Plan,
    pub(super) is_asked: bool,
    /// The screen shows its subject, or what was piped in can be read by it, and there is something to say of it.
    pub(super) is_seen: bool,
    /// It has nothing to say and nothing to propose: an answer from it would be none.
    pub(super) is_mute: bool,
    score: u32,
}

/// What a runbook sees without being asked.
pub(super) struct Unasked {
    name: String,
    pub(super) finding: String,
    pub(super) example: String,
}

impl Session {
    /// Everything that a question or the text with it speaks for, the best first.
    pub(super) fn candidates(&self, message: &str, context: &ChatContext, asker: Asker) -> Vec<Candidate> {
        let clean = plain::clean(&context.terminal_tail);
        let reading = self.library.read(&clean, None, context.cwd.as_deref());
        let about = self.library.about(message);
        let mut found: Vec<Candidate> = Vec::new();
        for (runbook, is_asked) in self.library.all().iter().zip(about) {
            let can_read = !runbook.readers.is_empty() || self.library.can_read(runbook, &reading);
            let ended_so = context.last_exit_code.is_some_and(|code| runbook.exits.contains(&code));
            if !(is_asked || can_read || ended_so) {
                continue;
            }
            let candidate = self.candidate(runbook, is_asked, ended_so, message, &reading, asker);
            let fits = runbook.is_for(self.here) || asker.is_piped && candidate.is_seen;
            if fits && candidate.score > 0 {
                found.push(candidate);
            }
        }
        found.sort_by_key(|c| std::cmp::Reverse(c.score));
        found
    }

    fn candidate(
        &self,
        runbook: &Arc<Runbook>,
        is_asked: bool,
        ended_so: bool,
        message: &str,
        reading: &Reading<'_>,
        asker: Asker,
    ) -> Candidate {
        let mut plan = Plan::new(runbook, message, asker);
        plan.observe(&self.library, reading);
        plan.begin();
        let is_shown = plan.shows_on_screen();
        let is_readable = asker.is_piped && plan.shows_in_pipe();
        // What follows is worked out only where it decides.
        let says = is_shown || is_readable || is_asked && asker.is_piped;
        let outcome = says.then(|| plan.outcome());
        let has_findings = outcome.as_ref().is_some_and(|o| !o.findings.is_empty());
        let is_seen = (is_shown || is_readable) && has_findings;
        let is_mute = outcome.is_some_and(|o| !has_findings && o.cards.is_empty());
        let points = [
            (is_asked && !runbook.is_general, ASKED),
            (is_asked && runbook.is_general, ASKED_GENERALLY),
            (is_shown, SHOWN),
            (is_readable, READABLE),
            (ended_so, EXIT),
        ];
        let score = points.iter().filter(|(holds, _)| *holds).map(|(_, points)| points).sum();
        Candidate { plan, is_asked, is_seen, is_mute, score }
    }

    /// The answer to a question that is about at least one runbook.
    pub(super) fn choose(&mut self, mut asked: Vec<Candidate>) -> Envelope {
        let best = asked.first().map_or(0, |c| c.score);
        asked.retain(|c| c.score == best);
        let is_at_hand =
            |c: &Candidate| self.plan.as_ref().is_some_and(|p| p.runbook.name == c.plan.runbook.name);
        let chosen = asked.iter().position(is_at_hand).or((asked.len() == 1).then_some(0));
        match chosen {
            Some(at) => {
                let plan = asked.swap_remove(at).plan;
                self.turn_to(plan);
                self.answer(Vec::new(), Tell::All)
            }
            None => {
                self.choices = asked.into_iter().take(MAX_CHOICES).map(|c| c.plan).collect();
                let runbooks: Vec<&Runbook> = self.choices.iter().map(|p| &*p.runbook).collect();
                let mut parts = vec![voice::which(&runbooks)];
                self.sign(&mut parts);
                self.only_says(&parts)
            }
        }
    }

    /// The choice that a number names, after the user was asked.
    pub(super) fn chosen(&mut self, message: &str) -> Option<Plan> {
        let number: usize = message.trim().trim_end_matches(['.', ')']).parse().ok()?;
        let at = number.checked_sub(1).filter(|at| *at < self.choices.len())?;
        Some(std::mem::take(&mut self.choices).swap_remove(at))
    }

    /// Makes a plan the one at hand. Where there is one already that is about the same, that one goes on.
    pub(super) fn turn_to(&mut self, fresh: Plan) {
        self.choices.clear();
        match &mut self.plan {
            Some(plan) if plan.is_about_the_same(&fresh) => {
                plan.take_screen_of(fresh);
                return;
            }
            _ => {}
        }
        let old = self.shelf.iter().position(|p| p.is_about_the_same(&fresh)).map(|at| self.shelf.remove(at));
        let plan = match old {
            Some(mut old) => {
                old.take_screen_of(fresh);
                old
            }
            None => fresh,
        };
        self.begin(plan);
    }

    /// Puts the plan at hand on the shelf when it is not for this CLI, and takes down the last that is.
    pub(super) fn settle(&mut self) {
        if self.plan.as_ref().is_none_or(|p| p.runbook.is_for(self.here)) {
            return;
        }
        if let Some(at) = self.shelf.iter().rposition(|p| p.runbook.is_for(self.here)) {
            let plan = self.shelf.remove(at);
            self.begin(plan);
        }
    }

    pub(super) fn begin(&mut self, mut plan: Plan) {
        let here = self.plan.iter().chain(&self.shelf);
        self.has_no_systemd |= here.chain([&plan]).any(Plan::has_no_systemd);
        if self.has_no_systemd {
            plan.say_no_systemd();
        }
        if let Some(old) = self.plan.replace(plan) {
            self.shelf.push(old);
            if self.shelf.len() > MAX_SHELF {
                self.shelf.remove(0);
            }
        }
        self.said.clear();
        self.intent = None;
        self.waiting = None;
    }

    /// What another runbook recognises in a command's output, as a sentence.
    pub(super) fn also(&mut self, reading: &Reading<'_>, asker: Asker) -> Option<String> {
        self.unasked(reading, asker).map(|seen| voice::also(&seen.finding, &seen.example))
    }

    /// What a runbook that is not at hand recognises, once for each of them.
    pub(super) fn unasked(&mut self, reading: &Reading<'_>, asker: Asker) -> Option<Unasked> {
        let library = self.library.clone();
        let mut others = library.all().iter().filter(|r| {
            r.is_for(self.here)
                && r.screen.is_some()
                && self.plan.as_ref().is_none_or(|p| p.runbook.name != r.name)
                && !self.mentioned.contains(&r.name)
                && (!r.readers.is_empty() || library.can_read(r, reading))
        });
        let seen = others.find_map(|runbook| {
            let candidate = self.candidate(runbook, false, false, "", reading, asker);
            let is_shown = candidate.is_seen && candidate.plan.shows_on_screen();
            let finding = is_shown.then(|| candidate.plan.outcome().findings.into_iter().next())??;
            let (name, example) = (runbook.name.clone(), runbook.example.clone());
            Some(Unasked { name, finding, example })
        })?;
        self.mentioned.insert(seen.name.clone());
        Some(seen)
    }

    /// A CLI that the plan's commands are not for.
    pub(super) fn foreign(&self) -> Option<&'static str> {
        let is_foreign = self.here.is_device() || self.here == Dialect::PowerShell;
        self.here.name().filter(|_| is_foreign)
    }
}
