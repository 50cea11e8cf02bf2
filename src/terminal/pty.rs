//! ssh's terminal: a PTY opened by portable-pty, with ssh under a small monitor on its other side.
//!
//! portable-pty's habits that would show (`child` is the monitor), and what is done about each:
//!
//! | habit | here |
//! |---|---|
//! | its writer types newline and ^D when dropped | never taken: the master's descriptor is used directly |
//! | NULL termios in `openpty` | the user's are set on the master before anything runs |
//! | the child runs in `$HOME` | `cwd(".")`, which also holds for a directory that was removed |
//! | `SHELL` is added where it was unset | [`Inherit::no_shell`]: the monitor removes it again |
//! | SIGINT, SIGQUIT, SIGTERM… reset to default | [`Inherit`]: the monitor ignores again what was ignored |
//! | `setsid`: ssh an orphaned group, so `~^Z` is dead | the monitor is the session leader and ssh its foreground job |
//! | a death by signal becomes exit code 1 | the monitor dies by ssh's signal; `waitpid` here, not its `wait` |
//! | `kill` is SIGHUP, then worse | never used: signals go to ssh's own process |
//! | EIO reads as EOF | the end is the monitor's exit, never EOF |
//!
//! Descriptors 0 to 2 all become the PTY; that is right here, because aissh wraps only where all three are the
//! controlling terminal.

use super::monitor::Inherit;
use super::{Size, ahead};
use crate::ssh::surroundings::WRAPPED_ENV;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{self, LocalFlags, SetArg, Termios};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// How ssh uses its terminal now, as seen in the PTY's line discipline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMode {
    /// The session: every byte goes to the remote.
    Raw,
    /// A local question with echo (the host key), or ssh's start. Signals are made by the PTY.
    Cooked,
    /// A local password or passphrase prompt: lines without echo (readpassphrase).
    Secret,
}

/// What ssh's process did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Stopped,
    Exited(i32),
    Killed(i32),
}

/// What ssh's terminal and ssh itself are given.
#[derive(Debug)]
pub struct Given<'a> {
    pub size: Size,
    /// The user's settings.
    pub modes: &'a Termios,
    pub inherit: &'a Inherit,
    /// What was typed before.
    pub ahead: &'a [u8],
}

pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    fd: std::os::fd::OwnedFd,
    monitor: Pid,
}

impl Pty {
    /// Opens the PTY with the user's settings and starts ssh on it. Call it before any thread exists: the
    /// child allocates between fork and exec.
    pub fn spawn(ssh: &Path, args: &[OsString], given: &Given<'_>) -> io::Result<Self> {
        let pair = native_pty_system().openpty(pty_size(given.size)).map_err(io::Error::other)?;
        let raw = pair.master.as_raw_fd().ok_or_else(|| io::Error::other("a PTY without a descriptor"))?;
        // SAFETY: `raw` is open as long as `pair.master`, which outlives this borrow.
        #[allow(unsafe_code)]
        let fd = unsafe { BorrowedFd::borrow_raw(raw) }.try_clone_to_owned()?;
        set_nonblocking(fd.as_fd())?;
        termios::tcsetattr(&fd, SetArg::TCSANOW, given.modes)?;
        if let Some(slave) = pair.master.tty_name().filter(|_| !given.ahead.is_empty()) {
            ahead::put(given.ahead, fd.as_fd(), &slave, given.modes)?;
        }
        let child = pair.slave.spawn_command(command(ssh, args, given.inherit)?).map_err(io::Error::other)?;
        let pid = child.process_id().ok_or_else(|| io::Error::other("a child without a process id"))?;
        Ok(Self { master: pair.master, fd, monitor: Pid::from_raw(pid as i32) })
    }

    pub fn resize(&self, size: Size) -> io::Result<()> {
        self.master.resize(pty_size(size)).map_err(io::Error::other)
    }

    /// Asked before input is passed on, so it must be cheap: one ioctl.
    pub fn line_mode(&self) -> LineMode {
        let Ok(modes) = termios::tcgetattr(&self.fd) else { return LineMode::Raw };
        match (modes.local_flags.contains(LocalFlags::ICANON), modes.local_flags.contains(LocalFlags::ECHO)) {
            (true, false) => LineMode::Secret,
            (true, true) => LineMode::Cooked,
            (false, _) if modes.local_flags.contains(LocalFlags::ISIG) => LineMode::Cooked,
            (false, _) => LineMode::Raw,
        }
    }

    /// Passes a signal on to ssh itself (not to its helpers: ssh deals with those).
    pub fn signal(&self, signal: i32) {
        let ssh = self.master.process_group_leader().map_or(self.monitor, Pid::from_raw);
        if let Ok(signal) = Signal::try_from(signal) {
            let _ = kill(ssh, signal);
        }
    }

    /// Lets ssh go on after [`Change::Stopped`].
    pub fn resume(&self) {
        let _ = kill(self.monitor, Signal::SIGCONT);
    }

    /// What happened to ssh since the last call, if anything. Never blocks.
    pub fn change(&self) -> Option<Change> {
        match waitpid(self.monitor, Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Exited(_, code)) => Some(Change::Exited(code)),
            Ok(WaitStatus::Signaled(_, signal, _)) => Some(Change::Killed(signal as i32)),
            Ok(WaitStatus::Stopped(..)) => Some(Change::Stopped),
            Ok(_) | Err(nix::Error::EINTR) => None,
            // ECHILD: somebody made us ignore SIGCHLD, and the status is lost. 255 is ssh's "error".
            Err(_) => Some(Change::Exited(255)),
        }
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn pty_size(size: Size) -> PtySize {
    PtySize { rows: size.rows, cols: size.cols, pixel_width: size.xpixel, pixel_height: size.ypixel }
}

/// This binary again, as the monitor of ssh.
fn command(ssh: &Path, args: &[OsString], inherit: &Inherit) -> io::Result<CommandBuilder> {
    let mut command = CommandBuilder::new(this_binary()?);
    command.args(super::monitor::argv(inherit, ssh, args));
    command.cwd(".");
    // The one variable that aissh adds: it keeps an aissh inside from wrapping again.
    command.env(WRAPPED_ENV, "1");
    Ok(command)
}

/// By its path, which is what `ps` then shows; on Linux, where the file was replaced by an upgrade meanwhile, by a
/// name that still means this one.
fn this_binary() -> io::Result<OsString> {
    const SELF: &str = "/proc/self/exe";
    let path = std::env::current_exe()?;
    let identity = |path: &Path| std::fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
    let replaced = identity(&path) != identity(Path::new(SELF));
    Ok(if cfg!(target_os = "linux") && replaced { SELF.into() } else { path.into_os_string() })
}

/// On our own description of the master only; ssh's side is another one.
fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    let flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}
