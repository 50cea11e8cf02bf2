//! The harness itself, with plain ssh: if these fail, no other result of the tests means anything.

mod support;

use nix::sys::signal::Signal;
use nix::sys::termios::LocalFlags;
use support::lab::Lab;
use support::terminal::{Exit, Size, Terminal};

fn ssh(lab: &Lab, rest: &[&str]) -> Terminal {
    Terminal::spawn("ssh", &lab.args(rest), &lab.env(), Size::CLASSIC)
}

#[test]
fn a_login_shows_the_prompt_and_its_exit_status_comes_back() {
    let lab = Lab::start();
    let terminal = ssh(&lab, &["lab"]);
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit 7");
    assert_eq!(terminal.wait_exit(), Exit::Code(7));
}

#[test]
fn the_remote_sees_the_window_size_and_its_change() {
    let lab = Lab::start();
    let terminal = ssh(&lab, &["lab"]);
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("stty size");
    terminal.wait_text("24 80");
    // The quotes keep the echo of this line from looking like its output.
    terminal.type_line("(trap 'stty size; exit' WINCH; echo re''ady; sleep 60 & wait)");
    terminal.wait_text("ready");
    terminal.resize(Size { cols: 101, rows: 33 });
    terminal.wait_text("33 101");
}

#[test]
fn sessions_have_the_labs_home() {
    let lab = Lab::start();
    let terminal = ssh(&lab, &["lab", "echo home is $HOME"]);
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.screen_text().contains(&format!("home is {}", lab.home().display())));
}

#[test]
fn two_labs_stand_side_by_side() {
    let (one, two) = (Lab::start(), Lab::start());
    let (first, second) = (ssh(&one, &["lab"]), ssh(&two, &["lab"]));
    first.wait_prompt(one.prompt());
    second.wait_prompt(two.prompt());
    assert_ne!(one.home(), two.home());
}

#[test]
fn marks_report_prompt_command_status_and_directory() {
    let lab = Lab::builder().marks().start();
    let terminal = ssh(&lab, &["lab"]);
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("(exit 3)");
    let status = b"\x1b]133;D;3\x07";
    terminal.wait_raw(|raw| raw.windows(status.len()).any(|bytes| bytes == status), "the status mark");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    for mark in ["\x1b]133;A\x07", "\x1b]133;B\x07", "\x1b]133;C\x07", "\x1b]7;file://host/"] {
        assert!(raw.contains(mark), "{mark:?} is missing in {raw:?}");
    }
}

#[test]
fn death_by_signal_is_seen_as_such() {
    let lab = Lab::start();
    let terminal = ssh(&lab, &["lab"]);
    terminal.wait_prompt(lab.prompt());
    terminal.kill(Signal::SIGKILL);
    assert_eq!(terminal.wait_exit(), Exit::Signal(Signal::SIGKILL as i32));
}

#[test]
fn modes_of_the_terminal_can_be_read_during_and_after() {
    let lab = Lab::start();
    let terminal = ssh(&lab, &["lab"]);
    terminal.wait_prompt(lab.prompt());
    assert!(!terminal.termios().local_flags.contains(LocalFlags::ECHO), "ssh has the terminal raw");
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.termios().local_flags.contains(LocalFlags::ECHO), "ssh has put it back");
}

#[test]
fn a_large_paste_and_its_echo_do_not_block_each_other() {
    let lab = Lab::start();
    let terminal =
        ssh(&lab, &["-t", "lab", "stty raw -echo; echo ready; head -c 300000 | tee /dev/null | sha256sum"]);
    terminal.wait_text("ready");
    terminal.send("x".repeat(300_000));
    // head -c 300000 /dev/zero | tr '\0' x | sha256sum
    terminal.wait_text("29927e273accc682");
}

#[test]
#[should_panic(expected = "the program ended before \"never\"")]
fn waiting_for_what_cannot_come_fails_with_the_screen() {
    let lab = Lab::start();
    ssh(&lab, &["lab", "true"]).wait_text("never");
}
