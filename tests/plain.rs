//! `--plain` on a real sshd: the dialogue in lines, what it sends, and what it leaves on the user's terminal.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::sync::mpsc::channel;

use aissh::linus::contract::Request;
use support::DEADLINE;
use support::aissh::{PREFIX, Run};
use support::envelopes::{card, says, suggests, to_chats};
use support::lab::Lab;
use support::linus::Linus;
use support::screen::picture;
use support::terminal::{Exit, Terminal};
use support::told::{messages, told, wait_connected};

fn session(lab: &Lab, linus: &Linus) -> Terminal {
    let terminal = Run::aissh(lab).own(&["--plain"]).linus(linus).at_prompt();
    wait_connected(linus);
    terminal
}

/// Opens the dialogue: the edit line is there.
fn ask(terminal: &Terminal) {
    terminal.send(format!("{PREFIX} "));
    wait_line(terminal, "Ask:");
}

/// Waits until the cursor stands behind this text.
fn wait_line(terminal: &Terminal, text: &str) {
    terminal.wait_prompt(text);
}

/// Waits until a whole row is this text.
fn wait_row(terminal: &Terminal, text: &str) {
    let is_there = |screen: &vt100::Screen| {
        let (_, cols) = screen.size();
        screen.rows(0, cols.get()).any(|row| row.trim_end() == text)
    };
    terminal.wait_for(is_there, &format!("the row {text:?}"));
}

/// Enters a command that prints nothing yet.
fn enter(terminal: &Terminal, line: &str) {
    terminal.type_line(line);
    terminal.wait_for(|screen| screen.cursor_position().1 == 0, "the command's start");
}

fn lines(terminal: &Terminal) -> Vec<String> {
    terminal.transcript().into_iter().filter(|line| !line.is_empty()).collect()
}

#[test]
fn a_card_is_asked_for_read_edited_and_sent_in_lines() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("c1", "echo one"), card("c2", "echo other")])));
    let terminal = session(&lab, &linus);
    let before = terminal.raw().len();
    ask(&terminal);
    terminal.send("how do I count\r");
    terminal.wait_text("1. low  echo one — about c1");
    wait_line(&terminal, "Ask:");
    // Its number is enough.
    terminal.send("1\r");
    wait_line(&terminal, "Edit 1: echo one");
    terminal.send(" two\r");
    wait_row(&terminal, "one two");
    terminal.wait_prompt(lab.prompt());
    let ran = told(&linus, 0);
    assert_eq!(
        (ran.command.as_str(), ran.output.as_str(), ran.exit_code),
        ("echo one two", "one two", Some(0))
    );
    assert_eq!((ran.suggestion_id.as_deref(), ran.was_edited), (Some("c1"), Some(true)));
    let shown = lines(&terminal);
    let at = shown.iter().position(|line| line == "Ask: how do I count").unwrap();
    let prompt = lab.prompt();
    let expected = [
        "Ask: how do I count".to_owned(),
        "Linus: Look at the cards.".into(),
        "1. low  echo one — about c1".into(),
        "2. low  echo other — about c2".into(),
        "Ask: 1".into(),
    ];
    assert_eq!(shown[at..at + expected.len()], expected);
    let last =
        ["Edit 1: echo one two".into(), format!("{prompt} echo one two"), "one two".into(), prompt.into()];
    assert_eq!(shown[shown.len() - last.len()..], last);
    // Nothing is drawn: no other screen, no place on it.
    let raw = String::from_utf8_lossy(&terminal.raw()[before..]).into_owned();
    let finals: String =
        raw.split("\x1b[").skip(1).filter_map(|csi| csi.chars().find(char::is_ascii_alphabetic)).collect();
    assert!(finals.chars().all(|c| "mKChl".contains(c)) && !raw.contains("1049"), "{finals} {raw:?}");
    // What was sent is said when the dialogue is opened again, with its end; what was said is not.
    ask(&terminal);
    terminal.wait_text("exit 0: echo one two");
    assert_eq!(terminal.screen_text().matches("Linus: Look at the cards.").count(), 1);
    terminal.send("\x1b");
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit 3");
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
}

#[test]
fn the_session_goes_on_where_it_was() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let [expected, terminal] = [Run::plain(&lab).at_prompt(), session(&lab, &linus)];
    for terminal in [&expected, &terminal] {
        terminal.send("echo \x1b[D\x1b[D\x1b[D\x1b[D\x1b[DX");
        terminal.wait_prompt("X");
        terminal.send("\x1b[3~");
        terminal.send("ls; \x1b[Fhalf");
        terminal.wait_prompt("half");
        terminal.send("\x1b[D\x1b[D");
        terminal.wait_prompt("ha");
    }
    let before = terminal.screen(|screen| screen.cursor_position());
    ask(&terminal);
    terminal.send("never sent");
    wait_line(&terminal, "never sent");
    terminal.send("\x1b");
    terminal.wait_prompt("ha");
    let after = terminal.screen(|screen| screen.cursor_position());
    assert_eq!(before.1, after.1, "the cursor's column");
    // The rest of the line is there, and the remote has seen no key of the dialogue's.
    for terminal in [&expected, &terminal] {
        terminal.send("-\x1b[F; ec''ho eo\r");
        wait_row(terminal, "eo");
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("clear");
        terminal.wait_for(|screen| screen.cursor_position().0 == 0, "a clear screen");
        terminal.wait_prompt(lab.prompt());
    }
    let wanted = expected.screen(picture);
    terminal.wait_for(|screen| picture(screen) == wanted, &format!("the screen\n{wanted}"));
    for terminal in [expected, terminal] {
        let raw = terminal.termios();
        terminal.type_line("exit");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        assert_ne!(terminal.termios().local_flags, raw.local_flags, "the terminal is cooked again");
    }
}

#[test]
fn what_comes_meanwhile_is_held_and_linus_sees_it() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus);
    nix::unistd::mkfifo(&lab.home().join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    enter(&terminal, "cat fifo");
    ask(&terminal);
    let coloured = "\x1b[31mcoloured\x1b[m and \x1b[1mbold\x1b[m\n".repeat(3);
    fs::write(lab.home().join("fifo"), &coloured).unwrap();
    // When Linus is told of it, it has been read; and it is not on the screen.
    let has_it = |request: &Request| matches!(request, Request::TerminalUpdate { new_output, .. } if new_output.contains("coloured"));
    linus.wait_for(|calls| calls.iter().any(|call| has_it(&call.request)), DEADLINE);
    assert!(!terminal.screen_text().contains("coloured"));
    terminal.send("still here");
    wait_line(&terminal, "still here");
    assert!(!terminal.screen_text().contains("coloured"));
    terminal.send(format!("{PREFIX}\t"));
    terminal.wait_text("coloured and bold");
    terminal.wait_prompt(lab.prompt());
    let printed = coloured.replace('\n', "\r\n");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(raw.contains(&printed), "byte for byte: {raw:?}");
}

#[test]
fn a_flood_waits_as_for_a_stopped_terminal_and_is_whole() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus);
    nix::unistd::mkfifo(&lab.home().join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    enter(&terminal, "read -r _ < fifo; seq 1 700000");
    ask(&terminal);
    fs::write(lab.home().join("fifo"), "go\n").unwrap();
    terminal.send("a question\r");
    terminal.wait_text("Linus: you said: a question");
    terminal.send("\x1b");
    wait_row(&terminal, "700000");
    terminal.wait_prompt(lab.prompt());
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    // The first number stands behind what took the edit line away.
    let numbers = raw.split("\r\n").filter_map(|line| line.rsplit(['\r', 'l']).next()?.parse::<u32>().ok());
    assert!(numbers.eq(1..=700_000));
}

#[test]
fn over_a_full_screen_program_nothing_is_drawn() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus);
    fs::write(lab.home().join("file"), "one\ntwo\n".repeat(60)).unwrap();
    terminal.type_line("less file");
    terminal.wait_for(vt100::Screen::alternate_screen, "less");
    terminal.wait_text("two");
    terminal.send("j");
    terminal.wait_prompt(":");
    let (shown, before) = (terminal.screen(picture), terminal.raw().len());
    terminal.send(format!("{PREFIX} "));
    terminal.wait_raw(|raw| raw.len() > before, "the bell");
    assert_eq!(terminal.raw()[before..], *b"\x07");
    assert_eq!(terminal.screen(picture), shown);
    terminal.send("q");
    terminal.wait_prompt(lab.prompt());
    ask(&terminal);
    terminal.send("\x1b");
    terminal.wait_prompt(lab.prompt());
}

#[test]
fn a_closed_dialogue_says_nothing_whatever_arrives() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let (go_tx, go_rx) = channel::<()>();
    linus.reply_with(move |request| match request {
        Request::Chat { .. } => {
            let _ = go_rx.recv_timeout(DEADLINE);
            suggests(vec![card("late", "echo late")])
        }
        _ => says(""),
    });
    let terminal = session(&lab, &linus);
    ask(&terminal);
    terminal.send("take your time\r");
    terminal.wait_text("Waiting for Linus");
    terminal.send(format!("{PREFIX}\t"));
    terminal.wait_prompt(lab.prompt());
    let before = terminal.raw().len();
    go_tx.send(()).unwrap();
    // Its answer has come when he is told of the next command, which waits for it.
    terminal.type_line("true");
    terminal.wait_prompt(lab.prompt());
    told(&linus, 0);
    let raw = String::from_utf8_lossy(&terminal.raw()[before..]).into_owned();
    assert!(!raw.contains("late") && !raw.contains('\x07') && !raw.contains("\x1b]"), "{raw:?}");
    terminal.send(format!("{PREFIX}a"));
    terminal.wait_text("1. low  echo late — about late");
    assert_eq!(messages(&linus.calls()), ["take your time"]);
}

#[test]
fn a_high_risk_takes_the_word_and_a_hole_its_value() {
    let lab = Lab::start();
    let linus = Linus::modern();
    fs::create_dir(lab.home().join("junk")).unwrap();
    linus.reply_with(to_chats(suggests(vec![card("c1", "rm -r junk"), card("c2", "echo <WORD>")])));
    let terminal = session(&lab, &linus);
    ask(&terminal);
    terminal.send("go\r");
    terminal.wait_text("1. high  rm -r junk");
    wait_line(&terminal, "Ask:");
    terminal.send(format!("{PREFIX}1"));
    wait_line(&terminal, "Edit 1: rm -r junk");
    terminal.send("\r");
    wait_line(&terminal, "yes?");
    assert!(lab.home().join("junk").exists());
    terminal.send("yes\r");
    terminal.wait_prompt(lab.prompt());
    assert_eq!(told(&linus, 0).command, "rm -r junk");
    assert!(!lab.home().join("junk").exists());
    terminal.send(format!("{PREFIX}1"));
    wait_line(&terminal, "Edit 1: echo <WORD>");
    terminal.send("\r");
    wait_line(&terminal, "WORD:");
    terminal.send("it's\r");
    wait_line(&terminal, "Enter sends it, Esc goes back:");
    terminal.send("\r");
    wait_row(&terminal, "it's");
    assert_eq!(told(&linus, 1).command, "echo <WORD>");
}

#[test]
fn nothing_leaves_before_a_yes_and_auto_is_not_for_lines() {
    let lab = Lab::start();
    let linus = Linus::remote();
    let terminal = Run::aissh(&lab).own(&["--plain", "--linus-url", &linus.remote_url()]).at_prompt();
    ask(&terminal);
    terminal.wait_text("is not on this machine");
    assert!(linus.requests().is_empty(), "not even a connection");
    terminal.send("y\r");
    wait_row(&terminal, "Ask: y");
    terminal.send("hello\r");
    terminal.wait_text("Linus: you said: hello");
    for mode in ["suggest", "confirm", "suggest"] {
        terminal.send(format!("{PREFIX}m"));
        terminal.wait_text(&format!("Mode: {mode}."));
        wait_line(&terminal, "Ask:");
    }
}

#[test]
fn the_end_of_the_session_ends_the_dialogue() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus);
    nix::unistd::mkfifo(&lab.home().join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    enter(&terminal, "read -r _ < fifo; echo la''st; exit 5");
    ask(&terminal);
    fs::write(lab.home().join("fifo"), "go\n").unwrap();
    assert_eq!(terminal.wait_exit(), Exit::Code(5));
    let shown = lines(&terminal);
    assert!(shown.iter().any(|line| line == "last"), "{shown:?}");
    assert!(!terminal.screen(vt100::Screen::bracketed_paste), "as the remote left it");
}

#[test]
fn the_first_dialogue_says_what_it_is_in_five_lines_once() {
    let lab = Lab::start();
    fs::remove_file(lab.client_home().join(".local/state/aissh/welcomed")).unwrap();
    for is_first in [true, false] {
        let terminal = Run::aissh(&lab).own(&["--plain"]).at_prompt();
        ask(&terminal);
        let text = terminal.screen_text();
        assert_eq!(text.contains("What leaves this machine: nothing."), is_first, "{text}");
        assert_eq!(text.contains("AISSH=off"), is_first, "{text}");
    }
}
