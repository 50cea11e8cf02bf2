//! The question before anything goes to a Linus on another machine: what goes, and to whom.
//!
//! It is answered by a line of input, never by a single key: whoever types ahead answers nothing by chance.

use ratatui::text::Line;

use super::help::table;
use super::paint::{heading, paragraph};
use super::theme::Theme;
use crate::text::visible;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Linus's origin.
    pub to: String,
    /// `user@host`.
    pub target: String,
    /// Updates are off here: only what the user asks would go.
    pub only_asked: bool,
}

/// The answer that a line of input is, if it is one.
pub(super) fn answer(line: &str) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

pub(super) fn lines(question: &Question, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let say = |text: &str| paragraph(text, cols, 0, theme.plain());
    let mut out = vec![heading(cols, "May this Linus know?", theme.accent(), theme.dim(), Vec::new())];
    out.extend(paragraph(&visible(&question.to), cols, 0, theme.bold()));
    let target = visible(&question.target);
    out.extend(say(&format!(
        "is not on this machine. Nothing of {target} has gone there. After a yes go, from now on:"
    )));
    for what in goes(question.only_asked) {
        let mut lines = paragraph(what, cols, 2, theme.plain());
        if let Some(first) = lines.first_mut().and_then(|line| line.spans.first_mut()) {
            first.content = format!("·{}", &first.content[1..]).into();
        }
        out.extend(lines);
    }
    out.extend(say("Never: keys, passwords that you type, your files."));
    let keys = [("y Enter", "yes"), ("n Enter", "no: the built-in Linus answers, nothing leaves")];
    out.extend(table(&keys, cols, theme));
    out
}

fn goes(only_asked: bool) -> &'static [&'static str] {
    const ALL: &[&str] = &[
        "your messages, with the end of the terminal's text",
        "user, host, directory, last command",
        "new output, once a second",
        "commands, their output and status",
    ];
    if only_asked { &ALL[..2] } else { ALL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_is_an_answer() {
        assert_eq!(
            (answer("y"), answer(" Yes "), answer("n"), answer("NO")),
            (Some(true), Some(true), Some(false), Some(false))
        );
        for other in ["", "yeah", "why is /var full", "y n", "no nginx"] {
            assert_eq!(answer(other), None, "{other}");
        }
    }
}
