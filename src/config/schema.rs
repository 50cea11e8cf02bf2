//! The configuration file as JSON Schema, for editors: made from the table of keys and the defaults.

use serde_json::{Map, Value, json};

use super::Config;
use super::keys::{HOST_HELP, KEYS, Key, Kind, MATCH, MATCH_HELP};

/// The schema. Draft 7: what editors for TOML read.
pub fn schema() -> Value {
    let defaults = defaults();
    let mut properties = tables(KEYS.iter(), Some(&defaults));
    let mut host = tables(KEYS.iter().filter(|key| key.by_host), None);
    host.insert(
        MATCH.to_owned(),
        json!({"type": "string", "minLength": 1, "description": plain(MATCH_HELP)}),
    );
    let mut section = object(&host);
    section["required"] = json!([MATCH]);
    let sections = json!({"type": "array", "description": HOST_HELP, "items": section});
    properties.insert("host".to_owned(), sections);
    let mut schema = object(&properties);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("The configuration of aissh");
    schema
}

/// The keys as properties of their tables, tables within tables.
fn tables(keys: impl Iterator<Item = &'static Key>, defaults: Option<&Value>) -> Map<String, Value> {
    let mut root = Map::new();
    keys.for_each(|key| insert(&mut root, key.path, property(key, defaults)));
    root
}

fn insert(properties: &mut Map<String, Value>, path: &str, value: Value) {
    let Some((table, rest)) = path.split_once('.') else {
        properties.insert(path.to_owned(), value);
        return;
    };
    let table = properties.entry(table).or_insert_with(|| object(&Map::new()));
    if let Some(Value::Object(inner)) = table.get_mut("properties") {
        insert(inner, rest, value);
    }
}

fn object(properties: &Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn property(key: &Key, defaults: Option<&Value>) -> Value {
    let mut property = match key.kind {
        Kind::Text => json!({"type": "string"}),
        Kind::List => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Choice(words) => json!({"enum": words}),
        Kind::PrefixKeys => json!({
            "type": "array",
            "minItems": 1,
            // What `PrefixKey` reads: not Escape, Enter and Tab, which are C-[, C-m and C-i.
            "items": {"type": "string", "pattern": r"^(C-[a-hj-ln-zA-HJ-LN-Z\\\]^_]|F([1-9]|1[0-2]))$"}
        }),
    };
    property["description"] = json!(plain(key.help));
    if let Some(default) = defaults.and_then(|defaults| value_of(key, defaults)) {
        property["default"] = default.clone();
    }
    property
}

/// All settings where nobody sets any.
pub fn defaults() -> Value {
    serde_json::to_value(Config::default()).unwrap_or_default()
}

/// What `settings` say of a key; `None` where it is not set.
pub fn value_of<'a>(key: &Key, settings: &'a Value) -> Option<&'a Value> {
    settings.pointer(&format!("/{}", key.path.replace('.', "/"))).filter(|value| !value.is_null())
}

/// Without the backquotes.
fn plain(help: &str) -> String {
    help.replace('`', "")
}
