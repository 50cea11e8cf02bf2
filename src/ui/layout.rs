//! Where the panes are.

use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use crate::terminal::Size;

/// From here on the remote is made narrower; below, the panel covers a part of it.
pub const SPLIT_FROM: u16 = 110;

/// The same for a panel at the bottom, in rows.
const SPLIT_ROWS_FROM: u16 = 36;

/// Below, there is no room for two panes: the panel takes the whole screen.
const TWO_PANES_FROM: u16 = 60;

/// The same for a panel at the bottom, in rows.
const TWO_PANES_ROWS_FROM: u16 = 16;

/// Narrower, commands wrap at every word.
const PANEL_MIN: u16 = 36;

/// Lower, there is only the chat.
const PANEL_ROWS_MIN: u16 = 8;

/// Wider, lines are hard to read; the terminal has more use for the room. The user may go beyond.
const PANEL_DEFAULT_MAX: u16 = 80;

/// What stays of the terminal whatever the user asks for.
const TERMINAL_MIN: u16 = 24;
const TERMINAL_ROWS_MIN: u16 = 6;

/// Columns of one press of `<` or `>`, and rows.
const WIDTH_STEP: i16 = 4;
const HEIGHT_STEP: i16 = 2;

/// How the panel stands beside or over the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The remote has what the panel leaves.
    Split,
    /// The remote has the whole screen; the panel covers a part of it.
    Overlay,
    /// The remote has the whole screen; the panel, while it has the focus, covers all of it.
    Full,
}

/// On which side of the terminal the panel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Position {
    #[default]
    Right,
    Left,
    Bottom,
}

impl Position {
    /// The one that a key turns it to.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Right => Self::Left,
            Self::Left => Self::Bottom,
            Self::Bottom => Self::Right,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// How much the remote has, from the whole screen's corner.
    remote: (u16, u16),
    /// Where the remote's screen is seen, or the part of it that fits there.
    pub terminal: Rect,
    /// The panel without its divider.
    pub panel: Rect,
    /// The line between the panes; empty where there is one pane.
    pub divider: Rect,
    pub mode: Mode,
    pub position: Position,
}

/// What the user has chosen; `None` is left to the size of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choice {
    pub position: Position,
    /// True for split, false for overlay.
    pub split: Option<bool>,
    /// Columns of a panel at a side, and rows of one at the bottom, the divider included.
    pub width: Option<u16>,
    pub height: Option<u16>,
    /// The terminal has the whole screen, as long as it is looked back there without a panel.
    pub alone: bool,
}

impl Choice {
    /// Gives the panel this much of the screen: columns, or rows at the bottom.
    pub(super) fn set_extent(&mut self, extent: u16) {
        let chosen = if self.position == Position::Bottom { &mut self.height } else { &mut self.width };
        *chosen = Some(extent);
    }
}

impl Layout {
    pub fn new(size: Size, choice: Choice) -> Self {
        let is_bottom = choice.position == Position::Bottom;
        let has_room = size.cols >= TWO_PANES_FROM && (!is_bottom || size.rows >= TWO_PANES_ROWS_FROM);
        if choice.alone || !has_room {
            let whole = Rect::new(0, 0, size.cols, size.rows);
            let (remote, divider) = ((size.cols, size.rows), Rect::ZERO);
            let (mode, position) = (Mode::Full, choice.position);
            return Self { remote, terminal: whole, panel: whole, divider, mode, position };
        }
        if is_bottom { Self::stacked(size, choice) } else { Self::side_by_side(size, choice) }
    }

    fn side_by_side(size: Size, choice: Choice) -> Self {
        let width = choice.width.unwrap_or_else(|| default_width(size.cols));
        let width = width.clamp(PANEL_MIN, size.cols - TERMINAL_MIN);
        let left = size.cols - width;
        let column = |x, width| Rect::new(x, 0, width, size.rows);
        // A blank column stands between the divider and the text.
        let (terminal, divider, panel) = match choice.position {
            Position::Left => (column(width, left), column(width - 1, 1), column(0, width - 2)),
            _ => (column(0, left), column(left, 1), column(left + 2, width - 2)),
        };
        let mode = mode(choice.split.unwrap_or(size.cols >= SPLIT_FROM));
        let remote = if mode == Mode::Split { (left, size.rows) } else { (size.cols, size.rows) };
        Self { remote, terminal, panel, divider, mode, position: choice.position }
    }

    fn stacked(size: Size, choice: Choice) -> Self {
        let height = choice.height.unwrap_or(size.rows * 2 / 5);
        let height = height.clamp(PANEL_ROWS_MIN, size.rows - TERMINAL_ROWS_MIN);
        let left = size.rows - height;
        let row = |y, height| Rect::new(0, y, size.cols, height);
        let mode = mode(choice.split.unwrap_or(size.rows >= SPLIT_ROWS_FROM));
        let remote = if mode == Mode::Split { (size.cols, left) } else { (size.cols, size.rows) };
        let (terminal, divider, panel) = (row(0, left), row(left, 1), row(left + 1, height - 1));
        Self { remote, terminal, panel, divider, mode, position: Position::Bottom }
    }

    /// The remote's size: what its PTY is set to.
    pub fn remote(&self, size: Size) -> Size {
        size.with_cols(self.remote.0).with_rows(self.remote.1)
    }

    /// All that is not the terminal's: the divider and the panel, and the blank column between them.
    pub(super) fn beside(&self) -> Rect {
        self.divider.union(self.panel)
    }

    /// What the panel takes of the screen, its divider included: columns, or rows at the bottom.
    pub(super) fn extent(&self) -> u16 {
        match self.position {
            Position::Bottom => self.panel.height + 1,
            _ => self.panel.width + 2,
        }
    }

    /// The extent of a panel whose divider is dragged to this cell.
    pub(super) fn dragged(&self, col: u16, row: u16) -> u16 {
        let end = (self.terminal.right().max(self.panel.right()), self.panel.bottom());
        match self.position {
            Position::Right => end.0.saturating_sub(col),
            Position::Left => col + 1,
            Position::Bottom => end.1.saturating_sub(row),
        }
    }

    /// A step of the keys for its width or height.
    pub(super) fn stepped(&self, wider: bool) -> u16 {
        let step = if self.position == Position::Bottom { HEIGHT_STEP } else { WIDTH_STEP };
        self.extent().saturating_add_signed(if wider { step } else { -step })
    }
}

fn mode(split: bool) -> Mode {
    if split { Mode::Split } else { Mode::Overlay }
}

/// 38 %: 45 of 120 columns, which leaves the terminal nearly its classic 80.
fn default_width(cols: u16) -> u16 {
    let share = (u32::from(cols) * 38 / 100) as u16;
    share.clamp(PANEL_MIN, PANEL_DEFAULT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cols: u16, choice: Choice) -> (u16, u16, Mode) {
        let layout = Layout::new(Size::new(cols, 40), choice);
        let width = if layout.mode == Mode::Full { layout.panel.width } else { layout.extent() };
        (layout.remote(Size::new(cols, 40)).cols, width, layout.mode)
    }

    #[test]
    fn the_width_of_the_screen_decides_how_the_panel_stands() {
        let auto = Choice::default();
        assert_eq!(at(200, auto), (124, 76, Mode::Split));
        assert_eq!(at(110, auto), (69, 41, Mode::Split));
        assert_eq!(at(109, auto), (109, 41, Mode::Overlay));
        assert_eq!(at(80, auto), (80, 36, Mode::Overlay));
        assert_eq!(at(60, auto), (60, 36, Mode::Overlay));
        assert_eq!(at(59, auto), (59, 59, Mode::Full));
        assert_eq!(at(2, auto), (2, 2, Mode::Full));
        assert_eq!(at(500, auto), (420, 80, Mode::Split));
    }

    #[test]
    fn the_users_choice_holds_within_reason() {
        let choice = |split, width| Choice { split, width, ..Choice::default() };
        assert_eq!(at(100, choice(Some(true), None)), (62, 38, Mode::Split));
        assert_eq!(at(200, choice(Some(false), Some(100))), (200, 100, Mode::Overlay));
        assert_eq!(at(120, choice(None, Some(10))), (84, 36, Mode::Split));
        assert_eq!(at(120, choice(None, Some(999))), (24, 96, Mode::Split));
    }

    #[test]
    fn the_panes_and_their_divider_cover_the_screen_at_every_size_and_never_overlap() {
        for (cols, rows) in (0..300).map(|cols| (cols, 24)).chain((0..100).map(|rows| (100, rows))) {
            for position in [Position::Right, Position::Left, Position::Bottom] {
                for split in [None, Some(true), Some(false)] {
                    let size = Size::new(cols, rows);
                    let layout = Layout::new(size, Choice { position, split, ..Choice::default() });
                    let whole = Rect::new(0, 0, cols, rows);
                    let remote = layout.remote(size);
                    if layout.mode == Mode::Full {
                        assert_eq!((layout.terminal, layout.panel), (whole, whole));
                        continue;
                    }
                    let Layout { terminal, divider, panel, .. } = layout;
                    assert_eq!(terminal.union(panel), whole);
                    let parts = [
                        terminal.intersection(divider),
                        terminal.intersection(panel),
                        divider.intersection(panel),
                    ];
                    assert!(parts.iter().all(|part| part.is_empty()), "{layout:?}");
                    let blank = if position == Position::Bottom { 0 } else { u32::from(rows) };
                    assert_eq!(terminal.area() + divider.area() + panel.area() + blank, whole.area());
                    let seen = if layout.mode == Mode::Split { terminal.as_size() } else { whole.as_size() };
                    assert_eq!((remote.cols, remote.rows), (seen.width, seen.height));
                }
            }
        }
    }

    #[test]
    fn a_divider_that_is_dragged_to_where_it_is_stays_there() {
        for position in [Position::Right, Position::Left, Position::Bottom] {
            let layout = Layout::new(Size::new(120, 40), Choice { position, ..Choice::default() });
            assert_eq!(layout.dragged(layout.divider.x, layout.divider.y), layout.extent(), "{position:?}");
        }
    }

    #[test]
    fn looked_back_alone_the_terminal_has_everything() {
        let layout = Layout::new(Size::new(200, 60), Choice { alone: true, ..Choice::default() });
        assert_eq!((layout.mode, layout.terminal.width, layout.terminal.height), (Mode::Full, 200, 60));
    }
}
