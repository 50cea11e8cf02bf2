//! The recording Linus's server: connections, MCP answers, faults. `linus.rs` is how tests drive it.

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use aissh::linus::contract::{Envelope, Request, TOOLS};
use serde_json::{Map, Value, json};

use super::contract::contract_check;
use super::http::{HttpRequest, begin_chunked, end_chunked, read_request, write_answer, write_chunk};
use super::mcp::{MODERN, mcp_check};

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Json,
    /// An event stream that ends after the answer.
    Sse,
    /// With a priming event, a comment, CRLF, the answer in several data lines and in small pieces.
    RoughSse,
    /// The answer comes and the stream stays open.
    OpenSse,
    /// Like that, and the blank line after the answer is left out.
    UnendedSse,
}

/// What goes wrong with a request, instead of its answer.
#[derive(Debug, Clone)]
pub enum Fault {
    /// A status with a body. `{id}` in it stands for the id of the request.
    Status(u16, &'static str, String),
    /// These bytes and then the end of the connection. `{id}` as above.
    Raw(String),
    /// These bytes, and the connection stays open in silence.
    RawThenHang(String),
    /// Not a byte.
    Hang,
    /// So many comments, each after a pause, and then the answer as usual on an event stream.
    Keepalive(u32, Duration),
    /// One byte of the answer each so often.
    Slow(Duration),
    /// An answer that goes on for ever.
    Endless,
    /// The connection ends at once, and so does the server.
    Die,
}

impl Fault {
    pub fn json(status: u16, body: &str) -> Self {
        Self::Status(status, "application/json", body.into())
    }

    /// An event stream of exactly this text, ended by the end of the connection.
    pub fn stream(text: &str) -> Self {
        Self::Raw(Self::stream_text(text))
    }

    pub fn stream_then_hang(text: &str) -> Self {
        Self::RawThenHang(Self::stream_text(text))
    }

    fn stream_text(text: &str) -> String {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{text}")
    }
}

/// One `tools/call` as it came in.
#[derive(Debug, Clone)]
pub struct Call {
    pub at: Instant,
    pub request: Request,
    pub arguments: Map<String, Value>,
    pub progress_token: Value,
    /// What Linus answered.
    pub answer: Value,
}

#[derive(Default)]
pub struct Record {
    pub calls: Vec<Call>,
    /// Everything, handshakes and notifications too.
    pub requests: Vec<HttpRequest>,
    /// What was wrong with them.
    pub violations: Vec<String>,
}

pub struct Setup {
    /// `2026-07-28` serves only the modern era, others only `initialize`.
    pub revision: &'static str,
    pub style: Style,
    pub token: Option<&'static str>,
    /// Tools as `tools/list` gives them, page by page.
    pub pages: Vec<Vec<Value>>,
    /// Where `structuredContent` is missing, the envelope is text.
    pub is_structured: bool,
    /// The status for a session that is not known: 404, or 400 as some servers do.
    pub lost_status: u16,
    /// Whether the contract is checked; a narrowed tool takes less.
    pub checks_contract: bool,
    /// Other names of the contract's tools. A tool of any other name takes the message form.
    pub names: Vec<(&'static str, &'static str)>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            revision: MODERN,
            style: Style::Json,
            token: None,
            pages: vec![TOOLS.map(tool).to_vec()],
            is_structured: true,
            lost_status: 404,
            checks_contract: true,
            names: Vec::new(),
        }
    }
}

/// A tool that takes anything.
pub fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

pub type Script = Box<dyn FnMut(&Request) -> Envelope + Send>;

pub struct Inner {
    pub setup: Setup,
    pub record: Record,
    pub script: Script,
    pub faults: VecDeque<(&'static str, Fault)>,
    pub standing: Vec<(&'static str, Fault)>,
    /// Notifications and requests that go before the next answers on a stream.
    pub before: Vec<Value>,
    pub session: Option<String>,
    pub sessions: u32,
    pub streams: Vec<TcpStream>,
    pub is_up: bool,
    pub is_listening: bool,
}

#[derive(Clone)]
pub struct Shared(pub Arc<(Mutex<Inner>, Condvar)>);

impl Shared {
    pub fn with<R>(&self, act: impl FnOnce(&mut Inner) -> R) -> R {
        let value = act(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
        value
    }
}

/// Stops listening, and only then ends every connection: who sees its connection end finds the door closed.
pub fn stop(shared: &Shared, address: SocketAddr) {
    if shared.with(|i| std::mem::replace(&mut i.is_up, false)) {
        // The accept that is under way only ends with a connection.
        let _ = TcpStream::connect(address);
    }
    let (lock, changed) = &*shared.0;
    let mut inner = changed.wait_while(lock.lock().unwrap(), |i| i.is_listening).unwrap();
    for stream in inner.streams.drain(..) {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

impl Inner {
    fn take_fault(&mut self, method: &str) -> Option<Fault> {
        if let Some(at) = self.faults.iter().position(|(m, _)| *m == method) {
            return self.faults.remove(at).map(|(_, fault)| fault);
        }
        self.standing.iter().find(|(m, _)| *m == method).map(|(_, fault)| fault.clone())
    }

    fn is_modern(&self) -> bool {
        self.setup.revision == MODERN
    }
}

pub fn serve(listener: TcpListener, shared: &Shared) {
    shared.with(|i| (i.is_up, i.is_listening) = (true, true));
    let shared = shared.clone();
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let _ = stream.set_nodelay(true);
            let kept = stream.try_clone().unwrap();
            let is_up = shared.with(|i| {
                if i.is_up {
                    i.streams.push(kept);
                }
                i.is_up
            });
            if !is_up {
                break;
            }
            let shared = shared.clone();
            thread::spawn(move || talk(stream, &shared));
        }
        drop(listener);
        shared.with(|i| i.is_listening = false);
    });
}

/// One connection, request by request.
fn talk(mut out: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(out.try_clone().unwrap());
    while let Some(request) = read_request(&mut reader) {
        let fault = shared.with(|i| {
            let wrong = mcp_check(&request, i.setup.revision);
            i.record.violations.extend(wrong);
            i.record.requests.push(request.clone());
            i.take_fault(request.rpc())
        });
        let goes_on = match fault {
            Some(fault) => break_down(&mut out, &request, fault, shared),
            None => answer(&mut out, &request, shared).is_ok(),
        };
        if !goes_on {
            break;
        }
    }
    let _ = out.shutdown(Shutdown::Both);
}

/// Whether the connection can go on.
fn break_down(out: &mut TcpStream, request: &HttpRequest, fault: Fault, shared: &Shared) -> bool {
    let with_id = |text: &str| text.replace("{id}", &request.id().to_string());
    match fault {
        Fault::Status(status, kind, body) => {
            write_answer(out, status, &[("Content-Type", kind)], &with_id(&body)).is_ok()
        }
        Fault::Raw(text) => {
            let _ = out.write_all(with_id(&text).as_bytes());
            false
        }
        Fault::RawThenHang(text) => {
            let _ = out.write_all(with_id(&text).as_bytes());
            hang(out);
            false
        }
        Fault::Hang => {
            hang(out);
            false
        }
        Fault::Keepalive(count, pause) => {
            let _ = begin_chunked(out, &[("Content-Type", "text/event-stream")]);
            for _ in 0..count {
                thread::sleep(pause);
                let _ = write_chunk(out, b": here\n\n");
            }
            let body = shared.with(|i| decide(i, request)).1.unwrap_or_default();
            let _ = write_chunk(out, format!("data: {body}\n\n").as_bytes());
            end_chunked(out).is_ok()
        }
        Fault::Slow(pause) => {
            let _ = begin_chunked(out, &[("Content-Type", "text/event-stream")]);
            while write_chunk(out, b":").is_ok() {
                thread::sleep(pause);
            }
            false
        }
        Fault::Endless => {
            let _ = begin_chunked(out, &[("Content-Type", "application/json")]);
            let block = vec![b' '; 64 * 1024];
            while write_chunk(out, &block).is_ok() {}
            false
        }
        Fault::Die => {
            if let Ok(address) = out.local_addr() {
                stop(shared, address);
            }
            false
        }
    }
}

/// Until the client closes.
fn hang(out: &TcpStream) {
    let _ = out.peek(&mut [0]);
}

fn answer(out: &mut TcpStream, request: &HttpRequest, shared: &Shared) -> std::io::Result<()> {
    let (status, body, session) = shared.with(|i| decide(i, request));
    let mut headers = vec![];
    if let Some(session) = &session {
        headers.push(("Mcp-Session-Id", session.as_str()));
    }
    let Some(body) = body else {
        return write_answer(out, status, &headers, "");
    };
    let (style, before) = shared.with(|i| (i.setup.style, i.before.clone()));
    if style == Style::Json || status != 200 {
        headers.push(("Content-Type", "application/json; charset=utf-8"));
        return write_answer(out, status, &headers, &body.to_string());
    }
    headers.push(("Content-Type", "text/event-stream"));
    begin_chunked(out, &headers)?;
    let newline = if style == Style::RoughSse { "\r\n" } else { "\n" };
    let mut text = String::new();
    if style == Style::RoughSse {
        text += "id: p1\r\nretry: 500\r\ndata: \r\n\r\n: keep-alive\r\n\r\nevent: ping\r\ndata: now\r\n\r\n";
    }
    let is_call = request.rpc() == "tools/call";
    for message in before.iter().filter(|_| is_call) {
        let token = request.body["params"]["_meta"]["progressToken"].to_string();
        let message = message.to_string().replace("\"{token}\"", &token);
        text += &format!("event: message{newline}data: {message}{newline}{newline}");
    }
    let body = match style {
        Style::RoughSse => serde_json::to_string_pretty(&body)?,
        _ => body.to_string(),
    };
    for line in body.lines() {
        text += &format!("data: {line}{newline}");
    }
    if style != Style::UnendedSse {
        text += newline;
    }
    let size = if style == Style::RoughSse { 7 } else { text.len() };
    for piece in text.as_bytes().chunks(size) {
        write_chunk(out, piece)?;
    }
    if matches!(style, Style::OpenSse | Style::UnendedSse) {
        hang(out);
        return Err(std::io::ErrorKind::ConnectionAborted.into());
    }
    end_chunked(out)
}

/// Status, body and session header for a request that does not go wrong.
fn decide(i: &mut Inner, request: &HttpRequest) -> (u16, Option<Value>, Option<String>) {
    let id = request.id();
    let error = |status, code: i64, id: &Value, text: &str| {
        let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}});
        (status, Some(body), None)
    };
    if i.setup.token.is_some_and(|t| request.header("authorization") != Some(&format!("Bearer {t}"))) {
        return (401, None, None);
    }
    let is_modern = request.header("mcp-method").is_some();
    if is_modern != i.is_modern() {
        return match is_modern {
            // What a legacy server says that has no session for it.
            true => error(400, -32000, &Value::Null, "Bad Request: Server not initialized"),
            false => error(404, -32601, id, "method not found"),
        };
    }
    if request.method == "DELETE" && request.header("mcp-session-id") == i.session.as_deref() {
        i.session = None;
        return (200, None, None);
    }
    if request.method != "POST" {
        return (405, None, None);
    }
    if !is_modern && request.rpc() != "initialize" && request.header("mcp-session-id") != i.session.as_deref()
    {
        return error(i.setup.lost_status, -32001, &Value::Null, "session not found");
    }
    if id.is_null() || request.body["method"].is_null() {
        return (202, None, None);
    }
    let mut session = None;
    let result = match request.rpc() {
        "server/discover" => json!({"supportedVersions": ["2025-11-25", MODERN]}),
        "initialize" => {
            i.sessions += 1;
            session = Some(format!("session-{}", i.sessions));
            i.session.clone_from(&session);
            json!({"protocolVersion": i.setup.revision, "serverInfo": {"name": "recorder", "version": "1"}})
        }
        "tools/list" => {
            let page = request.body["params"]["cursor"].as_str().map_or(0, |c| c.len() + 1);
            let mut result = json!({"tools": i.setup.pages.get(page)});
            if page + 1 < i.setup.pages.len() {
                // The first cursor is the empty string.
                result["nextCursor"] = "c".repeat(page).into();
            }
            result
        }
        "tools/call" => call(i, request),
        _ => return error(404, -32601, id, "method not found"),
    };
    let mut body = json!({"jsonrpc": "2.0", "id": id, "result": result});
    if is_modern {
        body["result"]["resultType"] = "complete".into();
    }
    (200, Some(body), session)
}

fn call(i: &mut Inner, request: &HttpRequest) -> Value {
    let params = &request.body["params"];
    let named = params["name"].as_str().unwrap_or_default();
    let mut arguments = params["arguments"].as_object().cloned().unwrap_or_default();
    let kind = arguments.remove("type").map(|kind| format!("linus_{}", kind.as_str().unwrap_or_default()));
    let own = i.setup.names.iter().find(|(name, _)| *name == named).map(|(_, tool)| *tool);
    let tool = kind.as_deref().or(own).unwrap_or(named);
    if i.setup.checks_contract
        && let Err(wrong) = contract_check(tool, &arguments)
    {
        i.record.violations.push(wrong);
    }
    let mut full = arguments.clone();
    full.entry("session_id").or_insert_with(|| "".into());
    let message = match Request::from_call(tool, &full) {
        Ok(message) => message,
        Err(e) => return json!({"isError": true, "content": [{"type": "text", "text": e}]}),
    };
    let progress_token = params["_meta"]["progressToken"].clone();
    let at = Instant::now();
    let envelope = serde_json::to_value((i.script)(&message)).unwrap();
    let answer = envelope.clone();
    i.record.calls.push(Call { at, request: message, arguments, progress_token, answer });
    match i.setup.is_structured {
        true => json!({"content": [], "structuredContent": envelope}),
        false => json!({"content": [{"type": "text", "text": envelope.to_string()}]}),
    }
}
