//! One command from its acceptance to the next prompt: its text, its origin, and which lines are its output.

use std::time::Instant;

use unicode_width::UnicodeWidthStr;

use super::facts::{CommandRecord, ExitStatus, Origin};
use super::prompt::Prompts;
use super::screen::Screen;
use super::status;

/// Output kept of a command, its last part. The contract's own bound for `output`.
pub(crate) const OUTPUT_LIMIT: usize = 64 * 1024;
/// A right prompt is at least this far from the input (zsh takes it away before that).
const GAP: usize = 2;
/// Blanks after which a `%`, `#` or `⏎` is zsh's or fish's sign for "no newline here": they fill the row.
const FILLER: usize = 8;

/// Where input begins on the screen.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) line: u64,
    /// All text before the input on that line; what stands after it is the command.
    pub(crate) prefix: String,
    /// What stands to the right of the input.
    pub(crate) right: Right,
    /// Typed before the prompt came, where that stands before it: a line editor shows it again, a shell without one
    /// does not, and then what stands behind the prompt is not all of the line.
    pub(crate) ahead: String,
}

/// A right prompt. It may be drawn anew with another time or status, but always ends in the same column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Right {
    pub(crate) text: String,
    pub(crate) end: usize,
}

impl Right {
    /// What stands far enough behind the cursor. What stands next to it is input that is being drawn anew (fish).
    fn after(before: &str, line: &str) -> Self {
        let rest = line.strip_prefix(before).unwrap_or("");
        let text = rest.trim_start_matches(' ');
        let text = if rest.len() - text.len() < GAP { "" } else { text.trim_end() };
        Self { text: text.to_owned(), end: line.width() }
    }

    /// This one, or where nothing is seen the one that was there before.
    pub(crate) fn or(self, before: &Self) -> Self {
        if self.text.is_empty() { before.clone() } else { self }
    }

    /// The input without it: before the text itself, or before the widest gap in a line that ends where it does.
    fn cut<'t>(&self, line: &str, typed: &'t str) -> &'t str {
        if self.text.is_empty() {
            return typed;
        }
        if let Some(rest) = typed.strip_suffix(self.text.as_str()) {
            return rest;
        }
        let gaps = || typed.split(|c| c != ' ').filter(|gap| gap.len() >= GAP);
        let widest = gaps().max_by_key(|gap| gap.len()).filter(|_| line.width() == self.end);
        let before = widest.and_then(|gap| typed.split_once(gap));
        before.map_or(typed, |(before, _)| before)
    }
}

impl Start {
    /// Input begins at the cursor.
    pub(crate) fn at_cursor(screen: &impl Screen) -> Self {
        Self::after(screen, &screen.text_before_cursor())
    }

    /// Input begins after `prefix` on the cursor's line.
    pub(crate) fn after(screen: &impl Screen, prefix: &str) -> Self {
        let line = screen.cursor_line();
        let text = screen.line_text(line).unwrap_or_default();
        let right = Right::after(&screen.text_before_cursor(), &text);
        Self { line, prefix: prefix.to_owned(), right, ahead: String::new() }
    }

    /// What was typed, from the whole text of the line; `None` when the prompt is not there any more.
    pub(crate) fn typed<'t>(&self, text: &'t str) -> Option<&'t str> {
        if text.trim_end() == self.prefix.trim_end() {
            return Some("");
        }
        let typed = text.strip_prefix(self.prefix.as_str())?;
        Some(self.right.cut(text, typed.trim_end()).trim())
    }
}

/// Where output ends: the prompt's first line, and what stood on it before the prompt.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edge {
    pub(crate) line: u64,
    pub(crate) head: String,
}

impl Edge {
    pub(crate) fn at_cursor(screen: &impl Screen) -> Self {
        Self { line: screen.cursor_line(), head: screen.text_before_cursor() }
    }
}

/// A command that was accepted and has not ended.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) command: Option<String>,
    pub(crate) origin: Origin,
    /// First line of its output.
    pub(crate) out_from: u64,
    /// The cursor is still on the line that was accepted.
    pub(crate) on_line: bool,
    pub(crate) since: Instant,
    /// `Started` was told. It waits until no continuation prompt came.
    pub(crate) told: bool,
    /// The report of a long run was made.
    pub(crate) reported: bool,
    /// More lines are being asked for; nothing runs yet.
    pub(crate) continuing: bool,
    /// A mark said that output begins.
    pub(crate) marked: bool,
    /// It used the alternate screen.
    pub(crate) full_screen: bool,
    /// The shell of another prompt was told to run under it.
    pub(crate) nested: bool,
    /// It was typed at a prompt that the shell marks.
    pub(crate) at_mark: bool,
    /// 3008's id for it.
    pub(crate) context: Option<String>,
    /// The text before it, while that is not yet known to be a prompt.
    pub(crate) tentative: Option<String>,
    /// Enter was typed while it ran: for it, or ahead for the shell.
    pub(crate) enters: bool,
}

impl Running {
    pub(crate) fn new(command: Option<String>, origin: Origin, out_from: u64, since: Instant) -> Self {
        let (told, reported, continuing, marked, enters) = (false, false, false, false, false);
        let (on_line, full_screen, nested, at_mark) = (false, false, false, false);
        let (context, tentative) = (None, None);
        Self {
            command,
            origin,
            out_from,
            on_line,
            since,
            told,
            reported,
            continuing,
            marked,
            full_screen,
            nested,
            at_mark,
            context,
            tentative,
            enters,
        }
    }

    /// A continuation prompt: the text is more than one line, which the screen cannot tell exactly.
    pub(crate) fn continues(&mut self) {
        self.continuing = true;
        if self.origin == Origin::UserTyped {
            self.command = None;
        }
    }

    /// The end as it was told or proven.
    pub(crate) fn ended(self, output: String, exit: Option<ExitStatus>) -> CommandRecord {
        let reported = self.reported;
        CommandRecord { command: self.command, origin: self.origin, output, exit, finished: true, reported }
    }

    /// The status that its output proves.
    pub(crate) fn proof(&self, output: &str) -> Option<ExitStatus> {
        status::proven(self.command.as_deref()?, &plain(output))
    }

    /// Whether the shell that it was typed at is the one that would mark its end; a mark of another's is not for it.
    pub(crate) fn is_marked(&self) -> bool {
        self.marked || self.at_mark
    }

    /// The report while it runs on.
    pub(crate) fn so_far(&self, output: String) -> CommandRecord {
        let (command, origin) = (self.command.clone(), self.origin.clone());
        CommandRecord { command, origin, output, exit: None, finished: false, reported: false }
    }

    /// The lines between the command and `edge`.
    pub(crate) fn output(&self, screen: &impl Screen, edge: &Edge) -> String {
        let mut output = screen.text_from(self.out_from, edge.line, OUTPUT_LIMIT);
        let partial = partial_line(&edge.head);
        if !partial.is_empty() && edge.line >= self.out_from {
            if edge.line > self.out_from {
                output.push('\n');
            }
            output.push_str(partial);
        }
        output
    }

    /// Lines typed ahead show in the output of a shell without line editor, and so do the prompts that read them.
    pub(crate) fn cut_type_ahead(
        &mut self,
        output: String,
        prompts: &Prompts,
        continuation: fn(&str) -> bool,
    ) -> String {
        if !self.enters {
            return output;
        }
        let lines: Vec<&str> = output.split('\n').collect();
        let first = lines.first().and_then(|l| l.split_inclusive("> ").next()).is_some_and(continuation);
        if first {
            self.continues();
        }
        match lines.iter().position(|l| prompts.is_input_line(&plain(l))) {
            Some(at) => lines.get(..at).unwrap_or_default().join("\n"),
            None => output,
        }
    }
}

/// Output that ended without a newline, without the sign that zsh and fish put behind it.
pub(crate) fn partial_line(head: &str) -> &str {
    let text = head.trim_end();
    if head.len() - text.len() < FILLER {
        return text;
    }
    text.strip_suffix(['%', '#', '⏎']).unwrap_or(text)
}

/// Without escape sequences: the emulator's text carries only SGR (`ESC [ … m`).
pub(crate) fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_a_missing_newline_is_not_output() {
        assert_eq!(partial_line(&format!("abc%{}", " ".repeat(70))), "abc");
        assert_eq!(partial_line(&format!("abc⏎{}", " ".repeat(70))), "abc");
        assert_eq!(partial_line("100%"), "100%");
        assert_eq!(partial_line(""), "");
    }

    #[test]
    fn what_is_typed_stands_between_prompt_and_right_prompt() {
        let right = Right { text: "12:00".into(), end: 25 };
        let start = Start { line: 0, prefix: "$ ".into(), right, ahead: String::new() };
        assert_eq!(start.typed("$ ls  -l            12:01"), Some("ls  -l"), "drawn anew");
        assert_eq!(start.typed("$ ls  -l           12:01"), Some("ls  -l           12:01"));
        assert_eq!(start.typed("$ ls -l            12:00"), Some("ls -l"));
        assert_eq!(start.typed("$ ls -l"), Some("ls -l"));
        assert_eq!(start.typed("$"), Some(""));
        assert_eq!(start.typed("> ls"), None);
    }

    #[test]
    fn a_right_prompt_stands_apart_from_the_input() {
        assert_eq!(Right::after("$ ", "$            12:00"), Right { text: "12:00".into(), end: 18 });
        assert_eq!(Right::after("$ echo a", "$ echo ahead").text, "", "input that is drawn anew");
        let before = Right { text: "12:00".into(), end: 18 };
        assert_eq!(Right::after("$   12:00", "$   12:00").or(&before), before);
    }

    #[test]
    fn plain_text_has_no_colours() {
        assert_eq!(plain("a\x1b[1;31mb\x1b[mc"), "abc");
        assert_eq!(plain("\x1b["), "");
    }
}
