//! Dims the echo of a command that aissh sent, where the remote printed it. The cells stay in the screen's and the
//! history's keeping, so the dimming goes wherever they go.

use super::lines::EchoStart;
use super::reflow::{cursor_with, goto, region_and_cursor};
use super::styled::{self, Style, Writer};
use super::{Emulator, lines};

impl Emulator {
    /// Dims `text` from `start` on, if that is what the line holds there; whether it does. A text of several
    /// lines must stand at the beginning of the lines that follow.
    pub fn dim_echo(&mut self, start: EchoStart, text: &str) -> bool {
        let parts: Vec<&str> = text.trim_end_matches(['\r', '\n']).split('\n').collect();
        if text.trim().is_empty() {
            return false;
        }
        let mut ranges = Vec::new();
        for (number, part) in (start.line..).zip(&parts) {
            let offset = if number == start.line { start.offset } else { 0 };
            let part = part.trim_end_matches([' ', '\r']);
            let Some(line) = self.styled_line(number) else { return false };
            if !styled::plain(&styled::from_cell(&line, offset)).starts_with(part) {
                return false;
            }
            ranges.push((number, line, offset, offset + styled::cells(part)));
        }
        for (number, line, from, to) in ranges {
            self.dim_line(number, &line, from, to);
        }
        true
    }

    /// Removes all from the beginning of a line on, as if the remote had; the cursor is where the line began. Nothing
    /// happens in the alternate screen, in origin mode, or when the whole line has left the screen.
    pub fn erase_from(&mut self, line: u64) {
        let next = self.history().next();
        let elsewhere = self.is_alternate() || self.modes.state().is_on(6);
        let Some(index) = line.checked_sub(next).filter(|_| !elsewhere) else { return };
        let spans = lines::spans(self.screen());
        let Some(span) = usize::try_from(index).ok().and_then(|index| spans.get(index)) else { return };
        let mut bytes = String::new();
        goto(&mut bytes, span.start, 0);
        let pen = Style::pen(self.screen());
        bytes.push_str("\x1b[m\x1b[J");
        pen.write(Style::default(), &mut bytes);
        if index == 0 {
            self.parser.callbacks_mut().take_open();
        }
        self.feed(bytes.as_bytes());
    }

    fn dim_line(&mut self, number: u64, line: &str, from: usize, to: usize) {
        let next = self.history().next();
        if number < next {
            let dimmed = dimmed(line, from, to);
            self.parser.callbacks_mut().set(number, dimmed);
            return;
        }
        if number == next && !self.is_alternate() {
            // The beginning of the line has left the screen.
            if let Some(head) = self.parser.callbacks_mut().open_mut() {
                *head = dimmed(head, from, to);
            }
        }
        let bytes = self.dimming(number, from, to);
        if !bytes.is_empty() {
            self.process(bytes.as_bytes());
        }
    }

    /// Sequences that print the line's cells in the range again, dim, and put everything else back.
    fn dimming(&self, number: u64, from: usize, to: usize) -> String {
        let screen = self.screen();
        let spans = lines::spans(screen);
        let index = (number - self.history().next()) as usize;
        let Some(span) = spans.get(index) else { return String::new() };
        let mut cell = if index == 0 { styled::cells(self.head()) } else { 0 };
        let (row_now, col_now) = screen.cursor_position();
        let mut cells = String::new();
        let mut on_cursor_row = Vec::new();
        for row in span.clone() {
            let end = lines::row_cells(screen, row) as u16;
            for col in 0..end {
                let at = cell + usize::from(col);
                let Some(found) = screen.cell(row, col) else { continue };
                let style = Style::of(found);
                if at >= from && at < to && found.has_contents() && !style.is_dim() {
                    let mut writer = Writer::new();
                    writer.push(style.dimmed(), found.contents());
                    goto(&mut cells, row, col);
                    on_cursor_row.extend((row == row_now).then_some(col));
                    cells.push_str(&writer.finish());
                }
            }
            cell += usize::from(end);
        }
        if cells.is_empty() {
            return cells;
        }
        let modes = self.modes.state();
        let origin = modes.is_on(6);
        let mut bytes = String::from(if origin { "\x1b[?6l\x1b[m" } else { "\x1b[m" });
        bytes.push_str(&cells);
        if origin {
            bytes.push_str(&region_and_cursor(screen, modes, row_now, col_now));
        } else {
            // In a pending wrap the last cell is printed once more: as it will be then.
            cursor_with(screen, (row_now, col_now), 0, &mut bytes, |col, style| {
                if on_cursor_row.contains(&col) { style.dimmed() } else { style }
            });
        }
        bytes.push_str("\x1b[m");
        Style::pen(screen).write(Style::default(), &mut bytes);
        bytes
    }
}

/// The line with the glyphs in a range of cells dim.
fn dimmed(line: &str, from: usize, to: usize) -> String {
    let mut writer = Writer::new();
    let mut at = 0;
    for glyph in styled::glyphs(line) {
        let style = if (from..to).contains(&at) { glyph.style.dimmed() } else { glyph.style };
        writer.push(style, glyph.text);
        at += glyph.cells;
    }
    writer.finish()
}
