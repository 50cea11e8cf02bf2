//! The panel as a whole: which section has which rows, and the frame with both panes.

use std::borrow::Cow;

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
use super::layout::{Layout, Mode};
use super::paint::{heading, lines, styled, window};
use super::sections::{Sections, Wants};
use super::status::{Status, hints, linus, session};
use super::view::View;
use super::{auto, cards, chat, consent, help, intent, terminal_pane};
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
    let panel = layout.panel.intersection(buffer.area);
    let over_all = layout.mode == Mode::Full;
    if over_all && view.focus() == Focus::Terminal {
        let area = layout.terminal.intersection(buffer.area);
        terminal_pane::draw(screen, area, 0, buffer);
        return terminal_pane::cursor(screen, area, 0);
    }
    let mut seen = layout.terminal.intersection(buffer.area);
    seen.width = seen.width.min(panel.x.saturating_sub(seen.x));
    let shift = match view.focus() {
        Focus::Terminal => terminal_pane::shift(screen, seen),
        Focus::Panel => 0,
    };
    terminal_pane::draw(screen, seen, shift, buffer);
    Clear.render(panel, buffer);
    let inner = if over_all { panel } else { divider(buffer, panel, view, status.policy.is_auto()) };
    let judged = view.judged(copilot);
    let cursor = Panel { view, copilot, status, area: inner, judged }.draw(buffer);
    match view.focus() {
        Focus::Terminal => terminal_pane::cursor(screen, seen, shift),
        Focus::Panel => Cursor { position: cursor, shape: Shape::User },
    }
}

/// The line between the panes, heavy while the panel has the focus and double while auto is on; the value is what is right of it.
fn divider(buffer: &mut Buffer, panel: Rect, view: &View, auto: bool) -> Rect {
    let focused = view.focus() == Focus::Panel;
    let (sign, style) = match (auto, focused) {
        (true, _) => ("║", view.theme.warning()),
        (false, true) => ("┃", view.theme.rule(true)),
        (false, false) => ("│", view.theme.rule(false)),
    };
    for y in panel.top()..panel.bottom() {
        if let Some(cell) = buffer.cell_mut((panel.x, y)) {
            cell.set_symbol(sign).set_style(style);
        }
    }
    let width = panel.width.saturating_sub(2);
    Rect { x: panel.x.saturating_add(2).min(panel.right()), width, ..panel }
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
        let sections = self.sections(cols);
        self.view.drawn.asks = self.status.question.is_some();
        if let Some(question) = &self.status.question {
            let above = Rect { height: sections.input.y.saturating_sub(self.area.y), ..self.area };
            let text = consent::lines(question, cols, self.view.theme);
            lines(buffer, above, &window(text, 0, usize::from(above.height), self.view.theme.dim()));
        } else {
            self.draw_intent(buffer, sections.intent, cols);
            self.draw_cards(buffer, sections.cards, cols);
            self.draw_chat(buffer, sections.chat, cols);
        }
        let cursor = self.draw_input(buffer, sections.input, cols);
        self.draw_status(buffer, sections.status, cols);
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

    fn sections(&self, cols: usize) -> Sections {
        let editor = self.editor();
        Sections::new(
            self.area,
            Wants {
                intent: intent::wanted(self.copilot, cols, self.view.theme),
                cards: cards::wanted(self.copilot, self.view, &self.status.policy, cols),
                chat: chat::wanted(self.copilot, cols, usize::from(self.area.height), self.view.theme),
                input: Rows::new(&editor, cols.saturating_sub(PROMPT)).rows.len() + self.around(cols).rows(),
            },
        )
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

    fn draw_intent(&self, buffer: &mut Buffer, area: Rect, cols: usize) {
        let theme = self.view.theme;
        let right = self.copilot.intent.as_ref().map(|i| intent::heading_right(i, theme)).unwrap_or_default();
        let body = self.heading(buffer, area, "Intent", right);
        lines(buffer, body, &intent::body(self.copilot, cols, usize::from(body.height), theme));
    }

    fn draw_cards(&self, buffer: &mut Buffer, area: Rect, cols: usize) {
        let commands = self.copilot.suggestions.cards().filter(|c| c.is_open()).count();
        let open = commands + self.copilot.files.open().count();
        let right = if open > 0 { vec![Span::raw(open.to_string())] } else { Vec::new() };
        let body = self.heading(buffer, area, "Suggested Commands", right);
        let height = usize::from(body.height);
        let (text, focus) = cards::body(self.copilot, self.view, &self.status.policy, cols, height);
        lines(buffer, body, &window(text, focus, height, self.view.theme.dim()));
    }

    fn draw_chat(&mut self, buffer: &mut Buffer, area: Rect, cols: usize) {
        let height = usize::from(area.height.saturating_sub(1));
        self.view.drawn.chat_height = height;
        let (text, below) = chat::body(self.copilot, self.view, cols, height);
        let right = if below > 0 { vec![Span::raw(format!("↓ {below} more"))] } else { Vec::new() };
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

    fn draw_input(&self, buffer: &mut Buffer, area: Rect, cols: usize) -> Option<Position> {
        let theme = self.view.theme;
        let (title, right) = self.input_heading();
        let body = self.heading(buffer, area, &title, right);
        let (body, answering) = self.around(cols).draw(buffer, body);
        let editor = self.editor();
        let rows = Rows::new(&editor, cols.saturating_sub(PROMPT)).window(usize::from(body.height));
        let style = if self.view.is_editing() { theme.bold() } else { theme.plain() };
        let mut text: Vec<Line<'static>> = Vec::new();
        for (at, row) in rows.rows.into_iter().enumerate() {
            let prompt = Span::styled(if at == 0 { "› " } else { "  " }, self.prompt_style());
            text.push(Line::from(vec![prompt, Span::styled(row, style)]));
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

    fn draw_status(&self, buffer: &mut Buffer, area: Rect, cols: usize) {
        let hints = hints(self.status, self.view, self.copilot, cols);
        let mut text = vec![hints];
        if area.height >= 2 {
            text.insert(0, session(self.status, self.view, cols));
        }
        if area.height >= 3 {
            text.insert(1, linus(self.status, self.copilot, self.view, cols));
        }
        lines(buffer, area, &text);
    }
}
