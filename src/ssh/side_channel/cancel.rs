//! Stopping a wait from another thread: a socket that a `poll` can look at, for one piece of work.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Cancels when told to, or when dropped: whoever is gone wants nothing any more.
#[derive(Debug)]
pub struct Canceller {
    socket: UnixStream,
}

/// What is cancelled looks at this.
#[derive(Debug)]
pub struct Cancel {
    socket: UnixStream,
}

pub fn cancel() -> io::Result<(Canceller, Cancel)> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok((Canceller { socket: ours }, Cancel { socket: theirs }))
}

impl Canceller {
    pub fn cancel(&self) {
        // Fails only where the other end is gone.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }
}

impl Cancel {
    pub fn is_cancelled(&self) -> bool {
        let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for Cancel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
