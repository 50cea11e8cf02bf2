//! What an MCP server of ours offers, whatever carries its messages: the built-in Linus and the sessions for other agents
//! are services, and a door (stdio, HTTP) is what carries one.
//!
//! A call blocks its thread and ends early when it is taken back. Values are MCP's own JSON, as in 2025-11-25 and
//! 2026-07-28, so that a door adds what its transport adds and nothing else.

use serde_json::{Map, Value, json};

use super::cancel::Canceller;
use super::jsonrpc::ErrorObject;

/// Who calls, and what happens meanwhile.
pub struct Call<'a> {
    /// The user whose token came with the call. Empty for the one user of a process: no token's name is.
    pub principal: &'a str,
    /// What the client calls itself, made harmless; empty if it does not.
    pub client: &'a str,
    /// Taken back by the client, or its connection is gone.
    pub cancel: &'a Canceller,
    /// Hears the answer as it is made, whole each time.
    pub on_progress: &'a mut dyn FnMut(&str),
}

/// What a service is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    pub name: &'static str,
    pub title: &'static str,
    /// For the model that is to use it.
    pub instructions: &'static str,
}

/// Something that a subscriber is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The resource of this URI is another now.
    Resource(String),
    /// There are others.
    Resources,
}

/// Ends the watching when it is dropped.
pub type Watching = Box<dyn Send>;

pub trait Service: Send + Sync + 'static {
    fn about(&self) -> About;

    /// The `tools` of `tools/list`.
    fn tools(&self) -> Vec<Value>;

    /// The result of `tools/call`. Wrong arguments of a tool are a result with `isError` where the tool can say more than
    /// a code; an unknown tool is an error of the protocol (-32602).
    fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        call: &mut Call<'_>,
    ) -> Result<Value, ErrorObject>;

    /// Whether it has resources that can be read and watched.
    fn has_resources(&self) -> bool {
        false
    }

    /// The `resources` of `resources/list`, as `call.principal` may see them.
    fn resources(&self, _: &mut Call<'_>) -> Vec<Value> {
        Vec::new()
    }

    /// The result of `resources/read`.
    fn read(&self, uri: &str, _: &mut Call<'_>) -> Result<Value, ErrorObject> {
        Err(not_found(uri))
    }

    /// Tells `sink` of changes from now on; `None` where there never are any.
    fn watch(&self, _sink: Box<dyn Fn(Change) + Send + Sync>) -> Option<Watching> {
        None
    }
}

/// MCP up to 2025-11-25; later revisions use -32602.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The error for a resource that is not there.
pub fn not_found(uri: &str) -> ErrorObject {
    let what = format!("resource not found: {uri}");
    ErrorObject { data: json!({"uri": uri}), ..ErrorObject::new(RESOURCE_NOT_FOUND, what) }
}

/// The result of a tool that has done what was asked: structured, and as text for clients that read only that.
pub fn done(value: &Value) -> Value {
    json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value, "isError": false})
}

/// The result of a tool that has not, with the reason for the caller's model.
pub fn failed(why: &str) -> Value {
    json!({"content": [{"type": "text", "text": why}], "isError": true})
}
