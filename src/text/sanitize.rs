//! Foreign text made safe to draw. The clean path borrows.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use super::classify::{is_control, is_invisible};
use super::escape::{Sequence, sequence};

/// Combining marks on one character that are kept: more than any script stacks, less than it takes to paint
/// over the lines above.
const MARKS_LIMIT: usize = 4;

/// Drops escape sequences whole, controls except `\n` and `\t`, bidi controls, zero-width and tag characters.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    clean(text, false)
}

/// As [`sanitize`], but well-formed SGR sequences (colours, bold, …) stay.
pub fn sanitize_sgr(text: &str) -> Cow<'_, str> {
    clean(text, true)
}

/// Drops escape sequences and leaves everything else as it is: for text that is matched, not shown.
pub fn strip_sgr(text: &str) -> Cow<'_, str> {
    if !text.contains(['\x1b', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match sequence(rest) {
            Some(Sequence::Sgr(len) | Sequence::Other(len)) if matches!(c, '\x1b' | '\u{9b}') => {
                rest = &rest[len..];
            }
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    Cow::Owned(out)
}

fn is_clean(text: &str) -> bool {
    let mut marks = 0;
    text.chars().all(|c| {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        matches!(c, '\n' | '\t') || !(is_control(c) || is_invisible(c) || marks > MARKS_LIMIT)
    })
}

fn is_mark(c: char) -> bool {
    c.width() == Some(0)
}

fn clean(text: &str, keep_sgr: bool) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut marks = 0;
    while let Some(c) = rest.chars().next() {
        match sequence(rest) {
            Some(Sequence::Sgr(len)) => {
                // A C1 introducer is two bytes that few parsers know: it is not kept.
                if keep_sgr && c == '\x1b' {
                    out.push_str(&rest[..len]);
                }
                rest = &rest[len..];
                continue;
            }
            Some(Sequence::Other(len)) => {
                rest = &rest[len..];
                continue;
            }
            None => {}
        }
        rest = &rest[c.len_utf8()..];
        if is_invisible(c) || (is_control(c) && !matches!(c, '\n' | '\t')) {
            continue;
        }
        marks = if is_mark(c) { marks + 1 } else { 0 };
        if marks <= MARKS_LIMIT {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed_and_unchanged() {
        for text in ["", "df -h\n/dev/sda1\t98%", "größer 漢字 ✓ ▸ ○", "e\u{301}"] {
            assert!(matches!(sanitize(text), Cow::Borrowed(t) if t == text), "{text:?}");
        }
    }

    #[test]
    fn a_title_change_is_dropped_with_its_payload() {
        assert_eq!(sanitize("a\x1b]0;root@prod\x07b"), "ab");
        assert_eq!(sanitize("a\x1b]0;root@prod\x1b\\b"), "ab");
        assert_eq!(sanitize("a\u{9d}0;root@prod\u{9c}b"), "ab");
    }

    #[test]
    fn a_clipboard_write_is_dropped() {
        assert_eq!(sanitize("x\x1b]52;c;cm0gLXJmIC8=\x07y"), "xy");
    }

    #[test]
    fn a_screen_wipe_cursor_move_and_colour_are_dropped() {
        assert_eq!(sanitize("\x1b[2J\x1b[1;1Hroot\x1b[31m#\x1b[0m\x1b(0\x1bc"), "root#");
    }

    #[test]
    fn a_query_that_types_its_answer_is_dropped() {
        assert_eq!(sanitize("\x1b[21t\x1b[6n\x1bP$q\"p\x1b\\ok\u{9b}6n"), "ok");
    }

    #[test]
    fn a_carriage_return_or_backspace_cannot_overwrite_what_stands_there() {
        assert_eq!(sanitize("rm -rf /\rls       \x08\x08"), "rm -rf /ls       ");
    }

    #[test]
    fn an_unfinished_string_does_not_swallow_the_rest() {
        assert_eq!(sanitize("\x1b]0;title and then the whole answer"), "0;title and then the whole answer");
        assert_eq!(sanitize("\x1bPx\nnext line"), "x\nnext line");
        assert_eq!(sanitize("end\x1b"), "end");
        assert_eq!(sanitize("end\x1b["), "end");
        assert_eq!(sanitize("a\x1b[31é"), "aé");
    }

    #[test]
    fn a_bidi_override_cannot_reorder_the_line() {
        assert_eq!(sanitize("echo \u{202e}/ fr- mr\u{2066}x\u{2069}\u{61c}"), "echo / fr- mrx");
    }

    #[test]
    fn zero_width_and_tag_smuggling_is_dropped() {
        assert_eq!(sanitize("a\u{200b}b\u{feff}c\u{2060}d\u{e0061}\u{e0062}e\u{fe0f}f\u{3164}"), "abcdef");
    }

    #[test]
    fn stacked_marks_are_cut() {
        let zalgo = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(sanitize(&zalgo), format!("a{}b", "\u{301}".repeat(4)));
    }

    #[test]
    fn well_formed_sgr_stays_where_it_is_wanted_and_nothing_else() {
        assert_eq!(sanitize_sgr("\x1b[1;31mfull\x1b[0m\x1b[2J\x1b]0;x\x07"), "\x1b[1;31mfull\x1b[0m");
        assert_eq!(sanitize_sgr("\x1b[?25mx\x1b[>4;2my\u{9b}31mz"), "xyz");
        let long = format!("\x1b[{}mx", "1;".repeat(100));
        assert_eq!(sanitize_sgr(&long), "x");
    }

    #[test]
    fn stripping_leaves_everything_but_sequences() {
        assert_eq!(strip_sgr("\x1b[1mroot\x1b[0m\r\n\u{200b}"), "root\r\n\u{200b}");
        assert!(matches!(strip_sgr("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_harmful_is_left_wherever_the_text_is_cut() {
        let hostile = "é\x1b[31m\x1b]0;t\x07\x1bP1$r\x1b\\\u{9b}2J漢\u{202e}\x1b(B\x7f\u{85}x";
        for (at, _) in hostile.char_indices() {
            for part in [&hostile[..at], &hostile[at..]] {
                let clean = sanitize(part);
                assert!(clean.chars().all(|c| !is_control(c) && !is_invisible(c)), "{part:?} {clean:?}");
                // What is clean stays as it is.
                assert!(matches!(sanitize(&clean), Cow::Borrowed(_)));
            }
        }
    }

    #[test]
    fn a_flood_of_unfinished_sequences_takes_linear_time() {
        let flood = "\x1b]".repeat(200_000);
        assert_eq!(sanitize(&flood), "");
    }
}
