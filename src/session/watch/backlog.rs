//! What has happened on the wire and the observer has not been told yet, in order and with its times. Pure.
//!
//! It is handed over in batches: a wake-up for every echoed key would cost more than the echo. In a flood the batches
//! stop. The newest bytes are kept then, of older ones the shell's marks; the observer gets these when the flood
//! pauses, or once a second.

use super::Typed;
use crate::terminal::{Modes, Size, Skimmer};
use std::time::{Duration, Instant};

/// How long something waits for what comes after it. A prompt settles in 80 ms, an eye sees a frame in 16.
const BATCH: Duration = Duration::from_millis(20);
/// More than this within [`BATCH`] is a flood: at 3 MB/s the observer's thread would take a tenth of a CPU, and it must
/// not compete with ssh for one.
const FLOOD: usize = 64 * 1024;
/// How long a flood goes on before the observer gets a look at it.
const LOOK: Duration = Duration::from_secs(1);
/// What is kept of the newest output: several screens of any size, and more than a command's output as it is reported.
const RING: usize = 512 * 1024;
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
        since: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// So many of the batch's bytes.
    Output(usize),
    Act(Act),
}

/// What is handed over. After a gap all output before it is one item.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) items: Vec<(Instant, Item)>,
    /// What was read of the output that is missing before `bytes`.
    pub(super) skimmed: Skimmer,
    /// If any is: the modes at the end of the batch.
    pub(super) gap: Option<Box<Modes>>,
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
    bytes: Vec<u8>,
    items: Vec<(Instant, Item)>,
    /// Reads what is dropped from the front of `bytes`.
    skimmer: Skimmer,
    skipped: bool,
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
        Self {
            bytes: Vec::new(),
            items: Vec::new(),
            skimmer: Skimmer::after(&Modes::new()),
            skipped: false,
            since: None,
            flood: None,
            urgent: false,
            retry: None,
        }
    }

    pub(super) fn output(&mut self, bytes: &[u8], now: Instant) {
        self.begin(now);
        self.bytes.extend_from_slice(bytes);
        match self.items.last_mut() {
            Some((_, Item::Output(len))) => *len += bytes.len(),
            _ => self.items.push((now, Item::Output(bytes.len()))),
        }
        if let Some(flood) = &mut self.flood {
            flood.came += bytes.len();
        }
        // Twice, so that the rest is moved once for as many bytes as it has.
        if self.bytes.len() > 2 * RING || self.items.len() > ITEMS {
            self.skip();
        }
    }

    pub(super) fn act(&mut self, act: Act, now: Instant) {
        self.begin(now);
        self.urgent |= matches!(act, Act::Snapshot { .. });
        let is_full = self.items.len() >= ITEMS;
        let last = self.items.last_mut().map(|(_, item)| item);
        match (act, last) {
            (Act::Typed(Typed::Text), Some(Item::Act(Act::Typed(Typed::Text)))) => {}
            (Act::Resize(_), Some(Item::Act(last @ Act::Resize(_)))) => *last = act,
            (Act::Typed(Typed::Text | Typed::Enter | Typed::Interrupt), _) if is_full => {}
            _ => self.items.push((now, Item::Act(act))),
        }
    }

    /// It is wanted at once, even if there is nothing.
    pub(super) fn hurry(&mut self, now: Instant) {
        self.begin(now);
        self.urgent = true;
    }

    fn begin(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Drops the oldest output. What is left of it is one item, before whatever wants to see it, and of several sizes
    /// the last counts.
    fn skip(&mut self) {
        let over = self.bytes.len().saturating_sub(RING);
        self.skimmer.feed(&self.bytes[..over]);
        self.bytes.drain(..over);
        self.skipped |= over > 0;
        let position =
            |items: &[(Instant, Item)], is: fn(&Item) -> bool| items.iter().rposition(|(_, item)| is(item));
        let size =
            position(&self.items, |item| matches!(item, Item::Act(Act::Resize(_)))).map(|at| self.items[at]);
        let output = position(&self.items, |item| matches!(item, Item::Output(_))).map(|at| self.items[at].0);
        self.items.retain(|(_, item)| !matches!(item, Item::Output(_) | Item::Act(Act::Resize(_))));
        let wants = |(_, item): &(Instant, Item)| matches!(item, Item::Act(Act::Snapshot { .. }));
        let at = self.items.iter().position(wants).unwrap_or(self.items.len());
        let output = output.map(|when| (when, Item::Output(self.bytes.len())));
        self.items.splice(at..at, size.into_iter().chain(output));
    }

    /// When [`Backlog::is_due`] has to be asked again.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let since = self.since?;
        let due = match self.flood {
            _ if self.urgent => since,
            Some(flood) => flood.until,
            None if self.bytes.len() >= FLOOD => since,
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
            let floods = self.bytes.len() >= FLOOD;
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

    /// All of it. `modes` is what the terminal is in after the last byte.
    pub(super) fn take(&mut self, modes: &Modes) -> Batch {
        let skimmed = std::mem::replace(&mut self.skimmer, Skimmer::after(modes));
        let gap = std::mem::take(&mut self.skipped).then(|| Box::new(modes.clone()));
        (self.since, self.urgent, self.retry) = (None, false, None);
        Batch { bytes: std::mem::take(&mut self.bytes), items: std::mem::take(&mut self.items), skimmed, gap }
    }

    /// There was no room for it: it is first again, and as urgent as can be.
    pub(super) fn put_back(&mut self, batch: Batch, now: Instant) {
        (self.bytes, self.items, self.skimmer) = (batch.bytes, batch.items, batch.skimmed);
        self.skipped = batch.gap.is_some();
        (self.since, self.urgent, self.retry) = (Some(now), true, Some(now + BATCH));
    }
}

#[cfg(test)]
mod tests;
