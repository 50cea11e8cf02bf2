use super::*;
use crate::linus::Canceller;

fn ask(message: &Value) -> Option<Value> {
    let cancel = Canceller::new();
    let mut call = Call { principal: "", client: "", cancel: &cancel, on_progress: &mut |_| () };
    Server::new().answer(message, &mut call)
}

#[allow(clippy::needless_pass_by_value, reason = "json! makes values")]
fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

fn result(message: &Value) -> Value {
    let answer = ask(message).unwrap_or_default();
    assert_eq!(answer["id"], message["id"]);
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

fn code(message: &Value) -> (Value, Value) {
    let answer = ask(message).unwrap_or_default();
    (answer["id"].clone(), answer["error"]["code"].clone())
}

fn meta(version: &str) -> Value {
    json!({META_VERSION: version, META_CAPABILITIES: {}})
}

fn chat() -> Value {
    json!({"session_id": "s", "message": "/var is full", "context": {"ssh_host": "root@h", "ssh_user": "root",
        "connected": true, "terminal_tail": ""}})
}

#[test]
fn a_known_version_is_echoed_and_an_unknown_one_answered_with_the_latest() {
    for (asked, given) in
        [("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")]
    {
        let initialize = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(result(&request("initialize", initialize))["protocolVersion"], given);
    }
    assert_eq!(code(&request("initialize", json!({}))).1, INVALID_PARAMS);
}

#[test]
fn notifications_and_responses_get_no_answer() {
    assert_eq!(ask(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), None);
    assert_eq!(ask(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}})), None);
    assert_eq!(ask(&json!({"jsonrpc": "2.0", "id": 1, "result": {}})), None);
}

#[test]
fn the_four_tools_are_listed_with_schemas() {
    let tools = result(&request("tools/list", json!({})))["tools"].clone();
    let names: Vec<_> =
        tools.as_array().map(|t| t.iter().map(|t| t["name"].clone()).collect()).unwrap_or_default();
    assert_eq!(names, TOOLS);
    assert_eq!(code(&request("tools/list", json!({"cursor": "x"}))).1, INVALID_PARAMS);
    assert_eq!(result(&request("ping", json!({}))), json!({}));
}

#[test]
fn a_call_answers_with_the_envelope_twice_structured_and_as_text() {
    let result = result(&request("tools/call", json!({"name": "linus_chat", "arguments": chat()})));
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap_or("");
    assert_eq!(serde_json::from_str::<Value>(text).ok(), Some(result["structuredContent"].clone()));
    assert_eq!(result["structuredContent"]["suggested_commands"]["commands"][0]["command"], "df -h /var");
}

#[test]
fn wrong_arguments_are_the_tools_error_and_an_unknown_tool_the_protocols() {
    let result = result(&request("tools/call", json!({"name": "linus_chat", "arguments": {"message": 3}})));
    assert_eq!(result["isError"], true);
    assert_eq!(
        code(&request("tools/call", json!({"name": "linus_dance", "arguments": {}}))).1,
        INVALID_PARAMS
    );
    assert_eq!(
        code(&request("tools/call", json!({"name": "linus_chat", "arguments": []}))).1,
        INVALID_PARAMS
    );
    assert_eq!(code(&request("tools/call", json!({}))).1, INVALID_PARAMS);
}

#[test]
fn what_is_no_request_is_an_invalid_one_and_ids_keep_their_type() {
    for bad in [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({"id": 1}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
    ] {
        assert_eq!(code(&bad).1, INVALID_REQUEST, "{bad}");
    }
    assert_eq!(
        code(&json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
        (Value::Null, INVALID_REQUEST.into())
    );
    assert_eq!(
        code(&json!({"jsonrpc": "2.0", "id": "seven", "method": "nope"})),
        ("seven".into(), METHOD_NOT_FOUND.into())
    );
    assert_eq!(code(&request("ping", json!([1]))).1, INVALID_PARAMS);
}

#[test]
fn the_stateless_era_needs_no_handshake_and_marks_its_results() {
    let discovered = result(&request("server/discover", json!({"_meta": meta(STATELESS)})));
    assert_eq!(discovered["supportedVersions"][0], STATELESS);
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(discovered["cacheScope"], "public");
    assert!(discovered["ttlMs"].is_u64());
    let list = result(&request("tools/list", json!({"_meta": meta(STATELESS)})));
    assert_eq!(list["_meta"][META_SERVER]["name"], "linus-builtin");
    let called = result(&request(
        "tools/call",
        json!({"name": "linus_chat", "arguments": chat(), "_meta": meta(STATELESS)}),
    ));
    assert_eq!(called["resultType"], "complete");
    assert!(called.get("ttlMs").is_none());
}

#[test]
fn the_stateless_era_refuses_what_it_does_not_have() {
    let answer = ask(&request("tools/list", json!({"_meta": meta("2031-01-01")}))).unwrap_or_default();
    assert_eq!(answer["error"]["code"], UNSUPPORTED_VERSION);
    assert_eq!(answer["error"]["data"]["requested"], "2031-01-01");
    assert_eq!(answer["error"]["data"]["supported"][0], STATELESS);
    assert_eq!(code(&request("server/discover", json!({}))).1, INVALID_PARAMS);
    assert_eq!(code(&request("tools/list", json!({"_meta": {META_VERSION: STATELESS}}))).1, INVALID_PARAMS);
    for method in ["initialize", "ping", "logging/setLevel"] {
        assert_eq!(code(&request(method, json!({"_meta": meta(STATELESS)}))).1, METHOD_NOT_FOUND, "{method}");
    }
}
