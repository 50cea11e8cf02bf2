//! A connection to the hub: lines in, lines out, both bounded, nothing ever waited for.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use serde_json::Value;

use crate::agents::protocol::REQUEST_LIMIT;

/// Bytes that may wait for a client that does not read.
const UNREAD: usize = 4 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;

pub(super) struct Conn {
    /// Never used twice.
    pub(super) token: u64,
    pub(super) stream: UnixStream,
    pub(super) pid: Option<i32>,
    /// What it calls itself, from its first request on.
    pub(super) agent: Option<String>,
    pub(super) is_watching: bool,
    pub(super) active_at: Instant,
    incoming: Vec<u8>,
    outgoing: VecDeque<u8>,
    /// It is closed once what waits has gone.
    pub(super) is_over: bool,
    pub(super) is_dead: bool,
}

impl Conn {
    pub(super) fn new(token: u64, stream: UnixStream, pid: Option<i32>, now: Instant) -> Self {
        Self {
            token,
            stream,
            pid,
            agent: None,
            is_watching: false,
            active_at: now,
            incoming: Vec::new(),
            outgoing: VecDeque::new(),
            is_over: false,
            is_dead: false,
        }
    }

    /// One read, and the next whole line if there is one. A line that is too long ends the connection.
    pub(super) fn read(&mut self) {
        let mut chunk = vec![0; CHUNK];
        match self.stream.read(&mut chunk) {
            Ok(0) => self.is_dead = true,
            Ok(count) => self.incoming.extend_from_slice(&chunk[..count]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.is_dead = true,
        }
    }

    /// `Err`: what came is no line of a length that a request has.
    pub(super) fn line(&mut self) -> Result<Option<Vec<u8>>, ()> {
        match memchr::memchr(b'\n', &self.incoming) {
            Some(at) if at <= REQUEST_LIMIT => {
                let line = self.incoming[..at].to_vec();
                self.incoming.drain(..=at);
                Ok(Some(line))
            }
            None if self.incoming.len() <= REQUEST_LIMIT => Ok(None),
            _ => Err(()),
        }
    }

    pub(super) fn send(&mut self, value: &Value) {
        if self.outgoing.len() > UNREAD {
            // It asks and does not listen.
            self.is_dead = true;
            return;
        }
        self.outgoing.extend(value.to_string().as_bytes());
        self.outgoing.push_back(b'\n');
        self.flush();
    }

    pub(super) fn has_to_send(&self) -> bool {
        !self.outgoing.is_empty()
    }

    pub(super) fn flush(&mut self) {
        while !self.outgoing.is_empty() && !self.is_dead {
            match self.stream.write(self.outgoing.as_slices().0) {
                Ok(count) => drop(self.outgoing.drain(..count)),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.is_dead = true,
            }
        }
        self.is_dead |= self.is_over && self.outgoing.is_empty();
    }
}
