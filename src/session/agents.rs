//! This session and other agents: what the hub is told of it, what it asks, and whether they see it at all.

use super::wake::Waker;
use super::watch::{Snapshot, give_way, seen};
use super::{Event, Side, Verdict};
use crate::agents::client::sessions;
use crate::agents::hub::{Act, Attached, CardNote, Ended, Hub, Seen, Setup, Update};
use crate::agents::protocol::{Refused, Why};
use crate::agents::runtime::Folder;
use crate::config::Share;
use crate::copilot::{Card, CardState};
use crate::facts::tools::{Outcome, ToolError};
use crate::linus::contract::Envelope;
use crate::linus::redact::{Class, Options};
use crate::record;
use crate::shell::{CommandRecord, Origin, State};
use crate::ssh::Facts;
use serde_json::{Map, Value, json};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Bytes of the screen that a session shows when it is shared.
const SHOWN: usize = 32 * 1024;
/// Snapshots for questions from elsewhere have tickets from here on; calls to Linus count from 1.
const ELSEWHERE: u64 = 1 << 62;

/// Where the hub's thread and others send what they have.
type Events = (SyncSender<Event>, Waker);

/// Put there by the reply that a tool is handed.
type HostDone = Arc<Mutex<Vec<(u64, String, Result<Outcome, ToolError>)>>>;

/// The main loop's side of it.
pub(super) struct Agents {
    /// `None` where none could be started: the session goes on without.
    hub: Option<Hub>,
    share: Share,
    pub(super) is_shared: bool,
    /// The user has said so or so: the configuration is not asked any more.
    is_decided: bool,
    pub(super) alias: String,
    /// Why there is no hub.
    pub(super) failure: Option<String>,
    pub(super) attached: Vec<Attached>,
    seen: Seen,
    /// What was told of it.
    told: Seen,
    cards_changed: bool,
    /// Cards that came without an id have one by this number.
    numbered: u64,
    /// The user's live sessions, while they are looked at.
    pub(super) sessions: Option<Result<Vec<Value>, String>>,
    /// What tools of the host's facts have answered, for whom.
    host_done: HostDone,
    /// Questions from elsewhere that wait for a snapshot.
    elsewhere: Vec<u64>,
    events: Events,
}

impl Agents {
    pub(super) fn start(redact: Options, linus: &super::Linus, target: &Facts, events: Events) -> Self {
        let host = target.host.clone().or_else(|| target.hostname.clone()).unwrap_or_default();
        let setup = Setup {
            id: linus.session_id().to_owned(),
            host,
            ssh_host: linus.target().to_owned(),
            user: linus.user().to_owned(),
            redact,
            on_start: give_way,
            folder: Box::new(Folder::of_user),
        };
        let (event_tx, waker) = events.clone();
        let hub = Hub::start(setup, move |act| {
            if event_tx.send(Event::Agent(act)).is_ok() {
                waker.wake();
            }
        });
        Self {
            failure: hub.as_ref().err().map(ToString::to_string),
            hub: hub.ok(),
            share: Share::Ask,
            is_shared: false,
            is_decided: false,
            alias: String::new(),
            attached: Vec::new(),
            seen: Seen::default(),
            told: Seen::default(),
            cards_changed: false,
            numbered: 0,
            sessions: None,
            host_done: HostDone::default(),
            elsewhere: Vec::new(),
            events,
        }
    }

    fn tell(&self, update: Update) {
        if let Some(hub) = &self.hub {
            hub.tell(update);
        }
    }

    /// ssh has printed something. Nothing of it is kept for agents that they may not see, nor while a secret is entered.
    pub(super) fn on_output(&self, bytes: &[u8], is_local_secret: bool, now: Instant) {
        if let Some(hub) = &self.hub {
            let is_secret = is_local_secret || self.seen.state == State::Secret;
            hub.output((self.is_shared && !is_secret).then_some(bytes), now);
        }
    }

    pub(super) fn on_seen(&mut self, seen: Seen) {
        self.seen = Seen { is_local_secret: self.seen.is_local_secret, ..seen };
    }

    pub(super) fn on_target(&self, ssh_host: &str, user: &str) {
        self.tell(Update::Target { ssh_host: ssh_host.to_owned(), user: user.to_owned() });
    }

    pub(super) fn on_command(&mut self, record: &CommandRecord) {
        self.cards_changed = true;
        if record.finished && record.origin != Origin::Integration {
            let exit = record.exit.map(|exit| exit.code);
            self.tell(Update::Command(Ended { command: record.command.clone(), exit }));
        }
    }

    pub(super) fn learn(&self, secret: &str, class: Class) {
        self.tell(Update::Learn(secret.to_owned(), class));
    }

    pub(super) fn cards_changed(&mut self) {
        self.cards_changed = true;
    }

    /// What the configuration says of this host.
    pub(super) fn set_share(&mut self, share: Share) {
        self.share = share;
        if !self.is_decided && share == Share::Always {
            self.set_shared(true, String::new());
        }
    }

    fn set_shared(&mut self, on: bool, shown: String) {
        self.is_shared = on;
        self.tell(Update::Share { on, shown });
    }

    pub(super) fn mute(&self, name: &str, on: bool) {
        self.tell(Update::Mute { name: name.to_owned(), on });
    }

    pub(super) fn disconnect(&self, name: &str) {
        self.tell(Update::Disconnect { name: name.to_owned() });
    }

    /// Asks for this user's live sessions, on a thread of its own: each is asked, and may be stopped.
    pub(super) fn look_for_sessions(&mut self) {
        let (event_tx, waker) = self.events.clone();
        let looking = std::thread::Builder::new().name("sessions".into()).spawn(move || {
            let all = Folder::of_user().map_err(|e| e.to_string()).and_then(|folder| sessions(&folder, ""));
            if event_tx.send(Event::Sessions(all)).is_ok() {
                waker.wake();
            }
        });
        if let Err(e) = looking {
            self.sessions = Some(Err(e.to_string()));
        }
    }

    pub(super) fn end(self, verdict: Verdict) {
        if let Some(hub) = self.hub {
            hub.end(match verdict {
                Verdict::Code(code) => i32::from(code),
                Verdict::Signal(signal) => 128 + signal,
            });
        }
    }
}

impl Side {
    /// What has changed since agents were last told.
    pub(super) fn tell_agents(&mut self, now: Instant) {
        self.tell_host_facts(now);
        let here = &mut Seen::default();
        if let Some(observer) = self.watch.here() {
            here.clone_from(&self.agents.seen);
            if let Some(seen) = seen(observer, here) {
                self.agents.on_seen(seen);
            }
        }
        self.agents.seen.is_local_secret = self.local_secret;
        if self.agents.seen != self.agents.told {
            self.agents.told = self.agents.seen.clone();
            self.agents.tell(Update::Seen(self.agents.seen.clone()));
        }
        self.tell_cards();
    }

    fn tell_cards(&mut self) {
        if std::mem::take(&mut self.agents.cards_changed) {
            let cards: Vec<CardNote> = self.copilot.suggestions.every().map(note).collect();
            let open = self.copilot.suggestions.cards().filter(|card| card.is_pickable()).count();
            let pending = open + self.copilot.files.open().count();
            self.agents.tell(Update::Cards { cards, pending });
        }
    }

    /// What tools of the host's facts have answered; one that would change something is a card of the agent's.
    fn tell_host_facts(&mut self, now: Instant) {
        let done = std::mem::take(&mut *self.agents.host_done.lock().unwrap_or_else(PoisonError::into_inner));
        for (ticket, agent, result) in done {
            let result = match result {
                Ok(Outcome { value, card: None }) => Ok(value),
                Ok(Outcome { value, card: Some(card) }) => {
                    let id = format!("host_{ticket}");
                    let card = json!({"id": id, "command": card.command, "description": card.description, "risk": "low"});
                    let blocks = json!({"suggested_commands": {"commands": [card]}});
                    let blocks = blocks.as_object().cloned().unwrap_or_default();
                    let brought = self.on_blocks(&agent, blocks, now);
                    brought
                        .map(|brought| json!({"result": value, "cards": brought["cards"]}))
                        .map_err(|why| Refused::new(Why::Failed, why))
                }
                Err(ToolError { code: -32602, message }) => Err(Refused::new(Why::Bad, message)),
                Err(ToolError { message, .. }) => Err(Refused::new(Why::Failed, message)),
            };
            self.agents.tell(Update::Done { ticket, result });
        }
    }

    pub(super) fn on_agent(&mut self, act: Act, now: Instant) {
        self.panel.dirty = true;
        match act {
            Act::Alias(alias) => self.agents.alias = alias,
            Act::Attached(attached) => self.agents.attached = attached,
            Act::Failed(why) => self.agents.failure = Some(why),
            Act::Called { agent, tool, action, outcome } => {
                self.linus.recorded.push(record::Event::Agent { agent, tool, action, outcome });
            }
            Act::Call { ticket, agent, blocks } => {
                let result = self.on_blocks(&agent, blocks, now);
                let result = result.map_err(|why| Refused::new(Why::Failed, why));
                self.agents.tell(Update::Done { ticket, result });
            }
            Act::Host { ticket, agent, tool, arguments } => {
                let done = Arc::clone(&self.agents.host_done);
                let reply = move |result| {
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((ticket, agent, result));
                };
                self.host_tool(&tool, &arguments, Box::new(reply), now);
            }
            Act::Context { ticket } => {
                self.agents.elsewhere.push(ELSEWHERE + ticket);
                self.take_elsewhere(now);
            }
        }
    }

    /// Blocks of the contract from an agent; what it may bring is decided where they are applied.
    fn on_blocks(
        &mut self,
        agent: &str,
        mut blocks: Map<String, Value>,
        now: Instant,
    ) -> Result<Value, String> {
        self.note_place(now);
        self.agents.number(&mut blocks);
        let (envelope, mut left_out) = Envelope::read(&Value::Object(blocks));
        if envelope.is_empty() {
            return Err(left_out.join("; "));
        }
        let wanted = envelope.suggested_commands.as_ref().map_or(&[][..], |block| &block.commands);
        let ids: Vec<String> = wanted.iter().map(|card| crate::copilot::own_id(agent, &card.id)).collect();
        left_out.extend(self.copilot.apply_from(agent, envelope, now)?);
        self.agents.cards_changed();
        // Before the answer: who reads the session then finds them there.
        self.tell_cards();
        let card = |id: &String| self.copilot.suggestions.get(id).map(|card| json!(note(card)));
        Ok(json!({"cards": ids.iter().filter_map(card).collect::<Vec<_>>(), "left_out": left_out}))
    }

    /// The observer is here, or lost: what waits for a snapshot gets one.
    pub(super) fn take_elsewhere(&mut self, now: Instant) {
        for ticket in std::mem::take(&mut self.agents.elsewhere) {
            match self.watch.snapshot(ticket, self.linus.everything(), now) {
                Some(snapshot) => self.tell_elsewhere(ticket, snapshot),
                None => self.agents.elsewhere.push(ticket),
            }
        }
    }

    /// A question from elsewhere gets the session as it is now; false if it is for no such question.
    pub(super) fn tell_elsewhere(&mut self, ticket: u64, snapshot: Snapshot) {
        let result = match (snapshot.state == State::Secret || self.local_secret, snapshot) {
            (true, _) => Err("a secret is being entered there: nothing is told meanwhile".to_owned()),
            (false, snapshot) => self.linus.told_elsewhere(snapshot).map_err(|why| why.to_string()),
        };
        let result = result.map(|context| json!(context)).map_err(|why| Refused::new(Why::Failed, why));
        self.agents.tell(Update::Done { ticket: ticket - ELSEWHERE, result });
    }

    pub(super) fn is_for_elsewhere(&mut self, ticket: u64) -> bool {
        let at = self.agents.elsewhere.iter().position(|waiting| *waiting == ticket);
        at.map(|at| self.agents.elsewhere.remove(at)).is_some()
    }

    pub(super) fn on_sessions(&mut self, all: Result<Vec<Value>, String>) {
        self.agents.sessions = Some(all);
        self.panel.dirty = true;
    }

    /// The user shares the session, with what is on its screen, or does not any more.
    pub(super) fn toggle_share(&mut self) {
        if self.agents.share == Share::Never {
            return self.panel.view.set_notice("The configuration says never: [agents] share");
        }
        self.agents.is_decided = true;
        let on = !self.agents.is_shared;
        let shown = self.watch.here().filter(|_| on).map(|observer| {
            let shown = observer.hide_secrets(observer.tail(SHOWN));
            self.nonce.mask(&shown).into_owned()
        });
        self.agents.set_shared(on, shown.unwrap_or_default());
        self.copilot.chat.note(match on {
            true => "This session is shared: your agents can read it, without its secrets, and propose. They cannot type.",
            false => "This session is not shared any more.",
        });
        self.panel.dirty = true;
    }
}

impl Agents {
    /// Gives commands without an id one that no card of this session has had: the same id with the same command would be
    /// the old card, also where that has ended.
    fn number(&mut self, blocks: &mut Map<String, Value>) {
        let commands =
            blocks.get_mut("suggested_commands").and_then(|block| block["commands"].as_array_mut());
        for command in commands.into_iter().flatten().filter_map(Value::as_object_mut) {
            if !command.contains_key("id") {
                self.numbered += 1;
                command.insert("id".to_owned(), format!("cmd_{}", self.numbered).into());
            }
        }
    }
}

/// A card as agents see it.
fn note(card: &Card) -> CardNote {
    let (state, exit_code) = match card.state {
        _ if card.refused.is_some() && card.is_open() => ("refused", None),
        CardState::Proposed => ("proposed", None),
        CardState::Edited => ("edited", None),
        CardState::Sent => ("sent", None),
        CardState::Done { exit } => ("done", exit),
        CardState::Dismissed => ("dismissed", None),
    };
    let judgement = card.judgement();
    CardNote {
        id: card.id.clone(),
        by: card.by().to_owned(),
        command: card.text().to_owned(),
        state,
        was_edited: card.edited_text.is_some(),
        exit_code,
        risk: judgement.level.name(),
        reason: Some(card.refused.clone().unwrap_or(judgement.reason)),
    }
}
