//! What has happened on the wire and the observer has not been told yet, in order and with its times. Pure.
//!
//! It is handed over in batches: a wake-up for every echoed key would cost more than the echo. In a flood the batches
//! stop. The newest bytes are kept then, of older ones the shell's marks; the observer gets these when the flood
//! pauses, or once a second.

use super::ring::{Ring, WHOLE};
use super::{Since, Typed};
use crate::terminal::{Modes, Size};
use std::time::{Duration, Instant};

/// How long something waits for what comes after it. A prompt settles in 80 ms, an eye sees a frame in 16.
const BATCH: Duration = Duration::from_millis(20);
/// More than this within [`BATCH`] is a flood: at 3 MB/s the observer's thread would take a tenth of a CPU, and it must
/// not compete with ssh for one.
const FLOOD: usize = 64 * 1024;
/// How long a flood goes on before the observer gets a look at it.
const LOOK: Duration = Duration::from_secs(1);
/// Things kept beside output. Nobody types as much while an emulator is busy.
const ITEMS: usize = 512;

/// What happened, beside output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Typed(Typed),
    Resize(Size),
    /// The observer is asked for a snapshot.
    Snapshot {
        ticket: u64,
        since: Since,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// So many more of the ring's bytes, which came until then without a pause worth the name.
    Output {
        len: usize,
        until: Instant,
    },
    Act(Act),
}

/// What is handed over. After a gap all output before it is one item.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) ring: Ring,
    /// In order, each with the time when it began.
    pub(super) items: Vec<(Instant, Item)>,
}

#[derive(Debug, Clone, Copy)]
struct Flood {
    /// The end of the window that is counted in, and the bytes that came in it.
    until: Instant,
    came: usize,
    /// When the observer was last given something.
    looked: Instant,
}

pub(super) struct Backlog {
    ring: Ring,
    items: Vec<(Instant, Item)>,
    /// When the oldest item came.
    since: Option<Instant>,
    flood: Option<Flood>,
    /// Somebody waits for an answer.
    urgent: bool,
    /// There was no room for it; not before this is it offered again.
    retry: Option<Instant>,
}

impl Backlog {
    pub(super) fn new() -> Self {
        Self::of(Ring::new(&Modes::new()))
    }

    /// For an observer that has seen nothing yet, of a stream that is in these modes.
    pub(super) fn behind_gap(modes: &Modes) -> Self {
        Self::of(Ring::behind_gap(modes))
    }

    fn of(ring: Ring) -> Self {
        Self { ring, items: Vec::new(), since: None, flood: None, urgent: false, retry: None }
    }

    /// Whether there is nothing to hand over.
    pub(super) fn is_empty(&self) -> bool {
        self.since.is_none()
    }

    /// `modes` is what the terminal is in after these bytes.
    pub(super) fn output(&mut self, bytes: &[u8], modes: &Modes, now: Instant) {
        self.since.get_or_insert(now);
        self.ring.push(bytes, modes);
        match self.items.last_mut() {
            Some((_, Item::Output { len, until })) if now < *until + BATCH => {
                (*len, *until) = (*len + bytes.len(), now);
            }
            _ => self.items.push((now, Item::Output { len: bytes.len(), until: now })),
        }
        if let Some(flood) = &mut self.flood {
            flood.came += bytes.len();
        }
        if self.ring.bytes().len() > WHOLE || self.items.len() > ITEMS {
            self.skip();
        }
    }

    pub(super) fn act(&mut self, act: Act, now: Instant) {
        self.since.get_or_insert(now);
        self.urgent |= matches!(act, Act::Snapshot { .. });
        if matches!(act, Act::Resize(_)) {
            self.ring.resized();
        }
        let is_full = self.items.len() >= ITEMS;
        if act == Act::Typed(Typed::Text) && self.is_being_typed(now) {
            return;
        }
        let last = self.items.last_mut().map(|(_, item)| item);
        match (act, last) {
            (Act::Resize(_), Some(Item::Act(last @ Act::Resize(_)))) => *last = act,
            (Act::Typed(Typed::Text | Typed::Enter | Typed::Interrupt), _) if is_full => {}
            _ => self.items.push((now, Item::Act(act))),
        }
    }

    /// Whether the last things that happened are a key of text and what was printed since, just now: the next key says no
    /// more than that one.
    fn is_being_typed(&self, now: Instant) -> bool {
        let key = match self.items.as_slice() {
            [.., key, (_, Item::Output { .. })] | [.., key] => key,
            [] => return false,
        };
        key.1 == Item::Act(Act::Typed(Typed::Text)) && now < key.0 + BATCH
    }

    /// It is wanted at once, even if there is nothing.
    pub(super) fn hurry(&mut self, now: Instant) {
        self.since.get_or_insert(now);
        self.urgent = true;
    }

    /// Drops the oldest output. What is left of it is one item, before whatever wants to see it, and of several sizes
    /// the last counts.
    fn skip(&mut self) {
        self.ring.drop_oldest();
        let (mut output, mut size) = (None, None);
        for (at, item) in &self.items {
            match *item {
                Item::Output { until, .. } => output = Some((output.map_or(*at, |(first, _)| first), until)),
                Item::Act(Act::Resize(_)) => size = Some((*at, *item)),
                Item::Act(_) => {}
            }
        }
        let output =
            output.map(|(first, until)| (first, Item::Output { len: self.ring.bytes().len(), until }));
        self.items.retain(|(_, item)| !matches!(item, Item::Output { .. } | Item::Act(Act::Resize(_))));
        let wants = |(_, item): &(Instant, Item)| matches!(item, Item::Act(Act::Snapshot { .. }));
        let at = self.items.iter().position(wants).unwrap_or(self.items.len());
        self.items.splice(at..at, size.into_iter().chain(output));
    }

    /// When [`Backlog::is_due`] has to be asked again.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let since = self.since?;
        let due = match self.flood {
            _ if self.urgent => since,
            Some(flood) => flood.until,
            None if self.ring.bytes().len() >= FLOOD => since,
            None => since + BATCH,
        };
        Some(self.retry.map_or(due, |retry| retry.max(due)))
    }

    /// Whether it is time to hand over. Follows the flood, too.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let Some(since) = self.since.filter(|_| self.retry.is_none_or(|retry| now >= retry)) else {
            return false;
        };
        let Some(flood) = &mut self.flood else {
            // How a flood began is seen: the line that started it stands there.
            let floods = self.ring.bytes().len() >= FLOOD;
            self.flood = floods.then_some(Flood { until: now + BATCH, came: 0, looked: now });
            return floods || self.urgent || now >= since + BATCH;
        };
        if now >= flood.until {
            if flood.came < FLOOD {
                self.flood = None;
                return true;
            }
            (flood.until, flood.came) = (now + BATCH, 0);
        }
        let looks = self.urgent || now >= flood.looked + LOOK;
        if looks {
            flood.looked = now;
        }
        looks
    }

    /// All of it. `modes` is what the terminal is in now.
    pub(super) fn take(&mut self, modes: &Modes) -> Batch {
        if self.ring.gap().is_some() {
            self.skip();
        }
        (self.since, self.urgent, self.retry) = (None, false, None);
        let ring = std::mem::replace(&mut self.ring, Ring::new(modes));
        Batch { ring, items: std::mem::take(&mut self.items) }
    }

    /// There was no room for it: it is first again, and as urgent as can be.
    pub(super) fn put_back(&mut self, batch: Batch, now: Instant) {
        (self.ring, self.items) = (batch.ring, batch.items);
        (self.since, self.urgent, self.retry) = (Some(now), true, Some(now + BATCH));
    }
}

#[cfg(test)]
mod tests;
