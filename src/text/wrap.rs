//! How wide text is, and where it is broken. Wide characters are never split.
//!
//! Widths are summed by character. Terminals disagree on emoji sequences; the sum is never less than what one
//! draws, so that nothing runs over an edge.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Tab stops, as every terminal has them at start.
const TAB: usize = 8;

/// Columns of one character; 0 for combining marks and controls.
pub fn char_width(c: char) -> usize {
    match c {
        // Terminals draw the halfwidth sound marks in a cell of their own.
        '\u{ff9e}' | '\u{ff9f}' => 1,
        c => c.width().unwrap_or(0),
    }
}

/// Columns of a text without tabs and newlines.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The text cut to `cols` columns; what was cut is told by a `…` at the end.
pub fn truncate(text: &str, cols: usize) -> String {
    if width(text) <= cols {
        return text.to_owned();
    }
    if cols == 0 {
        return String::new();
    }
    let mut out = head(text, cols - 1).to_owned();
    out.push('…');
    out
}

/// The longest start of the text that is not longer than `bytes`, cut between characters
/// (`str::floor_char_boundary` is younger than the oldest supported compiler).
pub fn cut(text: &str, bytes: usize) -> &str {
    let mut at = bytes.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    &text[..at]
}

/// The longest end of the text that is not longer than `bytes`, cut between characters.
pub fn last(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    &text[at..]
}

/// The longest start of the text that fits in `cols`.
fn head(text: &str, cols: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += char_width(c);
        if used > cols {
            return &text[..at];
        }
    }
    text
}

/// The text in lines of at most `cols` columns (at least 2, so that a wide character fits), broken between
/// words where that is possible. Indentation stays, blanks at a break go, tabs become blanks.
pub fn wrap(text: &str, cols: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = expand_tabs(line);
        lines.extend(wrap_ranges(&line, cols).into_iter().map(|r| line[r].to_owned()));
    }
    lines
}

fn expand_tabs(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut col = 0;
    for c in line.chars() {
        if c == '\t' {
            let blanks = TAB - col % TAB;
            out.extend(std::iter::repeat_n(' ', blanks));
            col += blanks;
        } else {
            out.push(c);
            col += char_width(c);
        }
    }
    out
}

/// The pieces of one line (no newline, no tab) as [`wrap`] breaks it; at least one.
pub fn wrap_ranges(line: &str, cols: usize) -> Vec<Range<usize>> {
    let cols = cols.max(2);
    let mut pieces = Vec::new();
    let mut start = 0;
    loop {
        let rest = &line[start..];
        let fits = head(rest, cols).len();
        if fits == rest.len() {
            pieces.push(start..line.len());
            return pieces;
        }
        let end = break_before(rest, fits);
        pieces.push(start..start + rest[..end].trim_end_matches(' ').len());
        let blanks = rest[end..].len() - rest[end..].trim_start_matches(' ').len();
        start += end + blanks;
        if start == line.len() {
            return pieces;
        }
    }
}

/// The pieces of one line (no newline, no tab) that fill so many columns each: at least one. Characters keep their marks,
/// and every blank stays.
pub fn rows(text: &str, cols: usize) -> Vec<Range<usize>> {
    let cols = cols.max(2);
    if text.len() <= cols {
        return std::iter::once(0..text.len()).collect();
    }
    let (mut rows, mut start, mut used) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        let cells = char_width(c);
        if used + cells > cols {
            rows.push(start..at);
            (start, used) = (at, 0);
        }
        used += cells;
    }
    rows.push(start..text.len());
    rows
}

/// Where to break a line of which `fits` bytes fit: after the last blank that has a word before it, else in
/// the middle of the word. Never at 0.
fn break_before(rest: &str, fits: usize) -> usize {
    if rest[fits..].starts_with(' ') {
        return fits;
    }
    let indent = rest.len() - rest.trim_start_matches(' ').len();
    match rest[..fits].rfind(' ') {
        Some(at) if at >= indent => at + 1,
        _ => fits.max(rest.chars().next().map_or(1, char::len_utf8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_columns_not_bytes() {
        assert_eq!(width("größe"), 5);
        assert_eq!(width("漢字"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("ｶﾞ"), 2);
    }

    #[test]
    fn truncation_never_exceeds_and_never_splits_a_wide_character() {
        assert_eq!(truncate("short", 5), "short");
        assert_eq!(truncate("longer", 5), "long…");
        assert_eq!(truncate("漢字漢", 4), "漢…");
        assert_eq!(truncate("漢字", 1), "…");
        assert_eq!(truncate("x", 0), "");
        assert_eq!(cut("aé", 2), "a");
    }

    #[test]
    fn a_line_is_cut_by_cells_and_no_character_is_split() {
        assert_eq!(rows("", 10), vec![0..0; 1]);
        assert_eq!(rows("abcdef", 4), [0..4, 4..6]);
        assert_eq!(rows("ab漢字", 3), [0..2, 2..5, 5..8]);
        assert_eq!(rows("abe\u{301}f", 3), [0..5, 5..6]);
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("the disk is nearly full", 11), ["the disk is", "nearly full"]);
        assert_eq!(wrap("the disk is nearly full", 12), ["the disk is", "nearly full"]);
        assert_eq!(wrap("a\n\nb", 10), ["a", "", "b"]);
        assert_eq!(wrap("", 10), [""]);
    }

    #[test]
    fn indentation_stays_and_long_words_are_cut() {
        assert_eq!(wrap("  - one two", 7), ["  - one", "two"]);
        assert_eq!(wrap("/var/log/syslog", 6), ["/var/l", "og/sys", "log"]);
        assert_eq!(wrap("      deep", 4), ["", "deep"]);
    }

    #[test]
    fn wide_characters_are_never_split() {
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrap("漢字", 1), ["漢", "字"]);
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!(wrap("a\tb", 20), ["a       b"]);
    }

    #[test]
    fn no_line_is_too_wide_and_no_word_is_lost() {
        let text = "  Größe 漢字漢字漢字: /very/long/path/without/a/blank, e\u{301}nd   of it ";
        let words: String = text.split_whitespace().collect();
        for cols in 2..80 {
            let lines = wrap(text, cols);
            assert!(lines.iter().all(|l| width(l) <= cols), "{cols}: {lines:?}");
            assert_eq!(lines.concat().split_whitespace().collect::<String>(), words);
        }
    }
}
