//! The pages that cover the panel, in lines: the consent, a file's change, the shell integration, what leaves. They say
//! what they say in the panel; only rules and bars are left out.

use ratatui::text::Line;

use super::line::Prompt;
use crate::text::visible;
use crate::ui::consent;
use crate::ui::status::Status;
use crate::ui::theme::{Scheme, Theme};
use crate::ui::view::View;

/// Columns to lay a page out in: the terminal wraps.
const WIDE: usize = 1000;

/// What a page has to know that a frame of the panel would tell it.
pub(super) fn note(view: &mut View, status: &Status) {
    if let (Some(leaves), Some(shown)) = (&mut view.leaves, &status.leaves) {
        leaves.note(shown);
    }
    if let (Some(roster), Some(shown)) = (&mut view.roster, &status.roster) {
        roster.note(shown);
    }
}

/// The page that is open: its name, and what it says.
pub(super) fn told(view: &View, status: &Status) -> Vec<(String, String)> {
    let theme = Theme::new(Scheme::None);
    let mut told = Vec::new();
    if let Some(question) = &status.question {
        told.push(("consent".to_owned(), text(&consent::lines(question, WIDE, theme))));
    }
    if let (Some(leaves), Some(shown)) = (&view.leaves, &status.leaves) {
        told.extend(leaves.told(shown, WIDE, theme).into_iter().map(|(id, lines)| (id, text(&lines))));
    }
    if let (Some(roster), Some(shown)) = (&view.roster, &status.roster) {
        told.extend(roster.told(shown, WIDE, theme).into_iter().map(|(id, lines)| (id, text(&lines))));
    }
    if let Some(question) = &view.health {
        told.push(("health".to_owned(), text(&question.lines(WIDE, theme))));
    }
    if let Some(dialog) = &view.dialog {
        let lines = dialog.told(&status.integration, &visible(&status.target), WIDE, theme);
        told.push(("integration".to_owned(), text(&lines)));
    }
    if let Some(file) = &view.file {
        told.extend(file.told(WIDE, theme).into_iter().map(|(id, lines)| (id.to_owned(), text(&lines))));
    }
    told
}

/// What the edit line is while a page is open.
pub(super) fn prompt(view: &View) -> Option<Prompt> {
    if view.leaves.is_some() {
        return Some(Prompt::key("Up and Down choose, Space shows it, Esc leaves: "));
    }
    if view.roster.is_some() {
        return Some(Prompt::key("Up and Down choose, Esc leaves: "));
    }
    if view.health.is_some() {
        return Some(Prompt::key("y agrees, n and Esc do not: "));
    }
    if view.dialog.is_some() {
        return Some(Prompt::key("y types it, n declines, Esc leaves: "));
    }
    let file = view.file.as_ref()?;
    Some(match file.typed() {
        Some((label, word)) => Prompt::of(label, word),
        None => Prompt::key(file.asks()),
    })
}

/// Lines of a page as text.
fn text(lines: &[Line<'_>]) -> String {
    let rows: Vec<String> = lines.iter().map(row).collect();
    rows.into_iter().filter(|row| !row.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A line without what is only drawn: rules, and the blanks that set its ends apart.
fn row(line: &Line<'_>) -> String {
    let is_drawn = |text: &str| text.chars().all(|c| matches!(c, ' ' | '─'));
    match line.spans.as_slice() {
        [only] => only.content.trim_end().to_owned(),
        spans => {
            let said = spans.iter().map(|span| span.content.as_ref()).filter(|text| !is_drawn(text));
            said.collect::<Vec<_>>().join(" ").trim_end().to_owned()
        }
    }
}
