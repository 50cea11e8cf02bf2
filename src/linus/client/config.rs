//! Settings of the HTTP client.

use std::time::Duration;

use crate::linus::credentials::Credentials;
use crate::linus::forms::ToolNames;
use crate::linus::mcp::Budgets;
use crate::linus::origin;
use crate::linus::preview::Tap;
use crate::linus::tls::Tls;

/// Where Linus is and how long to wait for him.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    pub url: String,
    pub credentials: Credentials,
    pub tls: Tls,
    /// What the contract's tools are called there.
    pub tools: ToolNames,
    /// For the name, the TCP connection and TLS together.
    pub connect: Duration,
    /// For each read: the longest silence.
    pub idle: Duration,
    /// For whole exchanges.
    pub budgets: Budgets,
    /// Looks at what goes.
    pub tap: Option<Tap>,
}

impl HttpConfig {
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            credentials: Credentials::none(),
            tls: Tls::default(),
            tools: ToolNames::default(),
            connect: Duration::from_secs(5),
            // Servers that answer in JSON are silent until the model is done; streams send a comment every
            // 15 s or so.
            idle: Duration::from_secs(120),
            budgets: Budgets::default(),
            tap: None,
        }
    }

    /// Scheme, host and port: what is remembered of a server is remembered by these. Empty if it is no address.
    pub fn origin(&self) -> String {
        origin::parse(&self.url).ok().and_then(|uri| origin::name(&uri)).unwrap_or_default()
    }
}
