//! The cards: which there are, which number each has, and what may happen to them when.

mod companions;

use std::time::{Duration, Instant};

use super::binding::Place;
use super::card::{Card, CardState, Held, ID_LIMIT, Judgement, Kind, refusal};
use super::happening::{By, Happening, Happenings};
use super::holes::{Hole, Value, fill};
use super::risk::Syntax;
use crate::linus::contract::{ClearSuggestions, Placeholder, Suggestion};
use companions::{OWN, Timers};

pub use companions::Timing;

/// Cards that are kept, closed ones included.
const CARDS_LIMIT: usize = 50;

/// Cards with a number: one key each.
pub const NUMBERS: usize = 9;

/// A key that was on its way while a reply changed what it means is not obeyed. Half a second is longer than
/// a person takes to finish a movement that has begun.
const HOLD: Duration = Duration::from_millis(500);

/// Why a card cannot be picked or sent now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such card, or it is not open.
    Absent,
    /// A reply changed the cards at this very moment.
    Held,
    /// It must not be sent; why.
    Refused(String),
}

#[derive(Debug, Clone, Default)]
pub struct Suggestions {
    cards: Vec<Card>,
    /// The id of the card on the edit line: no reply touches it.
    editing: Option<String>,
    /// Who reads there now. A card's risk depends on the language.
    here: Place,
    timers: Timers,
    /// What was filled into the card that was sent last, until it is known to be kept back.
    values: Vec<Value>,
    /// When a reply last changed which card has this number.
    moved_at: [Option<Instant>; NUMBERS],
    happened: Happenings,
}

impl Suggestions {
    /// All cards but the dismissed, in the order in which they came.
    pub fn cards(&self) -> impl DoubleEndedIterator<Item = &Card> {
        self.cards.iter().filter(|c| c.state != CardState::Dismissed)
    }

    /// All of them, the dismissed too.
    pub fn every(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter()
    }

    pub fn get(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|c| c.id == id)
    }

    /// The cards that have numbers, first to ninth.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Card)> {
        (1..).zip(self.cards.iter().filter(|c| c.is_pickable())).take(NUMBERS)
    }

    /// The card that a digit means.
    pub fn pick_number(&self, number: usize, now: Instant) -> Result<&Card, Refusal> {
        let (_, card) = self.numbered().find(|(n, _)| *n == number).ok_or(Refusal::Absent)?;
        let moved = self.moved_at.get(number.wrapping_sub(1)).copied().flatten();
        if is_recent(moved, now) { Err(Refusal::Held) } else { self.pick(&card.id, now) }
    }

    /// The card with this id, if it can be put on the edit line.
    pub fn pick(&self, id: &str, now: Instant) -> Result<&Card, Refusal> {
        let card = self.get(id).filter(|c| c.is_open()).ok_or(Refusal::Absent)?;
        match &card.refused {
            Some(why) => Err(Refusal::Refused(why.clone())),
            None if is_recent(card.changed_at, now) => Err(Refusal::Held),
            None => Ok(card),
        }
    }

    /// The card goes on the edit line: frozen from now on.
    pub fn begin_edit(&mut self, id: &str, now: Instant) -> Result<&Card, Refusal> {
        self.pick(id, now)?;
        if let Some(other) = self.editing.take() {
            self.release(&other, now);
        }
        self.editing = Some(id.to_owned());
        self.pick(id, now)
    }

    /// Who reads there now. Where the language is another, everything is judged again.
    pub fn set_place(&mut self, place: Place, now: Instant) {
        let (had, syntax) = (self.syntax(), Syntax::of(place.dialect));
        let had_dialect = self.here.dialect;
        for card in &mut self.cards {
            if card.bound.is_blank() {
                card.bound = place.clone();
            }
            if had != syntax {
                card.judge_again(syntax);
            }
        }
        self.here = place;
        if self.here.dialect != had_dialect {
            self.follow_timers(now);
        }
    }

    pub fn place(&self) -> &Place {
        &self.here
    }

    fn syntax(&self) -> Syntax {
        Syntax::of(self.here.dialect)
    }

    /// What is another than where the card was proposed.
    pub fn change(&self, id: &str) -> Option<String> {
        self.get(id)?.bound.change_to(&self.here)
    }

    /// What is thought of the text on the edit line. Judged whenever it is asked for, so it is never an older text's.
    pub fn judge_edit(&self, text: &str) -> Option<Judgement> {
        self.editing().map(|card| card.judge(text, self.syntax()))
    }

    /// The same of a text whose holes are filled in: what still looks like one is what the remote takes it for.
    pub fn judge_filled(&self, text: &str) -> Option<Judgement> {
        self.editing().map(|card| card.judge_filled(text, self.syntax()))
    }

    pub fn editing(&self) -> Option<&Card> {
        self.get(self.editing.as_deref()?)
    }

    /// The edit line was left without sending; what was typed stays with the card.
    pub fn end_edit(&mut self, text: &str, now: Instant) {
        let Some(id) = self.editing.take() else { return };
        let syntax = self.syntax();
        if let Some(card) = self.get_mut(&id) {
            if text == card.command || text.trim().is_empty() {
                card.edited_text = None;
                card.state = CardState::Proposed;
            } else {
                card.edited_text = Some(text.to_owned());
                card.state = CardState::Edited;
            }
            card.judge_again(syntax);
            if card.state == CardState::Edited {
                self.happened.push(Happening::Edited { id: id.clone(), text: text.to_owned() });
            }
        }
        self.release(&id, now);
        self.follow_timers(now);
    }

    /// Linus is another one: what the one before proposed cannot be sent any more. Text on the edit line is the user's.
    pub fn disown(&mut self, sender: &str, now: Instant) {
        for card in
            self.cards.iter_mut().filter(|card| card.is_pickable() && !card.is_own() && card.sender.is_none())
        {
            let reason = format!("refused: it is from {sender}, who is not asked any more");
            card.refused = Some(reason.clone());
            card.changed_at = Some(now);
            self.happened.push(Happening::Refused { id: card.id.clone(), reason });
        }
        self.follow_timers(now);
    }

    /// The values in the holes of a text, quoted for what reads there.
    ///
    /// # Errors
    /// A sentence for the user: which value cannot stand there, and why.
    pub fn fill(&self, text: &str, holes: &[Hole], values: &[Value]) -> Result<String, String> {
        fill(text, holes, values, self.here.dialect)
    }

    /// The text on the edit line is sent. True if it is not what the card said.
    pub fn send_edit(&mut self, text: &str) -> Result<(String, bool), Refusal> {
        self.send_filled(text, text, Vec::new())
    }

    /// The same with `filled` as what is typed, and what of it must go no further. The card keeps the text with the holes.
    pub fn send_filled(
        &mut self,
        text: &str,
        filled: &str,
        values: Vec<Value>,
    ) -> Result<(String, bool), Refusal> {
        let id = self.editing.clone().ok_or(Refusal::Absent)?;
        if let Some(why) = refusal(filled) {
            return Err(Refusal::Refused(format!("not sent: {why}")));
        }
        let syntax = self.syntax();
        let card = self.get_mut(&id).ok_or(Refusal::Absent)?;
        let was_edited = text != card.command;
        card.edited_text = was_edited.then(|| text.to_owned());
        card.judge_again(syntax);
        card.state = CardState::Sent;
        let confirmed = Happening::confirmed(card, By::User { was_edited });
        self.happened.push(confirmed);
        self.editing = None;
        self.values = values;
        Ok((id, was_edited))
    }

    /// What was filled into the card that was sent last: it is on the screen now, and must not leave from there.
    pub fn take_values(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.values)
    }

    /// Auto sends a card as Linus gave it; false if it is another by now, or is not to be sent.
    pub fn send_now(&mut self, id: &str, text: &str, now: Instant) -> bool {
        let is_same = self.pick(id, now).is_ok_and(|c| c.state == CardState::Proposed && c.command == text);
        if let Some(card) = self.get_mut(id).filter(|_| is_same) {
            card.state = CardState::Sent;
            let confirmed = Happening::confirmed(card, By::Auto);
            self.happened.push(confirmed);
        }
        is_same
    }

    /// What was sent was only put on the remote's line: the card is open until it is seen to run.
    pub fn was_put(&mut self, id: &str) {
        self.reopen(id);
    }

    /// The card that was put on the remote's line runs.
    pub fn entered(&mut self, id: &str) {
        if let Some(card) = self.get_mut(id).filter(|c| c.is_open()) {
            card.state = CardState::Sent;
        }
    }

    /// It could not be typed into the session after all; the card goes back on the edit line.
    pub fn not_sent(&mut self, id: &str) -> Option<&Card> {
        self.reopen(id)?;
        self.editing = Some(id.to_owned());
        self.get(id)
    }

    /// A card that was sent waits again, with what the user had made of it.
    fn reopen(&mut self, id: &str) -> Option<()> {
        let card = self.get_mut(id).filter(|c| c.state == CardState::Sent)?;
        card.state = if card.edited_text.is_some() { CardState::Edited } else { CardState::Proposed };
        Some(())
    }

    /// The command of a sent card has ended.
    pub fn done(&mut self, id: &str, exit: Option<i32>, now: Instant) {
        let Some(card) = self.get_mut(id).filter(|c| c.state == CardState::Sent) else { return };
        card.state = CardState::Done { exit };
        self.release(id, now);
        self.follow_timers(now);
    }

    /// A prompt waits again: what was sent before it has ended, also where nothing told how (an inner shell, a command
    /// that could not be followed).
    pub fn prompt(&mut self, now: Instant) {
        let sent: Vec<String> =
            self.cards.iter().filter(|c| c.state == CardState::Sent).map(|c| c.id.clone()).collect();
        for id in sent {
            self.done(&id, None, now);
        }
    }

    /// The user puts a card away.
    pub fn dismiss(&mut self, id: &str, now: Instant) -> bool {
        if self.editing.as_deref() == Some(id) {
            self.editing = None;
        }
        let Some(card) = self.get_mut(id) else { return false };
        card.state = CardState::Dismissed;
        card.edited_text = None;
        self.happened.push(Happening::Dismissed { id: id.to_owned() });
        self.release(id, now);
        self.follow_timers(now);
        true
    }

    /// The last message of Linus's is about these cards, and about no others.
    pub(super) fn mention(&mut self, ids: &[String]) {
        for card in &mut self.cards {
            card.mentioned = ids.contains(&card.id);
        }
    }

    /// What a reply clears, then what it brings; `sender` is the agent that it is of, where it is not Linus's. Nobody's
    /// cards are touched by another. The values are sentences for the user.
    pub(super) fn apply(
        &mut self,
        sender: Option<&str>,
        clear: Option<&ClearSuggestions>,
        new: Vec<Suggestion>,
        place: &Place,
        now: Instant,
    ) -> Vec<String> {
        let before = self.numbers();
        if let Some(clear) = clear {
            self.clear(sender, clear);
        }
        let (mut nameless, mut blank) = (0, 0);
        let mut too_many = 0;
        for suggestion in new {
            let is_ours = suggestion.id.starts_with(OWN);
            if suggestion.id.is_empty() || suggestion.id.len() > ID_LIMIT || is_ours {
                nameless += 1;
            } else if suggestion.command.trim().is_empty() {
                blank += 1;
            } else if self.is_anothers(&suggestion.id, sender) {
                nameless += 1;
            } else if !self.put(sender, &suggestion, place, now) {
                too_many += 1;
            }
        }
        self.note_moves(&before, now);
        self.follow_timers(now);
        let mut complaints = Vec::new();
        if nameless > 0 {
            complaints.push(format!("{nameless} suggested command(s) without a usable id were left out."));
        }
        if blank > 0 {
            complaints.push(format!("{blank} suggested command(s) without a command were left out."));
        }
        if too_many > 0 {
            complaints
                .push(format!("{too_many} suggested command(s) left out: there are {CARDS_LIMIT} already."));
        }
        complaints
    }

    /// Whether a card with this id is not this sender's.
    fn is_anothers(&self, id: &str, sender: Option<&str>) -> bool {
        self.get(id).is_some_and(|card| card.sender.as_deref() != sender)
    }

    fn clear(&mut self, sender: Option<&str>, clear: &ClearSuggestions) {
        let editing = self.editing.as_deref();
        self.cards.retain_mut(|card| {
            // What came with a card that was sent is there for what comes after it.
            let stays = card.kind != Kind::Suggested || card.sender.as_deref() != sender;
            if stays || !(clear.all || clear.ids.contains(&card.id)) {
                return true;
            }
            let frozen = editing == Some(&card.id) || card.is_frozen();
            if frozen {
                card.held = Some(Held::Remove);
            } else {
                self.happened.push(Happening::Cleared { id: card.id.clone(), by: card.by().to_owned() });
            }
            frozen
        });
    }

    /// Adds a card or replaces the one with the same id; false if there is no room.
    fn put(&mut self, sender: Option<&str>, suggestion: &Suggestion, place: &Place, now: Instant) -> bool {
        let (editing, syntax) = (self.editing.clone(), self.syntax());
        if let Some(card) = self.get_mut(&suggestion.id) {
            if editing.as_deref() == Some(&suggestion.id) || card.is_frozen() {
                card.held = Some(Held::Replace(Box::new((suggestion.clone(), place.clone()))));
            } else {
                let came = renew(card, (suggestion, place), syntax, now);
                self.happened.extend(came);
            }
            return true;
        }
        if self.cards.len() >= CARDS_LIMIT && !self.forget_one() {
            return false;
        }
        let mut card = Card::from_wire(suggestion, place);
        card.sender = sender.map(str::to_owned);
        card.judge_again(syntax);
        self.happened.extend(Happening::proposed(&card));
        self.cards.push(card);
        true
    }

    /// A card of ours, behind another one or at the end.
    fn place_own(&mut self, suggestion: &Suggestion, kind: Kind, behind: Option<&str>) {
        let mut card = Card::from_wire(suggestion, &self.here);
        card.kind = kind;
        self.happened.extend(Happening::proposed(&card));
        if let Some(old) = self.get_mut(&suggestion.id) {
            *old = card;
            return;
        }
        // What cancels an undo that is set is there whatever else there is.
        if self.cards.len() >= CARDS_LIMIT && !self.forget_one() && card.kind != Kind::Cancel {
            return;
        }
        let at = behind.and_then(|id| self.cards.iter().rposition(|c| c.id == id || c.times(id)));
        self.cards.insert(at.map_or(self.cards.len(), |at| at + 1), card);
    }

    fn set_holes(&mut self, id: &str, placeholders: Vec<Placeholder>) {
        if let Some(card) = self.get_mut(id) {
            card.placeholders = placeholders;
        }
    }

    fn set_note(&mut self, id: &str, note: Option<&'static str>) {
        if let Some(card) = self.get_mut(id) {
            card.note = note;
        }
    }

    fn all(&self) -> &[Card] {
        &self.cards
    }

    fn retain(&mut self, keep: impl FnMut(&Card) -> bool) {
        self.cards.retain(keep);
    }

    /// Makes room by the oldest card that is of no more use.
    fn forget_one(&mut self) -> bool {
        let closed = |c: &Card| matches!(c.state, CardState::Done { .. } | CardState::Dismissed);
        let Some(at) = self.cards.iter().position(closed) else { return false };
        self.cards.remove(at);
        true
    }

    /// The card is free: what a reply wanted of it meanwhile is done now.
    fn release(&mut self, id: &str, now: Instant) {
        let (before, syntax) = (self.numbers(), self.syntax());
        let Some(card) = self.get_mut(id).filter(|c| !c.is_frozen()) else { return };
        match card.held.take() {
            Some(Held::Replace(held)) => {
                let came = renew(card, (&held.0, &held.1), syntax, now);
                self.happened.extend(came);
            }
            // What was sent stays as a record; only an open proposal goes.
            Some(Held::Remove) if card.state == CardState::Proposed => {
                let by = card.by().to_owned();
                self.cards.retain(|c| c.id != id);
                self.happened.push(Happening::Cleared { id: id.to_owned(), by });
            }
            Some(Held::Remove) | None => return,
        }
        self.note_moves(&before, now);
    }

    /// What happened to the cards since it was last asked.
    pub(super) fn take_happenings(&mut self) -> Vec<Happening> {
        self.happened.take()
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut Card> {
        self.cards.iter_mut().find(|c| c.id == id)
    }

    /// What each number means.
    fn numbers(&self) -> Vec<(String, String)> {
        self.numbered().map(|(_, c)| (c.id.clone(), c.command.clone())).collect()
    }

    fn note_moves(&mut self, before: &[(String, String)], now: Instant) {
        let after = self.numbers();
        for (at, moved_at) in self.moved_at.iter_mut().enumerate() {
            // A number that nobody had cannot have been meant otherwise.
            if before.get(at).is_some_and(|had| after.get(at) != Some(had)) {
                *moved_at = Some(now);
            }
        }
    }
}

/// The same card came again; a new command is a new proposal.
fn renew(
    card: &mut Card,
    (suggestion, place): (&Suggestion, &Place),
    syntax: Syntax,
    now: Instant,
) -> Vec<Happening> {
    let is_another = card.replace(suggestion, place, now);
    card.judge_again(syntax);
    if is_another { Happening::proposed(card) } else { Vec::new() }
}

fn is_recent(at: Option<Instant>, now: Instant) -> bool {
    at.is_some_and(|at| now.saturating_duration_since(at) < HOLD)
}

#[cfg(test)]
mod tests;
