//! The tools as a client lists them. Each description is read with every conversation: short, and complete.

use serde_json::{Value, json};

use crate::agents::protocol::Until;
use crate::facts::tools::{TOOLS, Tool};

pub(super) const SESSION: &str = "session";
pub(super) const COPILOT: &str = "copilot";
pub(super) const SESSION_ACTIONS: [&str; 4] = ["list", "output", "wait", "rename"];
pub(super) const COPILOT_ACTIONS: [&str; 5] = ["say", "intent", "suggest", "clear", "propose_file"];
pub(super) const FORMATS: [&str; 2] = ["clean", "raw"];

const ABOUT_SESSION: &str = "The user's live ssh sessions, read only. action=list: id, alias, ssh_host, dialect, state \
(idle, busy, at_prompt, full_screen, secret), shared; of a shared one also commands (how many have ended), last_command \
with exit_code (null: unknown), and cards with what became of them. action=output: text of a shared session without its \
secrets; without a place its last lines. Go on with since_cursor=cursor; page older text with from_line=oldest_offset and \
then from_line=next_cursor while has_more; missed_count lines (raw: bytes) are gone. current_line has not ended yet. \
action=wait: until idle (nothing printed for 2 s), at_prompt, command_finished, output_matches (pattern: a regular \
expression without look-around, for lines from since_cursor on, else new ones) or exited; answers at once where that holds \
already. For command_finished give since_commands from an earlier answer, so that none is missed. action=rename: alias. \
session_id is an id, an alias, or user@host if only one session is there.";

const ABOUT_COPILOT: &str = "The side panel of a shared session, where the user sees your name at everything. You cannot \
run anything. action=suggest: commands as cards that the user edits and sends, or dismisses; each has command, and \
optionally id, description, risk (low, medium, high), undo, verify, placeholders ({name, description, secret}: holes \
written <NAME> that the user fills in). Write for the session's dialect; one line each. Its fate: session action=list, or \
the resource aissh://session/ID. action=clear: your cards by ids, or all of yours. action=say: message (Markdown) into the \
chat. action=intent: summary, confidence (0 to 1) and steps ({text, status: done, current, pending}) as the checklist. \
action=propose_file: actions ({action: write_file or update_file, path, content, mode: overwrite, append, replace with \
oldContent, insert with anchor}), each shown as a diff before the user writes it.";

fn kind(kind: &str, description: &str) -> Value {
    if description.is_empty() {
        json!({"type": kind})
    } else {
        json!({"type": kind, "description": description})
    }
}

/// A tool of the host's facts, with the session whose host is meant.
fn host(tool: &Tool) -> Value {
    let mut schema = tool.schema();
    schema["properties"]["session_id"] = kind("string", "if several are shared");
    json!({"name": tool.name, "description": tool.description, "inputSchema": schema})
}

pub(super) fn all() -> Vec<Value> {
    let name = kind("string", "id, alias or user@host");
    let session = json!({
        "type": "object",
        "properties": {
            "action": {"enum": SESSION_ACTIONS},
            "session_id": name,
            "format": {"enum": FORMATS},
            "since_cursor": kind("integer", ""),
            "from_line": kind("integer", "raw: a byte offset"),
            "limit": kind("integer", "lines (200), raw: bytes"),
            "until": {"enum": Until::NAMES},
            "timeout_ms": kind("integer", "60000; at most 295000"),
            "pattern": kind("string", ""),
            "since_commands": kind("integer", ""),
            "alias": kind("string", ""),
        },
        "required": ["action"],
    });
    let objects = json!({"type": "array", "items": {"type": "object"}});
    let copilot = json!({
        "type": "object",
        "properties": {
            "action": {"enum": COPILOT_ACTIONS},
            "session_id": name,
            "message": kind("string", ""),
            "summary": kind("string", ""),
            "confidence": kind("number", ""),
            "steps": objects,
            "commands": objects,
            "ids": {"type": "array", "items": {"type": "string"}},
            "all": kind("boolean", ""),
            "actions": objects,
        },
        "required": ["action", "session_id"],
    });
    let mut tools = vec![
        json!({
            "name": SESSION, "title": "Read live ssh sessions", "description": ABOUT_SESSION, "inputSchema": session,
            "annotations": {"readOnlyHint": true, "openWorldHint": true},
        }),
        json!({
            "name": COPILOT, "title": "Propose in a live ssh session", "description": ABOUT_COPILOT,
            "inputSchema": copilot,
            "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": true},
        }),
    ];
    tools.extend(TOOLS.iter().map(host));
    tools
}
