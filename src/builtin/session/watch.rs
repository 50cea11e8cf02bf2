//! What the runbooks see on the terminal without being asked: one line now and then.
//!
//! Never a card, never a plan: the user asks, or does not. Each runbook speaks once in a session.

use super::super::runbook::plan::Asker;
use super::super::{plain, voice};
use super::Session;
use crate::linus::contract::{Context, Envelope, Level, Notification, Notifications};
use crate::text::last;

/// Updates come at most once a second: this many apart, notes are at least a minute apart.
const PAUSE: u32 = 60;
/// Notes in a session. Who did not answer these does not want more.
const MAX_NOTES: u32 = 8;
/// Of the terminal's text this much from its end is looked at.
const MAX_TEXT: usize = 16 * 1024;

/// How much was said unasked.
#[derive(Default)]
pub(super) struct Watch {
    updates: u32,
    next: u32,
    notes: u32,
    is_over: bool,
}

impl Watch {
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether another note may be made now.
    fn may_speak(&mut self) -> bool {
        self.updates = self.updates.saturating_add(1);
        !self.is_over && self.notes < MAX_NOTES && self.updates > self.next
    }

    fn spoke(&mut self) {
        self.notes += 1;
        self.next = self.updates + PAUSE;
    }
}

/// "Be quiet": no more notes in this session.
pub(super) fn is_enough(message: &str) -> bool {
    let message = message.trim().trim_end_matches(['.', '!']).to_lowercase();
    matches!(message.as_str(), "quiet" | "be quiet" | "stop watching" | "no notes" | "ruhe" | "sei still")
}

impl Session {
    /// A note on what an update's screen shows, if it is time for one. While a plan is at hand, that speaks.
    pub(crate) fn watch(&mut self, tail: &str, context: &Context) -> Envelope {
        if self.plan.is_some() || !self.watch.may_speak() {
            return Envelope::default();
        }
        let library = self.library.clone();
        let clean = plain::clean(last(tail, MAX_TEXT));
        let reading = library.read(&clean, None, context.cwd.as_deref());
        let asker = Asker { is_root: context.ssh_user == "root", is_piped: false };
        let Some(seen) = self.unasked(&reading, asker) else { return Envelope::default() };
        self.watch.spoke();
        let text = voice::note(&seen.finding, &seen.example);
        let notes = vec![Notification { text, level: Level::Warning }];
        Envelope { notifications: Some(Notifications { notes }), ..Envelope::default() }
    }
}
