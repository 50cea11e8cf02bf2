//! The contract as JSON Schema: the four tools as Linus lists them.

use crate::linus::contract::TOOLS;
use serde_json::{Value, json};

fn string(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn or_null(kind: &str, description: &str) -> Value {
    json!({"type": [kind, "null"], "description": description})
}

fn host() -> (Value, Value) {
    (string("user@host as ssh resolved it"), string("The login name"))
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn chat_context() -> Value {
    let (ssh_host, ssh_user) = host();
    object(
        &json!({
            "ssh_host": ssh_host,
            "ssh_user": ssh_user,
            "connected": {"type": "boolean"},
            "terminal_tail": string("The last ~100 lines of terminal output, escape codes kept, prompt included"),
            "cwd": or_null("string", "Current directory, null where it is not known"),
            "last_command": or_null("string", "The last command, null where it is not known"),
            "last_exit_code": or_null("integer", "Its exit status, null where there is no evidence of it"),
        }),
        &["ssh_host", "ssh_user", "connected", "terminal_tail"],
    )
}

fn context() -> Value {
    let (ssh_host, ssh_user) = host();
    let cwd = or_null("string", "Current directory, null where it is not known");
    object(&json!({"ssh_host": ssh_host, "ssh_user": ssh_user, "cwd": cwd}), &["ssh_host", "ssh_user"])
}

fn host_context() -> Value {
    let (ssh_host, ssh_user) = host();
    object(&json!({"ssh_host": ssh_host, "ssh_user": ssh_user}), &["ssh_host", "ssh_user"])
}

fn session_id() -> Value {
    string("One ssh session; the plan and the cards belong to it")
}

/// The `inputSchema` of a tool.
pub fn input(tool: &str) -> Option<Value> {
    let (properties, required): (Value, &[&str]) = match TOOLS.iter().position(|t| *t == tool)? {
        0 => (
            json!({"message": string("What the user wrote"), "context": chat_context()}),
            &["message", "context"],
        ),
        1 => (
            json!({
                "new_output": string("Only the new lines since the last update"),
                "terminal_tail": string("The last ~100 lines including the new output"),
                "context": context(),
            }),
            &["new_output", "terminal_tail", "context"],
        ),
        2 => (
            json!({
                "command": string("The command line"),
                "source": {"type": "string", "enum": ["suggested", "user_typed"]},
                "suggestion_id": string("The card's id, for suggested commands"),
                "was_edited": {"type": "boolean", "description": "Whether the user changed the card's command"},
                "output": string("What it printed, so far or in all"),
                "exit_code": or_null("integer", "Its exit status, null where there is no evidence of it"),
                "context": context(),
            }),
            &["command", "source", "output", "exit_code", "context"],
        ),
        _ => (
            json!({
                "event": {
                    "type": "string",
                    "enum": ["connected", "disconnected", "connection_error", "authentication_failed"],
                },
                "context": host_context(),
            }),
            &["event", "context"],
        ),
    };
    let mut properties = properties;
    properties["session_id"] = session_id();
    Some(object(&properties, required))
}

/// The unified envelope: any combination of the blocks.
pub fn envelope() -> Value {
    let step = object(
        &json!({"status": {"type": "string", "enum": ["done", "current", "pending"]}, "text": {"type": "string"}}),
        &["status", "text"],
    );
    let command = object(
        &json!({
            "id": {"type": "string"},
            "command": string("The command line, on one line"),
            "description": string("Why, what it gains, how to undo it, how to see its effect"),
            "risk": {"type": "string", "enum": ["low", "medium", "high"]},
        }),
        &["id", "command", "description", "risk"],
    );
    let ids = json!({"type": "array", "items": {"type": "string"}});
    object(
        &json!({
            "chat_response": object(&json!({"message": {"type": "string"}, "mentions": ids}), &["message"]),
            "intent_update": object(
                &json!({
                    "summary": {"type": "string"},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "steps": {"type": "array", "items": step},
                }),
                &["summary", "steps"],
            ),
            "suggested_commands": object(&json!({"commands": {"type": "array", "items": command}}), &["commands"]),
            "clear_suggestions": object(&json!({"ids": ids, "all": {"type": "boolean"}}), &[]),
        }),
        &[],
    )
}

/// The tools as `tools/list` gives them, in the contract's order.
pub fn tools() -> Vec<Value> {
    const WORDS: [(&str, &str); 4] = [
        (
            "Chat with Linus",
            "The user wrote to Linus. Answers with text, a checklist and commands to suggest.",
        ),
        (
            "Terminal output",
            "New output in the ssh session, at most once a second. The answer is empty unless a plan is at hand.",
        ),
        (
            "Command executed",
            "A command was entered in the ssh session, by the user or from a suggestion, with its output.",
        ),
        ("Session event", "The ssh session was connected, disconnected, or failed."),
    ];
    let tool = |(name, (title, description)): (&&str, &(&str, &str))| {
        json!({
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": input(name),
            "outputSchema": envelope(),
            // Linus only answers: nothing is run and nothing but his memory of the session changes.
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    };
    TOOLS.iter().zip(&WORDS).map(tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_an_input_schema_with_all_its_required_fields() {
        for tool in tools() {
            let schema = &tool["inputSchema"];
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            assert!(!required.is_empty(), "{tool}");
            for name in required {
                assert!(
                    schema["properties"].get(name.as_str().unwrap_or("")).is_some(),
                    "{name} of {}",
                    tool["name"]
                );
            }
            assert_eq!(tool["outputSchema"]["type"], "object");
        }
        assert_eq!(input("linus_dance"), None);
    }
}
