//! The Linus outside of this process: the user's consent, and the built-in one in his place where there is none.

use super::Side;
use super::keeper::{Errand, Keeper, Kept};
use super::wake::Waker;
use crate::linus::lanes::{LaneEvent, Lanes};
use crate::linus::sharing::Consent;
use crate::peers::{Door, Recipient};
use crate::record::Event;
use crate::ssh::Facts;
use crate::ui::Question;
use std::io;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

/// Who is meant, and what he is told of.
pub(super) struct Outside {
    door: Door,
    recipient: Recipient,
    /// The host in the manner of known_hosts, when it is known.
    host: String,
    /// `user@host:port`.
    target: String,
    is_queue_open: bool,
    keeper: Keeper,
}

impl Outside {
    /// `None` where no Linus outside is meant.
    pub(super) fn of(door: &Door, keeper: impl FnOnce() -> io::Result<Keeper>) -> io::Result<Option<Self>> {
        let Some(recipient) = door.recipient() else { return Ok(None) };
        Ok(Some(Self {
            door: door.clone(),
            recipient,
            host: String::new(),
            target: String::new(),
            is_queue_open: false,
            keeper: keeper()?,
        }))
    }

    /// Linus's origin, and the host.
    pub(super) fn names(&self) -> (&str, &str) {
        (&self.recipient.origin, &self.host)
    }

    /// Hands an errand to the keeper; false if the disk has not kept up.
    pub(super) fn send(&self, errand: Errand) -> bool {
        self.keeper.send(errand)
    }

    /// Once in a session.
    pub(super) fn open_queue(&mut self, name: String) {
        if !std::mem::replace(&mut self.is_queue_open, true) {
            let (origin, target) = (self.recipient.origin.clone(), self.target.clone());
            self.send(Errand::OpenQueue { origin, target, name });
        }
    }

    pub(super) fn leave(self) {
        self.keeper.leave();
    }
}

/// Both lanes to the Linus behind this door.
pub(super) fn lanes_to(door: &Door, lane_tx: SyncSender<LaneEvent>, waker: &Waker) -> io::Result<Lanes> {
    let (wake, door) = (waker.clone(), door.clone());
    Lanes::start(move |_| door.peer(), lane_tx, move || wake.wake())
}

/// `host`, or `[host]:port` where the port is not ssh's.
fn host_key(host: &str, port: u16) -> String {
    if port == 22 { host.to_lowercase() } else { format!("[{}]:{port}", host.to_lowercase()) }
}

impl Side {
    /// Who and where, as ssh resolved it; else the command line's words are all there is.
    pub(super) fn on_facts(&mut self, facts: Option<Facts>, now: Instant) {
        let user = facts.as_ref().and_then(|facts| facts.user.clone());
        self.files.login_user = user.or_else(|| self.given.user.clone());
        if let Some(facts) = &facts {
            self.linus.set_target(facts.user.as_deref(), facts.hostname.as_deref());
            let target = self.linus.target().to_owned();
            self.linus.recorded.push(Event::Target { target });
        }
        let facts = facts.unwrap_or_default();
        let names = [&self.given.host, &facts.host, &facts.hostname];
        let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
        if !self.policy_is_given {
            self.policy.start_as(self.config.start_mode(&names));
        }
        self.offers = self.config.offers_integration(&names);
        self.agents.set_share(self.config.share(&names));
        self.agents.on_target(self.linus.target(), self.linus.user());
        self.watches = self.config.watch(&names);
        self.door.set_watch(self.watches);
        let health = self.config.health_of(&names);
        (self.watches_health, self.health.watcher.settings) = (health.watch, health.settings());
        let Some(outside) = &mut self.outside else { return };
        self.linus.sharing.set_updates(self.config.updates(&names));
        let host = facts.hostname.as_ref().or(self.given.hostname.as_ref()).map_or("", String::as_str);
        let port = facts.port.or(self.given.port).unwrap_or(22);
        outside.host = host_key(host, port);
        outside.target = format!("{}:{port}", self.linus.target());
        if outside.recipient.is_remote {
            let (origin, host) = (outside.recipient.origin.clone(), outside.host.clone());
            if !outside.keeper.send(Errand::LookUp { origin, host }) {
                self.linus.sharing.set_consent(Consent::Asked);
            }
        } else {
            self.linus.sharing.set_consent(Consent::Needless);
        }
        self.follow_sharing(now);
        self.open_queue();
    }

    /// The keeper has done something.
    pub(super) fn on_kept(&mut self, kept: Kept, now: Instant) {
        self.panel.dirty = true;
        match kept {
            Kept::Consent(Ok(Some(true))) => self.linus.sharing.set_consent(Consent::Given),
            Kept::Consent(Ok(Some(false))) => self.meet_the_built_in(now),
            Kept::Consent(Ok(None)) => self.linus.sharing.set_consent(Consent::Asked),
            Kept::Consent(Err(e)) => {
                self.copilot.chat.note(&format!("What you allowed before cannot be read: {e}"));
                self.linus.sharing.set_consent(Consent::Asked);
            }
            Kept::Letters(letters, complaints) => self.on_letters(letters, &complaints),
            Kept::Appended(result) => self.on_appended(result),
            Kept::Marked(ticket, result) => self.on_marked(ticket, result, now),
            Kept::Remembered(Ok(())) => {}
            Kept::Remembered(Err(e)) => {
                self.copilot
                    .chat
                    .note(&format!("Your answer holds for this session only, it is not kept: {e}"));
            }
        }
        self.follow_sharing(now);
        self.open_queue();
    }

    /// What the panel asks, while it does.
    pub(super) fn question(&self) -> Option<Question> {
        let outside = self.outside.as_ref().filter(|_| self.linus.sharing.consent() == Consent::Asked)?;
        Some(Question {
            to: outside.recipient.origin.clone(),
            target: self.linus.target().to_owned(),
            only_asked: self.linus.sharing.updates_are_off(),
        })
    }

    /// The user's answer.
    pub(super) fn consent(&mut self, yes: bool, now: Instant) {
        self.remember_consent(Some(yes));
        if yes {
            self.linus.sharing.set_consent(Consent::Given);
        } else {
            self.meet_the_built_in(now);
        }
        self.follow_sharing(now);
        self.open_queue();
    }

    /// The user takes a yes back, or wants to be asked again after a no.
    pub(super) fn toggle_consent(&mut self, now: Instant) {
        let Some(door) = self.outside.as_ref().map(|outside| outside.door.clone()) else { return };
        match self.linus.sharing.consent() {
            Consent::Given => {
                self.remember_consent(None);
                self.meet_the_built_in(now);
            }
            Consent::Refused => {
                // What was said to the built-in one is not for another, and a yes is more than one key.
                self.forget_waiting();
                self.linus.sharing.set_consent(Consent::Asked);
                self.meet(&door, now);
                self.panel.view.set_notice("Esc, then y or n, and Enter");
            }
            Consent::Unknown | Consent::Needless | Consent::Asked => return,
        }
        self.follow_sharing(now);
        self.open_queue();
    }

    fn remember_consent(&mut self, yes: Option<bool>) {
        let Some(outside) = &self.outside else { return };
        let (origin, host) = (outside.recipient.origin.clone(), outside.host.clone());
        if !outside.keeper.send(Errand::Remember { origin, host, yes }) {
            self.copilot.chat.note("Your answer holds for this session only: the disk does not keep up.");
        }
    }

    /// Nothing leaves: the Linus of this process answers.
    fn meet_the_built_in(&mut self, now: Instant) {
        // What waits was for the other one: on the disk it stays his.
        self.forget_waiting();
        self.linus.sharing.set_consent(Consent::Refused);
        let inside = Door::inside();
        inside.set_watch(self.watches);
        self.meet(&inside, now);
        self.copilot.chat.note("The built-in Linus answers. Nothing leaves this machine.");
    }

    /// Another Linus from now on. What is under way with the one before is taken back.
    fn meet(&mut self, door: &Door, now: Instant) {
        self.cancel(true, now);
        match lanes_to(door, self.lane_tx.clone(), &self.waker) {
            Ok(lanes) => self.linus.meet(lanes, door.recipient().map(|to| to.origin)),
            // Nothing that was said to the one may go to the other: without lanes there is nobody.
            Err(e) => {
                self.linus.sharing.set_consent(Consent::Asked);
                return self.panel.view.set_notice(&format!("No thread can be started: {e}"));
            }
        }
        let before = self.copilot.link.peer().to_owned();
        self.copilot.suggestions.disown(&before, now);
        self.copilot.link.meet(&door.name());
    }
}
