//! How a card gets to the remote: onto the line only (`suggest`), on the user's Enter (`confirm`), or by itself, under
//! guard (`auto`).
//!
//! Pure: what the session sees at one moment is a [`Scene`] in, and at most one [`Send`] comes out. Auto is turned on by
//! a word that the user types in the session and by nothing else; remote bytes can end it and never begin it; its first
//! surprise is its end, and the reason stands until the user has seen to it.

mod auto;
mod chain;
mod colour;
mod hidden;
mod instructions;
mod mode;
mod normal;
mod scene;
mod stop;

use std::time::{Duration, Instant};

use crate::shell::{ExitStatus, Nonce};

use auto::Auto;
pub use auto::{MOMENT, Send};
pub use hidden::{Found, Hidden, Scan};
pub use instructions::{Instruction, Instructions};
pub use mode::{CHAIN_LIMIT, ChainLimit, Mode, StartMode};
pub use scene::{Candidate, Line, Linus, Scene, Sender, has_holes};
pub use stop::Stop;

/// The words that turn auto on.
pub const WORDS: [&str; 2] = ["auto", "yes"];

/// The mode became another, or auto was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub from: Mode,
    pub to: Mode,
    /// Why auto ended or did not begin.
    pub why: Option<Stop>,
}

/// What of auto is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    pub id: String,
    /// Until it is sent; `None` before it was drawn the first time.
    pub left: Option<Duration>,
}

/// The policy of one session.
#[derive(Debug)]
pub struct Policy {
    mode: Mode,
    limit: u8,
    auto: Option<Auto>,
    /// Why auto ended or did not begin, until the user has seen to it.
    stopped: Option<Stop>,
    /// The user has chosen a mode in this session.
    is_chosen: bool,
    changes: Vec<Change>,
}

impl Policy {
    /// `limit`: commands in one chain.
    pub fn new(start: StartMode, limit: ChainLimit) -> Self {
        Self {
            mode: start.mode(),
            limit: limit.0,
            auto: None,
            stopped: None,
            is_chosen: false,
            changes: Vec::new(),
        }
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn is_auto(&self) -> bool {
        self.auto.is_some()
    }

    /// Why auto ended or did not begin last.
    pub fn stopped(&self) -> Option<&Stop> {
        self.stopped.as_ref()
    }

    /// The card that is about to be sent.
    pub fn announced(&self, now: Instant) -> Option<Announcement> {
        let (id, until) = self.auto.as_ref()?.announced()?;
        let left = until.map(|until| until.saturating_duration_since(now));
        Some(Announcement { id: id.to_owned(), left })
    }

    /// Commands of the chain, and how many there may be.
    pub fn chain(&self) -> Option<(usize, u8)> {
        self.auto.as_ref().map(|auto| (auto.length(), auto.limit()))
    }

    /// Why auto would not begin in this scene, if so.
    pub fn obstacle(&self, scene: &Scene<'_>) -> Option<Stop> {
        Auto::check(scene).err()
    }

    pub fn limit(&self) -> u8 {
        self.limit
    }

    /// The user chose another mode than auto. Where auto was on, that is its end.
    pub fn choose(&mut self, start: StartMode) {
        self.is_chosen = true;
        let was_auto = self.auto.take().is_some();
        self.enter(start.mode(), was_auto.then_some(Stop::Left));
        self.stopped = None;
    }

    /// The host is known, and this is its mode: unless the user has chosen one by now.
    pub fn start_as(&mut self, start: StartMode) {
        if !self.is_chosen {
            self.mode = start.mode();
        }
    }

    /// The user typed the word in the session. `tail`: what Linus is shown of the terminal, with SGR.
    pub fn turn_on(
        &mut self,
        word: &str,
        scene: &Scene<'_>,
        tail: &str,
        nonce: &Nonce,
        now: Instant,
    ) -> Result<(), Stop> {
        if self.is_auto() {
            return Ok(());
        }
        self.is_chosen = true;
        let begun = Self::consent(word, tail, nonce)
            .and_then(|()| Auto::begin(scene, self.limit, nonce.clone(), now));
        match begun {
            Ok(auto) => {
                (self.auto, self.stopped) = (Some(auto), None);
                self.enter(Mode::Auto, None);
                Ok(())
            }
            Err(why) => {
                self.changes.push(Change { from: self.mode, to: self.mode, why: Some(why.clone()) });
                self.stopped = Some(why.clone());
                Err(why)
            }
        }
    }

    fn consent(word: &str, tail: &str, nonce: &Nonce) -> Result<(), Stop> {
        if !WORDS.contains(&word.trim()) {
            return Err(Stop::NotConfirmed);
        }
        let mut scan = Scan::new(nonce.clone());
        scan.feed(tail.as_bytes());
        scan.found().map_or(Ok(()), |found| Err(found.into()))
    }

    /// Ends auto; false if it was not on. For everything that a [`Scene`] does not show.
    pub fn stop(&mut self, why: Stop) -> bool {
        let was_on = self.auto.take().is_some();
        if was_on {
            self.enter(Mode::Confirm, Some(why.clone()));
            self.stopped = Some(why);
        }
        was_on
    }

    /// The user has seen why auto is off.
    pub fn dismiss(&mut self) -> bool {
        self.stopped.take().is_some()
    }

    /// A key of the user's in the panel, whatever it means: while a card is announced it is the end.
    pub fn key(&mut self) -> bool {
        let is_announced = self.auto.as_ref().is_some_and(|auto| auto.announced().is_some());
        is_announced && self.stop(Stop::Key)
    }

    /// The user asked Linus something.
    pub fn asked(&mut self, now: Instant) {
        if let Some(auto) = &mut self.auto {
            auto.asked(now);
        }
    }

    /// Something that the remote printed.
    pub fn output(&mut self, bytes: &[u8]) {
        if let Some(auto) = &mut self.auto {
            auto.output(bytes);
        }
    }

    /// A frame went to the user's terminal, which took all of it.
    pub fn drawn(&mut self, now: Instant) {
        if let Some(auto) = &mut self.auto {
            auto.drawn(now);
        }
    }

    /// A command that was sent from a card ended.
    pub fn ended(&mut self, id: &str, exit: Option<ExitStatus>, now: Instant) {
        self.after(|auto| auto.ended(id, exit, now));
    }

    /// A prompt waits again.
    pub fn prompt(&mut self) {
        self.after(|auto| auto.prompt());
    }

    /// Looks at the session. The value is to be typed now; if it cannot be, [`Policy::stop`] says so.
    pub fn step(&mut self, scene: &Scene<'_>, now: Instant) -> Option<Send> {
        self.after(|auto| auto.step(scene, now)).flatten()
    }

    /// When [`Policy::step`] or drawing the countdown has something to do, if nothing happens before.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let auto = self.auto.as_ref()?;
        let second = auto.announced().and_then(|(_, until)| next_second(until?, now));
        auto.deadline().into_iter().chain(second).min()
    }

    /// What changed since the last call: for the panel and for records.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    fn after<T>(&mut self, act: impl FnOnce(&mut Auto) -> Result<T, Stop>) -> Option<T> {
        match act(self.auto.as_mut()?) {
            Ok(value) => Some(value),
            Err(why) => {
                self.stop(why);
                None
            }
        }
    }

    fn enter(&mut self, to: Mode, why: Option<Stop>) {
        let from = std::mem::replace(&mut self.mode, to);
        if from != to || why.is_some() {
            self.changes.push(Change { from, to, why });
        }
    }
}

/// When the countdown shows another number: a whole second before `until`.
fn next_second(until: Instant, now: Instant) -> Option<Instant> {
    let left = until.checked_duration_since(now)?;
    let whole = Duration::from_secs(left.as_secs());
    let step = if left == whole { whole.checked_sub(Duration::from_secs(1))? } else { whole };
    until.checked_sub(step)
}

#[cfg(test)]
mod tests;
