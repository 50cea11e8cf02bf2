//! The two worker threads that talk to Linus, so that nothing else ever waits for him.
//!
//! Each lane owns a peer of its own and does one job at a time, in order. Jobs go in over a bounded channel,
//! results come out as [`LaneEvent`]s with a wake-up for the main loop. A lane that panics reports an error
//! and goes on with a new peer.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use std::{io, mem};

use super::call_error::CallError;
use super::cancel::Canceller;
use super::contract::Request;
use super::dispatch::{Lane, Ticket};
use super::peer::{Answer, Peer};
use super::yielding;

/// Jobs that a lane holds: the dispatch keeps one in flight, and leaving adds a last one behind it.
const JOBS_LIMIT: usize = 4;

/// Something for a lane to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    Call(Request),
    /// Is Linus there?
    Probe,
}

/// What a lane tells the main thread.
#[derive(Debug, Clone, PartialEq)]
pub enum LaneEvent {
    /// The job is over. A probe's answer is empty.
    Reply { ticket: Ticket, lane: Lane, result: Box<Result<Answer, CallError>>, took: Duration },
    /// Part of an answer that is being written. Dropped when the main thread does not keep up.
    Progress { ticket: Ticket, text: String },
}

struct Job {
    ticket: Ticket,
    work: Work,
    cancel: Canceller,
}

pub struct Lanes {
    chat: LaneHandle,
    background: LaneHandle,
    /// Disconnected once both threads are gone.
    gone_rx: Receiver<()>,
}

struct LaneHandle {
    job_tx: Option<SyncSender<Job>>,
    /// The cancellers of the jobs that may still be under way, oldest first.
    jobs: VecDeque<Canceller>,
    thread: Option<JoinHandle<()>>,
}

impl Lanes {
    /// Starts both threads. `factory` builds a lane's peer in its thread; `wake` is called after every event.
    pub fn start<F, W>(factory: F, events: SyncSender<LaneEvent>, wake: W) -> io::Result<Self>
    where
        F: Fn(Lane) -> Box<dyn Peer> + Send + Sync + 'static,
        W: Fn() + Send + Sync + Clone + 'static,
    {
        let (gone_tx, gone_rx) = sync_channel(1);
        let factory = Arc::new(factory);
        let start = |lane, name: &str, events| {
            let (job_tx, job_rx) = sync_channel(JOBS_LIMIT);
            let (factory, gone) = (Arc::clone(&factory), gone_tx.clone());
            let outlet = Outlet { lane, events, wake: wake.clone() };
            let thread = Builder::new().name(name.into()).spawn(move || {
                run(&job_rx, &*factory, &outlet);
                drop(gone);
            })?;
            Ok::<_, io::Error>(LaneHandle {
                job_tx: Some(job_tx),
                jobs: VecDeque::new(),
                thread: Some(thread),
            })
        };
        let chat = start(Lane::Chat, "linus-chat", events.clone())?;
        let background = start(Lane::Background, "linus-background", events)?;
        Ok(Self { chat, background, gone_rx })
    }

    /// Hands a job to a lane; false if the lane is full or gone. Then there will be no reply, and the caller
    /// tells the dispatch `Unreachable` itself.
    pub fn send(&mut self, lane: Lane, ticket: Ticket, work: Work) -> bool {
        let handle = self.handle(lane);
        let cancel = Canceller::new();
        let job = Job { ticket, work, cancel: cancel.clone() };
        let sent = match &handle.job_tx {
            Some(job_tx) => {
                !matches!(job_tx.try_send(job), Err(TrySendError::Full(_) | TrySendError::Disconnected(_)))
            }
            None => false,
        };
        if sent {
            // One under way, JOBS_LIMIT waiting: older ones are over.
            handle.jobs.push_back(cancel);
            while handle.jobs.len() > JOBS_LIMIT + 1 {
                handle.jobs.pop_front();
            }
        }
        sent
    }

    /// Takes back everything that was sent to the lane; each job still gets its reply.
    pub fn cancel(&mut self, lane: Lane) {
        // Newest first: the lane goes on with the next job as soon as the one under way ends.
        for job in mem::take(&mut self.handle(lane).jobs).into_iter().rev() {
            job.cancel();
        }
    }

    /// Lets the background lane finish what it has, at most until `deadline`, and drops the chat at once: its
    /// answer would not be seen. Never waits longer; a thread that does not end is left behind. True if both
    /// ended.
    pub fn shutdown(mut self, deadline: Duration) -> bool {
        let end = Instant::now() + deadline;
        self.chat.job_tx = None;
        self.background.job_tx = None;
        self.cancel(Lane::Chat);
        let left = end.saturating_duration_since(Instant::now());
        let ended = self.gone_rx.recv_timeout(left) == Err(RecvTimeoutError::Disconnected);
        self.cancel(Lane::Background);
        if ended {
            for handle in [&mut self.chat, &mut self.background] {
                // The thread's last statement is over, so this does not wait; its panics were caught.
                let _ = handle.thread.take().map(JoinHandle::join);
            }
        }
        ended
    }

    fn handle(&mut self, lane: Lane) -> &mut LaneHandle {
        match lane {
            Lane::Chat => &mut self.chat,
            Lane::Background => &mut self.background,
        }
    }
}

/// Where a lane's events go.
struct Outlet<W> {
    lane: Lane,
    events: SyncSender<LaneEvent>,
    wake: W,
}

impl<W: Fn()> Outlet<W> {
    fn reply(&self, ticket: Ticket, result: Result<Answer, CallError>, took: Duration) {
        // An error means that the main thread no longer listens.
        if self
            .events
            .send(LaneEvent::Reply { ticket, lane: self.lane, result: Box::new(result), took })
            .is_ok()
        {
            (self.wake)();
        }
    }

    fn progress(&self, ticket: Ticket, text: &str) {
        if self.events.try_send(LaneEvent::Progress { ticket, text: text.into() }).is_ok() {
            (self.wake)();
        }
    }
}

/// The body of a lane's thread.
fn run<W: Fn()>(jobs: &Receiver<Job>, factory: &dyn Fn(Lane) -> Box<dyn Peer>, outlet: &Outlet<W>) {
    yielding::to_the_session();
    let mut peer: Option<Box<dyn Peer>> = None;
    while let Ok(job) = jobs.recv() {
        let started = Instant::now();
        if job.cancel.is_cancelled() {
            outlet.reply(job.ticket, Err(CallError::Cancelled), Duration::ZERO);
            continue;
        }
        // The peer is taken out for the time of the job: after a panic there is none, and the next job
        // builds another.
        let taken = peer.take();
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut peer = taken.unwrap_or_else(|| factory(outlet.lane));
            let result = perform(peer.as_mut(), &job, outlet);
            (peer, result)
        }));
        let result = match done {
            Ok((used, result)) => {
                peer = Some(used);
                result
            }
            Err(_) => Err(CallError::lost("an internal error of aissh")),
        };
        outlet.reply(job.ticket, result, started.elapsed());
    }
}

fn perform<W: Fn()>(peer: &mut dyn Peer, job: &Job, outlet: &Outlet<W>) -> Result<Answer, CallError> {
    match &job.work {
        Work::Call(request) => peer.call(request, &job.cancel, &mut |text| outlet.progress(job.ticket, text)),
        Work::Probe => {
            let server = peer.probe(&job.cancel)?;
            Ok(Answer { takes: server.takes, ..Answer::default() })
        }
    }
}
