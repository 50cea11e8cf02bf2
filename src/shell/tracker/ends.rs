//! Acceptance of a line and the end of a command.

use std::time::Instant;

use unicode_width::UnicodeWidthStr;

use super::super::beliefs::{is_interactive, is_multiplexer, opens_shell};
use super::super::command::{Edge, Running, Start};
use super::super::facts::{Evidence, ExitStatus, Origin, ShellEvent};
use super::super::prompt::{self, Kind};
use super::super::screen::Screen;
use super::{LONG_RUN, Phase, Ready, Tracker, sights};

/// Shells that are open one under the other; more are a loop.
const MAX_NESTED: usize = 16;
/// Rows of a command that are put together again.
const MAX_ROWS: u64 = 24;
/// Lines of a prompt that are looked at. The tallest themes have three or four.
const MAX_LINES: u64 = 8;

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
        let at_mark = ready.kind == Kind::Mark;
        let ahead = ready.start.as_ref().map_or("", |s| s.ahead.trim_start());
        let read = match read {
            Line::Text(text) if self.masks && text.contains('?') || !text.starts_with(ahead) => Line::Unknown,
            Line::Empty if !ahead.is_empty() => Line::Unknown,
            read => read,
        };
        if matches!(read, Line::Empty) && self.sent.is_none() {
            (self.enter, self.phase) = (std::mem::take(&mut self.enter_ahead), Phase::Between);
            return;
        }
        let on_line = !screen.text_before_cursor().is_empty();
        self.run(read, screen.cursor_line() + u64::from(on_line), now);
        if let Phase::Running(running) = &mut self.phase {
            (running.on_line, running.at_mark) = (on_line, at_mark);
        }
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
        let opens = opens_shell(command.as_deref());
        if let Phase::Ready(ready) = &self.phase {
            self.here = opens.then(|| (ready.text.clone(), self.beliefs.clone()));
            self.lineage.accept(&ready.text, command.as_deref());
        }
        self.leave_or_stay(command.as_deref());
        if opens {
            self.lose_dialect();
        }
        (self.pending, self.typed_on, self.erased, self.masks) = (None, None, None, false);
        (self.titled, self.ended) = (None, None);
        let mut running = Running::new(command, origin, out_from, now);
        running.enters = self.enter_ahead;
        self.enter = std::mem::take(&mut self.enter_ahead);
        self.phase = Phase::Running(running);
    }

    /// A command may leave this shell, or open another over it.
    pub(super) fn leave_or_stay(&mut self, command: Option<&str>) {
        self.beliefs.command(opens_shell(command));
        let first = command.and_then(|c| c.split([' ', ';']).next());
        self.leaving = matches!(first, Some("exit" | "logout"));
    }

    /// A prompt was recognised: the command before it has ended, or another shell has begun.
    pub(super) fn prompt_is(
        &mut self,
        screen: &impl Screen,
        text: &str,
        edge: &Edge,
        kind: Kind,
        lines: u64,
    ) {
        let above = edge.line.checked_sub(1);
        let mut edge = edge.clone();
        if kind != Kind::Mark && lines == 0 && self.prompts.has_shape(text) {
            let line = above.and_then(|l| screen.line_text(l));
            if self.prompts.line_above(text, line.as_deref(), false) && edge.head.is_empty() {
                edge.line = edge.line.saturating_sub(1);
            }
        }
        self.shown = shown(screen, &edge);
        let known = self.prompts.matched(text, kind, lines).is_some();
        match &self.phase {
            Phase::Running(r)
                if r.tentative.is_none()
                    && (r.nested || !known && r.command.as_deref().is_none_or(is_interactive)) =>
            {
                self.report(screen, &edge);
                self.nest();
            }
            Phase::Running(_) => {
                let shown = self.shown.clone();
                // Of output that was not read there is no prompt to read.
                let is_seen = !self.typed_ahead && !shown.is_empty();
                self.finish(screen, &edge, None, Some(&shown).filter(|_| is_seen));
            }
            _ => {}
        }
    }

    /// tmux or screen without the alternate screen: prompts in it are drawn, until its last line is there.
    pub(super) fn is_drawn(&self, screen: &impl Screen) -> bool {
        let Phase::Running(running) = &self.phase else { return false };
        let draws = !running.full_screen && running.command.as_deref().is_some_and(is_multiplexer);
        let here = screen.cursor_line();
        let last_words =
            ["[exited]", "[detached", "[server exited", "[lost server]", "[screen is terminating]"];
        let is_over = |line| {
            screen.line_text(line).is_some_and(|text| last_words.iter().any(|words| text.starts_with(words)))
        };
        draws && !(here.saturating_sub(MAX_LINES)..here).any(is_over)
    }

    /// Another shell begins: what is known of the one before is kept for when it comes back.
    fn nest(&mut self) {
        if self.outer.len() < MAX_NESTED {
            self.outer.extend(self.here.take());
        }
    }

    /// The command has ended: with the status that a mark told, or that the prompt shows, or that its output proves.
    pub(super) fn finish(
        &mut self,
        screen: &impl Screen,
        edge: &Edge,
        told: Option<ExitStatus>,
        prompt: Option<&String>,
    ) {
        self.tell_started();
        let Phase::Running(mut running) = std::mem::replace(&mut self.phase, Phase::Between) else { return };
        if running.tentative.is_some() || running.origin == Origin::Integration {
            return;
        }
        let output = running.output(screen, edge);
        let output = running.cut_type_ahead(output, &self.prompts, prompt::is_continuation);
        let proof = running.proof(&output);
        let is_own = running.command.as_deref().is_some_and(|c| !is_interactive(c));
        let shown = prompt.and_then(|p| self.statuses.read(p, proof.map(|p| p.code))).filter(|_| is_own);
        let shown = shown.map(|code| ExitStatus { code, evidence: Evidence::Prompt });
        let record = running.ended(self.secret.hide(output), told.or(shown).or(proof));
        self.ended = Some((record.command.clone(), sights::last_part(&record.output)));
        self.facts.last_command.clone_from(&record.command);
        self.facts.last_exit = record.exit.map(|e| e.code);
        self.facts.sources.last_exit = record.exit.map(|e| e.evidence);
        self.secret.look(u64::MAX, "", false);
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
        let record = running.so_far(self.secret.hide(output));
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

/// The prompt's lines, without what stood before them.
fn shown(screen: &impl Screen, edge: &Edge) -> String {
    let here = screen.cursor_line();
    let from = edge.line.max(here.saturating_sub(MAX_LINES));
    let lines = (from..=here).map(|line| screen.line_text(line).unwrap_or_default());
    let all = lines.collect::<Vec<_>>().join("\n");
    all.strip_prefix(edge.head.as_str()).map_or(all.clone(), str::to_owned)
}

/// Reads the line that was accepted. The cursor stands on it (zsh, before its newline) or on the next one; further
/// down, there were more lines than one, and only a prompt that is still there tells which is which.
fn read_line(screen: &impl Screen, start: Option<&Start>, ready: Option<&Ready>, wraps: bool) -> Line {
    let here = screen.cursor_line();
    let Some(start) = start else { return Line::Unknown };
    let moved = ready.and_then(|r| moved_start(screen, r));
    let below = || screen.line_text(start.line + 1).is_some_and(|t| !t.is_empty());
    // busybox ash ends a full row with a newline of its own, which is no answer to Enter.
    let full = |text: &String| !wraps && text.width() > 0 && text.width().is_multiple_of(screen.columns());
    let at_begin = screen.text_before_cursor().is_empty();
    let text = match here.checked_sub(start.line) {
        Some(0) if !below() => screen.line_text(start.line),
        Some(1) if at_begin => screen.line_text(start.line),
        Some(lines) if at_begin && lines <= MAX_ROWS => {
            let rows: Vec<_> =
                (start.line..here).map(|line| screen.line_text(line).unwrap_or_default()).collect();
            rows.split_last().is_some_and(|(_, above)| above.iter().all(full)).then(|| rows.concat())
        }
        _ => None,
    };
    if text.as_ref().is_some_and(full) || moved.as_ref().is_some_and(|(_, text)| full(text)) {
        return Line::Unknown;
    }
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
    let right = ready.start.as_ref().map(|s| s.right.clone()).unwrap_or_default();
    let start = Start { line, prefix: ready.text.clone(), right, ahead: String::new() };
    (!ready.text.trim().is_empty() && start.typed(&text).is_some()).then_some((start, text))
}
