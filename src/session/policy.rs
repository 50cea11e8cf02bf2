//! The policy in a session: what it is shown at each moment, and what it decides. A card that auto sends goes the same
//! way as one that the user sends.

use super::cards::{Hindrance, Put};
use super::{Session, Side};
use crate::control::keystrokes;
use crate::copilot::policy::{Candidate, Line, Linus, Mode, Scene, Send, Sender, StartMode, Stop, has_holes};
use crate::copilot::{Card, CardState, Happening, Place};
use crate::shell::{CommandRecord, Origin};
use crate::terminal::pty::LineMode;
use crate::ui::PolicyStatus;
use std::time::Instant;

/// What of the session auto has to know that [`Side`] does not.
#[derive(Clone, Copy)]
pub(super) struct Conditions {
    line: LineMode,
    /// The prefix was pressed, and its key is still to come.
    is_armed: bool,
    /// The user's terminal has taken everything that was drawn.
    tty_takes: bool,
}

impl Session {
    pub(super) fn conditions(&self) -> Conditions {
        Conditions {
            line: self.pty.line_mode(),
            is_armed: self.prefix.is_armed(),
            tty_takes: self.to_tty.is_empty(),
        }
    }

    /// Lets auto look, and types what it decides. Nothing else types without a key.
    pub(super) fn follow_policy(&mut self, now: Instant) {
        if self.side.as_ref().is_some_and(|side| side.policy.is_auto()) {
            let conditions = self.conditions();
            if let Some(side) = &mut self.side
                && let Some(send) = side.look(conditions, now)
            {
                self.send_auto(send, conditions.line, now);
            }
        }
        self.tell_policy();
        if let Some(side) = &mut self.side {
            // The countdown, also before it was drawn the first time.
            side.panel.dirty |= side.policy.announced(now).is_some();
        }
    }

    fn send_auto(&mut self, send: Send, line: LineMode, now: Instant) {
        let Send { id, text } = send;
        let keys = keystrokes(&text, self.modes.bracketed_paste());
        let Some(side) = &mut self.side else { return };
        let why = match (side.hindrance(line, now), keys) {
            (Some(Hindrance::Never(why)), _) => why.to_owned(),
            (Some(Hindrance::ToJudge(why)), _) => why,
            (None, Err(refusal)) => refusal.text(),
            (None, Ok(_)) if !side.copilot.suggestions.send_now(&id, &text, now) => "it has changed".into(),
            (None, Ok(keys)) => return self.type_card(&id, text, false, &keys, now),
        };
        side.policy.stop(Stop::Refused { id, why });
    }

    /// A frame was handed to the user's terminal.
    pub(super) fn note_drawn(&mut self, now: Instant) {
        let is_taken = self.to_tty.is_empty();
        let Some(side) = &mut self.side else { return };
        if is_taken {
            side.policy.drawn(now);
        } else {
            // What waits has not been seen: another frame follows when the terminal has taken it.
            side.panel.dirty |= side.policy.is_auto();
        }
    }

    /// `prefix m`: the next mode. Auto asks first.
    pub(super) fn next_mode(&mut self) {
        let Some(side) = &mut self.side else { return };
        let asks = side.panel.view.asks_auto();
        side.panel.view.close_auto();
        match side.policy.mode() {
            Mode::Suggest => side.policy.choose(StartMode::Confirm),
            // Where nothing is drawn nobody would see what auto is about to send.
            Mode::Confirm if !asks && side.panel.plain.is_none() => side.panel.view.ask_auto(),
            Mode::Confirm | Mode::Auto => side.policy.choose(StartMode::Suggest),
        }
        self.tell_policy();
    }

    /// The user answered the question with this word.
    pub(super) fn turn_auto_on(&mut self, word: &str, now: Instant) {
        let conditions = self.conditions();
        let is_lost = self.recorders.is_lost();
        let Some(side) = &mut self.side else { return };
        side.panel.view.close_auto();
        if is_lost {
            return side.panel.view.set_notice("Auto stays off: the audit log is lost");
        }
        side.begin_auto(word, conditions, now);
        self.tell_policy();
    }

    /// Ends auto, for what the policy cannot see by itself.
    pub(super) fn stop_auto(&mut self, why: Stop) {
        if let Some(side) = &mut self.side {
            side.policy.stop(why);
        }
        self.tell_policy();
    }

    /// Says what has changed in the chat, where it stays.
    fn tell_policy(&mut self) {
        let Some(side) = &mut self.side else { return };
        for change in side.policy.take_changes() {
            side.panel.dirty = true;
            side.linus.recorded.push(super::record::mode(&change));
            let said = match (change.to, change.why) {
                (Mode::Auto, _) => "Auto is on.".to_owned(),
                (_, Some(why)) => format!("Auto is off: {}.", why.text()),
                (mode, None) => format!("Mode: {}.", mode.name()),
            };
            side.copilot.chat.note(&said);
        }
    }
}

impl Side {
    fn look(&mut self, conditions: Conditions, now: Instant) -> Option<Send> {
        self.note_place(now);
        let Some(seen) = self.see(conditions, now) else {
            self.policy.stop(Stop::NotShown);
            return None;
        };
        // What aissh itself offers beside a card (its undo, its check) is for the user.
        let suggestions = &self.copilot.suggestions;
        let card = suggestions.cards().find(|card| card.is_open() && !card.is_own());
        // Also where auto was turned on elsewhere than where the card was proposed for.
        let moved = card.and_then(|card| suggestions.change(&card.id));
        let changed = seen.changed.clone().or(moved);
        let scene = Scene { card: card.map(candidate), changed, ..seen };
        self.policy.step(&scene, now)
    }

    /// Keys of the user's went to the remote.
    pub(super) fn user_typed(&mut self) {
        self.policy.stop(Stop::Typed);
    }

    /// A command that the user entered is the card that was put on the line, if it is that text.
    pub(super) fn attribute(&mut self, record: &mut CommandRecord, now: Instant) {
        if record.origin != Origin::UserTyped {
            return;
        }
        let Some(put) = self.put.take() else { return };
        if record.command.as_deref() != Some(put.text.as_str()) {
            return;
        }
        record.origin = Origin::Suggested { id: put.id.clone(), was_edited: put.was_edited };
        // As with a card that is sent: what was filled in is told to nobody.
        record.command = Some(put.told.clone());
        if !record.reported {
            self.put_was_entered(&put, now);
        }
        if !record.finished {
            self.put = Some(put);
        }
    }

    fn put_was_entered(&mut self, put: &Put, now: Instant) {
        // Linus may have given the card another command since, or taken it back.
        let is_it = |card: &Card| card.text().trim_end_matches('\n') == put.told;
        if self.copilot.suggestions.get(&put.id).is_some_and(is_it) {
            self.copilot.suggestions.entered(&put.id);
            self.copilot.suggestions.sent(&put.id, now);
        }
        self.copilot.happened(Happening::Sent { id: put.id.clone(), command: put.told.clone() });
    }

    fn begin_auto(&mut self, word: &str, conditions: Conditions, now: Instant) {
        self.auto_place = None;
        let Some(scene) = self.see(conditions, now) else { return };
        let Some(observer) = self.watch.here() else { return };
        let tail = observer.hide_secrets(observer.tail(TAIL));
        let place = Place::new(observer.facts(), observer.state());
        if self.policy.turn_on(word, &scene, &tail, &self.nonce, now).is_ok() {
            self.auto_place = Some(place);
        }
    }

    /// Everything but the card; `None` where the terminal is not followed here.
    fn see(&mut self, conditions: Conditions, now: Instant) -> Option<Scene<'static>> {
        let observer = self.watch.here()?;
        let line = match conditions.line {
            LineMode::Raw if self.local_secret => Line::Secret,
            LineMode::Raw => Line::Remote,
            LineMode::Secret => Line::Secret,
            LineMode::Cooked => Line::Local,
        };
        let place = Place::new(observer.facts(), observer.state());
        Some(Scene {
            shown: self.panel.view.shows_policy() && conditions.tty_takes,
            line,
            state: observer.state(),
            trusted: observer.facts().trusted,
            line_taken: observer.line_is_taken(now),
            changed: self.auto_place.as_ref().and_then(|had| had.change_to(&place)),
            user_is_busy: conditions.is_armed || self.panel.view.is_busy(),
            linus: if self.copilot.link.is_offline() {
                Linus::Offline
            } else if self.copilot.chat.is_waiting() || self.linus.is_telling() {
                Linus::Busy
            } else {
                Linus::Ready
            },
            card: None,
        })
    }

    /// For the panel.
    pub(super) fn policy_status(&mut self, conditions: Conditions, now: Instant) -> PolicyStatus {
        let asks = self.panel.view.asks_auto();
        let obstacle = if asks { self.obstacle_to_auto(conditions, now) } else { None };
        PolicyStatus {
            mode: self.policy.mode(),
            chain: self.policy.chain(),
            limit: self.policy.limit(),
            announced: self.policy.announced(now),
            stopped: self.policy.stopped().map(Stop::text),
            obstacle,
        }
    }

    fn obstacle_to_auto(&mut self, conditions: Conditions, now: Instant) -> Option<String> {
        let scene = self.see(conditions, now)?;
        self.policy.obstacle(&scene).map(|why| why.text())
    }
}

/// Of what was printed before auto is turned on, this much is looked at: more than a screen.
const TAIL: usize = 64 * 1024;

/// A card of Linus's own as the policy sees it.
/// An agent's card has its name as sender: auto takes only Linus's.
fn candidate(card: &Card) -> Candidate<'_> {
    let judgement = card.judgement();
    Candidate {
        id: &card.id,
        text: card.text(),
        sender: card.sender.as_deref().map_or(Sender::Linus, Sender::Other),
        level: judgement.level,
        why: judgement.reason,
        edited: card.state == CardState::Edited,
        refused: card.refused.as_deref(),
        holes: has_holes(card.text()) || !card.holes(card.text()).is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copilot::Copilot;
    use crate::linus::contract::Envelope;
    use serde_json::json;

    #[test]
    fn a_card_of_an_agents_is_no_card_for_auto() {
        let (mut copilot, now) = (Copilot::new("built-in"), Instant::now());
        let blocks =
            json!({"suggested_commands": {"commands": [{"id": "c", "command": "df -h", "risk": "low"}]}});
        let envelope = Envelope::read(&blocks).0;
        copilot.apply(envelope.clone(), now);
        copilot.apply_from("bot", envelope, now).expect("taken");
        let senders: Vec<Sender<'_>> =
            copilot.suggestions.cards().map(|card| candidate(card).sender).collect();
        // What auto does with another's card is in `copilot::policy::tests`: it ends.
        assert_eq!(senders, [Sender::Linus, Sender::Other("bot")]);
    }
}
