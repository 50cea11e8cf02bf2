//! Kinds of values that the configuration file has and that check themselves when they are read.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::linus::redact;
use crate::ssh::Patterns;

/// A number of lines from 1 to 1000: more do not fit into a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16")]
pub struct TailLines(pub u16);

impl TryFrom<u16> for TailLines {
    type Error = String;

    fn try_from(lines: u16) -> Result<Self, String> {
        if (1..=1000).contains(&lines) { Ok(Self(lines)) } else { Err("from 1 to 1000 lines".to_owned()) }
    }
}

/// Where the panel goes when it opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanelMode {
    /// Split from 110 columns on, overlay below.
    #[default]
    Auto,
    /// ssh's terminal becomes narrower.
    Split,
    /// The panel covers a part of it; ssh's terminal keeps its size.
    Overlay,
}

/// Whether other agents see a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// From its beginning.
    Always,
    /// Once the user has shared it.
    #[default]
    Ask,
    /// Not even then.
    Never,
}

/// A number of MiB from 1 to 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16")]
pub struct Scrollback(u16);

impl Default for Scrollback {
    fn default() -> Self {
        Self(8)
    }
}

impl Scrollback {
    pub fn bytes(self) -> usize {
        usize::from(self.0) << 20
    }
}

impl TryFrom<u16> for Scrollback {
    type Error = String;

    fn try_from(mebibytes: u16) -> Result<Self, String> {
        if (1..=1024).contains(&mebibytes) {
            Ok(Self(mebibytes))
        } else {
            Err("from 1 to 1024 MiB".to_owned())
        }
    }
}

/// Which colours the panel is drawn in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanelTheme {
    /// By what the terminal says of its background; where it says nothing, what can be read on either.
    #[default]
    Auto,
    Dark,
    Light,
    None,
}

/// One prefix key as the bytes that a terminal sends for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PrefixKey {
    /// As the configuration writes it.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Serialize for PrefixKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

impl TryFrom<String> for PrefixKey {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        /// F1 to F12 as xterm sends them (ctlseqs, PC-style function keys).
        const FUNCTION: [&[u8]; 12] = [
            b"\x1bOP",
            b"\x1bOQ",
            b"\x1bOR",
            b"\x1bOS",
            b"\x1b[15~",
            b"\x1b[17~",
            b"\x1b[18~",
            b"\x1b[19~",
            b"\x1b[20~",
            b"\x1b[21~",
            b"\x1b[23~",
            b"\x1b[24~",
        ];
        let function = name.strip_prefix('F').and_then(|n| n.parse::<usize>().ok()?.checked_sub(1));
        if let Some(bytes) = function.and_then(|i| FUNCTION.get(i)) {
            return Ok(Self { bytes: bytes.to_vec(), name });
        }
        match name.strip_prefix("C-").map(str::as_bytes) {
            // Escape, Enter and Tab are C-[, C-m and C-i: as a prefix they would take the keyboard away.
            Some([b'[' | b'm' | b'M' | b'i' | b'I']) => {}
            Some([c @ (b'a'..=b'z' | b'A'..=b'Z' | b'\\' | b']' | b'^' | b'_')]) => {
                return Ok(Self { bytes: vec![c & 0x1f], name });
            }
            _ => {}
        }
        Err(format!("'{name}' is no prefix key: use C- and a letter or one of \\ ] ^ _, or F1 to F12"))
    }
}

pub(super) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PrefixKey>, D::Error> {
    let keys = Vec::<PrefixKey>::deserialize(deserializer)?;
    if keys.is_empty() {
        return Err(serde::de::Error::custom(
            "without a prefix key the panel cannot be opened: name at least one",
        ));
    }
    Ok(keys)
}

pub(super) fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Patterns, D::Error> {
    Patterns::try_from(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// Regular expressions that compile.
pub(super) fn usable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let patterns = Vec::<String>::deserialize(deserializer)?;
    let options = redact::Options { patterns, ..redact::Options::default() };
    options.check().map_err(serde::de::Error::custom)?;
    Ok(options.patterns)
}
