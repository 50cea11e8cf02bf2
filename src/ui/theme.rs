//! What means what: styles by role, on the user's own background; on a dark one from the 16 ANSI colours.
//!
//! No role rests on colour alone: each has a sign, a word or an attribute too, so that the panel reads the same
//! with NO_COLOR.

use ratatui::style::{Color, Modifier, Style};

use crate::linus::contract::Risk;

/// What the user's background is like, as far as the colours go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    #[default]
    Dark,
    /// Yellow and light cyan cannot be read on white: darker ones of the 256 stand for them.
    Light,
    /// No colours of our own (NO_COLOR).
    None,
}

/// Decided outside (NO_COLOR, configuration).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    scheme: Scheme,
}

/// A colour on dark and on light.
type Pair = (Color, Color);

const CYAN: Pair = (Color::Cyan, Color::Indexed(24));
const GREEN: Pair = (Color::Green, Color::Indexed(22));
const YELLOW: Pair = (Color::Yellow, Color::Indexed(94));
const RED: Pair = (Color::Red, Color::Indexed(124));
const MAGENTA: Pair = (Color::Magenta, Color::Indexed(90));

impl Theme {
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme }
    }

    fn fg(self, (dark, light): Pair) -> Style {
        match self.scheme {
            Scheme::Dark => Style::new().fg(dark),
            Scheme::Light => Style::new().fg(light),
            Scheme::None => Style::new(),
        }
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
        self.fg(CYAN).add_modifier(Modifier::BOLD)
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A heading in a message.
    pub(super) fn heading(self) -> Style {
        self.bold().add_modifier(Modifier::UNDERLINED)
    }

    /// Code within a line.
    pub(super) fn code(self) -> Style {
        self.fg(CYAN)
    }

    /// Of a command: an option, a variable, what joins commands.
    pub(super) fn option(self) -> Style {
        self.fg(CYAN)
    }

    pub(super) fn variable(self) -> Style {
        self.fg(YELLOW)
    }

    pub(super) fn operator(self) -> Style {
        self.fg(MAGENTA).add_modifier(Modifier::BOLD)
    }

    /// What was searched for.
    pub(super) fn found(self) -> Style {
        let style = Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        if self.is_coloured() { style.fg(Color::Black).bg(Color::Yellow) } else { style }
    }

    pub(super) fn good(self) -> Style {
        self.fg(GREEN)
    }

    pub(super) fn warning(self) -> Style {
        self.fg(YELLOW).add_modifier(Modifier::BOLD)
    }

    pub(super) fn bad(self) -> Style {
        self.fg(RED).add_modifier(Modifier::BOLD)
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
        self.scheme != Scheme::None
    }
}
