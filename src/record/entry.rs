//! One line of the audit log: a time and an event, as JSON. Unknown events and fields are for later versions to add.

use std::time::SystemTime;

use crate::text::hex;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

/// The form of the log. Grows when a reader of this one could misread it.
pub(super) const VERSION: u32 = 1;

/// Bytes of a text in an entry; what is longer is cut, and says so.
const TEXT_LIMIT: usize = 16 * 1024;

/// Shorter texts are not named by a digest: they could be guessed.
const SEARCHABLE: usize = 64;

/// Stands for a text that could not be checked for secrets.
const WITHHELD: &str = "[withheld: it could not be checked for secrets]";

/// A record: when, and what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// UTC, RFC 3339 with milliseconds.
    #[serde(with = "rfc3339")]
    pub time: SystemTime,
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened in a session. Texts are redacted, outputs and payloads are digests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The first line of every file.
    Session { version: u32, aissh: String, session_id: String, target: String, linus: String },
    /// ssh has said who is logged in where.
    Target { target: String },
    /// The user wrote to Linus.
    Asked { text: String },
    /// He answered.
    Answered { by: String, text: String },
    /// His checklist as it is now.
    Plan { summary: String, confidence: Option<f64>, steps: Vec<Step> },
    /// A card came, or came again with another command.
    Proposed { id: String, by: String, command: String, risk: String, reason: String },
    /// Its text was changed on the edit line.
    Edited { id: String, text: String },
    /// The user pressed the key that sends, or typed the word that a high risk asks for. `how`: `enter`, `typed`, `auto`.
    Confirmed { id: String, command: String, edited: bool, risk: String, reason: String, how: String },
    /// It was typed into the session.
    Sent { id: String, command: String },
    /// It was not, or could not be.
    Refused { id: String, reason: String },
    /// The user put the card away, or Linus cleared it.
    Closed { id: String, by: String },
    /// A command ended, or ran for 5 s (`finished` is false). `by`: `user`, or the card's id. The output is the screen's
    /// text with its colours, its last 64 KiB.
    Ran { command: Option<String>, by: String, exit: Option<i32>, finished: bool, output: Digest },
    /// The policy is another.
    Mode { mode: String, reason: String },
    /// A message left for Linus.
    Payload { kind: String, to: String, payload: Digest },
    /// A file was written on the remote, or was not.
    File { path: String, action: String, result: String, diff: String },
    /// An agent called a tool of this session's.
    Agent { agent: String, tool: String, action: String, outcome: String },
    /// ssh has ended.
    Ended { status: String },
}

/// A step of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub status: String,
    pub text: String,
}

/// Something that is named and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    pub bytes: u64,
    /// Lower-case hex. `null` for a text that could be found by trying: a password that stood alone.
    pub sha256: Option<String>,
}

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        let sha256 = (bytes.len() >= SEARCHABLE).then(|| hex(digest(&SHA256, bytes).as_ref()));
        Self { bytes: bytes.len() as u64, sha256 }
    }
}

impl Event {
    /// Passes every text of others' through `clean`, and cuts it to its bound.
    pub(super) fn redact(&mut self, clean: &mut dyn FnMut(&str) -> Option<String>) {
        for text in self.texts() {
            let mut cleaned = clean(text).unwrap_or_else(|| WITHHELD.to_owned());
            if cleaned.len() > TEXT_LIMIT {
                let left = cleaned.len() - TEXT_LIMIT;
                cleaned = format!("{} [{left} bytes more]", crate::text::cut(&cleaned, TEXT_LIMIT));
            }
            *text = cleaned;
        }
    }

    /// The texts in it that somebody wrote; names and levels of our own are none.
    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Self::Session { target, linus, .. } => vec![target, linus],
            Self::Target { target } => vec![target],
            Self::Asked { text } | Self::Answered { text, .. } => vec![text],
            Self::Plan { summary, steps, .. } => {
                std::iter::once(summary).chain(steps.iter_mut().map(|step| &mut step.text)).collect()
            }
            Self::Proposed { id, command, reason, .. } | Self::Confirmed { id, command, reason, .. } => {
                vec![id, command, reason]
            }
            Self::Edited { id, text } => vec![id, text],
            Self::Sent { id, command } => vec![id, command],
            Self::Refused { id, reason } => vec![id, reason],
            Self::Closed { id, .. } => vec![id],
            Self::Ran { command, by, .. } => command.iter_mut().chain([by]).collect(),
            Self::Mode { reason, .. } => vec![reason],
            Self::Payload { to, .. } => vec![to],
            Self::File { path, result, diff, .. } => vec![path, result, diff],
            Self::Agent { agent, action, outcome, .. } => vec![agent, action, outcome],
            Self::Ended { status } => vec![status],
        }
    }

    /// Whether Linus has a part in it. A session in which he had none leaves no log.
    pub(super) fn is_of_linus(&self) -> bool {
        !matches!(self, Self::Session { .. } | Self::Target { .. } | Self::Ran { .. } | Self::Ended { .. })
    }
}

/// Times as text.
mod rfc3339 {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::time::SystemTime;

    pub(super) fn serialize<S: Serializer>(time: &SystemTime, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&humantime::format_rfc3339_millis(*time))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<SystemTime, D::Error> {
        let text = String::deserialize(input)?;
        humantime::parse_rfc3339(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_entry_is_one_line_and_comes_back_as_it_was() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_790_000_000_123);
        let event = Event::Ran {
            command: Some("printf 'a\nb'".into()),
            by: "user".into(),
            exit: None,
            finished: true,
            output: Digest::of(&[b'a'; 64]),
        };
        let line = serde_json::to_string(&Entry { time, event: event.clone() }).expect("JSON");
        assert!(line.starts_with(r#"{"time":"2026-09-21T14:13:20.123Z","event":"ran","#), "{line}");
        assert!(!line.contains('\n') && line.contains(r#""exit":null"#), "{line}");
        // What sha256sum says of 64 times 'a'.
        assert!(line.contains("ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"), "{line}");
        assert_eq!(Digest::of(b"hunter2"), Digest { bytes: 7, sha256: None });
        assert_eq!(serde_json::from_str::<Entry>(&line).expect("reads back"), Entry { time, event });
    }

    #[test]
    fn every_text_is_cleaned_or_withheld_and_bounded() {
        let mut event = Event::Sent { id: "c1".into(), command: "mysql -phunter2".into() };
        event.redact(&mut |text| Some(text.replace("hunter2", "‹password-1›")));
        assert_eq!(event, Event::Sent { id: "c1".into(), command: "mysql -p‹password-1›".into() });
        event.redact(&mut |text| (text == "c1").then(|| text.to_owned()));
        assert_eq!(event, Event::Sent { id: "c1".into(), command: WITHHELD.into() });
        let mut long = Event::Asked { text: "é".repeat(TEXT_LIMIT) };
        long.redact(&mut |text| Some(text.to_owned()));
        let Event::Asked { text } = long else { panic!("it stays what it is") };
        assert!(text.len() < TEXT_LIMIT + 30 && text.ends_with(" [16384 bytes more]"), "{}", text.len());
    }
}
