//! Terminal text as plain lines, and hostile text made printable.
//!
//! Owns the removal of escape sequences before anything is read from output. It never decides what text means.

use std::fmt::Write;

/// Longest line that is kept: rows of tables are far shorter, and a longer one costs only time.
const MAX_LINE: usize = 4096;

/// Text with escape sequences removed and lines overwritten by carriage returns reduced to what was left
/// standing. Control characters other than tab become U+FFFD, so that a name with one is never taken as exact.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => {
                out.push('\n');
                start = out.len();
            }
            '\r' => {
                // CR LF is a line end; a lone CR is a progress line that the next text replaces.
                if chars.peek().is_some_and(|&n| n != '\n' && n != '\r') {
                    out.truncate(start);
                }
            }
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            _ if out.len() - start >= MAX_LINE => {}
            '\t' => out.push('\t'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.next() {
        Some('[') => skip_csi(chars),
        // OSC, DCS, SOS, PM, APC: up to BEL or ST. A line end inside one means that it never ended.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(&c) = chars.peek() {
                if c == '\n' {
                    return;
                }
                chars.next();
                if c == '\u{7}' {
                    return;
                }
                if c == '\u{1b}' {
                    if chars.peek() == Some(&'\\') {
                        chars.next();
                    }
                    return;
                }
            }
        }
        // ESC with intermediates (charset designations) and one final.
        Some(' '..='/') => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| !c.is_control());
        }
        _ => {}
    }
}

fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// Characters that steer a terminal or hide in text: controls, bidi, zero-width, tags.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A name for a sentence: what would hide or steer is written as an escape.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// A row of a table for citing: printable, and its columns no farther apart than two blanks, since a panel is narrow.
pub(crate) fn quoted_row(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in printable(line).chars() {
        if c != ' ' || !out.ends_with("  ") {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_titles_and_charsets_are_removed_and_text_stays() {
        assert_eq!(clean("\u{1b}[01;31m98%\u{1b}[0m /var\u{1b}]0;t\u{7}\u{1b}(B!"), "98% /var!");
        assert_eq!(clean("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"), "link");
    }

    #[test]
    fn a_progress_line_is_what_was_left_standing() {
        assert_eq!(clean("10%\r50%\r100%\r\ndone\r\n"), "100%\ndone\n");
    }

    #[test]
    fn an_escape_sequence_that_never_ends_costs_one_line_only() {
        assert_eq!(clean("\u{1b}]0;endless\nnext\u{1b}[3"), "\nnext");
    }

    #[test]
    fn a_control_character_leaves_a_scar_and_a_name_shows_its_hidden_characters() {
        assert_eq!(clean("a\u{1}b"), "a\u{fffd}b");
        assert_eq!(printable("a\u{202e}b\n"), "a\\u{202e}b\\n");
    }

    #[test]
    fn a_cited_row_keeps_its_columns_apart_and_no_more() {
        assert_eq!(
            quoted_row("/dev/loop0     739M  724M     0 100% /var"),
            "/dev/loop0  739M  724M  0 100% /var"
        );
    }

    #[test]
    fn a_very_long_line_is_cut() {
        assert_eq!(clean(&format!("{}\nx", "y".repeat(100_000))).len(), MAX_LINE + 2);
    }
}
