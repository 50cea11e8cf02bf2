//! Searching the lines that are kept: text as it is typed, without upper case in any case. Pure.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::place::{Place, after};
use crate::terminal::Kept;

/// What is searched for, and in which direction.
#[derive(Debug, Clone)]
pub(super) struct Search {
    pattern: Regex,
    text: String,
    pub(super) is_upward: bool,
}

/// Where it was found, and whether that was beyond the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) wrapped: bool,
}

impl Search {
    /// `None` for a text that is too long to be searched for.
    pub(super) fn new(text: &str, is_upward: bool) -> Option<Self> {
        let any_case = !text.chars().any(char::is_uppercase);
        let pattern = RegexBuilder::new(&regex::escape(text)).case_insensitive(any_case).build().ok()?;
        Some(Self { pattern, text: text.to_owned(), is_upward })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where it stands in a line.
    pub(super) fn within(&self, line: &str) -> Vec<Range<usize>> {
        self.pattern.find_iter(line).map(|found| found.range()).filter(|range| !range.is_empty()).collect()
    }

    /// The next one from here, in this direction.
    pub(super) fn next(&self, kept: &Kept, from: Place, is_upward: bool) -> Option<Found> {
        if is_upward { self.above(kept, from) } else { self.below(kept, from) }
    }

    fn below(&self, kept: &Kept, from: Place) -> Option<Found> {
        let here = kept.plain(from.line);
        let start = after(&here, from.at);
        let rest = here.get(start..).and_then(|_| self.pattern.find_at(&here, start));
        if let Some(found) = rest {
            return Some(Found { place: Place { at: found.start(), ..from }, wrapped: false });
        }
        let lines = (from.line + 1..kept.len()).chain(0..=from.line);
        lines.into_iter().find_map(|line| {
            let found = self.pattern.find(&kept.plain(line))?.start();
            Some(Found { place: Place { line, at: found }, wrapped: line <= from.line })
        })
    }

    fn above(&self, kept: &Kept, from: Place) -> Option<Found> {
        let here = self.within(&kept.plain(from.line));
        if let Some(found) = here.iter().rev().find(|range| range.start < from.at) {
            return Some(Found { place: Place { at: found.start, ..from }, wrapped: false });
        }
        let lines = (0..from.line).rev().chain((from.line..kept.len()).rev());
        lines.into_iter().find_map(|line| {
            let found = self.within(&kept.plain(line)).pop()?;
            Some(Found { place: Place { line, at: found.start }, wrapped: line >= from.line })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::{Emulator, Size};

    fn kept(lines: &str) -> Kept {
        let mut emulator = Emulator::new(Size::new(40, 4));
        emulator.feed(lines.replace('\n', "\r\n").as_bytes());
        emulator.kept()
    }

    #[test]
    fn it_goes_on_from_where_it_is_and_round_the_end() {
        let kept = kept("error one\nfine\nno error, an ERROR\nlast\n$ ");
        let search = Search::new("error", false).unwrap();
        let mut at = Place::default();
        let mut seen = Vec::new();
        for _ in 0..3 {
            let found = search.next(&kept, at, false).unwrap();
            seen.push((found.place.line, found.place.at, found.wrapped));
            at = found.place;
        }
        assert_eq!(seen, [(2, 3, false), (2, 13, false), (0, 0, true)]);
        let up = search.next(&kept, at, true).unwrap();
        assert_eq!((up.place.line, up.place.at, up.wrapped), (2, 13, true));
        let up = search.next(&kept, up.place, true).unwrap();
        assert_eq!((up.place.line, up.place.at, up.wrapped), (2, 3, false));
    }

    #[test]
    fn upper_case_is_meant_and_signs_are_text() {
        let kept = kept("a.c ERROR abc error\n$ ");
        let one = Search::new("ERROR", false).unwrap();
        assert_eq!(one.within(&kept.plain(0)), vec![4..9; 1]);
        assert_eq!(Search::new("a.c", false).unwrap().within(&kept.plain(0)), vec![0..3; 1]);
        assert!(Search::new("nowhere", false).unwrap().next(&kept, Place::default(), false).is_none());
    }
}
