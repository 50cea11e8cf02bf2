//! Recorded shells replayed, and the cases that no recording holds.

mod cases;
mod recorded;

use std::num::NonZero;
use std::time::{Duration, Instant};

use super::*;

/// So tall that nothing scrolls: a row's number is its line's, but for wrapping.
const ROWS: u16 = 1500;
const COLS: u16 = 80;

#[derive(Default)]
struct Osc(Vec<Vec<u8>>);

impl vt100::Callbacks for Osc {
    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        self.0.push(params.join(&b';'));
    }
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.0.push([b"0;", title].concat());
    }
}

/// A terminal and a tracker: what `Observer` is, on a plain vt100.
struct Rig {
    parser: vt100::Parser<Osc>,
    tracker: Tracker,
    now: Instant,
    events: Vec<ShellEvent>,
}

struct View<'v>(&'v vt100::Screen);

impl View<'_> {
    /// First and last row of the logical line that `row` belongs to.
    fn line_rows(&self, row: u16) -> (u16, u16) {
        let first = (0..row).rev().take_while(|r| self.0.row_wrapped(*r)).last().unwrap_or(row);
        let last = (row..ROWS).find(|r| !self.0.row_wrapped(*r)).unwrap_or(row);
        (first, last)
    }
}

impl Screen for View<'_> {
    fn cursor_line(&self) -> u64 {
        self.line_rows(self.0.cursor_position().0).0.into()
    }
    fn text_before_cursor(&self) -> String {
        let (row, col) = self.0.cursor_position();
        let (first, _) = self.line_rows(row);
        let mut text = String::new();
        for r in first..=row {
            for c in 0..if r == row { col.min(COLS) } else { COLS } {
                let cell = self.0.cell(r, c).map_or(" ", |c| c.contents());
                text.push_str(if cell.is_empty() { " " } else { cell });
            }
        }
        text
    }
    fn line_text(&self, line: u64) -> Option<String> {
        let (first, last) = self.line_rows(u16::try_from(line).ok()?);
        Some(self.0.contents_between(first, 0, last, COLS).trim_end().replace('\n', ""))
    }
    fn text_from(&self, line: u64, to: u64, limit: usize) -> String {
        if line >= to {
            return String::new();
        }
        let text = self.0.contents_between(line as u16, 0, to as u16, 0);
        let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        let text = lines.join("\n").trim_end().to_owned();
        text[text.len().saturating_sub(limit)..].to_owned()
    }
}

impl Rig {
    fn new() -> Self {
        let (rows, cols) = (NonZero::new(ROWS).unwrap(), NonZero::new(COLS).unwrap());
        let parser = vt100::Parser::new_with_callbacks(rows, cols, 0, Osc::default());
        Self { parser, tracker: Tracker::new(), now: Instant::now(), events: Vec::new() }
    }

    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let (paste, alternate) = (self.parser.screen().bracketed_paste(), self.parser.screen().alternate_screen());
            self.parser.process(&[*byte]);
            let osc = std::mem::take(&mut self.parser.callbacks_mut().0);
            let screen = View(self.parser.screen());
            for payload in osc {
                self.tracker.osc(&payload, &screen, self.now);
            }
            if screen.0.alternate_screen() != alternate {
                self.tracker.alternate(!alternate);
            }
            if screen.0.bracketed_paste() != paste {
                self.tracker.bracketed_paste(!paste, &screen, self.now);
            }
            if *byte == b'\n' && self.tracker.wants_line_end() {
                self.tracker.printed(&screen, self.now);
            }
        }
        self.tracker.printed(&View(self.parser.screen()), self.now);
        self.tracker.tell_output();
        self.events.extend(self.tracker.take_events());
    }

    fn input(&mut self, input: Input<'_>) {
        self.tracker.input(input, &View(self.parser.screen()), self.now);
        self.events.extend(self.tracker.take_events());
    }

    /// Keys as the caller would tell them.
    fn keys(&mut self, keys: &str) {
        for key in keys.chars() {
            self.input(match key {
                '\r' => Input::Enter,
                '\x03' | '\x04' => Input::Interrupt,
                _ => Input::Text,
            });
        }
    }

    /// Lets time pass, with a tick at every deadline.
    fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(at) = self.tracker.deadline().filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.tracker.tick(&View(self.parser.screen()), self.now);
            self.events.extend(self.tracker.take_events());
            assert!(self.tracker.deadline().is_none_or(|next| next > at), "a deadline that stays is a busy loop");
        }
        self.now = end;
    }

    fn settle(&mut self) {
        self.wait(SETTLE);
    }

    fn take(&mut self) -> Vec<ShellEvent> {
        std::mem::take(&mut self.events).into_iter().filter(|e| *e != ShellEvent::Output).collect()
    }
}
