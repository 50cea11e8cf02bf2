//! Names with a value: `password=…`, `"token": "…"`, `<secret>…</secret>`, `--password …`, `name: X` above `value: …`.

use std::ops::Range;

use super::found::{Found, Rank};
use super::name::Name;
use super::pattern;
use super::rules::{RULES, Wants};
use super::value::{self, Around};
use super::view::View;

/// Longer names are none that people give.
const NAME_LIMIT: usize = 80;
/// Blanks between a name, its sign and its value.
const BLANKS: usize = 24;
/// Longer values are files. What is behind stays, and is judged by the other rules.
pub(super) const VALUE_LIMIT: usize = 4096;
/// What follows a value is looked at for so long.
const REST: usize = 256;
/// Steps that it takes to know a name, and to judge a value, besides what its bytes take.
const NAME_COST: usize = 300;
const VALUE_COST: usize = 700;
const VALUE_BYTE_COST: usize = 8;
const QUOTED_COST: usize = 2;

/// A value and how it stands there.
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) is_quoted: bool,
    is_colon: bool,
    is_spaced: bool,
    /// The text ends in it.
    pub(super) is_cut: bool,
}

impl Value {
    /// A word of a command.
    pub(super) fn word(range: Range<usize>, is_cut: bool) -> Self {
        Self { range, is_quoted: false, is_colon: false, is_spaced: false, is_cut }
    }

    /// The same in a sentence: the words that follow are looked at.
    pub(super) fn with_colon(&self) -> Self {
        Self { range: self.range.clone(), is_colon: true, ..*self }
    }
}

/// The byte here, unless the line has ended.
pub(super) fn peek(view: &View, at: usize) -> Option<u8> {
    if view.is_end(at) || view.is_break(at) && !view.is_soft(at) { None } else { view.bytes.get(at).copied() }
}

pub(super) fn skip_blanks(view: &View, at: usize) -> usize {
    at + count(view.piece(at, BLANKS), |b| matches!(b, b' ' | b'\t'))
}

/// How many bytes at the beginning are such.
fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| is(**b)).count()
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The name around a stem.
pub(super) fn name_at(view: &View, stem: Range<usize>) -> Range<usize> {
    let mut start = stem.start;
    while start > 0
        && stem.start - start < NAME_LIMIT
        && (!view.is_break(start) || view.is_soft(start))
        && is_of_name(view.bytes[start - 1])
    {
        start -= 1;
    }
    let end = stem.end + count(view.piece(stem.end, NAME_LIMIT), is_of_name);
    // A number at the beginning of the next row is a line's, and no end of a name.
    let broken = (stem.end..end).find(|i| view.is_break(*i));
    let end = broken.filter(|at| view.bytes[*at..end].iter().all(u8::is_ascii_digit)).unwrap_or(end);
    view.spend(end - start);
    while start < stem.start && matches!(view.bytes[start], b'-' | b'.') {
        start += 1;
    }
    start..end
}

/// The secret that a name around `stem` has as its value.
pub(super) fn find(view: &View, name: &Range<usize>) -> Option<Found> {
    let value = value_of(view, name)?;
    let text = String::from_utf8_lossy(&view.bytes[name.clone()]);
    // Results of tests: `--- PASS: TestX (0.00s)`.
    if text == "PASS" && value.is_colon && view.bytes[..name.start].ends_with(b"--- ") {
        return None;
    }
    let is_caps =
        text.bytes().any(|b| b.is_ascii_uppercase()) && !text.bytes().any(|b| b.is_ascii_lowercase());
    view.spend(NAME_COST);
    let parts = Name::new(&text);
    let (class, wants) = RULES.name(&parts).or_else(|| RULES.name(&below_break(view, name)?))?;
    let wants = if is_caps && !value.is_colon { Wants::Any } else { wants };
    if is_key_id(parts.fused(), &view.bytes[value.range.clone()]) {
        return None;
    }
    is_secret(view, &value, wants, parts.fused())
        .then(|| Found::new(value.range, class, Rank::Name, value.is_cut))
}

/// Which key of PGP: `--encrypt-key 8C1F2A9D4B7E6035`.
fn is_key_id(name: &str, value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").unwrap_or(value);
    let is_id = matches!(digits.len(), 8 | 16 | 40) && digits.iter().all(u8::is_ascii_hexdigit);
    is_id && ["encryptkey", "signkey", "defaultkey", "signingkey", "encryptsignkey"].contains(&name)
}

/// The name without what stands in the row above: that may have been another word.
fn below_break(view: &View, name: &Range<usize>) -> Option<Name> {
    let start = name.clone().rev().find(|i| view.is_break(*i))?;
    Some(Name::new(&String::from_utf8_lossy(&view.bytes[start..name.end])))
}

pub(super) fn is_secret(view: &View, value: &Value, wants: Wants, name: &str) -> bool {
    let text = String::from_utf8_lossy(&view.bytes[value.range.clone()]);
    let line = view.line(value.range.end.saturating_sub(1));
    let rest = view.bytes.get(value.range.end..line.end.min(value.range.end + REST)).unwrap_or_default();
    view.spend(VALUE_COST + value.range.len() * VALUE_BYTE_COST);
    let around = Around {
        wants,
        is_quoted: value.is_quoted,
        is_colon: value.is_colon,
        is_spaced: value.is_spaced,
        is_cut: value.is_cut,
        name,
        rest: &String::from_utf8_lossy(rest),
    };
    value::is_secret(&text, &around)
}

/// What a name has as its value, secret or not.
fn value_of(view: &View, name: &Range<usize>) -> Option<Value> {
    let quote = view.before(name.start).filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    let mut at = name.end;
    let is_closed = quote.is_some() && after_quote(view, at, quote).map(|after| at = after).is_some();
    if peek(view, at) == Some(b']') {
        at += 1;
    }
    let sign = skip_blanks(view, at);
    let after = |length: usize| skip_blanks(view, sign + length);
    let next = |i: usize| peek(view, sign + i);
    let (start, is_colon, length) = match (next(0), next(1)) {
        (Some(b'='), Some(b'=' | b'~')) => return None,
        (Some(b':'), Some(b':')) => return ldif(view, name.start, sign + 2),
        (Some(b'='), Some(b'>')) | (Some(b':'), Some(b'=')) => (after(2), false, 2),
        (Some(b'='), _) => (after(1), false, 1),
        (Some(b':'), _) => (after(1), true, 1),
        (Some(b','), _) if is_closed && is_definition(view, name.start) => (after(1), false, 1),
        (Some(b'>'), _) if is_tag(view, name.start) && is_closed_tag(view, sign) => (sign + 1, false, 1),
        // SQL and the like: `PASSWORD 'x'`, `PASSWORD('x')`, `PSK "x"`.
        (Some(b'\'' | b'"'), _) if sign > at && quote.is_none() => (sign, false, 0),
        (Some(b'('), Some(b'\'' | b'"')) if view.bytes[name.start].is_ascii_uppercase() => {
            (sign + 1, false, 0)
        }
        (Some(b'|'), _) => return value_of_cell(view, sign),
        _ if sign == at + 1 && is_option(view, name.start) => (sign, false, 0),
        _ => return value_below(view, sign, is_closed),
    };
    let is_spaced = sign > at && start > sign + length;
    let is_tight = is_colon && start == sign + 1;
    if is_tight && is_of_resource(view, name.start) || length > 0 && ends_string(view, name, start) {
        return None;
    }
    // An option that has no value is followed by the next one.
    if length == 0 && peek(view, start) == Some(b'-') {
        return None;
    }
    if is_block_scalar(view, start) {
        return row_below(view, start);
    }
    if peek(view, start) == Some(b'{') && view.is_break(start + 1) {
        return value_within(view, start);
    }
    let mut value = read(view, start)?;
    (value.is_colon, value.is_spaced) = (is_colon, is_spaced);
    Some(value)
}

/// `name:: base64` of LDIF, whose lines go on behind a blank in the next row (RFC 2849).
fn ldif(view: &View, name: usize, at: usize) -> Option<Value> {
    let line = view.line(name);
    if line.start != name || peek(view, at) != Some(b' ') {
        return None;
    }
    let start = skip_blanks(view, at);
    let is_base64 = |text: &[u8]| !text.is_empty() && text.iter().all(|b| super::block::is_base64(*b));
    let mut end = line.end;
    if !is_base64(view.bytes.get(start..end)?.trim_ascii()) {
        return None;
    }
    while end < view.len() && end - start < VALUE_LIMIT {
        let next = view.line(end);
        let rest = view.bytes[next.clone()].strip_prefix(b" ").unwrap_or_default();
        if !is_base64(rest) {
            break;
        }
        end = next.end;
    }
    view.spend((end - start) * QUOTED_COST);
    Some(Value { range: start..end, is_quoted: true, is_colon: true, is_spaced: false, is_cut: false })
}

/// Behind the quote here; it may be escaped, in JSON within JSON.
fn after_quote(view: &View, at: usize, quote: Option<u8>) -> Option<usize> {
    if peek(view, at) == quote {
        Some(at + 1)
    } else if peek(view, at) == Some(b'\\') && peek(view, at + 1) == quote {
        Some(at + 2)
    } else {
        None
    }
}

/// `arn:aws:secretsmanager:…:secret:name`: a part of a resource's name, and no assignment.
fn is_of_resource(view: &View, name: usize) -> bool {
    let before = &view.bytes[name.saturating_sub(REST).max(view.line(name).start)..name];
    let word = before.rsplit(|b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'=' | b',')).next();
    view.spend(word.map_or(0, <[u8]>::len));
    word.is_some_and(|word| word.starts_with(b"arn:") || word.starts_with(b"urn:"))
}

/// `"Password: ", 10)`: the quote ends the string that the name stands in, and begins no value.
fn ends_string(view: &View, name: &Range<usize>, at: usize) -> bool {
    let follows = view.in_line(at + 1);
    if peek(view, at) != Some(b'"')
        || !matches!(follows, None | Some(b',' | b')' | b';' | b']' | b'}' | b' '))
    {
        return false;
    }
    let before = &view.bytes[name.start.saturating_sub(REST).max(view.line(name.start).start)..at];
    view.spend(before.len());
    before.iter().filter(|b| **b == b'"').count() % 2 == 1
}

/// `| password | value |`, with an operator's cell between perhaps. Heads of tables have words there; what is believed
/// of a cell alone is what is no word.
fn value_of_cell(view: &View, bar: usize) -> Option<Value> {
    let rest = view.piece(bar + 1, REST);
    view.spend(rest.len().min(REST));
    let mut at = bar + 1;
    for cell in rest.split(|b| *b == b'|') {
        let text = cell.trim_ascii();
        let is_operator = !text.is_empty() && text.iter().all(|b| matches!(b, b':' | b'=' | b'+' | b'~'));
        if !is_operator {
            let start = at + count(cell, |b| b == b' ' || b == b'\t');
            let is_odd = text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic);
            let range = start..start + text.len();
            return (is_odd && text.len() >= 6 && !text.contains(&b' ')).then(|| Value::word(range, false));
        }
        at += cell.len() + 1;
    }
    None
}

/// PHP's `define('NAME', 'value')`.
fn is_definition(view: &View, name: usize) -> bool {
    let before = &view.bytes[name.saturating_sub(10)..name - 1];
    String::from_utf8_lossy(before).trim_end().ends_with("define(")
}

/// `<name>value</name>`, with a prefix perhaps.
fn is_tag(view: &View, name: usize) -> bool {
    let before = view.bytes[name.saturating_sub(NAME_LIMIT)..name].iter().rev();
    before.clone().find(|b| !b.is_ascii_alphanumeric() && **b != b':') == Some(&b'<')
}

fn is_closed_tag(view: &View, at: usize) -> bool {
    let rest = &view.bytes[at..view.line(at).end.min(at + VALUE_LIMIT)];
    view.spend(rest.len());
    rest.windows(2).any(|w| w == b"</")
}

/// `--name value` or `-name value`, and a single blank: help texts have more.
fn is_option(view: &View, name: usize) -> bool {
    let dashes = view.bytes[..name].iter().rev().take_while(|b| **b == b'-').count();
    let before = (name - dashes).checked_sub(1).and_then(|at| view.in_line(at));
    (1..=2).contains(&dashes) && matches!(before, None | Some(b' ' | b'\t' | b'"' | b'\'' | b'['))
}

/// `|`, `>` or `|-` and the end of the line: YAML has the value below.
fn is_block_scalar(view: &View, at: usize) -> bool {
    let length =
        (at..at + 2).take_while(|i| matches!(view.in_line(*i), Some(b'|' | b'>' | b'-' | b'+'))).count();
    length > 0 && view.bytes[at] != b'-' && view.is_break(at + length)
}

/// `"name": { …, "value": "…" }`, as `terraform output -json` has it.
fn value_within(view: &View, at: usize) -> Option<Value> {
    let rest = &view.bytes[at..view.len().min(at + 256)];
    let object = &rest[..rest.iter().position(|b| *b == b'}').unwrap_or(rest.len())];
    let value = object.windows(8).position(|w| w == b"\"value\":")?;
    read(view, skip_blanks(view, at + value + 8))
}

fn row_below(view: &View, at: usize) -> Option<Value> {
    let line = view.line(view.line(at).end);
    let start = line.clone().find(|i| !matches!(view.bytes[*i], b' ' | b'\t'))?;
    Some(Value { range: start..line.end, is_quoted: true, is_colon: true, is_spaced: false, is_cut: false })
}

/// `name: X` and `value: …` in the next line, or behind a comma; `name="X" value="…"`.
fn value_below(view: &View, at: usize, is_closed: bool) -> Option<Value> {
    let mut at = at + usize::from(peek(view, at) == Some(b','));
    at += (at..at + BLANKS).take_while(|i| matches!(view.bytes.get(*i), Some(b' ' | b'\t'))).count();
    let quote = view.bytes.get(at).copied().filter(|b| matches!(b, b'"' | b'\'') && is_closed);
    let word = at + usize::from(quote.is_some());
    if !view.bytes.get(word..word + 5)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let sign =
        skip_blanks(view, if quote.is_some() { after_quote(view, word + 5, quote)? } else { word + 5 });
    let is_colon = match peek(view, sign)? {
        b':' => true,
        b'=' => false,
        _ => return None,
    };
    let value = read(view, skip_blanks(view, sign + 1))?;
    Some(Value { is_colon, ..value })
}

/// The value that begins here: up to its quote, or to where it seems to end.
pub(super) fn read(view: &View, start: usize) -> Option<Value> {
    let first = peek(view, start)?;
    let is_prefix = matches!(first, b'b' | b'u' | b'r' | b'f' | b'@' | b'$')
        && matches!(peek(view, start + 1), Some(b'"' | b'\''));
    let start = start + usize::from(is_prefix);
    match (peek(view, start)?, peek(view, start + 1)) {
        (quote @ (b'"' | b'\'' | b'`'), _) => quoted(view, start + 1, &[quote]),
        (b'\\', Some(quote @ (b'"' | b'\''))) => quoted(view, start + 2, &[b'\\', quote]),
        _ => bare(view, start),
    }
}

fn quoted(view: &View, start: usize, close: &[u8]) -> Option<Value> {
    let piece = view.piece(start, VALUE_LIMIT);
    let (mut length, mut is_open) = (0, true);
    while let Some(byte) = piece.get(length) {
        if view.bytes[start + length..].starts_with(close) {
            is_open = false;
            break;
        }
        length += if *byte == b'\\' && close.len() == 1 && length + 1 < piece.len() { 2 } else { 1 };
    }
    view.spend(length * QUOTED_COST);
    let end = start + length;
    let is_cut = is_open && view.is_open_end(end);
    (end > start).then_some(Value {
        range: start..end,
        is_quoted: true,
        is_colon: false,
        is_spaced: false,
        is_cut,
    })
}

fn bare(view: &View, start: usize) -> Option<Value> {
    let mut end = start;
    for byte in view.piece(start, VALUE_LIMIT) {
        let stops = match byte {
            b' ' | b'\t' => true,
            b'"' | b'\'' | b'`' | b'\\' => ends_outer(view, end + 1),
            b';' | b'&' | b',' | b'|' => begins_other(view, end + 1),
            b'<' => peek(view, end + 1) == Some(b'/'),
            _ => false,
        };
        // What stands for a secret is whole: nothing of it is in the next row.
        let goes_on = || !view.bytes[..end].ends_with("›".as_bytes()) && pattern::goes_on(view, end, ANY);
        if stops || view.is_break(end) && end > start && !goes_on() {
            break;
        }
        end += 1;
    }
    view.spend(end - start);
    end = app_password(view, start, end).unwrap_or(end);
    let is_cut = view.is_open_end(end);
    let end = without_closers(view, start, end);
    (end > start).then_some(Value {
        range: start..end,
        is_quoted: false,
        is_colon: false,
        is_spaced: false,
        is_cut,
    })
}

/// Four groups of four small letters and the end of the line: as Google shows passwords for programs.
fn app_password(view: &View, start: usize, end: usize) -> Option<usize> {
    let text = view.bytes[start..view.line(start).end.min(start + 24)].trim_ascii_end();
    let groups: Vec<&[u8]> = text.split(|b| *b == b' ').collect();
    let is_group = |group: &&[u8]| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase);
    (end == start + 4 && groups.len() == 4 && groups.iter().all(is_group)).then_some(start + text.len())
}

/// What may stand in a value that goes on in the next row.
pub(super) const ANY: pattern::Set =
    pattern::Set::of(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/=_-.!#%^*?");

/// Whether a quote or backslash before this ends a string around the value.
fn ends_outer(view: &View, at: usize) -> bool {
    match peek(view, at) {
        None => true,
        Some(b) => matches!(
            b,
            b' ' | b'\t' | b',' | b';' | b')' | b']' | b'}' | b'"' | b'\'' | b'>' | b'|' | b'&' | b'n'
        ),
    }
}

/// Whether another assignment, or nothing, follows a sign that may be in a password too.
fn begins_other(view: &View, at: usize) -> bool {
    let is_of_name =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b' ' | b'"' | b'\'');
    let end = at + count(view.piece(at, 40), is_of_name);
    view.spend(end - at);
    match peek(view, at) {
        None => !view.is_open_end(at),
        Some(b' ' | b'\t' | b'&' | b'|' | b';') => true,
        Some(_) => end > at && matches!(peek(view, end), Some(b'=' | b':')),
    }
}

/// Without brackets that were opened before the value, and without the full stop of a sentence.
fn without_closers(view: &View, start: usize, mut end: usize) -> usize {
    if !matches!(view.bytes[start..end].last(), Some(b')' | b']' | b'}' | b'>' | b',' | b';')) {
        return end;
    }
    let line = view.line(start);
    let before = &view.bytes[line.start.max(start.saturating_sub(REST))..start];
    view.spend(before.len() + end - start);
    while end > start {
        let open = match view.bytes[end - 1] {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            b'>' => b'<',
            b',' | b';' => {
                end -= 1;
                continue;
            }
            _ => break,
        };
        if !before.contains(&open) || view.bytes[start..end].contains(&open) {
            break;
        }
        end -= 1;
    }
    end
}
