//! Setting a session up, in the order that must hold: signal handlers, raw mode, ssh, and only then threads.

use super::agents::Agents;
use super::answers::Answers;
use super::fault::contained;
use super::files::{Files, Worker};
use super::health::{Health, Means};
use super::integrate::Integrating;
use super::keeper::Keeper;
use super::leaves::{Ledger, tap};
use super::linus::Linus;
use super::outside::{Outside, lanes_to};
use super::panel::Panel;
use super::plain::Plain;
use super::record::{Recorders, window};
use super::remember::Remembered;
use super::waiting::Waiting;
use super::watch::Watch;
use super::{Event, Session, Side, Verdict, wake};
use crate::cli::Cli;
use crate::config::{self, Config, PanelMode};
use crate::copilot::Copilot;
use crate::copilot::policy::Policy;
use crate::error::{Error, status};
use crate::linus::Updates;
use crate::linus::lanes::LaneEvent;
use crate::linus::redact::Redactor;
use crate::linus::sharing::Consent;
use crate::peers::Door;
use crate::random;
use crate::record::{self, Audit, Tape};
use crate::shell::{Nonce, Observer, Tail};
use crate::ssh::side_channel::Route;
use crate::ssh::{Facts, Invocation, Places, config_scan};
use crate::terminal::monitor::Inherit;
use crate::terminal::outbox::Outbox;
use crate::terminal::prefix::PrefixMachine;
use crate::terminal::pty::{Given, Pty};
use crate::terminal::queries::CursorPlaces;
use crate::terminal::signals::Signals;
use crate::terminal::tty::Tty;
use crate::terminal::{Modes, Size, ahead, crash};
use crate::text::hex;
use crate::ui::{Choice, View};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;
use wake::Waker;

/// What a session is started with.
pub struct Start<'a> {
    /// The real ssh, absolute.
    pub ssh: &'a Path,
    pub args: &'a [OsString],
    pub invocation: &'a Invocation,
    pub places: &'a Places,
    pub cli: &'a Cli,
    pub config: &'a Config,
    pub door: &'a Door,
    /// What `--record` named.
    pub tape: Option<File>,
}

/// Runs ssh to its end. An error means that nothing was started and the terminal is as before.
pub fn run(mut start: Start<'_>) -> Result<Verdict, Error> {
    let recorded = start.tape.take();
    let start = &start;
    let failed = |what: &str, e: io::Error| Error::new(status::SSH, format!("{what}: {e}"));
    let session_id = session_id().map_err(|e| failed("read random bytes", e))?;
    let mut tty = Tty::open(io::stdin().as_fd()).map_err(|e| failed("open the terminal", e))?;
    let size = tty.size().map_err(|e| failed("ask the terminal's size", e))?;
    let target = target(start);
    let tape = recorded.map(|file| tape(start, &target, size, file)).transpose();
    let tape = tape.map_err(|e| failed("record", e))?;
    let inherit = Inherit::observe();
    let signals = Signals::install().map_err(|e| failed("install signal handlers", e))?;
    let (waker, wake) = wake::pair().map_err(|e| failed("make a pipe", e))?;
    crash::install(waker.as_fd()).map_err(|e| failed("install signal handlers", e))?;
    // Raw first: what was typed until then is in the terminal's queue and has been echoed.
    let guard = tty.raw().ok();
    let ahead = ahead::read(&tty);
    let given = Given { size, modes: tty.cooked(), inherit: &inherit, ahead: &ahead };
    let pty = Pty::spawn(start.ssh, start.args, &given).map_err(|e| failed("start ssh", e))?;
    // From here on ssh runs, and whatever fails costs no more than the panel.
    let (event_tx, event_rx) = sync_channel(EVENTS);
    let (lane_tx, lane_rx) = sync_channel(EVENTS);
    let audit = audit(start, &target, &session_id);
    let side = if start.cli.no_copilot {
        None
    } else {
        Side::new(start, target, size, &session_id, event_tx.clone(), lane_tx, &waker).ok()
    };
    let recorders = Recorders::new(audit, tape, waker.clone());
    let panel_is_lost = side.is_none() && !start.cli.no_copilot;
    let prefixes: Vec<Vec<u8>> = start.config.keys.prefix.iter().map(|key| key.bytes.clone()).collect();
    let mut session = Session {
        tty,
        guard,
        pty,
        signals,
        wake,
        to_tty: Outbox::default(),
        to_pty: Outbox::default(),
        tty_gone: false,
        pty_gone: false,
        size,
        remote: size,
        modes: Modes::new(),
        prefix: PrefixMachine::new(prefixes),
        prefix_until: None,
        places: CursorPlaces::default(),
        prefix_name: start.config.keys.name(),
        connected: false,
        before_session: Vec::new(),
        open_when_connected: start.cli.sidebar,
        side,
        panel_is_lost,
        recorders,
        event_rx,
        lane_rx,
    };
    if session.side.is_some() {
        ask_ssh(start, event_tx, waker);
    }
    let verdict = contained(move || {
        let verdict = session.run();
        session.finish(verdict);
        verdict
    });
    Ok(verdict.unwrap_or(Verdict::Code(status::SSH)))
}

/// Events that wait for the main loop, which takes them at once unless it has been stopped.
const EVENTS: usize = 256;

/// Asks `ssh -G` who and where behind the alias, on a thread of its own. It is not asked where that would run
/// commands of the user's (`Match exec`).
fn ask_ssh(start: &Start<'_>, event_tx: SyncSender<Event>, waker: Waker) {
    let (ssh, args) = (start.ssh.to_owned(), start.args.to_vec());
    let (invocation, places) = (start.invocation.clone(), start.places.clone());
    let unasked = event_tx.clone();
    let asking = std::thread::Builder::new().name("ssh -G".into()).spawn(move || {
        let scan = config_scan::scan(&invocation, &places);
        let facts = Facts::ask(&ssh, &args, scan);
        if event_tx.send(Event::Facts(facts)).is_ok() {
            waker.wake();
        }
    });
    if asking.is_err() {
        let _ = unasked.try_send(Event::Facts(None));
    }
}

impl Side {
    fn new(
        start: &Start<'_>,
        target: Facts,
        size: Size,
        session_id: &str,
        event_tx: SyncSender<Event>,
        lane_tx: SyncSender<LaneEvent>,
        waker: &Waker,
    ) -> io::Result<Self> {
        let now = Instant::now();
        let door = start.door.clone().watched(tap(event_tx.clone(), waker.clone()));
        let lanes = lanes_to(&door, lane_tx.clone(), waker)?;
        let outside = Outside::of(&door, || Keeper::start(event_tx.clone(), waker.clone()))?;
        let nonce = Nonce::new(random::bytes()?);
        let redactor = Redactor::new(start.config.redact.options());
        let mut linus = Linus::new(lanes, session_id.to_owned(), nonce.clone(), redactor, now);
        linus.recipient = start.door.recipient().map(|to| to.origin);
        linus.set_target(target.user.as_deref(), target.hostname.as_deref());
        let tag = hex(&random::bytes::<2>()?);
        let agents =
            Agents::start(start.config.redact.options(), &linus, &target, (event_tx.clone(), waker.clone()));
        let mut copilot = Copilot::new(&start.door.name());
        copilot.suggestions.set_tag(&format!("{tag}-"));
        if outside.is_none() {
            linus.sharing.set_updates(Updates::On);
            linus.sharing.set_consent(Consent::Needless);
        }
        let (invocation, places) = (start.invocation.clone(), start.places.clone());
        let may_check = move || !config_scan::scan(&invocation, &places).has_match_exec;
        let route = Route::new(start.ssh, start.args);
        let worker = Worker::start(route.clone(), may_check.clone(), event_tx.clone(), waker.clone())?;
        let means = Means { route, may_check, event_tx: event_tx.clone(), waker: waker.clone() };
        let tail = tail(start.config);
        let kept = start.config.panel.scrollback.bytes();
        let make = move |size| Observer::new(size).with_tail(tail).keeping(kept);
        Ok(Self {
            watch: Watch::start(make, size, event_tx, waker.clone())?,
            copilot,
            linus,
            panel: panel(start, size, now),
            files: Files::new(worker),
            health: Health::new(means, start.config.health.settings(), now),
            policy: policy(start),
            auto_place: None,
            put: None,
            policy_is_given: start.cli.policy.is_some(),
            config: start.config.clone(),
            outside,
            door: start.door.clone(),
            watches: false,
            watches_health: false,
            waiting: Waiting::default(),
            ledger: Ledger::default(),
            agents,
            lane_tx,
            waker: waker.clone(),
            given: target,
            prefix: start.config.keys.name(),
            nonce,
            integrating: Integrating::default(),
            answers: Answers::of_user(),
            offers: start.config.integration.offer,
            local_secret: false,
            is_welcomed: false,
        })
    }
}

fn panel(start: &Start<'_>, size: Size, now: Instant) -> Panel {
    let config = &start.config.panel;
    let known = Remembered::of_user();
    let view = View::new(config::theme(config.theme), choice(start.config, known));
    let plain = (start.cli.plain || config.plain).then(Plain::default);
    Panel::new(view, plain, size, config, known, now)
}

/// Who and where as the command line gives it, until `ssh -G` says better.
fn target(start: &Start<'_>) -> Facts {
    let target = Facts::from_invocation(start.invocation);
    let user = target.user.or_else(|| std::env::var("USER").ok());
    Facts { user, ..target }
}

/// The log of this session, which begins with the first thing that Linus has a part in.
fn audit(start: &Start<'_>, target: &Facts, session_id: &str) -> Audit {
    let kept = start.config.record.audit && !start.cli.no_copilot;
    let host = target.hostname.as_deref().unwrap_or_default();
    Audit::new(record::folder().filter(|_| kept), session_id, host, &start.door.name())
}

/// What `--record` asks for.
fn tape(start: &Start<'_>, target: &Facts, size: Size, file: File) -> io::Result<Tape> {
    let title = format!("ssh {}", target.hostname.as_deref().unwrap_or_default());
    Tape::start(file, window(size), &title, Redactor::new(start.config.redact.options()))
}

/// The command line first; what the host has of its own is known later.
fn policy(start: &Start<'_>) -> Policy {
    let mode = start.cli.policy.unwrap_or(start.config.policy.mode);
    Policy::new(mode, start.config.policy.chain_limit)
}

fn tail(config: &Config) -> Tail {
    Tail { lines: config.linus.tail_lines.0.into(), sgr: config.linus.tail_sgr }
}

fn choice(config: &Config, known: Remembered) -> Choice {
    let split = match config.panel.mode {
        PanelMode::Auto => None,
        PanelMode::Split => Some(true),
        PanelMode::Overlay => Some(false),
    };
    Choice {
        position: config.panel.position.or(known.position).unwrap_or_default(),
        split,
        width: config.panel.width.or(known.width),
        height: config.panel.height.or(known.height),
        alone: false,
    }
}

/// A random (version 4) UUID, RFC 9562 section 5.4.
fn session_id() -> io::Result<String> {
    let mut b = random::bytes::<16>()?;
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    let hex = hex(&b);
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}
