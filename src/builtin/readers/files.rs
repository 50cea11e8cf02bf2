//! Lists of files with sizes: `ls -l` in its date formats, `find -ls`, `find -printf '%s … %p'`, and the files of
//! a `du -a`.
//!
//! `exact` says that the name is the file's name beyond doubt: printed by `ls -b` or `find -ls`, which escape. A
//! raw list can be forged by a name with a newline in it; such rows are good for reading, not for removing.

use super::{Source, du};
use crate::builtin::command;
use crate::builtin::facts::{MAX_ROWS, Row, Value};
use crate::builtin::path::absolute;
use crate::builtin::size;
use regex::Regex;
use std::sync::LazyLock;

static LONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // Dates: ISO with or without time and zone, else three words (locales differ in their order and names).
    Regex::new(concat!(
        r"^(?:\s*\d+\s+\d+\s+)?(?P<kind>[-dlbcps])[rwxsStT-]{9}[.+@]?\s+\d+\s+(?P<owner>\S+)\s+\S+\s+",
        r"(?P<size>\d[\d.,]*[KMGTPE]?)\s+",
        r"(?P<date>\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+-]\d{4})?)?|\S+\s+\S+\s+(?:\d\d?:\d\d|\d{4})) ",
        r"(?P<name>.+)$"
    ))
    .ok()
});

static SIZED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<size>\d+)[\t ]+(?:(?P<date>\d{4}-\d\d-\d\d)(?:[T ][\d:.+-]+)?[\t ]+)?(?P<name>/.*)$")
        .ok()
});

pub(super) fn read(source: &Source<'_>) -> Vec<Row> {
    let mut rows = long(source);
    rows.extend(sized(source));
    for listing in du::listings(source) {
        for entry in listing.entries.iter().filter(|e| e.is_file) {
            rows.push(row(entry.line, &entry.path, entry.bytes, false, "", ""));
        }
    }
    rows.sort_by(|a, b| b.number("bytes").unwrap_or(0.0).total_cmp(&a.number("bytes").unwrap_or(0.0)));
    rows.truncate(MAX_ROWS / 2);
    rows
}

fn row(line: &str, path: &str, bytes: f64, exact: bool, date: &str, owner: &str) -> Row {
    let exact = exact && !path.contains('\u{fffd}');
    Row::new(line)
        .with_text("path", path)
        .with_bytes("bytes", bytes)
        .with("exact", Value::Bool(exact))
        .with_text("date", date)
        .with_text("owner", owner)
}

/// How the names of one `ls` are to be read.
struct Style {
    is_escaped: bool,
    directory: Option<String>,
}

fn long(source: &Source<'_>) -> Vec<Row> {
    let Some(pattern) = LONG.as_ref() else { return Vec::new() };
    let lines = source.lines();
    let mut rows = Vec::new();
    let mut style: Option<Style> = None;
    for (i, line) in lines.iter().enumerate() {
        let is_row = line.len() > 40 && line.get(..40).is_some_and(|s| s.contains(['r', '-']));
        let Some(found) = is_row.then(|| pattern.captures(line)).flatten() else {
            // "total 8" and "/var/log:" stand between the command and its rows.
            let is_lead = line.starts_with("total ") || (line.starts_with('/') && line.ends_with(':'));
            if !is_lead || style.is_none() {
                style = is_lead.then(|| style_at(source, i));
            }
            if let (Some(style), Some(section)) =
                (&mut style, line.strip_suffix(':').filter(|l| l.starts_with('/')))
            {
                style.directory = Some(section.into());
            }
            continue;
        };
        let style = style.get_or_insert_with(|| style_at(source, i));
        let (Some(name), Some(bytes)) =
            (found.name("name"), found.name("size").and_then(|s| size::parse(s.as_str())))
        else {
            continue;
        };
        let name = if style.is_escaped { unescape(name.as_str()) } else { Some(name.as_str().to_owned()) };
        let path = name.and_then(|n| absolute(&n, style.directory.as_deref()));
        if let (Some("-"), Some(path)) = (found.name("kind").map(|k| k.as_str()), path) {
            let group = |g| found.name(g).map_or("", |m| m.as_str());
            rows.push(row(line, &path, bytes.number, style.is_escaped, group("date"), group("owner")));
        }
    }
    rows
}

fn style_at(source: &Source<'_>, line: usize) -> Style {
    let hint = source.hint(line);
    let by_find = hint.and_then(|h| command::arguments(h, "find"));
    let find_ls = by_find.as_ref().is_some_and(|a| a.iter().any(|a| a == "-ls"));
    let ls = hint.and_then(|h| command::arguments(h, "ls")).unwrap_or_default();
    let is_escaped = find_ls || command::has_option(&ls, 'b', "escape");
    let start = source.directory(hint);
    let operands: Vec<&str> = command::operands(&ls).collect();
    let directory = match operands.as_slice() {
        [] => start,
        [one] if by_find.is_none() => absolute(one, start.as_deref()),
        _ => None,
    };
    Style { is_escaped, directory }
}

/// Undoes the escapes of `ls -b`: C letters, octal, and a backslash before a blank.
fn unescape(name: &str) -> Option<String> {
    if !name.contains('\\') {
        return Some(name.into());
    }
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            high @ b'0'..=b'3' => {
                let digit = |b: u8| (b'0'..=b'7').contains(&b).then(|| b - b'0');
                let (middle, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
                (high - b'0') * 64 + middle * 8 + low
            }
            other => other,
        });
    }
    // Bytes that are no UTF-8 become U+FFFD and the row is not exact.
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// `find -printf`: only with the command in sight, since a bare number before a path can be anything.
fn sized(source: &Source<'_>) -> Vec<Row> {
    let Some(pattern) = SIZED.as_ref() else { return Vec::new() };
    let lines = source.lines();
    let mut rows = Vec::new();
    let mut inside = false;
    for (i, line) in lines.iter().enumerate() {
        let Some(found) =
            line.starts_with(|c: char| c.is_ascii_digit()).then(|| pattern.captures(line)).flatten()
        else {
            inside = false;
            continue;
        };
        inside = inside
            || source.hint(i).and_then(|h| command::arguments(h, "find")).is_some_and(|a| {
                a.iter().any(|w| w == "-printf")
                    && a.iter().any(|w| w.contains("%s"))
                    && !a.iter().any(|w| w == "du")
            });
        let (Some(name), Some(size)) = (found.name("name"), found.name("size")) else { continue };
        if let (true, Ok(bytes), Some(path)) = (inside, size.as_str().parse(), absolute(name.as_str(), None))
        {
            rows.push(row(line, &path, bytes, false, found.name("date").map_or("", |d| d.as_str()), ""));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};
    use super::*;

    const FIND: &str =
        "find /var/log -xdev -type f -size +3M -exec ls -lbS --time-style=long-iso {} + | head -20";

    fn files(text: &str, command: Option<&str>) -> Vec<(String, f64, bool)> {
        fixture::rows(Reader::Files, text, command)
            .iter()
            .map(|r| {
                let exact = r.get("exact").is_some_and(Value::is_true);
                (r.text("path").unwrap_or("").into(), r.number("bytes").unwrap_or(-1.0), exact)
            })
            .collect()
    }

    #[test]
    fn the_same_files_are_read_from_every_tool() {
        let largest = ("/var/log/nginx/error.log".to_owned(), 229412864.0);
        for (name, command, exact) in [
            ("find-ls-log", Some(FIND), true),
            ("find-ls-log", None, false),
            ("find-dash-ls", Some("find /var/log -xdev -type f -size +3M -ls"), true),
            (
                "find-printf",
                Some("find /var/log -type f -printf '%s\\t%TY-%Tm-%Td\\t%p\\n' | sort -rn"),
                false,
            ),
            ("ls-lS", Some("ls -lS /var/log/nginx"), false),
            ("bb-find", None, false),
        ] {
            let rows = files(&fixture::load(name), command);
            assert_eq!(rows.first(), Some(&(largest.0.clone(), largest.1, exact)), "{name}");
        }
        assert!(files(&fixture::load("find-printf"), None).is_empty(), "sizes or counts? unknown");
        assert!(files(&fixture::load("ls-lS"), None).is_empty(), "names without a directory");
    }

    #[test]
    fn the_command_in_the_prompt_line_of_a_tail_is_a_hint() {
        let text = format!("root@web:~# {FIND}\n{}root@web:~# ", fixture::load("find-ls-log"));
        assert!(files(&text, None).first().is_some_and(|f| f.2));
    }

    #[test]
    fn escaped_names_are_exactly_the_files() {
        let rows = files(&fixture::load("find-odd"), Some(FIND));
        let names: Vec<&str> = rows.iter().map(|r| r.0.as_str()).collect();
        for name in ["$(touch pwned).log", "-rf.log", "it's \"here\".log", "new\nline.log", "sp ace `id`.log"]
        {
            assert!(names.contains(&format!("/var/log/odd/{name}").as_str()), "{name}: {names:?}");
        }
        assert!(rows.iter().all(|r| r.2));
    }

    #[test]
    fn a_name_that_forges_a_row_is_never_exact() {
        let rows = files(&fixture::load("find-odd-printf"), Some("find /var/log/odd -printf '%s %p\\n'"));
        assert!(rows.iter().any(|r| r.0 == "/var/log/odd/new") && rows.iter().all(|r| !r.2), "{rows:?}");
    }

    #[test]
    fn du_a_lists_files_too() {
        let rows = files(&fixture::load("du-ah"), Some("du -ah /var | sort -rh | head -20"));
        assert_eq!(rows.first().map(|r| r.0.as_str()), Some("/var/log/nginx/error.log"));
        assert!(rows.iter().all(|r| !r.2));
    }

    #[test]
    fn directories_links_and_broken_escapes_are_left_out() {
        let text = "drwxr-xr-x 2 root root 4096 2026-11-30 00:32 /var/log\n\
                    lrwxrwxrwx 1 root root 9 2026-11-30 00:32 /var/run -> /run\n\
                    -rw-r--r-- 1 root root 9 2026-11-30 00:32 /var/x\\9\n-rw-r--r-- 1 root root 9 2026-11-30 00:32 /v\\3";
        assert_eq!(files(text, Some(FIND)), [("/var/x9".to_owned(), 9.0, true)]);
        assert_eq!(unescape("caf\\303\\251"), Some("caf\u{e9}".into()));
        assert_eq!(unescape("bad\\377"), Some("bad\u{fffd}".into()));
    }
}
