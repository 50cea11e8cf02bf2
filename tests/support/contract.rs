//! The contract, field by field, written down a second time: what a call's arguments must look like.

use serde_json::{Map, Value};

/// The types that a field may have.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    TextOrNull,
    Flag,
    IntegerOrNull,
    OneOf(&'static [&'static str]),
    Object(&'static [(&'static str, Kind)]),
}

use Kind::{Flag, IntegerOrNull, Object, OneOf, Text, TextOrNull};

const HOST: &[(&str, Kind)] = &[("ssh_host", Text), ("ssh_user", Text)];
const CONTEXT: &[(&str, Kind)] = &[("ssh_host", Text), ("ssh_user", Text), ("cwd", TextOrNull)];
const CHAT_CONTEXT: &[(&str, Kind)] = &[
    ("ssh_host", Text),
    ("ssh_user", Text),
    ("connected", Flag),
    ("terminal_tail", Text),
    ("cwd", TextOrNull),
    ("last_command", TextOrNull),
    ("last_exit_code", IntegerOrNull),
];
const EVENTS: &[&str] = &["connected", "disconnected", "connection_error", "authentication_failed"];

/// Every field that must be there; `suggestion_id` and `was_edited` are looked at apart.
fn fields(tool: &str) -> Option<Vec<(&'static str, Kind)>> {
    let own: &[(&str, Kind)] = match tool {
        "linus_chat" => &[("message", Text), ("context", Object(CHAT_CONTEXT))],
        "linus_terminal_update" => {
            &[("new_output", Text), ("terminal_tail", Text), ("context", Object(CONTEXT))]
        }
        "linus_command_executed" => &[
            ("command", Text),
            ("source", OneOf(&["suggested", "user_typed"])),
            ("output", Text),
            ("exit_code", IntegerOrNull),
            ("context", Object(CONTEXT)),
        ],
        "linus_session_state" => &[("event", OneOf(EVENTS)), ("context", Object(HOST))],
        _ => return None,
    };
    Some([&[("session_id", Text)], own].concat())
}

/// Whether `arguments` are what the contract says for `tool`: all fields, their types, and no others.
pub fn contract_check(tool: &str, arguments: &Map<String, Value>) -> Result<(), String> {
    let mut fields = fields(tool).ok_or_else(|| format!("{tool} is not a tool of the contract"))?;
    if arguments.get("source").is_some_and(|s| s == "suggested") {
        fields.extend([("suggestion_id", Text), ("was_edited", Flag)]);
    }
    check_object(tool, arguments, &fields)
}

fn check_object(path: &str, object: &Map<String, Value>, fields: &[(&str, Kind)]) -> Result<(), String> {
    for (name, kind) in fields {
        let value = object.get(*name).ok_or_else(|| format!("{path}: {name} is missing"))?;
        let path = format!("{path}.{name}");
        let fits = match kind {
            Text => value.is_string(),
            TextOrNull => value.is_string() || value.is_null(),
            Flag => value.is_boolean(),
            IntegerOrNull => value.is_i64() || value.is_null(),
            OneOf(names) => value.as_str().is_some_and(|v| names.contains(&v)),
            Object(inner) => {
                let object = value.as_object().ok_or_else(|| format!("{path} is not an object"))?;
                check_object(&path, object, inner)?;
                true
            }
        };
        if !fits {
            return Err(format!("{path} is {value}"));
        }
    }
    match object.keys().find(|k| !fields.iter().any(|(name, _)| name == k)) {
        Some(unknown) => Err(format!("{path}: unknown field {unknown}")),
        None => Ok(()),
    }
}
