//! The panel within GNU screen, which has no alternate screen unless it is told to have one.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

use support::aissh::{PROGRAM, Run, close_panel, open_panel};
use support::lab::Lab;
use support::screen::picture;
use support::terminal::{Size, Terminal};

/// aissh within screen, at the remote prompt.
fn within_screen(lab: &Lab, altscreen: &str) -> Terminal {
    let rc = lab.client_home().join("screenrc");
    fs::write(&rc, format!("startup_message off\naltscreen {altscreen}\n")).unwrap();
    let sockets = lab.client_home().join("sockets");
    if !sockets.exists() {
        fs::DirBuilder::new().mode(0o700).create(&sockets).unwrap();
        fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let mut env = lab.env();
    env.retain(|(name, _)| name != "TERM");
    env.push(("TERM".into(), "xterm-256color".into()));
    env.push(("SCREENDIR".into(), sockets.display().to_string()));
    let mut args: Vec<String> = vec!["-c".into(), rc.display().to_string(), PROGRAM.into()];
    args.extend(Run::aissh(lab).args());
    let terminal = Terminal::spawn("screen", &args, &env, Size::WIDE);
    terminal.wait_prompt(lab.prompt());
    terminal
}

#[test]
fn closing_gives_the_screen_back_with_and_without_an_alternate_screen() {
    let lab = Lab::start();
    for altscreen in ["off", "on"] {
        let terminal = within_screen(&lab, altscreen);
        terminal.type_line("clear; printf '\\33[31mred\\33[m\\n'; seq 1 20; echo fi''rst");
        terminal.wait_text("first");
        terminal.wait_prompt(lab.prompt());
        let before = terminal.screen(picture);
        open_panel(&terminal);
        close_panel(&terminal);
        terminal.wait_for(|screen| picture(screen) == before, &format!("the screen\n{before}"));
        open_panel(&terminal);
        terminal.type_line("seq 1 60; echo se''cond");
        terminal.wait_text("second");
        close_panel(&terminal);
        terminal.wait_prompt(lab.prompt());
        let text = terminal.screen_text();
        assert!(text.contains("60") && !text.contains("Intent") && !text.contains('┃'), "{text}");
        terminal.type_line("exit");
        terminal.wait_exit();
    }
}
