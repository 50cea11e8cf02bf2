//! What a call's arguments must look like: the published schemas, by a validator of other authors.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aissh::linus::contract::TOOLS;
use aissh::linus::schema;
use jsonschema::Validator;
use serde_json::{Map, Value};

static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
    let validator = |name| {
        let mut document = schema::document();
        document["$ref"] = format!("#/$defs/{name}").into();
        (name, jsonschema::draft202012::new(&document).expect("a schema"))
    };
    TOOLS.into_iter().chain(["envelope"]).map(validator).collect()
});

/// Whether `arguments` are what the contract says for `tool`: all fields, their types, and no others.
pub fn contract_check(tool: &str, arguments: &Map<String, Value>) -> Result<(), String> {
    check(tool, &Value::Object(arguments.clone()))
}

/// Whether it is what Linus may answer.
pub fn envelope_check(envelope: &Value) -> Result<(), String> {
    check("envelope", envelope)
}

fn check(name: &str, value: &Value) -> Result<(), String> {
    let validator = VALIDATORS.get(name).ok_or_else(|| format!("{name} is not the contract's"))?;
    let errors: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{name}{}: {e}", e.instance_path())).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
}
