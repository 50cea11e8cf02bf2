//! The built-in Linus as a peer: the same JSON-RPC messages as over HTTP, handed to a function.

use serde_json::{Value, json};

use super::call_error::CallError;
use super::cancel::Canceller;
use super::jsonrpc::{self, Incoming};
use super::mcp::{Budgets, Mcp};
use super::peer::{Failure, Listener, Post, Posted, Transport};

/// A handler of JSON-RPC messages: the response for a request, nothing for a notification. It is also given what takes the
/// call back, and what hears the answer as it is made.
pub struct InProcess<H>(H);

/// A peer in this process.
pub type Local<H> = Mcp<InProcess<H>>;

impl<H: FnMut(&Value, &Canceller, &mut dyn FnMut(&str)) -> Option<Value> + Send> Mcp<InProcess<H>> {
    pub fn new(handler: H) -> Self {
        Self::over(InProcess(handler), Budgets::default())
    }
}

impl<H: FnMut(&Value, &Canceller, &mut dyn FnMut(&str)) -> Option<Value> + Send> Transport for InProcess<H> {
    /// An answer that comes after the call was taken back is dropped.
    fn post(&mut self, post: &Post<'_>, listener: &mut dyn Listener) -> Result<Posted, Failure> {
        if post.cancel.is_cancelled() {
            return Err(CallError::Cancelled.into());
        }
        let token = post.message.pointer("/params/_meta/progressToken").cloned();
        let mut on_progress = |text: &str| {
            if let Some(token) = &token {
                listener.notice("notifications/progress", &json!({"progressToken": token, "message": text}));
            }
        };
        let answer = (self.0)(post.message, post.cancel, &mut on_progress);
        if post.cancel.is_cancelled() {
            return Err(CallError::Cancelled.into());
        }
        let Some(id) = post.message.get("id") else { return Ok(None) };
        let Some(answer) = answer else { return Err(CallError::protocol("no answer to a request").into()) };
        match jsonrpc::classify(&answer, id) {
            Incoming::Answer(outcome) => Ok(Some(outcome)),
            _ => Err(CallError::protocol("not an answer to the request").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linus::contract::{HostContext, Request, SessionEvent, TOOLS};
    use crate::linus::peer::Peer;
    use serde_json::json;

    fn connected() -> Request {
        let context = HostContext { ssh_host: "root@h".into(), ssh_user: "root".into() };
        Request::SessionState { session_id: "s".into(), event: SessionEvent::Connected, context }
    }

    /// A legacy server of the contract's tools that says which methods it saw.
    fn handle(message: &Value, seen: &mut Vec<String>) -> Option<Value> {
        let method = message["method"].as_str().unwrap_or_default();
        seen.push(method.into());
        let result = match method {
            "initialize" => json!({"protocolVersion": "2025-06-18", "serverInfo": {"name": "built-in"}}),
            "tools/list" => json!({"tools": TOOLS.map(|name| json!({"name": name, "inputSchema": {}}))}),
            "tools/call" => json!({"structuredContent": {"chat_response": {"message": "hello"}}}),
            "notifications/initialized" => return None,
            _ => return Some(jsonrpc::error(&message["id"], jsonrpc::METHOD_NOT_FOUND, "no such method")),
        };
        Some(jsonrpc::result(&message["id"], &result))
    }

    #[test]
    fn a_function_is_a_whole_linus() {
        let (seen_tx, seen_rx) = std::sync::mpsc::channel();
        let mut peer = Local::new(move |message: &Value, _: &Canceller, _: &mut dyn FnMut(&str)| {
            let mut seen = Vec::new();
            let answer = handle(message, &mut seen);
            seen_tx.send(seen.remove(0)).unwrap();
            answer
        });
        for _ in 0..2 {
            let answer = peer.call(&connected(), &Canceller::new(), &mut |_| ()).unwrap();
            assert_eq!(answer.envelope.chat_response.unwrap().message, "hello");
        }
        drop(peer);
        assert_eq!(
            seen_rx.iter().collect::<Vec<_>>(),
            [
                "server/discover",
                "initialize",
                "notifications/initialized",
                "tools/list",
                "tools/call",
                "tools/call"
            ]
        );
    }

    #[test]
    fn a_function_that_answers_wrongly_is_an_error_and_a_cancelled_call_never_reaches_it() {
        let mut silent = Local::new(|_: &Value, _: &Canceller, _: &mut dyn FnMut(&str)| None);
        assert!(matches!(silent.probe(&Canceller::new()), Err(CallError::Protocol(_))));
        let cancel = Canceller::new();
        cancel.cancel();
        let mut never = Local::new(|_: &Value, _: &Canceller, _: &mut dyn FnMut(&str)| panic!("called"));
        assert_eq!(never.call(&connected(), &cancel, &mut |_| ()), Err(CallError::Cancelled));
    }
}
