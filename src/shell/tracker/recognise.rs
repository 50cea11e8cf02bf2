//! A prompt by its text alone, and what every prompt that waits tells.

use std::time::Instant;

use super::super::beliefs::{Beliefs, Source, is_interactive, opens_shell};
use super::super::command::{Edge, Start, partial_line};
use super::super::dialect::{Editor, is_greeting, is_mode_of};
use super::super::facts::ShellEvent;
use super::super::marks::Place;
use super::super::prompt::{self, Kind, Prompts};
use super::super::screen::Screen;
use super::{AHEAD, Phase, Ready, Tracker};

/// Of what another host printed before its first prompt, this much is read for its banner.
const MAX_GREETING: usize = 8 * 1024;

impl Tracker {
    /// A prompt that is not known yet is told from keys typed ahead only when those can have left no echo.
    pub(super) fn forget_old_keys(&mut self, now: Instant) {
        let Some(typed) = self.typed_at.filter(|_| self.typed_ahead && !self.ahead_line) else { return };
        if typed + AHEAD <= now {
            self.typed_ahead = false;
        } else {
            self.quiet_at = Some(typed + AHEAD);
        }
    }

    /// Without marks and mode changes: by the text alone.
    pub(super) fn recognise(&mut self, screen: &impl Screen, now: Instant) {
        if self.is_drawn(screen) {
            return;
        }
        let text = screen.text_before_cursor();
        let matched = self.prompts.matched(&text, Kind::Text, 0);
        // A line begun before the prompt stands before it: only one that is known can be told from that.
        let is_form = prompt::is_form(&text) && !self.ahead_line;
        let line = screen.cursor_line();
        let mode = self.dialects.is_mode_of_last(&text);
        let is_prompt = match &mut self.phase {
            Phase::Running(running) => match &running.tentative {
                // It has come back.
                Some(prompt) if Prompts::same_shape(prompt, &text) || is_mode_of(prompt, &text) => Some(0),
                // What was answered was no prompt, and this is one.
                Some(_) if matched.is_some() || is_form => {
                    self.phase = Phase::Unknown;
                    Some(matched.unwrap_or(0))
                }
                Some(_) => None,
                None if matched.is_some() => matched,
                // A device's prompt shows its mode.
                None if mode => Some(0),
                None if prompt::is_continuation(&text)
                    && (running.continuing || line == running.out_from) =>
                {
                    running.continues();
                    running.out_from = line + 1;
                    None
                }
                None => {
                    if std::mem::take(&mut running.continuing) {
                        running.since = now;
                    }
                    let command = running.command.as_deref();
                    // zsh's sign of a missing newline ends output as a prompt's ends a prompt; zsh's own prompt comes
                    // with the line editor's signal.
                    let sign = text.trim_end().ends_with('%') || text.ends_with('#');
                    let doubtful =
                        sign && self.prompts.come_with_paste() && !command.is_some_and(is_interactive);
                    let greets =
                        || is_greeting(&screen.text_from(running.out_from, line, MAX_GREETING), &text);
                    (opens_shell(command) && (is_form && !doubtful || greets())).then_some(0)
                }
            },
            _ => matched.or(is_form.then_some(0)),
        };
        let Some(at) = is_prompt else { return };
        let (head, text) = text.split_at_checked(at).unwrap_or(("", &text));
        let edge = Edge { line, head: head.to_owned() };
        self.see_prompt(screen, text, line, Editor::None);
        if let Phase::Running(running) = &mut self.phase {
            running.tentative = None;
        }
        self.prompt_is(screen, text, &edge, Kind::Text, 0);
        if self.typed_ahead {
            self.learn(text, Kind::Text, 0, line, screen);
        }
        let ahead = if self.ahead_line { partial_line(head).to_owned() } else { String::new() };
        self.ready(Some(Start { ahead, ..Start::at_cursor(screen) }), text, 0, Kind::Text, false);
    }

    /// A prompt waits from now on.
    pub(super) fn ready(&mut self, start: Option<Start>, text: &str, lines: u64, kind: Kind, paste: bool) {
        if kind != Kind::Mark {
            self.facts.trusted = false;
        }
        let leaving = self.leaving;
        self.read_place(text);
        self.lineage.prompt(text, leaving);
        (self.facts.prompt, self.facts.shell) = (Some(text.to_owned()), self.lineage.here());
        if !matches!(self.phase, Phase::Ready(_)) {
            self.login.get_or_insert_with(|| Box::new(self.facts.clone()));
            self.tell(ShellEvent::Prompt);
        }
        // An Enter that was typed ahead is read by the line editor; without one the kernel's echo has used it up.
        let enter_ahead = self.enter && !paste;
        self.enter &= paste;
        self.old_enter = self.typed_at.filter(|_| self.enter).map(|typed| typed + AHEAD);
        if !paste {
            self.sent = None;
        }
        let touched = std::mem::take(&mut self.typed_ahead);
        let interrupted = std::mem::take(&mut self.ahead_interrupt);
        self.ahead_line = false;
        (self.pending, self.candidate, self.typed_on, self.quiet_at) = (None, None, None, None);
        if let Some(right) = start.as_ref().map(|s| &s.right).filter(|right| !right.text.is_empty()) {
            self.right = right.clone();
        }
        let (text, enter_line) = (text.to_owned(), start.as_ref().map_or(0, |s| s.line));
        self.phase = Phase::Ready(Ready {
            start,
            text,
            lines,
            kind,
            paste,
            settled: false,
            touched,
            interrupted,
            enter_line,
            enter_ahead,
        });
    }

    /// Who and where, as the prompt says.
    fn read_place(&mut self, text: &str) {
        if let Some(title) = self.title.take() {
            self.beliefs.claim(title, Source::Title);
        }
        let first = self.shown.split_inclusive('\n').find(|line| !line.trim().is_empty());
        if let Some(place) = prompt::place(text).or_else(|| prompt::place(first?)) {
            self.beliefs.claim(place, Source::Prompt);
        }
        let before = !matches!(self.phase, Phase::Ready(_));
        if before {
            let command = self.ended.take().and_then(|(command, _)| command);
            self.directories.learn(&self.shown, command.as_deref());
        }
        if let Some(cwd) = self.directories.read(&self.shown) {
            self.beliefs.claim(Place { cwd: Some(cwd), ..Place::default() }, Source::Prompt);
        }
        self.beliefs.prompt();
        let came_back = |(outer, _): &(String, Beliefs)| Prompts::same_shape(outer, text);
        if std::mem::take(&mut self.leaving)
            && let Some(at) = self.outer.iter().rposition(came_back)
        {
            self.outer.drain(at..).take(1).for_each(|(_, beliefs)| self.beliefs.restore(beliefs));
        }
        self.beliefs.write(&mut self.facts);
    }
}
