//! The MCP client against a recording Linus: both eras, every form of answer, tools, headers, credentials.
//! Linus himself checks the headers, `_meta` and arguments of every request.
#![allow(clippy::unwrap_used)]

mod support;

use aissh::linus::contract::TOOLS;
use aissh::linus::{
    CallError, Canceller, Client, Credentials, HttpConfig, Offers, Peer, Remembered, Revision, Secret, Takes,
    ToolNames,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use support::calls::*;
use support::http::HttpRequest;
use support::linus::{Fault, LEGACY, Linus, MODERN, Setup, Style, tool};

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
    let config = HttpConfig { credentials: token("t0ken"), ..HttpConfig::new(linus.url()) };
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
    // What there is no tool for is not sent, and is no error: it would be one each second.
    let answer = call(&mut client, &update()).unwrap();
    assert_eq!(answer.takes, Takes { updates: false, commands: false, finals: false });
    assert_eq!(linus.calls().len(), 1);
    linus.change(|s| s.pages = vec![vec![tool("linus_session_state")]]);
    let error = client.probe(&Canceller::new()).unwrap_err();
    let text = "the server has no linus_chat; its tools are linus_session_state";
    assert_eq!(error, CallError::Protocol(text.into()));
}

#[test]
fn tools_of_other_names_are_found_by_the_configuration() {
    let names = vec![("ask", "linus_chat"), ("watch", "linus_terminal_update")];
    let pages = vec![vec![tool("ask"), tool("watch"), tool("linus_chat")]];
    let linus = Linus::start(Setup { names, pages, ..Setup::default() });
    let tools =
        ToolNames { chat: Some("ask".into()), terminal_update: Some("watch".into()), ..ToolNames::default() };
    let mut client = client_of(HttpConfig { tools, ..HttpConfig::new(linus.url()) });
    assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
    assert!(call(&mut client, &update()).unwrap().takes.updates);
    let called: Vec<_> = linus.requests().iter().map(|r| r.body["params"]["name"].clone()).collect();
    assert!(called.ends_with(&["ask".into(), "watch".into()]), "{called:?}");
    let tools = ToolNames { chat: Some("say".into()), ..ToolNames::default() };
    let mut lost = client_of(HttpConfig { tools, ..HttpConfig::new(linus.url()) });
    let error = lost.probe(&Canceller::new()).unwrap_err();
    assert!(error.to_string().contains("the server has no say; its tools are ask, "), "{error}");
}

#[test]
fn the_only_tool_of_a_server_gets_messages_with_their_type_if_it_takes_one() {
    for revision in [MODERN, LEGACY] {
        let mut one = tool("linus");
        one["inputSchema"]["properties"] =
            json!({"type": {"type": "string", "enum": ["chat", "command_executed"]}, "message": {}});
        let linus = Linus::start(Setup { revision, pages: vec![vec![one]], ..Setup::default() });
        let mut client = client(&linus);
        for request in [chat("hi"), update(), command()] {
            call(&mut client, &request).unwrap();
        }
        let sent: Vec<_> = linus.requests().into_iter().map(|r| r.body["params"].clone()).collect();
        let types: Vec<_> = sent.iter().filter_map(|p| p["arguments"]["type"].as_str()).collect();
        assert_eq!(types, ["chat", "command_executed"]);
        assert_eq!(linus.calls().into_iter().map(|c| c.request).collect::<Vec<_>>(), [chat("hi"), command()]);
    }
}

#[test]
fn a_server_that_answers_in_words_is_read_where_it_was_asked() {
    let linus = Linus::modern();
    let words = r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"complete","content":[{"type":"text","text":"<think>hm</think>Look:\n```bash\ndf -h\n```"}]}}"#;
    linus.always("tools/call", Fault::json(200, words));
    let mut client = client(&linus);
    let envelope = call(&mut client, &chat("hi")).unwrap().envelope;
    let commands = envelope.suggested_commands.map(|s| s.commands).unwrap_or_default();
    assert_eq!(commands.iter().map(|c| c.command.as_str()).collect::<Vec<_>>(), ["df -h"]);
    assert_eq!(envelope.chat_response.map(|c| c.message).as_deref(), Some("Look:\n```bash\ndf -h\n```"));
    assert!(call(&mut client, &update()).unwrap().envelope.is_empty());
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
    let sent = requests.iter().filter(|r| r.method == "POST" && r.body["method"].is_null());
    let answers: Vec<_> = sent.map(|r| &r.body).collect();
    assert_eq!(*answers[0], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(5), &json!(-32601)));
    assert_eq!(answers.len(), 16);
    // A modern server has no business asking.
    let linus = Linus::start(Setup { style: Style::Sse, ..Setup::default() });
    linus.say_before(&questions[..1]);
    hello(&linus);
    assert!(linus.requests().iter().all(|r| r.body["method"].is_string()));
}

fn token(text: &str) -> Credentials {
    Credentials::variable("TOKEN", Secret::new(text))
}

#[test]
fn the_token_goes_with_every_request_and_into_no_text() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, token: Some("s3cret"), ..Setup::default() });
        let config = HttpConfig { credentials: token("s3cret"), ..HttpConfig::new(linus.url()) };
        let mut client = client_of(config);
        said(&mut client, "hi");
        assert!(linus.requests().iter().all(|r| r.header("authorization") == Some("Bearer s3cret")));
        linus.change(|s| s.token = Some("other"));
        let error = call(&mut client, &chat("hi")).unwrap_err();
        assert_eq!(
            error,
            CallError::Auth("HTTP 401: the token in TOKEN (linus.token_env) is not accepted".into())
        );
        assert!(!format!("{error} {error:?}").contains("s3cret"));
        let error = call(&mut support::calls::client(&linus), &chat("hi")).unwrap_err();
        assert_eq!(error, CallError::Auth("HTTP 401: a token is needed".into()), "without a token at all");
    }
    let odd = HttpConfig { credentials: token("s3\ncret"), ..HttpConfig::new("http://127.0.0.1:1/") };
    let error = Client::new(odd).err().unwrap();
    assert!(!format!("{error} {error:?}").contains("cret"));
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
    // A 404 to a session says that the message was not acted on: it goes to the server as it is now.
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

#[test]
fn a_server_that_names_the_modern_revision_in_its_refusal_is_asked_again() {
    let linus = Linus::modern();
    let refusal = r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}"#;
    linus.fault("server/discover", Fault::json(400, refusal));
    hello(&linus);
    assert_eq!(linus.methods(), ["server/discover", "server/discover", "tools/list", "tools/call"]);
}

/// Where eras are remembered, and the client of the next process.
fn remembering(linus: &Linus, file: &Path) -> Client {
    let config = HttpConfig::new(linus.url());
    let key = config.origin();
    client_of(config).remembering(Remembered::new(file.to_owned(), &key))
}

#[test]
fn the_era_is_known_to_the_next_process_and_looked_for_again_when_it_fails() {
    let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-eras.XXXXXX")).unwrap();
    let file = dir.join("state/mcp-eras");
    for revision in [LEGACY, MODERN] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        said(&mut remembering(&linus, &file), "one");
        let (before, first) =
            (linus.requests().len(), if revision == MODERN { "tools/list" } else { "initialize" });
        said(&mut remembering(&linus, &file), "two");
        let methods = linus.methods().split_off(before);
        assert!(methods[0] == first && !methods.contains(&"server/discover".into()), "{methods:?}");
        let other = if revision == MODERN { LEGACY } else { MODERN };
        linus.change(|s| s.revision = other);
        linus.lose_session();
        assert_eq!(said(&mut remembering(&linus, &file), "three").as_deref(), Some("you said: three"));
        let before = linus.requests().len();
        said(&mut remembering(&linus, &file), "four");
        assert!(
            !linus.methods().split_off(before).contains(&"server/discover".into()),
            "the new one is known"
        );
    }
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.lines().all(|line| line.ends_with(|c: char| c.is_ascii_digit())), "only origins: {text}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_legacy_session_is_ended_with_the_client_and_a_modern_one_has_none() {
    for revision in [LEGACY, MODERN] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        hello(&linus);
        let requests = linus.requests();
        let ends = requests.iter().filter(|r| r.method == "DELETE");
        let sessions: Vec<_> = ends.map(|r| r.header("mcp-session-id")).collect();
        assert_eq!(sessions, if revision == LEGACY { vec![Some("session-1")] } else { vec![] });
    }
}

/// What a client offers: one method, whose answer is a number.
struct Counting;

impl Offers for Counting {
    fn capabilities(&self) -> Value {
        json!({"elicitation": {}})
    }

    fn answer(&mut self, method: &str, params: &Value) -> Option<Value> {
        (method == "elicitation/create").then(|| json!({"action": "accept", "content": params["n"]}))
    }
}

/// A result that asks back.
fn asks(result: &Value) -> Fault {
    let mut result = result.clone();
    result["resultType"] = "input_required".into();
    Fault::json(200, &format!(r#"{{"jsonrpc":"2.0","id":{{id}},"result":{result}}}"#))
}

#[test]
fn what_a_modern_server_asks_back_is_answered_under_a_new_id_with_its_state_untouched() {
    let linus = Linus::modern();
    let question = json!({"one": {"method": "elicitation/create", "params": {"n": 7}}});
    linus.fault("tools/call", asks(&json!({"inputRequests": question, "requestState": "opaque {} \u{fc}"})));
    linus.fault("tools/call", asks(&json!({"inputRequests": question})));
    linus.fault("tools/call", asks(&json!({"requestState": "later"})));
    let mut client = client_of(HttpConfig::new(linus.url())).offering(Counting);
    assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
    let requests = linus.requests();
    let calls: Vec<_> = requests.iter().filter(|r| r.rpc() == "tools/call").map(|r| &r.body).collect();
    let ids: std::collections::BTreeSet<_> = calls.iter().map(|c| c["id"].as_u64()).collect();
    assert_eq!((calls.len(), ids.len()), (4, 4));
    let state = |n: usize| calls[n]["params"].get("requestState").cloned();
    let sent = [None, Some(json!("opaque {} \u{fc}")), None, Some(json!("later"))];
    assert_eq!([state(0), state(1), state(2), state(3)], sent);
    let answer = json!({"one": {"action": "accept", "content": 7}});
    assert_eq!(
        (&calls[1]["params"]["inputResponses"], &calls[2]["params"]["inputResponses"]),
        (&answer, &answer)
    );
    assert!(calls[3]["params"].get("inputResponses").is_none(), "there was no question");
    assert!(calls.iter().all(|c| c["params"]["arguments"]["message"] == "hi"));
}

#[test]
fn what_is_not_offered_or_asked_without_end_is_an_error() {
    let linus = Linus::modern();
    let question = json!({"inputRequests": {"one": {"method": "sampling/createMessage"}}});
    linus.fault("tools/call", asks(&question));
    let error = call(&mut client(&linus), &chat("hi")).unwrap_err();
    assert_eq!(error, CallError::Protocol("Linus asks back, which aissh cannot do here".into()));
    linus.always("tools/call", asks(&json!({"inputRequests": {"a": {"method": "elicitation/create"}}})));
    let mut client = client_of(HttpConfig::new(linus.url())).offering(Counting);
    let before = linus.requests().len();
    assert!(
        matches!(call(&mut client, &chat("hi")), Err(CallError::Protocol(t)) if t.contains("again and again"))
    );
    assert_eq!(linus.methods()[before..].iter().filter(|m| *m == "tools/call").count(), 8);
}

#[test]
fn the_standalone_stream_is_opened_only_where_something_is_offered_and_never_twice() {
    for refusal in [None, Some(405), Some(404), Some(406), Some(200)] {
        let linus = Linus::legacy();
        let question = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"n":7}}"#;
        match refusal {
            None => linus.fault("GET", Fault::stream_then_hang(&format!("data: {question}\n\n"))),
            Some(status) => linus.fault("GET", Fault::json(status, "{}")),
        }
        hello(&linus);
        assert_eq!(linus.methods().iter().filter(|m| *m == "GET").count(), 0, "nothing is offered");
        let mut client = client_of(HttpConfig::new(linus.url())).offering(Counting);
        assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
        if refusal.is_none() {
            let is_answer = |r: &HttpRequest| r.body["id"] == "q" && r.body["result"]["content"] == 7;
            linus.wait_until("answer", PATIENCE, |record| record.requests.iter().any(is_answer));
        }
        assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
        drop(client);
        assert_eq!(linus.methods().iter().filter(|m| *m == "GET").count(), 1, "{refusal:?}");
    }
}
