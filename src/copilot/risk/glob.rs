//! Whether a word may turn out to be what a pattern names.
//!
//! Patterns have `*` (anything) and `?`. Words have marks for what is not known of them; a mark and a pattern's
//! star can meet in both directions, so this asks whether any text fits both.

use super::shell::{ANY, STAR, UNKNOWN, is_literal};
use crate::text::wildcard;

/// Longer words are cut: a path has 4096 bytes at most, and what is asked for stands at the ends of short ones.
const WORD_LIMIT: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Char(char),
    One,
    /// Any number of characters but the slash: a shell's `*`.
    Name,
    Many,
}

fn of_pattern(c: char) -> Sign {
    match c {
        '*' => Sign::Many,
        '?' => Sign::One,
        c => Sign::Char(c),
    }
}

fn of_word(c: char) -> Sign {
    match c {
        UNKNOWN => Sign::Many,
        STAR => Sign::Name,
        ANY => Sign::One,
        c => Sign::Char(c),
    }
}

/// Whether the literal text matches. `?` is a byte here, which only a name with letters beyond ASCII could tell.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    ends_agree(pattern, text) && wildcard::fits(pattern.as_bytes(), text.as_bytes())
}

/// Whether the word, with what is not known of it, may match.
pub(super) fn may_match(pattern: &str, word: &str) -> bool {
    if is_literal(word) {
        return matches(pattern, word);
    }
    ends_agree(pattern, word)
        && (pattern.starts_with('/') || has_in_common(pattern, word))
        && intersect(pattern, word)
}

/// A star in a word fits any name, so that `*.log` could be `id_rsa.log`: for names that may stand anywhere, a piece
/// of the name or its folder has to be there in letters.
fn has_in_common(pattern: &str, word: &str) -> bool {
    const PIECE: usize = 3;
    if !word.contains(char::is_alphanumeric) {
        return true;
    }
    pattern.split(['*', '?']).any(|run| match run.rsplit_once('/') {
        Some((folder, _)) if folder.contains(char::is_alphanumeric) => word.contains(folder),
        _ => {
            let name = run.trim_start_matches('/');
            let begins = |p: &str| word.starts_with(p) || word.contains(&format!("/{p}"));
            name.get(..PIECE).is_some_and(begins) || name.len() >= PIECE && word.ends_with(name)
        }
    })
}

/// The cheap part: first and last characters that cannot be made equal.
fn ends_agree(pattern: &str, word: &str) -> bool {
    let agree = |a: Option<char>, b: Option<char>| match (a.map(of_pattern), b.map(of_word)) {
        (Some(Sign::Char(a)), Some(Sign::Char(b))) => a == b,
        _ => true,
    };
    agree(pattern.chars().next(), word.chars().next())
        && agree(pattern.chars().next_back(), word.chars().next_back())
}

fn intersect(pattern: &str, word: &str) -> bool {
    let pattern: Vec<Sign> = pattern.chars().map(of_pattern).collect();
    // Row by row over the word: which places of the pattern can have been reached.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_stars(&pattern, &mut reached);
    for sign in word.chars().take(WORD_LIMIT).map(of_word) {
        reached = step(&pattern, &reached, sign);
        if !reached.contains(&true) {
            return false;
        }
    }
    reached.last().copied().unwrap_or_default()
}

fn step(pattern: &[Sign], reached: &[bool], sign: Sign) -> Vec<bool> {
    let mut next = vec![false; reached.len()];
    for (at, _) in reached.iter().enumerate().filter(|(_, r)| **r) {
        if let Sign::Name | Sign::Many = sign {
            // Nothing, or as many of the pattern's signs as it can stand for.
            let fits = |p: &&Sign| sign == Sign::Many || **p != Sign::Char('/');
            let run = pattern[at..].iter().take_while(fits).count();
            next[at..=at + run].fill(true);
            continue;
        }
        match (pattern.get(at), sign) {
            (Some(Sign::Many | Sign::Name), _) => next[at] = true,
            (Some(Sign::One), _) | (Some(Sign::Char(_)), Sign::One) => next[at + 1] = true,
            (Some(Sign::Char(a)), Sign::Char(b)) if *a == b => next[at + 1] = true,
            _ => {}
        }
    }
    skip_stars(pattern, &mut next);
    next
}

fn skip_stars(pattern: &[Sign], reached: &mut [bool]) {
    for (at, sign) in pattern.iter().enumerate() {
        if reached[at] && *sign == Sign::Many {
            reached[at + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_words_match_as_globs_do() {
        assert!(
            matches("/etc/*", "/etc/fstab") && matches("*.key", "/etc/ssl/a.key") && matches("a?c", "abc")
        );
        assert!(!matches("/etc/*", "/usr/etc/x") && !matches("*.key", "keys") && !matches("abc", "ab"));
    }

    #[test]
    fn what_is_not_known_may_be_anything_that_fits() {
        for word in ["/etc/sh\x02dow", "/etc/s\x01", "/etc/\x01", "/etc/\0", "\0/shadow", "/\x01/shadow"] {
            assert!(may_match("/etc/shadow", word), "{word:?}");
        }
        for word in ["/var/log/\x01", "/etc/\x01.conf", "/\x01", "/etc/\x02"] {
            assert!(!may_match("/etc/shadow", word), "{word:?}");
        }
        assert!(may_match("*/.ssh/id_*", "~/.ssh/\x01"));
        assert!(!may_match("*/.ssh/id_*", "/var/\x01/x.log"));
    }
}
