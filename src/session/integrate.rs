//! The shell integration in a session: offered once in the chat, typed on the user's key, and what came of it.

use super::cards::{ECHO_WITHIN, Hindrance};
use super::{Session, Side};
use crate::control::line_keystrokes;
use crate::copilot::policy::Stop;
use crate::shell::{Dialect, Facts, Input, Shell, State};
use crate::terminal::pty::LineMode;
use crate::ui;
use std::time::{Duration, Instant};

/// How long the first trusted mark is waited for; over a slow link the line alone takes its time.
const MARK_WITHIN: Duration = Duration::from_secs(5);

/// The integration of this session, as far as it went.
#[derive(Default)]
pub(super) struct Integrating {
    /// A line was typed, and its shell has not marked a prompt yet.
    waits: Option<(Shell, Instant)>,
    /// The shell that it was typed into last.
    sent: Option<Shell>,
    /// User and host when the dialog was opened: what the user says yes to.
    bound: Option<Bound>,
    /// A command's status was not told.
    misses: bool,
    pub(super) was_offered: bool,
}

type Bound = (Option<String>, Option<String>);

fn bound(facts: &Facts) -> Bound {
    (facts.user.clone(), facts.host.clone())
}

impl Integrating {
    pub(super) fn until(&self) -> Option<Instant> {
        self.waits.map(|(_, until)| until)
    }

    /// A command ended, and nothing told its status.
    pub(super) fn note_miss(&mut self) {
        self.misses = true;
    }
}

impl Session {
    /// Types the integration's line into the session, or says why not.
    pub(super) fn integrate(&mut self, choice: Option<Shell>, now: Instant) {
        let line_mode = self.pty.line_mode();
        let paste = self.modes.bracketed_paste();
        let Some(side) = &mut self.side else { return };
        if side.dialect().is_device() {
            return side.panel.view.set_notice("Not sent: a network device takes no shell's text");
        }
        let Some(shell) = choice.or_else(|| side.shell()) else {
            return side.panel.view.set_notice("Which shell is it? Press its number first.");
        };
        let line = shell.line(&side.nonce);
        let keys = match side.integration_hindrance(shell, line_mode, now) {
            Some(why) => Err(why),
            None => line_keystrokes(&line, paste).map_err(|refusal| format!("Not sent: {}", refusal.text())),
        };
        let (keys, observer) = match (keys, side.watch.here()) {
            (Ok(keys), Some(observer)) => (keys, observer),
            (Err(why), _) => return side.panel.view.set_notice(&why),
            (Ok(_), None) => return,
        };
        observer.input(Input::Integrate { line: &line, nonce: side.nonce.clone() }, now);
        side.policy.stop(Stop::SentByUser);
        side.integrating.waits = Some((shell, now + MARK_WITHIN));
        side.integrating.sent = Some(shell);
        side.panel.view.close_dialog();
        side.remember(true);
        self.send_pty(&keys);
    }
}

impl Side {
    pub(super) fn decline_integration(&mut self) {
        self.remember(false);
    }

    fn remember(&mut self, yes: bool) {
        self.integrating.was_offered = true;
        let target = self.linus.target().to_owned();
        if let Err(e) = self.answers.set(&target, yes) {
            self.panel.view.set_notice(&format!("The answer is not kept for the next session: {e}"));
        }
    }

    /// The shell that reads there, by its own word or by how it looks.
    fn shell(&mut self) -> Option<Shell> {
        let observer = self.watch.here()?;
        self.integrating.sent.filter(|_| observer.facts().trusted).or(Shell::of(observer.dialect()))
    }

    fn dialect(&mut self) -> Dialect {
        self.watch.here().map(|observer| observer.dialect()).unwrap_or_default()
    }

    /// As for a card; and the shell must be the one that the dialog was opened on.
    fn integration_hindrance(&mut self, shell: Shell, line_mode: LineMode, now: Instant) -> Option<String> {
        let here = self.watch.here().map(|observer| bound(observer.facts()));
        let moved = here.is_some() && here != self.integrating.bound;
        self.integrating.bound = here;
        let hindrance = match self.hindrance(line_mode, now) {
            None if moved => Some(Hindrance::ToJudge("Another user or host has the prompt now".into())),
            None if self.state_is_unknown() => {
                Some(Hindrance::ToJudge("Perhaps no prompt waits there".into()))
            }
            hindrance => hindrance,
        };
        self.held_back("the integration", shell.name(), hindrance, "y types it anyway")
    }

    fn state_is_unknown(&mut self) -> bool {
        self.watch.here().is_none_or(|observer| observer.state() == State::Unknown)
    }

    /// What the dialog is to show, and what it is bound to from now on.
    pub(super) fn integration(&mut self) -> ui::Integration {
        let answer = self.answers.get(self.linus.target());
        let shell = self.shell();
        let Some(observer) = self.watch.here() else { return ui::Integration::default() };
        if !self.panel.view.has_dialog() {
            self.integrating.bound = None;
        } else if self.integrating.bound.is_none() {
            self.integrating.bound = Some(bound(observer.facts()));
        }
        ui::Integration { shell, dialect: observer.dialect(), is_on: observer.facts().trusted, answer }
    }

    /// Whether an echo is on its way that the panel is to take care of before it closes; not for long.
    pub(super) fn waits_for_echo(&mut self, now: Instant) -> bool {
        if let Some((_, until)) = &mut self.integrating.waits {
            *until = (*until).min(now + ECHO_WITHIN);
        }
        self.panel.echo.is_some() || self.integrating.waits.is_some()
    }

    /// Says so when the first trusted mark has come, or when none comes.
    pub(super) fn follow_integration(&mut self, now: Instant) {
        let Some((shell, until)) = self.integrating.waits else { return };
        let is_on =
            self.watch.here().is_some_and(|observer| !observer.has_echo() && observer.facts().trusted);
        if !is_on && now < until {
            return;
        }
        self.integrating.waits = None;
        if let Some(observer) = self.watch.here() {
            observer.keep_echo();
        }
        let name = shell.name();
        if !is_on && self.panel.closing {
            return;
        }
        self.copilot.chat.note(&if is_on {
            format!("Shell integration is on: {name} tells its exit statuses and directories.")
        } else {
            format!("No mark has come back. Perhaps it is not {name} that reads there.")
        });
        self.panel.dirty = true;
    }

    /// Tells once that more could be known here, where that is so and the user has not said no.
    pub(super) fn offer_integration(&mut self, prefix: &str) {
        if self.integrating.was_offered || !self.integrating.misses || !self.offers {
            return;
        }
        let answer = self.answers.get(self.linus.target());
        if answer == Some(false) || Shell::of(self.dialect()).is_none() {
            return;
        }
        self.integrating.was_offered = true;
        let used = if answer == Some(true) { " You used it here before." } else { "" };
        self.copilot.chat.note(&format!(
            "This shell does not tell exit statuses. {prefix} i shows the shell integration.{used}"
        ));
    }
}
