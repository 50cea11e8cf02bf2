//! The observer (emulator and shell tracker) and the thread that it lives on while the panel is hidden.
//!
//! The main loop keeps what happens in a backlog, hands it over in batches and never waits for the thread. While the
//! panel is shown the observer is lent to the main loop, which then feeds it itself.

mod backlog;
mod snapshot;
mod thread;

pub(super) use snapshot::Snapshot;

use super::Event;
use super::wake::Waker;
use crate::shell::{Input, Observer};
use crate::terminal::{Modes, Size};
use backlog::{Act, Backlog};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Instant;
use thread::{Ends, Feed};

/// Batches waiting for the thread, of at most 1 MiB each. One more would only be older.
const BATCHES: usize = 1;

/// The user's side of the wire, as the tracker needs to know it. Never the bytes themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    Text,
    Enter,
    Interrupt,
    LocalSecret(bool),
}

impl Typed {
    fn input(self) -> Input<'static> {
        match self {
            Self::Text => Input::Text,
            Self::Enter => Input::Enter,
            Self::Interrupt => Input::Interrupt,
            Self::LocalSecret(on) => Input::LocalSecret(on),
        }
    }
}

/// Where the observer is.
enum Place {
    /// With its thread, or on its way back to it.
    Away(Option<Box<Observer>>),
    /// Asked for, but its thread has not been told yet.
    Wanted(Option<Box<Observer>>),
    /// On its way here; what happens meanwhile waits for it in the backlog.
    Coming,
    Here(Box<Observer>),
    /// Its thread is dead; the session goes on without it.
    Lost,
}

/// The main loop's handle.
pub(super) struct Watch {
    feed_tx: SyncSender<Feed>,
    backlog: Backlog,
    place: Place,
    unheard: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn start(size: Size, event_tx: SyncSender<Event>, waker: Waker) -> std::io::Result<Self> {
        let (feed_tx, feed_rx) = sync_channel(BATCHES);
        let unheard = Arc::new(AtomicBool::new(false));
        let ends = Ends { feed_rx, event_tx, waker, unheard: unheard.clone() };
        std::thread::Builder::new()
            .name("emulator".into())
            .spawn(move || thread::run(Box::new(Observer::new(size)), &ends))?;
        Ok(Self { feed_tx, backlog: Backlog::new(), place: Place::Away(None), unheard })
    }

    /// A copy of what ssh printed.
    pub(super) fn output(&mut self, bytes: &[u8], now: Instant) {
        match &mut self.place {
            Place::Here(observer) => observer.feed(bytes, now),
            Place::Lost => {}
            _ => {
                self.backlog.output(bytes, now);
                self.unheard.store(true, Ordering::Release);
            }
        }
    }

    pub(super) fn typed(&mut self, typed: Typed, now: Instant) {
        match &mut self.place {
            Place::Here(observer) => observer.input(typed.input(), now),
            _ => self.act(Act::Typed(typed), now),
        }
    }

    pub(super) fn resize(&mut self, size: Size, now: Instant) {
        match &mut self.place {
            Place::Here(observer) => observer.resize(size),
            _ => self.act(Act::Resize(size), now),
        }
    }

    fn act(&mut self, act: Act, now: Instant) {
        if !matches!(self.place, Place::Lost) {
            self.backlog.act(act, now);
            self.unheard.store(true, Ordering::Release);
        }
    }

    /// Asks for a snapshot, which comes back at once when the observer is here, else as an [`Event`]. While it is on its
    /// way there is none: ask again when it has come.
    pub(super) fn snapshot(&mut self, ticket: u64, since: u64, now: Instant) -> Option<Snapshot> {
        match &self.place {
            Place::Here(observer) => return Some(Snapshot::take(observer, since)),
            Place::Lost => return Some(Snapshot::default()),
            Place::Away(_) => self.act(Act::Snapshot { ticket, since }, now),
            Place::Wanted(_) | Place::Coming => {}
        }
        None
    }

    /// The observer, if it is here.
    pub(super) fn here(&mut self) -> Option<&mut Observer> {
        match &mut self.place {
            Place::Here(observer) => Some(observer),
            _ => None,
        }
    }

    /// Asks for the observer: it comes as [`Event::Lent`]. False if there is none any more.
    pub(super) fn ask(&mut self) -> bool {
        if let Place::Away(observer) = &mut self.place {
            self.place = Place::Wanted(observer.take());
        }
        !matches!(self.place, Place::Lost)
    }

    /// The observer has come; it is told what happened meanwhile.
    pub(super) fn lent(&mut self, mut observer: Box<Observer>, modes: &Modes) {
        thread::apply(&mut observer, &self.backlog.take(modes));
        self.place = Place::Here(observer);
    }

    /// Gives the observer back to its thread.
    pub(super) fn give_back(&mut self) {
        if let Place::Here(observer) = std::mem::replace(&mut self.place, Place::Away(None)) {
            self.place = Place::Away(Some(observer));
        }
    }

    /// The thread is dead.
    pub(super) fn is_lost(&mut self) {
        (self.place, self.backlog) = (Place::Lost, Backlog::new());
    }

    /// Hands over what is due. `modes` is what the terminal is in now.
    pub(super) fn catch_up(&mut self, modes: &Modes, now: Instant) {
        let (lend, moves) = match &self.place {
            Place::Away(observer) => (false, observer.is_some()),
            Place::Wanted(_) => (true, true),
            Place::Coming | Place::Here(_) | Place::Lost => return,
        };
        if moves {
            self.backlog.hurry(now);
        }
        if self.backlog.is_due(now) {
            self.hand_over(lend, modes, now);
        }
    }

    /// Never waits.
    fn hand_over(&mut self, lend: bool, modes: &Modes, now: Instant) {
        let returned = match &mut self.place {
            Place::Away(observer) | Place::Wanted(observer) => observer.take(),
            _ => None,
        };
        // Before it is sent: what happens after that is unheard again.
        self.unheard.store(false, Ordering::Release);
        match self.feed_tx.try_send(Feed { returned, batch: self.backlog.take(modes), lend }) {
            Ok(()) if lend => self.place = Place::Coming,
            Ok(()) => {}
            Err(TrySendError::Full(feed)) => {
                self.unheard.store(true, Ordering::Release);
                self.backlog.put_back(feed.batch, now);
                if let Place::Away(observer) | Place::Wanted(observer) = &mut self.place {
                    *observer = feed.returned;
                }
            }
            Err(TrySendError::Disconnected(_)) => self.is_lost(),
        }
    }

    /// When [`Watch::catch_up`] or [`Observer::tick`] has something to do next.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.place {
            Place::Here(observer) => observer.deadline(),
            Place::Away(_) | Place::Wanted(_) => self.backlog.deadline(),
            Place::Coming | Place::Lost => None,
        }
    }
}
