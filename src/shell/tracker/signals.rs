//! Marks and mode changes, each with the screen as it stands at that byte.

use std::time::Instant;

use super::super::beliefs::{Source, opens_shell};
use super::super::command::{Edge, Running, Start};
use super::super::dialect::Editor;
use super::super::facts::{Evidence, ExitStatus, Origin};
use super::super::marks::{self, Context, Mark};
use super::super::prompt::{self, Kind};
use super::super::screen::Screen;
use super::{Pending, Phase, Tracker};

/// Longer ids are cut: they are only compared.
const MAX_ID: usize = 256;

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
            Some(Mark::End { exit, aid }) => {
                let other = aid.is_some() && self.aid.is_some() && aid.map(short) != self.aid;
                if !other {
                    self.command_ends(exit, evidence(trusted), screen);
                }
            }
            Some(Mark::CommandLine(text)) => self.announce(text),
            Some(Mark::ContextStart { id, kind, place }) => match kind {
                Context::Shell => {
                    self.claim(place, Source::Mark);
                    self.prompt_starts(screen);
                }
                Context::Command => {
                    self.output_starts(None, Some(short(id)), screen, now);
                    self.claim(place, Source::Mark);
                }
                Context::Other => {}
            },
            Some(Mark::ContextEnd { id, exit }) => {
                let id = Some(short(id));
                if matches!(&self.phase, Phase::Running(r) if r.context == id) {
                    self.command_ends(exit, Evidence::Mark, screen);
                }
            }
            Some(Mark::Place(place)) => self.claim(place, Source::Mark),
            Some(Mark::Title(place)) => {
                self.title = Some(place.clone());
                self.claim(place, Source::Title);
            }
            None => {}
        }
    }

    /// Whether a payload carries the nonce, and so comes from the shell that the integration was put into.
    pub(crate) fn is_trusted(&self, payload: &[u8]) -> bool {
        !self.alternate && self.nonce.as_ref().is_some_and(|nonce| nonce.strip(payload).is_some())
    }

    pub(crate) fn alternate(&mut self, on: bool) {
        self.alternate = on;
    }

    /// `CSI ? 2004 h/l`: a line editor begins or ends reading a line.
    pub(crate) fn bracketed_paste(&mut self, on: bool, screen: &impl Screen, now: Instant) {
        if self.alternate {
            return;
        }
        if !on {
            return self.line_editor_ends(screen, now);
        }
        self.secret.was_none();
        match (&mut self.phase, &mut self.pending) {
            (_, Some(pending)) if pending.kind == Kind::Mark => pending.paste = true,
            (Phase::Ready(ready), None)
                if ready.start.as_ref().is_none_or(|s| s.line == screen.cursor_line()) =>
            {
                ready.paste = true;
            }
            _ => {
                self.pending = Some(Pending { edge: Edge::at_cursor(screen), kind: Kind::Paste, paste: true })
            }
        }
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
        if matches!(self.phase, Phase::Running(_)) {
            self.finish(screen, &edge, None);
        }
        // readline turns bracketed paste on before it prints the prompt, and so before this mark; when the window
        // changes it prints the prompt again, and an Enter may be on its way to it.
        let paste = match (&self.pending, &self.phase) {
            (Some(pending), _) => pending.paste,
            (None, Phase::Ready(ready)) => ready.paste,
            _ => false,
        };
        self.pending = Some(Pending { edge, kind: Kind::Mark, paste });
    }

    fn input_starts(&mut self, screen: &impl Screen) {
        let text = screen.text_before_cursor();
        let (head, paste) = match (&self.pending, &self.phase) {
            (Some(pending), _) if pending.edge.line == screen.cursor_line() => {
                (pending.edge.head.len(), pending.paste)
            }
            (Some(pending), _) => (0, pending.paste),
            // A lone B inside output is no prompt.
            (None, Phase::Running(_)) => return,
            (None, Phase::Ready(ready)) => (0, ready.paste),
            (None, _) => (0, false),
        };
        if matches!(self.phase, Phase::Running(_)) {
            let edge = self.pending.as_ref().map(|p| p.edge.clone()).unwrap_or_default();
            self.finish(screen, &edge, None);
        }
        let prompt = text.get(head..).unwrap_or(&text).to_owned();
        let line = self.pending.as_ref().map_or(screen.cursor_line(), |p| p.edge.line);
        self.see_prompt(screen, &prompt, line, Editor::None);
        self.ready(Some(Start::at_cursor(screen)), &prompt, Kind::Mark, paste);
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
            // An empty line is not run; without any prompt before it, a mark is all there is.
            if said.is_none() && id.is_none() && matches!(self.phase, Phase::Between) {
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
            self.finish(screen, &Edge::at_cursor(screen), exit);
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
        let Some(Pending { edge, kind, paste }) = self.pending.take() else { return };
        let here = screen.cursor_line();
        let line = if screen.text_before_cursor().is_empty() { here.saturating_sub(1) } else { here };
        let text = screen.line_text(line).unwrap_or_default();
        let head = if line == edge.line { edge.head.as_str() } else { "" };
        let own = text.strip_prefix(head).unwrap_or(&text);
        // zsh's comes after the prompt: then all of `head` is prompt, or ends in it.
        let own_head = self.prompts.matched(head, kind).filter(|_| !head.trim().is_empty());
        let (prefix, prompt, edge) = match (own_head, self.prompts.prefix_of(own)) {
            (Some(at), _) => {
                let (before, prompt) = head.split_at_checked(at).unwrap_or(("", head));
                (head.to_owned(), prompt.to_owned(), Edge { line, head: before.to_owned() })
            }
            (None, Some(prompt)) => (format!("{head}{prompt}"), prompt.to_owned(), edge),
            (None, None) => {
                let continued = own.split_inclusive("> ").next().is_some_and(prompt::is_continuation);
                if let Phase::Running(running) = &mut self.phase
                    && continued
                {
                    running.continues();
                }
                return;
            }
        };
        self.see_prompt(screen, &prompt, edge.line, Editor::None);
        self.prompt_is(screen, &prompt, &edge, kind);
        self.ready(Some(Start { line, prefix, right: String::new() }), &prompt, kind, paste);
    }

    /// Output paused after the begin of a prompt: is it complete, and one?
    pub(super) fn resolve(&mut self, screen: &impl Screen) {
        let Some(pending) = &self.pending else { return };
        let (kind, paste) = (pending.kind, pending.paste);
        let (head, text, after_prompt) = self.prompt_text(pending, screen);
        let (at, prompt) = match self.verified(&text, kind) {
            Some(at) => (at, text.get(at..).unwrap_or(&text).to_owned()),
            None => match self.prompts.prefix_of(&text).filter(|_| self.typed_ahead) {
                Some(prompt) => (0, prompt.to_owned()),
                None => return self.continued(&text),
            },
        };
        let (before, own) = text.split_at_checked(at).unwrap_or(("", &text));
        let prefix = format!("{head}{before}{}", if own.starts_with(&prompt) { &prompt } else { own });
        let edge = if after_prompt && kind != Kind::Mark {
            Edge { line: screen.cursor_line(), head: before.to_owned() }
        } else {
            pending.edge.clone()
        };
        let zle = after_prompt && kind == Kind::Paste && !pending.edge.head.trim().is_empty();
        let editor = if zle { Editor::AfterPrompt } else { Editor::None };
        self.see_prompt(screen, &prompt, edge.line, editor);
        self.prompt_is(screen, &prompt, &edge, kind);
        self.ready(Some(Start::after(screen, &prefix)), &prompt, kind, paste);
    }

    /// What of the cursor's line stood there before the prompt, what may be the prompt, and whether the signal came
    /// after it (zsh) or before (bash, fish, marks).
    fn prompt_text(&self, pending: &Pending, screen: &impl Screen) -> (String, String, bool) {
        let full = screen.text_before_cursor();
        let head = if screen.cursor_line() == pending.edge.line { pending.edge.head.as_str() } else { "" };
        let Some(own) = full.strip_prefix(head).filter(|t| !t.trim().is_empty()) else {
            return (String::new(), full, true);
        };
        // Something follows, but a known prompt stands before it: keys that were typed ahead.
        if !head.trim().is_empty() && self.prompts.matched(head, pending.kind).is_some() {
            return (String::new(), head.to_owned(), true);
        }
        (head.to_owned(), own.to_owned(), false)
    }

    fn continued(&mut self, text: &str) {
        if let Phase::Running(running) = &mut self.phase
            && prompt::is_continuation(text)
        {
            running.continues();
            self.pending = None;
        }
    }

    /// Whether this is a prompt of the shell, and not of a program that reads lines; the bytes of output before it.
    fn verified(&self, text: &str, kind: Kind) -> Option<usize> {
        if text.trim().is_empty() {
            return None;
        }
        let matched = self.prompts.matched(text, kind);
        if self.typed_ahead {
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
