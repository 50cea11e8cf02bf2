//! The emulator and the tracker as one: bytes and keys in, screen, facts and events out.
//!
//! Owns the order of things: the tracker sees each signal with the screen as it stood at that byte.

use std::time::Instant;

use super::command::plain;
use super::facts::{Facts, ShellEvent, State};
use super::screen::Screen;
use super::tracker::{Input, Tracker};
use crate::terminal::{Emulator, Modes, Signal, Size};

impl Screen for Emulator {
    fn cursor_line(&self) -> u64 {
        Emulator::cursor_line(self)
    }
    fn text_before_cursor(&self) -> String {
        Emulator::text_before_cursor(self)
    }
    fn last_before_cursor(&self) -> Option<char> {
        Emulator::last_before_cursor(self)
    }
    fn line_text(&self, line: u64) -> Option<String> {
        Emulator::line_text(self, line)
    }
    fn columns(&self) -> usize {
        self.size().cols.into()
    }
    fn text_from(&self, line: u64, to: u64, limit: usize) -> String {
        Emulator::text_from(self, line, to, limit)
    }
}

/// How much of the screen and of what left it goes into [`Observer::tail`].
#[derive(Debug, Clone, Copy)]
pub struct Tail {
    /// Logical lines.
    pub lines: usize,
    /// With colours and attributes, or plain.
    pub sgr: bool,
}

impl Default for Tail {
    /// The contract's `terminal_tail`.
    fn default() -> Self {
        Self { lines: 100, sgr: true }
    }
}

/// What stands between ssh's bytes and everything that wants to know about them.
pub struct Observer {
    emulator: Emulator,
    tracker: Tracker,
    tail: Tail,
}

impl Observer {
    pub fn new(size: Size) -> Self {
        Self { emulator: Emulator::new(size), tracker: Tracker::new(), tail: Tail::default() }
    }

    pub fn with_tail(self, tail: Tail) -> Self {
        Self { tail, ..self }
    }

    /// The last lines as they are shown, the prompt's included; beyond `limit` bytes the middle is cut out.
    pub fn tail(&self, limit: usize) -> String {
        self.emulator.tail(self.tail.lines, limit, self.tail.sgr)
    }

    /// The lines from this one on, the cursor's included, in the same manner; at most the last `limit` bytes.
    pub fn shown_since(&self, line: u64, limit: usize) -> String {
        let text = self.emulator.text_from(line, self.emulator.cursor_line() + 1, limit);
        if self.tail.sgr { text } else { plain(&text) }
    }

    /// Takes a chunk of ssh's output, split anywhere.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) {
        if bytes.is_empty() {
            return;
        }
        let mut rest = bytes;
        let mut told = false;
        while !rest.is_empty() {
            let (part, _) = rest.split_at(self.part(rest));
            let (used, signal) = self.emulator.feed_some(part);
            rest = rest.get(used..).unwrap_or_default();
            told = signal.is_none();
            match signal {
                Some(Signal::Osc(payload)) => self.tracker.osc(&payload, &self.emulator, now),
                Some(Signal::BracketedPaste(on)) => self.tracker.bracketed_paste(on, &self.emulator, now),
                Some(Signal::Alternate(on)) => self.tracker.alternate(on),
                Some(Signal::Erased) => self.tracker.erased(&self.emulator),
                Some(Signal::Query(_)) => self.tracker.asked_for_cursor(),
                Some(_) => {}
                None => self.tracker.printed(part.ends_with(b"\n"), &self.emulator, now),
            }
        }
        if !told {
            // A signal was the last of it.
            self.tracker.printed(false, &self.emulator, now);
        }
        self.tracker.tell_output();
    }

    /// All of it, or up to the next LF where the tracker waits for a line to end.
    fn part(&self, bytes: &[u8]) -> usize {
        let line_end = self.tracker.wants_line_end().then(|| memchr::memchr(b'\n', bytes)).flatten();
        line_end.map_or(bytes.len(), |at| at + 1)
    }

    /// Part of the output was skipped: the screen starts again from its newest bytes.
    pub fn resync(&mut self, modes: &Modes, newest: &[u8], now: Instant) {
        self.emulator.resync(modes, newest);
        self.tracker.printed(false, &self.emulator, now);
        self.tracker.tell_output();
    }

    /// What the user's side did, in order with `feed`.
    pub fn input(&mut self, input: Input<'_>, now: Instant) {
        self.tracker.input(input, &self.emulator, now);
    }

    pub fn resize(&mut self, size: Size) {
        self.emulator.resize(size);
    }

    /// When `tick` has something to do, at the latest.
    pub fn deadline(&self) -> Option<Instant> {
        self.tracker.deadline()
    }

    pub fn tick(&mut self, now: Instant) {
        self.tracker.tick(&self.emulator, now);
    }

    /// Events since the last call. At most 128 are kept; the oldest are lost.
    pub fn take_events(&mut self) -> Vec<ShellEvent> {
        self.tracker.take_events()
    }

    pub fn facts(&self) -> &Facts {
        self.tracker.facts()
    }

    pub fn state(&self) -> State {
        self.tracker.state()
    }

    /// Whether something stands on the remote's line already, so that what is sent now would join it.
    pub fn line_is_taken(&self, now: Instant) -> bool {
        self.tracker.line_is_taken(&self.emulator, now)
    }

    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    pub fn emulator_mut(&mut self) -> &mut Emulator {
        &mut self.emulator
    }
}

#[cfg(test)]
mod tests;
