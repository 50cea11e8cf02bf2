//! Chat completions, as OpenAI made them and Ollama, llama.cpp, vLLM, LM Studio and others speak them.
//!
//! Servers differ in what they take. What one refuses by name is left out from then on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::http::{Ask, Http, Manner, Reading, Refusal};
use super::window;
use super::{Completion, Model, ModelError, Prompt, Role, Setup, Usage};
use crate::linus::Canceller;

const PATH: &str = "/chat/completions";
const MANNER: Manner = Manner { key: ("Authorization", "Bearer "), headers: &[] };

pub struct OpenAi {
    http: Http,
    setup: Setup,
    window: OnceLock<u32>,
    /// What the server has refused.
    refused: Refused,
}

#[derive(Default)]
struct Refused {
    schema: AtomicBool,
    stream_options: AtomicBool,
    max_tokens: AtomicBool,
    temperature: AtomicBool,
}

impl OpenAi {
    pub fn new(http: Http, setup: Setup) -> Self {
        Self { http, setup, window: OnceLock::new(), refused: Refused::default() }
    }

    fn body(&self, prompt: &Prompt) -> Value {
        let mut messages = vec![json!({"role": "system", "content": prompt.system})];
        messages.extend(prompt.turns.iter().map(|turn| {
            let role = if turn.role == Role::User { "user" } else { "assistant" };
            json!({"role": role, "content": turn.text})
        }));
        let mut body = json!({"model": self.setup.model, "messages": messages, "stream": true});
        let max_tokens = self.setup.max_tokens(prompt);
        let limit = if self.refused.max_tokens.is_set() { "max_completion_tokens" } else { "max_tokens" };
        body[limit] = max_tokens.into();
        if !self.refused.stream_options.is_set() {
            body["stream_options"] = json!({"include_usage": true});
        }
        if let Some(temperature) = self.setup.temperature.filter(|_| !self.refused.temperature.is_set()) {
            body["temperature"] = temperature.into();
        }
        if let Some(schema) = prompt.schema.as_ref().filter(|_| !self.refused.schema.is_set()) {
            let schema = json!({"name": "answer", "strict": true, "schema": schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        body
    }

    /// Whether something may be left out for which the server refused the request. It is remembered.
    fn learns(&self, refusal: &Refusal, body: &Value) -> bool {
        let Refusal::Fault(fault) = refusal else { return false };
        let parts: [(&AtomicBool, &str, &[&str]); 4] = [
            (&self.refused.stream_options, "stream_options", &["stream_options", "include_usage"]),
            (&self.refused.max_tokens, "max_tokens", &["max_completion_tokens"]),
            (&self.refused.temperature, "temperature", &["temperature"]),
            (
                &self.refused.schema,
                "response_format",
                &["response_format", "json_schema", "schema", "grammar", "structured"],
            ),
        ];
        let is_part = |(_, part, words): &&(&AtomicBool, &str, &[&str])| {
            body.get(*part).is_some() && fault.names(words)
        };
        let Some((refused, ..)) = parts.iter().find(is_part) else { return false };
        !refused.swap(true, Ordering::Relaxed)
    }
}

trait IsSet {
    fn is_set(&self) -> bool;
}

impl IsSet for AtomicBool {
    fn is_set(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

impl Model for OpenAi {
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
            let wants_usage = body.get("stream_options").is_some();
            let mut reading = || -> Box<dyn Reading> { Box::new(Chunks { wants_usage, is_finished: false }) };
            match self.http.stream(&ask, &mut reading, on_text) {
                Ok(completion) => return Ok(completion),
                Err(refusal) if self.learns(&refusal, &body) => {}
                Err(refusal) => return Err(refusal.into_error()),
            }
        }
    }

    fn check(&self, cancel: &Canceller) -> Result<(), ModelError> {
        window::check(&self.http, MANNER, &self.setup, cancel)
    }
}

struct Chunks {
    wants_usage: bool,
    is_finished: bool,
}

impl Reading for Chunks {
    /// A chunk of a stream (`delta`), or the whole answer (`message`). Thoughts (`reasoning_content`) are left out.
    fn event(&mut self, event: &Value, completion: &mut Completion) -> bool {
        if let Some(choice) = event.pointer("/choices/0") {
            let said = choice.get("delta").or_else(|| choice.get("message"));
            let text = said.and_then(|said| said.get("content")).and_then(Value::as_str);
            completion.text.push_str(text.unwrap_or_default());
            if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
                self.is_finished = true;
                completion.is_cut = reason == "length";
            }
        }
        let count = |key: &str| event.pointer(&format!("/usage/{key}")).and_then(Value::as_u64);
        if let (Some(input), Some(output)) = (count("prompt_tokens"), count("completion_tokens")) {
            completion.usage = Some(Usage { input, output });
        }
        self.is_finished && (completion.usage.is_some() || !self.wants_usage)
    }

    fn is_whole(&self) -> bool {
        self.is_finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(events: &[Value]) -> (Completion, bool) {
        let (mut chunks, mut completion) =
            (Chunks { wants_usage: true, is_finished: false }, Completion::default());
        let is_done = events.iter().any(|event| chunks.event(event, &mut completion));
        (completion, is_done)
    }

    #[test]
    fn the_text_is_put_together_and_thoughts_are_left_out() {
        let events = [
            json!({"choices": [{"delta": {"role": "assistant", "content": null}}]}),
            json!({"choices": [{"delta": {"reasoning_content": "hm"}}]}),
            json!({"choices": [{"delta": {"content": "df"}}]}),
            json!({"choices": [{"delta": {"content": " -h"}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
        ];
        let (completion, is_done) = read(&events);
        assert_eq!((completion.text.as_str(), completion.is_cut, is_done), ("df -h", true, false));
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
        let (completion, is_done) = read(&[&events[..], &[usage]].concat());
        assert_eq!((completion.usage, is_done), (Some(Usage { input: 7, output: 3 }), true));
    }

    #[test]
    fn an_answer_in_one_piece_is_read_as_well() {
        let whole = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}});
        let (completion, is_done) = read(&[whole]);
        assert_eq!((completion.text.as_str(), completion.is_cut, is_done), ("hi", false, true));
    }
}
