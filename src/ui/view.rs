//! What the panel looks at and what its keys do. Nothing is sent without Enter on the edit line.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::action::{Action, Focus};
use super::auto;
use super::consent;
use super::editor::{Edit, LineEditor};
use super::files::FileDialog;
use super::fill::Fill;
use super::health::{self, HealthDialog};
use super::integration::{Answer, Dialog};
use super::layout::{Choice, Layout, Mode};
use super::leaves::LeavesView;
use super::places::{Grab, Places};
use super::roster::{List, RosterView};
use super::scrollback::Scrollback;
use super::sections::STATUS_FROM;
use super::terminal_pane::Shift;
use super::theme::Theme;
use super::unread::Unread;
use crate::copilot::Copilot;
use crate::text::sanitize;

/// What of the last frame the keys need to know.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawn {
    pub(super) layout: Option<Layout>,
    pub(super) shift: Shift,
    pub(super) places: Places,
    pub(super) chat_height: usize,
    pub(super) chat_lines: usize,
    /// The question before anything leaves is shown.
    pub(super) asks: bool,
}

#[derive(Debug, Clone)]
pub struct View {
    pub(super) theme: Theme,
    shown: bool,
    focus: Focus,
    pub(super) choice: Choice,
    /// The id of the selected card.
    pub(super) selected: Option<String>,
    /// The id of the selected file action, where no card is.
    pub(super) selected_file: Option<String>,
    /// Lines of the chat below the panel's edge.
    pub(super) scroll: usize,
    /// Lines by which the wheel has moved the cards.
    pub(super) cards_scroll: isize,
    pub(super) unread: Unread,
    /// What has the mouse.
    pub(super) grab: Option<Grab>,
    /// What is looked back at in the terminal's pane.
    pub(super) scrollback: Option<Scrollback>,
    /// Seconds for which Linus's answer has been awaited.
    pub(super) waited: u64,
    pub(super) input: LineEditor,
    /// The edit line, while a card is on it.
    pub(super) edit: Option<LineEditor>,
    /// What is typed to confirm the command on the edit line, while its risk asks for that.
    pub(super) confirm: Option<LineEditor>,
    /// The holes of the command on the edit line, while they are filled in; and of the one that was sent last, in case it
    /// comes back.
    pub(super) fill: Option<Fill>,
    pub(super) sent_fill: Option<Fill>,
    pub(super) help: bool,
    /// The dialog of the shell integration, while it is open.
    pub(super) dialog: Option<Dialog>,
    /// The file action that is open.
    pub(super) file: Option<FileDialog>,
    /// The question before auto, while it is open.
    pub(super) auto: Option<auto::Question>,
    /// The view of what leaves, while it is open.
    pub(super) leaves: Option<LeavesView>,
    /// The page of sessions or agents, while it is open.
    pub(super) roster: Option<RosterView>,
    /// The question before host health, while it is open.
    pub(super) health: Option<HealthDialog>,
    pub(super) notice: Option<String>,
    /// The notice is over with the remote's next key, too.
    notice_is_brief: bool,
    pub(super) drawn: Drawn,
}

impl View {
    /// Asks whether aissh may log in once more to read the host's health.
    pub fn ask_health(&mut self, text: Vec<String>) {
        (self.help, self.dialog, self.health) = (false, None, Some(HealthDialog(text)));
        self.enter();
    }

    pub fn has_health(&self) -> bool {
        self.health.is_some()
    }

    pub fn close_health(&mut self) {
        self.health = None;
    }

    /// `choice` is what the configuration says of width and mode.
    pub fn new(theme: Theme, choice: Choice) -> Self {
        Self {
            theme,
            shown: false,
            focus: Focus::Terminal,
            choice,
            selected: None,
            selected_file: None,
            scroll: 0,
            cards_scroll: 0,
            unread: Unread::default(),
            grab: None,
            scrollback: None,
            waited: 0,
            input: LineEditor::default(),
            edit: None,
            confirm: None,
            fill: None,
            sent_fill: None,
            help: false,
            dialog: None,
            file: None,
            auto: None,
            leaves: None,
            roster: None,
            health: None,
            notice: None,
            notice_is_brief: false,
            drawn: Drawn::default(),
        }
    }

    pub fn focus(&self) -> Focus {
        self.focus
    }

    /// Whether the panel is drawn, as the session has said.
    pub fn is_shown(&self) -> bool {
        self.shown
    }

    /// The session has opened or closed the panel. Closed, the terminal has the keys.
    pub fn set_shown(&mut self, shown: bool) {
        self.shown = shown;
        if !shown {
            self.leave();
            (self.help, self.dialog, self.file) = (false, None, None);
            (self.auto, self.leaves, self.roster, self.health) = (None, None, None, None);
            (self.scrollback, self.grab, self.choice.alone) = (None, None, false);
        }
    }

    /// Asks whether auto is to be turned on.
    pub fn ask_auto(&mut self) {
        (self.help, self.dialog, self.auto) = (false, None, Some(auto::Question::default()));
        self.focus = Focus::Panel;
    }

    pub fn asks_auto(&self) -> bool {
        self.auto.is_some()
    }

    pub fn close_auto(&mut self) {
        self.auto = None;
    }

    /// Whether the user writes in the panel, or something covers what it shows.
    pub fn is_busy(&self) -> bool {
        self.has_page() || self.scrollback.is_some() || self.edit.is_some() || !self.input.is_empty()
    }

    /// For how long the answer has been awaited; whether that is drawn otherwise now.
    pub fn note_waited(&mut self, seconds: u64) -> bool {
        std::mem::replace(&mut self.waited, seconds) != seconds
    }

    pub fn choose_none(&mut self) {
        (self.selected, self.selected_file) = (None, None);
    }

    /// Whether the word that a high risk asks for is being typed.
    pub fn is_confirming(&self) -> bool {
        self.confirm.is_some()
    }

    /// Whether the policy and its countdown are drawn: not in a panel of a few rows, nor where the terminal has the
    /// whole screen.
    pub fn shows_policy(&self) -> bool {
        let Some(layout) = self.drawn.layout.filter(|_| self.shown) else { return false };
        let is_seen = layout.mode != Mode::Full || self.focus == Focus::Panel;
        is_seen && layout.panel.height >= STATUS_FROM
    }

    /// Whether the dialog of the shell integration is open.
    pub fn has_dialog(&self) -> bool {
        self.dialog.is_some()
    }

    /// Whether it is looked at what leaves.
    pub fn has_leaves(&self) -> bool {
        self.leaves.is_some()
    }

    /// Which page of sessions or agents is open.
    pub fn roster(&self) -> Option<List> {
        self.roster.as_ref().map(|roster| roster.list)
    }

    /// What stands in the chat's input.
    pub fn input(&self) -> &str {
        self.input.text()
    }

    pub fn close_dialog(&mut self) {
        self.dialog = None;
    }

    /// The panel gets the keys.
    pub fn enter(&mut self) {
        self.focus = Focus::Panel;
    }

    /// The terminal gets the keys.
    pub fn leave(&mut self) {
        self.focus = Focus::Terminal;
        self.unread.leave();
    }

    /// Width and mode as the user wants them, for [`Layout::new`].
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// A sentence in the place of the key hints until the next key. It may quote others.
    pub fn set_notice(&mut self, notice: &str) {
        self.notice = Some(sanitize(notice).replace(['\n', '\t'], " "));
        self.notice_is_brief = false;
    }

    /// The same for what the user has just done in the terminal's pane: until the next key, whoever gets it.
    pub fn set_brief_notice(&mut self, notice: &str) {
        self.set_notice(notice);
        self.notice_is_brief = true;
    }

    /// The remote got a key; whether that changes what is drawn.
    pub fn end_brief_notice(&mut self) -> bool {
        std::mem::take(&mut self.notice_is_brief) && self.notice.take().is_some()
    }

    /// Whether a card is on the edit line.
    pub fn is_editing(&self) -> bool {
        self.edit.is_some()
    }

    /// Whether what is typed answers a question about the card on the edit line.
    pub(super) fn is_answering(&self) -> bool {
        self.confirm.is_some() || self.fill.as_ref().is_some_and(|fill| fill.asked().is_some())
    }

    /// How the panel stands now: what the keys for its width start from.
    pub fn note_layout(&mut self, layout: &Layout) {
        self.drawn.layout = Some(*layout);
    }

    /// Text that was pasted while the keys are not the remote's. Never sends anything.
    pub fn paste(&mut self, text: &str) {
        if let Some(scrollback) = self.scrollback.as_mut().filter(|_| self.focus == Focus::Terminal) {
            return scrollback.paste(text);
        }
        let pages =
            [self.dialog.is_some(), self.leaves.is_some(), self.roster.is_some(), self.health.is_some()];
        if pages.contains(&true) {
            return;
        }
        self.notice = None;
        if self.auto.is_some() {
            return self.set_notice("The word is typed, not pasted.");
        }
        self.help = false;
        if self.file.is_some() {
            return self.set_notice("Nothing is pasted here; a confirmation is typed.");
        }
        if self.confirm.is_some() {
            return self.set_notice("The confirmation is typed, not pasted.");
        }
        if let Some(fill) = &mut self.fill {
            return fill.paste(text);
        }
        self.edit.as_mut().unwrap_or(&mut self.input).paste(text);
    }

    /// Whether the keys are not the remote's.
    pub fn takes_keys(&self) -> bool {
        self.focus == Focus::Panel || self.scrollback.is_some()
    }

    /// A key while the panel has the focus, or while it is looked back in the terminal's pane.
    pub fn key(&mut self, key: KeyEvent, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        match &mut self.scrollback {
            Some(scrollback) if self.focus == Focus::Terminal => {
                let outcome = scrollback.key(key);
                self.looked_back(outcome)
            }
            _ => self.key_in_panel(key, copilot, now),
        }
    }

    pub(super) fn key_in_panel(&mut self, key: KeyEvent, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        self.unread.read();
        self.cards_scroll = 0;
        self.notice = None;
        if self.help {
            self.help = false;
            return Vec::new();
        }
        if let Some(leaves) = &mut self.leaves {
            return match leaves.key(key) {
                Some(action) => action.map(Action::Leaf).into_iter().collect(),
                None => {
                    self.leaves = None;
                    Vec::new()
                }
            };
        }
        if let Some(roster) = &mut self.roster {
            return match roster.key(key) {
                Some(key) => key.map(Action::Roster).into_iter().collect(),
                None => {
                    self.roster = None;
                    Vec::new()
                }
            };
        }
        if self.health.is_some() {
            return health::answer(key);
        }
        if let Some(dialog) = &mut self.dialog {
            let answer = dialog.key(key);
            return self.answer(answer);
        }
        if self.file.is_some() {
            return self.file_key(key);
        }
        if let Some(question) = &mut self.auto {
            return match question.key(key) {
                auto::Answer::Word(word) => vec![Action::TurnAutoOn(word)],
                auto::Answer::Leave => {
                    self.auto = None;
                    Vec::new()
                }
                auto::Answer::Nothing => Vec::new(),
            };
        }
        if copilot.suggestions.editing().is_none() {
            self.edit = None;
            (self.confirm, self.fill, self.sent_fill) = (None, None, None);
        }
        self.drop_stale_selection(copilot);
        match key.code {
            KeyCode::PageUp => self.scroll_by(self.drawn.chat_height.max(2) as isize / 2),
            KeyCode::PageDown => self.scroll_by(-(self.drawn.chat_height.max(2) as isize / 2)),
            KeyCode::Char(c @ '1'..='9') if key.modifiers.contains(KeyModifiers::ALT) => {
                return self.pick_number(c as usize - '0' as usize, copilot, now);
            }
            KeyCode::Char('s') if key.modifiers == KeyModifiers::ALT => return vec![Action::SendOffers],
            KeyCode::Char('x') if key.modifiers == KeyModifiers::ALT => return vec![Action::DropOffers],
            _ if self.edit.is_some() => return self.edit_key(key, copilot, now),
            _ => return self.chat_key(key, copilot, now),
        }
        Vec::new()
    }

    /// The dialog stays open at a yes: the session closes it when the line was typed, or says why not.
    fn answer(&mut self, answer: Answer) -> Vec<Action> {
        match answer {
            Answer::Yes(shell) => return vec![Action::Integrate(shell)],
            Answer::No => {
                self.dialog = None;
                return vec![Action::DeclineIntegration];
            }
            Answer::Leave => self.dialog = None,
            Answer::Nothing => {}
        }
        Vec::new()
    }

    fn chat_key(&mut self, key: KeyEvent, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        if let Some(actions) = self.file_card_key(key, copilot) {
            return actions;
        }
        let choosing = self.input.is_empty();
        let has_cards =
            copilot.suggestions.cards().any(|card| card.is_open()) || copilot.files.open().next().is_some();
        match (key.code, self.selected.clone()) {
            (KeyCode::Up, _) if choosing && !has_cards => drop(self.input.earlier()),
            (KeyCode::Up, _) if choosing => self.select(-1, copilot),
            (KeyCode::Down, _) if choosing => self.select(1, copilot),
            (KeyCode::Up, _) => {
                self.input.earlier();
            }
            (KeyCode::Down, _) => {
                self.input.later();
            }
            (KeyCode::Enter, Some(id)) if choosing => self.edit_card(&id, copilot, now),
            (KeyCode::Delete, Some(id)) if choosing => self.dismiss(&id, copilot, now),
            (_, Some(id)) if is_dismissal(key) => self.dismiss(&id, copilot, now),
            (_, None) if is_dismissal(key) => return vec![Action::DismissStop],
            (KeyCode::Esc, Some(_)) if choosing => self.selected = None,
            _ => return self.type_in_chat(key, copilot),
        }
        Vec::new()
    }

    fn type_in_chat(&mut self, key: KeyEvent, copilot: &Copilot) -> Vec<Action> {
        match self.input.key(key) {
            Edit::Submit(text) if text.trim().is_empty() => {}
            Edit::Submit(text) if self.drawn.asks && consent::answer(&text).is_some() => {
                self.input.clear();
                return consent::answer(&text).map(Action::Consent).into_iter().collect();
            }
            Edit::Submit(text) => {
                self.input.remember(&text);
                self.input.clear();
                self.scroll = 0;
                return vec![Action::SubmitChat(text)];
            }
            Edit::Cancel if copilot.chat.is_waiting() => return vec![Action::CancelChat],
            // Ctrl-C and Esc do not throw a long message away by leaving: it stays in the input.
            Edit::Cancel if key.code == KeyCode::Esc => self.leave(),
            Edit::Cancel => self.input.clear(),
            Edit::Changed => (self.selected, self.selected_file) = (None, None),
            Edit::Ignored => {}
        }
        Vec::new()
    }

    /// Whether a page covers what the panel shows.
    pub(super) fn has_page(&self) -> bool {
        self.help
            || self.leaves.is_some()
            || self.roster.is_some()
            || self.dialog.is_some()
            || self.auto.is_some()
            || self.file.is_some()
            || self.health.is_some()
    }

    /// The first card is the first to be selected; up from it and down from the last selects none.
    fn select(&mut self, step: isize, copilot: &Copilot) {
        let commands = copilot.suggestions.cards().filter(|c| c.is_open()).map(|c| (false, c.id.as_str()));
        let open: Vec<(bool, &str)> =
            commands.chain(copilot.files.open().map(|file| (true, file.id.as_str()))).collect();
        let selected = self.selected.as_deref().map(|id| (false, id));
        let selected = selected.or(self.selected_file.as_deref().map(|id| (true, id)));
        let at = selected.and_then(|it| open.iter().position(|o| *o == it));
        let next = match at {
            Some(at) => at.checked_add_signed(step),
            None => Some(0),
        };
        let next = next.and_then(|at| open.get(at)).map(|(is_file, id)| (*is_file, (*id).to_owned()));
        let (file, command) = next.map_or((None, None), |(is_file, id)| match is_file {
            true => (Some(id), None),
            false => (None, Some(id)),
        });
        (self.selected, self.selected_file) = (command, file);
    }

    fn drop_stale_selection(&mut self, copilot: &Copilot) {
        let stays = |id: &String| copilot.suggestions.get(id).is_some_and(|c| c.is_open());
        self.selected = self.selected.take().filter(stays);
        let stays = |id: &String| copilot.files.get(id).is_some_and(|file| file.is_open());
        self.selected_file = self.selected_file.take().filter(stays);
    }

    pub(super) fn scroll_by(&mut self, lines: isize) {
        // The upper end is known when the chat is drawn.
        self.scroll = self.scroll.saturating_add_signed(lines);
    }
}

pub(super) fn is_dismissal(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('x') && key.modifiers.contains(KeyModifiers::CONTROL)
}
