//! The observer (emulator and shell tracker) and the thread that it lives on while the panel is hidden.
//!
//! The main loop keeps what happens in a backlog, hands it over in batches and never waits for the thread. While the
//! panel is shown the observer is lent to the main loop, which then feeds it itself.

mod backlog;
mod ring;
mod snapshot;
mod thread;

pub(super) use snapshot::{Since, Snapshot};
pub(super) use thread::give_way;

use super::Event;
use super::wake::Waker;
use crate::agents::hub::Seen;
use crate::shell::{Input, Observer};
use crate::terminal::{Modes, Size, crash};
use backlog::{Act, Backlog};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Instant;
use thread::{Ends, Feed};

/// How often a thread that died is followed by another. What kills one may well kill the next.
const RESTARTS: u8 = 3;
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

/// What became of the observer when its thread died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restart {
    Kept,
    Anew,
    Lost,
}

/// Makes an observer for a terminal of this size.
type Make = Box<dyn Fn(Size) -> Observer>;

/// The main loop's handle.
pub(super) struct Watch {
    make: Make,
    event_tx: SyncSender<Event>,
    waker: Waker,
    restarts: u8,
    feed_tx: SyncSender<Feed>,
    backlog: Backlog,
    place: Place,
    /// The number of the batch that is being filled, or of the last.
    number: u64,
    begun: Arc<AtomicU64>,
}

impl Watch {
    pub(super) fn start(
        make: impl Fn(Size) -> Observer + 'static,
        size: Size,
        event_tx: SyncSender<Event>,
        waker: Waker,
    ) -> io::Result<Self> {
        let (feed_tx, begun) = spawn(make(size), event_tx.clone(), waker.clone())?;
        let (backlog, place, make) = (Backlog::new(), Place::Away(None), Box::new(make));
        Ok(Self { make, event_tx, waker, restarts: 0, feed_tx, backlog, place, number: 0, begun })
    }

    /// The thread is dead, and there is another. Where the observer is here, it is safe; else there is a new one, which knows
    /// of the session only that it is in these modes, and after too many there is none any more.
    pub(super) fn restart(&mut self, size: Size, modes: &Modes) -> Restart {
        let kept = matches!(self.place, Place::Here(_));
        self.restarts += 1;
        let fresh = if kept || self.restarts <= RESTARTS {
            spawn((self.make)(size), self.event_tx.clone(), self.waker.clone()).ok()
        } else {
            None
        };
        let restart = match fresh {
            _ if kept => Restart::Kept,
            Some(_) => Restart::Anew,
            None => Restart::Lost,
        };
        if let Some((feed_tx, begun)) = fresh {
            (self.feed_tx, self.begun, self.number) = (feed_tx, begun, 0);
        }
        match restart {
            Restart::Kept => {}
            Restart::Anew => (self.backlog, self.place) = (Backlog::behind_gap(modes), Place::Away(None)),
            Restart::Lost => self.is_lost(),
        }
        restart
    }

    /// A copy of what ssh printed; `modes` is what the terminal is in after it.
    pub(super) fn output(&mut self, bytes: &[u8], modes: &Modes, now: Instant) {
        match &mut self.place {
            Place::Here(observer) => observer.feed(bytes, now),
            Place::Lost => {}
            _ => {
                self.begin();
                self.backlog.output(bytes, modes, now);
            }
        }
    }

    /// Something is about to be in the backlog.
    fn begin(&mut self) {
        if self.backlog.is_empty() {
            self.number += 1;
            self.begun.store(self.number, Ordering::Release);
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
            self.begin();
            self.backlog.act(act, now);
        }
    }

    /// Asks for a snapshot, which comes back at once when the observer is here, else as an [`Event`]. While it is on its
    /// way there is none: ask again when it has come.
    pub(super) fn snapshot(&mut self, ticket: u64, since: Since, now: Instant) -> Option<Snapshot> {
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
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        if let Place::Away(observer) = &mut self.place {
            self.place = Place::Wanted(observer.take());
            self.hurry(now);
        }
        !matches!(self.place, Place::Lost)
    }

    /// The observer has come; it is told what happened meanwhile.
    pub(super) fn lent(&mut self, mut observer: Box<Observer>, modes: &Modes) {
        thread::apply(&mut observer, &self.backlog.take(modes));
        self.place = Place::Here(observer);
    }

    /// Gives the observer back to its thread.
    pub(super) fn give_back(&mut self, now: Instant) {
        match std::mem::replace(&mut self.place, Place::Lost) {
            Place::Here(observer) => {
                self.place = Place::Away(Some(observer));
                self.hurry(now);
            }
            elsewhere => self.place = elsewhere,
        }
    }

    /// Whatever there is, or nothing, is to be handed over now.
    fn hurry(&mut self, now: Instant) {
        self.begin();
        self.backlog.hurry(now);
    }

    fn is_lost(&mut self) {
        (self.place, self.backlog) = (Place::Lost, Backlog::new());
    }

    /// Hands over what is due, without waiting. `modes` is what the terminal is in now.
    pub(super) fn catch_up(&mut self, modes: &Modes, now: Instant) {
        let lend = matches!(self.place, Place::Wanted(_));
        let (Place::Away(observer) | Place::Wanted(observer)) = &mut self.place else { return };
        if !self.backlog.is_due(now) {
            return;
        }
        let (returned, batch) = (observer.take(), self.backlog.take(modes));
        match self.feed_tx.try_send(Feed { number: self.number, returned, batch, lend }) {
            Ok(()) if lend => self.place = Place::Coming,
            Ok(()) => {}
            Err(TrySendError::Full(feed)) => {
                *observer = feed.returned;
                self.backlog.put_back(feed.batch, now);
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

/// What agents are told of where the session stands, if it is another than was told.
pub(super) fn seen(observer: &Observer, told: &mut Seen) -> Option<Seen> {
    let (facts, state) = (observer.facts(), observer.state());
    if told.state == state && told.dialect == facts.dialect.name() && told.cwd == facts.cwd {
        return None;
    }
    let dialect = facts.dialect.name();
    *told = Seen { state, is_local_secret: false, dialect, cwd: facts.cwd.clone() };
    Some(told.clone())
}

/// A thread for the observer: what it is told by, and what tells it that there is more to come.
fn spawn(
    observer: Observer,
    event_tx: SyncSender<Event>,
    waker: Waker,
) -> io::Result<(SyncSender<Feed>, Arc<AtomicU64>)> {
    let (feed_tx, feed_rx) = sync_channel(BATCHES);
    let begun = Arc::new(AtomicU64::new(0));
    let ends = Ends { feed_rx, event_tx, waker, begun: begun.clone() };
    std::thread::Builder::new()
        .name(crash::EMULATOR.into())
        .spawn(move || thread::run(Box::new(observer), &ends))?;
    Ok((feed_tx, begun))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::wake;
    use std::time::Duration;

    #[test]
    fn an_observer_that_is_given_back_goes_at_once() {
        const SOON: Duration = Duration::from_secs(20);
        let (event_tx, event_rx) = sync_channel(16);
        let (waker, _wake) = wake::pair().expect("a pipe");
        let mut watch = Watch::start(Observer::new, Size::new(80, 24), event_tx, waker).expect("a thread");
        let modes = Modes::new();
        assert!(watch.ask(Instant::now()) && watch.deadline().is_some_and(|at| at <= Instant::now()));
        watch.catch_up(&modes, Instant::now());
        let Ok(Event::Lent(observer)) = event_rx.recv_timeout(SOON) else { panic!("no observer") };
        watch.lent(observer, &modes);
        watch.output(b"joe@web1:~$ ", &modes, Instant::now());
        watch.catch_up(&modes, Instant::now());
        watch.give_back(Instant::now());
        assert!(watch.deadline().is_some_and(|at| at <= Instant::now()), "it is not left lying about");
        watch.catch_up(&modes, Instant::now());
        let Ok(Event::Shell(events)) = event_rx.recv_timeout(SOON) else { panic!("the prompt is not told") };
        assert_eq!(events, [crate::shell::ShellEvent::Prompt]);
    }

    #[test]
    fn a_thread_that_dies_again_and_again_is_not_followed_by_another() {
        let (event_tx, _event_rx) = sync_channel(16);
        let (waker, _wake) = wake::pair().expect("a pipe");
        let mut watch = Watch::start(Observer::new, Size::new(80, 24), event_tx, waker).expect("a thread");
        for _ in 0..RESTARTS {
            assert_eq!(watch.restart(Size::new(80, 24), &Modes::new()), Restart::Anew);
            assert!(
                watch.snapshot(1, Since::default(), Instant::now()).is_none() && watch.deadline().is_some(),
                "it is asked"
            );
        }
        assert_eq!(watch.restart(Size::new(80, 24), &Modes::new()), Restart::Lost);
        watch.output(b"x", &Modes::new(), Instant::now());
        assert!(watch.snapshot(1, Since::default(), Instant::now()).is_some() && watch.deadline().is_none());
        assert!(!watch.ask(Instant::now()));
    }
}
