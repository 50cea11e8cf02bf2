//! A Linus and a remote that mean harm: nothing is ever entered without the user's key, and what is shown cannot
//! steer the terminal.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::time::{Duration, Instant};

use aissh::linus::contract::{
    ChatResponse, ClearSuggestions, Envelope, Level, Notification, Notifications, Request,
};
use serde_json::{Value, json};
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, close_panel, edit_card, open_panel, pick_first};
use support::envelopes::{card, plans, says, suggests};
use support::lab::Lab;
use support::linus::{Fault, Linus, Setup, Style};
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

/// What hides text or turns it round: bidi override and isolate, zero width, soft hyphen, byte order mark, tag.
const HIDDEN: [char; 6] = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{ad}', '\u{feff}', '\u{e0041}'];

fn hidden() -> String {
    HIDDEN.iter().flat_map(|c| ['x', *c]).collect()
}

fn hostile() -> Envelope {
    let mut cards = vec![card(&format!("id {}", hidden()), &format!("touch pwned {}", hidden()))];
    cards[0].description = hidden();
    cards.extend(COMMANDS.iter().enumerate().map(|(n, command)| card(&format!("bad_{n}"), command)));
    cards.extend((0..1000).map(|n| card(&format!("\x1b]0;{n}\x07\r\n"), &"y".repeat(3000))));
    cards.push(card(&"i".repeat(100_000), &"touch pwned; ".repeat(10_000)));
    let message =
        "\x1b[2J\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[c\x1b[6n\x1b[5n\x1bP$qm\x1b\\\x1bc \u{9b}c\r\n"
            .to_owned()
            + &hidden()
            + &"wall of text ".repeat(50_000);
    let note = Notification { text: format!("{}\x1b[2J\r\nnote", hidden()), level: Level::Critical };
    Envelope {
        chat_response: Some(ChatResponse { message, mentions: vec!["bad_0".into(); 10_000] }),
        intent_update: Some(plans(
            "\x1b]0;owned\x07plan\r\n",
            &[(aissh::linus::contract::StepStatus::Current, "\x1b[6n\x1b[2J \u{202e}\u{200b} step"); 500],
        )),
        notifications: Some(Notifications { notes: vec![note; 1000] }),
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
            let shown = HIDDEN.iter().find(|c| raw.contains(**c));
            assert!(shown.is_none(), "{shown:?} got through");
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

/// Each of a wrong type, of no type, too deep, or not JSON at all.
fn mistyped() -> Vec<String> {
    let envelopes = [
        json!({"chat_response": 7, "intent_update": [], "suggested_commands": "x", "clear_suggestions": 0}),
        json!({"chat_response": {"message": ["x"]}, "notifications": {"notes": {"a": 1}}}),
        json!({"intent_update": {"summary": "s", "confidence": {}, "steps": [1, null, {"status": 3, "text": 4}]}}),
        json!({"suggested_commands": {"commands": [null, [], {"id": {}, "command": "touch pwned"}]}}),
        json!({"suggested_commands": {"commands": {"id": "a", "command": "touch pwned"}}}),
        json!({"clear_suggestions": {"ids": {"a": "b"}, "all": "yes"}, "file_actions": {"actions": [1, "x", {}]}}),
        json!({"intent_update": {"summary": "s", "confidence": 1e308, "steps": []}}),
        json!([1, 2]),
        Value::Null,
    ];
    let answer = |structured: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{{id}},"result":{{"resultType":"complete","structuredContent":{structured}}}}}"#
        )
    };
    let mut bodies: Vec<String> = envelopes.iter().map(|e| answer(&e.to_string())).collect();
    bodies.push(answer(&format!("{}{}", "[".repeat(20_000), "]".repeat(20_000))));
    bodies.push(answer("{\"chat_response\": {\"message\": \"half"));
    bodies.push(r#"{"jsonrpc":"2.0","id":{id},"result":7}"#.into());
    bodies.push(r#"{"jsonrpc":"2.0","id":{id},"error":"no"}"#.into());
    bodies
}

#[test]
fn answers_of_wrong_types_cost_themselves_and_nothing_else() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    for (n, body) in mistyped().iter().enumerate() {
        linus.fault("tools/call", Fault::json(200, body));
        chat(&terminal, &format!("question {n}"));
    }
    // After these, whoever is asked answers as he should.
    chat(&terminal, "are you there");
    terminal.wait_text("you said: are you there");
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("ls pwned; exit 4");
    assert_eq!(terminal.wait_exit(), Exit::Code(4));
    assert!(!lab.home().join("pwned").exists());
}

#[test]
fn an_id_that_is_used_twice_names_one_card_and_a_card_that_runs_is_left_alone() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(|request| match request {
        Request::Chat { .. } => {
            suggests(vec![card("same", "echo fi''rst"), card("same", "echo se''cond; read -r x; echo is $x")])
        }
        // While it runs: the same id for something else, and all cards away.
        Request::TerminalUpdate { new_output, .. } if new_output.contains("second") => Envelope {
            clear_suggestions: Some(ClearSuggestions { ids: vec!["same".into()], all: true }),
            ..suggests(vec![card("same", "touch pwned"), card("other", "true")])
        },
        _ => Envelope::default(),
    });
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    chat(&terminal, "hello");
    terminal.wait_text("se''cond");
    assert!(!terminal.screen_text().contains("fi''rst"), "{}", terminal.screen_text());
    // The second took the first's place, which keeps the number from meaning anything for a moment.
    while !pick_first(&terminal) {}
    terminal.send("\r");
    terminal.wait_text("other");
    terminal.wait_text("→ echo se''cond");
    terminal.send(format!("{PREFIX}\tanswer\r"));
    let ran = told(&linus, 0);
    assert_eq!((ran.suggestion_id.as_deref(), ran.was_edited), (Some("same"), Some(false)));
    assert!(ran.command.starts_with("echo se''cond"), "{ran:?}");
    assert!(!lab.home().join("pwned").exists());
}

/// What comes back of each of so many keys is waited for before the next is sent.
const KEYS: usize = 100;
/// Memory at its peak. What the endless answer sends in the time of the test is many times as much.
const PEAK_KIB: u64 = 256 * 1024;

#[test]
fn the_echo_keeps_its_order_and_its_bytes_while_linus_hangs_crawls_floods_or_dies() {
    let lab = Lab::start();
    let slow = Fault::Slow(Duration::from_millis(5));
    for fault in [Fault::Hang, slow, Fault::Endless, Fault::Die, Fault::stream("data: {\n\n")] {
        for shown in [false, true] {
            let linus = Linus::modern();
            // Six bytes a key, each handed out as it comes, and one that ends it.
            let remote =
                format!("stty raw -echo; echo ready; dd bs=1 count={} status=none; exit 7", 6 * KEYS + 1);
            let run = Run::aissh(&lab).linus(&linus).size(Size::WIDE);
            let terminal = run.ssh(&["-tt", "-e", "none", "lab", &remote]).start();
            terminal.wait_raw(|raw| raw.ends_with(b"ready\n"), "the remote");
            support::told::wait_connected(&linus);
            linus.always("tools/call", fault.clone());
            if shown {
                open_panel(&terminal);
                chat(&terminal, "hello");
                // A Linus who died at once has made it '(perhaps delivered)' before anybody can look.
                let asked = |screen: &vt100::Screen| {
                    let text = screen.contents();
                    text.contains("You: ") && text.contains("hello")
                };
                terminal.wait_for(asked, "the question in the chat");
                terminal.send(format!("{PREFIX}\t"));
            }
            let before = terminal.raw().len();
            let mut typed = String::new();
            for n in 0..KEYS {
                let key = format!("{n:03};");
                terminal.send(format!("{key}\r\n"));
                typed.push_str(&format!("{key}\r\n"));
                if shown {
                    terminal.wait_text(&key);
                } else {
                    terminal.wait_raw(|raw| raw[before..] == *typed.as_bytes(), "the echo and nothing else");
                }
            }
            let peak = peak_kib(&terminal);
            terminal.send(".");
            assert_eq!(terminal.wait_exit(), Exit::Code(7), "{fault:?}");
            assert!(peak.is_none_or(|kib| kib < PEAK_KIB), "{fault:?}: {peak:?} KiB");
        }
    }
}

/// The most that the program had in memory, if it is still there to be asked.
fn peak_kib(terminal: &Terminal) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.pid())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
