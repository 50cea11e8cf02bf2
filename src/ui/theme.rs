//! What means what: styles by role, from the 16 ANSI colours, on the user's own background.
//!
//! No role rests on colour alone: each has a sign, a word or an attribute too, so that the panel reads the same
//! with NO_COLOR.

use ratatui::style::{Color, Modifier, Style};

use crate::linus::contract::Risk;

/// Whether to colour. Decided outside (NO_COLOR, configuration).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    colour: bool,
}

impl Theme {
    pub fn new(colour: bool) -> Self {
        Self { colour }
    }

    fn fg(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What has the focus, and Linus's name.
    pub(super) fn accent(self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn good(self) -> Style {
        self.fg(Color::Green)
    }

    pub(super) fn warning(self) -> Style {
        self.fg(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(super) fn bad(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The rules between the sections and the line between the panes.
    pub(super) fn rule(self, focused: bool) -> Style {
        if focused { self.accent() } else { self.dim() }
    }

    /// A card's risk: style, sign and word.
    pub(super) fn risk(self, risk: Risk) -> (Style, &'static str) {
        match risk {
            Risk::Low => (self.good(), "● low"),
            Risk::Medium => (self.warning(), "▲ medium"),
            Risk::High => (self.bad(), "◆ high"),
        }
    }

    /// Whether foreign colours (SGR in messages) are shown.
    pub(super) fn is_coloured(self) -> bool {
        self.colour
    }
}
