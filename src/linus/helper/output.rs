//! Running a helper to its end for what it prints.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::group::{Group, in_words};
use super::{Helper, HelperError};
use crate::linus::cancel::Canceller;

/// Of what it complains about, the end is kept: the last line says it.
const COMPLAINT_LIMIT: usize = 4096;
const READ_SIZE: usize = 16 * 1024;

impl Helper {
    /// Runs it with `input`, and returns what it printed. It must end with status 0 within `time` and print at most
    /// `limit` bytes. Its group is killed at the end, whatever the end.
    pub fn output(
        &self,
        input: &[u8],
        limit: usize,
        time: Duration,
        cancel: &Canceller,
    ) -> Result<Vec<u8>, HelperError> {
        self.heard(input, limit, time, cancel, &mut |_| {})
    }

    /// The same; `hear` is told what was printed so far, whole each time.
    pub fn heard(
        &self,
        input: &[u8],
        limit: usize,
        time: Duration,
        cancel: &Canceller,
        hear: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<u8>, HelperError> {
        if cancel.is_cancelled() {
            return Err(HelperError::Cancelled);
        }
        let mut group = self.spawn()?;
        let program = || self.program().to_owned();
        let killer = group.killer();
        let hooked = cancel.on_cancel(move || killer.kill());
        let mut run = Run { input, stdout: Vec::new(), stderr: Tail::default(), limit, hear };
        let outcome = run.follow(&mut group, Instant::now() + time);
        drop(hooked);
        let status = group.finish();
        if cancel.is_cancelled() {
            return Err(HelperError::Cancelled);
        }
        match outcome {
            Ok(()) => {}
            Err(Stop::Deadline) => return Err(HelperError::TimedOut { program: program(), after: time }),
            Err(Stop::Limit) => return Err(HelperError::TooMuch { program: program(), limit }),
            Err(Stop::Io(e)) => return Err(HelperError::Start { program: program(), why: e.to_string() }),
        }
        match status {
            Ok(status) if status.success() => Ok(run.stdout),
            status => {
                let (status, said) = (in_words(status), run.stderr.last_line());
                Err(HelperError::Failed { program: program(), status, said })
            }
        }
    }
}

/// Why reading stopped before the end.
enum Stop {
    Deadline,
    Limit,
    Io(io::Error),
}

struct Run<'a> {
    input: &'a [u8],
    stdout: Vec<u8>,
    stderr: Tail,
    limit: usize,
    hear: &'a mut dyn FnMut(&[u8]),
}

impl Run<'_> {
    /// Moves bytes until the helper has ended. The end of its pipes says nothing: it may close them before, and what
    /// it left running may hold them for ever (agents do).
    fn follow(&mut self, group: &mut Group, deadline: Instant) -> Result<(), Stop> {
        let (mut out, mut err) = (true, true);
        loop {
            if self.input.is_empty() {
                group.stdin = None;
            }
            let ready = wait(group, out, err, deadline)?;
            if ready.stdin
                && let Some(stdin) = &mut group.stdin
            {
                match stdin.write(self.input) {
                    Ok(n) => self.input = &self.input[n..],
                    Err(e) if is_later(&e) => {}
                    // It does not want the rest.
                    Err(_) => self.input = &[],
                }
            }
            if ready.stderr {
                err = pull(&mut group.stderr, |bytes| self.stderr.feed(bytes))?;
            }
            if ready.stdout {
                let before = self.stdout.len();
                out = pull(&mut group.stdout, |bytes| self.stdout.extend_from_slice(bytes))?;
                if self.stdout.len() > before {
                    (self.hear)(&self.stdout);
                }
            }
            if self.stdout.len() > self.limit {
                return Err(Stop::Limit);
            }
            let is_drained = !(ready.stdout && out || ready.stderr && err);
            if ready.ended && is_drained {
                return Ok(());
            }
        }
    }
}

#[derive(Default)]
struct Ready {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    ended: bool,
}

/// Waits for the first of them. The helper's end is looked at first: what was in the pipes then is seen as well.
fn wait(group: &Group, out: bool, err: bool, deadline: Instant) -> Result<Ready, Stop> {
    let sources = [
        Some((group.ended().as_fd(), PollFlags::POLLIN)),
        out.then(|| (group.stdout.as_fd(), PollFlags::POLLIN)),
        err.then(|| (group.stderr.as_fd(), PollFlags::POLLIN)),
        group.stdin.as_ref().map(|stdin| (stdin.as_fd(), PollFlags::POLLOUT)),
    ];
    let mut fds: Vec<_> = sources.iter().flatten().map(|(fd, flags)| PollFd::new(*fd, *flags)).collect();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Stop::Deadline);
        }
        // Rounded up, so that it does not spin in the last millisecond.
        let left = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
        match poll(&mut fds, left) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => break,
            Err(e) => return Err(Stop::Io(e.into())),
        }
    }
    let mut fds = fds.iter();
    let is_ready = |fd: &PollFd<'_>| fd.revents().is_some_and(|revents| !revents.is_empty());
    let [ended, stdout, stderr, stdin] =
        sources.map(|source| source.is_some() && fds.next().is_some_and(is_ready));
    Ok(Ready { stdin, stdout, stderr, ended })
}

/// One read; false at the end.
fn pull(from: &mut impl Read, mut take: impl FnMut(&[u8])) -> Result<bool, Stop> {
    let mut chunk = [0; READ_SIZE];
    match from.read(&mut chunk) {
        Ok(0) => Ok(false),
        Ok(n) => {
            take(&chunk[..n]);
            Ok(true)
        }
        Err(e) if is_later(&e) => Ok(true),
        Err(e) => Err(Stop::Io(e)),
    }
}

fn is_later(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// The end of what was complained about.
#[derive(Debug, Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let extra = self.0.len().saturating_sub(COMPLAINT_LIMIT);
        self.0.drain(..extra);
    }

    /// The last line with something on it.
    pub(crate) fn last_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.0);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }
}
