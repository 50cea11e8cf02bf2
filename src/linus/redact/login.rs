//! What clients say when they log in: SMTP, IMAP, POP, FTP, Redis, and `Basic …` wherever it stands.

use std::ops::Range;

use super::assign::{self, Value, skip_blanks};
use super::block::is_base64;
use super::found::{Found, Rank};
use super::pattern::is_in_word;
use super::rules::Wants;
use super::value;
use super::view::View;

/// A line of a login is looked at for so long.
const LIMIT: usize = 512;
/// Steps for such a line.
const COST: usize = 60;
/// Rows that an answer may be below its question.
const ROWS: usize = 4;

/// `Basic dXNlcjpwYXNz`: what stands for a user, a colon and a password.
pub(super) fn basic(view: &View, word: Range<usize>) -> Option<Found> {
    if is_in_word(view, word.start) {
        return None;
    }
    let text = base64_at(view, skip_blanks(view, word.end));
    let plain = decoded(&view.bytes[text.clone()])?;
    let is_login =
        plain.iter().skip(1).any(|b| *b == b':') && std::str::from_utf8(&plain).is_ok_and(is_shown);
    is_login.then(|| Found::new(text, "token", Rank::Token, false))
}

fn is_shown(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// `AUTH PLAIN …`, `AUTHENTICATE PLAIN …` (RFC 4616), there or in a row below.
pub(super) fn plain(view: &View, words: Range<usize>) -> Option<Found> {
    view.spend(COST);
    let is_answer = |text: &Range<usize>| {
        decoded(&view.bytes[text.clone()]).is_some_and(|plain| plain.iter().filter(|b| **b == 0).count() == 2)
    };
    let here = base64_at(view, skip_blanks(view, words.end));
    let mut found = Some(here).filter(is_answer);
    let mut row = view.line(words.start);
    for _ in 0..ROWS {
        if found.is_some() || view.is_end(row.end) {
            break;
        }
        row = view.line(row.end);
        found = Some(last_word(view, &row)).filter(is_answer);
    }
    found.map(|text| Found::new(text, "password", Rank::Token, false))
}

/// The answer below `334 UGFzc3dvcmQ6`, which asks for the password (`AUTH LOGIN`).
pub(super) fn asked(view: &View, question: Range<usize>) -> Option<Found> {
    view.spend(COST);
    let row = view.line(question.start);
    let is_question = view.bytes[row.start..question.start].trim_ascii().ends_with(b"334");
    if !is_question || view.is_end(row.end) {
        return None;
    }
    let answer = last_word(view, &view.line(row.end));
    let is_answer = decoded(&view.bytes[answer.clone()]).is_some();
    is_answer.then(|| Found::new(answer, "password", Rank::Token, false))
}

/// `a1 LOGIN user password` of IMAP.
pub(super) fn imap(view: &View, word: Range<usize>) -> Option<Found> {
    let row = view.line(word.start);
    let tag = view.bytes[row.start.max(word.start.saturating_sub(LIMIT))..word.start].trim_ascii_end();
    let tag = tag.rsplit(|b| matches!(b, b' ' | b'"' | b'\t')).next()?;
    let is_tag = tag == b"."
        || tag.len() <= 8
            && tag.iter().all(u8::is_ascii_alphanumeric)
            && tag.iter().any(u8::is_ascii_digit)
            && tag.iter().any(u8::is_ascii_alphabetic);
    if !is_tag {
        return None;
    }
    view.spend(COST);
    let user = assign::read(view, skip_blanks(view, word.end))?;
    let behind = user.range.end + usize::from(user.is_quoted);
    let at = skip_blanks(view, behind);
    let password = assign::read(view, at).filter(|_| at > behind)?;
    let text = &view.bytes[password.range.clone()];
    let is_odd = password.is_quoted || text.iter().any(|b| b.is_ascii_digit() || b.is_ascii_punctuation());
    let is_last = ends_line(view, password.range.end + usize::from(password.is_quoted));
    (is_odd && is_last).then(|| Found::new(password.range, "password", Rank::Name, false))
}

/// `PASS password` of POP and FTP, behind `USER name` or in a trace's string.
pub(super) fn pass(view: &View, word: Range<usize>) -> Option<Found> {
    if &view.bytes[word.clone()] != b"PASS " || is_in_word(view, word.start) {
        return None;
    }
    view.spend(COST);
    let end = word.end
        + view
            .piece(word.end, LIMIT)
            .iter()
            .take_while(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\'))
            .count();
    let row = view.line(word.start);
    let from = row.start.saturating_sub(LIMIT / 2);
    let before = &view.bytes[from..word.start];
    let is_login = before.windows(5).any(|w| w == b"USER ") || view.bytes[end..].starts_with(b"\\r\\n");
    let is_secret = is_login
        && ends_line(view, end)
        && assign::is_secret(view, &Value::word(word.end..end, false), Wants::Any, "");
    is_secret.then(|| Found::new(word.end..end, "password", Rank::Name, false))
}

/// `AUTH password` and `AUTH user password` at a prompt of Redis.
pub(super) fn redis(view: &View, words: Range<usize>) -> Option<Found> {
    view.spend(COST);
    // An arrow is no prompt.
    if view.before(words.start).is_some_and(|b| !b.is_ascii_alphanumeric() && !matches!(b, b')' | b']')) {
        return None;
    }
    let first = assign::read(view, skip_blanks(view, words.end))?;
    let at = skip_blanks(view, first.range.end + usize::from(first.is_quoted));
    let value = assign::read(view, at).filter(|_| !ends_line(view, at)).unwrap_or(first);
    let is_secret = assign::is_secret(view, &value.with_colon(), Wants::Any, "");
    is_secret.then(|| Found::new(value.range, "password", Rank::Name, value.is_cut))
}

/// `on >password ~keys +commands` of Redis' access lists.
pub(super) fn access(view: &View, sign: Range<usize>) -> Option<Found> {
    view.spend(COST);
    let piece = view.piece(sign.end, LIMIT);
    let length = piece.iter().take_while(|b| b.is_ascii_graphic() && **b != b'"').count();
    let rest = &view.bytes
        [sign.end + length..view.line(sign.start).end.min(sign.end + LIMIT).max(sign.end + length)];
    let is_list = rest.windows(2).any(|w| w[0] == b' ' && matches!(w[1], b'~' | b'+' | b'&' | b'>' | b'%'));
    let range = sign.end..sign.end + length;
    let is_secret =
        is_list && length > 2 && !value::is_mask(&String::from_utf8_lossy(&view.bytes[range.clone()]));
    is_secret.then(|| Found::new(range, "password", Rank::Name, false))
}

fn ends_line(view: &View, at: usize) -> bool {
    let rest = view.bytes.get(at..view.line(at.saturating_sub(1)).end).unwrap_or_default().trim_ascii();
    rest.is_empty() || rest.starts_with(b"\\r") || matches!(rest.first(), Some(b'"' | b'\''))
}

/// The base64 that begins here.
fn base64_at(view: &View, at: usize) -> Range<usize> {
    at..at + view.piece(at, LIMIT).iter().take_while(|b| is_base64(**b)).count()
}

/// The last word of a row, without a trace's end of a line.
fn last_word(view: &View, row: &Range<usize>) -> Range<usize> {
    let text = view.bytes[row.start..row.end.min(row.start + LIMIT)].trim_ascii_end();
    let end = row.start + text.windows(4).position(|w| w == b"\\r\\n").unwrap_or(text.len());
    let start = view.bytes[row.start..end].iter().rposition(|b| !is_base64(*b)).map_or(0, |i| i + 1);
    row.start + start..end
}

/// What padded base64 stands for, if it is some.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    if text.len() < 8 || !text.len().is_multiple_of(4) {
        return None;
    }
    let mut plain = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in body {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            plain.push((bits >> count & 0xff) as u8);
        }
    }
    Some(plain)
}
