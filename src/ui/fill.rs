//! Filling a card's holes: a small prompt for each, then the whole command to be looked at before it is sent.
//!
//! What is typed for a secret is never drawn, and no value stays here longer than the card is on the edit line.

use crossterm::event::{KeyCode, KeyEvent};

use super::editor::{Edit, LineEditor};
use crate::copilot::{Hole, Value};

/// Stands for a value that is not shown, however long it is.
const HIDDEN: &str = "••••••";

/// Bytes of a value that can be told from other words.
const WORD: usize = 4;

/// Puts values into a text, or says which cannot stand there.
pub(super) type Filler<'a> = &'a dyn Fn(&str, &[Hole], &[Value]) -> Result<String, String>;

/// A command with holes, and how far they are filled.
#[derive(Debug, Clone)]
pub(super) struct Fill {
    text: String,
    holes: Vec<Hole>,
    values: Vec<Value>,
    input: LineEditor,
    whole: Option<Whole>,
}

/// The command as it will be sent, and as it is shown.
#[derive(Clone)]
struct Whole {
    sent: String,
    shown: String,
}

impl std::fmt::Debug for Whole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// What a key came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Stay,
    /// Back to the edit line.
    Leave,
    /// The value cannot stand there.
    Complain(String),
    /// Enter, with all filled in.
    Send,
}

impl Fill {
    pub(super) fn new(text: &str, holes: Vec<Hole>) -> Self {
        Self { text: text.to_owned(), holes, values: Vec::new(), input: LineEditor::default(), whole: None }
    }

    /// The text with its holes.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The command to be sent, once it is whole.
    pub(super) fn sent(&self) -> Option<&str> {
        self.whole.as_ref().map(|whole| whole.sent.as_str())
    }

    /// The same as it is drawn: without what is secret.
    pub(super) fn shown(&self) -> Option<&str> {
        self.whole.as_ref().map(|whole| whole.shown.as_str())
    }

    /// What must be known again on the screen. Of what is no secret, short words are in every other line by chance.
    pub(super) fn to_keep_in(&self) -> Vec<Value> {
        let filled = self.holes.iter().zip(&self.values);
        let kept = filled.filter(|(hole, value)| hole.secret || value.as_str().len() >= WORD);
        kept.map(|(_, value)| value.clone()).collect()
    }

    /// What is asked for now, and what is to be drawn of the answer.
    pub(super) fn asked(&self) -> Option<(&Hole, &str)> {
        let hole = self.holes.get(self.values.len()).filter(|_| self.whole.is_none())?;
        let typed = match (hole.secret, self.input.is_empty()) {
            (false, _) => self.input.text(),
            (true, true) => "",
            (true, false) => HIDDEN,
        };
        Some((hole, typed))
    }

    /// Characters before the cursor in what is drawn of the answer.
    pub(super) fn before_cursor(&self) -> &str {
        match self.asked() {
            Some((hole, typed)) if hole.secret => typed,
            _ => self.input.text().get(..self.input.cursor()).unwrap_or_default(),
        }
    }

    /// Passwords come from managers, with a newline at the end as often as not.
    pub(super) fn paste(&mut self, text: &str) {
        if self.whole.is_none() {
            self.input.paste(text.trim_end_matches(['\r', '\n']));
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent, filler: Filler<'_>) -> Step {
        if self.whole.is_some() {
            return match key.code {
                KeyCode::Enter => Step::Send,
                KeyCode::Esc => Step::Leave,
                _ => Step::Stay,
            };
        }
        match self.input.key(key) {
            Edit::Submit(value) => self.take(&value, filler),
            Edit::Cancel => Step::Leave,
            Edit::Changed | Edit::Ignored => Step::Stay,
        }
    }

    fn take(&mut self, value: &str, filler: Filler<'_>) -> Step {
        self.values.push(Value::new(value));
        let known = self.holes.get(..self.values.len()).unwrap_or_default();
        match filler(&self.text, known, &self.values) {
            Err(why) => {
                self.values.pop();
                Step::Complain(why)
            }
            Ok(sent) => {
                self.input = LineEditor::default();
                if self.values.len() == self.holes.len() {
                    let shown = self.without_secrets(filler);
                    self.whole = Some(Whole { sent, shown });
                }
                Step::Stay
            }
        }
    }

    fn without_secrets(&self, filler: Filler<'_>) -> String {
        let open = self.holes.iter().zip(&self.values).filter(|(hole, _)| !hole.secret);
        let (holes, values): (Vec<Hole>, Vec<Value>) = open.map(|(h, v)| (h.clone(), v.clone())).unzip();
        let mut shown = filler(&self.text, &holes, &values).unwrap_or_else(|_| self.text.clone());
        for (hole, value) in self.holes.iter().zip(&self.values) {
            if hole.secret && !value.as_str().is_empty() {
                shown = shown.replace(&format!("<{}>", hole.name), HIDDEN);
            }
        }
        shown
    }
}
