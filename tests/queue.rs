//! Messages written while Linus is away: on the disk, over the end of a session and a kill, and sent again by nobody but
//! the user.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Instant;

use aissh::linus::contract::Request;
use nix::sys::signal::Signal;
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, open_panel};
use support::lab::Lab;
use support::linus::{Fault, Linus};
use support::terminal::{Exit, Size, Terminal};
use support::told::{messages, session_with};

/// In a wide window, with the panel open.
fn session(lab: &Lab, linus: &Linus) -> Terminal {
    let terminal = Run::aissh(lab).linus(linus).size(Size::WIDE).at_prompt();
    open_panel(&terminal);
    terminal
}

/// Says something to an absent Linus; the terminal has the focus after it.
fn say_queued(terminal: &Terminal, message: &str) {
    chat(terminal, message);
    terminal.wait_text(&format!("(queued) {message}"));
    terminal.send(format!("{PREFIX}\t"));
}

fn leave(terminal: &Terminal) {
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

fn files(lab: &Lab) -> Vec<PathBuf> {
    let folder = lab.client_home().join(".local/state/aissh/queue");
    fs::read_dir(folder).map(|list| list.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

/// What is on the disk, all files together.
fn kept(lab: &Lab) -> String {
    files(lab).iter().map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
}

/// The marks on the disk of lines with this text.
fn marks(lab: &Lab, text: &str) -> String {
    kept(lab).lines().filter(|line| line.contains(text)).filter_map(|line| line.chars().next()).collect()
}

/// Waits until the disk has lines of this text with these marks: it is written beside what is shown.
fn wait_marks(lab: &Lab, text: &str, wanted: &str) {
    let end = Instant::now() + DEADLINE;
    while marks(lab, text) != wanted {
        assert!(Instant::now() < end, "{text} is not {wanted}: {}", kept(lab));
        std::thread::yield_now();
    }
}

#[test]
fn what_was_not_sent_is_offered_to_the_next_session_and_sent_by_a_key_in_order_and_once() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.stop();
    let terminal = session(&lab, &linus);
    for message in ["first of yesterday", "second of yesterday"] {
        say_queued(&terminal, message);
    }
    wait_marks(&lab, "of yesterday", "ww");
    // The disk has them before the session ends: a kill takes nothing.
    terminal.kill(Signal::SIGKILL);
    terminal.wait_exit();
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((files(&lab).len(), mode(&files(&lab)[0])), (1, 0o600));
    assert_eq!(mode(&lab.client_home().join(".local/state/aissh/queue")), 0o700);
    assert_eq!((marks(&lab, "first"), marks(&lab, "second")), ("w".to_owned(), "w".to_owned()));
    linus.restart();
    // Another Linus has no business with them.
    let other = Linus::modern();
    let terminal = session_with(&lab, &other);
    open_panel(&terminal);
    chat(&terminal, "hello you");
    terminal.wait_text("you said: hello you");
    assert!(!terminal.screen_text().contains("not sent"), "{}", terminal.screen_text());
    terminal.send(format!("{PREFIX}\t"));
    leave(&terminal);
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    terminal.wait_text("2 messages from");
    terminal.type_line("echo fresh con''text");
    terminal.wait_text("fresh context");
    chat(&terminal, "today");
    terminal.wait_text("you said: today");
    assert_eq!(messages(&linus.calls()), ["today"], "nothing is sent by itself");
    terminal.send("\x1bs");
    terminal.wait_text("you said: second of yesterday");
    assert_eq!(messages(&linus.calls()), ["today", "first of yesterday", "second of yesterday"]);
    let calls = linus.calls();
    // An update may come behind it.
    let last_chat = calls.iter().rev().find_map(|call| match &call.request {
        Request::Chat { context, .. } => Some(context),
        _ => None,
    });
    let context = last_chat.unwrap_or_else(|| panic!("{calls:?}"));
    assert!(context.terminal_tail.contains("fresh context"), "{context:?}");
    terminal.wait_for(|screen| !screen.contents().contains("messages from"), "the offer's end");
    terminal.send(format!("{PREFIX}\t"));
    leave(&terminal);
    assert_eq!(kept(&lab), "");
}

#[test]
fn a_call_that_a_kill_cut_off_was_perhaps_delivered_and_only_the_user_sends_it_again() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.stop();
    let terminal = session(&lab, &linus);
    for message in ["cut off", "never left"] {
        say_queued(&terminal, message);
    }
    wait_marks(&lab, "never left", "w");
    linus.always("tools/call", Fault::Hang);
    linus.restart();
    let is_sent = |text: &str| {
        let sent = linus.requests();
        sent.iter().filter(|r| r.body["params"]["arguments"]["message"] == text).count()
    };
    linus.wait_until("the hanging call", DEADLINE, |record| {
        record.requests.iter().any(|r| r.body["params"]["arguments"]["message"] == "cut off")
    });
    // The mark was there before the call was.
    assert_eq!((marks(&lab, "cut off"), marks(&lab, "never left")), ("f".to_owned(), "w".to_owned()));
    terminal.kill(Signal::SIGKILL);
    terminal.wait_exit();
    linus.heal();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    terminal.wait_text("perhaps delivered: Alt-s");
    terminal.send(format!("{PREFIX} \x1bs"));
    terminal.wait_text("you said: never left");
    terminal.wait_text("delivered: Alt-x deletes");
    assert_eq!((is_sent("cut off"), is_sent("never left")), (1, 1));
    // The user sees it in the view of what leaves, and sends it from there.
    terminal.send(format!("{PREFIX}w"));
    terminal.wait_text("perhaps delivered, a moment ago: cut off");
    terminal.send("\x1b[B\x1b[B");
    terminal.wait_text("send it, delete it");
    terminal.send("s\x1b");
    terminal.wait_text("you said: cut off");
    terminal.send(format!("{PREFIX}\t"));
    leave(&terminal);
    assert_eq!((kept(&lab), is_sent("cut off")), (String::new(), 2));
}

#[test]
fn what_waits_is_deleted_by_a_key_here_and_in_the_next_session() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.stop();
    let terminal = session(&lab, &linus);
    for message in ["never mind", "stays", "for later"] {
        say_queued(&terminal, message);
    }
    wait_marks(&lab, "for later", "w");
    terminal.send(format!("{PREFIX}w"));
    terminal.wait_text("waits: never mind");
    terminal.send("\x1b[B\x1b[B");
    terminal.wait_text("delete it");
    terminal.send("x");
    terminal.wait_for(|screen| !screen.contents().contains("waits: never mind"), "its end");
    terminal.send("\x1b");
    terminal.wait_text("(cancelled) never mind");
    terminal.send(format!("{PREFIX}\t"));
    leave(&terminal);
    assert_eq!((marks(&lab, "never mind").as_str(), marks(&lab, "stays").as_str()), ("x", "w"));
    let terminal = session(&lab, &linus);
    terminal.wait_text("2 messages from");
    terminal.send(format!("{PREFIX} \x1bx"));
    terminal.wait_text("The waiting messages are deleted.");
    terminal.send(format!("{PREFIX}\t"));
    leave(&terminal);
    assert_eq!(kept(&lab), "");
}

#[test]
fn no_two_windows_to_a_host_offer_the_same() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.stop();
    let one = session(&lab, &linus);
    say_queued(&one, "of window one");
    let two = session(&lab, &linus);
    say_queued(&two, "of window two");
    assert!(!two.screen_text().contains("not sent"), "{}", two.screen_text());
    wait_marks(&lab, "of window", "ww");
    leave(&one);
    let three = session(&lab, &linus);
    three.wait_text("1 message from");
    let four = session(&lab, &linus);
    say_queued(&four, "of window four");
    assert!(!four.screen_text().contains("message from"), "{}", four.screen_text());
    wait_marks(&lab, "of window", "www");
    leave(&three);
    assert_eq!(marks(&lab, "of window"), "www");
    linus.restart();
    for text in ["of window two", "of window four"] {
        linus.wait_for(|calls| messages(calls).iter().any(|m| m == text), DEADLINE);
    }
    assert!(!messages(&linus.calls()).iter().any(|m| m == "of window one"));
}

#[test]
fn on_a_full_disk_what_waits_is_kept_in_memory_and_the_panel_says_so() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.stop();
    // A limit on the size of files is to a program what a full disk is: one block, and the write that crosses it is cut.
    let terminal =
        Run::aissh(&lab).linus(&linus).size(Size::WIDE).in_script("trap '' XFSZ; ulimit -f 1; exec \"$@\"");
    terminal.wait_prompt(lab.prompt());
    open_panel(&terminal);
    let long = format!("long {}", "x".repeat(3000));
    chat(&terminal, &long);
    terminal.wait_text("Messages that wait are kept in memory");
    chat(&terminal, "short and whole");
    terminal.wait_text("(queued) short and whole");
    linus.restart();
    linus.wait_for(|calls| messages(calls).iter().any(|m| m == "short and whole"), DEADLINE);
    assert_eq!(messages(&linus.calls()), [long.as_str(), "short and whole"]);
    // He has it, and his answer is on its way: until it is here the message may have to be sent again.
    wait_marks(&lab, "short and whole", "");
    terminal.send(format!("{PREFIX}\t"));
    leave(&terminal);
    assert_eq!(kept(&lab), "");
}
