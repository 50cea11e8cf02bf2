//! Logical lines: what the screen's rows and the history make together, numbered since the start.
//!
//! While the alternate screen is shown, the numbers from `History::next` on name its rows.

use super::Emulator;
use super::looks::bare;
use super::styled::{self, Style, Writer};
use std::ops::Range;
use vt100::Screen;

/// A place in a logical line that stays the same when the line is wrapped anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EchoStart {
    /// The line's number since the start of the session.
    pub line: u64,
    /// Cells from the beginning of the line.
    pub offset: usize,
}

/// A line of the screen as text, and the attributes in which the rest of its last row is erased.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) erase: Style,
}

impl Emulator {
    /// The logical line that the cursor is on.
    pub fn cursor_line(&self) -> u64 {
        self.echo_start().line
    }

    /// The text of the cursor's line before it.
    pub fn text_before_cursor(&self) -> String {
        let start = self.echo_start();
        let line = self.styled_line(start.line).unwrap_or_default();
        let mut text = String::new();
        let mut at = 0;
        for glyph in styled::glyphs(&line) {
            if at >= start.offset {
                break;
            }
            at += glyph.cells;
            text.push_str(glyph.text);
        }
        let mut text = bare(text);
        // Blanks that were never printed are not part of the line's text.
        text.extend(std::iter::repeat_n(' ', start.offset.saturating_sub(at)));
        text
    }

    /// The last character before the cursor in its line that is no blank, as far as the screen has it.
    pub fn last_before_cursor(&self) -> Option<char> {
        let screen = self.screen();
        let (mut row, mut end) = screen.cursor_position();
        loop {
            let cells = (0..end).rev().filter_map(|col| screen.cell(row, col));
            let last = |cell: &vt100::Cell| cell.contents().chars().next().filter(|c| *c != ' ');
            let found = cells.filter(|cell| cell.has_contents()).find_map(last);
            if found.is_some() || row == 0 || !continues(screen, row - 1) {
                return found;
            }
            (row, end) = (row - 1, screen.size().1.get());
        }
    }

    /// A line as plain text without blanks at its end; `None` where it is forgotten or not there yet.
    pub fn line_text(&self, line: u64) -> Option<String> {
        self.styled_line(line).map(|line| styled::plain(&line).trim_end_matches(' ').to_owned())
    }

    /// Lines `from` up to, not including, `to`, with SGR, joined by newlines; at most the last `limit` bytes.
    pub fn text_from(&self, from: u64, to: u64, limit: usize) -> String {
        let mut lines = Vec::new();
        let mut length = 0;
        let to = to.min(self.end_line());
        for number in (from.max(self.history().first())..to).rev() {
            let line = bare(styled::trimmed(&self.styled_line(number).unwrap_or_default()));
            length += line.len() + 1;
            if length > limit + 1 {
                if lines.is_empty() {
                    lines.push(last_bytes(&line, limit));
                }
                break;
            }
            lines.push(line);
        }
        lines.reverse();
        lines.join("\n")
    }

    /// The rest of a line from a remembered place on, plain: a command as it was typed there.
    pub fn text_after(&self, start: EchoStart) -> String {
        let line = self.styled_line(start.line).unwrap_or_default();
        styled::plain(&styled::from_cell(&line, start.offset)).trim_end_matches(' ').to_owned()
    }

    /// The cursor's place.
    pub fn echo_start(&self) -> EchoStart {
        let (row, col) = self.screen().cursor_position();
        self.place(row, col)
    }

    /// Whether the cursor is behind a remembered place.
    pub fn cursor_is_after(&self, start: EchoStart) -> bool {
        self.echo_start() > start
    }

    /// The last `lines` logical lines up to the cursor's or the last with text, with SGR or without, blanks trimmed.
    /// Beyond `limit` bytes the middle is cut out. In the alternate screen: of its contents.
    pub fn tail(&self, lines: usize, limit: usize, sgr: bool) -> String {
        let spans = spans(self.screen());
        let used = last_used(self.screen(), &spans);
        let next = self.history().next();
        let end = next + used as u64 + 1;
        let first = if self.is_alternate() { next } else { self.history().first() };
        let text = |number| {
            let line = self.styled_line(number).unwrap_or_default();
            if sgr {
                bare(styled::trimmed(&line))
            } else {
                styled::plain(&line).trim_end_matches(' ').to_owned()
            }
        };
        let all: Vec<String> = (end.saturating_sub(lines as u64).max(first)..end).map(text).collect();
        snipped(&all, limit)
    }

    pub(super) fn head(&self) -> &str {
        if self.is_alternate() { "" } else { self.history().open() }
    }

    pub(super) fn place(&self, row: u16, col: u16) -> EchoStart {
        let screen = self.screen();
        // Rows before it that end a line; the last row of the screen ends one in any case.
        let (mut index, mut first) = (0, 0);
        for above in (0..row).filter(|above| !continues(screen, *above)) {
            (index, first) = (index + 1, above + 1);
        }
        let head = if index == 0 { styled::cells(self.head()) } else { 0 };
        let before: usize = (first..row).map(|row| row_cells(screen, row)).sum();
        EchoStart { line: self.history().next() + index, offset: head + before + usize::from(col) }
    }

    /// One after the last line of the screen.
    fn end_line(&self) -> u64 {
        self.history().next() + spans(self.screen()).len() as u64
    }

    /// A line with SGR, from the history or the screen or both.
    pub(super) fn styled_line(&self, line: u64) -> Option<String> {
        let next = self.history().next();
        if line < next {
            return self.history().get(line).map(str::to_owned);
        }
        let index = usize::try_from(line - next).ok()?;
        let span = spans(self.screen()).get(index)?.clone();
        let text = line_of(self.screen(), span).text;
        Some(if index == 0 { joined(self.head(), &text) } else { text })
    }
}

/// Two parts of a line, the first of which may end in attributes.
pub(super) fn joined(head: &str, rest: &str) -> String {
    if head.is_empty() { rest.to_owned() } else { format!("{head}\x1b[m{rest}") }
}

/// The rows of each logical line.
pub(super) fn spans(screen: &Screen) -> Vec<Range<u16>> {
    let (rows, _) = screen.size();
    let mut spans = Vec::new();
    let mut start = 0;
    for row in 0..rows.get() {
        if row + 1 == rows.get() || !continues(screen, row) {
            spans.push(start..row + 1);
            start = row + 1;
        }
    }
    spans
}

/// Whether the next row is the same line. vt100 notes no wrap where a wide character left a gap at the end.
fn continues(screen: &Screen, row: u16) -> bool {
    screen.row_wrapped(row) || row_cells(screen, row) < usize::from(screen.size().1.get())
}

/// A row's cells without the gap before a wide character that went to the next row.
pub(super) fn row_cells(screen: &Screen, row: u16) -> usize {
    let cols = screen.size().1.get();
    let has_text =
        |row, col| screen.cell(row, col).is_some_and(|c| c.has_contents() || c.is_wide_continuation());
    let is_gap = !screen.row_wrapped(row)
        && screen.cell(row + 1, 0).is_some_and(vt100::Cell::is_wide)
        && !has_text(row, cols - 1)
        && has_text(row, cols - 2);
    usize::from(cols) - usize::from(is_gap)
}

/// The index of the last line that has text or the cursor.
pub(super) fn last_used(screen: &Screen, spans: &[Range<u16>]) -> usize {
    let cursor = screen.cursor_position().0;
    spans
        .iter()
        .rposition(|span| span.contains(&cursor) || span.clone().any(|row| !is_blank(screen, row)))
        .unwrap_or(0)
}

fn is_blank(screen: &Screen, row: u16) -> bool {
    (0..screen.size().1.get()).all(|col| {
        screen.cell(row, col).is_none_or(|cell| !cell.has_contents() && Style::of(cell) == Style::default())
    })
}

/// A logical line's rows as text.
pub(super) fn line_of(screen: &Screen, span: Range<u16>) -> Line {
    let mut writer = Writer::new();
    let mut erase = Style::default();
    for row in span.clone() {
        let mut end = row_cells(screen, row) as u16;
        if row + 1 == span.end {
            let last = screen.cell(row, end - 1);
            erase = last.filter(|cell| !cell.has_contents()).map(Style::of).unwrap_or_default();
            let is_erased = |col: u16| {
                screen.cell(row, col).is_some_and(|cell| {
                    !cell.has_contents() && !cell.is_wide_continuation() && Style::of(cell) == erase
                })
            };
            // A blank row that the line before it wraps into must be printed to be there.
            let least = u16::from(row > span.start);
            while end > least && is_erased(end - 1) {
                end -= 1;
            }
        }
        write_row(screen, row, end, &mut writer);
    }
    Line { text: writer.finish(), erase }
}

/// The cells of a row up to `end`; a wide character that would stick out becomes a blank.
pub(super) fn write_row(screen: &Screen, row: u16, end: u16, writer: &mut Writer) {
    let mut col = 0;
    while col < end {
        let Some(cell) = screen.cell(row, col) else { return };
        let width = if cell.is_wide() { 2 } else { 1 };
        let is_shown = cell.has_contents() && col + width <= end;
        writer.push(Style::of(cell), if is_shown { cell.contents() } else { " " });
        col += width;
    }
}

/// At most the last `limit` bytes, cut between glyphs.
fn last_bytes(line: &str, limit: usize) -> String {
    let text = styled::plain(line);
    let mut skip = 0;
    loop {
        let part = styled::from_cell(line, skip);
        if part.len() <= limit || skip > text.len() {
            return part;
        }
        skip += (part.len() - limit).div_ceil(4).max(1);
    }
}

/// What stands in the place of text that is missing (contract, `terminal_tail`).
pub const SNIP: &str = "--- snip ---";

/// Joined lines, with as much from either end as fits.
fn snipped(lines: &[String], limit: usize) -> String {
    let total: usize = lines.iter().map(|line| line.len() + 1).sum();
    if total <= limit + 1 {
        return lines.join("\n");
    }
    let half = limit.saturating_sub(SNIP.len() + 2) / 2;
    let fitting = |lengths: &mut dyn Iterator<Item = usize>| {
        let mut room = half;
        lengths.take_while(|length| room.checked_sub(length + 1).map(|left| room = left).is_some()).count()
    };
    let front = fitting(&mut lines.iter().map(String::len));
    let back = fitting(&mut lines.iter().rev().map(String::len)).min(lines.len() - front);
    let mut parts: Vec<&str> = lines[..front].iter().map(String::as_str).collect();
    parts.push(SNIP);
    let end = match back {
        // The last line alone is too long: its end is what is wanted.
        0 => vec![last_bytes(lines.last().map_or("", String::as_str), half)],
        _ => lines[lines.len() - back..].to_vec(),
    };
    parts.extend(end.iter().map(String::as_str));
    parts.join("\n")
}
