//! The connection to Linus as the panel shows it.

use std::time::Duration;

use crate::text::{cut, sanitize};

/// The contract's words for the Intent panel while Linus cannot be reached.
pub const OFFLINE_INTENT: &str = "AI offline — chat messages will be queued.";

/// The contract's words for the Suggested Commands panel.
pub const OFFLINE_CARDS: &str = "(AI offline — commands may be stale)";

/// One line of the panel.
const NAME_LIMIT: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// Nothing has been heard yet, and nothing has failed.
    Connecting,
    Online,
    Offline,
}

/// Who Linus is and whether he answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    peer: String,
    state: LinkState,
    latency: Option<Duration>,
    problem: Option<String>,
}

impl Link {
    pub(super) fn new(peer: &str) -> Self {
        Self { peer: line(peer), state: LinkState::Connecting, latency: None, problem: None }
    }

    /// Another Linus answers from now on.
    pub fn meet(&mut self, peer: &str) {
        *self = Self::new(peer);
    }

    pub fn peer(&self) -> &str {
        &self.peer
    }

    pub fn state(&self) -> LinkState {
        self.state
    }

    pub fn is_offline(&self) -> bool {
        self.state == LinkState::Offline
    }

    /// Of the last call that was answered.
    pub fn latency(&self) -> Option<Duration> {
        self.latency
    }

    /// Why he is offline, in one line.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// A call was answered.
    pub fn online(&mut self, latency: Duration) {
        self.state = LinkState::Online;
        self.latency = Some(latency);
        self.problem = None;
    }

    /// Linus cannot be reached. `problem` may quote the other side.
    pub fn offline(&mut self, problem: &str) {
        self.state = LinkState::Offline;
        self.latency = None;
        self.problem = Some(line(problem)).filter(|p| !p.is_empty());
    }
}

fn line(text: &str) -> String {
    cut(&sanitize(text).replace(['\n', '\t'], " "), NAME_LIMIT).trim().to_owned()
}
