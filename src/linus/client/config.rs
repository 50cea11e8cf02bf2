//! Settings of the HTTP client, and the wrapper that keeps a credential out of every text.

use std::fmt;
use std::time::Duration;

use crate::linus::mcp::Budgets;

/// A credential. It prints as `…` wherever it is printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Blanks and newlines around it are dropped: it often comes out of a file or a command.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_never_printed() {
        let config =
            HttpConfig { bearer: Some(Secret::new(" s3cret\n")), ..HttpConfig::new("http://localhost/mcp") };
        let printed = format!("{config:?}");
        assert!(!printed.contains("s3cret") && printed.contains('…'), "{printed}");
        assert_eq!(config.bearer.unwrap().expose(), "s3cret");
    }
}
