//! The mouse and looking back: what comes of them for the remote and for the user's terminal.

use super::{Session, Side};
use crate::terminal::mouse::Mouse;
use crate::ui::{Begin, RemoteMouse, copied};
use std::time::Instant;

/// Arrow keys of one step of the wheel, as terminals send them on the alternate screen.
const ARROWS: usize = 3;

impl Session {
    /// Takes a report of the mouse or of the focus, which a terminal sends only while it is asked to; false if it is none.
    pub(super) fn on_report(&mut self, raw: &[u8], now: Instant) -> bool {
        let is_open = self.panel_is_open();
        // When it is closed those of the focus are the remote's own: the panel asks for none but for the remote.
        if is_open && matches!(raw, b"\x1b[I" | b"\x1b[O") {
            if self.modes.focus_reports() {
                self.send_pty(raw);
            }
            return true;
        }
        let Some(mouse) = Mouse::parse(raw) else { return false };
        let remote =
            RemoteMouse { reports: self.modes.mouse().is_on(), arrows: self.modes.alternate_scroll() };
        let Some(Side { panel, copilot, .. }) = &mut self.side else { return true };
        if !panel.mouse || !panel.may_be_asked(now) {
            return false;
        }
        if !is_open {
            return self.on_late_report(raw, mouse);
        }
        panel.dirty = true;
        let actions = panel.view.mouse(mouse, remote, copilot, now);
        self.act(actions, now);
        true
    }

    /// A report that comes when the panel has just closed may be in the panel's encoding, which could be keys to the
    /// remote; false if it is as the remote wants it.
    fn on_late_report(&mut self, raw: &[u8], mouse: Mouse) -> bool {
        let wants = self.modes.mouse();
        let is_ours = raw.starts_with(b"\x1b[<") && !wants.is_sgr();
        if wants.is_on() && !is_ours {
            return false;
        }
        self.mouse_to_remote(mouse);
        true
    }

    pub(super) fn mouse_to_remote(&mut self, mouse: Mouse) {
        if let Some(side) = self.side.as_mut().filter(|_| mouse.acts()) {
            // As good as a key: auto ends, and what was held back is not sent by the next Enter.
            side.panel.held = None;
            side.user_typed();
        }
        if let Some(bytes) = mouse.report(self.modes.mouse(), self.remote) {
            self.send_pty(&bytes);
        }
    }

    /// The wheel over a program on the alternate screen that does not want it.
    pub(super) fn arrows(&mut self, up: bool, now: Instant) {
        let start = if self.modes.application_cursor() { "\x1bO" } else { "\x1b[" };
        let keys = format!("{start}{}", if up { 'A' } else { 'B' }).repeat(ARROWS);
        self.pass_to_ssh(keys.as_bytes(), now);
    }

    /// Looks back through the terminal, at once or when the observer has come.
    pub(super) fn look_back(&mut self, begin: Begin) {
        let Some(Side { panel, watch, .. }) = &mut self.side else { return };
        if panel.opening {
            panel.looks_back = Some(begin);
            return;
        }
        let Some(observer) = watch.here().filter(|_| panel.view.is_shown()) else { return };
        panel.dirty = true;
        panel.view.look_back(observer.emulator().kept(), begin);
    }

    /// Hands text to the user's terminal. What had to be cut is said before it is left.
    pub(super) fn copy(&mut self, text: &str, leave: bool, now: Instant) {
        let copied = copied(text);
        self.send_tty(&copied.bytes);
        let Some(side) = &mut self.side else { return };
        if leave && copied.is_whole {
            let actions = side.panel.view.end_look_back();
            side.panel.view.set_brief_notice(&copied.notice);
            return self.act(actions, now);
        }
        side.panel.view.say_looking_back(copied.notice);
    }
}
