//! What each prompt tells of the dialect, with the lines before it.

use super::super::beliefs::opens_shell;
use super::super::command::plain;
use super::super::dialect::{Editor, Sight};
use super::super::marks::Place;
use super::super::prompt::{self, Prompts};
use super::super::screen::Screen;
use super::{Phase, Tracker};
use crate::text::last;

/// Of what was printed before a prompt, this much from its end is read. A banner is shorter.
const MAX_PRINTED: usize = 8 * 1024;

/// The last part of a command's output.
pub(super) fn last_part(output: &str) -> String {
    last(output, MAX_PRINTED).to_owned()
}

impl Tracker {
    /// A prompt's first line is `line`; the command before it has not been told as ended yet.
    pub(super) fn see_prompt(&mut self, screen: &impl Screen, text: &str, line: u64, editor: Editor) {
        let ended = self.ended.as_ref();
        let above = line.checked_sub(1).and_then(|l| screen.line_text(l)).unwrap_or_default();
        // A line of the prompt is no output.
        let end = line - u64::from(self.prompts.has_above(text, &above));
        let printed = |from: u64| plain(&screen.text_from(from.min(end), end, MAX_PRINTED));
        let mut fresh = false;
        let (command, printed) = match (&self.phase, ended) {
            // The first prompt, known as one now that it has come back: its banner counts too.
            (Phase::Running(running), _) if running.tentative.is_some() => {
                fresh = true;
                (running.command.clone(), printed(0))
            }
            (Phase::Running(running), _) => (running.command.clone(), printed(running.out_from)),
            (Phase::Between, Some((command, output))) => (command.clone(), plain(output)),
            (Phase::Unknown, _) => (None, printed(0)),
            // Redrawn, or after an empty line: what stands above was read.
            _ => (Some(String::new()), String::new()),
        };
        let command = command.as_deref();
        let fresh = fresh || opens_shell(command);
        let (prompt, above, printed) = (text, above.as_str(), printed.as_str());
        let editor = if editor == Editor::None { self.titled(prompt) } else { editor };
        let sight = Sight { prompt, above, command, fresh, printed, editor };
        self.dialects.see(&sight, Prompts::same_shape);
        self.write_dialect();
    }

    /// A mark may name the shell.
    pub(super) fn see_mark(&mut self, payload: &[u8]) {
        self.dialects.mark(payload);
        self.write_dialect();
    }

    fn titled(&self, prompt: &str) -> Editor {
        let before = self.pending.as_ref().is_some_and(|p| p.paste);
        // RHEL's prompt has only the last part of the directory.
        let same = |p: &Place, t: &Place| {
            p.user == t.user
                && p.host == t.host
                && p.cwd.as_ref().is_none_or(|cwd| t.cwd.as_ref() == Some(cwd))
        };
        let place = prompt::place(prompt);
        let titled = before && place.zip(self.titled.as_ref()).is_some_and(|(p, t)| same(&p, t));
        if titled { Editor::TitledPrompt } else { Editor::None }
    }

    /// Something else may prompt next.
    pub(super) fn lose_dialect(&mut self) {
        (self.facts.dialect, self.facts.dialect_from) = Default::default();
    }

    fn write_dialect(&mut self) {
        let now = self.dialects.now();
        self.facts.dialect = now.map(|(dialect, _)| dialect).unwrap_or_default();
        self.facts.dialect_from = now.map(|(_, clue)| clue);
    }
}
