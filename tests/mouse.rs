//! The mouse while the panel is drawn: in the terminal's pane it is the remote's, in its own coordinates; in the panel it
//! is the panel's.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::aissh::{PREFIX, Run, close_panel, open_panel};
use support::lab::Lab;
use support::terminal::{Exit, Size, Terminal};

/// A terminal whose remote reads so many bytes raw and prints them, in these modes.
fn reader(lab: &Lab, panel: &str, modes: &str, bytes: usize) -> Terminal {
    let config = lab.client_home().join("mouse.toml");
    fs::write(&config, format!("[panel]\n{panel}\n")).unwrap();
    let remote =
        format!("stty raw -echo; printf '{modes}ready'; head -c {bytes} | od -An -c -w40; printf '\\r\\n'");
    let run = Run::aissh(lab).own(&["--config", config.to_str().unwrap()]).size(Size::WIDE);
    let terminal = run.ssh(&["-t", "lab", &format!("{remote}; read x")]).start();
    terminal.wait_text("ready");
    open_panel(&terminal);
    terminal
}

fn wait_bytes(terminal: &Terminal, bytes: &str) {
    let shows = |screen: &vt100::Screen| {
        screen.contents().split_whitespace().collect::<String>().contains(&bytes.replace(' ', ""))
    };
    terminal.wait_for(shows, &format!("{bytes:?} as the remote got it"));
}

#[test]
fn the_remote_gets_its_reports_in_its_own_coordinates_wherever_the_panel_is() {
    let lab = Lab::start();
    // 130 columns and 40 rows: 49 of the columns are the panel's, or 16 of the rows.
    let cases = [("position = \"right\"", 0), ("position = \"left\"", 49), ("position = \"bottom\"", 0)];
    for (panel, offset) in cases {
        let terminal = reader(&lab, panel, "\\33[?1002h\\33[?1006h", 18);
        // Press and release in the pane; a click in the panel is not for the remote.
        let (col, in_panel) = (offset + 7, if offset > 0 { (5, 20) } else { (120, 39) });
        terminal
            .send(format!("\x1b[<0;{};{}M\x1b[<0;{};{}m", in_panel.0, in_panel.1, in_panel.0, in_panel.1));
        terminal.send(format!("\x1b[<0;{col};3M\x1b[<0;{col};3m"));
        wait_bytes(&terminal, "033[<0;7;3M033[<0;7;3m");
    }
}

#[test]
fn each_encoding_is_the_one_that_was_asked_for() {
    let lab = Lab::start();
    // A cell is 8 by 16 pixels; ' ' of the first encoding is a blank in od.
    let cases = [
        ("\\33[?1000h", 6, "033[M'#"),
        ("\\33[?1000h\\33[?1015h", 9, "033[32;7;3M"),
        ("\\33[?1003h\\33[?1016h", 11, "033[<0;53;41M"),
    ];
    for (modes, bytes, wanted) in cases {
        let terminal = reader(&lab, "", modes, bytes);
        terminal.send("\x1b[<0;7;3M");
        wait_bytes(&terminal, wanted);
    }
}

#[test]
fn focus_reports_go_to_the_remote_whoever_has_the_keys() {
    let lab = Lab::start();
    let terminal = reader(&lab, "", "\\33[?1004h", 6);
    let asked = |raw: &[u8]| raw.windows(8).filter(|part| part == b"\x1b[?1004h").count() >= 2;
    terminal.wait_raw(asked, "focus reports");
    terminal.send("\x1b[O");
    terminal.send(format!("{PREFIX}\t\x1b[I"));
    wait_bytes(&terminal, "033[O033[I");
}

#[test]
fn switched_off_nothing_is_read_and_nothing_reported() {
    let lab = Lab::start();
    let terminal = reader(&lab, "mouse = false", "\\33[?1002h\\33[?1006h", 1);
    terminal.screen(|screen| assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None));
    close_panel(&terminal);
    let is_on =
        |screen: &vt100::Screen| screen.mouse_protocol_mode() == vt100::MouseProtocolMode::ButtonMotion;
    terminal.wait_for(is_on, "the remote's mouse again");
}

#[test]
fn a_click_gives_the_focus_and_the_divider_is_dragged() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    open_panel(&terminal);
    // The divider is in column 82, counted from 1.
    terminal.send("\x1b[<0;100;39M\x1b[<0;100;39mfor Linus");
    terminal.wait_text("› for Linus");
    terminal.send("\x1b[<0;5;5M\x1b[<0;5;5mecho for the re''mote\r");
    terminal.wait_text("for the remote");
    terminal.send("\x1b[<0;82;10M\x1b[<32;72;10M\x1b[<0;72;10m");
    let size = "clear; until [ \"$(stty size)\" = '40 71' ]; do sleep 0.05; done; echo 'it is' 71";
    terminal.type_line(size);
    terminal.wait_text("it is 71");
    close_panel(&terminal);
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn the_wheel_is_arrows_for_a_program_on_the_alternate_screen() {
    let lab = Lab::start();
    let text: String = (1..=300).map(|n| format!("line {n} of the file\n")).collect();
    fs::write(lab.home().join("file"), text).unwrap();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    terminal.type_line("less file");
    terminal.wait_text("line 39 of");
    open_panel(&terminal);
    terminal.send("\x1b[<65;5;5M");
    terminal.wait_text("line 42 of");
    terminal.send("\x1b[<64;5;5M");
    terminal.wait_text("line 1 of");
}
