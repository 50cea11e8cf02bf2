//! A program on a terminal of ours, which reads as fast as it can and looks only for what it waits for.

use crate::tty;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::Winsize;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

pub(crate) const COLS: u16 = 120;
pub(crate) const ROWS: u16 = 40;
/// Nothing that is waited for takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Stage {
    master: File,
    child: Child,
    buffer: Vec<u8>,
    /// The end of what was read, so that a match may be split over two reads.
    tail: Vec<u8>,
    /// Everything read, where the screen is wanted.
    pub(crate) seen: Option<Vec<u8>>,
}

impl Stage {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::sized(command, COLS, ROWS)
    }

    pub(crate) fn sized(command: &mut Command, cols: u16, rows: u16) -> Self {
        let size = Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 };
        let (master, child) = tty::spawn(command, size).unwrap_or_else(|e| panic!("{command:?}: {e}"));
        Self { master, child, buffer: vec![0; 64 * 1024], tail: Vec::new(), seen: None }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.master.write_all(bytes).expect("write to the terminal");
    }

    /// What there is to read, or `None` when the time is over or the program has gone.
    fn read(&mut self, until: Instant) -> Option<usize> {
        loop {
            match self.master.read(&mut self.buffer) {
                Ok(n @ 1..) => return Some(n),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return None,
            }
            let left = until.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            if left.is_zero() || poll(&mut fds, timeout) == Ok(0) {
                return None;
            }
        }
    }

    /// Reads until `needle` has come; what came is forgotten.
    pub(crate) fn wait_for(&mut self, needle: &[u8]) {
        let until = Instant::now() + PATIENCE;
        let finder = memchr::memmem::Finder::new(needle);
        loop {
            let Some(n) = self.read(until) else {
                panic!("{:?} did not come, but {:?}", String::from_utf8_lossy(needle), self.last_words());
            };
            let bytes = &self.buffer[..n];
            if let Some(seen) = &mut self.seen {
                seen.extend_from_slice(bytes);
            }
            let joint = self.tail.len();
            self.tail.extend_from_slice(&bytes[..n.min(needle.len())]);
            let found = finder.find(bytes).is_some() || (joint > 0 && finder.find(&self.tail).is_some());
            if found {
                self.tail.clear();
                return;
            }
            if n >= needle.len() {
                self.tail.clear();
                self.tail.extend_from_slice(&bytes[n - (needle.len() - 1)..]);
            } else {
                let over = self.tail.len().saturating_sub(needle.len() - 1);
                self.tail.drain(..over);
            }
        }
    }

    fn last_words(&mut self) -> String {
        String::from_utf8_lossy(&self.buffer[..200]).into_owned()
    }

    /// Reads for a time, whatever comes.
    pub(crate) fn settle(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Some(n) = self.read(until) {
            if let Some(seen) = &mut self.seen {
                seen.extend_from_slice(&self.buffer[..n]);
            }
        }
    }

    /// Ends the role inside and waits for everything around it.
    pub(crate) fn end(mut self) {
        let _ = self.master.write_all(b"q");
        let until = Instant::now() + PATIENCE;
        while self.read(until).is_some() {}
        let _ = self.child.wait();
    }
}
