//! The state machine: from marks, the line editor's mode changes, the screen's text and the user's keys to states,
//! facts and commands.
//!
//! It sees the screen at the moment of each signal, and never looks at typed bytes: a command is what the screen shows
//! when the remote answers Enter. What cannot be told stays unknown. It decides nothing and permits nothing.

mod ends;
mod keys;
mod lineage;
mod recognise;
mod sights;
mod signals;
mod waits;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::beliefs::Beliefs;
use super::command::{Edge, Right, Running, Start};
use super::dialect::Dialects;
use super::facts::{Facts, Origin, ShellEvent, State};
use super::foreground::Foreground;
use super::habits::{Directories, Statuses};
use super::marks::Place;
use super::nonce::Nonce;
use super::prompt::{Kind, Prompts};
use super::screen::Screen;
use super::secret::Secret;
use lineage::Lineage;

/// Output that paused this long has settled. A prompt is written in one piece; a pause inside it is a lost packet's.
pub(crate) const SETTLE: Duration = Duration::from_millis(80);
/// A command that runs this long is reported once while it runs (contract).
pub(crate) const LONG_RUN: Duration = Duration::from_secs(5);
/// A key with no echo for this long, after a line that ends as a question, is a secret. Longer than a slow link's echo.
const NO_ECHO: Duration = Duration::from_millis(700);
/// Keys answered by Enter this long ago are not echoed behind a new prompt any more: a program read them.
const AHEAD: Duration = Duration::from_secs(2);
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
    /// `None` when keys were typed while the prompt may not have been whole: the input's begin cannot be told.
    start: Option<Start>,
    /// The prompt's own text, the last line of it, and how many are above that.
    text: String,
    lines: u64,
    kind: Kind,
    /// The line editor turns bracketed paste off when it accepts; else the cursor's leaving the line tells.
    paste: bool,
    /// Told by a pause and not by a mark: the rest of the prompt may still come.
    settled: bool,
    /// Something was typed since, or ahead.
    touched: bool,
    /// `^C` or `^D` was typed: the line's next end may be theirs.
    interrupted: bool,
    /// The cursor's line when Enter was typed.
    enter_line: u64,
    /// Enter was typed ahead: a line editor reads it, should its signal still come.
    enter_ahead: bool,
}

/// A prompt is being printed.
#[derive(Debug)]
struct Pending {
    /// Where it begins.
    edge: Edge,
    /// It is there: the line editor's signal comes after it (zsh).
    complete: bool,
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
    /// The last text typed at that may have been half of a prompt.
    doubted: Option<String>,
    /// All lines of the prompt that waits or waited last.
    shown: String,
    /// The right prompt seen last.
    right: Right,
    statuses: Statuses,
    directories: Directories,
    beliefs: Beliefs,
    /// The prompt at which the last command was accepted that may open another shell, and what was known there; and
    /// those under which another shell was opened.
    here: Option<(String, Beliefs)>,
    outer: Vec<(String, Beliefs)>,
    /// The command that ended and the last part of its output, until its prompt is there; and whether it was one that
    /// leaves a shell.
    ended: Option<(Option<String>, String)>,
    leaving: bool,
    lineage: Lineage,
    /// A title that came while a command ran. It may be that command's.
    title: Option<Place>,
    /// 3008's ids of the shells that are open, and of what took over, with what was known before.
    shells: Vec<String>,
    contexts: Vec<(String, Beliefs)>,
    secret: Secret,
    /// The line on which a secret is asked for, and whether Enter was typed after it.
    question: Option<u64>,
    answered: bool,
    dialects: Dialects,
    /// The place in the last window title, until the next command.
    titled: Option<Place>,
    /// What a command that has paused seems to wait for.
    foreground: Option<Foreground>,
    facts: Facts,
    /// What was known at the first prompt.
    login: Option<Box<Facts>>,
    alternate: bool,
    /// Enter was typed and not answered.
    enter: bool,
    /// And once more, for what comes after.
    enter_ahead: bool,
    /// `enter` was typed before the prompt that waits, and may have been read by what ran then: until when it may still
    /// be answered.
    old_enter: Option<Instant>,
    /// Keys were typed while no prompt was known to wait.
    typed_ahead: bool,
    typed_at: Option<Instant>,
    /// Of those, some since the last Enter: a `^C` then may be meant for them.
    ahead_line: bool,
    /// It was typed.
    ahead_interrupt: bool,
    sent: Option<Sent>,
    /// Where all below was erased since the last line was accepted: zsh prints its prompt there.
    erased: Option<Edge>,
    /// The cursor was asked for: busybox's line editor, which shows `?` for what it takes for too wide.
    masks: bool,
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
            doubted: None,
            shown: String::new(),
            right: Right::default(),
            statuses: Statuses::default(),
            directories: Directories::default(),
            beliefs: Beliefs::default(),
            here: None,
            outer: Vec::new(),
            ended: None,
            leaving: false,
            lineage: Lineage::default(),
            title: None,
            shells: Vec::new(),
            contexts: Vec::new(),
            secret: Secret::default(),
            question: None,
            answered: false,
            dialects: Dialects::default(),
            titled: None,
            foreground: None,
            facts: Facts::default(),
            login: None,
            alternate: false,
            enter: false,
            enter_ahead: false,
            old_enter: None,
            typed_ahead: false,
            typed_at: None,
            ahead_line: false,
            ahead_interrupt: false,
            sent: None,
            erased: None,
            masks: false,
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
                    || ready.start.as_ref().map_or(ready.touched, |start| {
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

    /// What was known at the first prompt of all.
    pub(crate) fn login(&self) -> Option<&Facts> {
        self.login.as_deref()
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
        [self.quiet_at, long, self.unechoed.map(|t| t + NO_ECHO), self.old_enter].into_iter().flatten().min()
    }

    /// The answer to Enter is the cursor's leaving the line: the screen is wanted at the next LF, before more.
    pub(crate) fn wants_line_end(&self) -> bool {
        let waits = match &self.phase {
            Phase::Ready(ready) => self.enter && !ready.paste,
            Phase::Unknown => self.enter && self.candidate.is_some(),
            Phase::Running(running) => running.on_line,
            Phase::Between => false,
        };
        waits && !self.alternate
    }

    /// Bytes were printed, up to the end of a line or not, and the screen shows them.
    pub(crate) fn printed(&mut self, line_ended: bool, screen: &impl Screen, now: Instant) {
        self.quiet_at = Some(now + SETTLE);
        (self.unechoed, self.foreground) = (None, None);
        if self.alternate {
            return;
        }
        let last = screen.last_before_cursor();
        // This is called for every chunk of a flood. A question ends in a sign, and so it is read only then.
        if self.secret.is_on() || last.is_some_and(|c| !c.is_alphanumeric()) {
            self.look_for_question(screen);
        }
        if self.wants_line_end() {
            let line = screen.cursor_line();
            match &mut self.phase {
                // zsh may have drawn prompt and line anew before it, in fewer rows.
                Phase::Running(running) if line_ended => {
                    (running.on_line, running.out_from) = (false, running.out_from.min(line));
                }
                Phase::Running(_) => {}
                _ => self.left_line(screen, line, now),
            }
        }
        if last.is_some() {
            self.look_at_foreground(screen);
        }
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
        // What it stands for has gone by.
        self.erased = None;
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
        if self.old_enter.take_if(|at| *at <= now).is_some() {
            self.forget_read_enter(screen);
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
        } else if let Phase::Ready(ready) = &self.phase {
            // The line was never answered, and another shell's prompt is there: ssh was cut off.
            let text = screen.text_before_cursor();
            let moved = ready.start.as_ref().is_some_and(|s| s.line < screen.cursor_line());
            let other = moved
                && !Prompts::same_shape(&ready.text, &text)
                && self.prompts.matched(&text, Kind::Text, 0) == Some(0);
            if other {
                self.dropped();
                self.recognise(screen, now);
            } else {
                self.find_prompt_again(screen);
            }
        } else {
            self.recognise(screen, now);
        }
        self.tell_started();
    }

    /// The prompt waits, and nothing came of an Enter that was typed before it: a program read it (`read`, `input()`).
    fn forget_read_enter(&mut self, screen: &impl Screen) {
        let Phase::Ready(Ready { start: Some(start), .. }) = &self.phase else { return };
        let line = screen.line_text(start.line).unwrap_or_default();
        if start.typed(&line) == Some("") {
            (self.enter, self.enter_ahead, self.typed_ahead, self.ahead_line) = (false, false, false, false);
        }
    }

    fn tell(&mut self, event: ShellEvent) {
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}
