//! The built-in Linus as an MCP server without a transport: a JSON-RPC message in, at most one out.
//!
//! Two eras, told apart by the message itself: the handshake (`initialize`, revisions 2025-03-26 to 2025-11-25)
//! and the stateless one (2026-07-28, where every request names its version in `_meta`). A door that carries HTTP
//! adds what HTTP adds (headers, Origin, status codes, streams).

use super::{Builtin, schema};
use crate::linus::contract::{Envelope, Request, TOOLS};
use crate::linus::service::{self, About, Call, Service};
use crate::linus::{ErrorObject, INVALID_PARAMS, METHOD_NOT_FOUND};
use serde_json::{Map, Value, json};

const STATELESS: &str = "2026-07-28";
/// Handshake revisions, the latest first.
const HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

const INVALID_REQUEST: i64 = -32600;
/// UnsupportedProtocolVersionError of 2026-07-28.
const UNSUPPORTED_VERSION: i64 = -32022;

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// How long a client may keep the lists: they change only with the program.
const TTL_MS: u64 = 3_600_000;

const ABOUT: About = About {
    name: "linus-builtin",
    title: "Linus (built in, runbooks, no model)",
    instructions: "Linus helps with one ssh session: send him what the user writes and what the terminal shows; he answers \
        with text, a checklist and commands for the user to edit and send. He never runs anything.",
};

/// A session id for clients of the contract's shorter form, which has none.
const NO_SESSION: &str = "default";

/// Linus behind JSON-RPC.
#[derive(Default)]
pub struct Server {
    linus: Builtin,
}

impl Server {
    pub fn new() -> Self {
        Self::default()
    }

    /// Behind the same messages, a Linus who was set up otherwise.
    pub fn of(linus: Builtin) -> Self {
        Self { linus }
    }

    /// Whether he says unasked what he sees on a terminal.
    pub fn set_watch(&self, is_on: bool) {
        self.linus.set_watch(is_on);
    }

    /// The answer to one message; `None` for notifications and for responses, which get none.
    pub fn answer(&self, message: &Value, call: &mut Call<'_>) -> Option<Value> {
        let Some(object) = message.as_object() else {
            // Batches were in one revision only, and left again.
            return Some(failure(
                &Value::Null,
                ErrorObject::new(INVALID_REQUEST, "a message is one JSON object"),
            ));
        };
        let id = object.get("id");
        let method = object.get("method").and_then(Value::as_str);
        let is_response = method.is_none() && (object.contains_key("result") || object.contains_key("error"));
        let is_valid = object.get("jsonrpc").is_some_and(|v| v == "2.0");
        match (id, method) {
            _ if is_response => None,
            (None, Some(_)) if is_valid => None,
            (Some(id @ (Value::String(_) | Value::Number(_))), Some(method)) if is_valid => {
                let params = object.get("params").cloned().unwrap_or_else(|| json!({}));
                Some(match self.method(method, &params, call) {
                    Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    Err(error) => failure(id, error),
                })
            }
            (id, _) => {
                let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(&Value::Null);
                Some(failure(id, ErrorObject::new(INVALID_REQUEST, "not a JSON-RPC 2.0 request")))
            }
        }
    }

    fn method(&self, method: &str, params: &Value, call: &mut Call<'_>) -> Result<Value, ErrorObject> {
        if !params.is_object() {
            return Err(ErrorObject::new(INVALID_PARAMS, "params must be an object"));
        }
        // Only the stateless era names its version here; discovering exists in no other.
        if method == "server/discover" || params.pointer(&pointer(META_VERSION)).is_some() {
            return self.stateless(method, params, call);
        }
        match method {
            "initialize" => initialize(params),
            "ping" => Ok(json!({})),
            "tools/list" => list(params),
            "tools/call" => self.tool_call(params, call),
            _ => Err(unknown(method)),
        }
    }

    fn stateless(&self, method: &str, params: &Value, call: &mut Call<'_>) -> Result<Value, ErrorObject> {
        let version = params.pointer(&pointer(META_VERSION)).and_then(Value::as_str);
        let Some(version) = version else {
            return Err(ErrorObject::new(INVALID_PARAMS, format!("_meta[\"{META_VERSION}\"] is missing")));
        };
        if version != STATELESS {
            let data = json!({"supported": versions(), "requested": version});
            return Err(ErrorObject {
                data,
                ..ErrorObject::new(UNSUPPORTED_VERSION, "unsupported protocol version")
            });
        }
        if !params.pointer(&pointer(META_CAPABILITIES)).is_some_and(Value::is_object) {
            return Err(ErrorObject::new(
                INVALID_PARAMS,
                format!("_meta[\"{META_CAPABILITIES}\"] is missing"),
            ));
        }
        let (mut result, is_cacheable) = match method {
            "server/discover" => (discover(), true),
            "tools/list" => (list(params)?, true),
            "tools/call" => (self.tool_call(params, call)?, false),
            // Also initialize, ping and the rest of the other era.
            _ => return Err(unknown(method)),
        };
        result["resultType"] = "complete".into();
        result["_meta"] = json!({META_SERVER: server_info()});
        if is_cacheable {
            result["ttlMs"] = TTL_MS.into();
            result["cacheScope"] = "public".into();
        }
        Ok(result)
    }

    fn tool_call(&self, params: &Value, call: &mut Call<'_>) -> Result<Value, ErrorObject> {
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err(ErrorObject::new(INVALID_PARAMS, "params.name is missing"));
        };
        let arguments = match params.get("arguments") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err(ErrorObject::new(INVALID_PARAMS, "params.arguments must be an object")),
        };
        Service::call(self, name, &arguments, call)
    }
}

impl Service for Server {
    fn about(&self) -> About {
        ABOUT
    }

    fn tools(&self) -> Vec<Value> {
        schema::tools()
    }

    fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        call: &mut Call<'_>,
    ) -> Result<Value, ErrorObject> {
        if !TOOLS.contains(&tool) {
            return Err(ErrorObject::new(INVALID_PARAMS, format!("unknown tool: {tool}")));
        }
        let mut arguments = arguments.clone();
        arguments.entry("session_id").or_insert_with(|| NO_SESSION.into());
        // Wrong arguments are the tool's error, not the protocol's: the caller's agent can then correct itself.
        Ok(match Request::from_call(tool, &arguments) {
            Ok(request) => success(&self.linus.answer(&request, call)),
            Err(why) => service::failed(&format!("{tool}: {why}")),
        })
    }
}

fn pointer(key: &str) -> String {
    format!("/_meta/{}", key.replace('/', "~1"))
}

fn failure(id: &Value, failure: ErrorObject) -> Value {
    let mut error = json!({"code": failure.code, "message": failure.message});
    if !failure.data.is_null() {
        error["data"] = failure.data;
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn unknown(method: &str) -> ErrorObject {
    ErrorObject::new(METHOD_NOT_FOUND, format!("method not found: {method}"))
}

fn success(envelope: &Envelope) -> Value {
    // Not reachable: the envelope is a struct of strings, numbers and options.
    service::done(&serde_json::to_value(envelope).unwrap_or_else(|_| json!({})))
}

fn initialize(params: &Value) -> Result<Value, ErrorObject> {
    let Some(asked) = params.get("protocolVersion").and_then(Value::as_str) else {
        return Err(ErrorObject::new(INVALID_PARAMS, "params.protocolVersion is missing"));
    };
    let version = HANDSHAKE.iter().find(|v| **v == asked).unwrap_or(&HANDSHAKE[0]);
    Ok(json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": server_info(),
        "instructions": ABOUT.instructions,
    }))
}

fn discover() -> Value {
    json!({"supportedVersions": versions(), "capabilities": {"tools": {}}, "instructions": ABOUT.instructions})
}

fn list(params: &Value) -> Result<Value, ErrorObject> {
    // Everything fits one page, so no cursor was ever given out.
    if params.get("cursor").is_some_and(|c| !c.is_null()) {
        return Err(ErrorObject::new(INVALID_PARAMS, "unknown cursor"));
    }
    Ok(json!({"tools": schema::tools()}))
}

fn versions() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(HANDSHAKE).collect()
}

fn server_info() -> Value {
    json!({"name": ABOUT.name, "title": ABOUT.title, "version": env!("CARGO_PKG_VERSION")})
}

#[cfg(test)]
mod tests;
