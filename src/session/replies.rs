//! What comes of a call to Linus: his answer is applied, the message's fate told, and whether he can be reached shown.

use super::Side;
use crate::copilot::Delivery;
use crate::copilot::policy::Stop;
use crate::linus::dispatch::{Fate, Lane, Link, Ticket};
use crate::linus::lanes::LaneEvent;
use crate::linus::{CallError, Delivery as Arrival};
use std::time::{Duration, Instant};

impl Side {
    pub(super) fn on_lane(&mut self, event: LaneEvent, now: Instant) {
        match event {
            LaneEvent::Progress { text, .. } => self.copilot.chat.set_writing(&text),
            LaneEvent::Reply { ticket, lane, result, took } => {
                if lane == Lane::Chat {
                    self.copilot.chat.stop_writing();
                }
                self.on_reply(ticket, *result, took, now);
            }
        }
    }

    pub(super) fn on_reply(
        &mut self,
        ticket: Ticket,
        result: Result<crate::linus::Answer, CallError>,
        took: Duration,
        now: Instant,
    ) {
        self.linus.note_update(ticket, result.as_ref().err());
        let place = self.linus.places.remove(&ticket);
        let jitter = self.linus.jitter(now);
        let outcome = result.as_ref().map(|_| ());
        let asked = self.linus.dispatch.chat_in_flight().map(|(_, text)| text.to_owned());
        if let Some((id, fate)) = self.linus.dispatch.reply(ticket, outcome, took, now, jitter) {
            self.settle(id, fate, asked);
        }
        self.show_link();
        self.keep_waiting();
        match result {
            Ok(answer) => {
                self.linus.denied = None;
                self.linus.takes = answer.takes;
                for complaint in &answer.complaints {
                    self.copilot.chat.note(&format!("left out of Linus's answer: {complaint}"));
                }
                match place {
                    Some(place) => self.copilot.apply_for(answer.envelope, &place, now),
                    None => self.copilot.apply(answer.envelope, now),
                }
            }
            // The status line has no room for a command to run; said once, however often it is tried again.
            Err(CallError::Auth(why)) => {
                if self.linus.denied.as_ref() != Some(&why) {
                    self.copilot.chat.note(&format!("Linus: {why}"));
                    self.linus.denied = Some(why);
                }
            }
            // Offline is said by the panel's own lines; a single failed call by a note.
            Err(CallError::Cancelled | CallError::Withheld(_)) => {}
            Err(error) if error.delivery() != Arrival::Not => {
                self.copilot.chat.note(&format!("Linus: {error}"));
            }
            Err(_) => {}
        }
        self.panel.dirty = true;
    }

    /// What became of a chat message of this text.
    pub(super) fn settle(&mut self, id: u64, fate: Fate, text: Option<String>) {
        self.settle_on_disk(id, fate, text);
        let delivery = match fate {
            // What went wrong with a failed one is said by a note.
            Fate::Answered | Fate::Failed => Delivery::Delivered,
            Fate::Queued => Delivery::Queued,
            Fate::PerhapsDelivered => Delivery::Perhaps,
            Fate::Cancelled => Delivery::Cancelled,
        };
        if let Some(entry) = self.linus.entry(id) {
            self.copilot.chat.set_delivery(entry, delivery);
        }
        if fate != Fate::Queued {
            self.linus.entries.remove(&id);
        }
    }

    /// There is no audit any more, and it is said once.
    pub(super) fn on_audit_lost(&mut self, why: &str) {
        self.policy.stop(Stop::Audit(why.to_owned()));
        self.copilot.chat.note(&format!("The audit log is lost, nothing more is recorded in it: {why}"));
        self.panel.dirty = true;
    }

    fn show_link(&mut self) {
        match self.linus.dispatch.link() {
            Link::Connecting => {}
            Link::Online { latency } => self.copilot.link.online(*latency),
            Link::Offline { why, .. } => {
                self.copilot.link.offline(why);
                // Said a moment before that was known.
                for (id, _) in self.linus.dispatch.waiting_chats() {
                    if let Some(entry) = self.linus.entry(id) {
                        self.copilot.chat.set_delivery(entry, Delivery::Queued);
                    }
                }
            }
        }
    }
}
