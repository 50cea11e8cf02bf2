//! The remote's screen in its pane.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};

use super::backend::{Cursor, Shape};
use super::paint::force;
use crate::terminal::Additions;
use crate::text::{self, sanitize};

/// Columns by which a screen that is wider than its pane moves at once.
const STEP: u16 = 16;

/// How far a screen is moved to the left and up in a pane that is smaller than it: columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shift {
    pub(super) cols: u16,
    pub(super) rows: u16,
}

/// How far the screen is moved so that its cursor is seen: nobody should type what he cannot read. The cursor's row is
/// always seen, its column only while it is typed there.
pub(super) fn shift(screen: &vt100::Screen, area: Rect, typed: bool) -> Shift {
    let (row, col) = screen.cursor_position();
    let over = |at: u16, room: u16| (at + 1).saturating_sub(room);
    let cols = over(col.min(screen.size().1.get().saturating_sub(1)), area.width);
    let cols = if typed { cols.div_ceil(STEP) * STEP } else { 0 };
    Shift { cols, rows: over(row, area.height) }
}

/// Draws what of `screen` is visible in `area`, moved by `shift`; what does not fit is not drawn.
pub(super) fn draw(screen: &vt100::Screen, area: Rect, shift: Shift, buffer: &mut Buffer) {
    for row in 0..area.height {
        for col in 0..area.width {
            let Some(target) = buffer.cell_mut((area.x + col, area.y + row)) else { continue };
            target.reset();
            if let Some(source) = screen.cell(row + shift.rows, col + shift.cols) {
                paint(source, target, area.width - col);
            }
        }
    }
}

/// The remote's cursor, where it is visible in `area`.
pub(super) fn cursor(screen: &vt100::Screen, area: Rect, shift: Shift) -> Cursor {
    let (row, mut col) = screen.cursor_position();
    // With a wrap pending the emulator's cursor stands behind the last column; a terminal shows it on it.
    col = col.min(screen.size().1.get().saturating_sub(1));
    let (x, y) = (col.saturating_sub(shift.cols), row.saturating_sub(shift.rows));
    let position = Position::new(area.x.saturating_add(x), area.y.saturating_add(y));
    let is_cut = col < shift.cols || row < shift.rows;
    let visible = !screen.hide_cursor() && !is_cut && area.contains(position);
    Cursor { position: visible.then_some(position), shape: shape(screen.cursor_style()) }
}

fn shape(style: vt100::CursorStyle) -> Shape {
    match style {
        vt100::CursorStyle::Default => Shape::User,
        vt100::CursorStyle::BlinkBlock => Shape::BlinkBlock,
        vt100::CursorStyle::SteadyBlock => Shape::SteadyBlock,
        vt100::CursorStyle::BlinkUnderline => Shape::BlinkUnderline,
        vt100::CursorStyle::SteadyUnderline => Shape::SteadyUnderline,
        vt100::CursorStyle::BlinkVerticalBar => Shape::BlinkBar,
        vt100::CursorStyle::SteadyVerticalBar => Shape::SteadyBar,
    }
}

/// `room` is how many columns are left from this cell on: half a wide character is a blank.
fn paint(source: &vt100::Cell, target: &mut Cell, room: u16) {
    target.fg = colour(source.fgcolor());
    target.bg = colour(source.bgcolor());
    target.modifier = modifiers(source);
    let contents = if source.is_wide_continuation() { "" } else { source.contents() };
    put(contents, if source.is_wide() { 2 } else { 1 }, target, room);
}

/// Writes what a terminal has in a cell of `width` columns.
pub(super) fn put(contents: &str, width: u16, target: &mut Cell, room: u16) {
    if contents.is_empty() || width > room {
        target.set_symbol(" ");
        return;
    }
    // Direction marks and the like would act on the panel beside it.
    let clean = sanitize(contents);
    if clean.contains(['\n', '\t']) {
        target.set_symbol(" ");
        return;
    }
    target.set_symbol(&fitted(&clean, width));
    // ratatui 0.30 counts the halfwidth sound marks twice (its own correction, and unicode-width >= 0.2.3).
    force(target, width);
}

/// The text in exactly the columns that the emulator gave it. What would be wider for another terminal would
/// overwrite its neighbour, what would be narrower would leave there what stood before.
fn fitted(text: &str, width: u16) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.push(c);
        if text::width(&out) > usize::from(width) {
            out.pop();
            break;
        }
    }
    while text::width(&out) < usize::from(width) {
        out.push(' ');
    }
    out
}

fn modifiers(cell: &vt100::Cell) -> Modifier {
    let mut modifier = Modifier::empty();
    modifier.set(Modifier::BOLD, cell.bold());
    modifier.set(Modifier::DIM, cell.dim());
    modifier.set(Modifier::ITALIC, cell.italic());
    modifier.set(Modifier::REVERSED, cell.inverse());
    let more = Additions::of(cell.contents());
    modifier.set(Modifier::CROSSED_OUT, more.strike);
    modifier.set(Modifier::SLOW_BLINK, more.blink);
    modifier.set(Modifier::HIDDEN, more.conceal);
    modifier.set(Modifier::UNDERLINED, cell.underline() || more.underline);
    modifier
}

fn colour(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::CellWidth;
    use std::num::NonZeroU16;

    fn screen(cols: u16, bytes: &str) -> vt100::Parser {
        let mut parser = vt100::Parser::new(NonZeroU16::new(2).unwrap(), NonZeroU16::new(cols).unwrap(), 0);
        parser.process(bytes.as_bytes());
        parser
    }

    fn drawn(parser: &vt100::Parser, width: u16) -> Buffer {
        let area = Rect::new(0, 0, width, 2);
        let mut buffer = Buffer::empty(area);
        draw(parser.screen(), area, Shift::default(), &mut buffer);
        buffer
    }

    fn row(buffer: &Buffer, y: u16) -> String {
        (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect()
    }

    #[test]
    fn styles_and_colours_come_through() {
        let parser = screen(10, "\x1b[1;3;4;7;31;48;5;200ma\x1b[0;2;38;2;1;2;3mb\x1b[0m");
        let buffer = drawn(&parser, 10);
        let a = &buffer[(0, 0)];
        assert_eq!((a.symbol(), a.fg, a.bg), ("a", Color::Indexed(1), Color::Indexed(200)));
        assert_eq!(a.modifier, Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::REVERSED);
        let b = &buffer[(1, 0)];
        assert_eq!((b.fg, b.modifier), (Color::Rgb(1, 2, 3), Modifier::DIM));
    }

    #[test]
    fn what_vt100_has_no_place_for_comes_through_as_far_as_a_cell_of_the_panel_holds_it() {
        let mut emulator = crate::terminal::Emulator::new(crate::terminal::Size::new(10, 2));
        emulator.feed(
            "\x1b[9ma漢\x1b[0;5mb\x1b[0;8mc\x1b[0;21md\x1b[m\x1b]8;;http://x\x07e\x1b]8;;\x07".as_bytes(),
        );
        let area = Rect::new(0, 0, 10, 2);
        let mut buffer = Buffer::empty(area);
        draw(emulator.screen(), area, Shift::default(), &mut buffer);
        let drawn = [0, 1, 3, 4, 5, 6].map(|x| (buffer[(x, 0)].symbol(), buffer[(x, 0)].modifier));
        let [struck, blink, hidden] = [Modifier::CROSSED_OUT, Modifier::SLOW_BLINK, Modifier::HIDDEN];
        let expected = [struck, struck, blink, hidden, Modifier::UNDERLINED, Modifier::empty()];
        assert_eq!(drawn.map(|(_, modifier)| modifier), expected);
        assert_eq!(drawn.map(|(symbol, _)| symbol), ["a", "漢", "b", "c", "d", "e"]);
    }

    #[test]
    fn a_coloured_blank_keeps_its_background() {
        let buffer = drawn(&screen(10, "\x1b[44m\x1b[K"), 10);
        assert_eq!((buffer[(9, 0)].symbol(), buffer[(9, 0)].bg), (" ", Color::Indexed(4)));
    }

    #[test]
    fn half_a_wide_character_at_the_border_is_a_blank() {
        let parser = screen(10, "abc漢字");
        assert_eq!(row(&drawn(&parser, 4), 0), "abc ");
        assert_eq!(row(&drawn(&parser, 5), 0), "abc漢 ");
    }

    #[test]
    fn a_cell_never_carries_what_would_act_on_the_panel() {
        let buffer = drawn(&screen(10, "a\u{202e}b\u{200b}c\u{2067}"), 10);
        assert_eq!(row(&buffer, 0), "abc       ");
    }

    #[test]
    fn a_cell_is_as_wide_as_the_emulator_says() {
        let parser = screen(10, "ｶﾞx\u{2601}\u{fe0f}y漢\u{1f44d}\u{200d}z");
        let buffer = drawn(&parser, 10);
        let mut x = 0;
        while x < 10 {
            let wide = parser.screen().cell(0, x).is_some_and(vt100::Cell::is_wide);
            assert_eq!(buffer[(x, 0)].cell_width(), if wide { 2 } else { 1 }, "{:?}", buffer[(x, 0)]);
            x += buffer[(x, 0)].cell_width();
        }
        let symbols = [0, 1, 2, 3, 5].map(|x| buffer[(x, 0)].symbol());
        assert_eq!(symbols, ["ｶ", "ﾞ", "x", "\u{2601} ", "y"]);
    }

    #[test]
    fn the_cursor_is_where_the_remote_has_it_and_only_where_it_is_seen() {
        let area = Rect::new(0, 0, 5, 2);
        assert_eq!(
            cursor(screen(10, "abc").screen(), area, Shift::default()).position,
            Some(Position::new(3, 0))
        );
        assert_eq!(cursor(screen(10, "abcdefg").screen(), area, Shift::default()).position, None);
        assert_eq!(cursor(screen(10, "abc\x1b[?25l").screen(), area, Shift::default()).position, None);
        let full = cursor(screen(5, "abcde").screen(), area, Shift::default());
        assert_eq!(full.position, Some(Position::new(4, 0)));
        assert_eq!(cursor(screen(5, "\x1b[6 q").screen(), area, Shift::default()).shape, Shape::SteadyBar);
    }

    #[test]
    fn a_screen_wider_than_its_pane_moves_until_the_cursor_is_seen() {
        let area = Rect::new(0, 0, 20, 1);
        let parser = screen(60, "0123456789012345678901234567890123456789");
        let moved = shift(parser.screen(), area, true);
        assert_eq!(moved, Shift { cols: 32, rows: 0 });
        let mut buffer = Buffer::empty(area);
        draw(parser.screen(), area, moved, &mut buffer);
        assert_eq!(buffer[(0, 0)].symbol(), "2");
        assert_eq!(cursor(parser.screen(), area, moved).position, Some(Position::new(8, 0)));
        assert_eq!(shift(screen(60, "0123456789").screen(), area, true), Shift::default());
        assert_eq!(shift(parser.screen(), area, false), Shift::default());
        let low = screen(60, "one\r\ntwo");
        assert_eq!(shift(low.screen(), area, false), Shift { cols: 0, rows: 1 });
    }
}
