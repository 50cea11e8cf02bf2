//! Language models: what is asked of one, and what comes back. Which there are, and how each is reached, stands in the
//! files beside this one; what is asked, and what of the answer counts, is the built-in Linus's to say.

mod anthropic;
mod command;
mod fault;
mod http;
mod key;
mod openai;
mod window;

use crate::linus::Canceller;
use crate::linus::preview::Tap;
use serde_json::Value;
use std::fmt;
use std::time::Duration;

pub use anthropic::Anthropic;
pub use command::Command;
pub use http::Http;
pub use key::Key;
pub use openai::OpenAi;

/// What the user has set for a model, whichever it is.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// As the user calls it.
    pub name: String,
    /// As its server calls it.
    pub model: String,
    /// Tokens of its context; asked of the server otherwise.
    pub context: Option<u32>,
    /// Tokens that an answer may have.
    pub max_tokens: Option<u32>,
    pub temperature: Option<f64>,
    /// Looks at what goes to a command; a server's looks at its requests.
    pub tap: Option<Tap>,
}

impl Setup {
    /// The smaller of what is asked for and what the user allows.
    fn max_tokens(&self, prompt: &Prompt) -> u32 {
        self.max_tokens.map_or(prompt.max_tokens, |most| most.min(prompt.max_tokens)).max(1)
    }
}

/// Who says a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub role: Role,
    pub text: String,
}

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prompt {
    pub system: String,
    /// The last one is the user's.
    pub turns: Vec<Turn>,
    /// The JSON Schema that the answer is to follow, where the server can hold it to one.
    pub schema: Option<Value>,
    /// Tokens that the answer may have.
    pub max_tokens: u32,
}

/// What a model has said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completion {
    pub text: String,
    pub usage: Option<Usage>,
    /// It broke off at the limit of tokens.
    pub is_cut: bool,
}

/// Tokens as the server counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
}

/// Why a model has not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelError {
    Cancelled,
    /// The prompt is larger than the context window. Of how many tokens both are, where the server says it.
    TooLong {
        prompt: Option<u64>,
        window: Option<u64>,
    },
    /// It is there and asks to be left alone for a while.
    Busy(Option<Duration>),
    /// The key is missing, wrong or not allowed.
    Denied(String),
    /// Not reachable, broken off, or not understood, in words for the user.
    Failed(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("cancelled"),
            Self::TooLong { window: Some(window), .. } => {
                write!(f, "the question is larger than its context of {window} tokens")
            }
            Self::TooLong { .. } => f.write_str("the question is larger than its context"),
            Self::Busy(Some(time)) => write!(f, "it is busy; it asks to wait for {} s", time.as_secs()),
            Self::Busy(None) => f.write_str("it is busy"),
            Self::Denied(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

pub trait Model: Send + Sync {
    /// As the user knows it: the profile's name, or the model's.
    fn name(&self) -> &str;

    /// Tokens of the context window, prompt and answer together.
    fn window(&self) -> u32;

    /// Blocks until it has answered. `on_text` hears what there is of the answer so far, whole each time.
    fn complete(
        &self,
        prompt: &Prompt,
        cancel: &Canceller,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError>;

    /// Whether it is there and would answer, found out as cheaply as can be.
    fn check(&self, _cancel: &Canceller) -> Result<(), ModelError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
