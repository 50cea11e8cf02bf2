//! What the tools are called, what they say of themselves and what they take.

use serde_json::{Map, Value, json};

use super::{INTERVAL_MS, MOST};

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    takes: &'static [Argument],
}

#[derive(Debug, Clone, Copy)]
struct Argument {
    name: &'static str,
    kind: Kind,
    is_needed: bool,
    help: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Number(u64, u64),
}

const fn tool(name: &'static str, takes: &'static [Argument], description: &'static str) -> Tool {
    Tool { name, description, takes }
}

const fn needed(name: &'static str, kind: Kind, help: &'static str) -> Argument {
    Argument { name, kind, is_needed: true, help }
}

const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Argument {
    Argument { name, kind, is_needed: false, help }
}

const PID: &[Argument] = &[needed("pid", Kind::Number(1, (u32::MAX >> 1) as u64), "Process id.")];
const PERCENT: Kind = Kind::Number(1, 100);

/// All of them.
pub const TOOLS: &[Tool] = &[
    tool(
        "system_summary",
        &[],
        "Load, processor, memory, swap, uptime and local disks of the session's host.",
    ),
    tool(
        "processes_top",
        &[
            optional("count", Kind::Number(1, MOST), "How many; 10."),
            optional("filter", Kind::Text, "Regular expression for name or command line."),
        ],
        "The processes that use most processor, then most memory.",
    ),
    tool(
        "processes_search",
        &[
            needed("pattern", Kind::Text, "Regular expression."),
            optional("fields", Kind::Text, "Where to look: of name,cmd,user,state,pid; name,cmd."),
        ],
        "Processes that match a pattern. Command lines are redacted.",
    ),
    tool("process_info", PID, "One process, its parent and its children."),
    tool(
        "process_kill",
        PID,
        "Proposes `kill PID` as a card; the user decides. Never ends anything by itself.",
    ),
    tool(
        "threshold_set",
        &[
            needed("cpu", PERCENT, "Percent of all processors."),
            needed("mem", PERCENT, "Percent of memory."),
            needed("disk", PERCENT, "Percent of a disk or its inodes."),
        ],
        "From where on the watcher of this session alerts the user.",
    ),
    tool("threshold_get", &[], "The watcher's thresholds."),
    tool("config_get", &[], "The watcher's settings."),
    tool(
        "config_set",
        &[needed("interval_ms", Kind::Number(INTERVAL_MS.0, INTERVAL_MS.1), "Between two probes.")],
        "Sets how often the watcher of this session probes. Nothing on the host.",
    ),
    tool("process_alerts", &[], "Processes above the thresholds for one processor or for memory."),
    tool("alerts_status", &[], "Alerts that hold now, and how many there were."),
    tool("plugin_status", &[], "State of the side channel that reads the host: off, asking, on, paused."),
];

impl Tool {
    pub(super) fn takes(&self, name: &str) -> bool {
        self.takes.iter().any(|argument| argument.name == name)
    }

    /// Its `inputSchema`.
    pub fn schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.takes.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
        let required: Vec<&str> = self.takes.iter().filter(|a| a.is_needed).map(|a| a.name).collect();
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }
}

impl Argument {
    fn schema(&self) -> Value {
        match self.kind {
            Kind::Text => json!({"type": "string", "description": self.help}),
            Kind::Number(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most, "description": self.help})
            }
        }
    }
}
