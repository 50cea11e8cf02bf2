//! Sending a card: the user pressed Enter on the edit line, and the text is typed into the session.

use super::{Session, Side};
use crate::control::{Refusal, keystrokes, line_without_enter};
use crate::copilot::policy::Stop;
use crate::copilot::risk::Syntax;
use crate::copilot::{Happening, Place};
use crate::linus::redact::{self, Quoting};
use crate::shell::{CommandRecord, Input, Observer, Origin, State};
use crate::terminal::EchoStart;
use crate::terminal::pty::LineMode;
use std::time::{Duration, Instant};

/// How long the echo of a card is waited for; closing the panel waits as long.
pub(super) const ECHO_WITHIN: Duration = Duration::from_secs(1);

/// What a value that the user filled into a card is called where it is masked.
const FILLED_IN: &str = "filled-in";

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

/// A card that stands on the remote's line.
pub(super) struct Put {
    pub(super) id: String,
    /// What was typed; it may hold secrets.
    pub(super) text: String,
    /// The card's text, with its holes.
    pub(super) told: String,
    pub(super) was_edited: bool,
}

/// The bytes for a text that is typed, or why it cannot be; whether the remote knows pastes.
type Encode = fn(&str, bool) -> Result<Vec<u8>, Refusal>;

impl Session {
    /// Types a card into the session, or says why not; then the card is on the edit line again.
    pub(super) fn send_card(&mut self, id: &str, text: &str, was_edited: bool, now: Instant) {
        let Some((keys, typed)) = self.keys_of(id, text, keystrokes, now) else { return };
        if let Some(side) = &mut self.side {
            side.policy.stop(Stop::SentByUser);
        }
        self.type_card(id, typed, was_edited, &keys, now);
    }

    /// What a card takes to be typed, and the text that it types, which may hold secrets. Where something is in the way
    /// the panel says it, and there is nothing.
    fn keys_of(&mut self, id: &str, text: &str, encode: Encode, now: Instant) -> Option<(Vec<u8>, String)> {
        let line_mode = self.pty.line_mode();
        let paste = self.modes.bracketed_paste();
        let side = self.side.as_mut()?;
        let text = text.trim_end_matches('\n');
        let filled = match side.obstacle(id, text, line_mode, now) {
            Some(why) => Err(why),
            None => side.with_secrets(text).map_err(|why| format!("Not sent: {why}")),
        };
        let keys = filled.and_then(|typed| match encode(&typed, paste) {
            Ok(keys) => Ok((keys, typed)),
            Err(refusal) => Err(format!("Not sent: {}", refusal.text())),
        });
        keys.map_err(|why| side.not_sent(id, why)).ok()
    }

    /// The card goes over the wire, with Enter. `typed` may hold secrets.
    pub(super) fn type_card(&mut self, id: &str, typed: String, was_edited: bool, keys: &[u8], now: Instant) {
        let Some(side) = &mut self.side else { return };
        side.learn_values();
        let told = side.told(id, &typed);
        let Side { panel, watch, copilot, .. } = side;
        let Some(observer) = watch.here() else { return };
        let start = observer.emulator().echo_start();
        let origin = Origin::Suggested { id: id.to_owned(), was_edited };
        observer.input(Input::Sent { command: &told, origin }, now);
        copilot.happened(Happening::Sent { id: id.to_owned(), command: told });
        copilot.suggestions.sent(id, now);
        panel.echo = Some(Echo { start, text: typed, until: now + ECHO_WITHIN });
        self.send_pty(keys);
    }

    /// Puts a card on the remote's line, where the user enters it or not.
    pub(super) fn put_card(&mut self, id: &str, text: &str, was_edited: bool, now: Instant) {
        let Some((keys, typed)) = self.keys_of(id, text, line_without_enter, now) else { return };
        let Some(side) = &mut self.side else { return };
        side.learn_values();
        let told = side.told(id, text);
        let Some(observer) = side.watch.here() else { return };
        observer.input(Input::Text, now);
        side.copilot.suggestions.was_put(id);
        side.put = Some(Put { id: id.to_owned(), text: typed, told, was_edited });
        side.panel.view.leave();
        side.panel.view.set_notice("On the line: Enter there runs it");
        self.send_pty(&keys);
    }
}

/// Why nothing may be typed now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hindrance {
    /// Whatever the user says.
    Never(&'static str),
    /// The same key again types it.
    ToJudge(String),
}

/// What was held back, and the sentence that said why. The same again, with nothing changed in between, is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeldBack {
    id: String,
    text: String,
    why: String,
    place: Place,
}

impl Side {
    /// What was filled into a card is kept out of what is read off the screen.
    fn learn_values(&mut self) {
        for value in self.copilot.suggestions.take_values() {
            self.linus.learn(value.as_str(), FILLED_IN);
        }
    }

    /// What is told of a card that is typed: its text with its holes and placeholders, never what was typed, which holds
    /// the secrets. `text` where there is no card any more.
    fn told(&self, id: &str, text: &str) -> String {
        let told = self.copilot.suggestions.get(id).map_or(text, |card| card.text());
        told.trim_end_matches('\n').to_owned()
    }

    fn not_sent(&mut self, id: &str, why: String) {
        self.panel.view.not_sent(id, &why, &mut self.copilot);
        self.copilot.happened(Happening::Refused { id: id.to_owned(), reason: why });
    }

    /// The command with what its placeholders stand for, put in at the last moment. From then on that is known as a
    /// secret in whatever form it comes back.
    fn with_secrets(&mut self, text: &str) -> Result<String, String> {
        if redact::places(text).is_empty() {
            return Ok(text.to_owned());
        }
        if let Some(what) = self.elsewhere() {
            return Err(format!("its secret was seen at the login, and this is another place: {what}"));
        }
        let dialect = self.watch.here().map(|observer| observer.facts().dialect);
        let quoting = match dialect.map(Syntax::of) {
            Some(Syntax::Posix) => Quoting::Posix,
            Some(Syntax::Fish) => Quoting::Fish,
            _ => Quoting::None,
        };
        let target = self.linus.target().to_owned();
        let filled = self.linus.redactor.restore(text, &target).fill(quoting)?;
        for (secret, class) in &filled.secrets {
            self.linus.learn(secret, class);
        }
        Ok(filled.command)
    }

    /// What a card would do depends on who reads it.
    pub(super) fn note_place(&mut self, now: Instant) {
        if let Some(observer) = self.watch.here() {
            self.copilot.suggestions.set_place(Place::new(observer.facts(), observer.state()), now);
        }
    }

    /// What a command that has ended says of the remote's means, and of a timer that it has set.
    pub(super) fn learn_means(&mut self, record: &CommandRecord, now: Instant) {
        let id = match &record.origin {
            Origin::Suggested { id, .. } => Some(id.as_str()),
            Origin::UserTyped | Origin::Integration => None,
        };
        let command = record.command.as_deref().unwrap_or_default();
        let exit = record.exit.map(|exit| exit.code);
        self.copilot.suggestions.learn(id, command, &record.output, exit, now);
    }

    fn obstacle(&mut self, id: &str, text: &str, line_mode: LineMode, now: Instant) -> Option<String> {
        self.note_place(now);
        let change = self.copilot.suggestions.change(id).map(|change| format!("Not sent: {change}"));
        let hindrance = match (change, self.hindrance(line_mode, now)) {
            (Some(change), None) => Some(Hindrance::ToJudge(change)),
            (Some(change), Some(Hindrance::ToJudge(why))) => {
                Some(Hindrance::ToJudge(format!("{change}. {why}")))
            }
            (_, hindrance) => hindrance,
        };
        self.held_back(id, text, hindrance, "Enter sends it all the same")
    }

    /// What the remote says can hold a send back, never bring one about.
    pub(super) fn hindrance(&mut self, line_mode: LineMode, now: Instant) -> Option<Hindrance> {
        use Hindrance::Never;
        let judge = |why: &str| Hindrance::ToJudge(why.to_owned());
        let Some(observer) = self.watch.here() else { return Some(Never("the terminal is not followed")) };
        match (line_mode, observer.state()) {
            (LineMode::Secret, _) => Some(Never("ssh asks for a secret")),
            (LineMode::Cooked, _) => Some(Never("ssh is not connected")),
            (LineMode::Raw, State::Secret) => Some(Never("a secret is asked for")),
            (LineMode::Raw, State::FullScreen) => Some(Never("a full-screen program runs")),
            (LineMode::Raw, State::Running) => Some(judge("Something runs there")),
            (LineMode::Raw, State::Waiting) => Some(judge("A pager or a question waits for a key there")),
            (LineMode::Raw, State::Program) => Some(judge("A program reads input there")),
            (LineMode::Raw, _) if observer.line_is_taken(now) => {
                Some(judge("The remote's line is not empty"))
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
        let why = match hindrance? {
            Hindrance::Never(why) => return Some(format!("Not sent: {why}")),
            Hindrance::ToJudge(why) => why,
        };
        let place = self.copilot.suggestions.place().clone();
        let sentence = format!("{why}. {again}");
        let this = HeldBack { id: id.to_owned(), text: text.to_owned(), why, place };
        if held.as_ref() == Some(&this) {
            return None;
        }
        self.panel.held = Some(this);
        Some(sentence)
    }
}
