//! How a lane talks to Linus, and what a way of talking has to provide.
//!
//! [`Peer`] is what a lane sees. [`Transport`] is what carries one JSON-RPC message; the MCP logic above it
//! (`mcp.rs`) is the same for HTTP and for the built-in Linus.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::call_error::CallError;
use super::cancel::Canceller;
use super::contract::{Envelope, Request};
use super::jsonrpc::ErrorObject;
use super::revision::{Era, Revision};

/// Linus's answer as read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub envelope: Envelope,
    /// Blocks and cards that were left out because they could not be read, one line each.
    pub complaints: Vec<String>,
    /// What the server takes from now on.
    pub takes: Takes,
}

/// What of the background a server takes. Until it is known, what every server may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    pub updates: bool,
    pub commands: bool,
    /// Its schema names `final`: it wants a command's end also where it was told of it at 5 s.
    pub finals: bool,
}

impl Default for Takes {
    fn default() -> Self {
        Self { updates: true, commands: true, finals: false }
    }
}

/// Whom we talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub revision: Revision,
    /// Name and version as the server tells them, made harmless; empty if it does not.
    pub name: String,
    /// The contract's tools that it does not have.
    pub missing: Vec<&'static str>,
    pub takes: Takes,
}

pub trait Peer: Send {
    /// Sends one message and waits for its answer. Connects first where that is needed.
    fn call(
        &mut self,
        request: &Request,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Answer, CallError>;

    /// Connects anew: is Linus there, and does he have the tools?
    fn probe(&mut self, cancel: &Canceller) -> Result<Server, CallError>;
}

/// One message on its way.
#[derive(Debug, Clone, Copy)]
pub struct Post<'a> {
    pub message: &'a Value,
    /// The revision in force, `None` before one was agreed on.
    pub revision: Option<Revision>,
    /// What the server wants mirrored in headers (`Mcp-Param-…`), 2026-07-28.
    pub mirrored: &'a [(String, String)],
    /// The time that the whole exchange may take.
    pub budget: Duration,
    pub cancel: &'a Canceller,
}

/// Why a post failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    Call(CallError),
    /// The server no longer knows our session and did not act on the message. The error is what the user sees
    /// if a new session does not help.
    SessionLost(CallError),
}

impl Failure {
    pub fn into_call_error(self) -> CallError {
        match self {
            Self::Call(error) | Self::SessionLost(error) => error,
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// The outcome of a request; `None` for a notification that was taken.
pub(crate) type Posted = Option<Result<Value, ErrorObject>>;

/// Hears what arrives besides the answer.
pub trait Listener {
    /// A notification.
    fn notice(&mut self, method: &str, params: &Value);

    /// A request of the server's: the result for it, or `None` where that is not offered.
    fn asked(&mut self, method: &str, params: &Value) -> Option<Value>;
}

/// Hears nothing and offers nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deaf;

impl Listener for Deaf {
    fn notice(&mut self, _: &str, _: &Value) {}

    fn asked(&mut self, _: &str, _: &Value) -> Option<Value> {
        None
    }
}

/// What a client does for a server in the middle of a call. aissh itself offers nothing.
pub trait Offers: Send {
    /// The client capabilities that say so.
    fn capabilities(&self) -> Value;

    /// The result for a request of the server's, `None` if it is not among them.
    fn answer(&mut self, method: &str, params: &Value) -> Option<Value>;
}

/// What is offered, for whoever hears the server's requests.
#[derive(Clone)]
pub struct Asked(Arc<Mutex<dyn Offers>>);

impl Asked {
    pub(crate) fn new(offers: impl Offers + 'static) -> Self {
        Self(Arc::new(Mutex::new(offers)))
    }

    pub(crate) fn capabilities(&self) -> Value {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).capabilities()
    }

    pub(crate) fn answer(&self, method: &str, params: &Value) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).answer(method, params)
    }
}

pub trait Transport: Send {
    /// Carries one request or notification. What arrives meanwhile goes to `listener`.
    fn post(&mut self, post: &Post<'_>, listener: &mut dyn Listener) -> Result<Posted, Failure>;

    /// Makes ready for a handshake: forgets the session, or starts the command if it does not run.
    fn begin(&mut self) -> Result<(), CallError> {
        Ok(())
    }

    /// The connection that a handshake holds for: another number, another handshake.
    fn epoch(&self) -> u64 {
        0
    }

    /// Whether the other side is one process that all clients of it share and that stays what it is while it lives.
    fn is_process(&self) -> bool {
        false
    }

    /// Hears, from a legacy server that has just been shaken hands with, what it asks outside of calls.
    fn listen(&mut self, _: &Asked) {}

    /// Ends a connection that is of no more use.
    fn abandon(&mut self) {}

    /// Whether a call is taken back by a notice; else the closed connection says it.
    fn takes_back(&self, era: Era) -> bool {
        era == Era::Legacy
    }
}
