//! What was found in a view, and what it is called where two rules found it.

use std::ops::Range;

use super::Class;

/// Which rule has the say where two meet: the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Shape,
    Name,
    Url,
    Token,
    Block,
    Known,
}

/// A secret in a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) class: Class,
    rank: Rank,
    /// Not all of it is in the text.
    pub(super) is_part: bool,
}

impl Found {
    pub(super) fn new(range: Range<usize>, class: Class, rank: Rank, is_part: bool) -> Self {
        Self { range, class, rank, is_part }
    }
}

/// Without overlaps: what meets becomes one, named by the rule that has the say.
pub(super) fn settled(mut found: Vec<Found>) -> Vec<Found> {
    found.retain(|f| !f.range.is_empty());
    found.sort_by_key(|f| (f.range.start, std::cmp::Reverse(f.range.end)));
    let mut settled: Vec<Found> = Vec::new();
    for new in found {
        match settled.last_mut().filter(|last| last.range.end > new.range.start) {
            None => settled.push(new),
            Some(last) => {
                let end = last.range.end.max(new.range.end);
                if new.rank > last.rank {
                    (last.class, last.rank, last.is_part) = (new.class, new.rank, new.is_part);
                }
                last.range.end = end;
            }
        }
    }
    settled
}
