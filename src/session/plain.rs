//! `--plain` in a session: the dialogue on the user's own screen, below the remote's line.
//!
//! It is opened with the prefix key and has all keys until it is left. What ssh prints meanwhile is read, so that ssh's own
//! keepalives go on and Linus and the checks before a send see it, but it is held here and printed afterwards, byte for
//! byte; beyond [`HELD`] ssh waits, as it does for a terminal that was stopped with ^S. Sending a card ends the dialogue,
//! so that the command's output is where it would be had the user typed it. On the way out the remote's line is printed
//! once more, with the cursor where it was. Over a full-screen program there is no dialogue, and while it is closed nothing
//! is said, whatever arrives.

use super::{Session, Side};
use crate::copilot::Copilot;
use crate::terminal::Modes;
use crate::ui::{self, Action, Focus, PrefixAction, Status, View};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Instant;

/// Held output of ssh's; more than what scrolls by while a question is typed.
const HELD: usize = 1024 * 1024;

/// The dialogue, and what belongs to its being open.
#[derive(Default)]
pub(super) struct Plain {
    lines: ui::Plain,
    /// Bytes that give the screen back to the remote as it was.
    back: Vec<u8>,
    held: Vec<u8>,
}

impl Plain {
    pub(super) fn draw(&mut self, view: &mut View, copilot: &Copilot, status: &Status, cols: u16) -> Vec<u8> {
        self.lines.draw(view, copilot, status, cols)
    }

    /// The end of the dialogue, and what came meanwhile.
    pub(super) fn leave(&mut self, view: &View) -> Vec<u8> {
        let mut bytes = self.lines.end(view);
        bytes.append(&mut self.back);
        bytes.append(&mut self.held);
        bytes
    }
}

/// The action of a key after the prefix; `None` for what only a panel can do.
fn of_dialogue(action: PrefixAction) -> Option<PrefixAction> {
    match action {
        PrefixAction::Narrower | PrefixAction::Wider | PrefixAction::Mode => None,
        PrefixAction::Position | PrefixAction::Scrollback => None,
        PrefixAction::Toggle | PrefixAction::Help => Some(PrefixAction::Ask),
        other => Some(other),
    }
}

impl Session {
    fn plain(&mut self) -> Option<&mut Plain> {
        self.side.as_mut()?.panel.plain.as_mut()
    }

    /// ssh is not read for now: enough of its output waits for the end of the dialogue.
    pub(super) fn holds_enough(&self) -> bool {
        let plain = self.side.as_ref().and_then(|side| side.panel.plain.as_ref());
        plain.is_some_and(|plain| plain.held.len() >= HELD)
    }

    /// A key after the prefix, as the dialogue has it; `None` where it means nothing now.
    pub(super) fn plain_action(&mut self, action: PrefixAction) -> Option<PrefixAction> {
        let is_open = self.panel_is_open();
        let can_open = self.modes.prints_anywhere();
        let Some(plain) = self.plain() else { return Some(action) };
        let wanted =
            of_dialogue(action).filter(|action| can_open || is_open || *action == PrefixAction::Cancel);
        if wanted.is_none() {
            self.send_tty(b"\x07");
            return None;
        }
        match action {
            PrefixAction::Toggle => plain.lines.say_again(),
            PrefixAction::Help => plain.lines.say_help(),
            _ => {}
        }
        plain.lines.note_key(false);
        wanted
    }

    /// The observer has come: goes below what the remote shows, and begins.
    pub(super) fn open_plain(&mut self, now: Instant) {
        let can_open = self.modes.prints_anywhere();
        let Some(Side { panel, watch, .. }) = &mut self.side else { return };
        let (Some(plain), Some(observer)) = (&mut panel.plain, watch.here()) else { return };
        if !can_open {
            panel.view.set_shown(false);
            panel.early.clear();
            watch.give_back(now);
            return self.send_tty(b"\x07");
        }
        let emulator = observer.emulator();
        let mut bytes = self.modes.cut();
        bytes.extend(self.modes.suspend_for_panel());
        bytes.extend(emulator.below());
        plain.back = [emulator.line_again(), self.modes.resume_from_panel(), self.modes.pending()].concat();
        panel.view.set_shown(true);
        panel.view.enter();
        panel.dirty = true;
        self.send_tty(&bytes);
        self.arm_plain();
        self.on_early_keys(now);
    }

    /// What the guard writes if the session ends at this moment.
    fn arm_plain(&mut self) {
        let is_open = self.panel_is_open();
        if let Some(guard) = &mut self.guard {
            let reset = [b"\x1b[m\r\n".to_vec(), Modes::new().resume_from_panel()].concat();
            guard.on_leave(if is_open { reset } else { Vec::new() });
        }
    }

    /// Output of ssh's while the dialogue is open.
    pub(super) fn hold(&mut self, bytes: &[u8], now: Instant) {
        let Some(Side { panel, watch, .. }) = &mut self.side else { return };
        watch.output(bytes, &self.modes, now);
        panel.dirty = true;
        if let Some(plain) = &mut panel.plain {
            plain.held.extend_from_slice(bytes);
        }
    }

    /// The window has another size, or the shell has had the terminal.
    pub(super) fn lay_plain_out(&mut self) {
        let size = self.size;
        let Some(Side { panel, watch, .. }) = &mut self.side else { return };
        if let Some(observer) = watch.here() {
            observer.resize(size);
        }
        panel.dirty = true;
        let bytes = panel.plain.as_mut().map(|plain| plain.lines.is_moved()).unwrap_or_default();
        self.send_tty(&bytes);
        self.set_remote_size(size);
    }

    /// Gives the terminal back to the remote.
    pub(super) fn leave_plain(&mut self, now: Instant) {
        let Some(side) = &mut self.side else { return };
        let panel = &mut side.panel;
        let bytes = panel.plain.as_mut().map(|plain| plain.leave(&panel.view)).unwrap_or_default();
        panel.view.set_shown(false);
        (side.panel.closing, side.panel.echo) = (false, None);
        side.watch.give_back(now);
        side.leave_file();
        self.send_tty(&bytes);
        self.arm_plain();
    }

    /// There is nothing more to be held back.
    pub(super) fn end_dialogue(&mut self) {
        if self.plain().is_some() {
            self.close_panel();
        }
    }

    /// Before a key of the dialogue. What is entered stays on the screen, so it is there first, however fast it came.
    pub(super) fn note_plain_key(&mut self, key: &KeyEvent, now: Instant) {
        let is_enter = key.code == KeyCode::Enter && !key.modifiers.contains(KeyModifiers::ALT);
        if self.plain().is_none() {
            return;
        }
        if is_enter && let Some(bytes) = self.picture(now) {
            self.send_tty(&bytes);
        }
        if let Some(plain) = self.plain() {
            plain.lines.note_key(is_enter);
        }
    }

    /// After a key of the dialogue: ends it where the key has left it, or sent a card.
    pub(super) fn follow_plain(&mut self, has_sent: bool, now: Instant) {
        let Some(side) = self.side.as_mut().filter(|side| side.panel.plain.is_some()) else { return };
        if has_sent && !side.panel.view.is_editing() && !side.panel.view.has_dialog() {
            side.panel.view.leave();
        }
        if side.panel.view.is_shown() && side.panel.view.focus() == Focus::Terminal {
            // The dim echo is the panel's; here the terminal shows the command as the remote echoes it.
            side.panel.echo = None;
            self.ask_to_close(now);
        }
    }
}

impl Side {
    /// A message that is a card's number picks the card, where there is one.
    pub(super) fn numbered_card(&self, action: &Action) -> Option<PrefixAction> {
        let Action::SubmitChat(text) = action else { return None };
        self.panel.plain.as_ref()?;
        let number = text.trim().parse::<u8>().ok().filter(|number| (1..=9).contains(number))?;
        let cards = self.copilot.suggestions.numbered().count() + self.copilot.files.open().count();
        (usize::from(number) <= cards).then_some(PrefixAction::Card(number))
    }
}
