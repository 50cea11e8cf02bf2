//! What comes back on a request: one JSON body, or an event stream that is read until our answer is there.
//!
//! Returns at the answer and never waits for the end of a stream. A legacy stream that breaks off is resumed
//! a bounded number of times; everything else that ends without an answer fails at once.

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Body;
use ureq::http::Response;
use ureq::http::header::CONTENT_TYPE;

use super::wire::{Wire, bounded, told};
use crate::linus::call_error::CallError;
use crate::linus::jsonrpc::{self, ErrorObject, Incoming};
use crate::linus::peer::Listener;
use crate::linus::revision::Era;
use crate::linus::sse::SseParser;

/// Largest JSON answer: the size that the SDKs take for a message.
const BODY_LIMIT: usize = 4 * 1024 * 1024;
const READ_SIZE: usize = 16 * 1024;
/// Resumptions in a row that brought no new event.
const FRUITLESS_LIMIT: u32 = 3;
/// Resumptions of one answer in all; a server that closes and reopens for ever is cut off here.
const RESUMES_LIMIT: u32 = 100;
/// What to wait before resuming when the server does not say, and the least and most that is waited.
const RETRY_DEFAULT: u64 = 1000;
const RETRY_RANGE: (u64, u64) = (100, 60_000);
/// Requests of the server answered during one call; a flood of them is ignored.
const SERVER_REQUESTS_LIMIT: u32 = 16;
/// Looks into an event that its blank line has not ended.
const LOOKS_LIMIT: u32 = 64;

type Outcome = Result<Value, ErrorObject>;

pub(super) struct Reading<'a> {
    wire: &'a Wire<'a>,
    id: &'a Value,
    listener: &'a mut dyn Listener,
    server_requests: u32,
    parser: SseParser,
}

/// How a stream came to its end.
enum End {
    Answer(Outcome),
    /// Closed, or broken off, without our answer.
    Without(CallError),
}

impl<'a> Reading<'a> {
    pub(super) fn new(wire: &'a Wire<'a>, id: &'a Value, listener: &'a mut dyn Listener) -> Self {
        Self { wire, id, listener, server_requests: 0, parser: SseParser::default() }
    }

    pub(super) fn read(mut self, response: Response<Body>) -> Result<Outcome, CallError> {
        if is_type(&response, "text/event-stream") {
            return self.stream(response.into_body());
        }
        let is_json =
            is_type(&response, "application/json") || !response.headers().contains_key(CONTENT_TYPE);
        if !is_json {
            return Err(CallError::protocol("the answer is neither JSON nor an event stream"));
        }
        let body = bounded(response.into_body(), BODY_LIMIT)?;
        if body.is_empty() {
            return Err(CallError::protocol("the answer is empty"));
        }
        let value =
            serde_json::from_slice(&body).map_err(|e| CallError::protocol(format!("bad JSON: {e}")))?;
        self.take(value)?.ok_or_else(|| CallError::protocol("no answer to the request in the reply"))
    }

    /// Serves a stream on which no answer is due, to its end.
    pub(super) fn listen(mut self, response: Response<Body>) -> Result<(), CallError> {
        // 405 is the usual refusal; 404, 406 and a page of text have been seen.
        if response.status() == 200 && is_type(&response, "text/event-stream") {
            self.read_stream(response.into_body())?;
        }
        Ok(())
    }

    fn stream(&mut self, body: Body) -> Result<Outcome, CallError> {
        let (mut body, mut resumes, mut fruitless) = (body, 0, 0);
        loop {
            let id_before = self.parser.last_id().map(str::to_owned);
            let why = match self.read_stream(body)? {
                End::Answer(outcome) => return Ok(outcome),
                End::Without(why) => why,
            };
            fruitless = if self.parser.last_id() == id_before.as_deref() { fruitless + 1 } else { 0 };
            loop {
                resumes += 1;
                if fruitless >= FRUITLESS_LIMIT || resumes > RESUMES_LIMIT {
                    return Err(why);
                }
                if let Some(next) = self.resume(&why)? {
                    body = next;
                    break;
                }
                fruitless += 1;
            }
        }
    }

    /// Reads until our answer or the end of this connection.
    fn read_stream(&mut self, body: Body) -> Result<End, CallError> {
        let mut reader = body.into_reader();
        let mut buffer = vec![0; READ_SIZE];
        let (mut looks, mut looked_at) = (0, 0);
        loop {
            let n = match reader.read(&mut buffer) {
                Ok(n) => n,
                Err(e) => match told(&e.into(), true) {
                    CallError::Timeout => return Err(CallError::Timeout),
                    error => return Ok(End::Without(error)),
                },
            };
            if n == 0 {
                return self.end_of_stream();
            }
            let events = self.parser.feed(&buffer[..n]).map_err(too_large)?;
            for event in events.into_iter().filter(|e| e.kind == "message") {
                let value = serde_json::from_str(&event.data);
                let value = value.map_err(|e| CallError::protocol(format!("bad JSON in the stream: {e}")))?;
                if let Some(outcome) = self.take(value)? {
                    return Ok(End::Answer(outcome));
                }
            }
            let pending = self.parser.pending().filter(|p| p.len() != looked_at && looks < LOOKS_LIMIT);
            if let Some(pending) = pending {
                (looks, looked_at) = (looks + 1, pending.len());
                if let Some(outcome) = self.answer_in(pending) {
                    return Ok(End::Answer(outcome));
                }
            }
        }
    }

    fn end_of_stream(&mut self) -> Result<End, CallError> {
        let last = self.parser.finish().map_err(too_large)?;
        let outcome = last.and_then(|event| self.answer_in(&event.data));
        Ok(outcome
            .map_or_else(|| End::Without(CallError::lost("the stream ended without an answer")), End::Answer))
    }

    /// Our answer, if `data` is that and nothing else.
    fn answer_in(&self, data: &str) -> Option<Outcome> {
        match jsonrpc::classify(&serde_json::from_str(data).ok()?, self.id) {
            Incoming::Answer(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The rest of a stream over a new connection; `None` if that failed and may be tried again.
    fn resume(&mut self, why: &CallError) -> Result<Option<Body>, CallError> {
        let legacy = self.wire.post.revision.is_some_and(|r| r.era() == Era::Legacy);
        let Some(last_id) = self.parser.last_id().filter(|id| legacy && !id.is_empty()) else {
            return Err(why.clone());
        };
        let retry = self.parser.retry().unwrap_or(RETRY_DEFAULT).clamp(RETRY_RANGE.0, RETRY_RANGE.1);
        let retry = Duration::from_millis(retry);
        if self.wire.left()? <= retry {
            return Err(CallError::Timeout);
        }
        if self.wire.post.cancel.wait(retry) {
            return Err(CallError::Cancelled);
        }
        match self.wire.resume(last_id) {
            Ok(response) if response.status() == 200 && is_type(&response, "text/event-stream") => {
                self.parser.resume();
                Ok(Some(response.into_body()))
            }
            Ok(_) => Err(why.clone()),
            Err(CallError::Timeout) => Err(CallError::Timeout),
            Err(_) => Ok(None),
        }
    }

    /// Takes one message, or a batch as 2025-03-26 allows it.
    fn take(&mut self, value: Value) -> Result<Option<Outcome>, CallError> {
        let messages = match value {
            Value::Array(batch) if !batch.is_empty() => batch,
            single => vec![single],
        };
        for message in messages {
            match jsonrpc::classify(&message, self.id) {
                Incoming::Answer(outcome) => return Ok(Some(outcome)),
                // Only our answer may come here. To wait on for it would be to wait until the deadline.
                Incoming::Foreign(Some(error)) => return Err(error.into_call_error()),
                Incoming::Foreign(None) => return Err(CallError::protocol("an answer to another request")),
                Incoming::Nothing => return Err(CallError::protocol("not a JSON-RPC message")),
                Incoming::Notification { method, params } => self.listener.notice(&method, &params),
                Incoming::Request { id, method, params } => self.serve(&id, &method, &params),
            }
        }
        Ok(None)
    }

    /// Answers a request of a legacy server; a modern one has no business sending any.
    fn serve(&mut self, id: &Value, method: &str, params: &Value) {
        let modern = self.wire.post.revision.is_some_and(|r| r.era() == Era::Modern);
        self.server_requests += 1;
        if modern || self.server_requests > SERVER_REQUESTS_LIMIT {
            return;
        }
        let result = match method {
            "ping" => Some(json!({})),
            _ => self.listener.asked(method, params),
        };
        let answer = match result {
            Some(result) => jsonrpc::result(id, &result),
            None => jsonrpc::error(id, jsonrpc::METHOD_NOT_FOUND, "aissh does not offer this"),
        };
        self.wire.send_aside(&answer);
    }
}

fn too_large(_: crate::linus::sse::TooLarge) -> CallError {
    CallError::protocol("the stream is too large")
}

/// Whether the content type is `kind`, whatever parameters follow.
fn is_type(response: &Response<Body>, kind: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(kind)
}
