//! What each prompt tells of the dialect, with the lines before it.

use super::super::beliefs::opens_shell;
use super::super::command::plain;
use super::super::dialect::{Editor, Sight};
use super::super::prompt::{self, Prompts};
use super::super::screen::Screen;
use super::{Phase, Tracker};

/// Of what was printed before a prompt, this much from its end is read. A banner is shorter.
const MAX_PRINTED: usize = 8 * 1024;

impl Tracker {
    /// A prompt's first line is `line`; the command before it has not been told as ended yet.
    pub(super) fn see_prompt(&mut self, screen: &impl Screen, text: &str, line: u64, editor: Editor) {
        let (command, from) = match &self.phase {
            Phase::Running(running) => (running.command.as_deref(), running.out_from),
            Phase::Unknown => (None, 0),
            // Redrawn, or after an empty line: what stands above was read.
            Phase::Ready(_) | Phase::Between => (Some(""), line),
        };
        let printed = plain(&screen.text_from(from.min(line), line, MAX_PRINTED));
        let above = line.checked_sub(1).and_then(|l| screen.line_text(l)).unwrap_or_default();
        let fresh = opens_shell(command);
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
        let place = prompt::place(prompt).filter(|p| p.cwd.is_some());
        let titled = before && place.is_some() && place == self.title;
        if titled { Editor::TitledPrompt } else { Editor::None }
    }

    fn write_dialect(&mut self) {
        let now = self.dialects.now();
        self.facts.dialect = now.map(|(dialect, _)| dialect).unwrap_or_default();
        self.facts.dialect_from = now.map(|(_, clue)| clue);
    }
}
