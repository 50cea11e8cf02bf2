//! The terminal end of ratatui: cells to bytes in a buffer. Nothing is written anywhere else.

use std::convert::Infallible;

use crossterm::cursor::{Hide, MoveTo, SetCursorStyle, Show};
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::{ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size as Cells};
use ratatui::{Frame, backend};

use super::sgr::Pen;
use crate::terminal::Size;

/// Where the cursor stands after a frame; hidden if nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    pub position: Option<Position>,
    pub shape: Shape,
}

/// DECSCUSR's shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    #[default]
    User,
    BlinkBlock,
    SteadyBlock,
    BlinkUnderline,
    SteadyUnderline,
    BlinkBar,
    SteadyBar,
}

impl Shape {
    fn style(self) -> SetCursorStyle {
        match self {
            Self::User => SetCursorStyle::DefaultUserShape,
            Self::BlinkBlock => SetCursorStyle::BlinkingBlock,
            Self::SteadyBlock => SetCursorStyle::SteadyBlock,
            Self::BlinkUnderline => SetCursorStyle::BlinkingUnderScore,
            Self::SteadyUnderline => SetCursorStyle::SteadyUnderScore,
            Self::BlinkBar => SetCursorStyle::BlinkingBar,
            Self::SteadyBar => SetCursorStyle::SteadyBar,
        }
    }
}

/// The outer terminal's screen: frames in, the bytes that make them out.
pub struct Screen {
    terminal: Terminal<Buffered>,
    /// What the terminal was last told; `None` when that is unknown.
    cursor: Option<Cursor>,
}

impl Screen {
    /// The first frame is painted whole: what stands on the terminal is not known.
    pub fn new(size: Size) -> Self {
        let backend = Buffered { size: cells(size), out: Vec::new() };
        let Ok(terminal) = Terminal::new(backend);
        let mut screen = Self { terminal, cursor: None };
        screen.invalidate();
        screen
    }

    /// The next frame is painted whole and in this size.
    pub fn resize(&mut self, size: Size) {
        self.terminal.backend_mut().size = cells(size);
        self.invalidate();
    }

    /// Forgets what the terminal shows: the next frame is painted whole.
    pub fn invalidate(&mut self) {
        self.cursor = None;
        self.terminal.backend_mut().out.clear();
        let Ok(()) = self.terminal.clear();
    }

    /// Draws a frame. The bytes are what has to be written to the terminal; none if nothing has changed.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>) -> Cursor) -> Vec<u8> {
        let mut cursor = Cursor::default();
        let Ok(_) = self.terminal.draw(|frame| cursor = render(frame));
        let cells = std::mem::take(&mut self.terminal.backend_mut().out);
        if cells.is_empty() && self.cursor == Some(cursor) {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(cells.len() + 64);
        // Writing to a Vec does not fail; crossterm's commands have no other errors here.
        let _ = queue!(out, BeginSynchronizedUpdate, Hide);
        out.extend_from_slice(&cells);
        if self.cursor.is_none_or(|c| c.shape != cursor.shape) {
            let _ = queue!(out, cursor.shape.style());
        }
        if let Some(Position { x, y }) = cursor.position {
            let _ = queue!(out, MoveTo(x, y), Show);
        }
        let _ = queue!(out, EndSynchronizedUpdate);
        self.cursor = Some(cursor);
        out
    }
}

fn cells(size: Size) -> Cells {
    Cells::new(size.cols, size.rows)
}

/// ratatui's backend on a buffer. The cursor is [`Screen`]'s business.
struct Buffered {
    size: Cells,
    out: Vec<u8>,
}

impl backend::Backend for Buffered {
    type Error = Infallible;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), Infallible>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut pen = None;
        let mut expected = None;
        for (x, y, cell) in content {
            if expected != Some((x, y)) {
                let _ = queue!(self.out, MoveTo(x, y));
            }
            let wanted = Pen { fg: cell.fg, bg: cell.bg, modifier: cell.modifier };
            if pen != Some(wanted) {
                wanted.write(&mut self.out);
                pen = Some(wanted);
            }
            let symbol = cell.symbol();
            self.out.extend_from_slice(symbol.as_bytes());
            // Terminals disagree on the width of what is not ASCII: the next cell says where it is
            // (ratatui#2651). At the right edge a terminal may or may not have a wrap pending.
            let plain = symbol.len() == 1 && x + 1 < self.size.width;
            expected = plain.then_some((x + 1, y));
        }
        if pen.is_some() {
            self.out.extend_from_slice(b"\x1b[0m");
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, _: P) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, _: ClearType) -> Result<(), Infallible> {
        // Only ever asked for everything: the viewport is the whole screen. Erasing takes the pen's
        // background, hence the reset before it.
        self.out.extend_from_slice(b"\x1b[0m");
        let _ = queue!(self.out, Clear(crossterm::terminal::ClearType::All));
        Ok(())
    }

    fn size(&self) -> Result<Cells, Infallible> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        Ok(WindowSize { columns_rows: self.size, pixels: Cells::ZERO })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Style};

    use super::*;

    fn text(screen: &mut Screen, line: &str, style: Style) -> String {
        let bytes = screen.draw(|frame| {
            frame.buffer_mut().set_string(0, 0, line, style);
            Cursor { position: Some(Position::new(1, 0)), shape: Shape::User }
        });
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_frame_is_synchronized_and_leaves_the_pen_clean_and_the_cursor_placed() {
        let mut screen = Screen::new(Size::new(10, 2));
        let first = text(&mut screen, "ab", Style::new().fg(Color::Red));
        assert!(first.starts_with("\x1b[?2026h\x1b[?25l\x1b[0m\x1b[2J"), "{first:?}");
        assert!(
            first.ends_with("\x1b[1;1H\x1b[0;31mab\x1b[0m\x1b[0 q\x1b[1;2H\x1b[?25h\x1b[?2026l"),
            "{first:?}"
        );
    }

    #[test]
    fn an_unchanged_frame_costs_no_byte() {
        let mut screen = Screen::new(Size::new(10, 2));
        text(&mut screen, "ab", Style::new());
        assert_eq!(text(&mut screen, "ab", Style::new()), "");
        let changed = text(&mut screen, "ax", Style::new());
        assert!(changed.contains("\x1b[1;2H\x1b[0mx") && !changed.contains('a'), "{changed:?}");
        screen.invalidate();
        assert!(text(&mut screen, "ax", Style::new()).contains("\x1b[2J"));
    }

    #[test]
    fn every_cell_after_a_non_ascii_one_says_where_it_is() {
        let mut screen = Screen::new(Size::new(10, 1));
        let drawn = text(&mut screen, "a✓b漢c", Style::new());
        assert!(
            drawn.contains("a✓\x1b[1;3Hb漢\x1b[1;5Hc") || drawn.contains("a✓\x1b[1;3Hb漢\x1b[1;6Hc"),
            "{drawn:?}"
        );
    }

    #[test]
    fn a_new_size_paints_whole() {
        let mut screen = Screen::new(Size::new(10, 2));
        text(&mut screen, "ab", Style::new());
        screen.resize(Size::new(4, 1));
        let drawn = text(&mut screen, "abcdef", Style::new());
        assert!(drawn.contains("\x1b[2J") && drawn.contains("abcd") && !drawn.contains('e'), "{drawn:?}");
    }
}
