//! What a model has said, read: words, cards, a plan, files. Tolerant of form, and bounded; what counts of it is the session's
//! to decide.
//!
//! Asked for is one JSON object. Models that do not keep to it are read like any other Linus: an envelope of the contract,
//! else the one action that a text holds without doubt, else words.

use super::plain;
use crate::linus::contract::{Envelope, FileAction, Placeholder, Risk, Suggestion};
use crate::linus::reader;
use crate::text::cut;
use serde::Deserialize;
use serde_json::Value;

/// Of an answer this much is read. The limit of tokens is far below.
const MAX_ANSWER: usize = 256 * 1024;
/// Of what it says this much is shown: a panel's message has no more.
const MAX_MESSAGE: usize = 12 * 1024;
const MAX_CARDS: usize = 8;
const MAX_FILES: usize = 4;
const MAX_STEPS: usize = 20;
const MAX_LINE: usize = 300;
const MAX_COMMAND: usize = 8 * 1024;

/// One step as the model puts it. Whether it is done is not the model's to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SaidStep {
    /// Of the runbook's step that is meant, `s1`; empty for a step of its own.
    pub(crate) id: String,
    pub(crate) text: String,
    /// The command that shows it.
    pub(crate) command: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) message: String,
    pub(crate) goal: String,
    pub(crate) steps: Vec<SaidStep>,
    pub(crate) cards: Vec<Suggestion>,
    pub(crate) files: Vec<FileAction>,
    /// What was left out, in sentences.
    pub(crate) complaints: Vec<String>,
}

/// The whole answer. `is_cut`: it broke off.
pub(crate) fn read(text: &str, is_cut: bool) -> Said {
    let text = reader::without_thoughts(cut(text, MAX_ANSWER));
    let mut said = match object(&text) {
        Some(value) => of_object(&value),
        // Half an object is no action: only what it was saying is told.
        None if text.starts_with('{') => Said { message: so_far(&text), ..Said::default() },
        None => of_envelope(reader::read(&text)),
    };
    said.message = harmless(&said.message);
    if is_cut {
        said.complaints.push("The answer broke off at its limit.".into());
    }
    said.bound();
    said
}

/// What an answer that is still being written says, without JSON around it.
pub(crate) fn so_far(text: &str) -> String {
    let text = reader::without_thoughts(cut(text, MAX_ANSWER));
    let text = text.trim_start().trim_start_matches("```json").trim_start();
    if !text.starts_with('{') {
        return text.to_owned();
    }
    let value = ["\"answer\"", "\"message\""].iter().find_map(|name| text.split_once(name));
    let Some((_, rest)) = value else { return String::new() };
    let rest = rest.trim_start().strip_prefix(':').map(str::trim_start).and_then(|r| r.strip_prefix('"'));
    string(rest.unwrap_or_default())
}

/// A JSON string without its first quote, as far as it is there.
fn string(text: &str) -> String {
    let (mut end, mut is_escaped) = (0, false);
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => break,
            _ => {}
        }
        end += c.len_utf8();
    }
    // An escape that is not whole yet costs at most a surrogate pair, `\ud83d\ude00`.
    let read =
        |at: usize| serde_json::from_str(&format!("\"{}\"", text.get(..at)?.replace('\n', "\\n"))).ok();
    (0..=12).find_map(|back| read(end.checked_sub(back)?)).unwrap_or_default()
}

/// The object that the text is, or begins with: some models go on talking.
fn object(text: &str) -> Option<Value> {
    let json = reader::whole_json(text);
    let first = serde_json::Deserializer::from_str(json).into_iter::<Value>().next()?.ok()?;
    let known = [
        "answer",
        "message",
        "commands",
        "steps",
        "file_actions",
        "chat_response",
        "suggested_commands",
        "intent_update",
    ];
    known.iter().any(|name| first.get(name).is_some()).then_some(first)
}

#[derive(Deserialize)]
#[serde(default)]
struct Card {
    command: String,
    description: String,
    risk: Value,
    placeholders: Vec<Placeholder>,
}

impl Default for Card {
    fn default() -> Self {
        Self {
            command: String::new(),
            description: String::new(),
            risk: Value::Null,
            placeholders: Vec::new(),
        }
    }
}

fn of_object(value: &Value) -> Said {
    if ["chat_response", "suggested_commands", "intent_update"].iter().any(|block| value.get(block).is_some())
    {
        let (envelope, complaints) = Envelope::read(value);
        return Said { complaints, ..of_envelope(envelope) };
    }
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
    let message = text(value, if value.get("answer").is_some() { "answer" } else { "message" });
    let mut said = Said { message, goal: text(value, "goal"), ..Said::default() };
    let step = |s: &Value| match s {
        Value::String(text) => SaidStep { text: text.clone(), ..SaidStep::default() },
        _ => SaidStep { id: text(s, "id"), text: text(s, "text"), command: text(s, "command") },
    };
    said.steps = list("steps").map(step).collect();
    for card in list("commands") {
        match serde_json::from_value::<Card>(card.clone()) {
            Ok(card) => said.cards.push(suggestion(card)),
            Err(_) => said.complaints.push("A command of the answer could not be read.".into()),
        }
    }
    for action in list("file_actions") {
        match FileAction::read(&without_blanks(action)) {
            Ok(action) => said.files.push(action),
            Err(why) => said.complaints.push(format!("A file of the answer was left out: {why}.")),
        }
    }
    said
}

/// A label that is none is read as high, as everywhere.
fn suggestion(card: Card) -> Suggestion {
    Suggestion {
        id: String::new(),
        command: card.command,
        description: card.description,
        risk: serde_json::from_value(card.risk).unwrap_or(Risk::High),
        undo: None,
        verify: None,
        placeholders: card.placeholders,
    }
}

/// The schema asks for every field; what does not apply is empty.
fn without_blanks(action: &Value) -> Value {
    let mut action = action.clone();
    if let Some(fields) = action.as_object_mut() {
        fields.retain(|name, value| name == "content" || value != "");
    }
    action
}

fn of_envelope(envelope: Envelope) -> Said {
    let intent = envelope.intent_update;
    let step = |s: crate::linus::contract::Step| SaidStep {
        id: String::new(),
        text: s.text,
        command: s.check.unwrap_or_default(),
    };
    Said {
        message: envelope.chat_response.map(|c| c.message).unwrap_or_default(),
        goal: intent.as_ref().map(|i| i.summary.clone()).unwrap_or_default(),
        steps: intent.into_iter().flat_map(|i| i.steps).map(step).collect(),
        cards: envelope.suggested_commands.map(|s| s.commands).unwrap_or_default(),
        files: envelope.file_actions.map(|f| f.actions).unwrap_or_default(),
        complaints: Vec::new(),
    }
}

impl Said {
    /// Drops what cannot be shown or sent, and what is too much.
    fn bound(&mut self) {
        self.goal = line(&self.goal);
        for step in &mut self.steps {
            step.text = line(&step.text);
            step.command = step.command.trim().to_owned();
        }
        self.steps.retain(|step| !step.text.is_empty());
        self.steps.truncate(MAX_STEPS);
        self.complaints.truncate(MAX_CARDS);
        for card in &mut self.cards {
            card.command = card.command.trim().to_owned();
            card.description = line(&card.description);
        }
        let all = self.cards.len();
        let is_hidden = |c: char| c != '\n' && c != '\t' && plain::is_hidden(c);
        self.cards.retain(|c| {
            !c.command.is_empty() && c.command.len() <= MAX_COMMAND && !c.command.contains(is_hidden)
        });
        self.cards.truncate(MAX_CARDS);
        let lost = all - self.cards.len() + self.files.len().saturating_sub(MAX_FILES);
        self.files.truncate(MAX_FILES);
        if lost > 0 {
            self.complaints.push(format!("{lost} of its commands or files could not be taken."));
        }
    }
}

/// One line for a panel.
fn line(text: &str) -> String {
    cut(&harmless(text).replace(['\n', '\t'], " "), MAX_LINE).trim().to_owned()
}

/// Words without what steers a terminal or hides in text.
fn harmless(text: &str) -> String {
    let mut text = plain::clean(cut(text, MAX_ANSWER));
    text.retain(|c| matches!(c, '\n' | '\t') || !plain::is_hidden(c));
    let short = cut(&text, MAX_MESSAGE).trim();
    if short.len() < text.trim().len() { format!("{short}…") } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_that_was_asked_for_is_read_with_and_without_a_fence_and_words_after_it() {
        let json = r#"{"answer": "It is full.", "commands": [{"command": "df -h", "description": "look", "risk": "low"}],
            "goal": "space", "steps": [{"id": "s1", "text": "look", "command": "df -h"}, "clean"]}"#;
        for text in [
            json.to_owned(),
            format!("```json\n{json}\n```"),
            format!("<think>{{</think>{json}\nThat is all."),
        ] {
            let said = read(&text, false);
            assert_eq!(
                (said.message.as_str(), said.goal.as_str(), said.steps.len()),
                ("It is full.", "space", 2),
                "{text}"
            );
            assert_eq!(said.cards.first().map(|c| (c.command.as_str(), c.risk)), Some(("df -h", Risk::Low)));
            assert_eq!(said.complaints, Vec::<String>::new());
        }
    }

    #[test]
    fn what_models_say_otherwise_is_read_too() {
        assert_eq!(read("just words", false).message, "just words");
        let fence = read("Look:\n```bash\ndf -h\n```", false);
        assert_eq!(fence.cards.len(), 1);
        let action = read("Look.\n```json\n{\"command\": \"df -h\"}\n```", false);
        assert_eq!((action.message.as_str(), action.cards.len()), ("Look.", 1));
        let envelope = read(
            r#"{"chat_response": {"message": "hi"}, "suggested_commands": {"commands": [{"id": "a", "command": "df"}]}}"#,
            false,
        );
        assert_eq!((envelope.message.as_str(), envelope.cards.len()), ("hi", 1));
    }

    #[test]
    fn a_broken_object_says_what_it_was_saying_and_proposes_nothing() {
        let said =
            read(r#"{"answer": "It is \"full\" \ud83d\ude00 now", "commands": [{"command": "rm -rf /"#, true);
        assert_eq!(said.message, "It is \"full\" 😀 now");
        assert!(said.cards.is_empty() && said.complaints.len() == 1);
    }

    #[test]
    fn what_is_being_written_is_shown_at_every_point_of_it() {
        let whole = "{\"answer\": \"Größe \\\"x\\\" \\u00e9 \\ud83d\\ude00\\n- a\", \"commands\": []}";
        let mut before = String::new();
        for (at, _) in whole.char_indices() {
            let now = so_far(&whole[..at]);
            assert!(now.starts_with(&before), "{now:?} after {before:?}");
            before = now;
        }
        assert_eq!(before, "Größe \"x\" é 😀\n- a");
        assert_eq!(so_far("plain"), "plain");
        assert_eq!(so_far("<think>hm"), "");
    }

    #[test]
    fn ten_megabytes_and_control_characters_are_bounded_and_made_harmless() {
        let huge = read(&format!("{{\"answer\": \"{}\"}}", "x".repeat(10 << 20)), false);
        assert!(huge.message.len() <= MAX_MESSAGE + 3);
        let nasty = r#"{"answer": "a\u001b[2J\u202eb", "commands": [{"command": "ls\u0007", "risk": "low"}, {"command": "id", "risk": "none"}]}"#;
        let said = read(nasty, false);
        assert_eq!(said.message, "ab");
        assert_eq!(
            said.cards.iter().map(|c| (c.command.as_str(), c.risk)).collect::<Vec<_>>(),
            [("id", Risk::High)]
        );
        assert_eq!(said.complaints, ["1 of its commands or files could not be taken."]);
        let many = format!("{{\"commands\": [{}]}}", vec![r#"{"command": "id"}"#; 5000].join(","));
        assert_eq!(read(&many, false).cards.len(), MAX_CARDS);
    }
}
