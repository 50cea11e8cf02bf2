//! The state machine: from marks, the line editor's mode changes, the screen's text and the user's keys to states,
//! facts and commands.
//!
//! It sees the screen at the moment of each signal, and never looks at typed bytes: a command is what the screen shows
//! when the remote answers Enter. What cannot be told stays unknown. It decides nothing and permits nothing.

mod ends;
mod keys;
mod sights;
mod signals;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::beliefs::{Beliefs, Source, opens_shell};
use super::command::{Edge, Running, Start};
use super::dialect::{Dialects, Editor, is_greeting, is_mode_of};
use super::facts::{Facts, Origin, ShellEvent, State};
use super::foreground::{self, Foreground};
use super::marks::Place;
use super::nonce::Nonce;
use super::prompt::{self, Kind, Prompts};
use super::screen::Screen;
use super::secret::Secret;

/// Output that paused this long has settled. A prompt is written in one piece; a pause inside it is a lost packet's.
pub(crate) const SETTLE: Duration = Duration::from_millis(80);
/// A command that runs this long is reported once while it runs (contract).
pub(crate) const LONG_RUN: Duration = Duration::from_secs(5);
/// A key with no echo for this long, after a line that ends as a question, is a secret. Longer than a slow link's echo.
const NO_ECHO: Duration = Duration::from_millis(700);
/// Keys answered by Enter this long ago are not echoed behind a new prompt any more: a program read them.
const AHEAD: Duration = Duration::from_secs(2);
/// Of what another host printed before its first prompt, this much is read for its banner.
const MAX_GREETING: usize = 8 * 1024;
/// Events kept for a caller that does not take them; the oldest go first. With 64 KiB of output each: 8 MiB.
const MAX_EVENTS: usize = 128;

/// What the user's side did.
#[derive(Debug, Clone)]
pub enum Input<'a> {
    /// Something was typed; what, is not looked at.
    Text,
    Enter,
    /// `^C` or `^D`.
    Interrupt,
    /// A command that aissh typed in, with Enter.
    Sent {
        command: &'a str,
        origin: Origin,
    },
    /// The line of the shell integration was typed, with Enter: marks with this nonce are trusted from now on.
    Integrate {
        line: &'a str,
        nonce: Nonce,
    },
    /// The PTY's line does not echo (ICANON without ECHO): ssh itself asks for a secret.
    LocalSecret(bool),
}

#[derive(Debug)]
enum Phase {
    Unknown,
    Ready(Ready),
    Running(Running),
    /// A command ended, or an empty line was entered: the prompt comes.
    Between,
}

/// A prompt that waits.
#[derive(Debug)]
struct Ready {
    /// `None` when keys were typed ahead and the prompt is not known: the input's begin cannot be told.
    start: Option<Start>,
    /// The prompt's own text.
    text: String,
    kind: Kind,
    /// The line editor turns bracketed paste off when it accepts; else the cursor's leaving the line tells.
    paste: bool,
    /// Something was typed since, or ahead.
    touched: bool,
    /// `^C` or `^D` was typed: the line's next end may be theirs.
    interrupted: bool,
    /// The cursor's line when Enter was typed.
    enter_line: u64,
}

/// A prompt is being printed.
#[derive(Debug)]
struct Pending {
    edge: Edge,
    kind: Kind,
    paste: bool,
}

#[derive(Debug)]
struct Sent {
    command: String,
    origin: Origin,
    /// Sent while a command ran: what the shell then reads may be something else.
    ahead: bool,
}

/// The tracker. Feed it in stream order; `Observer` does.
#[derive(Debug)]
pub(crate) struct Tracker {
    phase: Phase,
    pending: Option<Pending>,
    /// In Unknown: where input began, should that turn out to be a prompt.
    candidate: Option<Start>,
    prompts: Prompts,
    beliefs: Beliefs,
    secret: Secret,
    dialects: Dialects,
    /// The place in the last window title, until the next command.
    title: Option<Place>,
    /// The command that ended last, and the end of its output, for what they tell of the dialect.
    ended: Option<(Option<String>, String)>,
    /// What a command that has paused seems to wait for.
    foreground: Option<Foreground>,
    facts: Facts,
    alternate: bool,
    /// Enter was typed and not answered.
    enter: bool,
    /// And once more, for what comes after.
    enter_ahead: bool,
    /// Keys were typed while no prompt was known to wait.
    typed_ahead: bool,
    typed_at: Option<Instant>,
    /// Of those, some since the last Enter: a `^C` then may be meant for them.
    ahead_line: bool,
    /// It was typed.
    ahead_interrupt: bool,
    sent: Option<Sent>,
    /// 633;E's text for the command that comes.
    announced: Option<String>,
    /// What trusted marks carry, once the integration was sent.
    nonce: Option<Nonce>,
    /// The `aid` of the last prompt.
    aid: Option<String>,
    /// The line that keys were typed on, if anything stood there.
    typed_on: Option<u64>,
    unechoed: Option<Instant>,
    quiet_at: Option<Instant>,
    events: VecDeque<ShellEvent>,
}

impl Tracker {
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Unknown,
            pending: None,
            candidate: None,
            prompts: Prompts::default(),
            beliefs: Beliefs::default(),
            secret: Secret::default(),
            dialects: Dialects::default(),
            title: None,
            ended: None,
            foreground: None,
            facts: Facts::default(),
            alternate: false,
            enter: false,
            enter_ahead: false,
            typed_ahead: false,
            typed_at: None,
            ahead_line: false,
            ahead_interrupt: false,
            sent: None,
            announced: None,
            nonce: None,
            aid: None,
            typed_on: None,
            unechoed: None,
            quiet_at: None,
            events: VecDeque::new(),
        }
    }

    pub(crate) fn state(&self) -> State {
        if self.secret.local {
            return State::Secret;
        }
        match &self.phase {
            _ if self.alternate => State::FullScreen,
            _ if self.secret.is_on() => State::Secret,
            Phase::Unknown | Phase::Running(_) if self.foreground.is_some() => match self.foreground {
                Some(Foreground::Program) => State::Program,
                _ => State::Waiting,
            },
            Phase::Unknown => State::Unknown,
            Phase::Ready(_) => State::AtPrompt,
            Phase::Running(running) if running.tentative.is_some() => State::Unknown,
            Phase::Running(_) | Phase::Between => State::Running,
        }
    }

    /// Where a prompt waits, or that is not known: whether something stands on the remote's line already, or was typed
    /// and has not been answered. What is sent now would join it.
    pub(crate) fn line_is_taken(&self, screen: &impl Screen, now: Instant) -> bool {
        if self.enter || self.typed_ahead {
            return true;
        }
        match &self.phase {
            Phase::Ready(ready) => {
                let not_echoed = ready.touched && self.typed_at.is_some_and(|at| now < at + NO_ECHO);
                not_echoed
                    || ready.start.as_ref().is_some_and(|start| {
                        let line = screen.line_text(start.line).unwrap_or_default();
                        start.typed(&line) != Some("")
                    })
            }
            Phase::Unknown => self.candidate.is_some(),
            Phase::Running(_) | Phase::Between => false,
        }
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// A text of the screen without the secrets that were echoed into it.
    pub(crate) fn hide_secrets(&self, text: String) -> String {
        self.secret.hide(text)
    }

    pub(crate) fn take_events(&mut self) -> Vec<ShellEvent> {
        self.events.drain(..).collect()
    }

    /// When `tick` has something to do.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let long = match &self.phase {
            Phase::Running(r) if !r.reported && !r.continuing && r.tentative.is_none() => {
                Some(r.since + LONG_RUN)
            }
            _ => None,
        };
        [self.quiet_at, long, self.unechoed.map(|t| t + NO_ECHO)].into_iter().flatten().min()
    }

    /// The answer to Enter is the cursor's leaving the line: the screen is wanted at the next LF, before more.
    pub(crate) fn wants_line_end(&self) -> bool {
        let waits = match &self.phase {
            Phase::Ready(ready) => !ready.paste,
            Phase::Unknown => self.candidate.is_some(),
            _ => false,
        };
        self.enter && waits && !self.alternate
    }

    /// Bytes were printed, and the screen shows them.
    pub(crate) fn printed(&mut self, screen: &impl Screen, now: Instant) {
        self.quiet_at = Some(now + SETTLE);
        (self.unechoed, self.foreground) = (None, None);
        if self.alternate {
            return;
        }
        let (line, before) = (screen.cursor_line(), screen.text_before_cursor());
        let own = matches!(self.phase, Phase::Ready(_)) || self.typed_on == Some(line);
        if let Some(asked) = self.secret.line().filter(|asked| *asked != line) {
            self.secret.left(&screen.line_text(asked).unwrap_or_default());
        }
        // Output may end in such a word without a newline.
        let is_prompt = |answer: &str| self.prompts.matched(answer, Kind::Paste).is_some();
        if self.secret.answer(line, &before).is_some_and(is_prompt) {
            self.secret.was_none();
        }
        self.secret.look(line, &before, !own);
        if self.wants_line_end() {
            self.left_line(screen, line, now);
        }
        self.look_at_foreground(&before);
    }

    /// Output went by unread. Where lines were typed ahead, the command that runs now may be another one, and whether
    /// an Enter was answered is not known.
    pub(crate) fn skipped(&mut self) {
        let was_read = match &mut self.phase {
            Phase::Running(running) if running.enters => {
                running.command = None;
                true
            }
            Phase::Ready(_) if self.enter => {
                self.phase = Phase::Unknown;
                true
            }
            _ => false,
        };
        if was_read {
            (self.enter, self.enter_ahead, self.pending, self.candidate) = (false, false, None, None);
        }
    }

    /// One for all that a `feed` printed.
    pub(crate) fn tell_output(&mut self) {
        if self.events.back() != Some(&ShellEvent::Output) {
            self.tell(ShellEvent::Output);
        }
    }

    pub(crate) fn tick(&mut self, screen: &impl Screen, now: Instant) {
        if self.quiet_at.is_some_and(|at| at <= now) {
            self.quiet_at = None;
            self.settle(screen, now);
        }
        if self.unechoed.is_some_and(|t| t + NO_ECHO <= now) {
            self.unechoed = None;
            if !self.alternate {
                self.secret.begin(screen.cursor_line(), &screen.text_before_cursor());
            }
        }
        self.report_long_run(screen, now);
    }

    /// Output has paused: what stands before the cursor may be a prompt.
    fn settle(&mut self, screen: &impl Screen, now: Instant) {
        if self.alternate || self.secret.is_on() {
            return self.tell_started();
        }
        if self.pending.is_some() {
            self.forget_old_keys(now);
            self.resolve(screen);
        } else if matches!(self.phase, Phase::Ready(_)) {
            self.find_prompt_again(screen);
        } else {
            self.recognise(screen, now);
        }
        self.tell_started();
    }

    /// What runs may wait for a key, or for a line of its own language.
    fn look_at_foreground(&mut self, before_cursor: &str) {
        let (command, shells) = match &self.phase {
            Phase::Running(running) if !running.continuing => {
                let command = running.command.as_deref();
                (command, running.tentative.is_some() || opens_shell(command))
            }
            Phase::Unknown => (None, true),
            _ => return,
        };
        self.foreground = foreground::read(before_cursor, command, shells);
    }

    /// A prompt that is not known yet is told from keys typed ahead only when those can have left no echo.
    fn forget_old_keys(&mut self, now: Instant) {
        let Some(typed) = self.typed_at.filter(|_| self.typed_ahead && !self.ahead_line) else { return };
        if typed + AHEAD <= now {
            self.typed_ahead = false;
        } else {
            self.quiet_at = Some(typed + AHEAD);
        }
    }

    /// Without marks and mode changes: by the text alone.
    fn recognise(&mut self, screen: &impl Screen, now: Instant) {
        let text = screen.text_before_cursor();
        let matched = self.prompts.matched(&text, Kind::Text);
        let is_form = prompt::is_form(&text);
        let line = screen.cursor_line();
        let mode = self.dialects.is_mode_of_last(&text);
        let is_prompt = match &mut self.phase {
            Phase::Running(running) => match &running.tentative {
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
                    let greets =
                        || is_greeting(&screen.text_from(running.out_from, line, MAX_GREETING), &text);
                    let nested = opens_shell(running.command.as_deref());
                    (nested && (is_form || greets())).then_some(0)
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
        self.prompt_is(screen, text, &edge, Kind::Text);
        // A line begun before the prompt came stands before it, or comes behind it later: it cannot be read.
        let start = (!self.ahead_line).then(|| Start::at_cursor(screen));
        if self.typed_ahead && start.is_some() {
            self.learn(text, Kind::Text, line, screen);
        }
        self.ready(start, text, Kind::Text, false);
    }

    /// A prompt waits from now on.
    fn ready(&mut self, start: Option<Start>, text: &str, kind: Kind, paste: bool) {
        if kind != Kind::Mark {
            self.facts.trusted = false;
        }
        if let Some(place) = prompt::place(text) {
            self.beliefs.claim(place, Source::Prompt);
        }
        self.beliefs.prompt();
        self.beliefs.write(&mut self.facts);
        if !matches!(self.phase, Phase::Ready(_)) {
            self.tell(ShellEvent::Prompt);
        }
        // An Enter that was typed ahead is read by the line editor; without one the kernel's echo has used it up.
        self.enter &= paste;
        if !paste {
            self.sent = None;
        }
        let touched = std::mem::take(&mut self.typed_ahead);
        let interrupted = std::mem::take(&mut self.ahead_interrupt);
        self.ahead_line = false;
        (self.pending, self.candidate, self.typed_on, self.quiet_at) = (None, None, None, None);
        let (text, enter_line) = (text.to_owned(), start.as_ref().map_or(0, |s| s.line));
        self.phase = Phase::Ready(Ready { start, text, kind, paste, touched, interrupted, enter_line });
    }

    fn tell(&mut self, event: ShellEvent) {
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}
