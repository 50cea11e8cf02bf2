//! How a shell's undo is timed: by systemd, by `at`, or by a shell that sleeps.

use super::derive::{Inverse, quote};
use super::{Asked, Cancel, Guard, Order, Proof, Timer, UNDO_HOLE};
use crate::linus::contract::Placeholder;
use crate::shell::{Dialect, is_interactive};
use crate::text::quote::fish;

/// Long enough to look around and to cancel it, short enough to wait for.
const MINUTES: u32 = 5;

/// What is known of the remote's means, from commands that ran in this session. Nothing is typed to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::copilot) struct Known {
    pub(in crate::copilot) systemd: Option<bool>,
    pub(in crate::copilot) at: Option<bool>,
}

impl Known {
    /// A command ended.
    pub(in crate::copilot) fn learn(&mut self, command: &str, output: &str, exit: Option<i32>) {
        if is_interactive(command) || ["exit", "logout"].contains(&command.trim()) {
            // Another machine's means, or another user's, are others.
            *self = Self::default();
            return;
        }
        let says = |words: &[&str]| words.iter().any(|word| output.contains(word));
        let missing = exit == Some(127) || says(&["not found"]);
        for name in command.split([' ', ';', '|', '&']) {
            match name {
                "systemctl" | "systemd-run" | "journalctl" | "loginctl" | "timedatectl" => {
                    let is_off = says(&["not been booted", "Failed to connect to bus"]);
                    self.systemd = Some(!missing && !is_off && output.trim() != "offline");
                }
                "at" | "atq" | "atrm" => self.at = Some(!missing && !says(&["Can't open"])),
                _ => {}
            }
        }
    }
}

/// The means to offer. Where it is not known which are there, both are.
fn means(dialect: Dialect, known: Known) -> Vec<Means> {
    // busybox's shell comes with neither.
    let systemd = known.systemd.or((dialect == Dialect::Ash).then_some(false));
    let at = known.at.or((dialect == Dialect::Ash).then_some(false));
    match (systemd, at) {
        (Some(true), _) => vec![Means::Systemd],
        (None, Some(true)) | (Some(false), Some(true)) => vec![Means::At],
        (None, None) => vec![Means::Systemd, Means::At],
        (None, Some(false)) => vec![Means::Systemd, Means::Sleep],
        (Some(false), None) => vec![Means::At, Means::Sleep],
        (Some(false), Some(false)) => vec![Means::Sleep],
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    Systemd,
    At,
    Sleep,
}

pub(super) fn guard(asked: &Asked<'_>, undo: Option<&Inverse>, sudo: bool) -> Guard {
    let timers = means(asked.dialect, asked.known);
    let timers = timers.into_iter().map(|means| timer(asked, means, undo, sudo)).collect();
    Guard { timers, note: None }
}

fn timer(asked: &Asked<'_>, means: Means, undo: Option<&Inverse>, sudo: bool) -> Timer {
    let (dialect, tag) = (asked.dialect, asked.tag);
    let hole = format!("<{UNDO_HOLE}>");
    let quoted = |text: &str| in_quotes(text, dialect);
    let prefix = if sudo { "sudo " } else { "" };
    let what = |dollars: &str| {
        undo.map_or_else(|| hole.clone(), |inverse| quoted(&inverse.undo.replace('$', dollars)))
    };
    let (arms, cancel) = match means {
        // systemd-run(1) expands variables in what it is given; `$$` is its dollar.
        Means::Systemd => (
            format!("{prefix}systemd-run --on-active={MINUTES}min --unit={tag} sh -c {}", what("$$")),
            Cancel::Command(format!("{prefix}systemctl stop {tag}.timer")),
        ),
        Means::At => {
            (format!("echo {} | {prefix}at now + {MINUTES} minutes", what("$")), Cancel::AtJob { sudo })
        }
        Means::Sleep => {
            let sleeper = format!(
                "(trap \"\" HUP; sleep {}; sh -c \"$1\") > /dev/null 2>&1 < /dev/null &",
                MINUTES * 60
            );
            // The brackets keep the command from finding itself, the blank another timer whose number begins like this.
            let pattern = tag.strip_prefix('a').map_or_else(|| tag.to_owned(), |rest| format!("[a]{rest}"));
            (
                format!("{prefix}sh -c {} {tag} {}", quoted(&sleeper), what("$")),
                Cancel::Command(format!("{prefix}pkill -f {}", quoted(&format!("{pattern} ")))),
            )
        }
    };
    let prepare = undo.map(|inverse| inverse.prepare.join(" && ")).filter(|lines| !lines.is_empty());
    let prepare = prepare.map(|lines| match (sudo, dialect) {
        (false, Dialect::Fish) | (true, _) => format!("{prefix}sh -c {} && ", quoted(&lines)),
        (false, _) => format!("{lines} && "),
    });
    Timer {
        command: format!("{}{arms}", prepare.unwrap_or_default()),
        description: description(means, undo),
        placeholders: if undo.is_some() { Vec::new() } else { vec![own_undo()] },
        order: Order::Before,
        cancel,
        proof: match means {
            Means::Systemd => Proof::Says("Running timer as unit"),
            Means::At => Proof::Says("job "),
            Means::Sleep => Proof::Silence,
        },
    }
}

fn description(means: Means, undo: Option<&Inverse>) -> String {
    let what = undo.map_or_else(|| "your own undo".to_owned(), |inverse| inverse.undo.clone());
    let needs = match means {
        Means::Systemd => "Needs systemd.",
        Means::At => "Needs at and its daemon.",
        Means::Sleep => "Needs nothing more than a shell.",
    };
    format!(
        "Timed undo, to be sent first: in {MINUTES} minutes it runs {what}, unless it is cancelled. {needs}"
    )
}

fn own_undo() -> Placeholder {
    Placeholder {
        name: UNDO_HOLE.into(),
        description: "the command that takes the change back".into(),
        secret: false,
    }
}

/// One word for the user's shell.
fn in_quotes(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Fish => fish(text),
        _ => quote(text),
    }
}
