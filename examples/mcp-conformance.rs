//! The client under the public conformance suite (`scripts/mcp-conformance`): lists the tools and calls each of them.
//!
//! Usage: `mcp-conformance URL`, as the suite calls it; `MCP_CONFORMANCE_CONTEXT` may name the calls to make. Tools that
//! the client refuses are not called. It accepts what a server asks for, with the defaults: that is a thing of the
//! suite, aissh itself offers nothing of the kind.

use aissh::linus::{Canceller, Client, HttpConfig, Offers};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(url) = std::env::args().next_back() else { return ExitCode::FAILURE };
    match run(&url) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{url}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str) -> Result<(), String> {
    let cancel = Canceller::new();
    let mut client = Client::new(HttpConfig::new(url)).map_err(|e| e.to_string())?.offering(Accepting);
    let server = client.connect(&cancel).map_err(|e| e.to_string())?;
    println!("{} at revision {}", server.name, server.revision.as_str());
    for (name, arguments) in wanted().unwrap_or_else(|| client.tools().into_iter().map(sample).collect()) {
        let result = client.call_tool(&name, arguments, &cancel, &mut |_| ()).map_err(|e| e.to_string())?;
        println!("{name}: {result}");
    }
    Ok(())
}

/// The calls that the scenario asks for.
fn wanted() -> Option<Vec<(String, Map<String, Value>)>> {
    let context: Value = serde_json::from_str(&std::env::var("MCP_CONFORMANCE_CONTEXT").ok()?).ok()?;
    let call = |call: &Value| {
        Some((call.get("name")?.as_str()?.to_owned(), call.get("arguments")?.as_object()?.clone()))
    };
    Some(context.get("toolCalls")?.as_array()?.iter().filter_map(call).collect())
}

/// A call with something of the right type for everything that is required.
fn sample((name, schema): (String, Value)) -> (String, Map<String, Value>) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(2),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    let arguments = required.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), value(name)));
    (name, arguments.collect())
}

/// Says yes to every question, and fills in the defaults.
struct Accepting;

impl Offers for Accepting {
    fn capabilities(&self) -> Value {
        json!({"elicitation": {"form": {"applyDefaults": true}}})
    }

    fn answer(&mut self, method: &str, params: &Value) -> Option<Value> {
        if method != "elicitation/create" {
            return None;
        }
        let fields = params.pointer("/requestedSchema/properties").and_then(Value::as_object);
        let value = |field: &Value| field.get("default").cloned().unwrap_or(json!(true));
        let content: Map<String, Value> =
            fields.into_iter().flatten().map(|(name, field)| (name.clone(), value(field))).collect();
        Some(json!({"action": "accept", "content": content}))
    }
}
