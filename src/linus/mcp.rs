//! MCP above a transport: which era the server is of, the handshake, the tools, and calling one.
//!
//! The era is found once and kept for the life of the value; an answer that contradicts it makes the next
//! call look again. A lost session is begun anew once a call. Nothing here knows of HTTP.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::call_error::{CallError, one_line};
use super::cancel::Canceller;
use super::contract::{Request, TOOLS};
use super::jsonrpc::{self, ErrorObject};
use super::peer::{Answer, Failure, Peer, Post, Posted, Server, Transport};
use super::reply;
use super::revision::{Era, Revision};
use super::tools::Tools;

/// Pages of `tools/list` read at most: a server with more tools than this is looping.
const PAGES_LIMIT: usize = 64;
/// How long taking a call back may hold a lane: the notice is a courtesy.
const CANCEL_BUDGET: Duration = Duration::from_secs(1);
/// Longest progress note that is handed on.
const PROGRESS_LIMIT: usize = 64 * 1024;

/// 2026-07-28: the headers do not say what the body says.
const HEADER_MISMATCH: i64 = -32020;
/// 2026-07-28: a client capability is needed that we do not have.
const MISSING_CAPABILITY: i64 = -32021;
/// 2026-07-28: the server does not speak the revision.
const UNSUPPORTED_VERSION: i64 = -32022;

/// The times that whole exchanges may take.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    /// `server/discover`: a legacy server may not answer it at all, and nobody wants to wait for that.
    pub probe: Duration,
    /// Each message of the handshake.
    pub connect: Duration,
    /// A `tools/call`.
    pub call: Duration,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            // The SDKs take 10 s; a user who waits for a first answer should not.
            probe: Duration::from_secs(4),
            connect: Duration::from_secs(15),
            // Models on small machines think for minutes.
            call: Duration::from_secs(600),
        }
    }
}

/// An MCP client over any transport.
pub struct Mcp<T> {
    transport: T,
    budgets: Budgets,
    next_id: u64,
    era: Option<Era>,
    connected: Option<Connected>,
}

struct Connected {
    server: Server,
    tools: Tools,
}

impl<T: Transport> Mcp<T> {
    pub(crate) fn over(transport: T, budgets: Budgets) -> Self {
        Self { transport, budgets, next_id: 1, era: None, connected: None }
    }

    /// Finds the era, shakes hands and lists the tools, unless that was done.
    pub fn connect(&mut self, cancel: &Canceller) -> Result<Server, CallError> {
        if let Some(connected) = &self.connected {
            return Ok(connected.server.clone());
        }
        self.transport.forget_session();
        let discovered = if self.era == Some(Era::Legacy) { None } else { self.discover(cancel)? };
        let (revision, name) = match discovered {
            Some(name) => (Revision::MODERN, name),
            None => self.initialize(cancel).inspect_err(|_| self.era = None)?,
        };
        self.era = Some(revision.era());
        let tools = self.list_tools(revision, cancel)?;
        let missing = tools.missing();
        if missing.contains(&TOOLS[0]) {
            let why = tools.refused().first().map(|r| format!(" ({r})")).unwrap_or_default();
            return Err(CallError::protocol(format!("the server does not have {}{why}", missing.join(", "))));
        }
        let server = Server { revision, name, missing, takes_final: tools.takes_final() };
        self.connected = Some(Connected { server: server.clone(), tools });
        Ok(server)
    }

    /// The server's name if it is of the modern era, `None` if it is to be tried as a legacy one: that is
    /// everything but a clear answer, since legacy servers refuse the probe in every way there is.
    fn discover(&mut self, cancel: &Canceller) -> Result<Option<String>, CallError> {
        let budget = self.budgets.probe;
        let posted = self.exchange("server/discover", &json!({}), Some(Revision::MODERN), budget, cancel);
        match posted {
            Ok(Some(Ok(result))) => {
                let versions = result.get("supportedVersions").and_then(Value::as_array);
                let modern = versions.is_some_and(|v| v.iter().any(|v| v == Revision::MODERN.as_str()));
                let info = result.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
                Ok(modern.then(|| server_name(info.or_else(|| result.get("serverInfo")))))
            }
            Ok(Some(Err(error))) if matches!(error.code, HEADER_MISMATCH | MISSING_CAPABILITY) => {
                Err(error.into_call_error())
            }
            Err(Failure::Call(error @ (CallError::Unreachable(_) | CallError::Cancelled))) => Err(error),
            _ => Ok(None),
        }
    }

    fn initialize(&mut self, cancel: &Canceller) -> Result<(Revision, String), CallError> {
        let params = json!({
            "protocolVersion": Revision::LATEST_LEGACY.as_str(), "capabilities": {}, "clientInfo": client_info()
        });
        let budget = self.budgets.connect;
        let posted = self.exchange("initialize", &params, None, budget, cancel);
        let result = outcome(posted.map_err(Failure::into_call_error)?)?;
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or("none");
        let revision = Revision::parse(version).filter(|r| r.era() == Era::Legacy).ok_or_else(|| {
            CallError::protocol(format!("the server speaks MCP revision {version}, which aissh does not"))
        })?;
        let message = jsonrpc::notification("notifications/initialized", &Value::Null);
        let post = Post { message: &message, revision: Some(revision), mirrored: &[], budget, cancel };
        self.transport.post(&post, &mut |_, _| ()).map_err(Failure::into_call_error)?;
        Ok((revision, server_name(result.get("serverInfo"))))
    }

    fn list_tools(&mut self, revision: Revision, cancel: &Canceller) -> Result<Tools, CallError> {
        let mut tools = Tools::default();
        let mut cursors: Vec<Value> = Vec::new();
        for _ in 0..PAGES_LIMIT {
            // An empty string is a cursor like any other.
            let params = cursors.last().map_or(json!({}), |c| json!({"cursor": c}));
            let budget = self.budgets.connect;
            let posted = self.exchange("tools/list", &params, Some(revision), budget, cancel);
            let page = outcome(posted.map_err(Failure::into_call_error)?)?;
            tools.add_page(&page, revision.era() == Era::Modern);
            let Some(next) = page.get("nextCursor").filter(|c| c.is_string()) else { break };
            if cursors.contains(next) {
                break;
            }
            cursors.push(next.clone());
        }
        Ok(tools)
    }

    /// One `tools/call` over the connection as it is.
    fn call_tool(
        &mut self,
        request: &Request,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Answer, Failure> {
        let Some(connected) = &self.connected else {
            return Err(CallError::unreachable("not connected").into());
        };
        let (tool, revision) = (request.tool(), connected.server.revision);
        if !connected.tools.has(tool) {
            return Err(CallError::tool(format!("the server does not have {tool}")).into());
        }
        let arguments = connected.tools.narrow(tool, request.arguments());
        let takes_final = connected.server.takes_final;
        let mirrored = match revision.era() {
            Era::Modern => connected.tools.mirrored(tool, &arguments),
            Era::Legacy => Vec::new(),
        };
        let token = format!("aissh-{}", self.next_id);
        let mut params = json!({"name": tool, "arguments": arguments});
        if matches!(request, Request::Chat { .. }) {
            params["_meta"] = json!({"progressToken": token});
        }
        let mut notice = |method: &str, params: &Value| {
            let ours =
                method == "notifications/progress" && params.get("progressToken") == Some(&json!(token));
            if let Some(text) = params.get("message").and_then(Value::as_str).filter(|_| ours) {
                on_progress(prefix(text, PROGRESS_LIMIT));
            }
        };
        let id = self.next_id;
        let call = self.message("tools/call", params, Some(revision));
        let budget = self.budgets.call;
        let post = Post { message: &call, revision: Some(revision), mirrored: &mirrored, budget, cancel };
        let posted = self.transport.post(&post, &mut notice);
        if let Err(Failure::Call(CallError::Cancelled | CallError::Timeout)) = &posted {
            self.take_back(id, revision);
        }
        self.doubt(&posted);
        Ok(Answer { takes_final, ..reply::read(&outcome(posted?)?)? })
    }

    /// Looks again next time if an answer contradicts what was agreed on.
    fn doubt(&mut self, posted: &Result<Posted, Failure>) {
        let contradicts = match posted {
            Ok(Some(Err(error))) => [
                jsonrpc::METHOD_NOT_FOUND,
                jsonrpc::INVALID_PARAMS,
                HEADER_MISMATCH,
                MISSING_CAPABILITY,
                UNSUPPORTED_VERSION,
            ]
            .contains(&error.code),
            Err(Failure::Call(CallError::Http(_) | CallError::Auth(_) | CallError::Protocol(_))) => true,
            _ => false,
        };
        if contradicts {
            self.connected = None;
            self.era = None;
        }
    }

    /// Tells a legacy server that the answer is no longer wanted. For a modern one the closed stream says so.
    fn take_back(&mut self, id: u64, revision: Revision) {
        if revision.era() == Era::Modern {
            return;
        }
        let params = json!({"requestId": id, "reason": "no longer wanted"});
        let message = jsonrpc::notification("notifications/cancelled", &params);
        let cancel = Canceller::new();
        let post = Post {
            message: &message,
            revision: Some(revision),
            mirrored: &[],
            budget: CANCEL_BUDGET,
            cancel: &cancel,
        };
        // Whether it arrives changes nothing for us.
        let _ = self.transport.post(&post, &mut |_, _| ());
    }

    /// One message of the handshake. It may be repeated without harm, so a connection that turns out to have
    /// been closed by the server costs nothing.
    fn exchange(
        &mut self,
        method: &str,
        params: &Value,
        revision: Option<Revision>,
        budget: Duration,
        cancel: &Canceller,
    ) -> Result<Posted, Failure> {
        let mut once = || {
            let message = self.message(method, params.clone(), revision);
            let post = Post { message: &message, revision, mirrored: &[], budget, cancel };
            self.transport.post(&post, &mut |_, _| ())
        };
        match once() {
            Err(Failure::Call(CallError::Lost(_))) => once(),
            posted => posted,
        }
    }

    /// A request with the next id and, in the modern era, the `_meta` that makes it stand alone.
    fn message(&mut self, method: &str, mut params: Value, revision: Option<Revision>) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(revision) = revision.filter(|r| r.era() == Era::Modern)
            && let Some(params) = params.as_object_mut()
        {
            let meta = params.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            meta["io.modelcontextprotocol/protocolVersion"] = revision.as_str().into();
            meta["io.modelcontextprotocol/clientInfo"] = client_info();
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        jsonrpc::request(id, method, &params)
    }
}

impl<T: Transport> Peer for Mcp<T> {
    fn call(
        &mut self,
        request: &Request,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Answer, CallError> {
        self.connect(cancel).map_err(before_sending)?;
        match self.call_tool(request, cancel, on_progress) {
            Err(Failure::SessionLost(_)) => {
                self.connected = None;
                self.connect(cancel).map_err(before_sending)?;
                self.call_tool(request, cancel, on_progress).map_err(Failure::into_call_error)
            }
            outcome => outcome.map_err(Failure::into_call_error),
        }
    }

    fn probe(&mut self, cancel: &Canceller) -> Result<Server, CallError> {
        self.connected = None;
        self.connect(cancel)
    }
}

/// A failed handshake means that the message itself never left.
fn before_sending(error: CallError) -> CallError {
    match error {
        CallError::Unreachable(_) | CallError::Auth(_) | CallError::Cancelled | CallError::Withheld(_) => {
            error
        }
        CallError::Lost(text) | CallError::Protocol(text) | CallError::Tool(text) => {
            CallError::Unreachable(text)
        }
        CallError::Timeout => CallError::unreachable("no answer to the handshake in time"),
        CallError::Http(status) => CallError::unreachable(format!("HTTP {status} to the handshake")),
    }
}

fn outcome(posted: Posted) -> Result<Value, CallError> {
    match posted {
        Some(outcome) => outcome.map_err(ErrorObject::into_call_error),
        None => Err(CallError::protocol("a request was taken as a notification")),
    }
}

/// At most `limit` bytes of `text`, whole characters only.
fn prefix(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|i| text.is_char_boundary(*i));
    &text[..end.unwrap_or_default()]
}

fn client_info() -> Value {
    json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")})
}

fn server_name(info: Option<&Value>) -> String {
    let field = |name| info.and_then(|i| i.get(name)).and_then(Value::as_str).unwrap_or_default();
    one_line(&format!("{} {}", field("name"), field("version")))
}
