//! The thread that probes the host: owns one shell beside the session, which is kept from probe to probe, so that there is
//! one login at most. Started when the user turns the watcher on, and gone when it is off.

use crate::facts::{ANSWER_LIMIT, Extent, SCRIPT, Sample, is_whole, probe};
use crate::random;
use crate::session::Event;
use crate::session::files::Way;
use crate::session::wake::Waker;
use crate::ssh::side_channel::{Cancel, Channel, ChannelError, Patience, Route};
use crate::text::hex;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// One probe is under way at most; the question for a way may be before it.
const JOBS: usize = 2;
/// For all of an answer. A login takes what it takes: DNS, a jump host, a touch of a security key.
const ANSWER: Duration = Duration::from_secs(15);
const LOGIN: Duration = Duration::from_secs(45);
/// At the session's end, for the connection to end.
const END_WITHIN: Duration = Duration::from_millis(500);

pub(super) enum Job {
    /// Which way there is.
    Check,
    Probe {
        extent: Extent,
        pauses: bool,
        /// The way that is agreed to.
        way: Way,
    },
}

/// What the worker tells the main loop.
pub(in crate::session) enum HealthEvent {
    /// This is the way that there is; where a probe was asked for by another one, none was made.
    Way(Way),
    Answered(Box<Sample>),
    Failed(String),
}

/// What a worker is started with.
#[derive(Clone)]
pub(in crate::session) struct Means<F> {
    pub(in crate::session) route: Route,
    /// Whether asking for a shared connection would run nothing of the user's (`Match exec`).
    pub(in crate::session) may_check: F,
    pub(in crate::session) event_tx: SyncSender<Event>,
    pub(in crate::session) waker: Waker,
}

/// The main loop's handle.
pub(super) struct Worker {
    job_tx: Option<SyncSender<(u64, Job, Cancel)>>,
    /// Its end is the thread's.
    gone_rx: Receiver<()>,
}

impl Worker {
    pub(super) fn start<F: Fn() -> bool + Send + 'static>(means: Means<F>) -> io::Result<Self> {
        let (job_tx, job_rx) = sync_channel(JOBS);
        let (gone_tx, gone_rx) = sync_channel(0);
        std::thread::Builder::new().name("health".into()).spawn(move || {
            run(&means, &job_rx);
            drop(gone_tx);
        })?;
        Ok(Self { job_tx: Some(job_tx), gone_rx })
    }

    /// False where what was begun before has not ended yet.
    pub(super) fn send(&self, ticket: u64, job: Job, cancel: Cancel) -> bool {
        self.job_tx.as_ref().is_some_and(|job_tx| job_tx.try_send((ticket, job, cancel)).is_ok())
    }

    /// No more jobs; the thread ends its connection and itself. Without a connection that takes no time.
    pub(super) fn end(mut self) {
        self.job_tx = None;
        // Nothing is ever sent: it is the thread's end that is waited for.
        let _ = self.gone_rx.recv_timeout(END_WITHIN);
    }
}

/// The thread's body. It ends when the handle is dropped, and the connection with it.
fn run<F: Fn() -> bool>(means: &Means<F>, job_rx: &Receiver<(u64, Job, Cancel)>) {
    let mut shell = None;
    for (ticket, job, cancel) in job_rx {
        if cancel.is_cancelled() {
            continue;
        }
        let way =
            || if (means.may_check)() && means.route.is_multiplexed() { Way::Shared } else { Way::Login };
        let event = match job {
            Job::Check => HealthEvent::Way(way()),
            // What was agreed to may be there no longer: no login that nobody was asked for.
            Job::Probe { way: Way::Shared, .. } if shell.is_none() && way() == Way::Login => {
                HealthEvent::Way(Way::Login)
            }
            Job::Probe { extent, pauses, .. } => {
                match answer(&means.route, &mut shell, extent, pauses, &cancel) {
                    Ok(sample) => HealthEvent::Answered(Box::new(sample)),
                    Err(why) => HealthEvent::Failed(why),
                }
            }
        };
        if means.event_tx.send(Event::Health { ticket, event }).is_err() {
            return;
        }
        means.waker.wake();
    }
}

/// Asks the shell, which is started if there is none. One that does not answer as it should is ended.
fn answer(
    route: &Route,
    shell: &mut Option<Channel>,
    extent: Extent,
    pauses: bool,
    cancel: &Cancel,
) -> Result<Sample, String> {
    let (mut channel, within) = match shell.take() {
        Some(channel) => (channel, ANSWER),
        None => {
            let mut channel = route.shell().map_err(|e| format!("ssh cannot be started: {e}"))?;
            channel.send(SCRIPT.as_bytes());
            (channel, LOGIN)
        }
    };
    let boundary = random::bytes::<16>().map_err(|e| e.to_string())?;
    let boundary = hex(&boundary);
    // What an earlier answer has left, or a profile has printed.
    channel.take(usize::MAX);
    channel.send(probe(&boundary, extent, pauses).as_bytes());
    receive(&mut channel, &boundary, within, cancel)?;
    let text = channel.take(usize::MAX);
    let sample = Sample::read(&text, &boundary).map_err(|e| e.to_string())?;
    *shell = Some(channel);
    Ok(sample)
}

/// Waits for the end of the answer, for so long and so many bytes at most.
fn receive(channel: &mut Channel, boundary: &str, within: Duration, cancel: &Cancel) -> Result<(), String> {
    let until = Instant::now() + within;
    while !is_whole(channel.input(), boundary) {
        if channel.input().len() > ANSWER_LIMIT {
            return Err("the host's answer is too long".to_owned());
        }
        let silence = until.saturating_duration_since(Instant::now());
        let wanted = channel.input().len() + 1;
        match channel.wait_input(wanted, Patience { silence, cancel: Some(cancel) }) {
            Ok(()) => {}
            // A forced command, or a shell that is none: the last words are ssh's or theirs.
            Err(ChannelError::Ended(said)) if said.is_empty() => {
                return Err("the host has no shell for it (a forced command?)".to_owned());
            }
            Err(ChannelError::Silent(_)) => {
                return Err(format!("the host has not answered within {} s", within.as_secs()));
            }
            Err(e) => return Err(e.to_string()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
