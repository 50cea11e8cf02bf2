//! What is no shell at the other end: a real network CLI (FRR's vtysh behind sshd, as the login shell), and programs
//! that read lines or keys.
#![allow(clippy::unwrap_used)]

mod support;

use aissh::linus::contract::{Envelope, Request};
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, edit_card, open_panel};
use support::envelopes::{card, suggests, to_chats};
use support::lab::Lab;
use support::linus::Linus;
use support::terminal::{Size, Terminal};
use support::told::{commands, session_with, told, wait_connected};
use support::zebra::Zebra;

fn router(zebra: &Zebra) -> Lab {
    Lab::builder().sshd_option(&format!("ForceCommand VTYSH_PAGER='more -e' {}", zebra.vtysh())).start()
}

fn run(terminal: &Terminal, command: &str, prompt: &str) {
    terminal.type_line(command);
    terminal.wait_prompt(prompt);
}

/// What stands before the cursor.
fn line_of(screen: &vt100::Screen) -> String {
    let (row, col) = screen.cursor_position();
    screen.rows(0, col).nth(row.into()).unwrap_or_default().trim_end().to_owned()
}

fn cursor_line(terminal: &Terminal) -> String {
    terminal.screen(line_of)
}

/// Of the interface that stands first.
fn first_number(screen: &vt100::Screen) -> u32 {
    let contents = screen.contents();
    let (_, rest) = contents.split_once("uplink number ").unwrap();
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn vtysh_is_known_its_modes_are_followed_and_its_pager_waits() {
    let Some(zebra) = Zebra::start("hunter2") else { return };
    let lab = router(&zebra);
    let linus = Linus::modern();
    linus.reply_with(|request| match request {
        Request::Chat { .. } => suggests(vec![card("cmd_001", "show version")]),
        _ => Envelope::default(),
    });
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).start();
    terminal.wait_prompt("r1#");
    wait_connected(&linus);
    open_panel(&terminal);
    terminal.wait_text("(vtysh)");
    let steps = [
        ("configure terminal", "r1(config)#", ""),
        ("interface d1", "r1(config-if)#", ""),
        ("frob", "r1(config-if)#", "% Unknown command: frob"),
        ("end", "r1#", ""),
    ];
    for (n, (command, prompt, output)) in steps.into_iter().enumerate() {
        run(&terminal, command, prompt);
        let ran = told(&linus, n);
        assert_eq!((ran.command.as_str(), ran.output.as_str(), ran.exit_code), (command, output, None));
        assert_eq!(ran.context.cwd, None);
    }
    terminal.type_line("show running-config");
    terminal.wait_text("--More--");
    chat(&terminal, "what now");
    terminal.wait_text("cmd_001");
    edit_card(&terminal);
    terminal.send("\r");
    terminal.wait_text("A pager or a question waits");
    assert_eq!(commands(&linus.calls()).len(), steps.len(), "it has not ended");
    // The pager goes on to the end, page by page: more(1) drops what is typed ahead.
    terminal.send(format!("{PREFIX}\t"));
    terminal.wait_prompt("--More--");
    let mut page = terminal.screen(first_number);
    while cursor_line(&terminal) == "--More--" {
        terminal.send(" ");
        let first = format!("uplink number {page} ");
        terminal.wait_for(|screen| !screen.contents().contains(&first), "the next page");
        terminal.wait_for(|screen| ["--More--", "r1#"].contains(&line_of(screen).as_str()), "its end");
        page = terminal.screen(first_number);
    }
    let ran = told(&linus, steps.len());
    assert_eq!((ran.command.as_str(), ran.exit_code), ("show running-config", None));
    // On a slow machine this is the report of 5 s, and the pager's line is its last.
    let is_whole = ran.output.contains("uplink number 29\nexit\n!\nend") && !ran.output.contains("--More--");
    let is_first = ran.output.starts_with("Building configuration...") && ran.output.ends_with("--More--");
    assert!(is_whole || is_first, "{ran:?}");
}

#[test]
fn the_built_in_linus_proposes_no_shell_command_there() {
    let Some(zebra) = Zebra::start("hunter2") else { return };
    let lab = router(&zebra);
    let terminal = Run::aissh(&lab).size(Size::WIDE).start();
    terminal.wait_prompt("r1#");
    open_panel(&terminal);
    chat(&terminal, "/var is full");
    terminal.wait_text("This is vtysh.");
    assert!(!terminal.screen_text().contains("df -h"), "{}", terminal.screen_text());
}

#[test]
fn a_card_is_held_while_a_program_or_a_pager_reads_and_its_lines_are_no_commands() {
    let lab = Lab::start();
    std::fs::write(lab.home().join("long"), "a line\n".repeat(100)).unwrap();
    for (command, waits, why, leave) in [
        ("python3 -q", ">>>", "A program reads input there", "1+1\rexit()\r"),
        ("less -X long", "long", "A pager or a question waits", "q"),
    ] {
        let linus = Linus::modern();
        linus.reply_with(to_chats(suggests(vec![card("cmd_001", "echo injected")])));
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        terminal.type_line(command);
        terminal.wait_prompt(waits);
        chat(&terminal, "hello");
        terminal.wait_text("cmd_001");
        edit_card(&terminal);
        terminal.send("\r");
        terminal.wait_text(why);
        terminal.send(format!("{PREFIX}\t{leave}"));
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("echo after");
        linus.wait_for(|calls| commands(calls).iter().any(|c| c.command == "echo after"), DEADLINE);
        let told: Vec<_> = commands(&linus.calls()).into_iter().map(|c| c.command).collect();
        assert_eq!(told, [command, "echo after"]);
    }
}
