//! HTTP: `Authorization:`, bearer tokens, cookies.

use std::ops::Range;

use super::assign::{peek, skip_blanks};
use super::found::{Found, Rank};
use super::pattern::{Set, is_in_word};
use super::value;
use super::view::View;

/// What a token of a header consists of (RFC 9110 token68, and what is used besides).
const TOKEN: Set =
    Set::of(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~+/=:|%!#$&*,@");
/// Shorter ones are words: `Bearer token`.
const SHORTEST: usize = 8;
/// A header is looked at for so long.
const LIMIT: usize = 4096;
/// Steps for a token, for a cookie, and for a byte of either.
const COST: usize = 100;
const COOKIE_COST: usize = 30;
const BYTE_COST: usize = 8;
/// Attributes of cookies, and values of theirs.
const ATTRIBUTES: [&str; 8] =
    ["path", "domain", "expires", "max-age", "samesite", "version", "priority", "comment"];

/// Secrets of the header whose name, or whose `Bearer `, stands here. Cookies were looked for up to `told`: a line that
/// names them again and again is read once.
pub(super) fn find(view: &View, anchor: Range<usize>, told: &mut usize) -> Vec<Found> {
    if is_in_word(view, anchor.start) {
        return Vec::new();
    }
    // Told apart by their first letter, in either case.
    match view.bytes[anchor.start] | 0x20 {
        b'b' => token(view, skip_blanks(view, anchor.end), false).into_iter().collect(),
        b'a' => authorization(view, anchor.end).into_iter().collect(),
        _ if anchor.start < *told => Vec::new(),
        _ => cookies(view, anchor.end, told),
    }
}

/// What follows the scheme, or the whole value where there is none.
fn authorization(view: &View, end: usize) -> Option<Found> {
    let sign = skip_blanks(
        view,
        (end..end + 3).find(|i| !matches!(peek(view, *i), Some(b'"' | b'\'' | b'\\' | b']'))).unwrap_or(end),
    );
    if !matches!(peek(view, sign), Some(b':' | b'=')) {
        return None;
    }
    let mut at = skip_blanks(view, sign + 1);
    at = (at..at + 3).find(|i| !matches!(peek(view, *i), Some(b'"' | b'\'' | b'\\' | b'>'))).unwrap_or(at);
    at = skip_blanks(view, at);
    let word = (at..at + 24)
        .take_while(|i| peek(view, *i).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'-'))
        .count();
    let scheme = String::from_utf8_lossy(&view.bytes[at..at + word]).to_ascii_lowercase();
    let is_scheme = [
        "basic",
        "bearer",
        "token",
        "digest",
        "negotiate",
        "ntlm",
        "apikey",
        "key",
        "aws4-hmac-sha256",
        "bot",
        "genie-key",
        "sso-key",
        "jwt",
    ]
    .contains(&scheme.as_str());
    if is_scheme && peek(view, at + word) == Some(b' ') {
        if scheme == "aws4-hmac-sha256" || scheme == "digest" {
            return signature(view, at + word);
        }
        return token(view, skip_blanks(view, at + word), true);
    }
    token(view, at, false)
        .filter(|f| value::is_random(&String::from_utf8_lossy(&view.bytes[f.range.clone()])))
}

/// `Signature=…` and `response="…"`.
fn signature(view: &View, at: usize) -> Option<Found> {
    let line = &view.bytes[at..view.line(at).end.min(at + LIMIT)];
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let (sign, word) = ["signature=", "response=\""].iter().find_map(|w| Some((text.find(w)?, w)))?;
    token(view, at + sign + word.len(), true)
}

fn token(view: &View, start: usize, is_sure: bool) -> Option<Found> {
    let mut end = start;
    for byte in view.piece(start, LIMIT) {
        let ends = view.is_break(end) && !super::pattern::goes_on(view, end, TOKEN);
        if !TOKEN.has(*byte) || ends {
            break;
        }
        end += 1;
    }
    view.spend(COST + (end - start) * BYTE_COST);
    while end > start && matches!(view.bytes[end - 1], b',' | b'.' | b':') {
        end -= 1;
    }
    let text = String::from_utf8_lossy(&view.bytes[start..end]);
    let is_cut = view.is_open_end(end) && end > start;
    let is_variable = text.starts_with('$') || value::is_mask(&text) || value::is_dummy(&text);
    let is_token = is_sure && text.len() >= 4
        || text.len() >= SHORTEST
            && (value::is_random(&text) || text.len() >= 20 && text.bytes().any(|b| b.is_ascii_digit()));
    (!is_variable && (is_cut || is_token))
        .then(|| Found::new(start..end, "token", Rank::Token, is_cut && !is_token))
}

/// The values of all cookies that look like tokens.
fn cookies(view: &View, start: usize, told: &mut usize) -> Vec<Found> {
    let end = view.line(start.saturating_sub(1)).end.min(start + LIMIT);
    *told = end;
    let mut found = Vec::new();
    let mut at = start;
    for pair in view.bytes[start.min(end)..end].split(|b| *b == b';') {
        view.spend(COOKIE_COST + pair.len());
        if let Some(sign) = pair.iter().position(|b| *b == b'=') {
            let is_trail = |b: &&u8| matches!(b, b'"' | b'\'' | b' ' | b')');
            let trail = pair[sign + 1..].iter().rev().take_while(is_trail).count();
            let value = at + sign + 1..at + pair.len() - trail;
            if is_session(view, &pair[..sign], &view.bytes[value.clone()]) {
                found.push(Found::new(value, "cookie", Rank::Token, false));
            }
        }
        at += pair.len() + 1;
    }
    found
}

/// Whether a cookie is one that lets in whoever has it.
fn is_session(view: &View, name: &[u8], value: &[u8]) -> bool {
    const NAMES: [&str; 6] = ["sess", "sid", "auth", "token", "jwt", "login"];
    if value.len() < SHORTEST {
        return false;
    }
    view.spend((name.len() + value.len()) * BYTE_COST);
    let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
    let name = name.trim().to_ascii_lowercase();
    let is_secret = value::is_random(&value) || NAMES.iter().any(|part| name.contains(part));
    is_secret && !ATTRIBUTES.contains(&name.as_str()) && !value::is_mask(&value)
}
