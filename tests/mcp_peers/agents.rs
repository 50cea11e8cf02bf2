//! The doors of `--mcp` and `--linus` with clients of other authors: the official Python SDK as an agent beside a real
//! session, the MCP inspector's command line, and this program's own client.

use super::support::DEADLINE;
use super::support::aissh::{PREFIX, PROGRAM, Run};
use super::support::lab::Lab;
use super::support::terminal::{Size, Terminal};
use super::{peer, python, text};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A child that is ended with the test, and its lines.
struct Heard {
    child: Child,
    lines: Receiver<String>,
}

impl Heard {
    fn start(command: &mut Command, from_stderr: bool) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (line_tx, lines) = channel();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let tell = move |line: String| drop(line_tx.send(line));
        if from_stderr {
            std::thread::spawn(move || BufReader::new(err).lines().map_while(Result::ok).for_each(tell));
        } else {
            std::thread::spawn(move || BufReader::new(out).lines().map_while(Result::ok).for_each(tell));
            std::thread::spawn(move || {
                BufReader::new(err).lines().map_while(Result::ok).for_each(|l| eprintln!("{l}"))
            });
        }
        Self { child, lines }
    }

    /// Prints what it says, up to a line with this in it.
    fn until(&self, words: &str) -> String {
        let until = Instant::now() + DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("no {words:?}"));
            println!("{line}");
            if line.contains(words) {
                return line;
            }
        }
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(lab: &Lab, args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).env_clear().envs(lab.env());
    command
}

/// A door on HTTP; where it is.
fn door(lab: &Lab, args: &[&str]) -> (Heard, String) {
    let heard = Heard::start(program(lab, args).args(["--http", "127.0.0.1:0"]), true);
    let line = heard.until("serving at");
    let url = line.rsplit(' ').next().unwrap().to_owned();
    (heard, url)
}

fn token(lab: &Lab, door: &str, name: &str) -> String {
    let made = program(lab, &[door, "--token", name]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

fn shared(lab: &Lab) -> Terminal {
    let file = lab.client_home().join("shared.toml");
    fs::write(&file, "[agents]\nshare = \"always\"\n").unwrap();
    Run::aissh(lab).own(&["--config", file.to_str().unwrap()]).size(Size::WIDE).at_prompt()
}

fn agent(lab: &Lab, mode: &str, way: &[&str]) -> Heard {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_peers/agent.py");
    let mut command = Command::new(python());
    command.arg(script).args(["lab-1", "echo proposed", mode]).args(way).env_clear().envs(lab.env());
    Heard::start(&mut command, false)
}

/// The agent suggests, the user edits and sends, the agent learns the result.
fn story(terminal: &Terminal, agent: &Heard, name: &str, round: usize) {
    agent.until("I suggest: echo proposed");
    terminal.send(format!("{PREFIX}a"));
    terminal.wait_text(&format!("{name}: what it says"));
    println!("user: opens the panel, edits the card and sends it");
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text(&format!("Edit 1 {name}:cmd_"));
    terminal.send(format!(" and edited {round}\r"));
    terminal.wait_text(&format!("proposed and edited {round}"));
    agent.until(&format!("edited to: echo proposed and edited {round}"));
    agent.until("it ended with 0");
    agent.until("agent: done");
    terminal.send(format!("{PREFIX}a"));
    terminal.wait_for(|screen| !screen.contents().contains("Suggested Commands"), "the panel's end");
}

#[test]
fn an_agent_on_the_python_sdk_learns_what_the_user_made_of_its_command() {
    let lab = Lab::builder().marks().start();
    let terminal = shared(&lab);
    story(&terminal, &agent(&lab, "auto", &["stdio", PROGRAM, "--mcp", "--stdio"]), "editor", 1);
    let token = token(&lab, "--mcp", "anna");
    let (_door, url) = door(&lab, &["--mcp"]);
    story(&terminal, &agent(&lab, "auto", &["http", &url, &token]), "anna/editor", 2);
    story(&terminal, &agent(&lab, "legacy", &["http", &url, &token]), "anna/editor", 3);
    let refused = agent(&lab, "auto", &["http", &url, "aissh_wrong"]);
    assert!(refused.lines.recv_timeout(DEADLINE).is_err(), "nothing is said to who has no token");
}

/// The inspector's command line; its JSON.
fn inspect(lab: &Lab, args: &[&str]) -> Value {
    let mut command = Command::new(peer("bin/node"));
    command
        .arg(peer("bin/inspector"))
        .arg("--cli")
        .args(args)
        .env_clear()
        .envs(lab.env())
        .stdin(Stdio::null());
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    serde_json::from_str(&said)
        .unwrap_or_else(|e| panic!("{e}: {said}{}", String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn the_inspector_lists_and_calls_through_both_doors() {
    let lab = Lab::builder().marks().start();
    let _terminal = shared(&lab);
    let list = ["--method", "tools/list", "--format", "json", "-q"];
    // It passes on none of the environment by itself.
    let runtime = format!("XDG_RUNTIME_DIR={}", lab.client_home().display());
    let stdio = inspect(&lab, &[&["-e", &runtime], &list[..], &["--", PROGRAM, "--mcp", "--stdio"]].concat());
    let names = |listed: &Value| {
        listed["result"]["tools"].as_array().unwrap().iter().map(|t| t["name"].clone()).collect::<Vec<_>>()
    };
    assert!(names(&stdio).contains(&"session".into()), "{stdio}");
    let (_door, url) = door(&lab, &["--mcp", "--no-token"]);
    let http = inspect(&lab, &[&[url.as_str(), "--transport", "http"], &list[..]].concat());
    assert_eq!(names(&stdio), names(&http));
    let call =
        ["--method", "tools/call", "--tool-name", "session", "--tool-args-json", r#"{"action":"list"}"#];
    let called = inspect(
        &lab,
        &[&[url.as_str(), "--transport", "http"], &call[..], &["--format", "json", "-q"]].concat(),
    );
    assert!(called.to_string().contains("lab-1"), "{called}");
    let (_linus, url) = door(&lab, &["--linus", "--no-token"]);
    let listed = inspect(&lab, &[&[url.as_str(), "--transport", "http"], &list[..]].concat());
    assert_eq!(names(&listed)[0], "linus_chat");
}

#[test]
fn one_aissh_asks_another_through_the_door() {
    let lab = Lab::builder().start();
    let token = token(&lab, "--linus", "anna");
    let (_door, url) = door(&lab, &["--linus"]);
    let file = lab.client_home().join("team.toml");
    fs::write(&file, format!("[linus]\nurl = \"{url}\"\ntoken_env = \"TEAM\"\n")).unwrap();
    let ask = |token: &str| {
        let args = ["--config", &text(&file), "--ask", "/var is full"];
        let out = program(&lab, &args).env("TEAM", token).stdin(Stdio::null()).output().unwrap();
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stdout).into_owned(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    let (code, said, _) = ask(&token);
    assert!(code == Some(0) && said.contains("df -h /var"), "{said}");
    let (code, said, why) = ask("aissh_wrong");
    assert!(code == Some(69) && said.is_empty() && why.contains("token"), "{code:?} {said} {why}");
}
