//! What goes to Linus and what comes back: the dispatch says when, this composes what, the lanes carry it.

mod calls;

use super::alerts::Alerts;
use super::watch::{Since, Snapshot};
use crate::copilot::Place;
use crate::linus::contract::{ChatContext, Context, HostContext, Request, SessionEvent, Source};
use crate::linus::dispatch::{Dispatch, Due, Gate, Lane, Ticket};
use crate::linus::lanes::{Lanes, Work};
use crate::linus::redact::{Class, Redactor, Unredactable};
use crate::linus::sharing::Sharing;
use crate::linus::{CallError, Takes};
use crate::record::Event;
use crate::shell::{CommandRecord, Nonce, Origin};
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Leaving waits this long for Linus and no longer.
const FAREWELL: Duration = Duration::from_millis(50);
/// The snapshot that says where a pause has ended. Calls count from 1.
const PAUSE_END: Ticket = 0;
/// A snapshot for what is only looked at. It is there at once or not at all.
const PREVIEW: Ticket = Ticket::MAX - 1;
/// The one that says where host health would be read.
pub(super) const HEALTH: Ticket = Ticket::MAX - 2;

/// A message that is composed to be looked at.
pub(super) enum Preview {
    Chat(String),
    Update,
}

/// A command as the tracker reported it.
#[derive(Debug, Clone)]
pub(super) struct Ran {
    record: CommandRecord,
    command: String,
}

/// This session's side of the conversation.
pub(super) struct Linus {
    pub(super) dispatch: Dispatch<Ran, SessionEvent>,
    lanes: Lanes,
    session_id: String,
    /// Who gets what leaves this process, if anything does.
    pub(super) recipient: Option<String>,
    /// What must not be in any message.
    nonce: Nonce,
    pub(super) redactor: Redactor,
    /// The user knows that updates are not sent, and why.
    is_withheld_told: bool,
    /// `user@host` and user, as far as known.
    ssh_host: String,
    ssh_user: String,
    pub(super) connected: bool,
    /// Calls that wait for a snapshot of the screen.
    awaiting: HashMap<Ticket, (Lane, Due<Ran, SessionEvent>)>,
    /// Where the session was when these calls were made: what comes of them belongs there.
    pub(super) places: HashMap<Ticket, Place>,
    /// The lines that the next terminal update starts from, and after the update under way.
    since: Since,
    next_line: Option<(Ticket, u64)>,
    pub(super) alerts: Alerts,
    pub(super) sharing: Sharing,
    /// The command that runs was entered while commands were not told.
    is_untold: bool,
    /// What of the background Linus takes.
    pub(super) takes: Takes,
    /// The chat's entry in the panel for each message that was accepted.
    pub(super) entries: HashMap<u64, u64>,
    /// What was said last about credentials that are not accepted.
    pub(super) denied: Option<String>,
    /// What is to be kept of it, until the main loop takes it.
    pub(super) recorded: Vec<Event>,
    /// What the recording has yet to know as secrets.
    pub(super) learned: Vec<(String, Class)>,
    /// Jitter without a generator: the low digits of the clock do for spreading retries.
    started: Instant,
}

impl Linus {
    pub(super) fn new(
        lanes: Lanes,
        session_id: String,
        nonce: Nonce,
        redactor: Redactor,
        now: Instant,
    ) -> Self {
        Self {
            dispatch: Dispatch::new(),
            lanes,
            session_id,
            recipient: None,
            nonce,
            redactor,
            is_withheld_told: false,
            ssh_host: String::new(),
            ssh_user: String::new(),
            connected: false,
            awaiting: HashMap::new(),
            places: HashMap::new(),
            since: Since::default(),
            next_line: None,
            alerts: Alerts::default(),
            sharing: Sharing::default(),
            is_untold: false,
            takes: Takes::default(),
            entries: HashMap::new(),
            denied: None,
            recorded: Vec::new(),
            learned: Vec::new(),
            started: now,
        }
    }

    /// Another Linus, who has not heard of this session.
    pub(super) fn meet(&mut self, lanes: Lanes, recipient: Option<String>) {
        (self.lanes, self.recipient) = (lanes, recipient);
        self.dispatch.meet_another();
        if self.connected {
            self.dispatch.session(SessionEvent::Connected);
        }
    }

    /// Who is logged in where, as ssh resolved it.
    pub(super) fn set_target(&mut self, user: Option<&str>, host: Option<&str>) {
        self.ssh_user = user.unwrap_or_default().to_owned();
        self.ssh_host = match (user, host) {
            (Some(user), Some(host)) => format!("{user}@{host}"),
            (_, host) => host.unwrap_or_default().to_owned(),
        };
    }

    pub(super) fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The chat's entry for a message.
    pub(super) fn entry(&self, id: u64) -> Option<u64> {
        self.entries.get(&id).copied()
    }

    /// A text as it may be on the disk.
    pub(super) fn harmless(&mut self, text: &str) -> Result<String, Unredactable> {
        self.redactor.redact_ours(&self.nonce.mask(text)).map(|redacted| redacted.text)
    }

    pub(super) fn target(&self) -> &str {
        &self.ssh_host
    }

    pub(super) fn user(&self) -> &str {
        &self.ssh_user
    }

    /// A snapshot of all that may be told.
    pub(super) fn everything(&self) -> Since {
        self.since
    }

    /// The session as a question of the user's takes it along from elsewhere, without its secrets.
    pub(super) fn told_elsewhere(&mut self, snapshot: Snapshot) -> Result<ChatContext, Unredactable> {
        let pause = std::mem::replace(&mut self.is_untold, false);
        let context = self.chat_context(snapshot);
        self.is_untold = pause;
        let message = String::new();
        let mut request = Request::Chat { session_id: self.session_id.clone(), message, context };
        self.mask(&mut request);
        self.redactor.redact_request(&mut request)?;
        match request {
            Request::Chat { context, .. } => Ok(context),
            _ => Err(Unredactable::TooLong),
        }
    }

    pub(super) fn on_output(&mut self, now: Instant) {
        if self.connected && self.takes.updates {
            self.dispatch.output(now);
        }
    }

    pub(super) fn on_session(&mut self, event: SessionEvent) {
        self.connected = event == SessionEvent::Connected;
        self.dispatch.session(event);
    }

    /// A command was entered.
    pub(super) fn on_start(&mut self) {
        self.is_untold = self.dispatch.gate() != Gate::Open;
    }

    /// Reports a command once: at 5 s with what there is, or at its end; at both where the server wants that.
    pub(super) fn on_command(&mut self, record: CommandRecord) {
        // What cannot be told is not reported; its output goes with the terminal updates.
        let is_told = self.takes.commands && (!record.reported || self.takes.finals) && !self.is_untold;
        if let Some(command) = record.command.clone().filter(|_| is_told) {
            self.dispatch.command(Ran { record, command });
        }
    }

    /// Whether he is yet to hear, or to answer, how a command ended.
    pub(super) fn is_telling(&self) -> bool {
        self.dispatch.is_telling()
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.dispatch.deadline()
    }

    /// Tells Linus how the session ended, and leaves. Past the dispatch: there is no later to keep anything for.
    pub(super) fn leave(mut self, event: SessionEvent) {
        self.lanes.cancel(Lane::Background);
        if self.dispatch.gate() == Gate::Open {
            let farewell = Work::Call(self.session_state(event));
            self.lanes.send(Lane::Background, Ticket::MAX, farewell);
        }
        self.lanes.shutdown(FAREWELL);
    }

    /// Records the message that [`Linus::leave`] sends, while there is a record.
    pub(super) fn note_farewell(&mut self, event: SessionEvent) {
        if let Some(to) = self.recipient.clone().filter(|_| self.dispatch.gate() == Gate::Open) {
            let request = self.session_state(event);
            self.recorded.push(super::record::payload(&request, &to));
        }
    }

    fn session_state(&self, event: SessionEvent) -> Request {
        let context = HostContext { ssh_host: self.ssh_host.clone(), ssh_user: self.ssh_user.clone() };
        Request::SessionState { session_id: self.session_id.clone(), event, context }
    }

    /// A due message with the session as it is now.
    fn compose(
        &mut self,
        ticket: Ticket,
        due: Due<Ran, SessionEvent>,
        snapshot: Snapshot,
    ) -> Option<Request> {
        let session_id = self.session_id.clone();
        // `clear` has moved the cursor above where the pause ended.
        self.since.pause = self.since.pause.min(snapshot.line);
        Some(match due {
            Due::Chat { message, .. } => {
                let context = self.chat_context(snapshot);
                Request::Chat { session_id, message, context }
            }
            Due::TerminalUpdate => {
                self.next_line = Some((ticket, snapshot.line));
                let context = self.context(snapshot.facts.cwd);
                let new_output = self.alerts.after(snapshot.new_output, ticket);
                let terminal_tail = snapshot.unpaused;
                Request::TerminalUpdate { session_id, new_output, terminal_tail, context }
            }
            Due::Command(ran) => {
                let context = self.context(snapshot.facts.cwd);
                let (source, suggestion_id, was_edited) = match ran.record.origin {
                    Origin::UserTyped | Origin::Integration => (Source::UserTyped, None, None),
                    Origin::Suggested { id, was_edited } => (Source::Suggested, Some(id), Some(was_edited)),
                };
                Request::CommandExecuted {
                    session_id,
                    command: ran.command,
                    source,
                    suggestion_id,
                    was_edited,
                    output: ran.record.output,
                    exit_code: ran.record.exit.map(|e| e.code),
                    is_final: ran.record.finished,
                    context,
                }
            }
            Due::Session(event) => self.session_state(event),
            Due::Probe => return None,
        })
    }

    /// Takes the nonce out of what goes to Linus: it was typed into the remote, and may be on its screen.
    fn mask(&self, request: &mut Request) {
        let mask = |text: &mut String| {
            if let Cow::Owned(masked) = self.nonce.mask(text) {
                *text = masked;
            }
        };
        match request {
            Request::Chat { message, context, .. } => {
                [message, &mut context.terminal_tail].into_iter().for_each(mask);
                [&mut context.cwd, &mut context.last_command].into_iter().flatten().for_each(mask);
            }
            Request::TerminalUpdate { new_output, terminal_tail, context, .. } => {
                [new_output, terminal_tail].into_iter().chain(&mut context.cwd).for_each(mask);
            }
            Request::CommandExecuted { command, output, context, .. } => {
                [command, output].into_iter().chain(&mut context.cwd).for_each(mask);
            }
            Request::SessionState { .. } => {}
        }
    }

    /// From now on this is a secret, wherever it comes back from.
    pub(super) fn learn(&mut self, secret: &str, class: Class) {
        self.redactor.learn(secret, class);
        self.learned.push((secret.to_owned(), class));
    }

    /// An update that was taken back was not seen: its lines are new still. One that failed is dropped.
    pub(super) fn note_update(&mut self, ticket: Ticket, error: Option<&CallError>) {
        self.alerts.note_update(ticket, error);
        if let Some((_, line)) = self.next_line.take_if(|(update, _)| *update == ticket)
            && error != Some(&CallError::Cancelled)
        {
            self.since.new = line;
        }
    }

    fn context(&self, cwd: Option<String>) -> Context {
        Context { ssh_host: self.ssh_host.clone(), ssh_user: self.ssh_user.clone(), cwd }
    }

    /// What a question takes with it. What happened in a pause goes with one that is asked in the pause.
    fn chat_context(&self, snapshot: Snapshot) -> ChatContext {
        let is_open = self.dispatch.gate() == Gate::Open;
        let is_told = !(is_open && self.is_untold);
        let facts = snapshot.facts;
        ChatContext {
            ssh_host: self.ssh_host.clone(),
            ssh_user: self.ssh_user.clone(),
            connected: self.connected,
            terminal_tail: if is_open { snapshot.unpaused } else { snapshot.tail },
            cwd: facts.cwd,
            last_command: facts.last_command.filter(|_| is_told),
            last_exit_code: facts.last_exit.filter(|_| is_told),
        }
    }

    /// Any number from 0 to 1.
    pub(super) fn jitter(&self, now: Instant) -> f64 {
        f64::from((now - self.started).subsec_nanos() % 1000) / 1000.0
    }
}
