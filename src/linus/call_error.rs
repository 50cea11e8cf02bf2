//! Why a call to Linus failed, in the kinds that callers decide on, each with one short line for the panel.
//!
//! Everything that a server says ends here before it is shown: [`one_line`] takes control, bidi and
//! zero-width characters out and bounds the length. No credential ever gets into one of these texts.

use std::fmt;

/// Longest text of an error. A panel line is about 60 columns; two of them are enough for a reason.
const TEXT_LIMIT: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// Nothing was sent, or not all of it: Linus cannot have acted on the message.
    Unreachable(String),
    /// The message was sent and the connection broke before the answer: Linus may have acted on it.
    Lost(String),
    /// The message was sent and no answer came in time.
    Timeout,
    /// The server wants another token, or there is none to show: what is wrong and what the user can do.
    Auth(String),
    /// Any other status that is not a success.
    Http(u16),
    /// An answer that is not MCP, or a JSON-RPC error.
    Protocol(String),
    /// The tool ran and reported an error (`isError`), or the server does not have it.
    Tool(String),
    /// The user, or something more urgent, took the call back.
    Cancelled,
    /// It was never sent: its secrets could not be taken out.
    Withheld(String),
}

/// What became of the message of a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It can be sent again without happening twice.
    Not,
    /// It may have been acted on: only the user sends it again.
    Perhaps,
    /// It was answered with a refusal, or refused here; sending it again gives the same.
    Answered,
}

impl CallError {
    pub fn unreachable(text: impl AsRef<str>) -> Self {
        Self::Unreachable(one_line(text.as_ref()))
    }

    pub fn lost(text: impl AsRef<str>) -> Self {
        Self::Lost(one_line(text.as_ref()))
    }

    pub fn protocol(text: impl AsRef<str>) -> Self {
        Self::Protocol(one_line(text.as_ref()))
    }

    pub fn tool(text: impl AsRef<str>) -> Self {
        Self::Tool(one_line(text.as_ref()))
    }

    pub fn auth(text: impl AsRef<str>) -> Self {
        Self::Auth(one_line(text.as_ref()))
    }

    pub fn delivery(&self) -> Delivery {
        match self {
            // 429 and 503 are answered before the work is done (RFC 6585, RFC 9110 15.6.4).
            Self::Unreachable(_) | Self::Auth(_) | Self::Http(429 | 503) => Delivery::Not,
            Self::Lost(_) | Self::Timeout | Self::Cancelled | Self::Http(500..) => Delivery::Perhaps,
            Self::Http(_) | Self::Protocol(_) | Self::Tool(_) | Self::Withheld(_) => Delivery::Answered,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(text) | Self::Auth(text) => f.write_str(&one_line(text)),
            Self::Lost(text) => write!(f, "the answer was lost: {}", one_line(text)),
            Self::Timeout => f.write_str("no answer in time"),
            Self::Http(status) => write!(f, "HTTP {status}"),
            Self::Protocol(text) => write!(f, "a wrong answer: {}", one_line(text)),
            Self::Tool(text) => write!(f, "it reports an error: {}", one_line(text)),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Withheld(why) => write!(f, "not sent: {}", one_line(why)),
        }
    }
}

impl std::error::Error for CallError {}

/// One bounded line of `text` that cannot steer a terminal: what is not shown as itself becomes one blank.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || is_unshown(c)).filter(|w| !w.is_empty()) {
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length == TEXT_LIMIT {
                line.push('…');
                return line;
            }
            line.push(c);
            length += 1;
        }
    }
    line
}

/// Controls, zero-width and direction marks, line separators, tags and variation selectors.
fn is_unshown(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_text_becomes_one_short_line_without_controls() {
        let text =
            CallError::tool("\u{1b}[31mred\u{1b}]0;x\u{7}\r\nsecond\u{202e}line\u{200b}\u{9b}2J").to_string();
        assert_eq!(text, "it reports an error: [31mred ]0;x second line 2J");
        let long = CallError::protocol("x".repeat(10_000)).to_string();
        assert!(long.chars().count() < 200 && long.ends_with('…'), "{long}");
    }

    #[test]
    fn a_variant_built_by_hand_is_made_harmless_when_it_is_shown() {
        assert_eq!(CallError::Unreachable("a\u{1b}c\nb".into()).to_string(), "a c b");
    }

    #[test]
    fn only_what_cannot_have_arrived_may_be_sent_again() {
        assert_eq!(CallError::unreachable("x").delivery(), Delivery::Not);
        assert_eq!(CallError::auth("x").delivery(), Delivery::Not);
        assert_eq!(CallError::Http(503).delivery(), Delivery::Not);
        for perhaps in [CallError::Timeout, CallError::lost("x"), CallError::Http(502), CallError::Cancelled]
        {
            assert_eq!(perhaps.delivery(), Delivery::Perhaps, "{perhaps:?}");
        }
        for answered in [CallError::Http(400), CallError::tool("x"), CallError::protocol("x")] {
            assert_eq!(answered.delivery(), Delivery::Answered, "{answered:?}");
        }
    }
}
