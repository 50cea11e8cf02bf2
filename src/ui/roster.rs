//! Pages with a list and keys for its rows: this user's sessions, and the agents that are attached to this one.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::help::table;
use super::paint::{heading, lines, paragraph, styled};
use super::theme::Theme;
use crate::text::{truncate, visible};

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    Sessions,
    Agents,
}

/// A row, and what is said below it while it is selected. They may quote others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// What the keys are about.
    pub key: String,
    pub text: String,
    pub below: Vec<String>,
}

/// Everything that the page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    pub title: &'static str,
    pub head: String,
    pub rows: Vec<Row>,
    /// Keys that the session knows, and what they do.
    pub keys: Vec<(char, &'static str)>,
}

/// A key on the page, for the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RosterKey {
    pub list: List,
    pub key: char,
    /// The selected row's, if there is one.
    pub row: Option<String>,
}

/// The page while it is open.
#[derive(Debug, Clone)]
pub(super) struct RosterView {
    pub(super) list: List,
    selected: usize,
    /// As drawn last.
    current: Option<String>,
    count: usize,
    keys: Vec<char>,
}

impl RosterView {
    pub(super) fn new(list: List) -> Self {
        Self { list, selected: 0, current: None, count: 0, keys: Vec::new() }
    }

    /// The value is what is to be done; `None`: the page is left.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Option<RosterKey>> {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return None,
            KeyCode::Esc | KeyCode::Char('q') => return None,
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::Down => self.selected = (self.selected + 1).min(self.count.saturating_sub(1)),
            KeyCode::Char(c) if self.keys.contains(&c) => {
                return Some(Some(RosterKey { list: self.list, key: c, row: self.current.clone() }));
            }
            _ => {}
        }
        Some(None)
    }

    /// What the keys are about.
    pub(super) fn note(&mut self, shown: &Roster) {
        self.count = shown.rows.len();
        self.selected = self.selected.min(self.count.saturating_sub(1));
        self.current = shown.rows.get(self.selected).map(|row| row.key.clone());
        self.keys = shown.keys.iter().map(|(key, _)| *key).collect();
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        shown: &Roster,
        notice: Option<&str>,
        theme: Theme,
    ) {
        self.note(shown);
        let (cols, height) = (usize::from(area.width), usize::from(area.height));
        let mut foot = notice.map(|n| paragraph(n, cols, 0, theme.warning())).unwrap_or_default();
        foot.extend(table(&self.keys_told(shown), cols, theme));
        let mut all = vec![heading(cols, shown.title, theme.accent(), theme.dim(), Vec::new())];
        all.extend(paragraph(&visible(&shown.head), cols, 0, theme.plain()));
        let room = height.saturating_sub(all.len() + foot.len());
        let (rows, at) = self.rows(shown, cols, theme);
        let start = (at + 1).saturating_sub(room).min(rows.len().saturating_sub(room));
        all.extend(rows.into_iter().skip(start).take(room));
        all.resize(height.saturating_sub(foot.len()), Line::default());
        all.extend(foot);
        lines(buffer, area, &all);
    }

    /// All rows, and where the selected one ends.
    fn rows(&self, shown: &Roster, cols: usize, theme: Theme) -> (Vec<Line<'static>>, usize) {
        let (mut rows, mut end) = (Vec::new(), 0);
        for (at, row) in shown.rows.iter().enumerate() {
            let is_selected = at == self.selected;
            let (sign, style) = if is_selected { ("▸", theme.bold()) } else { (" ", theme.plain()) };
            rows.push(styled(truncate(&format!("{sign} {}", one_line(&row.text)), cols), style));
            for line in row.below.iter().filter(|_| is_selected) {
                rows.extend(paragraph(&one_line(line), cols, 4, theme.dim()));
            }
            if is_selected {
                end = rows.len().saturating_sub(1);
            }
        }
        (rows, end)
    }

    fn keys_told(&self, shown: &Roster) -> Vec<(&'static str, String)> {
        let names: [(char, &'static str); 5] = [('s', "s"), ('m', "m"), ('x', "x"), ('r', "r"), ('u', "u")];
        let name = |key: char| names.iter().find(|(c, _)| *c == key).map_or("?", |(_, name)| name);
        let mut keys = vec![("↑ ↓", "choose".to_owned())];
        keys.extend(shown.keys.iter().map(|(key, does)| (name(*key), (*does).to_owned())));
        keys.push(("Esc", "leave".to_owned()));
        keys
    }

    /// In lines, by what they are about.
    pub(super) fn told(
        &self,
        shown: &Roster,
        cols: usize,
        theme: Theme,
    ) -> Vec<(String, Vec<Line<'static>>)> {
        let say = |text: &str| vec![styled(one_line(text), theme.plain())];
        let mut told = vec![("head".to_owned(), say(&format!("{}. {}", shown.title, shown.head)))];
        for (at, row) in shown.rows.iter().enumerate() {
            let text = format!("{}. {}", at + 1, row.text);
            told.push((format!("row {}", row.key), say(&text)));
        }
        if let Some(row) = shown.rows.get(self.selected) {
            let below = row.below.iter().map(|line| format!(" {line}.")).collect::<String>();
            told.push(("selected".to_owned(), say(&format!("On {}.{below}", self.selected + 1))));
        }
        told.push((
            "keys".to_owned(),
            table(&self.keys_told(shown), cols, theme).into_iter().skip(1).collect(),
        ));
        told
    }
}

fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::super::theme::Scheme;
    use super::*;

    fn shown() -> Roster {
        let row =
            |key: &str| Row { key: key.into(), text: format!("{key} \u{1b}[2J"), below: vec!["x".into()] };
        Roster {
            title: "Agents",
            head: "h".into(),
            rows: vec![row("a"), row("b")],
            keys: vec![('m', "mute")],
        }
    }

    fn press(view: &mut RosterView, code: KeyCode) -> Option<Option<RosterKey>> {
        view.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn keys_are_about_the_row_that_was_drawn_as_selected() {
        let mut view = RosterView::new(List::Agents);
        assert_eq!(press(&mut view, KeyCode::Char('m')), Some(None), "nothing was drawn yet");
        view.note(&shown());
        press(&mut view, KeyCode::Down);
        view.note(&shown());
        let key = RosterKey { list: List::Agents, key: 'm', row: Some("b".into()) };
        assert_eq!(press(&mut view, KeyCode::Char('m')), Some(Some(key)));
        assert_eq!(press(&mut view, KeyCode::Char('z')), Some(None));
        assert_eq!(press(&mut view, KeyCode::Esc), None);
    }

    #[test]
    fn foreign_text_is_harmless_and_a_small_page_shows_the_selected_row() {
        let mut view = RosterView::new(List::Agents);
        press(&mut view, KeyCode::Down);
        for (width, height) in [(1, 1), (10, 4), (60, 20)] {
            let area = Rect { x: 0, y: 0, width, height };
            let mut buffer = Buffer::empty(area);
            view.draw(&mut buffer, area, &shown(), None, Theme::new(Scheme::None));
            let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
            assert!(!text.contains('\u{1b}'), "{text}");
        }
    }
}
