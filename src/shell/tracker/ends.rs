//! Acceptance of a line and the end of a command.

use std::time::Instant;

use unicode_width::UnicodeWidthStr;

use super::super::beliefs::opens_shell;
use super::super::command::{Edge, Running, Start};
use super::super::facts::{ExitStatus, Origin, ShellEvent};
use super::super::prompt::{self, Kind};
use super::super::screen::Screen;
use super::{LONG_RUN, Phase, Ready, Tracker, sights};

/// What was on the line when the remote answered Enter.
enum Line {
    Empty,
    Text(String),
    Unknown,
}

impl Tracker {
    /// Without a line editor's signal: the cursor left the line after Enter.
    pub(super) fn left_line(&mut self, screen: &impl Screen, line: u64, now: Instant) {
        let candidate = self.candidate.take_if(|c| line > c.line);
        match &self.phase {
            Phase::Ready(Ready { start, enter_line, .. })
                if line > *enter_line && start.as_ref().is_none_or(|s| line > s.line) =>
            {
                self.accept(screen, now);
            }
            Phase::Unknown if candidate.is_some() => {
                let prompt = candidate.as_ref().map(|c| c.prefix.clone()).filter(|_| self.sent.is_none());
                let read = read_line(screen, candidate.as_ref(), None, false);
                if matches!(read, Line::Empty) && self.sent.is_none() {
                    self.enter = false;
                    return;
                }
                self.run(read, line, now);
                if let Phase::Running(running) = &mut self.phase {
                    running.tentative = prompt;
                }
            }
            _ => {}
        }
    }

    /// The remote took the line.
    pub(super) fn accept(&mut self, screen: &impl Screen, now: Instant) {
        let Phase::Ready(ready) = &self.phase else { return };
        if ready.interrupted && self.sent.is_none() {
            return self.dropped();
        }
        let read = read_line(screen, ready.start.as_ref(), Some(ready), ready.paste);
        if matches!(read, Line::Empty) && self.sent.is_none() {
            (self.enter, self.phase) = (std::mem::take(&mut self.enter_ahead), Phase::Between);
            return;
        }
        let out_from = screen.cursor_line() + u64::from(!screen.text_before_cursor().is_empty());
        self.run(read, out_from, now);
    }

    /// The line ended without being run, as far as can be told. What was typed after is for the next prompt.
    pub(super) fn dropped(&mut self) {
        self.typed_ahead |= self.enter;
        self.phase = Phase::Unknown;
    }

    fn run(&mut self, read: Line, out_from: u64, now: Instant) {
        let read = match read {
            Line::Text(text) => Some(text),
            Line::Empty | Line::Unknown => None,
        };
        let (command, origin) = match self.sent.take() {
            Some(sent) if !(sent.ahead && read.as_ref().is_some_and(|r| *r != sent.command)) => {
                (Some(sent.command), sent.origin)
            }
            _ => (read, Origin::UserTyped),
        };
        self.beliefs.command(opens_shell(command.as_deref()));
        (self.pending, self.typed_on, self.title) = (None, None, None);
        let mut running = Running::new(command, origin, out_from, now);
        running.enters = self.enter_ahead;
        self.enter = std::mem::take(&mut self.enter_ahead);
        self.phase = Phase::Running(running);
    }

    /// A prompt was recognised: the command before it has ended, or another shell has begun.
    pub(super) fn prompt_is(&mut self, screen: &impl Screen, text: &str, edge: &Edge, kind: Kind) {
        let above = edge.line.checked_sub(1);
        let mut edge = edge.clone();
        if kind != Kind::Mark && self.prompts.has_shape(text) {
            let line = above.and_then(|l| screen.line_text(l));
            if self.prompts.line_above(text, line.as_deref(), false) && edge.head.is_empty() {
                edge.line = edge.line.saturating_sub(1);
            }
        }
        let known = self.prompts.matched(text, kind).is_some();
        match &self.phase {
            Phase::Running(r) if r.tentative.is_none() && !known && opens_shell(r.command.as_deref()) => {
                self.report(screen, &edge);
            }
            Phase::Running(_) => self.finish(screen, &edge, None),
            _ => {}
        }
    }

    pub(super) fn finish(&mut self, screen: &impl Screen, edge: &Edge, exit: Option<ExitStatus>) {
        self.tell_started();
        let Phase::Running(mut running) = std::mem::replace(&mut self.phase, Phase::Between) else { return };
        if running.tentative.is_some() || running.origin == Origin::Integration {
            return;
        }
        let output = running.output(screen, edge);
        let output = running.cut_type_ahead(output, &self.prompts, prompt::is_continuation);
        let record = running.ended(output, exit);
        self.ended = Some((record.command.clone(), sights::last_part(&record.output)));
        self.facts.last_command.clone_from(&record.command);
        self.facts.last_exit = record.exit.map(|e| e.code);
        self.secret.look(u64::MAX, String::new, false);
        self.tell(ShellEvent::Command(record));
    }

    /// The command runs on, and its first part is told once.
    fn report(&mut self, screen: &impl Screen, edge: &Edge) {
        self.tell_started();
        let Phase::Running(running) = &mut self.phase else { return };
        if std::mem::replace(&mut running.reported, true) || running.origin == Origin::Integration {
            return;
        }
        let output = if self.alternate { String::new() } else { running.output(screen, edge) };
        let record = running.so_far(output);
        self.tell(ShellEvent::Command(record));
    }

    pub(super) fn report_long_run(&mut self, screen: &impl Screen, now: Instant) {
        let Phase::Running(running) = &self.phase else { return };
        let due = !running.reported && !running.continuing && running.tentative.is_none();
        if due && running.since + LONG_RUN <= now {
            self.report(screen, &Edge::at_cursor(screen));
        }
    }

    /// The line is complete, and runs.
    pub(super) fn tell_started(&mut self) {
        let Phase::Running(running) = &mut self.phase else { return };
        if running.told || running.continuing || running.tentative.is_some() {
            return;
        }
        running.told = true;
        if running.origin == Origin::Integration {
            return;
        }
        let command = running.command.clone();
        self.tell(ShellEvent::Started { command });
    }
}

/// Reads the line that was accepted. The cursor stands on it (zsh, before its newline) or on the next one; further
/// down, there were more lines than one, and only a prompt that is still there tells which is which.
fn read_line(screen: &impl Screen, start: Option<&Start>, ready: Option<&Ready>, wraps: bool) -> Line {
    let here = screen.cursor_line();
    let Some(start) = start else { return Line::Unknown };
    let moved = ready.and_then(|r| moved_start(screen, r));
    let below = || screen.line_text(start.line + 1).is_some_and(|t| !t.is_empty());
    let text = match here.checked_sub(start.line) {
        Some(0) if !below() => screen.line_text(start.line),
        Some(1) if screen.text_before_cursor().is_empty() => screen.line_text(start.line),
        _ => None,
    };
    // busybox ash ends a full row with a newline of its own, which is no answer to Enter.
    let full = |text: &String| !wraps && text.width() > 0 && text.width().is_multiple_of(screen.columns());
    let text = text.filter(|t| !full(t));
    let typed = match (&text, &moved) {
        (Some(text), _) => start.typed(text).map(str::to_owned),
        (None, Some((moved, text))) => moved.typed(text).map(str::to_owned),
        (None, None) => None,
    };
    match typed {
        Some(text) if text.trim().is_empty() => Line::Empty,
        Some(text) => Line::Text(text),
        None => Line::Unknown,
    }
}

/// The line just left or stood on, if it begins with the prompt that was ready elsewhere.
fn moved_start(screen: &impl Screen, ready: &Ready) -> Option<(Start, String)> {
    let before = screen.text_before_cursor();
    let line = if before.is_empty() { screen.cursor_line().checked_sub(1)? } else { screen.cursor_line() };
    let text = if before.is_empty() { screen.line_text(line)? } else { before };
    let start = Start { line, prefix: ready.text.clone(), right: String::new() };
    (!ready.text.trim().is_empty() && start.typed(&text).is_some()).then_some((start, text))
}
