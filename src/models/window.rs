//! What a server says of itself: how many tokens its context has, and whether it answers at all.

use serde_json::Value;

use super::http::{Http, Manner, PROPS};
use super::{ModelError, Setup};
use crate::linus::Canceller;

const MODELS: &str = "/models";
/// Where the server does not say: what small local models have at least.
const USUAL: u32 = 8192;
/// What servers call it in their lists of models: vLLM, OpenRouter, others, Anthropic.
const NAMES: [&str; 5] =
    ["max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens"];

/// The tokens of the context: as configured, else as the server says, else the usual.
pub(super) fn of(http: &Http, manner: Manner, setup: &Setup) -> u32 {
    setup.context.unwrap_or_else(|| asked(http, manner, setup).unwrap_or(USUAL))
}

fn asked(http: &Http, manner: Manner, setup: &Setup) -> Option<u32> {
    let cancel = Canceller::new();
    let listed = http.look(MODELS, manner, &cancel).ok().and_then(|list| in_list(&list, &setup.model));
    // llama.cpp's list has what the model was trained for; what it runs with stands elsewhere.
    let run = || in_props(&http.look(PROPS, manner, &cancel).ok()?);
    listed.or_else(run)
}

fn in_list(list: &Value, model: &str) -> Option<u32> {
    let models = list.get("data")?.as_array()?;
    let ours = models.iter().find(|entry| entry.get("id").is_some_and(|id| id == model));
    let entry = ours.or_else(|| models.first().filter(|_| models.len() == 1))?;
    NAMES.iter().find_map(|name| entry.get(*name)?.as_u64()?.try_into().ok())
}

fn in_props(props: &Value) -> Option<u32> {
    props.pointer("/default_generation_settings/n_ctx")?.as_u64()?.try_into().ok()
}

/// Whether the server answers, takes the key and has the model.
pub(super) fn check(
    http: &Http,
    manner: Manner,
    setup: &Setup,
    cancel: &Canceller,
) -> Result<(), ModelError> {
    let list = http.look(MODELS, manner, cancel)?;
    let ids: Vec<&str> = list
        .get("data")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.get("id")?.as_str())
        .collect();
    // A server of one model answers with it, whatever it is asked for.
    if ids.len() < 2
        || ids.iter().any(|id| *id == setup.model || id.strip_suffix(":latest") == Some(&setup.model))
    {
        return Ok(());
    }
    let some: Vec<&str> = ids.iter().copied().take(5).collect();
    Err(ModelError::Failed(format!("it does not have {}, but {}", setup.model, some.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// vLLM's and Anthropic's from their public documentation; llama.cpp's from its server's sources.
    #[test]
    fn the_context_is_read_where_servers_say_it() {
        let vllm = json!({"data": [{"id": "a", "max_model_len": 4096}, {"id": "b", "max_model_len": 8000}]});
        assert_eq!((in_list(&vllm, "b"), in_list(&vllm, "c")), (Some(8000), None));
        let anthropic = json!({"data": [{"id": "claude", "type": "model", "max_input_tokens": 200_000}]});
        assert_eq!(in_list(&anthropic, "claude"), Some(200_000));
        let llama = json!({"data": [{"id": "x", "meta": {"n_ctx_train": 8192}}]});
        assert_eq!(in_list(&llama, "x"), None);
        assert_eq!(in_props(&json!({"default_generation_settings": {"n_ctx": 2048}})), Some(2048));
        for hostile in
            [json!(null), json!({"data": "x"}), json!({"data": [{"id": "x", "max_model_len": -1}]})]
        {
            assert_eq!(in_list(&hostile, "x"), None);
        }
    }
}
