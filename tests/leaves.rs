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
