//! What was typed before the terminal was taken over, while a shell or an earlier program had it: it has been echoed
//! there, and ssh's terminal must not echo it again.

use super::tty::Tty;
use nix::libc;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::termios::{self, SetArg, SpecialCharacterIndices, Termios};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What a terminal keeps of a line that nobody reads (Linux, N_TTY); more was not accepted.
const MOST: usize = 4096;
/// The kernel hands input over on a thread of its own, in microseconds.
const WITHIN_MS: u8 = 100;

/// Reads it. The terminal is raw by now.
pub fn read(tty: &Tty) -> Vec<u8> {
    let mut bytes = vec![0; MOST];
    let count = nix::unistd::read(tty.as_fd(), &mut bytes).unwrap_or(0);
    bytes.truncate(count);
    bytes
}

/// Puts it into a new terminal before any program runs there, and sets that to `modes`.
pub(super) fn put(bytes: &[u8], master: BorrowedFd<'_>, slave: &Path, modes: &Termios) -> io::Result<()> {
    let slave = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(slave)?;
    let mut silent = modes.clone();
    termios::cfmakeraw(&mut silent);
    // Readable when all is there; of more than this can say, the rest may be echoed.
    silent.control_chars[SpecialCharacterIndices::VMIN as usize] =
        u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    termios::tcsetattr(&slave, SetArg::TCSANOW, &silent)?;
    nix::unistd::write(master, bytes)?;
    poll(&mut [PollFd::new(slave.as_fd(), PollFlags::POLLIN)], WITHIN_MS)?;
    Ok(termios::tcsetattr(master, SetArg::TCSANOW, modes)?)
}
