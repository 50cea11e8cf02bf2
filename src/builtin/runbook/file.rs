//! A runbook's file as it is written. What is an expression, a pattern or a template keeps its place in the file, so
//! that a mistake in it is told with its line.

use super::super::readers::Reader;
use crate::linus::contract::Risk;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Text with its place in the file.
pub(super) type Text = Spanned<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: Text,
    pub(super) area: Area,
    pub(super) title: String,
    pub(super) example: Text,
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
    pub(super) close: Option<Text>,
}

/// What part of a system a runbook is about, for the list of what is known.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Area {
    Storage,
    Memory,
    Load,
    Services,
    Network,
    Access,
    Packages,
    Applications,
    Containers,
    Devices,
}

impl Area {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Memory => "memory",
            Self::Load => "load",
            Self::Services => "services",
            Self::Network => "network",
            Self::Access => "access",
            Self::Packages => "packages",
            Self::Applications => "applications",
            Self::Containers => "containers",
            Self::Devices => "devices",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intent {
    pub(super) summary: Text,
    pub(super) confidence: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trigger {
    pub(super) question: Vec<Text>,
    #[serde(default)]
    pub(super) except: Vec<Text>,
    #[serde(default)]
    pub(super) general: bool,
    #[serde(default)]
    pub(super) dialect: Vec<Text>,
    #[serde(default)]
    pub(super) exit: Vec<i32>,
    #[serde(default)]
    pub(super) names: BTreeMap<String, Text>,
    pub(super) screen: Option<Text>,
    pub(super) piped: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternFile {
    pub(super) table: String,
    pub(super) line: Text,
    pub(super) head: Option<Text>,
    #[serde(default)]
    pub(super) log: bool,
    #[serde(default)]
    pub(super) tool: Vec<String>,
    #[serde(default)]
    pub(super) strict: bool,
    #[serde(default)]
    pub(super) units: BTreeMap<String, Measure>,
    pub(super) key: Option<Vec<String>>,
}

/// What a named capture is read as; text where nothing is said.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Measure {
    /// `4.2G`, `512K`; a bare number is bytes.
    Size,
    Kib,
    Mib,
    Percent,
    Count,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FactFile {
    pub(super) name: String,
    pub(super) value: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TroubleFile {
    pub(super) flag: String,
    pub(super) output: Text,
    pub(super) say: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindingFile {
    pub(super) when: Text,
    pub(super) text: Text,
    pub(super) cite: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepFile {
    pub(super) text: Text,
    pub(super) when: Option<Text>,
    pub(super) done: Text,
    pub(super) early: Option<Text>,
    #[serde(default)]
    pub(super) remedies: bool,
    #[serde(default)]
    pub(super) card: Vec<CardFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardFile {
    pub(super) when: Option<Text>,
    pub(super) command: Text,
    pub(super) text: Text,
    pub(super) risk: Risk,
    pub(super) empty: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemedyFile {
    pub(super) id: Text,
    pub(super) each: Option<Text>,
    pub(super) when: Text,
    pub(super) by: Option<Text>,
    pub(super) limit: Option<usize>,
    pub(super) command: Text,
    pub(super) text: Text,
    pub(super) risk: Risk,
    pub(super) gain: Option<Text>,
    pub(super) undo: Option<String>,
    pub(super) verify: Option<Text>,
}
