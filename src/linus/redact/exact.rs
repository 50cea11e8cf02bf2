//! Found secrets and lines of keys that are looked for everywhere, byte by byte. Never judges what is one.
//!
//! A text that is full of secrets adds hundreds of them, each time, so nothing is built here: each is found by its first
//! bytes, and a filter of a bit for each hash of four of them passes over most of a text.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::Class;
use super::block::KEY;
use super::budget::Exhausted;
use super::view::View;

/// How many there are; the oldest are forgotten.
const LIMIT: usize = 512;
/// Longer ones are not looked for: what is so long is found by its form.
const LONGEST: usize = 512;
/// The bytes that tell most of them apart; none is shorter.
pub(super) const START: usize = 8;
/// Bits of the filter: one in a hundred hashes is taken by chance.
const FILTER: usize = 64 * 1024;
/// Steps for a byte of a text, and for a value that begins like it.
const BYTE_COST: usize = 2;
const VALUE_COST: usize = 16;

/// Which secret an exact match is, or a line of which key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    Secret(Class),
    KeyLine,
}

impl Of {
    pub(super) fn class(self) -> Class {
        match self {
            Self::Secret(class) => class,
            Self::KeyLine => KEY,
        }
    }
}

/// Not printed: `Debug` is not derived.
#[derive(Default)]
pub(super) struct Exact {
    values: VecDeque<(Arc<[u8]>, Of)>,
    /// How many were forgotten: values are numbered from the first one that there was.
    forgotten: usize,
    by_start: HashMap<[u8; START], Vec<usize>>,
    filter: Vec<u64>,
}

impl Exact {
    /// Looks for this from now on.
    pub(super) fn add(&mut self, value: &Arc<[u8]>, of: Of) {
        let Some(start) = value.first_chunk().filter(|_| value.len() <= LONGEST) else { return };
        let (values, forgotten) = (&self.values, self.forgotten);
        let same = self.by_start.entry(*start).or_default();
        if same.iter().any(|number| values.get(*number - forgotten).is_some_and(|(known, _)| known == value))
        {
            return;
        }
        same.push(self.forgotten + self.values.len());
        self.values.push_back((Arc::clone(value), of));
        self.filter.resize(FILTER / 64, 0);
        set(&mut self.filter, start);
        if self.values.len() > LIMIT {
            self.forget();
        }
    }

    fn forget(&mut self) {
        let Some((value, _)) = self.values.pop_front() else { return };
        if let Some(start) = value.first_chunk::<START>()
            && let Some(same) = self.by_start.get_mut(start)
        {
            same.retain(|number| *number != self.forgotten);
            if same.is_empty() {
                self.by_start.remove(start);
            }
        }
        self.forgotten += 1;
        // Bits are shared, so none can be taken back alone.
        if self.forgotten.is_multiple_of(LIMIT) {
            self.filter.fill(0);
            self.by_start.keys().for_each(|start| set(&mut self.filter, start));
        }
    }

    /// All matches from the left, the longest at each place.
    pub(super) fn find(&self, view: &View) -> Result<Vec<(Range<usize>, Of)>, Exhausted> {
        let mut found = Vec::new();
        if self.values.is_empty() {
            return Ok(found);
        }
        view.spend(view.len() * BYTE_COST);
        let mut at = 0;
        while let Some(start) = view.bytes[at..].first_chunk::<START>() {
            let same = if has(&self.filter, start) { self.by_start.get(start) } else { None };
            let longest = same.and_then(|same| self.longest(view, at, same));
            view.check()?;
            at += longest.map_or(1, |(length, _)| length);
            found.extend(longest.map(|(length, of)| (at - length..at, of)));
        }
        Ok(found)
    }

    fn longest(&self, view: &View, at: usize, same: &[usize]) -> Option<(usize, Of)> {
        view.spend(same.len() * VALUE_COST);
        let values = same.iter().filter_map(|number| self.values.get(number - self.forgotten));
        let there = values.filter(|(value, _)| view.bytes[at..].starts_with(value));
        there.map(|(value, of)| (value.len(), *of)).max_by_key(|(length, _)| *length)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (&[u8], Class)> {
        self.values.iter().map(|(value, of)| (&**value, of.class()))
    }
}

fn place(start: &[u8; START]) -> usize {
    let [a, b, c, d, ..] = *start;
    // Fibonacci hashing: the upper bits of the product depend on all four bytes.
    (u32::from_le_bytes([a, b, c, d]).wrapping_mul(0x9e37_79b1) >> 16) as usize % FILTER
}

fn set(filter: &mut [u64], start: &[u8; START]) {
    let place = place(start);
    filter[place / 64] |= 1 << (place % 64);
}

fn has(filter: &[u64], start: &[u8; START]) -> bool {
    let place = place(start);
    filter[place / 64] & 1 << (place % 64) != 0
}

#[cfg(test)]
mod tests {
    use super::super::view::views;
    use super::*;

    fn add(exact: &mut Exact, value: &str) {
        exact.add(&value.as_bytes().into(), Of::Secret("password"));
    }

    fn found(exact: &Exact, text: &str) -> Vec<Range<usize>> {
        exact.find(&views(text)[0]).unwrap().into_iter().map(|(range, _)| range).collect()
    }

    #[test]
    fn the_longest_of_those_with_one_beginning_is_found() {
        let mut exact = Exact::default();
        assert!(found(&exact, "s3cret-12").is_empty());
        for value in ["s3cret-12", "s3cret-1234", "short", "s3cret-12"] {
            add(&mut exact, value);
        }
        assert_eq!(exact.values().count(), 2);
        assert_eq!(found(&exact, "a s3cret-12345 s3cret-12 s3cret-1\ns3c\nret-12"), [2..13, 15..24, 33..42]);
    }

    #[test]
    fn the_oldest_are_forgotten_and_nothing_else() {
        let mut exact = Exact::default();
        for number in 0..LIMIT * 3 {
            add(&mut exact, &format!("s3cret-{number:05}"));
        }
        assert!(found(&exact, "s3cret-00000 s3cret-01023").is_empty());
        assert_eq!(found(&exact, "s3cret-01024 s3cret-01535"), [0..12, 13..25]);
        assert_eq!((exact.values().count(), exact.by_start.values().map(Vec::len).sum()), (LIMIT, LIMIT));
    }
}
