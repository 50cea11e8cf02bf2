//! `notifications`: what Linus wants the user to notice though nobody asked, a line each. An addition to the contract
//! (its "Future Considerations" name it), optional both ways.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tolerant::or_default;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Notifications {
    pub notes: Vec<Notification>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    pub text: String,
    #[serde(default, deserialize_with = "or_default")]
    pub level: Level,
}

/// How much it matters. What is not known is read as `info`: a note only shows text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Warning,
    Critical,
    #[default]
    Info,
}

/// The block, note by note: one that cannot be read costs itself. A bare list and bare texts are taken, too.
pub(super) fn read(value: &Value, bad: &mut Vec<String>) -> Option<Notifications> {
    let block = value.get("notifications").filter(|b| !b.is_null())?;
    let Some(list) = block.as_array().or_else(|| block.get("notes")?.as_array()) else {
        bad.push("notifications: no list of notes".into());
        return None;
    };
    let mut notes = Vec::new();
    for (i, note) in list.iter().enumerate() {
        match note {
            Value::String(text) => notes.push(Notification { text: text.clone(), level: Level::Info }),
            _ => match serde_json::from_value(note.clone()) {
                Ok(note) => notes.push(note),
                Err(e) => bad.push(format!("notifications.notes[{i}]: {e}")),
            },
        }
    }
    Some(Notifications { notes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_is_read_with_and_without_its_object_and_a_bad_note_costs_only_itself() {
        let list = json!([{"text": "oom", "level": "critical"}, "plain", {"text": "odd", "level": "x"}, 7]);
        for block in [list.clone(), json!({"notes": list})] {
            let mut bad = Vec::new();
            let notes = read(&json!({"notifications": block}), &mut bad).map(|n| n.notes).unwrap_or_default();
            let read: Vec<_> = notes.iter().map(|n| (n.text.as_str(), n.level)).collect();
            assert_eq!(read, [("oom", Level::Critical), ("plain", Level::Info), ("odd", Level::Info)]);
            assert_eq!(bad.len(), 1, "{bad:?}");
        }
        let mut bad = Vec::new();
        assert_eq!(read(&json!({"notifications": "x"}), &mut bad), None);
        assert_eq!(bad, ["notifications: no list of notes"]);
    }
}
