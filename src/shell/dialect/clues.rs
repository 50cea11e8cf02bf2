//! From what stands around a prompt to the dialect of what prompts: pure, one prompt after the other.
//!
//! A dialect belongs to a prompt, so that the shell that comes back after `exit` is known at once.

use super::form::{Form, Prompt};
use super::{Clue, Dialect, words};

/// Prompts remembered: the login shell's, and a few of nested ones.
const MAX_KNOWN: usize = 8;
/// RouterOS menus that are no directories of a Unix root.
const MENUS: [&str; 8] = ["ip", "ipv6", "interface", "routing", "queue", "ppp", "radius", "mpls"];

/// One prompt, and what came before it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sight<'t> {
    /// The prompt's own text.
    pub(crate) prompt: &'t str,
    /// The line above it.
    pub(crate) above: &'t str,
    /// The command before it, where it can be told.
    pub(crate) command: Option<&'t str>,
    /// Another shell or device may have begun: what was printed may be its banner.
    pub(crate) fresh: bool,
    /// What was printed since, plain.
    pub(crate) printed: &'t str,
    pub(crate) editor: Editor,
}

/// What the line editor's modes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Editor {
    #[default]
    None,
    /// Bracketed paste came up behind the prompt: zle.
    AfterPrompt,
    /// It came up before, and the window's title is the prompt's `user@host: dir`: the bash of Debian, RHEL and
    /// those who took from them.
    TitledPrompt,
}

#[derive(Debug)]
struct Known {
    prompt: String,
    claim: Option<(Dialect, Clue)>,
}

/// The dialects of this session's prompts, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Dialects {
    known: Vec<Known>,
    /// fish 4's mark at the begin of its prompts was seen.
    click_events: bool,
}

impl Dialects {
    /// What prompts now, and what told.
    pub(crate) fn now(&self) -> Option<(Dialect, Clue)> {
        self.known.last().and_then(|k| k.claim)
    }

    /// Whether `text` is a prompt of the device that prompted last, in another mode.
    pub(crate) fn is_mode_of_last(&self, text: &str) -> bool {
        self.known.last().is_some_and(|last| is_mode_of(&last.prompt, text))
    }

    /// A mark of the shell that prompts now, or is about to.
    pub(crate) fn mark(&mut self, payload: &[u8]) {
        let Ok(text) = std::str::from_utf8(payload) else { return };
        let mut claim = None;
        // fish 4 sends both, and by itself; integrations of terminals send one of them.
        if text.starts_with("133;A;click_events=1") {
            self.click_events = true;
        } else if text.starts_with("133;C;cmdline_url=") && self.click_events {
            claim = Some((Dialect::Fish, Clue::Mark));
        } else if let Some(version) = text.strip_prefix("1337;ShellIntegrationVersion=") {
            claim = version.split_once("shell=").and_then(|(_, shell)| words::named(shell));
        }
        if let (Some(_), Some(last)) = (claim, self.known.last_mut()) {
            last.claim = claim;
        }
    }

    /// A prompt stands there.
    pub(crate) fn see(&mut self, sight: &Sight<'_>, same_shape: fn(&str, &str) -> bool) {
        let before = self.known.last().map(|k| (k.prompt.clone(), k.claim));
        let here = |k: &Known| same_shape(&k.prompt, sight.prompt) || is_mode_of(&k.prompt, sight.prompt);
        let at = self.known.iter().rposition(here);
        let mut claim = match at.map(|at| self.known.remove(at)) {
            Some(known) => known.claim,
            // The same shell with another prompt: a branch, a directory.
            None if !sight.fresh => before.as_ref().and_then(|(_, claim)| *claim),
            None => None,
        };
        let was = before.as_ref().map(|(prompt, _)| prompt.as_str());
        for clue in evidence(sight, was).into_iter().flatten() {
            claim = Some(weigh(claim, clue));
        }
        if self.known.len() >= MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { prompt: sight.prompt.to_owned(), claim });
    }
}

/// What prompts at the end of a text that a terminal shows, by the prompts of the same device in it.
pub fn dialect_of(tail: &str) -> Dialect {
    let mut dialects = Dialects::default();
    let lines: Vec<&str> = tail.lines().collect();
    let Some(last) = lines.iter().rposition(|l| !l.trim().is_empty()) else { return Dialect::Unknown };
    let here = lines.get(last).copied().unwrap_or_default();
    let (mut command, mut since) = (None, 0);
    for (at, line) in lines.iter().enumerate().take(last + 1) {
        let Some((prompt, typed)) = split(line, here) else { continue };
        let printed = lines.get(since..at).unwrap_or_default().join("\n");
        let above = at.checked_sub(1).and_then(|a| lines.get(a)).copied().unwrap_or_default();
        let (fresh, editor) = (command.is_none(), Editor::None);
        dialects.see(&Sight { prompt, above, command, fresh, printed: &printed, editor }, |a, b| a == b);
        (command, since) = (Some(typed), at + 1);
    }
    dialects.now().map(|(dialect, _)| dialect).unwrap_or_default()
}

/// A line's prompt, if it is one of the device whose prompt is `here`, and what follows it.
fn split<'l>(line: &'l str, here: &str) -> Option<(&'l str, &'l str)> {
    let ends = line.match_indices(['#', '>', ']', '$']).map(|(at, sign)| at + sign.len());
    ends.filter_map(|end| line.split_at_checked(end)).find_map(|(prompt, typed)| {
        (prompt.trim_end() == here.trim_end() || is_mode_of(prompt, here)).then_some((prompt, typed.trim()))
    })
}

/// Whether the two are prompts of one device in two modes.
pub(crate) fn is_mode_of(known: &str, text: &str) -> bool {
    match (Prompt::read(known), Prompt::read(text)) {
        (Some(a), Some(b)) => a.is_sibling(&b),
        _ => false,
    }
}

/// The better of what was known and what is seen now.
fn weigh(had: Option<(Dialect, Clue)>, seen: (Dialect, Clue)) -> (Dialect, Clue) {
    let Some(had) = had else { return seen };
    if had.0 == seen.0 {
        return (had.0, had.1.min(seen.1));
    }
    let narrows = seen.0.is_family() && seen.0.family() == had.0.family();
    let refines = had.0 == seen.0.family();
    if narrows && !had.0.is_family() || !refines && seen.1 > had.1 { had } else { seen }
}

/// All that this prompt tells, weakest first.
fn evidence(sight: &Sight<'_>, before: Option<&str>) -> [Option<(Dialect, Clue)>; 4] {
    let device = Prompt::read(sight.prompt);
    let own = words::prompt(sight.prompt).map(|d| (d, Clue::Prompt));
    let banner = if sight.fresh { greeted(sight, device.as_ref()) } else { None };
    let editor = match sight.editor {
        Editor::AfterPrompt => Some((Dialect::Zsh, Clue::Mode)),
        Editor::TitledPrompt => Some((Dialect::Bash, Clue::Mode)),
        Editor::None => None,
    };
    let mode = device.and_then(|now| mode(&now, before.and_then(Prompt::read).as_ref(), sight));
    [own, banner, editor.or(mode.map(|d| (d, Clue::Mode))), said(sight, device.as_ref())]
}

/// A banner counts where the prompt has the form of whose banner it is: a message of the day may say anything.
fn greeted(sight: &Sight<'_>, device: Option<&Prompt<'_>>) -> Option<(Dialect, Clue)> {
    let found = sight.printed.lines().filter_map(words::banner).find(|d| fits(*d, sight.prompt, device));
    found.map(|d| (d, Clue::Banner))
}

/// Whether this dialect has prompts of that form.
fn fits(dialect: Dialect, prompt: &str, device: Option<&Prompt<'_>>) -> bool {
    let form = device.map(|d| d.form);
    match dialect.family() {
        Dialect::IosLike => form == Some(Form::Cisco),
        Dialect::JunosLike => form == Some(Form::UserHost),
        Dialect::VrpLike => form == Some(Form::Angle),
        Dialect::RouterOs => form == Some(Form::Menu),
        Dialect::FortiOs => form == Some(Form::Spaced),
        Dialect::Fish => prompt.trim_end().ends_with('>'),
        _ => true,
    }
}

/// A change between two prompts of one device that a shell's prompt does not make, after the command that makes it.
fn mode(now: &Prompt<'_>, before: Option<&Prompt<'_>>, sight: &Sight<'_>) -> Option<Dialect> {
    let before = before.filter(|b| b.is_sibling(now))?;
    let word = sight.command.and_then(|c| c.split_whitespace().next()).unwrap_or("");
    let typed = |whole: &str, least: usize| word.len() >= least && whole.starts_with(word);
    match now.form {
        Form::Cisco => {
            let deeper = now.mode.starts_with("config") && before.mode.is_empty() && typed("configure", 3);
            let within = now.mode.starts_with("config-") && before.mode.starts_with("config");
            let enabled = (before.sign, now.sign) == ('>', '#') && typed("enable", 2);
            (deeper || within && now.mode != before.mode || enabled).then_some(Dialect::IosLike)
        }
        Form::UserHost => {
            let edits = (before.sign, now.sign) == ('>', '#') && (typed("configure", 4) || typed("edit", 2));
            (edits && sight.above.trim().starts_with("[edit")).then_some(Dialect::JunosLike)
        }
        Form::Angle => {
            let opened = (before.sign, now.sign) == ('<', '[') && typed("system-view", 3);
            // Only VRP 8 has these signs.
            opened.then_some(if now.mode.is_empty() { Dialect::VrpLike } else { Dialect::Vrp })
        }
        Form::Menu => {
            let root = now.mode.trim_start_matches('/').split(['/', ' ']).next().unwrap_or("");
            let asked = word.trim_start_matches('/').split('/').next().unwrap_or("");
            let went = before.mode.is_empty() && MENUS.contains(&root) && !asked.is_empty();
            (went && root.starts_with(asked)).then_some(Dialect::RouterOs)
        }
        Form::Spaced => {
            let opened = before.mode.is_empty() && !now.mode.is_empty() && typed("config", 4);
            opened.then_some(Dialect::FortiOs)
        }
    }
}

/// What the last line says of the command, or `show version` of all.
fn said(sight: &Sight<'_>, device: Option<&Prompt<'_>>) -> Option<(Dialect, Clue)> {
    let command = sight.command?;
    let line = sight.printed.lines().rev().find(|l| !l.trim().is_empty())?;
    let shell = words::shell_refusal(command, line);
    let refused = words::device_refusal(command, line).filter(|d| fits(*d, sight.prompt, device));
    let mut asked = command.split_whitespace();
    let verb = asked
        .next()
        .is_some_and(|w| matches!(w, "sh" | "sho" | "show") || w.len() > 2 && "display".starts_with(w));
    let version = || {
        let about = asked.next().is_some_and(|w| w.len() > 2 && "version".starts_with(w));
        let told =
            || sight.printed.lines().filter_map(words::banner).find(|d| fits(*d, sight.prompt, device));
        (verb && about).then(told).flatten().filter(|d| d.is_device())
    };
    shell.or(refused).or_else(version).map(|d| (d, Clue::Message))
}
