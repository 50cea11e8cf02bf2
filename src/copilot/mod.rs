//! The panel's state: chat, intent, suggested commands, and how Linus's answers change them.
//!
//! Pure: an answer is an [`Envelope`] in, and what is shown changes. Nothing here sends anything anywhere, and nothing that Linus says is kept before it was made harmless and cut to size.

mod agents;
mod binding;
mod card;
mod chat;
mod connectivity;
mod file_cards;
mod happening;
mod holes;
mod intent;
mod link;
pub mod policy;
pub mod risk;
mod secrets;
mod suggestions;

use std::time::Instant;

pub use agents::own_id;
pub use binding::Place;
pub use card::{Card, CardState, Judgement, Kind, refusal};
pub use chat::{Chat, Delivery, Entry, MESSAGE_LIMIT, Who};
pub use connectivity::Order;
pub use file_cards::{FileCard, FileCards, FileState};
pub use happening::{By, Happening};
pub use holes::{Hole, Value};
pub use intent::Intent;
pub use link::{Link, LinkState, OFFLINE_CARDS, OFFLINE_INTENT};
pub use suggestions::{NUMBERS, Refusal, Suggestions, Timing};

use crate::linus::contract::Envelope;
use happening::Happenings;

/// Everything the panel shows.
#[derive(Debug, Clone)]
pub struct Copilot {
    pub chat: Chat,
    pub intent: Option<Intent>,
    pub suggestions: Suggestions,
    pub files: FileCards,
    pub link: Link,
    happened: Happenings,
}

impl Copilot {
    /// `peer` is what Linus is called in the panel: `built-in (runbooks, no model)`, or the URL's host.
    pub fn new(peer: &str) -> Self {
        Self {
            chat: Chat::default(),
            intent: None,
            suggestions: Suggestions::default(),
            files: FileCards::default(),
            link: Link::new(peer),
            happened: Happenings::default(),
        }
    }

    /// Applies an answer: what it clears first, then its cards, its intent, its message with the mentions,
    /// and what it wants noticed.
    /// Its cards belong to where the session is now.
    pub fn apply(&mut self, envelope: Envelope, now: Instant) {
        let place = self.suggestions.place().clone();
        self.apply_for(envelope, &place, now);
    }

    /// The same for what was asked when the session was at `place`.
    pub fn apply_for(&mut self, envelope: Envelope, place: &Place, now: Instant) {
        let files = envelope.file_actions.map(|block| block.actions).unwrap_or_default();
        let mut complaints = self.files.apply(None, envelope.clear_suggestions.as_ref(), files);
        if envelope.clear_suggestions.is_some() || envelope.suggested_commands.is_some() {
            complaints.extend(self.suggestions.apply(
                None,
                envelope.clear_suggestions.as_ref(),
                envelope.suggested_commands.map(|b| b.commands).unwrap_or_default(),
                place,
                now,
            ));
        }
        if let Some(update) = envelope.intent_update {
            let intent = Intent::from_wire(update);
            if self.intent.as_ref() != Some(&intent) {
                self.happened.push(Happening::Planned(intent.clone()));
            }
            self.intent = Some(intent);
        }
        if let Some(response) = envelope.chat_response {
            self.chat.answer(&response.message);
            self.happened.push(Happening::Answered(response.message));
            self.suggestions.mention(&response.mentions);
        }
        if let Some(block) = envelope.notifications {
            self.chat.notify(&block.notes);
        }
        for complaint in complaints {
            self.chat.note(&complaint);
        }
    }

    /// The user asks something; the value is the entry's id.
    pub fn ask(&mut self, message: &str) -> u64 {
        self.happened.push(Happening::Asked(message.to_owned()));
        self.chat.say(message)
    }

    /// Something that was decided outside of this state.
    pub fn happened(&mut self, happening: Happening) {
        self.happened.push(happening);
    }

    /// What happened since it was last asked: what was said and planned, then what became of cards.
    pub fn take_happenings(&mut self) -> Vec<Happening> {
        let mut happened = self.happened.take();
        happened.extend(self.suggestions.take_happenings());
        happened
    }
}

#[cfg(test)]
mod tests;
