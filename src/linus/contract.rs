//! The contract with Linus (the "SSH-TUI MCP Interface Contract"): one struct a message or block, names as on
//! the wire.
//!
//! Reading is tolerant: unknown fields and blocks are ignored, a block that does not parse costs that block
//! and not the reply. Writing is exact: every field that the contract's tables and examples show is sent, and
//! what is not known is `null` ([`ChatContext::cwd`], [`ChatContext::last_exit_code`], …), never a guess.

mod files;
mod notifications;
mod tolerant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use files::{FileAction, FileActions, FileKind, FileText, Position, UpdateMode};
pub use notifications::{Level, Notification, Notifications};
use tolerant::{or_default, readable};

/// Context of a chat: the session as it is when the message is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatContext {
    /// `user@host` as ssh resolved it.
    pub ssh_host: String,
    pub ssh_user: String,
    pub connected: bool,
    /// The last ~100 logical lines, SGR kept, trailing blanks trimmed per line.
    pub terminal_tail: String,
    pub cwd: Option<String>,
    pub last_command: Option<String>,
    pub last_exit_code: Option<i32>,
}

/// Context of everything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    pub ssh_host: String,
    pub ssh_user: String,
    pub cwd: Option<String>,
}

/// Context of a `session_state`, which has no directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostContext {
    pub ssh_host: String,
    pub ssh_user: String,
}

/// Who entered the command of a [`Request::CommandExecuted`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Suggested,
    UserTyped,
}

/// The event of a [`Request::SessionState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEvent {
    Connected,
    Disconnected,
    ConnectionError,
    AuthenticationFailed,
}

/// A message to Linus. `type` is the contract's message type; the MCP tool is [`Request::tool`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    Chat {
        session_id: String,
        message: String,
        context: ChatContext,
    },
    TerminalUpdate {
        session_id: String,
        new_output: String,
        terminal_tail: String,
        context: Context,
    },
    CommandExecuted {
        session_id: String,
        /// A command whose line could not be told is not reported; its output goes with the updates.
        command: String,
        source: Source,
        /// Present for [`Source::Suggested`] only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggestion_id: Option<String>,
        /// Present for [`Source::Suggested`] only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was_edited: Option<bool>,
        output: String,
        /// `null` when there is no evidence of the status.
        exit_code: Option<i32>,
        /// An addition, sent only to a server whose schema names it: false at 5 s, while the command runs on.
        #[serde(rename = "final", default = "is_over")]
        is_final: bool,
        context: Context,
    },
    SessionState {
        session_id: String,
        event: SessionEvent,
        context: HostContext,
    },
}

/// A report that does not say so is the only one of its command.
fn is_over() -> bool {
    true
}

/// The contract's four MCP tools.
pub const TOOLS: [&str; 4] =
    ["linus_chat", "linus_terminal_update", "linus_command_executed", "linus_session_state"];

impl Request {
    /// The MCP tool that takes this message.
    pub fn tool(&self) -> &'static str {
        match self {
            Self::Chat { .. } => TOOLS[0],
            Self::TerminalUpdate { .. } => TOOLS[1],
            Self::CommandExecuted { .. } => TOOLS[2],
            Self::SessionState { .. } => TOOLS[3],
        }
    }

    /// The message's `type`.
    pub fn kind(&self) -> &'static str {
        let tool = self.tool();
        tool.strip_prefix("linus_").unwrap_or(tool)
    }

    /// The message form without its `type`: what a `tools/call` takes as `arguments`.
    pub fn arguments(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut message)) => {
                message.remove("type");
                message
            }
            // Not reachable: every variant is a struct of strings, numbers and options.
            _ => Map::new(),
        }
    }

    /// The message back from a tool's name and arguments: the server's side of [`Request::arguments`].
    pub fn from_call(tool: &str, arguments: &Map<String, Value>) -> Result<Self, String> {
        let kind = tool.strip_prefix("linus_").ok_or_else(|| format!("unknown tool {tool}"))?;
        let mut message = arguments.clone();
        message.insert("type".into(), kind.into());
        serde_json::from_value(Value::Object(message)).map_err(|e| e.to_string())
    }
}

/// `chat_response`: a reply in the Chat panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatResponse {
    pub message: String,
    /// Ids of cards that the message is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "readable")]
    pub mentions: Vec<String>,
}

/// A step's status: ✓ done, ▸ current, ○ pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Done,
    Current,
    #[default]
    Pending,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What is not known is read as `pending`: nothing is ticked that nobody ticked.
    #[serde(default, deserialize_with = "or_default")]
    pub status: StepStatus,
    pub text: String,
    /// An addition: the command that shows whether the step is done.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_default")]
    pub check: Option<String>,
}

/// `intent_update`: the living checklist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntentUpdate {
    pub summary: String,
    /// 0.0 to 1.0.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_default")]
    pub confidence: Option<f64>,
    #[serde(default, deserialize_with = "readable")]
    pub steps: Vec<Step>,
}

/// Linus's own label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

impl Risk {
    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// One suggested command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub id: String,
    pub command: String,
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    /// Absent or unknown is read as `high`: what nobody vouched for is not low.
    #[serde(default = "unlabelled", deserialize_with = "risk_or_high")]
    pub risk: Risk,
    /// An addition: the command that takes this one back.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_default")]
    pub undo: Option<String>,
    /// An addition: the command that shows whether this one did what it was for.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_default")]
    pub verify: Option<String>,
    /// An addition: what the user fills in. In the command a hole stands as `<NAME>`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "readable")]
    pub placeholders: Vec<Placeholder>,
}

/// A hole of a suggested command. Its value stays with the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placeholder {
    /// As in the command, without the brackets.
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub description: String,
    /// It is not shown while it is typed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", deserialize_with = "or_default")]
    pub secret: bool,
}

fn unlabelled() -> Risk {
    Risk::High
}

fn risk_or_high<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Risk, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or(Risk::High))
}

/// `suggested_commands`: cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedCommands {
    pub commands: Vec<Suggestion>,
}

/// `clear_suggestions`: remove these cards, or all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct ClearSuggestions {
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "readable")]
    pub ids: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not", deserialize_with = "or_default")]
    pub all: bool,
}

/// Linus's answer: any combination of the blocks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Envelope {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_response: Option<ChatResponse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_update: Option<IntentUpdate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_commands: Option<SuggestedCommands>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear_suggestions: Option<ClearSuggestions>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_actions: Option<FileActions>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notifications: Option<Notifications>,
}

impl Envelope {
    /// Reads block by block: what does not parse is named in the second value and left out of the first.
    pub fn read(value: &Value) -> (Self, Vec<String>) {
        let mut bad = Vec::new();
        let envelope = Self {
            chat_response: block(value, "chat_response", &mut bad),
            intent_update: intent(value, &mut bad),
            suggested_commands: commands(value, &mut bad),
            clear_suggestions: block(value, "clear_suggestions", &mut bad),
            file_actions: files::read(value, &mut bad),
            notifications: notifications::read(value, &mut bad),
        };
        (envelope, bad)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn block<T: serde::de::DeserializeOwned>(value: &Value, name: &str, bad: &mut Vec<String>) -> Option<T> {
    let block = value.get(name).filter(|b| !b.is_null())?;
    match serde_json::from_value(block.clone()) {
        Ok(read) => Some(read),
        Err(e) => {
            bad.push(format!("{name}: {e}"));
            None
        }
    }
}

/// A step that cannot be read costs itself and not the plan.
fn intent(value: &Value, bad: &mut Vec<String>) -> Option<IntentUpdate> {
    let update: IntentUpdate = block(value, "intent_update", bad)?;
    let given = value.pointer("/intent_update/steps").and_then(Value::as_array).map_or(0, Vec::len);
    if update.steps.len() < given {
        bad.push(format!("intent_update.steps: {} of {given}", given - update.steps.len()));
    }
    Some(update)
}

/// Cards are read one by one, so that one bad card does not cost the others.
fn commands(value: &Value, bad: &mut Vec<String>) -> Option<SuggestedCommands> {
    let block = value.get("suggested_commands").filter(|b| !b.is_null())?;
    let Some(list) = block.get("commands").and_then(Value::as_array) else {
        bad.push("suggested_commands: no list of commands".into());
        return None;
    };
    let mut commands = Vec::new();
    for (i, card) in list.iter().enumerate() {
        match serde_json::from_value(card.clone()) {
            Ok(card) => commands.push(card),
            Err(e) => bad.push(format!("suggested_commands.commands[{i}]: {e}")),
        }
    }
    Some(SuggestedCommands { commands })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chat() -> Request {
        Request::Chat {
            session_id: "s".into(),
            message: "hey".into(),
            context: ChatContext {
                ssh_host: "root@10.250.50.70".into(),
                ssh_user: "root".into(),
                connected: true,
                terminal_tail: "$ ".into(),
                cwd: None,
                last_command: Some("df -h".into()),
                last_exit_code: None,
            },
        }
    }

    #[test]
    fn unknown_facts_are_null_and_never_left_out() {
        let arguments = Value::Object(chat().arguments());
        assert_eq!(arguments["context"]["cwd"], Value::Null);
        assert!(arguments["context"].as_object().is_some_and(|c| c.contains_key("last_exit_code")));
        assert_eq!(arguments.get("type"), None);
        assert_eq!(chat().tool(), "linus_chat");
    }

    #[test]
    fn a_call_reads_back_as_the_message_it_was() {
        assert_eq!(Request::from_call(chat().tool(), &chat().arguments()), Ok(chat()));
        assert!(Request::from_call("linus_dance", &Map::new()).is_err());
    }

    #[test]
    fn a_bad_block_costs_that_block_and_a_bad_card_that_card() {
        let (envelope, bad) = Envelope::read(&json!({
            "chat_response": {"message": "hello", "new_field": 1},
            "intent_update": {"steps": "nonsense"},
            "suggested_commands": {"commands": [
                {"id": "a", "command": "df -h", "risk": "low"}, {"id": 7}, {"id": "b", "command": "x", "risk": "odd"}
            ]},
            "new_block": {}
        }));
        assert_eq!(envelope.chat_response.map(|c| c.message).as_deref(), Some("hello"));
        assert_eq!(envelope.intent_update, None);
        let cards = envelope.suggested_commands.map(|s| s.commands).unwrap_or_default();
        assert_eq!(
            cards.iter().map(|c| (c.id.as_str(), c.risk)).collect::<Vec<_>>(),
            [("a", Risk::Low), ("b", Risk::High)]
        );
        assert_eq!(bad.len(), 2, "{bad:?}");
    }

    #[test]
    fn an_optional_field_of_the_wrong_type_costs_itself() {
        let (envelope, bad) = Envelope::read(&json!({
            "chat_response": {"message": "hello", "mentions": "cmd_001"},
            "intent_update": {"summary": "s", "confidence": "high", "steps": [
                {"status": "done", "text": "a", "check": 7}, {"status": "skipped", "text": "b"}, {"status": "done"}
            ]},
            "suggested_commands": {"commands": [{"id": "a", "command": "df", "description": null, "risk": 1}]},
            "clear_suggestions": {"ids": null, "all": null},
        }));
        assert_eq!(
            envelope.chat_response.map(|c| (c.message, c.mentions)),
            Some(("hello".into(), Vec::new()))
        );
        let steps = envelope.intent_update.map(|i| i.steps).unwrap_or_default();
        let statuses: Vec<_> = steps.iter().map(|s| (s.status, s.text.as_str())).collect();
        assert_eq!(statuses, [(StepStatus::Done, "a"), (StepStatus::Pending, "b")]);
        let cards = envelope.suggested_commands.map(|s| s.commands).unwrap_or_default();
        assert_eq!(cards.first().map(|c| (c.description.as_str(), c.risk)), Some(("", Risk::High)));
        assert_eq!(envelope.clear_suggestions, Some(ClearSuggestions::default()));
        assert_eq!(bad, ["intent_update.steps: 1 of 3"]);
    }
}
