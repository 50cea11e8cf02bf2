//! How a lane talks to Linus, and what a way of talking has to provide.
//!
//! [`Peer`] is what a lane sees. [`Transport`] is what carries one JSON-RPC message; the MCP logic above it
//! (`mcp.rs`) is the same for HTTP and for the built-in Linus.

use std::time::Duration;

use serde_json::Value;

use super::call_error::CallError;
use super::cancel::Canceller;
use super::contract::{Envelope, Request};
use super::jsonrpc::ErrorObject;
use super::revision::Revision;

/// Linus's answer as read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub envelope: Envelope,
    /// Blocks and cards that were left out because they could not be read, one line each.
    pub complaints: Vec<String>,
    /// The server wants a command's end also where it was told of it at 5 s.
    pub takes_final: bool,
}

/// Whom we talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub revision: Revision,
    /// Name and version as the server tells them, made harmless; empty if it does not.
    pub name: String,
    /// The contract's tools that it does not have.
    pub missing: Vec<&'static str>,
    /// Its schema names `final`.
    pub takes_final: bool,
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

pub trait Transport: Send {
    /// Carries one request or notification. Notifications that arrive meanwhile go to `notice` as method and
    /// parameters.
    fn post(&mut self, post: &Post<'_>, notice: &mut dyn FnMut(&str, &Value)) -> Result<Posted, Failure>;

    /// Forgets the session, before a new `initialize`.
    fn forget_session(&mut self) {}
}
