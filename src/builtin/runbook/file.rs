//! A runbook's file as it is written.

use super::super::readers::Reader;
use crate::linus::contract::Risk;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) can: String,
    pub(super) example: String,
    pub(super) intent: Intent,
    pub(super) trigger: Trigger,
    #[serde(default)]
    pub(super) read: Vec<Reader>,
    #[serde(default)]
    pub(super) pattern: Vec<PatternFile>,
    #[serde(default)]
    pub(super) fact: Vec<FactFile>,
    #[serde(default)]
    pub(super) trouble: Vec<TroubleFile>,
    #[serde(default)]
    pub(super) finding: Vec<FindingFile>,
    pub(super) step: Vec<StepFile>,
    #[serde(default)]
    pub(super) remedy: Vec<RemedyFile>,
    pub(super) close: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intent {
    pub(super) summary: String,
    pub(super) confidence: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trigger {
    pub(super) question: Vec<String>,
    #[serde(default)]
    pub(super) except: Vec<String>,
    pub(super) screen: Option<String>,
    pub(super) piped: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternFile {
    pub(super) table: String,
    pub(super) line: String,
    #[serde(default)]
    pub(super) units: BTreeMap<String, Measure>,
    #[serde(default)]
    pub(super) key: Vec<String>,
}

/// What a named capture is read as; text where nothing is said.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Measure {
    /// `4.2G`, `512K`; a bare number is bytes.
    Size,
    Kib,
    Percent,
    Count,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FactFile {
    pub(super) name: String,
    pub(super) value: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TroubleFile {
    pub(super) flag: String,
    pub(super) output: String,
    pub(super) say: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindingFile {
    pub(super) when: String,
    pub(super) text: String,
    pub(super) cite: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepFile {
    pub(super) text: String,
    pub(super) when: Option<String>,
    pub(super) done: String,
    pub(super) early: Option<String>,
    #[serde(default)]
    pub(super) remedies: bool,
    #[serde(default)]
    pub(super) card: Vec<CardFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardFile {
    pub(super) when: Option<String>,
    pub(super) command: String,
    pub(super) text: String,
    pub(super) risk: Risk,
    pub(super) empty: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemedyFile {
    pub(super) id: String,
    pub(super) each: Option<String>,
    pub(super) when: String,
    pub(super) by: Option<String>,
    pub(super) limit: Option<usize>,
    pub(super) command: String,
    pub(super) text: String,
    pub(super) risk: Risk,
    pub(super) gain: Option<String>,
    pub(super) undo: Option<String>,
    pub(super) verify: Option<String>,
}
