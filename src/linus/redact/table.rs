//! Lines with fields between colons: `.pgpass`, and `shadow` with hashes of the old kind.

use std::ops::Range;

use super::found::{Found, Rank};
use super::value;
use super::view::View;

/// Ports that databases have; other lines with colons have other numbers there.
const PORTS: [&[u8]; 9] = [b"5432", b"5433", b"5434", b"5439", b"6432", b"6543", b"26257", b"3306", b"*"];
/// Longer lines are no such tables.
const LIMIT: usize = 400;
/// A hash of `crypt` with DES: two characters of salt and eleven.
const DES: usize = 13;

pub(super) fn find(view: &View) -> Vec<Found> {
    view.each_line().filter(|line| line.len() < LIMIT).filter_map(|line| of_line(view, line)).collect()
}

fn of_line(view: &View, line: Range<usize>) -> Option<Found> {
    let text = &view.bytes[line.clone()];
    if let Some(found) = chap(view, &line) {
        return Some(found);
    }
    let first = text.iter().position(|b| *b == b':')?;
    let fields: Vec<Range<usize>> = fields(text, line.start);
    let field = |i: usize| &view.bytes[fields[i].clone()];
    match fields.len() {
        5 if PORTS.contains(&field(1))
            && field(0).iter().all(|b| b.is_ascii_alphanumeric() || b".-_*/".contains(b)) =>
        {
            let is_word = |i: usize| !field(i).is_empty() && !field(i).contains(&b' ');
            let password = fields[4].clone();
            ((1..5).all(is_word) && first > 0 && password.len() > 2)
                .then(|| Found::new(password, "password", Rank::Name, false))
        }
        9 => {
            let is_hash = field(1).len() == DES
                && field(1).iter().all(|b| b.is_ascii_alphanumeric() || b"./".contains(b));
            let are_days = field(2).iter().all(u8::is_ascii_digit);
            (is_hash && are_days).then(|| Found::new(fields[1].clone(), "password-hash", Rank::Shape, false))
        }
        _ => None,
    }
}

/// `client * secret *` of `chap-secrets`.
fn chap(view: &View, line: &Range<usize>) -> Option<Found> {
    let text = std::str::from_utf8(&view.bytes[line.clone()]).ok().filter(|text| text.contains('*'))?;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [client, "*", secret, "*"] = words[..] else { return None };
    let inside = secret.trim_matches('"');
    let start = line.start + text.rfind(secret)? + secret.find(inside)?;
    let is_secret = client != "*" && inside != "*" && inside.len() > 2 && !value::is_mask(inside);
    is_secret.then(|| Found::new(start..start + inside.len(), "password", Rank::Name, false))
}

/// `\:` is a colon of the field (libpq).
fn fields(text: &[u8], offset: usize) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    let mut start = 0;
    for at in 0..=text.len() {
        let is_colon = text.get(at) == Some(&b':') && (at == 0 || text[at - 1] != b'\\');
        if at == text.len() || is_colon {
            fields.push(offset + start..offset + at);
            start = at + 1;
        }
    }
    fields
}
