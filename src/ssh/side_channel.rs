//! The side channel: another ssh beside the session's, for SFTP or a shell that answers probes, on pipes and without a terminal. Started only when
//! the user has agreed, over the user's own multiplexed connection if one is live; never makes one, never asks for a
//! password, and ends with the session.
//!
//! `args` says what it is started with; `cancel` is how it is stopped from another thread.

mod args;
mod cancel;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, setsid};

pub use cancel::{Cancel, Canceller, cancel};

/// What ssh says last is why it failed; before that may be a banner of any length.
const SAID_LIMIT: usize = 2048;
/// How long ssh has to end when it is told to, before it is killed.
const END_WITHIN: Duration = Duration::from_secs(1);
/// Between two looks whether it has ended.
const END_POLL: Duration = Duration::from_millis(5);
/// `-O check` asks a socket of this machine.
const CHECK_WITHIN: Duration = Duration::from_secs(3);

/// How the session's ssh was started, and so how another is.
#[derive(Debug, Clone)]
pub struct Route {
    ssh: PathBuf,
    args: Vec<OsString>,
}

impl Route {
    /// `args` are the session's, without aissh's own.
    pub fn new(ssh: &Path, args: &[OsString]) -> Self {
        Self { ssh: ssh.to_owned(), args: args.to_vec() }
    }

    /// Whether a multiplexed connection of the user's own is live (`ssh -O check`). Connects to nothing else.
    pub fn is_multiplexed(&self) -> bool {
        let mut command = self.command(&args::check(&self.args));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return false };
        let until = Instant::now() + CHECK_WITHIN;
        let ended = wait_until(&mut child, until);
        if ended.is_none() {
            end(&mut child);
        }
        ended == Some(true)
    }

    /// Starts ssh with SFTP on its pipes.
    pub fn sftp(&self) -> io::Result<Channel> {
        Channel::start(self.command(&args::sftp(&self.args)))
    }

    /// Starts ssh with a POSIX shell on its pipes, without a terminal.
    pub fn shell(&self) -> io::Result<Channel> {
        Channel::start(self.command(&args::shell(&self.args)))
    }

    /// The command line of [`Route::sftp`], for the user to see.
    pub fn shown(&self) -> String {
        self.words(args::sftp(&self.args))
    }

    /// The same of [`Route::shell`].
    pub fn shown_shell(&self) -> String {
        self.words(args::shell(&self.args))
    }

    fn words(&self, args: Vec<OsString>) -> String {
        let words = [self.ssh.clone().into_os_string()].into_iter().chain(args);
        words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    fn command(&self, args: &[OsString]) -> Command {
        let mut command = Command::new(&self.ssh);
        // No window pops up either (ssh 8.4 and later; without a terminal it would ask through one).
        command.args(args).env("SSH_ASKPASS_REQUIRE", "never");
        // A session of its own has no terminal that a question could go to, and no ^C or hang-up of the user's.
        // SAFETY: only setsid() runs between fork and exec, and it is async-signal-safe.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(|| setsid().map(drop).map_err(io::Error::from));
        }
        command
    }
}

/// Why there is nothing to read any more.
#[derive(Debug)]
pub enum ChannelError {
    Cancelled,
    /// Nothing came for this long.
    Silent(Duration),
    /// ssh has ended; its last words, which may be the remote's.
    Ended(String),
    Io(io::Error),
}

impl fmt::Display for ChannelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("cancelled"),
            Self::Silent(time) => write!(f, "the remote has not answered for {} s", time.as_secs()),
            Self::Ended(said) if said.is_empty() => f.write_str("the connection has ended"),
            Self::Ended(said) => write!(f, "the connection has ended: {said}"),
            Self::Io(e) => write!(f, "the connection failed: {e}"),
        }
    }
}

/// What a wait is bounded by.
#[derive(Debug, Clone, Copy)]
pub struct Patience<'a> {
    /// Without anything moving.
    pub silence: Duration,
    pub cancel: Option<&'a Cancel>,
}

/// An ssh with pipes.
pub struct Channel {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: ChildStderr,
    out: Vec<u8>,
    input: Vec<u8>,
    said: Vec<u8>,
    has_ended: bool,
}

impl Channel {
    /// Starts any program that speaks on its pipes.
    pub fn start(mut command: Command) -> io::Result<Self> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        // From here on dropping it ends the child.
        let this = Self {
            child,
            stdin: Some(stdin),
            stdout,
            stderr,
            out: Vec::new(),
            input: Vec::new(),
            said: Vec::new(),
            has_ended: false,
        };
        this.stdin.iter().try_for_each(set_nonblocking)?;
        set_nonblocking(&this.stdout)?;
        set_nonblocking(&this.stderr)?;
        Ok(this)
    }

    /// Puts bytes on their way; they go while something is waited for.
    pub fn send(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// What has come and was not taken yet.
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// Takes so many bytes of it, or what there is.
    pub fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.input.split_off(count.min(self.input.len()));
        std::mem::replace(&mut self.input, rest)
    }

    /// Waits until that much input is there.
    pub fn wait_input(&mut self, count: usize, patience: Patience<'_>) -> Result<(), ChannelError> {
        let mut until = Instant::now() + patience.silence;
        while self.input.len() < count {
            if self.has_ended {
                return Err(ChannelError::Ended(self.last_words()));
            }
            if patience.cancel.is_some_and(Cancel::is_cancelled) {
                return Err(ChannelError::Cancelled);
            }
            if self.turn(until, patience)? {
                until = Instant::now() + patience.silence;
            } else if Instant::now() >= until {
                return Err(ChannelError::Silent(patience.silence));
            }
        }
        Ok(())
    }

    /// One wait, and what it brings; whether anything moved.
    fn turn(&mut self, until: Instant, patience: Patience<'_>) -> Result<bool, ChannelError> {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let mut fds = vec![
            PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.stderr.as_fd(), PollFlags::POLLIN),
        ];
        if let Some(stdin) = self.stdin.as_ref().filter(|_| !self.out.is_empty()) {
            fds.push(PollFd::new(stdin.as_fd(), PollFlags::POLLOUT));
        }
        fds.extend(patience.cancel.map(|cancel| PollFd::new(cancel.as_fd(), PollFlags::POLLIN)));
        match poll(&mut fds, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(e) => return Err(ChannelError::Io(e.into())),
        }
        drop(fds);
        let wrote = self.write()?;
        self.listen();
        Ok(self.read()? || wrote)
    }

    fn write(&mut self) -> Result<bool, ChannelError> {
        let Some(stdin) = self.stdin.as_mut().filter(|_| !self.out.is_empty()) else { return Ok(false) };
        match stdin.write(&self.out) {
            Ok(count) => {
                self.out.drain(..count);
                Ok(count > 0)
            }
            Err(e) if is_later(&e) => Ok(false),
            // It ends; what it has said is still to be read.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                (self.stdin, self.out) = (None, Vec::new());
                Ok(false)
            }
            Err(e) => Err(ChannelError::Io(e)),
        }
    }

    fn read(&mut self) -> Result<bool, ChannelError> {
        let mut chunk = [0; 64 << 10];
        match self.stdout.read(&mut chunk) {
            Ok(0) => {
                self.has_ended = true;
                Ok(true)
            }
            Ok(count) => {
                self.input.extend_from_slice(&chunk[..count]);
                Ok(true)
            }
            Err(e) if is_later(&e) => Ok(false),
            Err(e) => Err(ChannelError::Io(e)),
        }
    }

    /// What ssh says on stderr, the end of it.
    fn listen(&mut self) {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = self.stderr.read(&mut chunk) {
            self.said.extend_from_slice(&chunk[..count]);
            let over = self.said.len().saturating_sub(SAID_LIMIT);
            self.said.drain(..over);
        }
    }

    /// The last line that ssh has said, now that it has ended.
    pub fn last_words(&mut self) -> String {
        let _ = wait_until(&mut self.child, Instant::now() + END_WITHIN);
        self.listen();
        let text = String::from_utf8_lossy(&self.said);
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.stdin = None;
        end(&mut self.child);
    }
}

fn set_nonblocking(fd: &impl AsFd) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}

fn is_later(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Whether it ended well; `None` if it has not ended.
fn wait_until(child: &mut Child, until: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < until => std::thread::sleep(END_POLL),
            Ok(None) => return None,
            Err(_) => return Some(false),
        }
    }
}

/// Ends it and what it has started (a ProxyCommand): its process group is its own.
fn end(child: &mut Child) {
    if let Ok(Some(_)) = child.try_wait() {
        return;
    }
    // The pid is the child's as long as it was not waited for.
    let group = i32::try_from(child.id()).map(Pid::from_raw);
    let signal = |signal| group.is_ok_and(|group| killpg(group, signal).is_ok());
    signal(Signal::SIGTERM);
    if wait_until(child, Instant::now() + END_WITHIN).is_none() {
        signal(Signal::SIGKILL);
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Channel {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Channel::start(command).expect("start sh")
    }

    const SHORT: Patience<'static> = Patience { silence: Duration::from_millis(50), cancel: None };
    const LONG: Patience<'static> = Patience { silence: Duration::from_secs(20), cancel: None };

    #[test]
    fn what_is_sent_comes_back_however_much_it_is() {
        let mut channel = sh("cat");
        let text = vec![b'x'; 3 << 20];
        channel.send(&text);
        channel.wait_input(text.len(), LONG).expect("all of it");
        assert_eq!(channel.take(text.len()), text);
        assert!(matches!(channel.wait_input(1, SHORT), Err(ChannelError::Silent(_))));
    }

    #[test]
    fn an_end_comes_with_the_last_words() {
        let mut channel = sh("echo out; echo first >&2; echo 'Permission denied (publickey).' >&2; exit 255");
        channel.send(b"into nothing");
        let Err(ChannelError::Ended(said)) = channel.wait_input(100, LONG) else { panic!("no end") };
        assert_eq!((said.as_str(), channel.input()), ("Permission denied (publickey).", &b"out\n"[..]));
    }

    #[test]
    fn a_wait_is_cancelled_from_outside_and_by_dropping_the_canceller() {
        for dropped in [false, true] {
            let (canceller, token) = cancel().expect("a pair of sockets");
            let mut channel = sh("cat");
            std::thread::scope(|scope| {
                scope.spawn(move || if dropped { drop(canceller) } else { canceller.cancel() });
                let patience = Patience { cancel: Some(&token), ..LONG };
                assert!(matches!(channel.wait_input(1, patience), Err(ChannelError::Cancelled)));
            });
        }
    }

    #[test]
    fn dropping_it_ends_what_ignores_its_end() {
        let mut channel = sh("trap '' TERM HUP; echo $$; while :; do read -r _ || sleep 1; done");
        channel.wait_input(2, LONG).expect("its pid");
        let pid: i32 = String::from_utf8(channel.take(20)).unwrap().trim().parse().unwrap();
        drop(channel);
        assert_eq!(nix::sys::signal::kill(Pid::from_raw(pid), None), Err(Errno::ESRCH));
    }
}
