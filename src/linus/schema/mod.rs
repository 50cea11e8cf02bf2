//! The contract as JSON Schema, both directions: what `aissh --schema` prints, what the built-in Linus lists, and what
//! tests hold every recorded message against.
//!
//! Written by hand and not derived from the types: a derived schema says what the reader takes (anything, in places),
//! and this says what is right to send, with words for whoever builds a Linus. A test keeps both in step.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::contract::TOOLS;

/// 1.0 is the contract as it was written first; 1.1 adds `final`, `undo`, `verify`, `placeholders`, `check`,
/// `file_actions` and `notifications`, all optional; 1.2 names a message's placeholders beside it. What an older reader
/// would misread makes it 2.0.
pub const VERSION: &str = "1.2";

/// The key in a call's `_meta` that names the placeholders in its arguments.
pub const PLACEHOLDERS: &str = "aissh/placeholders";

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The arguments of each message by its type, and the answer. Both parse: a test reads them.
static MESSAGES: LazyLock<Map<String, Value>> = LazyLock::new(|| parse(include_str!("messages.json")));
static ENVELOPE: LazyLock<Map<String, Value>> = LazyLock::new(|| parse(include_str!("envelope.json")));

fn parse(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// What aissh sends to a tool: all of it, and nothing else. `None` for a tool that is not the contract's.
pub fn arguments(tool: &str) -> Option<Value> {
    TOOLS.contains(&tool).then(|| MESSAGES.get(kind(tool)).cloned())?
}

/// What a server asks for: the same without what only aissh promises, for clients of the contract's shorter form.
pub fn input(tool: &str) -> Option<Value> {
    let mut schema = arguments(tool)?;
    relax(&mut schema);
    Some(schema)
}

/// What Linus answers.
pub fn envelope() -> Value {
    Value::Object(ENVELOPE.clone())
}

/// Everything, as one document: a definition for each tool's arguments, each message with its `type`, and the answer.
pub fn document() -> Value {
    let mut definitions = Map::new();
    let mut tools = Map::new();
    for tool in TOOLS {
        let Some(arguments) = arguments(tool) else { continue };
        definitions.insert(kind(tool).into(), message(kind(tool), arguments.clone()));
        definitions.insert(tool.into(), arguments);
        let input = json!({"$ref": format!("#/$defs/{tool}")});
        let output = json!({"$ref": "#/$defs/envelope"});
        tools.insert(tool.into(), json!({"inputSchema": input, "outputSchema": output}));
    }
    definitions.insert("envelope".into(), envelope());
    json!({
        "$schema": DIALECT,
        "$id": format!("urn:aissh:contract:{VERSION}"),
        "title": "The contract between aissh and Linus",
        "description": "aissh calls a tool, or one tool with the message form; the answer is the envelope.",
        "version": VERSION,
        "tools": tools,
        "_meta": {PLACEHOLDERS: {
            "type": "array",
            "items": {"type": "string", "pattern": "^‹[a-z0-9-]+›$"},
            "description": "In params._meta of a tools/call whose arguments hold placeholders: each of them once. A \
                placeholder stands for a secret that was taken out and that stays with the user; the same secret has \
                the same one for the whole session. A suggested command may use it as it is: aissh puts the secret in \
                when the user sends the command. One that ends in -part stands for nothing."
        }},
        "$defs": definitions,
    })
}

/// The message type that a tool takes.
fn kind(tool: &str) -> &str {
    tool.strip_prefix("linus_").unwrap_or(tool)
}

/// A message's arguments with its `type` before them.
fn message(kind: &str, mut schema: Value) -> Value {
    schema["properties"]["type"] = json!({"const": kind});
    if let Some(required) = schema["required"].as_array_mut() {
        required.insert(0, "type".into());
    }
    schema
}

/// Takes back what is closed, what may be null, and what depends on another field.
fn relax(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for promise in ["additionalProperties", "if", "then", "else"] {
        object.remove(promise);
    }
    let takes_null = |name: &Value| {
        let property = name.as_str().and_then(|name| object.get("properties")?.get(name));
        let types = property.and_then(|p| p.get("type")?.as_array());
        types.is_some_and(|types| types.iter().any(|t| t == "null"))
    };
    let needed = |name: &&Value| *name == "exit_code" || *name != "session_id" && !takes_null(name);
    let required = object.get("required").and_then(Value::as_array);
    let required: Option<Vec<Value>> = required.map(|names| names.iter().filter(needed).cloned().collect());
    if let Some(required) = required {
        object.insert("required".into(), required.into());
    }
    for property in object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        relax(property.1);
    }
}
