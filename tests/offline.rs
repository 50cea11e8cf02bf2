//! A Linus who is not there, breaks, or never ends: the session goes on, the panel says so in the contract's words,
//! and what the user wrote is sent when he is back.
#![allow(clippy::unwrap_used)]

mod support;

use std::time::{Duration, Instant};

use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, open_panel};
use support::envelopes::{card, suggests, to_chats};
use support::lab::Lab;
use support::linus::{Fault, LEGACY, Linus, MODERN, Setup};
use support::process::listening;
use support::terminal::{Exit, Size, Terminal};
use support::told::{messages, session_with};

/// The contract's words.
const INTENT: &str = "AI offline — chat messages will be queued.";
const CARDS: &str = "(AI offline — commands may be stale)";

/// The terminal has the focus again, and ssh works.
fn assert_session_works(terminal: &Terminal, lab: &Lab, n: u32) {
    terminal.type_line(&format!("echo round $(({n} + 0)) wo''rks"));
    terminal.wait_text(&format!("round {n} works"));
    terminal.wait_prompt(lab.prompt());
}

fn say(terminal: &Terminal, message: &str) {
    chat(terminal, message);
    terminal.send(format!("{PREFIX}\t"));
}

#[test]
fn linus_dies_in_a_call_and_what_waited_is_sent_when_he_is_back() {
    for revision in [MODERN, LEGACY] {
        let lab = Lab::start();
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        linus.reply_with(to_chats(suggests(vec![card("cmd_001", "echo suggested")])));
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        say(&terminal, "before");
        terminal.wait_text("cmd_001");
        linus.fault("tools/call", Fault::Die);
        say(&terminal, "lost");
        // Output makes updates, which find him gone.
        assert_session_works(&terminal, &lab, 1);
        for shown in [INTENT, CARDS, "echo suggested", "offline"] {
            terminal.wait_text(shown);
        }
        for message in ["first in the queue", "second in the queue"] {
            say(&terminal, message);
            terminal.wait_text(&format!("(queued) {message}"));
        }
        assert_session_works(&terminal, &lab, 2);
        linus.restart();
        linus.wait_for(|calls| messages(calls).iter().any(|m| m == "second in the queue"), DEADLINE);
        let is_online = |screen: &vt100::Screen| {
            let text = screen.contents();
            !text.contains(INTENT) && !text.contains(CARDS) && !text.contains("(queued)")
        };
        terminal.wait_for(is_online, "the queue sent");
        let told = messages(&linus.calls());
        // In order and once each; what was lost in the call is not sent again unasked.
        let of_queue: Vec<&str> = told.iter().map(String::as_str).filter(|m| m.contains("queue")).collect();
        assert_eq!(of_queue, ["first in the queue", "second in the queue"]);
        assert!(told.iter().filter(|m| *m == "lost").count() <= 1, "{told:?}");
        say(&terminal, "after");
        linus.wait_for(|calls| messages(calls).iter().any(|m| m == "after"), DEADLINE);
        terminal.type_line("exit 4");
        assert_eq!(terminal.wait_exit(), Exit::Code(4));
    }
}

#[test]
fn nobody_at_the_url_is_said_at_once_and_ssh_does_not_care() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.stop();
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).at_prompt();
    assert_session_works(&terminal, &lab, 1);
    open_panel(&terminal);
    for shown in [INTENT, CARDS] {
        terminal.wait_text(shown);
    }
    say(&terminal, "is anybody there");
    terminal.wait_text("(queued) is anybody there");
    terminal.type_line("exit 5");
    assert_eq!(terminal.wait_exit(), Exit::Code(5));
}

/// What a broken server may say instead of an answer.
fn faults() -> Vec<Fault> {
    let half = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{\"content\":[],\"struct";
    vec![
        Fault::Status(500, "text/html", "<h1>\x1b[2Joops</h1>".into()),
        Fault::Status(200, "application/json", "garbage \x1b]0;x\x07 {".into()),
        Fault::Status(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":[]}".into()),
        Fault::json(
            200,
            "{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{\"code\":-32603,\"message\":\"\\u001b[2Jno\"}}",
        ),
        Fault::Raw("not HTTP at all\r\n\r\n".into()),
        Fault::Raw(String::new()),
        Fault::stream(half),
        Fault::stream("data: nonsense\n\n"),
        Fault::Endless,
    ]
}

#[test]
fn whatever_a_broken_linus_answers_costs_a_line_in_the_panel() {
    let lab = Lab::start();
    for (n, fault) in (1..).zip(faults()) {
        let linus = Linus::modern();
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        linus.always("tools/call", fault.clone());
        say(&terminal, "hello");
        terminal.wait_text("· Linus: ");
        assert_session_works(&terminal, &lab, n);
        linus.heal();
        // Perhaps he is thought to be offline by now; then this waits for the next try.
        say(&terminal, "again");
        linus.wait_for(|calls| messages(calls).iter().any(|m| m == "again"), DEADLINE);
        terminal.wait_text("you said: again");
        terminal.type_line("exit 7");
        assert_eq!(terminal.wait_exit(), Exit::Code(7), "{fault:?}");
    }
}

#[test]
fn leaving_does_not_wait_for_a_linus_who_hangs() {
    let lab = Lab::start();
    let half = "event: message\ndata: {\"jsonrpc\":\"2.0\",";
    for fault in [Fault::Hang, Fault::stream_then_hang(half), Fault::Slow(Duration::from_millis(20))] {
        let linus = Linus::modern();
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        linus.always("tools/call", fault.clone());
        say(&terminal, "hello");
        terminal.wait_text("Waiting for Linus");
        assert_session_works(&terminal, &lab, 1);
        // Another one behind it, and output for the other lane.
        say(&terminal, "hello again");
        assert_session_works(&terminal, &lab, 2);
        terminal.type_line("exit 3");
        terminal.wait_text("Connection to 127.0.0.1 closed.");
        let started = Instant::now();
        assert_eq!(terminal.wait_exit(), Exit::Code(3));
        assert!(started.elapsed() < Duration::from_secs(2), "{:?} after ssh, {fault:?}", started.elapsed());
    }
}

#[test]
fn escape_takes_a_call_back_and_the_next_one_is_answered() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    linus.fault("tools/call", Fault::Hang);
    chat(&terminal, "hello");
    terminal.wait_text("Waiting for Linus");
    terminal.send("\x1b");
    terminal.wait_text("(cancelled) hello");
    linus.heal();
    chat(&terminal, "and now");
    terminal.wait_text("you said: and now");
}

#[test]
fn a_slow_update_does_not_delay_a_chat() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    linus.fault("tools/call", Fault::Hang);
    terminal.type_line("echo outp''ut");
    terminal.wait_text("output");
    // The update hangs by now: it was the next call.
    linus.wait_until("the hanging call", DEADLINE, |record| {
        record.requests.iter().filter(|r| r.rpc() == "tools/call").count() > record.calls.len()
    });
    chat(&terminal, "hello");
    terminal.wait_text("you said: hello");
}

#[test]
fn with_the_built_in_linus_no_port_is_opened() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    open_panel(&terminal);
    say(&terminal, "the disk is full");
    terminal.wait_text("df -h");
    assert_session_works(&terminal, &lab, 1);
    assert_eq!(listening(terminal.pid()), Vec::<String>::new());
    // That the look is not blind: this process has one while it serves.
    let linus = Linus::modern();
    assert!(!listening(nix::unistd::getpid()).is_empty());
    drop(linus);
}
