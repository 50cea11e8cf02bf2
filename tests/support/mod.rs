//! What the tests of the whole program stand on: a real sshd, a terminal, a recording Linus. Each test binary uses
//! a part of it.
#![allow(dead_code, unused_imports, unreachable_pub, clippy::unwrap_used, reason = "each uses a part of it")]

pub(crate) mod aissh;
pub mod authority;
pub(crate) mod both;
pub mod calls;
pub mod contract;
pub(crate) mod envelopes;
pub(crate) mod files;
pub mod http;
pub(crate) mod lab;
pub mod linus;
pub mod mcp;
pub(crate) mod namespace;
pub(crate) mod process;
pub(crate) mod screen;
pub mod server;
pub(crate) mod shells;
pub(crate) mod slow;
pub(crate) mod terminal;
pub(crate) mod told;
pub(crate) mod tty;
pub(crate) mod zebra;

use std::time::Duration;

/// How long any one thing may take before a test fails. It is never waited for: a test that passes is woken by
/// the event itself. A minute, because several test binaries may share two slow cores.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);
