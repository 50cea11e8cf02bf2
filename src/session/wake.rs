//! How other threads get the main loop's attention: a byte in a pipe that it polls.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// The main loop's end.
pub(super) struct Wake {
    pipe: UnixStream,
}

/// Any other thread's end.
#[derive(Clone)]
pub(super) struct Waker {
    pipe: Arc<UnixStream>,
}

pub(super) fn pair() -> io::Result<(Waker, Wake)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    theirs.set_nonblocking(true)?;
    Ok((Waker { pipe: Arc::new(ours) }, Wake { pipe: theirs }))
}

impl Waker {
    /// A full pipe means that the loop has not looked yet and will: nothing to add then.
    pub(super) fn wake(&self) {
        let _ = (&*self.pipe).write(&[0]);
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl Wake {
    pub(super) fn clear(&mut self) {
        let mut sink = [0; 64];
        while matches!(self.pipe.read(&mut sink), Ok(1..)) {}
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}
