//! Cards that come with others: the undo and the check that Linus gave with a command, and the connectivity guard's
//! timers. They are judged as all cards are, and none is sent without the user's key.
//!
//! Undo and check are offered when their command was typed into the session. A timer is offered as long as a card that
//! may cut the session is open; what cancels it, when it was set and the session has answered after the change. All of
//! them outlive Linus's clearing: he is told of a command's end and may clear then.

use std::time::Instant;

use super::super::card::{Card, CardState, ID_LIMIT, Kind};
use super::super::connectivity::{Asked, Cancel, Known, Order, guard};
use super::Suggestions;
use crate::linus::contract::{Risk, Suggestion};

/// Ids of aissh's own cards begin so; no card of Linus's has one.
pub(super) const OWN: &str = "aissh:";

/// Commands whose undo is kept at hand, the latest.
const UNDO_LIMIT: usize = 3;

/// Timers that were set and not settled, the latest.
const SET_LIMIT: usize = 8;

/// A timer that was sent.
#[derive(Debug, Clone)]
pub(super) struct Set {
    of: String,
    cancel: String,
    /// The command to be guarded has been seen to end since.
    answered: bool,
}

/// The guard's memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Timers {
    known: Known,
    tag: String,
    /// Timers that were offered so far: each has a name of its own on the remote.
    offered: Vec<(String, usize)>,
    set: Vec<Set>,
}

impl Suggestions {
    /// What tells this session's timers from others on the same machine.
    pub fn set_tag(&mut self, tag: &str) {
        tag.clone_into(&mut self.timers.tag);
    }

    /// The card was typed into the session, and no hindrance brought it back.
    pub fn sent(&mut self, id: &str, now: Instant) {
        let before = self.numbers();
        let Some(card) = self.get(id).cloned() else { return };
        if card.kind == Kind::Suggested {
            self.drop_old_companions();
            let follow_ups = [
                (Kind::Undo, "undo", card.undo.as_ref(), "Takes back"),
                (Kind::Verify, "verify", card.verify.as_ref(), "Shows the effect of"),
            ];
            for (kind, word, command, does) in follow_ups {
                let Some(command) = command else { continue };
                let description = format!("{does} {}", card.id);
                self.offer(&format!("{}/{word}", card.id), command, &description, kind, None);
            }
        }
        self.note_moves(&before, now);
        self.follow_timers(now);
    }

    /// A command ended: what it says of the remote's means. Of a sent timer, also whether it is set.
    pub fn learn(&mut self, id: Option<&str>, command: &str, output: &str, exit: Option<i32>, now: Instant) {
        self.timers.known.learn(command, output, exit);
        let timer = id.and_then(|id| self.get(id)).filter(|card| matches!(card.kind, Kind::Timer { .. }));
        if let Some(card) = timer.cloned() {
            self.note_set(&card, output, exit);
        }
        self.follow_timers(now);
    }

    /// A timer's own command ended: it is set, or it is offered again, perhaps by another means.
    fn note_set(&mut self, card: &Card, output: &str, exit: Option<i32>) {
        let Kind::Timer { of, order, cancel, proof } = &card.kind else { return };
        if exit.map_or_else(|| !proof.is_in(output), |code| code != 0) {
            return self.retain(|old| old.id != card.id);
        }
        let cancel = match cancel {
            Cancel::Command(command) => command.clone(),
            Cancel::AtJob { sudo } => {
                let Some(job) = job(output) else { return };
                format!("{}atrm {job}", if *sudo { "sudo " } else { "" })
            }
        };
        if self.timers.set.len() == SET_LIMIT {
            self.timers.set.remove(0);
        }
        self.timers.set.push(Set { of: of.clone(), cancel, answered: *order != Order::Before });
    }

    /// The number of the card that times this one's undo, or that it is set.
    pub fn timer_of(&self, id: &str) -> Option<Timing> {
        if self.timers.set.iter().any(|set| set.of == id) {
            return Some(Timing::Set);
        }
        let (number, card) = self.numbered().find(|(_, card)| card.times(id))?;
        let Kind::Timer { order, .. } = card.kind else { return None };
        Some(Timing::Offered { number, order })
    }

    /// Brings the timers' cards up to date with the others.
    pub(super) fn follow_timers(&mut self, now: Instant) {
        let before = self.numbers();
        let wanted: Vec<Card> = self.all().iter().filter(|card| card.wants_a_timer()).cloned().collect();
        let editing = self.editing().map(|card| card.id.clone());
        self.retain(|card| match &card.kind {
            Kind::Timer { of, .. } => {
                card.state != CardState::Proposed
                    || editing.as_ref() == Some(&card.id)
                    || wanted.iter().any(|principal| principal.id == *of)
            }
            _ => true,
        });
        for card in &wanted {
            self.offer_timers(card);
        }
        self.offer_cancels();
        self.note_moves(&before, now);
    }

    fn offer_timers(&mut self, card: &Card) {
        let is_set = self.timers.set.iter().any(|set| set.of == card.id);
        let is_sent = self.all().iter().any(|c| c.times(&card.id) && is_on_its_way(c));
        let tag = self.tag_for(&card.id);
        let asked = Asked {
            command: card.text(),
            undo: card.undo.as_deref(),
            dialect: self.place().dialect,
            known: self.timers.known,
            tag: &tag,
        };
        let guard = guard(asked).filter(|_| !is_set && !is_sent).unwrap_or_default();
        self.set_note(&card.id, guard.note);
        let ids: Vec<String> = (1..=guard.timers.len()).map(|n| format!("{OWN}{tag}-{n}")).collect();
        let editing = self.editing().map(|card| card.id.clone());
        self.retain(|old| {
            let is_free = old.state == CardState::Proposed && editing.as_ref() != Some(&old.id);
            !(old.times(&card.id) && is_free && !ids.contains(&old.id))
        });
        for (timer, id) in guard.timers.into_iter().zip(ids) {
            let kind = Kind::Timer {
                of: card.id.clone(),
                order: timer.order,
                cancel: timer.cancel,
                proof: timer.proof,
            };
            let holes = timer.placeholders;
            self.offer(&id, &timer.command, &timer.description, kind, Some(&card.id));
            self.set_holes(&id, holes);
        }
    }

    /// The tag of this card's timers. It stays the same while the card does.
    fn tag_for(&mut self, id: &str) -> String {
        let timers = &mut self.timers;
        let known = timers.offered.iter().find(|(of, _)| of == id).map(|(_, n)| *n);
        let number = known.unwrap_or_else(|| {
            let next = timers.offered.last().map_or(1, |(_, n)| n + 1);
            if timers.offered.len() == SET_LIMIT * 2 {
                timers.offered.remove(0);
            }
            timers.offered.push((id.to_owned(), next));
            next
        });
        format!("aissh-{}{number}", timers.tag)
    }

    /// A set timer whose session is alive after the change.
    fn offer_cancels(&mut self) {
        let is_over = |set: &Set| match self.get(&set.of) {
            Some(card) => matches!(card.state, CardState::Done { .. } | CardState::Dismissed) || set.answered,
            None => true,
        };
        let (over, still): (Vec<Set>, Vec<Set>) = self.timers.set.clone().into_iter().partition(is_over);
        self.timers.set = still;
        for set in over {
            let id = format!("{OWN}cancel {}", set.of);
            let description = "The session answers after the change: this cancels its timed undo.";
            self.offer(&id, &set.cancel, description, Kind::Cancel, None);
        }
    }

    /// Puts a card of ours behind another one, or at the end. One that the user has in hand stays as it is.
    fn offer(&mut self, id: &str, command: &str, description: &str, kind: Kind, behind: Option<&str>) {
        let suggestion = Suggestion {
            id: id.to_owned(),
            command: command.to_owned(),
            description: description.to_owned(),
            risk: Risk::Low,
            undo: None,
            verify: None,
            placeholders: Vec::new(),
        };
        if id.len() > ID_LIMIT && !id.starts_with(OWN) {
            return;
        }
        let old = self.get(id);
        let is_ours = old.is_none_or(|card| card.kind != Kind::Suggested);
        let is_free = old.is_none_or(|card| card.state == CardState::Proposed || !card.is_open());
        let is_same = old.is_some_and(|card| card.is_open() && card.command == command);
        let is_timer = matches!(kind, Kind::Timer { .. });
        // A timer that was put away or sent does not come back by itself.
        let is_closed = is_timer && old.is_some_and(|card| !card.is_open());
        if is_ours && is_free && !is_same && !is_closed {
            self.place_own(&suggestion, kind, behind);
        }
    }

    /// Room for the companions of the card that is sent now: the last check goes, and the oldest undo.
    fn drop_old_companions(&mut self) {
        let undos = self.all().iter().filter(|c| c.kind == Kind::Undo && c.is_open()).count();
        let mut too_many = (undos + 1).saturating_sub(UNDO_LIMIT);
        self.retain(|card| {
            let goes = card.state == CardState::Proposed
                && match card.kind {
                    Kind::Verify => true,
                    Kind::Undo => too_many > 0,
                    _ => false,
                };
            too_many -= usize::from(goes && card.kind == Kind::Undo);
            !goes
        });
    }
}

/// How a card's timed undo stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    Offered { number: usize, order: Order },
    Set,
}

impl Card {
    pub(super) fn times(&self, id: &str) -> bool {
        matches!(&self.kind, Kind::Timer { of, .. } if of == id)
    }

    fn wants_a_timer(&self) -> bool {
        matches!(self.kind, Kind::Suggested | Kind::Undo) && self.is_pickable()
    }
}

/// A timer that was sent, and has not failed.
fn is_on_its_way(card: &Card) -> bool {
    matches!(card.state, CardState::Sent | CardState::Done { exit: None | Some(0) })
}

/// `job 5 at Mon Nov 30 16:05:00 2026`, as at(1) says it.
fn job(output: &str) -> Option<u32> {
    output.lines().find_map(|line| {
        let (number, rest) = line.trim().strip_prefix("job ")?.split_once(' ')?;
        number.parse().ok().filter(|_| rest.starts_with("at "))
    })
}
