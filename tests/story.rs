//! The main job as a user does it: /var is full, Linus finds out why and helps to make room, and only keys of the
//! user's enter anything. He is the built-in one behind a recording server, and all of it, both ways, is what the
//! schemas say. `AISSH_RECORDING=FILE` writes it down, a line of JSON for each call.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

use aissh::builtin::Builtin;
use serde_json::json;
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, open_panel, pick_first};
use support::contract::envelope_check;
use support::lab::Lab;
use support::linus::{Call, Linus};
use support::terminal::{Exit, Size};

/// Mounting needs root and a kernel that lets it; CI containers often do not.
fn can_mount() -> bool {
    let mut command = Command::new("unshare");
    command.args([
        "--mount",
        "--propagation",
        "private",
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=1m",
        "none",
        "/var",
    ]);
    nix::unistd::geteuid().is_root() && command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_story_of_the_full_var_is_played_to_its_last_step() {
    if !can_mount() {
        println!("skipped: mounts are not allowed here, so no filesystem can be filled");
        return;
    }
    let lab = Lab::builder().full_var().prompt("root@web-03:\\w\\$ ").start();
    let linus = Linus::modern();
    let built_in = Builtin::default();
    linus.reply_with(move |request| built_in.handle(request));
    let terminal = Run::aissh(&lab).linus(&linus).size(Size { cols: 160, rows: 50 }).start();
    terminal.wait_prompt("root@web-03:~#");
    open_panel(&terminal);
    chat(&terminal, "hey linus, /var is full, what is eating the space");
    terminal.wait_text("See how full /var is");
    let deadline = Instant::now() + 2 * DEADLINE;
    while !terminal.screen(is_over) {
        assert!(Instant::now() < deadline, "no end of it: {}", terminal.screen_text());
        if pick_first(&terminal) {
            terminal.send("\r");
            terminal
                .wait_for(|screen| is_at_rest(screen) || asks(screen), "the command's end, or the question");
            if terminal.screen(asks) {
                terminal.send("yes\r");
                terminal.wait_for(is_at_rest, "the command's end");
            }
        }
    }
    // It was not only ticked off: there is room.
    terminal.wait_text("Freed about");
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("clear; echo used $(df --output=pcent /var | tail -1) o''f it");
    terminal.wait_text(" of it");
    let text = terminal.screen(vt100::Screen::contents);
    let used =
        text.lines().find_map(|line| line.strip_prefix("used ")?.split('%').next()?.parse::<u32>().ok());
    assert!(used.is_some_and(|percent| percent < 80), "{text}");
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    check(&linus.calls());
}

/// Every call was held against its schema when it came in (dropping Linus fails for one that was not valid), every
/// answer is here.
fn check(calls: &[Call]) {
    let mut counts = BTreeMap::<&str, usize>::new();
    let mut recording = String::new();
    for call in calls {
        *counts.entry(call.request.tool()).or_default() += 1;
        assert_eq!(envelope_check(&call.answer), Ok(()));
        let at = call.at.duration_since(calls[0].at).as_secs_f64();
        let line = json!({"at": at, "tool": call.request.tool(), "arguments": call.arguments, "answer": call.answer});
        let _ = writeln!(recording, "{line}");
    }
    println!("calls of the story, all valid by schema {}: {counts:?}", aissh::linus::schema::VERSION);
    assert_eq!(counts.len(), 4, "a message of each kind: {counts:?}");
    if let Some(file) = std::env::var_os("AISSH_RECORDING") {
        std::fs::write(file, recording).unwrap();
    }
}

/// Every step of the plan is ticked.
fn is_over(screen: &vt100::Screen) -> bool {
    let text = screen.contents();
    text.contains("✓ Free space safely") && !text.contains('○') && !text.contains('▸')
}

/// Nothing is on the edit line, and no card that was sent still runs.
fn is_at_rest(screen: &vt100::Screen) -> bool {
    let text = screen.contents();
    let runs = |line: &str| line.contains("→ ") && line.trim_end().ends_with("running");
    !text.contains("Edit 1 ") && !text.lines().any(runs)
}

/// What is on the edit line is high, and a word is waited for.
fn asks(screen: &vt100::Screen) -> bool {
    screen.contents().contains("yes?")
}
