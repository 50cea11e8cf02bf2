//! A call to Linus from the main loop's side: composed from a snapshot, handed to a lane, taken back.

use super::super::watch::Snapshot;
use super::super::{Side, record};
use super::{HEALTH, PAUSE_END, PREVIEW, Preview, Ran};
use crate::copilot::{Delivery, Place};
use crate::linus::CallError;
use crate::linus::contract::{Request, SessionEvent};
use crate::linus::dispatch::{Due, Effect, Gate, Lane, Ticket};
use crate::linus::lanes::Work;
use crate::linus::redact::Unredactable;
use crate::linus::sharing::{Consent, Toggled};
use std::time::{Duration, Instant};

impl Side {
    /// The observer is here, or lost: what waits for a snapshot gets one.
    pub(in crate::session) fn take_snapshots(&mut self, now: Instant) {
        let health = self.health.is_looking().then_some(HEALTH);
        let waiting: Vec<Ticket> = self.linus.awaiting.keys().copied().chain(health).collect();
        for ticket in waiting {
            self.ask_snapshot(ticket, now);
        }
        if self.linus.sharing.is_resuming() {
            self.ask_snapshot(PAUSE_END, now);
        }
        self.take_elsewhere(now);
    }

    fn ask_snapshot(&mut self, ticket: Ticket, now: Instant) {
        if let Some(snapshot) = self.watch.snapshot(ticket, self.linus.since, now) {
            self.on_snapshot(ticket, snapshot, now);
        }
    }

    /// The message that would go now, as it would go; nothing is sent.
    pub(in crate::session) fn preview(&mut self, preview: Preview, now: Instant) -> Option<Request> {
        let snapshot = self.watch.snapshot(PREVIEW, self.linus.since, now)?;
        let due = match preview {
            Preview::Chat(message) => Due::Chat { id: 0, message },
            Preview::Update => Due::TerminalUpdate,
        };
        let (under_way, alerts) = (self.linus.next_line.take(), self.linus.alerts.clone());
        let request = self.linus.compose(PREVIEW, due, snapshot);
        (self.linus.next_line, self.linus.alerts) = (under_way, alerts);
        let mut request = request?;
        self.linus.mask(&mut request);
        self.linus.redactor.redact_request(&mut request).ok().map(|_| request)
    }

    /// The pause key.
    pub(in crate::session) fn toggle_pause(&mut self, now: Instant) {
        let prefix = &self.prefix;
        let said = match self.linus.sharing.toggle() {
            Toggled::Paused => {
                format!("Paused: Linus is told nothing but what you ask him. {prefix} p goes on.")
            }
            Toggled::Resumed => "Linus is told again. What happened in the pause is not sent.".to_owned(),
            Toggled::Allowed => format!("Linus is told what happens in this session. {prefix} p pauses."),
            Toggled::Off => "The configuration turns updates off for this host: nothing to pause.".to_owned(),
        };
        self.copilot.chat.note(&said);
        self.panel.dirty = true;
        if self.linus.sharing.is_resuming() {
            self.ask_snapshot(PAUSE_END, now);
        }
        self.follow_sharing(now);
    }

    /// Lets through what may leave now, and takes back what may not.
    pub(in crate::session) fn follow_sharing(&mut self, now: Instant) {
        let gate = self.linus.sharing.gate();
        // A command that runs now has output that is not told, also if it ends later.
        self.linus.is_untold |= gate != Gate::Open;
        if self.linus.dispatch.set_gate(gate).is_some() {
            self.take_back(Lane::Background, now);
        }
    }

    /// Cancels the chat under way, and with `all` everything else as well.
    pub(in crate::session) fn cancel(&mut self, all: bool, now: Instant) {
        self.take_back(Lane::Chat, now);
        if all {
            self.take_back(Lane::Background, now);
        }
    }

    /// Cancels what is under way on a lane, also what waits for its snapshot.
    fn take_back(&mut self, lane: Lane, now: Instant) {
        self.linus.lanes.cancel(lane);
        let is_its = |(of, _): &(Lane, _)| *of == lane;
        let awaiting = &self.linus.awaiting;
        let tickets: Vec<Ticket> = awaiting.iter().filter(|(_, it)| is_its(it)).map(|(t, _)| *t).collect();
        let unmarked = if lane == Lane::Chat { self.unmarked() } else { Vec::new() };
        for ticket in tickets.into_iter().chain(unmarked) {
            self.linus.awaiting.remove(&ticket);
            self.on_reply(ticket, Err(CallError::Cancelled), Duration::ZERO, now);
        }
    }

    /// The user wrote to Linus. While he is offline that is also a reason to look for him now.
    pub(in crate::session) fn chat(&mut self, message: &str, now: Instant) {
        match self.linus.dispatch.chat(message.to_owned()) {
            Ok(id) => {
                self.policy.asked(now);
                let entry = self.copilot.ask(message);
                self.said(id, entry, now);
            }
            Err(refused) => self.panel.view.set_notice(refused.as_str()),
        }
        self.keep_waiting();
        if self.linus.sharing.consent() == Consent::Asked {
            self.panel.view.set_notice("It waits for your answer: y or n, and Enter.");
        }
    }

    /// A message was taken, and has this place in the chat.
    pub(in crate::session) fn said(&mut self, id: u64, entry: u64, now: Instant) {
        self.linus.entries.insert(id, entry);
        let is_offline = self.copilot.link.is_offline();
        let delivery = if is_offline { Delivery::Queued } else { Delivery::Sending };
        self.copilot.chat.set_delivery(entry, delivery);
        if is_offline {
            self.linus.dispatch.retry(now);
        }
    }

    /// Sends what is due.
    pub(in crate::session) fn dispatch(&mut self, now: Instant) {
        for effect in self.linus.dispatch.due(now) {
            match effect {
                Effect::CancelBackground => self.take_back(Lane::Background, now),
                Effect::Send { lane, ticket, due: Due::Probe } => {
                    self.hand_over(lane, ticket, Work::Probe, now)
                }
                Effect::Send { lane, ticket, due } => {
                    let call = (lane, due);
                    if !self.marks_first(ticket, &call) {
                        self.go_on(ticket, call, now);
                    }
                }
            }
        }
    }

    /// A call needs the session as it is now.
    pub(in crate::session) fn go_on(
        &mut self,
        ticket: Ticket,
        call: (Lane, Due<Ran, SessionEvent>),
        now: Instant,
    ) {
        if let Due::Chat { id, .. } = &call.1
            && let Some(entry) = self.linus.entry(*id)
        {
            self.copilot.chat.set_delivery(entry, Delivery::Sending);
        }
        self.linus.awaiting.insert(ticket, call);
        self.ask_snapshot(ticket, now);
    }

    pub(in crate::session) fn on_snapshot(&mut self, ticket: Ticket, snapshot: Snapshot, now: Instant) {
        if self.is_for_elsewhere(ticket) {
            return self.tell_elsewhere(ticket, snapshot);
        }
        if ticket == HEALTH {
            return self.on_health_place(&snapshot, now);
        }
        if ticket == PAUSE_END && self.linus.sharing.is_resuming() {
            (self.linus.since.new, self.linus.since.pause) = (snapshot.line, snapshot.line);
            self.linus.sharing.resumed();
            return self.follow_sharing(now);
        }
        let Some((lane, due)) = self.linus.awaiting.remove(&ticket) else { return };
        self.linus.places.insert(ticket, Place::new(&snapshot.facts, snapshot.state));
        if let Some(mut request) = self.linus.compose(ticket, due, snapshot) {
            self.linus.mask(&mut request);
            match self.linus.redactor.redact_request(&mut request) {
                Ok(_) => {
                    if let Some(to) = &self.linus.recipient {
                        self.linus.recorded.push(record::payload(&request, to));
                    }
                    self.hand_over(lane, ticket, Work::Call(request), now);
                }
                Err(why) => self.withhold(lane, ticket, &why, now),
            }
        }
    }

    /// Nothing leaves of which the secrets could not be taken out. Of updates that is said once: there is one a second.
    fn withhold(&mut self, lane: Lane, ticket: Ticket, why: &Unredactable, now: Instant) {
        let is_told = lane == Lane::Background && std::mem::replace(&mut self.linus.is_withheld_told, true);
        if !is_told {
            self.copilot.chat.note(&format!("Not sent to Linus: {why}."));
        }
        self.on_reply(ticket, Err(CallError::Withheld(why.to_string())), Duration::ZERO, now);
    }

    fn hand_over(&mut self, lane: Lane, ticket: Ticket, work: Work, now: Instant) {
        if !self.linus.lanes.send(lane, ticket, work) {
            let full = CallError::unreachable("the calls before it have not ended");
            self.on_reply(ticket, Err(full), Duration::ZERO, now);
        }
    }
}
