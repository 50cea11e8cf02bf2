//! What surrounds the process when it starts, asked of the kernel and the environment. Decides nothing.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::termios::tcgetsid;
use nix::unistd::{getpgrp, getsid, tcgetpgrp};

use crate::ssh::decide::Surroundings;

/// Set to anything in what runs inside a wrapped PTY.
pub const WRAPPED_ENV: &str = "AISSH_WRAPPED";
/// `off` never wraps.
pub const SWITCH_ENV: &str = "AISSH";

/// Looks once and keeps what [`Surroundings`] borrows. `cells` are the window's columns and rows.
#[derive(Debug, Clone)]
pub struct Observed {
    term: Option<OsString>,
    cells: (u16, u16),
}

impl Observed {
    pub fn new(cells: (u16, u16)) -> Self {
        Self { term: std::env::var_os("TERM"), cells }
    }

    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            stdin: is_ours(io::stdin().as_fd()),
            stdout: is_ours(io::stdout().as_fd()),
            stderr: is_ours(io::stderr().as_fd()),
            foreground: tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp()),
            sighup_ignored: sighup_ignored(),
            term: self.term.as_deref(),
            cells: self.cells,
            off: std::env::var_os(SWITCH_ENV).is_some_and(|value| value == "off"),
            nested: std::env::var_os(WRAPPED_ENV).is_some(),
        }
    }
}

/// Is this the controlling terminal? TIOCGSID fails (ENOTTY) on any other, and on what is no terminal.
fn is_ours(fd: BorrowedFd<'_>) -> bool {
    tcgetsid(fd).is_ok_and(|session| Ok(session) == getsid(None))
}

/// SIGHUP in the mask of ignored signals. Asking sigaction() would take unsafe code for what nohup mostly shows
/// anyway, by an output that is no terminal; so that elsewhere the answer is no.
#[cfg(target_os = "linux")]
fn sighup_ignored() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status))
}

#[cfg(not(target_os = "linux"))]
fn sighup_ignored() -> bool {
    false
}

/// Reads `SigIgn` of proc_pid_status(5): hexadecimal, signal 1 (SIGHUP) in the lowest bit.
#[cfg(any(target_os = "linux", test))]
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_hangup_is_the_lowest_bit() {
        assert!(ignores_hangup("Name:\tx\nSigBlk:\t0\nSigIgn:\t0000000000001001\n"));
        assert!(!ignores_hangup("SigIgn:\t0000000000001000\nSigCgt:\t1\n"));
        assert!(!ignores_hangup("SigIgn:\tzz\n"));
        assert!(!ignores_hangup(""));
    }

    #[test]
    fn files_and_pipes_are_not_the_controlling_terminal() {
        let (read, write) = nix::unistd::pipe().unwrap();
        assert!(!is_ours(read.as_fd()) && !is_ours(write.as_fd()));
        let pty = nix::pty::openpty(None, None).unwrap();
        assert!(!is_ours(pty.slave.as_fd()), "a terminal, but not ours");
    }
}
