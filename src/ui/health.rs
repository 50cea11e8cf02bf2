//! Host health in the panel: the line at the foot, and the question before another login.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::action::Action;
use super::help::table;
use super::paint::{heading, lines, paragraph, styled};
use super::theme::Theme;
use crate::text::{truncate, visible};

/// The line at the foot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthLine {
    pub text: String,
    /// Something is above its threshold, or cannot be read.
    pub is_bad: bool,
}

impl HealthLine {
    pub(super) fn draw(&self, cols: usize, theme: Theme) -> Line<'static> {
        let style = if self.is_bad { theme.warning() } else { theme.dim() };
        styled(truncate(&visible(&self.text), cols), style)
    }
}

/// The question while it is open: its sentences.
#[derive(Debug, Clone)]
pub(super) struct HealthDialog(pub(super) Vec<String>);

impl HealthDialog {
    pub(super) fn lines(&self, cols: usize, theme: Theme) -> Vec<Line<'static>> {
        let mut all = vec![heading(cols, "Host health", theme.accent(), theme.dim(), Vec::new())];
        all.extend(self.0.iter().flat_map(|text| paragraph(&visible(text), cols, 0, theme.plain())));
        all.extend(table(&[("y", "yes, until it is turned off"), ("n", "no"), ("Esc", "no")], cols, theme));
        all
    }

    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect, theme: Theme) {
        lines(buffer, area, &self.lines(usize::from(area.width), theme));
    }
}

/// Only `y` is a yes; keys that mean nothing leave the question.
pub(super) fn answer(key: KeyEvent) -> Vec<Action> {
    match key.code {
        KeyCode::Char('y') => vec![Action::HealthConsent(true)],
        KeyCode::Char('n') | KeyCode::Esc => vec![Action::HealthConsent(false)],
        _ => Vec::new(),
    }
}
