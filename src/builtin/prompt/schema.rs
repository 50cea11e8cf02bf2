//! The JSON Schema of a model's answer. Every property is required and nothing else allowed, since that is what servers with
//! structured output ask of a schema; what does not apply is empty. There is no field in which a step could be called done.
//! Servers write the properties in the order of the schema, which is the alphabet's here: the answer comes first, and can be
//! shown while the rest is written.

use super::Kind;
use serde_json::{Value, json};

pub(super) fn of(kind: Kind) -> Value {
    let text = || json!({"type": "string"});
    let command = object(&json!({
        "command": text(), "description": text(), "risk": {"type": "string", "enum": ["low", "medium", "high"]}
    }));
    let step = object(&json!({"id": text(), "text": text(), "command": text()}));
    let mut properties = json!({
        "answer": text(), "goal": text(),
        "steps": {"type": "array", "items": step}, "commands": {"type": "array", "items": command},
    });
    if kind.takes_files() {
        let action = object(&json!({
            "action": {"type": "string", "enum": ["write_file", "update_file"]}, "path": text(), "description": text(),
            "mode": {"type": "string", "enum": ["", "overwrite", "append", "replace", "insert"]},
            "oldContent": text(), "anchor": text(), "content": text()
        }));
        properties["file_actions"] = json!({"type": "array", "items": action});
    }
    object(&properties)
}

fn object(properties: &Value) -> Value {
    let names: Vec<&String> = properties.as_object().into_iter().flat_map(|p| p.keys()).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}
