//! Whose keys: ssh's, or the panel's while it has the focus; and the replies of the user's terminal among them.

use super::{Session, Side};
use crate::terminal::keys::Token;
use crate::terminal::queries::Reply;
use crate::terminal::replies::Input;
use crate::ui::{Action, Focus, PrefixAction};
use std::time::Instant;

impl Session {
    /// Keys that are not the prefix's.
    pub(super) fn on_keys(&mut self, bytes: &[u8], now: Instant) {
        let Some(Side { panel, .. }) = &mut self.side else { return self.send_pty(bytes) };
        if !panel.view.is_shown() {
            return self.pass_to_ssh(bytes, now);
        }
        if panel.view.focus() == Focus::Panel {
            let tokens = panel.keys.feed(bytes);
            panel.keys_until = panel.keys.wait().map(|wait| now + wait);
            return self.on_tokens(tokens, now);
        }
        // Replies are looked for only while one is awaited: nothing else delays a key.
        if panel.outstanding.deadline().is_none() && panel.replies_until.is_none() {
            return self.pass_to_ssh(bytes, now);
        }
        let pieces = panel.replies.feed(bytes);
        panel.replies_until = panel.replies.wait().map(|wait| now + wait);
        self.on_replies(pieces, now);
    }

    /// The time for the rest of a key or a reply is over.
    pub(super) fn flush_keys(&mut self, now: Instant) {
        let Some(Side { panel, .. }) = &mut self.side else { return };
        let mut tokens = Vec::new();
        if panel.keys_until.is_some_and(|at| now >= at) {
            panel.keys_until = None;
            tokens = panel.keys.flush();
        }
        let mut pieces = Vec::new();
        if panel.replies_until.is_some_and(|at| now >= at) {
            panel.replies_until = None;
            pieces = panel.replies.flush();
        }
        self.on_tokens(tokens, now);
        self.on_replies(pieces, now);
    }

    /// Input for the terminal pane, out of which the replies to forwarded queries are taken.
    fn on_replies(&mut self, pieces: Vec<Input>, now: Instant) {
        for piece in pieces {
            let Some(Side { panel, .. }) = &mut self.side else { return };
            match piece {
                Input::Plain(bytes) => self.pass_to_ssh(&bytes, now),
                Input::Sequence(raw) => match panel.outstanding.claim(&raw, now) {
                    Reply::ToSsh => self.send_pty(&raw),
                    Reply::Drop => {}
                    Reply::NotAReply => self.pass_to_ssh(&raw, now),
                },
            }
        }
    }

    /// Input for the panel.
    fn on_tokens(&mut self, tokens: Vec<(Vec<u8>, Token)>, now: Instant) {
        for (raw, token) in tokens {
            let Some(Side { panel, copilot, .. }) = &mut self.side else { return };
            panel.dirty = true;
            match token {
                Token::Key(key) => {
                    let actions = panel.view.key(key, copilot, now);
                    self.act(actions, now);
                }
                Token::Paste { text, truncated } => {
                    panel.view.paste(&String::from_utf8_lossy(&text));
                    if truncated {
                        panel.view.set_notice("the paste was longer than 1 MiB and is cut");
                    }
                }
                Token::Reply(_) if panel.outstanding.claim(&raw, now) == Reply::ToSsh => self.send_pty(&raw),
                Token::Reply(_) | Token::Mouse | Token::Focus(_) | Token::Unknown => {}
            }
        }
    }

    /// A key after the prefix.
    pub(super) fn on_prefix(&mut self, action: PrefixAction, now: Instant) {
        let Some(Side { panel, copilot, .. }) = &mut self.side else { return };
        panel.dirty = true;
        let actions = panel.view.prefix(action, copilot, now);
        self.act(actions, now);
    }

    fn act(&mut self, actions: Vec<Action>, now: Instant) {
        for action in actions {
            let Some(side) = &mut self.side else { return };
            match action {
                Action::OpenPanel => self.open_panel(),
                Action::ClosePanel => self.ask_to_close(),
                Action::Relayout => self.lay_out(),
                Action::SendCard { id, text, was_edited } => self.send_card(&id, &text, was_edited, now),
                Action::SubmitChat(text) => side.chat(&text),
                Action::Cancel => side.linus.cancel(),
                // The prefix machine has sent the prefix; the view has done the others.
                Action::SendPrefix | Action::Focus(_) | Action::DismissCard(_) => {}
            }
        }
    }

    /// Closes now, or when the echo of the last card has come, so that the replay keeps it dimmed.
    fn ask_to_close(&mut self) {
        match &mut self.side {
            Some(Side { panel, .. }) if panel.echo.is_some() => panel.closing = true,
            _ => self.close_panel(),
        }
    }
}
