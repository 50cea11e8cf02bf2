//! What happened to the conversation, the plan and the cards, in order, for those who keep it: the audit, a recording,
//! other agents. The state does not know them; whoever owns it takes the list from time to time.

use super::card::Card;
use super::intent::Intent;
use crate::linus::contract::Risk;

/// More are not held: nobody takes them. A reply's cards are fewer.
const LIMIT: usize = 1000;

/// Who decided that a card is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By Enter, or the word that a high risk asks for.
    User { was_edited: bool },
    /// By the consent that the user gave in this session.
    Auto,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    Asked(String),
    Answered(String),
    Planned(Intent),
    /// A card came, or came again with another command.
    Proposed {
        id: String,
        /// `Linus`, `aissh` (an undo, a check, a timer), or another agent.
        by: String,
        command: String,
        level: Risk,
        reason: String,
    },
    /// The edit line was left with another text than the card's.
    Edited {
        id: String,
        text: String,
    },
    /// It is to be sent.
    Confirmed {
        id: String,
        command: String,
        by: By,
        level: Risk,
        reason: String,
    },
    /// It was typed into the session.
    Sent {
        id: String,
        command: String,
    },
    /// It cannot be sent, or was not.
    Refused {
        id: String,
        reason: String,
    },
    Dismissed {
        id: String,
    },
    /// Who proposed it took it back.
    Cleared {
        id: String,
        by: String,
    },
    /// Another agent said something in the chat.
    Said {
        by: String,
        text: String,
    },
}

impl Happening {
    /// A new card: what it would do, or why it cannot.
    pub(super) fn proposed(card: &Card) -> Vec<Self> {
        let (id, judged) = (card.id.clone(), card.judgement());
        let proposed = Self::Proposed {
            id: id.clone(),
            by: card.by().to_owned(),
            command: card.command.clone(),
            level: judged.level,
            reason: judged.reason,
        };
        let refused = card.refused.clone().map(|reason| Self::Refused { id, reason });
        std::iter::once(proposed).chain(refused).collect()
    }

    pub(super) fn confirmed(card: &Card, by: By) -> Self {
        let judged = card.judgement();
        Self::Confirmed {
            id: card.id.clone(),
            command: card.text().to_owned(),
            by,
            level: judged.level,
            reason: judged.reason,
        }
    }
}

/// The list, bounded.
#[derive(Debug, Clone, Default)]
pub(super) struct Happenings(Vec<Happening>);

impl Happenings {
    pub(super) fn push(&mut self, happening: Happening) {
        if self.0.len() < LIMIT {
            self.0.push(happening);
        }
    }

    pub(super) fn extend(&mut self, happenings: Vec<Happening>) {
        happenings.into_iter().for_each(|happening| self.push(happening));
    }

    pub(super) fn take(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.0)
    }
}
