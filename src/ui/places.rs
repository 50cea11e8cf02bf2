//! Where on the screen stands what, for the mouse.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::Line;

/// What has the mouse until its button is let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grab {
    Divider,
    Panel,
    /// The terminal's pane; where the button went down.
    Terminal(u16, u16),
    Remote,
    Scrollback,
}

/// A card in the list: whether it is a file action, and its id.
pub(super) type CardKey = (bool, String);

/// Where the mouse finds what: of the last frame.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    pub(super) chat: Rect,
    pub(super) cards: Rect,
    pub(super) rows: Vec<(Range<u16>, CardKey)>,
}

/// The cards as they are listed.
pub(super) struct Listed {
    pub(super) lines: Vec<Line<'static>>,
    /// The line that must be seen.
    pub(super) focus: usize,
    /// Which lines are whose.
    pub(super) cards: Vec<(Range<usize>, CardKey)>,
}
