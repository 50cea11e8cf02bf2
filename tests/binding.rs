//! A card goes to the shell that it was proposed for, or the user is told first what is another now. Tried with what
//! changes a shell in real life: su, sudo, a nested ssh, a container's shell, editors, pagers, questions. What the user
//! fills into a card goes to that shell and nowhere else.
#![allow(clippy::unwrap_used)]

mod support;

use std::time::Instant;

use aissh::linus::contract::Placeholder;
use support::DEADLINE;
use support::aissh::{PREFIX, chat, edit_card, open_panel};
use support::envelopes::{card, suggests, to_chats};
use support::lab::Lab;
use support::linus::Linus;
use support::screen::is_dim_after;
use support::terminal::Terminal;
use support::told::{commands, everything, session_with, told};

/// A session whose Linus has proposed `echo from the card` at the lab's own prompt, with the focus in the terminal.
fn proposed(lab: &Lab, linus: &Linus) -> Terminal {
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "echo from the card")])));
    let terminal = session_with(lab, linus);
    open_panel(&terminal);
    chat(&terminal, "go");
    terminal.wait_text("cmd_001");
    terminal.send(format!("{PREFIX}\t"));
    terminal
}

/// The panel says beside the edit line what is another now, and says it again when Enter does not send.
fn is_told(terminal: &Terminal, says: &[&str]) {
    edit_card(terminal);
    says.iter().for_each(|text| terminal.wait_text(text));
    terminal.send("\r");
    // The sentence ends so, wherever it wraps.
    terminal.wait_text("all the same");
    says.iter().for_each(|text| terminal.wait_text(text));
    assert!(!terminal.screen_text().contains("\nfrom the card"), "{}", terminal.screen_text());
}

/// Enter on the card: it is not sent, and the panel says why. The focus is in the panel then.
fn is_held_back(terminal: &Terminal, says: &str) {
    edit_card(terminal);
    terminal.send("\r");
    terminal.wait_text(says);
    assert!(!terminal.screen_text().contains("\nfrom the card"), "{}", terminal.screen_text());
}

/// The card leaves the edit line, and the terminal gets the keys.
fn leave(terminal: &Terminal) {
    terminal.send("\x1b");
    terminal.wait_for(|screen| !screen.contents().contains("Edit 1"), "the end of the edit line");
    terminal.send(format!("{PREFIX}\t"));
}

/// The same key again sends it.
fn goes_now(terminal: &Terminal, prompt: &str) {
    terminal.send("\r");
    let prompt = format!("{prompt} ");
    terminal.wait_for(
        |screen| is_dim_after(screen, &prompt, "echo from the card") == Some(true),
        "the echo of the card",
    );
}

/// The same where the prompt has just come: each Enter is the first one, since another key comes before it.
fn goes_soon(terminal: &Terminal, prompt: &str) {
    let prompt = format!("{prompt} ");
    let is_held = |screen: &vt100::Screen| screen.contents().contains("Not sent");
    let is_sent = |screen: &vt100::Screen| is_dim_after(screen, &prompt, "echo from the card") == Some(true);
    let deadline = Instant::now() + DEADLINE;
    while !terminal.screen(is_sent) {
        assert!(Instant::now() < deadline, "{}", terminal.screen_text());
        terminal.send(" \x7f");
        terminal.wait_for(|screen| !is_held(screen), "the end of the sentence");
        terminal.send("\r");
        terminal.wait_for(|screen| is_held(screen) || is_sent(screen), "the echo, or a sentence");
    }
}

#[test]
fn a_card_follows_no_su_no_sudo_and_no_way_back() {
    let lab = Lab::builder().sudoer().start();
    let Some(account) = lab.account().cloned() else { return };
    let linus = Linus::modern();
    let terminal = proposed(&lab, &linus);
    let user = &account.user;
    terminal.type_line(&format!("cd /; su -s /bin/bash {user}"));
    terminal.wait_text(&format!("{user}@"));
    is_told(&terminal, &["was user@host, now", user]);
    // Another key in between, and it is asked anew.
    terminal.send(" \x7f\r");
    terminal.wait_text("was user@host, now");
    assert!(!terminal.screen_text().contains("\nfrom the card"));
    leave(&terminal);
    // A password is asked for in there: not sent, whatever the user says.
    terminal.type_line("sudo -k; sudo true");
    terminal.wait_text("password for");
    for _ in 0..2 {
        is_held_back(&terminal, "Not sent: a secret is asked for");
        leave(&terminal);
    }
    terminal.type_line(&account.password);
    let prompt = format!("{user}@");
    terminal.wait_for(|screen| screen.contents().matches(&prompt).count() > 2, "the prompt after sudo");
    // Back where it belongs, it goes without a second Enter, as soon as the prompt is taken for one.
    terminal.type_line("exit");
    let prompt = lab.prompt().replace('~', "/");
    terminal.wait_prompt(&prompt);
    edit_card(&terminal);
    goes_soon(&terminal, &prompt);
}

#[test]
fn a_shell_with_the_same_prompt_is_another_shell() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = proposed(&lab, &linus);
    let nested = format!("ssh -t -F {} lab", lab.ssh_config().display());
    terminal.type_line(&nested);
    terminal.wait_for(|screen| screen.contents().matches(lab.prompt()).count() > 1, "the nested session");
    is_told(&terminal, &["another shell may have"]);
    goes_now(&terminal, lab.prompt());
    assert_eq!(told(&linus, 1).command, "echo from the card");
}

#[test]
fn a_high_card_that_is_held_back_asks_for_its_word_again_and_goes() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "rm -r /nonexistent/file")])));
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    chat(&terminal, "go");
    terminal.wait_text("cmd_001");
    let nested = format!("ssh -t -F {} lab", lab.ssh_config().display());
    terminal.send(format!("{PREFIX}\t{nested}\r"));
    terminal.wait_for(|screen| screen.contents().matches(lab.prompt()).count() > 1, "the nested session");
    edit_card(&terminal);
    terminal.wait_text("another shell may have");
    terminal.send("\ryes\r");
    terminal.wait_text("Not sent: another shell may have");
    terminal.send("\ryes\r");
    terminal.wait_text("No such file or directory");
    assert_eq!(told(&linus, 1).command, "rm -r /nonexistent/file");
}

#[test]
fn a_containers_shell_and_one_without_a_name_are_told() {
    let lab = Lab::start();
    let shells = [
        (
            "unshare --user --map-root-user sh -c 'PS1=\"root@3f2a9c: # \" exec sh'",
            "root@3f2a9c: #",
            "root@3f2a9c",
        ),
        ("PS1='/ # ' busybox sh", "/ #", "“/ #”"),
    ];
    for (opens, prompt, named) in shells {
        let linus = Linus::modern();
        let terminal = proposed(&lab, &linus);
        terminal.type_line(opens);
        terminal.wait_prompt(prompt);
        is_told(&terminal, &["was user@host, now", named]);
        goes_now(&terminal, prompt);
    }
}

#[test]
fn what_stands_in_the_foreground_holds_a_card_back() {
    let lab = Lab::start();
    std::fs::write(lab.home().join("file"), "line\n".repeat(200)).unwrap();
    let programs = [
        ("vim -u NONE file", "line", "full-screen program", "\x1b:q!\r"),
        ("less file", "line", "full-screen program", "q"),
        ("more -e file", "--More--", "A pager or a question", "q"),
        ("cat; read x; echo \"is <$x>\"", "read x", "Something runs there", "\x04mine\r"),
    ];
    let linus = Linus::modern();
    let terminal = proposed(&lab, &linus);
    for (n, (opens, shows, says, ends)) in programs.into_iter().enumerate() {
        terminal.type_line(opens);
        terminal.wait_text(shows);
        is_held_back(&terminal, says);
        leave(&terminal);
        terminal.send(ends);
        assert_eq!(told(&linus, n).command, opens);
    }
    assert!(terminal.screen_text().contains("is <mine>"), "{}", terminal.screen_text());
    // A line that is half typed.
    terminal.send("echo mine");
    terminal.wait_text("# echo mine");
    is_held_back(&terminal, "line is not empty");
    leave(&terminal);
    assert_eq!(commands(&linus.calls()).len(), programs.len());
}

#[test]
fn an_answer_that_comes_late_belongs_to_where_the_question_was_asked() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    let (asked_tx, asked_rx) = std::sync::mpsc::channel();
    let (go_tx, go_rx) = std::sync::mpsc::channel();
    let mut answer = to_chats(suggests(vec![card("cmd_001", "echo from the card")]));
    linus.reply_with(move |request| {
        if matches!(request, aissh::linus::contract::Request::Chat { .. }) {
            asked_tx.send(()).unwrap();
            go_rx.recv_timeout(DEADLINE).unwrap();
        }
        answer(request)
    });
    open_panel(&terminal);
    chat(&terminal, "go");
    asked_rx.recv_timeout(DEADLINE).unwrap();
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("PS1='root@web-2:\\w# ' bash --norc");
    terminal.wait_prompt("root@web-2:~#");
    go_tx.send(()).unwrap();
    terminal.wait_text("stale");
    is_told(&terminal, &["was user@host, now", "root@web-2"]);
}

#[test]
fn what_is_filled_in_reaches_the_shell_as_one_word_and_linus_never() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let mut suggestion = card("cmd_001", "printf '[%s]' <WORD> \"<PASSWORD>\"; echo");
    suggestion.placeholders =
        vec![Placeholder { name: "WORD".into(), description: "any".into(), secret: false }];
    linus.reply_with(to_chats(suggests(vec![suggestion])));
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    chat(&terminal, "go");
    terminal.wait_text("cmd_001");
    edit_card(&terminal);
    terminal.send("\r");
    terminal.wait_text("WORD (any):");
    terminal.send("it's $HOME; x\r");
    terminal.wait_text("PASSWORD (not shown):");
    terminal.send("hun`ter2 $(id)\r");
    terminal.wait_text("••••••");
    assert!(!terminal.screen_text().contains("hun"), "{}", terminal.screen_text());
    terminal.send("\r");
    // The remote got both as they were typed.
    terminal.wait_text("[it's $HOME; x][hun`ter2 $(id)]");
    let ran = told(&linus, 0);
    assert_eq!(ran.command, "printf '[%s]' <WORD> \"<PASSWORD>\"; echo");
    assert_eq!(ran.output, "[‹filled-in-1›][‹filled-in-2›]");
    // The screen that goes with the next question holds the echo.
    chat(&terminal, "and now");
    linus.wait_for(|calls| support::told::messages(calls).len() > 1, DEADLINE);
    let everything = everything(&linus);
    for piece in ["hun`ter2", "$HOME; x"] {
        assert!(!everything.contains(piece), "{piece} left:\n{everything}");
    }
}
