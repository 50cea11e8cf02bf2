//! The result of a `tools/call` to the contract's envelope.
//!
//! Reads in this order: `isError`, `structuredContent`, text that is JSON, plain text (`reader`). Never runs or restores
//! anything; what it gives out is still untrusted text.

use serde_json::Value;

use super::call_error::CallError;
use super::contract::Envelope;
use super::peer::Answer;
use super::reader;

/// The blocks of an envelope. An object with none of them is not one, unless it is empty.
const BLOCKS: [&str; 6] = [
    "chat_response",
    "intent_update",
    "suggested_commands",
    "clear_suggestions",
    "file_actions",
    "notifications",
];
/// Complaints shown at most: a reply of thousands of bad cards is one problem, not thousands.
const COMPLAINTS_LIMIT: usize = 20;

/// `is_asked`: somebody waits for an answer. Nobody does for one to a terminal update, which would be a chat of its own
/// each second from a Linus that says a word to all of them: there plain text is none.
pub(crate) fn read(result: &Value, is_asked: bool) -> Result<Answer, CallError> {
    if !result.is_object() {
        return Err(CallError::protocol("the result of the call is not an object"));
    }
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        let text = text_of(result);
        return Err(CallError::tool(if text.trim().is_empty() { "no text" } else { &text }));
    }
    match result.get("resultType").and_then(Value::as_str) {
        // 2026-07-28: absent means complete, unknown is invalid.
        None | Some("complete") => {}
        Some("input_required") => {
            return Err(CallError::protocol("Linus asks back, which aissh cannot do here"));
        }
        Some(other) => return Err(CallError::protocol(format!("unknown kind of result {other:?}"))),
    }
    let of_text = if is_asked { text_answer } else { json_answer };
    let structured = result.get("structuredContent").filter(|s| !s.is_null());
    if let Some(answer) = structured.and_then(|s| structured_answer(s, of_text)) {
        return Ok(answer);
    }
    // What remains of structured content that is not an envelope: a string.
    let wrapped = || of_text(structured?.as_str()?);
    Ok(of_text(&text_of(result)).or_else(wrapped).unwrap_or_default())
}

/// An object with a block; or with the whole reply under the `result` that FastMCP wraps values in.
fn structured_answer(value: &Value, of_text: fn(&str) -> Option<Answer>) -> Option<Answer> {
    envelope(value).or_else(|| match value.get("result")? {
        Value::String(text) => of_text(text),
        wrapped => envelope(wrapped),
    })
}

fn envelope(value: &Value) -> Option<Answer> {
    let object = value.as_object()?;
    if !object.is_empty() && !BLOCKS.iter().any(|b| object.contains_key(*b)) {
        return None;
    }
    let (envelope, mut complaints) = Envelope::read(value);
    complaints.truncate(COMPLAINTS_LIMIT);
    Some(Answer { envelope, complaints, ..Answer::default() })
}

/// Text that is an envelope in JSON, else what the reader makes of it.
fn text_answer(text: &str) -> Option<Answer> {
    if let Some(answer) = json_answer(text) {
        return Some(answer);
    }
    let said = reader::without_thoughts(text);
    if said.is_empty() {
        return None;
    }
    Some(json_answer(&said).unwrap_or_else(|| Answer { envelope: reader::read(&said), ..Answer::default() }))
}

fn json_answer(text: &str) -> Option<Answer> {
    let json = reader::whole_json(text);
    envelope(&serde_json::from_str(json).ok().filter(|_| json.starts_with('{'))?)
}

fn text_of(result: &Value) -> String {
    let blocks = result.get("content").and_then(Value::as_array);
    let texts = blocks.into_iter().flatten().filter_map(|block| match block.get("type")?.as_str()? {
        "text" => block.get("text")?.as_str(),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(result: &Value) -> Result<Answer, CallError> {
        super::read(result, true)
    }

    fn said(result: &Value) -> Option<String> {
        read(result).unwrap().envelope.chat_response.map(|c| c.message)
    }

    fn text(text: &str) -> Value {
        json!({"content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn structured_content_is_preferred_and_enough_alone() {
        let envelope = json!({"chat_response": {"message": "structured"}});
        assert_eq!(
            said(&json!({"content": [], "structuredContent": envelope})).as_deref(),
            Some("structured")
        );
        assert_eq!(said(&json!({"structuredContent": envelope})).as_deref(), Some("structured"));
        let both = json!({"content": [{"type": "text", "text": "text"}], "structuredContent": envelope});
        assert_eq!(said(&both).as_deref(), Some("structured"));
    }

    #[test]
    fn text_that_is_json_is_read_with_and_without_a_fence() {
        let json = r#"{"chat_response": {"message": "hi"}, "new": 1}"#;
        assert_eq!(said(&text(json)).as_deref(), Some("hi"));
        assert_eq!(said(&text(&format!("```json\n{json}\n```"))).as_deref(), Some("hi"));
        assert_eq!(
            said(&json!({"structuredContent": {"result": json}, "content": []})).as_deref(),
            Some("hi")
        );
    }

    #[test]
    fn thoughts_around_an_envelope_are_dropped_and_words_in_it_are_not() {
        let json = r#"{"chat_response": {"message": "the tag <think> it is"}}"#;
        let thoughtful = "<think>{</think>\n```json\n{\"chat_response\": {\"message\": \"hi\"}}\n```";
        assert_eq!(said(&text(thoughtful)).as_deref(), Some("hi"));
        assert_eq!(said(&text(json)).as_deref(), Some("the tag <think> it is"));
        assert_eq!(read(&text("<think>and no more")), Ok(Answer::default()));
    }

    #[test]
    fn a_command_in_plain_text_is_a_card_and_an_envelope_within_words_is_text() {
        let answer = read(&text("Look:\n```bash\ndf -h\n```")).unwrap();
        assert_eq!(answer.envelope.suggested_commands.map(|s| s.commands.len()), Some(1));
        let quoted = "It says:\n```json\n{\"suggested_commands\": {\"commands\": []}}\n```";
        assert_eq!(said(&text(quoted)).as_deref(), Some(quoted));
    }

    #[test]
    fn plain_text_is_a_chat_response_and_nothing_is_an_empty_answer() {
        assert_eq!(said(&text("just words")).as_deref(), Some("just words"));
        assert_eq!(said(&text("{\"unknown\": 1}")).as_deref(), Some("{\"unknown\": 1}"));
        for nothing in [json!({}), json!({"content": []}), json!({"structuredContent": {}}), text(" ")] {
            assert_eq!(read(&nothing), Ok(Answer::default()), "{nothing}");
        }
    }

    #[test]
    fn words_that_nobody_asked_for_are_none() {
        for words in [text("noted"), json!({"structuredContent": {"result": "noted"}}), text("$ df -h")] {
            assert_eq!(super::read(&words, false), Ok(Answer::default()), "{words}");
        }
        let plan = text(r#"{"intent_update": {"summary": "s", "steps": []}}"#);
        assert!(super::read(&plan, false).unwrap().envelope.intent_update.is_some());
    }

    #[test]
    fn structured_content_that_is_no_envelope_gives_way_to_the_text() {
        let result =
            json!({"structuredContent": {"other": 1}, "content": [{"type": "text", "text": "words"}]});
        assert_eq!(said(&result).as_deref(), Some("words"));
    }

    #[test]
    fn errors_of_the_tool_and_results_that_are_not_complete_are_errors() {
        let failed = json!({"isError": true, "content": [{"type": "text", "text": "no\u{1b}[2Jmodel"}]});
        assert_eq!(read(&failed), Err(CallError::Tool("no [2Jmodel".into())));
        for odd in [json!({"resultType": "input_required"}), json!({"resultType": "odd"}), json!("x")] {
            assert!(matches!(read(&odd), Err(CallError::Protocol(_))), "{odd}");
        }
        assert_eq!(read(&json!({"resultType": "complete"})), Ok(Answer::default()));
    }

    #[test]
    fn a_bad_block_is_a_complaint_and_complaints_are_bounded() {
        let cards: Vec<Value> = (0..100).map(|n| json!({"id": n})).collect();
        let result = json!({"structuredContent": {"suggested_commands": {"commands": cards}}});
        assert_eq!(read(&result).unwrap().complaints.len(), COMPLAINTS_LIMIT);
    }
}
