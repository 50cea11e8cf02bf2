//! The panel's life in a session: opening, drawing, its keys, sending cards, closing.
//!
//! While it is shown the observer is here, every byte of ssh's goes to the emulator, and only what is drawn
//! reaches the user's terminal.

use super::fault::planted;
use super::{Session, Side};
use crate::control::keystrokes;
use crate::shell::{Input, Origin, State};
use crate::terminal::keys::Token;
use crate::terminal::pty::LineMode;
use crate::terminal::queries::{self, Answer, Reply};
use crate::terminal::replies;
use crate::terminal::{EchoStart, Mark, Signal};
use crate::ui::{self, Action, Focus, Layout, PrefixAction, Status};
use std::time::{Duration, Instant};

/// At most 60 frames a second.
const FRAME: Duration = Duration::from_millis(16);
/// How long closing waits for the echo of a card that was just sent, so that the replay keeps it dimmed.
const ECHO_WITHIN: Duration = Duration::from_secs(1);

/// A card on its way over the wire: its echo is dimmed when it shows.
pub(super) struct Echo {
    start: EchoStart,
    text: String,
    until: Instant,
}

/// The user's screen as the panel found it.
pub(super) struct Taken {
    mark: Mark,
    /// The panel is on the terminal's alternate screen, and the remote was not.
    switched: bool,
}

/// Bytes that end the panel's drawing and bring the screen back that it was drawn over.
pub(super) fn leave(taken: Option<&Taken>) -> Vec<u8> {
    let mut bytes = b"\x1b[?2026l\x1b[0m\x1b[?25h".to_vec();
    if taken.is_some_and(|taken| taken.switched) {
        bytes.extend_from_slice(b"\x1b[?1049l");
    }
    bytes
}

impl Session {
    pub(super) fn panel_is_open(&self) -> bool {
        self.side.as_ref().is_some_and(|side| side.view.is_shown())
    }

    /// Takes the screen over.
    pub(super) fn open_panel(&mut self) {
        let Some(side) = &mut self.side else { return };
        if side.view.is_shown() {
            return;
        }
        let Some(observer) = side.watch.borrow(&self.modes) else {
            // The emulator is gone; there is nothing to draw from.
            return self.send_tty(b"\x07");
        };
        observer.emulator_mut().take_signals();
        let switched = !self.modes.is_alternate();
        side.taken = Some(Taken { mark: observer.emulator().mark(), switched });
        side.view.set_shown(true);
        // The user's terminal may stand in the middle of a sequence: it is ended there, and goes on in the emulator.
        let mut bytes = self.modes.cut();
        if switched {
            bytes.extend_from_slice(b"\x1b[?1049h");
        }
        bytes.extend(self.modes.suspend_for_panel());
        self.send_tty(&bytes);
        self.lay_out();
    }

    /// Gives the screen back: what the terminal would show had there been no panel.
    pub(super) fn close_panel(&mut self) {
        let Some(side) = &mut self.side else { return };
        if !side.view.is_shown() {
            return;
        }
        side.view.set_shown(false);
        side.closing = None;
        side.echo = None;
        let taken = side.taken.take();
        let mut bytes = leave(taken.as_ref());
        // `replay` starts from a cursor of default shape, as `suspend_for_panel` left it.
        bytes.extend_from_slice(b"\x1b[0 q");
        if let Some(observer) = side.watch.here() {
            if observer.emulator().size() != self.size {
                observer.resize(self.size);
            }
            bytes.extend(taken.map(|taken| observer.emulator().replay(&taken.mark)).unwrap_or_default());
        }
        side.watch.give_back();
        self.remote_size(self.size);
        self.send_tty(&bytes);
        self.arm();
    }

    /// Lays the panes out for the present size, and tells the remote if its part changed.
    pub(super) fn lay_out(&mut self) {
        let size = self.size;
        let Some(side) = &mut self.side else { return };
        side.layout = Layout::new(size, side.view.choice());
        side.screen.resize(size);
        side.dirty = true;
        let remote = side.layout.remote(size);
        if let Some(observer) = side.watch.here()
            && observer.emulator().size() != remote
        {
            observer.resize(remote);
        }
        self.remote_size(remote);
        self.arm();
    }

    pub(super) fn remote_size(&mut self, remote: crate::terminal::Size) {
        if self.remote != remote {
            self.remote = remote;
            let _ = self.pty.resize(remote);
        }
    }

    /// What the guard writes if the session ends at this moment.
    pub(super) fn arm(&mut self) {
        let taken = self.side.as_ref().and_then(|side| side.taken.as_ref());
        let bytes = taken.map(|taken| leave(Some(taken))).unwrap_or_default();
        if let Some(guard) = &self.guard {
            guard.on_leave(bytes);
        }
    }

    /// Output of ssh's while the panel is shown.
    pub(super) fn on_panel_output(&mut self, bytes: &[u8], now: Instant) {
        let Some(side) = &mut self.side else { return };
        side.watch.output(bytes, now);
        side.dirty = true;
        let Some(observer) = side.watch.here() else { return };
        if let Some(echo) = &side.echo
            && (observer.emulator_mut().dim_echo(echo.start, &echo.text) || now >= echo.until)
        {
            side.echo = None;
        }
        let size = observer.emulator().size();
        let (mut to_ssh, mut to_tty) = (Vec::new(), Vec::new());
        for signal in observer.emulator_mut().take_signals() {
            match signal {
                Signal::Query(query) => match queries::answer(&query, size) {
                    Answer::Local(bytes) => to_ssh.extend(bytes),
                    Answer::Forward(bytes) => {
                        side.outstanding.forwarded(&query, now);
                        to_tty.extend(bytes);
                    }
                    Answer::Drop => {}
                },
                Signal::Forward(bytes) => to_tty.extend(bytes),
                Signal::Bell => to_tty.push(0x07),
                Signal::Osc(_) | Signal::BracketedPaste(_) | Signal::Alternate(_) => {}
            }
        }
        // A local prompt would take an answer for the password.
        if !to_ssh.is_empty() && self.line_mode() == LineMode::Raw {
            self.send_pty(&to_ssh);
        }
        self.send_tty(&to_tty);
    }

    /// Keys that are not the prefix's: ssh's, or the panel's while it has the focus.
    pub(super) fn on_keys(&mut self, bytes: &[u8], now: Instant) {
        let Some(side) = &mut self.side else { return self.send_pty(bytes) };
        if !side.view.is_shown() {
            return self.pass_to_ssh(bytes, now);
        }
        if side.view.focus() == Focus::Panel {
            let tokens = side.keys.feed(bytes);
            side.keys_until = side.keys.wait().map(|wait| now + wait);
            return self.on_tokens(tokens, now);
        }
        // Replies are looked for only while one is awaited: nothing else delays a key.
        if side.outstanding.deadline().is_none() && side.replies_until.is_none() {
            return self.pass_to_ssh(bytes, now);
        }
        let pieces = side.replies.feed(bytes);
        side.replies_until = side.replies.wait().map(|wait| now + wait);
        self.on_replies(pieces, now);
    }

    /// Input for the terminal pane, out of which the replies to forwarded queries are taken.
    fn on_replies(&mut self, pieces: Vec<replies::Input>, now: Instant) {
        for piece in pieces {
            let Some(side) = &mut self.side else { return };
            match piece {
                replies::Input::Plain(bytes) => self.pass_to_ssh(&bytes, now),
                replies::Input::Sequence(raw) => match side.outstanding.claim(&raw, now) {
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
            let Some(side) = &mut self.side else { return };
            side.dirty = true;
            match token {
                Token::Key(key) => {
                    let actions = side.view.key(key, &mut side.copilot, now);
                    self.act(actions, now);
                }
                Token::Paste { text, truncated } => {
                    side.view.paste(&String::from_utf8_lossy(&text));
                    if truncated {
                        side.view.set_notice("the paste was longer than 1 MiB and is cut");
                    }
                }
                Token::Reply(_) if side.outstanding.claim(&raw, now) == Reply::ToSsh => self.send_pty(&raw),
                Token::Reply(_) | Token::Mouse | Token::Focus(_) | Token::Unknown => {}
            }
        }
    }

    /// A key after the prefix.
    pub(super) fn on_prefix(&mut self, action: PrefixAction, now: Instant) {
        let Some(side) = &mut self.side else { return };
        side.dirty = true;
        let actions = side.view.prefix(action, &mut side.copilot, now);
        self.act(actions, now);
    }

    fn act(&mut self, actions: Vec<Action>, now: Instant) {
        for action in actions {
            match action {
                Action::OpenPanel => self.open_panel(),
                Action::ClosePanel => self.ask_to_close(now),
                Action::Relayout => self.lay_out(),
                // The prefix machine has sent it already.
                Action::SendPrefix => {}
                Action::SendCard { id, text, was_edited } => self.send_card(&id, &text, was_edited, now),
                Action::SubmitChat(text) => {
                    if let Some(side) = &mut self.side {
                        side.chat(&text);
                    }
                }
                Action::Cancel => {
                    if let Some(side) = &mut self.side {
                        side.linus.cancel();
                    }
                }
                Action::Focus(_) | Action::DismissCard(_) => {}
            }
        }
    }

    /// Closes now, or when the echo of the last card has come.
    fn ask_to_close(&mut self, now: Instant) {
        match &mut self.side {
            Some(side) if side.echo.is_some() => side.closing = Some(now + ECHO_WITHIN),
            _ => self.close_panel(),
        }
    }

    /// Types a card into the session. The user pressed Enter on it.
    fn send_card(&mut self, id: &str, text: &str, was_edited: bool, now: Instant) {
        let line_mode = self.line_mode();
        let paste = self.modes.bracketed_paste();
        let Some(side) = &mut self.side else { return };
        let insists = side.held.take().is_some_and(|held| held == id);
        let state = side.watch.here().map(|observer| observer.state());
        let why = match state {
            None => Some("the terminal is not followed any more".to_owned()),
            Some(State::Running) if !insists => {
                side.held = Some(id.to_owned());
                Some("something is running; Enter once more sends it all the same".to_owned())
            }
            Some(state) => obstacle(state, line_mode),
        };
        let keys = match why {
            Some(why) => Err(why),
            None => keystrokes(text, paste).map_err(|refusal| refusal.text()),
        };
        let keys = match keys {
            Ok(keys) => keys,
            Err(why) => return side.copilot.suggestions.not_sent(id, &why, now),
        };
        if let Some(observer) = side.watch.here() {
            let text = text.trim_end_matches('\n');
            let start = observer.emulator().echo_start();
            side.echo = Some(Echo { start, text: text.to_owned(), until: now + ECHO_WITHIN });
            let origin = Origin::Suggested { id: id.to_owned(), was_edited };
            observer.input(Input::Sent { command: text, origin }, now);
        }
        self.send_pty(&keys);
    }

    /// Draws what has changed, if it is time and the terminal takes it.
    pub(super) fn draw(&mut self, now: Instant) {
        let Some(side) = &mut self.side else { return };
        if !side.view.is_shown() || !side.dirty || now < side.next_frame || !self.to_tty.is_empty() {
            return;
        }
        side.dirty = false;
        side.next_frame = now + FRAME;
        planted("panel");
        let status = Status {
            target: side.linus.target().to_owned(),
            policy: "confirm",
            secret: side.local_secret || side.watch.here().is_some_and(|o| o.state() == State::Secret),
            prefix: self.prefix_name.clone(),
        };
        let Some(observer) = side.watch.here_ref() else { return };
        let screen = observer.emulator().screen();
        let (view, copilot, layout) = (&mut side.view, &side.copilot, &side.layout);
        let bytes = side.screen.draw(|frame| ui::draw(frame, layout, screen, view, copilot, &status));
        self.send_tty(&bytes);
    }

    /// Panel deadlines: a pending Esc, the wait for an echo, a frame that was too early.
    pub(super) fn on_panel_time(&mut self, now: Instant) {
        let Some(side) = &mut self.side else { return };
        if side.echo.as_ref().is_some_and(|echo| now >= echo.until) {
            side.echo = None;
        }
        let close = side.closing.is_some_and(|at| side.echo.is_none() || now >= at);
        if close {
            self.close_panel();
        }
        let Some(side) = &mut self.side else { return };
        if side.keys_until.is_some_and(|at| now >= at) {
            side.keys_until = None;
            let tokens = side.keys.flush();
            self.on_tokens(tokens, now);
        }
        let Some(side) = &mut self.side else { return };
        if side.replies_until.is_some_and(|at| now >= at) {
            side.replies_until = None;
            let pieces = side.replies.flush();
            self.on_replies(pieces, now);
        }
        self.draw(now);
    }
}

impl Side {
    /// When [`Session::on_panel_time`] has something to do.
    pub(super) fn panel_deadline(&self) -> Option<Instant> {
        if !self.view.is_shown() {
            return None;
        }
        let frame = self.dirty.then_some(self.next_frame);
        let echo = self.echo.as_ref().map(|e| e.until);
        [frame, echo, self.closing, self.keys_until, self.replies_until].into_iter().flatten().min()
    }
}

/// Why nothing may be typed now. What the remote says can hold a send back, never bring one about.
fn obstacle(state: State, line_mode: LineMode) -> Option<String> {
    match (line_mode, state) {
        (LineMode::Raw, State::Secret) => Some("the remote is asking for a secret".into()),
        (LineMode::Raw, State::FullScreen) => Some("a full-screen program has the terminal".into()),
        (LineMode::Raw, _) => None,
        (LineMode::Secret, _) => Some("ssh is asking for a secret".into()),
        (LineMode::Cooked, _) => Some("ssh is not connected yet".into()),
    }
}
