//! Arguments of a tool, read with an error that names the argument.

use serde_json::{Map, Value};

/// A text that must be there.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    optional_text(arguments, name)?.ok_or_else(|| format!("{name}: missing"))
}

pub(super) fn optional_text<'a>(
    arguments: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a str>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{name}: not a text")),
    }
}

/// A whole number, not below zero.
pub(super) fn number(arguments: &Map<String, Value>, name: &str) -> Result<Option<u64>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("{name}: not a number from 0 on")),
    }
}

/// One of these words.
pub(super) fn word<'a>(
    arguments: &'a Map<String, Value>,
    name: &str,
    words: &[&str],
) -> Result<&'a str, String> {
    let given = text(arguments, name)?;
    if words.contains(&given) {
        return Ok(given);
    }
    Err(format!("{name}: {:?} is none of {}", crate::text::truncate(given, 40), words.join(", ")))
}
