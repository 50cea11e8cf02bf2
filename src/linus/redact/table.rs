//! Lines with fields between colons: `.pgpass`, and `shadow` with hashes of the old kind.

use std::ops::Range;

use super::found::{Found, Rank};
use super::view::View;
use super::{pair, value};

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
    if let Some(found) = chap(view, &line).or_else(|| pair::of_user(view, &line)) {
        return Some(found);
    }
    let first = text.iter().position(|b| *b == b':')?;
    if let Some(found) = mail_map(view, &line) {
        return Some(found);
    }
    let fields: Vec<Range<usize>> = fields(text, line.start);
    let field = |i: usize| &view.bytes[fields[i].clone()];
    if let Some(found) = windows(view, &fields).or_else(|| scheme(view, &fields)) {
        return Some(found);
    }
    match fields.len() {
        // Exim's `passwd.client`: relay, user, password.
        3 if first > 0
            && field(1).contains(&b'@')
            && (0..2)
                .all(|i| field(i).iter().all(|b| b.is_ascii_alphanumeric() || b".-_*@+".contains(b)))
            && is_odd(field(2)) =>
        {
            Some(Found::new(fields[2].clone(), "password", Rank::Name, false))
        }
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

/// Hashes of Windows: `user:id:LM:NT:…` of smbpasswd, pdbedit and dumps, and answers to a challenge (NTLM, both versions).
fn windows(view: &View, fields: &[Range<usize>]) -> Option<Found> {
    let field = |i: usize| fields.get(i).map_or(&[][..], |field| &view.bytes[field.clone()]);
    let is_hex =
        |i: usize, least: usize| field(i).len() >= least && field(i).iter().all(u8::is_ascii_hexdigit);
    let is_hash = |i: usize| is_hex(i, 32) && field(i).len() == 32;
    let is_none = |i: usize| field(i).len() == 32 && field(i).iter().all(|b| matches!(b, b'X' | b'*'));
    let range = if field(1).iter().all(u8::is_ascii_digit) && is_hash(3) && (is_hash(2) || is_none(2)) {
        let first = if is_hash(2) { 2 } else { 3 };
        fields.get(first)?.start..fields.get(3)?.end
    } else {
        let at =
            (3..fields.len()).find(|i| is_hash(*i) || is_hex(*i, 48)).filter(|i| field(i - 2).len() < 64)?;
        let is_answer = field(at - 1).len() == 16 && is_hex(at - 1, 16) && is_hex(at + 1, 16)
            || is_hex(at + 1, 48) && is_hex(at + 2, 16);
        is_answer.then(|| (at, at + 1)).map(|(a, b)| fields[a].start..fields[b].end)?
    };
    Some(Found::new(range, "password-hash", Rank::Shape, false))
}

/// `user:{SCHEME}password:…` of Dovecot, also where the scheme is none.
fn scheme(view: &View, fields: &[Range<usize>]) -> Option<Found> {
    let field = fields.get(1)?;
    let text = &view.bytes[field.clone()];
    let end = text.iter().position(|b| *b == b'}')?;
    let is_scheme = text.first() == Some(&b'{')
        && end > 2
        && text[1..end].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"-.".contains(b));
    let rest = &text[end + 1..];
    let is_secret = is_scheme && rest.len() >= 4 && rest.iter().all(u8::is_ascii_graphic);
    let is_secret = is_secret && !value::is_mask(&String::from_utf8_lossy(rest));
    is_secret.then(|| Found::new(field.start + end + 1..field.end, "password", Rank::Name, false))
}

/// `[relay]:587  user:password`, and with a sender or a domain in front: Postfix's `sasl_passwd`.
fn mail_map(view: &View, line: &Range<usize>) -> Option<Found> {
    const PORTS: [&str; 7] = ["25", "465", "587", "2525", "submission", "smtp", "smtps"];
    let text = std::str::from_utf8(&view.bytes[line.clone()]).ok()?;
    let mut words = text.split_ascii_whitespace();
    let (Some(relay), Some(login), None) = (words.next(), words.next(), words.next()) else { return None };
    let (user, password) = login.split_once(':')?;
    let is_relay = relay.starts_with('[') && relay.contains(']')
        || relay.rsplit_once(':').is_some_and(|(_, port)| PORTS.contains(&port));
    let is_login = is_relay || user.contains('@') && relay.contains('.');
    let is_user =
        !user.is_empty() && user.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_@+".contains(&b));
    let is_secret = is_login && is_user && !password.starts_with(['[', '/']) && is_odd(password.as_bytes());
    let start = line.start + text.rfind(login)? + user.len() + 1;
    is_secret.then(|| Found::new(start..start + password.len(), "password", Rank::Name, false))
}

/// No word, number, mask or path.
fn is_odd(text: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    let is_sign = |b: &u8| b.is_ascii_punctuation() && !b"-._/@,".contains(b);
    text.len() >= 6
        && has(u8::is_ascii_alphabetic)
        && (has(u8::is_ascii_digit) || has(is_sign))
        && text.iter().all(|b| b.is_ascii_graphic() || !b.is_ascii())
        && !value::is_path(&String::from_utf8_lossy(text))
        && !value::is_mask(&String::from_utf8_lossy(text))
}

/// `client * secret *` of `chap-secrets`, the last one left out perhaps.
fn chap(view: &View, line: &Range<usize>) -> Option<Found> {
    let text = std::str::from_utf8(&view.bytes[line.clone()]).ok().filter(|text| text.contains('*'))?;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (client, secret) = match words[..] {
        [client, "*", secret, "*"] => (client, secret),
        [client, "*", secret] if client.starts_with('"') && secret.starts_with('"') => (client, secret),
        _ => return None,
    };
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
