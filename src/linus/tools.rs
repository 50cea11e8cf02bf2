//! What a server's `tools/list` says: which tools are there, which arguments they take, and which arguments must be
//! mirrored in headers. The contract's are always kept, others up to a bound.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::call_error::one_line;
use super::contract::{Request, TOOLS};
use super::forms::{ToolNames, form, resolve};
use super::peer::Takes;

/// How deep schemas are followed; the contract's arguments are two levels deep.
const DEPTH_LIMIT: usize = 8;

/// The argument that says whether a command's report is its last.
const FINAL: &str = "final";

/// Bytes of names and schemas that are kept of tools that are none of the contract's.
const OTHERS_LIMIT: usize = 4 * 1024 * 1024;
/// Names that an error shows.
const SHOWN_LIMIT: usize = 4;

#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    names: ToolNames,
    schemas: BTreeMap<String, Value>,
    /// Tools left out, and why.
    refused: BTreeMap<String, String>,
    others: usize,
}

impl Tools {
    /// None yet, of a server that calls the contract's by these names.
    pub(crate) fn named(names: ToolNames) -> Self {
        Self { names, ..Self::default() }
    }

    /// Takes one page of `tools/list`. With `mirroring` (2026-07-28) a tool whose `x-mcp-header` marks are
    /// not valid is left out, as the specification demands.
    pub(crate) fn add_page(&mut self, page: &Value, mirroring: bool) {
        for tool in page.get("tools").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
            if !self.names.contains(name) {
                self.others += name.len() + schema.to_string().len();
                if self.others > OTHERS_LIMIT {
                    continue;
                }
            }
            if mirroring && let Err(why) = marks(schema, &mut |_, _| ()) {
                self.refused.insert(name.to_owned(), why);
                continue;
            }
            self.schemas.insert(name.to_owned(), schema.clone());
        }
    }

    /// The contract's tools that are not there.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        TOOLS.into_iter().filter(|tool| form(tool, &self.names, &self.schemas).is_none()).collect()
    }

    pub(crate) fn has(&self, tool: &str) -> bool {
        self.schemas.contains_key(tool)
    }

    pub(crate) fn all(&self) -> Vec<(String, Value)> {
        self.schemas.iter().map(|(name, schema)| (name.clone(), schema.clone())).collect()
    }

    /// Why a tool was left out although the server lists it.
    pub(crate) fn refused(&self, tool: &str) -> Option<&str> {
        self.refused.get(tool).map(String::as_str)
    }

    /// What is there, for who asks why what he wants is not: a few names, harmless.
    pub(crate) fn in_words(&self) -> String {
        let shown: Vec<String> = self.schemas.keys().take(SHOWN_LIMIT).map(|name| one_line(name)).collect();
        match self.schemas.len() {
            0 => "it has no tools at all".to_owned(),
            n if n > SHOWN_LIMIT => {
                format!("its tools are {} and {} more", shown.join(", "), n - SHOWN_LIMIT)
            }
            _ => format!("its tools are {}", shown.join(", ")),
        }
    }

    /// What one of the contract's tools is called here.
    pub(crate) fn name_of<'a>(&'a self, tool: &'a str) -> &'a str {
        self.names.of(tool)
    }

    pub(crate) fn takes(&self) -> Takes {
        let form = |tool| form(tool, &self.names, &self.schemas);
        let finals = form(TOOLS[2]).is_some_and(|form| form.names(FINAL));
        Takes { updates: form(TOOLS[1]).is_some(), commands: form(TOOLS[2]).is_some(), finals }
    }

    /// The tool and the arguments that a message becomes; `None` where nothing takes it.
    pub(crate) fn message(&self, request: &Request) -> Option<(String, Map<String, Value>)> {
        let form = form(request.tool(), &self.names, &self.schemas)?;
        let mut arguments = request.arguments();
        if !form.names(FINAL) {
            arguments.remove(FINAL);
        }
        if form.takes_type {
            arguments.insert("type".into(), request.kind().into());
        }
        Some((form.name.to_owned(), arguments))
    }

    /// The arguments without what the tool's schema forbids.
    pub(crate) fn narrow(&self, tool: &str, arguments: Map<String, Value>) -> Map<String, Value> {
        match self.schemas.get(tool) {
            Some(schema) => narrow(arguments, schema, schema, DEPTH_LIMIT),
            None => arguments,
        }
    }

    /// The `Mcp-Param-…` headers for a call: name and plain text. Absent and null arguments have none.
    pub(crate) fn mirrored(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        let Some(schema) = self.schemas.get(tool) else { return headers };
        let valid = marks(schema, &mut |path, name| {
            let start = path.first().and_then(|p| arguments.get(*p));
            let value = path.iter().skip(1).try_fold(start, |v, p| Some(v?.get(p)));
            let text = match value.flatten() {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Bool(flag)) => flag.to_string(),
                Some(Value::Number(number)) => number.to_string(),
                _ => return,
            };
            headers.push((format!("Mcp-Param-{name}"), text));
        });
        if valid.is_err() { Vec::new() } else { headers }
    }
}

fn narrow(object: Map<String, Value>, schema: &Value, root: &Value, depth: usize) -> Map<String, Value> {
    let schema = resolve(schema, root);
    let properties = schema.get("properties").and_then(Value::as_object);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if depth == 0 || properties.is_none() && !closed {
        return object;
    }
    let property = |name: &str| properties.and_then(|p| p.get(name));
    let kept = object.into_iter().filter(|(name, _)| !closed || property(name).is_some());
    kept.map(|(name, value)| match (value, property(&name)) {
        (Value::Object(inner), Some(schema)) => (name, narrow(inner, schema, root, depth - 1).into()),
        (value, _) => (name, value),
    })
    .collect()
}

/// Visits every `x-mcp-header` mark with the path of its property. Valid are marks on strings, integers and
/// booleans reached through `properties` alone, with a header token that is used once.
fn marks(schema: &Value, visit: &mut dyn FnMut(&[&str], &str)) -> Result<(), String> {
    let mut seen = Vec::new();
    marks_in(schema, &mut Vec::new(), &mut seen, visit)?;
    if count_marks(schema, 4 * DEPTH_LIMIT) != seen.len() {
        return Err("x-mcp-header where no header can be made of it".into());
    }
    Ok(())
}

fn marks_in<'a>(
    schema: &'a Value,
    path: &mut Vec<&'a str>,
    seen: &mut Vec<String>,
    visit: &mut dyn FnMut(&[&str], &str),
) -> Result<(), String> {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if path.len() == DEPTH_LIMIT {
            return Ok(());
        }
        path.push(name);
        if let Some(mark) = property.get("x-mcp-header") {
            let header = mark.as_str().filter(|h| is_token(h)).ok_or("x-mcp-header is not a header name")?;
            let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
            if !matches!(kind, "string" | "integer" | "boolean") {
                return Err(format!("x-mcp-header on a value of type {kind:?}"));
            }
            if seen.iter().any(|s| s.eq_ignore_ascii_case(header)) {
                return Err("two values with the same x-mcp-header".into());
            }
            seen.push(header.into());
            visit(path, header);
        }
        marks_in(property, path, seen, visit)?;
        path.pop();
    }
    Ok(())
}

fn count_marks(schema: &Value, depth: usize) -> usize {
    match schema {
        Value::Object(map) if depth > 0 => {
            let inner = map.iter().filter(|(k, _)| !matches!(k.as_str(), "default" | "examples" | "enum"));
            let own = usize::from(map.contains_key("x-mcp-header"));
            own + inner.map(|(_, v)| count_marks(v, depth - 1)).sum::<usize>()
        }
        Value::Array(list) if depth > 0 => list.iter().map(|v| count_marks(v, depth - 1)).sum(),
        _ => 0,
    }
}

/// RFC 9110 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools(schema: &Value) -> Tools {
        let mut tools = Tools::default();
        tools.add_page(
            &json!({"tools": [{"name": "linus_chat", "inputSchema": schema}, {"name": "x"}]}),
            true,
        );
        tools
    }

    fn arguments(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn only_what_a_closed_schema_names_is_sent_also_inside() {
        let schema = json!({
            "additionalProperties": false,
            "properties": {"message": {}, "context": {"$ref": "#/$defs/C"}, "open": {"type": "object"}},
            "$defs": {"C": {"additionalProperties": false, "properties": {"cwd": {}}}}
        });
        let sent = arguments(&json!({
            "message": "m", "session_id": "s", "context": {"cwd": null, "ssh_user": "u"}, "open": {"a": 1}
        }));
        assert_eq!(
            Value::Object(tools(&schema).narrow("linus_chat", sent.clone())),
            json!({"message": "m", "context": {"cwd": null}, "open": {"a": 1}})
        );
        assert_eq!(tools(&json!({"properties": {"message": {}}})).narrow("linus_chat", sent.clone()), sent);
    }

    #[test]
    fn missing_tools_are_named() {
        assert_eq!(
            tools(&json!({})).missing(),
            ["linus_terminal_update", "linus_command_executed", "linus_session_state"]
        );
    }

    #[test]
    fn what_is_there_instead_is_named_and_bounded() {
        let page = |names: &[&str]| {
            let tools: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
            let mut found = Tools::default();
            found.add_page(&json!({"tools": tools}), false);
            found.in_words()
        };
        assert_eq!(page(&[]), "it has no tools at all");
        assert_eq!(page(&["echo", "a\u{1b}[2Jdd"]), "its tools are a [2Jdd, echo");
        assert_eq!(page(&["a", "b", "c", "d", "e", "f"]), "its tools are a, b, c, d and 2 more");
        let mut flood = Tools::default();
        let long = "x".repeat(OTHERS_LIMIT / 3);
        for name in ["a", "b", "c", "d", "linus_chat"] {
            let schema = json!({"description": long});
            flood.add_page(&json!({"tools": [{"name": name, "inputSchema": schema}]}), false);
        }
        assert_eq!(flood.in_words(), "its tools are a, b, linus_chat");
    }

    #[test]
    fn marked_arguments_become_headers_and_null_ones_do_not() {
        let schema = json!({"properties": {
            "session_id": {"type": "string", "x-mcp-header": "Session"},
            "context": {"properties": {
                "connected": {"type": "boolean", "x-mcp-header": "Up"},
                "cwd": {"type": "string", "x-mcp-header": "Dir"}
            }}
        }});
        let sent = arguments(&json!({"session_id": "s", "context": {"connected": true, "cwd": null}}));
        let mut headers = tools(&schema).mirrored("linus_chat", &sent);
        headers.sort();
        assert_eq!(
            headers,
            [("Mcp-Param-Session".into(), "s".into()), ("Mcp-Param-Up".to_string(), "true".to_string())]
        );
    }

    #[test]
    fn a_tool_with_an_invalid_mark_is_left_out_with_the_reason() {
        for schema in [
            json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "A B"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": ""}}}),
            json!({"properties": {"a": {"items": {"type": "string", "x-mcp-header": "A"}}}}),
            json!({"properties": {
                "a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}
            }}),
        ] {
            let tools = tools(&schema);
            assert!(!tools.has("linus_chat") && tools.refused("linus_chat").is_some(), "{schema}");
            assert!(tools.has("x"), "one bad tool costs no other");
        }
    }
}
