//! Wrap ssh, or become it: the decision of the whole program, as a pure function. What cannot be told for sure
//! becomes ssh, which is always right.

use std::ffi::OsStr;

use crate::ssh::facts::ConfigSays;
use crate::ssh::grammar::{Invocation, RequestTty, SessionType};

#[cfg(test)]
mod tests;

/// What surrounds the process when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings<'a> {
    /// Each is the *controlling* terminal: sshpass gives ssh another one.
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
    /// We are the terminal's foreground process group.
    pub foreground: bool,
    /// As nohup leaves it.
    pub sighup_ignored: bool,
    pub term: Option<&'a OsStr>,
    /// Columns and rows of the window.
    pub cells: (u16, u16),
    /// `AISSH=off`.
    pub off: bool,
    /// Inside a wrapped PTY already (`AISSH_WRAPPED`).
    pub nested: bool,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// `exec` the real ssh, with nothing touched.
    Become(Reason),
    /// Run it in a PTY of ours.
    Wrap,
}

/// Why ssh is not wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Information,
    UsageError,
    MuxCommand,
    StdioForward,
    NoSession,
    Subsystem,
    Fork,
    StdinNull,
    NoTty,
    Command,
    Off,
    Nested,
    Stdin,
    Stdout,
    Stderr,
    Background,
    HangupIgnored,
    DumbTerminal,
    TinyWindow,
    MatchExec,
    ConfigUnclear,
}

impl Reason {
    /// One line for `--check` and for whoever asks why there is no panel.
    pub fn text(self) -> &'static str {
        match self {
            Self::Information => "-V, -Q and -G only print something",
            Self::UsageError => "ssh does not accept this command line",
            Self::MuxCommand => "-O only talks to a running connection",
            Self::StdioForward => "-W connects standard input and output to a port",
            Self::NoSession => "-N (SessionType none) starts no shell",
            Self::Subsystem => "-s (SessionType subsystem) starts a subsystem",
            Self::Fork => "-f (ForkAfterAuthentication) sends ssh to the background",
            Self::StdinNull => "-n (StdinNull) leaves ssh without input",
            Self::NoTty => "-T (RequestTTY no) asks for no remote terminal",
            Self::Command => "a command without -t gets no remote terminal",
            Self::Off => "AISSH=off is set",
            Self::Nested => "this terminal is inside aissh already",
            Self::Stdin => "standard input is not this terminal",
            Self::Stdout => "standard output is not this terminal",
            Self::Stderr => "standard error is not this terminal",
            Self::Background => "it runs in the background",
            Self::HangupIgnored => "hangups are ignored (nohup)",
            Self::DumbTerminal => "TERM is dumb or not set",
            Self::TinyWindow => "the window is smaller than 2x2",
            Self::MatchExec => {
                "ssh_config has a word that may matter, and a Match exec that is not run unasked"
            }
            Self::ConfigUnclear => "ssh -G gave no answer for this configuration",
        }
    }
}

/// Decides. The configuration is asked last, and only when everything else says wrap.
pub fn decide(inv: &Invocation, around: &Surroundings<'_>, config: impl FnOnce() -> ConfigSays) -> Plan {
    if let Some(reason) = by_arguments(inv).or_else(|| by_surroundings(around)) {
        return Plan::Become(reason);
    }
    let reason = match config() {
        ConfigSays::Nothing => None,
        ConfigSays::MatchExec => Some(Reason::MatchExec),
        ConfigSays::NoAnswer => Some(Reason::ConfigUnclear),
        ConfigSays::Resolved(facts) => Session {
            request_tty: facts.request_tty,
            session_type: facts.session_type,
            stdin_null: facts.stdin_null,
            fork: facts.fork_after_authentication,
            command: inv.has_command() || facts.remote_command.is_some(),
        }
        .without_terminal(),
    };
    reason.map_or(Plan::Wrap, Plan::Become)
}

fn by_arguments(inv: &Invocation) -> Option<Reason> {
    let letters: [(&[u8], Reason); 5] = [
        // `-Z` (OpenSSH 10) prints public keys; the others are older.
        (b"VQGZ", Reason::Information),
        (b"O", Reason::MuxCommand),
        (b"W", Reason::StdioForward),
        (b"s", Reason::Subsystem),
        (b"N", Reason::NoSession),
    ];
    let given = letters.into_iter().find(|(set, _)| set.iter().any(|&letter| inv.has(letter)));
    if let Some((_, reason)) = given {
        return Some(reason);
    }
    if inv.usage_error {
        return Some(Reason::UsageError);
    }
    Session {
        request_tty: inv.request_tty,
        session_type: inv.session_type,
        stdin_null: inv.stdin_null,
        fork: inv.fork,
        command: inv.has_command(),
    }
    .without_terminal()
}

/// What of ssh's options says whether there is a remote terminal.
struct Session {
    request_tty: Option<RequestTty>,
    session_type: Option<SessionType>,
    stdin_null: Option<bool>,
    fork: Option<bool>,
    command: bool,
}

impl Session {
    /// ssh.c's decision about tty_flag, and what else makes a wrap useless.
    fn without_terminal(&self) -> Option<Reason> {
        match self.session_type {
            Some(SessionType::None) => return Some(Reason::NoSession),
            Some(SessionType::Subsystem) => return Some(Reason::Subsystem),
            Some(SessionType::Default) | None => {}
        }
        if self.fork == Some(true) {
            return Some(Reason::Fork);
        }
        if self.stdin_null == Some(true) {
            return Some(Reason::StdinNull);
        }
        match self.request_tty {
            Some(RequestTty::No) => Some(Reason::NoTty),
            Some(RequestTty::Yes | RequestTty::Force) => None,
            Some(RequestTty::Auto) | None => self.command.then_some(Reason::Command),
        }
    }
}

fn by_surroundings(around: &Surroundings<'_>) -> Option<Reason> {
    let dumb = around.term.is_none_or(|term| term.is_empty() || term == "dumb");
    let tiny = around.cells.0 < 2 || around.cells.1 < 2;
    [
        (around.off, Reason::Off),
        (around.nested, Reason::Nested),
        (!around.stdin, Reason::Stdin),
        (!around.stdout, Reason::Stdout),
        (!around.stderr, Reason::Stderr),
        (!around.foreground, Reason::Background),
        (around.sighup_ignored, Reason::HangupIgnored),
        (dumb, Reason::DumbTerminal),
        (tiny, Reason::TinyWindow),
    ]
    .into_iter()
    .find_map(|(holds, reason)| holds.then_some(reason))
}
