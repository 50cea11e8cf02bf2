//! The panel's life in a session: opening, laying out, drawing, closing.
//!
//! While it is shown the observer is here, every byte of ssh's goes to the emulator, and only what is drawn
//! reaches the user's terminal.

use super::cards::{Echo, HeldBack};
use super::fault::planted;
use super::plain::Plain;
use super::remember::Remembered;
use super::watch::Restart;
use super::{Session, Side};
use crate::config::{PanelConfig, has_alternate_screen};
use crate::copilot::policy::Stop;
use crate::shell::{Dialect, Observer, State};
use crate::terminal::keys::Tokenizer;
use crate::terminal::pty::LineMode;
use crate::terminal::queries::{self, Answer, Outstanding};
use crate::terminal::replies::Splitter;
use crate::terminal::{InputModes, Mark, Modes, Signal, Size};
use crate::ui::{self, Begin, Layout, Mode, Screen, Status, View};
use std::time::{Duration, Instant};

/// At most 60 frames a second.
const FRAME: Duration = Duration::from_micros(16_667);

/// The view of what leaves composes messages for every frame.
const LEAVES_FRAME: Duration = Duration::from_millis(100);

/// How long after the panel has closed the terminal may still send what it was asked for while that was drawn: reports
/// of the mouse, marks of a paste. A far terminal is some hundred milliseconds away.
const LATE: Duration = Duration::from_secs(2);

/// What is drawn, and what belongs to its being drawn.
pub(super) struct Panel {
    pub(super) view: View,
    screen: Screen,
    layout: Layout,
    /// `--plain`: a dialogue in lines instead.
    pub(super) plain: Option<Plain>,
    /// While it is open: what it took over.
    taken: Option<Taken>,
    pub(super) dirty: bool,
    next_frame: Instant,
    /// Keys for the panel, and when what is held of one is all there is of it.
    pub(super) keys: Tokenizer,
    pub(super) keys_until: Option<Instant>,
    /// It was asked for, and waits for the observer; keys for it meanwhile.
    pub(super) opening: bool,
    pub(super) early: Vec<u8>,
    /// It was closed because ssh itself has something to ask, and opens again after that.
    pub(super) interrupted: bool,
    /// Questions of the remote that were passed on to the user's terminal.
    pub(super) outstanding: Outstanding,
    /// What looks for replies and pastes in the input for the terminal pane.
    pub(super) splitter: Splitter,
    pub(super) pieces_until: Option<Instant>,
    late_until: Option<Instant>,
    /// A card that was sent and has not shown yet.
    pub(super) echo: Option<Echo>,
    /// A close was asked for and waits for the echo.
    pub(super) closing: bool,
    /// It was asked to look back through the terminal, and the observer is not here yet.
    pub(super) looks_back: Option<Begin>,
    /// What an earlier session left of where the panel was, and what this one began with.
    known: Remembered,
    chosen: Remembered,
    /// Whether the mouse is read while it is drawn.
    pub(super) mouse: bool,
    /// Whether the user's terminal has an alternate screen.
    alternate: bool,
    /// Since when Linus's answer is awaited, and when another second is over.
    waits: Option<(Instant, Instant)>,
    /// A card that was held back, its text and the reason: the same again is sent.
    pub(super) held: Option<HeldBack>,
}

/// The user's screen as the panel found it.
pub(super) struct Taken {
    mark: Mark,
    /// The panel is on the terminal's alternate screen, and the remote was not.
    switched: bool,
    /// The terminal has such a screen; without one the panel is drawn over what it shows.
    has_alternate: bool,
    /// How the user's keys are encoded now.
    input: InputModes,
}

impl Taken {
    /// The panel has an alternate screen of its own.
    pub(super) fn is_switched(&self) -> bool {
        self.switched
    }

    /// Bytes that end the panel's drawing and bring the screen back that it was drawn over.
    pub(super) fn leave(&self, modes: &Modes) -> Vec<u8> {
        let mut bytes = b"\x1b[?2026l\x1b[0m\x1b[?25h\x1b[0 q".to_vec();
        bytes.extend(self.input.clone().leave());
        bytes.extend(self.mark.release(modes));
        if self.switched {
            bytes.extend_from_slice(b"\x1b[?1049l");
        }
        if !self.has_alternate {
            bytes.extend_from_slice(b"\x1b[H\x1b[2J");
        }
        bytes
    }
}

impl Panel {
    pub(super) fn new(
        view: View,
        plain: Option<Plain>,
        size: Size,
        config: &PanelConfig,
        known: Remembered,
        now: Instant,
    ) -> Self {
        let chosen = Remembered::of(view.choice());
        Self {
            layout: Layout::new(size, view.choice()),
            view,
            screen: Screen::new(size),
            plain,
            taken: None,
            dirty: false,
            next_frame: now,
            keys: Tokenizer::new(),
            keys_until: None,
            opening: false,
            early: Vec::new(),
            interrupted: false,
            outstanding: Outstanding::new(),
            splitter: Splitter::default(),
            pieces_until: None,
            late_until: None,
            echo: None,
            closing: false,
            looks_back: None,
            known,
            chosen,
            mouse: config.mouse,
            alternate: config.alternate_screen.unwrap_or_else(has_alternate_screen),
            waits: None,
            held: None,
        }
    }

    /// Keeps what the user has changed of where the panel is and how large; what was not changed stays as it was known.
    /// Nothing depends on it.
    pub(super) fn remember(&self) {
        let now = Remembered::of(self.view.choice());
        if now != self.chosen {
            let _ = self.known.with_changes(self.chosen, now).keep();
        }
    }

    pub(super) fn take_taken(&mut self) -> Option<Taken> {
        self.taken.take()
    }

    /// In which row of the primary screen the user's terminal has its cursor.
    pub(super) fn cursor_is_in(&mut self, row: u16) {
        if let Some(taken) = &mut self.taken {
            taken.mark.cursor_is_in(row);
        }
    }

    /// Whether what the terminal sends may have been asked for by the panel, which is drawn or was a moment ago.
    pub(super) fn may_be_asked(&self, now: Instant) -> bool {
        self.view.is_shown() || self.late_until.is_some_and(|until| now <= until)
    }

    /// When [`Session::on_panel_time`] has something to do. A frame waits until the terminal has taken the last.
    pub(super) fn deadline(&self, tty_takes: bool) -> Option<Instant> {
        let rest = [self.keys_until, self.pieces_until].into_iter().flatten().min();
        if !self.view.is_shown() {
            return rest;
        }
        let frame = (self.dirty && tty_takes).then_some(self.next_frame);
        let echo = self.echo.as_ref().map(Echo::until);
        let second = self.waits.map(|(_, next)| next);
        [frame, echo, rest, second].into_iter().flatten().min()
    }

    /// Counts the seconds for which Linus's answer is awaited, and has each drawn.
    fn count_wait(&mut self, is_waiting: bool, now: Instant) {
        let since = self.waits.map_or(now, |(since, _)| since);
        let seconds = if is_waiting { (now - since).as_secs() } else { 0 };
        self.waits = is_waiting.then(|| (since, since + Duration::from_secs(seconds + 1)));
        self.dirty |= self.view.note_waited(seconds) && self.plain.is_none();
    }
}

impl Session {
    pub(super) fn panel_is_open(&self) -> bool {
        self.side.as_ref().is_some_and(|side| side.panel.view.is_shown())
    }

    /// Opens the panel as soon as the observer has come.
    pub(super) fn open_panel(&mut self) {
        let Some(Side { panel, watch, .. }) = &mut self.side else { return };
        if panel.view.is_shown() {
            return;
        }
        panel.opening = watch.ask(Instant::now());
        if !panel.opening {
            // The emulator is lost; there is nothing to draw from.
            self.send_tty(b"\x07");
        }
    }

    /// The observer has come: takes the screen over, or sends it back if the panel is not wanted any more.
    pub(super) fn on_lent(&mut self, observer: Box<Observer>, now: Instant) {
        let Some(side) = &mut self.side else { return };
        side.watch.lent(observer, &self.modes);
        side.take_snapshots(now);
        let Side { panel, watch, .. } = side;
        // A question of ssh's own that came meanwhile belongs on the plain screen.
        panel.interrupted |= panel.opening && self.pty.line_mode() != LineMode::Raw;
        if !std::mem::take(&mut panel.opening) || panel.interrupted {
            return watch.give_back(now);
        }
        side.welcome();
        let Side { panel, watch, .. } = side;
        let Some(observer) = watch.here() else { return };
        observer.emulator_mut().take_signals();
        if panel.plain.is_some() {
            return self.open_plain(now);
        }
        let has_alternate = panel.alternate;
        let switched = has_alternate && !self.modes.is_alternate();
        let mut mark = observer.emulator().mark();
        if !has_alternate {
            mark.is_drawn_over();
        }
        panel.taken = Some(Taken { mark, switched, has_alternate, input: InputModes::default() });
        panel.view.set_shown(true);
        panel.outstanding.begin(now);
        // The user's terminal may stand in the middle of a sequence: it is ended there, and goes on in the emulator.
        let mut bytes = self.modes.cut();
        // Where the cursor stands on the primary screen (CPR): above the session's rows are the user's own.
        bytes.extend_from_slice(match (has_alternate, switched) {
            (false, _) => b"",
            (true, true) => b"\x1b[6n\x1b[?1049h",
            (true, false) => b"\x1b[?1049l\x1b[6n\x1b[?1049h",
        });
        bytes.extend(self.modes.suspend_for_panel());
        self.send_tty(&bytes);
        if has_alternate {
            self.places.asked(now);
        }
        self.follow_input();
        self.lay_out();
        let Some(Side { panel, .. }) = &mut self.side else { return };
        if let Some(begin) = panel.looks_back.take() {
            self.look_back(begin);
        } else if panel.layout.mode == Mode::Full {
            // There is no room for both: what was asked for is seen.
            panel.view.enter();
        }
        self.on_early_keys(now);
    }

    /// Keys that were typed for the panel before it was there. They are its own, wherever the focus is by now.
    pub(super) fn on_early_keys(&mut self, now: Instant) {
        let Some(Side { panel, .. }) = &mut self.side else { return };
        let early = std::mem::take(&mut panel.early);
        if early.is_empty() {
            return;
        }
        let was_left = !panel.view.takes_keys();
        if was_left {
            panel.view.enter();
        }
        self.on_keys(&early, now);
        if was_left && let Some(Side { panel, .. }) = &mut self.side {
            panel.view.leave();
        }
    }

    /// The emulator's thread is dead. Another follows the terminal from here on; a panel that was about to open waits for
    /// it. When there have been too many, no picture is taken any more, and keys that were meant for the panel are for
    /// nobody.
    pub(super) fn on_watch_lost(&mut self, now: Instant) {
        let Some(side) = &mut self.side else { return };
        let opening = std::mem::take(&mut side.panel.opening);
        let restart = side.watch.restart(self.remote, &self.modes);
        side.panel.dirty = true;
        side.copilot.chat.note(match restart {
            Restart::Kept => return,
            Restart::Anew => "The picture of the terminal was lost by a fault in aissh. It begins anew.",
            Restart::Lost => "The terminal is not followed any more: a fault in aissh.",
        });
        side.files.is_blind = true;
        side.take_snapshots(now);
        if restart == Restart::Anew {
            side.panel.opening = opening && side.watch.ask(now);
            return;
        }
        side.panel.early.clear();
        side.panel.looks_back = None;
        if opening {
            self.send_tty(b"\x07");
        }
    }

    /// Gives the screen back: what the terminal would show had there been no panel.
    pub(super) fn close_panel(&mut self) {
        let Some(side) = &mut self.side else { return };
        side.panel.opening = false;
        side.panel.early.clear();
        side.panel.looks_back = None;
        if !side.panel.view.is_shown() {
            side.panel.view.set_shown(false);
            return;
        }
        if side.panel.plain.is_some() {
            return self.leave_plain(Instant::now());
        }
        side.policy.stop(Stop::NotShown);
        let Side { panel, watch, .. } = side;
        panel.view.set_shown(false);
        (panel.closing, panel.echo) = (false, None);
        panel.late_until = Some(Instant::now() + LATE);
        let mut bytes = Vec::new();
        if let Some(taken) = panel.take_taken() {
            bytes.extend(taken.leave(&self.modes));
            if let Some(observer) = watch.here() {
                observer.keep_echo();
                observer.resize(self.size);
                bytes.extend(observer.emulator().replay(&taken.mark));
            }
        }
        watch.give_back(Instant::now());
        side.leave_file();
        self.set_remote_size(self.size);
        self.send_tty(&bytes);
        self.arm();
    }

    /// Keys are encoded as the remote wants them, whoever gets them.
    fn follow_input(&mut self) {
        let Some(Side { panel, .. }) = &mut self.side else { return };
        let mouse = panel.mouse;
        let follow = |taken: &mut Taken| taken.input.follow(&self.modes, mouse);
        let bytes = panel.taken.as_mut().map(follow).unwrap_or_default();
        if !bytes.is_empty() {
            self.send_tty(&bytes);
            self.arm();
        }
    }

    /// Lays the panes out for the present size, and tells the remote if its part changed.
    pub(super) fn lay_out(&mut self) {
        let size = self.size;
        let Some(Side { panel, watch, .. }) = &mut self.side else { return };
        if panel.plain.is_some() {
            return self.lay_plain_out();
        }
        panel.layout = Layout::new(size, panel.view.choice());
        panel.view.note_layout(&panel.layout);
        panel.screen.resize(size);
        panel.dirty = true;
        let remote = panel.layout.remote(size);
        if let Some(observer) = watch.here() {
            observer.resize(remote);
        }
        self.set_remote_size(remote);
        self.arm();
    }

    /// Sets what ssh sees, if it is something else than before.
    pub(super) fn set_remote_size(&mut self, remote: Size) {
        if self.remote != remote {
            self.remote = remote;
            self.recorders.resize(remote);
            let _ = self.pty.resize(remote);
        }
    }

    /// What the guard writes if the session ends at this moment.
    pub(super) fn arm(&mut self) {
        let taken = self.side.as_ref().and_then(|side| side.panel.taken.as_ref());
        if let Some(guard) = &mut self.guard {
            guard.on_leave(taken.map(|taken| taken.leave(&self.modes)).unwrap_or_default());
        }
    }

    /// Output of ssh's while the panel is shown.
    pub(super) fn on_panel_output(&mut self, bytes: &[u8], now: Instant) {
        let Some(Side { panel, watch, policy, .. }) = &mut self.side else { return };
        if panel.plain.is_some() {
            return self.hold(bytes, now);
        }
        policy.output(bytes);
        watch.output(bytes, &self.modes, now);
        panel.dirty = true;
        let Some(observer) = watch.here() else { return };
        if panel.echo.as_ref().is_some_and(|echo| echo.dim(observer)) {
            panel.echo = None;
        }
        let size = observer.emulator().size();
        let (mut to_ssh, mut to_tty) = (Vec::new(), Vec::new());
        for signal in observer.emulator_mut().take_signals() {
            match signal {
                Signal::Query(query) => match queries::answer(&query, size) {
                    Answer::Local(bytes) => to_ssh.extend(bytes),
                    Answer::Forward(bytes) => {
                        panel.outstanding.forwarded(&query, now);
                        to_tty.extend(bytes);
                    }
                    Answer::Drop => {}
                },
                Signal::Forward(bytes) => to_tty.extend(bytes),
                Signal::Bell => to_tty.push(0x07),
                Signal::Osc(_) | Signal::BracketedPaste(_) | Signal::Alternate(_) | Signal::Erased => {}
            }
        }
        // A local prompt would take an answer for the password; a remote that only asks is not answered without end.
        if !to_ssh.is_empty() && !self.to_pty.is_full() && self.pty.line_mode() == LineMode::Raw {
            self.send_pty(&to_ssh);
        }
        self.send_tty(&to_tty);
        self.follow_input();
    }

    /// Draws what has changed, if it is time and the terminal takes it.
    fn draw(&mut self, now: Instant) {
        let Some(side) = &mut self.side else { return };
        let panel = &mut side.panel;
        if !panel.view.is_shown() || !panel.dirty || now < panel.next_frame || !self.to_tty.is_empty() {
            return;
        }
        let frame = if panel.view.has_leaves() { LEAVES_FRAME } else { FRAME };
        (panel.dirty, panel.next_frame) = (false, now + frame);
        planted("panel");
        if let Some(bytes) = self.picture(now) {
            self.send_tty(&bytes);
            self.note_drawn(now);
        }
    }

    /// The bytes that show everything as it is now.
    pub(super) fn picture(&mut self, now: Instant) -> Option<Vec<u8>> {
        let (conditions, size) = (self.conditions(), self.size);
        let side = self.side.as_mut()?;
        side.note_place(now);
        side.offer_integration(&self.prefix_name);
        let integration = side.integration();
        let policy = side.policy_status(conditions, now);
        let question = side.question();
        let leaves = side.leaves(now);
        let roster = side.roster();
        let health = side.health.line(now);
        let Side { panel, watch, copilot, linus, .. } = side;
        let observer = watch.here()?;
        let status = Status {
            target: linus.target().to_owned(),
            device: Some(observer.facts().dialect).filter(|d| d.is_device()).and_then(Dialect::name),
            policy,
            sharing: linus.sharing.word(),
            question,
            leaves,
            roster,
            health,
            recording: self.recorders.has_tape(),
            secret: side.local_secret || observer.state() == State::Secret,
            prefix: self.prefix_name.clone(),
            integration,
        };
        let (view, layout, remote) = (&mut panel.view, &panel.layout, observer.emulator().screen());
        Some(match &mut panel.plain {
            Some(plain) => plain.draw(view, copilot, &status, size.cols),
            None => panel.screen.draw(|frame| ui::draw(frame, layout, remote, view, copilot, &status)),
        })
    }

    /// Panel deadlines: the rest of a key or a reply that does not come, an echo, a frame that was too early.
    pub(super) fn on_panel_time(&mut self, now: Instant) {
        self.flush_keys(Some(now));
        let Some(side) = &mut self.side else { return };
        side.follow_integration(now);
        side.panel.count_wait(side.copilot.chat.is_waiting(), now);
        if side.panel.echo.as_ref().is_some_and(|echo| now >= echo.until()) {
            side.panel.echo = None;
        }
        if side.panel.closing && side.panel.echo.is_none() && side.integrating.until().is_none() {
            self.close_panel();
        }
        self.draw(now);
    }
}
