//! The view of what leaves: the next payloads as they would go, what waits, and what went last.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::rc::Rc;

use super::help::table;
use super::paint::{heading, lines, paragraph, styled};
use super::theme::Theme;
use crate::text::{truncate, visible, visible_char, width};

/// Bytes of a token, about: English and code have 3.5 to 4.5 in the tokenizers in use.
const BYTES_PER_TOKEN: usize = 4;

/// What an entry is, and what can be done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Would be sent.
    Next,
    /// Waits in this session, by the dispatch's number.
    Waiting(u64),
    /// For the user to send, by the queue's key.
    Offer(u64),
    /// Was sent.
    Sent,
}

#[derive(Debug, Clone)]
pub struct Leaf {
    pub what: What,
    pub title: String,
    /// JSON as on the wire, or a message's text.
    pub body: Rc<str>,
}

/// Everything that the view shows.
#[derive(Debug, Clone, Default)]
pub struct Leaves {
    /// Who gets it, and whether he may.
    pub to: String,
    /// The user can take the consent back or give it: what `c` does.
    pub consent: Option<&'static str>,
    pub leaves: Vec<Leaf>,
}

/// What a key asks the session to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafAction {
    Send(What),
    Delete(What),
    ToggleConsent,
}

/// The view while it is open.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeavesView {
    selected: usize,
    scroll: usize,
    /// As drawn last: what the keys are about, how many there are, and how many rows of the body are seen.
    current: Option<What>,
    count: usize,
    rows: usize,
}

impl LeavesView {
    /// The value is what is to be done; `None`: the view is left.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Option<LeafAction>> {
        let page = self.rows.max(2) - 1;
        match (key.code, self.current) {
            (KeyCode::Char('c'), _) if key.modifiers.contains(KeyModifiers::CONTROL) => return None,
            (KeyCode::Esc | KeyCode::Char('q'), _) => return None,
            (KeyCode::Up, _) => self.select(self.selected.saturating_sub(1)),
            (KeyCode::Down, _) => self.select((self.selected + 1).min(self.count.saturating_sub(1))),
            (KeyCode::PageUp, _) => self.scroll = self.scroll.saturating_sub(page),
            (KeyCode::PageDown | KeyCode::Char(' '), _) => self.scroll += page,
            (KeyCode::Home, _) => self.scroll = 0,
            (KeyCode::End, _) => self.scroll = usize::MAX,
            (KeyCode::Char('s'), Some(what @ What::Offer(_))) => return Some(Some(LeafAction::Send(what))),
            (KeyCode::Char('x') | KeyCode::Delete, Some(what @ (What::Offer(_) | What::Waiting(_)))) => {
                return Some(Some(LeafAction::Delete(what)));
            }
            (KeyCode::Char('c'), _) => return Some(Some(LeafAction::ToggleConsent)),
            _ => {}
        }
        Some(None)
    }

    /// What the keys are about, where nothing is drawn.
    pub(super) fn note(&mut self, shown: &Leaves) {
        self.count = shown.leaves.len();
        self.selected = self.selected.min(self.count.saturating_sub(1));
        self.current = shown.leaves.get(self.selected).map(|leaf| leaf.what);
        self.rows = 2;
    }

    /// In lines, by what they are about: the entries, the selected one, and once it was scrolled into, its payload.
    pub(super) fn told(
        &self,
        shown: &Leaves,
        cols: usize,
        theme: Theme,
    ) -> Vec<(String, Vec<Line<'static>>)> {
        let say = |text: String| vec![styled(visible(&text).replace('\n', " "), theme.plain())];
        let mut told = vec![("to".to_owned(), say(shown.to.clone()))];
        let titles = shown.leaves.iter().zip(1..);
        told.extend(titles.map(|(leaf, n)| (format!("entry {n}"), say(format!("{n}. {}", leaf.title)))));
        let Some(leaf) = shown.leaves.get(self.selected) else { return told };
        let on = format!("On {}: {}.", self.selected + 1, measure(&leaf.body));
        told.push(("selected".to_owned(), say(on)));
        // The first row of the foot is for who sees the list.
        let keys = self.foot(shown, cols, None, theme).into_iter().skip(1);
        told.push(("keys".to_owned(), keys.collect()));
        if self.scroll > 0 {
            told.push((format!("body {}", self.selected), body(leaf, cols, theme)));
        }
        told
    }

    fn select(&mut self, at: usize) {
        (self.selected, self.scroll) = (at, 0);
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        shown: &Leaves,
        notice: Option<&str>,
        theme: Theme,
    ) {
        let (cols, height) = (usize::from(area.width), usize::from(area.height));
        self.count = shown.leaves.len();
        self.selected = self.selected.min(self.count.saturating_sub(1));
        let leaf = shown.leaves.get(self.selected);
        self.current = leaf.map(|leaf| leaf.what);
        let mut head = vec![heading(cols, "What leaves", theme.accent(), theme.dim(), Vec::new())];
        head.extend(paragraph(&visible(&shown.to), cols, 0, theme.plain()));
        head.extend(self.list(shown, cols, (height / 3).max(2), theme));
        let foot = self.foot(shown, cols, notice, theme);
        self.rows = height.saturating_sub(head.len() + foot.len() + 1);
        let body = leaf.map(|leaf| body(leaf, cols, theme)).unwrap_or_default();
        self.scroll = self.scroll.min(body.len().saturating_sub(self.rows));
        let below = body.len().saturating_sub(self.scroll + self.rows);
        let more = if below > 0 { vec![Span::raw(format!("↓ {below} more"))] } else { Vec::new() };
        let title = leaf.map(|leaf| measure(&leaf.body)).unwrap_or_default();
        head.push(heading(cols, &title, theme.bold(), theme.dim(), more));
        let mut all = head;
        all.extend(body.into_iter().skip(self.scroll).take(self.rows));
        all.resize(height.saturating_sub(foot.len()), Line::default());
        all.extend(foot);
        lines(buffer, area, &all);
    }

    /// The entries, those around the selected one.
    fn list(&self, shown: &Leaves, cols: usize, rows: usize, theme: Theme) -> Vec<Line<'static>> {
        let start = (self.selected + 1).saturating_sub(rows);
        let entry = |(at, leaf): (usize, &Leaf)| {
            let (sign, style) =
                if at == self.selected { ("▸", theme.bold()) } else { (" ", theme.plain()) };
            let title = format!("{sign} {}", visible(&leaf.title).replace('\n', " "));
            styled(truncate(&title, cols), style)
        };
        shown.leaves.iter().enumerate().skip(start).take(rows).map(entry).collect()
    }

    fn foot(&self, shown: &Leaves, cols: usize, notice: Option<&str>, theme: Theme) -> Vec<Line<'static>> {
        let mut foot = notice.map(|n| paragraph(n, cols, 0, theme.warning())).unwrap_or_default();
        let mut keys = vec![("↑ ↓ PgDn", "choose, scroll".to_owned())];
        match self.current {
            Some(What::Offer(_)) => keys.push(("s  x", "send it, delete it".to_owned())),
            Some(What::Waiting(_)) => keys.push(("x", "delete it".to_owned())),
            _ => {}
        }
        keys.extend(shown.consent.map(|what| ("c", what.to_owned())));
        keys.push(("Esc", "leave".to_owned()));
        foot.extend(table(&keys, cols, theme));
        foot
    }
}

fn measure(body: &str) -> String {
    format!("{} bytes, about {} tokens", body.len(), body.len().div_ceil(BYTES_PER_TOKEN))
}

/// The payload, JSON set out in lines. What was taken out for its secrecy stands out.
fn body(leaf: &Leaf, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let parsed: Option<serde_json::Value> =
        serde_json::from_str(&leaf.body).ok().filter(|_| leaf.body.starts_with('{'));
    let text = parsed.and_then(|value| serde_json::to_string_pretty(&value).ok());
    let text = text.as_deref().unwrap_or(&leaf.body);
    let mut out = Vec::new();
    let mut is_hidden = false;
    for line in text.lines() {
        rows(line, cols, &mut is_hidden, theme, &mut out);
    }
    out
}

/// One line in rows of at most `cols`; a row also ends after an escaped newline, so that a screen reads as one.
fn rows(line: &str, cols: usize, is_hidden: &mut bool, theme: Theme, out: &mut Vec<Line<'static>>) {
    let style = |hidden: bool| if hidden { theme.selected() } else { Style::new() };
    let mut spans: Vec<Span<'static>> = Vec::new();
    let (mut run, mut used, mut escape) = (String::new(), 0, false);
    for c in line.chars() {
        let shown = visible_char(c);
        if used + width(&shown) > cols && used > 0 {
            spans.push(Span::styled(std::mem::take(&mut run), style(*is_hidden)));
            out.push(Line::from(std::mem::take(&mut spans)));
            used = 0;
        }
        if c == '‹' {
            spans.push(Span::styled(std::mem::take(&mut run), style(*is_hidden)));
            *is_hidden = true;
        }
        run.push_str(&shown);
        used += width(&shown);
        if c == '›' {
            spans.push(Span::styled(std::mem::take(&mut run), style(*is_hidden)));
            *is_hidden = false;
        }
        if escape && c == 'n' {
            spans.push(Span::styled(std::mem::take(&mut run), style(*is_hidden)));
            out.push(Line::from(std::mem::take(&mut spans)));
            used = 0;
        }
        escape = c == '\\' && !escape;
    }
    if !run.is_empty() || !spans.is_empty() || line.is_empty() {
        spans.push(Span::styled(run, style(*is_hidden)));
        out.push(Line::from(spans));
    }
}

#[cfg(test)]
mod tests {
    use super::super::theme::Scheme;
    use super::*;

    fn text(lines: &[Line<'_>]) -> Vec<String> {
        lines.iter().map(|line| line.spans.iter().map(|span| span.content.as_ref()).collect()).collect()
    }

    #[test]
    fn a_payload_is_shown_to_its_last_character_at_any_width() {
        let json = "{\"a\":\"df -h\\n98% ‹aws-key-1›\\u001b[0m \\\\name\",\"b\":[null,1]}";
        let leaf = Leaf { what: What::Next, title: String::new(), body: json.into() };
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let pretty = serde_json::to_string_pretty(&value).unwrap().replace('\n', "");
        for cols in [1, 7, 34, 200] {
            assert_eq!(text(&body(&leaf, cols, Theme::new(Scheme::Dark))).concat(), pretty, "{cols}");
        }
        let rows = text(&body(&leaf, 200, Theme::new(Scheme::Dark)));
        assert_eq!(rows[1..3], ["  \"a\": \"df -h\\n", "98% ‹aws-key-1›\\u001b[0m \\\\name\","]);
        let shown = body(&leaf, 200, Theme::new(Scheme::Dark));
        let hidden = shown.iter().flat_map(|line| &line.spans).find(|span| span.content == "‹aws-key-1›");
        assert_eq!(hidden.map(|span| span.style), Some(Theme::new(Scheme::Dark).selected()));
    }

    #[test]
    fn only_what_waits_can_be_sent_or_deleted() {
        let press = |current, code| {
            let mut view = LeavesView { current: Some(current), ..LeavesView::default() };
            view.key(KeyEvent::new(code, KeyModifiers::NONE))
        };
        for what in [What::Next, What::Sent] {
            assert_eq!(
                (press(what, KeyCode::Char('s')), press(what, KeyCode::Char('x'))),
                (Some(None), Some(None))
            );
        }
        assert_eq!(press(What::Waiting(3), KeyCode::Char('s')), Some(None), "it goes by itself");
        assert_eq!(
            press(What::Waiting(3), KeyCode::Delete),
            Some(Some(LeafAction::Delete(What::Waiting(3))))
        );
        assert_eq!(press(What::Offer(4), KeyCode::Char('s')), Some(Some(LeafAction::Send(What::Offer(4)))));
        assert_eq!(press(What::Next, KeyCode::Esc), None);
    }
}
