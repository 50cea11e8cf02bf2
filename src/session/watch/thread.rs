//! The observer's thread while the panel is hidden: takes batches, tells what it learns.

use super::Snapshot;
use super::backlog::{Act, Batch, Item};
use crate::agents::hub::Seen;
use crate::session::Event;
use crate::session::fault::planted;
use crate::session::wake::Waker;
use crate::shell::{Observer, ShellEvent};
use nix::libc;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Instant;

/// What the thread is told.
pub(super) struct Feed {
    /// Counts from 1.
    pub(super) number: u64,
    /// The observer comes back, before the batch.
    pub(super) returned: Option<Box<Observer>>,
    pub(super) batch: Batch,
    /// The observer is wanted, after the batch.
    pub(super) lend: bool,
}

/// The thread's ends.
pub(super) struct Ends {
    pub(super) feed_rx: Receiver<Feed>,
    pub(super) event_tx: SyncSender<Event>,
    pub(super) waker: Waker,
    /// Batches that were begun. While one is not here, the time that has passed says nothing.
    pub(super) begun: Arc<AtomicU64>,
}

/// A panic ends the thread, and with it what the panel knows, not the session.
pub(super) fn run(observer: Box<Observer>, ends: &Ends) {
    give_way();
    if catch_unwind(AssertUnwindSafe(|| attend(observer, ends))).is_err() {
        let _ = ends.event_tx.send(Event::WatchLost);
        ends.waker.wake();
    }
}

/// Being woken must not take the CPU from whoever moves a key or its echo: Linux lets a batch thread wait for its turn.
#[cfg(target_os = "linux")]
pub(in crate::session) fn give_way() {
    // The kernel's sched_param. Not by the C library: musl's has more fields, and its function always refuses.
    let priority: libc::c_int = 0;
    // SAFETY: 0 is the calling thread, and `priority` lives through the call. A refusal (seccomp) leaves all as it was.
    #[allow(unsafe_code)]
    let _ = unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_BATCH, &raw const priority) };
}

#[cfg(not(target_os = "linux"))]
pub(in crate::session) fn give_way() {}

/// Until one of the ends is closed.
fn attend(observer: Box<Observer>, ends: &Ends) -> Option<()> {
    let mut here = Some(observer);
    let (mut heard, mut told) = (0, Seen::default());
    loop {
        let deadline = here.as_ref().and_then(|observer| observer.deadline());
        let (mut lend, mut events) = (false, Vec::new());
        match ends.next(deadline, heard)? {
            Some(feed) => {
                heard = feed.number;
                here = feed.returned.or(here);
                lend = feed.lend;
                if let Some(observer) = &mut here {
                    planted("emulator");
                    events = apply(observer, &feed.batch);
                    // The panel is hidden: the user's own terminal has answered and shown what these ask for.
                    observer.emulator_mut().take_signals();
                }
            }
            None => here.iter_mut().for_each(|observer| observer.tick(Instant::now())),
        }
        let news = here.as_mut().map(|observer| observer.take_events()).unwrap_or_default();
        let news: Vec<_> = news.into_iter().filter(|event| *event != ShellEvent::Output).collect();
        let shell = (!news.is_empty()).then_some(Event::Shell(news));
        let seen = here.as_ref().and_then(|observer| super::seen(observer, &mut told)).map(Event::Seen);
        let loan = if lend { here.take().map(Event::Lent) } else { None };
        for event in shell.into_iter().chain(seen).chain(events).chain(loan) {
            // May wait for the main loop, which never waits for us.
            ends.event_tx.send(event).ok()?;
            ends.waker.wake();
        }
    }
}

impl Ends {
    /// What is told next, or nothing if it is time for the observer to look at the clock.
    fn next(&self, deadline: Option<Instant>, heard: u64) -> Option<Option<Feed>> {
        if let Some(at) = deadline {
            match self.feed_rx.recv_timeout(at.saturating_duration_since(Instant::now())) {
                Ok(feed) => return Some(Some(feed)),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.begun.load(Ordering::Acquire) == heard => {
                    return Some(None);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.feed_rx.recv().ok().map(Some)
    }
}

/// Tells the observer what happened, each at its time.
pub(super) fn apply(observer: &mut Observer, batch: &Batch) -> Vec<Event> {
    let mut snapshots = Vec::new();
    let (mut rest, mut gap) = (batch.ring.bytes(), batch.ring.gap());
    for (when, item) in &batch.items {
        advance(observer, *when);
        // Keys before the first output behind the gap were typed before the gap, or in it.
        if !matches!(item, Item::Act(Act::Typed(_) | Act::Resize(_)))
            && let Some((skimmed, modes)) = gap.take()
        {
            observer.resync(skimmed, modes, *when);
        }
        match *item {
            Item::Output { len, until } => {
                let (bytes, later) = rest.split_at(len.min(rest.len()));
                rest = later;
                observer.feed(bytes, until);
            }
            Item::Act(Act::Typed(typed)) => observer.input(typed.input(), *when),
            Item::Act(Act::Resize(size)) => observer.resize(size),
            Item::Act(Act::Snapshot { ticket, since }) => {
                let snapshot = Box::new(Snapshot::take(observer, since));
                snapshots.push(Event::Snapshot { ticket, snapshot });
            }
        }
    }
    if let Some((skimmed, modes)) = gap {
        observer.resync(skimmed, modes, Instant::now());
    }
    snapshots
}

/// Time has passed for the observer, too.
fn advance(observer: &mut Observer, now: Instant) {
    /// Each tick moves the deadline on or takes it away; should one not, that costs a little precision.
    const TICKS: usize = 8;
    for _ in 0..TICKS {
        match observer.deadline().filter(|at| *at <= now) {
            Some(at) => observer.tick(at),
            None => return,
        }
    }
}
