//! A pseudo-terminal and a program on it as session leader. `portable-pty` is not used on this side: it loses
//! the signal a program died by, and this is where that has to be seen.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::libc;
use nix::pty::{OpenptyResult, Winsize, openpty};

/// Starts `command` on a new terminal of that size; the master comes back non-blocking.
pub(crate) fn spawn(command: &mut Command, size: Winsize) -> io::Result<(File, Child)> {
    let OpenptyResult { master, slave } = openpty(&size, None)?;
    // Neither end may reach programs that other tests start at the same time: a slave left open somewhere
    // would hide the end of this terminal.
    for fd in [&master, &slave] {
        fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    }
    fcntl(&master, FcntlArg::F_SETFL(OFlag::O_RDWR | OFlag::O_NONBLOCK))?;
    command.stdin(Stdio::from(slave.try_clone()?));
    command.stdout(Stdio::from(slave.try_clone()?));
    command.stderr(Stdio::from(slave));
    lead_session(command);
    let child = command.spawn()?;
    // The command holds the slave until it is dropped or given other streams.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok((File::from(master), child))
}

pub(crate) fn set_size(master: &impl AsFd, size: Winsize) -> io::Result<()> {
    let fd = master.as_fd().as_raw_fd();
    // SAFETY: TIOCSWINSZ reads one winsize through the pointer, which outlives the call; `fd` is open.
    #[allow(unsafe_code)]
    let result = unsafe { libc::ioctl(fd, libc::TIOCSWINSZ, &raw const size) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Makes the terminal on stdin the controlling terminal of a new session, as a terminal emulator does. Signals that
/// the tests were started to ignore (nohup, `&` in a script) are not ignored on it.
fn lead_session(command: &mut Command) {
    let hook = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            // SAFETY: signal(2) with SIG_DFL installs no handler and is async-signal-safe.
            #[allow(unsafe_code)]
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        nix::unistd::setsid()?;
        // SAFETY: TIOCSCTTY takes an integer; stdin is the slave by now. ioctl(2) is async-signal-safe.
        #[allow(unsafe_code)]
        let result = unsafe { libc::ioctl(0, libc::TIOCSCTTY as _, 0) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: between fork and exec the hook only makes system calls; it neither allocates nor locks.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(hook);
    }
}

/// A second handle to the master for the reading thread.
pub(crate) fn duplicate(master: &File) -> io::Result<OwnedFd> {
    master.as_fd().try_clone_to_owned()
}
