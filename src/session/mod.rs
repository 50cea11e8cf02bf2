//! A wrapped session: ssh on its PTY, the user's terminal, and between them the panel.
//!
//! One thread owns both ends of the wire and all state (`Session`, `pump`); the emulator (`watch`) and the two
//! lanes to Linus live on threads of their own and send `Event`s.

mod agents;
mod alerts;
mod answers;
mod cards;
mod exit;
mod fault;
mod files;
mod health;
mod integrate;
mod keeper;
mod keys;
mod leaves;
mod linus;
mod mouse;
mod outside;
mod panel;
mod plain;
mod policy;
mod pump;
mod record;
mod remember;
mod replies;
mod roster;
mod start;
mod suspend;
mod waiting;
mod wake;
mod watch;
mod welcome;
mod wire;

pub use exit::Verdict;
pub use start::{Start, run};

use crate::agents::hub::{Act, Seen};
use crate::config::Config;
use crate::copilot::policy::Policy;
use crate::copilot::{Copilot, Place};
use crate::linus::contract::SessionEvent;
use crate::linus::lanes::LaneEvent;
use crate::peers::Door;
use crate::shell::{Nonce, Observer, Origin, ShellEvent};
use crate::ssh::{Facts, is_refused};
use crate::terminal::outbox::Outbox;
use crate::terminal::prefix::PrefixMachine;
use crate::terminal::pty::Pty;
use crate::terminal::queries::CursorPlaces;
use crate::terminal::signals::Signals;
use crate::terminal::tty::{RawGuard, Tty};
use crate::terminal::{Modes, Size, crash};
use agents::Agents;
use answers::Answers;
use cards::Put;
use files::Files;
use health::Health;
use integrate::Integrating;
use leaves::Ledger;
use linus::Linus;
use outside::Outside;
use panel::Panel;
use record::Recorders;
use serde_json::Value;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;
use waiting::Waiting;
use wake::{Wake, Waker};
use watch::Watch;

/// What other threads tell the main loop.
enum Event {
    /// From the shell tracker.
    Shell(Vec<ShellEvent>),
    /// What [`Watch::snapshot`] asked for.
    Snapshot { ticket: u64, snapshot: Box<watch::Snapshot> },
    /// What [`Watch::ask`] asked for.
    Lent(Box<Observer>),
    /// `ssh -G` has answered, or will not.
    Facts(Option<Facts>),
    /// From the thread that reads and writes files.
    File { ticket: u64, event: files::FileEvent },
    /// From the thread that probes the host.
    Health { ticket: u64, event: health::HealthEvent },
    /// A call to Linus goes out as these bytes.
    Sent(Vec<u8>),
    /// What the handshake asked, and the answer.
    Answered(Box<(Value, Value)>),
    /// From the hub's thread: an agent asks, or is to be known of.
    Agent(Act),
    /// The session stands elsewhere now.
    Seen(Seen),
    /// This user's live sessions, as they were asked for.
    Sessions(Result<Vec<Value>, String>),
    /// From the keeper's thread.
    Kept(keeper::Kept),
    /// The emulator's thread has panicked.
    WatchLost,
}

/// Everything that the main loop owns.
struct Session {
    tty: Tty,
    guard: Option<RawGuard>,
    pty: Pty,
    signals: Signals,
    wake: Wake,
    to_tty: Outbox,
    to_pty: Outbox,
    tty_gone: bool,
    pty_gone: bool,
    /// The user's terminal, and the one that ssh sees.
    size: Size,
    remote: Size,
    modes: Modes,
    prefix: PrefixMachine,
    prefix_until: Option<Instant>,
    /// The terminal was asked where its cursor stands.
    places: CursorPlaces,
    prefix_name: String,
    /// ssh has made its terminal raw: the remote session has begun.
    connected: bool,
    /// The end of what ssh printed until then.
    before_session: Vec<u8>,
    /// `--sidebar`. Not before: what is written while ssh asks for a password could be taken for its answer
    /// (kitty#5523).
    open_when_connected: bool,
    /// `None` with `--no-copilot`, and after a fault that cost the panel.
    side: Option<Side>,
    panel_is_lost: bool,
    recorders: Recorders,
    event_rx: Receiver<Event>,
    lane_rx: Receiver<LaneEvent>,
}

/// The copilot's side: panel, Linus and what they know.
struct Side {
    watch: Watch,
    copilot: Copilot,
    linus: Linus,
    panel: Panel,
    files: Files,
    health: Health,
    policy: Policy,
    /// Where auto was turned on.
    auto_place: Option<Place>,
    /// A card that was put on the remote's line.
    put: Option<Put>,
    /// `--policy`: what a host has of its own does not count.
    policy_is_given: bool,
    config: Config,
    outside: Option<Outside>,
    /// The way to Linus as it was chosen at the start.
    door: Door,
    /// Whether the built-in Linus says unasked what he sees on this host.
    watches: bool,
    /// Host health is to be turned on here (`health.watch`), and was not yet.
    watches_health: bool,
    waiting: Waiting,
    ledger: Ledger,
    agents: Agents,
    lane_tx: SyncSender<LaneEvent>,
    waker: Waker,
    /// What the command line says of the destination.
    given: Facts,
    /// The first prefix as the user calls it.
    prefix: String,
    /// What the marks of this session's shell integration carry.
    nonce: Nonce,
    integrating: Integrating,
    answers: Answers,
    /// Whether the integration is offered (`[integration] offer`).
    offers: bool,
    /// ssh itself asks for a secret.
    local_secret: bool,
    /// The first panel of this session has been opened.
    is_welcomed: bool,
}

impl Session {
    /// What other threads have sent.
    fn on_events(&mut self) {
        let now = Instant::now();
        while let Ok(event) = self.event_rx.try_recv() {
            match (event, &mut self.side) {
                (Event::Lent(observer), _) => self.on_lent(observer, now),
                (Event::Shell(events), Some(side)) => side.on_shell(events, now),
                (Event::Snapshot { ticket, snapshot }, Some(side)) => {
                    side.on_snapshot(ticket, *snapshot, now)
                }
                (Event::Facts(facts), Some(side)) => side.on_facts(facts, now),
                (Event::File { ticket, event }, Some(side)) => side.on_file(ticket, event, now),
                (Event::Health { ticket, event }, Some(side)) => side.on_health(ticket, event, now),
                (Event::Sent(bytes), Some(side)) => side.ledger.on_sent(&bytes, now),
                (Event::Answered(both), Some(side)) => side.ledger.on_answer(&both.0, &both.1),
                (Event::Kept(kept), Some(side)) => side.on_kept(kept, now),
                (Event::Agent(act), Some(side)) => side.on_agent(act, now),
                (Event::Seen(seen), Some(side)) => side.agents.on_seen(seen),
                (Event::Sessions(all), Some(side)) => side.on_sessions(all),
                (Event::WatchLost, Some(_)) => self.on_watch_lost(now),
                (_, None) => {}
            }
        }
        if crash::emulator_is_lost() {
            fault::note("the emulator's thread has crashed");
            self.on_watch_lost(now);
        }
        while let Ok(event) = self.lane_rx.try_recv() {
            if let Some(side) = &mut self.side {
                side.on_lane(event, now);
            }
        }
    }

    /// Everything that time brings.
    fn on_time(&mut self, now: Instant) {
        self.release_prefix(now);
        if let Some(side) = &mut self.side {
            side.watch.catch_up(&self.modes, now);
            if let Some(observer) = side.watch.here() {
                if observer.deadline().is_some_and(|at| now >= at) {
                    observer.tick(now);
                }
                let events = observer.take_events();
                side.on_shell(events, now);
            }
            side.tell_agents(now);
            side.follow_health(now);
            side.dispatch(now);
        }
        self.mind_audit();
        self.follow_policy(now);
        self.on_panel_time(now);
        self.record_all();
    }

    fn deadline(&self) -> Option<Instant> {
        let of_side = self.side.as_ref().map(|side| {
            let panel = side.panel.deadline(self.to_tty.is_empty());
            let policy = side.policy.deadline(Instant::now());
            let health = side.health.deadline(side.panel.view.is_shown());
            [side.watch.deadline(), side.linus.deadline(), side.integrating.until(), panel, policy, health]
        });
        of_side.into_iter().flatten().chain([self.prefix_until]).flatten().min()
    }

    /// The session is over: the panel is put away, the terminal given back, Linus told.
    fn finish(&mut self, verdict: Verdict) {
        self.guarded(Self::close_panel);
        let event = if self.connected { SessionEvent::Disconnected } else { self.failure() };
        if let Some(side) = &mut self.side {
            side.linus.note_farewell(event);
        }
        let unrecorded = self.end_records(verdict);
        if verdict.is_abnormal() {
            let reset = self.modes.reset();
            self.send_tty(&reset);
        }
        self.deliver_to_tty();
        self.await_place();
        self.guard = None;
        if let Some(why) = unrecorded {
            eprintln!("aissh: the recording is not whole: {why}");
        }
        if let Some(mut side) = self.side.take() {
            side.keep_for_later();
            side.panel.remember();
            side.files.end();
            side.agents.end(verdict);
            side.health.end();
            if let Some(outside) = side.outside {
                outside.leave();
            }
            side.linus.leave(event);
        }
    }

    /// Why there was no session.
    fn failure(&self) -> SessionEvent {
        if is_refused(&String::from_utf8_lossy(&self.before_session)) {
            SessionEvent::AuthenticationFailed
        } else {
            SessionEvent::ConnectionError
        }
    }
}

impl Side {
    /// What the shell tracker has found.
    fn on_shell(&mut self, events: Vec<ShellEvent>, now: Instant) {
        self.panel.dirty |= !events.is_empty();
        for event in events {
            match event {
                ShellEvent::Command(mut record) => {
                    self.attribute(&mut record, now);
                    if record.finished {
                        self.learn_means(&record, now);
                    }
                    if let Origin::Suggested { id, .. } = &record.origin
                        && record.finished
                    {
                        self.copilot.suggestions.done(id, record.exit.map(|e| e.code), now);
                        self.policy.ended(id, record.exit, now);
                    }
                    self.linus.recorded.extend(record::ran(&record));
                    self.agents.on_command(&record);
                    if record.finished && record.exit.is_none() {
                        self.integrating.note_miss();
                    }
                    self.linus.on_command(record);
                }
                ShellEvent::Prompt => {
                    self.copilot.suggestions.prompt(now);
                    self.policy.prompt();
                    self.agents.cards_changed();
                    self.begin_health(now);
                }
                ShellEvent::Started { .. } => self.linus.on_start(),
                ShellEvent::Output => {}
            }
        }
    }
}
