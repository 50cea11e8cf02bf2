//! File actions among the cards: what, how, how much, and how it ended.

use ratatui::text::{Line, Span};

use super::paint::{ends, paragraph, styled};
use super::places::Listed;
use super::view::View;
use crate::copilot::{Copilot, FileCard, FileState, NUMBERS};
use crate::text::{truncate, visible};

/// Columns before a card's text: mark, number, blank.
const INDENT: usize = 3;

/// The open ones with their numbers, which follow the commands'.
pub(super) fn numbered(copilot: &Copilot) -> impl Iterator<Item = (Option<usize>, &FileCard)> {
    let first = copilot.suggestions.numbered().count() + 1;
    (first..).map(|n| Some(n).filter(|n| *n <= NUMBERS)).zip(copilot.files.open())
}

/// Their lines; the focus is the last one of the selected.
pub(super) fn body(copilot: &Copilot, view: &View, cols: usize) -> Listed {
    let (mut lines, mut focus, mut cards) = (Vec::new(), 0, Vec::new());
    for (number, card) in numbered(copilot) {
        let is_selected = view.selected_file.as_ref() == Some(&card.id);
        let start = lines.len();
        lines.extend(open(card, number, is_selected, cols, view));
        cards.push((start..lines.len(), (true, card.id.clone())));
        if is_selected {
            focus = lines.len() - 1;
        }
    }
    for card in copilot.files.cards().filter(|card| !card.is_open()) {
        let left = Span::styled(format!(" → {}", visible(&card.action.path)), view.theme.dim());
        lines.push(ends(cols, left, Span::styled("written", view.theme.good())));
    }
    Listed { lines, focus, cards }
}

/// `›3 file_1 replace             +1 −1`, the path, and what it is for or what was wrong.
fn open(
    card: &FileCard,
    number: Option<usize>,
    is_selected: bool,
    cols: usize,
    view: &View,
) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mark = if is_selected { '›' } else { ' ' };
    let number = number.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let style = if is_selected { theme.plain().patch(theme.selected()) } else { theme.plain() };
    let head = format!("{mark}{number} {} {}", visible(&card.id), card.how());
    let counts = Span::styled(card.counts(), theme.plain());
    let mut lines = vec![ends(cols, Span::styled(head, style), counts)];
    let path = format!("{}{}", " ".repeat(INDENT), visible(&card.action.path));
    lines.push(styled(truncate(&path, cols), theme.bold()));
    match &card.state {
        FileState::Failed(why) => lines.extend(paragraph(&visible(why), cols, INDENT, theme.warning())),
        FileState::Open => lines.extend(paragraph("open", cols, INDENT, theme.accent())),
        _ if !card.action.description.is_empty() => {
            lines.extend(paragraph(&visible(&card.action.description), cols, INDENT, theme.dim()));
        }
        _ => {}
    }
    lines
}
