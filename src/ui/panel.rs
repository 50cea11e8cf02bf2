//! The panel as a whole: which section has which rows, and the frame with both panes.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::action::Focus;
use super::around::Around;
use super::backend::{Cursor, Shape};
use super::editor::LineEditor;
use super::fill::Fill;
use super::input::Rows;
use super::layout::{Layout, Mode, Position as Side};
use super::paint::{heading, lines, part, start, styled, window};
use super::places::Listed;
use super::sections::{Columns, Sections, Wants, fit};
use super::status::{Status, hints, linus, session};
use super::view::View;
use super::{auto, cards, chat, consent, help, intent, syntax, terminal_pane};
use crate::copilot::{Copilot, Judgement};
use crate::linus::contract::Risk;
use crate::text::visible;

/// Columns of the prompt before the input.
const PROMPT: usize = 2;

/// Draws both panes; the value is where the cursor belongs.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    layout: &Layout,
    screen: &vt100::Screen,
    view: &mut View,
    copilot: &Copilot,
    status: &Status,
) -> Cursor {
    view.note_layout(layout);
    let buffer = frame.buffer_mut();
    let area = buffer.area;
    let seen = layout.terminal.intersection(area);
    let has_one_pane = layout.mode == Mode::Full;
    if has_one_pane && view.focus() == Focus::Terminal {
        return draw_terminal(buffer, screen, view, seen);
    }
    let mut cursor = Cursor::default();
    if !has_one_pane {
        cursor = draw_terminal(buffer, screen, view, seen);
        Clear.render(layout.beside(), buffer);
        divider(buffer, layout.divider.intersection(area), view, status.policy.is_auto());
    }
    let inner = layout.panel.intersection(area);
    Clear.render(inner, buffer);
    let judged = view.judged(copilot);
    let position = Panel { view, copilot, status, area: inner, judged }.draw(buffer);
    match view.focus() {
        Focus::Terminal => cursor,
        Focus::Panel => Cursor { position, shape: Shape::User },
    }
}

/// The terminal's pane: what the remote shows, or what is looked back at there.
fn draw_terminal(buffer: &mut Buffer, screen: &vt100::Screen, view: &mut View, area: Rect) -> Cursor {
    let theme = view.theme;
    if let Some(scrollback) = &mut view.scrollback {
        return scrollback.draw(buffer, area, theme);
    }
    let shift = terminal_pane::shift(screen, area, view.focus() == Focus::Terminal);
    view.drawn.shift = shift;
    terminal_pane::draw(screen, area, shift, buffer);
    terminal_pane::cursor(screen, area, shift)
}

/// The line between the panes, heavy while the panel has the focus and double while auto is on.
fn divider(buffer: &mut Buffer, area: Rect, view: &View, auto: bool) {
    let focused = view.focus() == Focus::Panel;
    let is_flat = area.width > area.height;
    let (sign, style) = match (auto, focused) {
        (true, _) => (if is_flat { "═" } else { "║" }, view.theme.warning()),
        (false, true) => (if is_flat { "━" } else { "┃" }, view.theme.rule(true)),
        (false, false) => (if is_flat { "─" } else { "│" }, view.theme.rule(false)),
    };
    for position in area.positions() {
        if let Some(cell) = buffer.cell_mut(position) {
            cell.set_symbol(sign).set_style(style);
        }
    }
}

/// One drawing of the panel's inside.
struct Panel<'a> {
    view: &'a mut View,
    copilot: &'a Copilot,
    status: &'a Status,
    area: Rect,
    /// What is thought of the text on the edit line.
    judged: Option<Judgement>,
}

impl Panel<'_> {
    /// The value is the place of the input's cursor, if it is seen.
    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let cols = usize::from(self.area.width);
        if self.view.help {
            let text = help::lines(&self.status.prefix, cols, self.view.theme);
            lines(buffer, self.area, &window(text, 0, usize::from(self.area.height), self.view.theme.dim()));
            return None;
        }
        if let (Some(mut leaves), Some(shown)) = (self.view.leaves, &self.status.leaves) {
            leaves.draw(buffer, self.area, shown, self.view.notice.as_deref(), self.view.theme);
            self.view.leaves = Some(leaves);
            return None;
        }
        if let (Some(mut roster), Some(shown)) = (self.view.roster.clone(), &self.status.roster) {
            roster.draw(buffer, self.area, shown, self.view.notice.as_deref(), self.view.theme);
            self.view.roster = Some(roster);
            return None;
        }
        if let Some(question) = &self.view.health {
            question.draw(buffer, self.area, self.view.theme);
            return None;
        }
        if let Some(mut dialog) = self.view.dialog {
            let (theme, notice) = (self.view.theme, self.view.notice.as_deref());
            let Status { integration, target, .. } = self.status;
            dialog.draw(buffer, self.area, integration, &visible(target), notice, theme);
            self.view.dialog = Some(dialog);
            return None;
        }
        if let Some(mut file) = self.view.file.take() {
            let cursor = file.draw(buffer, self.area, self.view.notice.as_deref(), self.view.theme);
            self.view.file = Some(file);
            return cursor;
        }
        if self.view.auto.is_some() {
            return self.draw_auto(buffer);
        }
        let sections = self.sections();
        self.view.drawn.asks = self.status.question.is_some();
        if let Some(question) = &self.status.question {
            let height = sections.input.y.saturating_sub(self.area.y);
            let above = Rect { height, width: sections.input.width, x: sections.input.x, ..self.area };
            let text = consent::lines(question, usize::from(above.width), self.view.theme);
            lines(buffer, above, &window(text, 0, usize::from(above.height), self.view.theme.dim()));
        } else {
            self.draw_intent(buffer, sections.intent);
            self.draw_cards(buffer, sections.cards);
            self.draw_chat(buffer, sections.chat);
        }
        let cursor = self.draw_input(buffer, sections.input);
        self.draw_status(buffer, sections.status);
        cursor
    }

    fn draw_auto(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let (theme, notice) = (self.view.theme, self.view.notice.clone());
        let texts = auto::Texts {
            prefix: &self.status.prefix,
            target: &visible(&self.status.target),
            limit: self.status.policy.limit,
            obstacle: self.status.policy.obstacle.as_deref(),
        };
        let question = self.view.auto.as_mut()?;
        question.draw(buffer, self.area, &texts, notice.as_deref(), theme)
    }

    fn sections(&self) -> Sections {
        let editor = self.editor();
        let is_flat = self.view.drawn.layout.is_some_and(|layout| layout.position == Side::Bottom);
        let columns = Columns::new(self.area, is_flat);
        let (left, right) = (usize::from(columns.left.width), usize::from(columns.right.width));
        let wants = Wants {
            intent: intent::wanted(self.copilot, left, self.view.theme),
            cards: cards::wanted(self.copilot, self.view, &self.status.policy, left),
            chat: chat::wanted(self.copilot, self.view, right, usize::from(self.area.height)),
            input: Rows::new(&editor, right.saturating_sub(PROMPT)).rows.len() + self.around(right).rows(),
            health: self.status.health.is_some(),
        };
        Sections::new(columns, wants)
    }

    fn heading(&self, buffer: &mut Buffer, area: Rect, title: &str, right: Vec<Span<'static>>) -> Rect {
        let theme = self.view.theme;
        let focused = self.view.focus() == Focus::Panel;
        let title_style = if focused { theme.accent() } else { theme.bold() };
        let cols = usize::from(area.width);
        let line = heading(cols, title, title_style, theme.dim(), right);
        lines(buffer, Rect { height: area.height.min(1), ..area }, &[line]);
        Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area }
    }

    fn draw_intent(&self, buffer: &mut Buffer, area: Rect) {
        let cols = usize::from(area.width);
        let theme = self.view.theme;
        let right = self.copilot.intent.as_ref().map(|i| intent::heading_right(i, theme)).unwrap_or_default();
        let body = self.heading(buffer, area, "Intent", right);
        lines(buffer, body, &intent::body(self.copilot, cols, usize::from(body.height), theme));
    }

    fn draw_cards(&mut self, buffer: &mut Buffer, area: Rect) {
        let cols = usize::from(area.width);
        let commands = self.copilot.suggestions.cards().filter(|c| c.is_open()).count();
        let open = commands + self.copilot.files.open().count();
        let mut right = Vec::new();
        match self.view.unread.cards(self.copilot) {
            0 => {}
            new => right.push(Span::styled(format!("{new} new  "), self.view.theme.accent())),
        }
        if open > 0 {
            right.push(Span::raw(open.to_string()));
        }
        let body = self.heading(buffer, area, "Suggested Commands", right);
        let height = usize::from(body.height);
        let listed = cards::body(self.copilot, self.view, &self.status.policy, cols, height);
        let focus = self.scrolled(&listed, height);
        let start = start(listed.lines.len(), focus, height);
        let seen = |rows: Range<usize>| {
            let row = |at: usize| body.y.saturating_add(fit(at.saturating_sub(start))).min(body.bottom());
            row(rows.start)..row(rows.end)
        };
        self.view.drawn.places.cards = body;
        self.view.drawn.places.rows = listed.cards.into_iter().map(|(rows, key)| (seen(rows), key)).collect();
        lines(buffer, body, &window(listed.lines, focus, height, self.view.theme.dim()));
    }

    /// The line that is seen, moved by the wheel as far as there are lines.
    fn scrolled(&mut self, listed: &Listed, height: usize) -> usize {
        let count = listed.lines.len();
        if self.view.cards_scroll == 0 {
            return listed.focus;
        }
        let rows = height.saturating_sub(1);
        let usual = start(count, listed.focus, height);
        let moved = usual.saturating_add_signed(self.view.cards_scroll).min(count.saturating_sub(rows));
        self.view.cards_scroll = moved as isize - usual as isize;
        moved + rows.saturating_sub(1)
    }

    fn draw_chat(&mut self, buffer: &mut Buffer, area: Rect) {
        let cols = usize::from(area.width);
        let height = usize::from(area.height.saturating_sub(1));
        self.view.drawn.chat_height = height;
        self.view.drawn.places.chat = area;
        let (text, below) = chat::body(self.copilot, self.view, cols, height);
        let mut right = Vec::new();
        match self.view.unread.messages(self.copilot, below == 0) {
            0 => {}
            new => right.push(Span::styled(format!("{new} new"), self.view.theme.accent())),
        }
        if below > 0 {
            right.push(Span::raw(format!("{}↓ {below} more", if right.is_empty() { "" } else { "  " })));
        }
        let body = self.heading(buffer, area, "Chat", right);
        lines(buffer, body, &text);
    }

    /// Whose text the input shows: the whole command where holes were filled in, else the edit line's or the chat's.
    fn editor(&self) -> Cow<'_, LineEditor> {
        match self.view.fill.as_ref().and_then(Fill::shown) {
            Some(shown) => Cow::Owned(LineEditor::with_text(shown)),
            None => Cow::Borrowed(self.view.edit.as_ref().unwrap_or(&self.view.input)),
        }
    }

    fn around(&self, cols: usize) -> Around {
        Around::new(self.view, self.copilot, self.status, self.judged.as_ref(), cols)
    }

    fn draw_input(&self, buffer: &mut Buffer, area: Rect) -> Option<Position> {
        let cols = usize::from(area.width);
        let theme = self.view.theme;
        let (title, right) = self.input_heading();
        let body = self.heading(buffer, area, &title, right);
        let (body, answering) = self.around(cols).draw(buffer, body);
        let editor = self.editor();
        let rows = Rows::new(&editor, cols.saturating_sub(PROMPT)).window(usize::from(body.height));
        let spans = if self.view.is_editing() { syntax::spans(editor.text(), theme) } else { Vec::new() };
        let mut text: Vec<Line<'static>> = Vec::new();
        let mut start = rows.skipped;
        for (at, row) in rows.rows.into_iter().enumerate() {
            let mut line = vec![Span::styled(if at == 0 { "› " } else { "  " }, self.prompt_style())];
            let end = start + row.len();
            line.extend(if spans.is_empty() { vec![Span::raw(row)] } else { part(&spans, start..end) });
            text.push(Line::from(line));
            start = end;
        }
        if editor.is_empty() && self.view.focus() == Focus::Terminal {
            text = vec![styled("› ", theme.dim())];
        }
        lines(buffer, body, &text);
        if self.view.is_answering() {
            return answering;
        }
        let (row, col) = rows.cursor;
        let x = body.x.saturating_add((PROMPT + col) as u16);
        let position = Position::new(x, body.y.saturating_add(row as u16));
        body.contains(position).then_some(position)
    }

    fn prompt_style(&self) -> Style {
        if self.view.focus() == Focus::Panel { self.view.theme.accent() } else { self.view.theme.dim() }
    }

    /// Whose text the input is.
    fn input_heading(&self) -> (String, Vec<Span<'static>>) {
        let suggestions = &self.copilot.suggestions;
        let Some(card) = suggestions.editing().filter(|_| self.view.is_editing()) else {
            return ("Ask Linus".into(), Vec::new());
        };
        let number = suggestions.numbered().find(|(_, c)| c.id == card.id);
        let number = number.map(|(n, _)| format!("{n} ")).unwrap_or_default();
        let level = self.judged.as_ref().map_or(Risk::High, |judgement| judgement.level);
        let (style, risk) = self.view.theme.risk(level);
        (format!("Edit {number}{}", visible(&card.id)), vec![Span::styled(risk, style)])
    }

    fn draw_status(&self, buffer: &mut Buffer, area: Rect) {
        let cols = usize::from(area.width);
        let health = self.status.health.as_ref().filter(|_| area.height >= 3);
        let rows = usize::from(area.height) - usize::from(health.is_some());
        let mut text = Vec::new();
        if rows >= 2 {
            text.push(session(self.status, self.view, cols));
        }
        if rows >= 3 {
            text.push(linus(self.status, self.copilot, self.view, cols));
        }
        text.extend(health.map(|line| line.draw(cols, self.view.theme)));
        text.push(hints(self.status, self.view, self.copilot, cols));
        lines(buffer, area, &text);
    }
}
