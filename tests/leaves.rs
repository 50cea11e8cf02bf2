//! What leaves and what does not, seen on the wire: pauses, updates by host, consent.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use aissh::linus::contract::{Request, SessionEvent};
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, open_panel};
use support::lab::Lab;
use support::linus::{Call, Linus};
use support::terminal::{Exit, Size, Terminal};
use support::told::{commands, events, messages, session_with, told};

fn configure(lab: &Lab, text: &str) {
    let folder = lab.client_home().join(".config/aissh");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

/// Everything that the calls say, as one text.
fn said(calls: &[Call]) -> String {
    calls.iter().map(|call| serde_json::to_string(&call.arguments).unwrap() + "\n").collect()
}

fn is_chat(call: &Call) -> bool {
    matches!(call.request, Request::Chat { .. })
}

/// Says something and waits for the answer; the panel is open and the terminal has the focus again after it.
fn ask(terminal: &Terminal, message: &str) {
    chat(terminal, message);
    terminal.wait_text(&format!("you said: {message}"));
    terminal.send(format!("{PREFIX}\t"));
}

#[test]
fn what_happens_in_a_pause_is_told_neither_then_nor_later() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    terminal.type_line("echo be''fore");
    told(&linus, 0);
    terminal.send(format!("{PREFIX}p"));
    terminal.wait_text("Paused: Linus is told nothing");
    let before = linus.calls().len();
    terminal.type_line("echo hid''den one");
    terminal.wait_text("hidden one");
    terminal.wait_prompt(lab.prompt());
    // What is asked takes the screen with it, in a pause as well; and it is the only thing that goes.
    ask(&terminal, "in the pause");
    let calls = linus.calls();
    assert!(calls[before..].iter().all(is_chat), "{}", said(&calls[before..]));
    assert!(said(&calls[before..]).contains("hidden one"));
    // One that begins in the pause and ends after it.
    terminal.type_line("echo hid''den two; read line; echo hid''den three");
    terminal.wait_text("hidden two");
    let before = linus.calls().len();
    terminal.send(format!("{PREFIX}p"));
    terminal.wait_text("Linus is told again");
    terminal.type_line("on");
    terminal.wait_text("hidden three");
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("echo af''ter");
    let ran = told(&linus, 1);
    assert_eq!((ran.command.as_str(), ran.output.as_str()), ("echo af''ter", "after"));
    ask(&terminal, "and now");
    let has_update = |calls: &[Call]| {
        calls[before..].iter().any(|call| {
            matches!(&call.request, Request::TerminalUpdate { new_output, .. } if new_output.contains("after"))
        })
    };
    let calls = linus.wait_for(has_update, DEADLINE);
    let later = said(&calls[before..]);
    assert!(!later.contains("hidden one") && !later.contains("hidden two"), "{later}");
    terminal.type_line("exit 3");
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
}

#[test]
fn updates_are_off_or_held_for_the_hosts_that_the_configuration_names() {
    let lab = Lab::builder().marks().start();
    for (setting, word) in [("off", "updates off"), ("ask", "updates held")] {
        // `lab` is an alias: the name that was given counts as well as the address behind it.
        for host in ["la?", "127.0.0.* !nowhere"] {
            configure(&lab, &format!("[[host]]\nmatch = \"{host}\"\nlinus.updates = \"{setting}\"\n"));
            let linus = Linus::modern();
            let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).at_prompt();
            open_panel(&terminal);
            terminal.wait_text(word);
            terminal.type_line("echo o''ne");
            terminal.wait_text("one");
            terminal.wait_prompt(lab.prompt());
            ask(&terminal, "what is it");
            assert!(linus.calls().iter().all(is_chat), "{}", said(&linus.calls()));
            terminal.send(format!("{PREFIX}p"));
            if setting == "off" {
                terminal.wait_text("The configuration turns updates off");
            } else {
                terminal.wait_text("Linus is told what happens");
                linus.wait_for(|calls| !events(calls, SessionEvent::Connected).is_empty(), DEADLINE);
                terminal.type_line("echo t''wo");
                assert_eq!(told(&linus, 0).output, "two");
            }
            terminal.type_line("exit");
            assert_eq!(terminal.wait_exit(), Exit::Code(0));
            if setting == "off" {
                assert_eq!(messages(&linus.calls()).len(), linus.calls().len(), "only what was asked");
            }
            assert_eq!(commands(&linus.calls()).len(), usize::from(setting == "ask"));
        }
    }
}

fn remote_session(lab: &Lab, linus: &Linus) -> Terminal {
    Run::aissh(lab).own(&["--linus-url", &linus.remote_url()]).size(Size::WIDE).at_prompt()
}

/// The file with what the user allowed.
fn allowed(lab: &Lab) -> String {
    let file = lab.client_home().join(".local/state/aissh/consent");
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn before_the_first_yes_not_a_byte_goes_to_a_linus_on_another_machine() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::remote();
    let terminal = remote_session(&lab, &linus);
    terminal.type_line("echo be''fore");
    terminal.wait_text("before");
    terminal.send(format!("{PREFIX}a"));
    for shown in [linus.remote_origin().as_str(), "127.0.0.1 has gone there.", "y Enter", "not allowed yet"] {
        terminal.wait_text(shown);
    }
    // Typed ahead, with a y in it: a message that waits, and no answer.
    chat(&terminal, "yes and why is it so");
    terminal.wait_text("It waits for your answer");
    assert!(linus.requests().is_empty(), "{:?}", linus.methods());
    terminal.send("y\r");
    terminal.wait_text("you said: yes and why is it so");
    linus.wait_for(|calls| !events(calls, SessionEvent::Connected).is_empty(), DEADLINE);
    assert_eq!(commands(&linus.calls()).len(), 0, "what ran before the yes stays untold");
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(allowed(&lab), format!("yes {} [127.0.0.1]:{}\n", linus.remote_origin(), lab.port()));
    // The next session does not ask.
    let terminal = remote_session(&lab, &linus);
    let connected = |calls: &[Call]| events(calls, SessionEvent::Connected).len() == 2;
    linus.wait_for(connected, DEADLINE);
    open_panel(&terminal);
}

#[test]
fn after_a_no_the_built_in_linus_answers_in_this_session_and_the_next() {
    let lab = Lab::start();
    let linus = Linus::remote();
    for first in [true, false] {
        let terminal = remote_session(&lab, &linus);
        terminal.send(format!("{PREFIX} "));
        if first {
            terminal.wait_text("y Enter");
            terminal.send("no\r");
        }
        terminal.wait_text("The built-in Linus answers. Nothing");
        terminal.wait_text("built-in (runbooks");
        terminal.send("the disk is full\r");
        terminal.wait_text("df -h");
        terminal.send(format!("{PREFIX}\t"));
        terminal.type_line("exit");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
    }
    assert!(linus.requests().is_empty(), "{:?}", linus.methods());
    assert!(allowed(&lab).starts_with("no http://0.0.0.0:"), "{}", allowed(&lab));
}

#[test]
fn an_answer_that_cannot_be_kept_holds_for_the_session_and_a_file_of_anothers_is_no_yes() {
    let lab = Lab::start();
    let linus = Linus::remote();
    let state = lab.client_home().join(".local/state");
    // Where the folder belongs there is a file: root's permissions do not help.
    fs::remove_dir_all(state.join("aissh")).unwrap();
    fs::write(state.join("aissh"), "").unwrap();
    let terminal = remote_session(&lab, &linus);
    terminal.send(format!("{PREFIX} "));
    terminal.wait_text("y Enter");
    terminal.send("y\r");
    terminal.wait_text("Your answer holds for this session only");
    terminal.send("hello\r");
    terminal.wait_text("you said: hello");
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let linus = Linus::remote();
    fs::remove_file(state.join("aissh")).unwrap();
    fs::create_dir(state.join("aissh")).unwrap();
    let file = state.join("aissh/consent");
    fs::write(&file, format!("yes {} [127.0.0.1]:{}\n", linus.remote_origin(), lab.port())).unwrap();
    std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
    let terminal = remote_session(&lab, &linus);
    terminal.send(format!("{PREFIX}a"));
    terminal.wait_text("y Enter");
    assert!(linus.requests().is_empty());
}

/// The bytes of the chats' bodies as the server saw them.
fn chat_lengths(linus: &Linus) -> Vec<String> {
    let chats = linus.requests().into_iter().filter(|r| r.body["params"]["name"] == "linus_chat");
    chats.map(|r| r.header("content-length").unwrap().to_owned()).collect()
}

#[test]
fn the_view_shows_the_next_payload_to_the_byte_and_the_last_that_went() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    terminal.type_line("echo on the scr''een");
    terminal.wait_text("on the screen");
    // Its end is known: the payload names it as the last command.
    told(&linus, 0);
    ask(&terminal, "first");
    // A message in the input, not sent: it is in the next payload.
    terminal.send(format!("{PREFIX} second?"));
    terminal.wait_text("› second?");
    terminal.send(format!("{PREFIX}w"));
    for shown in
        ["To http://127.", "next, if you ask now: linus_chat", "next, by itself", "sent a moment ago"]
    {
        terminal.wait_text(shown);
    }
    terminal.wait_text("\"message\": \"second?\",");
    let measured = |screen: &vt100::Screen| {
        let text = screen.contents();
        let line = text.lines().find(|line| line.contains(" bytes, about "))?;
        line.split_once('│').or(line.split_once('┃'))?.1.trim().split(' ').next().map(str::to_owned)
    };
    let next = terminal.screen(measured).unwrap();
    terminal.send("\x1b");
    terminal.wait_text("Suggested Commands");
    terminal.send("\r");
    terminal.wait_text("you said: second?");
    assert_eq!(chat_lengths(&linus).last(), Some(&next), "{:?}", chat_lengths(&linus));
    // What went is what the server got, the newest first.
    terminal.send(format!("{PREFIX}w"));
    terminal.wait_text("next, if you ask now");
    terminal.send("\x1b[B\x1b[B");
    let sent = chat_lengths(&linus).pop().unwrap();
    terminal.wait_for(|screen| measured(screen).as_deref() == Some(sent.as_str()), "the payload that went");
    // To its end.
    terminal.send("\x1b[F");
    terminal.wait_text("\"method\": \"tools/call\"");
}

#[test]
fn a_yes_is_taken_back_in_the_view_and_given_again() {
    let lab = Lab::start();
    let linus = Linus::remote();
    let terminal = remote_session(&lab, &linus);
    terminal.send(format!("{PREFIX} "));
    terminal.wait_text("y Enter");
    terminal.send("y\rhello\r");
    terminal.wait_text("you said: hello");
    terminal.send(format!("{PREFIX}w"));
    terminal.wait_text("take that back");
    terminal.send("c");
    terminal.wait_text("let it know");
    terminal.send("\x1b");
    terminal.wait_text("Suggested Commands");
    let before = linus.requests().len();
    ask_built_in(&terminal);
    terminal.type_line("echo se''cret");
    terminal.wait_text("secret");
    assert_eq!((linus.requests().len(), allowed(&lab)), (before, String::new()));
    terminal.send(format!("{PREFIX}w"));
    terminal.wait_text("let it know");
    terminal.send("c");
    terminal.wait_text("then y or n");
    terminal.send("\x1b");
    terminal.wait_text("y Enter");
    assert_eq!((linus.requests().len(), allowed(&lab)), (before, String::new()), "one key is no yes");
    terminal.send("y\r");
    terminal.wait_text("Suggested Commands");
    chat(&terminal, "again");
    terminal.wait_text("you said: again");
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(allowed(&lab).starts_with("yes "), "{}", allowed(&lab));
}

fn ask_built_in(terminal: &Terminal) {
    chat(terminal, "the disk is full");
    terminal.wait_text("df -h");
    terminal.send(format!("{PREFIX}\t"));
}
