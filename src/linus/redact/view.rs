//! A text as the rules see it: what is shown of it, in one piece, and the way back to the text's own bytes.
//!
//! Escape sequences, controls and invisible characters are not shown, so they cannot hide a secret; line ends are taken
//! out and remembered, so that a secret may go on in the next row. What is inside strings for the terminal (links,
//! titles, clipboard) is a view of its own. Never judges anything.

use std::ops::Range;
use std::rc::Rc;

use super::budget::{Budget, Exhausted};
use crate::text::is_invisible;

/// What stands where a text was cut out (the terminal's tail, a command's output).
const SNIP: &str = "--- snip ---";
/// A string for the terminal that has not ended after so many bytes is none: nothing may hide behind an ESC.
const STRING_LIMIT: usize = 4096;
/// A row that is shorter has not been wrapped: no terminal is narrower.
const NARROWEST: u32 = 40;
/// Rows as wide as this have been wrapped even where wider lines are about.
const USUAL_WIDTHS: [u32; 4] = [80, 100, 120, 132];

/// Bytes of the view from `at` on come from the text's bytes from `from` on.
#[derive(Debug, Clone, Copy)]
struct Run {
    at: usize,
    from: usize,
}

/// A line that begins at `start`.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    /// Characters of the line before it.
    before: u32,
    /// Whether an empty line is between.
    apart: bool,
}

#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    runs: Vec<Run>,
    lines: Vec<Line>,
    /// One bit a byte: a line begins here; and it may be the rest of a row that was wrapped.
    breaks: Bits,
    soft: Bits,
    /// Where the text was cut: nothing is known of what came next. The line that says so is a text's own, or anybody's,
    /// who gains nothing by it.
    cut: Bits,
    cuts: Vec<usize>,
    /// Where nothing that stands before goes on: lines that are no rest of a row, and cuts.
    stops: Vec<usize>,
    width: u32,
    /// Bytes that stand where another stood, and where that comes from.
    struck: Vec<Run>,
    /// Where a character comes from whose place is free, while a view is being built.
    dropped: Option<usize>,
    budget: Rc<Budget>,
}

#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }
}

/// What is shown, and what is in the strings for the terminal.
pub(super) fn views(text: &str) -> [View; 2] {
    views_within(text, &Rc::default())
}

/// The same; what is looked at in them is spent of `budget`.
pub(super) fn views_within(text: &str, budget: &Rc<Budget>) -> [View; 2] {
    let view = || View { budget: Rc::clone(budget), ..View::default() };
    let [mut shown, mut strings] = [view(), view()];
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            0x1b => escape(text, at, &mut strings),
            b'\n' | b'\r' | 0 => {
                shown.end_line();
                1
            }
            8 => {
                shown.back();
                1
            }
            b'\t' => shown.push(b"\t", at),
            0..=0x1f | 0x7f => 1,
            0x20..=0x7e => {
                let run = bytes[at..].iter().take_while(|b| matches!(b, 0x20..=0x7e)).count();
                shown.push(&bytes[at..at + run], at)
            }
            _ => {
                let c = text[at..].chars().next().unwrap_or_default();
                let length = c.len_utf8();
                if c == '\u{9b}' {
                    2 + csi(&bytes[at + 2..])
                } else if c.is_control() || is_invisible(c) {
                    length
                } else {
                    shown.push(&bytes[at..at + length], at)
                }
            }
        };
    }
    shown.seal();
    strings.seal();
    [shown, strings]
}

/// The length of the escape sequence at `at`; a string's content goes into `strings`.
fn escape(text: &str, at: usize, strings: &mut View) -> usize {
    let rest = &text.as_bytes()[at + 1..];
    match rest.first() {
        Some(b'[') => 2 + csi(&rest[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let body = &rest[1..];
            let ends = |b: &u8| matches!(b, 7 | 0x1b | b'\n' | b'\r');
            let length = body.iter().take(STRING_LIMIT).position(ends).unwrap_or(0);
            strings.end_line();
            strings.push(&body[..length], at + 2);
            strings.end_line();
            let end = match &body[length..] {
                [7, ..] if length > 0 => 1,
                [0x1b, b'\\', ..] => 2,
                _ => 0,
            };
            2 + length + end
        }
        // ESC, intermediates, a final byte.
        Some(0x20..=0x2f) => {
            let intermediates = rest.iter().take_while(|b| matches!(b, 0x20..=0x2f)).count();
            1 + intermediates + usize::from(matches!(rest.get(intermediates), Some(0x30..=0x7e)))
        }
        Some(0x30..=0x7e) => 2,
        _ => 1,
    }
}

/// The length of a control sequence behind its introducer.
fn csi(rest: &[u8]) -> usize {
    let length = rest.iter().take_while(|b| matches!(b, 0x20..=0x3f)).count();
    length + usize::from(matches!(rest.get(length), Some(0x40..=0x7e)))
}

impl View {
    /// Adds bytes of the text that stand at `from`; says how many.
    fn push(&mut self, bytes: &[u8], from: usize) -> usize {
        let at = self.bytes.len();
        if let Some(from) = self.dropped.take() {
            self.struck.push(Run { at, from });
        }
        if self.runs.last().is_none_or(|run| run.from + (at - run.at) != from) {
            self.runs.push(Run { at, from });
        }
        self.bytes.extend_from_slice(bytes);
        bytes.len()
    }

    /// A backspace: what comes next stands in the last character's place.
    fn back(&mut self) {
        let line = self.lines.last().map_or(0, |line| line.start);
        let Some(last) = self.bytes.last().filter(|_| self.bytes.len() > line) else { return };
        // A character of several bytes stays: overstriking one is no way to hide anything.
        if last.is_ascii() {
            let at = self.bytes.len() - 1;
            let from = self.dropped.unwrap_or_else(|| self.first_origin(at));
            self.bytes.pop();
            for runs in [&mut self.runs, &mut self.struck] {
                while runs.last().is_some_and(|run| run.at >= at) {
                    runs.pop();
                }
            }
            self.dropped = Some(from);
        }
    }

    fn end_line(&mut self) {
        let (at, start) = (self.bytes.len(), self.lines.last().map_or(0, |line| line.start));
        self.dropped = None;
        if at == start && self.lines.last().is_some_and(|line| line.start == at) {
            if let Some(line) = self.lines.last_mut() {
                line.apart = true;
            }
            return;
        }
        let line = &self.bytes[start..at];
        let before = u32::try_from(line.iter().filter(|b| **b & 0xc0 != 0x80).count()).unwrap_or(u32::MAX);
        if line == SNIP.as_bytes() {
            self.cut.set(start);
            self.cuts.push(start);
        }
        self.width = self.width.max(before);
        self.breaks.set(at);
        self.lines.push(Line { start: at, before, apart: false });
    }

    /// The text is whole: which lines may be rows of one can be told.
    fn seal(&mut self) {
        for line in &self.lines {
            let is_full = line.before == self.width || USUAL_WIDTHS.contains(&line.before);
            let is_soft = is_full && line.before >= NARROWEST && !line.apart;
            if is_soft {
                self.soft.set(line.start);
            }
            if !is_soft {
                self.stops.push(line.start);
            }
        }
        self.stops.extend(&self.cuts);
        self.stops.sort_unstable();
    }

    /// So many steps were taken.
    pub(super) fn spend(&self, steps: usize) {
        self.budget.spend(steps);
    }

    /// Whether there are steps left.
    pub(super) fn check(&self) -> Result<(), Exhausted> {
        self.budget.check()
    }

    /// Where what stands at `at` ends at the latest: its row's end, unless that was wrapped, a cut, or the text's end.
    pub(super) fn stop(&self, at: usize) -> usize {
        let next = self.stops.partition_point(|stop| *stop < at);
        self.stops.get(next).map_or(self.len(), |stop| *stop).max(at)
    }

    /// The bytes from `at` on that one thing can consist of, and no more than `limit`.
    pub(super) fn piece(&self, at: usize, limit: usize) -> &[u8] {
        self.bytes.get(at..self.stop(at).min(at + limit)).unwrap_or_default()
    }

    /// Where in the text a byte of the view comes from.
    fn origin(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|run| run.at <= at).saturating_sub(1);
        self.runs.get(run).map_or(0, |run| run.from + (at - run.at))
    }

    /// The same, or where what stood there before comes from.
    fn first_origin(&self, at: usize) -> usize {
        let struck = self.struck.binary_search_by_key(&at, |run| run.at).ok();
        struck.map_or_else(|| self.origin(at), |i| self.struck[i].from)
    }

    /// The text's bytes that show these.
    pub(super) fn in_text(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        self.first_origin(range.start)..self.origin(range.end - 1) + 1
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether a line begins here.
    pub(super) fn is_break(&self, at: usize) -> bool {
        self.breaks.has(at)
    }

    /// Whether the line that begins here may be the rest of the row above.
    pub(super) fn is_soft(&self, at: usize) -> bool {
        self.soft.has(at)
    }

    /// Whether nothing is known of what comes here: the text ends, or was cut.
    pub(super) fn is_end(&self, at: usize) -> bool {
        at >= self.bytes.len() || self.cut.has(at)
    }

    /// Whether the text ends here in the middle of a line.
    pub(super) fn is_open_end(&self, at: usize) -> bool {
        at >= self.bytes.len() && !self.is_break(at)
    }

    /// Where the text was cut.
    pub(super) fn cuts(&self) -> impl Iterator<Item = usize> {
        self.cuts.iter().copied()
    }

    /// Where the text goes on after it was cut.
    pub(super) fn resumes(&self) -> impl Iterator<Item = usize> {
        self.cuts.iter().map(|cut| cut + SNIP.len())
    }

    /// The byte, if no line begins there.
    pub(super) fn in_line(&self, at: usize) -> Option<u8> {
        if self.is_break(at) { None } else { self.bytes.get(at).copied() }
    }

    /// The byte before, if it is in the same line.
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        if at == 0 || self.is_break(at) { None } else { self.bytes.get(at - 1).copied() }
    }

    /// The line that holds this byte.
    pub(super) fn line(&self, at: usize) -> Range<usize> {
        let after = self.lines.partition_point(|line| line.start <= at);
        let start = after.checked_sub(1).map_or(0, |before| self.lines[before].start);
        start..self.lines.get(after).map_or(self.bytes.len(), |line| line.start)
    }

    /// All lines that are not empty.
    pub(super) fn each_line(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.lines.iter().map(|line| line.start));
        let ends = self.lines.iter().map(|line| line.start).chain([self.bytes.len()]);
        starts.zip(ends).map(|(start, end)| start..end).filter(|line| !line.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        String::from_utf8(views(text)[0].bytes.clone()).unwrap()
    }

    #[test]
    fn escape_sequences_controls_and_line_ends_are_not_shown() {
        assert_eq!(shown("a\x1b[31mb\x1b[mc"), "abc");
        assert_eq!(shown("a\u{9b}1mb\x1b(Bc\x1b=d\x1b]0;title\x07e\x1bP1$r\x1b\\f"), "abcdef");
        assert_eq!(shown("a\u{200b}b\u{7}c\r\nd\0e\u{ad}f"), "abcdef");
        assert_eq!(shown("pp\u{8}a\u{8}ass größe ‹x›"), "pass größe ‹x›");
        for cut in ["a\x1b", "a\x1b[", "a\x1b[3", "a\x1b]0;t", "a\x1b(", "a\u{8}\u{8}a"] {
            assert_eq!(&shown(cut)[..1], "a", "{cut:?}");
        }
    }

    #[test]
    fn what_is_in_strings_for_the_terminal_is_seen_too() {
        let [_, strings] = views("x\x1b]8;;https://u:p@h/\x1b\\link\x1b]8;;\x1b\\");
        assert_eq!(strings.bytes, b"8;;https://u:p@h/8;;");
        assert_eq!(strings.in_text(&(3..17)), 6..20);
        let endless = format!("\x1b]0;{}", "x".repeat(5000));
        assert_eq!(views(&endless)[0].len(), 5002, "no string: shown");
    }

    #[test]
    fn ranges_lead_back_to_the_texts_own_bytes() {
        let text = "ab\x1b[1mcd\r\nef\u{8}g";
        let view = &views(text)[0];
        assert_eq!(view.bytes, b"abcdeg");
        assert_eq!(&text[view.in_text(&(1..4))], "b\x1b[1mcd");
        assert_eq!(&text[view.in_text(&(3..6))], "d\r\nef\u{8}g");
        assert_eq!(&text[view.in_text(&(5..6))], "f\u{8}g");
        assert!(view.is_break(4) && !view.is_break(3) && view.is_end(6));
        assert_eq!((view.line(1), view.line(4)), (0..4, 4..6));
    }

    #[test]
    fn a_row_as_wide_as_the_widest_may_go_on() {
        let row = "x".repeat(40);
        let view = &views(&format!("{row}\nyy\n{row}\n\nz"))[0];
        assert!(view.is_soft(40) && !view.is_soft(42) && !view.is_soft(82));
    }

    #[test]
    fn a_cut_is_an_end_of_the_text() {
        let view = &views("abc\n--- snip ---\ndef")[0];
        assert!(view.is_end(3) && !view.is_end(15));
        assert_eq!(view.resumes().collect::<Vec<_>>(), [15]);
    }
}
