//! JSON-RPC 2.0 messages: built, told apart, and matched to the request that they answer.
//!
//! Knows nothing of MCP's methods or of any transport.

use serde_json::{Value, json};

use super::call_error::{CallError, one_line};

/// JSON-RPC: the method does not exist.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: invalid parameters; MCP also uses it for an unknown tool.
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// The `error` member of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorObject {
    pub code: i64,
    pub message: String,
    pub data: Value,
}

impl ErrorObject {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Value::Null }
    }

    pub(crate) fn into_call_error(self) -> CallError {
        CallError::protocol(format!("{} ({})", one_line(&self.message), self.code))
    }
}

/// What a message that arrived while `id` is outstanding is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Incoming {
    /// The response to our request.
    Answer(Result<Value, ErrorObject>),
    /// A response to something else: another id, the same id of another type, or no id at all.
    Foreign(Option<ErrorObject>),
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// Not JSON-RPC.
    Nothing,
}

pub(crate) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A notification; `null` parameters are left out.
pub(crate) fn notification(method: &str, params: &Value) -> Value {
    if params.is_null() {
        json!({"jsonrpc": "2.0", "method": method})
    } else {
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    }
}

pub(crate) fn result(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(crate) fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Tells what `message` is. Ids are compared by type and value: `"7"` does not answer `7`.
pub(crate) fn classify(message: &Value, ours: &Value) -> Incoming {
    let id = message.get("id");
    if let Some(method) = message.get("method").and_then(Value::as_str) {
        let params = message.get("params").cloned().unwrap_or(Value::Null);
        return match id {
            Some(id) if id.is_string() || id.is_number() => {
                Incoming::Request { id: id.clone(), method: method.into(), params }
            }
            _ => Incoming::Notification { method: method.into(), params },
        };
    }
    let outcome = match (message.get("result"), message.get("error")) {
        (_, Some(error)) if error.is_object() => Err(error_object(error)),
        (Some(result), None) => Ok(result.clone()),
        _ => return Incoming::Nothing,
    };
    if !ours.is_null() && id == Some(ours) {
        Incoming::Answer(outcome)
    } else {
        Incoming::Foreign(outcome.err())
    }
}

fn error_object(error: &Value) -> ErrorObject {
    ErrorObject {
        code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
        message: error.get("message").and_then(Value::as_str).unwrap_or("no message").into(),
        data: error.get("data").cloned().unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_our_id_in_type_and_value() {
        let answer = |id: Value| classify(&result(&id, &json!({"x": 1})), &json!(7));
        assert_eq!(answer(json!(7)), Incoming::Answer(Ok(json!({"x": 1}))));
        for foreign in [json!("7"), json!(8), Value::Null, json!(7.5), json!([7])] {
            assert_eq!(answer(foreign.clone()), Incoming::Foreign(None), "{foreign}");
        }
        // A notification has no id, so nothing answers it, not even null.
        assert_eq!(classify(&result(&Value::Null, &json!({})), &Value::Null), Incoming::Foreign(None));
    }

    #[test]
    fn errors_requests_and_notifications_are_told_apart() {
        let refused = classify(&error(&json!(7), -32602, "no such tool"), &json!(7));
        let object = ErrorObject { code: -32602, message: "no such tool".into(), data: Value::Null };
        assert_eq!(refused, Incoming::Answer(Err(object.clone())));
        assert_eq!(object.into_call_error(), CallError::Protocol("no such tool (-32602)".into()));
        assert_eq!(
            classify(&request(7, "ping", &json!({})), &json!(7)),
            Incoming::Request { id: json!(7), method: "ping".into(), params: json!({}) }
        );
        assert_eq!(
            classify(&notification("notifications/message", &Value::Null), &json!(7)),
            Incoming::Notification { method: "notifications/message".into(), params: Value::Null }
        );
    }

    #[test]
    fn what_is_not_json_rpc_is_nothing() {
        for odd in [json!({}), json!([]), json!("x"), json!({"id": 7}), json!({"id": 7, "error": "text"})] {
            assert_eq!(classify(&odd, &json!(7)), Incoming::Nothing, "{odd}");
        }
    }
}
