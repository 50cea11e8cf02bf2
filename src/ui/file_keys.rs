//! File actions and the panel's keys: opening one, and what its dialog is told.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::Action;
use super::file_cards;
use super::files::{FileDialog, FilePage};
use super::view::View;
use crate::copilot::Copilot;

impl View {
    /// The session has opened a file action; pages for it follow.
    pub fn open_file(&mut self, id: &str, path: &str) {
        (self.help, self.dialog) = (false, None);
        self.file = Some(FileDialog::new(id, path));
    }

    /// A page for the file action that is open. Nothing if another is, or none.
    pub fn show_file(&mut self, id: &str, page: FilePage) {
        if let Some(file) = self.file.as_mut().filter(|file| file.id == id) {
            file.show(page);
        }
    }

    pub fn close_file(&mut self) {
        self.file = None;
    }

    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    pub(super) fn file_key(&mut self, key: KeyEvent) -> Vec<Action> {
        match self.file.as_mut().map(|file| file.key(key)) {
            Some(Ok(Some(answer))) => return vec![Action::File(answer)],
            Some(Err(notice)) => self.set_notice(&notice),
            Some(Ok(None)) | None => {}
        }
        Vec::new()
    }

    /// A key on the selected file action; `None` where it is not for that.
    pub(super) fn file_card_key(&mut self, key: KeyEvent, copilot: &mut Copilot) -> Option<Vec<Action>> {
        let id = self.selected_file.clone().filter(|_| self.input.is_empty())?;
        match key.code {
            KeyCode::Enter => return Some(vec![Action::OpenFile(id)]),
            KeyCode::Delete => copilot.files.dismiss(&id),
            KeyCode::Char('x') if key.modifiers.contains(KeyModifiers::CONTROL) => copilot.files.dismiss(&id),
            KeyCode::Esc => {}
            _ => return None,
        }
        self.selected_file = None;
        Some(Vec::new())
    }

    /// The file action that a digit means, which come after the commands.
    pub(super) fn file_number(copilot: &Copilot, number: usize) -> Option<String> {
        let mut cards = file_cards::numbered(copilot);
        cards.find(|(n, _)| *n == Some(number)).map(|(_, card)| card.id.clone())
    }
}
