//! Background colour erase: what scrolls or moves in has the background of the pen (xterm, terminfo `bce`). vt100 0.18 does
//! so for ED, EL and ECH only.

use super::Emulator;
use super::width::cells_of;
use std::ops::Range;

impl Emulator {
    /// Text and line feeds.
    pub(super) fn print_coloured(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let (row, col) = self.screen().cursor_position();
            let room = self.margins().end.saturating_sub(1).checked_sub(row);
            // Below the region nothing scrolls.
            let end = room.map_or(rest.len(), |room| self.fitting(rest, col, room));
            if end > 0 {
                self.process(&rest.as_bytes()[..end]);
                rest = &rest[end..];
                continue;
            }
            let joins = |c: &(usize, char)| c.1 < ' ' || cells_of(c.1) > 0;
            let end = rest.char_indices().skip(1).find(joins).map_or(rest.len(), |(at, _)| at);
            self.process_scrolling(&rest[..end]);
            rest = &rest[end..];
        }
    }

    /// A character or line feed that scrolls the region up.
    pub(super) fn process_scrolling(&mut self, text: &str) {
        let all = text.starts_with(['\n', '\x0b', '\x0c']);
        let pen = self.normaliser.pen();
        if !pen.is_coloured {
            return self.process(text.as_bytes());
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.extend_from_slice(pen.lay_down());
        bytes.extend_from_slice(if all { b"\x1b[2K" } else { b"\x1b[K" });
        bytes.extend_from_slice(pen.take_up());
        self.process(&bytes);
    }

    /// How much of the text can be printed before something needs more than `room` rows.
    fn fitting(&self, text: &str, col: u16, room: u16) -> usize {
        let (cols, mut col, mut left) = (usize::from(self.size.cols), usize::from(col), room);
        for (at, c) in text.char_indices() {
            let width = if c < ' ' { 0 } else { cells_of(c) };
            let wraps = width > 0 && col + width > cols;
            if wraps || matches!(c, '\n' | '\x0b' | '\x0c') {
                let Some(less) = left.checked_sub(1) else { return at };
                left = less;
            }
            col = match c {
                '\r' => 0,
                '\t' => (col / 8 + 1) * 8,
                _ if wraps => width,
                _ => col + width,
            };
            // A tab goes to the last column and no further.
            col = if c == '\t' { col.min(cols - 1) } else { col };
        }
        text.len()
    }

    /// ICH, DCH, IL, DL, SU, SD.
    pub(super) fn shift(&mut self, last: u8, count: u16) {
        let (row, col) = self.screen().cursor_position();
        let (margins, cols) = (self.margins(), self.size.cols);
        self.process(format!("\x1b[{count}{}", char::from(last)).as_bytes());
        let (row_now, col_now) = self.screen().cursor_position();
        let is_inside = margins.contains(&row);
        let up = |from: u16| margins.end.saturating_sub(count).max(from)..margins.end;
        let down = |from: u16| from..from.saturating_add(count).min(margins.end);
        let mut blanks = String::from("\x1b[?6l");
        let whole = match last {
            b'L' if is_inside => down(row),
            b'M' if is_inside => up(row),
            b'S' => up(margins.start),
            b'T' => down(margins.start),
            b'@' | b'P' if col < cols => {
                let count = count.min(cols - col);
                let from = if last == b'P' { cols - count } else { col };
                blanks.push_str(&format!("\x1b[{};{}H\x1b[{count}X", row + 1, from + 1));
                0..0
            }
            _ => 0..0,
        };
        whole.for_each(|row| blanks.push_str(&format!("\x1b[{}H\x1b[2K", row + 1)));
        let pen = self.normaliser.pen();
        self.process(&[pen.lay_down(), blanks.as_bytes()].concat());
        self.put_cursor(row_now, col_now);
    }

    /// The rows of the scroll region.
    pub(super) fn margins(&self) -> Range<u16> {
        let (top, bottom) = self.modes.state().region.unwrap_or((1, 0));
        let bottom = if bottom == 0 { self.size.rows } else { bottom.min(self.size.rows) };
        top.saturating_sub(1)..bottom
    }
}
