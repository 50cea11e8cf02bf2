//! Faults of aissh's own, and of what it stands on: the session goes on, or ends as ssh does with the terminal given
//! back.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;
use std::time::Instant;

use nix::libc;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, close_panel, open_panel, wait_panel};
use support::both::Way;
use support::lab::Lab;
use support::process::{ssh_of, wait_gone};
use support::terminal::{Exit, Size, Terminal};

/// Waits for a thread of aissh's with that name; the newest, where others have been stopped.
fn thread_of(terminal: &Terminal, name: &str) -> Pid {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let tasks = fs::read_dir(format!("/proc/{}/task", terminal.pid())).unwrap().flatten();
        let is_it = |path: &Path| fs::read_to_string(path.join("comm")).is_ok_and(|comm| comm.trim() == name);
        let number = |path: &Path| path.file_name()?.to_str()?.parse::<i32>().ok();
        if let Some(path) =
            tasks.map(|task| task.path()).filter(|path| is_it(path)).max_by_key(|path| number(path))
        {
            return Pid::from_raw(path.file_name().unwrap().to_str().unwrap().parse().unwrap());
        }
        assert!(Instant::now() < deadline, "no thread {name}");
        std::thread::yield_now();
    }
}

/// The signal for this one thread, as the kernel or abort(3) sends it.
fn strike(process: Pid, thread: Pid, signal: Signal) {
    // SAFETY: tgkill(2) takes three integers.
    #[allow(unsafe_code)]
    let result =
        unsafe { libc::syscall(libc::SYS_tgkill, process.as_raw(), thread.as_raw(), signal as libc::c_int) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
}

/// Types a command and waits for what it says.
fn assert_goes_on(terminal: &Terminal, n: u32) {
    terminal.type_line(&format!("echo ro''und {n} goes on"));
    terminal.wait_text(&format!("round {n} goes on"));
}

/// The session ends as the remote says.
fn assert_ends(terminal: &Terminal) {
    terminal.type_line("exit 6");
    assert_eq!(terminal.wait_exit(), Exit::Code(6));
}

#[test]
fn a_panic_in_the_wire_costs_the_panel_and_a_second_one_the_session() {
    let lab = Lab::start();
    let given = Terminal::spawn("true", &[], &lab.env(), Size::CLASSIC);
    given.wait_exit();
    for own in [&[] as &[&str], &["--sidebar"]] {
        let terminal = Run::aissh(&lab).own(own).env("AISSH_PANIC", "wire").at_prompt();
        terminal.send(format!("{PREFIX}a"));
        assert_goes_on(&terminal, 1);
        terminal.screen(|screen| assert!(!screen.alternate_screen() && !screen.hide_cursor()));
        assert_ends(&terminal);
    }
    let terminal = Run::aissh(&lab).own(&["--no-copilot"]).env("AISSH_PANIC", "bare wire").start();
    // The panic is in the next turn of the loop, for which something has to happen.
    let words = |raw: &[u8]| String::from_utf8_lossy(raw).into_owned();
    let is_there = |raw: &[u8]| words(raw).contains("user@host") || words(raw).contains("planted");
    terminal.wait_raw(is_there, "the session");
    terminal.kill(Signal::SIGWINCH);
    assert_eq!(terminal.wait_exit(), Exit::Code(255));
    assert_eq!(terminal.termios(), given.termios());
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    // Cooked again: the newline came out as CR LF.
    assert!(raw.contains("aissh: internal error: ") && raw.ends_with("\r\n"), "{raw:?}");
    assert!(raw.contains("planted in bare wire"), "{raw:?}");
    // ssh is not left behind.
    assert!(
        lab.wait_log("Disconnected from user") || lab.log().contains("Connection closed by"),
        "{}",
        lab.log()
    );
}

#[test]
fn a_panic_in_the_panel_costs_the_panel_and_not_the_session() {
    let lab = Lab::start();
    for own in [&[] as &[&str], &["--sidebar"]] {
        let terminal = Run::aissh(&lab).own(own).env("AISSH_PANIC", "panel").size(Size::WIDE).at_prompt();
        if own.is_empty() {
            terminal.send("\x1ca");
        }
        // The remote has the whole width again, or gets it.
        let wait = "until [ \"$(stty size)\" = '40 130' ]; do sleep 0.05; done; echo still h''ere";
        terminal.type_line(wait);
        terminal.wait_text("still here");
        terminal.screen(|screen| assert!(!screen.alternate_screen() && !screen.hide_cursor()));
        terminal.type_line("exit 5");
        assert_eq!(terminal.wait_exit(), Exit::Code(5));
    }
}

#[test]
fn an_abort_in_the_emulator_costs_the_emulator() {
    let lab = Lab::start();
    // abort(3): out of memory, a panic while panicking; a stack overflow is SIGSEGV.
    for signal in [Signal::SIGABRT, Signal::SIGSEGV, Signal::SIGBUS] {
        let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
        strike(terminal.pid(), thread_of(&terminal, "emulator"), signal);
        assert_goes_on(&terminal, 1);
        // More than the emulator would have in its backlog.
        terminal.type_line("seq 200000; echo th''en");
        terminal.wait_text("then");
        terminal.wait_prompt(lab.prompt());
        // There is another emulator, and the panel says so.
        open_panel(&terminal);
        terminal.wait_text("begins anew");
        assert_goes_on(&terminal, 2);
        // While the panel is shown the thread has nothing that could be lost with it.
        strike(terminal.pid(), thread_of(&terminal, "emulator"), signal);
        assert_goes_on(&terminal, 3);
        close_panel(&terminal);
        assert_goes_on(&terminal, 4);
        terminal.wait_for(|screen| screen.contents().contains("round 3 goes on"), "what was said meanwhile");
        terminal.type_line("exit 6");
        assert_eq!(terminal.wait_exit(), Exit::Code(6), "{signal}");
        terminal.wait_text("aissh: internal error: the emulator's thread has crashed");
    }
}

#[test]
fn an_abort_of_the_whole_gives_the_terminal_back() {
    let lab = Lab::start();
    let given = Terminal::spawn("true", &[], &lab.env(), Size::CLASSIC);
    given.wait_exit();
    for signal in [Signal::SIGABRT, Signal::SIGSEGV, Signal::SIGXCPU] {
        for way in [Way::Alone, Way::Hidden, Way::Shown] {
            let terminal = way.at_prompt(&lab);
            let ssh = ssh_of(&terminal);
            terminal.kill(signal);
            assert_eq!(terminal.wait_exit(), Exit::Signal(signal as i32));
            assert_eq!(terminal.termios(), given.termios(), "{signal} {way:?}");
            terminal.screen(|screen| assert!(!screen.alternate_screen() && !screen.hide_cursor()));
            wait_gone(ssh);
        }
    }
}

#[test]
fn nothing_is_left_running_when_it_is_killed() {
    let lab = Lab::start();
    for way in [Way::Hidden, Way::Shown] {
        let terminal = way.at_prompt(&lab);
        let ssh = ssh_of(&terminal);
        terminal.kill(Signal::SIGKILL);
        assert_eq!(terminal.wait_exit(), Exit::Signal(9));
        wait_gone(ssh);
    }
}

#[test]
fn a_session_writes_no_file() {
    let lab = Lab::start();
    // A full disk, for every file: what is written beyond 0 bytes is EFBIG, or SIGXFSZ.
    let terminal = Run::aissh(&lab).size(Size::WIDE).in_script("ulimit -f 0; exec \"$@\"");
    terminal.wait_prompt(lab.prompt());
    open_panel(&terminal);
    chat(&terminal, "the disk is full");
    terminal.wait_text("df -h");
    terminal.send(format!("{PREFIX}\t"));
    assert_goes_on(&terminal, 1);
    assert_ends(&terminal);
}

#[test]
fn files_that_break_after_the_start_do_not_matter() {
    let lab = Lab::start();
    let config = lab.client_home().join(".config/aissh/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[panel]\nmode = \"split\"\n").unwrap();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    fs::write(&config, "[panel\nmode = ").unwrap();
    fs::write(lab.ssh_config(), "Nonsense").unwrap();
    open_panel(&terminal);
    chat(&terminal, "what are you");
    terminal.wait_text("Linus: ");
    terminal.send(format!("{PREFIX}\t"));
    assert_goes_on(&terminal, 1);
    assert_ends(&terminal);
}

#[test]
fn no_terminal_database_is_needed() {
    let lab = Lab::start();
    for term in ["no-such-terminal", "vt52"] {
        let run = Run::aissh(&lab).own(&["--sidebar"]).size(Size::WIDE);
        let terminal =
            run.env("TERM", term).env("TERMINFO", "/nonexistent").env("TERMINFO_DIRS", "/dev/null").start();
        wait_panel(&terminal);
        assert_goes_on(&terminal, 1);
        terminal.type_line("echo $TERM; exit 6");
        assert_eq!(terminal.wait_exit(), Exit::Code(6));
    }
}

#[test]
fn what_vt100_panics_on_is_not_seen() {
    let lab = Lab::start();
    // An emoji with its variation selector in the last column of the last row: vt100 0.18.1 panics.
    let line = "printf '\\33[24;80H\\342\\232\\240\\357\\270\\217\\33[24;79H\\342\\232\\240\\357\\270\\217x\\n\\33[H\\33[2J'; echo do''ne";
    for way in [Way::Hidden, Way::Shown] {
        let terminal = way.at_prompt(&lab);
        terminal.type_line(line);
        terminal.wait_text("done");
        assert_goes_on(&terminal, 1);
        if way == Way::Hidden {
            open_panel(&terminal);
            terminal.wait_text("round 1 goes on");
        }
        assert_ends(&terminal);
        let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
        assert!(!raw.contains("internal error"), "{raw}");
    }
}
