//! What passes between ssh and the user: output to the terminal or to the panel, input to ssh or to the panel.

use super::Session;
use super::watch::Typed;
use crate::linus::contract::SessionEvent;
use crate::terminal::prefix::Piece;
use crate::terminal::pty::LineMode;
use crate::terminal::queries::is_reply;
use crate::ui::{PrefixAction, after_prefix};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::ops::Range;
use std::time::Instant;

/// What a key after the prefix does, if it does anything.
fn prefix_action(key: &KeyEvent) -> Option<PrefixAction> {
    match key.code {
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => after_prefix(c),
        KeyCode::Tab => after_prefix('\t'),
        _ => None,
    }
}

fn is_bound(key: &KeyEvent) -> bool {
    prefix_action(key).is_some()
}

impl Session {
    /// Something that ssh printed.
    pub(super) fn on_output(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        if !self.connected {
            self.before_connected(bytes);
        }
        self.recorders.output(bytes);
        self.end_secret(now);
        self.modes.feed(bytes);
        self.mind_local_prompt();
        if self.panel_is_open() {
            self.on_panel_output(bytes, now);
        } else {
            // The user's terminal first, untouched; everything else after it.
            self.send_tty(bytes);
            if let Some(side) = &mut self.side {
                side.watch.output(bytes, &self.modes, now);
            }
        }
        if let Some(side) = &mut self.side {
            side.linus.on_output(now);
            side.agents.on_output(bytes, side.local_secret, now);
        }
    }

    /// When ssh itself has something to say or to ask (`~C`, a host key), that belongs on the plain screen.
    fn mind_local_prompt(&mut self) {
        let Some(side) = &mut self.side else { return };
        let (shown, interrupted) = (side.panel.view.is_shown(), side.panel.interrupted);
        if !shown && !interrupted {
            return;
        }
        let raw = self.pty.line_mode() == LineMode::Raw;
        if shown && !raw {
            // What was looked back at over the whole screen is not opened again, nor is a dialogue in lines.
            side.panel.interrupted = !side.panel.view.choice().alone && side.panel.plain.is_none();
            self.close_panel();
        } else if interrupted && raw {
            side.panel.interrupted = false;
            self.open_panel();
        }
    }

    /// Takes the terminal's answer to where its cursor stood (CPR, `CSI row ; col R`) out of what was typed.
    fn without_place(&mut self, bytes: &[u8], now: Instant) -> Option<Vec<u8>> {
        let range = self.place_in(bytes, now)?;
        Some([&bytes[..range.start], &bytes[range.end..]].concat())
    }

    /// Notes that answer, if it is awaited and among these bytes, and says where.
    pub(super) fn place_in(&mut self, bytes: &[u8], now: Instant) -> Option<Range<usize>> {
        let (row, range) = self.places.take(bytes, now)?;
        if let (Some(side), Some(row)) = (&mut self.side, row) {
            side.panel.cursor_is_in(row);
        }
        Some(range)
    }

    /// ssh has not made its terminal raw yet, which it does when the session begins.
    fn before_connected(&mut self, bytes: &[u8]) {
        /// Enough for ssh's last line, which says why it gave up.
        const KEPT: usize = 4096;
        if self.pty.line_mode() == LineMode::Raw {
            self.connected = true;
            return self.on_connected();
        }
        self.before_session.extend_from_slice(bytes);
        let over = self.before_session.len().saturating_sub(KEPT);
        self.before_session.drain(..over);
    }

    /// The remote session has begun: ssh has made its terminal raw.
    fn on_connected(&mut self) {
        if let Some(side) = &mut self.side {
            side.linus.on_session(SessionEvent::Connected);
        }
        if self.open_when_connected {
            self.open_panel();
        }
    }

    /// Something that the user's terminal sent: keys, pastes, replies to queries.
    pub(super) fn on_input(&mut self, bytes: &[u8], now: Instant) {
        if let Some(rest) = self.without_place(bytes, now) {
            if !rest.is_empty() {
                self.on_input(&rest, now);
            }
            return;
        }
        let mode = self.pty.line_mode();
        self.note_secret(mode == LineMode::Secret, now);
        if self.side.is_none() && !self.panel_is_lost {
            return self.send_pty(bytes);
        }
        self.mind_local_prompt();
        if mode != LineMode::Raw {
            // A local prompt: its answer is for ssh alone, and the PTY makes ^C and ^\ into signals.
            let pieces = self.prefix.feed(bytes, true, is_bound);
            return pieces.into_iter().for_each(|piece| match piece {
                Piece::Through(bytes) => self.on_local_keys(&bytes, now),
                Piece::Action(_) => {}
            });
        }
        let pieces = self.prefix.feed(bytes, false, is_bound);
        self.prefix_until = self.prefix.wait().map(|wait| now + wait);
        self.on_pieces(pieces, now);
    }

    /// The time for the rest of a key after the prefix is over.
    pub(super) fn release_prefix(&mut self, now: Instant) {
        if self.prefix_until.is_some_and(|at| now >= at) {
            self.prefix_until = None;
            let pieces = self.prefix.flush(is_bound);
            self.on_pieces(pieces, now);
        }
    }

    fn on_pieces(&mut self, pieces: Vec<Piece>, now: Instant) {
        for piece in pieces {
            match piece {
                Piece::Through(bytes) => self.on_keys(&bytes, now),
                Piece::Action(key) => {
                    // Without a panel the prefix still is no key for the remote, where it could be SIGQUIT.
                    if self.side.is_none() {
                        self.send_tty(b"\x07");
                    } else if let Some(action) = prefix_action(&key) {
                        self.on_prefix(action, now);
                    }
                }
            }
        }
    }

    /// Input for ssh: sent at once; the tracker learns its kind and never its content.
    pub(super) fn pass_to_ssh(&mut self, bytes: &[u8], now: Instant) {
        if let Some(side) = &mut self.side {
            side.panel.held = None;
            side.panel.dirty |= side.panel.view.end_brief_notice();
        }
        self.send_pty(bytes);
        let Some(side) = &mut self.side else { return };
        if is_reply(bytes) {
            // The terminal's, not the user's: busybox ash asks for the cursor at each prompt.
            return;
        }
        side.user_typed();
        let mut text = false;
        for byte in bytes {
            let typed = match byte {
                b'\r' | b'\n' => Typed::Enter,
                0x03 | 0x04 => Typed::Interrupt,
                _ if text => continue,
                _ => Typed::Text,
            };
            text = typed == Typed::Text;
            side.watch.typed(typed, now);
        }
    }

    /// A secret that was asked for may be over: output tells, and one question to the PTY while it lasts.
    fn end_secret(&mut self, now: Instant) {
        if self.side.as_ref().is_some_and(|side| side.local_secret) {
            self.note_secret(self.pty.line_mode() == LineMode::Secret, now);
        }
    }

    /// Tells the tracker when ssh begins or ends asking for a secret.
    fn note_secret(&mut self, secret: bool, now: Instant) {
        if let Some(side) = &mut self.side
            && side.local_secret != secret
        {
            side.local_secret = secret;
            side.watch.typed(Typed::LocalSecret(secret), now);
        }
    }

    /// The user's terminal has another size.
    pub(super) fn on_resize(&mut self) {
        let Ok(size) = self.tty.size() else { return };
        if size == self.size {
            return;
        }
        self.size = size;
        self.modes.resized();
        if self.panel_is_open() {
            self.lay_out();
        } else {
            self.set_remote_size(size);
            if let Some(side) = &mut self.side {
                side.watch.resize(size, Instant::now());
            }
        }
    }
}
