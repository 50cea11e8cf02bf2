//! The chat over a real session: Markdown, any script and any split of what is typed, and what came unseen.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::mpsc::channel;

use aissh::linus::contract::{Envelope, Request};
use support::aissh::{PREFIX, chat, close_panel, open_panel};
use support::envelopes::{card, says, suggests, to_chats};
use support::lab::Lab;
use support::linus::Linus;
use support::terminal::Terminal;
use support::told::session_with;

/// Whether every cell of `text`, where it first stands, is bold.
fn is_bold(screen: &vt100::Screen, text: &str) -> bool {
    let (_, cols) = screen.size();
    let found = screen.rows(0, cols.get()).enumerate().find_map(|(row, line)| {
        let before = line.split_once(text)?.0.chars().count();
        Some((u16::try_from(row).ok()?, u16::try_from(before).ok()?))
    });
    let Some((row, col)) = found else { return false };
    (0..text.len() as u16).all(|at| screen.cell(row, col + at).is_some_and(vt100::Cell::bold))
}

fn at_panel(lab: &Lab, linus: &Linus) -> Terminal {
    let terminal = session_with(lab, linus);
    open_panel(&terminal);
    terminal
}

#[test]
fn markdown_is_drawn_and_its_signs_are_not() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let message =
        "# Disk\n**Full** by `du`, see [man](https://x.example/du)\n\n1. one\n2. <two>\n\n```sh\nrm *_*\n```";
    linus.reply_with(to_chats(says(message)));
    let terminal = at_panel(&lab, &linus);
    chat(&terminal, "what is full");
    for shown in
        ["Linus: Disk", "Full by du, see man", "(https://x.example/du)", "1. one", "2. <two>", "│ rm *_*"]
    {
        terminal.wait_text(shown);
    }
    terminal.wait_for(|screen| is_bold(screen, "Full"), "bold text");
    let text = terminal.screen_text();
    assert!(!text.contains("**") && !text.contains("```") && !text.contains('`'), "{text}");
}

#[test]
fn any_script_is_typed_in_any_split_and_pasted_as_text() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(says("read")));
    let terminal = at_panel(&lab, &linus);
    terminal.send(format!("{PREFIX} "));
    terminal.wait_text("Enter asks");
    // An input method commits several characters at once; a slow line cuts them anywhere.
    for byte in "größe 漢字 🚀 ".bytes() {
        terminal.send([byte]);
    }
    terminal.send("\x1b[200~ein\rZeilen\x1b[201~");
    terminal.wait_text("Zeilen");
    terminal.send("\r");
    terminal.wait_text("read");
    let said = |request: &Request| match request {
        Request::Chat { message, .. } => Some(message.clone()),
        _ => None,
    };
    let said: Vec<String> = linus.calls().iter().filter_map(|call| said(&call.request)).collect();
    assert_eq!(said, ["größe 漢字 🚀 ein\nZeilen"]);
}

#[test]
fn what_came_while_the_panel_was_closed_is_new_until_a_key_is_pressed() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let (go_tx, go_rx) = channel::<()>();
    linus.reply_with(move |request| match request {
        Request::Chat { .. } => {
            let _ = go_rx.recv();
            suggests(vec![card("cmd_001", "echo one")])
        }
        _ => Envelope::default(),
    });
    let terminal = at_panel(&lab, &linus);
    chat(&terminal, "later");
    terminal.wait_text("Waiting for Linus");
    close_panel(&terminal);
    terminal.wait_prompt(lab.prompt());
    go_tx.send(()).unwrap();
    open_panel(&terminal);
    terminal.wait_text("Look at the cards.");
    terminal.wait_text("1 new");
    terminal.send(format!("{PREFIX}\t\x1b[6~"));
    terminal.wait_for(|screen| !screen.contents().contains(" new"), "that all was seen");
}
