//! Addresses with a password: `scheme://user:password@host`.

use memchr::{memchr, memchr3, memrchr};

use super::found::{Found, Rank};
use super::value;
use super::view::View;

/// User and password of an address are not longer.
const LIMIT: usize = 512;
/// A user alone is a token if it is so long (Sentry's keys have 32 digits).
const TOKEN: usize = 20;
/// Steps that it takes to see that there is no `@`.
const COST: usize = 40;

/// The password of the address whose `://` stands at `at`.
pub(super) fn find(view: &View, at: usize) -> Option<Found> {
    let before = view.before(at)?;
    if !before.is_ascii_alphanumeric() {
        return None;
    }
    let start = at + 3;
    let piece = view.piece(start, LIMIT);
    let sign = memchr(b'@', piece);
    view.spend(COST);
    // Without one, only an address that the text ends in may have a password.
    if sign.is_none() && start + piece.len() < view.len() {
        return None;
    }
    let end = start + piece.iter().position(|b| !is_of_url(*b)).unwrap_or(piece.len());
    view.spend(end - start);
    let text = &view.bytes[start..end];
    let colon = memchr(b':', text).map(|i| start + i);
    let slash = memchr3(b'/', b'?', b'#', text).map(|i| start + i);
    // The last `@` before the path; or the first one behind, since passwords hold slashes too, unescaped.
    let path = slash.map_or(text.len(), |slash| slash - start);
    let sign = memrchr(b'@', &text[..path]).or(sign.filter(|sign| *sign < text.len()));
    let sign = sign.map(|i| start + i);
    match (colon, sign) {
        (Some(colon), Some(sign)) if colon < sign => {
            if slash.is_some_and(|slash| slash < colon) || is_port(view, colon, slash) {
                return None;
            }
            let password = colon + 1..sign;
            let text = String::from_utf8_lossy(&view.bytes[password.clone()]).into_owned();
            (!is_placeholder(&text)).then(|| Found::new(password, "password", Rank::Url, false))
        }
        (_, Some(sign)) if slash.is_none_or(|slash| sign < slash) => {
            let user = start..sign;
            let text = String::from_utf8_lossy(&view.bytes[user.clone()]).into_owned();
            (text.len() >= TOKEN && value::is_random(&text))
                .then(|| Found::new(user, "token", Rank::Url, false))
        }
        (Some(colon), None) if view.is_open_end(end) && slash.is_none_or(|slash| slash > colon) => {
            let text = &view.bytes[colon + 1..end];
            let is_port = slash.is_some() || text.iter().all(u8::is_ascii_digit) && text.len() < 6;
            (!is_port && !text.is_empty()).then(|| Found::new(colon + 1..end, "password", Rank::Url, true))
        }
        _ => None,
    }
}

/// The password of Go's `user:password@tcp(host)/name`, whose `@` stands at `at`.
pub(super) fn dsn(view: &View, at: usize) -> Option<Found> {
    let from = view.line(at).start.max(at.saturating_sub(LIMIT));
    let before = &view.bytes[from..at];
    view.spend(before.len());
    let start = from + before.iter().rposition(|b| !is_of_url(*b)).map_or(0, |i| i + 1);
    let colon = start + view.bytes[start..at].iter().position(|b| *b == b':')?;
    let text = String::from_utf8_lossy(&view.bytes[colon + 1..at]).into_owned();
    (!is_placeholder(&text)).then(|| Found::new(colon + 1..at, "password", Rank::Url, false))
}

fn is_of_url(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'|')
}

/// `host:8080/path@x` has a port and no password.
fn is_port(view: &View, colon: usize, slash: Option<usize>) -> bool {
    let Some(slash) = slash.filter(|slash| *slash > colon) else { return false };
    let port = &view.bytes[colon + 1..slash];
    port.len() < 6 && port.iter().all(u8::is_ascii_digit)
}

/// A place for a password, in documentation.
fn is_placeholder(text: &str) -> bool {
    let is_slot = text.starts_with(['<', '$', '{', '‹']) || text.starts_with("%(") || text.starts_with("%s");
    text.is_empty()
        || is_slot
        || value::is_mask(text)
        || matches!(text, "password" | "pass" | "passwd" | "PASSWORD" | "PASS" | "pwd" | "secret")
}
