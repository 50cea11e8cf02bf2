//! How a message goes to this server: to which of its tools, and whether with its `type`. Pure.
//!
//! A server may call the contract's tools by other names (`[linus.tools]`), and may have one tool for all messages, told
//! by a schema that names `type`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contract::TOOLS;

/// What the contract's tools are called on a server, where they are called otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolNames {
    pub chat: Option<String>,
    pub terminal_update: Option<String>,
    pub command_executed: Option<String>,
    pub session_state: Option<String>,
}

impl ToolNames {
    /// The name on the server of one of [`TOOLS`].
    pub(crate) fn of<'a>(&'a self, tool: &'a str) -> &'a str {
        let own = [&self.chat, &self.terminal_update, &self.command_executed, &self.session_state];
        let own = TOOLS.iter().zip(own).find(|(t, _)| **t == tool).and_then(|(_, own)| own.as_deref());
        own.unwrap_or(tool)
    }

    /// Whether a tool of this name is one of a Linus.
    pub(crate) fn contains(&self, name: &str) -> bool {
        TOOLS.iter().any(|tool| self.of(tool) == name)
    }
}

/// The tool that takes a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Form<'a> {
    pub(crate) name: &'a str,
    schema: &'a Value,
    /// The arguments go with the message's `type`.
    pub(crate) takes_type: bool,
}

impl Form<'_> {
    /// Whether its schema names an argument.
    pub(crate) fn names(&self, argument: &str) -> bool {
        properties(self.schema, argument).next().is_some()
    }
}

/// What takes the messages of `tool`, one of [`TOOLS`]; nothing if the server has no such tool. The only tool of a server
/// takes all of them if it has a `type` for them.
pub(crate) fn form<'a>(
    tool: &'a str,
    names: &'a ToolNames,
    schemas: &'a BTreeMap<String, Value>,
) -> Option<Form<'a>> {
    let named = schemas.get_key_value(names.of(tool));
    let is_alone = schemas.len() == 1 && *names == ToolNames::default();
    let (name, schema) = match named {
        Some(named) => named,
        None => schemas.first_key_value().filter(|(name, schema)| {
            is_alone && !names.contains(name) && properties(schema, "type").next().is_some()
        })?,
    };
    let takes_type = properties(schema, "type").next().is_some();
    let kind = tool.strip_prefix("linus_").unwrap_or(tool);
    let takes = !takes_type || properties(schema, "type").any(|property| admits(property, kind));
    takes.then_some(Form { name, schema, takes_type })
}

/// What a schema says of one of its properties, also in the alternatives that it is made of.
fn properties<'a>(schema: &'a Value, name: &'a str) -> impl Iterator<Item = &'a Value> {
    let alternatives =
        ["oneOf", "anyOf"].into_iter().filter_map(|word| resolve(schema, schema).get(word)?.as_array());
    let all = std::iter::once(schema).chain(alternatives.flatten());
    all.filter_map(move |part| resolve(part, schema).get("properties")?.get(name))
}

/// Follows a reference into the same document, as pydantic writes them; others are never fetched.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
    target.and_then(|path| root.pointer(path)).unwrap_or(schema)
}

/// Whether a value is among those that a property may have.
fn admits(property: &Value, value: &str) -> bool {
    match (property.get("const"), property.get("enum").and_then(Value::as_array)) {
        (Some(only), _) => only == value,
        (None, Some(values)) => values.iter().any(|v| v == value),
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schemas(tools: &[(&str, Value)]) -> BTreeMap<String, Value> {
        tools.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect()
    }

    fn shown(schemas: &BTreeMap<String, Value>, names: &ToolNames) -> Vec<Option<(String, bool)>> {
        TOOLS.map(|tool| form(tool, names, schemas).map(|f| (f.name.to_owned(), f.takes_type))).to_vec()
    }

    #[test]
    fn tools_go_by_their_names_or_by_those_of_the_configuration() {
        let listed = schemas(&[("linus_chat", json!({})), ("watch", json!({})), ("other", json!({}))]);
        let names = ToolNames { terminal_update: Some("watch".into()), ..ToolNames::default() };
        let wanted = [Some(("linus_chat".into(), false)), Some(("watch".into(), false)), None, None];
        assert_eq!(shown(&listed, &names), wanted);
        assert!(names.contains("watch") && names.contains("linus_chat"));
        assert!(!names.contains("linus_terminal_update") && !names.contains("other"));
    }

    #[test]
    fn the_only_tool_takes_the_messages_that_its_type_admits() {
        let kinds = json!({"properties": {"type": {"enum": ["chat", "command_executed"]}, "message": {}}});
        let ask = Some(("ask".to_owned(), true));
        let one = schemas(&[("ask", kinds.clone())]);
        assert_eq!(shown(&one, &ToolNames::default()), [ask.clone(), None, ask.clone(), None]);
        let open = schemas(&[("ask", json!({"properties": {"type": {"type": "string"}}}))]);
        assert_eq!(shown(&open, &ToolNames::default()), vec![ask.clone(); 4]);
        let union = json!({
            "oneOf": [{"$ref": "#/$defs/chat"}, {"properties": {"type": {"const": "session_state"}}}],
            "$defs": {"chat": {"properties": {"type": {"const": "chat"}, "message": {}}}}
        });
        let union = schemas(&[("ask", union)]);
        assert_eq!(shown(&union, &ToolNames::default()), [ask.clone(), None, None, ask.clone()]);
        // Not the only one, or without a type: it is not for us, unless the configuration says so.
        let two = schemas(&[("ask", kinds), ("calculate", json!({}))]);
        assert_eq!(shown(&two, &ToolNames::default()), vec![None; 4]);
        let named = ToolNames { chat: Some("ask".into()), ..ToolNames::default() };
        assert_eq!(shown(&two, &named), [ask, None, None, None]);
        assert_eq!(shown(&schemas(&[("ask", json!({}))]), &ToolNames::default()), vec![None; 4]);
    }

    #[test]
    fn an_argument_is_named_also_by_an_alternative() {
        let listed = schemas(&[(
            "linus_command_executed",
            json!({"anyOf": [{"properties": {"final": {"type": "boolean"}}}, {"type": "null"}]}),
        )]);
        let names = ToolNames::default();
        let form = form(TOOLS[2], &names, &listed).unwrap();
        assert!(form.names("final") && !form.names("output"));
    }
}
