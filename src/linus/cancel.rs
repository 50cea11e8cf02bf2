//! Taking a call back from another thread.
//!
//! One [`Canceller`] belongs to one call. It does not know what it interrupts: who blocks leaves a hook, and
//! the hook runs at most once, also when the call was taken back before it began. Who blocks within that leaves another.

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
    /// The innermost last, each with its number.
    hooks: Vec<(u64, Hook)>,
    number: u64,
}

impl Canceller {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        let hooks = {
            let mut state = self.lock();
            state.cancelled = true;
            std::mem::take(&mut state.hooks)
        };
        self.0.changed.notify_all();
        hooks.into_iter().rev().for_each(|(_, hook)| hook());
    }

    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Leaves what interrupts the caller for the time of the returned guard.
    pub(crate) fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) -> Hooked<'_> {
        let mut state = self.lock();
        state.number += 1;
        let number = state.number;
        if state.cancelled {
            drop(state);
            hook();
        } else {
            state.hooks.push((number, Box::new(hook)));
        }
        Hooked { canceller: self, number }
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
pub(crate) struct Hooked<'a> {
    canceller: &'a Canceller,
    number: u64,
}

impl Drop for Hooked<'_> {
    fn drop(&mut self) {
        self.canceller.lock().hooks.retain(|(number, _)| *number != self.number);
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
    fn a_hook_within_another_leaves_that_in_place() {
        let count = Arc::new(AtomicU32::new(0));
        let add = |n: u32| {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(n, Ordering::SeqCst);
            }
        };
        let canceller = Canceller::new();
        let _outer = canceller.on_cancel(add(1));
        drop(canceller.on_cancel(add(10)));
        let _inner = canceller.on_cancel(add(100));
        canceller.cancel();
        assert_eq!(count.load(Ordering::SeqCst), 101);
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
