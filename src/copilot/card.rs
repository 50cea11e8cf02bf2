//! One suggested command from proposal to exit status.

use std::time::Instant;

use super::binding::Place;
use super::connectivity::{Cancel, Order, Proof};
use super::holes::{self, Hole};
use super::risk::{Assessment, COMMAND_LIMIT, Syntax};
use super::secrets;
use crate::linus::contract::{Placeholder, Risk, Suggestion};
use crate::text::{cut, is_sendable_char, sanitize, visible_char};

/// Bytes of a description.
const DESCRIPTION_LIMIT: usize = 1000;

/// Bytes of an id. Ids go back on the wire as they came, so a longer one cannot be cut.
pub(super) const ID_LIMIT: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardState {
    /// As Linus gave it.
    Proposed,
    /// The user changed the text; it waits in [`Card::edited_text`].
    Edited,
    /// Typed into the session; its end has not been seen.
    Sent,
    /// It has ended; `None` where nothing told its exit status.
    Done { exit: Option<i32> },
    /// Put away by the user. Kept, so that the same proposal does not come back by itself.
    Dismissed,
}

/// What a card is to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Of its own.
    Suggested,
    Undo,
    Verify,
    /// The guard's timer for the card with this id.
    Timer {
        of: String,
        order: Order,
        cancel: Cancel,
        proof: Proof,
    },
    /// What cancels it.
    Cancel,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// As on the wire; only ever drawn through `text::visible`. Another agent's begins with its name.
    pub id: String,
    /// The agent that proposed it, where it was not Linus.
    pub sender: Option<String>,
    /// As on the wire, byte for byte; only ever drawn through `text::visible`.
    pub command: String,
    pub description: String,
    /// Linus's own label. It can raise the level, never lower it.
    pub label: Risk,
    /// What is thought here of [`Card::text`].
    pub(super) assessment: Assessment,
    pub state: CardState,
    /// What the user made of the command, until it is sent or dropped.
    pub edited_text: Option<String>,
    /// What Linus says takes it back, and what shows whether it worked. Each becomes a card when this one was sent.
    pub undo: Option<String>,
    pub verify: Option<String>,
    /// What Linus says is to be filled in.
    pub(super) placeholders: Vec<Placeholder>,
    /// Where Linus was when he proposed it.
    pub bound: Place,
    pub kind: Kind,
    /// Why its undo cannot be timed, though it may cut the session.
    pub note: Option<&'static str>,
    /// Why this card cannot be sent.
    pub refused: Option<String>,
    /// The last message from Linus was about it.
    pub mentioned: bool,
    /// When a reply last changed what a key on this card means.
    pub(super) changed_at: Option<Instant>,
    /// What a reply wants of this card and has to wait for: it is edited, or it runs.
    pub(super) held: Option<Held>,
}

/// An update that waits until the card is free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    Replace(Box<(Suggestion, Place)>),
    Remove,
}

impl Card {
    pub(super) fn from_wire(suggestion: &Suggestion, place: &Place) -> Self {
        let line = |text: &Option<String>| {
            text.as_deref().map(|t| cut(t, COMMAND_LIMIT).to_owned()).filter(|t| !t.trim().is_empty())
        };
        let syntax = Syntax::of(place.dialect);
        Self {
            id: suggestion.id.clone(),
            sender: None,
            command: cut(&suggestion.command, COMMAND_LIMIT).to_owned(),
            description: short(&suggestion.description, DESCRIPTION_LIMIT),
            label: suggestion.risk,
            assessment: judged(&suggestion.command, &suggestion.placeholders, syntax),
            state: CardState::Proposed,
            edited_text: None,
            undo: line(&suggestion.undo),
            verify: line(&suggestion.verify),
            placeholders: suggestion.placeholders.clone(),
            bound: place.clone(),
            kind: Kind::Suggested,
            note: None,
            refused: refusal(&suggestion.command).map(|r| format!("refused: {r}")),
            mentioned: false,
            changed_at: None,
            held: None,
        }
    }

    /// Whether aissh made it, and not Linus.
    pub fn is_own(&self) -> bool {
        self.kind != Kind::Suggested
    }

    /// Whether the user can still send it, or could if it were not refused.
    pub fn is_open(&self) -> bool {
        matches!(self.state, CardState::Proposed | CardState::Edited)
    }

    /// Whether it can be put on the edit line: such cards have the numbers.
    pub fn is_pickable(&self) -> bool {
        self.is_open() && self.refused.is_none()
    }

    /// Whether replies leave it alone: it runs, or the user's own text is in it.
    pub(super) fn is_frozen(&self) -> bool {
        matches!(self.state, CardState::Sent | CardState::Edited)
    }

    /// What the edit line starts with.
    pub fn text(&self) -> &str {
        self.edited_text.as_deref().unwrap_or(&self.command)
    }

    /// What is to be filled in before this text is sent.
    pub fn holes(&self, text: &str) -> Vec<Hole> {
        holes::holes(text, &self.placeholders)
    }

    /// Who proposed it: `Linus`, `aissh`, or an agent.
    pub fn by(&self) -> &str {
        match &self.sender {
            _ if self.is_own() => "aissh",
            Some(agent) => agent,
            None => "Linus",
        }
    }

    /// The level and why, of what the card would send.
    pub fn judgement(&self) -> Judgement {
        Judgement::new(&self.assessment, self.label, self.by())
    }

    /// The same of another text: what stands on the edit line.
    pub fn judge(&self, text: &str, syntax: Syntax) -> Judgement {
        Judgement::new(&judged(text, &self.placeholders, syntax), self.label, self.by())
    }

    /// The same of a text that is sent as it stands.
    pub fn judge_filled(&self, text: &str, syntax: Syntax) -> Judgement {
        Judgement::new(&secrets::judged(text, syntax), self.label, self.by())
    }

    /// The text or the language is another.
    pub(super) fn judge_again(&mut self, syntax: Syntax) {
        self.assessment = judged(self.text(), &self.placeholders, syntax);
    }

    /// The same id came again. What the user did with the same command stands; true if it is another.
    pub(super) fn replace(&mut self, suggestion: &Suggestion, place: &Place, now: Instant) -> bool {
        let mut new = Self { sender: self.sender.clone(), ..Self::from_wire(suggestion, place) };
        if new.command == self.command && new.refused == self.refused {
            (self.description, self.label, self.bound) = (new.description, new.label, new.bound);
            (self.undo, self.verify, self.placeholders) = (new.undo, new.verify, new.placeholders);
            return false;
        }
        new.changed_at = Some(now);
        *self = new;
        true
    }
}

/// What is thought of a text, with whatever may come into its holes.
fn judged(text: &str, placeholders: &[Placeholder], syntax: Syntax) -> Assessment {
    let open = holes::holes(text, placeholders);
    let assessment = secrets::judged(&holes::as_unknown(text, &open, syntax), syntax);
    match open.first() {
        Some(hole) => assessment.unfilled(&hole.name),
        None => assessment,
    }
}

/// What a card says of its risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub level: Risk,
    /// `destructive: rm: deletes files`.
    pub reason: String,
}

impl Judgement {
    fn new(ours: &Assessment, label: Risk, by: &str) -> Self {
        let reason = if label > ours.level {
            format!("{by} calls it {}; here: {}", label.name(), ours.classes)
        } else {
            // The worst finding's own classes: a panel has no room for all that a long line does.
            let classes = ours.findings.first().map_or(ours.classes, |finding| finding.classes);
            format!("{classes}: {}", ours.reason())
        };
        Self { level: ours.level.max(label), reason }
    }
}

/// Why a command cannot be sent, if so. Also asked of what the user edited.
pub fn refusal(command: &str) -> Option<String> {
    if command.trim().is_empty() {
        return Some("there is no command".into());
    }
    if command.len() > COMMAND_LIMIT {
        return Some(format!("longer than {} KiB", COMMAND_LIMIT / 1024));
    }
    if let Some(control) = command.chars().find(|c| !is_sendable_char(*c)) {
        return Some(format!("it holds the control character {}", visible_char(control)));
    }
    secrets::refusal(command)
}

/// Foreign text for one place of the panel: harmless, no longer than `limit` bytes, no blanks around it.
pub(super) fn short(text: &str, limit: usize) -> String {
    let clean = sanitize(text);
    let clean = clean.trim();
    match cut(clean, limit) {
        whole if whole.len() == clean.len() => whole.to_owned(),
        start => format!("{start}…"),
    }
}
