//! What the integration tests share. Each test file uses a part of it.
#![allow(dead_code, unused_imports, unreachable_pub, clippy::unwrap_used)]

pub mod calls;
pub mod contract;
pub mod http;
pub mod linus;
pub mod mcp;
pub mod server;
