//! What runs may wait for something: a secret, a key, a line of its own language.

use super::super::beliefs::opens_shell;
use super::super::foreground;
use super::super::prompt::Kind;
use super::super::screen::Screen;
use super::{Phase, Tracker};

impl Tracker {
    /// A question for a secret is on the cursor's line, or its answer is.
    pub(super) fn look_for_question(&mut self, screen: &impl Screen) {
        let (line, before) = (screen.cursor_line(), screen.text_before_cursor());
        let own = matches!(self.phase, Phase::Ready(_)) || self.typed_on == Some(line);
        self.look_back(screen);
        // Output may end in such a word without a newline.
        let is_prompt = |answer: &str| self.prompts.matched(answer, Kind::Paste, 0).is_some();
        if self.secret.answer(line, &before).is_some_and(is_prompt) {
            self.secret.was_none();
        }
        self.secret.look(line, &before, !own);
        let question = self.secret.is_on().then_some(line);
        self.answered &= question.is_some() && question == self.question;
        self.question = question;
    }

    /// The answer, and what tells of the next prompt behind it, may come at once.
    pub(super) fn look_back(&mut self, screen: &impl Screen) {
        if let Some(asked) = self.secret.line().filter(|asked| *asked != screen.cursor_line()) {
            self.secret.left(&screen.line_text(asked).unwrap_or_default());
        }
    }

    /// What runs may wait for a key, or for a line of its own language.
    pub(super) fn look_at_foreground(&mut self, screen: &impl Screen) {
        let (command, shells) = match &self.phase {
            Phase::Running(running) if !running.continuing => {
                let command = running.command.as_deref();
                (command, running.tentative.is_some() || opens_shell(command))
            }
            Phase::Unknown => (None, true),
            _ => return,
        };
        self.foreground = foreground::read(&screen.text_before_cursor(), command, shells);
    }
}
