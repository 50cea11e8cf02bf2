//! The emulator and the tracker as one: bytes and keys in, screen, facts and events out.
//!
//! Owns the order of things: the tracker sees each signal with the screen as it stood at that byte.

use std::time::Instant;

use super::command::plain;
use super::dialect::Dialect;
use super::facts::{Facts, ShellEvent, State};
use super::screen::Screen;
use super::tracker::{Input, Tracker};
use crate::terminal::{EchoStart, Emulator, Modes, SNIP, Signal, Size, Skimmer};

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

/// The screen while output goes by that was not read: where it stood is known, what stands there is not.
struct Unseen<'a>(&'a Emulator);

impl Screen for Unseen<'_> {
    fn cursor_line(&self) -> u64 {
        self.0.cursor_line()
    }
    fn text_before_cursor(&self) -> String {
        String::new()
    }
    fn last_before_cursor(&self) -> Option<char> {
        None
    }
    fn line_text(&self, _line: u64) -> Option<String> {
        None
    }
    fn columns(&self) -> usize {
        self.0.size().cols.into()
    }
    /// The begin of it, and a sign that there was more.
    fn text_from(&self, line: u64, to: u64, limit: usize) -> String {
        let seen = self.0.text_from(line, to, limit.saturating_sub(SNIP.len() + 1));
        if seen.is_empty() { SNIP.to_owned() } else { format!("{seen}\n{SNIP}") }
    }
}

/// A line that was typed and is not to stay on the screen.
struct Echo {
    start: EchoStart,
    /// Its first characters.
    head: String,
}

/// Characters of a line by which its echo is found.
const HEAD: usize = 12;
/// A line editor that draws its prompt anew may put it this much higher (readline, after a change of size, with a
/// prompt of several lines).
const HIGHER: u64 = 3;

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
    /// Where the line of the shell integration was typed. Its echo goes away with the first trusted mark: it is long,
    /// and the nonce is in it.
    echo: Option<Echo>,
}

impl Observer {
    pub fn new(size: Size) -> Self {
        Self { emulator: Emulator::new(size), tracker: Tracker::new(), tail: Tail::default(), echo: None }
    }

    pub fn with_tail(self, tail: Tail) -> Self {
        Self { tail, ..self }
    }

    /// Keeps so many bytes of the lines that have left the screen.
    pub fn keeping(mut self, bytes: usize) -> Self {
        self.emulator.keep(bytes);
        self
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
                Some(Signal::Osc(payload)) => {
                    if self.tracker.is_trusted(&payload) {
                        self.erase_echo();
                    }
                    self.tracker.osc(&payload, &self.emulator, now);
                }
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

    /// Part of the output was skipped. The screen starts again in `modes`: feed it the newest bytes next.
    pub fn resync(&mut self, skimmed: &Skimmer, modes: &Modes, now: Instant) {
        self.tracker.skipped();
        if skimmed.marks().next().is_some() {
            self.tracker.alternate(false);
        }
        for payload in skimmed.marks() {
            self.tracker.osc(payload, &Unseen(&self.emulator), now);
        }
        self.tracker.alternate(skimmed.is_alternate());
        self.emulator.restart(skimmed, modes);
    }

    /// What the user's side did, in order with `feed`.
    pub fn input(&mut self, input: Input<'_>, now: Instant) {
        if let Input::Integrate { line, .. } = &input {
            let head = line.trim_start().chars().take(HEAD).collect();
            self.echo = Some(Echo { start: self.emulator.echo_start(), head });
        }
        self.tracker.input(input, &self.emulator, now);
    }

    /// Whether no trusted mark has come since the integration's line was typed.
    pub fn has_echo(&self) -> bool {
        self.echo.is_some()
    }

    /// The screen is not ours alone any more: the echo stays.
    pub fn keep_echo(&mut self) {
        self.echo = None;
    }

    fn erase_echo(&mut self) {
        let Some(Echo { start, head }) = self.echo.take() else { return };
        let here = self.emulator.cursor_line();
        let is_it = |line: &u64| self.emulator.line_text(*line).is_some_and(|text| text.contains(&head));
        // Where the line scrolled sideways, its head is not there (mksh).
        let found = (start.line.saturating_sub(HIGHER)..=here).rev().find(is_it);
        if let Some(line) = found.or(self.emulator.cursor_is_after(start).then_some(start.line)) {
            self.emulator.erase_from(line);
        }
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

    /// What was known at the first prompt that was seen: the login's, if it was seen from the beginning.
    pub fn login(&self) -> Option<&Facts> {
        self.tracker.login()
    }

    /// Which command language the remote speaks, as far as known.
    pub fn dialect(&self) -> Dialect {
        self.tracker.facts().dialect
    }

    pub fn state(&self) -> State {
        self.tracker.state()
    }

    /// Whether something stands on the remote's line already, so that what is sent now would join it.
    pub fn line_is_taken(&self, now: Instant) -> bool {
        self.tracker.line_is_taken(&self.emulator, now)
    }

    /// A text of the screen as it may leave: without the answers to questions for secrets.
    pub fn hide_secrets(&self, text: String) -> String {
        self.tracker.hide_secrets(text)
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
