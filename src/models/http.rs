//! One request to a model's server: its key, its retries, its event stream. What the events mean the protocols say.
//!
//! Blocking; taken back from another thread it ends at once. Every read has an idle timeout, every request an end, every
//! body and line a bound. A redirect is never followed: the key goes where it was meant to go.

use std::io::Read;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::header::{CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use ureq::http::{Response, Uri};
use ureq::{Agent, Body, Timeout};

use super::fault::Fault;
use super::key::Key;
use super::{Completion, ModelError};
use crate::linus::preview::Tap;
use crate::linus::sse::SseParser;
use crate::linus::{Canceller, Secret, Tls, one_line, origin, proxy};
use crate::random;

/// For the name, the TCP connection and TLS together.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest silence: a small machine reads a long prompt for a while before its first word.
const IDLE: Duration = Duration::from_secs(180);
/// For what is no answer of the model: lists, properties.
const LOOK: Duration = Duration::from_secs(5);
/// Tries after the first.
const RETRIES: u32 = 3;
/// What is waited before a retry where the server does not say, doubled each time, and the most that is waited.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_LIMIT: Duration = Duration::from_secs(30);
/// An answer that does not stream, and what a server says of itself.
const BODY_LIMIT: u64 = 4 * 1024 * 1024;
/// Of an error.
const FAULT_LIMIT: u64 = 64 * 1024;
/// What a model may say: a reply is a few KiB. What goes on after it is cut off.
pub(super) const TEXT_LIMIT: usize = 256 * 1024;
const READ_SIZE: usize = 16 * 1024;

/// How a protocol shows its key, and what it has in every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manner {
    /// The header of the key, and what stands before it there.
    pub(super) key: (&'static str, &'static str),
    pub(super) headers: &'static [(&'static str, &'static str)],
}

/// What is read of an answer, event by event.
pub(super) trait Reading {
    /// One event, or the whole body of an answer that does not stream. True when no more is needed.
    fn event(&mut self, event: &Value, completion: &mut Completion) -> bool;

    /// Whether the answer is whole if nothing more comes.
    fn is_whole(&self) -> bool;
}

/// A server with models.
pub struct Http {
    base: Uri,
    key: Key,
    tls: Tls,
    /// For one whole answer.
    total: Duration,
    tap: Option<Tap>,
}

/// Why a request has no answer.
pub(super) enum Refusal {
    Fault(Fault),
    Error(ModelError),
}

impl From<ModelError> for Refusal {
    fn from(error: ModelError) -> Self {
        Self::Error(error)
    }
}

impl Refusal {
    pub(super) fn into_error(self) -> ModelError {
        match self {
            Self::Fault(fault) => fault.into_error(),
            Self::Error(error) => error,
        }
    }
}

/// One request.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) path: &'a str,
    pub(super) body: &'a Value,
    pub(super) manner: Manner,
    pub(super) cancel: &'a Canceller,
}

impl Http {
    /// Checks the address; nothing is sent yet.
    pub fn new(url: &str, key: Key, tls: Tls, total: Duration, tap: Option<Tap>) -> Result<Self, String> {
        Ok(Self { base: origin::parse(url)?, key, tls, total, tap })
    }

    /// Scheme, host and port, for the user.
    pub(super) fn origin(&self) -> String {
        origin::name(&self.base).unwrap_or_default()
    }

    /// The address of `path` (`/chat/completions`): below the configured one, which may be the whole of it already, and
    /// below `/v1` where none was given.
    fn uri(&self, path: &str) -> Result<Uri, ModelError> {
        let base = self.base.to_string();
        let base = base.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let whole = match self.base.path().trim_end_matches('/') {
            "" => format!("{base}/v1{path}"),
            given if given.ends_with(path) => base.to_owned(),
            _ => format!("{base}{path}"),
        };
        whole.parse().map_err(|_| ModelError::Failed(format!("{} is no address", one_line(&whole))))
    }

    /// The address of `path` from the root, for what some servers have beside the interface.
    fn root(&self, path: &str) -> Option<Uri> {
        format!("{}{path}", self.origin()).parse().ok()
    }

    /// Asks, and again while the server only asks for patience and nothing was heard yet.
    pub(super) fn stream(
        &self,
        ask: &Ask<'_>,
        reading: &mut dyn FnMut() -> Box<dyn Reading>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, Refusal> {
        let end = Instant::now() + self.total;
        let mut tries = 0;
        loop {
            let mut is_heard = false;
            let mut hear = |text: &str| {
                is_heard = true;
                on_text(text);
            };
            let fault = match self.once(ask, &mut *reading(), &mut hear, end) {
                Err(_) if ask.cancel.is_cancelled() => return Err(ModelError::Cancelled.into()),
                Err(Refusal::Fault(fault)) if fault.is_passing() && !fault.is_too_long() => fault,
                outcome => return outcome,
            };
            let pause = pause(tries, fault.wait);
            let is_last = tries == RETRIES || pause > PAUSE_LIMIT || Instant::now() + pause > end;
            if is_heard || is_last {
                return Err(Refusal::Fault(fault));
            }
            if ask.cancel.wait(pause) {
                return Err(ModelError::Cancelled.into());
            }
            tries += 1;
        }
    }

    fn once(
        &self,
        ask: &Ask<'_>,
        reading: &mut dyn Reading,
        on_text: &mut dyn FnMut(&str),
        end: Instant,
    ) -> Result<Completion, Refusal> {
        let agent = self.agent()?;
        let stopped = agent.clone();
        let _hooked = ask.cancel.on_cancel(move || stopped.shutdown());
        let response = self.authorized(&agent, ask, end)?;
        if !response.status().is_success() {
            return Err(refused(response));
        }
        let mut answer = Answer { completion: Completion::default(), on_text, reading };
        if is_stream(&response) {
            answer.stream(response.into_body())?
        } else {
            answer.whole(response.into_body())?
        }
        match answer.completion {
            Completion { text, is_cut: true, .. } if text.is_empty() => Err(ModelError::Failed(
                "it used up its tokens before it said anything: raise max_tokens".into(),
            )
            .into()),
            Completion { text, .. } if text.is_empty() => {
                Err(ModelError::Failed("it has said nothing".into()).into())
            }
            completion => Ok(completion),
        }
    }

    /// The response with a key that is accepted, if there is one.
    fn authorized(&self, agent: &Agent, ask: &Ask<'_>, end: Instant) -> Result<Response<Body>, ModelError> {
        let key = self.key.secret(ask.cancel)?;
        let response = self.post(agent, ask, key.as_ref(), end)?;
        let status = response.status().as_u16();
        if !matches!(status, 401 | 403) {
            return Ok(response);
        }
        let another = self.key.another(status, key.as_ref(), ask.cancel)?;
        let response = self.post(agent, ask, Some(&another), end)?;
        let status = response.status().as_u16();
        if matches!(status, 401 | 403) { Err(self.key.refused(status)) } else { Ok(response) }
    }

    fn post(
        &self,
        agent: &Agent,
        ask: &Ask<'_>,
        key: Option<&Secret>,
        end: Instant,
    ) -> Result<Response<Body>, ModelError> {
        let bytes = ask.body.to_string().into_bytes();
        if let Some(tap) = &self.tap {
            tap.sent(&bytes);
        }
        let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let request = agent.post(self.uri(ask.path)?).config().timeout_global(Some(left)).build();
        let mut request = request.header("Content-Type", "application/json").header("Accept", ACCEPT);
        for (name, value) in ask.manner.headers {
            request = request.header(*name, *value);
        }
        if let Some(value) = key.map(|key| header(ask.manner, key)).transpose()? {
            request = request.header(ask.manner.key.0, value);
        }
        request.send(&bytes[..]).map_err(|e| self.told(&e))
    }

    /// What the server says at one of these addresses below the interface's, or at the root (`/props`); quickly or not
    /// at all.
    pub(super) fn look(&self, path: &str, manner: Manner, cancel: &Canceller) -> Result<Value, ModelError> {
        let uri = if path == PROPS { self.root(path) } else { self.uri(path).ok() };
        let uri = uri.ok_or_else(|| ModelError::Failed("no address".into()))?;
        let agent = self.agent()?;
        let stopped = agent.clone();
        let _hooked = cancel.on_cancel(move || stopped.shutdown());
        let mut request = agent.get(uri).config().timeout_global(Some(LOOK)).build();
        for (name, value) in manner.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = self.key.secret(cancel)? {
            request = request.header(manner.key.0, header(manner, &key)?);
        }
        let response = request.call().map_err(|e| self.told(&e))?;
        match response.status().as_u16() {
            status @ (401 | 403) => Err(self.key.refused(status)),
            200 => serde_json::from_slice(&bounded(response.into_body(), BODY_LIMIT)?)
                .map_err(|_| ModelError::Failed("its answer is not JSON".into())),
            _ => Err(refused(response).into_error()),
        }
    }

    fn agent(&self) -> Result<Agent, ModelError> {
        let proxy = proxy::choose(&self.base, |name| std::env::var(name).ok());
        let builder = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(IDLE.min(self.total)))
            .timeout_per_write(Some(IDLE.min(self.total)))
            .user_agent(concat!("aissh/", env!("CARGO_PKG_VERSION")))
            .tls_config(self.tls.config())
            .proxy(proxy.map_err(|e| ModelError::Failed(e.to_string()))?);
        Ok(builder.build().new_agent())
    }

    fn told(&self, error: &ureq::Error) -> ModelError {
        let at = self.origin();
        ModelError::Failed(match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                format!("{at}: no connection in time")
            }
            ureq::Error::Timeout(_) => "no answer in time".to_owned(),
            ureq::Error::HostNotFound => format!("{at}: its host name is not known"),
            ureq::Error::Io(e) => {
                let text = e.to_string();
                format!("{at}: {}", one_line(text.split(" (os error").next().unwrap_or(&text)).to_lowercase())
            }
            error => format!("{at}: {}", one_line(&error.to_string())),
        })
    }
}

const ACCEPT: &str = "text/event-stream, application/json";
/// What llama.cpp's server says of itself.
pub(super) const PROPS: &str = "/props";

fn header(manner: Manner, key: &Secret) -> Result<HeaderValue, ModelError> {
    let value = HeaderValue::from_str(&format!("{}{}", manner.key.1, key.expose()));
    let mut value =
        value.map_err(|_| ModelError::Denied("the key has characters that no header takes".into()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn is_stream(response: &Response<Body>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// A response that is no success.
fn refused(response: Response<Body>) -> Refusal {
    let status = response.status().as_u16();
    let header = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if (300..400).contains(&status) {
        let to = one_line(header(LOCATION).unwrap_or("nowhere").split(['?', '#']).next().unwrap_or_default());
        return ModelError::Failed(format!(
            "HTTP {status}: it redirects to {to}; set url to the right address"
        ))
        .into();
    }
    // A date is also allowed there; the usual pause does for it.
    let wait = header(RETRY_AFTER).and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
    let body = bounded(response.into_body(), FAULT_LIMIT).unwrap_or_default();
    Refusal::Fault(Fault::of_body(status, &body).asking_for(wait))
}

fn bounded(body: Body, limit: u64) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    let read = body.into_reader().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| broken(&e))?;
    if bytes.len() as u64 > limit {
        return Err(ModelError::Failed(format!("its answer is larger than {} KiB", limit / 1024)));
    }
    Ok(bytes)
}

/// A little more than is asked for, so that not all come back at the same moment.
fn pause(tries: u32, asked: Option<Duration>) -> Duration {
    let pause = asked.unwrap_or(PAUSE * 2u32.pow(tries.min(8)));
    let [spread] = random::bytes::<1>().unwrap_or([128]);
    pause + PAUSE / 2 * u32::from(spread) / 255
}

fn broken(e: &std::io::Error) -> ModelError {
    let text = e.to_string();
    ModelError::Failed(if text.contains("timeout") {
        "the answer broke off: it was silent for too long".to_owned()
    } else {
        format!("the answer broke off: {}", one_line(&text))
    })
}

/// An answer as it comes.
struct Answer<'a> {
    completion: Completion,
    reading: &'a mut dyn Reading,
    on_text: &'a mut dyn FnMut(&str),
}

impl Answer<'_> {
    fn stream(&mut self, body: Body) -> Result<(), Refusal> {
        let too_large = |_| ModelError::Failed("its answer is too large".into());
        let (mut parser, mut reader, mut chunk) = (SseParser::default(), body.into_reader(), [0; READ_SIZE]);
        loop {
            let events = match reader.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => parser.feed(&chunk[..n]).map_err(too_large)?,
                Err(_) if self.reading.is_whole() => return Ok(()),
                Err(e) => return Err(broken(&e).into()),
            };
            for event in events {
                if self.take(&event.data)? {
                    return Ok(());
                }
            }
        }
        if let Some(event) = parser.finish().map_err(too_large)? {
            self.take(&event.data)?;
        }
        if self.reading.is_whole() {
            Ok(())
        } else {
            Err(ModelError::Failed("the answer broke off".into()).into())
        }
    }

    /// A server that does not stream although it was asked to.
    fn whole(&mut self, body: Body) -> Result<(), Refusal> {
        let bytes = bounded(body, BODY_LIMIT)?;
        self.take(&String::from_utf8_lossy(&bytes))?;
        if self.reading.is_whole() {
            Ok(())
        } else {
            Err(ModelError::Failed("its answer is not one of a model".into()).into())
        }
    }

    /// True when no more is needed.
    fn take(&mut self, data: &str) -> Result<bool, Refusal> {
        if data == "[DONE]" {
            return Ok(true);
        }
        let event =
            serde_json::from_str(data).map_err(|_| ModelError::Failed("its answer is not JSON".into()))?;
        if let Some(fault) = Fault::of(&event) {
            return Err(Refusal::Fault(fault));
        }
        let before = self.completion.text.len();
        let is_done = self.reading.event(&event, &mut self.completion);
        if self.completion.text.len() > before {
            (self.on_text)(&self.completion.text);
        }
        if self.completion.text.len() > TEXT_LIMIT {
            self.completion.text.truncate(crate::text::cut(&self.completion.text, TEXT_LIMIT).len());
            self.completion.is_cut = true;
            return Ok(true);
        }
        Ok(is_done)
    }
}
