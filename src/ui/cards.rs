//! The Suggested Commands section.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::file_cards;
use super::paint::{ends, paragraph, part, styled};
use super::places::Listed;
use super::policy::PolicyStatus;
use super::syntax;
use super::theme::Theme;
use super::view::View;
use crate::copilot::{Card, CardState, Copilot, Judgement, OFFLINE_CARDS};
use crate::linus::contract::Risk;
use crate::text::{truncate, visible, width, wrap_ranges};

/// Rows of one command in the list; all of it is on the edit line.
const COMMAND_ROWS: usize = 4;

/// Closed cards that are still listed, the latest.
const CLOSED_ROWS: usize = 3;

/// Columns before a card's text: mark, number, blank.
const INDENT: usize = 3;

const EMPTY: &str = "None yet. Commands that Linus suggests appear here; you edit and send them.";

/// The same once there was a plan.
const NONE_NOW: &str = "None now. Ask Linus for the next step.";

/// How much of a card is shown, by what fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Head, command, description, and what is wrong with it.
    Full,
    /// Head and one line of the command.
    Short,
    /// One line.
    Line,
}

/// The section's lines, in `height` rows if at all possible.
pub(super) fn body(
    copilot: &Copilot,
    view: &View,
    policy: &PolicyStatus,
    cols: usize,
    height: usize,
) -> Listed {
    let mut lines = policy.banner(copilot, cols, view.theme);
    lines.extend(pinned(copilot, cols, view.theme));
    let closed = closed(copilot, cols, view.theme);
    let cards = drawings(copilot, view, cols);
    let (mut focus, mut owners) = (0, Vec::new());
    let details = details(&cards, height.saturating_sub(lines.len() + closed.len()));
    for (card, detail) in cards.iter().zip(details) {
        if card.selected || (card.card.mentioned && focus == 0) {
            focus = lines.len();
        }
        let start = lines.len();
        lines.extend(card.lines(detail));
        owners.push((start..lines.len(), (false, card.card.id.clone())));
        if card.selected {
            focus = lines.len() - 1;
        }
    }
    let files = file_cards::body(copilot, view, cols);
    let start = lines.len();
    if files.focus > 0 {
        focus = start + files.focus;
    }
    owners.extend(files.cards.into_iter().map(|(rows, key)| (start + rows.start..start + rows.end, key)));
    lines.extend(files.lines);
    lines.extend(closed);
    Listed { lines, focus, cards: owners }
}

/// Rows that the section would like.
pub(super) fn wanted(copilot: &Copilot, view: &View, policy: &PolicyStatus, cols: usize) -> usize {
    body(copilot, view, policy, cols, usize::MAX).lines.len()
}

/// What stands above the cards: the contract's note while offline, or that there are none.
fn pinned(copilot: &Copilot, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    if copilot.link.is_offline() {
        return paragraph(OFFLINE_CARDS, cols, 0, theme.warning());
    }
    if copilot.suggestions.cards().next().is_none() && copilot.files.cards().next().is_none() {
        let text = if copilot.intent.is_some() { NONE_NOW } else { EMPTY };
        return paragraph(text, cols, 0, theme.dim());
    }
    Vec::new()
}

fn closed(copilot: &Copilot, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let closed: Vec<&Card> =
        copilot.suggestions.cards().rev().filter(|c| !c.is_open()).take(CLOSED_ROWS).collect();
    closed.into_iter().rev().map(|card| closed_line(card, cols, theme)).collect()
}

fn drawings<'a>(copilot: &'a Copilot, view: &View, cols: usize) -> Vec<Drawing<'a>> {
    let suggestions = &copilot.suggestions;
    let open = suggestions.cards().filter(|c| c.is_open());
    open.map(|card| {
        let editing = is_edited(copilot, card);
        let on_line = if editing { view.judged(copilot) } else { None };
        Drawing {
            card,
            judgement: on_line.unwrap_or_else(|| card.judgement()),
            number: suggestions.numbered().find(|(_, c)| c.id == card.id).map(|(n, _)| n),
            selected: view.selected.as_ref() == Some(&card.id),
            editing,
            change: suggestions.change(&card.id),
            cols,
            theme: view.theme,
        }
    })
    .collect()
}

/// Room is given to the selected card first, then to what Linus has mentioned, then from the top. Of what aissh offers
/// beside a card, other ways to do the same keep to a line each.
fn details(cards: &[Drawing<'_>], height: usize) -> Vec<Detail> {
    let mut details = vec![Detail::Line; cards.len()];
    let mut used = cards.len();
    let mut order: Vec<usize> = (0..cards.len()).collect();
    order.sort_by_key(|at| cards.get(*at).map(|c| (!c.selected, !c.card.mentioned)));
    for detail in [Detail::Short, Detail::Full] {
        for at in &order {
            let (Some(card), Some(has)) = (cards.get(*at), details.get_mut(*at)) else { continue };
            let is_another = card.card.is_own()
                && at.checked_sub(1).and_then(|at| cards.get(at)).is_some_and(|c| c.card.is_own());
            if is_another && !card.selected {
                continue;
            }
            let more = used - card.lines(*has).len() + card.lines(detail).len();
            if more <= height {
                used = more;
                *has = detail;
            }
        }
    }
    details
}

fn is_edited(copilot: &Copilot, card: &Card) -> bool {
    copilot.suggestions.editing().is_some_and(|c| c.id == card.id)
}

/// One open card.
struct Drawing<'a> {
    card: &'a Card,
    judgement: Judgement,
    number: Option<usize>,
    selected: bool,
    editing: bool,
    /// What is another than where it was proposed.
    change: Option<String>,
    cols: usize,
    theme: Theme,
}

impl Drawing<'_> {
    fn lines(&self, detail: Detail) -> Vec<Line<'static>> {
        if detail == Detail::Line {
            return vec![self.one_line()];
        }
        let mut lines = vec![self.head()];
        let room = self.cols.saturating_sub(INDENT);
        let command = self.command_rows(room);
        let rows = if detail == Detail::Full { COMMAND_ROWS } else { 1 };
        let cut = command.len() > rows;
        for (at, row) in command.into_iter().take(rows).enumerate() {
            let mut line = vec![Span::raw(" ".repeat(INDENT))];
            let cols: usize = row.iter().map(|span| width(&span.content)).sum();
            line.extend(row);
            if cut && at + 1 == rows {
                let sign = if cols + 2 <= room { " …" } else { "…" };
                line.push(Span::styled(sign, self.theme.bold()));
            }
            lines.push(Line::from(line));
        }
        if detail == Detail::Full && !self.card.description.is_empty() {
            lines.extend(paragraph(&self.card.description, self.cols, INDENT, self.theme.dim()));
        }
        if detail == Detail::Full && self.judgement.level > Risk::Low && !self.editing {
            let (style, _) = self.theme.risk(self.judgement.level);
            lines.extend(paragraph(&visible(&self.judgement.reason), self.cols, INDENT, style));
        }
        if detail == Detail::Full {
            lines.extend(self.more());
        }
        if let Some(word) = &self.card.refused {
            lines.extend(paragraph(word, self.cols, INDENT, self.theme.bad()));
        }
        lines
    }

    /// Whose it was, and what comes after it. On the edit line the first is said there.
    fn more(&self) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Some(change) = self.change.as_ref().filter(|_| !self.editing) {
            lines.extend(paragraph(change, self.cols, INDENT, self.theme.warning()));
        }
        if let Some(note) = self.card.note {
            lines.extend(paragraph(note, self.cols, INDENT, self.theme.warning()));
        }
        for (word, command) in [("undo", &self.card.undo), ("verify", &self.card.verify)] {
            let Some(command) = command else { continue };
            let text = format!("{word}: {}", visible(command));
            let row = truncate(&text, self.cols.saturating_sub(INDENT));
            lines.push(styled(format!("{}{row}", " ".repeat(INDENT)), self.theme.dim()));
        }
        lines
    }

    /// The command with everything visible, a row a line and more where it wraps.
    fn command_rows(&self, room: usize) -> Vec<Vec<Span<'static>>> {
        let spans = syntax::spans(self.card.text(), self.theme);
        let (mut rows, mut start) = (Vec::new(), 0);
        for line in self.card.text().split_inclusive('\n') {
            let shown = visible(line);
            // A column stays for the sign that more follows.
            let pieces = wrap_ranges(&shown, room.saturating_sub(1));
            rows.extend(pieces.into_iter().map(|piece| part(&spans, start + piece.start..start + piece.end)));
            start += shown.len();
        }
        rows
    }

    /// `•1 cmd_001 edited            ● low`
    fn head(&self) -> Line<'static> {
        let (style, risk) = self.theme.risk(self.judgement.level);
        let state = match (self.editing, &self.card.state) {
            (true, _) => " editing",
            _ if self.change.is_some() => " stale",
            (_, CardState::Edited) => " edited",
            _ => "",
        };
        let room = self.cols.saturating_sub(INDENT + width(risk) + 1);
        let label = truncate(&format!("{}{state}", visible(&self.card.id)), room);
        let mut line = ends(self.cols, Span::raw(self.start(&label)), Span::styled(risk, style));
        if let Some(left) = line.spans.first_mut() {
            left.style = self.left_style();
        }
        line
    }

    fn left_style(&self) -> ratatui::style::Style {
        let style = if self.card.mentioned { self.theme.accent() } else { self.theme.plain() };
        if self.selected { style.patch(self.theme.selected()) } else { style }
    }

    /// Mark, number and text.
    fn start(&self, text: &str) -> String {
        let mark = if self.selected {
            '›'
        } else if self.card.mentioned {
            '•'
        } else if self.change.is_some() {
            '≠'
        } else {
            ' '
        };
        let number = self.number.map_or_else(|| "-".into(), |n| n.to_string());
        format!("{mark}{number} {text}")
    }

    fn one_line(&self) -> Line<'static> {
        let (style, risk) = self.theme.risk(self.judgement.level);
        let command = visible(self.card.text()).into_owned();
        let command = self.start(&command);
        let mut line = ends(self.cols, Span::raw(command), Span::styled(risk, style));
        if let Some(left) = line.spans.first_mut() {
            left.style = self.left_style();
        }
        line
    }
}

/// A card that was sent: its command and how it ended.
fn closed_line(card: &Card, cols: usize, theme: Theme) -> Line<'static> {
    let (word, style) = match card.state {
        CardState::Done { exit: Some(0) } => ("exit 0".into(), theme.good()),
        CardState::Done { exit: Some(code) } => (format!("exit {code}"), theme.bad()),
        CardState::Done { exit: None } => ("exit ?".into(), theme.dim()),
        _ => ("running".into(), theme.accent()),
    };
    let style = style.remove_modifier(Modifier::DIM);
    let command = format!(" → {}", visible(card.text()));
    ends(cols, Span::styled(command, theme.dim()), Span::styled(word, style))
}
