use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::*;
use crate::linus::contract::{ChatResponse, Envelope, HostContext, SessionEvent};
use crate::linus::peer::{Server, Takes};
use crate::linus::revision::Revision;

/// What nothing in a passing test takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A peer whose session id says what to do: `hang` until taken back, `stuck` until told to go on, `panic`,
/// and everything else is said back with how many calls this peer has seen.
struct Puppet {
    calls: u32,
    begun_tx: Sender<String>,
    go_on: Arc<(std::sync::Mutex<bool>, std::sync::Condvar)>,
}

impl Peer for Puppet {
    fn call(
        &mut self,
        request: &Request,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Answer, CallError> {
        let Request::SessionState { session_id: what, .. } = request else { unreachable!() };
        self.calls += 1;
        self.begun_tx.send(what.clone()).unwrap();
        match what.as_str() {
            "hang" => {
                assert!(cancel.wait(PATIENCE));
                Err(CallError::Cancelled)
            }
            "stuck" => {
                let going = self.go_on.0.lock().unwrap();
                drop(self.go_on.1.wait_timeout_while(going, PATIENCE, |g| !*g));
                Ok(Answer::default())
            }
            "panic" => panic!("as told"),
            _ => {
                on_progress("wri");
                let name = thread::current().name().unwrap_or_default().to_owned();
                let message = format!("{what} {} {name}", self.calls);
                let chat_response = Some(ChatResponse { message, mentions: Vec::new() });
                Ok(Answer {
                    envelope: Envelope { chat_response, ..Envelope::default() },
                    ..Answer::default()
                })
            }
        }
    }

    fn probe(&mut self, _: &Canceller) -> Result<Server, CallError> {
        Ok(Server {
            revision: Revision::MODERN,
            name: String::new(),
            missing: Vec::new(),
            takes: Takes::default(),
        })
    }
}

struct Bench {
    lanes: Lanes,
    events_rx: Receiver<LaneEvent>,
    begun_rx: Receiver<String>,
    woken: Arc<AtomicU32>,
    go_on: Arc<(std::sync::Mutex<bool>, std::sync::Condvar)>,
}

impl Bench {
    fn new() -> Self {
        let (events_tx, events_rx) = sync_channel(100);
        let (begun_tx, begun_rx) = channel();
        let go_on: Arc<(std::sync::Mutex<bool>, std::sync::Condvar)> = Arc::default();
        let woken = Arc::new(AtomicU32::new(0));
        let (counter, gate) = (Arc::clone(&woken), Arc::clone(&go_on));
        let begun_tx = std::sync::Mutex::new(begun_tx);
        let factory = move |_| {
            let begun_tx = begun_tx.lock().unwrap().clone();
            Box::new(Puppet { calls: 0, begun_tx, go_on: Arc::clone(&gate) }) as Box<dyn Peer>
        };
        let wake = move || {
            counter.fetch_add(1, Ordering::SeqCst);
        };
        let lanes = Lanes::start(factory, events_tx, wake).unwrap();
        Self { lanes, events_rx, begun_rx, woken, go_on }
    }

    fn send(&mut self, lane: Lane, ticket: Ticket, what: &str) -> bool {
        let context = HostContext { ssh_host: "root@h".into(), ssh_user: "root".into() };
        let event = SessionEvent::Connected;
        let call = Request::SessionState { session_id: what.into(), event, context };
        self.lanes.send(lane, ticket, Work::Call(call))
    }

    /// The next reply: ticket, and what was said or the error.
    fn reply(&self) -> (Ticket, Result<String, CallError>) {
        loop {
            if let LaneEvent::Reply { ticket, result, .. } = self.events_rx.recv_timeout(PATIENCE).unwrap() {
                let said = |a: Answer| a.envelope.chat_response.map(|c| c.message).unwrap_or_default();
                return (ticket, (*result).map(said));
            }
        }
    }

    fn wait_begun(&self, what: &str) {
        while self.begun_rx.recv_timeout(PATIENCE).unwrap() != what {}
    }
}

#[test]
fn a_hanging_background_call_never_holds_up_a_chat() {
    let mut b = Bench::new();
    assert!(b.send(Lane::Background, 1, "hang"));
    b.wait_begun("hang");
    assert!(b.send(Lane::Chat, 2, "hi"));
    assert_eq!(b.reply(), (2, Ok("hi 1 linus-chat".into())));
    b.lanes.cancel(Lane::Background);
    assert_eq!(b.reply(), (1, Err(CallError::Cancelled)));
    assert!(b.send(Lane::Background, 3, "hi"));
    assert_eq!(b.reply(), (3, Ok("hi 2 linus-background".into())));
}

#[test]
fn every_event_wakes_the_main_loop_and_progress_comes_before_the_reply() {
    let mut b = Bench::new();
    b.send(Lane::Chat, 7, "hi");
    let first = b.events_rx.recv_timeout(PATIENCE).unwrap();
    assert_eq!(first, LaneEvent::Progress { ticket: 7, text: "wri".into() });
    assert_eq!(b.reply().0, 7);
    assert!(b.lanes.send(Lane::Chat, 8, Work::Probe));
    assert_eq!(b.reply(), (8, Ok(String::new())));
    assert!(b.lanes.shutdown(PATIENCE));
    assert_eq!(b.woken.load(Ordering::SeqCst), 3);
}

#[test]
fn a_panic_is_an_error_and_the_lane_goes_on_with_a_new_peer() {
    let mut b = Bench::new();
    b.send(Lane::Chat, 1, "hi");
    b.send(Lane::Chat, 2, "panic");
    b.send(Lane::Chat, 3, "hi");
    assert_eq!(b.reply(), (1, Ok("hi 1 linus-chat".into())));
    assert!(matches!(b.reply(), (2, Err(CallError::Lost(_)))));
    assert_eq!(b.reply(), (3, Ok("hi 1 linus-chat".into())));
}

#[test]
fn cancelling_takes_back_what_runs_and_what_waits_and_nothing_sent_later() {
    let mut b = Bench::new();
    b.send(Lane::Background, 1, "hang");
    b.send(Lane::Background, 2, "hi");
    b.lanes.cancel(Lane::Background);
    b.send(Lane::Background, 3, "hi");
    assert_eq!(b.reply(), (1, Err(CallError::Cancelled)));
    assert_eq!(b.reply(), (2, Err(CallError::Cancelled)));
    assert!(matches!(b.reply(), (3, Ok(_))));
}

#[test]
fn a_full_lane_refuses_and_never_blocks() {
    let mut b = Bench::new();
    b.send(Lane::Background, 0, "hang");
    b.wait_begun("hang");
    let sent = (1..20).take_while(|n| b.send(Lane::Background, *n, "hi")).count();
    assert_eq!(sent, JOBS_LIMIT);
    b.lanes.cancel(Lane::Background);
    for ticket in 0..=sent as u64 {
        assert_eq!(b.reply(), (ticket, Err(CallError::Cancelled)));
    }
}

#[test]
fn leaving_sends_what_the_background_still_has_and_drops_the_chat() {
    let mut b = Bench::new();
    b.send(Lane::Chat, 1, "hang");
    b.wait_begun("hang");
    b.send(Lane::Background, 2, "bye");
    let started = Instant::now();
    assert!(b.lanes.shutdown(PATIENCE));
    assert!(started.elapsed() < PATIENCE / 2);
    b.begun_rx.iter().find(|w| w == "bye").unwrap();
}

#[test]
fn leaving_never_waits_longer_than_its_deadline() {
    let mut b = Bench::new();
    for lane in [Lane::Chat, Lane::Background] {
        b.send(lane, 1, "stuck");
        b.wait_begun("stuck");
    }
    let started = Instant::now();
    assert!(!b.lanes.shutdown(Duration::from_millis(50)));
    // Far from the deadline, for a machine under load.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    *b.go_on.0.lock().unwrap() = true;
    b.go_on.1.notify_all();
}
