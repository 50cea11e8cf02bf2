//! `file_actions`: files that Linus wants written or changed. Read with every spelling that models use; what is
//! missing is an error and never a guess, since a guess would overwrite a file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `file_actions`: cards, like the commands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileActions {
    pub actions: Vec<FileAction>,
}

/// One file to be written or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileAction {
    /// Given by aissh where Linus gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `write_file` or `update_file`.
    #[serde(rename = "action")]
    pub kind: FileKind,
    /// Absolute, or `~/…` for the login's home.
    pub path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How an `update_file` changes the file; absent for `write_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<UpdateMode>,
    /// What a `replace` takes out: it must be in the file exactly once.
    #[serde(default, rename = "oldContent", skip_serializing_if = "Option::is_none")]
    pub old_content: Option<FileText>,
    /// Where an `insert` goes: text that is in the file exactly once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<FileText>,
    /// The content goes before or after the lines with the anchor; after, where it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    pub content: FileText,
    /// Whether aissh adds the newlines that make the content lines of their own; see `files::change`.
    #[serde(default, rename = "ensureNewline", skip_serializing_if = "Option::is_none")]
    pub ensure_newline: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    WriteFile,
    UpdateFile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    Overwrite,
    Append,
    Replace,
    Insert,
}

impl UpdateMode {
    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overwrite => "overwrite",
            Self::Append => "append",
            Self::Replace => "replace",
            Self::Insert => "insert",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    Before,
    After,
}

/// Text, or its lines without their ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileText {
    Whole(String),
    Lines(Vec<String>),
}

impl FileText {
    /// As one text; lines are joined, and the last has no newline.
    pub fn text(&self) -> String {
        match self {
            Self::Whole(text) => text.clone(),
            Self::Lines(lines) => lines.join("\n"),
        }
    }

    /// Whether it was given as lines.
    pub fn is_lines(&self) -> bool {
        matches!(self, Self::Lines(_))
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Whole(text) => text.len(),
            Self::Lines(lines) => lines.iter().map(|line| line.len() + 1).sum(),
        }
    }
}

/// The names under which a model may write a field, ours first.
const KIND: &[&str] = &["action", "type", "kind", "name"];
const OLD: &[&str] = &["oldContent", "old_content", "old"];
const NEWLINE: &[&str] = &["ensureNewline", "ensure_newline"];
const WRITE: &[&str] = &["write_file", "writeFile", "fileWrite", "file_write"];
const UPDATE: &[&str] = &["update_file", "updateFile", "fileUpdate", "file_update"];

impl FileAction {
    /// Reads one action. The error says what is wrong with it, for the user.
    pub fn read(value: &Value) -> Result<Self, String> {
        let object = value.as_object().ok_or("not an object")?;
        let kind = string(object, KIND).ok_or("no action")?;
        let mode = optional::<UpdateMode>(object, &["mode"])?;
        let kind = match kind {
            // A write with a mode is an update by another name.
            k if WRITE.contains(&k) && mode.is_none() => FileKind::WriteFile,
            k if WRITE.contains(&k) || UPDATE.contains(&k) => FileKind::UpdateFile,
            _ => return Err("an action that is not known".into()),
        };
        let mut action = Self {
            id: string(object, &["id"]).map(str::to_owned),
            kind,
            path: string(object, &["path"]).filter(|p| !p.is_empty()).ok_or("no path")?.to_owned(),
            description: string(object, &["description"]).unwrap_or_default().to_owned(),
            mode,
            old_content: optional(object, OLD)?,
            anchor: optional(object, &["anchor"])?,
            position: optional(object, &["position"])?,
            content: optional(object, &["content"])?.ok_or("no content")?,
            ensure_newline: optional(object, NEWLINE)?,
        };
        action.check()?;
        Ok(action)
    }

    /// What belongs together is there; an update that does not say how is told by what it brings.
    fn check(&mut self) -> Result<(), String> {
        if self.kind == FileKind::WriteFile {
            return Ok(());
        }
        let mode = match (self.mode, &self.old_content, &self.anchor) {
            (Some(mode), ..) => mode,
            (None, Some(_), None) => UpdateMode::Replace,
            (None, None, Some(_)) => UpdateMode::Insert,
            (None, ..) => return Err("no mode".into()),
        };
        self.mode = Some(mode);
        let is_blank = |text: &Option<FileText>| text.as_ref().is_none_or(|t| t.text().trim().is_empty());
        match mode {
            UpdateMode::Replace if is_blank(&self.old_content) => Err("replace without oldContent".into()),
            UpdateMode::Insert if is_blank(&self.anchor) => Err("insert without anchor".into()),
            _ => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for FileAction {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn field<'a>(object: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null())
}

fn string<'a>(object: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    field(object, names)?.as_str()
}

fn optional<T: serde::de::DeserializeOwned>(
    object: &Map<String, Value>,
    names: &[&str],
) -> Result<Option<T>, String> {
    let Some(value) = field(object, names) else { return Ok(None) };
    serde_json::from_value(value.clone()).map(Some).map_err(|_| format!("a {} that cannot be read", names[0]))
}

/// The block, one action by one, so that a bad one does not cost the others; also a bare list, or one action alone.
pub(super) fn read(value: &Value, bad: &mut Vec<String>) -> Option<FileActions> {
    let block = value.get("file_actions").filter(|b| !b.is_null())?;
    let alone = std::slice::from_ref(block);
    let list = match block {
        Value::Array(list) => list.as_slice(),
        _ => block.get("actions").and_then(Value::as_array).map_or(alone, Vec::as_slice),
    };
    let mut actions = Vec::new();
    for (i, action) in list.iter().enumerate() {
        match FileAction::read(action) {
            Ok(action) => actions.push(action),
            Err(e) => bad.push(format!("file_actions.actions[{i}]: {e}")),
        }
    }
    Some(FileActions { actions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_spelling_of_the_action_and_of_its_fields_is_read() {
        for kind in ["write_file", "fileWrite", "file_write", "writeFile"] {
            let action = FileAction::read(&json!({"action": kind, "path": "/tmp/a", "content": ["x", "y"]}));
            let action = action.expect(kind);
            assert_eq!((action.kind, action.content.text().as_str()), (FileKind::WriteFile, "x\ny"));
        }
        let update = json!({"type": "update_file", "path": "/a", "old_content": "o", "content": "n", "ensure_newline": false});
        let update = FileAction::read(&update).expect("an update");
        assert_eq!((update.kind, update.mode), (FileKind::UpdateFile, Some(UpdateMode::Replace)));
        assert_eq!(update.ensure_newline, Some(false));
        let append = json!({"action": "fileWrite", "mode": "append", "path": "/a", "content": "n"});
        assert_eq!(
            FileAction::read(&append).map(|a| (a.kind, a.mode)),
            Ok((FileKind::UpdateFile, Some(UpdateMode::Append)))
        );
    }

    #[test]
    fn what_is_missing_is_never_guessed() {
        let wrong = [
            (json!({"action": "update_file", "path": "/a", "content": "n"}), "no mode"),
            (
                json!({"action": "update_file", "mode": "replace", "path": "/a", "content": "n"}),
                "replace without oldContent",
            ),
            (
                json!({"action": "update_file", "mode": "replace", "oldContent": " \n", "path": "/a", "content": "n"}),
                "replace without oldContent",
            ),
            (
                json!({"action": "update_file", "mode": "insert", "path": "/a", "content": "n"}),
                "insert without anchor",
            ),
            (
                json!({"action": "update_file", "mode": "patch", "path": "/a", "content": "n"}),
                "a mode that cannot be read",
            ),
            (json!({"action": "write_file", "path": "/a"}), "no content"),
            (json!({"action": "write_file", "path": "", "content": ""}), "no path"),
            (json!({"action": "rm", "path": "/a", "content": ""}), "an action that is not known"),
            (json!("write_file"), "not an object"),
        ];
        for (action, why) in wrong {
            assert_eq!(FileAction::read(&action), Err(why.to_owned()), "{action}");
        }
    }

    #[test]
    fn a_block_is_a_list_an_object_or_one_action_and_a_bad_action_costs_only_itself() {
        let good = json!({"action": "write_file", "path": "/a", "content": "x"});
        for block in [json!([good, 7]), json!({"actions": [good, {"action": "write_file"}]})] {
            let mut bad = Vec::new();
            let read = read(&json!({"file_actions": block}), &mut bad).expect("a block");
            assert_eq!((read.actions.len(), bad.len()), (1, 1), "{bad:?}");
        }
        let mut bad = Vec::new();
        assert_eq!(read(&json!({"file_actions": good}), &mut bad).map(|b| b.actions.len()), Some(1));
        assert_eq!(bad, Vec::<String>::new());
    }

    #[test]
    fn what_is_written_reads_back() {
        let action = json!({"id": "f1", "action": "update_file", "path": "/a", "mode": "insert", "anchor": "x",
            "position": "before", "content": ["a", "b"], "ensureNewline": true});
        let read = FileAction::read(&action).expect("an action");
        assert_eq!(serde_json::to_value(&read).ok(), Some(action));
    }
}
