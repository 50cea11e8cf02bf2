//! What the hub knows of its session.

use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde_json::{Value, json};

use crate::agents::protocol::{Refused, Why};
use crate::linus::redact::Redactor;
use crate::shell::State;

/// Nothing was printed for so long: what runs there waits, or is done.
pub(super) const QUIET: Duration = Duration::from_secs(2);

/// What the main loop says of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    pub state: State,
    /// ssh itself asks for a secret.
    pub is_local_secret: bool,
    /// The command language, where it is known.
    pub dialect: Option<&'static str>,
    pub cwd: Option<String>,
}

/// A command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub command: Option<String>,
    pub exit: Option<i32>,
}

/// A card and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardNote {
    pub id: String,
    /// Who proposed it: `Linus`, `aissh`, or an agent.
    pub by: String,
    /// As the user left it.
    pub command: String,
    /// `proposed`, `edited`, `sent`, `done`, `dismissed`, `refused`.
    pub state: &'static str,
    pub was_edited: bool,
    /// Of the command, once it has ended; `null` where nothing told.
    pub exit_code: Option<i32>,
    pub risk: &'static str,
    pub reason: Option<String>,
}

/// Everything that is not output.
pub(super) struct Board {
    pub(super) id: String,
    pub(super) alias: String,
    pub(super) ssh_host: String,
    pub(super) user: String,
    pub(super) seen: Seen,
    pub(super) last_output: Option<Instant>,
    pub(super) is_shared: bool,
    /// Commands that have ended since the session began.
    pub(super) commands: u64,
    pub(super) last: Option<Ended>,
    pub(super) cards: Vec<CardNote>,
    pub(super) pending: usize,
    pub(super) exit: Option<i32>,
    began: SystemTime,
}

impl Board {
    pub(super) fn new(id: String, alias: String, ssh_host: String, user: String) -> Self {
        Self {
            id,
            alias,
            ssh_host,
            user,
            seen: Seen::default(),
            last_output: None,
            is_shared: false,
            commands: 0,
            last: None,
            cards: Vec::new(),
            pending: 0,
            exit: None,
            began: SystemTime::now(),
        }
    }

    /// When nothing will have been printed for long enough.
    pub(super) fn quiet_at(&self) -> Option<Instant> {
        self.last_output.map(|at| at + QUIET)
    }

    pub(super) fn is_quiet(&self, now: Instant) -> bool {
        self.quiet_at().is_none_or(|at| now >= at)
    }

    pub(super) fn is_secret(&self) -> bool {
        self.seen.is_local_secret || self.seen.state == State::Secret
    }

    pub(super) fn not_shared(&self) -> Refused {
        let alias = &self.alias;
        let what = format!("the user has not shared {alias}: ask them to press the prefix and A there");
        Refused::new(Why::NotShared, what)
    }

    /// The word for it.
    pub(super) fn state(&self, now: Instant) -> &'static str {
        match self.seen.state {
            _ if self.exit.is_some() => "exited",
            _ if self.is_secret() => "secret",
            State::FullScreen => "full_screen",
            State::AtPrompt => "at_prompt",
            State::Running => "busy",
            State::Waiting | State::Program => "idle",
            State::Unknown | State::Secret if self.is_quiet(now) => "idle",
            State::Unknown | State::Secret => "busy",
        }
    }

    /// Metadata; and where the session is shared, or it is the user's own aissh that asks, what came of its commands and
    /// cards.
    pub(super) fn about(&self, is_own: bool, redactor: &mut Redactor, now: Instant) -> Value {
        let age = self.began.elapsed().map_or(0, |age| age.as_secs());
        let mut about = json!({
            "id": self.id, "alias": self.alias, "ssh_host": self.ssh_host, "user": self.user,
            "dialect": self.seen.dialect, "state": self.state(now), "shared": self.is_shared,
            "age_s": age, "pending_cards": self.pending,
        });
        if self.is_shared || is_own {
            about["cwd"] = json!(self.seen.cwd.as_deref().map(|cwd| clean(cwd, redactor)));
            about["commands"] = json!(self.commands);
            about["last_command"] = json!(self.last.as_ref().map(|last| json!({
                "command": last.command.as_deref().map(|command| clean(command, redactor)),
                "exit_code": last.exit,
            })));
            about["cards"] = self.cards.iter().map(|card| self.card(card, redactor)).collect();
        }
        about
    }

    fn card(&self, card: &CardNote, redactor: &mut Redactor) -> Value {
        let mut value = json!(card);
        value["command"] = json!(clean(&card.command, redactor));
        value["reason"] = json!(card.reason.as_deref().map(|reason| clean(reason, redactor)));
        value
    }
}

/// A text as it may leave.
pub(super) fn clean(text: &str, redactor: &mut Redactor) -> String {
    redactor.redact(text).map_or_else(|_| "[withheld]".to_owned(), |redacted| redacted.text)
}
