//! The built-in Linus: answers the contract's messages from runbooks, with no model and no network.
//!
//! Owns the state of his sessions and the JSON-RPC form of his answers ([`server`]). He never does I/O: text in,
//! envelopes out. Everything that reaches him is text that strangers can have written.

mod check;
mod command;
mod facts;
mod path;
mod plain;
mod question;
mod quote;
mod readers;
mod runbook;
mod runbooks;
pub mod schema;
pub mod server;
mod session;
mod size;
mod systemd;
mod voice;

use crate::linus::contract::{Envelope, Request};
use crate::text::{cut, last};
pub use check::{Summary, check};
pub(crate) use plain::printable;
pub use runbook::compile::Mistake;
use runbook::library::Library;
use session::{Executed, Session};
use std::collections::HashMap;
use std::sync::Arc;

/// Sessions that are remembered; the one that was silent for longest goes first. A wrapped session has one,
/// a team's server hundreds.
const MAX_SESSIONS: usize = 512;
/// A longer id is cut: ids are uuids.
const MAX_ID: usize = 128;
/// Text of one message that is read, from its end. What a command printed last is what counts.
const MAX_TEXT: usize = 12 * 1024 * 1024;

/// The built-in Linus.
pub struct Builtin {
    library: Arc<Library>,
    sessions: HashMap<String, (u64, Session)>,
    clock: u64,
    /// Whether he says unasked what he sees.
    watches: bool,
}

impl Default for Builtin {
    fn default() -> Self {
        Self::new()
    }
}

impl Builtin {
    pub fn new() -> Self {
        Self::of(Library::compiled_in())
    }

    fn of(library: Arc<Library>) -> Self {
        Self { library, sessions: HashMap::new(), clock: 0, watches: false }
    }

    /// Knows the user's runbooks too, given as (file, text): one that has the name of one of ours takes its place. A
    /// file with mistakes costs itself; they come back with the file's name.
    pub fn with_runbooks<'a>(
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> (Self, Vec<(String, Mistake)>) {
        let (library, mistakes) = Library::with(files);
        (Self::of(Arc::new(library)), mistakes)
    }

    /// Another who knows the same runbooks and remembers nothing.
    pub fn sibling(&self) -> Self {
        Self::of(self.library.clone())
    }

    /// From now on he says unasked, now and then, what his runbooks see on a terminal; or does not.
    pub fn set_watch(&mut self, is_on: bool) {
        self.watches = is_on;
    }

    /// The answer to one message.
    pub fn handle(&mut self, request: &Request) -> Envelope {
        match request {
            Request::Chat { session_id, message, context } => {
                let mut context = context.clone();
                context.terminal_tail = last(&context.terminal_tail, MAX_TEXT).to_owned();
                self.session(session_id).chat(message, &context)
            }
            Request::TerminalUpdate { session_id, new_output, terminal_tail, context } => {
                let watches = self.watches;
                let session = if watches { Some(self.session(session_id)) } else { self.known(session_id) };
                let Some(session) = session else { return Envelope::default() };
                session.look(terminal_tail);
                let envelope = session.terminal_update(last(new_output, MAX_TEXT), context);
                if watches && envelope.is_empty() { session.watch(terminal_tail, context) } else { envelope }
            }
            // It runs on: what it prints comes with the updates, and its end will be told.
            Request::CommandExecuted { is_final: false, .. } => Envelope::default(),
            Request::CommandExecuted {
                session_id,
                command,
                source,
                suggestion_id,
                output,
                exit_code,
                context,
                ..
            } => match self.known(session_id) {
                Some(session) => session.command_executed(&Executed {
                    command,
                    source: *source,
                    suggestion_id: suggestion_id.as_deref(),
                    output: last(output, MAX_TEXT),
                    exit_code: *exit_code,
                    context,
                }),
                None => Envelope::default(),
            },
            // A plan outlives a lost connection: the same session may come back.
            Request::SessionState { .. } => Envelope::default(),
        }
    }

    /// A chat starts a session, and an update where he watches: other events of others cost no memory.
    fn session(&mut self, id: &str) -> &mut Session {
        self.clock += 1;
        let id = cut(id, MAX_ID).to_owned();
        if self.sessions.len() >= MAX_SESSIONS && !self.sessions.contains_key(&id) {
            let oldest = self.sessions.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            oldest.map(|oldest| self.sessions.remove(&oldest));
        }
        let new = || (0, Session::new(self.library.clone()));
        let (used, session) = self.sessions.entry(id).or_insert_with(new);
        *used = self.clock;
        session
    }

    fn known(&mut self, id: &str) -> Option<&mut Session> {
        let id = cut(id, MAX_ID);
        self.clock += 1;
        let (used, session) = self.sessions.get_mut(id)?;
        *used = self.clock;
        Some(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linus::contract::ChatContext;

    fn chat(session: &str, message: &str) -> Request {
        Request::Chat {
            session_id: session.into(),
            message: message.into(),
            context: ChatContext {
                ssh_host: "root@h".into(),
                ssh_user: "root".into(),
                connected: true,
                terminal_tail: String::new(),
                cwd: None,
                last_command: None,
                last_exit_code: None,
            },
        }
    }

    #[test]
    fn sessions_are_bounded_and_the_longest_silent_one_goes_first() {
        let mut linus = Builtin::new();
        for i in 0..MAX_SESSIONS + 1 {
            linus.handle(&chat(&format!("s{i}"), "/var is full"));
        }
        assert_eq!(linus.sessions.len(), MAX_SESSIONS);
        assert!(!linus.sessions.contains_key("s0") && linus.sessions.contains_key("s1"));
    }

    #[test]
    fn what_he_does_not_know_he_says() {
        let answer = Builtin::new().handle(&chat("s", "how do I tune postgres?"));
        let message = answer.chat_response.clone().map(|c| c.message).unwrap_or_default();
        assert!(
            message.starts_with("I don't know. I have ") && message.contains("runbooks, no model"),
            "{message}"
        );
        assert!(answer.suggested_commands.is_none() && answer.intent_update.is_none());
    }

    #[test]
    fn one_session_knows_nothing_of_another() {
        let mut linus = Builtin::new();
        linus.handle(&chat("a", "/var is full"));
        let answer = linus.handle(&chat("b", "what now?"));
        assert!(answer.suggested_commands.is_none());
    }
}
