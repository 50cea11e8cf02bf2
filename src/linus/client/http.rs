//! The transport over HTTP: a message sent, followed once, and its answer or refusal read.
//!
//! A cancelled exchange shuts its agent down and a fresh one takes its place. Sessions of the legacy era are
//! kept here, because they are a matter of headers.

use serde_json::Value;
use ureq::http::Response;
use ureq::http::header::{LOCATION, WWW_AUTHENTICATE};
use ureq::{Agent, Body};

use super::answer::Reading;
use super::config::HttpConfig;
use super::listen;
use super::wire::{Line, Wire, bounded};
use crate::linus::call_error::CallError;
use crate::linus::credentials::{Credentials, Refusal};
use crate::linus::jsonrpc::{self, ErrorObject, Incoming};
use crate::linus::oauth::Challenge;
use crate::linus::origin;
use crate::linus::peer::{Asked, Failure, Listener, Post, Posted, Transport};

/// Of a refusal, only a JSON-RPC error is of interest.
const REFUSAL_LIMIT: usize = 64 * 1024;
/// Session ids longer than this are not sent back.
const SESSION_LIMIT: usize = 1024;

pub struct Http {
    line: Line,
    /// The agent of the standalone stream.
    listening: Option<Agent>,
}

impl Http {
    pub(super) fn new(config: HttpConfig) -> Result<Self, CallError> {
        Ok(Self { line: Line::new(config)?, listening: None })
    }
}

impl Transport for Http {
    fn post(&mut self, post: &Post<'_>, listener: &mut dyn Listener) -> Result<Posted, Failure> {
        if post.cancel.is_cancelled() {
            return Err(CallError::Cancelled.into());
        }
        let agent = self.line.agent.clone();
        let hooked = post.cancel.on_cancel(move || agent.shutdown());
        let outcome = self.exchange(post, listener);
        if let Ok(Some(Ok(result))) = &outcome {
            self.line.answered(post.message, result);
        }
        drop(hooked);
        if !post.cancel.is_cancelled() {
            return outcome;
        }
        self.line.renew()?;
        outcome.map_err(|_| CallError::Cancelled.into())
    }

    fn begin(&mut self) -> Result<(), CallError> {
        self.hear_no_more();
        self.line.session = None;
        Ok(())
    }

    fn listen(&mut self, asked: &Asked) {
        if let Ok(line) = self.line.beside() {
            self.listening = Some(line.agent.clone());
            listen::start(line, asked.clone());
        }
    }
}

/// Tells a legacy server that its session is over, so that it need not keep it. Nobody waits for what it says.
impl Drop for Http {
    fn drop(&mut self) {
        self.hear_no_more();
        self.line.end_session();
    }
}

impl Http {
    fn hear_no_more(&mut self) {
        if let Some(agent) = self.listening.take() {
            agent.shutdown();
        }
    }

    fn exchange(&mut self, post: &Post<'_>, listener: &mut dyn Listener) -> Result<Posted, Failure> {
        self.line.revision = post.revision;
        let mut wire = Wire::new(&self.line, post);
        let response = authorized(&mut wire, self.line.credentials())?;
        let shown = wire.shown();
        if !response.status().is_success() {
            return refusal(&wire, response);
        }
        let Some(id) = post.message.get("id") else { return Ok(None) };
        let session = session_id(&response);
        let outcome = Reading::new(&wire, id, listener).read(response)?;
        self.line.shown = shown;
        // Only an accepted initialize begins a session; ids on refusals and other answers are not ours.
        if outcome.is_ok() && post.message.get("method").is_some_and(|m| m == "initialize") {
            self.line.session = session;
        }
        Ok(Some(outcome))
    }
}

/// The answer to the message with a token that is accepted, if there is one. 401 and 403 mean that the message was not
/// acted on, so it may be sent again.
fn authorized(wire: &mut Wire<'_>, credentials: &Credentials) -> Result<Response<Body>, CallError> {
    let cancel = wire.post.cancel;
    let token = credentials.token(cancel)?;
    wire.show(token.as_ref())?;
    let response = followed(wire)?;
    let Some(refusal) = refused(&response) else { return Ok(response) };
    let another = credentials.another(&refusal, token.as_ref(), cancel)?;
    wire.show(Some(&another))?;
    let response = followed(wire)?;
    refused(&response).map_or(Ok(response), |refusal| Err(credentials.refused(&refusal)))
}

/// Sends the message, and once more where a redirect within the origin leads.
fn followed(wire: &mut Wire<'_>) -> Result<Response<Body>, CallError> {
    let response = wire.send(wire.post.message)?;
    if !matches!(response.status().as_u16(), 307 | 308) {
        return Ok(response);
    }
    let location = response.headers().get(LOCATION).and_then(|l| l.to_str().ok());
    let target = location.and_then(|l| origin::redirect(&wire.uri, l));
    wire.uri = target.ok_or(CallError::Http(response.status().as_u16()))?;
    wire.send(wire.post.message)
}

fn refused(response: &Response<Body>) -> Option<Refusal> {
    let status = response.status().as_u16();
    let challenges =
        response.headers().get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    matches!(status, 401 | 403).then(|| Refusal { status, challenge: Challenge::read(challenges) })
}

/// An answer that is not a success. Its body counts only if it is a JSON-RPC error for our request.
fn refusal(wire: &Wire<'_>, response: Response<Body>) -> Result<Posted, Failure> {
    let status = response.status().as_u16();
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
