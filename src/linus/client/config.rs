//! Settings of the HTTP client.

use std::time::Duration;

use crate::linus::mcp::Budgets;
use crate::linus::secret::Secret;

/// Where Linus is and how long to wait for him.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    pub url: String,
    pub bearer: Option<Secret>,
    /// For the name, the TCP connection and TLS together.
    pub connect: Duration,
    /// For each read: the longest silence.
    pub idle: Duration,
    /// For whole exchanges.
    pub budgets: Budgets,
}

impl HttpConfig {
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            bearer: None,
            connect: Duration::from_secs(5),
            // Servers that answer in JSON are silent until the model is done; streams send a comment every
            // 15 s or so.
            idle: Duration::from_secs(120),
            budgets: Budgets::default(),
        }
    }
}
