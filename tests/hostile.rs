//! A Linus and a remote that mean harm: nothing is ever entered without the user's key, and what is shown cannot
//! steer the terminal.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::time::{Duration, Instant};

use aissh::linus::contract::{ChatResponse, Envelope, Request};
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, close_panel, edit_card, open_panel};
use support::envelopes::{card, plans, says, suggests};
use support::lab::Lab;
use support::linus::{Linus, Setup, Style};
use support::terminal::{Exit, Size, Terminal};
use support::told::{session_with, told};

/// Commands that would run by themselves if they were typed as they are, or that a terminal would act on.
const COMMANDS: [&str; 9] = [
    "touch pwned\n",
    "touch pwned\r",
    "one\ntouch pwned\nthree",
    "\x1b[201~\rtouch pwned\r",
    "\x03touch pwned\r",
    "touch pwned\u{85}\u{2028}",
    "\u{9b}201~\rtouch pwned\r",
    "\x1c\x1ctouch pwned\r\x1ca",
    "~.\r~C",
];

fn hostile() -> Envelope {
    let mut cards: Vec<_> =
        COMMANDS.iter().enumerate().map(|(n, command)| card(&format!("bad_{n}"), command)).collect();
    cards.extend((0..1000).map(|n| card(&format!("\x1b]0;{n}\x07\r\n"), &"y".repeat(3000))));
    cards.push(card(&"i".repeat(100_000), &"touch pwned; ".repeat(10_000)));
    let message =
        "\x1b[2J\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[c\x1b[6n\x1b[5n\x1bP$qm\x1b\\\x1bc \u{9b}c\r\n"
            .to_owned()
            + &"wall of text ".repeat(50_000);
    Envelope {
        chat_response: Some(ChatResponse { message, mentions: vec!["bad_0".into(); 10_000] }),
        intent_update: Some(plans(
            "\x1b]0;owned\x07plan\r\n",
            &[(aissh::linus::contract::StepStatus::Current, "\x1b[6n\x1b[2J step"); 500],
        )),
        ..suggests(cards)
    }
}

/// A session whose every byte of input is in a file at its end: what was typed, by whomever.
fn recorded(lab: &Lab, linus: &Linus, size: Size) -> Terminal {
    let remote = "stty raw -echo; echo ready; cat > $HOME/typed";
    let terminal = Run::aissh(lab).linus(linus).size(size).ssh(&["-tt", "-e", "none", "lab", remote]).start();
    terminal.wait_text("ready");
    terminal
}

/// Leaves and says what had been typed. A SIGHUP is how a terminal goes.
fn typed(lab: &Lab, terminal: &Terminal) -> Vec<u8> {
    terminal.send("\x1b[24~\x1b[24~<end>");
    let file = lab.home().join("typed");
    let deadline = Instant::now() + DEADLINE;
    loop {
        // Written by the remote: there is no event of it here.
        let bytes = fs::read(&file).unwrap_or_default();
        if bytes.ends_with(b"<end>") {
            return bytes;
        }
        assert!(Instant::now() < deadline, "{:?}", String::from_utf8_lossy(&bytes));
        std::thread::yield_now();
    }
}

#[test]
fn nothing_that_linus_says_is_entered() {
    for style in [Style::Json, Style::Sse] {
        for size in [Size::CLASSIC, Size::WIDE] {
            let lab = Lab::start();
            let linus = Linus::start(Setup { style, ..Setup::default() });
            linus.reply_with(|_| hostile());
            let terminal = recorded(&lab, &linus, size);
            open_panel(&terminal);
            chat(&terminal, "hello");
            terminal.wait_text("You: ");
            // Nine cards have keys; picking and leaving them types nothing either, nor does looking around.
            for n in 1..=9 {
                terminal.send(format!("{PREFIX}{n}"));
                terminal.send("\x1b[A\x1b[B\x1b[5~\x1b[6~");
            }
            terminal.wait_text("Ask Linus");
            terminal.send(format!("{PREFIX} and more\r"));
            linus.wait_for(|calls| support::told::messages(calls).len() > 1, DEADLINE);
            terminal.send(format!("{PREFIX}\t"));
            let bytes = typed(&lab, &terminal);
            assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[24~<end>");
            // Nor does anything of it reach the user's terminal as more than text.
            let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
            for sequence in ["\x1b]0;", "\x1b]52", "\x1b[c", "\x1b[5n", "\x1bP", "\x1bc", "\u{9b}"] {
                assert!(!raw.contains(sequence), "{sequence:?} got through");
            }
            // The panel itself asks once where the cursor is.
            assert!(raw.matches("\x1b[6n").count() <= 1, "a question got through");
        }
    }
}

#[test]
fn answers_of_the_terminal_to_the_panel_are_not_entered_however_late_they_come() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = recorded(&lab, &linus, Size::CLASSIC);
    // Opened and closed faster than the terminal answers where its cursor is.
    for _ in 0..5 {
        terminal.send(format!("{PREFIX}a{PREFIX}a"));
        open_panel(&terminal);
        close_panel(&terminal);
    }
    let bytes = typed(&lab, &terminal);
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[24~<end>");
}

#[test]
fn a_card_that_would_enter_more_than_one_line_is_refused_or_pasted_as_one() {
    let lab = Lab::start();
    for (command, is_sendable) in [
        ("echo a\rtouch pwned", false),
        ("echo a\x1b[201~; touch pwned", false),
        ("echo a\x03", false),
        ("echo one; \\\necho two", true),
    ] {
        let linus = Linus::modern();
        let cards = vec![card("cmd_001", command)];
        linus.reply_with(move |request| match request {
            Request::Chat { .. } => suggests(cards.clone()),
            _ => Envelope::default(),
        });
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        chat(&terminal, "hello");
        terminal.wait_text("cmd_001");
        terminal.send(format!("{PREFIX}1\r"));
        if is_sendable {
            // Bash has bracketed paste on.
            let ran = told(&linus, 0);
            assert!(ran.output.ends_with("one\ntwo"), "{ran:?}");
        } else {
            terminal.send(format!("{PREFIX}\t"));
            terminal.type_line("echo still h''ere");
            terminal.wait_text("still here");
            assert_eq!(told(&linus, 0).command, "echo still h''ere");
        }
        assert!(!lab.home().join("pwned").exists(), "{command:?}");
    }
}

#[test]
fn a_card_is_not_sent_into_a_full_screen_program_or_a_secret_prompt() {
    let lab = Lab::start();
    let programs = [
        // Echo off while a line is read, as for a password.
        ("read -rsp 'Pass''word: ' x; echo; echo \"is <$x>\"", "Password:", "is <mine>"),
        (
            "printf '\\33[?1049hfu''ll'; read -r x; printf '\\33[?1049l'; echo \"is <$x>\"",
            "full",
            "is <mine>",
        ),
    ];
    for (line, shows, ends) in programs {
        let linus = Linus::modern();
        linus.reply_with(|request| match request {
            Request::Chat { .. } => suggests(vec![card("cmd_001", "echo injected")]),
            _ => Envelope::default(),
        });
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        chat(&terminal, "hello");
        terminal.wait_text("cmd_001");
        terminal.send(format!("{PREFIX}\t"));
        terminal.type_line(line);
        terminal.wait_text(shows);
        edit_card(&terminal);
        terminal.send("\r");
        terminal.wait_text("Not sent");
        terminal.send(format!("{PREFIX}\tmine\r"));
        terminal.wait_text(ends);
    }
}

#[test]
fn a_flood_of_answers_does_not_slow_the_session() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(|_| hostile());
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    for _ in 0..5 {
        chat(&terminal, "hello");
    }
    linus.wait_for(|calls| support::told::messages(calls).len() > 4, DEADLINE);
    terminal.send(format!("{PREFIX}\t"));
    let started = Instant::now();
    terminal.type_line("echo still h''ere");
    terminal.wait_text("still here");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    terminal.type_line("exit 3");
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
}

#[test]
fn what_the_remote_prints_is_not_obeyed_by_the_panel() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(|request| match request {
        Request::Chat { .. } => says("fine"),
        _ => Envelope::default(),
    });
    // Forged marks, broken sequences, absurd sizes and numbers, then a proper end.
    let bytes: Vec<u8> = [
        b"\x1b]133;D;0\x07\x1b]133;C\x07\x1b]133;A\x07\x1b]7;file://host/\x1b[2J\x07" as &[u8],
        b"\x1b[99999999999;99999999999H\x1b[65535L\x1b[65535P\x1b[0;0r\x1b[9999S\x1b[?1049h\x1b[?1049h",
        b"\x1b]52;c;!\x1b]0;",
        &[b'x'; 100_000],
        b"\x07\x1bP",
        &[b'q'; 100_000],
        b"\x1b\\",
        "\u{301}".repeat(5000).as_bytes(),
        "👩‍👩‍👧".repeat(500).as_bytes(),
        b"\xff\xfe\xc3\x28\xed\xa0\x80",
        b"\x1b[?1049l\x1b[m\x1b[r\x1b[H\x1b[2Jclean\r\n",
    ]
    .concat();
    fs::write(lab.home().join("bytes"), bytes).unwrap();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    terminal.type_line("cat bytes");
    terminal.wait_text("clean");
    chat(&terminal, "how is it");
    terminal.wait_text("fine");
    terminal.send(format!("{PREFIX}\texit 6\r"));
    assert_eq!(terminal.wait_exit(), Exit::Code(6));
}
