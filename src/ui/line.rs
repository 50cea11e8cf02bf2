//! The edit line of a card: how a card gets there, its keys, the confirmation, and the way to the session.
//!
//! Only Enter here makes an [`Action::SendCard`], and for what is high only a typed word.

use std::time::Instant;

use crossterm::event::KeyEvent;

use super::action::Action;
use super::editor::{Edit, LineEditor};
use super::fill::{Fill, Step};
use super::view::{View, is_dismissal};
use crate::copilot::{Copilot, Judgement, Refusal, refusal};
use crate::linus::contract::Risk;

/// What the user types to send a command of high risk: Enter alone is a habit, a word is not.
pub(super) const CONFIRMATION: &str = "yes";

impl View {
    pub(super) fn edit_key(&mut self, key: KeyEvent, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        if self.confirm.is_some() {
            return self.confirm_key(key, copilot);
        }
        if is_dismissal(key) {
            let id = copilot.suggestions.editing().map(|c| c.id.clone());
            (self.edit, self.fill) = (None, None);
            if let Some(id) = id {
                self.dismiss(&id, copilot, now);
            }
            return Vec::new();
        }
        if self.fill.is_some() {
            return self.fill_key(key, copilot);
        }
        let Some(editor) = self.edit.as_mut() else { return Vec::new() };
        match editor.key(key) {
            Edit::Submit(text) => {
                let holes = copilot.suggestions.editing().map(|card| card.holes(&text)).unwrap_or_default();
                if holes.is_empty() || refusal(&text).is_some() {
                    return self.send_or_ask(copilot);
                }
                self.fill = Some(Fill::new(&text, holes));
            }
            Edit::Cancel => self.leave_edit_line(copilot, now),
            Edit::Changed | Edit::Ignored => {}
        }
        Vec::new()
    }

    /// What would be sent: the text on the line, with its holes filled in where it has any.
    fn command(&self) -> Option<&str> {
        match &self.fill {
            Some(fill) => fill.sent().or(Some(fill.text())),
            None => self.edit.as_ref().map(LineEditor::text),
        }
    }

    /// What is thought of it.
    pub(super) fn judged(&self, copilot: &Copilot) -> Option<Judgement> {
        match self.fill.as_ref().and_then(Fill::sent) {
            Some(filled) => copilot.suggestions.judge_filled(filled),
            None => copilot.suggestions.judge_edit(self.edit.as_ref()?.text()),
        }
    }

    fn send_or_ask(&mut self, copilot: &mut Copilot) -> Vec<Action> {
        let Some(command) = self.command() else { return Vec::new() };
        let level = self.judged(copilot).map_or(Risk::High, |j| j.level);
        if level < Risk::High || refusal(command).is_some() {
            return self.send(copilot);
        }
        self.confirm = Some(LineEditor::default());
        Vec::new()
    }

    fn fill_key(&mut self, key: KeyEvent, copilot: &mut Copilot) -> Vec<Action> {
        let Some(fill) = &mut self.fill else { return Vec::new() };
        let suggestions = &copilot.suggestions;
        match fill.key(key, &|text, holes, values| suggestions.fill(text, holes, values)) {
            Step::Send => return self.send_or_ask(copilot),
            Step::Leave => self.fill = None,
            Step::Complain(why) => self.set_notice(&why),
            Step::Stay => {}
        }
        Vec::new()
    }

    /// Only the word sends, and it is asked for until it is typed or left: what was meant as the word must not end up in
    /// the command.
    fn confirm_key(&mut self, key: KeyEvent, copilot: &mut Copilot) -> Vec<Action> {
        let Some(confirm) = self.confirm.as_mut() else { return Vec::new() };
        match confirm.key(key) {
            Edit::Submit(word) if word.trim() == CONFIRMATION => {
                self.confirm = None;
                return self.send(copilot);
            }
            Edit::Submit(_) => {
                confirm.clear();
                self.set_notice(&format!("Not sent: {CONFIRMATION} was not typed."));
            }
            Edit::Cancel => self.confirm = None,
            Edit::Changed | Edit::Ignored => {}
        }
        Vec::new()
    }

    fn send(&mut self, copilot: &mut Copilot) -> Vec<Action> {
        let Some(editor) = &self.edit else { return Vec::new() };
        let (text, values) = match &self.fill {
            Some(fill) => (fill.text(), fill.to_keep_in()),
            None => (editor.text(), Vec::new()),
        };
        let Some(filled) = self.command().map(str::to_owned) else { return Vec::new() };
        match copilot.suggestions.send_filled(text, &filled, values) {
            Ok((id, was_edited)) => {
                self.edit = None;
                self.selected = None;
                self.sent_fill = self.fill.take();
                return vec![Action::SendCard { id, text: filled, was_edited }];
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
        (self.confirm, self.fill, self.sent_fill) = (None, None, None);
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
            // With its values: the same key again is to send the same.
            self.fill = self.sent_fill.take();
            self.selected = Some(id.to_owned());
        }
        self.set_notice(why);
    }
}
