//! What the panel says of the policy: its name, what auto is about to send, why it is off.

use ratatui::text::{Line, Span};

use super::paint::paragraph;
use super::theme::Theme;
use crate::copilot::Copilot;
use crate::copilot::policy::{Announcement, Mode};
use crate::text::visible;

/// The policy as the session tells it.
#[derive(Debug, Clone)]
pub struct PolicyStatus {
    pub mode: Mode,
    /// Commands in auto's row, and how many there may be.
    pub chain: Option<(usize, u8)>,
    /// The limit, also while auto is off.
    pub limit: u8,
    pub announced: Option<Announcement>,
    /// Why auto is off, until the user has seen to it.
    pub stopped: Option<String>,
    /// Why auto would not begin now; only told while the question is open.
    pub obstacle: Option<String>,
}

impl PolicyStatus {
    pub fn is_auto(&self) -> bool {
        self.mode == Mode::Auto
    }

    /// For the status line.
    pub(super) fn name(&self, theme: Theme) -> Span<'static> {
        match self.chain {
            Some((length, limit)) if self.is_auto() => {
                Span::styled(format!(" AUTO {length}/{limit} "), theme.selected())
            }
            _ => Span::styled(self.mode.name(), theme.plain()),
        }
    }

    /// What auto is about to do, in one line.
    pub(super) fn countdown(&self, copilot: &Copilot) -> Option<String> {
        let Announcement { id, left } = self.announced.as_ref()?;
        let number = copilot.suggestions.numbered().find(|(_, card)| card.id == *id);
        let card = number.map_or_else(|| visible(id).into_owned(), |(n, _)| n.to_string());
        let when = match left {
            // Rounded up: it says 1 until it is sent.
            Some(left) => format!(" in {} s", left.as_millis().div_ceil(1000)),
            None => String::new(),
        };
        Some(format!("Auto sends card {card}{when}. Any key stops it."))
    }

    /// Above the cards: what auto is about to do, or why it is off.
    pub(super) fn banner(&self, copilot: &Copilot, cols: usize, theme: Theme) -> Vec<Line<'static>> {
        if let Some(countdown) = self.countdown(copilot) {
            return paragraph(&countdown, cols, 0, theme.warning());
        }
        let Some(why) = &self.stopped else { return Vec::new() };
        let mut lines = paragraph(&format!("Auto is off: {}.", visible(why)), cols, 0, theme.warning());
        lines.extend(paragraph("Ctrl-X puts this away.", cols, 0, theme.dim()));
        lines
    }
}
