//! The edit line of a card: how a card gets there, its keys, the confirmation, and the way to the session.
//!
//! Only Enter here makes an [`Action::SendCard`], and for what is high only a typed word.

use std::time::Instant;

use crossterm::event::KeyEvent;

use super::editor::{Edit, LineEditor};
use super::view::{Action, View, is_dismissal};
use crate::copilot::{Copilot, Refusal, refusal};
use crate::linus::contract::Risk;

/// What the user types to send a command of high risk: Enter alone is a habit, a word is not.
pub(super) const CONFIRMATION: &str = "yes";

impl View {
    pub(super) fn edit_key(&mut self, key: KeyEvent, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        if self.confirm.is_some() {
            return self.confirm_key(key, copilot);
        }
        let Some(editor) = self.edit.as_mut() else { return Vec::new() };
        if is_dismissal(key) {
            let id = copilot.suggestions.editing().map(|c| c.id.clone());
            self.edit = None;
            if let Some(id) = id {
                self.dismiss(&id, copilot, now);
            }
            return Vec::new();
        }
        match editor.key(key) {
            Edit::Submit(text) => {
                let level = copilot.suggestions.judge_edit(&text).map_or(Risk::High, |j| j.level);
                if level < Risk::High || refusal(&text).is_some() {
                    return self.send(text, copilot);
                }
                self.confirm = Some(LineEditor::default());
            }
            Edit::Cancel => self.leave_edit_line(copilot, now),
            Edit::Changed | Edit::Ignored => {}
        }
        Vec::new()
    }

    /// Only the word sends; anything else leads back to the edit line.
    fn confirm_key(&mut self, key: KeyEvent, copilot: &mut Copilot) -> Vec<Action> {
        let (Some(confirm), Some(editor)) = (self.confirm.as_mut(), self.edit.as_ref()) else {
            return Vec::new();
        };
        match confirm.key(key) {
            Edit::Submit(word) if word.trim() == CONFIRMATION => {
                let text = editor.text().to_owned();
                self.confirm = None;
                return self.send(text, copilot);
            }
            Edit::Submit(_) => {
                self.confirm = None;
                self.set_notice(&format!("Not sent: {CONFIRMATION} was not typed."));
            }
            Edit::Cancel => self.confirm = None,
            Edit::Changed | Edit::Ignored => {}
        }
        Vec::new()
    }

    fn send(&mut self, text: String, copilot: &mut Copilot) -> Vec<Action> {
        match copilot.suggestions.send_edit(&text) {
            Ok((id, was_edited)) => {
                self.edit = None;
                self.selected = None;
                return vec![Action::SendCard { id, text, was_edited }];
            }
            Err(refusal) => self.explain(&refusal),
        }
        Vec::new()
    }

    pub(super) fn pick_number(&mut self, number: usize, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        if let Some(id) = Self::file_number(copilot, number) {
            self.leave_edit_line(copilot, now);
            (self.selected, self.selected_file) = (None, Some(id.clone()));
            return vec![Action::OpenFile(id)];
        }
        match copilot.suggestions.pick_number(number, now).map(|c| c.id.clone()) {
            Ok(id) => self.edit_card(&id, copilot, now),
            Err(Refusal::Absent) => self.set_notice(&format!("There is no card {number}.")),
            Err(refusal) => self.explain(&refusal),
        }
        Vec::new()
    }

    pub(super) fn edit_card(&mut self, id: &str, copilot: &mut Copilot, now: Instant) {
        self.leave_edit_line(copilot, now);
        match copilot.suggestions.begin_edit(id, now) {
            Ok(card) => {
                self.edit = Some(LineEditor::with_text(card.text()));
                (self.selected, self.selected_file) = (Some(id.to_owned()), None);
                self.help = false;
            }
            Err(refusal) => self.explain(&refusal),
        }
    }

    pub(super) fn leave_edit_line(&mut self, copilot: &mut Copilot, now: Instant) {
        self.confirm = None;
        if let Some(editor) = self.edit.take() {
            copilot.suggestions.end_edit(editor.text(), now);
        }
    }

    pub(super) fn dismiss(&mut self, id: &str, copilot: &mut Copilot, now: Instant) {
        if copilot.suggestions.dismiss(id, now) {
            self.selected = None;
        }
    }

    fn explain(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Absent => self.set_notice("That card is not there any more."),
            Refusal::Held => self.set_notice("The cards have just changed: look, then press again."),
            Refusal::Refused(why) => self.set_notice(why),
        }
    }

    /// A card could not be typed into the session: it is on the edit line again, and the footer says why.
    pub fn not_sent(&mut self, id: &str, why: &str, copilot: &mut Copilot) {
        if let Some(card) = copilot.suggestions.not_sent(id) {
            self.edit = Some(LineEditor::with_text(card.text()));
            self.confirm = None;
            self.selected = Some(id.to_owned());
        }
        self.set_notice(why);
    }
}
