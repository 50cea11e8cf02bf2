//! The four tools as Linus lists them.

use crate::linus::contract::TOOLS;
use crate::linus::schema::{envelope, input};
use serde_json::{Value, json};

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
