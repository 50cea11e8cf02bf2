//! Taking a call back from another thread.
//!
//! One [`Canceller`] belongs to one call. It does not know what it interrupts: who blocks leaves a hook, and
//! the hook runs at most once, also when the call was taken back before it began.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Hook = Box<dyn FnOnce() + Send>;

#[derive(Clone, Default)]
pub struct Canceller(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    cancelled: bool,
    hook: Option<Hook>,
}

impl Canceller {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        let hook = {
            let mut state = self.lock();
            state.cancelled = true;
            state.hook.take()
        };
        self.0.changed.notify_all();
        if let Some(hook) = hook {
            hook();
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Leaves what interrupts the caller for the time of the returned guard.
    pub(crate) fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) -> Hooked<'_> {
        let mut state = self.lock();
        if state.cancelled {
            drop(state);
            hook();
        } else {
            state.hook = Some(Box::new(hook));
        }
        Hooked(self)
    }

    /// Waits `time`, or until the call is taken back: true if it was.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut state = self.lock();
        while !state.cancelled {
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|l| !l.is_zero()) else {
                break;
            };
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.cancelled
    }

    /// A panic while the lock is held cannot leave two fields at odds that matter.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// Takes the hook away again when the caller no longer blocks.
pub(crate) struct Hooked<'a>(&'a Canceller);

impl Drop for Hooked<'_> {
    fn drop(&mut self) {
        self.0.lock().hook = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_hook_runs_once_also_when_the_call_was_taken_back_before() {
        let count = Arc::new(AtomicU32::new(0));
        let hook = |count: &Arc<AtomicU32>| {
            let count = Arc::clone(count);
            move || {
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        let canceller = Canceller::new();
        drop(canceller.on_cancel(hook(&count)));
        canceller.cancel();
        assert_eq!(count.load(Ordering::SeqCst), 0, "the guard was gone");
        drop(canceller.on_cancel(hook(&count)));
        canceller.cancel();
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_wait_ends_at_once_when_the_call_is_taken_back() {
        let canceller = Canceller::new();
        assert!(!canceller.wait(Duration::ZERO));
        let other = canceller.clone();
        let started = Instant::now();
        let thread = std::thread::spawn(move || other.wait(Duration::from_secs(30)));
        canceller.cancel();
        assert!(thread.join().unwrap());
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
