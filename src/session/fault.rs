//! Faults of our own: a panic costs the panel, never the session. One in the wire itself costs the panel as well, and
//! only a second one there the session; the terminal is given back before anything is said.

use super::{Session, Verdict};
use crate::error::status;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};

/// What the last panic said. Nothing is printed at once: the terminal is raw and may show the panel.
static SAID: Mutex<Option<String>> = Mutex::new(None);

/// Collects panics instead of printing them, and prints the last one when `run` has returned and its guards have given
/// the terminal back. There is no value if the panic was not caught within `run`.
pub(super) fn contained<T>(run: impl FnOnce() -> T) -> Option<T> {
    let print = take_hook();
    set_hook(Box::new(|info| {
        note(&info.to_string());
    }));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    set_hook(print);
    // The terminal has its settings back; also for a fault that cost the panel only, which nobody could be told of.
    if let Some(said) = SAID.lock().unwrap_or_else(PoisonError::into_inner).take() {
        eprintln!("aissh: internal error: {said}");
    }
    outcome.ok()
}

/// Something to be said at the end, when the terminal has its settings back.
pub(super) fn note(said: &str) {
    *SAID.lock().unwrap_or_else(PoisonError::into_inner) = Some(said.to_owned());
}

impl Session {
    /// Runs the wire to ssh's end. What it owes to either side outlasts a panic; a chunk that was in hand is lost.
    pub(super) fn run(&mut self) -> Verdict {
        for _ in 0..2 {
            match catch_unwind(AssertUnwindSafe(|| self.pump())) {
                Ok(end) => return end.map_or(Verdict::Code(status::SSH), Verdict::from),
                Err(_) => self.lose_panel(),
            }
        }
        Verdict::Code(status::SSH)
    }

    /// Runs something of the panel's. A panic in it ends the panel for this session; ssh's bytes go on.
    pub(super) fn guarded(&mut self, act: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| act(self))).is_err() {
            self.lose_panel();
        }
    }

    /// Puts the panel away without asking it anything.
    fn lose_panel(&mut self) {
        // Its threads end by themselves when their channels close.
        let mut side = self.side.take();
        let taken = side.as_mut().and_then(|side| side.panel.take_taken());
        self.panel_is_lost = true;
        let open = side.as_mut().map(|side| &mut side.panel).filter(|panel| panel.view.is_shown());
        let plain = open.and_then(|panel| Some(panel.plain.as_mut()?.leave(&panel.view)));
        if let Some(bytes) = plain {
            self.send_tty(&bytes);
            self.arm();
        }
        if let Some(taken) = taken {
            let mut bytes = taken.leave(&self.modes);
            if !taken.is_switched() && !self.modes.is_alternate() {
                // The remote has left the alternate screen that the panel was drawn over.
                bytes.extend_from_slice(b"\x1b[?1049l");
            }
            bytes.extend(self.modes.restore());
            self.send_tty(&bytes);
            self.arm();
        }
        // Also makes a full-screen program draw itself again.
        self.set_remote_size(self.size);
    }
}

/// Panics at `place` if a test asked for it (`AISSH_PANIC`), in debug builds only: how the tests see that a fault of
/// ours costs what it may cost and no more.
pub(super) fn planted(place: &str) {
    if cfg!(debug_assertions) && std::env::var_os("AISSH_PANIC").is_some_and(|at| at == place) {
        panic!("planted in {place}");
    }
}
