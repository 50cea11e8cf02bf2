//! The connection settings in use, and one message sent over them with ureq.
//!
//! Blocking. Every read has an idle timeout, every exchange an end. What an answer says is not looked at here.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, HeaderValue};
use ureq::http::{Response, Uri};
use ureq::{Agent, Body, SendBody, Timeout};

use super::config::HttpConfig;
use super::headers;
use crate::linus::call_error::CallError;
use crate::linus::credentials::Credentials;
use crate::linus::peer::Post;
use crate::linus::revision::Revision;
use crate::linus::secret::Secret;
use crate::linus::{origin, proxy};

/// Answering a server's own request must not eat the time of the call.
const SIDE_BUDGET: Duration = Duration::from_secs(5);

/// The end of a session is a courtesy: no longer than a round trip to the other side of the world.
const END_BUDGET: Duration = Duration::from_millis(300);

/// How long a connection is kept for the next call. Node and uvicorn close theirs after 5 s, and a message sent
/// into that very moment would be 'perhaps delivered'.
const KEEP_ALIVE: Duration = Duration::from_secs(4);

/// How Linus is reached: address, credential, the agent with its connections, the legacy session.
pub(super) struct Line {
    config: HttpConfig,
    pub(super) uri: Uri,
    /// The credential of the latest message that was answered.
    pub(super) shown: Option<HeaderValue>,
    pub(super) agent: Agent,
    pub(super) session: Option<String>,
    /// The revision of the latest message.
    pub(super) revision: Option<Revision>,
}

impl Line {
    pub(super) fn new(config: HttpConfig) -> Result<Self, CallError> {
        let uri = origin::parse(&config.url).map_err(CallError::unreachable)?;
        // One that cannot be sent is a mistake of the configuration, and said at once.
        config.credentials.fixed().map(authorization).transpose()?;
        let agent = new_agent(&config, &uri)?;
        Ok(Self { config, uri, shown: None, agent, session: None, revision: None })
    }

    pub(super) fn credentials(&self) -> &Credentials {
        &self.config.credentials
    }

    /// The same session over connections of its own.
    pub(super) fn beside(&self) -> Result<Self, CallError> {
        let (session, revision, shown) = (self.session.clone(), self.revision, self.shown.clone());
        Ok(Self { session, revision, shown, ..Self::new(self.config.clone())? })
    }

    /// One DELETE for the session, if there is one; a server that does not offer it says 405.
    pub(super) fn end_session(&mut self) {
        let Some(session) = self.session.take() else { return };
        let request = self.agent.delete(&self.uri).config().timeout_global(Some(END_BUDGET)).build();
        let mut request = request.header("Mcp-Session-Id", session);
        if let Some(revision) = self.revision.filter(|r| r.has_version_header()) {
            request = request.header("MCP-Protocol-Version", revision.as_str());
        }
        if let Some(shown) = &self.shown {
            request = request.header(AUTHORIZATION, shown);
        }
        let _ = request.call();
    }

    pub(super) fn answered(&self, message: &Value, result: &Value) {
        if let Some(tap) = &self.config.tap {
            tap.answered(message, result);
        }
    }

    /// A new agent after the old one was shut down.
    pub(super) fn renew(&mut self) -> Result<(), CallError> {
        self.agent = new_agent(&self.config, &self.uri)?;
        Ok(())
    }
}

/// One exchange: where it goes and when it must be over.
pub(super) struct Wire<'a> {
    line: &'a Line,
    pub(super) post: &'a Post<'a>,
    pub(super) uri: Uri,
    authorization: Option<HeaderValue>,
    end: Instant,
}

impl<'a> Wire<'a> {
    pub(super) fn new(line: &'a Line, post: &'a Post<'a>) -> Self {
        Self {
            line,
            post,
            uri: line.uri.clone(),
            authorization: line.shown.clone(),
            end: Instant::now() + post.budget,
        }
    }

    pub(super) fn shown(&self) -> Option<HeaderValue> {
        self.authorization.clone()
    }

    /// What the next messages show.
    pub(super) fn show(&mut self, token: Option<&Secret>) -> Result<(), CallError> {
        self.authorization = token.map(authorization).transpose()?;
        Ok(())
    }

    pub(super) fn left(&self) -> Result<Duration, CallError> {
        let left = self.end.checked_duration_since(Instant::now()).filter(|l| !l.is_zero());
        left.ok_or(CallError::Timeout)
    }

    pub(super) fn send(&self, message: &Value) -> Result<Response<Body>, CallError> {
        self.send_within(message, self.left()?)
    }

    /// The answer to a request of the server: nobody waits for what becomes of it.
    pub(super) fn send_aside(&self, message: &Value) {
        if let Ok(left) = self.left() {
            let _ = self.send_within(message, left.min(SIDE_BUDGET));
        }
    }

    fn send_within(&self, message: &Value, budget: Duration) -> Result<Response<Body>, CallError> {
        let bytes = message.to_string().into_bytes();
        if let Some(tap) = &self.line.config.tap {
            tap.going(message, &bytes);
        }
        let mut builder = self.line.agent.post(&self.uri).config().timeout_global(Some(budget)).build();
        builder = builder
            .header("Content-Type", "application/json")
            .header("Content-Length", bytes.len())
            .header("Accept", headers::ACCEPT);
        for (name, value) in self.headers() {
            builder = builder.header(name, value);
        }
        let mut body = Watched { rest: &bytes };
        let sent = builder.send(SendBody::from_reader(&mut body));
        sent.map_err(|e| told(&e, body.rest.is_empty()))
    }

    /// Asks for the rest of a broken legacy stream.
    pub(super) fn resume(&self, last_id: &str) -> Result<Response<Body>, CallError> {
        let budget = self.left()?;
        let mut builder = self.line.agent.get(&self.uri).config().timeout_global(Some(budget)).build();
        builder = builder.header("Accept", "text/event-stream").header("Last-Event-ID", last_id);
        for (name, value) in self.headers() {
            builder = builder.header(name, value);
        }
        builder.call().map_err(|e| told(&e, true))
    }

    /// Opens the standalone stream of a legacy session. It may be silent for as long as it lasts.
    pub(super) fn listen(&self) -> Result<Response<Body>, CallError> {
        let request = self.line.agent.get(&self.uri).config().timeout_per_read(None).build();
        let mut request = request.header("Accept", "text/event-stream");
        for (name, value) in self.headers() {
            request = request.header(name, value);
        }
        request.call().map_err(|e| told(&e, true))
    }

    pub(super) fn headers(&self) -> Vec<(String, HeaderValue)> {
        let headers = headers::of(self.post, self.line.session.as_deref()).into_iter();
        // Values are visible ASCII by construction; one that were not would only be left out.
        let mut headers: Vec<_> =
            headers.filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value).ok()?))).collect();
        if let Some(authorization) = &self.authorization {
            headers.push((AUTHORIZATION.as_str().to_owned(), authorization.clone()));
        }
        headers
    }
}

fn authorization(token: &Secret) -> Result<HeaderValue, CallError> {
    let value = HeaderValue::from_str(&format!("Bearer {}", token.expose()));
    let mut value = value.map_err(|_| CallError::auth("the token has characters that no header takes"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// A body that remembers whether all of it was taken. Until then the server cannot have acted on it.
struct Watched<'a> {
    rest: &'a [u8],
}

impl Read for Watched<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.rest.read(buf)
    }
}

/// Reads all of a body, or says that it is too large or broke off.
pub(super) fn bounded(body: Body, limit: usize) -> Result<Vec<u8>, CallError> {
    let mut bytes = Vec::new();
    let read = body.into_reader().take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| told(&e.into(), true))?;
    if bytes.len() > limit {
        return Err(CallError::protocol(format!("the answer is larger than {} KiB", limit / 1024)));
    }
    Ok(bytes)
}

/// What an error of ureq means, depending on whether the whole message had been handed over.
pub(super) fn told(error: &ureq::Error, sent: bool) -> CallError {
    match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            CallError::unreachable("no connection in time")
        }
        ureq::Error::Timeout(_) if sent => CallError::Timeout,
        ureq::Error::Timeout(_) => CallError::unreachable("the message could not be sent in time"),
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) if sent => {
            CallError::protocol(format!("not HTTP: {error}"))
        }
        ureq::Error::Io(_) | ureq::Error::BodyStalled if sent => CallError::lost(error.to_string()),
        ureq::Error::HostNotFound => CallError::unreachable("its host name is not known"),
        // "Connection refused" says it; the number of the error does not help.
        ureq::Error::Io(e) => {
            let text = e.to_string();
            CallError::unreachable(text.split(" (os error").next().unwrap_or(&text).to_lowercase())
        }
        _ => CallError::unreachable(error.to_string()),
    }
}

fn new_agent(config: &HttpConfig, uri: &Uri) -> Result<Agent, CallError> {
    let builder = Agent::config_builder()
        // The body of a refusal is read, and redirects are followed by hand: ureq refuses to send a POST on.
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_resolve(Some(config.connect))
        .timeout_connect(Some(config.connect))
        .timeout_per_read(Some(config.idle))
        .timeout_per_write(Some(config.idle))
        .max_idle_age(KEEP_ALIVE)
        .user_agent(concat!("aissh/", env!("CARGO_PKG_VERSION")))
        .tls_config(config.tls.config())
        .proxy(proxy::choose(uri, |name| std::env::var(name).ok())?);
    Ok(builder.build().new_agent())
}
