//! `--ask`: one question, one answer, no ssh and no network; and what bad configurations cost.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use aissh::linus::contract::Envelope;
use support::aissh::{PROGRAM, Run};
use support::envelopes::{card, suggests, to_chats};
use support::lab::Lab;
use support::linus::{Fault, Linus};
use support::terminal::{Exit, Size, Terminal};

const DF: &str = "Filesystem      Size  Used Avail Use% Mounted on\n\
                  /dev/sda1        45G   42G  1.2G  98% /\n\
                  /dev/sdb1        20G   20G     0 100% /var\n";

/// A home of its own.
struct Home(std::path::PathBuf);

impl Home {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-home.XXXXXX")).unwrap())
    }

    fn config(&self, text: &str) {
        fs::create_dir_all(self.0.join(".config/aissh")).unwrap();
        fs::write(self.0.join(".config/aissh/config.toml"), text).unwrap();
    }

    fn env(&self) -> Vec<(String, String)> {
        let home = self.0.display().to_string();
        let env = [("HOME", home), ("PATH", "/nonexistent".into()), ("TERM", "xterm-256color".into())];
        env.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn run(&self, args: &[&str], input: &str) -> Output {
        let mut child = Command::new(PROGRAM)
            .args(args)
            .env_clear()
            .envs(self.env())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Whoever does not read it is not asked to.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn piped_output_is_explained_in_plain_text() {
    let home = Home::new();
    let output = home.run(&["--ask", "why is /var full"], DF);
    let said = text(&output.stdout);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    // From the piped table, not from this machine; and a command to go on with.
    assert!(said.contains("/var") && said.contains("100%"), "{said}");
    assert!(said.contains("1. ") && said.contains("[low]") && said.contains("du "), "{said}");
    assert!(!said.contains('\x1b'), "{said:?}");
}

#[test]
fn an_empty_pipe_is_told_and_the_question_answered_and_what_is_no_text_is_refused() {
    let home = Home::new();
    let said = text(&home.run(&["--ask", "why is /var full"], "").stdout);
    assert!(said.starts_with("What was piped in is empty.\n") && said.contains("1. df -h /var"), "{said}");
    let output = home.run(&["--ask", "why is /var full"], "\0\x01\x02\0\0");
    assert_eq!(output.status.code(), Some(65));
    assert_eq!(text(&output.stderr), "aissh: standard input is not text\n");
}

#[test]
fn json_is_the_envelope_of_the_contract() {
    let home = Home::new();
    let output = home.run(&["--ask", "why is /var full", "--json"], DF);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert_eq!(said.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&said).unwrap();
    let (envelope, complaints) = Envelope::read(&value);
    assert_eq!(complaints, Vec::<String>::new());
    assert!(envelope.chat_response.is_some() && envelope.suggested_commands.is_some(), "{said}");
}

#[test]
fn colours_are_for_terminals_only() {
    let home = Home::new();
    fs::write(home.0.join("df"), DF).unwrap();
    for (setting, coloured) in [("unset NO_COLOR", true), ("export NO_COLOR=1", false)] {
        let script = format!("{setting}; {PROGRAM} --ask 'why is /var full' < \"$HOME/df\"");
        let terminal = Terminal::spawn("/bin/sh", &["-c".into(), script], &home.env(), Size::CLASSIC);
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        assert!(terminal.screen_text().contains("/var"));
        assert_eq!(text(&terminal.raw()).contains("\x1b["), coloured, "{setting}");
    }
}

#[test]
fn without_a_pipe_the_question_is_enough() {
    let home = Home::new();
    let args = ["--ask", "disk full"].map(str::to_owned);
    let terminal = Terminal::spawn(PROGRAM, &args, &home.env(), Size::CLASSIC);
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.screen_text().contains("df -h"), "{}", terminal.screen_text());
}

#[test]
fn another_linus_can_be_asked_and_his_answer_cannot_steer_the_terminal() {
    let home = Home::new();
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "echo \x1b]0;owned\x07\x1b[2Jhi")])));
    let output = home.run(&["--linus-url", &linus.url(), "--ask", "what now"], "the screen");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(said.contains("Look at the cards.") && said.contains("hi") && !said.contains('\x1b'), "{said:?}");
    let call = linus.calls().remove(0);
    assert_eq!(call.arguments["message"], "what now");
    assert_eq!(call.arguments["context"]["terminal_tail"], "the screen");
    assert_eq!(call.arguments["context"]["connected"], false);
}

#[test]
fn a_linus_on_another_machine_is_asked_only_after_he_was_allowed() {
    let home = Home::new();
    let linus = Linus::remote();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "echo his")])));
    let ask = |own: &[&str]| {
        let url = linus.remote_url();
        let all = [&["--linus-url", &url, "--ask", "why is /var full"], own].concat();
        home.run(&all, DF)
    };
    let output = ask(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("/var is 100 % full"), "{}", text(&output.stdout));
    let said = text(&output.stderr);
    assert!(
        said.starts_with("aissh: answered by the built-in Linus: 0.0.0.0:") && said.contains("--allow"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1);
    let output = ask(&["--json"]);
    let value: serde_json::Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(value["aissh"]["answered_by"], "built-in (runbooks, no model)");
    assert!(value["aissh"]["instead_of"].as_str().unwrap().starts_with("0.0.0.0:"), "{value}");
    assert!(linus.requests().is_empty(), "{:?}", linus.methods());
    for own in [&["--allow"] as &[&str], &["--json"]] {
        let output = ask(own);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
        let said = text(&output.stdout);
        assert!(said.contains("echo his") && !said.contains("answered_by"), "{said}");
    }
    assert_eq!(linus.calls().len(), 2);
}

#[test]
fn a_linus_who_cannot_be_reached_is_69() {
    let home = Home::new();
    let linus = Linus::modern();
    for fault in [Fault::Status(500, "text/plain", "no".into()), Fault::Raw(String::new())] {
        linus.always("tools/call", fault);
        let output = home.run(&["--linus-url", &linus.url(), "--ask", "x"], "");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(69), 0), "{output:?}");
        linus.heal();
    }
    linus.stop();
    let output = home.run(&["--linus-url", &linus.url(), "--ask", "x", "--json"], DF);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(69), 0));
    let said = text(&output.stderr);
    assert!(said.starts_with("aissh: Linus at 127.") && said.lines().count() == 1, "{said}");
}

#[test]
fn wrong_usage_is_64() {
    let home = Home::new();
    for args in [
        &["--ask"] as &[&str],
        &["--ask", "why", "is", "it", "full"],
        &["--ask", "x", "--jsn"],
        &["--ask", "x", "--no-copilot", "--sidebar"],
    ] {
        let output = home.run(args, "");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(64), 0), "{args:?}");
        assert!(text(&output.stderr).starts_with("aissh: "), "{}", text(&output.stderr));
    }
}

/// Configurations that are wrong, with the line and the key that must be named.
const BAD: [(&str, &str, &str); 5] = [
    ("[linus]\nurl = \"http://x\"\nulr = 1\n", "line 3", "ulr"),
    ("[panel]\nwidth = \"wide\"\n", "line 2", "width"),
    ("[keys]\nprefix = [\"C-m\"]\n", "line 2", "prefix"),
    ("[panel]\n\nmode = \"sideways\"\n", "line 3", "mode"),
    ("[nonsense]\n", "line 1", "nonsense"),
];

#[test]
fn a_bad_configuration_is_78_and_says_where_it_is_wrong() {
    let home = Home::new();
    for (config, line, key) in BAD {
        home.config(config);
        let output = home.run(&["--ask", "x"], "");
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(78), 0), "{said}");
        let names_it =
            said.contains("/.config/aissh/config.toml") && said.contains(line) && said.contains(key);
        assert!(names_it && said.lines().count() == 1, "{said}");
    }
    home.config("[linus]\nurl = \"ftp://x\"\n");
    assert_eq!(home.run(&["--ask", "x"], "").status.code(), Some(78));
    let output = home.run(&["--config", "/nonexistent/file", "--ask", "x"], "");
    assert_eq!(output.status.code(), Some(78));
    assert!(text(&output.stderr).contains("/nonexistent/file"));
}

#[test]
fn a_bad_configuration_costs_a_session_one_line_and_the_panel() {
    let lab = Lab::start();
    let config = lab.client_home().join(".config/aissh/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    for (text, line, key) in BAD {
        fs::write(&config, text).unwrap();
        let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
        let shown = terminal.screen_text();
        let said: Vec<&str> = shown.lines().filter(|l| l.contains("aissh: ")).collect();
        assert_eq!(said.len(), 1, "{shown}");
        assert!(shown.contains(line) && shown.contains(key) && shown.contains("config.toml"), "{shown}");
        // It is plain ssh: the same process, and no key is ours.
        terminal.type_line("stty raw -echo; echo rea''dy; head -c 2 | od -An -tx1; stty sane; exit 3");
        terminal.wait_text("ready");
        terminal.send("\x1ca");
        assert_eq!(terminal.wait_exit(), Exit::Code(3));
        assert!(terminal.screen_text().contains("1c 61"), "{}", terminal.screen_text());
    }
}
