//! The way to Linus: the contract's types, MCP, and when to call.

mod call_error;
mod cancel;
pub mod client;
pub mod contract;
pub mod dispatch;
pub mod helper;
mod jsonrpc;
pub mod lanes;
mod local;
mod mcp;
pub mod oauth;
mod origin;
mod peer;
mod reader;
pub mod redact;
mod reply;
mod revision;
pub mod schema;
mod secret;
pub mod sharing;
mod sse;
mod tools;

pub use call_error::{CallError, Delivery};
pub use cancel::Canceller;
pub use client::{Client, HttpConfig};
pub use local::Local;
pub use mcp::Budgets;
pub use peer::{Answer, Peer, Server};
pub use revision::{Era, Revision};
pub use secret::Secret;
pub use sharing::Updates;
