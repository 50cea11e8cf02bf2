//! Whose keys: ssh's, or the panel's while it has the focus; and the replies of the user's terminal among them.

use super::{Session, Side};
use crate::copilot::policy::{Mode, Stop};
use crate::terminal::keys::Token;
use crate::terminal::queries::Reply;
use crate::terminal::replies::Input;
use crate::ui::{Action, Focus, PrefixAction};
use crossterm::event::{KeyCode, KeyEvent};
use std::time::Instant;

/// Keys for a panel that is about to open; more than anybody types in that moment.
const EARLY_KEYS: usize = 4096;

impl Session {
    /// Keys that are not the prefix's.
    pub(super) fn on_keys(&mut self, bytes: &[u8], now: Instant) {
        let Some(Side { panel, .. }) = &mut self.side else { return self.send_pty(bytes) };
        if panel.opening && (panel.view.focus() == Focus::Panel || panel.looks_back.is_some()) {
            // Meant for the panel, which is a moment away.
            let room = EARLY_KEYS.saturating_sub(panel.early.len());
            return panel.early.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        if panel.view.is_shown() && panel.view.takes_keys() {
            let tokens = panel.keys.feed(bytes);
            panel.keys_until = panel.keys.wait().map(|wait| now + wait);
            return self.on_tokens(tokens, now);
        }
        let pieces = self.split(bytes, now);
        self.on_pieces_for_ssh(pieces, now);
    }

    /// Keys for a prompt of ssh's own, on the plain screen.
    pub(super) fn on_local_keys(&mut self, bytes: &[u8], now: Instant) {
        for piece in self.split(bytes, now) {
            if !self.is_no_typing(&piece, now) {
                self.send_pty(&piece.into_bytes());
            }
        }
    }

    /// Takes apart what is for ssh, if there may be something in it that was asked for by the panel. Else nothing is to be
    /// held.
    fn split(&mut self, bytes: &[u8], now: Instant) -> Vec<Input> {
        let awaits_place = self.places.is_awaited(now);
        let Some(Side { panel, .. }) = &mut self.side else { return vec![Input::Plain(bytes.to_vec())] };
        let bytes = panel.keys.without_rest(bytes);
        if !(awaits_place || panel.opening || panel.may_be_asked(now) || panel.splitter.is_within()) {
            return vec![Input::Plain(bytes.to_vec())];
        }
        // An unfinished sequence is held for a moment, a lone ESC too: it could be a reply or the mark of a paste.
        let pieces = panel.splitter.feed(bytes);
        panel.pieces_until = panel.splitter.wait(awaits_place).map(|wait| now + wait);
        pieces
    }

    /// The time for the rest of a key or a reply is over; without a time it is over at once.
    pub(super) fn flush_keys(&mut self, now: Option<Instant>) {
        let Some(Side { panel, .. }) = &mut self.side else { return };
        let is_over = |until: Option<Instant>| until.is_some_and(|at| now.is_none_or(|now| now >= at));
        let mut tokens = Vec::new();
        if is_over(panel.keys_until) {
            panel.keys_until = None;
            tokens = panel.keys.flush();
            if !panel.view.is_shown() {
                // The beginning of a key for a panel that has closed since.
                tokens.clear();
            }
        }
        let mut pieces = Vec::new();
        if is_over(panel.pieces_until) {
            panel.pieces_until = None;
            pieces = panel.splitter.flush();
        }
        let now = now.unwrap_or_else(Instant::now);
        self.on_tokens(tokens, now);
        self.on_pieces_for_ssh(pieces, now);
    }

    /// Input for the terminal pane, without what is not the user's typing. The terminal marks every paste while the
    /// panel is drawn; the marks are for the remote only if it wants them.
    fn on_pieces_for_ssh(&mut self, pieces: Vec<Input>, now: Instant) {
        let mut pieces = pieces.into_iter();
        while let Some(piece) = pieces.next() {
            if !self.is_no_typing(&piece, now) {
                self.pass_to_ssh(&piece.into_bytes(), now);
            } else if self.panel_takes_keys() {
                // A click gave the focus away: what came with it is not for ssh any more.
                let mut rest: Vec<u8> = pieces.flat_map(Input::into_bytes).collect();
                if let Some(side) = &mut self.side {
                    rest.extend(side.panel.splitter.take_held());
                }
                return self.on_keys(&rest, now);
            }
        }
    }

    /// Takes a piece of input that is not for ssh as it is: it was asked for by the panel, or for ssh by the panel.
    fn is_no_typing(&mut self, piece: &Input, now: Instant) -> bool {
        match piece {
            Input::Plain(_) => false,
            Input::PasteMark(_) => {
                let may_be_asked = self.side.as_ref().is_some_and(|side| side.panel.may_be_asked(now));
                may_be_asked && !self.modes.bracketed_paste()
            }
            Input::Sequence(raw) => self.on_reply(raw, now) || self.on_report(raw, now),
        }
    }

    fn panel_takes_keys(&self) -> bool {
        self.side.as_ref().is_some_and(|side| side.panel.view.is_shown() && side.panel.view.takes_keys())
    }

    /// Takes a reply of the user's terminal; false if it is none.
    fn on_reply(&mut self, raw: &[u8], now: Instant) -> bool {
        // It came in two reads; in one it would have been taken out of them (`without_place`).
        if self.place_in(raw, now).is_some() {
            return true;
        }
        let Some(Side { panel, .. }) = &mut self.side else { return false };
        match panel.outstanding.claim(raw, now) {
            Reply::ToSsh => self.send_pty(raw),
            Reply::Drop if panel.view.is_shown() => {}
            // The remote has asked by itself.
            Reply::Drop | Reply::NotAReply => return false,
        }
        true
    }

    /// Input for the panel.
    fn on_tokens(&mut self, tokens: Vec<(Vec<u8>, Token)>, now: Instant) {
        let mut tokens = tokens.into_iter();
        while let Some((raw, token)) = tokens.next() {
            let Some(side) = &mut self.side else { return };
            side.note_place(now);
            side.panel.dirty = true;
            match token {
                // It has stopped auto, and does not answer anything besides.
                Token::Key(key) if side.policy.key() && matches!(key.code, KeyCode::Enter | KeyCode::Esc) => {
                }
                Token::Key(key) => {
                    let has_sent = self.on_panel_key(key, now);
                    if !self.panel_is_open() {
                        // What was typed behind one that has sent something was not meant for what that starts.
                        if !has_sent {
                            self.hand_on(tokens, now);
                        }
                        return;
                    }
                }
                Token::Paste { text, truncated } => {
                    side.policy.key();
                    side.panel.held = None;
                    side.panel.view.paste(&String::from_utf8_lossy(&text));
                    if truncated {
                        side.panel.view.set_notice("the paste was longer than 1 MiB and is cut");
                    }
                }
                Token::Reply(_) => {
                    self.on_reply(&raw, now);
                }
                Token::Mouse(_) | Token::Focus(_) => {
                    self.on_report(&raw, now);
                    if !self.panel_takes_keys() {
                        return self.hand_on(tokens, now);
                    }
                }
                Token::Unknown => {}
            }
        }
    }

    /// The keys are ssh's from here on: with what is held of one that has not ended.
    fn hand_on(&mut self, tokens: impl Iterator<Item = (Vec<u8>, Token)>, now: Instant) {
        let mut rest: Vec<u8> = tokens.flat_map(|(raw, token)| token.into_bytes(raw)).collect();
        if let Some(Side { panel, .. }) = &mut self.side {
            rest.extend(panel.keys.take_held());
            panel.keys_until = None;
        }
        self.on_keys(&rest, now);
    }

    /// A key for the panel; true if it has sent something.
    fn on_panel_key(&mut self, key: KeyEvent, now: Instant) -> bool {
        self.note_plain_key(&key, now);
        let Some(Side { panel, copilot, .. }) = &mut self.side else { return false };
        let was_editing = panel.view.is_editing();
        let actions = panel.view.key(key, copilot, now);
        if panel.plain.is_some() && was_editing && !panel.view.is_editing() {
            // Nothing shows which card is chosen, and one Escape is to lead back to the question.
            panel.view.choose_none();
        }
        let sends = |a: &Action| matches!(a, Action::SendCard { .. } | Action::Integrate(_));
        let has_sent = actions.iter().any(sends);
        if !has_sent && !panel.view.is_confirming() {
            // What was held is sent by the same key again, and by nothing that comes after another.
            panel.held = None;
        }
        self.act(actions, now);
        self.follow_plain(has_sent, now);
        has_sent
    }

    /// A key after the prefix.
    pub(super) fn on_prefix(&mut self, action: PrefixAction, now: Instant) {
        // What came before it comes first: an Escape that still waits for the rest of a key.
        self.flush_keys(None);
        let Some(action) = self.plain_action(action) else { return };
        let Some(Side { panel, copilot, policy, .. }) = &mut self.side else { return };
        panel.held = None;
        panel.dirty = true;
        // These two end auto by themselves, and say so in their own words.
        if !matches!(action, PrefixAction::Policy | PrefixAction::Cancel) {
            policy.key();
        }
        if action == PrefixAction::Toggle && panel.opening {
            // Pressed again before it was there.
            return self.close_panel();
        }
        let actions = panel.view.prefix(action, copilot, now);
        self.act(actions, now);
        self.follow_plain(false, now);
    }

    pub(super) fn act(&mut self, actions: Vec<Action>, now: Instant) {
        for action in actions {
            let Some(side) = &mut self.side else { return };
            if let Some(card) = side.numbered_card(&action) {
                self.on_prefix(card, now);
                continue;
            }
            match action {
                Action::OpenPanel => self.open_panel(),
                Action::ClosePanel => self.ask_to_close(now),
                Action::Relayout => self.lay_out(),
                Action::LookBack(begin) => self.look_back(begin),
                Action::Copy { text, leave } => self.copy(&text, leave, now),
                Action::ToRemote(mouse) => self.mouse_to_remote(mouse),
                Action::Arrows { up } => self.arrows(up, now),
                Action::SendCard { id, text, was_edited } if side.policy.mode() == Mode::Suggest => {
                    self.put_card(&id, &text, was_edited, now)
                }
                Action::SendCard { id, text, was_edited } => self.send_card(&id, &text, was_edited, now),
                Action::NextMode => self.next_mode(),
                Action::TurnAutoOn(word) => self.turn_auto_on(&word, now),
                Action::DismissStop => drop(side.policy.dismiss()),
                Action::SubmitChat(text) => side.chat(&text, now),
                Action::Integrate(shell) => self.integrate(shell, now),
                Action::DeclineIntegration => side.decline_integration(),
                Action::Leaf(action) => side.on_leaf(action, now),
                Action::OpenRoster(list) => side.open_roster(list),
                Action::Roster(key) => side.on_roster(&key, now),
                Action::SendOffers => side.send_offers(now),
                Action::DropOffers => side.drop_offers(),
                Action::Consent(yes) => side.consent(yes, now),
                Action::Pause => side.toggle_pause(now),
                Action::OpenFile(id) => self.open_file(&id),
                Action::File(answer) => self.on_file_answer(answer),
                Action::Health => self.toggle_health(now),
                Action::HealthConsent(yes) => side.consent_to_health(yes, now),
                Action::Cancel => {
                    side.policy.stop(Stop::User);
                    side.cancel(true, now);
                }
                Action::CancelChat => side.cancel(false, now),
            }
        }
    }

    /// Closes now, or when the echo of the last card has come, so that the replay keeps it dimmed.
    pub(super) fn ask_to_close(&mut self, now: Instant) {
        if let Some(side) = &mut self.side
            && side.waits_for_echo(now)
        {
            side.panel.closing = true;
            return;
        }
        self.close_panel();
    }
}
