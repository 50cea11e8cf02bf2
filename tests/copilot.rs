//! The panel with a recording Linus over HTTP: what he is told, what he may bring about, and what the user sees
//! of it. Every call is checked against the contract when it comes in.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Command;
use std::time::Duration;

use aissh::linus::contract::{ClearSuggestions, Envelope, Request, SessionEvent, Source, StepStatus, TOOLS};
use aissh::linus::schema;
use serde_json::{Value, json};
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, close_panel, edit_card, open_panel};
use support::envelopes::{card, plans, suggests, to_chats};
use support::lab::Lab;
use support::linus::{Call, LEGACY, Linus, MODERN, Setup, Style};
use support::screen::is_dim_after;
use support::terminal::{Exit, Size};
use support::told::{commands, events, session_with, told};

fn user() -> String {
    std::env::var("USER")
        .ok()
        .unwrap_or_else(|| nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().unwrap().name)
}

#[test]
fn a_suggestion_is_edited_and_sent_and_its_end_is_told_over_both_eras_and_all_streams() {
    let setups = [
        (MODERN, Style::Json, true),
        (MODERN, Style::RoughSse, false),
        (LEGACY, Style::Json, false),
        (LEGACY, Style::OpenSse, true),
    ];
    for (revision, style, marks) in setups {
        let lab = if marks { Lab::builder().marks().start() } else { Lab::start() };
        let linus = Linus::start(Setup { revision, style, ..Setup::default() });
        let mut answer = suggests(vec![card("cmd_001", "echo one"), card("cmd_002", "echo other")]);
        let steps =
            [(StepStatus::Done, "Look"), (StepStatus::Current, "Say one"), (StepStatus::Pending, "Rest")];
        answer.intent_update = Some(plans("Counting", &steps));
        linus.reply_with(to_chats(answer));
        let terminal = session_with(&lab, &linus);
        open_panel(&terminal);
        chat(&terminal, "how do I count");
        for shown in
            ["Counting", "✓ Look", "▸ Say one", "○ Rest", "85%", "Look at the cards", "cmd_002", "● low"]
        {
            terminal.wait_text(shown);
        }
        edit_card(&terminal);
        terminal.send(" two");
        terminal.wait_text("› echo one two");
        terminal.send("\r");
        let prompt = format!("{} ", lab.prompt());
        let is_dim = |screen: &vt100::Screen| is_dim_after(screen, &prompt, "echo one two") == Some(true);
        terminal.wait_for(is_dim, "the dim echo");
        terminal.wait_text(if marks { "exit 0" } else { "exit ?" });
        let ran = told(&linus, 0);
        assert_eq!((ran.command.as_str(), ran.source), ("echo one two", Source::Suggested));
        assert_eq!((ran.suggestion_id.as_deref(), ran.was_edited), (Some("cmd_001"), Some(true)));
        assert_eq!((ran.output.as_str(), ran.exit_code), ("one two", marks.then_some(0)));
        // Without marks the prompt is what tells.
        let home = lab.home().display().to_string();
        assert_eq!(ran.context.cwd.as_deref(), Some(if marks { home.as_str() } else { "~" }));
        assert_eq!(ran.context.ssh_user, user());
        assert_eq!(ran.context.ssh_host, format!("{}@127.0.0.1", user()));
        assert!(linus.calls().iter().all(|call| call.arguments["session_id"] == ran.session_id.as_str()));
        // The other card as it is: not edited.
        terminal.send(format!("{PREFIX}1"));
        terminal.wait_text("Edit 1 cmd_002");
        terminal.send("\r");
        let ran = told(&linus, 1);
        assert_eq!((ran.suggestion_id.as_deref(), ran.was_edited), (Some("cmd_002"), Some(false)));
        // Without the panel the echo is as dim as with it.
        close_panel(&terminal);
        terminal.wait_prompt(lab.prompt());
        assert!(terminal.screen(is_dim), "{}", terminal.screen_text());
        terminal.type_line("exit");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
    }
}

#[test]
fn closing_at_once_after_sending_keeps_the_echo_dim() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "echo sent and gone")])));
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    chat(&terminal, "go");
    terminal.wait_text("cmd_001");
    edit_card(&terminal);
    terminal.send(format!("\r{PREFIX}a"));
    let prompt = format!("{} ", lab.prompt());
    let is_back = |screen: &vt100::Screen| {
        !screen.alternate_screen() && is_dim_after(screen, &prompt, "echo sent and gone") == Some(true)
    };
    terminal.wait_for(is_back, "the dim echo on the main screen");
}

#[test]
fn what_the_user_types_is_told_with_its_output_and_with_its_status_if_there_is_evidence() {
    for marks in [true, false] {
        let lab = if marks { Lab::builder().marks().start() } else { Lab::start() };
        let linus = Linus::modern();
        let terminal = session_with(&lab, &linus);
        // Without marks the prompt is what tells of the directory.
        let home = if marks { lab.home().display().to_string() } else { "~".to_owned() };
        let lines = [
            ("echo hello; (exit 3)", "hello", Some(3), home.as_str()),
            ("cd /tmp", "", Some(0), "/tmp"),
            ("printf 'a\\nb\\n' # history and edit", "a\nb", Some(0), "/tmp"),
            // Proof that needs no marks.
            ("nosuchcommand", "-bash: nosuchcommand: command not found", Some(127), "/tmp"),
        ];
        for (n, (line, wanted, status, cwd)) in lines.into_iter().enumerate() {
            terminal.type_line(line);
            let ran = told(&linus, n);
            let status = if marks || status == Some(127) { status } else { None };
            assert_eq!((ran.command.as_str(), ran.output.as_str(), ran.exit_code), (line, wanted, status));
            assert_eq!((ran.source, ran.suggestion_id, ran.was_edited), (Source::UserTyped, None, None));
            assert_eq!(ran.context.cwd.as_deref(), Some(cwd), "{line}");
        }
    }
}

#[test]
fn a_command_from_the_history_is_told_as_it_was_run() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    terminal.type_line("echo first");
    told(&linus, 0);
    // Up, one word back, another word, and a typing error that is taken back.
    terminal.send("\x1b[A\x17secondx\x7f\r");
    let ran = told(&linus, 1);
    assert_eq!((ran.command.as_str(), ran.output.as_str()), ("echo second", "second"));
}

#[test]
fn lines_typed_ahead_are_told_as_the_commands_that_they_become() {
    // The prompt takes its time, so that every line but the first is typed before it.
    let lab = Lab::builder().marks().prompt("$(sleep 0.2)user@host:\\w\\$ ").start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    for n in 0..4 {
        terminal.type_line(&format!("echo number {n}"));
        let ran = told(&linus, n);
        assert_eq!((ran.command, ran.output), (format!("echo number {n}"), format!("number {n}")));
    }
}

#[test]
fn a_command_typed_while_the_window_changes_is_told() {
    // The remote's line editor prints its prompt anew, marks and all, while the line and Enter are on their way.
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    for n in 0..16 {
        if n % 2 == 0 {
            open_panel(&terminal);
        } else {
            close_panel(&terminal);
        }
        terminal.type_line(&format!("echo number {n}"));
        let ran = told(&linus, n);
        assert_eq!((ran.command, ran.exit_code), (format!("echo number {n}"), Some(0)));
    }
}

#[test]
fn a_chat_says_what_the_screen_shows_and_what_ran_last() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    terminal.type_line("printf '\\33[31mred\\33[m\\n'; (exit 4)");
    told(&linus, 0);
    open_panel(&terminal);
    chat(&terminal, "größe? \"quotes\" and \\");
    terminal.wait_text("you said: größe? \"quotes\" and \\");
    let calls = linus.calls();
    let chat = calls.iter().find(|call| matches!(call.request, Request::Chat { .. })).unwrap();
    let Request::Chat { message, context, .. } = &chat.request else { unreachable!() };
    assert_eq!(message, "größe? \"quotes\" and \\");
    assert!(context.connected);
    assert_eq!(context.last_command.as_deref(), Some("printf '\\33[31mred\\33[m\\n'; (exit 4)"));
    assert_eq!(context.last_exit_code, Some(4));
    assert_eq!(context.cwd, Some(lab.home().display().to_string()));
    let lines: Vec<&str> = context.terminal_tail.lines().collect();
    assert_eq!(lines.last().map(|line| line.trim_end()), Some(lab.prompt()), "{lines:?}");
    // SGR is kept, in whatever spelling.
    assert!(lines.iter().any(|line| line.contains("red") && line.contains("\x1b[")), "{lines:?}");
}

#[test]
fn updates_come_a_second_apart_and_only_when_there_is_output() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    terminal.type_line("for i in 1 2 3 4 5 6 7 8 9; do echo out-$i; sleep 0.3; done; echo e''nd");
    terminal.wait_text("end");
    let is_update = |call: &&Call| matches!(call.request, Request::TerminalUpdate { .. });
    let has_end = |call: &Call| matches!(&call.request, Request::TerminalUpdate { new_output, .. } if new_output.contains("\nend"));
    linus.wait_for(|calls| calls.iter().any(has_end), DEADLINE);
    // A second and more without output: the clock of the remote, not ours.
    terminal.type_line("sleep 2.5");
    let calls = linus.wait_for(|calls| commands(calls).len() > 1, DEADLINE);
    let updates: Vec<&Call> = calls.iter().filter(is_update).collect();
    for pair in updates.windows(2) {
        let apart = pair[1].at - pair[0].at;
        // Arrival times waver; that two come in one second is what must not be.
        assert!(apart > Duration::from_millis(800), "{apart:?}");
    }
    assert!((2..=7).contains(&updates.len()), "{} updates", updates.len());
    let outputs: Vec<&str> = updates
        .iter()
        .map(|call| match &call.request {
            Request::TerminalUpdate { new_output, terminal_tail, .. } => {
                assert!(!new_output.is_empty());
                assert!(
                    terminal_tail.trim_end().ends_with(new_output.trim_end()),
                    "{terminal_tail:?} {new_output:?}"
                );
                new_output.as_str()
            }
            _ => "",
        })
        .collect();
    for n in 1..=9 {
        let line = format!("out-{n}");
        let times: usize =
            outputs.iter().map(|text| text.lines().filter(|l| l.trim_end() == line).count()).sum();
        assert_eq!(times, 1, "{line} in {outputs:?}");
    }
}

#[test]
fn a_long_command_is_told_once_after_five_seconds_with_what_there_is() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    terminal.type_line("echo begun; sleep 6; echo over");
    let ran = told(&linus, 0);
    assert_eq!(
        (ran.command.as_str(), ran.output.as_str(), ran.exit_code),
        ("echo begun; sleep 6; echo over", "begun", None)
    );
    terminal.wait_text("\nover");
    terminal.type_line("true");
    let ran = told(&linus, 1);
    assert_eq!(ran.command, "true", "the end of the long one is not told again");
    let finals = linus.calls().iter().filter(|call| call.arguments.contains_key("final")).count();
    assert_eq!(finals, 0, "a field that the server's schema does not name");
}

#[test]
fn a_server_whose_schema_names_final_is_told_of_a_long_command_at_five_seconds_and_at_its_end() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::start(Setup { pages: vec![built_in_tools()], ..Setup::default() });
    let terminal = session_with(&lab, &linus);
    terminal.type_line("echo begun; sleep 6; echo over; (exit 3)");
    told(&linus, 1);
    terminal.type_line("true");
    told(&linus, 2);
    let told: Vec<_> = linus
        .calls()
        .into_iter()
        .filter_map(|call| call.arguments.get("final").cloned().map(|f| (f, call)))
        .collect();
    let told: Vec<_> = told
        .iter()
        .map(|(is_final, call)| {
            (is_final.as_bool(), call.arguments["output"].as_str(), &call.arguments["exit_code"])
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some(false), Some("begun"), &Value::Null),
            (Some(true), Some("begun\nover"), &3.into()),
            (Some(true), Some(""), &0.into())
        ]
    );
}

/// The tools as the built-in Linus lists them: with schemas that name everything.
fn built_in_tools() -> Vec<Value> {
    let tool = |name| json!({"name": name, "inputSchema": schema::input(name)});
    TOOLS.map(tool).to_vec()
}

#[test]
fn the_end_of_the_session_is_told_if_linus_is_quick_enough() {
    // Leaving waits for 50 ms at most, so under load one may be lost; of ten, one gets through.
    let lab = Lab::start();
    let linus = Linus::modern();
    let is_told = (0..10).any(|_| {
        let terminal = session_with(&lab, &linus);
        terminal.type_line("exit");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        !events(&linus.calls(), SessionEvent::Disconnected).is_empty()
    });
    assert!(is_told);
}

#[test]
fn without_a_copilot_linus_hears_nothing() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let terminal = Run::aissh(&lab).linus(&linus).own(&["--no-copilot"]).at_prompt();
    terminal.type_line("echo he''llo");
    terminal.wait_text("hello");
    // The prefix is no key of ours here; ^U takes the line back.
    terminal.send(format!("{PREFIX}a\x15exit\r"));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(linus.requests().is_empty());
}

#[test]
fn linus_clears_and_replaces_his_cards_but_not_the_one_that_is_edited() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let mut n = 0;
    linus.reply_with(move |request| {
        if !matches!(request, Request::Chat { .. } | Request::CommandExecuted { .. }) {
            return Envelope::default();
        }
        n += 1;
        let mut cards =
            vec![card("cmd_001", &format!("echo version {n}")), card(&format!("new_{n}"), "true")];
        if n == 2 {
            cards.push(card("third", "echo mine"));
        }
        let clear_suggestions = Some(ClearSuggestions { ids: Vec::new(), all: true });
        Envelope { clear_suggestions, ..suggests(cards) }
    });
    let terminal = session_with(&lab, &linus);
    open_panel(&terminal);
    for n in 1..=2 {
        chat(&terminal, "more");
        terminal.wait_text(&format!("echo version {n}"));
        terminal.wait_text(&format!("new_{n}"));
        let text = terminal.screen_text();
        assert!(n == 1 || !text.contains("new_1") && !text.contains("version 1"), "{text}");
    }
    // No card had the number 3 before, so its key is obeyed at once.
    terminal.send(format!("{PREFIX}3"));
    terminal.wait_text("Edit 3 third");
    terminal.send(format!(" only{PREFIX}\t"));
    terminal.type_line("echo typed");
    terminal.wait_text("echo version 3");
    terminal.wait_text("new_3");
    terminal.wait_text("› echo mine only");
    terminal.send(format!("{PREFIX}\t\r"));
    let ran = told(&linus, 1);
    assert_eq!((ran.command.as_str(), ran.suggestion_id.as_deref()), ("echo mine only", Some("third")));
}

#[test]
fn a_command_in_a_shell_that_asks_where_the_cursor_is_at_each_prompt_is_told() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let remote = "PS1='root@OpenWrt:~# ' busybox ash -i";
    let terminal = Run::aissh(&lab).linus(&linus).ssh(&["-t", "lab", remote]).size(Size::WIDE).start();
    for (n, word) in ["typed", "again"].into_iter().enumerate() {
        terminal.wait_prompt("root@OpenWrt:~#");
        terminal.type_line(&format!("echo \"{word} here\""));
        let ran = told(&linus, n);
        assert_eq!(ran.command, format!("echo \"{word} here\""));
        assert_eq!(ran.output, format!("{word} here"));
    }
}

#[test]
fn why_there_is_no_session_is_told_by_what_ssh_says() {
    use SessionEvent::{AuthenticationFailed, ConnectionError};
    let lab = Lab::builder().sshd_option("MaxAuthTries 1").start();
    let wrong = lab.dir().join("wrong_key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&wrong).status();
    assert!(made.unwrap().success());
    // A host key that is another one's.
    let known = lab.dir().join("wrong_hosts");
    let key = fs::read_to_string(wrong.with_extension("pub")).unwrap();
    fs::write(&known, format!("[127.0.0.1]:{} {key}", lab.port())).unwrap();
    let config = lab.ssh_config();
    let (wrong, known, config) = (wrong.display(), known.display(), config.display());
    let jump = format!("ProxyCommand=ssh -F {config} -o PubkeyAuthentication=no -W %h:%p lab");
    let cases: [(&[&str], SessionEvent); 5] = [
        (&["-o", "PubkeyAuthentication=no", "lab"], AuthenticationFailed),
        (&["-i", &wrong.to_string(), "lab"], AuthenticationFailed),
        (&["-o", &jump, "lab"], AuthenticationFailed),
        (&["-p", "1", "lab"], ConnectionError),
        (
            &["-o", &format!("UserKnownHostsFile={known}"), "-o", "StrictHostKeyChecking=yes", "lab"],
            ConnectionError,
        ),
    ];
    for (args, wanted) in cases {
        let linus = Linus::modern();
        // Leaving waits for 50 ms at most, so under load one may be lost; of twenty, one gets through.
        let told = (0..20).find_map(|_| {
            let terminal = Run::aissh(&lab).linus(&linus).ssh(args).start();
            assert_eq!(terminal.wait_exit(), Exit::Code(255), "{args:?}");
            linus.calls().into_iter().find_map(|call| match call.request {
                Request::SessionState { event, .. } => Some(event),
                _ => None,
            })
        });
        assert_eq!(told, Some(wanted), "{args:?}");
    }
}
