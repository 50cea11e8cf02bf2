//! Servers of other authors: the official Python SDK and the reference server, over HTTP and stdio, with the client and
//! with the whole program.
//!
//! `scripts/test` installs them; `. scripts/lib/install.sh; . scripts/lib/mcp_peers.sh; need_node_peers;
//! need_python_peer` does it by hand.
#![allow(clippy::unwrap_used)]

mod agents;
#[path = "../support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::mpsc::sync_channel;

use aissh::linus::contract::{HostContext, Request, SessionEvent};
use aissh::linus::helper::Helper;
use aissh::linus::{
    Answer, Budgets, CallError, Canceller, Client, Command, HttpConfig, Mcp, Peer, Remembered, Revision,
    Transport,
};
use serde_json::{Map, Value, json};
use support::calls::{PATIENCE, chat, command, update};

/// A file of the peers' folder; where it is missing, how to get it.
fn peer(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../mcp-peers").join(name);
    assert!(path.exists(), "{} is not there: scripts/test installs it", path.display());
    path
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn python() -> String {
    text(&peer("venv/bin/python"))
}

fn linus_server() -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_peers/linus_server.py"))
}

/// A server that is ended with the test.
struct Running {
    child: Child,
    url: String,
}

impl Running {
    /// The Python Linus over HTTP.
    fn python(options: &[&str]) -> Self {
        let mut command = Process::new(python());
        command.arg(linus_server()).arg("http").args(options);
        Self::said(command, |line| {
            let (_, rest) = line.split_once("running on ")?;
            Some(format!("{}/mcp", rest.split_whitespace().next()?))
        })
    }

    fn everything() -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut command = Process::new(peer("bin/node"));
        command.arg(peer("bin/server-everything")).arg("streamableHttp").env("PORT", port.to_string());
        command.stdout(Stdio::null());
        let url = format!("http://127.0.0.1:{port}/mcp");
        Self::said(command, move |line| line.contains("listening on port").then(|| url.clone()))
    }

    /// Started, when it has said on stderr that it listens; `url` reads where out of that line.
    fn said(mut command: Process, url: impl Fn(&str) -> Option<String> + Send + 'static) -> Self {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stderr.take().unwrap()).lines();
        let (url_tx, url_rx) = sync_channel(1);
        std::thread::spawn(move || {
            let mut said = said.map_while(Result::ok);
            let _ = said.find_map(|line| url(&line)).map(|url| url_tx.send(url));
            // What it says later must not fill the pipe.
            said.for_each(drop);
        });
        let url = url_rx.recv_timeout(PATIENCE).expect("the server says where it listens");
        Self { child, url }
    }

    fn client(&self) -> Client {
        Client::new(HttpConfig::new(&self.url)).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn on_stdio(argv: &[String]) -> Command {
    Command::new(Helper::new(argv, &[]).unwrap(), Budgets::default())
}

fn python_on_stdio(options: &[&str]) -> Command {
    let mut argv = vec![python(), linus_server(), "stdio".to_owned()];
    argv.extend(options.iter().map(|option| (*option).to_owned()));
    on_stdio(&argv)
}

fn everything_on_stdio() -> Command {
    on_stdio(&[text(&peer("bin/node")), text(&peer("bin/server-everything")), "stdio".to_owned()])
}

fn connected() -> Request {
    let context = HostContext { ssh_host: "root@h".into(), ssh_user: "root".into() };
    Request::SessionState { session_id: "s".into(), event: SessionEvent::Connected, context }
}

fn call(client: &mut impl Peer, request: &Request) -> (Answer, Vec<String>) {
    let mut heard = Vec::new();
    let answer = client.call(request, &Canceller::new(), &mut |text| heard.push(text.to_owned()));
    (answer.unwrap(), heard)
}

/// All four messages, and that the one who chats is the one who was told.
fn tells_and_chats(told: &mut impl Peer, asked: &mut impl Peer) {
    for request in [connected(), update(), command()] {
        assert_eq!(call(told, &request).0, Answer::default());
    }
    let (answer, heard) = call(asked, &chat("why is /var full ü€😀"));
    assert_eq!(
        answer.envelope.chat_response.unwrap().message,
        "you said: why is /var full ü€😀; I saw connected, an update, df -h = 0"
    );
    assert_eq!(answer.envelope.suggested_commands.unwrap().commands[0].command, "df -h");
    assert!(heard.is_empty() || heard == ["thinking"], "{heard:?}");
}

#[test]
fn the_python_sdk_is_spoken_with_in_its_modern_era_as_json_and_as_a_stream() {
    for options in [&[][..], &["--json"]] {
        let server = Running::python(options);
        let mut client = server.client();
        let peer = client.connect(&Canceller::new()).unwrap();
        assert_eq!((peer.revision, peer.name.as_str()), (Revision::V2026_07_28, "python-linus 1.0"));
        assert!(peer.missing.is_empty());
        tells_and_chats(&mut client, &mut server.client());
    }
}

#[test]
fn the_python_sdk_is_spoken_with_in_its_legacy_era_too() {
    let server = Running::python(&[]);
    let (dir, file) = legacy_file(&server.url.replace("/mcp", ""));
    let client =
        || server.client().remembering(Remembered::new(file.clone(), &server.url.replace("/mcp", "")));
    let mut told = client();
    assert_eq!(told.connect(&Canceller::new()).unwrap().revision, Revision::V2025_11_25);
    tells_and_chats(&mut told, &mut client());
    std::fs::remove_dir_all(dir).unwrap();
}

/// A memory that takes `key` for a legacy server.
fn legacy_file(key: &str) -> (PathBuf, PathBuf) {
    let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-peers.XXXXXX")).unwrap();
    let file = dir.join("eras");
    std::fs::write(&file, format!("legacy {key}\n")).unwrap();
    (dir, file)
}

#[test]
fn the_python_sdk_on_stdio_is_one_linus_for_both_lanes_in_both_eras() {
    for (options, revision) in [(&[][..], Revision::V2026_07_28), (&["legacy"], Revision::V2025_11_25)] {
        let linus = python_on_stdio(options);
        let (mut told, mut asked) = (linus.client(), linus.client());
        assert_eq!(told.connect(&Canceller::new()).unwrap().revision, revision, "{options:?}");
        tells_and_chats(&mut told, &mut asked);
        linus.close();
    }
}

/// What it takes to know that a server works without being a Linus.
fn has_echo<T: Transport>(client: &mut Mcp<T>) {
    let server = client.connect(&Canceller::new()).unwrap();
    assert_eq!(server.revision, Revision::V2025_11_25);
    assert!(client.tools().len() > 5, "{:?}", client.tools());
    let arguments: Map<String, Value> = json!({"message": "hi"}).as_object().unwrap().clone();
    let result = client.call_tool("echo", arguments, &Canceller::new(), &mut |_| ()).unwrap();
    assert_eq!(result["content"][0]["text"], "Echo: hi");
    let error = client.call(&chat("hi"), &Canceller::new(), &mut |_| ()).unwrap_err();
    let CallError::Unreachable(text) = error else { panic!("{error:?}") };
    assert!(text.starts_with("the server has no linus_chat; its tools are echo, get-"), "{text}");
    assert!(text.contains(" more"), "{text}");
}

#[test]
fn the_reference_server_works_over_http_and_is_told_to_be_no_linus() {
    has_echo(&mut Running::everything().client());
}

#[test]
fn the_reference_server_works_on_stdio_and_is_told_to_be_no_linus() {
    let server = everything_on_stdio();
    has_echo(&mut server.client());
    server.close();
}

/// `aissh --ask` with this configuration.
fn ask(config: &str) -> (Option<i32>, String, String) {
    let home = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-peers.XXXXXX")).unwrap();
    let file = home.join("config.toml");
    std::fs::write(&file, config).unwrap();
    let mut aissh = Process::new(env!("CARGO_BIN_EXE_aissh"));
    aissh.env("HOME", &home).env_remove("XDG_STATE_HOME").arg("--config").arg(&file).args(["--ask", "why"]);
    let output = aissh.stdin(Stdio::null()).output().unwrap();
    std::fs::remove_dir_all(home).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_question_from_the_command_line_is_answered_over_http_and_by_a_command() {
    let server = Running::python(&[]);
    let http = format!("[linus]\nurl = {:?}\n", server.url);
    let stdio = format!("[linus]\ncommand = {:?}\n", [python(), linus_server(), "stdio".into()]);
    for config in [http, stdio] {
        let (code, out, err) = ask(&config);
        assert_eq!(code, Some(0), "{config}{err}");
        assert!(out.contains("you said: why; I saw nothing") && out.contains("df -h"), "{out}");
    }
}

#[test]
fn a_question_to_what_is_no_linus_names_what_it_is() {
    let server = Running::everything();
    let (code, _, err) = ask(&format!("[linus]\nurl = {:?}\n", server.url));
    assert_eq!(code, Some(69), "{err}");
    assert!(err.contains("the server has no linus_chat; its tools are echo"), "{err}");
    let (code, _, err) = ask("[linus]\ncommand = [\"sh\", \"-c\", \"echo no model here >&2; exit 3\"]\n");
    assert_eq!(code, Some(69), "{err}");
    assert!(err.contains("sh: it ended with status 3: no model here"), "{err}");
}
