//! Directory, user and host: what was claimed, by what, and for how long that holds.
//!
//! A claim lasts until the next prompt. One made by a mark that shells send only on change (OSC 7) lasts longer, but
//! never over a command that may have changed shell, user or host.

use super::facts::{Evidence, Facts};
use super::marks::Place;

/// First words (or words after `sudo`) with which another shell, user or host may take over, or the old one come back.
const OPENERS: [&str; 33] = [
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
    "unshare",
    "busybox",
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

/// Whether such a command may leave us in front of another shell although it names nothing for that to run: then the
/// first status told after it may be that shell's own, and not the command's.
pub(crate) fn is_interactive(command: &str) -> bool {
    command.split([';', '|', '&', '\n']).any(|part| {
        let words =
            part.split_whitespace().skip_while(|w| w.contains('=') || *w == "exec" || *w == "command");
        opens(&words.collect::<Vec<_>>())
    })
}

fn opens(words: &[&str]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let name = first.rsplit('/').next().unwrap_or(first).trim_start_matches('\\');
    let flags = |c: char| rest.iter().any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains(c));
    let has = |words: &[&str]| rest.iter().any(|w| words.contains(w));
    match name {
        "bash" | "sh" | "zsh" | "fish" | "dash" | "ash" | "ksh" | "mksh" | "csh" | "tcsh" => {
            !flags('c') && rest.iter().all(|w| w.starts_with('-'))
        }
        "su" => !flags('c') && !has(&["--command"]),
        "sudo" | "doas" | "run0" | "pkexec" => {
            let (own, run) = rest.split_at(own_options(rest));
            // Of a cluster too (`-ni`); what follows the command is the command's (`find -iname`).
            let opens_one = |w: &&str| !w.starts_with("--") && w.contains(['i', 's']) && w.starts_with('-');
            let named = own.iter().any(|w| ["--login", "--shell"].contains(w));
            named || own.iter().any(opens_one) || run.is_empty() || opens(run)
        }
        "ssh" | "mosh" | "telnet" | "machinectl" | "nsenter" | "chroot" | "unshare" | "newgrp" | "tmux"
        | "screen" => true,
        "nc" => true,
        // Its applets are commands as the others are.
        "busybox" => opens(rest),
        "vtysh" => !flags('c'),
        "pwsh" => !has(&["-c", "-Command", "-f", "-File", "-e", "-EncodedCommand"]),
        "docker" | "podman" | "kubectl" | "lxc" => has(&["exec", "run", "attach", "shell", "enter", "debug"]),
        _ => false,
    }
}

/// How many of the words are sudo's own (sudo(8): these letters take a value, attached or as the next word).
fn own_options(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|w| w.starts_with('-') && w.len() > 1 || w.contains('=')) {
        let takes = !word.starts_with("--") && !word.contains('=') && word.ends_with(VALUED);
        at += if takes { 2 } else { 1 };
    }
    at.min(words.len())
}

const VALUED: [char; 11] = ['C', 'D', 'g', 'h', 'p', 'R', 'r', 'T', 't', 'U', 'u'];

/// Whether such a command draws other shells' prompts itself, piece by piece.
pub(crate) fn is_multiplexer(command: &str) -> bool {
    command.split([';', '|', '&', ' ']).any(|word| matches!(word, "tmux" | "screen"))
}

/// What makes a claim, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Prompt,
    Title,
    Mark,
    Trusted,
}

impl Source {
    fn evidence(self) -> Evidence {
        match self {
            Self::Trusted => Evidence::Trusted,
            Self::Mark => Evidence::Mark,
            Self::Title => Evidence::Title,
            Self::Prompt => Evidence::Prompt,
        }
    }
}

#[derive(Debug, Clone)]
struct Belief {
    value: String,
    source: Source,
    /// Number of the prompt for which it was claimed.
    since: u64,
    lasting: bool,
}

/// The three facts about the place.
#[derive(Debug, Default, Clone)]
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
                let belief = Belief { value, source, since, lasting: source >= Source::Mark };
                // Our own mark says so of a directory that it cannot spell.
                *slot = Some(belief).filter(|belief| !belief.value.is_empty());
            }
        };
        // Another host's user and directory are others too, where nothing says otherwise for this prompt.
        let moved = |had: &Belief| place.host.as_ref().is_some_and(|host| *host != had.value);
        if source >= Source::Mark && self.host.as_ref().is_some_and(moved) {
            for slot in [&mut self.user, &mut self.cwd] {
                *slot = slot.take().filter(|had| had.since == since);
            }
        }
        set(&mut self.user, place.user);
        set(&mut self.host, place.host);
        set(&mut self.cwd, place.cwd);
    }

    /// The shell from before came back: what it said of itself and nothing has replaced still holds.
    pub(crate) fn restore(&mut self, before: Self) {
        let since = self.prompt;
        let put = |slot: &mut Option<Belief>, had: Option<Belief>| {
            if slot.is_none() {
                *slot = had.map(|had| Belief { since, ..had });
            }
        };
        put(&mut self.user, before.user);
        put(&mut self.host, before.host);
        put(&mut self.cwd, before.cwd);
    }

    /// What took over has ended: all is as it was.
    pub(crate) fn back_to(&mut self, before: Self) {
        let prompt = self.prompt;
        *self = Self { prompt, ..Self::default() };
        self.restore(before);
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
        let evidence = |slot: &Option<Belief>| slot.as_ref().map(|b| b.source.evidence());
        (facts.user, facts.host, facts.cwd) = (value(&self.user), value(&self.host), value(&self.cwd));
        let sources = &mut facts.sources;
        (sources.user, sources.host) = (evidence(&self.user), evidence(&self.host));
        sources.cwd = evidence(&self.cwd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sudos_own_options_open_a_shell_and_those_of_its_command_do_not() {
        for opens in
            ["sudo -i", "sudo -ni", "sudo -u joe -i", "sudo --login", "sudo -s", "sudo", "sudo -u joe bash"]
        {
            assert!(is_interactive(opens), "{opens}");
        }
        for runs in [
            "sudo find /etc -size +50M",
            "sudo find / -iname x",
            "sudo -u joe ls -is",
            "sudo A=b ls -i",
            "sudo -n true",
            "sudo sh -c 'ls -i'",
        ] {
            assert!(!is_interactive(runs), "{runs}");
        }
    }

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
    fn a_directory_that_cannot_be_spelt_is_unknown_and_not_the_last_one() {
        let mut beliefs = Beliefs::default();
        beliefs.claim(at("/a"), Source::Mark);
        beliefs.claim(at(""), Source::Mark);
        assert_eq!(cwd(&beliefs), None);
    }

    #[test]
    fn commands_that_may_leave_us_in_another_shell_are_told_from_those_that_run_something() {
        for yes in
            ["bash", "exec zsh -l", "sudo -i", "sudo -su amy", "sudo", "sudo su -", "su - amy", "cd x; bash"]
        {
            assert!(is_interactive(yes), "{yes}");
        }
        for yes in ["nc router 23", "sudo vtysh", "pwsh -NoLogo"] {
            assert!(is_interactive(yes), "{yes}");
        }
        for yes in ["ssh web2", "docker exec -it db sh", "/bin/bash", "TERM=xterm ssh x"] {
            assert!(is_interactive(yes), "{yes}");
        }
        for no in
            ["ls", "sudo systemctl restart x", "bash x.sh", "sh -c true", "su -c id", "docker ps", "echo ssh"]
        {
            assert!(!is_interactive(no), "{no}");
        }
        for no in ["vtysh -c 'show version'", "sudo vtysh -c end", "pwsh -File x.ps1"] {
            assert!(!is_interactive(no), "{no}");
        }
    }

    #[test]
    fn another_host_has_other_users() {
        let mut beliefs = Beliefs::default();
        let on = |user: Option<&str>, host: &str| Place {
            user: user.map(str::to_owned),
            host: Some(host.to_owned()),
            cwd: None,
        };
        beliefs.claim(on(Some("joe"), "web1"), Source::Mark);
        beliefs.command(false);
        beliefs.claim(on(None, "db1"), Source::Mark);
        let mut facts = Facts::default();
        beliefs.write(&mut facts);
        assert_eq!((facts.user, facts.host.as_deref()), (None, Some("db1")));
        assert_eq!((facts.sources.user, facts.sources.host), (None, Some(Evidence::Mark)));
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
