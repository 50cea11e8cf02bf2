//! Sending a card: the user pressed Enter on the edit line, and the text is typed into the session.

use super::{Session, Side};
use crate::control::keystrokes;
use crate::copilot::risk::Syntax;
use crate::shell::{Input, Observer, Origin, State};
use crate::terminal::EchoStart;
use crate::terminal::pty::LineMode;
use std::time::{Duration, Instant};

/// How long the echo of a card is waited for; closing the panel waits as long.
pub(super) const ECHO_WITHIN: Duration = Duration::from_secs(1);

/// A card on its way over the wire: its echo is dimmed when it shows.
pub(super) struct Echo {
    start: EchoStart,
    text: String,
    until: Instant,
}

impl Echo {
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// Dims it if it is there.
    pub(super) fn dim(&self, observer: &mut Observer) -> bool {
        observer.emulator_mut().dim_echo(self.start, &self.text)
    }
}

impl Session {
    /// Types a card into the session, or says why not; then the card is on the edit line again.
    pub(super) fn send_card(&mut self, id: &str, text: &str, was_edited: bool, now: Instant) {
        let line_mode = self.pty.line_mode();
        let paste = self.modes.bracketed_paste();
        let Some(side) = &mut self.side else { return };
        let text = text.trim_end_matches('\n');
        let keys = match side.obstacle(id, text, line_mode, now) {
            Some(why) => Err(why),
            None => keystrokes(text, paste).map_err(|refusal| format!("Not sent: {}", refusal.text())),
        };
        let Side { panel, watch, copilot, .. } = side;
        match (keys, watch.here()) {
            (Ok(keys), Some(observer)) => {
                let start = observer.emulator().echo_start();
                panel.echo = Some(Echo { start, text: text.to_owned(), until: now + ECHO_WITHIN });
                let origin = Origin::Suggested { id: id.to_owned(), was_edited };
                observer.input(Input::Sent { command: text, origin }, now);
                self.send_pty(&keys);
            }
            (Err(why), _) => {
                panel.view.not_sent(id, &why, copilot);
            }
            (Ok(_), None) => {}
        }
    }
}

/// Why nothing may be typed now.
pub(super) enum Hindrance {
    /// Whatever the user says.
    Never(&'static str),
    /// The same key again types it.
    ToJudge(&'static str),
}

impl Side {
    /// What a card would do depends on what reads it.
    pub(super) fn note_dialect(&mut self) {
        if let Some(observer) = self.watch.here() {
            self.copilot.suggestions.set_syntax(Syntax::of(observer.facts().dialect));
        }
    }

    fn obstacle(&mut self, id: &str, text: &str, line_mode: LineMode, now: Instant) -> Option<String> {
        let hindrance = self.hindrance(line_mode, now);
        self.held_back(id, text, hindrance, "Enter sends anyway")
    }

    /// What the remote says can hold a send back, never bring one about.
    pub(super) fn hindrance(&mut self, line_mode: LineMode, now: Instant) -> Option<Hindrance> {
        use Hindrance::{Never, ToJudge};
        let Some(observer) = self.watch.here() else { return Some(Never("the terminal is not followed")) };
        match (line_mode, observer.state()) {
            (LineMode::Secret, _) => Some(Never("ssh asks for a secret")),
            (LineMode::Cooked, _) => Some(Never("ssh is not connected")),
            (LineMode::Raw, State::Secret) => Some(Never("a secret is asked for")),
            (LineMode::Raw, State::FullScreen) => Some(Never("a full-screen program runs")),
            (LineMode::Raw, State::Running) => Some(ToJudge("Something runs there")),
            (LineMode::Raw, State::Waiting) => Some(ToJudge("A pager or a question waits for a key there")),
            (LineMode::Raw, State::Program) => Some(ToJudge("A program reads input there")),
            (LineMode::Raw, _) if observer.line_is_taken(now) => {
                Some(ToJudge("The remote's line is not empty"))
            }
            (LineMode::Raw, State::AtPrompt | State::Unknown) => None,
        }
    }

    /// The sentence that tells of a hindrance; `None` where there is none, or where it was told of this text before.
    pub(super) fn held_back(
        &mut self,
        id: &str,
        text: &str,
        hindrance: Option<Hindrance>,
        again: &str,
    ) -> Option<String> {
        let held = self.panel.held.take();
        let to_judge = match hindrance? {
            Hindrance::Never(why) => return Some(format!("Not sent: {why}")),
            Hindrance::ToJudge(why) => why,
        };
        let this = (id.to_owned(), text.to_owned(), to_judge);
        if held.as_ref() == Some(&this) {
            return None;
        }
        self.panel.held = Some(this);
        Some(format!("{to_judge}. {again}"))
    }
}
