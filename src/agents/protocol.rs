//! What a session and those who ask it say to each other on its socket: JSON, a line each, bounded both ways.
//!
//! A request has a number of its sender's, and its answer the same; an event that a watcher hears has none. Fields that
//! are not known are ignored; another version is refused.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Grows when one side could misread the other.
pub const VERSION: u32 = 1;
/// Bytes of a request: the text of a file that is proposed, escaped.
pub const REQUEST_LIMIT: usize = 1024 * 1024;
/// Bytes of an answer: a page with every byte escaped, or a tail.
pub const ANSWER_LIMIT: usize = 1024 * 1024;
/// A wait takes no longer. A client gives a call up after 300 s at the earliest; this is below.
pub const WAIT_LIMIT_MS: u64 = 295_000;
/// Bytes of a pattern.
pub const PATTERN_LIMIT: usize = 1024;

/// A line to the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub v: u32,
    pub id: u64,
    /// What the agent calls itself. Empty for aissh itself, on the user's behalf.
    #[serde(default)]
    pub agent: String,
    pub ask: Ask,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Ask {
    /// Metadata, and what is shared.
    About,
    Output {
        #[serde(default)]
        raw: bool,
        #[serde(default)]
        since_cursor: Option<u64>,
        #[serde(default)]
        from_line: Option<u64>,
        #[serde(default)]
        limit: Option<u64>,
    },
    Wait {
        until: Until,
        timeout_ms: u64,
        #[serde(default)]
        pattern: Option<String>,
        #[serde(default)]
        since_cursor: Option<u64>,
        #[serde(default)]
        since_commands: Option<u64>,
    },
    Rename {
        alias: String,
    },
    /// Blocks of the contract, as an answer of Linus's has them.
    Copilot {
        action: String,
        blocks: Map<String, Value>,
    },
    /// A tool of the host's facts.
    Host {
        tool: String,
        arguments: Map<String, Value>,
    },
    /// The session as a question of the user's takes it along: also where it is not shared.
    Context,
    /// Events from now on.
    Watch,
}

impl Ask {
    /// The tool and the action that it belongs to, for the audit.
    pub fn name(&self) -> (&'static str, &str) {
        match self {
            Self::About => ("session", "list"),
            Self::Output { .. } => ("session", "output"),
            Self::Wait { .. } => ("session", "wait"),
            Self::Rename { .. } => ("session", "rename"),
            Self::Copilot { action, .. } => ("copilot", action),
            Self::Host { tool, .. } => ("host", tool),
            Self::Context => ("ask", "context"),
            Self::Watch => ("session", "watch"),
        }
    }
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    Idle,
    AtPrompt,
    CommandFinished,
    OutputMatches,
    Exited,
}

impl Until {
    /// As on the wire, in this order.
    pub const NAMES: [&str; 5] = ["idle", "at_prompt", "command_finished", "output_matches", "exited"];

    pub fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub kind: Why,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The request cannot be read, or an argument is wrong.
    Bad,
    NotShared,
    /// The user has muted or disconnected this agent.
    Muted,
    /// Too much at once.
    Busy,
    /// A secret is being entered.
    Secret,
    /// It could not be done.
    Failed,
    /// The session is over, or cannot be reached.
    Gone,
}

impl Refused {
    pub fn new(kind: Why, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// A line back: the answer to a request.
pub fn answer(id: u64, result: &Result<Value, Refused>) -> Value {
    match result {
        Ok(value) => json!({"id": id, "ok": value}),
        Err(refused) => json!({"id": id, "error": refused}),
    }
}

/// What a watcher hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// A command ended, a card or the chat is another, something was raised.
    Changed,
    /// It is shared now, or not any more; or it has another alias.
    Listed,
    Exited,
}

/// A line from the session, as its reader takes it apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    Answer { id: u64, result: Result<Value, Refused> },
    News(News),
}

impl Heard {
    pub fn read(line: &[u8]) -> Option<Self> {
        let mut value: Value = serde_json::from_slice(line).ok()?;
        if let Some(news) = value.get("news") {
            return serde_json::from_value(news.clone()).ok().map(Self::News);
        }
        let id = value.get("id")?.as_u64()?;
        let result = match value.get_mut("error") {
            Some(error) => Err(serde_json::from_value(error.take()).ok()?),
            None => Ok(value.get_mut("ok")?.take()),
        };
        Some(Self::Answer { id, result })
    }
}

/// The name of an agent as it is shown: harmless, one line, short.
pub fn agent_name(given: &str) -> String {
    let name = crate::text::sanitize(given).replace(['\n', '\t', '\r', ':'], " ");
    let name = crate::text::truncate(name.trim(), 32);
    match name.trim() {
        "" => "agent".to_owned(),
        // Nobody speaks in another's name.
        taken if ["linus", "aissh", "you", "user", "the user"].contains(&&*taken.to_lowercase()) => {
            format!("agent {taken}")
        }
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_come_back_as_they_were() {
        let ask = Ask::Wait {
            until: Until::OutputMatches,
            timeout_ms: 5,
            pattern: Some("x".into()),
            since_cursor: None,
            since_commands: None,
        };
        let request = Request { v: VERSION, id: 7, agent: "a".into(), ask };
        let line = serde_json::to_vec(&request).expect("JSON");
        assert_eq!(serde_json::from_slice::<Request>(&line).expect("reads back"), request);
        for result in [Ok(json!({"x": 1})), Err(Refused::new(Why::NotShared, "no"))] {
            let line = answer(3, &result).to_string();
            assert_eq!(Heard::read(line.as_bytes()), Some(Heard::Answer { id: 3, result }));
        }
        assert_eq!(Heard::read(br#"{"news":"exited"}"#), Some(Heard::News(News::Exited)));
        assert!(Heard::read(b"{}").is_none() && Heard::read(b"[1]").is_none());
        for name in Until::NAMES {
            assert!(Until::named(name).is_some());
        }
    }

    #[test]
    fn an_agents_name_is_harmless() {
        assert_eq!(agent_name("claude-code"), "claude-code");
        assert_eq!(agent_name(" \u{1b}[31m\n"), "agent");
        assert!(agent_name(&"x".repeat(1000)).len() < 40);
        assert_eq!(agent_name("evil: root"), "evil  root");
        assert_eq!(agent_name(" Linus "), "agent Linus");
    }
}
