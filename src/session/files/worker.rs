//! The thread that reads and writes files: owns the side channel, does one job at a time, tells its progress.

use crate::files::{self, Confirmed, FileOutcome, FileResult, Plan, Progress, Stop};
use crate::linus::contract::FileAction;
use crate::session::Event;
use crate::session::wake::Waker;
use crate::ssh::sftp::Sftp;
use crate::ssh::side_channel::{Cancel, Route};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Jobs that wait: the user opens one file at a time, and what was left before it ends at once.
const JOBS: usize = 4;
/// Between two words on the progress: ten a second are as many as anybody reads.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// At the session's end, for the connection to end, and for a write under way to take away what it has made.
const END_WITHIN: Duration = Duration::from_millis(500);

/// How the side channel connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Way {
    /// Over a connection that the user shares already.
    Shared,
    /// By another login.
    Login,
}

pub(super) enum Job {
    /// Which way there is.
    Check,
    Plan {
        action: FileAction,
        /// The way that the user has agreed to.
        way: Way,
    },
    Write(Confirmed),
}

/// What the worker tells the main loop.
pub(in crate::session) enum FileEvent {
    /// This is the way that there is, and the user is to be asked for it.
    Way(Way),
    Progress(Progress),
    Planned(Result<Box<Plan>, Stop>),
    Ended(Box<FileOutcome>),
}

/// The main loop's handle.
pub(in crate::session) struct Worker {
    job_tx: Option<SyncSender<(u64, Job, Cancel)>>,
    /// Its end is the thread's.
    gone_rx: Receiver<()>,
    shown: String,
}

impl Worker {
    pub(in crate::session) fn start(
        route: Route,
        may_check: impl FnOnce() -> bool + Send + 'static,
        event_tx: SyncSender<Event>,
        waker: Waker,
    ) -> io::Result<Self> {
        let (job_tx, job_rx) = sync_channel(JOBS);
        let (gone_tx, gone_rx) = sync_channel(0);
        let shown = route.shown();
        std::thread::Builder::new().name("files".into()).spawn(move || {
            let outlet = Outlet { event_tx, waker };
            run(&route, may_check, &job_rx, &outlet);
            drop(gone_tx);
        })?;
        Ok(Self { job_tx: Some(job_tx), gone_rx, shown })
    }

    /// The command line of another login.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// False where jobs that were left have not ended yet.
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

struct Outlet {
    event_tx: SyncSender<Event>,
    waker: Waker,
}

impl Outlet {
    /// An error means that the main loop is gone.
    fn tell(&self, ticket: u64, event: FileEvent) {
        if self.event_tx.send(Event::File { ticket, event }).is_ok() {
            self.waker.wake();
        }
    }

    /// What does not get through is told by the next.
    fn progress(&self, ticket: u64, progress: Progress) {
        let event = FileEvent::Progress(progress);
        if self.event_tx.try_send(Event::File { ticket, event }).is_ok() {
            self.waker.wake();
        }
    }
}

/// The thread's body. It ends when the handle is dropped, and the connection with it.
fn run(
    route: &Route,
    may_check: impl FnOnce() -> bool,
    job_rx: &Receiver<(u64, Job, Cancel)>,
    outlet: &Outlet,
) {
    let Ok(first) = job_rx.recv() else { return };
    let mut line = Line { route, may_check: may_check(), sftp: None };
    for (ticket, job, cancel) in std::iter::once(first).chain(job_rx) {
        if cancel.is_cancelled() {
            continue;
        }
        let mut next = Instant::now();
        let mut progress = |progress: Progress| {
            if Instant::now() >= next {
                next = Instant::now() + TELL_EVERY;
                outlet.progress(ticket, progress);
            }
        };
        let event = match job {
            Job::Check => FileEvent::Way(line.way()),
            Job::Plan { action, way } => line.plan(&action, way, cancel, &mut progress),
            Job::Write(confirmed) => {
                FileEvent::Ended(Box::new(line.write(&confirmed, cancel, &mut progress)))
            }
        };
        outlet.tell(ticket, event);
    }
}

/// The connection, once there is one.
struct Line<'a> {
    route: &'a Route,
    /// Asking whether a connection is shared would run nothing of the user's (`Match exec`).
    may_check: bool,
    sftp: Option<Sftp>,
}

impl Line<'_> {
    fn way(&self) -> Way {
        if self.may_check && self.route.is_multiplexed() { Way::Shared } else { Way::Login }
    }

    fn plan(
        &mut self,
        action: &FileAction,
        way: Way,
        cancel: Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> FileEvent {
        let Some(mut sftp) = self.sftp.take() else {
            return self.connect_and_plan(action, way, Some(cancel), progress);
        };
        sftp.set_cancel(Some(cancel));
        match files::plan(&mut sftp, action, progress) {
            // A connection that was left alone for long may have ended meanwhile; reading is begun anew.
            Err(stop) if stop.is_lost => {
                let cancel = sftp.take_cancel();
                drop(sftp);
                self.connect_and_plan(action, way, cancel, progress)
            }
            planned => {
                self.sftp = Some(sftp);
                FileEvent::Planned(planned.map(Box::new))
            }
        }
    }

    fn connect_and_plan(
        &mut self,
        action: &FileAction,
        way: Way,
        cancel: Option<Cancel>,
        progress: &mut dyn FnMut(Progress),
    ) -> FileEvent {
        // What the user has agreed to may be there no longer: no login that they were not asked for.
        if way == Way::Shared && self.way() == Way::Login {
            return FileEvent::Way(Way::Login);
        }
        let begun = match self.route.sftp() {
            Ok(channel) => Sftp::begin(channel, cancel).map_err(|e| Stop::connecting(&e)),
            Err(e) => Err(Stop::starting(&e)),
        };
        let planned = begun.and_then(|mut sftp| {
            let planned = files::plan(&mut sftp, action, progress);
            self.keep(sftp, planned.as_ref().err());
            planned
        });
        FileEvent::Planned(planned.map(Box::new))
    }

    fn write(
        &mut self,
        confirmed: &Confirmed,
        cancel: Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> FileOutcome {
        let Some(mut sftp) = self.sftp.take() else { return files::not_connected(confirmed) };
        sftp.set_cancel(Some(cancel));
        let outcome = files::carry_out(&mut sftp, confirmed, progress);
        if !matches!(outcome.result, FileResult::Uncertain(_)) {
            self.keep(sftp, outcome.stop());
        }
        outcome
    }

    /// For the next time, if it is good for anything.
    fn keep(&mut self, mut sftp: Sftp, stop: Option<&Stop>) {
        if stop.is_none_or(|stop| !stop.is_lost) {
            sftp.set_cancel(None);
            self.sftp = Some(sftp);
        }
    }
}
