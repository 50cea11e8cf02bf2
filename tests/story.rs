//! The main job as a user does it: /var is full, the built-in Linus finds out why and helps to make room, and only
//! keys of the user's enter anything.
#![allow(clippy::unwrap_used)]

mod support;

use std::process::Command;
use std::time::Instant;

use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, open_panel};
use support::lab::Lab;
use support::terminal::{Exit, Size, Terminal};

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
    let terminal = Run::aissh(&lab).size(Size { cols: 160, rows: 50 }).start();
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

/// Puts the first card on the edit line. A card that has just come is not picked at once (a key may have been meant
/// for the one before), and then this is false: look, and press again.
fn pick_first(terminal: &Terminal) -> bool {
    terminal.send(format!("{PREFIX}1"));
    let notices = ["then press", "There is no card"];
    let shown = |screen: &vt100::Screen| {
        let text = screen.contents();
        text.contains("Edit 1 ") || notices.iter().any(|notice| text.contains(notice))
    };
    terminal.wait_for(shown, "the edit line or why not");
    if terminal.screen(|screen| screen.contents().contains("Edit 1 ")) {
        return true;
    }
    // Any key takes the notice away.
    terminal.send("\x1b[6~");
    let is_gone = |screen: &vt100::Screen| notices.iter().all(|notice| !screen.contents().contains(notice));
    terminal.wait_for(is_gone, "the notice's end");
    false
}
