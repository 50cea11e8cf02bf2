//! What is due to be sent to Linus, when, and on which lane. Pure: no thread, no clock, no contract types.
//!
//! Payloads of commands and session events are the caller's: it composes the message with fresh context when
//! something is due. Call [`Dispatch::due`] after every input and when [`Dispatch::deadline`] has come.

mod link;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::call_error::{CallError, Delivery};
use link::{Breaker, is_failure};

pub use link::Link;

/// The contract's debounce of `terminal_update`.
const DEBOUNCE: Duration = Duration::from_secs(1);
/// Chat messages waiting at most, and their bytes together: hours of typing, not a disk.
const CHATS_LIMIT: usize = 100;
const CHAT_BYTES_LIMIT: usize = 256 * 1024;
/// Commands and session events waiting at most: what one slow call holds up.
const EVENTS_LIMIT: usize = 64;

/// Chat never waits for anything but chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    Chat,
    Background,
}

/// What may leave now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gate {
    /// Everything.
    #[default]
    Open,
    /// What the user asks, and nothing by itself.
    Asked,
    /// Nothing, not even the question whether Linus is there.
    Shut,
}

/// Tells one call from every other.
pub type Ticket = u64;

/// Something to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due<C, S> {
    Chat {
        id: u64,
        message: String,
    },
    TerminalUpdate,
    Command(C),
    Session(S),
    /// Ask whether Linus is there again; nothing of the session goes with it.
    Probe,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect<C, S> {
    Send {
        lane: Lane,
        ticket: Ticket,
        due: Due<C, S>,
    },
    /// Take back what is in flight on the background lane; its reply still comes.
    CancelBackground,
}

/// What became of a chat message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered,
    /// It never left and waits for Linus to come back.
    Queued,
    /// The answer was lost after it was sent: only the user sends it again.
    PerhapsDelivered,
    /// Taken back by the user.
    Cancelled,
    /// Answered with an error.
    Failed,
}

/// Why a chat message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Too many messages wait already.
    QueueFull,
    /// The message, or all of them together, is too long.
    TooLong,
}

impl Refused {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "too many messages are waiting for Linus",
            Self::TooLong => "the waiting messages are too long together",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Chat {
    id: u64,
    message: String,
}

#[derive(Debug, Clone)]
enum Event<C, S> {
    Command(C),
    Session(S),
}

/// What the background lane is at.
#[derive(Debug)]
enum Flight<C, S> {
    /// Since when the output that it reports had waited.
    Update(Instant),
    Event(Event<C, S>),
    Probe,
}

#[derive(Debug)]
pub struct Dispatch<C, S> {
    gate: Gate,
    breaker: Breaker,
    next: u64,
    chats: VecDeque<Chat>,
    chat_flight: Option<(Ticket, Chat)>,
    events: VecDeque<Event<C, S>>,
    /// When the first output came that no update has reported.
    output_since: Option<Instant>,
    flight: Option<(Ticket, Flight<C, S>)>,
    /// The flight was taken back already.
    is_cancelled: bool,
}

impl<C: Clone, S: Clone> Default for Dispatch<C, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Clone, S: Clone> Dispatch<C, S> {
    pub fn new() -> Self {
        Self {
            gate: Gate::Open,
            breaker: Breaker::new(),
            next: 1,
            chats: VecDeque::new(),
            chat_flight: None,
            events: VecDeque::new(),
            output_since: None,
            flight: None,
            is_cancelled: false,
        }
    }

    /// Says what may leave from now on. What happens while less may is not told later either: commands and output are
    /// dropped, and what of them is in flight is taken back. Session events wait.
    pub fn set_gate(&mut self, gate: Gate) -> Option<Effect<C, S>> {
        self.gate = gate;
        if gate == Gate::Open {
            return None;
        }
        self.output_since = None;
        self.events.retain(|e| matches!(e, Event::Session(_)));
        let tells = matches!(self.flight, Some((_, Flight::Update(_) | Flight::Event(Event::Command(_)))));
        let takes_back = tells && !self.is_cancelled;
        self.is_cancelled |= takes_back;
        takes_back.then_some(Effect::CancelBackground)
    }

    /// Another Linus from now on: what was found out about the way to the one before says nothing of this one.
    pub fn meet_another(&mut self) {
        self.breaker = Breaker::new();
    }

    pub fn gate(&self) -> Gate {
        self.gate
    }

    /// The user wrote to Linus. The value tells this message in [`Due::Chat`] and in the answer of
    /// [`Dispatch::reply`].
    pub fn chat(&mut self, message: String) -> Result<u64, Refused> {
        if self.chats.len() >= CHATS_LIMIT {
            return Err(Refused::QueueFull);
        }
        let waiting: usize = self.chats.iter().map(|c| c.message.len()).sum();
        if waiting + message.len() > CHAT_BYTES_LIMIT {
            return Err(Refused::TooLong);
        }
        let id = self.number();
        self.chats.push_back(Chat { id, message });
        Ok(id)
    }

    /// The messages that wait, first first.
    pub fn waiting_chats(&self) -> impl Iterator<Item = (u64, &str)> {
        self.chats.iter().map(|c| (c.id, c.message.as_str()))
    }

    /// The message that waits for its answer.
    pub fn chat_in_flight(&self) -> Option<(u64, &str)> {
        self.chat_flight.as_ref().map(|(_, chat)| (chat.id, chat.message.as_str()))
    }

    /// Takes a waiting message back; false if it is no longer waiting.
    pub fn withdraw(&mut self, id: u64) -> bool {
        let before = self.chats.len();
        self.chats.retain(|c| c.id != id);
        self.chats.len() < before
    }

    /// Something was printed.
    pub fn output(&mut self, now: Instant) {
        if self.hears() {
            self.output_since.get_or_insert(now);
        }
    }

    /// A command ended, or ran for 5 s.
    pub fn command(&mut self, command: C) {
        if self.hears() {
            self.push(Event::Command(command));
        }
    }

    /// Whether what happens by itself reaches Linus now.
    fn hears(&self) -> bool {
        self.gate == Gate::Open && !self.breaker.is_offline()
    }

    /// Whether a command waits to be told, or its answer is not there yet.
    pub fn is_telling(&self) -> bool {
        let is_command = |event: &Event<C, S>| matches!(event, Event::Command(_));
        let flies = matches!(&self.flight, Some((_, Flight::Event(event))) if is_command(event));
        flies || self.events.iter().any(is_command)
    }

    /// The session came up, ended or failed. Kept while offline: without it Linus would not know the session.
    pub fn session(&mut self, event: S) {
        self.push(Event::Session(event));
    }

    /// A call came back. `jitter` is any number from 0 to 1; `took` is how long the call took. The value is
    /// what became of the chat message, if it was one.
    pub fn reply(
        &mut self,
        ticket: Ticket,
        result: Result<(), &CallError>,
        took: Duration,
        now: Instant,
        jitter: f64,
    ) -> Option<(u64, Fate)> {
        if let Some((_, chat)) = self.chat_flight.take_if(|(t, _)| *t == ticket) {
            self.judge(result, false, took, now, jitter);
            let id = chat.id;
            return Some((id, self.chat_fate(result, chat)));
        }
        let (_, flight) = self.flight.take_if(|(t, _)| *t == ticket)?;
        self.is_cancelled = false;
        self.judge(result, matches!(flight, Flight::Probe), took, now, jitter);
        match (flight, result) {
            (Flight::Update(since), Err(CallError::Cancelled)) => {
                let since = self.output_since.map_or(since, |s| s.min(since));
                self.output_since = Some(since).filter(|_| self.hears());
            }
            (Flight::Event(event), Err(error)) if error.delivery() == Delivery::Not && self.keeps(&event) => {
                self.events.push_front(event);
            }
            _ => {}
        }
        None
    }

    /// Asks for a try now instead of at the end of the backoff.
    pub fn retry(&mut self, now: Instant) {
        self.breaker.retry(now);
    }

    pub fn link(&self) -> &Link {
        &self.breaker.link
    }

    /// When [`Dispatch::due`] has something new although nothing was put in.
    pub fn deadline(&self) -> Option<Instant> {
        if self.is_silent() {
            return None;
        }
        if let Some(next_try) = self.breaker.next_try() {
            let is_trying = self.is_cancelled || matches!(self.flight, Some((_, Flight::Probe)));
            return Some(next_try).filter(|_| !is_trying);
        }
        self.output_since.filter(|_| self.flight.is_none()).map(|since| since + DEBOUNCE)
    }

    /// What to do now, in this order. What is handed out counts as in flight until its reply.
    pub fn due(&mut self, now: Instant) -> Vec<Effect<C, S>> {
        let mut effects = Vec::new();
        if self.is_silent() {
            return effects;
        }
        if let Some(next_try) = self.breaker.next_try() {
            if now >= next_try {
                effects.extend(self.probe());
            }
            return effects;
        }
        if self.chat_flight.is_none()
            && let Some(chat) = self.chats.pop_front()
        {
            let ticket = self.number();
            let due = Due::Chat { id: chat.id, message: chat.message.clone() };
            self.chat_flight = Some((ticket, chat));
            effects.push(Effect::Send { lane: Lane::Chat, ticket, due });
        }
        if self.gate == Gate::Open {
            effects.extend(self.background(now));
        }
        effects
    }

    /// Whether there is nothing that may be sent, whatever the time.
    fn is_silent(&self) -> bool {
        match self.gate {
            Gate::Open => false,
            Gate::Asked => self.chats.is_empty(),
            Gate::Shut => true,
        }
    }

    fn background(&mut self, now: Instant) -> Option<Effect<C, S>> {
        if self.flight.is_some() {
            let is_update = matches!(self.flight, Some((_, Flight::Update(_))));
            let yields = is_update && !self.events.is_empty() && !self.is_cancelled;
            self.is_cancelled |= yields;
            return yields.then_some(Effect::CancelBackground);
        }
        if let Some(event) = self.events.pop_front() {
            let due = match event.clone() {
                Event::Command(command) => Due::Command(command),
                Event::Session(event) => Due::Session(event),
            };
            return Some(self.fly(Flight::Event(event), due));
        }
        let since = self.output_since.filter(|since| now >= *since + DEBOUNCE)?;
        self.output_since = None;
        Some(self.fly(Flight::Update(since), Due::TerminalUpdate))
    }

    /// Half open: one question, and everything else waits for its answer. A call that still hangs on the
    /// background lane is taken back, or it would keep the question waiting.
    fn probe(&mut self) -> Option<Effect<C, S>> {
        match self.flight {
            None => Some(self.fly(Flight::Probe, Due::Probe)),
            Some((_, Flight::Probe)) => None,
            Some(_) if self.is_cancelled => None,
            Some(_) => {
                self.is_cancelled = true;
                Some(Effect::CancelBackground)
            }
        }
    }

    fn fly(&mut self, flight: Flight<C, S>, due: Due<C, S>) -> Effect<C, S> {
        let ticket = self.number();
        self.flight = Some((ticket, flight));
        Effect::Send { lane: Lane::Background, ticket, due }
    }

    /// Whether an event is worth keeping as things are.
    fn keeps(&self, event: &Event<C, S>) -> bool {
        matches!(event, Event::Session(_)) || self.hears()
    }

    fn judge(
        &mut self,
        result: Result<(), &CallError>,
        is_probe: bool,
        took: Duration,
        now: Instant,
        jitter: f64,
    ) {
        match result {
            Err(error) if is_failure(error) => {
                self.breaker.failed(error, is_probe, now, jitter);
                if self.breaker.is_offline() {
                    self.output_since = None;
                    self.events.retain(|e| matches!(e, Event::Session(_)));
                }
            }
            Err(CallError::Cancelled | CallError::Withheld(_)) => {}
            _ if is_probe => self.breaker.probed(took),
            _ => self.breaker.answered(took),
        }
    }

    fn chat_fate(&mut self, result: Result<(), &CallError>, chat: Chat) -> Fate {
        match result {
            Ok(()) => Fate::Answered,
            Err(CallError::Cancelled) => Fate::Cancelled,
            Err(error) => match error.delivery() {
                Delivery::Not => {
                    self.chats.push_front(chat);
                    Fate::Queued
                }
                Delivery::Perhaps => Fate::PerhapsDelivered,
                Delivery::Answered => Fate::Failed,
            },
        }
    }

    /// The oldest command gives way; session events only to newer ones.
    fn push(&mut self, event: Event<C, S>) {
        if self.events.len() >= EVENTS_LIMIT {
            let oldest = self.events.iter().position(|e| matches!(e, Event::Command(_)));
            self.events.remove(oldest.unwrap_or_default());
        }
        self.events.push_back(event);
    }

    fn number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }
}
