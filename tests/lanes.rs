//! Dispatch, lanes and client together against a recording Linus: order, yielding, and the way back.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use aissh::linus::contract::{ChatContext, Context, HostContext, Request, SessionEvent, Source};
use aissh::linus::dispatch::{Dispatch, Due, Effect, Fate, Lane, Link};
use aissh::linus::lanes::{LaneEvent, Lanes, Work};
use aissh::linus::{Client, HttpConfig, Peer};
use support::linus::{Call, Fault, Linus};

const PATIENCE: Duration = Duration::from_secs(20);

/// What the session's main loop does with the dispatch and the lanes.
struct Session {
    dispatch: Dispatch<&'static str, SessionEvent>,
    lanes: Lanes,
    events_rx: Receiver<LaneEvent>,
    fates: Vec<(u64, Fate)>,
}

impl Session {
    fn new(linus: &Linus) -> Self {
        let (events_tx, events_rx) = sync_channel(64);
        let url = linus.url();
        let factory = move |_| Box::new(Client::new(HttpConfig::new(&url)).unwrap()) as Box<dyn Peer>;
        let lanes = Lanes::start(factory, events_tx, || ()).unwrap();
        Self { dispatch: Dispatch::new(), lanes, events_rx, fates: Vec::new() }
    }

    /// Turns the loop until `done`, or fails.
    fn run_until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !done(self) {
            assert!(Instant::now() < end, "no {what}: {:?} {:?}", self.dispatch.link(), self.fates);
            for effect in self.dispatch.due(Instant::now()) {
                match effect {
                    Effect::CancelBackground => self.lanes.cancel(Lane::Background),
                    Effect::Send { lane, ticket, due } => {
                        assert!(self.lanes.send(lane, ticket, compose(due)))
                    }
                }
            }
            let tick = Duration::from_millis(20);
            let deadline = self.dispatch.deadline().map(|d| d.saturating_duration_since(Instant::now()));
            match self.events_rx.recv_timeout(deadline.unwrap_or(tick).min(tick)) {
                Ok(LaneEvent::Reply { ticket, result, took, .. }) => {
                    let result = result.as_ref().as_ref().map(|_| ());
                    self.fates.extend(self.dispatch.reply(ticket, result, took, Instant::now(), 0.0));
                }
                Ok(LaneEvent::Progress { .. }) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the lanes are gone"),
            }
        }
    }
}

fn compose(due: Due<&'static str, SessionEvent>) -> Work {
    let (session_id, ssh_host, ssh_user) = ("s".to_owned(), "root@h".to_owned(), "root".to_owned());
    let context = Context { ssh_host: ssh_host.clone(), ssh_user: ssh_user.clone(), cwd: None };
    Work::Call(match due {
        Due::Probe => return Work::Probe,
        Due::Chat { message, .. } => Request::Chat {
            session_id,
            message,
            context: ChatContext {
                ssh_host,
                ssh_user,
                connected: true,
                terminal_tail: String::new(),
                cwd: None,
                last_command: None,
                last_exit_code: None,
            },
        },
        Due::TerminalUpdate => {
            Request::TerminalUpdate { session_id, new_output: "x".into(), terminal_tail: "x".into(), context }
        }
        Due::Command(command) => Request::CommandExecuted {
            session_id,
            command: command.into(),
            source: Source::UserTyped,
            suggestion_id: None,
            was_edited: None,
            output: String::new(),
            exit_code: None,
            is_final: true,
            context,
        },
        Due::Session(event) => {
            Request::SessionState { session_id, event, context: HostContext { ssh_host, ssh_user } }
        }
    })
}

/// A call in one word or two.
fn named(call: &Call) -> String {
    match &call.request {
        Request::Chat { message, .. } => format!("chat {message}"),
        Request::TerminalUpdate { .. } => "update".into(),
        Request::CommandExecuted { command, .. } => format!("command {command}"),
        Request::SessionState { event, .. } => format!("session {event:?}"),
    }
}

fn names(linus: &Linus) -> Vec<String> {
    linus.calls().iter().map(named).collect()
}

#[test]
fn a_command_takes_a_hanging_update_back_and_chat_notices_nothing() {
    let linus = Linus::legacy();
    let mut session = Session::new(&linus);
    session.dispatch.session(SessionEvent::Connected);
    session.run_until("connection", |_| linus.calls().len() == 1);
    linus.fault("tools/call", Fault::Hang);
    session.dispatch.output(Instant::now());
    session.run_until("hanging update", |_| {
        linus.requests().iter().filter(|r| r.body["params"]["name"] == "linus_terminal_update").count() == 1
    });
    let id = session.dispatch.chat("hi".into()).unwrap();
    session.run_until("answer", |s| s.fates == [(id, Fate::Answered)]);
    session.dispatch.command("df -h");
    session.run_until("command and update", |_| linus.calls().len() == 4);
    assert_eq!(names(&linus), ["session Connected", "chat hi", "command df -h", "update"]);
    assert!(session.lanes.shutdown(PATIENCE));
}

#[test]
fn chat_written_while_linus_is_away_arrives_in_order_when_he_is_back() {
    let linus = Linus::modern();
    let mut session = Session::new(&linus);
    let first = session.dispatch.chat("one".into()).unwrap();
    session.run_until("answer", |s| s.fates == [(first, Fate::Answered)]);
    linus.stop();
    session.dispatch.session(SessionEvent::Connected);
    session.run_until("offline", |s| matches!(s.dispatch.link(), Link::Offline { .. }));
    for message in ["two", "three", "four"] {
        session.dispatch.chat(message.into()).unwrap();
    }
    session.dispatch.command("not told");
    session.dispatch.output(Instant::now());
    linus.restart();
    session.run_until("answers", |s| s.fates.iter().filter(|(_, f)| *f == Fate::Answered).count() == 4);
    let chats: Vec<_> = names(&linus).into_iter().filter(|n| n.starts_with("chat")).collect();
    assert_eq!(chats, ["chat one", "chat two", "chat three", "chat four"]);
    session.run_until("session event", |_| names(&linus).contains(&"session Connected".into()));
    assert!(!names(&linus).iter().any(|n| n == "update" || n == "command not told"));
}

#[test]
fn a_chat_whose_answer_was_lost_is_not_sent_again() {
    let linus = Linus::modern();
    let mut session = Session::new(&linus);
    linus.fault("tools/call", Fault::Raw(String::new()));
    let lost = session.dispatch.chat("once".into()).unwrap();
    let next = session.dispatch.chat("next".into()).unwrap();
    session.run_until("both", |s| s.fates.len() == 2);
    assert_eq!(session.fates, [(lost, Fate::PerhapsDelivered), (next, Fate::Answered)]);
    let sent = linus.requests().iter().filter(|r| r.body["params"]["arguments"]["message"] == "once").count();
    assert_eq!(sent, 1);
}

#[test]
fn output_while_an_update_hangs_is_told_in_one_update_and_nothing_else_goes_meanwhile() {
    let linus = Linus::modern();
    let mut session = Session::new(&linus);
    session.dispatch.session(SessionEvent::Connected);
    session.run_until("connection", |_| linus.calls().len() == 1);
    linus.fault("tools/call", Fault::Hang);
    session.dispatch.output(Instant::now());
    let updates =
        || linus.requests().iter().filter(|r| r.body["params"]["name"] == "linus_terminal_update").count();
    session.run_until("hanging update", |_| updates() == 1);
    // More than two of the contract's seconds, with output all the time.
    let end = Instant::now() + Duration::from_millis(2500);
    while Instant::now() < end {
        session.dispatch.output(Instant::now());
        let soon = Instant::now() + Duration::from_millis(100);
        session.run_until("a moment", |_| Instant::now() >= soon);
    }
    assert_eq!(updates(), 1, "one background call at a time");
    for command in ["one", "two", "three"] {
        session.dispatch.command(command);
    }
    session.dispatch.session(SessionEvent::Disconnected);
    session.run_until("the rest", |_| linus.calls().len() == 6);
    let rest = ["command one", "command two", "command three", "session Disconnected", "update"];
    assert_eq!(names(&linus)[1..], rest, "in order, and all that output in one update");
    let quiet = Instant::now() + Duration::from_millis(1500);
    session.run_until("quiet", |_| Instant::now() >= quiet);
    assert_eq!(updates(), 2);
}

#[test]
fn leaving_waits_fifty_milliseconds_for_a_linus_who_hangs() {
    let linus = Linus::modern();
    linus.always("tools/call", Fault::Hang);
    let mut session = Session::new(&linus);
    session.dispatch.session(SessionEvent::Connected);
    session.dispatch.chat("hi".into()).unwrap();
    let calls = || linus.requests().iter().filter(|r| r.rpc() == "tools/call").count();
    session.run_until("both calls", |_| calls() == 2);
    let started = Instant::now();
    session.lanes.shutdown(Duration::from_millis(50));
    // A thread that is woken late on a busy machine is all that may be added.
    assert!(started.elapsed() < Duration::from_millis(250), "{:?}", started.elapsed());
}

#[test]
fn three_failures_open_the_breaker_and_one_probe_at_a_time_asks_less_and_less_often() {
    let linus = Linus::modern();
    let mut session = Session::new(&linus);
    session.dispatch.session(SessionEvent::Connected);
    session.run_until("connection", |_| linus.calls().len() == 1);
    let refuse = |method| linus.always(method, Fault::Status(500, "text/plain", "no".into()));
    refuse("tools/call");
    let offline = |s: &Session| matches!(s.dispatch.link(), Link::Offline { .. });
    for n in 1..=3 {
        assert!(!offline(&session), "open after {n} failures");
        session.dispatch.command("ls");
        let asked = linus.requests().len();
        let calls = || linus.requests()[asked..].iter().filter(|r| r.rpc() == "tools/call").count();
        session.run_until("a failure", |s| calls() == 1 && (n < 3 || offline(s)));
        let soon = Instant::now() + Duration::from_millis(200);
        session.run_until("its reply", |_| Instant::now() >= soon);
    }
    assert!(offline(&session));
    let opened = Instant::now();
    ["server/discover", "initialize"].into_iter().for_each(refuse);
    let probes = || linus.requests().iter().filter(|r| r.rpc() == "server/discover").count();
    let (calls, before) = (linus.requests().len(), probes());
    let mut at = Vec::new();
    for n in 1..=2 {
        session.run_until("a probe", |_| probes() == before + n);
        at.push(opened.elapsed());
    }
    // A second, and two more; 200 ms of the first had passed. Jitter is none here.
    assert!(at[0] > Duration::from_millis(600) && at[1] - at[0] > Duration::from_millis(1800), "{at:?}");
    assert!(linus.requests()[calls..].iter().all(|r| r.rpc() != "tools/call"), "only probes go meanwhile");
    linus.heal();
    let id = session.dispatch.chat("back".into()).unwrap();
    session.dispatch.retry(Instant::now());
    session.run_until("the answer", |s| s.fates.contains(&(id, Fate::Answered)));
}
