//! Looking back in the terminal's pane: moving through the lines that are kept, searching, selecting. What it shows is
//! the terminal as it stood when it began; what arrives meanwhile is in the terminal when it is left.

mod draw;
mod keys;
mod place;
mod search;

pub use keys::KEYS;

use place::{Place, Row, after, at_cell, at_column, before, cell, step};
use search::Search;

use super::editor::LineEditor;
use crate::terminal::Kept;
use crate::text::{rows, sanitize};

/// What a key or the mouse asks for beside another view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Stay,
    Leave,
    /// To the clipboard; it goes on, or ends with that.
    Copy {
        text: String,
        leave: bool,
    },
}

/// Where a selection begins.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    place: Place,
    /// Whole lines are selected.
    lines: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Scrollback {
    kept: Kept,
    /// The row on top of the view.
    top: Row,
    cursor: Place,
    /// The column that up and down keep.
    column: usize,
    anchor: Option<Anchor>,
    search: Option<Search>,
    /// What is searched for, while it is typed; upward or not.
    prompt: Option<(LineEditor, bool)>,
    notice: Option<String>,
    /// It began with the wheel, and ends where the wheel comes to the end.
    by_wheel: bool,
    cols: usize,
    height: usize,
}

impl Scrollback {
    /// `area` is the pane's width and height. It begins with the screen as it stands.
    pub(super) fn new(kept: Kept, area: (u16, u16), by_wheel: bool) -> Self {
        let (cols, height) = (usize::from(area.0).max(2), usize::from(area.1).max(1));
        let place = |(line, cells): (usize, usize)| Place { line, at: at_cell(&kept.plain(line), cells) };
        let (cursor, screen) = (place(kept.cursor), place(kept.screen));
        let (top, _) = cell(&kept.plain(screen.line), cols, screen.at);
        let mut scrollback = Self {
            top: (screen.line, top),
            cursor,
            column: 0,
            anchor: None,
            search: None,
            prompt: None,
            notice: None,
            by_wheel,
            cols,
            height,
            kept,
        };
        scrollback.remember_column();
        scrollback.reveal();
        scrollback
    }

    /// The pane has another size.
    fn fit(&mut self, cols: usize, height: usize) {
        let (cols, height) = (cols.max(2), height.max(1));
        if (cols, height) == (self.cols, self.height) {
            return;
        }
        let first = rows(&self.kept.plain(self.top.0), self.cols).get(self.top.1).map_or(0, |row| row.start);
        (self.cols, self.height) = (cols, height);
        self.top.1 = cell(&self.kept.plain(self.top.0), cols, first).0;
        self.remember_column();
        self.reveal();
    }

    fn row_of(&self, place: Place) -> Row {
        (place.line, cell(&self.kept.plain(place.line), self.cols, place.at).0)
    }

    fn step(&self, from: Row, by: isize) -> Row {
        step(&self.kept, self.cols, from, by)
    }

    /// Moves the view just so far that the cursor is seen.
    fn reveal(&mut self) {
        let row = self.row_of(self.cursor);
        let below = self.height as isize - 1;
        if row < self.top {
            self.top = row;
        } else if row > self.step(self.top, below) {
            self.top = self.step(row, -below);
        }
    }

    fn remember_column(&mut self) {
        self.column = cell(&self.kept.plain(self.cursor.line), self.cols, self.cursor.at).1;
    }

    fn put_in(&mut self, (line, row): Row, column: usize) {
        let text = self.kept.plain(line);
        let range = rows(&text, self.cols).into_iter().nth(row).unwrap_or(0..text.len());
        let at = at_column(&text, range, column);
        self.cursor = Place { line, at };
    }

    /// The cursor to a place, from where up and down go on.
    fn go(&mut self, place: Place) {
        self.cursor = place;
        self.remember_column();
        self.reveal();
    }

    fn up_or_down(&mut self, by: isize) {
        let row = self.step(self.row_of(self.cursor), by);
        self.put_in(row, self.column);
        self.reveal();
    }

    /// Moves the view and the cursor with it; where the view cannot move, the cursor goes on to the end.
    fn page(&mut self, by: isize) {
        let row = self.step(self.row_of(self.cursor), by);
        self.scroll(by);
        self.put_in(row, self.column);
        self.reveal();
    }

    /// Moves the view; the cursor only so far that it is seen.
    fn scroll(&mut self, by: isize) {
        let below = self.height as isize - 1;
        let last = self.step((self.kept.len().saturating_sub(1), usize::MAX / 2), 0);
        self.top = self.step(self.top, by).min(self.step(last, -below).max(self.screen_top()));
        let (row, bottom) = (self.row_of(self.cursor), self.step(self.top, below));
        if row < self.top || row > bottom {
            self.put_in(if row < self.top { self.top } else { bottom }, self.column);
        }
    }

    /// The view that it began with, below which it does not scroll.
    fn screen_top(&self) -> Row {
        let (line, cells) = self.kept.screen;
        let text = self.kept.plain(line);
        (line, cell(&text, self.cols, at_cell(&text, cells)).0)
    }

    fn is_at_end(&self) -> bool {
        self.step(self.top, self.height as isize - 1) >= (self.kept.len().saturating_sub(1), 0)
    }

    fn left(&mut self) {
        let Place { line, at } = self.cursor;
        let place = match (at, line.checked_sub(1)) {
            (0, Some(above)) => Place { line: above, at: self.kept.plain(above).len() },
            _ => Place { line, at: before(&self.kept.plain(line), at) },
        };
        self.go(place);
    }

    fn right(&mut self) {
        let Place { line, at } = self.cursor;
        let text = self.kept.plain(line);
        let is_end = at >= text.len();
        let place = if is_end && line + 1 < self.kept.len() {
            Place { line: line + 1, at: 0 }
        } else {
            Place { line, at: after(&text, at) }
        };
        drop(text);
        self.go(place);
    }

    /// To the begin of the next word, or of the one before.
    fn word(&mut self, is_forward: bool) {
        let text = self.kept.plain(self.cursor.line).into_owned();
        let starts = || {
            text.char_indices().filter(|(at, c)| {
                !c.is_whitespace() && text[..*at].chars().next_back().is_none_or(char::is_whitespace)
            })
        };
        let line = self.cursor.line;
        let found = if is_forward {
            starts().map(|(at, _)| at).find(|at| *at > self.cursor.at)
        } else {
            starts().map(|(at, _)| at).take_while(|at| *at < self.cursor.at).last()
        };
        match found {
            Some(at) => self.go(Place { line, at }),
            None if is_forward && line + 1 < self.kept.len() => self.go(Place { line: line + 1, at: 0 }),
            None if !is_forward && self.cursor.at == 0 => self.left(),
            None => self.go(Place { line, at: if is_forward { text.len() } else { 0 } }),
        }
    }

    /// The place under a cell of the pane.
    fn under(&self, col: usize, row: usize) -> Place {
        let (line, row) = self.step(self.top, row.min(self.height - 1) as isize);
        let text = self.kept.plain(line);
        let range = rows(&text, self.cols).into_iter().nth(row).unwrap_or(0..text.len());
        Place { line, at: at_column(&text, range, col) }
    }

    /// What is selected, the character under the cursor included.
    fn selected(&self) -> Option<(Place, Place)> {
        let anchor = self.anchor?;
        let (start, end) = (anchor.place.min(self.cursor), anchor.place.max(self.cursor));
        let text = self.kept.plain(end.line);
        if anchor.lines {
            return Some((Place { at: 0, ..start }, Place { at: text.len(), ..end }));
        }
        Some((start, Place { at: after(&text, end.at).min(text.len()), ..end }))
    }

    /// The selected text as it is drawn: lines whole where they wrapped, without blanks at their ends.
    fn selected_text(&self) -> Option<String> {
        let (start, end) = self.selected()?;
        let part = |line: usize| {
            let text = self.kept.plain(line);
            let from = if line == start.line { start.at } else { 0 };
            let to = if line == end.line { end.at } else { text.len() };
            sanitize(text.get(from..to).unwrap_or_default()).trim_end_matches(' ').to_owned()
        };
        let lines: Vec<String> = (start.line..=end.line).map(part).collect();
        Some(lines.join("\n")).filter(|text| !text.is_empty())
    }

    fn copy(&mut self, leave: bool) -> Outcome {
        match self.selected_text() {
            Some(text) => Outcome::Copy { text, leave },
            None => Outcome::Stay,
        }
    }

    fn find(&mut self, against: bool) {
        let Some(search) = &self.search else {
            self.notice = Some("Nothing was searched for: / and ? search.".into());
            return;
        };
        let is_upward = search.is_upward != against;
        match search.next(&self.kept, self.cursor, is_upward) {
            Some(found) => {
                if found.wrapped {
                    let end = if is_upward { "begin, on from the end" } else { "end, on from the begin" };
                    self.notice = Some(format!("Past the {end}."));
                }
                // What is found out of view comes to its middle, with what stands around it.
                let row = self.row_of(found.place);
                if row < self.top || row > self.step(self.top, self.height as isize - 1) {
                    self.top = self.step(row, -(self.height as isize / 2));
                }
                self.go(found.place);
            }
            None => self.notice = Some(format!("Not found: {}", sanitize(search.text()))),
        }
    }

    /// Turns the wheel over it: lines up or down.
    pub(super) fn wheel(&mut self, lines: isize) -> Outcome {
        self.notice = None;
        self.scroll(lines);
        if self.by_wheel && lines > 0 && self.anchor.is_none() && self.is_at_end() {
            return Outcome::Leave;
        }
        Outcome::Stay
    }

    /// The left button went down over a cell of the pane.
    pub(super) fn press(&mut self, col: u16, row: u16) {
        (self.notice, self.anchor) = (None, None);
        self.go(self.under(col.into(), row.into()));
    }

    /// It is dragged to a cell; beyond the pane's edge the view follows.
    pub(super) fn drag(&mut self, col: u16, row: i32) {
        self.anchor.get_or_insert(Anchor { place: self.cursor, lines: false });
        self.by_wheel = false;
        let height = i32::try_from(self.height).unwrap_or(i32::MAX);
        if row < 0 {
            self.scroll(-1);
        } else if row >= height {
            self.scroll(1);
        }
        let row = row.clamp(0, height - 1) as usize;
        let place = self.under(col.into(), row);
        self.go(place);
    }

    /// It was let go: what was dragged over is copied.
    pub(super) fn release(&mut self) -> Outcome {
        if self.anchor.is_some() { self.copy(false) } else { Outcome::Stay }
    }

    /// Says something in the last row, until the next key.
    pub(super) fn set_notice(&mut self, notice: String) {
        self.notice = Some(notice);
    }
}

#[cfg(test)]
mod tests;
