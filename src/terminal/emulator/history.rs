//! Lines that left the top of the primary screen, joined where they had wrapped, as text with SGR. Bounded in
//! bytes; lines are numbered since the start of the session and keep their numbers.

use super::styled;
use std::collections::VecDeque;
use std::fmt;
use vt100::capture::{BasicFormattedCaptureState, RowContents};

/// What history may take in all, if nothing else is said: about 80,000 lines of ordinary output.
pub(super) const HISTORY_BYTES: usize = 8 << 20;
/// What a line costs beside its text: a slot of 16 bytes in a queue that may be half empty, and the allocator's
/// header and rounding; its smallest piece is 32 bytes (glibc).
const LINE_OVERHEAD: usize = 64;
/// A longer logical line is broken: `head -c 63M /dev/zero | tr '\0' x` must not become one allocation, nor be
/// wrapped anew at each change of width.
const LINE_BYTES: usize = 64 << 10;

#[derive(Default)]
pub(super) struct History {
    lines: VecDeque<Box<str>>,
    /// The number of the first line kept.
    first: u64,
    bytes: usize,
    /// What it may take in all.
    limit: usize,
    /// The line whose beginning has left the screen and whose rest is on it.
    open: Option<String>,
    /// Cells of the last line before its last row.
    before_last_row: usize,
    capture: BasicFormattedCaptureState,
    pub(super) cols: usize,
    /// Rows taken since the start.
    pushed: u64,
    /// `pushed` when `settle` looked last.
    settled: u64,
}

impl History {
    pub(super) fn new(cols: usize) -> Self {
        Self { cols, limit: HISTORY_BYTES, ..Self::default() }
    }

    /// The number of the line that the screen begins with (or goes on with, where a line is open).
    pub(super) fn next(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    pub(super) fn get(&self, line: u64) -> Option<&str> {
        let index = usize::try_from(line.checked_sub(self.first)?).ok()?;
        self.lines.get(index).map(AsRef::as_ref)
    }

    /// Exchanges a line's text for one of the same meaning.
    pub(super) fn set(&mut self, line: u64, text: String) {
        let index = line.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        if let Some(slot) = index.and_then(|index| self.lines.get_mut(index)) {
            self.bytes = self.bytes - slot.len() + text.len();
            *slot = text.into_boxed_str();
        }
    }

    pub(super) fn first(&self) -> u64 {
        self.first
    }

    pub(super) fn open(&self) -> &str {
        self.open.as_deref().unwrap_or_default()
    }

    pub(super) fn open_mut(&mut self) -> Option<&mut String> {
        self.open.as_mut()
    }

    /// Takes the open line back, to be laid out again.
    pub(super) fn take_open(&mut self) -> String {
        self.open.take().unwrap_or_default()
    }

    /// Takes the last whole line back.
    pub(super) fn pop(&mut self) -> Option<String> {
        let line = self.lines.pop_back()?;
        self.bytes -= line.len() + LINE_OVERHEAD;
        Some(line.into())
    }

    /// The screen was cleared: what it shows next does not continue a line.
    pub(super) fn close(&mut self) {
        if let Some(mut line) = self.open.take() {
            if line.rfind('\x1b').is_some_and(|at| !line[at..].starts_with("\x1b[m")) {
                line.push_str("\x1b[m");
            }
            self.bytes += line.len() + LINE_OVERHEAD;
            self.lines.push_back(line.into_boxed_str());
            self.fit();
        }
    }

    /// Keeps no more than this from now on.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.limit = bytes;
        self.fit();
    }

    fn fit(&mut self) {
        while self.bytes > self.limit && self.lines.len() > 1 {
            self.pop_front();
        }
    }

    fn pop_front(&mut self) {
        if let Some(line) = self.lines.pop_front() {
            self.bytes -= line.len() + LINE_OVERHEAD;
            self.first += 1;
        }
    }

    /// Erases all lines (`CSI 3 J`); numbers go on.
    pub(super) fn erase(&mut self) {
        self.close();
        while !self.lines.is_empty() {
            self.pop_front();
        }
        self.lines.shrink_to_fit();
    }

    /// Looks whether the last line goes on with the screen's first row, which begins with a wide character or not.
    pub(super) fn settle(&mut self, is_wide: bool) {
        if self.settled != self.pushed && is_wide && self.open.is_none() && self.is_short() {
            self.open = self.pop();
            self.capture = BasicFormattedCaptureState::new();
        }
        self.settled = self.pushed;
    }

    fn push(&mut self, row: &RowContents<'_>) {
        self.pushed += 1;
        if self.open.is_none() {
            self.capture = BasicFormattedCaptureState::new();
        }
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = row.write_formatted_basic(&mut text, &mut self.capture);
        if self.open.is_none() && self.is_continuation(&text) {
            self.open = self.pop();
        }
        let open = self.open.get_or_insert_default();
        self.before_last_row = if open.is_empty() { 0 } else { styled::cells(open) };
        open.push_str(&text);
        if !is_wrapped(row, &self.capture) || open.len() > LINE_BYTES {
            self.close();
        }
    }

    fn is_continuation(&self, row: &str) -> bool {
        let is_wide = !row.is_ascii() && styled::glyphs(row).next().is_some_and(|glyph| glyph.cells == 2);
        is_wide && self.is_short()
    }

    /// Whether the last row left just its last column empty. vt100 takes no note of a wrap where that was because
    /// a wide character did not fit.
    fn is_short(&self) -> bool {
        self.lines.back().is_some_and(|last| {
            last.len() < LINE_BYTES && styled::cells(last) == self.before_last_row + self.cols - 1
        })
    }
}

impl vt100::Callbacks for History {
    fn on_scroll(&mut self, row: RowContents<'_>, is_alternate: bool) {
        if !is_alternate {
            self.push(&row);
        }
    }
}

/// vt100 tells that a row wrapped only by not writing a newline before the next: ask for the first character of
/// a second copy.
fn is_wrapped(row: &RowContents<'_>, capture: &BasicFormattedCaptureState) -> bool {
    struct First(Option<char>);
    impl fmt::Write for First {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.or(text.chars().next());
            if self.0.is_some() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut first = First(None);
    let _ = row.write_formatted_basic(&mut first, &mut capture.clone());
    first.0.is_some_and(|c| c != '\n')
}
