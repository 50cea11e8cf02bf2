//! The MCP client against a recording Linus: both eras, every form of answer, and the failures that were
//! reported of clients like this one. Linus himself checks the headers, `_meta` and arguments of every request.
#![allow(clippy::unwrap_used)]

mod support;

use std::thread;
use std::time::{Duration, Instant};

use aissh::linus::contract::{ChatContext, Context, Request, Source, TOOLS};
use aissh::linus::{Budgets, CallError, Canceller, Client, Delivery, HttpConfig, Peer, Revision, Secret};
use serde_json::{Value, json};
use support::linus::{Fault, LEGACY, Linus, MODERN, Setup, Style, tool};

/// What nothing in a passing test takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn chat(message: &str) -> Request {
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

fn update() -> Request {
    let context = Context { ssh_host: "root@h".into(), ssh_user: "root".into(), cwd: None };
    Request::TerminalUpdate {
        session_id: "s".into(),
        new_output: "x".into(),
        terminal_tail: "x".into(),
        context,
    }
}

fn command() -> Request {
    let context = Context { ssh_host: "root@h".into(), ssh_user: "root".into(), cwd: Some("/root".into()) };
    Request::CommandExecuted {
        session_id: "s".into(),
        command: "df -h".into(),
        source: Source::Suggested,
        suggestion_id: Some("cmd_001".into()),
        was_edited: Some(false),
        output: "98%".into(),
        exit_code: Some(0),
        context,
    }
}

fn client_of(config: HttpConfig) -> Client {
    Client::new(config).unwrap()
}

fn client(linus: &Linus) -> Client {
    client_of(HttpConfig::new(linus.url()))
}

/// A client that gives up soon, for servers that hang.
fn hasty(linus: &Linus) -> Client {
    let short = Duration::from_millis(700);
    let budgets = Budgets { probe: short, connect: 4 * short, call: 3 * short };
    client_of(HttpConfig { idle: short, budgets, ..HttpConfig::new(linus.url()) })
}

fn call(client: &mut Client, request: &Request) -> Result<aissh::linus::Answer, CallError> {
    let started = Instant::now();
    let result = client.call(request, &Canceller::new(), &mut |_| ());
    assert!(started.elapsed() < PATIENCE, "took {:?}", started.elapsed());
    result
}

fn said(client: &mut Client, message: &str) -> Option<String> {
    call(client, &chat(message)).unwrap().envelope.chat_response.map(|c| c.message)
}

fn error(linus: &Linus) -> CallError {
    call(&mut hasty(linus), &chat("hi")).unwrap_err()
}

fn hello(linus: &Linus) {
    assert_eq!(said(&mut client(linus), "hello").as_deref(), Some("you said: hello"));
}

#[test]
fn a_modern_server_is_asked_once_and_then_only_called() {
    let linus = Linus::modern();
    let mut client = client(&linus);
    for request in [chat("hi"), update(), command()] {
        call(&mut client, &request).unwrap();
    }
    assert_eq!(linus.methods(), ["server/discover", "tools/list", "tools/call", "tools/call", "tools/call"]);
    let calls: Vec<_> = linus.calls().into_iter().map(|c| c.request).collect();
    assert_eq!(calls, [chat("hi"), update(), command()]);
    let server = client.connect(&Canceller::new()).unwrap();
    assert_eq!((server.revision, server.missing.len()), (Revision::V2026_07_28, 0));
}

#[test]
fn every_legacy_revision_is_spoken_and_the_era_is_kept() {
    for (revision, parsed) in [
        ("2025-03-26", Revision::V2025_03_26),
        ("2025-06-18", Revision::V2025_06_18),
        (LEGACY, Revision::V2025_11_25),
    ] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        let mut client = client(&linus);
        assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"), "{revision}");
        let handshake = ["initialize", "notifications/initialized", "tools/list"];
        assert_eq!(linus.methods()[1..4], handshake);
        let server = client.probe(&Canceller::new()).unwrap();
        assert_eq!((server.revision, server.name.as_str()), (parsed, "recorder 1"));
        assert_eq!(linus.methods()[5..], handshake, "the probe is not repeated");
    }
}

#[test]
fn json_and_every_form_of_event_stream_are_answers_and_none_is_waited_out() {
    for revision in [MODERN, LEGACY] {
        for style in [Style::Json, Style::Sse, Style::RoughSse, Style::OpenSse, Style::UnendedSse] {
            let linus = Linus::start(Setup { revision, style, ..Setup::default() });
            let mut client = client(&linus);
            let started = Instant::now();
            for message in ["one", "zwei ü€😀", "three\nlines\r\n"] {
                assert_eq!(said(&mut client, message), Some(format!("you said: {message}")), "{style:?}");
            }
            assert!(started.elapsed() < Duration::from_secs(10), "{style:?} took {:?}", started.elapsed());
        }
    }
}

#[test]
fn whatever_refuses_the_probe_is_tried_as_a_legacy_server() {
    let no_id = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}"#;
    for refusal in [
        Fault::json(400, no_id),
        Fault::json(200, r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"no"}}"#),
        Fault::json(200, r#"{"jsonrpc":"2.0","id":"{id}","result":{"supportedVersions":["2026-07-28"]}}"#),
        Fault::json(200, r#"{"jsonrpc":"2.0","id":{id},"result":{"supportedVersions":["2025-11-25"]}}"#),
        Fault::json(
            400,
            r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}}"#,
        ),
        Fault::json(400, r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32600,"message":"no"}}"#),
        Fault::Status(404, "text/plain", "no such page".into()),
        Fault::Status(405, "text/html", "<html>".into()),
        Fault::Status(200, "text/html", "<html>welcome</html>".into()),
        Fault::json(200, ""),
        Fault::json(500, "{"),
        Fault::json(401, "{}"),
        Fault::json(403, "{}"),
        Fault::stream(""),
        Fault::Raw(String::new()),
        Fault::Hang,
    ] {
        let linus = Linus::legacy();
        linus.fault("server/discover", refusal.clone());
        let answer = call(&mut hasty(&linus), &chat("hi"));
        assert!(answer.is_ok(), "{refusal:?}: {answer:?}");
    }
}

#[test]
fn an_error_that_only_a_modern_server_gives_is_told_and_not_worked_around() {
    for code in ["-32020", "-32021"] {
        let linus = Linus::modern();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{{id}},"error":{{"code":{code},"message":"bad"}}}}"#);
        linus.fault("server/discover", Fault::json(400, &body));
        assert!(matches!(error(&linus), CallError::Unreachable(t) if t.contains(code)));
        assert_eq!(linus.methods(), ["server/discover"]);
    }
}

#[test]
fn a_session_id_on_a_refused_probe_is_never_used() {
    let linus = Linus::legacy();
    let body = "HTTP/1.1 400 Bad\r\nMcp-Session-Id: wrong\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    linus.fault("server/discover", Fault::Raw(body.into()));
    hello(&linus);
    let later = &linus.requests()[2..];
    assert!(later.iter().all(|r| r.header("mcp-session-id") == Some("session-1")));
}

#[test]
fn a_lost_session_is_begun_anew_once_whether_it_is_404_or_400() {
    for lost_status in [404, 400] {
        let linus = Linus::start(Setup { revision: LEGACY, lost_status, ..Setup::default() });
        let mut client = client(&linus);
        said(&mut client, "one");
        linus.lose_session();
        assert_eq!(said(&mut client, "two").as_deref(), Some("you said: two"));
        assert_eq!(linus.calls().len(), 2, "sent once each");
        linus.always("tools/call", Fault::json(lost_status, "{}"));
        let before = linus.methods().len();
        assert_eq!(call(&mut client, &chat("three")), Err(CallError::Http(lost_status)));
        let tried: Vec<_> = linus.methods().split_off(before);
        assert_eq!(tried.iter().filter(|m| *m == "tools/call").count(), 2, "{tried:?}");
    }
}

#[test]
fn a_stream_that_ends_without_an_answer_fails_at_once() {
    let progress = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n";
    for (linus, text) in [
        (Linus::modern(), progress.to_owned()),
        (Linus::modern(), format!("id: 1\n{progress}")),
        (Linus::legacy(), progress.to_owned()),
        (Linus::legacy(), "data: {\"jsonrpc\":\"2.0\",\"id\":".to_owned()),
        (Linus::legacy(), String::new()),
    ] {
        linus.fault("tools/call", Fault::stream(&text));
        let error = call(&mut client(&linus), &chat("hi")).unwrap_err();
        assert!(matches!(error, CallError::Lost(_)), "{text:?}: {error:?}");
        assert_eq!(error.delivery(), Delivery::Perhaps);
        assert_eq!(linus.methods().iter().filter(|m| *m == "tools/call" || *m == "GET").count(), 1);
    }
}

#[test]
fn a_broken_legacy_stream_is_resumed_where_it_was() {
    let linus = Linus::legacy();
    linus.fault("tools/call", Fault::stream("id: e1\nretry: 10\ndata: \n\n"));
    linus.fault("GET", Fault::stream("id: e2\ndata:"));
    let answer =
        r#"{"jsonrpc":"2.0","id":4,"result":{"structuredContent":{"chat_response":{"message":"late"}}}}"#;
    linus.fault("GET", Fault::stream(&format!("id: e3\ndata: {answer}\n\n")));
    assert_eq!(said(&mut client(&linus), "hi").as_deref(), Some("late"));
    let requests = linus.requests();
    let gets: Vec<_> = requests.iter().filter(|r| r.method == "GET").collect();
    assert_eq!(gets.iter().map(|g| g.header("last-event-id")).collect::<Vec<_>>(), [Some("e1"), Some("e2")]);
    assert!(gets.iter().all(|g| g.header("mcp-session-id") == Some("session-1")));
}

#[test]
fn resuming_is_bounded_and_a_server_without_it_is_believed() {
    let linus = Linus::legacy();
    linus.fault("tools/call", Fault::stream("id: e1\nretry: 1\ndata: \n\n"));
    linus.always("GET", Fault::stream(""));
    assert!(matches!(call(&mut client(&linus), &chat("hi")), Err(CallError::Lost(_))));
    assert_eq!(linus.methods().iter().filter(|m| *m == "GET").count(), 3);
    linus.heal();
    for refusal in [Fault::json(405, ""), Fault::json(404, ""), Fault::json(200, "{}")] {
        linus.fault("tools/call", Fault::stream("id: e1\nretry: 1\ndata: \n\n"));
        linus.fault("GET", refusal);
        let before = linus.methods().len();
        assert!(matches!(call(&mut client(&linus), &chat("hi")), Err(CallError::Lost(_))));
        assert_eq!(linus.methods()[before..].iter().filter(|m| *m == "GET").count(), 1);
    }
}

#[test]
fn an_answer_to_something_else_fails_at_once() {
    for body in [
        r#"{"jsonrpc":"2.0","id":"{id}","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read"}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"hello":1}"#,
        r#"{"jsonrpc":"2.0","id":{id},"result":"text"}"#,
        "[]",
        "7",
        "not json",
    ] {
        let linus = Linus::modern();
        linus.fault("tools/call", Fault::json(200, body));
        let plain = call(&mut client(&linus), &chat("hi"));
        assert!(matches!(plain, Err(CallError::Protocol(_))), "{body}: {plain:?}");
        // On a stream that stays open too.
        linus.fault("tools/call", Fault::stream_then_hang(&format!("data: {body}\n\n")));
        let streamed = call(&mut client(&linus), &chat("hi"));
        assert!(matches!(streamed, Err(CallError::Protocol(_))), "{body}: {streamed:?}");
    }
}

#[test]
fn errors_of_the_tool_of_the_protocol_and_of_http_are_told_apart() {
    let linus = Linus::modern();
    let mut client = client(&linus);
    for (fault, wanted) in [
        (
            Fault::json(
                200,
                r#"{"jsonrpc":"2.0","id":{id},"result":{"isError":true,"content":[{"type":"text","text":"no model"}]}}"#,
            ),
            CallError::Tool("no model".into()),
        ),
        (
            Fault::json(
                200,
                r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32603,"message":"oh\u001b[2J"}}"#,
            ),
            CallError::Protocol("oh [2J (-32603)".into()),
        ),
        (
            Fault::json(
                400,
                r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32602,"message":"unknown tool"}}"#,
            ),
            CallError::Protocol("unknown tool (-32602)".into()),
        ),
        (
            Fault::json(400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#),
            CallError::Http(400),
        ),
        (Fault::json(500, "<html>"), CallError::Http(500)),
        (Fault::json(401, ""), CallError::Auth(401)),
        (Fault::json(403, ""), CallError::Auth(403)),
        (Fault::json(302, ""), CallError::Http(302)),
        (Fault::Status(200, "text/html", "<html>".into()), {
            CallError::Protocol("the answer is neither JSON nor an event stream".into())
        }),
        (Fault::json(202, ""), CallError::Protocol("the answer is empty".into())),
    ] {
        linus.fault("tools/call", fault.clone());
        assert_eq!(call(&mut client, &chat("hi")), Err(wanted), "{fault:?}");
    }
    assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
}

#[test]
fn a_notification_may_be_taken_with_any_success() {
    for status in [200, 202, 204] {
        let linus = Linus::legacy();
        linus.fault("notifications/initialized", Fault::json(status, ""));
        hello(&linus);
    }
}

#[test]
fn a_redirect_is_followed_once_within_the_origin_and_nowhere_else() {
    let redirect = |status: u16, to: &str| {
        Fault::Raw(format!(
            "HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        ))
    };
    let linus = Linus::start(Setup { token: Some("t0ken"), ..Setup::default() });
    let other = Linus::modern();
    let config = HttpConfig { bearer: Some(Secret::new("t0ken")), ..HttpConfig::new(linus.url()) };
    let mut client = client_of(config);
    for status in [307, 308] {
        linus.fault("tools/call", redirect(status, "/mcp/"));
        assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
        assert_eq!(linus.requests().last().unwrap().path, "/mcp/");
    }
    linus.fault("tools/call", redirect(307, &other.url()));
    assert_eq!(call(&mut client, &chat("hi")), Err(CallError::Http(307)));
    linus.fault("tools/call", redirect(307, "/mcp/"));
    linus.fault("tools/call", redirect(307, "/mcp"));
    assert_eq!(call(&mut client, &chat("hi")), Err(CallError::Http(307)));
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn all_pages_of_the_tools_are_read_and_a_cursor_that_does_not_advance_ends_it() {
    let linus =
        Linus::start(Setup { pages: TOOLS.map(|t| vec![tool("x"), tool(t)]).to_vec(), ..Setup::default() });
    assert_eq!(client(&linus).connect(&Canceller::new()).unwrap().missing.len(), 0);
    assert_eq!(linus.methods().iter().filter(|m| *m == "tools/list").count(), 4);
    let page =
        r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[{"name":"linus_chat"}],"nextCursor":"same"}}"#;
    linus.always("tools/list", Fault::json(200, page));
    assert_eq!(client(&linus).connect(&Canceller::new()).unwrap().missing, TOOLS[1..]);
}

#[test]
fn missing_tools_are_named() {
    let linus = Linus::start(Setup { pages: vec![vec![tool("linus_chat")]], ..Setup::default() });
    let mut client = client(&linus);
    said(&mut client, "hi");
    let error = call(&mut client, &update()).unwrap_err();
    assert_eq!(error, CallError::Tool("the server does not have linus_terminal_update".into()));
    linus.change(|s| s.pages = vec![vec![tool("linus_session_state")]]);
    let error = client.probe(&Canceller::new()).unwrap_err();
    let text = "the server does not have linus_chat, linus_terminal_update, linus_command_executed";
    assert_eq!(error, CallError::Protocol(text.into()));
}

#[test]
fn a_tool_with_a_closed_schema_gets_only_what_it_names() {
    let mut chat_tool = tool("linus_chat");
    chat_tool["inputSchema"]["additionalProperties"] = false.into();
    chat_tool["inputSchema"]["properties"] = json!({"message": {}, "context": {}});
    let pages = vec![vec![chat_tool]];
    let linus = Linus::start(Setup { pages, checks_contract: false, ..Setup::default() });
    hello(&linus);
    let arguments = &linus.calls()[0].arguments;
    assert_eq!(arguments.keys().collect::<Vec<_>>(), ["context", "message"]);
}

#[test]
fn marked_arguments_are_mirrored_in_headers_of_the_modern_era_only() {
    for revision in [MODERN, LEGACY] {
        let mut chat_tool = tool("linus_chat");
        chat_tool["inputSchema"]["properties"] = json!({
            "session_id": {"type": "string", "x-mcp-header": "Session"},
            "context": {"type": "object", "properties": {
                "terminal_tail": {"type": "string", "x-mcp-header": "Tail"},
                "cwd": {"type": "string", "x-mcp-header": "Cwd"}
            }}
        });
        let linus = Linus::start(Setup { revision, pages: vec![vec![chat_tool]], ..Setup::default() });
        hello(&linus);
        let requests = linus.requests();
        let header = |name| requests.last().unwrap().header(name);
        let is_modern = revision == MODERN;
        assert_eq!(header("mcp-param-session"), Some("s").filter(|_| is_modern));
        assert_eq!(header("mcp-param-tail"), Some("=?base64?G1sxbSQbW20gw7w=?=").filter(|_| is_modern));
        assert_eq!(header("mcp-param-cwd"), None);
    }
}

#[test]
fn the_envelope_is_read_from_text_too() {
    let linus = Linus::start(Setup { is_structured: false, ..Setup::default() });
    hello(&linus);
}

#[test]
fn progress_is_handed_on_as_it_comes_and_only_ours() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, style: Style::Sse, ..Setup::default() });
        let note = |token: &str, text: &str| {
            let params = json!({"progressToken": token, "progress": 1, "message": text});
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        };
        linus.say_before(&[note("{token}", "Look"), note("other", "no"), note("{token}", "Looking")]);
        let mut heard = Vec::new();
        let mut client = client(&linus);
        client.call(&chat("hi"), &Canceller::new(), &mut |text| heard.push(text.to_owned())).unwrap();
        assert_eq!(heard, ["Look", "Looking"], "{revision}");
    }
}

#[test]
fn requests_of_a_legacy_server_are_answered_and_a_flood_of_them_is_not() {
    let linus = Linus::start(Setup { revision: LEGACY, style: Style::Sse, ..Setup::default() });
    let ask = |id: Value, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
    let mut questions = vec![ask(json!("p"), "ping"), ask(json!(5), "sampling/createMessage")];
    questions.extend((0..100).map(|n| ask(json!(1000 + n), "roots/list")));
    linus.say_before(&questions);
    hello(&linus);
    let requests = linus.requests();
    let answers: Vec<_> = requests.iter().filter(|r| r.body["method"].is_null()).map(|r| &r.body).collect();
    assert_eq!(*answers[0], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(5), &json!(-32601)));
    assert_eq!(answers.len(), 16);
    // A modern server has no business asking.
    let linus = Linus::start(Setup { style: Style::Sse, ..Setup::default() });
    linus.say_before(&questions[..1]);
    hello(&linus);
    assert!(linus.requests().iter().all(|r| r.body["method"].is_string()));
}

#[test]
fn the_token_goes_with_every_request_and_into_no_text() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, token: Some("s3cret"), ..Setup::default() });
        let config = HttpConfig { bearer: Some(Secret::new("s3cret")), ..HttpConfig::new(linus.url()) };
        let mut client = client_of(config);
        said(&mut client, "hi");
        assert!(linus.requests().iter().all(|r| r.header("authorization") == Some("Bearer s3cret")));
        linus.change(|s| s.token = Some("other"));
        let error = call(&mut client, &chat("hi")).unwrap_err();
        assert_eq!(error, CallError::Auth(401));
        assert!(!format!("{error} {error:?}").contains("s3cret"));
        let error = call(&mut self::client(&linus), &chat("hi")).unwrap_err();
        assert_eq!(error, CallError::Auth(401), "without a token at all");
    }
    let odd = HttpConfig { bearer: Some(Secret::new("s3\ncret")), ..HttpConfig::new("http://127.0.0.1:1/") };
    let error = Client::new(odd).err().unwrap();
    assert!(!format!("{error} {error:?}").contains("cret"));
}

#[test]
fn answers_that_do_not_end_or_do_not_come_are_cut_off() {
    for linus in [Linus::modern(), Linus::legacy()] {
        let connected = |client: &mut Client| {
            said(client, "hi");
        };
        linus.fault("tools/call", Fault::Endless);
        let error = call(&mut client(&linus), &chat("hi")).unwrap_err();
        assert_eq!(error, CallError::Protocol("the answer is larger than 4096 KiB".into()));
        for fault in
            [Fault::Hang, Fault::stream_then_hang(": here\n\n"), Fault::Slow(Duration::from_millis(50))]
        {
            let mut client = hasty(&linus);
            connected(&mut client);
            linus.fault("tools/call", fault.clone());
            assert_eq!(call(&mut client, &chat("hi")), Err(CallError::Timeout), "{fault:?}");
            linus.heal();
            connected(&mut client);
        }
    }
}

#[test]
fn garbage_and_broken_bodies_are_errors_and_never_more() {
    let long_header = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\"";
    let bad_chunk =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    let deep = format!(r#"{{"jsonrpc":"2.0","id":{{id}},"result":{}}}"#, "[".repeat(100_000));
    let linus = Linus::modern();
    for fault in [
        Fault::Raw("\0\u{1}garbage\r\n\r\n".into()),
        Fault::Raw(long_header),
        Fault::Raw(half.into()),
        Fault::Raw(bad_chunk.into()),
        Fault::Raw(String::new()),
        Fault::json(200, &deep),
        Fault::stream(&format!("data: {}\n\n", "x".repeat(5_000_000))),
        Fault::stream("data: {\"jsonrpc\": nonsense\n\n"),
    ] {
        let mut client = client(&linus);
        linus.fault("tools/call", fault.clone());
        let error = call(&mut client, &chat("hi")).unwrap_err();
        let shown = format!("{fault:.60?}: {error:?}");
        assert!(matches!(error, CallError::Protocol(_) | CallError::Lost(_)), "{shown}");
        assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"), "{shown}");
    }
}

#[test]
fn a_call_is_taken_back_at_once_and_the_next_one_works() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        let mut client = client(&linus);
        said(&mut client, "hi");
        for fault in [Fault::Hang, Fault::stream_then_hang(": here\n\n")] {
            linus.fault("tools/call", fault);
            let (cancel, before) = (Canceller::new(), linus.requests().len());
            let other = cancel.clone();
            let started = Instant::now();
            let result = thread::scope(|scope| {
                scope.spawn(|| {
                    linus.wait_until("call", PATIENCE, |r| {
                        r.requests.iter().skip(before).any(|r| r.rpc() == "tools/call")
                    });
                    other.cancel();
                });
                client.call(&chat("slow"), &cancel, &mut |_| ())
            });
            assert_eq!(result, Err(CallError::Cancelled));
            assert!(started.elapsed() < Duration::from_secs(10));
            assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
        }
        let requests = linus.requests();
        let told: Vec<_> = requests.iter().filter(|r| r.rpc() == "notifications/cancelled").collect();
        assert_eq!(told.len(), if revision == MODERN { 0 } else { 2 }, "{revision}");
        for note in told {
            let id = &note.body["params"]["requestId"];
            assert!(requests.iter().any(|r| r.rpc() == "tools/call" && r.id() == id));
        }
    }
}

#[test]
fn a_call_that_was_taken_back_before_it_began_sends_nothing() {
    let linus = Linus::modern();
    let cancel = Canceller::new();
    cancel.cancel();
    let result = client(&linus).call(&chat("hi"), &cancel, &mut |_| ());
    assert_eq!(result, Err(CallError::Cancelled));
    assert_eq!(linus.requests().len(), 0);
}

#[test]
fn dying_before_and_after_the_message_was_sent_are_told_apart_and_a_restart_is_found() {
    for linus in [Linus::modern(), Linus::legacy()] {
        let mut client = client(&linus);
        said(&mut client, "hi");
        linus.fault("tools/call", Fault::Die);
        let error = call(&mut client, &chat("hi")).unwrap_err();
        assert!(matches!(error, CallError::Lost(_)), "{error:?}");
        let error = call(&mut client, &chat("hi")).unwrap_err();
        assert!(matches!(error, CallError::Unreachable(_)), "{error:?}");
        assert_eq!(error.delivery(), Delivery::Not);
        linus.lose_session();
        linus.restart();
        assert_eq!(said(&mut client, "back").as_deref(), Some("you said: back"));
    }
}

#[test]
fn a_failed_handshake_means_that_the_message_never_left() {
    for fault in [Fault::Hang, Fault::json(500, ""), Fault::Raw(String::new()), Fault::json(200, "{}")] {
        let linus = Linus::modern();
        linus.always("tools/list", fault.clone());
        let error = error(&linus);
        assert!(matches!(error, CallError::Unreachable(_)), "{fault:?}: {error:?}");
        assert_eq!(linus.calls().len(), 0);
    }
}

#[test]
fn a_connection_that_was_closed_meanwhile_does_not_disturb_the_handshake() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        for method in ["server/discover", "initialize", "tools/list"] {
            linus.fault(method, Fault::Raw(String::new()));
        }
        hello(&linus);
    }
}

#[test]
fn a_server_of_another_era_at_the_same_address_is_found_again() {
    let linus = Linus::modern();
    let mut client = client(&linus);
    said(&mut client, "hi");
    linus.change(|s| s.revision = LEGACY);
    assert!(call(&mut client, &chat("lost")).is_err());
    assert_eq!(linus.take_violations().len(), 0);
    assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
    linus.change(|s| s.revision = MODERN);
    assert!(call(&mut client, &chat("lost")).is_err());
    assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
}

#[test]
fn a_revision_that_we_do_not_speak_is_refused() {
    let linus = Linus::legacy();
    let body = r#"{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2024-11-05"}}"#;
    linus.fault("initialize", Fault::json(200, body));
    let error = client(&linus).connect(&Canceller::new()).unwrap_err();
    assert!(matches!(error, CallError::Protocol(t) if t.contains("2024-11-05")));
    assert_eq!(linus.methods().len(), 2);
}
