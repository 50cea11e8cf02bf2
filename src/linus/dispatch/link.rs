//! Whether Linus can be reached: a circuit breaker with backoff. Time and jitter are passed in.

use std::time::{Duration, Instant};

use crate::linus::call_error::CallError;

/// Failures in a row that open the breaker. One may be a restart, two bad luck.
const FAILURES_LIMIT: u32 = 3;
const BACKOFF_FIRST: Duration = Duration::from_secs(1);
const BACKOFF_LIMIT: Duration = Duration::from_secs(60);
/// Part of the backoff that jitter adds at most, so that many sessions do not come back in step.
const JITTER_SHARE: f64 = 0.25;

/// The way to Linus, for the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Nothing has been tried yet, or the first try is under way.
    Connecting,
    Online {
        /// How long the last answer took.
        latency: Duration,
    },
    Offline {
        since: Instant,
        next_try: Instant,
        why: String,
    },
}

#[derive(Debug)]
pub(super) struct Breaker {
    pub(super) link: Link,
    failures: u32,
    backoff: Duration,
}

impl Breaker {
    pub(super) fn new() -> Self {
        Self { link: Link::Connecting, failures: 0, backoff: BACKOFF_FIRST }
    }

    pub(super) fn is_offline(&self) -> bool {
        matches!(self.link, Link::Offline { .. })
    }

    pub(super) fn next_try(&self) -> Option<Instant> {
        match self.link {
            Link::Offline { next_try, .. } => Some(next_try),
            _ => None,
        }
    }

    /// Tries now instead of at the end of the backoff.
    pub(super) fn retry(&mut self, now: Instant) {
        if let Link::Offline { next_try, .. } = &mut self.link {
            *next_try = now;
        }
    }

    pub(super) fn answered(&mut self, latency: Duration) {
        self.link = Link::Online { latency };
        self.failures = 0;
        self.backoff = BACKOFF_FIRST;
    }

    /// A probe says that the server is there, not that calls work: one more failure opens the breaker again,
    /// with a longer backoff.
    pub(super) fn probed(&mut self, latency: Duration) {
        self.link = Link::Online { latency };
        self.failures = FAILURES_LIMIT - 1;
    }

    /// A call or a probe failed. What was under way when the breaker opened does not prolong it.
    pub(super) fn failed(&mut self, error: &CallError, is_probe: bool, now: Instant, jitter: f64) {
        if self.is_offline() && !is_probe {
            return;
        }
        self.failures += 1;
        let at_once = matches!(error, CallError::Unreachable(_) | CallError::Auth(_)) || is_probe;
        if !at_once && self.failures < FAILURES_LIMIT {
            return;
        }
        let since = match self.link {
            Link::Offline { since, .. } => since,
            _ => now,
        };
        let delay = self.backoff.mul_f64(1.0 + JITTER_SHARE * jitter.clamp(0.0, 1.0));
        self.backoff = (self.backoff * 2).min(BACKOFF_LIMIT);
        self.link = Link::Offline { since, next_try: now + delay, why: error.to_string() };
    }
}

/// Whether an error is one of the way to Linus. A tool's own error is an answer, and a cancelled call says
/// nothing.
pub(super) fn is_failure(error: &CallError) -> bool {
    !matches!(error, CallError::Tool(_) | CallError::Cancelled | CallError::Withheld(_))
}
