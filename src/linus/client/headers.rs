//! The headers that a message travels with, revision by revision.

use serde_json::Value;

use crate::linus::peer::Post;
use crate::linus::revision::Era;

/// Both, on every POST and in every revision; a server may refuse a client that takes only one.
pub(super) const ACCEPT: &str = "application/json, text/event-stream";

/// Names and values for `post`; `session` is the legacy session, if there is one.
pub(super) fn of(post: &Post<'_>, session: Option<&str>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
    let Some(revision) = post.revision else { return headers };
    if revision.has_version_header() {
        add("MCP-Protocol-Version", revision.as_str().into());
    }
    match revision.era() {
        Era::Legacy => {
            if let Some(session) = session {
                add("Mcp-Session-Id", session.into());
            }
        }
        Era::Modern => {
            let method = post.message.get("method").and_then(Value::as_str).unwrap_or_default();
            add("Mcp-Method", method.into());
            let name = post.message.pointer("/params/name").and_then(Value::as_str);
            if let Some(name) = name.filter(|_| method == "tools/call") {
                add("Mcp-Name", encode(name));
            }
            for (name, value) in post.mirrored {
                add(name, encode(value));
            }
        }
    }
    headers
}

/// A value as it is, or in the base64 form for what a header cannot carry or would be taken for that form.
fn encode(value: &str) -> String {
    let plain =
        value.bytes().all(|b| (b' '..=b'~').contains(&b)) && value.trim() == value && !value.is_empty();
    if plain && !value.starts_with("=?base64?") {
        value.into()
    } else {
        format!("=?base64?{}?=", base64(value.as_bytes()))
    }
}

/// RFC 4648 section 4, with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = (bits >> (18 - 6 * i)) as usize & 63;
            text.push(if i <= chunk.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linus::cancel::Canceller;
    use crate::linus::revision::Revision;
    use serde_json::json;
    use std::time::Duration;

    fn names(revision: Option<Revision>, session: Option<&str>) -> Vec<(String, String)> {
        let message = json!({"method": "tools/call", "params": {"name": "linus_chat"}});
        let (cancel, mirrored) = (Canceller::new(), [("Mcp-Param-A".into(), " é".into())]);
        let budget = Duration::ZERO;
        of(&Post { message: &message, revision, mirrored: &mirrored, budget, cancel: &cancel }, session)
    }

    fn pairs(headers: &[(String, String)]) -> Vec<(&str, &str)> {
        headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect()
    }

    #[test]
    fn each_revision_has_its_own_headers() {
        assert_eq!(pairs(&names(None, Some("s"))), []);
        assert_eq!(pairs(&names(Some(Revision::V2025_03_26), Some("s"))), [("Mcp-Session-Id", "s")]);
        assert_eq!(
            pairs(&names(Some(Revision::V2025_11_25), None)),
            [("MCP-Protocol-Version", "2025-11-25")]
        );
        assert_eq!(
            pairs(&names(Some(Revision::V2026_07_28), Some("s"))),
            [
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "linus_chat"),
                ("Mcp-Param-A", "=?base64?IMOp?="),
            ]
        );
    }

    #[test]
    fn base64_pads_as_the_rfc_says_and_sentinels_are_wrapped() {
        for (plain, coded) in
            [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("", "")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(encode("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
        assert_eq!(encode("a b"), "a b");
    }
}
