//! What has come since the user last had the panel's keys: messages and cards that are marked as new.

use std::collections::BTreeSet;

use crate::copilot::{Copilot, Who};

#[derive(Debug, Clone, Default)]
pub(super) struct Unread {
    /// Messages from this number on are new, and cards that are not these.
    from: u64,
    cards: BTreeSet<String>,
    /// The user has pressed a key in the panel, and sees what comes.
    reads: bool,
}

impl Unread {
    /// A key in the panel: what is drawn has been seen.
    pub(super) fn read(&mut self) {
        self.reads = true;
    }

    /// The panel has lost the keys, or is not drawn any more.
    pub(super) fn leave(&mut self) {
        self.reads = false;
    }

    /// How many messages are new; at the end of the chat they are seen.
    pub(super) fn messages(&mut self, copilot: &Copilot, at_end: bool) -> usize {
        let entries = || copilot.chat.entries().rev();
        if self.reads && at_end {
            self.from = entries().next().map_or(0, |entry| entry.id + 1);
        }
        entries().take_while(|entry| entry.id >= self.from).filter(|entry| entry.who != Who::You).count()
    }

    /// How many cards are new.
    pub(super) fn cards(&mut self, copilot: &Copilot) -> usize {
        let commands = copilot.suggestions.cards().filter(|card| card.is_open()).map(|card| &card.id);
        let open = commands.chain(copilot.files.open().map(|file| &file.id));
        if self.reads {
            self.cards = open.cloned().collect();
            return 0;
        }
        open.filter(|id| !self.cards.contains(*id)).count()
    }
}
