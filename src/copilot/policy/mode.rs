//! The modes, and which of them can be chosen where.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What Enter on a card does, and whether anything happens without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Enter puts the card on the remote's line; entering it there is the user's.
    Suggest,
    /// Enter sends it.
    Confirm,
    /// Linus's own cards of low risk are sent without a key.
    Auto,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Suggest => "suggest",
            Self::Confirm => "confirm",
            Self::Auto => "auto",
        }
    }
}

/// What the command line and the configuration can say. Auto is not among them: consent is given at the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", rename_all = "lowercase")]
pub enum StartMode {
    Suggest,
    #[default]
    Confirm,
}

impl StartMode {
    pub fn mode(self) -> Mode {
        match self {
            Self::Suggest => Mode::Suggest,
            Self::Confirm => Mode::Confirm,
        }
    }
}

impl FromStr for StartMode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "suggest" => Ok(Self::Suggest),
            "confirm" => Ok(Self::Confirm),
            "auto" => {
                Err("auto is turned on only by its user inside a session: the prefix key, then m".into())
            }
            other => Err(format!("'{other}' is no policy: use suggest or confirm")),
        }
    }
}

impl TryFrom<String> for StartMode {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

/// Commands that auto may send in a row, if nothing else is said: enough to look into one thing.
pub const CHAIN_LIMIT: ChainLimit = ChainLimit(8);

/// From 1 to 20: nobody follows more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct ChainLimit(pub u8);

impl Default for ChainLimit {
    fn default() -> Self {
        CHAIN_LIMIT
    }
}

impl TryFrom<u8> for ChainLimit {
    type Error = String;

    fn try_from(limit: u8) -> Result<Self, String> {
        if (1..=20).contains(&limit) { Ok(Self(limit)) } else { Err("from 1 to 20 commands".to_owned()) }
    }
}
