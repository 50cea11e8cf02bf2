//! What the MCP specification wants of a client's HTTP request, revision by revision.

use super::http::HttpRequest;

pub const MODERN: &str = "2026-07-28";
pub const LEGACY: &str = "2025-11-25";

/// Everything that is wrong with a request to a server of `revision`. A request of the other era is only
/// checked for what its own era wants: the server may have been another one before.
pub fn mcp_check(request: &HttpRequest, revision: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if request.method == "DELETE" {
        if request.header("mcp-session-id").is_none() {
            wrong.push("DELETE without a session".into());
        }
        return wrong;
    }
    let body = &request.body;
    let (is_get, method) = (request.method == "GET", request.rpc());
    let mut expect = |name: &str, wanted: Option<&str>| {
        let got = request.header(name);
        if got != wanted {
            wrong.push(format!("{method}: {name} is {got:?}, not {wanted:?}"));
        }
    };
    expect("accept", Some(if is_get { "text/event-stream" } else { "application/json, text/event-stream" }));
    expect("content-type", Some("application/json").filter(|_| !is_get));
    let meta = &body["params"]["_meta"];
    if let Some(version) = meta["io.modelcontextprotocol/protocolVersion"].as_str() {
        expect("mcp-protocol-version", Some(version));
        expect("mcp-method", Some(method));
        expect("mcp-name", body["params"]["name"].as_str().filter(|_| method == "tools/call"));
        expect("mcp-session-id", None);
        if !meta["io.modelcontextprotocol/clientCapabilities"].is_object() {
            wrong.push(format!("{method}: no client capabilities"));
        }
        return wrong;
    }
    expect("mcp-method", None);
    if method == "initialize" {
        expect("mcp-protocol-version", None);
        expect("mcp-session-id", None);
    } else if revision != MODERN {
        expect("mcp-protocol-version", Some(revision).filter(|r| *r > "2025-03-26"));
    }
    wrong
}
