//! The conversation: what was said by whom, and what became of each of the user's messages.

use std::collections::VecDeque;

use super::card::short;
use crate::linus::contract::{Level, Notification};
use crate::text::{cut, sanitize, sanitize_sgr};

/// Messages that are kept.
const ENTRIES_LIMIT: usize = 500;

/// Bytes of one message: some screens of text.
pub const MESSAGE_LIMIT: usize = 16 * 1024;

/// Notifications of one answer: more than a person looks at are a flood.
const NOTES_LIMIT: usize = 10;

/// Bytes of a notification: one line, or a few of a narrow panel.
const NOTE_LIMIT: usize = 300;

/// Bytes of all messages.
const TOTAL_LIMIT: usize = 512 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    You,
    Linus,
    /// Linus, unasked: what he wants noticed.
    Notification(Level),
    /// Another agent; its name stands before the text.
    Agent,
    /// aissh itself: what was refused, lost, stopped.
    Note,
}

/// What became of a message of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Under way, or about to be.
    Sending,
    /// Linus is offline; it goes when he is back.
    Queued,
    /// Answered.
    Delivered,
    /// It went out and the answer was lost. Only the user sends it again.
    Perhaps,
    /// The user took it back before an answer came.
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Grows by one a message; never used twice.
    pub id: u64,
    pub who: Who,
    /// Sanitised. Linus's may hold SGR sequences.
    pub text: String,
    pub delivery: Delivery,
}

#[derive(Debug, Clone, Default)]
pub struct Chat {
    entries: VecDeque<Entry>,
    bytes: usize,
    next_id: u64,
    writing: Option<String>,
    offer: Option<String>,
}

impl Chat {
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.writing.is_none() && self.offer.is_none()
    }

    /// The user said something; the id is for [`Chat::set_delivery`].
    pub fn say(&mut self, text: &str) -> u64 {
        self.push(Who::You, limited(&sanitize(text)), Delivery::Sending)
    }

    /// Linus's message is complete.
    pub fn answer(&mut self, text: &str) {
        self.writing = None;
        let text = limited(&sanitize_sgr(text));
        if !text.trim().is_empty() {
            self.push(Who::Linus, text, Delivery::Delivered);
        }
    }

    /// Another agent's message.
    pub(super) fn heard(&mut self, agent: &str, text: &str) {
        let text = limited(&format!("{agent}: {}", sanitize(text)));
        self.push(Who::Agent, text, Delivery::Delivered);
    }

    /// A line of aissh's own; it may quote others.
    pub fn note(&mut self, text: &str) {
        self.push(Who::Note, limited(&sanitize(text)), Delivery::Delivered);
    }

    /// What Linus wants noticed, a line each. What he said last is not said again.
    pub(super) fn notify(&mut self, notes: &[Notification]) {
        for note in notes.iter().take(NOTES_LIMIT) {
            let who = Who::Notification(note.level);
            let text = short(&note.text.replace(['\n', '\r', '\t'], " "), NOTE_LIMIT);
            let is_repeated = self.entries.back().is_some_and(|e| e.who == who && e.text == text);
            if !text.is_empty() && !is_repeated {
                self.push(who, text, Delivery::Delivered);
            }
        }
        if let Some(more) = notes.len().checked_sub(NOTES_LIMIT).filter(|more| *more > 0) {
            self.note(&format!("{more} more notification(s) were left out."));
        }
    }

    /// The answer as far as it has been written (the whole of it so far).
    pub fn set_writing(&mut self, text: &str) {
        self.writing = Some(limited(&sanitize_sgr(text)));
    }

    /// There will be no more of it.
    pub fn stop_writing(&mut self) {
        self.writing = None;
    }

    /// The sentence that offers what waits to be sent, as long as something does.
    pub fn set_offer(&mut self, offer: Option<String>) {
        self.offer = offer;
    }

    pub fn offer(&self) -> Option<&str> {
        self.offer.as_deref()
    }

    pub fn writing(&self) -> Option<&str> {
        self.writing.as_deref()
    }

    /// A message that has left the bounds is none of anybody's business any more.
    pub fn set_delivery(&mut self, id: u64, delivery: Delivery) {
        if let Some(entry) = self.entries.iter_mut().find(|e| e.id == id && e.who == Who::You) {
            entry.delivery = delivery;
        }
    }

    /// Whether an answer is awaited.
    pub fn is_waiting(&self) -> bool {
        self.entries.iter().any(|e| e.who == Who::You && e.delivery == Delivery::Sending)
    }

    fn push(&mut self, who: Who, text: String, delivery: Delivery) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.bytes += text.len();
        self.entries.push_back(Entry { id, who, text, delivery });
        while self.entries.len() > ENTRIES_LIMIT || self.bytes > TOTAL_LIMIT {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.text.len();
        }
        id
    }
}

fn limited(text: &str) -> String {
    let text = text.trim_end();
    match cut(text, MESSAGE_LIMIT) {
        whole if whole.len() == text.len() => whole.to_owned(),
        start => format!("{start} […]"),
    }
}
