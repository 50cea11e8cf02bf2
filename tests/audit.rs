//! What a session leaves behind: the audit log, also after `kill -9`, its timeline, and the recording.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use aissh::linus::contract::{Envelope, Request, StepStatus};
use aissh::record::{Digest, Event, Logged, parse};
use nix::sys::signal::Signal;
use serde_json::Value;
use support::DEADLINE;
use support::aissh::{PREFIX, PROGRAM, Run, chat, close_panel, edit_card, open_panel};
use support::envelopes::{card, plans, suggests, to_chats};
use support::lab::Lab;
use support::linus::{Call, Linus};
use support::terminal::{Exit, Size, Terminal};
use support::told::{told, wait_connected};

/// The log of the only session that there was.
fn log(lab: &Lab) -> Option<PathBuf> {
    let folder = lab.client_home().join(".local/state/aissh/audit");
    let files: Vec<PathBuf> = fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_iter().next()
}

fn read(lab: &Lab) -> Logged {
    parse(&fs::read(log(lab).expect("a log")).unwrap())
}

fn events(logged: &Logged) -> Vec<&Event> {
    logged.entries.iter().map(|entry| &entry.event).collect()
}

/// Waits until an event is in the log.
fn wait_logged(lab: &Lab, is_it: impl Fn(&Event) -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !log(lab).is_some_and(|path| events(&parse(&fs::read(path).unwrap())).iter().any(|e| is_it(e))) {
        assert!(Instant::now() < deadline, "it is not in the log");
        std::thread::yield_now();
    }
}

fn two_cards() -> Envelope {
    let mut answer = suggests(vec![card("cmd_001", "echo one"), card("cmd_002", "rm -r /nonexistent")]);
    answer.intent_update = Some(plans("Counting", &[(StepStatus::Current, "Say one")]));
    answer
}

/// A session in which a card was edited and sent, another was refused and put away, and the user typed a line.
fn played(lab: &Lab, linus: &Linus, own: &[&str]) -> Terminal {
    linus.reply_with(to_chats(two_cards()));
    let terminal = Run::aissh(lab).linus(linus).own(own).size(Size::WIDE).at_prompt();
    wait_connected(linus);
    terminal.type_line("echo typed");
    told(linus, 0);
    open_panel(&terminal);
    chat(&terminal, "how do I count");
    terminal.wait_text("cmd_002");
    edit_card(&terminal);
    terminal.send(" two\r");
    told(linus, 1);
    // The line is taken by half of a command: held back.
    terminal.send(format!("{PREFIX}\thalf"));
    terminal.wait_for(
        |screen| screen.contents().lines().any(|line| line.contains("# half")),
        "the remote's line",
    );
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("Edit 1 cmd_002");
    terminal.send("\ryes\r");
    terminal.wait_text("not empty");
    terminal.send("\x1b");
    terminal.send("\x18");
    terminal
}

#[test]
fn every_proposal_edit_decision_and_end_is_in_the_log_for_the_user_alone() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = played(&lab, &linus, &[]);
    // Past the question for auto to the next mode.
    terminal.send(format!("{PREFIX}m"));
    terminal.wait_text("Type auto or yes");
    terminal.send(format!("{PREFIX}m"));
    terminal.wait_text("Mode: suggest");
    close_panel(&terminal);
    terminal.send("\x15exit\r");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let logged = read(&lab);
    let all = events(&logged);
    let has = |what: &str, is_it: &dyn Fn(&Event) -> bool| {
        assert!(all.iter().any(|e| is_it(e)), "{what}: {all:#?}")
    };
    has(
        "session",
        &|e| matches!(e, Event::Session { version: 1, target, .. } if target.ends_with("127.0.0.1")),
    );
    has("typed", &|e| {
        matches!(e, Event::Ran { command: Some(c), by, exit: Some(0), finished: true, .. }
            if c == "echo typed" && by == "user")
    });
    has("asked", &|e| *e == Event::Asked { text: "how do I count".into() });
    has("answered", &|e| matches!(e, Event::Answered { text, .. } if text == "Look at the cards."));
    has(
        "plan",
        &|e| matches!(e, Event::Plan { summary, steps, .. } if summary == "Counting" && steps.len() == 1),
    );
    has("proposed", &|e| {
        matches!(e, Event::Proposed { id, command, risk, .. }
            if id == "cmd_001" && command == "echo one" && risk == "low")
    });
    has("proposed high", &|e| {
        matches!(e, Event::Proposed { id, risk, reason, .. }
            if id == "cmd_002" && risk == "high" && reason.contains("destructive"))
    });
    has("confirmed", &|e| {
        matches!(e, Event::Confirmed { command, edited: true, how, .. }
            if command == "echo one two" && how == "enter")
    });
    has("sent", &|e| *e == Event::Sent { id: "cmd_001".into(), command: "echo one two".into() });
    has("ran", &|e| {
        matches!(e, Event::Ran { command: Some(c), by, exit: Some(0), .. }
            if c == "echo one two" && by == "cmd_001")
    });
    has(
        "refused",
        &|e| matches!(e, Event::Refused { id, reason } if id == "cmd_002" && reason.contains("not empty")),
    );
    has("dismissed", &|e| *e == Event::Closed { id: "cmd_002".into(), by: "user".into() });
    has("mode", &|e| matches!(e, Event::Mode { mode, .. } if mode == "suggest"));
    has("ended", &|e| *e == Event::Ended { status: "exit status 0".into() });
    assert!(!all.iter().any(|e| matches!(e, Event::Sent { id, .. } if id == "cmd_002")), "{all:#?}");
    let path = log(&lab).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    // What left is named by the digest of its bytes: each one that Linus got is there.
    let payloads: Vec<&Digest> = all
        .iter()
        .filter_map(|e| if let Event::Payload { payload, .. } = e { Some(payload) } else { None })
        .collect();
    let got: Vec<Request> = linus.calls().into_iter().map(|call| call.request).collect();
    for request in &got {
        let digest = Digest::of(&serde_json::to_vec(request).unwrap());
        assert!(payloads.contains(&&digest) || is_farewell(request), "{request:?}");
    }
    assert!(payloads.len() >= 4, "{payloads:?}");
}

/// The last message is sent when the log has been closed.
fn is_farewell(request: &Request) -> bool {
    use aissh::linus::contract::SessionEvent::Disconnected;
    matches!(request, Request::SessionState { event: Disconnected, .. })
}

#[test]
fn a_killed_session_leaves_its_log_and_the_timeline_is_made_of_it() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = played(&lab, &linus, &[]);
    wait_logged(&lab, |e| matches!(e, Event::Closed { .. }));
    terminal.kill(Signal::SIGKILL);
    terminal.wait_exit();
    let logged = read(&lab);
    assert_eq!(logged.torn, 0);
    assert!(matches!(events(&logged).last(), Some(Event::Closed { .. } | Event::Payload { .. })));
    let id = log(&lab).unwrap().file_stem().unwrap().to_string_lossy().into_owned();
    let incident = |id: &str| {
        let mut command = Command::new(PROGRAM);
        command.env_clear().envs(lab.env()).args(["--incident", id]);
        command.output().unwrap()
    };
    for name in ["last", &id[..6]] {
        let report = String::from_utf8(incident(name).stdout).unwrap();
        for line in [
            "## Timeline",
            "| Ran `echo typed` | typed; exit status 0;",
            "| Asked: how do I count |",
            "| Linus suggested `echo one` | low: ",
            "| Confirmed `echo one two` | enter, edited; low |",
            "| Ran `echo one two` | card `cmd_001`; exit status 0;",
            "| Card `cmd_002` was not sent | The remote's line is not empty",
            "> Look at the cards.",
            "- [ ] Say one",
        ] {
            assert!(report.contains(line), "{line}\n--\n{report}");
        }
    }
    let unknown = incident("nosuch");
    assert_eq!(unknown.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains(&id), "the newest are offered");
}

#[test]
fn a_session_without_linus_leaves_no_log() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).at_prompt();
    terminal.type_line("echo hello");
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(log(&lab), None);
}

#[test]
fn a_log_that_takes_no_more_is_said_to_be_lost_and_the_session_goes_on() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(two_cards()));
    // A limit on the size of files: a disk that is full after the log's first lines.
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).in_script("ulimit -f 1; exec \"$@\"");
    terminal.wait_prompt(lab.prompt());
    wait_connected(&linus);
    open_panel(&terminal);
    chat(&terminal, "first");
    let is_said = |screen: &vt100::Screen| screen.contents().contains("The audit log is lost");
    let deadline = Instant::now() + DEADLINE;
    for n in 0.. {
        if terminal.screen(is_said) {
            break;
        }
        assert!(Instant::now() < deadline, "{}", terminal.screen_text());
        chat(&terminal, &format!("more {n} {}", "x".repeat(200)));
        let start = format!("more {n} ");
        let is_it = |call: &Call| matches!(&call.request, Request::Chat { message, .. } if message.starts_with(&start));
        linus.wait_for(|calls| calls.iter().any(is_it), DEADLINE);
    }
    close_panel(&terminal);
    terminal.type_line("exit 3");
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
}

#[test]
fn a_removed_log_is_said_to_be_lost() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(two_cards()));
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).at_prompt();
    open_panel(&terminal);
    chat(&terminal, "first");
    wait_logged(&lab, |e| matches!(e, Event::Answered { .. }));
    fs::remove_file(log(&lab).unwrap()).unwrap();
    chat(&terminal, "second");
    terminal.wait_text("The audit log is lost");
}

#[test]
fn a_recording_holds_the_terminal_and_a_marker_for_each_decision() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let file = lab.client_home().join("session.cast");
    let path = file.display().to_string();
    let terminal = played(&lab, &linus, &["--record", &path]);
    terminal.resize(Size { cols: 150, rows: 40 });
    close_panel(&terminal);
    terminal.send("\x15exit 5\r");
    assert_eq!(terminal.wait_exit(), Exit::Code(5));
    let text = fs::read_to_string(&file).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    assert_eq!(
        (&header["version"], &header["term"]["cols"]),
        (&Value::from(3), &Value::from(Size::WIDE.cols))
    );
    let events: Vec<(f64, String, String)> =
        lines.map(|line| serde_json::from_value(line).unwrap()).collect();
    let of = |code: &str| -> Vec<&str> {
        events.iter().filter(|(_, c, _)| c == code).map(|(_, _, what)| what.as_str()).collect()
    };
    // What a terminal of that size would show is what was there.
    let output = of("o").concat();
    assert!(output.contains("echo typed") && output.contains("one two"), "{output:?}");
    assert!(!output.contains("Suggested Commands"), "the panel is not the remote's");
    let marks = of("m");
    for mark in ["asked: how do I count", "suggested (low): echo one", "confirmed (enter): echo one two"] {
        assert!(marks.contains(&mark), "{marks:?}");
    }
    assert!(of("r").contains(&"150x40"), "{:?}", of("r"));
    assert_eq!(of("x"), ["5"]);
    assert!(events.iter().all(|(since, ..)| *since >= 0.0));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // Not overwritten, and nothing is started.
    let again = Run::aissh(&lab).own(&["--record", &path]).start();
    assert_eq!(again.wait_exit(), Exit::Code(255));
    assert!(String::from_utf8_lossy(&again.raw()).contains("exists: name another file"));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
