//! The poll loop: bytes both ways, signals, wake-ups, deadlines. While the session runs it waits for nothing but these.

use super::Session;
use super::fault::planted;
use crate::terminal::outbox::Outbox;
use crate::terminal::pty::Change;
use crate::terminal::signals::Signals;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGTSTP, SIGWINCH};
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// One read. Linux hands out at most 4 KiB of a PTY at a time, macOS less.
const CHUNK: usize = 16 * 1024;
/// How often it is looked whether another program has given the terminal back.
const LOOK: Duration = Duration::from_millis(50);
/// What may wait for a remote that takes nothing, while the panel is open: a paste of the longest kind.
const PANEL_ROOM: usize = 2 * 1024 * 1024;
/// Output is read up to this often before input is looked at again: a flood must not hold a ^C back.
const READS: usize = 8;
/// A shorter read took all there was: asking once more would cost every echo a system call.
const MORE: usize = 1024;

/// A terminal answers in a few milliseconds; one behind a slow link in some hundred.
const PLACE_BEFORE_LEAVING: Duration = Duration::from_millis(300);

/// What poll said about the descriptors.
#[derive(Debug, Default)]
struct Ready {
    tty_in: bool,
    tty_out: bool,
    tty_gone: bool,
    pty_in: bool,
    pty_out: bool,
    signals: bool,
    wake: bool,
}

impl Session {
    /// Runs until ssh has ended; its last output has then been read.
    pub(super) fn pump(&mut self) -> io::Result<Change> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let ready = self.wait()?;
            if self.connected {
                planted(if self.side.is_some() { "wire" } else { "bare wire" });
            }
            if ready.signals
                && let Some(end) = self.on_signals()
            {
                self.drain();
                return Ok(end);
            }
            if ready.tty_gone {
                self.on_terminal_gone();
            }
            if ready.pty_in {
                self.read_pty(&mut buffer, READS);
            }
            if ready.tty_in {
                self.read_tty(&mut buffer);
            }
            if ready.pty_out {
                self.flush_pty();
            }
            if ready.tty_out {
                self.flush_tty();
            }
            if ready.wake {
                self.wake.clear();
            }
            self.guarded(|session| {
                session.on_events();
                session.on_time(Instant::now());
            });
        }
    }

    fn wait(&self) -> io::Result<Ready> {
        let wanted = |input: bool, output: bool| {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::POLLIN, input);
            flags.set(PollFlags::POLLOUT, output);
            flags
        };
        // Each side is read only while the other takes what comes: back-pressure instead of memory.
        // With the panel open some of the keys are its own, and are read although the remote takes nothing.
        let room =
            if self.panel_is_open() { !self.to_pty.is_over(PANEL_ROOM) } else { !self.to_pty.is_full() };
        let taken = self.terminal_is_taken();
        let tty = wanted(room && !taken, !self.to_tty.is_empty());
        let pty = wanted(self.takes_output(), !self.to_pty.is_empty());
        let mut fds = vec![
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.wake.as_fd(), PollFlags::POLLIN),
        ];
        // A descriptor that is hung up says so at once and for ever, asked or not: it is left out when it is gone,
        // and the PTY also while nothing is wanted of it.
        let tty_at = (!self.tty_gone).then_some(fds.len());
        fds.extend(tty_at.map(|_| PollFd::new(self.tty.as_fd(), tty)));
        let pty_at = (!self.pty_gone && !pty.is_empty()).then_some(fds.len());
        fds.extend(pty_at.map(|_| PollFd::new(self.pty.as_fd(), pty)));
        match poll(&mut fds, self.timeout(taken)) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
        let events = |at: usize| fds[at].revents().unwrap_or(PollFlags::empty());
        let tty = tty_at.map_or(PollFlags::empty(), events);
        let pty = pty_at.map_or(PollFlags::empty(), events);
        let hung_up = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
        Ok(Ready {
            signals: !events(0).is_empty(),
            wake: !events(1).is_empty(),
            tty_in: tty.intersects(PollFlags::POLLIN),
            tty_out: tty.intersects(PollFlags::POLLOUT),
            tty_gone: tty.intersects(hung_up),
            // POLLHUP too: what is left is read until EIO says that there is no more.
            pty_in: pty.intersects(PollFlags::POLLIN | hung_up) && self.takes_output(),
            pty_out: pty.intersects(PollFlags::POLLOUT | hung_up) && !self.to_pty.is_empty(),
        })
    }

    fn takes_output(&self) -> bool {
        !self.to_tty.is_full() && !self.holds_enough()
    }

    /// Before the session ssh reads nothing of the terminal that it did not ask for, and so do we not: its agent's
    /// pinentry may be asking for a PIN there, and half of that would be typed into the remote.
    fn terminal_is_taken(&self) -> bool {
        !self.connected && self.guard.is_some() && !self.tty.is_raw()
    }

    /// `taken`: another program has the terminal.
    fn timeout(&self, taken: bool) -> PollTimeout {
        let look = taken.then(|| Instant::now() + LOOK);
        match self.deadline().into_iter().chain(look).min() {
            None => PollTimeout::NONE,
            Some(at) => {
                // Rounded up: poll counts milliseconds, and rounding down would spin until the deadline.
                let left = at.saturating_duration_since(Instant::now()) + Duration::from_micros(999);
                PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
            }
        }
    }

    /// Reads what ssh printed, at most `reads` times. `false` when there was nothing (more).
    fn read_pty(&mut self, buffer: &mut [u8], reads: usize) -> bool {
        for _ in 0..reads {
            match nix::unistd::read(self.pty.as_fd(), buffer) {
                Ok(n @ 1..) => {
                    let bytes = &buffer[..n];
                    self.guarded(|session| session.on_output(bytes));
                    if n < MORE {
                        return true;
                    }
                }
                Err(nix::Error::EINTR) => {}
                Err(nix::Error::EAGAIN) => return false,
                // EIO: the other side is closed (Linux). The end is ssh's exit, not this.
                Ok(0) | Err(_) => {
                    self.pty_gone = true;
                    return false;
                }
            }
            if self.to_tty.is_full() {
                break;
            }
        }
        true
    }

    fn read_tty(&mut self, buffer: &mut [u8]) {
        if self.terminal_is_taken() {
            return;
        }
        match nix::unistd::read(self.tty.as_fd(), buffer) {
            Ok(n @ 1..) => {
                let bytes = &buffer[..n];
                self.guarded(|session| session.on_input(bytes, Instant::now()));
            }
            Err(nix::Error::EINTR | nix::Error::EAGAIN) => {}
            Ok(0) | Err(_) => self.on_terminal_gone(),
        }
    }

    /// The rest of what ssh printed before it ended or stopped. A background process that still holds the PTY
    /// (ControlPersist with -v) must not keep us: what is there now, no more.
    pub(super) fn drain(&mut self) {
        const MOST: usize = 64 * 1024 * 1024 / CHUNK;
        self.guarded(Self::end_dialogue);
        let mut buffer = vec![0; CHUNK];
        for _ in 0..MOST {
            self.deliver_to_tty();
            if self.pty_gone || self.tty_gone || !self.read_pty(&mut buffer, 1) {
                break;
            }
        }
    }

    /// Waits until the terminal took everything; a signal or the terminal's end stops the wait.
    pub(super) fn deliver_to_tty(&mut self) {
        while !self.to_tty.is_empty() && !self.tty_gone {
            let mut fds = [
                PollFd::new(self.tty.as_fd(), PollFlags::POLLOUT),
                PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut fds, PollTimeout::NONE) {
                Ok(_) | Err(nix::Error::EINTR) => {}
                Err(_) => return self.to_tty.clear(),
            }
            let passed_on: Vec<i32> =
                self.signals.take().into_iter().filter(|s| Signals::is_passed_on(*s)).collect();
            if !passed_on.is_empty() {
                passed_on.into_iter().for_each(|signal| self.pty.signal(signal));
                return self.to_tty.clear();
            }
            self.flush_tty();
        }
    }

    /// Before the terminal is given back: waits a moment for the answer to where its cursor stood, which would be typed
    /// into the user's shell.
    pub(super) fn await_place(&mut self) {
        let end = Instant::now() + PLACE_BEFORE_LEAVING;
        let mut buffer = vec![0; CHUNK];
        while self.places.is_awaited(Instant::now()) && !self.tty_gone {
            let left = end.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
            let mut fds = [PollFd::new(self.tty.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, timeout) {
                Ok(1..) => self.read_tty(&mut buffer),
                Err(nix::Error::EINTR) => {}
                Ok(_) | Err(_) => break,
            }
        }
        self.places.forget();
    }

    pub(super) fn flush_tty(&mut self) {
        if self.to_tty.flush(self.tty.as_fd()).is_err() {
            self.on_terminal_gone();
        }
    }

    pub(super) fn send_tty(&mut self, bytes: &[u8]) {
        if self.tty_gone {
            return;
        }
        if self.to_tty.send(self.tty.as_fd(), bytes).is_err() {
            self.on_terminal_gone();
        }
    }

    fn flush_pty(&mut self) {
        // What cannot be written is for nobody; whether there is more to read, only reading tells.
        if self.to_pty.flush(self.pty.as_fd()).is_err() {
            self.to_pty.clear();
        }
    }

    pub(super) fn send_pty(&mut self, bytes: &[u8]) {
        if !self.pty_gone && self.to_pty.send(self.pty.as_fd(), bytes).is_err() {
            self.to_pty.clear();
        }
    }

    /// The terminal was closed. ssh hears what it would hear without us: SIGHUP.
    fn on_terminal_gone(&mut self) {
        if !self.tty_gone {
            self.tty_gone = true;
            self.to_tty = Outbox::default();
            self.pty.signal(SIGHUP);
        }
    }

    /// Returns how ssh ended, if it did.
    fn on_signals(&mut self) -> Option<Change> {
        for signal in self.signals.take() {
            match signal {
                SIGCHLD => {}
                SIGCONT => self.on_continued(),
                SIGWINCH => self.guarded(Self::on_resize),
                SIGTSTP => self.suspend(),
                signal => self.pty.signal(signal),
            }
        }
        while let Some(change) = self.pty.change() {
            match change {
                Change::Stopped => self.suspend(),
                end => return Some(end),
            }
        }
        None
    }
}
