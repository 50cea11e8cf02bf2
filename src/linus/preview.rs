//! What leaves, as it leaves: each call's bytes on their way out, and the next call before it goes.
//!
//! The next call is made by the client itself on a line that leads nowhere, which answers the handshake as Linus did:
//! so it is composed, narrowed and wrapped by the same code as the call that is sent.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::call_error::CallError;
use super::cancel::Canceller;
use super::contract::Request;
use super::jsonrpc;
use super::mcp::{Budgets, Mcp};
use super::peer::{Failure, Listener, Peer, Post, Posted, Transport};

/// Answers of the handshake that are remembered, and their bytes: four tools, described at length.
const ANSWERS_LIMIT: usize = 70;
const BYTES_LIMIT: usize = 512 * 1024;

/// Something that passed.
#[derive(Debug)]
pub enum Passed<'a> {
    /// A call, as its bytes went out.
    Call(&'a [u8]),
    /// What the handshake asked and was answered.
    Answer { message: &'a Value, result: &'a Value },
}

/// Looks at what passes on a line, in the lane's thread.
#[derive(Clone)]
pub struct Tap(Arc<dyn Fn(Passed<'_>) + Send + Sync>);

impl Tap {
    pub fn new(look: impl Fn(Passed<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(look))
    }

    /// A message is about to go out as these bytes.
    pub(super) fn going(&self, message: &Value, bytes: &[u8]) {
        if is_call(message) {
            (self.0)(Passed::Call(bytes));
        }
    }

    /// These bytes are about to go to a model.
    pub(crate) fn sent(&self, bytes: &[u8]) {
        (self.0)(Passed::Call(bytes));
    }

    /// A message was answered.
    pub(super) fn answered(&self, message: &Value, result: &Value) {
        if !is_call(message) {
            (self.0)(Passed::Answer { message, result });
        }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

fn is_call(message: &Value) -> bool {
    message.get("method").is_some_and(|method| method == "tools/call")
}

/// The handshake as Linus answered it.
#[derive(Debug, Clone, Default)]
pub struct Learnt {
    answers: Vec<((Value, Value), Value)>,
    bytes: usize,
}

/// What tells one question of the handshake from another.
fn question(message: &Value) -> (Value, Value) {
    let cursor = message.pointer("/params/cursor").cloned().unwrap_or_default();
    (message.get("method").cloned().unwrap_or_default(), cursor)
}

impl Learnt {
    pub fn learn(&mut self, message: &Value, result: &Value) {
        let question = question(message);
        if let Some((_, known)) = self.answers.iter_mut().find(|(known, _)| *known == question) {
            return known.clone_from(result);
        }
        let size = result.to_string().len();
        if self.answers.len() < ANSWERS_LIMIT && self.bytes + size <= BYTES_LIMIT {
            self.bytes += size;
            self.answers.push((question, result.clone()));
        }
    }

    /// The message that would go for this request. Before the first handshake it is not known what of it Linus takes:
    /// then it is all of it, and false.
    pub fn preview(&self, request: &Request) -> (Value, bool) {
        let taken = Arc::new(Mutex::new(None));
        let nowhere = Nowhere { learnt: self.clone(), taken: Arc::clone(&taken) };
        // The error says that there was nobody; what was to be sent is what counts.
        let _ = Mcp::over(nowhere, Budgets::default()).call(request, &Canceller::new(), &mut |_| ());
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner).take();
        match taken {
            Some(message) => (message, true),
            None => {
                let params = json!({"name": request.tool(), "arguments": request.arguments()});
                (jsonrpc::request(1, "tools/call", &params), false)
            }
        }
    }
}

/// A line that leads nowhere.
struct Nowhere {
    learnt: Learnt,
    taken: Arc<Mutex<Option<Value>>>,
}

impl Transport for Nowhere {
    fn post(&mut self, post: &Post<'_>, _: &mut dyn Listener) -> Result<Posted, Failure> {
        if is_call(post.message) {
            *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(post.message.clone());
        }
        if post.message.get("id").is_none() {
            return Ok(None);
        }
        let question = question(post.message);
        match self.learnt.answers.iter().find(|(known, _)| *known == question) {
            Some((_, result)) => Ok(Some(Ok(result.clone()))),
            // As a legacy server does that is asked in the modern manner.
            None => Err(CallError::protocol("nobody is there").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linus::contract::{HostContext, SessionEvent};

    fn request() -> Request {
        let context = HostContext { ssh_host: "root@h".into(), ssh_user: "root".into() };
        Request::SessionState { session_id: "s".into(), event: SessionEvent::Connected, context }
    }

    #[test]
    fn the_next_call_is_narrowed_as_linus_asked_for_it() {
        let mut learnt = Learnt::default();
        let (whole, is_exact) = learnt.preview(&request());
        assert_eq!((whole["params"]["arguments"]["session_id"].as_str(), is_exact), (Some("s"), false));
        let question = |method: &str| jsonrpc::request(7, method, &json!({}));
        let narrow = json!({"type": "object", "additionalProperties": false, "properties": {"event": {}}});
        let tools =
            ["linus_chat", "linus_session_state"].map(|name| json!({"name": name, "inputSchema": narrow}));
        learnt.learn(&question("initialize"), &json!({"protocolVersion": "2025-06-18"}));
        learnt.learn(&question("tools/list"), &json!({"tools": tools}));
        let (call, is_exact) = learnt.preview(&request());
        assert!(is_exact, "{call}");
        assert_eq!(call["params"]["arguments"], json!({"event": "connected"}));
        assert_eq!(
            (call["method"].as_str(), call["params"]["name"].as_str()),
            (Some("tools/call"), Some("linus_session_state"))
        );
    }

    #[test]
    fn what_is_learnt_is_bounded() {
        let mut learnt = Learnt::default();
        for n in 0..1000 {
            let page = jsonrpc::request(1, "tools/list", &json!({"cursor": n}));
            learnt.learn(&page, &json!({"tools": "x".repeat(10_000)}));
        }
        assert!(learnt.answers.len() <= ANSWERS_LIMIT && learnt.bytes <= BYTES_LIMIT);
    }
}
