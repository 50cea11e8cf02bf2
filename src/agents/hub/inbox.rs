//! How the main loop tells the hub: it leaves what happened, and never waits. The lock is held to put something down or to
//! take the whole heap, no longer.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Update;

/// Output that waits for somebody to ask for it; more than is retained in the end.
const OUTPUT: usize = 512 * 1024;
/// A heap of output is cut at a line's end, if one is near.
const NEAR: usize = 8 * 1024;

/// What has been left.
#[derive(Default)]
pub(super) struct Heap {
    pub(super) updates: Vec<Update>,
    pub(super) output: Vec<u8>,
    /// Bytes and lines before it that were too many.
    pub(super) lost: (u64, u64),
    pub(super) last_output: Option<Instant>,
}

#[derive(Default)]
struct Shared {
    heap: Mutex<Heap>,
    /// The hub wants to know of output as it comes.
    wants_output: AtomicBool,
    /// It has been woken, and has not looked yet.
    is_woken: AtomicBool,
}

/// The main loop's end.
pub(super) struct Sender {
    shared: Arc<Shared>,
    pipe: UnixStream,
}

/// The hub's end.
pub(super) struct Inbox {
    shared: Arc<Shared>,
    pipe: UnixStream,
}

pub(super) fn pair() -> io::Result<(Sender, Inbox)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    theirs.set_nonblocking(true)?;
    let shared = Arc::new(Shared::default());
    Ok((Sender { shared: Arc::clone(&shared), pipe: ours }, Inbox { shared, pipe: theirs }))
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sender {
    pub(super) fn tell(&self, update: Update) {
        {
            let mut heap = self.shared.lock();
            if matches!(update, Update::Share { .. }) {
                // What is in the heap is from before it.
                (heap.output, heap.lost) = (Vec::new(), (0, 0));
            }
            heap.updates.push(update);
        }
        self.wake();
    }

    /// Something was printed; the bytes are kept only where the session is shared.
    pub(super) fn output(&self, bytes: Option<&[u8]>, now: Instant) {
        {
            let mut heap = self.shared.lock();
            heap.last_output = Some(now);
            heap.output.extend_from_slice(bytes.unwrap_or_default());
            if heap.output.len() > 2 * OUTPUT {
                heap.drop_old();
            }
        }
        if self.shared.wants_output.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    fn wake(&self) {
        if !self.shared.is_woken.swap(true, Ordering::SeqCst) {
            let _ = (&self.pipe).write(&[0]);
        }
    }
}

impl Heap {
    fn drop_old(&mut self) {
        let least = self.output.len() - OUTPUT;
        let near = &self.output[least..least + NEAR];
        let cut = memchr::memchr(b'\n', near).map_or(least, |at| least + at + 1);
        self.lost.0 += cut as u64;
        self.lost.1 += memchr::memchr_iter(b'\n', &self.output[..cut]).count() as u64;
        self.output.drain(..cut);
    }
}

impl Inbox {
    pub(super) fn want_output(&self, wanted: bool) {
        self.shared.wants_output.store(wanted, Ordering::SeqCst);
    }

    pub(super) fn take(&mut self) -> Heap {
        let mut sink = [0; 64];
        while matches!(self.pipe.read(&mut sink), Ok(1..)) {}
        // Before the heap is taken: what is left after that wakes again.
        self.shared.is_woken.store(false, Ordering::SeqCst);
        std::mem::take(&mut *self.shared.lock())
    }
}

impl AsFd for Inbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_of_output_is_bounded_and_what_is_dropped_is_counted() {
        let (sender, mut inbox) = pair().expect("a pipe");
        let line = [vec![b'x'; 99], vec![b'\n']].concat();
        for _ in 0..50_000 {
            sender.output(Some(&line), Instant::now());
        }
        let heap = inbox.take();
        assert!(heap.output.len() <= 2 * OUTPUT && heap.output.starts_with(b"xx"));
        assert_eq!(heap.lost.0 + heap.output.len() as u64, 5_000_000);
        assert_eq!(heap.lost.0, heap.lost.1 * 100);
        assert!(inbox.take().output.is_empty());
    }
}
