//! Marks and mode changes, each with the screen as it stands at that byte.

use std::time::Instant;

use super::super::beliefs::{Source, is_interactive, opens_shell};
use super::super::command::{Edge, Running, Start, partial_line};
use super::super::dialect::Editor;
use super::super::facts::{Evidence, ExitStatus, Origin};
use super::super::marks::{self, Context, Mark};
use super::super::prompt::{self, Kind};
use super::super::screen::Screen;
use super::{Pending, Phase, Tracker};

/// Longer ids are cut: they are only compared.
const MAX_ID: usize = 256;
/// Contexts that are open one in the other; more are not honest.
const MAX_CONTEXTS: usize = 16;
/// Lines that zsh's prompt may have; further up, something else was erased.
const MAX_LINES: u64 = 8;

impl Tracker {
    /// An OSC's payload.
    pub(crate) fn osc(&mut self, payload: &[u8], screen: &impl Screen, now: Instant) {
        // Inside the alternate screen another program's shells speak (tmux, an editor's terminal).
        if self.alternate {
            return;
        }
        let (payload, trusted) = match self.nonce.as_ref().and_then(|nonce| nonce.strip(payload)) {
            Some(payload) => (payload, true),
            None => (payload, false),
        };
        self.see_mark(payload);
        self.look_back(screen);
        match marks::parse(payload) {
            // The shell will say it itself: what a command prints meanwhile is about something else.
            Some(mark) if !trusted && self.is_spoken_for(&mark) => {}
            Some(Mark::PromptStart { aid }) => {
                self.aid = aid.map(short);
                self.facts.trusted = trusted;
                if trusted {
                    self.integrated();
                }
                self.prompt_starts(screen);
            }
            Some(Mark::Continuation) => {
                if let Phase::Running(running) = &mut self.phase {
                    running.continues();
                }
            }
            Some(Mark::InputStart) => self.input_starts(screen),
            Some(Mark::OutputStart { command }) => self.output_starts(command, None, screen, now),
            Some(Mark::End { exit, aid }) => self.shell_ends(exit, aid.map(short).as_ref(), trusted, screen),
            Some(Mark::CommandLine(text)) => self.announce(text),
            Some(Mark::ContextStart { id, kind, place }) => match kind {
                Context::Shell => {
                    self.claim(place, Source::Mark);
                    self.shell_is(short(id));
                    self.prompt_starts(screen);
                }
                Context::Command => {
                    self.output_starts(None, Some(short(id)), screen, now);
                    self.claim(place, Source::Mark);
                }
                Context::Other => {
                    if self.contexts.len() < MAX_CONTEXTS {
                        self.contexts.push((short(id), self.beliefs.clone()));
                    }
                    self.claim(place, Source::Mark);
                }
            },
            Some(Mark::ContextEnd { id, exit }) => self.context_ends(&short(id), exit, screen),
            Some(Mark::Place(place)) => {
                self.claim(place, if trusted { Source::Trusted } else { Source::Mark });
            }
            // zsh's themes show the command that runs, which may look like a directory. Another shell's is its own.
            Some(Mark::Title(place)) => {
                self.titled = Some(place.clone());
                match &self.phase {
                    Phase::Running(r) if !opens_shell(r.command.as_deref()) => self.title = Some(place),
                    _ => self.claim(place, Source::Title),
                }
            }
            None => {}
        }
    }

    /// Whether a payload carries the nonce, and so comes from the shell that the integration was put into.
    pub(crate) fn is_trusted(&self, payload: &[u8]) -> bool {
        !self.alternate && self.nonce.as_ref().is_some_and(|nonce| nonce.strip(payload).is_some())
    }

    pub(crate) fn alternate(&mut self, on: bool) {
        if let Phase::Running(running) = &mut self.phase {
            running.full_screen |= on != self.alternate;
        }
        self.alternate = on;
    }

    /// All below the cursor was erased.
    pub(crate) fn erased(&mut self, screen: &impl Screen) {
        if !self.alternate && !matches!(self.phase, Phase::Ready(_)) {
            self.erased = Some(Edge::at_cursor(screen));
        }
    }

    /// `CSI 6n`.
    pub(crate) fn asked_for_cursor(&mut self) {
        self.masks = !self.alternate;
    }

    /// 3008: a shell shows its prompt. Unless it was there before, it runs under the command that runs.
    fn shell_is(&mut self, id: String) {
        if let Some(at) = self.shells.iter().position(|known| *known == id) {
            return self.shells.truncate(at + 1);
        }
        if let Phase::Running(running) = &mut self.phase
            && !self.shells.is_empty()
        {
            running.nested = true;
        }
        if self.shells.len() < MAX_CONTEXTS {
            self.shells.push(id);
        }
    }

    fn context_ends(&mut self, id: &str, exit: Option<i32>, screen: &impl Screen) {
        if matches!(&self.phase, Phase::Running(r) if r.context.as_deref() == Some(id)) {
            return self.command_ends(exit, Evidence::Mark, screen);
        }
        if let Some(at) = self.contexts.iter().position(|(known, _)| known == id) {
            self.contexts.drain(at..).take(1).for_each(|(_, before)| self.beliefs.back_to(before));
            self.beliefs.write(&mut self.facts);
        }
    }

    /// 133;D, 633;D: of the shell whose prompt the command was typed at, and not the first that another shell, which it
    /// opened, sends before its own first prompt. Only an `aid` or the nonce tells these apart.
    fn shell_ends(&mut self, exit: Option<i32>, aid: Option<&String>, trusted: bool, screen: &impl Screen) {
        let Phase::Running(running) = &self.phase else { return };
        let same = aid.is_some() && aid == self.aid.as_ref();
        let other = aid.is_some() && self.aid.is_some() && !same;
        let opens = running.command.as_deref().is_some_and(is_interactive);
        if !other && (trusted || running.is_marked() && (same || !opens)) {
            self.command_ends(exit, evidence(trusted), screen);
        }
    }

    /// `CSI ? 2004 h/l`: a line editor begins or ends reading a line.
    pub(crate) fn bracketed_paste(&mut self, on: bool, screen: &impl Screen, now: Instant) {
        if self.alternate {
            return;
        }
        if !on {
            return self.line_editor_ends(screen, now);
        }
        self.look_back(screen);
        self.secret.was_none();
        if self.prompt_is_there(screen) {
            return self.resolve(screen);
        }
        match (&mut self.phase, &mut self.pending) {
            (_, Some(pending)) if pending.kind == Kind::Mark => pending.paste = true,
            (Phase::Ready(ready), None)
                if ready.start.as_ref().is_none_or(|s| s.line == screen.cursor_line()) =>
            {
                ready.paste = true;
                if ready.kind == Kind::Text {
                    ready.kind = Kind::Paste;
                }
                self.enter |= std::mem::take(&mut ready.enter_ahead);
            }
            _ => {
                let edge = Edge::at_cursor(screen);
                self.pending = Some(Pending { edge, complete: false, kind: Kind::Paste, paste: true })
            }
        }
    }

    /// zsh: the line editor's signal comes behind the prompt, which begins where all below was erased.
    fn prompt_is_there(&mut self, screen: &impl Screen) -> bool {
        let line = screen.cursor_line();
        let text = screen.text_before_cursor();
        let is_near = |e: &mut Edge| e.line <= line && line - e.line <= MAX_LINES;
        let free = self.pending.is_none() && !matches!(self.phase, Phase::Ready(_));
        let Some(edge) = self.erased.take_if(is_near).filter(|_| free) else { return false };
        let head = if edge.line == line { edge.head.as_str() } else { "" };
        let has_text = !text.strip_prefix(head).unwrap_or(&text).trim().is_empty();
        if has_text {
            self.pending = Some(Pending { edge, complete: true, kind: Kind::Paste, paste: true });
        }
        has_text
    }

    fn claim(&mut self, place: marks::Place, source: Source) {
        self.beliefs.claim(place, source);
        self.beliefs.write(&mut self.facts);
    }

    fn announce(&mut self, text: String) {
        let before = match &self.phase {
            Phase::Ready(_) => true,
            Phase::Running(running) => !running.marked,
            _ => false,
        };
        if before && !text.trim().is_empty() {
            self.announced = Some(text);
        }
    }

    fn prompt_starts(&mut self, screen: &impl Screen) {
        self.secret.was_none();
        let edge = Edge::at_cursor(screen);
        // Under a command that opens shells this may be one's: its prompt will tell.
        let may_nest = |r: &Running| r.nested || r.command.as_deref().is_some_and(is_interactive);
        if matches!(&self.phase, Phase::Running(running) if !may_nest(running)) {
            self.finish(screen, &edge, None, None);
        }
        // readline turns bracketed paste on before it prints the prompt, and so before this mark; when the window
        // changes it prints the prompt again, and an Enter may be on its way to it.
        let paste = match (&self.pending, &self.phase) {
            (Some(pending), _) => pending.paste,
            (None, Phase::Ready(ready)) => ready.paste,
            _ => false,
        };
        self.pending = Some(Pending { edge, complete: false, kind: Kind::Mark, paste });
    }

    fn input_starts(&mut self, screen: &impl Screen) {
        let here = screen.cursor_line();
        let text = screen.text_before_cursor();
        // Drawn anew, or its end came after a pause; what was typed may stand to the right of the cursor.
        let drawn = match &self.phase {
            Phase::Ready(ready) => ready.start.clone(),
            _ => None,
        };
        let pending = self.pending.as_ref().map(|p| (p.edge.clone(), p.paste));
        let fresh = Edge { line: here, ..Edge::default() };
        let (edge, paste) = match (pending, &self.phase) {
            (Some(pending), _) => pending,
            // A lone B inside output is no prompt.
            (None, Phase::Running(_)) => return,
            (None, Phase::Ready(ready)) => (fresh, ready.paste),
            (None, _) => (fresh, false),
        };
        let head = if edge.line == here { edge.head.len() } else { 0 };
        let prompt = text.get(head..).unwrap_or(&text).to_owned();
        let lines = here.saturating_sub(edge.line);
        self.see_prompt(screen, &prompt, edge.line, Editor::None);
        self.prompt_is(screen, &prompt, &edge, Kind::Mark, lines);
        let mut start = Start::at_cursor(screen);
        if let Some(drawn) = drawn {
            (start.right, start.ahead) = (drawn.right, drawn.ahead);
        } else {
            start.ahead = self.typed_before(&edge, paste);
        }
        self.ready(Some(start), &prompt, lines, Kind::Mark, paste);
    }

    fn output_starts(
        &mut self,
        said: Option<String>,
        id: Option<String>,
        screen: &impl Screen,
        now: Instant,
    ) {
        if matches!(self.phase, Phase::Ready(_)) {
            self.accept(screen, now);
        }
        let fresh = screen.cursor_line() + u64::from(!screen.text_before_cursor().is_empty());
        let said = said.filter(|s| !s.trim().is_empty()).or(self.announced.take());
        if !matches!(self.phase, Phase::Running(_)) {
            // An empty line is not run, and nothing is before anything was typed (a shell that reads its rc file);
            // without any prompt before it, a mark is all there is.
            let empty = said.is_none() && id.is_none() && matches!(self.phase, Phase::Between);
            if empty || self.typed_at.is_none() {
                return;
            }
            self.beliefs.command(true);
            self.phase = Phase::Running(Running::new(None, Origin::UserTyped, fresh, now));
        }
        let Phase::Running(running) = &mut self.phase else { return };
        if running.marked {
            return;
        }
        (running.marked, running.continuing, running.tentative) = (true, false, None);
        (running.out_from, running.context) = (fresh, id);
        if said.is_some() && running.origin == Origin::UserTyped {
            running.command = said;
        }
        self.pending = None;
        self.tell_started();
    }

    /// The integrated shell prints a prompt: it has read the integration's line, whatever the screen showed of it.
    fn integrated(&mut self) {
        if self.sent.as_ref().is_some_and(|sent| sent.origin == Origin::Integration) {
            (self.sent, self.candidate) = (None, None);
            self.enter = std::mem::take(&mut self.enter_ahead);
        }
    }

    /// Whether a mark without the nonce says what the integrated shell alone can know: that its command ended, or a
    /// prompt of its own. A command that opens another shell is left out: that one speaks for itself.
    fn is_spoken_for(&self, mark: &Mark) -> bool {
        let Phase::Running(running) = &self.phase else { return false };
        let says = !matches!(mark, Mark::OutputStart { .. } | Mark::CommandLine(_));
        says && self.facts.trusted && !opens_shell(running.command.as_deref())
    }

    fn command_ends(&mut self, exit: Option<i32>, evidence: Evidence, screen: &impl Screen) {
        if matches!(self.phase, Phase::Running(_)) {
            let exit = exit.map(|code| ExitStatus { code, evidence });
            self.finish(screen, &Edge::at_cursor(screen), exit, None);
        }
    }

    fn line_editor_ends(&mut self, screen: &impl Screen, now: Instant) {
        if self.pending.is_some() && !matches!(self.phase, Phase::Ready(_)) {
            self.read_ahead(screen);
        }
        match &mut self.phase {
            Phase::Ready(_) if self.enter => self.accept(screen, now),
            Phase::Ready(_) => self.dropped(),
            Phase::Running(running) if running.continuing => {
                // zsh turns it off before its newline, readline after.
                running.out_from = screen.cursor_line() + u64::from(!screen.text_before_cursor().is_empty());
                (running.continuing, running.since) = (false, now);
            }
            _ => {}
        }
        self.pending = None;
    }

    /// A line typed ahead: prompt, echo and acceptance came at once, so the prompt never waited.
    fn read_ahead(&mut self, screen: &impl Screen) {
        let Some(Pending { edge, kind, paste, .. }) = self.pending.take() else { return };
        let here = screen.cursor_line();
        let line = if screen.text_before_cursor().is_empty() { here.saturating_sub(1) } else { here };
        let text = screen.line_text(line).unwrap_or_default();
        let head = if line == edge.line { edge.head.as_str() } else { "" };
        let own = text.strip_prefix(head).unwrap_or(&text);
        let Some(prompt) = self.prompts.prefix_of(own).map(str::to_owned) else {
            let continued = own.split_inclusive("> ").next().is_some_and(prompt::is_continuation);
            // Or the continuation prompt of a theme, which comes at once; as would that of a silent program.
            if let Phase::Running(running) = &mut self.phase
                && (continued || edge.line == running.out_from && edge.head.is_empty())
            {
                running.continues();
            }
            return;
        };
        let prefix = format!("{head}{prompt}");
        let lines = line.saturating_sub(edge.line);
        self.see_prompt(screen, &prompt, edge.line, Editor::None);
        self.prompt_is(screen, &prompt, &edge, kind, lines);
        let (right, ahead) = (self.right.clone(), String::new());
        self.ready(Some(Start { line, prefix, right, ahead }), &prompt, lines, kind, paste);
    }

    /// Output paused after the begin of a prompt, or the prompt is there: is it one?
    pub(super) fn resolve(&mut self, screen: &impl Screen) {
        let Some(pending) = self.pending.as_ref().filter(|_| !self.is_drawn(screen)) else { return };
        let (kind, paste, complete, edge) =
            (pending.kind, pending.paste, pending.complete, pending.edge.clone());
        let here = screen.cursor_line();
        let lines = here.saturating_sub(edge.line);
        let full = screen.text_before_cursor();
        let head = if lines == 0 { edge.head.as_str() } else { "" };
        let own = full.strip_prefix(head).filter(|own| !own.trim().is_empty());
        // Nothing came behind the signal.
        let is_after = own.is_none();
        let (head, own) = own.map_or(("", full.as_str()), |own| (head, own));
        let (at, prompt) = match self.verified(own, kind, lines, complete) {
            Some(at) => (at, own.get(at..).unwrap_or(own).to_owned()),
            None => match self.prompts.prefix_of(own).filter(|_| self.typed_ahead) {
                Some(prompt) => (0, prompt.to_owned()),
                None => return self.continued(own, &edge, lines),
            },
        };
        let before = own.get(..at).unwrap_or("");
        let zle = kind == Kind::Paste && (complete || is_after && !edge.head.trim().is_empty());
        let editor = if zle { Editor::AfterPrompt } else { Editor::None };
        self.see_prompt(screen, &prompt, edge.line, editor);
        self.prompt_is(screen, &prompt, &edge, kind, lines);
        if complete && self.typed_ahead {
            self.learn(&prompt, kind, lines, here, screen);
        }
        let mut start = Start::after(screen, &format!("{head}{before}{prompt}"));
        start.ahead = self.typed_before(&edge, paste);
        self.ready(Some(start), &prompt, lines, kind, paste);
        if let Phase::Ready(ready) = &mut self.phase {
            ready.settled = !complete;
        }
    }

    /// What was typed ahead, where no line editor shows it again behind the prompt.
    fn typed_before(&self, edge: &Edge, paste: bool) -> String {
        if self.ahead_line && !paste { partial_line(&edge.head).to_owned() } else { String::new() }
    }

    /// A line editor reads more lines of a command: it says so, or this comes at once and not in the form of the
    /// prompts, which have more lines.
    fn continued(&mut self, text: &str, edge: &Edge, lines: u64) {
        let tall = lines == 0 && !text.trim().is_empty() && self.prompts.are_tall();
        if let Phase::Running(running) = &mut self.phase
            && (prompt::is_continuation(text)
                || tall && edge.line == running.out_from && edge.head.is_empty())
        {
            running.continues();
            self.pending = None;
        }
    }

    /// Whether this is a prompt of the shell, and not of a program that reads lines; the bytes of output before it.
    fn verified(&self, text: &str, kind: Kind, lines: u64, complete: bool) -> Option<usize> {
        if text.trim().is_empty() {
            return None;
        }
        let matched = self.prompts.matched(text, kind, lines);
        if self.typed_ahead && !complete {
            // What was typed may stand behind the prompt already.
            return matched
                .filter(|at| text.get(*at..).is_some_and(|t| self.prompts.prefix_of(t) == Some(t)));
        }
        let running = matches!(self.phase, Phase::Running(_));
        let trusted = kind == Kind::Mark || !running || self.prompts.is_empty() || prompt::is_form(text);
        matched.or(trusted.then_some(0))
    }
}

fn evidence(trusted: bool) -> Evidence {
    if trusted { Evidence::Trusted } else { Evidence::Mark }
}

fn short(mut id: String) -> String {
    if id.len() > MAX_ID {
        id = id.chars().take(MAX_ID).collect();
    }
    id
}
