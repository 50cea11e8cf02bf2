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
    sighup_ignored: bool,
}

impl Observed {
    pub fn new(cells: (u16, u16), sighup_ignored: bool) -> Self {
        Self { term: std::env::var_os("TERM"), cells, sighup_ignored }
    }

    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            stdin: is_ours(io::stdin().as_fd()),
            stdout: is_ours(io::stdout().as_fd()),
            stderr: is_ours(io::stderr().as_fd()),
            foreground: tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp()),
            sighup_ignored: self.sighup_ignored,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_pipes_are_not_the_controlling_terminal() {
        let (read, write) = nix::unistd::pipe().unwrap();
        assert!(!is_ours(read.as_fd()) && !is_ours(write.as_fd()));
        let pty = nix::pty::openpty(None, None).unwrap();
        assert!(!is_ours(pty.slave.as_fd()), "a terminal, but not ours");
    }
}
