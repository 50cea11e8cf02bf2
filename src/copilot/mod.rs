//! The panel's state: chat, intent, suggested commands, and how Linus's answers change them.
//!
//! Pure: an answer is an [`Envelope`] in, and what is shown changes. Nothing here sends anything anywhere, and nothing that Linus says is kept before it was made harmless and cut to size.

mod binding;
mod card;
mod chat;
mod file_cards;
mod intent;
mod link;
pub mod policy;
pub mod risk;
mod secrets;
mod suggestions;

use std::time::Instant;

pub use binding::Place;
pub use card::{Card, CardState, Judgement, refusal};
pub use chat::{Chat, Delivery, Entry, MESSAGE_LIMIT, Who};
pub use file_cards::{FileCard, FileCards, FileState};
pub use intent::Intent;
pub use link::{Link, LinkState, OFFLINE_CARDS, OFFLINE_INTENT};
pub use suggestions::{NUMBERS, Refusal, Suggestions};

use crate::linus::contract::Envelope;

/// Everything the panel shows.
#[derive(Debug, Clone)]
pub struct Copilot {
    pub chat: Chat,
    pub intent: Option<Intent>,
    pub suggestions: Suggestions,
    pub files: FileCards,
    pub link: Link,
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
        let mut complaints = self.files.apply(envelope.clear_suggestions.as_ref(), files);
        if envelope.clear_suggestions.is_some() || envelope.suggested_commands.is_some() {
            complaints.extend(self.suggestions.apply(
                envelope.clear_suggestions.as_ref(),
                envelope.suggested_commands.map(|b| b.commands).unwrap_or_default(),
                place,
                now,
            ));
        }
        if let Some(update) = envelope.intent_update {
            self.intent = Some(Intent::from_wire(update));
        }
        if let Some(response) = envelope.chat_response {
            self.chat.answer(&response.message);
            self.suggestions.mention(&response.mentions);
        }
        if let Some(block) = envelope.notifications {
            self.chat.notify(&block.notes);
        }
        for complaint in complaints {
            self.chat.note(&complaint);
        }
    }
}

#[cfg(test)]
mod tests;
