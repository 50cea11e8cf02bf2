//! Live sessions for other agents: where they are found, what a session tells, and the MCP service that carries it.

pub mod alias;
pub mod client;
pub mod hub;
mod lines;
pub mod protocol;
pub mod runtime;
mod service;
mod transcript;

pub use service::{service, service_in};
