//! Directory, user and host: what was claimed, by what, and for how long that holds.
//!
//! A claim lasts until the next prompt. One made by a mark that shells send only on change (OSC 7) lasts longer, but
//! never over a command that may have changed shell, user or host.

use super::facts::Facts;
use super::marks::Place;

/// First words (or words after `sudo`) with which another shell, user or host may take over, or the old one come back.
const OPENERS: [&str; 31] = [
    "sudo",
    "su",
    "doas",
    "run0",
    "pkexec",
    "ssh",
    "mosh",
    "telnet",
    "nc",
    "vtysh",
    "pwsh",
    "bash",
    "sh",
    "zsh",
    "fish",
    "dash",
    "ash",
    "ksh",
    "mksh",
    "csh",
    "tcsh",
    "docker",
    "podman",
    "kubectl",
    "lxc",
    "machinectl",
    "nsenter",
    "chroot",
    "newgrp",
    "exec",
    "exit",
];

/// Whether a command (unknown: yes) may leave us in front of another shell.
pub(crate) fn opens_shell(command: Option<&str>) -> bool {
    let Some(command) = command else { return true };
    command.split(|c: char| c.is_whitespace() || ";|&".contains(c)).any(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        OPENERS.contains(&name) || name == "logout"
    })
}

/// What makes a claim, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Prompt,
    Title,
    Mark,
}

#[derive(Debug)]
struct Belief {
    value: String,
    source: Source,
    /// Number of the prompt for which it was claimed.
    since: u64,
    lasting: bool,
}

/// The three facts about the place.
#[derive(Debug, Default)]
pub(crate) struct Beliefs {
    user: Option<Belief>,
    host: Option<Belief>,
    cwd: Option<Belief>,
    prompt: u64,
}

impl Beliefs {
    /// Takes a claim: one from a weaker source only where the stronger is from before the last command.
    pub(crate) fn claim(&mut self, place: Place, source: Source) {
        let since = self.prompt;
        let set = |slot: &mut Option<Belief>, value: Option<String>| {
            let Some(value) = value else { return };
            let weaker = slot.as_ref().is_some_and(|had| had.source > source && had.since == since);
            if !weaker {
                *slot = Some(Belief { value, source, since, lasting: source == Source::Mark });
            }
        };
        set(&mut self.user, place.user);
        set(&mut self.host, place.host);
        set(&mut self.cwd, place.cwd);
    }

    /// A command was accepted; what it may change has to be claimed anew.
    pub(crate) fn command(&mut self, may_change_shell: bool) {
        self.prompt += 1;
        if may_change_shell {
            for belief in [&mut self.user, &mut self.host, &mut self.cwd].into_iter().flatten() {
                belief.lasting = false;
            }
        }
    }

    /// The prompt is complete: what it did not renew is unknown.
    pub(crate) fn prompt(&mut self) {
        for slot in [&mut self.user, &mut self.host, &mut self.cwd] {
            if slot.as_ref().is_some_and(|b| !b.lasting && b.since < self.prompt) {
                *slot = None;
            }
        }
    }

    pub(crate) fn write(&self, facts: &mut Facts) {
        let value = |slot: &Option<Belief>| slot.as_ref().map(|b| b.value.clone());
        (facts.user, facts.host, facts.cwd) = (value(&self.user), value(&self.host), value(&self.cwd));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cwd(beliefs: &Beliefs) -> Option<String> {
        let mut facts = Facts::default();
        beliefs.write(&mut facts);
        facts.cwd
    }

    fn at(dir: &str) -> Place {
        Place { cwd: Some(dir.to_owned()), ..Place::default() }
    }

    #[test]
    fn a_title_is_believed_until_the_next_prompt_does_not_renew_it() {
        let mut beliefs = Beliefs::default();
        beliefs.claim(at("~"), Source::Title);
        beliefs.command(false);
        assert_eq!(cwd(&beliefs).as_deref(), Some("~"), "still true of the shell while the command runs");
        beliefs.prompt();
        assert_eq!(cwd(&beliefs), None);
    }

    #[test]
    fn a_mark_outlives_commands_that_cannot_change_the_shell() {
        let mut beliefs = Beliefs::default();
        beliefs.claim(at("/a"), Source::Mark);
        beliefs.claim(at("~"), Source::Prompt);
        beliefs.command(opens_shell(Some("ls -l")));
        beliefs.prompt();
        assert_eq!(cwd(&beliefs).as_deref(), Some("/a"));
        beliefs.command(opens_shell(Some("cd x && sudo -i")));
        beliefs.prompt();
        assert_eq!(cwd(&beliefs), None);
    }
}
