//! What an action makes of a file's text. Pure: text in, text out, or why not; nothing is changed unless the place is
//! certain.
//!
//! - `replace`: `oldContent` must be there exactly once, to the byte.
//! - `insert`: `anchor` must be there exactly once; the content goes before or after its lines, as lines of its own.
//! - `append`: on a line of its own, and it ends as the file ended; not so with `ensureNewline: false`, or where the
//!   content begins with a newline.
//! - `overwrite`, `write_file`: the content. Given as lines, each has an end (`ensureNewline: false`: not the last).
//!
//! A file whose lines all end with CR LF gets and is searched for such lines.

use crate::linus::contract::{FileAction, FileText, Position, UpdateMode};

/// Places that are named where text is found more than once.
const PLACES_NAMED: usize = 8;

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Lf,
    CrLf,
    Mixed,
}

/// A change that can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) after: String,
    /// What was done to fit the file.
    pub(super) notes: Vec<&'static str>,
}

/// `before` is `None` where there is no file yet. The error is the rest of a sentence that begins with the path.
pub(super) fn apply(action: &FileAction, before: Option<&str>) -> Result<Changed, String> {
    let text = before.unwrap_or_default();
    let ending = ending(text);
    let after = match (action.mode, before) {
        (None | Some(UpdateMode::Overwrite), _) => overwrite(action, ending),
        (Some(UpdateMode::Append), _) => append(action, text, ending),
        (Some(UpdateMode::Replace | UpdateMode::Insert), None) => {
            return Err("is not there.".to_owned());
        }
        (Some(UpdateMode::Replace), Some(text)) => replace(action, text, ending)?,
        (Some(UpdateMode::Insert), Some(text)) => insert(action, text, ending)?,
    };
    if after.contains('\0') {
        return Err("would have NUL bytes, and be no text.".to_owned());
    }
    let mut notes = Vec::new();
    match ending {
        Ending::Lf => {}
        Ending::CrLf => notes.push("Its lines end with CR LF, and so do the new ones."),
        Ending::Mixed => {
            notes.push("Its lines end both with LF and with CR LF; the new ones end as they were given.")
        }
    }
    if !text.is_empty() && !text.ends_with('\n') && !after.ends_with('\n') {
        notes.push("It has no newline at its end, and gets none.");
    }
    Ok(Changed { after, notes })
}

fn ending(text: &str) -> Ending {
    let all = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let crlf = memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
    match crlf {
        0 => Ending::Lf,
        n if n == all => Ending::CrLf,
        _ => Ending::Mixed,
    }
}

/// Text of the action's as the file has it.
fn fitted(text: &FileText, ending: Ending) -> String {
    let text = text.text();
    if ending == Ending::CrLf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
}

fn newline(ending: Ending) -> &'static str {
    if ending == Ending::CrLf { "\r\n" } else { "\n" }
}

fn with_end(mut text: String, ending: Ending) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline(ending));
    }
    text
}

fn overwrite(action: &FileAction, ending: Ending) -> String {
    let text = fitted(&action.content, ending);
    let ends = action.ensure_newline.unwrap_or(action.content.is_lines());
    if ends { with_end(text, ending) } else { text }
}

fn append(action: &FileAction, text: &str, ending: Ending) -> String {
    let content = fitted(&action.content, ending);
    let apart = action.ensure_newline.unwrap_or(!content.starts_with(['\n', '\r']));
    let ends_with_newline = text.is_empty() || text.ends_with('\n');
    if action.ensure_newline == Some(false) {
        return [text, &content].concat();
    }
    let gap = if apart && !ends_with_newline { newline(ending) } else { "" };
    let content = if ends_with_newline { with_end(content, ending) } else { content };
    [text, gap, &content].concat()
}

fn replace(action: &FileAction, text: &str, ending: Ending) -> Result<String, String> {
    let old = action.old_content.as_ref().map(|old| fitted(old, ending)).unwrap_or_default();
    let at = locate(text, &old, "oldContent")?;
    let mut new = fitted(&action.content, ending);
    if action.content.is_lines() && old.ends_with('\n') {
        new = with_end(new, ending);
    }
    Ok([&text[..at], &new, &text[at + old.len()..]].concat())
}

fn insert(action: &FileAction, text: &str, ending: Ending) -> Result<String, String> {
    let anchor = action.anchor.as_ref().map(|anchor| fitted(anchor, ending)).unwrap_or_default();
    let at = locate(text, &anchor, "the anchor")?;
    // The last character that is not the end of a line.
    let last = at + anchor.trim_end_matches(['\r', '\n']).len();
    let mut lines = fitted(&action.content, ending);
    if lines.is_empty() || !lines.ends_with('\n') {
        lines.push_str(newline(ending));
    }
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = text[last..].find('\n').map_or(text.len(), |n| last + n + 1);
    Ok(match action.position.unwrap_or(Position::After) {
        Position::Before => [&text[..start], &lines, &text[start..]].concat(),
        Position::After if text[..end].ends_with('\n') => [&text[..end], &lines, &text[end..]].concat(),
        // Behind a last line without an end: then the new last line has none.
        Position::After => {
            let lines = lines.strip_suffix(newline(ending)).unwrap_or(&lines);
            [text, newline(ending), lines].concat()
        }
    })
}

/// Where `wanted` is, if it is there exactly once. Overlapping ones count.
fn locate(text: &str, wanted: &str, what: &str) -> Result<usize, String> {
    let mut places = Vec::new();
    let mut count = 0;
    let mut from = 0;
    let finder = memchr::memmem::Finder::new(wanted);
    while let Some(found) = text.get(from..).and_then(|rest| finder.find(rest.as_bytes())) {
        if places.len() < PLACES_NAMED {
            places.push(from + found);
        }
        count += 1;
        from += found + wanted.chars().next().map_or(1, char::len_utf8);
    }
    match places[..] {
        [] => Err(format!("does not contain {what}.{}", nearly(text, wanted))),
        [at] => Ok(at),
        _ => {
            let lines: Vec<String> = places.iter().map(|at| line_of(text, *at).to_string()).collect();
            let more = if count > places.len() { ", …" } else { "" };
            Err(format!("contains {what} {count} times, in lines {}{more}.", lines.join(", ")))
        }
    }
}

/// Counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1
}

/// Says where the lines are that differ from the wanted ones in blanks only: the usual reason.
fn nearly(text: &str, wanted: &str) -> String {
    let wanted: Vec<&str> = wanted.trim().lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if wanted.is_empty() || wanted == [""] {
        return String::new();
    }
    match lines.windows(wanted.len()).position(|window| window == wanted) {
        Some(at) if wanted.len() == 1 => format!(" Line {} differs from it in blanks only.", at + 1),
        Some(at) => format!(" Lines {} to {} differ from it in blanks only.", at + 1, at + wanted.len()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn made(action: &Value, before: Option<&str>) -> Result<String, String> {
        apply(&FileAction::read(action).expect("an action"), before).map(|changed| changed.after)
    }

    fn update(mode: &str, content: &Value, more: &Value) -> Value {
        let mut action = json!({"action": "update_file", "path": "/a", "mode": mode, "content": content});
        for (name, value) in more.as_object().expect("an object") {
            action[name] = value.clone();
        }
        action
    }

    #[test]
    fn replace_changes_the_one_place_and_keeps_the_rest_to_the_byte() {
        let replace = |old: &str, new: Value| update("replace", &new, &json!({"oldContent": old}));
        assert_eq!(made(&replace("b", json!("B")), Some("a\nb\nc")), Ok("a\nB\nc".into()));
        assert_eq!(made(&replace("b\n", json!("")), Some("a\nb\nc")), Ok("a\nc".into()));
        assert_eq!(made(&replace("b\n", json!(["x", "y"])), Some("a\nb\nc")), Ok("a\nx\ny\nc".into()));
        assert_eq!(made(&replace("b", json!(["x", "y"])), Some("a\nb\nc")), Ok("a\nx\ny\nc".into()));
    }

    #[test]
    fn text_that_is_not_there_or_there_more_than_once_stops_and_says_where() {
        let replace = |old: &str| update("replace", &json!("x"), &json!({"oldContent": old}));
        assert_eq!(made(&replace("d"), Some("a\nb")), Err("does not contain oldContent.".into()));
        let blanks = made(&replace("if x:\n  y"), Some("top\nif x:\n    y\n"));
        assert!(blanks.is_err_and(|e| e.contains("Lines 2 to 3 differ from it in blanks only")));
        let twice = made(&replace("port"), Some("port 1\nx\nport 2\n"));
        assert_eq!(twice, Err("contains oldContent 2 times, in lines 1, 3.".into()));
        assert!(made(&replace("aa"), Some("aaa")).is_err_and(|e| e.contains("2 times")), "they may overlap");
        assert!(made(&replace("ä"), Some("ää")).is_err());
        let many = made(&replace("x"), Some(&"x\n".repeat(100)));
        assert!(many.is_err_and(|e| e.contains("100 times") && e.contains("8, …")));
    }

    #[test]
    fn insert_puts_lines_before_or_after_the_lines_of_the_anchor() {
        let insert = |anchor: &str, at: &str| {
            update("insert", &json!(["N", "M"]), &json!({"anchor": anchor, "position": at}))
        };
        assert_eq!(made(&insert("b", "after"), Some("a\nxbx\nc\n")), Ok("a\nxbx\nN\nM\nc\n".into()));
        assert_eq!(made(&insert("b", "before"), Some("a\nxbx\nc\n")), Ok("a\nN\nM\nxbx\nc\n".into()));
        assert_eq!(made(&insert("a\nb\n", "after"), Some("a\nb\nc")), Ok("a\nb\nN\nM\nc".into()));
        assert_eq!(
            made(&insert("c", "after"), Some("a\nc")),
            Ok("a\nc\nN\nM".into()),
            "no newline at the end stays so"
        );
        assert!(
            made(&insert("z", "after"), Some("a")).is_err_and(|e| e.contains("does not contain the anchor"))
        );
        assert!(made(&insert("a", "after"), None).is_err_and(|e| e.contains("is not there")));
    }

    #[test]
    fn append_begins_a_line_and_ends_as_the_file_ended() {
        let append = |content: &str, more: &Value| update("append", &json!(content), more);
        let plain = json!({});
        assert_eq!(made(&append("x", &plain), Some("a\n")), Ok("a\nx\n".into()));
        assert_eq!(made(&append("x", &plain), Some("a")), Ok("a\nx".into()));
        assert_eq!(made(&append("x\n", &plain), Some("a")), Ok("a\nx\n".into()));
        assert_eq!(made(&append("\nx", &plain), Some("a")), Ok("a\nx".into()));
        assert_eq!(made(&append("\nx", &plain), Some("a\n")), Ok("a\n\nx\n".into()));
        assert_eq!(made(&append("x", &json!({"ensureNewline": false})), Some("a")), Ok("ax".into()));
        assert_eq!(made(&append("x", &plain), None), Ok("x\n".into()));
    }

    #[test]
    fn a_write_is_the_content_and_lines_have_ends() {
        let write = |content: &Value| json!({"action": "write_file", "path": "/a", "content": content});
        assert_eq!(made(&write(&json!("x")), None), Ok("x".into()));
        assert_eq!(made(&write(&json!(["x", "y"])), Some("old")), Ok("x\ny\n".into()));
        assert_eq!(
            made(&update("overwrite", &json!(["x"]), &json!({"ensureNewline": false})), None),
            Ok("x".into())
        );
        assert!(made(&write(&json!("a\u{0}")), None).is_err_and(|e| e.contains("NUL")));
    }

    #[test]
    fn lines_with_cr_lf_are_found_and_kept() {
        let before = Some("a\r\nb\r\nc\r\n");
        let more = json!({"oldContent": "a\nb\n"});
        assert_eq!(made(&update("replace", &json!("x\ny\n"), &more), before), Ok("x\r\ny\r\nc\r\n".into()));
        assert_eq!(
            made(&update("append", &json!("d"), &json!({})), before),
            Ok("a\r\nb\r\nc\r\nd\r\n".into())
        );
        let insert = update("insert", &json!(["n"]), &json!({"anchor": "b"}));
        assert_eq!(made(&insert, before), Ok("a\r\nb\r\nn\r\nc\r\n".into()));
        // Mixed: as it was given.
        assert_eq!(
            made(&update("append", &json!("d"), &json!({})), Some("a\r\nb\n")),
            Ok("a\r\nb\nd\n".into())
        );
        let mixed = made(&update("replace", &json!("x"), &json!({"oldContent": "a\nb"})), Some("a\r\nb\n"));
        assert!(mixed.is_err());
    }
}
