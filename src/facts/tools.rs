//! The facts as tools for other agents, by the names of the field. No tool does anything on the host: what would change
//! something becomes a card that the user may send. Settings are those of the watcher in this process.
//!
//! A call is checked ([`Request::read`]), what it needs is read from the host, and then it is answered.

mod answer;
mod schema;

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};
use std::time::Duration;

use super::{Extent, Thresholds};

pub use answer::{Outcome, Proposal, SideChannel};
pub use schema::{TOOLS, Tool};

/// JSON-RPC's codes.
pub const UNKNOWN_TOOL: i64 = -32601;
pub const BAD_ARGUMENT: i64 = -32602;
pub const FAILED: i64 = -32000;

/// Processes that one answer lists.
const MOST: u64 = 100;
const USUAL: u64 = 10;
/// Bytes of a pattern, and what it may become when it is compiled.
const PATTERN: usize = 200;
const COMPILED: usize = 256 << 10;
/// Milliseconds between two probes of the watcher.
pub const INTERVAL_MS: (u64, u64) = (2_000, 3_600_000);

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    pub code: i64,
    pub message: String,
}

impl ToolError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: FAILED, message: message.into() }
    }

    fn argument(name: &str, why: impl std::fmt::Display) -> Self {
        Self { code: BAD_ARGUMENT, message: format!("{name}: {why}") }
    }
}

/// A call that was checked.
#[derive(Debug, Clone)]
pub enum Request {
    SystemSummary,
    Top { count: usize, filter: Option<Regex> },
    Search { pattern: Regex, fields: Vec<Field> },
    Info { pid: u32 },
    Kill { pid: u32 },
    SetThresholds(Thresholds),
    GetThresholds,
    GetConfig,
    SetInterval(Duration),
    ProcessAlerts,
    AlertsStatus,
    PluginStatus,
}

/// What of a process a pattern is looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Name,
    Command,
    User,
    State,
    Pid,
}

impl Field {
    fn read(word: &str) -> Result<Self, ToolError> {
        Ok(match word {
            "name" => Self::Name,
            "cmd" | "command" => Self::Command,
            "user" => Self::User,
            "state" => Self::State,
            "pid" => Self::Pid,
            _ => {
                return Err(ToolError::argument(
                    "fields",
                    "of name, cmd, user, state and pid, with commas between",
                ));
            }
        })
    }
}

pub fn is_tool(name: &str) -> bool {
    TOOLS.iter().any(|tool| tool.name == name)
}

impl Request {
    pub fn read(name: &str, arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            let message = format!("unknown tool: {}", crate::text::cut(name, 100));
            return Err(ToolError { code: UNKNOWN_TOOL, message });
        };
        if let Some(unknown) = arguments.keys().find(|key| !tool.takes(key)) {
            return Err(ToolError::argument(crate::text::cut(unknown, 100), "there is no such argument"));
        }
        let arguments = Arguments(arguments);
        Ok(match name {
            "processes_top" => Self::Top {
                count: arguments.number("count", (1, MOST))?.unwrap_or(USUAL) as usize,
                filter: arguments.pattern("filter")?,
            },
            "processes_search" => Self::Search {
                pattern: arguments.needed("pattern", Arguments::pattern)?,
                fields: arguments.fields()?,
            },
            "process_info" => Self::Info { pid: arguments.pid()? },
            "process_kill" => Self::Kill { pid: arguments.pid()? },
            "threshold_set" => Self::SetThresholds(Thresholds {
                cpu: arguments.percent("cpu")?,
                memory: arguments.percent("mem")?,
                disk: arguments.percent("disk")?,
            }),
            "config_set" => {
                let read = |of: &Arguments<'_>, name: &str| of.number(name, INTERVAL_MS);
                Self::SetInterval(Duration::from_millis(arguments.needed("interval_ms", read)?))
            }
            "threshold_get" => Self::GetThresholds,
            "config_get" => Self::GetConfig,
            "process_alerts" => Self::ProcessAlerts,
            "alerts_status" => Self::AlertsStatus,
            "plugin_status" => Self::PluginStatus,
            _ => Self::SystemSummary,
        })
    }

    /// What has to be read from the host for it.
    pub fn needs(&self) -> Option<Extent> {
        match self {
            Self::SystemSummary => Some(Extent::Summary),
            Self::Top { .. }
            | Self::Search { .. }
            | Self::Info { .. }
            | Self::Kill { .. }
            | Self::ProcessAlerts => Some(Extent::Processes),
            _ => None,
        }
    }
}

/// The arguments of a call; `null` is as good as absent.
struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn needed<T>(
        &self,
        name: &str,
        read: impl Fn(&Self, &str) -> Result<Option<T>, ToolError>,
    ) -> Result<T, ToolError> {
        read(self, name)?.ok_or_else(|| ToolError::argument(name, "is missing"))
    }

    fn number(&self, name: &str, (least, most): (u64, u64)) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        let wrong = || ToolError::argument(name, format!("a whole number from {least} to {most}"));
        number.map(Some).ok_or_else(wrong)
    }

    fn pid(&self) -> Result<u32, ToolError> {
        let read = |of: &Self, name: &str| of.number(name, (1, u64::from(u32::MAX >> 1)));
        Ok(self.needed("pid", read)? as u32)
    }

    fn percent(&self, name: &str) -> Result<u8, ToolError> {
        Ok(self.needed(name, |of, name| of.number(name, (1, 100)))? as u8)
    }

    fn text(&self, name: &str) -> Result<Option<&str>, ToolError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().filter(|text| (1..=PATTERN).contains(&text.len()));
        text.map(Some).ok_or_else(|| ToolError::argument(name, format!("a text of 1 to {PATTERN} bytes")))
    }

    fn pattern(&self, name: &str) -> Result<Option<Regex>, ToolError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let pattern = RegexBuilder::new(text).case_insensitive(true).size_limit(COMPILED).build();
        pattern
            .map(Some)
            .map_err(|_| ToolError::argument(name, "is no regular expression, or too large a one"))
    }

    fn fields(&self) -> Result<Vec<Field>, ToolError> {
        let fields = self.text("fields")?.unwrap_or("name,cmd");
        fields.split(',').map(|word| Field::read(word.trim())).collect()
    }
}

#[cfg(test)]
mod tests;
