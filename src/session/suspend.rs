//! Job control: ssh was stopped (`~^Z`, ^Z at a prompt), or somebody stopped us. The user's shell gets the terminal
//! as ssh leaves it, with its settings restored and without the panel, and `fg` brings everything back.

use super::Session;
use crate::copilot::policy::Stop;
use nix::sys::signal::{SigHandler, Signal, raise};

impl Session {
    /// Gives the terminal back, stops, and on the way back takes it again.
    pub(super) fn suspend(&mut self) {
        // What ssh said before it stopped ("[suspend ssh]") comes before the shell's word.
        self.drain();
        let interrupted = self.side.as_mut().is_some_and(|side| std::mem::take(&mut side.panel.interrupted));
        let alone = self.side.as_ref().is_some_and(|side| side.panel.view.choice().alone);
        let panel_was_open = self.panel_is_open() && !alone || interrupted;
        self.guarded(Self::close_panel);
        self.deliver_to_tty();
        self.await_place();
        self.guard = None;
        // SIGSTOP would do, but shells print and treat a SIGTSTP stop as the usual one.
        stop_by_tstp();
        // Continued; in the background (`bg`) the terminal is not ours and the next line stops us again, by
        // SIGTTOU, until `fg`.
        match self.tty.raw() {
            Ok(guard) => self.guard = Some(guard),
            Err(_) => return self.pty.resume(),
        }
        self.pty.resume();
        self.guarded(Self::on_resize);
        if panel_was_open {
            self.guarded(Self::open_panel);
        }
    }

    /// Somebody stopped us (SIGSTOP cannot be caught) and let us go on: the shell has had the terminal meanwhile.
    pub(super) fn on_continued(&mut self) {
        self.stop_auto(Stop::Suspended);
        if self.guard.is_some() {
            let _ = self.tty.enter_raw();
            self.guarded(Self::on_resize);
            if self.panel_is_open() {
                self.guarded(Self::lay_out);
            }
        }
    }
}

/// Stops this process by SIGTSTP with its default action, then puts the handler back.
fn stop_by_tstp() {
    use nix::sys::signal::{SaFlags, SigAction, SigSet, sigaction};
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: the default action installs no handler; what was there before is put back unchanged.
    #[allow(unsafe_code)]
    unsafe {
        let Ok(before) = sigaction(Signal::SIGTSTP, &default) else { return };
        let _ = raise(Signal::SIGTSTP);
        let _ = sigaction(Signal::SIGTSTP, &before);
    }
}
