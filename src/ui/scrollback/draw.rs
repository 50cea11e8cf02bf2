//! The rows that are seen, with what is found and what is selected among them, and a line that says where it is.

use std::ops::Range;

use ansi_to_tui::IntoText;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::super::backend::{Cursor, Shape};
use super::super::terminal_pane::put;
use super::super::theme::Theme;
use super::place::{after, cell};
use super::{Place, Scrollback};
use crate::text::{rows, truncate, visible, width};

impl Scrollback {
    /// Draws it; the value is where the cursor is.
    pub(in crate::ui) fn draw(&mut self, buffer: &mut Buffer, area: Rect, theme: Theme) -> Cursor {
        if area.is_empty() {
            return Cursor::default();
        }
        self.fit(area.width.into(), area.height.into());
        let (mut line, mut row) = self.top;
        let mut shown = self.line(line);
        for y in area.top()..area.bottom() {
            while row >= shown.rows.len() {
                (line, row) = (line + 1, 0);
                shown = self.line(line);
            }
            let is_line = line < self.kept.len();
            let range = shown.rows.get(row).cloned().filter(|_| is_line);
            self.draw_row(buffer, Rect { y, height: 1, ..area }, &shown, range.unwrap_or(0..0), theme);
            row += 1;
        }
        let place = format!("[{}/{}]", self.cursor.line + 1, self.kept.len());
        let cols = u16::try_from(width(&place)).unwrap_or(u16::MAX).min(area.width);
        let x = area.right() - cols;
        buffer.set_stringn(x, area.y, &place, cols.into(), theme.selected());
        self.draw_foot(buffer, area, theme).unwrap_or_else(|| self.cursor_in(area))
    }

    /// What is typed or said, in the last row; the value is the cursor of what is typed.
    fn draw_foot(&self, buffer: &mut Buffer, area: Rect, theme: Theme) -> Option<Cursor> {
        let cols = usize::from(area.width);
        let y = area.bottom() - 1;
        let Some((editor, is_upward)) = &self.prompt else {
            if let Some(notice) = &self.notice {
                buffer.set_stringn(area.x, y, truncate(notice, cols), cols, theme.selected());
            }
            return None;
        };
        let sign = if *is_upward { "?" } else { "/" };
        let typed = format!("{sign}{}", visible(editor.text()));
        let blank = " ".repeat(cols.saturating_sub(width(&typed)));
        buffer.set_stringn(area.x, y, format!("{typed}{blank}"), cols, theme.selected());
        let before = 1 + width(&visible(&editor.text()[..editor.cursor()]));
        let x = area.x + u16::try_from(before.min(cols - 1)).unwrap_or(0);
        Some(Cursor { position: Some(Position::new(x, y)), shape: Shape::User })
    }

    fn cursor_in(&self, area: Rect) -> Cursor {
        let (row, column) = cell(&self.kept.plain(self.cursor.line), self.cols, self.cursor.at);
        let mut at = self.top;
        let mut y = area.y;
        while at < (self.cursor.line, row) && y < area.bottom() {
            at = self.step(at, 1);
            y += 1;
        }
        let x = area.x + u16::try_from(column).unwrap_or(u16::MAX).min(area.width - 1);
        let position = Some(Position::new(x, y)).filter(|position| area.contains(*position));
        Cursor { position, shape: Shape::User }
    }

    fn line(&self, index: usize) -> Shown {
        let text = self.kept.plain(index).into_owned();
        let found = self.search.as_ref().map(|search| search.within(&text)).unwrap_or_default();
        let selected = self.selected().and_then(|(start, end)| selected_in(index, &text, start, end));
        let rows = rows(&text, self.cols);
        Shown { styles: styles(self.kept.line(index), &text), rows, text, found, selected }
    }

    fn draw_row(&self, buffer: &mut Buffer, area: Rect, line: &Shown, range: Range<usize>, theme: Theme) {
        let mut x = area.x;
        let mut at = range.start;
        while x < area.right() {
            let Some(target) = buffer.cell_mut((x, area.y)) else { return };
            target.reset();
            if at >= range.end {
                // A line end that is selected shows as one blank.
                let is_end = at == line.text.len() && line.selected.as_ref().is_some_and(|s| s.end > at);
                target.set_style(if is_end { theme.selected() } else { Style::new() });
                at = usize::MAX;
                x += 1;
                continue;
            }
            let end = after(&line.text, at);
            let glyph = &line.text[at..end];
            let cells = u16::try_from(width(glyph)).unwrap_or(1).clamp(1, 2);
            put(glyph, cells, target, area.right() - x);
            target.set_style(line.style(at, theme));
            at = end;
            x += cells;
        }
    }
}

/// What of a line is selected; its end counts as one more byte.
fn selected_in(index: usize, text: &str, start: Place, end: Place) -> Option<Range<usize>> {
    if index < start.line || index > end.line {
        return None;
    }
    let from = if index == start.line { start.at } else { 0 };
    let to = if index == end.line { end.at } else { text.len() + 1 };
    Some(from..to)
}

/// A line as it is drawn.
struct Shown {
    text: String,
    rows: Vec<Range<usize>>,
    /// Where each style begins.
    styles: Vec<(usize, Style)>,
    found: Vec<Range<usize>>,
    selected: Option<Range<usize>>,
}

impl Shown {
    fn style(&self, at: usize, theme: Theme) -> Style {
        let own = self.styles.iter().rev().find(|(start, _)| *start <= at).map_or(Style::new(), |s| s.1);
        if self.selected.as_ref().is_some_and(|range| range.contains(&at)) {
            return theme.selected();
        }
        if self.found.iter().any(|range| range.contains(&at)) {
            return own.patch(theme.found());
        }
        own
    }
}

/// The styles of a line with SGR, by where they begin in its plain text.
fn styles(line: &str, plain: &str) -> Vec<(usize, Style)> {
    let spans = line.into_text().map(|text| text.lines.into_iter().next().unwrap_or_default().spans);
    let mut at = 0;
    let mut styles = Vec::new();
    for span in spans.unwrap_or_default() {
        // Nothing hides or blinks.
        let style =
            span.style.remove_modifier(Modifier::HIDDEN | Modifier::SLOW_BLINK | Modifier::RAPID_BLINK);
        styles.push((at, style));
        at += span.content.len();
    }
    // Read in another way than it was written: rather no colours than wrong ones.
    if at == plain.len() { styles } else { Vec::new() }
}
