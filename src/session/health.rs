//! Host health in a session: whether the host may be probed, when, and what becomes of the answers. Off until the user
//! turns it on; the session never waits for it. The same way as for files, the same consent and the same places: never
//! a login that the user was not asked for, and nothing where the terminal shows another place than the login.
//!
//! An alert is told in the chat. The contract has no message for it: Linus gets it as a line of the next terminal update,
//! marked as aissh's own, and by the rules of those (pause, consent, redaction, `prefix w`).

mod worker;

use super::files::{Place, Way, compare};
use super::watch::Snapshot;
use super::{Session, Side};
use crate::copilot::Place as Spot;
use crate::facts::tools::{Outcome, Request, SideChannel, ToolError};
use crate::facts::{Budget, Extent, Sample, Settings, Watcher};
use crate::shell::State as Shell;
use crate::ssh::side_channel::{Canceller, cancel};
use crate::ui::HealthLine;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

pub(super) use worker::{HealthEvent, Means};
use worker::{Job, Worker};

/// What is younger answers a tool without another probe.
const FRESH: Duration = Duration::from_secs(2);
/// Calls of tools that wait for a probe.
const CALLS: usize = 16;
/// So many failures in a row end it.
const FAILURES: u32 = 3;
/// The age in the line is drawn anew this often, while it is seen.
const AGE: Duration = Duration::from_secs(10);

/// Stands for a text of which the secrets could not be taken out.
const WITHHELD: &str = "‹withheld›";

/// Called once, on the main thread. Dropped without a call when the session ends.
pub(super) type Reply = Box<dyn FnOnce(Result<Outcome, ToolError>) + Send>;

/// How workers are started.
type Start = Box<dyn Fn() -> std::io::Result<Worker>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Off,
    /// Where is the terminal, and is there a connection of the user's own?
    Checking,
    /// The user is to say whether aissh may log in once more.
    Asking,
    On,
}

/// The watcher of this session.
pub(super) struct Health {
    pub(super) watcher: Watcher,
    state: State,
    way: Option<Way>,
    /// The user has agreed to another login in this session.
    has_agreed: bool,
    start: Start,
    /// The command line of another login.
    shown: String,
    worker: Option<Worker>,
    /// What is under way; dropping it cancels that.
    running: Option<Canceller>,
    ticket: u64,
    /// A snapshot was asked for, to see where the terminal is.
    is_looking: bool,
    budget: Budget,
    /// The next probe, and the next of the watcher's own.
    due: Option<Instant>,
    summary_due: Instant,
    calls: Vec<(Request, Reply)>,
    failures: u32,
    /// What the terminal shows instead of the login.
    elsewhere: Option<String>,
    trouble: Option<String>,
    redraw: Option<Instant>,
}

impl Health {
    pub(super) fn new<F>(means: Means<F>, settings: Settings, now: Instant) -> Self
    where
        F: Fn() -> bool + Clone + Send + 'static,
    {
        let shown = means.route.shown_shell();
        Self {
            watcher: Watcher::new(settings),
            state: State::Off,
            way: None,
            has_agreed: false,
            start: Box::new(move || Worker::start(means.clone())),
            shown,
            worker: None,
            running: None,
            ticket: 0,
            is_looking: false,
            budget: Budget::new(now),
            due: None,
            summary_due: now,
            calls: Vec::new(),
            failures: 0,
            elsewhere: None,
            trouble: None,
            redraw: None,
        }
    }

    /// When it has something to do. Never while it is off.
    pub(super) fn deadline(&self, is_shown: bool) -> Option<Instant> {
        let is_free = self.running.is_none() && !self.is_looking;
        let due = self.due.filter(|_| is_free && self.state == State::On);
        due.into_iter().chain(self.redraw.filter(|_| is_shown)).min()
    }

    pub(super) fn is_looking(&self) -> bool {
        self.is_looking
    }

    /// Hands a job over, with a way to stop it.
    fn begin(&mut self, job: Job) -> Result<(), String> {
        if self.worker.is_none() {
            let worker = (self.start)().map_err(|e| format!("no thread can be started: {e}"))?;
            self.worker = Some(worker);
        }
        let (canceller, token) = cancel().map_err(|e| e.to_string())?;
        self.ticket += 1;
        let is_taken = self.worker.as_ref().is_some_and(|worker| worker.send(self.ticket, job, token));
        self.running = is_taken.then_some(canceller);
        if is_taken { Ok(()) } else { Err("what was begun before has not ended yet".to_owned()) }
    }

    /// What runs is cancelled, the connection ends, and nobody waits any more.
    fn stop(&mut self, why: &str) {
        (self.state, self.running, self.due, self.redraw) = (State::Off, None, None, None);
        (self.elsewhere, self.failures, self.is_looking) = (None, 0, false);
        // Dropped, not waited for: the thread ends its connection by itself.
        self.worker = None;
        self.watcher.forget();
        self.refuse(why);
    }

    fn refuse(&mut self, why: &str) {
        for (_, reply) in self.calls.drain(..) {
            reply(Err(ToolError::failed(why)));
        }
    }

    fn turn_on(&mut self, way: Way, now: Instant) {
        (self.state, self.way, self.trouble) = (State::On, Some(way), None);
        (self.due, self.summary_due) = (Some(now), now);
    }

    /// The session is over.
    pub(super) fn end(mut self) {
        self.running = None;
        if let Some(worker) = self.worker.take() {
            worker.end();
        }
    }

    /// Which probe is to be made now.
    fn extent(&self, now: Instant) -> Extent {
        let wanted = self.calls.iter().filter_map(|(request, _)| request.needs()).min();
        if now >= self.summary_due { Extent::Summary } else { wanted.unwrap_or(Extent::Summary) }
    }

    fn channel(&self) -> SideChannel {
        let state = match self.state {
            State::Off => "off",
            State::Checking | State::Asking => "asking",
            State::On if self.elsewhere.is_some() => "paused",
            State::On => "on",
        };
        let way = self.way.filter(|_| self.state == State::On).map(|way| match way {
            Way::Shared => "shared",
            Way::Login => "login",
        });
        let reason = self.elsewhere.as_ref().map(|what| format!("the terminal shows {what}, not the login"));
        SideChannel { state, way, reason: reason.or_else(|| self.trouble.clone()) }
    }

    /// A call of a tool: answered at once, or when what it needs has been read.
    fn call(&mut self, name: &str, arguments: &Map<String, Value>, reply: Reply, now: Instant) {
        let request = match Request::read(name, arguments) {
            Ok(request) => request,
            Err(e) => return reply(Err(e)),
        };
        if request.needs().is_none() || self.state == State::On && request.is_met(&self.watcher, FRESH, now) {
            let channel = self.channel();
            let outcome = request.answer(&mut self.watcher, &channel, now);
            if let (Request::SetInterval(interval), Some(due)) = (&request, self.due) {
                self.summary_due = self.summary_due.min(now + *interval);
                self.due = Some(due.min(self.summary_due));
            }
            return reply(outcome);
        }
        let why = match self.state {
            State::On if self.calls.len() >= CALLS => "too many calls wait for this host already",
            State::On => {
                self.calls.push((request, reply));
                self.due = Some(self.due.map_or(now, |due| due.min(now)));
                return;
            }
            State::Checking | State::Asking => {
                "the user has not agreed yet that aissh reads the host's health"
            }
            State::Off => "host health is off in this session; only the user turns it on (the prefix and h)",
        };
        reply(Err(ToolError::failed(why)));
    }

    /// Answers what can be answered now.
    fn answer_calls(&mut self, now: Instant) {
        let channel = self.channel();
        for (request, reply) in std::mem::take(&mut self.calls) {
            if request.is_met(&self.watcher, FRESH, now) {
                reply(request.answer(&mut self.watcher, &channel, now));
            } else {
                self.calls.push((request, reply));
            }
        }
    }

    /// For the panel's foot.
    pub(super) fn line(&self, now: Instant) -> Option<HealthLine> {
        let text = match (self.state, &self.elsewhere, self.watcher.line(now)) {
            (State::Off, ..) => return None,
            (State::Checking, ..) => "Health: looking".to_owned(),
            (State::Asking, ..) => "Health: waits for your yes".to_owned(),
            (State::On, Some(what), _) => format!("Health paused: {what}"),
            (State::On, None, Some(line)) => line,
            (State::On, None, None) => "Health: reading".to_owned(),
        };
        let is_bad = self.watcher.alerts().next().is_some() || self.failures > 0;
        Some(HealthLine { text, is_bad })
    }
}

impl Session {
    /// `prefix h`.
    pub(super) fn toggle_health(&mut self, now: Instant) {
        let is_connected = self.connected;
        let Some(side) = &mut self.side else { return };
        match side.health.state {
            State::Off if !is_connected => side.panel.view.set_notice("Not before ssh is connected."),
            State::Off => side.check_health(now),
            State::Asking if !side.panel.view.has_health() => side.ask_health(),
            State::Checking | State::Asking | State::On => {
                side.health.stop("host health was turned off");
                side.panel.view.close_health();
                side.copilot.chat.note("Host health is off. Nothing is read of the host.");
            }
        }
        side.panel.dirty = true;
    }
}

impl Side {
    /// The session has begun, and what this host has of its own is known: `health.watch`.
    pub(super) fn begin_health(&mut self, now: Instant) {
        if self.watches_health && self.linus.connected && self.health.state == State::Off {
            self.watches_health = false;
            self.check_health(now);
        }
    }

    /// First where the terminal is.
    fn check_health(&mut self, now: Instant) {
        self.health.state = State::Checking;
        self.look_for_health(now);
    }

    /// Asks for a snapshot, which comes at once where the panel is open.
    fn look_for_health(&mut self, now: Instant) {
        self.health.is_looking = true;
        if let Some(snapshot) = self.watch.snapshot(super::linus::HEALTH, super::watch::Since::default(), now)
        {
            self.on_health_place(&snapshot, now);
        }
    }

    /// The terminal as it is now: goes on, or not.
    pub(super) fn on_health_place(&mut self, snapshot: &Snapshot, now: Instant) {
        if !std::mem::take(&mut self.health.is_looking) {
            return;
        }
        self.panel.dirty = true;
        let elsewhere = self.elsewhere_in(snapshot);
        match (self.health.state, elsewhere) {
            (State::Checking, Some(what)) => {
                self.health.stop("the terminal shows another place than the login");
                let target = self.linus.target().to_owned();
                self.copilot.chat.note(&format!(
                    "No host health here: it is read as the login of this session, {target}. What is shown is {what}."
                ));
            }
            (State::Checking, None) => self.run_for_health(Job::Check, now),
            (State::On, Some(what)) => {
                let why = format!("the terminal shows {what}, not the login");
                self.health.refuse(&why);
                self.health.elsewhere = Some(what);
                self.health.summary_due = now + self.health.watcher.settings.interval;
                self.health.due = Some(self.health.summary_due);
            }
            (State::On, None) => self.probe(now),
            (State::Off | State::Asking, _) => {}
        }
    }

    /// What the terminal shows, where it is certainly not the login or no POSIX host.
    fn elsewhere_in(&self, snapshot: &Snapshot) -> Option<String> {
        let dialect = snapshot.facts.dialect;
        if dialect.is_device() {
            return Some(format!("{}, a network device", dialect.name().unwrap_or("unknown")));
        }
        let login = snapshot.login.as_ref().filter(|_| !self.files.is_blind);
        let first = login.map(|facts| Spot::new(facts, Shell::AtPrompt));
        let now = Spot::new(&snapshot.facts, snapshot.state);
        // What runs may be anything; only another place that is certain forbids.
        match compare(first.as_ref(), &now, self.files.login_user.as_deref(), false) {
            Place::Other(what) => Some(what),
            Place::Same | Place::Unsure(_) => None,
        }
    }

    /// Everything that time brings.
    pub(super) fn follow_health(&mut self, now: Instant) {
        if self.health.redraw.is_some_and(|at| now >= at) {
            self.health.redraw = Some(now + AGE);
            self.panel.dirty = true;
        }
        let is_due = self.health.deadline(false).is_some_and(|at| now >= at);
        if is_due {
            self.look_for_health(now);
        }
    }

    fn probe(&mut self, now: Instant) {
        let health = &mut self.health;
        health.elsewhere = None;
        if let Err(wait) = health.budget.take(now) {
            health.due = Some(now + wait);
            return;
        }
        let Some(way) = health.way else { return };
        let extent = health.extent(now);
        let pauses = extent == Extent::Processes || health.watcher.needs_pause(now);
        self.run_for_health(Job::Probe { extent, pauses, way }, now);
    }

    fn run_for_health(&mut self, job: Job, now: Instant) {
        if let Err(why) = self.health.begin(job) {
            self.health_failed(why, now);
        }
    }

    /// What the worker has to say.
    pub(super) fn on_health(&mut self, ticket: u64, event: HealthEvent, now: Instant) {
        if ticket != self.health.ticket || self.health.running.take().is_none() {
            return;
        }
        self.panel.dirty = true;
        match (event, self.health.state) {
            (HealthEvent::Way(Way::Shared), State::Checking) => self.health.turn_on(Way::Shared, now),
            (HealthEvent::Way(Way::Login), State::Checking) if self.health.has_agreed => {
                self.health.turn_on(Way::Login, now);
            }
            (HealthEvent::Way(Way::Login), State::Checking) => {
                self.health.state = State::Asking;
                self.ask_health();
            }
            (HealthEvent::Way(_), _) => {
                self.health.stop("the shared connection has ended");
                self.copilot.chat.note("Host health is off: the connection that you shared has ended.");
            }
            (HealthEvent::Answered(sample), _) => self.on_sample(*sample, now),
            (HealthEvent::Failed(why), _) => self.health_failed(why, now),
        }
    }

    fn on_sample(&mut self, sample: Sample, now: Instant) {
        let (nonce, redactor) = (&self.nonce, &mut self.linus.redactor);
        let sample = sample.cleaned(|text| {
            let clean = redactor.redact(&nonce.mask(text));
            clean.map_or_else(|_| WITHHELD.to_owned(), |clean| clean.text)
        });
        let is_summary = sample.processes.is_none();
        let crossings = self.health.watcher.note(sample, now);
        let interval = self.health.watcher.settings.interval;
        (self.health.failures, self.health.trouble) = (0, None);
        if is_summary {
            self.health.summary_due = now + interval;
        }
        if interval > AGE {
            self.health.redraw = Some(now + AGE);
        }
        for crossing in crossings {
            self.copilot.chat.note(&format!("Host health: {crossing}."));
            self.linus.alerts.push(format!("[aissh, host health: {crossing}]"));
            self.linus.on_output(now);
        }
        self.health.answer_calls(now);
        let next = if self.health.calls.is_empty() { self.health.summary_due } else { now };
        self.health.due = Some(next);
    }

    /// One that never worked, or too often not, is turned off.
    fn health_failed(&mut self, why: String, now: Instant) {
        let has_worked = self.health.watcher.summary().is_some() || self.health.watcher.processes().is_some();
        self.health.failures += 1;
        if !has_worked || self.health.failures >= FAILURES {
            self.health.stop(&why);
            self.health.trouble = Some(why.clone());
            return self.copilot.chat.note(&format!("Host health is off: {why}."));
        }
        self.health.refuse(&why);
        self.health.trouble = Some(why);
        self.health.summary_due = now + self.health.watcher.settings.interval * (1 << self.health.failures);
        self.health.due = Some(self.health.summary_due);
    }

    /// Puts the question before the user: in the panel if that is open, else when its key is pressed.
    fn ask_health(&mut self) {
        let target = self.linus.target().to_owned();
        if !self.panel.view.is_shown() {
            let prefix = &self.prefix;
            return self
                .copilot
                .chat
                .note(&format!("Host health waits for your yes to another login on {target}: {prefix} h."));
        }
        self.panel.view.ask_health(vec![
            format!(
                "To read load, memory, disks and, when an agent asks, processes of {target}, aissh logs in once more, \
                 with the same ssh and options, and stays so until this is turned off or the session ends. It asks for \
                 no password, writes nothing there, and shares nothing."
            ),
            format!("It runs: {}", self.health.shown),
            "That shell is given a script that only reads, every few seconds. Where the server has a forced command, it \
             runs that instead."
                .to_owned(),
        ]);
    }

    /// The user's answer.
    pub(super) fn consent_to_health(&mut self, yes: bool, now: Instant) {
        self.panel.view.close_health();
        self.panel.dirty = true;
        if self.health.state != State::Asking {
            return;
        }
        if yes {
            self.health.has_agreed = true;
            self.health.turn_on(Way::Login, now);
        } else {
            self.health.stop("the user has said no");
        }
    }

    /// A tool of `facts::tools`, for an agent. Answers at once where nothing has to be read, else when the probe has ended;
    /// while host health is off, what needs a probe is refused.
    pub(super) fn host_tool(
        &mut self,
        name: &str,
        arguments: &Map<String, Value>,
        reply: Reply,
        now: Instant,
    ) {
        self.health.call(name, arguments, reply, now);
    }
}

#[cfg(test)]
mod tests;
