//! What a server says instead of an answer, in every dialect of the OpenAI and the Anthropic interface. Pure.

use std::time::Duration;

use super::ModelError;
use crate::linus::one_line;
use serde_json::Value;

/// Kinds of error that mean that the prompt is too long: llama.cpp's and OpenAI's.
const TOO_LONG_KINDS: [&str; 2] = ["exceed_context_size_error", "context_length_exceeded"];
/// And words that others use.
const TOO_LONG_WORDS: [&str; 9] = [
    "maximum context length",
    "context length",
    "context size",
    "context window",
    "prompt is too long",
    "exceed context limit",
    "maximum model length",
    "too large for model",
    "exceeds the maximum number of tokens",
];
/// What stands before the number of tokens that the context has.
const WINDOW_WORDS: [&str; 9] = [
    "maximum context length is",
    "maximum model length of",
    "context length is only",
    "context length of only",
    "context size (",
    "number of tokens allowed (",
    "too large for model with",
    "context limit:",
    "tokens >",
];

/// An error object, as far as it can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fault {
    /// The HTTP status, or the one that the object names.
    pub(super) status: u16,
    /// Its type and its code.
    kinds: Vec<String>,
    pub(super) message: String,
    prompt: Option<u64>,
    window: Option<u64>,
    pub(super) wait: Option<Duration>,
}

impl Fault {
    /// From a body that came with `status`.
    pub(super) fn of_body(status: u16, body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(body) => Self { status, ..Self::of(&body).unwrap_or_default() },
            Err(_) => Self { status, message: one_line(&String::from_utf8_lossy(body)), ..Self::default() },
        }
    }

    /// With the time that the server asks to be left alone.
    pub(super) fn asking_for(self, wait: Option<Duration>) -> Self {
        Self { wait, ..self }
    }

    /// From a JSON value, if it is an error: `{"error": {…}}`, `{"error": "…"}`, `{"object": "error", …}`, `{"detail": …}`.
    pub(super) fn of(body: &Value) -> Option<Self> {
        let error = match body.get("error").filter(|error| !error.is_null()) {
            Some(error) => error,
            None if body.get("object").or(body.get("type")).is_some_and(|kind| kind == "error") => body,
            None => body.get("detail")?,
        };
        let text = |key: &str| error.get(key).and_then(Value::as_str);
        let number = |key: &str| error.get(key).and_then(Value::as_u64);
        let message = match error {
            Value::String(message) => message.clone(),
            error => text("message").map_or_else(|| error.to_string(), str::to_owned),
        };
        let kinds = ["type", "code"].into_iter().filter_map(text).map(str::to_owned).collect();
        let status = number("code").or_else(|| number("status")).and_then(|code| u16::try_from(code).ok());
        let (prompt, window) = (number("n_prompt_tokens"), number("n_ctx"));
        Some(Self { status: status.unwrap_or_default(), kinds, message, prompt, window, wait: None })
    }

    /// Whether it is about a part of the request that goes by one of these names.
    pub(super) fn names(&self, words: &[&str]) -> bool {
        matches!(self.status, 400 | 404 | 415 | 422 | 501)
            && words.iter().any(|word| self.message.to_lowercase().contains(word))
    }

    /// The same request may be answered a little later.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.status, 429 | 500 | 502 | 503 | 529)
            || self.kinds.iter().any(|kind| kind == "overloaded_error" || kind == "rate_limit_error")
    }

    pub(super) fn into_error(self) -> ModelError {
        if self.is_too_long() {
            let (prompt, window) = numbers(&self.message);
            return ModelError::TooLong { prompt: self.prompt.or(prompt), window: self.window.or(window) };
        }
        if matches!(self.status, 429 | 503 | 529) || self.kinds.iter().any(|kind| kind == "overloaded_error")
        {
            return ModelError::Busy(self.wait);
        }
        let message = one_line(&self.message);
        ModelError::Failed(match (self.status, message.is_empty()) {
            (0, _) => format!("it reports an error: {message}"),
            (status, true) => format!("HTTP {status}"),
            (status, false) => format!("HTTP {status}: {message}"),
        })
    }

    pub(super) fn is_too_long(&self) -> bool {
        let message = self.message.to_lowercase();
        self.status == 413
            || self.kinds.iter().any(|kind| TOO_LONG_KINDS.contains(&kind.as_str()))
            || TOO_LONG_WORDS.iter().any(|words| message.contains(words))
    }
}

/// Tokens of the prompt and of the context, where a sentence names them.
fn numbers(message: &str) -> (Option<u64>, Option<u64>) {
    let message = message.to_lowercase();
    let window = WINDOW_WORDS.iter().find_map(|words| {
        let rest = &message[message.find(words)? + words.len()..];
        // "190000 + 20000 > 200000": what may not be exceeded comes last.
        let rest = rest.split_once('>').map_or(rest, |(_, rest)| rest);
        all_numbers(rest).next()
    });
    let prompt = all_numbers(&message).filter(|number| window.is_none_or(|window| *number > window)).max();
    (prompt, window)
}

/// Counts of tokens: a number that stands alone and is no version or year of something small.
fn all_numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).filter(|n| *n >= 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(status: u16, body: &Value) -> ModelError {
        Fault::of_body(status, body.to_string().as_bytes()).into_error()
    }

    /// llama.cpp's line has the shape that its server's sources give it; the others are from the public documentation and issue
    /// trackers of their makers, not from a run.
    #[test]
    fn a_prompt_that_is_too_long_is_told_in_every_servers_words() {
        let too_long = |prompt, window| ModelError::TooLong { prompt, window };
        let llama = json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 5010,
            "n_ctx": 4096, "message": "request (5010 tokens) exceeds the available context size (4096 tokens), try \
            increasing it"}});
        assert_eq!(error(400, &llama), too_long(Some(5010), Some(4096)));
        for (message, prompt, window) in [
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 10226 tokens. \
              Please reduce the length of the messages.",
                Some(10226),
                8192,
            ),
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 4096 \
              tokens and your request has 5000 input tokens",
                Some(5000),
                4096,
            ),
            (
                "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only \
              4096 tokens",
                Some(5000),
                4096,
            ),
            (
                "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
                Some(5000),
                4096,
            ),
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(210_000), 200_000),
            (
                "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
                None,
                200_000,
            ),
            (
                "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
                Some(40_000),
                32_768,
            ),
            (
                "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context \
              length of only 4096 tokens",
                Some(5000),
                4096,
            ),
            (
                "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_100_000),
                1_048_576,
            ),
        ] {
            let body = json!({"error": {"type": "invalid_request_error", "message": message}});
            assert_eq!(error(400, &body), too_long(prompt, Some(window)), "{message}");
        }
        let bare = json!({"error": {"code": "context_length_exceeded", "message": "too much"}});
        assert_eq!(error(400, &bare), too_long(None, None));
        assert_eq!(error(413, &json!({"error": {"message": "Request too large"}})), too_long(None, None));
    }

    #[test]
    fn errors_of_every_shape_are_one_harmless_line() {
        let failed = |text: &str| ModelError::Failed(text.into());
        for (body, says) in [
            (json!({"error": {"message": "no \u{1b}[2Jsuch model"}}), "HTTP 404: no [2Jsuch model"),
            (json!({"error": "model 'x' not found"}), "HTTP 404: model 'x' not found"),
            (json!({"object": "error", "message": "gone", "code": 404}), "HTTP 404: gone"),
            (
                json!({"type": "error", "error": {"type": "not_found_error", "message": "model: x"}}),
                "HTTP 404: model: x",
            ),
            (json!({"detail": "Not Found"}), "HTTP 404: Not Found"),
        ] {
            assert_eq!(error(404, &body), failed(says));
        }
        assert_eq!(
            Fault::of_body(502, b"<html>Bad\nGateway").into_error(),
            failed("HTTP 502: <html>Bad Gateway")
        );
        assert_eq!(Fault::of(&json!({"choices": []})), None);
        assert_eq!(Fault::of(&json!({"error": null})), None);
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let fault = |status, body: &Value| Fault::of_body(status, body.to_string().as_bytes());
        let overloaded =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        for (status, passes) in
            [(429, true), (500, true), (503, true), (529, true), (400, false), (404, false)]
        {
            assert_eq!(fault(status, &json!({})).is_passing(), passes, "{status}");
        }
        assert!(Fault::of(&overloaded).is_some_and(|fault| fault.is_passing()));
        assert_eq!(error(529, &overloaded), ModelError::Busy(None));
        assert!(
            fault(400, &json!({"error": {"message": "Unknown parameter: 'response_format'"}}))
                .names(&["response_format"])
        );
        assert!(!fault(500, &json!({"error": {"message": "response_format"}})).names(&["response_format"]));
    }
}
