//! The panel without a panel: what is new is printed as lines, once each, and one line is edited. For screen readers,
//! braille lines and whoever wants nothing drawn.
//!
//! It is another picture of the same [`View`] and [`Copilot`]: keys and what they bring about are the panel's, and so is
//! everything that guards a send. A picture here is the list of all sentences that the user should have heard
//! ([`told`]); what of it was not said yet in these words is printed. Only the edit line is ever written twice, and only
//! by `CR`, erasing to its end, and steps within it.

mod line;
mod pages;
mod prompt;
mod told;

use std::collections::HashMap;

use super::ascii;
use super::status::Status;
use super::view::View;
use crate::copilot::Copilot;
use crate::text::{sanitize, wrap};
use line::{EditLine, Prompt};
use told::{Kind, Place};

/// The dialogue in lines: what was said, and the line that is edited.
#[derive(Debug, Default)]
pub struct Plain {
    said: HashMap<Place, String>,
    line: EditLine,
    /// Enter was pressed: what stands on the edit line stays.
    entered: bool,
    /// The next picture says everything again.
    again: bool,
    help: bool,
}

impl Plain {
    /// A key is about to be handled: a notice after it is a new one.
    pub fn note_key(&mut self, is_enter: bool) {
        self.entered |= is_enter;
        self.said.retain(|place, _| place.kind != Kind::Notice);
    }

    /// What there is, is to be said again: plan, cards, the last answer.
    pub fn say_again(&mut self) {
        self.again = true;
    }

    /// The keys are to be told.
    pub fn say_help(&mut self) {
        self.help = true;
    }

    /// What stood on the edit line's row is not known any more.
    pub fn is_moved(&mut self) -> Vec<u8> {
        self.line.leave_it()
    }

    /// The dialogue is over: its edit line is taken away, unless it was entered, and a notice is said that the last key
    /// brought. Whatever else is new waits for the next time.
    pub fn end(&mut self, view: &View) -> Vec<u8> {
        let is_left = std::mem::take(&mut self.entered);
        let mut out = if is_left { self.line.leave_it() } else { self.line.erase() };
        let (place, notice) = (told::notice_place(), view.notice.clone());
        let new = notice.filter(|notice| self.said.get(&place) != Some(notice));
        let new = new.map(|text| if view.theme.is_ascii() { ascii::text(&text) } else { text });
        for row in new.iter().flat_map(|notice| rows(notice)) {
            out.extend_from_slice(row.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        out
    }

    /// Bytes that say what is new, and the edit line as it is now; none if nothing has changed.
    pub fn draw(&mut self, view: &mut View, copilot: &Copilot, status: &Status, cols: u16) -> Vec<u8> {
        view.drawn.asks = status.question.is_some();
        pages::note(view, status);
        if std::mem::take(&mut self.again) {
            self.forget(copilot);
        }
        let width = usize::from(cols.saturating_sub(1));
        let mut lines = Vec::new();
        if std::mem::take(&mut self.help) {
            lines.extend(told::help(&status.prefix).iter().flat_map(|text| wrap(text, width)));
        }
        lines.extend(self.news(told::all(view, copilot, status), width));
        let mut prompt = prompt::now(view, copilot);
        if view.theme.is_ascii() {
            lines.iter_mut().for_each(|line| *line = ascii::text(line));
            prompt = prompt.in_ascii();
        }
        self.print(&lines, &prompt, cols)
    }

    fn print(&mut self, lines: &[String], prompt: &Prompt, cols: u16) -> Vec<u8> {
        let is_left = std::mem::take(&mut self.entered) && self.line.is_another(prompt, cols);
        let mut out = match (is_left, lines.is_empty()) {
            (true, _) => self.line.leave_it(),
            (false, true) => Vec::new(),
            (false, false) => self.line.erase(),
        };
        for line in lines {
            out.extend_from_slice(line.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        out.extend(self.line.show(prompt, cols));
        out
    }

    /// The sentences that were not said yet. What is not true any more is forgotten, and said again when it is.
    fn news(&mut self, told: Vec<(Place, String)>, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut now = HashMap::new();
        for (place, text) in told {
            if self.said.get(&place) != Some(&text) && !self.is_heard(&place, &text) {
                let rows = rows(&text);
                // What must be read to the letter is the terminal's to wrap.
                let is_exact = place.kind == Kind::Page;
                let broken = |row: String| if is_exact { vec![row] } else { wrap(&row, width) };
                lines.extend(rows.into_iter().flat_map(broken));
            }
            now.insert(place, text);
        }
        self.said.retain(|place, _| place.kind == Kind::Once);
        self.said.extend(now);
        lines
    }

    /// What the user has just entered stands there already.
    fn is_heard(&self, place: &Place, text: &str) -> bool {
        let is_it = |text: &str| self.line.ends_in(text);
        place.kind == Kind::You && self.entered && (is_it(text) || is_it(&ascii::text(text)))
    }

    fn forget(&mut self, copilot: &Copilot) {
        let last = told::last_answer(copilot);
        let stays = |place: &Place| match place.kind {
            Kind::Once | Kind::You => true,
            Kind::Chat => Some(place) != last.as_ref(),
            _ => false,
        };
        self.said.retain(|place, _| stays(place));
    }
}

/// A text in lines, without anything that acts on a terminal.
fn rows(text: &str) -> Vec<String> {
    sanitize(text).trim_end().split('\n').map(|row| row.replace('\t', "    ").trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests;
