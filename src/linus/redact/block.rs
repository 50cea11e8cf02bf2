//! Secrets of several lines: private keys, and the data of Kubernetes' secrets.

use std::ops::Range;

use memchr::memmem;

use super::found::{Found, Rank};
use super::view::View;

/// Lines that are looked at for the end of a key: RSA of 16384 bits has 200.
const KEY_LINES: usize = 400;
/// A manifest of a secret that is looked through.
pub(super) const MANIFEST_LIMIT: usize = 16 * 1024;
/// The dashes of a head, and where its label ends at the latest.
const DASHES: usize = 5;
const LABEL: usize = 120;
/// A line of a key is at least so long, but for the last one.
const KEY_LINE: usize = 16;

/// Steps for a line that may be a key's or a manifest's, and for a byte of it.
const LINE_COST: usize = 60;
const LINE_BYTE_COST: usize = 2;

/// The class of private keys.
pub(super) const KEY: &str = "private-key";

/// The body of the private key that begins at `at`.
pub(super) fn find(view: &View, at: usize) -> Option<Found> {
    let rest = &view.bytes[at..];
    if rest.starts_with(b"PuTTY-User-Key-File-") {
        return putty(view, at);
    }
    let label = label(rest);
    if !is_of_secret(label) {
        return None;
    }
    let head = &rest[..DASHES + label.len()];
    let dashes = rest[head.len()..].iter().take_while(|b| **b == b'-').count();
    let after = rest[head.len() + dashes..].starts_with(b" BLOCK").then_some(0);
    let start = at + head.len() + dashes + after.unwrap_or(0);
    let end = end_of_key(view, start);
    let is_part = view.is_end(end);
    (end > start).then(|| Found::new(start..end, KEY, Rank::Block, is_part))
}

/// What stands between the dashes of a `-----BEGIN …-----` or `-----END …-----`, its first word among it.
fn label(line: &[u8]) -> &[u8] {
    let line = line.get(DASHES..line.len().min(LABEL)).unwrap_or_default();
    &line[..find_bytes(line, b"----").unwrap_or(line.len())]
}

/// Whether a block of this name holds what is to stay secret: a key that is not said to be public.
fn is_of_secret(label: &[u8]) -> bool {
    let label = label.to_ascii_uppercase();
    let has = |word: &[u8]| find_bytes(&label, word).is_some();
    let is_public = has(b"PUBLIC") || has(b"CERTIFICATE") || has(b"PARAM") || has(b"SIGNATURE");
    (has(b"KEY") || has(b"SECRET")) && !is_public
}

/// Where `-----END` stands, or the last line that can be a key's.
fn end_of_key(view: &View, start: usize) -> usize {
    let mut end = start;
    let mut line = view.line(start);
    line.start = start;
    for _ in 0..KEY_LINES {
        let text = &view.bytes[line.clone()];
        view.spend(LINE_COST + text.len() * LINE_BYTE_COST);
        if let Some(at) = find_end(text) {
            return line.start + at;
        }
        if !is_of_key(text) {
            // A key on one line, in JSON: up to its quote.
            let length = text
                .iter()
                .take_while(|b| is_base64(**b) || matches!(b, b'\\' | b' ' | b'-' | b':' | b','))
                .count();
            return if length > KEY_LINE { line.start + length } else { end };
        }
        end = line.end;
        if view.is_end(end) {
            return end;
        }
        line = view.line(end);
    }
    end
}

/// The lines of base64 before the end of a private key at `at`: its head has scrolled away.
pub(super) fn before_end(view: &View, at: usize) -> Option<Found> {
    let is_key = is_of_secret(label(&view.bytes[at..]));
    let first = view.line(at).start;
    let same = view.bytes[first..at].iter().rev().take_while(|b| is_base64(**b) || **b == b'\\').count();
    let mut start = at - same;
    for _ in 0..KEY_LINES {
        if start > first {
            break;
        }
        let Some(before) = start.checked_sub(1).filter(|_| is_key) else { break };
        let line = view.line(before);
        let text = view.bytes[line.clone()].trim_ascii();
        view.spend(LINE_COST + text.len() * LINE_BYTE_COST);
        if text.len() < KEY_LINE && start != first || !text.iter().all(|b| is_base64(*b)) {
            break;
        }
        start = line.start;
    }
    (is_key && start < at).then(|| Found::new(start..at, KEY, Rank::Block, true))
}

/// A line of base64, a header of one, or nothing.
fn is_of_key(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b">").unwrap_or(line).trim_ascii();
    // `cat -n` and `grep -n` number lines.
    let number = line.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_numbered = number > 0 && number < 6 && matches!(line.get(number), Some(b'\t' | b' ' | b':'));
    let line = if is_numbered { line[number + 1..].trim_ascii() } else { line };
    let is_header = line.iter().position(|b| *b == b':').is_some_and(|colon| {
        colon < 24
            && line[..colon].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
            && line.get(colon + 1) == Some(&b' ')
    });
    is_header || line.iter().all(|b| is_base64(*b) || matches!(b, b'\\'))
}

pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn find_bytes(text: &[u8], what: &[u8]) -> Option<usize> {
    memmem::find(text, what)
}

/// Where a key's end stands in a line.
fn find_end(line: &[u8]) -> Option<usize> {
    find_bytes(line, b"-----END").or_else(|| find_bytes(line, b"---- END"))
}

/// What follows `Private-Lines: n`.
fn putty(view: &View, at: usize) -> Option<Found> {
    let area = &view.bytes[at..view.len().min(at + MANIFEST_LIMIT)];
    view.spend(area.len());
    let line = view.line(at + find_bytes(area, b"Private-Lines:")?);
    let start = line.end;
    let mut end = start;
    while end < view.len() && end - start < MANIFEST_LIMIT {
        let line = view.line(end);
        let text = view.bytes[line.clone()].trim_ascii();
        if !text.iter().all(|b| is_base64(*b)) {
            break;
        }
        end = line.end;
    }
    let is_part = view.is_end(end);
    (end > start).then(|| Found::new(start..end, KEY, Rank::Block, is_part))
}

/// Lines at the beginning of a text whose start was cut, if they can be the rest of a private key: they end in its
/// `END`, or have the width that keys have, or it is known that one was open.
pub(super) fn rest_of_key(view: &View, start: usize, was_open: bool) -> Option<Found> {
    /// PEM has 64 columns (RFC 7468), OpenSSH and PGP have 70 and 64.
    const WIDTHS: [usize; 2] = [64, 70];
    let mut end = start;
    let mut widths = Vec::new();
    while end < view.len() && widths.len() < KEY_LINES {
        let line = view.line(end).start.max(end)..view.line(end).end;
        let text = &view.bytes[line.clone()];
        view.spend(LINE_COST + text.len() * LINE_BYTE_COST);
        if let Some(at) = find_end(text) {
            let is_key = is_of_secret(label(&text[at..]));
            let end = line.start + at;
            return (is_key && end > start).then(|| Found::new(start..end, KEY, Rank::Block, true));
        }
        let text = text.trim_ascii();
        if text.is_empty() || !text.iter().all(|b| is_base64(*b)) {
            break;
        }
        widths.push(text.len());
        end = line.end;
    }
    // The first may be the rest of a line, the last is shorter anyway.
    let is_key = widths.iter().skip(1).take(widths.len().saturating_sub(2)).any(|w| WIDTHS.contains(w))
        || matches!(widths[..], [w, ..] if widths.len() < 3 && WIDTHS.contains(&w));
    (end > start && (is_key || was_open)).then(|| Found::new(start..end, KEY, Rank::Block, true))
}

/// Whether `Secret` is the kind that stands at `at`.
pub(super) fn is_secret(view: &View, at: usize) -> bool {
    let word = &view.bytes[at + 4..view.len().min(at + 24)];
    word.iter().position(|b| b.is_ascii_alphabetic()).is_some_and(|p| {
        word[p..].starts_with(b"Secret")
            && !view.in_line(at + p + 10).is_some_and(|b| b.is_ascii_alphanumeric())
            && word[..p].contains(&b':')
    })
}

/// How far manifests were looked through: several of them may stand close together.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// Up to here.
    told: usize,
    /// The indent of the `data:` that was open there.
    data: Option<usize>,
}

impl Manifests {
    /// The values below `data:` and `stringData:` of the Kubernetes secret whose `kind` stands at `at`. `---` is where
    /// another document begins.
    pub(super) fn find(&mut self, view: &View, at: usize) -> Vec<Found> {
        let mut start = at.saturating_sub(MANIFEST_LIMIT / 2);
        let end = view.len().min(at + MANIFEST_LIMIT / 2);
        if start <= self.told {
            start = self.told;
        } else {
            self.data = None;
        }
        let mut found = Vec::new();
        while start < end {
            let line = view.line(start);
            start = line.end.max(start + 1);
            view.spend(LINE_COST + line.len() * LINE_BYTE_COST);
            let text = &view.bytes[line.clone()];
            let words = text.trim_ascii();
            if words == b"---" {
                self.data = None;
                if line.start > at {
                    break;
                }
                found.clear();
                continue;
            }
            let indent = text.iter().take_while(|b| **b == b' ').count();
            if self.data.is_some_and(|data| indent > data) {
                found.extend(pair_value(view, line));
                continue;
            }
            let is_data =
                [&b"data:"[..], b"stringData:", b"\"data\": {", b"\"stringData\": {"].contains(&words);
            self.data = is_data.then_some(indent);
        }
        self.told = start;
        found
    }
}

/// Where what is indented below the name at `at` ends.
pub(super) fn end_of_entry(view: &View, at: usize) -> usize {
    let line = view.line(at);
    let mut end = line.end;
    while end < view.len() && end - line.end < MANIFEST_LIMIT {
        let next = view.line(end);
        let indent = view.bytes[next.clone()].iter().take_while(|b| **b == b' ').count();
        view.spend(LINE_COST);
        if indent <= at - line.start {
            break;
        }
        end = next.end;
    }
    end
}

/// What stands behind `name: `.
fn pair_value(view: &View, line: Range<usize>) -> Option<Found> {
    let text = &view.bytes[line.clone()];
    let colon = text.iter().position(|b| *b == b':')?;
    let is_blank = |b: &u8| matches!(b, b' ' | b'"' | b'\'' | b',');
    let skip = text[colon + 1..].iter().take_while(|b| is_blank(b)).count();
    let start = line.start + colon + 1 + skip;
    let trail = view.bytes[start..line.end].iter().rev().take_while(|b| is_blank(b)).count();
    let value = start..line.end - trail;
    let is_block = matches!(&view.bytes[value.clone()], b"|" | b">" | b"|-" | b">-" | b"null" | b"{" | b"{}");
    (value.len() > 2 && !is_block).then(|| Found::new(value, "secret", Rank::Name, false))
}
