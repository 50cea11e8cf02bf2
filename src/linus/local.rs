//! The built-in Linus as a peer: the same JSON-RPC messages as over HTTP, handed to a function.

use serde_json::Value;

use super::call_error::CallError;
use super::jsonrpc::{self, Incoming};
use super::mcp::{Budgets, Mcp};
use super::peer::{Failure, Listener, Post, Posted, Transport};

/// A handler of JSON-RPC messages: the response for a request, nothing for a notification.
pub struct InProcess<H>(H);

/// A peer in this process.
pub type Local<H> = Mcp<InProcess<H>>;

impl<H: FnMut(&Value) -> Option<Value> + Send> Mcp<InProcess<H>> {
    pub fn new(handler: H) -> Self {
        Self::over(InProcess(handler), Budgets::default())
    }
}

impl<H: FnMut(&Value) -> Option<Value> + Send> Transport for InProcess<H> {
    /// The handler cannot be interrupted; an answer that comes after the call was taken back is dropped.
    fn post(&mut self, post: &Post<'_>, _: &mut dyn Listener) -> Result<Posted, Failure> {
        if post.cancel.is_cancelled() {
            return Err(CallError::Cancelled.into());
        }
        let answer = (self.0)(post.message);
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
    use crate::linus::cancel::Canceller;
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
        let mut peer = Local::new(move |message: &Value| {
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
        let mut silent = Local::new(|_: &Value| None);
        assert!(matches!(silent.probe(&Canceller::new()), Err(CallError::Protocol(_))));
        let cancel = Canceller::new();
        cancel.cancel();
        let mut never = Local::new(|_: &Value| panic!("called"));
        assert_eq!(never.call(&connected(), &cancel, &mut |_| ()), Err(CallError::Cancelled));
    }
}
