//! The transport over HTTP: a message sent, followed once, and its answer or refusal read.
//!
//! A cancelled exchange shuts its agent down and a fresh one takes its place. Sessions of the legacy era are
//! kept here, because they are a matter of headers.

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;
use ureq::http::header::LOCATION;

use super::answer::Reading;
use super::config::HttpConfig;
use super::wire::{Line, Wire, bounded};
use crate::linus::call_error::CallError;
use crate::linus::jsonrpc::{self, ErrorObject, Incoming};
use crate::linus::origin;
use crate::linus::peer::{Failure, Post, Posted, Transport};

/// Of a refusal, only a JSON-RPC error is of interest.
const REFUSAL_LIMIT: usize = 64 * 1024;
/// Session ids longer than this are not sent back.
const SESSION_LIMIT: usize = 1024;

pub struct Http(Line);

impl Http {
    pub(super) fn new(config: HttpConfig) -> Result<Self, CallError> {
        Line::new(config).map(Self)
    }
}

impl Transport for Http {
    fn post(&mut self, post: &Post<'_>, notice: &mut dyn FnMut(&str, &Value)) -> Result<Posted, Failure> {
        if post.cancel.is_cancelled() {
            return Err(CallError::Cancelled.into());
        }
        let agent = self.0.agent.clone();
        let hooked = post.cancel.on_cancel(move || agent.shutdown());
        let outcome = self.exchange(post, notice);
        drop(hooked);
        if !post.cancel.is_cancelled() {
            return outcome;
        }
        self.0.renew();
        outcome.map_err(|_| CallError::Cancelled.into())
    }

    fn forget_session(&mut self) {
        self.0.session = None;
    }
}

impl Http {
    fn exchange(&mut self, post: &Post<'_>, notice: &mut dyn FnMut(&str, &Value)) -> Result<Posted, Failure> {
        let mut wire = Wire::new(&self.0, post);
        let mut response = wire.send(post.message)?;
        if matches!(response.status().as_u16(), 307 | 308) {
            let location = response.headers().get(LOCATION).and_then(|l| l.to_str().ok());
            let target = location.and_then(|l| origin::redirect(&wire.uri, l));
            wire.uri = target.ok_or(CallError::Http(response.status().as_u16()))?;
            response = wire.send(post.message)?;
        }
        if !response.status().is_success() {
            return refusal(&wire, response);
        }
        let Some(id) = post.message.get("id") else { return Ok(None) };
        let session = session_id(&response);
        let outcome = Reading::new(&wire, id, notice).read(response)?;
        // Only an accepted initialize begins a session; ids on refusals and other answers are not ours.
        if outcome.is_ok() && post.message.get("method").is_some_and(|m| m == "initialize") {
            self.0.session = session;
        }
        Ok(Some(outcome))
    }
}

/// An answer that is not a success. Its body counts only if it is a JSON-RPC error for our request.
fn refusal(wire: &Wire<'_>, response: Response<Body>) -> Result<Posted, Failure> {
    let status = response.status().as_u16();
    if matches!(status, 401 | 403) {
        return Err(CallError::Auth(status).into());
    }
    let id = wire.post.message.get("id").unwrap_or(&Value::Null);
    let body = bounded(response.into_body(), REFUSAL_LIMIT).unwrap_or_default();
    let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let error = match jsonrpc::classify(&message, id) {
        Incoming::Answer(Err(error)) => Some(error),
        _ => None,
    };
    // The specification says 404 for a session that is gone; servers in the field also say 400.
    let with_session = wire.headers().iter().any(|(name, _)| name == "Mcp-Session-Id");
    if with_session && matches!(status, 400 | 404) {
        let shown = error.map_or(CallError::Http(status), ErrorObject::into_call_error);
        return Err(Failure::SessionLost(shown));
    }
    match error {
        Some(error) => Ok(Some(Err(error))),
        None => Err(CallError::Http(status).into()),
    }
}

fn session_id(response: &Response<Body>) -> Option<String> {
    let id = response.headers().get("mcp-session-id")?.to_str().ok()?;
    (!id.is_empty() && id.len() <= SESSION_LIMIT && id.bytes().all(|b| b.is_ascii_graphic()))
        .then(|| id.to_owned())
}
