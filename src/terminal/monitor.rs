//! The monitor: this binary again, between aissh and ssh, as sudo's `use_pty` does it.
//!
//! It is the session leader of the PTY and ssh is its foreground job. Without it ssh would be an orphaned
//! process group, in which the kernel discards the stops of `~^Z` and ^Z. It talks to aissh by its own process
//! status alone: it stops when ssh stops, exits as ssh exits, and dies by the signal that ssh died by.

use super::signals;
use super::tty::with_ttou_blocked;
use crate::ssh::trail::mark_again;
use nix::libc;
use nix::sys::signal::{Signal, killpg, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, tcsetpgrp};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// First argument of a monitor's command line. ssh has no long options, so it can collide with none of its.
pub const FLAG: &str = "--monitor";

/// Signals that portable-pty sets back to their default (SIGHUP too, but where that is ignored aissh does not wrap), and
/// SIGWINCH, for which aissh has a handler in any case.
const RESET: [i32; 6] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGALRM, libc::SIGCHLD, libc::SIGWINCH];

/// What portable-pty's spawn, or our own handlers, would lose on the way to ssh.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inherit {
    /// Signals that are ignored.
    pub ignored: Vec<i32>,
    /// `SHELL` is not set.
    pub no_shell: bool,
}

impl Inherit {
    /// As it is now, before any handler of ours is installed.
    pub fn observe() -> Self {
        Self {
            ignored: RESET.into_iter().filter(|signal| signals::is_ignored(*signal)).collect(),
            no_shell: std::env::var_os("SHELL").is_none(),
        }
    }

    /// One word for the command line: `-`, `2,3`, `2,noshell`.
    fn word(&self) -> String {
        let mut parts: Vec<String> = self.ignored.iter().map(ToString::to_string).collect();
        parts.extend(self.no_shell.then(|| "noshell".to_owned()));
        if parts.is_empty() { "-".into() } else { parts.join(",") }
    }

    fn parse(word: &str) -> Self {
        let ignored = word.split(',').filter_map(|part| part.parse().ok()).collect();
        Self { ignored, no_shell: word.split(',').any(|part| part == "noshell") }
    }
}

/// The monitor's arguments: the flag, what to restore, ssh, ssh's arguments.
pub fn argv(inherit: &Inherit, ssh: &Path, args: &[OsString]) -> Vec<OsString> {
    let fixed = [FLAG.into(), inherit.word().into(), ssh.as_os_str().to_owned()];
    fixed.into_iter().chain(args.iter().cloned()).collect()
}

/// Runs ssh as the foreground job of this session, and ends as it ends.
pub fn run(argv: &[OsString]) -> ! {
    let [restore, ssh, args @ ..] = argv else { std::process::exit(255) };
    match start(Inherit::parse(&restore.to_string_lossy()), ssh, args) {
        Ok(ssh) => follow(ssh),
        Err(e) => {
            eprintln!("aissh: {}: {e}", ssh.to_string_lossy());
            std::process::exit(if e.kind() == io::ErrorKind::NotFound { 127 } else { 126 })
        }
    }
}

fn start(inherit: Inherit, ssh: &OsStr, args: &[OsString]) -> io::Result<Pid> {
    // portable-pty has closed it.
    mark_again();
    let mut command = Command::new(ssh);
    // An absolute argv[0]: ProxyJump runs argv[0] again, and a bare `ssh` could be us.
    command.arg0(ssh).args(args);
    if inherit.no_shell {
        command.env_remove("SHELL");
    }
    // SAFETY: only async-signal-safe calls (setpgid, tcsetpgrp, sigprocmask, signal), no allocation.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(move || become_the_job(&inherit.ignored));
    }
    Ok(Pid::from_raw(command.spawn()?.id() as i32))
}

/// In the child: a process group of its own in the foreground, before ssh can touch the terminal.
fn become_the_job(ignored: &[i32]) -> io::Result<()> {
    nix::unistd::setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
    with_ttou_blocked(|| tcsetpgrp(io::stdin(), getpgrp()))?;
    for signal in ignored {
        // SAFETY: setting a disposition to SIG_IGN installs no handler.
        #[allow(unsafe_code)]
        unsafe {
            libc::signal(*signal, libc::SIG_IGN);
        }
    }
    Ok(())
}

fn follow(ssh: Pid) -> ! {
    loop {
        match waitpid(ssh, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Exited(_, code)) => {
                leave_the_foreground();
                std::process::exit(code)
            }
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                leave_the_foreground();
                signals::die_by(signal as i32)
            }
            Ok(WaitStatus::Stopped(..)) => {
                // aissh sees this stop, suspends itself, and continues us after the user's `fg`.
                let _ = raise(Signal::SIGSTOP);
                let _ = with_ttou_blocked(|| tcsetpgrp(io::stdin(), ssh));
                let _ = killpg(ssh, Signal::SIGCONT);
            }
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => std::process::exit(255),
        }
    }
}

/// When a session leader exits, the kernel hangs up its foreground group. What ssh left in the background
/// (`~&`, a ControlPersist master) must not be in it.
fn leave_the_foreground() {
    let _ = with_ttou_blocked(|| tcsetpgrp(io::stdin(), getpgrp()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_restored_travels_in_one_word() {
        for inherit in [
            Inherit::default(),
            Inherit { ignored: vec![2, 15], no_shell: false },
            Inherit { ignored: vec![], no_shell: true },
            Inherit { ignored: vec![3], no_shell: true },
        ] {
            assert_eq!(Inherit::parse(&inherit.word()), inherit);
        }
        let argv = argv(&Inherit::default(), Path::new("/usr/bin/ssh"), &["-v".into(), "--".into()]);
        assert_eq!(argv, ["--monitor", "-", "/usr/bin/ssh", "-v", "--"]);
    }
}
