//! Names whose value stands next to or below them with nothing but blanks or quotes between: listings of two columns,
//! replies of databases, registries.

use std::ops::Range;

use super::assign::{self, Value, peek, skip_blanks};
use super::found::{Found, Rank};
use super::name::Name;
use super::rules::{RULES, Wants};
use super::value;
use super::view::View;

/// Steps for a name that may be a row's first cell.
const COST: usize = 150;
/// A value that only its place gives away is no word, and so long.
const SHORTEST: usize = 6;
/// Rows and cells are looked at for so long.
const LIMIT: usize = 512;

/// The value of the name here, if there is one.
pub(super) fn find(view: &View, name: &Range<usize>) -> Option<Found> {
    let value = beside(view, name)
        .or_else(|| of_registry(view, name))
        .or_else(|| in_quotes(view, name))
        .or_else(|| below(view, name))?;
    view.spend(COST + value.len());
    let (class, wants) = RULES.name(&Name::new(&String::from_utf8_lossy(&view.bytes[name.clone()])))?;
    let text = String::from_utf8_lossy(&view.bytes[value.clone()]);
    let is_believed = match wants {
        Wants::Any => is_odd(text.as_bytes()),
        Wants::Random => value::is_random(&text) && text.bytes().any(|b| b.is_ascii_digit()),
    };
    let is_secret = is_believed
        && !value::is_mask(&text)
        && assign::is_secret(view, &Value::word(value.clone(), false), wants, "");
    is_secret.then(|| Found::new(value, class, Rank::Name, false))
}

/// The last cell of a row that the name begins: `vault kv get`, `kubectl`, tables of settings.
fn beside(view: &View, name: &Range<usize>) -> Option<Range<usize>> {
    let start = skip_blanks(view, name.end);
    let gap = view.bytes.get(name.end..start)?;
    let is_apart = gap.len() >= 2 || gap.contains(&b'\t');
    if !is_apart || !begins_row(view, name.start) {
        return None;
    }
    whole_cell(view, start)
}

/// `NAME    REG_SZ    value`, and `/v NAME /t REG_SZ /d value`.
fn of_registry(view: &View, name: &Range<usize>) -> Option<Range<usize>> {
    let at = skip_blanks(view, name.end);
    let rest = view.piece(at, LIMIT);
    if at == name.end || !(rest.starts_with(b"REG_") || rest.starts_with(b"/t ")) {
        return None;
    }
    let mut words = rest.split(|b| matches!(b, b' ' | b'\t')).filter(|word| !word.is_empty());
    let is_listed = rest.starts_with(b"REG_");
    let word = if is_listed { words.nth(1)? } else { words.skip_while(|word| *word != b"/d").nth(1)? };
    let word = word.strip_prefix(b"\"").and_then(|word| word.strip_suffix(b"\"")).unwrap_or(word);
    let offset = rest.windows(word.len().max(1)).rposition(|w| w == word)?;
    Some(at + offset..at + offset + word.len())
}

/// `"name" "value"`, and the same in the next row of a reply: `1) "name"`, `2) "value"`.
fn in_quotes(view: &View, name: &Range<usize>) -> Option<Range<usize>> {
    let quote = view.before(name.start).filter(|b| matches!(b, b'"' | b'\''))?;
    if peek(view, name.end) != Some(quote) {
        return None;
    }
    let mut start = skip_blanks(view, name.end + 1);
    if view.is_break(start) {
        let row = &view.bytes[view.line(start)];
        let digits = row.trim_ascii_start().iter().take_while(|b| b.is_ascii_digit()).count();
        let indent = row.len() - row.trim_ascii_start().len();
        let sign = row.get(indent + digits..indent + digits + 2)?;
        if digits == 0 || sign != b") " {
            return None;
        }
        start += indent + digits + 2;
    } else if start == name.end + 1 {
        return None;
    }
    let inside = view.bytes.get(start..view.line(start).end)?.strip_prefix(&[quote])?;
    let length = inside.iter().take(LIMIT).position(|b| *b == quote)?;
    Some(start + 1..start + 1 + length)
}

/// A row that is a path and ends in the name, or a command that prints what it names, and the value alone in the next row.
fn below(view: &View, name: &Range<usize>) -> Option<Range<usize>> {
    let row = view.line(name.start);
    if row.len() > LIMIT {
        return None;
    }
    let is_path = view.bytes[row.start] == b'/' && !view.bytes[row.clone()].contains(&b' ');
    if !(is_path && row.end == name.end || asks(view, &row, name)) || view.is_end(row.end) {
        return None;
    }
    let is_prompt = view.bytes[view.line(row.end)].trim_ascii().ends_with(b"#");
    whole_cell(view, row.end).filter(|_| !is_prompt)
}

/// Whether the row is a command at a prompt that prints one value and nothing else.
fn asks(view: &View, row: &Range<usize>, name: &Range<usize>) -> bool {
    const COMMANDS: [&str; 10] = [
        "printenv ",
        "echo $",
        "echo ${",
        "echo \"$",
        "--get ",
        "nmcli -",
        "pass show ",
        "jsonpath=",
        "--secret=",
        "secret get ",
    ];
    let before = String::from_utf8_lossy(&view.bytes[row.start..name.start]);
    view.spend(before.len() * 2);
    let prompt = before.find(['$', '#', '>', '%']);
    prompt.is_some_and(|at| COMMANDS.iter().any(|command| before[at..].contains(command)))
}

/// The name, or the path that ends in it, is the first in its row.
fn begins_row(view: &View, name: usize) -> bool {
    let row = view.line(name);
    let before = view.bytes[row.start..name].trim_ascii_start();
    name - row.start < LIMIT && !before.iter().any(|b| matches!(b, b' ' | b'\t'))
}

/// What stands from here to the row's end, if that is one word.
fn whole_cell(view: &View, start: usize) -> Option<Range<usize>> {
    let row = view.line(start);
    let rest = view.bytes.get(start..row.end.min(start + LIMIT))?.trim_ascii_end();
    let is_word = !rest.is_empty() && !rest.iter().any(|b| matches!(b, b' ' | b'\t'));
    is_word.then_some(start..start + rest.len())
}

fn is_odd(text: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    // `1:4.13+dfsg1-1`, `2.14.3-rc1`: a version.
    let number = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_version = number > 0
        && matches!(text.get(number), Some(b':' | b'.'))
        && text.get(number + 1).is_some_and(u8::is_ascii_digit);
    text.len() >= SHORTEST && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !is_version
}

/// A line of two strings, `"user" "password"`, as pgbouncer's list has it.
pub(super) fn of_user(view: &View, line: &Range<usize>) -> Option<Found> {
    let text = view.bytes[line.clone()].strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let middle = text.windows(3).position(|w| w == b"\" \"")?;
    let (user, password) = (&text[..middle], &text[middle + 3..]);
    let is_user = !user.is_empty() && user.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b));
    let has = |is: fn(&u8) -> bool| password.iter().any(is);
    // Versions, addresses and names have no capital, or no digit; hashes say what they are.
    let is_hash = password.starts_with(b"md5") && password.len() == 35;
    let is_secret = has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && password.len() >= 8
        && !password.iter().any(|b| matches!(b, b' ' | b'"' | b'/'));
    let start = line.start + 1 + middle + 3;
    (is_user && (is_hash || is_secret))
        .then(|| Found::new(start..start + password.len(), "password", Rank::Name, false))
}
