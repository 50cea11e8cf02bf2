//! JSON that is an action: a command to propose, or a file to write or change.

use serde_json::Value;

use super::fences::Block;
use crate::linus::contract::{FileAction, Risk};

/// Places looked at from the text's end for bare JSON: an action has a few lines that begin with a brace.
const TRIES: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    Command { command: String, description: String, risk: Option<Risk> },
    File(Box<FileAction>),
}

/// The action that a text of JSON is; nothing that is both, or more than one.
pub(super) fn read(json: &str) -> Option<Action> {
    let json = json.trim();
    if !json.starts_with('{') {
        return None;
    }
    let value: Value = serde_json::from_str(json).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let says_command = matches!(text("action"), None | Some("command"));
    match (value.get("command"), FileAction::read(&value)) {
        (Some(Value::String(line)), Err(_)) if says_command => {
            let risk = value.get("risk").and_then(|r| serde_json::from_value(r.clone()).ok());
            let description = text("description").unwrap_or_default().to_owned();
            command(line).map(|action| match action {
                Action::Command { command, .. } => Action::Command { command, description, risk },
                file @ Action::File(_) => file,
            })
        }
        (None, Ok(action)) => Some(Action::File(Box::new(action))),
        _ => None,
    }
}

/// A command alone.
pub(super) fn command(line: &str) -> Option<Action> {
    let command = line.trim();
    let (description, risk) = (String::new(), None);
    (!command.is_empty()).then(|| Action::Command { command: command.into(), description, risk })
}

/// JSON without a fence that is the text, or its end from a line's beginning on; and where it begins. Not where there
/// is other JSON before it that is an action too.
pub(super) fn bare(text: &str, blocks: &[Block<'_>]) -> Option<(usize, Action)> {
    let end = text.trim_end();
    if !end.ends_with('}') {
        return None;
    }
    let from = blocks.last().map_or(0, |b| b.range.end).min(end.len());
    let is_start = |at: &usize| end[..*at].is_empty() || end[..*at].ends_with('\n');
    let starts = end[from..].rmatch_indices('{').map(|(at, _)| from + at).filter(is_start).take(TRIES);
    let (at, action) = starts.filter_map(|at| Some((at, read(&end[at..])?))).next()?;
    let is_other = |line: &&str| line.trim_start().starts_with('{') && read(line).is_some();
    end[..at].lines().find(is_other).is_none().then_some((at, action))
}
