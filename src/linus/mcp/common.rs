//! What the clients of one connection share: ids, the era, what was agreed on, and whose turn it is to agree.
//!
//! Over HTTP each lane has a connection of its own. A command on stdio is one process for both lanes: it is shaken
//! hands with once, and its ids are unique.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::linus::call_error::CallError;
use crate::linus::cancel::Canceller;
use crate::linus::peer::Server;
use crate::linus::revision::Era;
use crate::linus::tools::Tools;

/// What a handshake came to.
pub(super) struct Connected {
    pub(super) server: Server,
    pub(super) tools: Tools,
    /// The transport's connection that it is about.
    pub(super) epoch: u64,
}

#[derive(Default)]
pub(crate) struct Common {
    last_id: AtomicU64,
    agreed: Mutex<Agreed>,
    turn: Arc<Turn>,
}

#[derive(Default)]
struct Agreed {
    era: Option<Era>,
    connected: Option<Arc<Connected>>,
}

impl Common {
    pub(super) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn era(&self) -> Option<Era> {
        lock(&self.agreed).era
    }

    /// The handshake that holds for the transport's connection `epoch`.
    pub(super) fn connected(&self, epoch: u64) -> Option<Arc<Connected>> {
        lock(&self.agreed).connected.clone().filter(|connected| connected.epoch == epoch)
    }

    pub(super) fn agree(&self, connected: &Arc<Connected>) {
        let era = Some(connected.server.revision.era());
        *lock(&self.agreed) = Agreed { era, connected: Some(Arc::clone(connected)) };
    }

    /// The handshake must be done again; the era stays.
    pub(super) fn disconnect(&self) {
        lock(&self.agreed).connected = None;
    }

    pub(super) fn forget(&self) {
        *lock(&self.agreed) = Agreed::default();
    }

    /// Waits until nobody else shakes hands.
    pub(super) fn turn(&self, cancel: &Canceller) -> Result<Taken, CallError> {
        Turn::take(&self.turn, cancel)
    }
}

/// One at a time, and who waits can be called back.
#[derive(Default)]
struct Turn {
    is_taken: Mutex<bool>,
    changed: Condvar,
}

impl Turn {
    fn take(this: &Arc<Self>, cancel: &Canceller) -> Result<Taken, CallError> {
        let waiter = Arc::clone(this);
        let _hooked = cancel.on_cancel(move || {
            // Under the lock, so that it cannot fall between the look and the wait.
            let _is_taken = lock(&waiter.is_taken);
            waiter.changed.notify_all();
        });
        let mut is_taken = lock(&this.is_taken);
        while *is_taken {
            if cancel.is_cancelled() {
                return Err(CallError::Cancelled);
            }
            is_taken = this.changed.wait(is_taken).unwrap_or_else(PoisonError::into_inner);
        }
        *is_taken = true;
        Ok(Taken(Arc::clone(this)))
    }
}

pub(super) struct Taken(Arc<Turn>);

impl Drop for Taken {
    fn drop(&mut self) {
        *lock(&self.0.is_taken) = false;
        self.0.changed.notify_all();
    }
}

/// A panic while one of these is held leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn one_shakes_hands_at_a_time_and_who_waits_can_be_called_back() {
        let common = Arc::new(Common::default());
        let first = common.turn(&Canceller::new()).unwrap();
        let (tx, rx) = channel();
        let (waiting, cancel) = (Arc::clone(&common), Canceller::new());
        let canceller = cancel.clone();
        std::thread::spawn(move || tx.send(waiting.turn(&canceller).map(|_| ()).unwrap_err()));
        cancel.cancel();
        assert_eq!(rx.recv_timeout(Duration::from_secs(20)), Ok(CallError::Cancelled));
        let (tx, rx) = channel();
        let waiting = Arc::clone(&common);
        std::thread::spawn(move || tx.send(waiting.turn(&Canceller::new()).is_ok()));
        drop(first);
        assert_eq!(rx.recv_timeout(Duration::from_secs(20)), Ok(true));
    }
}
