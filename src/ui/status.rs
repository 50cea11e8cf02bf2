//! The lines at the panel's foot: session, Linus, and what the keys do now.

use ratatui::text::{Line, Span};

use super::action::Focus;
use super::consent::Question;
use super::health::HealthLine;
use super::integration::Integration;
use super::leaves::Leaves;
use super::line::CONFIRMATION;
use super::paint::{ends, styled};
use super::policy::PolicyStatus;
use super::roster::Roster;
use super::view::View;
use crate::copilot::policy::Mode;
use crate::copilot::{Copilot, LinkState};
use crate::text::{sanitize, truncate, width};

/// What the session says of itself.
#[derive(Debug, Clone)]
pub struct Status {
    /// `user@host` as ssh resolved it.
    pub target: String,
    /// The network device's dialect, where it is one.
    pub device: Option<&'static str>,
    pub policy: PolicyStatus,
    /// Where not everything goes to Linus that would: the word for it.
    pub sharing: Option<&'static str>,
    /// What the panel asks before anything leaves.
    pub question: Option<Question>,
    /// What leaves, while that is looked at.
    pub leaves: Option<Leaves>,
    /// Sessions or agents, while those are looked at.
    pub roster: Option<Roster>,
    /// The host's, while it is watched.
    pub health: Option<HealthLine>,
    /// What the remote prints is recorded (`--record`).
    pub recording: bool,
    /// Input is not echoed: nothing is read, kept or sent meanwhile.
    pub secret: bool,
    /// The prefix as the user calls it (`Ctrl-\`).
    pub prefix: String,
    /// For the dialog of the shell integration.
    pub integration: Integration,
}

pub(super) fn session(status: &Status, view: &View, cols: usize) -> Line<'static> {
    let mut target = sanitize(&status.target).replace(['\n', '\t'], " ");
    if let Some(device) = status.device {
        target = format!("{target} ({device})");
    }
    if status.recording {
        // First, or it would be cut off with a long name.
        target = format!("● rec {target}");
    }
    let left = Span::styled(target, view.theme.plain());
    if status.secret {
        return ends(cols, left, Span::styled(" locked: secret input ", view.theme.selected()));
    }
    ends(cols, left, status.policy.name(view.theme))
}

pub(super) fn linus(status: &Status, copilot: &Copilot, view: &View, cols: usize) -> Line<'static> {
    let Some(word) = status.sharing else { return of_link(copilot, view, cols) };
    // The word is whole whatever the width; who Linus is and how he does, as far as there is room.
    let room = cols.saturating_sub(width(word) + 2);
    let mut line = of_link(copilot, view, room);
    let used: usize = line.spans.iter().map(|span| width(&span.content)).sum();
    line.spans.push(Span::raw(" ".repeat(cols.saturating_sub(used + width(word)))));
    line.spans.push(Span::styled(word, view.theme.warning()));
    line
}

fn of_link(copilot: &Copilot, view: &View, cols: usize) -> Line<'static> {
    let link = &copilot.link;
    let theme = view.theme;
    let name = if width("Linus: ") + width(link.peer()) <= cols {
        format!("Linus: {}", link.peer())
    } else {
        link.peer().to_owned()
    };
    match link.state() {
        LinkState::Offline => {
            let problem = link.problem().map(|p| format!(": {p}")).unwrap_or_default();
            let whole = format!("{name} offline{problem}");
            let line = if width(&whole) <= cols { whole } else { format!("Linus offline{problem}") };
            styled(truncate(&line, cols), theme.warning())
        }
        LinkState::Connecting => styled(truncate(&format!("{name}, connecting"), cols), theme.dim()),
        LinkState::Online => {
            let latency = link.latency().map(|l| format!("{} ms", l.as_millis())).unwrap_or_default();
            // The name comes first; how fast he is only if there is room.
            let latency = if width(&name) + 1 + width(&latency) <= cols { latency } else { String::new() };
            ends(cols, Span::styled(name, theme.dim()), Span::styled(latency, theme.dim()))
        }
    }
}

/// The notice if there is one, else the keys that matter now: as many as fit.
pub(super) fn hints(status: &Status, view: &View, copilot: &Copilot, cols: usize) -> Line<'static> {
    let theme = view.theme;
    // What is said of a card on the edit line stands beside it, whole.
    if let Some(notice) = view.notice.as_ref().filter(|_| !view.is_editing()) {
        return styled(truncate(notice, cols), theme.warning());
    }
    if let Some(countdown) = status.policy.countdown(copilot) {
        return styled(truncate(&countdown, cols), theme.selected());
    }
    let prefix = &status.prefix;
    let help = format!("{prefix} ? help");
    let enter = if status.policy.mode == Mode::Suggest { "Enter puts it on the line" } else { "Enter sends" };
    let hints: Vec<String> = match (view.focus(), view.is_editing()) {
        (Focus::Terminal, _) if view.is_looking_back() => {
            vec!["q leaves".into(), "/ searches".into(), "v y copy".into(), help]
        }
        (Focus::Terminal, _) => vec![format!("{prefix} Tab to type here"), help],
        (Focus::Panel, true) if view.confirm.is_some() => {
            vec![format!("Type {CONFIRMATION}, Enter"), "Esc back".into(), help]
        }
        (Focus::Panel, true) if view.is_answering() => {
            vec!["Enter fills it in".into(), "Esc back".into(), help]
        }
        (Focus::Panel, true) => {
            vec![enter.into(), "Esc leaves".into(), help, "Ctrl-X dismisses".into()]
        }
        (Focus::Panel, false) if view.drawn.asks => vec!["y or n, Enter".into(), help, "Esc back".into()],
        (Focus::Panel, false) if view.selected_file.is_some() => {
            vec!["Enter opens".into(), "Del dismisses".into(), help, "Esc back".into()]
        }
        (Focus::Panel, false) if view.selected.is_some() => {
            vec!["Enter edits".into(), "Del dismisses".into(), help, "Esc back".into()]
        }
        (Focus::Panel, false) => {
            let has_cards =
                copilot.suggestions.numbered().next().is_some() || copilot.files.open().next().is_some();
            let cards = has_cards.then(|| "↑↓ cards".to_owned());
            let mut hints = vec!["Enter asks".to_owned()];
            hints.extend(cards);
            hints.push(help);
            hints.push("Esc back".into());
            hints
        }
    };
    // Where there is no room for the line above, this is what says so.
    let mut line = if status.policy.is_auto() { "AUTO".to_owned() } else { String::new() };
    for hint in hints {
        let gap = if line.is_empty() { 0 } else { 2 };
        if width(&line) + gap + width(&hint) <= cols {
            line.push_str(&" ".repeat(gap));
            line.push_str(&hint);
        }
    }
    styled(line, theme.dim())
}
