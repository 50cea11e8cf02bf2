//! The edit line: one row of the terminal, and the fewest bytes that bring it from one text to the next. A character that
//! is typed at its end is echoed and nothing else is, which is what screen readers speak best.

use crate::text::{char_width, visible, width};
use crate::ui::ascii;
use crate::ui::editor::LineEditor;

/// Stands for what is left of the row.
const CUT: char = '<';

/// What is asked for, and what stands there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) label: String,
    pub(super) text: String,
    /// Columns of the text before the cursor.
    pub(super) cursor: usize,
}

impl Prompt {
    /// A question that one key answers.
    pub(super) fn key(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    pub(super) fn of(label: String, editor: &LineEditor) -> Self {
        let before = editor.text().get(..editor.cursor()).unwrap_or_default();
        Self { label, text: visible(editor.text()).into_owned(), cursor: width(&visible(before)) }
    }

    pub(super) fn in_ascii(self) -> Self {
        let mut used = 0;
        let before = self.text.chars().take_while(|c| {
            used += char_width(*c);
            used <= self.cursor
        });
        let cursor = width(&ascii::text(&before.collect::<String>()));
        Self { label: ascii::text(&self.label), text: ascii::text(&self.text), cursor }
    }
}

/// The row as the terminal shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Row {
    text: String,
    /// Columns before the cursor.
    cursor: usize,
}

#[derive(Debug, Default)]
pub(super) struct EditLine {
    /// `None` while there is no edit line: the cursor stands at the beginning of an empty row.
    shown: Option<Row>,
    /// What it was made of.
    prompt: Prompt,
}

impl EditLine {
    /// Whether it would show something else than it does.
    pub(super) fn is_another(&self, prompt: &Prompt, cols: u16) -> bool {
        self.shown.as_ref().is_some_and(|shown| *shown != row(prompt, cols))
    }

    /// Whether the text that was edited is what this sentence ends in.
    pub(super) fn ends_in(&self, text: &str) -> bool {
        !self.prompt.text.is_empty() && text.ends_with(&self.prompt.text)
    }

    pub(super) fn erase(&mut self) -> Vec<u8> {
        if self.shown.take().is_some() { b"\r\x1b[K".to_vec() } else { Vec::new() }
    }

    /// What stands there stays, and the next line comes below it.
    pub(super) fn leave_it(&mut self) -> Vec<u8> {
        if self.shown.take().is_some() { b"\r\n".to_vec() } else { Vec::new() }
    }

    pub(super) fn show(&mut self, prompt: &Prompt, cols: u16) -> Vec<u8> {
        let new = row(prompt, cols);
        let out = change(self.shown.as_ref(), &new);
        (self.shown, self.prompt) = (Some(new), prompt.clone());
        out
    }
}

/// What fits into a row, with the cursor in it. The last column stays free, so that nothing wraps.
fn row(prompt: &Prompt, cols: u16) -> Row {
    let room = usize::from(cols).saturating_sub(1).max(4);
    let whole = format!("{}{}", prompt.label, prompt.text);
    let cursor = width(&prompt.label) + prompt.cursor;
    if width(&whole) <= room {
        return Row { text: whole, cursor };
    }
    // By half a row at once: each key would move all of it otherwise.
    let step = room / 2;
    let start = if cursor < room { 0 } else { ((cursor - room) / step + 1) * step };
    let mut shown = Row::default();
    if start > 0 {
        shown = Row { text: CUT.to_string(), cursor: 1 };
    }
    let (from, mut at, mut used) = (start + shown.cursor, 0, shown.cursor);
    for c in whole.chars() {
        let (begins, cells) = (at, char_width(c));
        at += cells;
        if begins < from || (cells == 0 && begins == from) {
            continue;
        }
        if used + cells > room {
            break;
        }
        shown.text.push(c);
        used += cells;
        shown.cursor += if begins < cursor { cells } else { 0 };
    }
    shown
}

fn change(old: Option<&Row>, new: &Row) -> Vec<u8> {
    let end = width(&new.text);
    let to_cursor = |out: &mut String| {
        if new.cursor < end {
            out.push('\r');
            out.push_str(&forward(new.cursor));
        }
    };
    let mut out = String::new();
    let Some(old) = old else {
        out.push_str(&new.text);
        to_cursor(&mut out);
        return out.into_bytes();
    };
    let were_at_end = old.cursor == width(&old.text) && new.cursor == end;
    if old == new {
        return Vec::new();
    }
    if old.text == new.text {
        out.push('\r');
        out.push_str(&forward(new.cursor));
    } else if let Some(typed) = new.text.strip_prefix(&old.text).filter(|_| were_at_end) {
        out.push_str(typed);
    } else if let Some(gone) = old.text.strip_prefix(&new.text).filter(|_| were_at_end) {
        let cells = width(gone);
        out.push_str(&"\x08".repeat(cells));
        out.push_str(&" ".repeat(cells));
        out.push_str(&"\x08".repeat(cells));
    } else {
        let same = common(&old.text, &new.text);
        out.push('\r');
        out.push_str(&forward(width(&new.text[..same])));
        out.push_str("\x1b[K");
        out.push_str(&new.text[same..]);
        to_cursor(&mut out);
    }
    out.into_bytes()
}

/// Bytes at the beginning that are the same; a character keeps its marks.
fn common(old: &str, new: &str) -> usize {
    let pairs = old.char_indices().zip(new.chars());
    let mut at = 0;
    for ((start, was), is) in pairs {
        if was != is {
            break;
        }
        if char_width(was) > 0 {
            at = start;
        }
    }
    at
}

fn forward(columns: usize) -> String {
    if columns > 0 { format!("\x1b[{columns}C") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU16;

    fn prompt(text: &str, cursor: usize) -> Prompt {
        Prompt { label: "Ask: ".into(), text: text.into(), cursor }
    }

    fn bytes(line: &mut EditLine, text: &str, cursor: usize) -> String {
        String::from_utf8(line.show(&prompt(text, cursor), 40)).unwrap()
    }

    #[test]
    fn a_key_at_the_end_is_echoed_and_nothing_else_is() {
        let mut line = EditLine::default();
        assert_eq!(bytes(&mut line, "", 0), "Ask: ");
        assert_eq!(bytes(&mut line, "d", 1), "d");
        assert_eq!(bytes(&mut line, "df", 2), "f");
        assert_eq!(bytes(&mut line, "df", 2), "");
        assert_eq!(bytes(&mut line, "d", 1), "\x08 \x08");
        assert_eq!(bytes(&mut line, "d", 0), "\r\x1b[5C");
        assert_eq!(bytes(&mut line, "xd", 1), "\r\x1b[4C\x1b[K xd\r\x1b[6C");
    }

    /// Whatever the steps, the terminal shows the line and nothing more, in one row.
    #[test]
    fn the_row_is_what_it_should_be_after_any_change() {
        let texts = ["", "a", "ab漢字", "漢字ab", "e\u{301}a\u{301}", "eb", &"long 漢 ".repeat(30), "x"];
        for cols in [5, 9, 40] {
            let side = |n| NonZeroU16::new(n).unwrap();
            let mut terminal = vt100::Parser::new(side(3), side(cols), 0);
            let mut line = EditLine::default();
            for text in texts.iter().flat_map(|text| [*text, "same", *text]) {
                for cursor in [width(text), 0, width(text) / 2] {
                    let prompt = prompt(text, cursor);
                    terminal.process(&line.show(&prompt, cols));
                    let want = row(&prompt, cols);
                    let rows: Vec<String> = terminal.screen().rows(0, cols).collect();
                    assert_eq!(rows[0].trim_end(), want.text.trim_end(), "{cols} {text:?} {cursor}");
                    assert!(rows[1..].iter().all(String::is_empty), "{cols} {text:?}: it wrapped");
                    assert_eq!(usize::from(terminal.screen().cursor_position().1), want.cursor);
                }
            }
        }
    }
}
