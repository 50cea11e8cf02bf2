//! What a lane waits for: notes that arrive meanwhile, and the outcome of its call.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::Value;

use crate::linus::cancel::Canceller;
use crate::linus::jsonrpc::ErrorObject;

/// Notes kept for a lane that is busy with an earlier one; more are dropped, since each one replaces the last.
const NOTES_LIMIT: usize = 64;

/// Something about a call.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    Notice {
        method: String,
        params: Value,
    },
    /// The server asks; the answer goes out under this id.
    Asked {
        id: Value,
        method: String,
        params: Value,
    },
    Answer(Result<Value, ErrorObject>),
    /// An error that names no request: the server could not read one of ours.
    Foreign(ErrorObject),
    /// The process ended. Whether the message had been written, and why it ended.
    Dead {
        sent: bool,
        why: String,
    },
    Late,
    Cancelled,
}

#[derive(Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    notes: VecDeque<Event>,
    end: Option<Event>,
}

impl Slot {
    /// Keeps a note, unless there are too many.
    pub(super) fn note(&self, event: Event) {
        let mut state = self.lock();
        if state.notes.len() < NOTES_LIMIT {
            state.notes.push_back(event);
            self.changed.notify_all();
        }
    }

    /// The last event; the first of them counts.
    pub(super) fn end(&self, event: Event) {
        self.lock().end.get_or_insert(event);
        self.changed.notify_all();
    }

    /// The next event: notes first, then the end. At the latest when time is up or the call is taken back.
    pub(super) fn next(self: &Arc<Self>, deadline: Instant, cancel: &Canceller) -> Event {
        let waiter = Arc::clone(self);
        let _hooked = cancel.on_cancel(move || {
            // Under the lock, so that it cannot fall between the look and the wait.
            let _state = waiter.lock();
            waiter.changed.notify_all();
        });
        let mut state = self.lock();
        loop {
            if cancel.is_cancelled() {
                return Event::Cancelled;
            }
            if let Some(event) = state.notes.pop_front().or_else(|| state.end.take()) {
                return event;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Event::Late;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn note(n: usize) -> Event {
        Event::Notice { method: n.to_string(), params: Value::Null }
    }

    #[test]
    fn notes_come_in_order_and_before_the_end_and_a_flood_of_them_is_dropped() {
        let (slot, cancel) = (Arc::new(Slot::default()), Canceller::new());
        (0..1000).for_each(|n| slot.note(note(n)));
        slot.end(Event::Answer(Ok(Value::Null)));
        slot.end(Event::Late);
        let late = Instant::now() + Duration::from_secs(20);
        assert!((0..NOTES_LIMIT).all(|n| slot.next(late, &cancel) == note(n)));
        assert_eq!(slot.next(late, &cancel), Event::Answer(Ok(Value::Null)));
        assert_eq!(slot.next(Instant::now(), &cancel), Event::Late);
        cancel.cancel();
        assert_eq!(slot.next(late, &cancel), Event::Cancelled);
    }
}
