//! The host that an ssh command line is about, as ssh resolves it. Connects to nothing, and runs no `Match exec`.

use crate::error::{Error, status};
use crate::ssh::config_scan::scan;
use crate::ssh::{Facts, Invocation, Places, find};
use std::ffi::OsString;

/// Where an ssh command line leads to.
pub(crate) struct Destination {
    /// What the command line alone says.
    given: Facts,
    /// What ssh says; why not, where it could not be asked.
    pub(crate) resolved: Result<Facts, &'static str>,
}

impl Destination {
    /// `None` where there are no arguments; those without a host are a mistake.
    pub(crate) fn of(args: &[OsString]) -> Result<Option<Self>, Error> {
        if args.is_empty() {
            return Ok(None);
        }
        let invocation = Invocation::parse(args);
        if invocation.host.is_none() || invocation.usage_error {
            return Err(Error::new(status::USAGE, "ssh options and a destination are expected here"));
        }
        let given = Facts::from_invocation(&invocation);
        let resolved = resolve(args, &invocation);
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

fn resolve(args: &[OsString], invocation: &Invocation) -> Result<Facts, &'static str> {
    let ssh = find::find().map_err(|_| "there is no ssh to ask")?;
    let scan = scan(invocation, &Places::of_user());
    if scan.has_match_exec {
        return Err("ssh's configuration has a Match exec, which is not run unasked");
    }
    Facts::ask(&ssh.path, args, scan).ok_or("ssh -G gave no answer")
}
