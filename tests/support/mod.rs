//! What the tests of the whole program stand on: a real sshd and a terminal. Each test binary uses a part.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod lab;
pub(crate) mod terminal;
mod tty;

use std::time::Duration;

/// How long any one thing may take before a test fails. It is never waited for: a test that passes is woken by
/// the event itself. 20 s because several test binaries may share two slow cores.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
