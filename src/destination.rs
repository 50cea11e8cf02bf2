//! The host that an ssh command line is about, as ssh resolves it. Connects to nothing, and runs no `Match exec`.

use crate::error::{Error, status};
use crate::ssh::config_scan::scan;
use crate::ssh::find::{self, FindError};
use crate::ssh::{Facts, Invocation, Places};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where an ssh command line leads to.
pub(crate) struct Destination {
    /// What the command line alone says.
    given: Facts,
    /// What ssh says; why not, where it could not be asked.
    pub(crate) resolved: Result<Facts, &'static str>,
}

impl Destination {
    /// `None` where there are no arguments; those without a host are a mistake.
    pub(crate) fn of(args: &[OsString], ssh: Option<&Path>) -> Result<Option<Self>, Error> {
        if args.is_empty() {
            return Ok(None);
        }
        let invocation = Invocation::parse(args);
        if invocation.host.is_none() || invocation.usage_error {
            return Err(Error::new(status::USAGE, "ssh options and a destination are expected here"));
        }
        let given = Facts::from_invocation(&invocation);
        let resolved = resolve(args, &invocation, ssh);
        Ok(Some(Self { given, resolved }))
    }

    /// The host as it was written.
    pub(crate) fn given(&self) -> Option<&str> {
        self.given.host.as_deref()
    }

    /// The names that it goes by.
    pub(crate) fn names(&self) -> Vec<&str> {
        let resolved = self.resolved.as_ref().ok();
        let names = [self.given(), resolved.and_then(|facts| facts.hostname.as_deref())];
        names.into_iter().flatten().collect()
    }
}

/// The real ssh, to be run from here on. To be called once, while there is one thread: what it runs may be a script that
/// leads back to aissh, which is then to look further.
pub(crate) fn real_ssh() -> Result<PathBuf, FindError> {
    let found = find::find()?;
    found.leave_trail();
    Ok(found.path)
}

fn resolve(args: &[OsString], invocation: &Invocation, ssh: Option<&Path>) -> Result<Facts, &'static str> {
    let ssh = ssh.ok_or("there is no ssh to ask")?;
    let scan = scan(invocation, &Places::of_user());
    if scan.has_match_exec {
        return Err("ssh's configuration has a Match exec, which is not run unasked");
    }
    Facts::ask(ssh, args, scan).ok_or("ssh -G gave no answer")
}
