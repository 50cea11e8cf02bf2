//! The requests of a sign-in: metadata, registration, tokens. Blocking, bounded, and never redirected: a credential goes
//! where it was meant to go.

use std::io::Read;
use std::time::Duration;

use serde_json::Value;
use ureq::http::header::AUTHORIZATION;
use ureq::http::{HeaderValue, Response, Uri};
use ureq::{Agent, Body};

use super::endpoint::{parse, shown};
use super::token::Form;
use crate::linus::call_error::one_line;
use crate::linus::proxy;
use crate::linus::tls::Tls;

/// For one whole exchange. Authorization servers answer in well under a second, or not at all.
const EXCHANGE: Duration = Duration::from_secs(15);
const CONNECT: Duration = Duration::from_secs(5);
/// Metadata documents are a few KiB; tokens with many claims some more.
const BODY_LIMIT: u64 = 256 * 1024;

/// What came back. A body that is not JSON is `Null`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetched {
    pub status: u16,
    pub body: Value,
}

/// Fetches with what is trusted for Linus himself, through the user's proxy except on this machine.
#[derive(Debug, Clone, Default)]
pub struct Fetcher {
    tls: Tls,
}

impl Fetcher {
    /// The certificate that is shown to Linus is shown to him alone.
    pub fn new(tls: &Tls) -> Self {
        Self { tls: tls.anonymous() }
    }

    pub fn get(&self, url: &str) -> Result<Fetched, String> {
        let uri = parse(url)?;
        // Servers of 2025-03-26 may choose the document by it.
        let request = self.agent(url, &uri)?.get(&uri).header("MCP-Protocol-Version", "2025-11-25");
        finish(url, request.header("Accept", "application/json").call())
    }

    pub fn post_json(&self, url: &str, body: &Value) -> Result<Fetched, String> {
        let uri = parse(url)?;
        let request = self.agent(url, &uri)?.post(&uri).header("Accept", "application/json");
        finish(url, request.header("Content-Type", "application/json").send(body.to_string()))
    }

    pub fn post_form(&self, url: &str, form: &Form) -> Result<Fetched, String> {
        let uri = parse(url)?;
        let mut request = self.agent(url, &uri)?.post(&uri).header("Accept", "application/json");
        if let Some(authorization) = &form.authorization {
            let mut value = HeaderValue::from_str(authorization.expose())
                .map_err(|_| "the client's secret has characters that no header takes".to_owned())?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let request = request.header("Content-Type", "application/x-www-form-urlencoded");
        finish(url, request.send(&form.body))
    }

    fn agent(&self, url: &str, uri: &Uri) -> Result<Agent, String> {
        let proxy = proxy::choose(uri, |name| std::env::var(name).ok());
        let builder = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(EXCHANGE))
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("aissh/", env!("CARGO_PKG_VERSION")))
            .tls_config(self.tls.config())
            .proxy(proxy.map_err(|e| format!("{}: {e}", shown(url)))?);
        Ok(builder.build().new_agent())
    }
}

fn finish(url: &str, sent: Result<Response<Body>, ureq::Error>) -> Result<Fetched, String> {
    let failed = |e: &dyn std::fmt::Display| one_line(&format!("{}: {e}", shown(url)));
    let response = sent.map_err(|e| failed(&e))?;
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    let read = response.into_body().into_reader().take(BODY_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|e| failed(&e))?;
    if bytes.len() as u64 > BODY_LIMIT {
        return Err(failed(&format!("the answer is larger than {} KiB", BODY_LIMIT / 1024)));
    }
    Ok(Fetched { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) })
}
