//! Resizing: vt100 cuts rows off, so the screen is laid out anew from its logical lines. No text is lost; the
//! cursor stays on its character; what a smaller screen pushed out comes back with a larger one.

use super::history::History;
use super::lines::{Line, joined, last_used, line_of, row_cells, spans, write_row};
use super::looks::GAP;
use super::styled::{self, Style, Writer};
use super::width::cells_of;
use super::{Emulator, clamped, parser};
use crate::terminal::Size;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vt100::{Parser, Screen};

/// The primary screen taken apart.
struct Layout {
    lines: Vec<Line>,
    /// Line index and cell of the cursor and of the saved cursor.
    cursor: (usize, usize),
    saved: (usize, usize),
    /// Rows from the top to the last one in use.
    used: usize,
}

impl Emulator {
    /// Gives the screen another size (at least 2×2).
    pub fn resize(&mut self, size: Size) {
        let size = clamped(size);
        let old = std::mem::replace(&mut self.size, size);
        if (old.cols, old.rows) == (size.cols, size.rows) {
            return;
        }
        self.modes.resized();
        // The rebuild is one vt100 call after another on content that anyone may have made.
        if catch_unwind(AssertUnwindSafe(|| self.rebuild(old))).is_err() {
            self.recover();
        }
    }

    fn rebuild(&mut self, old: Size) {
        let size = self.size;
        let before = self.screen().clone();
        let is_alternate = before.alternate_screen();
        let mut layout = layout(&primary(&before));
        let mut history = std::mem::take(self.parser.callbacks_mut());
        let top = history.next();
        self.note_pullable(old, top);

        // The beginning of the first line, where it has left the screen.
        let head = history.take_open();
        let head_cells = styled::cells(&head);
        if let Some(first) = layout.lines.first_mut() {
            first.text = joined(&head, &first.text);
        }
        for place in [&mut layout.cursor, &mut layout.saved] {
            place.1 += if place.0 == 0 { head_cells } else { 0 };
        }
        let pulled = self.pull(&mut history, &mut layout, old, head_cells);
        if self.pullable.is_some_and(|(_, rest)| size.cols >= rest.cols && size.rows >= rest.rows) {
            self.pullable = None;
        }

        let base = top - pulled;
        self.parser = parser(size, history);
        let text = text_of(&layout.lines, usize::from(size.cols));
        self.parser.process(text.as_bytes());
        let state = self.place_cursors(&layout, base, pulled);
        self.parser.process(state.as_bytes());
        if is_alternate {
            self.restore_alternate(&before);
        }
        let rest = self.rest_of_state(&before);
        self.parser.process(rest.as_bytes());
    }

    /// Remembers from which line on the screen gave lines away for want of room.
    fn note_pullable(&mut self, old: Size, top: u64) {
        let is_smaller = self.size.cols < old.cols || self.size.rows < old.rows;
        if is_smaller && self.pullable.is_none() {
            self.pullable = Some((top, old));
        }
    }

    /// Takes lines back from the history into rows that became free; how many.
    fn pull(&self, history: &mut History, layout: &mut Layout, old: Size, head_cells: usize) -> u64 {
        let Some((from, _)) = self.pullable else { return 0 };
        let cols = usize::from(self.size.cols);
        let rows = usize::from(self.size.rows);
        // A full screen stays full; another one keeps the place of its last row.
        let is_full = layout.used == usize::from(old.rows);
        let target = if is_full { rows } else { layout.used.min(rows) };
        let mut used: usize = layout.lines.iter().map(|line| styled::rows(&line.text, cols)).sum();
        // Of the open line's head, only what the screen has room for shows again; it counts as used by itself.
        used = used.saturating_sub(if is_full { 0 } else { head_cells / cols });
        let mut pulled = 0;
        while used < target && history.next() > from {
            let Some(text) = history.pop() else { break };
            used += styled::rows(&text, cols);
            layout.lines.insert(0, Line { text, erase: Style::default() });
            pulled += 1;
        }
        pulled
    }

    /// Sequences that put the saved and the present cursor back on their characters, on the primary screen.
    fn place_cursors(&self, layout: &Layout, base: u64, pulled: u64) -> String {
        let locate = |(index, cell): (usize, usize)| self.locate(base + pulled + index as u64, cell);
        let mut state = String::new();
        let (row, col) = locate(layout.saved);
        goto(&mut state, row, col.min(self.size.cols - 1));
        state.push_str("\x1b7");
        let (row, col) = locate(layout.cursor);
        cursor_to(self.screen(), row, col, &mut state);
        state
    }

    /// The row and column of a cell of a line; the column is that of a pending wrap at the end of a full row.
    pub(super) fn locate(&self, line: u64, cell: usize) -> (u16, u16) {
        let screen = self.screen();
        let spans = spans(screen);
        let Some(index) = line.checked_sub(self.history().next()) else { return (0, 0) };
        let index = (index as usize).min(spans.len().saturating_sub(1));
        let head = if index == 0 { styled::cells(self.head()) } else { 0 };
        let Some(mut rest) = cell.checked_sub(head) else { return (0, 0) };
        let span = spans[index].clone();
        for row in span.clone() {
            let cells = row_cells(screen, row);
            if rest < cells {
                return (row, rest as u16);
            }
            if row + 1 == span.end {
                let col = if rest == cells { self.size.cols } else { self.size.cols - 1 };
                return (row, col);
            }
            rest -= cells;
        }
        (span.start, 0)
    }

    /// Paints what fits of the alternate screen as it was; the program will paint it anew.
    fn restore_alternate(&mut self, before: &Screen) {
        let (rows, cols) = before.size();
        let (rows, cols) = (rows.get().min(self.size.rows), cols.get().min(self.size.cols));
        let mut text = String::from("\x1b[?47h\x1b[m");
        for row in 0..rows {
            let mut writer = Writer::new();
            write_row(before, row, cols, &mut writer);
            goto(&mut text, row, 0);
            text.push_str(&writer.finish());
        }
        let (row, col) = before.cursor_position();
        goto(&mut text, row.min(self.size.rows - 1), col.min(self.size.cols - 1));
        self.parser.process(text.as_bytes());
    }

    /// What the parser holds beside the cells: modes, region, origin, pen.
    fn rest_of_state(&self, before: &Screen) -> String {
        let mut state = before.input_mode_formatted();
        state.push_str(if before.hide_cursor() { "\x1b[?25l" } else { "\x1b[?25h" });
        let (row, col) = self.screen().cursor_position();
        let modes = self.modes.state();
        if modes.region.is_some() || modes.is_on(6) {
            state.push_str(&region_and_cursor(self.screen(), modes, row, col));
        }
        state.push_str("\x1b[m");
        Style::pen(before).write(Style::default(), &mut state);
        state
    }
}

/// Sets region and origin mode, and the cursor where it was.
pub(super) fn region_and_cursor(
    screen: &Screen,
    modes: &crate::terminal::modes::State,
    row: u16,
    col: u16,
) -> String {
    let mut state = String::new();
    let (top, bottom) = modes.region.unwrap_or((1, 0));
    match bottom {
        0 => state.push_str(&format!("\x1b[{top}r")),
        _ => state.push_str(&format!("\x1b[{top};{bottom}r")),
    }
    if modes.is_on(6) {
        state.push_str("\x1b[?6h");
        goto(&mut state, row.saturating_sub(top - 1), col.min(screen.size().1.get() - 1));
    } else {
        state.push_str("\x1b[?6l");
        cursor_to(screen, row, col, &mut state);
    }
    state
}

/// The primary screen, also while the alternate one is shown.
pub(super) fn primary(screen: &Screen) -> Screen {
    let (rows, cols) = screen.size();
    let mut scratch = Parser::new(rows, cols, 0);
    *scratch.screen_mut() = screen.clone();
    if screen.alternate_screen() {
        scratch.process(b"\x1b[?47l");
    }
    scratch.screen().clone()
}

/// Where ESC 8 would put the cursor.
pub(super) fn saved_cursor(screen: &Screen) -> (u16, u16) {
    let (rows, cols) = screen.size();
    let mut scratch = Parser::new(rows, cols, 0);
    *scratch.screen_mut() = screen.clone();
    scratch.process(b"\x1b8");
    scratch.screen().cursor_position()
}

fn layout(screen: &Screen) -> Layout {
    let spans = spans(screen);
    let place = |(row, col): (u16, u16)| {
        let index = spans.iter().position(|span| span.contains(&row)).unwrap_or(0);
        let before: usize = (spans[index].start..row).map(|row| row_cells(screen, row)).sum();
        (index, before + usize::from(col))
    };
    let last = last_used(screen, &spans);
    let used = usize::from(spans[last].end);
    Layout {
        lines: spans[..=last].iter().map(|span| line_of(screen, span.clone())).collect(),
        cursor: place(screen.cursor_position()),
        saved: place(saved_cursor(screen)),
        used,
    }
}

/// Lines to be fed to vt100 from its home position.
fn text_of(lines: &[Line], cols: usize) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push_str("\r\n");
        }
        let Line { text: line_text, erase } = line;
        write_line(&Line { text: gapped(line_text, 0, cols), erase: *erase }, &mut text);
    }
    text
}

/// Text with SGR that begins in a column, with a gap where a wide character does not fit into a row.
pub(super) fn gapped(text: &str, col: usize, cols: usize) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let (mut out, mut col, mut in_sequence) = (String::with_capacity(text.len() + 8), col, false);
    for c in text.chars() {
        let width = if c < ' ' || in_sequence { 0 } else { cells_of(c) };
        in_sequence = (in_sequence && c != 'm') || c == '\x1b';
        if width == 2 && col + 1 == cols {
            out.push_str(GAP);
            col = cols;
        }
        col = match c {
            '\r' => 0,
            // A tab goes to the last column and no further.
            '\t' => ((col / 8 + 1) * 8).min(cols - 1),
            _ if width > 0 && col + width > cols => width,
            _ => col + width,
        };
        out.push(c);
    }
    out
}

pub(super) fn write_line(line: &Line, text: &mut String) {
    text.push_str(&line.text);
    if line.erase != Style::default() {
        line.erase.write(Style::default(), text);
        text.push_str("\x1b[K\x1b[m");
    }
}

pub(super) fn goto(out: &mut String, row: u16, col: u16) {
    out.push_str(&format!("\x1b[{};{}H", row + 1, col + 1));
}

/// Prints a cell again where the cursor is. Leaves default attributes.
pub(super) fn reprint(screen: &Screen, row: u16, col: u16, out: &mut String) {
    if let Some(cell) = screen.cell(row, col).filter(|cell| cell.has_contents()) {
        let mut writer = Writer::new();
        writer.push(Style::of(cell), cell.contents());
        out.push_str("\x1b[m");
        out.push_str(&writer.finish());
    }
}

/// Puts the cursor at a place that may be a pending wrap, which takes printing the row's last character again.
/// Leaves default attributes.
pub(super) fn cursor_to(screen: &Screen, row: u16, col: u16, out: &mut String) {
    cursor_with(screen, (row, col), 0, out, |_, style| style);
}

/// The same on a terminal where the screen's first row stands `down` rows below the top.
pub(super) fn cursor_below(screen: &Screen, (row, col): (u16, u16), down: u16, out: &mut String) {
    cursor_with(screen, (row, col), down, out, |_, style| style);
}

/// The same, with a say in the attributes of the cell at the given column.
pub(super) fn cursor_with(
    screen: &Screen,
    (row, col): (u16, u16),
    down: u16,
    out: &mut String,
    style: impl Fn(u16, Style) -> Style,
) {
    let cols = screen.size().1.get();
    if col < cols {
        return goto(out, row + down, col);
    }
    let is_half = screen.cell(row, cols - 1).is_some_and(vt100::Cell::is_wide_continuation);
    let last = cols - if is_half { 2 } else { 1 };
    goto(out, row + down, last);
    if let Some(cell) = screen.cell(row, last).filter(|cell| cell.has_contents()) {
        let mut writer = Writer::new();
        writer.push(style(last, Style::of(cell)), cell.contents());
        out.push_str("\x1b[m");
        out.push_str(&writer.finish());
    }
}
