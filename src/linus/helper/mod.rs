//! Helper commands that the user configures: a Linus on stdio, the source of a token, a browser.
//!
//! A helper is a list of arguments and never goes through a shell. It runs in a session of its own without a
//! terminal, so it can neither read the user's keys nor write over the screen; it inherits three pipes and no
//! other descriptor, and of the environment only what is listed here. It never outlives its use: its whole process
//! group is killed at the end. What it prints and its arguments are in no error's text; its last line of complaint is.

mod error;
mod group;
mod launch;
mod output;

use std::ffi::{OsStr, OsString};

pub use error::HelperError;
pub(crate) use group::in_words;
pub use group::{Group, Killer};
pub(crate) use output::Tail;

/// What programs need to find their files, speak the user's language and reach the network and the keyring.
const PASSED: [&str; 27] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNUPGHOME",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
];
const PASSED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Agents that sign for whoever asks. No setting passes them on.
const NEVER: [&str; 3] = ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS"];

/// A command that may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper {
    argv: Vec<String>,
    environment: Vec<(OsString, OsString)>,
}

impl Helper {
    /// Checks `argv` (program and arguments) and takes its share of this process's environment. `also` names further
    /// variables that the user wants to be passed on. Nothing is run yet.
    pub fn new(argv: &[String], also: &[String]) -> Result<Self, HelperError> {
        Self::within(argv, also, std::env::vars_os())
    }

    fn within(
        argv: &[String],
        also: &[String],
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, HelperError> {
        let program = argv.first().map(String::as_str).unwrap_or_default();
        if program.trim().is_empty() {
            return Err(HelperError::Bad("the command is empty: name a program and its arguments".into()));
        }
        if argv.iter().any(|word| word.contains('\0')) {
            return Err(HelperError::Bad(format!("{program}: an argument has a NUL character")));
        }
        if let Some(never) = also.iter().find(|name| NEVER.contains(&name.as_str())) {
            return Err(HelperError::Bad(format!("{never} is never passed to a command")));
        }
        let environment = environment.filter(|(name, _)| is_passed(name, also)).collect();
        Ok(Self { argv: argv.to_vec(), environment })
    }

    /// The program's name as the user wrote it; arguments may hold what is nobody's business.
    pub fn program(&self) -> &str {
        self.argv.first().map(String::as_str).unwrap_or_default()
    }

    pub fn argv(&self) -> &[String] {
        &self.argv
    }
}

fn is_passed(name: &OsStr, also: &[String]) -> bool {
    let Some(name) = name.to_str() else { return false };
    PASSED.contains(&name)
        || PASSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || also.iter().any(|wanted| wanted == name)
}

#[cfg(test)]
mod tests;
