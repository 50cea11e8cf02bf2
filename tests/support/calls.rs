//! Messages of the contract as tests send them, and clients that send them.

use std::time::{Duration, Instant};

use aissh::linus::contract::{ChatContext, Context, Request, Source};
use aissh::linus::{Answer, Budgets, CallError, Canceller, Client, HttpConfig, Peer};

use super::linus::Linus;

/// What nothing in a passing test takes.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn chat(message: &str) -> Request {
    Request::Chat {
        session_id: "s".into(),
        message: message.into(),
        context: ChatContext {
            ssh_host: "root@h".into(),
            ssh_user: "root".into(),
            connected: true,
            terminal_tail: "\u{1b}[1m$\u{1b}[m ü".into(),
            cwd: None,
            last_command: None,
            last_exit_code: None,
        },
    }
}

pub fn update() -> Request {
    let context = Context { ssh_host: "root@h".into(), ssh_user: "root".into(), cwd: None };
    Request::TerminalUpdate {
        session_id: "s".into(),
        new_output: "x".into(),
        terminal_tail: "x".into(),
        context,
    }
}

pub fn command() -> Request {
    let context = Context { ssh_host: "root@h".into(), ssh_user: "root".into(), cwd: Some("/root".into()) };
    Request::CommandExecuted {
        session_id: "s".into(),
        command: "df -h".into(),
        source: Source::Suggested,
        suggestion_id: Some("cmd_001".into()),
        was_edited: Some(false),
        output: "98%".into(),
        exit_code: Some(0),
        is_final: true,
        context,
    }
}

pub fn client_of(config: HttpConfig) -> Client {
    Client::new(config).unwrap()
}

pub fn client(linus: &Linus) -> Client {
    client_of(HttpConfig::new(linus.url()))
}

/// A client that gives up soon, for servers that hang.
pub fn hasty(linus: &Linus) -> Client {
    let short = Duration::from_millis(700);
    let budgets = Budgets { probe: short, connect: 4 * short, call: 3 * short };
    client_of(HttpConfig { idle: short, budgets, ..HttpConfig::new(linus.url()) })
}

pub fn call(client: &mut Client, request: &Request) -> Result<Answer, CallError> {
    let started = Instant::now();
    let result = client.call(request, &Canceller::new(), &mut |_| ());
    assert!(started.elapsed() < PATIENCE, "took {:?}", started.elapsed());
    result
}

pub fn said(client: &mut Client, message: &str) -> Option<String> {
    call(client, &chat(message)).unwrap().envelope.chat_response.map(|c| c.message)
}

pub fn error(linus: &Linus) -> CallError {
    call(&mut hasty(linus), &chat("hi")).unwrap_err()
}

pub fn hello(linus: &Linus) {
    assert_eq!(said(&mut client(linus), "hello").as_deref(), Some("you said: hello"));
}
