//! One running Linus: a thread that moves lines between his pipes and the lanes until he ends.
//!
//! The lanes never touch the pipes. A Linus who does not read, who floods, or who prints what is no message holds up
//! nobody: what goes out is queued and bounded, what comes in is bounded, and noise is dropped.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::pipe;
use serde_json::{Value, json};

use super::lines::{LINE_LIMIT, Lines};
use super::slot::{Event, Slot};
use crate::linus::helper::{Group, Helper, HelperError, Tail, in_words};
use crate::linus::jsonrpc::{self, Incoming};
use crate::linus::yielding;

/// Messages that wait to be written. The lanes have one each; the rest are notices and answers.
const OUTGOING_LIMIT: usize = 16;
/// What may come without an answer among it: as much as a stream over HTTP may have.
const UNANSWERED_LIMIT: usize = 16 * 1024 * 1024;
const READ_SIZE: usize = 64 * 1024;
/// Reads of what he still says when he has ended: more than a pipe holds.
const LAST_WORDS_READS: u32 = 32;
/// After its input has ended a Linus has this long to end by himself: leaving waits no longer.
const GRACE: Duration = Duration::from_millis(50);

/// The lanes' end of a running Linus.
pub(super) struct Process {
    inner: Mutex<Inner>,
    ended: Condvar,
    /// A byte wakes the thread.
    wake: OwnedFd,
}

#[derive(Default)]
struct Inner {
    outgoing: VecDeque<Outgoing>,
    waiting: BTreeMap<u64, Waiting>,
    /// Why he ended, once he has.
    end: Option<String>,
    is_stopping: bool,
}

struct Outgoing {
    id: Option<u64>,
    line: Vec<u8>,
}

struct Waiting {
    slot: Arc<Slot>,
    /// Whether he may have read it.
    is_sent: bool,
}

/// Why a message was not taken.
pub(super) enum Refused {
    /// He has ended.
    Dead(String),
    /// He does not read.
    Full,
}

impl Process {
    pub(super) fn start(helper: &Helper) -> Result<Arc<Self>, HelperError> {
        let group = helper.spawn()?;
        let failed =
            |e: io::Error| HelperError::Start { program: helper.program().into(), why: e.to_string() };
        let (wake_rx, wake) = wake_pipe().map_err(failed)?;
        let this = Arc::new(Self { inner: Mutex::default(), ended: Condvar::new(), wake });
        let process = Arc::clone(&this);
        let run = move || {
            yielding::to_the_session();
            Pump::new(&process, group, wake_rx).run();
        };
        Builder::new().name("linus-stdio".into()).spawn(run).map_err(failed)?;
        Ok(this)
    }

    /// Sends a request and returns where its outcome will be.
    pub(super) fn call(&self, id: u64, message: &Value) -> Result<Arc<Slot>, Refused> {
        let slot = Arc::new(Slot::default());
        let mut inner = self.lock();
        inner.push(Some(id), message)?;
        inner.waiting.insert(id, Waiting { slot: Arc::clone(&slot), is_sent: false });
        drop(inner);
        self.wake();
        Ok(slot)
    }

    /// Sends what has no outcome.
    pub(super) fn tell(&self, message: &Value) -> Result<(), Refused> {
        self.lock().push(None, message)?;
        self.wake();
        Ok(())
    }

    /// Nobody waits for this call any more. Whether he may have read it; if not, he never will.
    pub(super) fn drop_call(&self, id: u64) -> bool {
        let mut inner = self.lock();
        inner.outgoing.retain(|out| out.id != Some(id));
        inner.waiting.remove(&id).is_none_or(|waiting| waiting.is_sent)
    }

    /// Why he ended; `None` while he lives.
    pub(super) fn end(&self) -> Option<String> {
        self.lock().end.clone()
    }

    /// Ends his input, and him a moment later.
    pub(super) fn stop(&self) {
        self.lock().is_stopping = true;
        self.wake();
    }

    /// Waits until he is gone, at most `time`.
    pub(super) fn wait(&self, time: Duration) {
        let inner = self.lock();
        drop(self.ended.wait_timeout_while(inner, time, |inner| inner.end.is_none()));
    }

    fn wake(&self) {
        // A full pipe wakes as well.
        let _ = nix::unistd::write(&self.wake, &[0]);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn push(&mut self, id: Option<u64>, message: &Value) -> Result<(), Refused> {
        if let Some(why) = &self.end {
            return Err(Refused::Dead(why.clone()));
        }
        if self.outgoing.len() >= OUTGOING_LIMIT {
            return Err(Refused::Full);
        }
        self.outgoing.push_back(Outgoing { id, line: format!("{message}\n").into_bytes() });
        Ok(())
    }
}

/// The thread's own.
struct Pump<'a> {
    process: &'a Process,
    group: Group,
    wake_rx: OwnedFd,
    /// The line that is being written, and how much of it was.
    line: Vec<u8>,
    written: usize,
    lines: Lines,
    complaint: Tail,
    unanswered: usize,
    err_is_open: bool,
}

/// What `poll` saw.
#[derive(Default)]
struct Ready {
    ended: bool,
    wake: bool,
    stdout: bool,
    stderr: bool,
    stdin: bool,
}

impl<'a> Pump<'a> {
    fn new(process: &'a Process, group: Group, wake_rx: OwnedFd) -> Self {
        Self {
            process,
            group,
            wake_rx,
            line: Vec::new(),
            written: 0,
            lines: Lines::default(),
            complaint: Tail::default(),
            unanswered: 0,
            err_is_open: true,
        }
    }

    fn run(mut self) {
        let fault = self.turn().err();
        for _ in 0..LAST_WORDS_READS {
            if self.err_is_open && !self.read_complaint() {
                break;
            }
        }
        let Self { process, group, complaint, .. } = self;
        let status = group.finish();
        let why = fault.unwrap_or_else(|| in_words(status));
        let why = match complaint.last_line() {
            said if said.is_empty() => why,
            said => format!("{why}: {said}"),
        };
        let mut inner = process.lock();
        inner.outgoing.clear();
        for waiting in std::mem::take(&mut inner.waiting).into_values() {
            waiting.slot.end(Event::Dead { sent: waiting.is_sent, why: why.clone() });
        }
        inner.end = Some(why);
        process.ended.notify_all();
    }

    /// Until his end, or an error that says why he is ended.
    fn turn(&mut self) -> Result<(), String> {
        let mut deadline = None;
        loop {
            if self.process.lock().is_stopping {
                self.group.stdin = None;
                deadline.get_or_insert_with(|| Instant::now() + GRACE);
            }
            self.take_line();
            let Some(ready) = self.wait(deadline).map_err(|e| e.to_string())? else {
                return Ok(());
            };
            if ready.wake {
                let _ = nix::unistd::read(&self.wake_rx, &mut [0; 64]);
            }
            if ready.stdin {
                self.write();
            }
            if ready.stderr {
                self.read_complaint();
            }
            if ready.stdout && !self.read()? {
                return if ready.ended { Ok(()) } else { self.closed(deadline) };
            }
            if ready.ended && !ready.stdout {
                return Ok(());
            }
        }
    }

    /// His output is at its end; the status that says why comes with his own, a moment later.
    fn closed(&mut self, deadline: Option<Instant>) -> Result<(), String> {
        self.group.stdin = None;
        let deadline = deadline.unwrap_or_else(|| Instant::now() + GRACE);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err("it closed its output".into());
            }
            let left = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
            let mut fds = [PollFd::new(self.group.ended().as_fd(), PollFlags::POLLIN)];
            if poll(&mut fds, left) == Ok(1) {
                return Ok(());
            }
        }
    }

    /// The next line to write, if none is being written.
    fn take_line(&mut self) {
        if self.written < self.line.len() {
            return;
        }
        let mut inner = self.process.lock();
        let Some(next) = inner.outgoing.pop_front() else {
            self.line.clear();
            self.written = 0;
            return;
        };
        // From its first byte on he may act on it.
        if let Some(waiting) = next.id.and_then(|id| inner.waiting.get_mut(&id)) {
            waiting.is_sent = true;
        }
        (self.line, self.written) = (next.line, 0);
    }

    /// `None` when the deadline has passed. His end is looked at first: what was in the pipes then is seen as well.
    fn wait(&self, deadline: Option<Instant>) -> io::Result<Option<Ready>> {
        let is_writing = self.written < self.line.len();
        let sources = [
            Some((self.group.ended().as_fd(), PollFlags::POLLIN)),
            Some((self.wake_rx.as_fd(), PollFlags::POLLIN)),
            Some((self.group.stdout.as_fd(), PollFlags::POLLIN)),
            self.err_is_open.then(|| (self.group.stderr.as_fd(), PollFlags::POLLIN)),
            self.group.stdin.as_ref().filter(|_| is_writing).map(|stdin| (stdin.as_fd(), PollFlags::POLLOUT)),
        ];
        let mut fds: Vec<_> = sources.iter().flatten().map(|(fd, flags)| PollFd::new(*fd, *flags)).collect();
        loop {
            let timeout = match deadline.map(|d| d.saturating_duration_since(Instant::now())) {
                None => PollTimeout::NONE,
                Some(left) if left.is_zero() => return Ok(None),
                Some(left) => {
                    PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
                }
            };
            match poll(&mut fds, timeout) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => break,
                Err(e) => return Err(e.into()),
            }
        }
        let mut fds = fds.iter();
        let is_ready = |fd: &PollFd<'_>| fd.revents().is_some_and(|revents| !revents.is_empty());
        let [ended, wake, stdout, stderr, stdin] =
            sources.map(|source| source.is_some() && fds.next().is_some_and(is_ready));
        Ok(Some(Ready { ended, wake, stdout, stderr, stdin }))
    }

    fn write(&mut self) {
        let Some(stdin) = &mut self.group.stdin else { return };
        match stdin.write(&self.line[self.written..]) {
            Ok(n) => self.written += n,
            Err(e) if is_later(&e) => {}
            // He no longer reads; his end, or the end of his output, says the rest.
            Err(_) => {
                self.group.stdin = None;
                self.written = self.line.len();
            }
        }
    }

    /// One read; false if there was nothing.
    fn read_complaint(&mut self) -> bool {
        let mut chunk = [0; 4096];
        match self.group.stderr.read(&mut chunk) {
            Ok(0) => self.err_is_open = false,
            Ok(n) => self.complaint.feed(&chunk[..n]),
            Err(e) if is_later(&e) => return false,
            Err(_) => self.err_is_open = false,
        }
        true
    }

    /// One read and what it completes; false at the end.
    fn read(&mut self) -> Result<bool, String> {
        let mut chunk = vec![0; READ_SIZE];
        let n = match self.group.stdout.read(&mut chunk) {
            Ok(0) => return Ok(false),
            Ok(n) => n,
            Err(e) if is_later(&e) => return Ok(true),
            Err(e) => return Err(e.to_string()),
        };
        self.unanswered += n;
        let (process, complaint, unanswered) = (self.process, &mut self.complaint, &mut self.unanswered);
        let taken = self.lines.feed(&chunk[..n], |line| match serde_json::from_slice(line) {
            Ok(Value::Array(batch)) => {
                if batch.iter().any(|message| process.take(message)) {
                    *unanswered = 0;
                }
            }
            Ok(message) => {
                if process.take(&message) {
                    *unanswered = 0;
                }
            }
            // A line of a log that went astray: not a message, perhaps the reason of what comes.
            Err(_) => {
                complaint.feed(line);
                complaint.feed(b"\n");
            }
        });
        taken.map_err(|_| format!("a line of more than {} KiB", LINE_LIMIT / 1024))?;
        if self.unanswered > UNANSWERED_LIMIT {
            return Err(format!("more than {} MiB without an answer", UNANSWERED_LIMIT >> 20));
        }
        Ok(true)
    }
}

impl Process {
    /// Hands a message to whom it concerns; true if it was an answer that somebody waited for.
    fn take(&self, message: &Value) -> bool {
        let id = message.get("id").unwrap_or(&Value::Null);
        match jsonrpc::classify(message, id) {
            Incoming::Answer(outcome) => {
                // Ours are numbers; the same digits as text are not ours.
                let waiting = id.as_u64().and_then(|id| self.lock().waiting.remove(&id));
                waiting.is_some_and(|waiting| {
                    waiting.slot.end(Event::Answer(outcome));
                    true
                })
            }
            Incoming::Foreign(Some(error)) => {
                for waiting in self.lock().waiting.values().filter(|waiting| waiting.is_sent) {
                    waiting.slot.end(Event::Foreign(error.clone()));
                }
                false
            }
            Incoming::Notification { method, params } => {
                for waiting in self.lock().waiting.values() {
                    waiting.slot.note(Event::Notice { method: method.clone(), params: params.clone() });
                }
                false
            }
            Incoming::Request { id, method, params } => {
                self.serve(id, method, params);
                false
            }
            Incoming::Foreign(None) | Incoming::Nothing => false,
        }
    }

    /// A request of his: whoever waits longest for him answers it, `ping` at once. A flood of them is not answered.
    fn serve(&self, id: Value, method: String, params: Value) {
        let asked = self.lock().waiting.values().next().map(|waiting| Arc::clone(&waiting.slot));
        let _ = match asked {
            _ if method == "ping" => self.tell(&jsonrpc::result(&id, &json!({}))),
            Some(slot) => {
                slot.note(Event::Asked { id, method, params });
                Ok(())
            }
            None => self.tell(&not_offered(&id)),
        };
    }
}

pub(super) fn not_offered(id: &Value) -> Value {
    jsonrpc::error(id, jsonrpc::METHOD_NOT_FOUND, "aissh does not offer this")
}

fn is_later(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Neither end blocks, and no child inherits one.
fn wake_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (rx, tx) = pipe()?;
    for fd in [&rx, &tx] {
        fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        fcntl(fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    Ok((rx, tx))
}
