//! glob(3) as ssh's `Include` uses it: `*`, `?`, `[…]` and `\`, no braces. Directories come from a closure, so
//! that this file reads none. Bounded: too much to look at is an answer of its own.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// More files than this in one Include is no configuration that was written by hand.
pub(crate) const MAX_MATCHES: usize = 1024;

/// Paths that fit an absolute pattern, sorted as ssh reads them; `None` where there are too many to look at.
/// A pattern without wildcards gives its one path, there or not.
pub(crate) fn expand(pattern: &[u8], list: &dyn Fn(&Path) -> Option<Vec<OsString>>) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.split(|&b| b == b'/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for base in &found {
            if !part.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'\\')) {
                next.push(base.join(OsStr::from_bytes(part)));
                continue;
            }
            let mut names = list(base)?;
            names.sort();
            next.extend(
                names.iter().filter(|name| matches(part, name.as_bytes())).map(|name| base.join(name)),
            );
            if next.len() > MAX_MATCHES {
                return None;
            }
        }
        found = next;
    }
    Some(found)
}

/// Does one file name fit? A leading dot must be written out.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut p, mut n) = (0, 0);
    // Where to go on when a '*' must take one byte more; only the last one matters.
    let mut retry = None;
    loop {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            retry = Some((p, n));
            continue;
        }
        let step = match name.get(n) {
            None if p == pattern.len() => return true,
            None => None,
            Some(&byte) => one(&pattern[p..], byte),
        };
        match (step, retry) {
            (Some(used), _) => {
                p += used;
                n += 1;
            }
            (None, Some((back, from))) if from < name.len() => {
                p = back;
                n = from + 1;
                retry = Some((back, n));
            }
            _ => return false,
        }
    }
}

/// The length of the pattern's first element if it fits this byte.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match *pattern {
        [] => None,
        [b'?', ..] => Some(1),
        [b'\\', escaped, ..] => (escaped == byte).then_some(2),
        [b'[', ref set @ ..] => match bracket(set, byte) {
            Some((fits, used)) => fits.then_some(used + 1),
            // Without its end it is an ordinary character.
            None => (byte == b'[').then_some(1),
        },
        [literal, ..] => (literal == byte).then_some(1),
    }
}

/// Whether the byte is in the set, and the length of the set with its `]`.
fn bracket(set: &[u8], byte: u8) -> Option<(bool, usize)> {
    let negated = matches!(set.first(), Some(b'!' | b'^'));
    let start = usize::from(negated);
    let mut at = start;
    let mut fits = false;
    loop {
        let low = *set.get(at)?;
        if low == b']' && at > start {
            return Some((fits != negated, at + 1));
        }
        match (set.get(at + 1), set.get(at + 2)) {
            (Some(b'-'), Some(&high)) if high != b']' => {
                fits |= (low..=high).contains(&byte);
                at += 3;
            }
            _ => {
                fits |= low == byte;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_as_in_glob() {
        let cases = [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("*.conf", "a.conf", true),
            ("*.conf", "a.conf.bak", false),
            ("a*b*c", "axxbyybzc", true),
            ("a*b*c", "axxbyyb", false),
            ("?", "", false),
            ("??", "ab", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]a]", "]", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("**", "abc", true),
            ("", "", true),
        ];
        for (pattern, name, want) in cases {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), want, "{pattern} {name}");
        }
    }

    #[test]
    fn stars_do_not_take_exponential_time() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!matches(pattern.as_bytes(), "a".repeat(2000).as_bytes()));
    }

    #[test]
    fn wildcards_may_stand_in_any_part_of_the_path() {
        let list = |dir: &Path| match dir.to_str().unwrap() {
            "/etc" => Some(vec!["b".into(), "a".into(), ".hidden".into()]),
            "/etc/a" => Some(vec!["2.conf".into(), "1.conf".into(), "no".into()]),
            "/huge" => None,
            _ => Some(Vec::new()),
        };
        let got = expand(b"/etc/*/*.conf", &list).unwrap();
        assert_eq!(got, [PathBuf::from("/etc/a/1.conf"), PathBuf::from("/etc/a/2.conf")]);
        assert_eq!(expand(b"/huge/*", &list), None);
        assert_eq!(expand(b"/no/file", &list).unwrap(), [PathBuf::from("/no/file")]);
    }

    #[test]
    fn a_flood_of_names_is_not_expanded() {
        let list = |_: &Path| Some((0..=MAX_MATCHES).map(|n| OsString::from(n.to_string())).collect());
        assert_eq!(expand(b"/*", &list), None);
    }
}
