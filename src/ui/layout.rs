//! Where the panes are.

use ratatui::layout::Rect;

use crate::terminal::Size;

/// From here on the remote is made narrower; below, the panel covers a part of it.
const SPLIT_FROM: u16 = 110;

/// Below, there is no room for two panes: the panel takes the whole screen.
const TWO_PANES_FROM: u16 = 60;

/// Narrower, commands wrap at every word.
const PANEL_MIN: u16 = 36;

/// Wider, lines are hard to read; the terminal has more use for the room. The user may go beyond.
const PANEL_DEFAULT_MAX: u16 = 80;

/// What stays of the terminal whatever the user asks for.
const TERMINAL_MIN: u16 = 24;

/// Columns of one press of `<` or `>`.
pub(super) const WIDTH_STEP: i16 = 4;

/// How the panel stands beside or over the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The remote has the columns left of the panel.
    Split,
    /// The remote has the whole screen; the panel covers its right part.
    Overlay,
    /// The remote has the whole screen; the panel, while it has the focus, covers all of it.
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The remote's screen; in [`Mode::Overlay`] and [`Mode::Full`] the panel covers a part of it.
    pub terminal: Rect,
    /// The panel, its divider included.
    pub panel: Rect,
    pub mode: Mode,
}

/// What the user has chosen; `None` is left to the size of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choice {
    /// True for split, false for overlay.
    pub split: Option<bool>,
    pub width: Option<u16>,
}

impl Layout {
    pub fn new(size: Size, choice: Choice) -> Self {
        let whole = Rect::new(0, 0, size.cols, size.rows);
        if size.cols < TWO_PANES_FROM {
            return Self { terminal: whole, panel: whole, mode: Mode::Full };
        }
        let width = choice.width.unwrap_or_else(|| default_width(size.cols));
        let width = width.clamp(PANEL_MIN, size.cols - TERMINAL_MIN);
        let panel = Rect::new(size.cols - width, 0, width, size.rows);
        if choice.split.unwrap_or(size.cols >= SPLIT_FROM) {
            let terminal = Rect::new(0, 0, size.cols - width, size.rows);
            Self { terminal, panel, mode: Mode::Split }
        } else {
            Self { terminal: whole, panel, mode: Mode::Overlay }
        }
    }

    /// The remote's size: what its PTY is set to.
    pub fn remote(&self, size: Size) -> Size {
        size.with_cols(self.terminal.width)
    }
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
        (layout.terminal.width, layout.panel.width, layout.mode)
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
        let choice = |split, width| Choice { split, width };
        assert_eq!(at(100, choice(Some(true), None)), (62, 38, Mode::Split));
        assert_eq!(at(200, choice(Some(false), Some(100))), (200, 100, Mode::Overlay));
        assert_eq!(at(120, choice(None, Some(10))), (84, 36, Mode::Split));
        assert_eq!(at(120, choice(None, Some(999))), (24, 96, Mode::Split));
    }

    #[test]
    fn the_panes_cover_the_screen_at_every_size() {
        for cols in 0..300 {
            for split in [None, Some(true), Some(false)] {
                let layout = Layout::new(Size::new(cols, 24), Choice { split, width: None });
                assert_eq!(layout.panel.right(), cols);
                let width = layout.remote(Size::new(cols, 24)).cols;
                assert_eq!(width, if layout.mode == Mode::Split { layout.panel.x } else { cols });
            }
        }
    }
}
