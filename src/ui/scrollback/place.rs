//! Where something stands among the lines that are kept, and how lines are cut into rows. Pure.

use std::ops::Range;

use crate::terminal::Kept;
use crate::text::{char_width, rows, width};

/// A place in a line: before the character that begins at this byte of its plain text, or behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) at: usize,
}

/// A row of the view: a line, and which of its rows.
pub(super) type Row = (usize, usize);

/// The end of the character at `at`, its marks included.
pub(super) fn after(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let next = rest.char_indices().skip(1).find(|(_, c)| char_width(*c) > 0);
    at + next.map_or(rest.len(), |(length, _)| length)
}

/// The begin of the character before `at`.
pub(super) fn before(text: &str, at: usize) -> usize {
    let start = text.get(..at).unwrap_or_default();
    start.char_indices().rev().find(|(_, c)| char_width(*c) > 0).map_or(0, |(at, _)| at)
}

/// The place in a row that is nearest to a column.
pub(super) fn at_column(text: &str, row: Range<usize>, column: usize) -> usize {
    let (mut used, end) = (0, row.end);
    let is_last = end == text.len();
    for (at, c) in text[row.clone()].char_indices() {
        used += char_width(c);
        if used > column {
            return row.start + at;
        }
    }
    // Behind the last character only where the line ends.
    if is_last { end } else { before(text, end).max(row.start) }
}

/// Which row of the line a place is in, and its column there.
pub(super) fn cell(text: &str, cols: usize, at: usize) -> (usize, usize) {
    let rows = rows(text, cols);
    let row = rows.iter().rposition(|row| row.start <= at).unwrap_or(0);
    let start = rows.get(row).map_or(0, |row| row.start);
    (row, width(text.get(start..at).unwrap_or_default()))
}

/// The byte that stands so many cells from the begin of the line.
pub(super) fn at_cell(text: &str, cells: usize) -> usize {
    at_column(text, 0..text.len(), cells)
}

/// The row that is `by` rows further down, or up; the first or the last if there are not so many.
pub(super) fn step(kept: &Kept, cols: usize, from: Row, by: isize) -> Row {
    let count = |line: usize| rows(&kept.plain(line), cols).len();
    let (mut line, mut row) = from;
    let mut left = by.unsigned_abs();
    if by < 0 {
        while left > row {
            let Some(above) = line.checked_sub(1) else { return (0, 0) };
            left -= row + 1;
            line = above;
            row = count(line) - 1;
        }
        return (line, row - left);
    }
    loop {
        let rows = count(line);
        if row + left < rows {
            return (line, row + left);
        }
        if line + 1 >= kept.len() {
            return (line, rows - 1);
        }
        left -= rows - row;
        (line, row) = (line + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_a_row_is_a_place_and_back() {
        let text = "ab漢字cd";
        for (column, at) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 5)] {
            assert_eq!(at_column(text, 0..text.len(), column), at, "{column}");
        }
        assert_eq!(at_column(text, 0..5, 9), 2, "a row that wraps ends on its last character");
        assert_eq!(at_column(text, 0..text.len(), 99), text.len());
        assert_eq!(cell("abcdef", 4, 5), (1, 1));
        assert_eq!((after("e\u{301}x", 0), before("xe\u{301}", 4)), (3, 1));
    }
}
