//! Reads a reply that is plain text: what Linus says, and at most one action that is in it without any doubt.
//!
//! Models differ in how they follow a format. Taken are, in this order: a fenced JSON action, bare JSON, a shell fence of one
//! line, a `$ ` line. Several of one kind, half of one, or two kinds that disagree are text and nothing else: a card that
//! nobody meant costs more than one that is missing. Pure, and linear in the text.

mod action;
mod fences;
#[cfg(test)]
mod tests;
mod think;

use std::hash::{DefaultHasher, Hash, Hasher};

use super::contract::{ChatResponse, Envelope, FileActions, Risk, SuggestedCommands, Suggestion};
use action::Action;
use fences::{Block, Kind};

pub(crate) use fences::whole_json;
pub(crate) use think::without_thoughts;

/// The reply as the contract's answer. The text is taken without its thoughts ([`without_thoughts`]).
pub(crate) fn read(text: &str) -> Envelope {
    let blocks = fences::blocks(text);
    let Found { action, message } = find(text, &blocks);
    let mut envelope = Envelope::default();
    let mut mentions = Vec::new();
    match action {
        Some(Action::Command { command, description, risk }) => {
            let card = suggestion(command, description, risk);
            mentions.push(card.id.clone());
            envelope.suggested_commands = Some(SuggestedCommands { commands: vec![card] });
        }
        Some(Action::File(action)) => {
            envelope.file_actions = Some(FileActions { actions: vec![*action] });
        }
        None => {}
    }
    let message = message.trim();
    if !message.is_empty() {
        envelope.chat_response = Some(ChatResponse { message: message.into(), mentions });
    }
    envelope
}

/// What was found, and what is left to be said.
struct Found {
    action: Option<Action>,
    message: String,
}

fn find(text: &str, blocks: &[Block<'_>]) -> Found {
    let just_text = || Found { action: None, message: text.to_owned() };
    // A text that breaks off in a block may break off in a command.
    if blocks.iter().any(|b| !b.is_closed) {
        return just_text();
    }
    let fenced = blocks.iter().filter(|b| b.kind == Kind::Json);
    let mut fenced = fenced.filter_map(|b| Some((b, action::read(b.inner)?)));
    if let Some((block, action)) = fenced.next() {
        let is_only = fenced.next().is_none();
        let message = format!("{}{}", &text[..block.range.start], &text[block.range.end..]);
        return if is_only { Found { action: Some(action), message } } else { just_text() };
    }
    if let Some((at, action)) = action::bare(text, blocks) {
        return Found { action: Some(action), message: text[..at].to_owned() };
    }
    // The words around a command say what it does: they stay as they are, the command too.
    let mut lines = fences::shell_lines(text, blocks);
    match (lines.next(), lines.next()) {
        (Some(Some(line)), None) => Found { action: action::command(line), message: text.to_owned() },
        _ => just_text(),
    }
}

/// The same command has the same id: said again, it is the same card. Without a label what aissh computes decides.
fn suggestion(command: String, description: String, risk: Option<Risk>) -> Suggestion {
    let mut hasher = DefaultHasher::new();
    command.hash(&mut hasher);
    Suggestion {
        id: format!("text_{:08x}", hasher.finish() as u32),
        command,
        description,
        risk: risk.unwrap_or(Risk::Low),
        undo: None,
        verify: None,
        placeholders: Vec::new(),
    }
}
