//! One `tools/call`: sent, perhaps asked back about, answered, or taken back.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::common::Connected;
use super::handshake::outcome;
use super::{HEADER_MISMATCH, MISSING_CAPABILITY, Mcp, UNSUPPORTED_VERSION, before_sending};
use crate::linus::call_error::CallError;
use crate::linus::cancel::Canceller;
use crate::linus::jsonrpc;
use crate::linus::peer::{Asked, Deaf, Failure, Listener, Post, Posted, Transport};
use crate::linus::redact::named_in;
use crate::linus::revision::{Era, Revision};
use crate::linus::schema;

/// How long taking a call back may hold a lane: the notice is a courtesy.
const CANCEL_BUDGET: Duration = Duration::from_secs(1);
/// Longest progress note that is handed on.
const PROGRESS_LIMIT: usize = 64 * 1024;
/// Times that a server may ask back about one call (2026-07-28); one that never has enough is not answered for ever.
const ROUNDS_LIMIT: u32 = 8;
/// A server that asks back without a question only wants to be asked again, later.
const ROUND_PAUSE: Duration = Duration::from_millis(200);

/// One call as it was made.
struct Call<'a> {
    tool: &'a str,
    arguments: Map<String, Value>,
    /// Whether notes about it are wanted while it runs.
    with_progress: bool,
    cancel: &'a Canceller,
}

impl<T: Transport> Mcp<T> {
    /// Calls over the connection as it is; anew once if the server turns out to have forgotten it.
    pub(super) fn invoke(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
        with_progress: bool,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Value, CallError> {
        let call = Call { tool, arguments, with_progress, cancel };
        match self.rounds(&call, on_progress) {
            Err(Failure::SessionLost(_)) => {
                self.common.disconnect();
                self.connected(cancel).map_err(before_sending)?;
                self.rounds(&call, on_progress).map_err(Failure::into_call_error)
            }
            outcome => outcome.map_err(Failure::into_call_error),
        }
    }

    /// Until the result is complete, answering what the server asks back (2026-07-28, multi round-trip requests).
    fn rounds(&mut self, call: &Call<'_>, on_progress: &mut dyn FnMut(&str)) -> Result<Value, Failure> {
        let connected = self.connected(call.cancel).map_err(before_sending)?;
        let mut more = Map::new();
        for _ in 0..ROUNDS_LIMIT {
            let result = self.once(&connected, call, more, on_progress)?;
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                return Ok(result);
            }
            more = self.inputs(&result)?;
            if !more.contains_key("inputResponses") && call.cancel.wait(ROUND_PAUSE) {
                return Err(CallError::Cancelled.into());
            }
        }
        Err(CallError::protocol("Linus asks back again and again").into())
    }

    /// What the next round carries: the answers, and the server's state exactly as it came, or none.
    fn inputs(&self, result: &Value) -> Result<Map<String, Value>, CallError> {
        let mut more = Map::new();
        if let Some(asked) = result.get("inputRequests").and_then(Value::as_object).filter(|a| !a.is_empty())
        {
            let mut answers = Map::new();
            for (name, request) in asked {
                let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
                let params = request.get("params").unwrap_or(&Value::Null);
                let answer = self.offers.as_ref().and_then(|offers| offers.answer(method, params));
                let Some(answer) = answer else {
                    return Err(CallError::protocol("Linus asks back, which aissh cannot do here"));
                };
                answers.insert(name.clone(), answer);
            }
            more.insert("inputResponses".into(), answers.into());
        }
        if let Some(state) = result.get("requestState") {
            more.insert("requestState".into(), state.clone());
        }
        if more.is_empty() {
            return Err(CallError::protocol("Linus asks back without a question"));
        }
        Ok(more)
    }

    fn once(
        &mut self,
        connected: &Connected,
        call: &Call<'_>,
        more: Map<String, Value>,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Value, Failure> {
        let revision = connected.server.revision;
        if !connected.tools.has(call.tool) {
            return Err(CallError::tool(format!("the server does not have {}", call.tool)).into());
        }
        let arguments = connected.tools.narrow(call.tool, call.arguments.clone());
        let mirrored = match revision.era() {
            Era::Modern => connected.tools.mirrored(call.tool, &arguments),
            Era::Legacy => Vec::new(),
        };
        let placeholders = named_in(&Value::Object(arguments.clone()));
        let mut params = Map::from_iter([
            ("name".to_owned(), Value::from(call.tool)),
            ("arguments".to_owned(), arguments.into()),
        ]);
        params.extend(more);
        let (id, mut message) = self.message("tools/call", params.into(), Some(revision));
        // Beside the arguments, which a server may have closed; every server takes `_meta`.
        if !placeholders.is_empty() {
            message["params"]["_meta"][schema::PLACEHOLDERS] = placeholders.into();
        }
        let token = Value::from(format!("aissh-{id}"));
        if call.with_progress {
            message["params"]["_meta"]["progressToken"] = token.clone();
        }
        let (budget, cancel) = (self.budgets.call, call.cancel);
        let post = Post { message: &message, revision: Some(revision), mirrored: &mirrored, budget, cancel };
        let offers = self.offers.clone();
        let posted = self.transport.post(&post, &mut Ear { token, on_progress, offers });
        if let Err(Failure::Call(CallError::Cancelled | CallError::Timeout)) = &posted {
            self.take_back(id, revision);
        }
        self.doubt(&posted);
        Ok(outcome(posted?)?)
    }

    /// Looks again next time if an answer contradicts what was agreed on. A living process is not another server
    /// from one call to the next.
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
        if contradicts && !self.transport.is_process() {
            self.common.forget();
            self.remembered.set(None);
        }
    }

    /// Tells the server that the answer is no longer wanted, where the closed connection does not say so.
    fn take_back(&mut self, id: u64, revision: Revision) {
        if !self.transport.takes_back(revision.era()) {
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
        let _ = self.transport.post(&post, &mut Deaf);
    }
}

/// Hears the notes about one call, and what the server asks in the middle of it.
struct Ear<'a> {
    token: Value,
    on_progress: &'a mut dyn FnMut(&str),
    offers: Option<Asked>,
}

impl Listener for Ear<'_> {
    fn notice(&mut self, method: &str, params: &Value) {
        let is_ours = method == "notifications/progress" && params.get("progressToken") == Some(&self.token);
        if let Some(text) = params.get("message").and_then(Value::as_str).filter(|_| is_ours) {
            (self.on_progress)(prefix(text, PROGRESS_LIMIT));
        }
    }

    fn asked(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.offers.as_ref()?.answer(method, params)
    }
}

/// At most `limit` bytes of `text`, whole characters only.
fn prefix(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|i| text.is_char_boundary(*i));
    &text[..end.unwrap_or_default()]
}
