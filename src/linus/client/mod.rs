//! Linus over HTTP: the blocking MCP client.
//!
//! Owns the connection settings and the credential. What is said over HTTP and in which order is `mcp.rs`;
//! how one message travels is `http.rs`; what comes back on it is `answer.rs`.

mod answer;
mod config;
mod headers;
mod http;
mod listen;
mod wire;

pub use config::HttpConfig;

use super::call_error::CallError;
use super::mcp::Mcp;

/// A client of one Linus. One lane owns it; it never shares its connections.
pub type Client = Mcp<http::Http>;

impl Client {
    /// Checks the address; nothing is sent yet.
    pub fn new(config: HttpConfig) -> Result<Self, CallError> {
        let (budgets, tools) = (config.budgets, config.tools.clone());
        Ok(Self::over(http::Http::new(config)?, budgets).naming(tools))
    }
}
