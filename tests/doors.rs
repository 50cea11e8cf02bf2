//! The HTTP door's own part, by hand-written requests: tokens, bodies, hosts, origins, and rooms of each user's own.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use support::DEADLINE;
use support::aissh::PROGRAM;

struct Door {
    child: Child,
    address: String,
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn aissh(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).env_clear().env("HOME", home).stdin(Stdio::null());
    command
}

fn token(home: &Path, name: &str) -> String {
    let out = aissh(home, &["--linus", "--token", name]).output().unwrap();
    assert!(out.status.success(), "{}", said(&out));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

fn door(home: &Path, args: &[&str]) -> Door {
    let mut command = aissh(home, &[&["--linus", "--http", "127.0.0.1:0"], args].concat());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    // What it logs later must not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    let address = line.split("http://").nth(1).unwrap_or_else(|| panic!("{line}"));
    Door { child, address: address.trim().trim_end_matches("/mcp").to_owned() }
}

/// What comes back for these lines of a header and this body; the connection is closed after it.
fn raw(door: &Door, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(&door.address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let head = format!("{head}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    // It may be refused before all of it was read.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn post(door: &Door, token: Option<&str>, more: &str, message: &Value) -> String {
    let body = message.to_string();
    let authorization = token.map(|token| format!("\r\nAuthorization: Bearer {token}")).unwrap_or_default();
    let host = if more.contains("Host:") { String::new() } else { format!("\r\nHost: {}", door.address) };
    let head = format!(
        "POST /mcp HTTP/1.1{host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\
         \r\nContent-Length: {}{authorization}{more}",
        body.len()
    );
    raw(door, &head, body.as_bytes())
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

fn initialize() -> Value {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

/// The MCP session that an answer to `initialize` begins.
fn session_of(begun: &str) -> String {
    let head = begun.to_lowercase();
    head.split("mcp-session-id: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned()
}

fn chat(session: &str, message: &str) -> Value {
    let context = json!({"ssh_host": "root@h", "ssh_user": "root", "connected": true, "terminal_tail": "", "cwd": null,
        "last_command": null, "last_exit_code": null});
    let arguments = json!({"session_id": session, "message": message, "context": context});
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "linus_chat", "arguments": arguments, "_meta": meta}})
}

const MODERN: &str = "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: linus_chat";

/// A home of the test's own.
struct Home(PathBuf);

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn home() -> (Home, PathBuf) {
    let path = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-doors.XXXXXX")).unwrap();
    (Home(path.clone()), path)
}

#[test]
fn a_token_is_made_once_kept_as_a_digest_and_asked_for() {
    let (_kept, home) = home();
    let none = aissh(&home, &["--linus", "--http", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(none.status.code(), Some(78));
    assert!(said(&none).contains("--token NAME"), "{}", said(&none));
    let anna = token(&home, "anna");
    let again = aissh(&home, &["--linus", "--token", "anna"]).output().unwrap();
    assert!(again.status.code() == Some(64) && said(&again).contains("has one already"), "{}", said(&again));
    let file = home.join(".config/aissh/tokens-linus");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&file).unwrap().contains(&anna));
    let open = aissh(&home, &["--linus", "--http", "0.0.0.0:0", "--no-token"]).output().unwrap();
    assert!(open.status.code() == Some(64) && said(&open).contains("not a loopback"), "{}", said(&open));
    let door = door(&home, &[]);
    assert_eq!(status(&post(&door, Some(&anna), "", &initialize())), "200");
    for wrong in [None, Some("aissh_wrong"), Some("anna"), Some("")] {
        let answer = post(&door, wrong, "", &initialize());
        assert_eq!(status(&answer), "401", "{answer}");
        assert!(
            answer.to_lowercase().contains("www-authenticate: bearer") && !answer.contains("linus"),
            "{answer}"
        );
    }
}

#[test]
fn a_file_of_tokens_with_a_mistake_is_named_with_its_line() {
    let (_kept, home) = home();
    token(&home, "anna");
    let file = home.join(".config/aissh/tokens-linus");
    fs::write(&file, "# team\nbob sha256:00\n").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let out = aissh(&home, &["--linus", "--http", "127.0.0.1:0"]).output().unwrap();
    assert!(out.status.code() == Some(78) && said(&out).contains("line 2: not 64"), "{}", said(&out));
}

#[test]
fn a_page_of_somewhere_else_reaches_nothing() {
    let (_kept, home) = home();
    let door = door(&home, &["--no-token"]);
    let port = door.address.rsplit(':').next().unwrap();
    let other = format!("\r\nHost: {}\r\nOrigin: http://127.0.0.1:1", door.address);
    let own = format!("\r\nHost: {}\r\nOrigin: http://127.0.0.1:{port}", door.address);
    for (more, wanted) in [
        ("\r\nHost: evil.example", "403"),
        (&format!("\r\nHost: {}\r\nOrigin: http://evil.example", door.address), "403"),
        (&format!("\r\nHost: {}\r\nOrigin: null", door.address), "403"),
        (&other, "403"),
        (&own, "200"),
    ] {
        assert_eq!(status(&post(&door, None, more, &initialize())), wanted, "{more}");
    }
    let simple = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nContent-Length: 2",
        door.address
    );
    // A form can send this without asking first; no form can send the Accept that is wanted.
    assert_eq!(status(&raw(&door, &simple, b"{}")), "406");
}

#[test]
fn one_users_session_is_not_anothers_in_either_era() {
    let (_kept, home) = home();
    let (anna, bob) = (token(&home, "anna"), token(&home, "bob"));
    let door = door(&home, &[]);
    // A session of the handshake: its id means nothing with another token.
    let id = session_of(&post(&door, Some(&anna), "", &initialize()));
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let with = format!("\r\nMcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25");
    assert_eq!(status(&post(&door, Some(&anna), &with, &ping)), "200");
    assert_eq!(status(&post(&door, Some(&bob), &with, &ping)), "404");
    // And the plan that belongs to the contract's session id.
    let asked = post(&door, Some(&anna), MODERN, &chat("s", "/var is full"));
    assert!(asked.contains("df -h /var"), "{asked}");
    let annas = post(&door, Some(&anna), MODERN, &chat("s", "what now?"));
    assert!(annas.contains("df -h /var"), "{annas}");
    let bobs = post(&door, Some(&bob), MODERN, &chat("s", "what now?"));
    assert!(status(&bobs) == "200" && !bobs.contains("df -h /var"), "{bobs}");
}

#[test]
fn bodies_that_never_come_keep_out_nobody_else() {
    let (_kept, home) = home();
    let (anna, bob) = (token(&home, "anna"), token(&home, "bob"));
    let door = door(&home, &[]);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {anna}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: 16777216\r\n\r\n",
        door.address
    );
    let begin = |_| {
        let mut stream = TcpStream::connect(&door.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    // Two have all of her room; one is told so, whichever comes last.
    let (told_tx, told) = std::sync::mpsc::channel();
    let _begun: Vec<TcpStream> = (0..3)
        .map(|n| {
            let stream = begin(n);
            let (mut reader, told_tx) = (stream.try_clone().unwrap(), told_tx.clone());
            std::thread::spawn(move || {
                let mut first = [0; 12];
                let _ = reader.read_exact(&mut first).map(|()| told_tx.send(first));
            });
            stream
        })
        .collect();
    assert_eq!(&told.recv_timeout(DEADLINE).unwrap(), b"HTTP/1.1 503");
    assert_eq!(status(&post(&door, Some(&bob), "", &initialize())), "200");
}

#[test]
fn what_is_too_large_or_no_request_is_refused_and_the_door_stays_open() {
    let (_kept, home) = home();
    let token = token(&home, "anna");
    let door = door(&home, &[]);
    let head = |length: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}",
            door.address
        )
    };
    assert_eq!(status(&raw(&door, &head("999999999999"), b"{")), "413");
    assert_eq!(status(&raw(&door, "GET / HTTP/1.1\r\nHost: x", b"")), "401");
    assert!(raw(&door, "\0\0\0", b"").starts_with("HTTP/1.1 400"), "what is no HTTP");
    let elsewhere = format!("GET /else HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}", door.address);
    assert_eq!(status(&raw(&door, &elsewhere, b"")), "404");
    let long = format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nX: {}", door.address, "y".repeat(100_000));
    let answer = raw(&door, &long, b"");
    assert!(!answer.starts_with("HTTP/1.1 2"), "a header of 100 KB: {answer}");
    // A thousand that say nothing do not keep one out who does.
    let silent: Vec<TcpStream> = (0..1000).filter_map(|_| TcpStream::connect(&door.address).ok()).collect();
    assert_eq!(silent.len(), 1000);
    assert_eq!(status(&post(&door, Some(&token), "", &initialize())), "200");
}

#[test]
fn a_signal_ends_it_with_status_0_also_while_streams_are_open() {
    use nix::sys::signal::{Signal, kill};
    let (_kept, home) = home();
    let mut door = door(&home, &["--no-token"]);
    let id = session_of(&post(&door, None, "", &initialize()));
    let mut stream = TcpStream::connect(&door.address).unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25\r\n\r\n",
        door.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    kill(nix::unistd::Pid::from_raw(door.child.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    assert_eq!(door.child.wait().unwrap().code(), Some(0));
}
