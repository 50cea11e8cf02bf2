//! The user's terminal with a session in it whose panel opens and closes: the same calls as `src/session/panel.rs` makes.

use aissh::terminal::{Emulator, InputModes, Mark, Modes, Signal, Size};

use crate::judge::{Cells, Outer, Picture};

/// When the panel opens and closes (offsets in the stream), and how wide the remote's part is meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(crate) open: usize,
    pub(crate) close: usize,
    /// `None`: an overlay, which leaves the remote its size.
    pub(crate) split: Option<u16>,
}

/// Without a panel: what the terminal shows, resized where it would have been.
pub(crate) fn hidden(size: Cells, before: &[u8], stream: &[u8], openings: &[Opening]) -> Picture {
    let mut outer = Outer::new(size);
    outer.feed(before);
    let mut at = 0;
    for opening in openings {
        let Some(cols) = opening.split else { continue };
        for (offset, cols) in [(opening.open, cols), (opening.close, size.cols)] {
            outer.feed(&stream[at..offset]);
            outer.resize(Cells { cols, ..size });
            at = offset;
        }
    }
    outer.feed(&stream[at..]);
    outer.picture()
}

struct Session {
    outer: Outer,
    emulator: Emulator,
    modes: Modes,
    size: Cells,
    open: Option<(Mark, InputModes, bool)>,
}

impl Session {
    fn output(&mut self, bytes: &[u8]) {
        self.modes.feed(bytes);
        if self.open.is_none() {
            self.outer.feed(bytes);
        }
        self.emulator.feed(bytes);
        let signals = self.emulator.take_signals();
        if let Some((_, input, _)) = &mut self.open {
            for signal in signals {
                if let Signal::Forward(bytes) = signal {
                    self.outer.feed(&bytes);
                }
            }
            self.outer.feed(&input.follow(&self.modes, true));
        }
    }

    fn open(&mut self, split: Option<u16>) {
        let mut mark = self.emulator.mark();
        let switched = !self.modes.is_alternate();
        self.outer.feed(&self.modes.cut());
        if !switched {
            self.outer.feed(b"\x1b[?1049l");
        }
        // The answer to CPR.
        mark.cursor_is_in(self.outer.cursor_row());
        self.outer.feed(b"\x1b[?1049h");
        self.outer.feed(&self.modes.suspend_for_panel());
        let mut input = InputModes::default();
        self.outer.feed(&input.follow(&self.modes, true));
        if let Some(cols) = split {
            self.emulator.resize(Size::new(cols, self.size.rows));
        }
        self.outer.feed(b"\x1b[?2026h\x1b[1;1H\x1b[31;4mpanel\x1b[m\x1b[5;20Hpanel\x1b[?25l\x1b[2;2H\x1b[?25h\x1b[5 q\x1b[?2026l");
        self.open = Some((mark, input, switched));
    }

    fn close(&mut self) {
        let Some((mark, mut input, switched)) = self.open.take() else { return };
        self.outer.feed(b"\x1b[?2026l\x1b[0m\x1b[?25h\x1b[0 q");
        self.outer.feed(&input.leave());
        self.outer.feed(&mark.release(&self.modes));
        if switched {
            self.outer.feed(b"\x1b[?1049l");
        }
        self.emulator.resize(Size::new(self.size.cols, self.size.rows));
        self.outer.feed(&self.emulator.replay(&mark));
    }
}

/// With the panel; and the rows that the emulator holds at the end.
pub(crate) fn toggled(
    size: Cells,
    before: &[u8],
    stream: &[u8],
    openings: &[Opening],
) -> (Picture, Vec<String>) {
    let mut session = Session {
        outer: Outer::new(size),
        emulator: Emulator::new(Size::new(size.cols, size.rows)),
        modes: Modes::new(),
        size,
        open: None,
    };
    session.outer.feed(before);
    let mut at = 0;
    for opening in openings {
        session.output(&stream[at..opening.open]);
        session.open(opening.split);
        session.output(&stream[opening.open..opening.close]);
        session.close();
        at = opening.close;
    }
    session.output(&stream[at..]);
    assert_eq!(session.emulator.faults(), 0, "vt100 panicked");
    let held = session.emulator.screen().rows(0, size.cols).collect();
    (session.outer.picture(), held)
}
