//! A running helper: its pipes, its end, and the end of everything that it started.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, pipe};

use super::{Helper, HelperError};

/// The first descriptor that is not one of the three pipes.
const FIRST_OTHER: libc::c_int = 3;
/// Where the kernel cannot mark them all at once (before Linux 5.11, and elsewhere), this many are marked one by one.
const MARKED_LIMIT: libc::c_int = 65_536;

/// The process group of a helper, and the parent's ends of its pipes, which do not block. Dropping it kills the
/// group.
#[derive(Debug)]
pub struct Group {
    pub stdin: Option<ChildStdin>,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
    /// Its other end is closed when the helper itself has ended, whoever else still holds its pipes.
    ended: OwnedFd,
    killer: Killer,
    /// Dropped to have the helper reaped. Until then its number, which is also its group's, stays its own.
    keep: Option<Sender<()>>,
    status_rx: Receiver<io::Result<ExitStatus>>,
}

impl Helper {
    /// Starts it.
    pub fn spawn(&self) -> Result<Group, HelperError> {
        self.start().map_err(|e| {
            let why = match e.kind() {
                io::ErrorKind::NotFound if self.program().contains('/') => "there is no such file".into(),
                io::ErrorKind::NotFound => "not found in PATH".into(),
                _ => e.to_string(),
            };
            HelperError::Start { program: self.program().into(), why }
        })
    }

    /// What runs it alone; its pipes are the caller's to choose.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(self.program());
        command.args(self.argv.iter().skip(1)).env_clear().envs(self.environment.iter().cloned());
        // SAFETY: only system calls that signal-safety(7) allows between fork and exec, and no allocation.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(alone);
        }
        command
    }

    fn start(&self) -> io::Result<Group> {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (ended, end) = pipe()?;
        for fd in [&ended, &end] {
            fcntl(fd, FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
        }
        let mut child = command.spawn()?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (keep, keep_rx) = channel();
        let (status_tx, status_rx) = channel();
        let watch = move || {
            wait_without_reaping(pid);
            drop(end);
            let _ = keep_rx.recv();
            let _ = status_tx.send(child.wait());
        };
        let watching = Builder::new().name("helper".into()).spawn(watch);
        let killer = Killer::new(pid);
        let (Ok(_), (Some(stdin), Some(stdout), Some(stderr))) = (watching, pipes) else {
            killer.kill();
            return Err(io::Error::other("no thread or pipe left for it"));
        };
        let group = Group {
            stdin: Some(stdin),
            stdout,
            stderr,
            ended,
            killer: Killer::new(pid),
            keep: Some(keep),
            status_rx,
        };
        for fd in [group.stdout.as_fd(), group.stderr.as_fd()] {
            fcntl(fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        if let Some(stdin) = &group.stdin {
            fcntl(stdin, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        Ok(group)
    }
}

/// In the child: a session of its own, hence no terminal, and nothing inherited but the three pipes. They are marked
/// to be closed by exec, not closed: the standard library still reports a failed exec over one.
fn alone() -> io::Result<()> {
    nix::unistd::setsid()?;
    #[cfg(target_os = "linux")]
    {
        // SAFETY: close_range(2) with numbers only; it fails on kernels that do not have it.
        #[allow(unsafe_code)]
        let done =
            unsafe { libc::syscall(libc::SYS_close_range, FIRST_OTHER, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
        if done == 0 {
            return Ok(());
        }
    }
    for fd in FIRST_OTHER..MARKED_LIMIT {
        // SAFETY: fcntl(2) on a number; one that is not open is refused with EBADF, which is as good.
        #[allow(unsafe_code)]
        unsafe {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
    Ok(())
}

/// Returns when the process has ended. It stays a zombie, so that its number is nobody else's.
fn wait_without_reaping(pid: Pid) {
    loop {
        // SAFETY: waitid(2) writes one siginfo_t, for which all zeros is a value.
        #[allow(unsafe_code)]
        let done = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let id = libc::id_t::from(pid.as_raw().cast_unsigned());
            libc::waitid(libc::P_PID, id, &raw mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if done == 0 || Errno::last() != Errno::EINTR {
            return;
        }
    }
}

impl Group {
    /// Becomes readable, at its end, when the helper has ended.
    pub fn ended(&self) -> &OwnedFd {
        &self.ended
    }

    /// Kills the group from another thread.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// Kills what is left of the group and tells how the helper ended. Waits if it has not yet, which after a kill is
    /// a matter of microseconds, unless the kernel holds it.
    pub fn finish(mut self) -> io::Result<ExitStatus> {
        self.end();
        self.status_rx.recv().unwrap_or_else(|_| Err(io::Error::other("its exit status is lost")))
    }

    fn end(&mut self) {
        self.killer.last();
        self.keep = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Kills a group, and does nothing once its [`Group`] is gone: the number may be another's by then.
#[derive(Debug, Clone)]
pub struct Killer(Arc<Mutex<Option<Pid>>>);

impl Killer {
    fn new(pid: Pid) -> Self {
        Self(Arc::new(Mutex::new(Some(pid))))
    }

    pub fn kill(&self) {
        if let Some(pid) = *self.lock() {
            // Gone already is fine. By its own number as well: `finish` relies on it.
            let _ = killpg(pid, Signal::SIGKILL);
            let _ = kill(pid, Signal::SIGKILL);
        }
    }

    fn last(&self) {
        self.kill();
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a process ended, in words.
pub(crate) fn in_words(status: io::Result<ExitStatus>) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("it ended with status {code}"),
            (None, Some(signal)) => match Signal::try_from(signal) {
                Ok(signal) => format!("it died of {}", signal.as_str()),
                Err(_) => format!("it died of signal {signal}"),
            },
            (None, None) => "it ended".into(),
        },
        Err(e) => e.to_string(),
    }
}
