//! The words that a text must have for a regular expression to match it.
//!
//! Only leaves out what cannot match: what it does not understand it calls "cannot be told".

use regex_syntax::hir::{Class, Hir, HirKind};

/// A shorter word is in every text.
const MIN: usize = 3;
/// More alternatives than this are no filter any more.
const MAX_SET: usize = 24;

/// One of these is in every match, in lower case; empty where that cannot be told.
pub(super) fn needles(hir: &Hir) -> Vec<String> {
    let mut set = of(hir).unwrap_or_default();
    set.sort();
    set.dedup();
    set
}

/// The set for a part of the pattern, `None` if its match may have none of any words.
fn of(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Concat(parts) => concat(parts),
        HirKind::Alternation(branches) => {
            let sets: Option<Vec<_>> = branches.iter().map(of).collect();
            sets.map(|sets| sets.into_iter().flatten().collect()).filter(|set: &Vec<_>| set.len() <= MAX_SET)
        }
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => of(&repetition.sub),
        HirKind::Literal(_) => text(hir).filter(|text| text.len() >= MIN).map(|text| vec![text]),
        _ => None,
    }
}

/// Of everything that must stand in a row the set that says most: the one whose shortest word is longest.
fn concat(parts: &[Hir]) -> Option<Vec<String>> {
    let mut sets: Vec<Vec<String>> = Vec::new();
    let mut run = String::new();
    for part in parts {
        match text(part) {
            Some(text) => run.push_str(&text),
            // An anchor has no width: the words around it touch.
            None if matches!(part.kind(), HirKind::Look(_)) => {}
            None => {
                sets.push(vec![std::mem::take(&mut run)]);
                if !matches!(part.kind(), HirKind::Literal(_) | HirKind::Class(_)) {
                    sets.extend(of(part));
                }
            }
        }
    }
    sets.push(vec![run]);
    let shortest = |set: &Vec<String>| set.iter().map(String::len).min().unwrap_or(0);
    let best = sets.into_iter().filter(|set| shortest(set) >= MIN);
    // Of equals the smaller set; a long word says little more than one of eight letters.
    best.max_by_key(|set| (shortest(set).min(8), std::cmp::Reverse(set.len())))
}

/// A part that is one text whatever its case. (A long s or a Kelvin sign is no letter of a tool's message.)
fn text(part: &Hir) -> Option<String> {
    match part.kind() {
        HirKind::Literal(literal) => Some(std::str::from_utf8(&literal.0).ok()?.to_lowercase()),
        HirKind::Class(Class::Unicode(class)) => {
            let ascii = class.iter().flat_map(|r| r.start()..=r.end()).take(5).filter(char::is_ascii);
            let mut letters: Vec<char> = ascii.map(|c| c.to_ascii_lowercase()).collect();
            letters.dedup();
            let is_small = class.iter().map(|r| r.len()).sum::<usize>() <= 3;
            match letters[..] {
                [letter] if is_small && letter.is_ascii_lowercase() => Some(letter.into()),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lazy::Lazy;

    #[test]
    fn the_words_that_must_be_there_are_found() {
        for (pattern, wanted) in [
            (r"^(\S+)\s+Killed process (?P<pid>\d+)", vec!["killed process "]),
            (r"(?i)permission denied", vec!["permission denied"]),
            (r"bind\(\).*(in use|denied)", vec!["bind()"]),
            (r"(in use|denied)", vec!["denied", "in use"]),
            (r"^\d+ (\w+)?$", vec![]),
            (r"(foo)?bars?", vec!["bar"]),
            (r"\bdisk\b", vec!["disk"]),
            (r"x|yyyy", vec![]),
        ] {
            assert_eq!(Lazy::parse(pattern).expect(pattern).needles(), wanted, "{pattern}");
        }
    }
}
