//! The observer (emulator and shell tracker) and the thread that it lives on while the panel is hidden.
//!
//! The main loop gives it a copy of every byte and never waits for it: when the thread falls behind, the newest
//! bytes are kept in a ring, older ones are skipped, and the screen is rebuilt from the ring and the modes. While
//! the panel is shown the observer is lent to the main loop, which then feeds it itself.

use super::Event;
use super::wake::Waker;
use crate::shell::{Facts, Input, Observer, ShellEvent};
use crate::terminal::{Modes, Size};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

/// Chunks waiting for the thread. A PTY read is about 4 KiB on Linux, so this is some 2 MiB.
const BACKLOG: usize = 512;
/// What is kept of the newest output while the thread is behind; several screens of any size.
const RING: usize = 1024 * 1024;
/// How often a ring is offered to the thread again.
const RETRY: Duration = Duration::from_millis(10);
/// The panel opens only if the observer comes back within this time: a backlog is parsed in far less.
const LEND_WITHIN: Duration = Duration::from_millis(1500);

/// What a message to Linus needs to know of the session.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) tail: String,
    /// The lines since the line asked from, that one included.
    pub(super) new_output: String,
    /// The line to ask from the next time.
    pub(super) line: u64,
    pub(super) facts: Facts,
}

/// Lines of `terminal_tail` (the contract says ~100) and its limit in bytes.
const TAIL_LINES: usize = 100;
const TAIL_BYTES: usize = 64 * 1024;

impl Snapshot {
    pub(super) fn take(observer: &Observer, since: u64) -> Self {
        let emulator = observer.emulator();
        let line = emulator.cursor_line();
        Self {
            tail: emulator.tail(TAIL_LINES, TAIL_BYTES),
            // `clear` moves the cursor to a lower line than before: what is there now is new.
            new_output: emulator.text_from(since.min(line), line + 1, TAIL_BYTES),
            line,
            facts: observer.facts().clone(),
        }
    }
}

/// The user's side of the wire, as the tracker needs to know it. Never the bytes themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    Text,
    Enter,
    Interrupt,
    LocalSecret(bool),
}

impl Typed {
    pub(super) fn input(self) -> Input<'static> {
        match self {
            Self::Text => Input::Text,
            Self::Enter => Input::Enter,
            Self::Interrupt => Input::Interrupt,
            Self::LocalSecret(on) => Input::LocalSecret(on),
        }
    }
}

enum Feed {
    Output(Vec<u8>),
    /// Bytes were skipped: start again from these modes and the bytes of the ring.
    Rebuild {
        modes: Box<Modes>,
        ring: Vec<u8>,
    },
    Typed(Typed),
    Resize(Size),
    Snapshot {
        ticket: u64,
        since: u64,
    },
    Lend(SyncSender<Box<Observer>>),
    Return(Box<Observer>),
}

/// The main loop's handle.
pub(super) struct Watch {
    feed_tx: SyncSender<Feed>,
    /// Newest output that found no room.
    ring: VecDeque<u8>,
    /// Whether the ring dropped something, so that the screen must be rebuilt and not continued.
    skipped: bool,
    /// Messages that must arrive (sizes, snapshots) and found no room; a few at most.
    owed: VecDeque<Feed>,
    lent: Option<Box<Observer>>,
    gone: bool,
}

impl Watch {
    pub(super) fn start(size: Size, event_tx: SyncSender<Event>, waker: Waker) -> std::io::Result<Self> {
        let (feed_tx, feed_rx) = sync_channel(BACKLOG);
        std::thread::Builder::new()
            .name("emulator".into())
            .spawn(move || run(Box::new(Observer::new(size)), &feed_rx, &event_tx, &waker))?;
        Ok(Self {
            feed_tx,
            ring: VecDeque::new(),
            skipped: false,
            owed: VecDeque::new(),
            lent: None,
            gone: false,
        })
    }

    /// A copy of what ssh printed.
    pub(super) fn output(&mut self, bytes: &[u8], now: Instant) {
        if let Some(observer) = &mut self.lent {
            return observer.feed(bytes, now);
        }
        if self.is_behind() || self.offer(Feed::Output(bytes.to_vec())).is_err() {
            self.ring.extend(bytes);
            let over = self.ring.len().saturating_sub(RING);
            self.ring.drain(..over);
            self.skipped |= over > 0;
        }
    }

    /// The ring as a message, leaving it empty.
    fn take_ring(&mut self, modes: &Modes) -> Option<Feed> {
        if self.ring.is_empty() {
            return None;
        }
        let ring = std::mem::take(&mut self.ring).into();
        let rebuild = std::mem::take(&mut self.skipped);
        Some(if rebuild {
            Feed::Rebuild { modes: Box::new(modes.clone()), ring }
        } else {
            Feed::Output(ring)
        })
    }

    /// Whether the thread has to be offered something again.
    fn is_behind(&self) -> bool {
        !self.ring.is_empty() || !self.owed.is_empty()
    }

    /// Offers again what found no room; `modes` is what the terminal is in after the ring's last byte.
    pub(super) fn catch_up(&mut self, modes: &Modes) {
        while let Some(feed) = self.owed.pop_front() {
            if let Err(feed) = self.offer(feed) {
                return self.owed.push_front(feed);
            }
        }
        if let Some(feed) = self.take_ring(modes) {
            match self.offer(feed) {
                Err(Feed::Output(ring)) => self.ring = ring.into(),
                Err(Feed::Rebuild { ring, .. }) => (self.ring, self.skipped) = (ring.into(), true),
                _ => {}
            }
        }
    }

    /// When to call [`Watch::catch_up`] or [`Observer::tick`] next.
    pub(super) fn deadline(&self, now: Instant) -> Option<Instant> {
        match &self.lent {
            Some(observer) => observer.deadline(),
            None => (self.is_behind() && !self.gone).then(|| now + RETRY),
        }
    }

    pub(super) fn typed(&mut self, typed: Typed, now: Instant) {
        match &mut self.lent {
            Some(observer) => observer.input(typed.input(), now),
            None if matches!(typed, Typed::LocalSecret(_)) => self.owe(Feed::Typed(typed)),
            // A full backlog also means that there is no settled prompt to learn from.
            None => drop(self.offer(Feed::Typed(typed))),
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        match &mut self.lent {
            Some(observer) => observer.resize(size),
            None => self.owe(Feed::Resize(size)),
        }
    }

    /// Asks for a snapshot, which comes back at once when the observer is here, else as an [`Event`].
    pub(super) fn snapshot(&mut self, ticket: u64, since: u64) -> Option<Snapshot> {
        match &self.lent {
            Some(observer) => Some(Snapshot::take(observer, since)),
            None => {
                self.owe(Feed::Snapshot { ticket, since });
                None
            }
        }
    }

    /// The observer, if it is lent to the main loop.
    pub(super) fn here(&mut self) -> Option<&mut Observer> {
        self.lent.as_deref_mut()
    }

    /// Gets the observer from its thread, with everything parsed that was printed so far.
    pub(super) fn borrow(&mut self, modes: &Modes) -> Option<&mut Observer> {
        if self.lent.is_none() {
            for feed in std::mem::take(&mut self.owed) {
                self.send(feed)?;
            }
            if let Some(feed) = self.take_ring(modes) {
                self.send(feed)?;
            }
            let (lend_tx, lend_rx) = sync_channel(1);
            self.send(Feed::Lend(lend_tx))?;
            self.lent = lend_rx.recv_timeout(LEND_WITHIN).ok();
            self.gone |= self.lent.is_none();
        }
        self.here()
    }

    /// Gives the observer back to its thread.
    pub(super) fn give_back(&mut self) {
        if let Some(observer) = self.lent.take() {
            let _ = self.send(Feed::Return(observer));
        }
    }

    /// Whether the thread is dead or stuck; the session goes on without it.
    pub(super) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Never waits. Gives the message back when there is no room.
    fn offer(&mut self, feed: Feed) -> Result<(), Feed> {
        match self.feed_tx.try_send(feed) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(feed)) => Err(feed),
            Err(TrySendError::Disconnected(_)) => {
                self.gone = true;
                Ok(())
            }
        }
    }

    /// Sends now, or when there is room again.
    fn owe(&mut self, feed: Feed) {
        if self.is_behind() {
            self.owed.push_back(feed);
        } else if let Err(feed) = self.offer(feed) {
            self.owed.push_back(feed);
        }
    }

    /// Waits for room, which a live thread soon has: only when the panel opens or closes.
    fn send(&mut self, feed: Feed) -> Option<()> {
        if self.gone {
            return None;
        }
        let sent = self.feed_tx.send(feed).ok();
        self.gone |= sent.is_none();
        sent
    }
}

/// The thread: feeds, ticks, reports. A panic ends it, and with it what the panel knows, not the session.
fn run(observer: Box<Observer>, feed_rx: &Receiver<Feed>, event_tx: &SyncSender<Event>, waker: &Waker) {
    let body = AssertUnwindSafe(|| attend(observer, feed_rx, event_tx, waker));
    if catch_unwind(body).is_err() {
        let _ = event_tx.try_send(Event::WatchLost);
        waker.wake();
    }
}

fn attend(observer: Box<Observer>, feed_rx: &Receiver<Feed>, event_tx: &SyncSender<Event>, waker: &Waker) {
    let mut here = Some(observer);
    loop {
        let feed = match here.as_ref().and_then(|o| o.deadline()) {
            Some(at) => match feed_rx.recv_timeout(at.saturating_duration_since(Instant::now())) {
                Ok(feed) => Some(feed),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            },
            None => match feed_rx.recv() {
                Ok(feed) => Some(feed),
                Err(_) => return,
            },
        };
        let event = match feed {
            Some(Feed::Lend(lend_tx)) => {
                if let Some(observer) = here.take()
                    && let Err(back) = lend_tx.send(observer)
                {
                    here = Some(back.0);
                }
                None
            }
            Some(Feed::Return(observer)) => {
                here = Some(observer);
                None
            }
            feed => here.as_mut().and_then(|observer| take(observer, feed, Instant::now())),
        };
        let news = here.as_mut().map(|o| o.take_events()).unwrap_or_default();
        let news: Vec<_> = news.into_iter().filter(|e| *e != ShellEvent::Output).collect();
        let shell = (!news.is_empty()).then_some(Event::Shell(news));
        for event in shell.into_iter().chain(event) {
            // Never waits: the main loop may be waiting for us. It takes events at once, so a full channel means
            // that it has been stopped, and then the newest are lost.
            if let Err(TrySendError::Disconnected(_)) = event_tx.try_send(event) {
                return;
            }
            waker.wake();
        }
    }
}

fn take(observer: &mut Observer, feed: Option<Feed>, now: Instant) -> Option<Event> {
    match feed {
        None => observer.tick(now),
        Some(Feed::Output(bytes)) => {
            observer.feed(&bytes, now);
            // The panel is hidden: the user's own terminal has answered and shown what these ask for.
            observer.emulator_mut().take_signals();
        }
        Some(Feed::Rebuild { modes, ring }) => observer.resync(&modes, &ring, now),
        Some(Feed::Typed(typed)) => observer.input(typed.input(), now),
        Some(Feed::Resize(size)) => observer.resize(size),
        Some(Feed::Snapshot { ticket, since }) => {
            return Some(Event::Snapshot { ticket, snapshot: Box::new(Snapshot::take(observer, since)) });
        }
        Some(Feed::Lend(_) | Feed::Return(_)) => {}
    }
    None
}
