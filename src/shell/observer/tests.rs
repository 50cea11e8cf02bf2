//! Recorded shells replayed, the cases that no recording holds, and streams that lie.

mod cases;
mod devices;
mod dialects;
mod gaps;
mod hostile;
mod recorded;
mod trusted;
mod waiting;

use std::time::Duration;

use super::*;
use crate::shell::tracker::{LONG_RUN, SETTLE};

/// An observer and its clock.
struct Rig {
    observer: Observer,
    now: Instant,
    events: Vec<ShellEvent>,
}

impl Rig {
    fn new() -> Self {
        Self { observer: Observer::new(Size::new(80, 24)), now: Instant::now(), events: Vec::new() }
    }

    fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        self.observer.feed(bytes.as_ref(), self.now);
        self.note();
    }

    fn input(&mut self, input: Input<'_>) {
        self.observer.input(input, self.now);
        self.note();
    }

    fn note(&mut self) {
        self.events.extend(self.observer.take_events());
    }

    /// Keys as the caller would tell them.
    fn keys(&mut self, keys: &str) {
        for key in keys.chars() {
            self.input(match key {
                '\r' => Input::Enter,
                '\x03' | '\x04' => Input::Interrupt,
                _ => Input::Text,
            });
        }
    }

    /// Lets time pass, with a tick at every deadline.
    fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(at) = self.observer.deadline().filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.observer.tick(self.now);
            self.note();
            assert!(
                self.observer.deadline().is_none_or(|next| next > at),
                "a deadline that stays is a busy loop"
            );
        }
        self.now = end;
    }

    fn settle(&mut self) {
        self.wait(SETTLE);
    }

    /// What was told since, without `Output`.
    fn take(&mut self) -> Vec<ShellEvent> {
        std::mem::take(&mut self.events).into_iter().filter(|e| *e != ShellEvent::Output).collect()
    }

    fn state(&self) -> State {
        self.observer.state()
    }
}

/// xorshift64*: the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}
