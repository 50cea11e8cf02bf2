//! Looking back in the terminal's pane: over a real session, with the panel and without it.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use support::aissh::{PREFIX, Run, open_panel};
use support::lab::Lab;
use support::screen::picture;
use support::terminal::{Size, Terminal};
use support::{DEADLINE, aissh};

/// The first row of the screen, as far as its text goes.
fn top(terminal: &Terminal) -> String {
    terminal.screen(|screen| screen.rows(0, screen.size().1.get()).next().unwrap_or_default())
}

fn wait_top(terminal: &Terminal, begin: &str) {
    let shows = |screen: &vt100::Screen| {
        screen.rows(0, screen.size().1.get()).next().is_some_and(|row| row.starts_with(begin))
    };
    terminal.wait_for(shows, &format!("{begin:?} on top"));
}

fn wait_file(path: &Path) {
    let end = Instant::now() + DEADLINE;
    while !path.exists() {
        assert!(Instant::now() < end, "no {}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn without_a_panel_it_has_the_whole_screen_and_what_arrives_meanwhile_is_there_afterwards() {
    let lab = Lab::start();
    let (go, gone) = (lab.home().join("go"), lab.home().join("gone"));
    let wait =
        "seq -f 'number %g' 1 100; until [ -e go ]; do sleep 0.01; done; seq -f 'late %g' 1 60; touch gone";
    let [expected, terminal] = [Run::plain(&lab), Run::aissh(&lab)].map(|run| {
        let terminal = run.at_prompt();
        terminal.type_line(wait);
        terminal.wait_text("number 100");
        terminal
    });
    // The keys that follow at once are for the view, not for the remote.
    terminal.send(format!("{PREFIX}[g/number 42\r"));
    wait_top(&terminal, "number 30");
    let before = terminal.screen_text();
    assert!(before.contains("alternate screen") && !before.contains("Suggested Commands"), "{before}");
    fs::write(&go, "").unwrap();
    wait_file(&gone);
    terminal.send("j");
    terminal.wait_text("[44/");
    wait_top(&terminal, "number 30");
    assert!(!terminal.screen_text().contains("late"), "{}", terminal.screen_text());
    terminal.send("q");
    terminal.wait_text("late 60");
    terminal.wait_prompt(lab.prompt());
    expected.wait_text("late 60");
    expected.wait_prompt(lab.prompt());
    let wanted = expected.screen(picture);
    terminal.wait_for(|screen| picture(screen) == wanted, &format!("the screen\n{wanted}"));
    assert_eq!(terminal.transcript(), expected.transcript());
}

#[test]
fn what_is_selected_goes_to_the_clipboard_and_nothing_to_the_remote() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    terminal.type_line("printf 'alpha \\33[31mbeta\\33[m gamma\\n'");
    terminal.wait_text("alpha beta gamma");
    open_panel(&terminal);
    terminal.send(format!("{PREFIX}[?alpha b\r"));
    terminal.wait_text("q leaves");
    terminal.send("wvly");
    // "be"
    let is_there = |raw: &[u8]| raw.windows(12).any(|part| part == b"\x1b]52;c;YmU=\x1b");
    terminal.wait_raw(is_there, "the clipboard");
    terminal.wait_text("2 characters went to your terminal");
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("echo no''thing");
    terminal.wait_text("nothing");
    terminal.wait_text("Tab to type here");
}

#[test]
fn the_wheel_looks_back_and_leaves_at_the_end_and_a_drag_copies() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    terminal.type_line("seq -f 'number %g' 1 100");
    terminal.wait_text("number 100");
    open_panel(&terminal);
    let first = top(&terminal);
    terminal.send("\x1b[<64;5;5M");
    terminal.wait_text("q leaves");
    wait_top(&terminal, "number 59");
    terminal.send("\x1b[<65;5;5M");
    terminal.wait_text("Tab to type here");
    assert_eq!(top(&terminal), first);
    // Over three cells of a row, all within the pane.
    terminal.send("\x1b[<0;1;3M\x1b[<32;3;3M\x1b[<0;3;3m");
    let is_there = |raw: &[u8]| raw.windows(13).any(|part| part == b"\x1b]52;c;bnVt\x1b\\");
    terminal.wait_raw(is_there, "the clipboard");
    terminal.send("q");
    terminal.wait_text("Tab to type here");
    terminal.wait_prompt(lab.prompt());
}

#[test]
fn it_stays_while_the_panel_has_the_focus_and_goes_with_the_panel() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    terminal.type_line("seq -f 'number %g' 1 100");
    terminal.wait_text("number 100");
    terminal.send(format!("{PREFIX}[g"));
    terminal.wait_text("[1/");
    // The panel comes beside it.
    terminal.send(format!("{PREFIX}a"));
    aissh::wait_panel(&terminal);
    terminal.wait_text("[1/");
    terminal.send("for Linus");
    terminal.wait_text("› for Linus");
    terminal.send(format!("{PREFIX}\t/number 7\r"));
    terminal.wait_text("number 7");
    aissh::close_panel(&terminal);
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("echo re''mote");
    terminal.wait_text("remote");
}

/// `VmRSS` of a process in bytes.
fn resident(terminal: &Terminal) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}

#[test]
fn what_is_kept_is_bounded_in_bytes_whatever_the_lines() {
    const LIMIT: usize = 2 << 20;
    let lab = Lab::start();
    let config = lab.client_home().join("small.toml");
    // Nobody listens there: the built-in Linus would compile patterns meanwhile, which take memory too.
    fs::write(&config, "[panel]\nscrollback = 2\n[linus]\nurl = \"http://127.0.0.1:9/\"\n").unwrap();
    let terminal = Run::aissh(&lab).own(&["--config", config.to_str().unwrap()]).at_prompt();
    open_panel(&terminal);
    terminal.type_line("seq -f 'begin %g' 1 200; echo fi''rst");
    terminal.wait_text("first");
    let before = resident(&terminal);
    terminal.type_line("seq -f 'a line of ordinary length, number %.0f' 1 60000; echo la''st");
    terminal.wait_text("last");
    let after = resident(&terminal);
    terminal.send(format!("{PREFIX}[g"));
    // The newest of them, at 64 bytes a line and some 40 of text.
    terminal.wait_text("[1/");
    let lines = kept(&terminal);
    let bytes = after.saturating_sub(before);
    println!("{lines} lines of 40 characters are kept in {bytes} bytes: {} a line", bytes / lines);
    assert!((17_000..25_000).contains(&lines), "{lines}");
    assert!(bytes < 2 * LIMIT, "{bytes} bytes of memory");
}

/// The number of lines, as the view says it.
fn kept(terminal: &Terminal) -> usize {
    let text = terminal.screen_text();
    let (_, rest) = text.split_once("[1/").unwrap();
    rest.split(']').next().unwrap().parse().unwrap()
}
