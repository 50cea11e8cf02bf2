//! Room below what the session shows, for somebody else's lines on the same screen, and the session's line again after
//! them. Moves are relative: on which row of the outer terminal the session stands is not known.

use super::Emulator;
use super::lines::{last_used, line_of, spans};
use super::reflow::{saved_cursor, write_line};
use super::styled::Style;

impl Emulator {
    /// Bytes that lead from the cursor to the beginning of an empty row below everything that is shown, in default
    /// attributes. The outer terminal's margins and modes are as `Modes::suspend_for_panel` leaves them.
    pub fn below(&self) -> Vec<u8> {
        let screen = self.screen();
        let spans = spans(screen);
        let end = spans[last_used(screen, &spans)].end;
        let (row, col) = screen.cursor_position();
        let mut out = b"\x1b[m".to_vec();
        if col == 0 && end == row + 1 && self.cursor_span_is_empty() {
            return out;
        }
        out.extend(std::iter::repeat_n(b'\n', usize::from(end.saturating_sub(row + 1))));
        out.extend_from_slice(b"\r\n");
        out
    }

    /// Bytes that show the cursor's line and what stands below it once more, from the beginning of an empty row on, and
    /// bring cursor, pen and saved cursor to where the remote has them.
    pub fn line_again(&self) -> Vec<u8> {
        let screen = self.screen();
        let spans = spans(screen);
        let last = last_used(screen, &spans);
        let (row, col) = screen.cursor_position();
        let first = spans.iter().position(|span| span.contains(&row)).unwrap_or(last);
        let mut text = String::new();
        for (at, span) in spans[first..=last.max(first)].iter().enumerate() {
            text.push_str(if at > 0 { "\r\n" } else { "" });
            write_line(&line_of(screen, span.clone()), &mut text);
        }
        let up = spans[last.max(first)].end.saturating_sub(row + 1);
        // Behind a full row the terminal waits to wrap, and so it does after printing that row.
        if up > 0 || col < screen.size().1.get() {
            text.push_str(&moved(up, false, col));
        }
        if self.normaliser.has_saved() {
            let (saved_row, saved_col) = saved_cursor(screen);
            let (by, is_below) = (row.abs_diff(saved_row), saved_row > row);
            text.push_str(&moved(by, is_below, saved_col));
            self.saved_pens[0].write(Style::default(), &mut text);
            text.push_str("\x1b7\x1b[m");
            text.push_str(&moved(by, !is_below, col));
        }
        Style::pen(screen).write(Style::default(), &mut text);
        text.into_bytes()
    }

    fn cursor_span_is_empty(&self) -> bool {
        let row = self.screen().cursor_position().0;
        let is_above = row > 0 && self.screen().row_wrapped(row - 1);
        !is_above && line_of(self.screen(), row..row + 1).text.is_empty()
    }
}

/// So many rows up or down, to this column.
fn moved(rows: u16, down: bool, col: u16) -> String {
    let vertical =
        if rows > 0 { format!("\x1b[{rows}{}", if down { 'B' } else { 'A' }) } else { String::new() };
    let across = if col > 0 { format!("\x1b[{col}C") } else { String::new() };
    format!("{vertical}\r{across}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Size;
    use std::num::NonZeroU16;

    /// What a terminal shows that took the stream, the dialogue, and the rest; and the emulator that saw the stream only.
    fn after(stream: &str, rest: &str) -> (vt100::Parser, Emulator) {
        let mut emulator = Emulator::new(Size::new(20, 8));
        emulator.feed(stream.as_bytes());
        let side = |n| NonZeroU16::new(n).unwrap();
        let mut outer = vt100::Parser::new(side(8), side(20), 100);
        outer.process(stream.as_bytes());
        outer.process(&emulator.below());
        outer.process(b"said\r\n");
        outer.process(&emulator.line_again());
        outer.process(rest.as_bytes());
        emulator.feed(rest.as_bytes());
        (outer, emulator)
    }

    fn rows(screen: &vt100::Screen) -> Vec<String> {
        screen.rows(0, 20).map(|row| row.trim_end().to_owned()).collect()
    }

    #[test]
    fn the_line_comes_again_with_the_cursor_in_the_same_column() {
        let (outer, _) = after("one\r\njoe:~$ ls -l\x1b[2D", "X");
        assert_eq!(rows(outer.screen())[..4], ["one", "joe:~$ ls -l", "said", "joe:~$ ls Xl"]);
        assert_eq!(outer.screen().cursor_position(), (3, 11));
    }

    #[test]
    fn a_line_of_several_rows_and_what_stands_below_it_come_again() {
        let stream = "$ 3456789012345678901234\r\nmenu a  b\x1b[1A\r\x1b[2A\x1b[1B\x1b[2C";
        let (outer, emulator) = after(stream, "");
        let shown = rows(outer.screen());
        assert_eq!(shown[3..7], ["said", "$ 345678901234567890", "1234", "menu a  b"], "{shown:?}");
        let (row, col) = emulator.screen().cursor_position();
        assert_eq!(outer.screen().cursor_position(), (row + 4, col));
    }

    #[test]
    fn a_pending_wrap_is_pending_again() {
        let (outer, _) = after("$ 345678901234567890", "Z");
        assert_eq!(rows(outer.screen())[2..4], ["$ 345678901234567890", "Z"]);
    }

    #[test]
    fn pen_and_saved_cursor_are_the_remotes_again() {
        let (outer, _) = after("\x1b[31mred\x1b7more\x1b[44m", "!\x1b8?");
        assert_eq!(rows(outer.screen())[2], "red?ore!");
        let cell = |col| outer.screen().cell(2, col).unwrap().clone();
        assert_eq!((cell(7).bgcolor(), cell(3).bgcolor()), (vt100::Color::Idx(4), vt100::Color::Default));
        assert_eq!(cell(3).fgcolor(), vt100::Color::Idx(1));
    }

    #[test]
    fn at_the_start_of_an_empty_row_there_is_room_already() {
        let (outer, _) = after("out\r\n", "next");
        assert_eq!(rows(outer.screen())[..3], ["out", "said", "next"]);
    }
}
