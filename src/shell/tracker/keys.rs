//! What the user's side did, in order with what was printed.

use std::time::Instant;

use super::super::command::{Running, Start};
use super::super::dialect::is_mode_of;
use super::super::facts::Origin;
use super::super::foreground::Foreground;
use super::super::prompt::{self, Kind, Prompts};
use super::super::screen::Screen;
use super::{Input, Phase, Ready, Sent, Tracker};

impl Tracker {
    pub(crate) fn input(&mut self, input: Input<'_>, screen: &impl Screen, now: Instant) {
        match input {
            Input::LocalSecret(on) => self.secret.local = on,
            // What is typed into a full-screen program has nothing to do with commands.
            _ if self.alternate || self.secret.local => {}
            _ if self.secret.is_on() => self.answered(&input, now),
            // A pager takes keys one by one; one of them may be for the prompt behind it already.
            Input::Text | Input::Enter if self.foreground == Some(Foreground::Pager) => {
                (self.typed_ahead, self.ahead_line, self.typed_at) = (true, false, Some(now));
            }
            Input::Text => self.typed(screen, now),
            Input::Enter => {
                self.typed_at = Some(now);
                self.entered(screen, now);
            }
            Input::Interrupt => self.interrupted(screen),
            Input::Sent { command, origin } => self.sent(command, origin, screen, now),
            Input::Integrate { line, nonce } => {
                self.nonce = Some(nonce);
                self.sent(line, Origin::Integration, screen, now);
            }
        }
    }

    fn sent(&mut self, command: &str, origin: Origin, screen: &impl Screen, now: Instant) {
        self.typed(screen, now);
        let ahead = !matches!(self.phase, Phase::Ready(_) | Phase::Unknown);
        self.sent = Some(Sent { command: command.to_owned(), origin, ahead });
        if matches!(self.phase, Phase::Unknown) {
            self.candidate = Some(Start::at_cursor(screen));
        }
        self.entered(screen, now);
    }

    /// A secret, up to Enter. Over a slow link what follows is typed for a prompt that is not here yet.
    fn answered(&mut self, input: &Input<'_>, now: Instant) {
        self.typed_at = Some(now);
        match input {
            Input::Interrupt => self.ahead_interrupt |= self.ahead_line,
            Input::Enter if !self.answered => self.answered = true,
            _ if self.answered => {
                (self.typed_ahead, self.ahead_line) = (true, matches!(input, Input::Text));
            }
            _ => {}
        }
    }

    fn typed(&mut self, screen: &impl Screen, now: Instant) {
        self.typed_at = Some(now);
        let last = screen.last_before_cursor();
        let asked = matches!(last, Some(':' | '：' | '?'));
        if last.is_some() {
            self.typed_on = Some(screen.cursor_line());
        }
        self.wake(screen, now);
        match &self.phase {
            Phase::Ready(_) => {
                self.touch(screen);
                if self.enter {
                    (self.typed_ahead, self.ahead_line) = (true, true);
                }
            }
            Phase::Unknown if self.quiet_at.is_none() && self.pending.is_none() => {
                if self.candidate.is_none() && last.is_some() {
                    self.candidate = Some(Start::at_cursor(screen));
                }
            }
            _ => {
                (self.typed_ahead, self.ahead_line) = (true, true);
                if asked {
                    self.unechoed = Some(now);
                }
            }
        }
    }

    fn entered(&mut self, screen: &impl Screen, now: Instant) {
        self.wake(screen, now);
        match &mut self.phase {
            Phase::Ready(_) if self.enter => (self.enter_ahead, self.ahead_line) = (true, false),
            Phase::Ready(ready) => {
                ready.enter_line = screen.cursor_line();
                self.touch(screen);
            }
            Phase::Running(running) => {
                running.enters = true;
                (self.typed_ahead, self.ahead_line) = (true, false);
            }
            Phase::Unknown if self.candidate.is_none() && self.pending.is_none() => return,
            Phase::Unknown | Phase::Between => self.typed_ahead |= self.pending.is_some(),
        }
        self.enter = true;
    }

    /// `^C` drops the line, `^D` on an empty one ends the shell: the next prompt says which.
    fn interrupted(&mut self, screen: &impl Screen) {
        (self.enter, self.enter_ahead, self.sent, self.candidate) = (false, false, None, None);
        if let Phase::Ready(ready) = &mut self.phase {
            (ready.touched, ready.interrupted) = (true, true);
            let empty =
                ready.start.as_ref().is_some_and(|s| s.typed(&screen.text_before_cursor()) == Some(""));
            if empty {
                self.beliefs.command(true);
                self.leaving = true;
            }
        } else {
            self.ahead_interrupt |= self.ahead_line;
        }
    }

    /// A key while a prompt is being printed: it is taken for complete only if it is one that is known.
    fn wake(&mut self, screen: &impl Screen, now: Instant) {
        let Some(pending) = &self.pending else { return self.wake_by_text(screen, now) };
        let text = screen.text_before_cursor();
        let (kind, head) = (pending.kind, pending.edge.head.as_str());
        let own = text.strip_prefix(head).filter(|t| !t.trim().is_empty()).unwrap_or(&text);
        let lines = screen.cursor_line().saturating_sub(pending.edge.line);
        if self.prompts.matched(own, kind, lines).is_some() || prompt::is_form(own) {
            self.resolve(screen);
        }
    }

    /// The same without a line editor's signal. Nobody waits until output has settled for us before typing.
    fn wake_by_text(&mut self, screen: &impl Screen, now: Instant) {
        if self.quiet_at.is_none() || self.typed_ahead {
            return;
        }
        let text = screen.text_before_cursor();
        let matched = self.prompts.matched(&text, Kind::Text, 0).is_some();
        let is_prompt = match &self.phase {
            Phase::Ready(_) => false,
            Phase::Running(Running { tentative: Some(prompt), .. }) => {
                Prompts::same_shape(prompt, &text) || is_mode_of(prompt, &text)
            }
            Phase::Running(_) => matched || self.dialects.is_mode_of_last(&text),
            Phase::Unknown | Phase::Between => matched || prompt::is_form(&text),
        };
        if is_prompt {
            self.recognise(screen, now);
        }
    }

    /// The first key at a prompt: now it is complete, and one to remember.
    fn touch(&mut self, screen: &impl Screen) {
        let Phase::Ready(ready) = &mut self.phase else { return };
        if ready.touched {
            let stays = ready.start.as_ref().is_none_or(|start| start.line == screen.cursor_line());
            if !stays {
                self.find_prompt_again(screen);
            }
            return;
        }
        ready.touched = true;
        let Some(start) = &mut ready.start else { return };
        let before = screen.text_before_cursor();
        if start.line == screen.cursor_line() {
            // It may be drawn after what told that the prompt is there.
            start.right = Start::at_cursor(screen).right.or(&start.right);
        }
        if (ready.kind != Kind::Mark || ready.settled) && before != start.prefix {
            // It was redrawn, or more of it came. What stood before it on its line is no part of it.
            *start = Start::at_cursor(screen);
            ready.text = before;
        }
        // Perhaps half of a prompt, and the rest of it will stand before what was typed. Twice the same is no half.
        if ready.settled && self.prompts.doubts(&ready.text) {
            let before = self.doubted.replace(ready.text.clone());
            if !before.is_some_and(|before| Prompts::same_shape(&before, &ready.text)) {
                ready.start = None;
                return;
            }
        }
        let (text, kind, lines, line) = (ready.text.clone(), ready.kind, ready.lines, start.line);
        self.learn(&text, kind, lines, line, screen);
    }

    /// A prompt that the user typed at is remembered, with the line above it.
    pub(super) fn learn(&mut self, text: &str, kind: Kind, lines: u64, line: u64, screen: &impl Screen) {
        let first = !self.prompts.has_shape(text);
        self.prompts.learn(text, kind, lines);
        if first {
            let above = line.checked_sub(1).and_then(|l| screen.line_text(l));
            self.prompts.line_above(text, above.as_deref(), true);
        }
    }

    /// The prompt went to another line (clear, a list of completions, a dropped line): input begins there.
    pub(super) fn find_prompt_again(&mut self, screen: &impl Screen) {
        let Phase::Ready(Ready { start: Some(start), text, interrupted, .. }) = &mut self.phase else {
            return;
        };
        let before = screen.text_before_cursor();
        let there = screen.line_text(start.line);
        let moved = start.line != screen.cursor_line() || there.is_none_or(|t| start.typed(&t).is_none());
        let same = before.starts_with(text.as_str()).then_some(text.as_str());
        if let Some(prefix) = same.or_else(|| self.prompts.prefix_of(&before)).filter(|_| moved) {
            let mut new = Start::after(screen, prefix);
            // Its drawing may have paused with the cursor behind the right prompt.
            new.right = new.right.or(&start.right);
            (*start, *interrupted) = (new, false);
        }
    }
}
