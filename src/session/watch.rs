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
/// Keys remembered while the observer is on its way; nobody types more in that moment.
const WAITING: usize = 256;
/// How often a ring is offered to the thread again.
const RETRY: Duration = Duration::from_millis(10);

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

/// The limit of `terminal_tail` in bytes.
const TAIL_BYTES: usize = 64 * 1024;

impl Snapshot {
    pub(super) fn take(observer: &Observer, since: u64) -> Self {
        let emulator = observer.emulator();
        let line = emulator.cursor_line();
        Self {
            tail: observer.tail(TAIL_BYTES),
            // `clear` moves the cursor to a lower line than before: what is there now is new.
            new_output: observer.shown_since(since.min(line), TAIL_BYTES),
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
    Lend,
    Return(Box<Observer>),
}

/// Where the observer is.
enum Place {
    Away,
    /// Asked for; what happens meanwhile waits for it here.
    Coming(Vec<Typed>),
    Here(Box<Observer>),
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
    place: Place,
    gone: bool,
}

impl Watch {
    pub(super) fn start(
        observer: Observer,
        event_tx: SyncSender<Event>,
        waker: Waker,
    ) -> std::io::Result<Self> {
        let (feed_tx, feed_rx) = sync_channel(BACKLOG);
        std::thread::Builder::new()
            .name("emulator".into())
            .spawn(move || run(Box::new(observer), &feed_rx, &event_tx, &waker))?;
        Ok(Self {
            feed_tx,
            ring: VecDeque::new(),
            skipped: false,
            owed: VecDeque::new(),
            place: Place::Away,
            gone: false,
        })
    }

    /// A copy of what ssh printed.
    pub(super) fn output(&mut self, bytes: &[u8], now: Instant) {
        if let Place::Here(observer) = &mut self.place {
            return observer.feed(bytes, now);
        }
        let coming = matches!(self.place, Place::Coming(_));
        if coming || self.is_behind() || self.offer(Feed::Output(bytes.to_vec())).is_err() {
            self.ring.extend(bytes);
            let over = self.ring.len().saturating_sub(RING);
            self.ring.drain(..over);
            self.skipped |= over > 0;
        }
    }

    /// Whether the thread has to be offered something again.
    fn is_behind(&self) -> bool {
        !self.ring.is_empty() || !self.owed.is_empty()
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

    /// Offers again what found no room; `modes` is what the terminal is in after the ring's last byte.
    pub(super) fn catch_up(&mut self, modes: &Modes) {
        while let Some(feed) = self.owed.pop_front() {
            if let Err(feed) = self.offer(feed) {
                return self.owed.push_front(feed);
            }
        }
        // Last, because the observer itself may be among what is owed.
        if matches!(self.place, Place::Away)
            && let Some(feed) = self.take_ring(modes)
        {
            match self.offer(feed) {
                Err(Feed::Output(ring)) => self.ring = ring.into(),
                Err(Feed::Rebuild { ring, .. }) => (self.ring, self.skipped) = (ring.into(), true),
                _ => {}
            }
        }
    }

    /// When to call [`Watch::catch_up`] or [`Observer::tick`] next.
    pub(super) fn deadline(&self, now: Instant) -> Option<Instant> {
        match &self.place {
            Place::Here(observer) => observer.deadline(),
            _ if self.gone => None,
            Place::Coming(_) => (!self.owed.is_empty()).then(|| now + RETRY),
            Place::Away => self.is_behind().then(|| now + RETRY),
        }
    }

    pub(super) fn typed(&mut self, typed: Typed, now: Instant) {
        match &mut self.place {
            Place::Here(observer) => observer.input(typed.input(), now),
            Place::Coming(waiting) if waiting.len() < WAITING => waiting.push(typed),
            Place::Coming(_) => {}
            _ if matches!(typed, Typed::LocalSecret(_)) => self.owe(Feed::Typed(typed)),
            // A full backlog also means that there is no settled prompt to learn from.
            _ => drop(self.offer(Feed::Typed(typed))),
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        match &mut self.place {
            Place::Here(observer) => observer.resize(size),
            // Whoever asked for it sets its size when it comes.
            Place::Coming(_) => {}
            Place::Away => {
                self.owed.retain(|feed| !matches!(feed, Feed::Resize(_)));
                self.owe(Feed::Resize(size));
            }
        }
    }

    /// Asks for a snapshot, which comes back at once when the observer is here, else as an [`Event`]. While it is on its
    /// way there is none: ask again when it has come.
    pub(super) fn snapshot(&mut self, ticket: u64, since: u64) -> Option<Snapshot> {
        match &self.place {
            Place::Here(observer) => Some(Snapshot::take(observer, since)),
            _ if self.gone => Some(Snapshot::default()),
            Place::Coming(_) => None,
            Place::Away => {
                self.owe(Feed::Snapshot { ticket, since });
                None
            }
        }
    }

    /// The observer, if it is here.
    pub(super) fn here(&mut self) -> Option<&mut Observer> {
        match &mut self.place {
            Place::Here(observer) => Some(observer),
            _ => None,
        }
    }

    /// Asks for the observer: it comes as [`Event::Lent`]. False if there is none any more.
    pub(super) fn ask(&mut self, modes: &Modes) -> bool {
        if matches!(self.place, Place::Away) && !self.gone {
            // All that was printed goes before the question; what comes after waits here.
            if let Some(feed) = self.take_ring(modes) {
                self.owed.push_front(feed);
            }
            self.owe(Feed::Lend);
            self.place = Place::Coming(Vec::new());
        }
        !self.gone
    }

    /// The observer has come; it is fed what was printed meanwhile.
    pub(super) fn lent(&mut self, mut observer: Box<Observer>, modes: &Modes, now: Instant) {
        if let Place::Coming(typed) = &self.place {
            typed.iter().for_each(|typed| observer.input(typed.input(), now));
        }
        let ring: Vec<u8> = std::mem::take(&mut self.ring).into();
        if std::mem::take(&mut self.skipped) {
            observer.resync(modes, &ring, now);
        } else if !ring.is_empty() {
            observer.feed(&ring, now);
        }
        self.place = Place::Here(observer);
    }

    /// Gives the observer back to its thread.
    pub(super) fn give_back(&mut self) {
        if let Place::Here(observer) = std::mem::replace(&mut self.place, Place::Away) {
            self.owe(Feed::Return(observer));
        }
    }

    /// The thread is dead; the session goes on without it.
    pub(super) fn is_lost(&mut self) {
        self.gone = true;
        self.place = Place::Away;
        (self.ring, self.owed) = (VecDeque::new(), VecDeque::new());
    }

    /// Sends now, or when there is room again.
    fn owe(&mut self, feed: Feed) {
        if self.gone {
            return;
        }
        if !self.owed.is_empty() {
            self.owed.push_back(feed);
        } else if let Err(feed) = self.offer(feed) {
            self.owed.push_back(feed);
        }
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
}

/// The thread: feeds, ticks, reports. A panic ends it, and with it what the panel knows, not the session.
fn run(observer: Box<Observer>, feed_rx: &Receiver<Feed>, event_tx: &SyncSender<Event>, waker: &Waker) {
    let body = AssertUnwindSafe(|| attend(observer, feed_rx, event_tx, waker));
    if catch_unwind(body).is_err() {
        let _ = event_tx.send(Event::WatchLost);
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
        let lends = matches!(feed, Some(Feed::Lend));
        let event = match feed {
            Some(Feed::Lend) => None,
            Some(Feed::Return(observer)) => {
                here = Some(observer);
                None
            }
            feed => here.as_mut().and_then(|observer| take(observer, feed.as_ref(), Instant::now())),
        };
        let news = here.as_mut().map(|o| o.take_events()).unwrap_or_default();
        let news: Vec<_> = news.into_iter().filter(|e| *e != ShellEvent::Output).collect();
        let shell = (!news.is_empty()).then_some(Event::Shell(news));
        let loan = if lends { here.take().map(Event::Lent) } else { None };
        for event in [shell, event, loan].into_iter().flatten() {
            // May wait for the main loop, which never waits for us.
            if event_tx.send(event).is_err() {
                return;
            }
            waker.wake();
        }
    }
}

fn take(observer: &mut Observer, feed: Option<&Feed>, now: Instant) -> Option<Event> {
    match feed {
        None => observer.tick(now),
        Some(Feed::Output(bytes)) => {
            observer.feed(bytes, now);
            // The panel is hidden: the user's own terminal has answered and shown what these ask for.
            observer.emulator_mut().take_signals();
        }
        Some(Feed::Rebuild { modes, ring }) => observer.resync(modes, ring, now),
        Some(Feed::Typed(typed)) => observer.input(typed.input(), now),
        Some(Feed::Resize(size)) => observer.resize(*size),
        Some(Feed::Snapshot { ticket, since }) => {
            let snapshot = Box::new(Snapshot::take(observer, *since));
            return Some(Event::Snapshot { ticket: *ticket, snapshot });
        }
        Some(Feed::Lend | Feed::Return(_)) => {}
    }
    None
}
