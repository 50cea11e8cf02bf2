//! Placeholders as text: `‹class-1›`, `‹class-part›`.

use std::ops::Range;

use memchr::memmem;
use serde_json::Value;

use super::Class;

const OPEN: &str = "‹";
const CLOSE: &str = "›";
/// As many are told of in a message.
const NAMES: usize = 100;
/// Between the brackets.
const LIMIT: usize = 48;
/// The number of a secret that was cut: there is nothing to put back.
const PART: &str = "part";
/// What is put into a text that looks like a placeholder and is none.
const QUOTED: &str = "quoted.";

pub(super) fn part(class: Class) -> String {
    format!("{OPEN}{class}-{PART}{CLOSE}")
}

pub(super) fn whole(class: Class, number: u32) -> String {
    format!("{OPEN}{class}-{number}{CLOSE}")
}

/// A foreign placeholder, made unlike one: it stays readable.
pub(super) fn quoted(placeholder: &str) -> String {
    placeholder.replacen(OPEN, &format!("{OPEN}{QUOTED}"), 1)
}

/// The class and the number, if this is a placeholder that can stand for something. Nothing has the number 0, which is
/// what a number counts as that is not written as we do.
pub(super) fn class(placeholder: &str) -> Option<(&str, u32)> {
    let inside = placeholder.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    let (class, number) = inside.rsplit_once('-')?;
    let is_ours = !number.starts_with('0');
    let number = number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().unwrap_or(0))?;
    Some((class, if is_ours { number } else { 0 }))
}

/// Everything that looks like a placeholder.
pub(super) fn find(text: &[u8]) -> Vec<Range<usize>> {
    memmem::find_iter(text, OPEN.as_bytes()).filter_map(|start| Some(start..end(text, start)?)).collect()
}

/// The placeholders in the texts of a message, each once.
pub fn named_in(message: &Value) -> Vec<String> {
    let (mut names, mut left) = (Vec::new(), vec![message]);
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => {
                for range in find(text.as_bytes()) {
                    let name = &text[range];
                    if names.len() < NAMES && !names.iter().any(|known| known == name) {
                        names.push(name.to_owned());
                    }
                }
            }
            Value::Array(all) => left.extend(all),
            Value::Object(all) => left.extend(all.values()),
            _ => {}
        }
    }
    names.sort();
    names
}

/// Whether there is nothing in this but what stands for secrets already, and signs around it.
pub(super) fn is_all(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let mut rest = String::new();
    let mut left = text.as_ref();
    while let Some((before, after)) = left.split_once(OPEN) {
        rest.push_str(before);
        left = after
            .split_once(CLOSE)
            .filter(|(inside, _)| inside.len() <= LIMIT + QUOTED.len())
            .map_or(after, |(_, after)| after);
    }
    text.contains(OPEN) && (rest + left).chars().filter(|c| c.is_alphanumeric()).count() < 3
}

fn end(text: &[u8], start: usize) -> Option<usize> {
    let inside = &text[start + OPEN.len()..];
    let is_inside = |b: &&u8| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-';
    let length = inside.iter().take(LIMIT).take_while(is_inside).count();
    let (name, rest) = inside.split_at(length);
    let dash = name.iter().rposition(|b| *b == b'-').filter(|dash| *dash > 0)?;
    let number = &name[dash + 1..];
    let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit) || number == PART.as_bytes();
    (is_number && rest.starts_with(CLOSE.as_bytes())).then_some(start + OPEN.len() + length + CLOSE.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_messages_placeholders_are_named_once() {
        let message =
            serde_json::json!({"a": "x ‹key-2› ‹key-1›", "b": {"c": ["‹key-2›", 1, "‹quoted.key-3›"]}});
        assert_eq!(named_in(&message), ["‹key-1›", "‹key-2›"]);
        let many: String = (0..1000).map(|n| format!("‹key-{n}›")).collect();
        assert_eq!(named_in(&many.into()).len(), NAMES);
    }

    #[test]
    fn placeholders_are_told_from_what_is_like_them() {
        assert_eq!(find("a ‹aws-key-1› b ‹x-part›".as_bytes()).len(), 2);
        for none in
            ["‹nonce›", "‹hidden›", "‹aws-key›", "‹-1›", "‹AWS-1›", "‹quoted.aws-key-1›", "‹a-1", "‹a -1›"]
        {
            assert!(find(none.as_bytes()).is_empty(), "{none}");
        }
        assert_eq!(class("‹aws-key-1›"), Some(("aws-key", 1)));
        assert_eq!(class("‹aws-key-part›"), None);
        assert!(find(quoted("‹aws-key-1›").as_bytes()).is_empty());
    }
}
