//! The session's side of its socket: one thread that sleeps until the socket, a client or the main loop wakes it, or a
//! wait is over.
//!
//! Everything is bounded: clients, what each may ask in a second, what waits, what is read and what is not fetched. What
//! only the main loop can do is handed to it as an [`Act`], and it answers when it comes to it; it never waits for this
//! thread. Nothing here can type, and nothing raises the policy: cards are all that an agent can bring.

mod agents;
mod answer;
mod board;
mod conn;
mod inbox;
mod waits;

use std::cell::Cell;
use std::io;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::Uid;
use serde_json::{Map, Value, json};

use super::protocol::{News, Refused};
use super::runtime::{Folder, Gone, Registration, peer};
use super::transcript::Transcript;
use crate::linus::redact::{Class, Options, Redactor};
use agents::Agents;
pub use agents::Attached;
use answer::Asked;
use board::Board;
pub use board::{CardNote, Ended, Seen};
use conn::Conn;
use waits::Waits;

/// Clients at once: some agents, each with a call or two under way.
const CONNS: usize = 64;
/// Those of one process: an agent, or a door with several behind it. What is left is for others, and for the user's own.
const OF_A_PROCESS: usize = 16;
/// Refusals that are recorded in so long; what is more is counted, so that nobody can wear the audit out.
const REFUSALS: (u32, Duration) = (20, Duration::from_secs(10));
/// A client that asks nothing for so long makes room for another.
const IDLE: Duration = Duration::from_secs(30);
/// Leaving gives clients this long to take their last answers.
const FAREWELL: Duration = Duration::from_millis(50);

/// What the main loop tells.
#[derive(Debug)]
pub enum Update {
    Seen(Seen),
    /// Who is logged in where, as ssh resolved it.
    Target {
        ssh_host: String,
        user: String,
    },
    Command(Ended),
    /// All cards as they are now, and how many wait for the user.
    Cards {
        cards: Vec<CardNote>,
        pending: usize,
    },
    /// Something else that agents want to know of: a notification.
    Raised,
    /// The user shares the session, or does not any more. What is on the screen comes with it.
    Share {
        on: bool,
        shown: String,
    },
    /// What is a secret from now on.
    Learn(String, Class),
    /// The answer to an [`Act::Call`], [`Act::Host`] or [`Act::Context`].
    Done {
        ticket: u64,
        result: Result<Value, Refused>,
    },
    /// The user mutes an agent, or lets it speak again.
    Mute {
        name: String,
        on: bool,
    },
    /// The user ends an agent's connections; it is muted as well.
    Disconnect {
        name: String,
    },
    /// ssh has ended with this status.
    End(i32),
}

/// What only the main loop can do.
#[derive(Debug)]
pub enum Act {
    /// Blocks of the contract, from this agent.
    Call { ticket: u64, agent: String, blocks: Map<String, Value> },
    /// A tool of the host's facts, for this agent.
    Host { ticket: u64, agent: String, tool: String, arguments: Map<String, Value> },
    /// The session as a question takes it along.
    Context { ticket: u64 },
    /// Who is attached, or what of it has changed.
    Attached(Vec<Attached>),
    /// The session's alias.
    Alias(String),
    /// For the audit.
    Called { agent: String, tool: String, action: String, outcome: String },
    /// There is no hub: why.
    Failed(String),
}

/// What a hub is started with.
pub struct Setup {
    pub id: String,
    /// The host as the user names it: the alias is made of it.
    pub host: String,
    pub ssh_host: String,
    pub user: String,
    pub redact: Options,
    /// Called first, in the hub's thread.
    pub on_start: fn(),
    /// Where it is found, asked in the hub's thread.
    pub folder: Box<dyn FnOnce() -> io::Result<Folder> + Send>,
}

/// The main loop's handle.
pub struct Hub {
    sender: inbox::Sender,
    done_rx: Receiver<()>,
}

impl Hub {
    /// `act` may wait for the main loop; it runs in the hub's thread.
    pub fn start(setup: Setup, act: impl Fn(Act) + Send + 'static) -> io::Result<Self> {
        let (sender, inbox) = inbox::pair()?;
        let (done_tx, done_rx) = sync_channel(1);
        std::thread::Builder::new().name("agents".into()).spawn(move || run(setup, inbox, act, &done_tx))?;
        Ok(Self { sender, done_rx })
    }

    pub fn tell(&self, update: Update) {
        self.sender.tell(update);
    }

    /// ssh has printed something; its bytes only where they may be kept.
    pub fn output(&self, bytes: Option<&[u8]>, now: Instant) {
        self.sender.output(bytes, now);
    }

    /// The session is over. Clients that wait get a moment to hear of it.
    pub fn end(self, exit: i32) {
        self.sender.tell(Update::End(exit));
        let _ = self.done_rx.recv_timeout(2 * FAREWELL);
    }
}

/// The thread's body.
fn run(mut setup: Setup, inbox: inbox::Inbox, act: impl Fn(Act) + Send + 'static, done_tx: &SyncSender<()>) {
    (setup.on_start)();
    let folder = std::mem::replace(&mut setup.folder, Box::new(Folder::of_user));
    let registered = folder().and_then(|folder| folder.register(&setup.id, &setup.host));
    match registered {
        Ok(registration) => {
            act(Act::Alias(registration.alias.clone()));
            State::new(setup, registration, inbox, Box::new(act)).attend();
        }
        Err(e) => act(Act::Failed(e.to_string())),
    }
    let _ = done_tx.try_send(());
}

/// Everything that the thread owns.
struct State {
    board: Board,
    registration: Registration,
    inbox: inbox::Inbox,
    act: Box<dyn Fn(Act) + Send>,
    transcript: Transcript,
    redactor: Redactor,
    conns: Vec<Conn>,
    agents: Agents,
    waits: Waits,
    /// What the main loop is yet to answer.
    asked: Vec<Asked>,
    next: u64,
    /// Since when refusals are counted, and how many there were.
    refusals: Cell<(Option<Instant>, u32)>,
}

/// What poll said.
struct Ready {
    listener: bool,
    conns: Vec<(u64, bool, bool)>,
}

impl State {
    fn new(
        setup: Setup,
        registration: Registration,
        inbox: inbox::Inbox,
        act: Box<dyn Fn(Act) + Send>,
    ) -> Self {
        let alias = registration.alias.clone();
        let mut redactor = Redactor::new(setup.redact);
        redactor.set_target(&setup.ssh_host);
        Self {
            board: Board::new(setup.id, alias, setup.ssh_host, setup.user),
            registration,
            inbox,
            act,
            transcript: Transcript::default(),
            redactor,
            conns: Vec::new(),
            agents: Agents::default(),
            waits: Waits::default(),
            asked: Vec::new(),
            next: 0,
            refusals: Cell::default(),
        }
    }

    fn attend(mut self) {
        while self.board.exit.is_none() {
            let Ok(ready) = self.wait() else { break };
            self.take_heap();
            if ready.listener {
                self.accept();
            }
            for (token, reads, writes) in ready.conns {
                self.serve(token, reads, writes);
            }
            self.check_waits();
            self.drop_dead();
        }
        self.leave();
    }

    fn wait(&self) -> io::Result<Ready> {
        let mut fds = vec![
            PollFd::new(self.inbox.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.registration.listener.as_fd(), PollFlags::POLLIN),
        ];
        for conn in &self.conns {
            let mut flags = PollFlags::POLLIN;
            flags.set(PollFlags::POLLOUT, conn.has_to_send());
            fds.push(PollFd::new(conn.stream.as_fd(), flags));
        }
        let timeout = match self.waits.deadline(&self.board) {
            None => PollTimeout::NONE,
            Some(at) => {
                let left = at.saturating_duration_since(Instant::now()) + Duration::from_micros(999);
                PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
            }
        };
        match poll(&mut fds, timeout) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
        let events = |at: usize| fds[at].revents().unwrap_or(PollFlags::empty());
        let in_or_over = PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR;
        let conns = self.conns.iter().enumerate().map(|(at, conn)| {
            let events = events(at + 2);
            (conn.token, events.intersects(in_or_over), events.intersects(PollFlags::POLLOUT))
        });
        Ok(Ready { listener: !events(1).is_empty(), conns: conns.collect() })
    }

    /// A client connects; others than this user's are told nothing.
    fn accept(&mut self) {
        let now = Instant::now();
        while let Ok((stream, _)) = self.registration.listener.accept() {
            let known = peer(&stream).ok().filter(|peer| peer.uid == Uid::effective().as_raw());
            let Some(peer) = known else {
                self.called("another user", "connect", "", "refused: only this user's agents may");
                continue;
            };
            let of_it = self.conns.iter().filter(|conn| peer.pid.is_some() && conn.pid == peer.pid);
            if of_it.count() >= OF_A_PROCESS {
                continue;
            }
            if self.conns.len() >= CONNS {
                let waits = &self.waits;
                let spare =
                    |conn: &Conn| !conn.is_watching && !waits.has(conn.token) && now - conn.active_at > IDLE;
                let Some(at) = self.conns.iter().position(spare) else { continue };
                self.conns.remove(at);
            }
            if stream.set_nonblocking(true).is_ok() {
                self.next += 1;
                self.conns.push(Conn::new(self.next, stream, peer.pid, now));
            }
        }
    }

    fn serve(&mut self, token: u64, reads: bool, writes: bool) {
        let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == token) else { return };
        if writes {
            conn.flush();
        }
        if !reads {
            return;
        }
        conn.read();
        loop {
            let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == token && !conn.is_over) else {
                return;
            };
            match conn.line() {
                Ok(Some(line)) => self.on_line(token, &line),
                Ok(None) => return,
                Err(()) => {
                    conn.is_dead = true;
                    let agent = conn.agent.clone().unwrap_or_else(|| "an agent".to_owned());
                    return self.called(&agent, "connect", "", "refused: a request that is too long");
                }
            }
        }
    }

    /// What the main loop has left.
    fn take_heap(&mut self) {
        let heap = self.inbox.take();
        if let Some(at) = heap.last_output {
            self.board.last_output = Some(at);
        }
        // Output comes after them: it is of the session as it is shared now, and without what is a secret by now.
        heap.updates.into_iter().for_each(|update| self.on_update(update));
        if heap.lost != (0, 0) {
            self.transcript.lost(heap.lost.0, heap.lost.1);
        }
        if self.board.is_shared {
            self.transcript.push(&heap.output);
        }
    }

    fn on_update(&mut self, update: Update) {
        match update {
            Update::Seen(seen) => self.board.seen = seen,
            Update::Target { ssh_host, user } => {
                self.redactor.set_target(&ssh_host);
                (self.board.ssh_host, self.board.user) = (ssh_host, user);
                self.news(News::Listed);
            }
            Update::Command(ended) => {
                self.board.commands += 1;
                self.board.last = Some(ended);
                self.news(News::Changed);
            }
            Update::Cards { cards, pending } => {
                (self.board.cards, self.board.pending) = (cards, pending);
                self.news(News::Changed);
            }
            Update::Raised => self.news(News::Changed),
            Update::Share { on, shown } => {
                self.board.is_shared = on;
                // What was printed while it was shared is nobody's any more.
                self.transcript = self.transcript.begun_anew();
                self.transcript.push(shown.as_bytes());
                self.news(News::Listed);
            }
            Update::Learn(secret, class) => self.redactor.learn(&secret, class),
            Update::Done { ticket, result } => self.on_done(ticket, &result),
            Update::Mute { name, on } => {
                self.agents.mute(&name, on);
                if on {
                    // What it waits for is not told any more either.
                    let its = |conn: &Conn| conn.agent.as_deref() == Some(&name);
                    let conns = &self.conns;
                    self.waits.retain(|token| !conns.iter().any(|conn| conn.token == token && its(conn)));
                }
                self.tell_attached();
            }
            Update::Disconnect { name } => {
                self.agents.mute(&name, true);
                for conn in self.conns.iter_mut().filter(|conn| conn.agent.as_deref() == Some(&name)) {
                    conn.is_dead = true;
                }
                self.drop_dead();
                self.tell_attached();
            }
            Update::End(exit) => self.board.exit = Some(exit),
        }
    }

    /// Tells all that watch. What is not shared changes for nobody.
    fn news(&mut self, news: News) {
        if news == News::Changed && !self.board.is_shared {
            return;
        }
        let line = json!({"news": news});
        self.conns.iter_mut().filter(|conn| conn.is_watching).for_each(|conn| conn.send(&line));
    }

    fn called(&self, agent: &str, tool: &str, action: &str, outcome: &str) {
        if outcome.starts_with("refused") && !self.records_refusal(agent) {
            return;
        }
        self.record(agent, tool, action, outcome);
    }

    /// Whether another refusal is recorded; with the first of a new time goes how many were not.
    fn records_refusal(&self, agent: &str) -> bool {
        let (most, time) = REFUSALS;
        let now = Instant::now();
        let (since, count) = self.refusals.get();
        if since.is_some_and(|since| now - since < time) {
            self.refusals.set((since, count.saturating_add(1)));
            return count < most;
        }
        if count > most {
            self.record(agent, "refusals", "", &format!("{} more were not recorded", count - most));
        }
        self.refusals.set((Some(now), 1));
        true
    }

    fn record(&self, agent: &str, tool: &str, action: &str, outcome: &str) {
        let owned = str::to_owned;
        (self.act)(Act::Called {
            agent: owned(agent),
            tool: owned(tool),
            action: owned(action),
            outcome: owned(outcome),
        });
    }

    fn tell_attached(&self) {
        (self.act)(Act::Attached(self.agents.rows(&self.conns)));
    }

    fn drop_dead(&mut self) {
        let before = self.conns.len();
        self.conns.retain(|conn| !conn.is_dead);
        if self.conns.len() != before {
            let conns = &self.conns;
            self.waits.retain(|token| conns.iter().any(|conn| conn.token == token));
            self.tell_attached();
        }
    }

    /// The session is over: who waits hears it, and a tombstone answers those who ask later.
    fn leave(mut self) {
        self.check_waits();
        self.news(News::Exited);
        let end = Instant::now() + FAREWELL;
        while self.conns.iter().any(Conn::has_to_send) && Instant::now() < end {
            let waits = self.conns.iter().filter(|conn| conn.has_to_send());
            let mut fds: Vec<PollFd<'_>> =
                waits.map(|conn| PollFd::new(conn.stream.as_fd(), PollFlags::POLLOUT)).collect();
            let _ = poll(&mut fds, PollTimeout::from(10u8));
            self.conns.iter_mut().for_each(Conn::flush);
            self.conns.retain(|conn| !conn.is_dead);
        }
        let board = self.board;
        let gone = Gone {
            id: board.id,
            alias: board.alias,
            ssh_host: board.ssh_host,
            user: board.user,
            exit_code: board.exit.unwrap_or(255),
        };
        self.registration.end(&gone);
    }
}
