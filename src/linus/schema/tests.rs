use jsonschema::Validator;
use serde_json::{Value, json};

use super::*;
use crate::linus::contract::{Envelope, Request};

fn validator(name: &str) -> Validator {
    let mut schema = document();
    schema["$ref"] = format!("#/$defs/{name}").into();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn context() -> Value {
    json!({"ssh_host": "root@h", "ssh_user": "root", "cwd": null})
}

/// One message of each kind with every field that it can have.
fn whole() -> [Value; 4] {
    let chat = json!({"ssh_host": "root@h", "ssh_user": "root", "connected": true, "terminal_tail": "$",
        "cwd": "/", "last_command": null, "last_exit_code": 0});
    [
        json!({"type": "chat", "session_id": "s", "message": "m", "context": chat}),
        json!({"type": "terminal_update", "session_id": "s", "new_output": "n", "terminal_tail": "t",
            "context": context()}),
        json!({"type": "command_executed", "session_id": "s", "command": "df", "source": "suggested",
            "suggestion_id": "a", "was_edited": false, "output": "", "exit_code": null, "final": true,
            "context": context()}),
        json!({"type": "session_state", "session_id": "s", "event": "connected",
            "context": {"ssh_host": "root@h", "ssh_user": "root"}}),
    ]
}

fn every_block() -> Value {
    json!({
        "chat_response": {"message": "m", "mentions": ["a"]},
        "intent_update": {"summary": "s", "confidence": 0.5,
            "steps": [{"status": "current", "text": "t", "check": "c"}]},
        "suggested_commands": {"commands": [{"id": "a", "command": "df <D>", "description": "d", "risk": "low",
            "undo": "u", "verify": "v",
            "placeholders": [{"name": "D", "description": "which", "secret": true}]}]},
        "clear_suggestions": {"ids": ["b"], "all": true},
        "file_actions": {"actions": [{"id": "f", "action": "update_file", "path": "/a", "description": "d",
            "mode": "insert", "anchor": "x", "position": "before", "content": ["l"], "ensureNewline": true}]},
        "notifications": {"notes": [{"text": "t", "level": "warning"}]},
    })
}

/// The names of all fields of a value, by path.
fn paths(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, inner)| {
            let path = format!("{path}/{name}");
            found.push(path.clone());
            paths(inner, &path, found);
        }),
        Value::Array(list) => list.iter().for_each(|inner| paths(inner, path, found)),
        _ => {}
    }
}

/// The same of what a schema describes.
fn described(schema: &Value, path: &str, found: &mut Vec<String>) {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = format!("{path}/{name}");
        found.push(path.clone());
        described(property, &path, found);
    }
    if let Some(items) = schema.get("items") {
        described(items, path, found);
    }
}

fn sorted(collect: impl Fn(&mut Vec<String>)) -> Vec<String> {
    let mut found = Vec::new();
    collect(&mut found);
    found.sort();
    found.dedup();
    found
}

#[test]
fn the_schemas_and_the_types_have_the_same_fields() {
    for (tool, message) in TOOLS.iter().zip(whole()) {
        let read: Request = serde_json::from_value(message.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), message, "{tool} is not written as it was read");
        let definition = &document()["$defs"][kind(tool)];
        assert_eq!(sorted(|f| described(definition, "", f)), sorted(|f| paths(&message, "", f)), "{tool}");
        assert!(validator(kind(tool)).is_valid(&message), "{tool}");
        let arguments = Value::Object(read.arguments());
        assert!(validator(tool).is_valid(&arguments), "{tool}");
        assert!(!validator(tool).is_valid(&message), "{tool} takes a type");
    }
    let (read, bad) = Envelope::read(&every_block());
    assert_eq!(bad, Vec::<String>::new());
    assert_eq!(serde_json::to_value(&read).unwrap(), every_block());
    let replaced = json!({"file_actions": {"actions": [{"oldContent": "x"}]}});
    let wanted = sorted(|f| {
        paths(&every_block(), "", f);
        paths(&replaced, "", f);
    });
    assert_eq!(sorted(|f| described(&envelope(), "", f)), wanted);
    assert!(validator("envelope").is_valid(&every_block()));
}

#[test]
fn what_is_not_the_contracts_is_not_valid() {
    let suggested = whole()[2].clone();
    let without = |field: &str| {
        let mut message = suggested.clone();
        message.as_object_mut().unwrap().remove(field);
        message
    };
    let with = |field: &str, value: Value| {
        let mut message = suggested.clone();
        message[field] = value;
        message
    };
    for wrong in [
        without("suggestion_id"),
        without("exit_code"),
        without("session_id"),
        with("source", "user_typed".into()),
        with("extra", 1.into()),
        with("exit_code", "0".into()),
        with("type", "chat".into()),
    ] {
        assert!(!validator("command_executed").is_valid(&wrong), "{wrong}");
    }
    assert!(validator("command_executed").is_valid(&without("final")));
    for wrong in [json!([]), json!({"chat_response": {}}), json!({"suggested_commands": {"commands": [{}]}})]
    {
        assert!(!validator("envelope").is_valid(&wrong), "{wrong}");
    }
    assert!(validator("envelope").is_valid(&json!({"new_block": 1})));
}

#[test]
fn a_server_asks_for_the_contracts_shorter_form() {
    let required = |tool: &str| input(tool).unwrap()["required"].clone();
    assert_eq!(required("linus_chat"), json!(["message", "context"]));
    assert_eq!(
        required("linus_command_executed"),
        json!(["command", "source", "output", "exit_code", "context"])
    );
    let open = input("linus_chat").unwrap().to_string();
    assert!(!open.contains("additionalProperties") && !open.contains("\"then\""), "{open}");
    assert_eq!((input("linus_dance"), arguments("chat")), (None, None));
}

#[test]
fn the_document_is_a_schema_of_its_own_dialect() {
    assert!(jsonschema::meta::is_valid(&document()));
    assert_eq!(document()["$id"], format!("urn:aissh:contract:{VERSION}"));
    assert_eq!(document()["tools"].as_object().map(Map::len), Some(4));
}

#[test]
fn the_contracts_own_examples_are_valid() {
    let context = json!({"ssh_host": "root@10.250.50.70", "ssh_user": "root", "cwd": "/root"});
    let messages = [
        json!({
            "type": "chat", "session_id": "uuid-string",
            "message": "hey linus, /var is full what's eating the space",
            "context": {
                "ssh_host": "root@10.250.50.70", "ssh_user": "root", "connected": true,
                "terminal_tail": "last ~100 lines of terminal output as string", "cwd": "/root",
                "last_command": "df -h", "last_exit_code": 0
            }
        }),
        json!({
            "type": "terminal_update", "session_id": "uuid-string",
            "new_output": "only the new lines since last update",
            "terminal_tail": "last ~100 lines including new output", "context": context
        }),
        json!({
            "type": "command_executed", "session_id": "uuid-string",
            "command": "du -ah /var | sort -rh | head -20", "source": "suggested", "suggestion_id": "cmd_001",
            "was_edited": false, "output": "4.2G  /var/log/syslog\n2.1G  /var/log/journal/...\n...",
            "exit_code": 0, "context": context
        }),
        json!({
            "type": "session_state", "session_id": "uuid-string", "event": "connected",
            "context": {"ssh_host": "root@10.250.50.70", "ssh_user": "root"}
        }),
    ];
    for message in messages {
        let kind = message["type"].as_str().unwrap();
        assert!(validator(kind).is_valid(&message), "{kind}");
        assert_eq!(serde_json::from_value::<Request>(message.clone()).unwrap().kind(), kind);
    }
    let answer = json!({
        "chat_response": {"message": "Looks like /var/log is the culprit at 4.2G.", "mentions": ["cmd_001", "cmd_003"]},
        "intent_update": {"summary": "Investigating /var disk usage", "confidence": 0.85, "steps": [
            {"status": "done", "text": "Check overall disk usage with df -h"},
            {"status": "current", "text": "List largest individual files in /var/log"},
            {"status": "pending", "text": "Free disk space safely"}
        ]},
        "suggested_commands": {"commands": [
            {"id": "cmd_001", "command": "ls -lhS /var/log/*.log | head -10",
             "description": "List largest log files in /var/log", "risk": "low"},
            {"id": "cmd_003", "command": "sudo apt-get clean && sudo apt-get autoremove -y",
             "description": "Clean apt cache and remove unused packages (~500MB typical)", "risk": "medium"}
        ]},
        "clear_suggestions": {"ids": ["cmd_001", "cmd_002"]}
    });
    assert!(validator("envelope").is_valid(&answer));
    assert_eq!(Envelope::read(&answer).1, Vec::<String>::new());
}
