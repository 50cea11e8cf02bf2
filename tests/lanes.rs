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
