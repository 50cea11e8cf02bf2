//! The built-in Linus: answers the contract's messages from runbooks, with no model and no network.
//!
//! Owns the state of his sessions and the JSON-RPC form of his answers ([`server`]). He never does I/O: text in,
//! envelopes out. Everything that reaches him is text that strangers can have written.

mod check;
mod command;
mod facts;
mod path;
mod plain;
// Not yet asked of any model: only tests compile it, and `said`.
#[cfg(test)]
mod prompt;
mod question;
mod quote;
mod readers;
mod runbook;
mod runbooks;
#[cfg(test)]
mod said;
pub mod schema;
pub mod server;
mod session;
mod size;
mod systemd;
mod voice;

use crate::linus::Canceller;
use crate::linus::contract::{Envelope, Request};
use crate::linus::service::Call;
use crate::text::{cut, last};
pub use check::{Summary, check};
pub(crate) use plain::printable;
pub use runbook::compile::Mistake;
use runbook::library::Library;
use session::{Executed, Session};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions that are remembered; the one that was silent for longest goes first. A wrapped session has one,
/// a team's server hundreds.
const MAX_SESSIONS: usize = 512;
/// A longer id is cut: ids are uuids.
const MAX_ID: usize = 128;
/// Text of one message that is read, from its end. What a command printed last is what counts.
const MAX_TEXT: usize = 12 * 1024 * 1024;

/// The built-in Linus. Several threads may ask him at once; those of one session take turns.
pub struct Builtin {
    library: Arc<Library>,
    sessions: Mutex<Sessions>,
    /// Whether he says unasked what he sees.
    watches: AtomicBool,
}

/// A session belongs to whoever began it: nobody else's id finds it.
type Key = (String, String);

#[derive(Default)]
struct Sessions {
    known: HashMap<Key, (u64, Arc<Mutex<Session>>)>,
    clock: u64,
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
        Self { library, sessions: Mutex::default(), watches: AtomicBool::new(false) }
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
    pub fn set_watch(&self, is_on: bool) {
        self.watches.store(is_on, Ordering::Relaxed);
    }

    /// The answer to one message of the one user of this process.
    pub fn handle(&self, request: &Request) -> Envelope {
        let cancel = Canceller::new();
        self.answer(
            request,
            &mut Call { principal: "", client: "", cancel: &cancel, on_progress: &mut |_| () },
        )
    }

    /// The answer to one message.
    pub fn answer(&self, request: &Request, call: &mut Call<'_>) -> Envelope {
        match request {
            Request::Chat { session_id, message, context } => {
                let mut context = context.clone();
                context.terminal_tail = last(&context.terminal_tail, MAX_TEXT).to_owned();
                held(&self.session(call.principal, session_id)).chat(message, &context)
            }
            Request::TerminalUpdate { session_id, new_output, terminal_tail, context } => {
                let watches = self.watches.load(Ordering::Relaxed);
                let (principal, id) = (call.principal, session_id);
                let session =
                    if watches { Some(self.session(principal, id)) } else { self.known(principal, id) };
                let Some(session) = session else { return Envelope::default() };
                let mut session = held(&session);
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
            } => match self.known(call.principal, session_id) {
                Some(session) => held(&session).command_executed(&Executed {
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
    fn session(&self, principal: &str, id: &str) -> Arc<Mutex<Session>> {
        let mut sessions = held(&self.sessions);
        let key = key(principal, id);
        if sessions.known.len() >= MAX_SESSIONS && !sessions.known.contains_key(&key) {
            let oldest = sessions.known.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            oldest.map(|oldest| sessions.known.remove(&oldest));
        }
        sessions.clock += 1;
        let clock = sessions.clock;
        let new = || (0, Arc::new(Mutex::new(Session::new(self.library.clone()))));
        let (used, session) = sessions.known.entry(key).or_insert_with(new);
        *used = clock;
        session.clone()
    }

    fn known(&self, principal: &str, id: &str) -> Option<Arc<Mutex<Session>>> {
        let mut sessions = held(&self.sessions);
        sessions.clock += 1;
        let clock = sessions.clock;
        let (used, session) = sessions.known.get_mut(&key(principal, id))?;
        *used = clock;
        Some(session.clone())
    }
}

fn key(principal: &str, id: &str) -> Key {
    (principal.to_owned(), cut(id, MAX_ID).to_owned())
}

/// A panic within a session's plan cannot leave more than a plan of no use.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
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
        let linus = Builtin::new();
        for i in 0..MAX_SESSIONS + 1 {
            linus.handle(&chat(&format!("s{i}"), "/var is full"));
        }
        let known = &held(&linus.sessions).known;
        assert_eq!(known.len(), MAX_SESSIONS);
        assert!(!known.contains_key(&key("", "s0")) && known.contains_key(&key("", "s1")));
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
        let linus = Builtin::new();
        linus.handle(&chat("a", "/var is full"));
        let answer = linus.handle(&chat("b", "what now?"));
        assert!(answer.suggested_commands.is_none());
    }
}
