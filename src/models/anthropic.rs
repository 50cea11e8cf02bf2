//! Messages, as Anthropic made them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::http::{Ask, Http, Manner, Reading, Refusal};
use super::window;
use super::{Completion, Model, ModelError, Prompt, Role, Setup, Usage};
use crate::linus::Canceller;

const PATH: &str = "/messages";
const MANNER: Manner = Manner { key: ("x-api-key", ""), headers: &[("anthropic-version", "2023-06-01")] };
/// What a refusal of structured output names.
const FORMAT_WORDS: [&str; 4] = ["output_config", "output_format", "schema", "extra inputs"];

pub struct Anthropic {
    http: Http,
    setup: Setup,
    window: OnceLock<u32>,
    refuses_schema: AtomicBool,
}

impl Anthropic {
    pub fn new(http: Http, setup: Setup) -> Self {
        Self { http, setup, window: OnceLock::new(), refuses_schema: AtomicBool::new(false) }
    }

    fn body(&self, prompt: &Prompt) -> Value {
        let turns = prompt.turns.iter().map(|turn| {
            let role = if turn.role == Role::User { "user" } else { "assistant" };
            json!({"role": role, "content": turn.text})
        });
        let mut body = json!({
            "model": self.setup.model,
            "max_tokens": self.setup.max_tokens(prompt),
            "messages": turns.collect::<Vec<_>>(),
            "stream": true,
        });
        if !prompt.system.is_empty() {
            body["system"] = prompt.system.as_str().into();
        }
        if let Some(temperature) = self.setup.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(schema) = prompt.schema.as_ref().filter(|_| !self.refuses_schema.load(Ordering::Relaxed))
        {
            body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
        body
    }
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        &self.setup.name
    }

    fn window(&self) -> u32 {
        *self.window.get_or_init(|| window::of(&self.http, MANNER, &self.setup))
    }

    fn complete(
        &self,
        prompt: &Prompt,
        cancel: &Canceller,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        loop {
            let body = self.body(prompt);
            let ask = Ask { path: PATH, body: &body, manner: MANNER, cancel };
            let mut reading = || -> Box<dyn Reading> { Box::new(Events::default()) };
            match self.http.stream(&ask, &mut reading, on_text) {
                Ok(completion) => return Ok(completion),
                Err(Refusal::Fault(fault))
                    if body.get("output_config").is_some() && fault.names(&FORMAT_WORDS) =>
                {
                    self.refuses_schema.store(true, Ordering::Relaxed);
                }
                Err(refusal) => return Err(refusal.into_error()),
            }
        }
    }

    fn check(&self, cancel: &Canceller) -> Result<(), ModelError> {
        window::check(&self.http, MANNER, &self.setup, cancel)
    }
}

#[derive(Default)]
struct Events {
    usage: Usage,
    is_stopped: bool,
}

impl Events {
    /// Counts come in pieces, each the sum so far; what was read from a cache was read all the same.
    fn count(&mut self, usage: Option<&Value>, completion: &mut Completion) {
        let Some(usage) = usage else { return };
        let count = |key: &str| usage.get(key).and_then(Value::as_u64);
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"]
            .into_iter()
            .filter_map(count)
            .sum::<u64>();
        if let Some(input) = count("input_tokens") {
            self.usage.input = self.usage.input.max(input.saturating_add(cached));
        }
        self.usage.output = count("output_tokens").unwrap_or(self.usage.output);
        completion.usage = Some(self.usage);
    }

    fn stop(&mut self, reason: Option<&Value>, completion: &mut Completion) {
        if let Some(reason) = reason.and_then(Value::as_str) {
            self.is_stopped = true;
            completion.is_cut = matches!(reason, "max_tokens" | "model_context_window_exceeded");
        }
    }
}

impl Reading for Events {
    /// An event of a stream, or the whole message. Thoughts (`thinking_delta`) are left out.
    fn event(&mut self, event: &Value, completion: &mut Completion) -> bool {
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => self.count(event.pointer("/message/usage"), completion),
            "content_block_start" => push(event.get("content_block"), completion),
            "content_block_delta" => push(event.get("delta"), completion),
            "message_delta" => {
                self.count(event.get("usage"), completion);
                self.stop(event.pointer("/delta/stop_reason"), completion);
            }
            "message_stop" => {
                self.is_stopped = true;
                return true;
            }
            "message" => {
                event
                    .get("content")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .for_each(|block| push(Some(block), completion));
                self.count(event.get("usage"), completion);
                self.stop(event.get("stop_reason"), completion);
                return true;
            }
            // `ping`, and what is added later.
            _ => {}
        }
        false
    }

    fn is_whole(&self) -> bool {
        self.is_stopped
    }
}

/// The text of a block, or of a piece of one.
fn push(block: Option<&Value>, completion: &mut Completion) {
    let is_text =
        |block: &&Value| block.get("type").is_some_and(|kind| kind == "text" || kind == "text_delta");
    let text = block.filter(is_text).and_then(|block| block.get("text")).and_then(Value::as_str);
    completion.text.push_str(text.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(events: &[Value]) -> (Completion, bool) {
        let (mut reading, mut completion) = (Events::default(), Completion::default());
        let is_done = events.iter().any(|event| reading.event(event, &mut completion));
        (completion, is_done)
    }

    /// From Anthropic's public documentation of streaming, shortened; not from a run.
    #[test]
    fn the_documented_stream_is_read() {
        let events = [
            json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 25, "output_tokens": 1,
                "cache_read_input_tokens": 100}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hel"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 15}}),
            json!({"type": "message_stop"}),
        ];
        let (completion, is_done) = read(&events);
        assert_eq!((completion.text.as_str(), completion.is_cut, is_done), ("Hello", true, true));
        assert_eq!(completion.usage, Some(Usage { input: 125, output: 15 }));
    }

    #[test]
    fn a_message_in_one_piece_is_read_as_well() {
        let message = json!({"type": "message", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "output_tokens": 4}});
        let (completion, is_done) = read(&[message]);
        assert_eq!((completion.text.as_str(), completion.is_cut, is_done), ("hi", false, true));
    }
}
