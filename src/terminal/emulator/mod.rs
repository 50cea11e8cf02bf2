//! What ssh's terminal shows: vt100 behind one small interface, with history as logical lines, a stream made fit
//! for it, reflow, and replay to the outer terminal. Pure: bytes in, screen and signals out.

mod acts;
mod bce;
mod below;
mod charset;
mod echo;
mod history;
mod lines;
mod looks;
mod normalise;
mod read;
mod reflow;
mod replay;
mod sgr;
mod signals;
mod skim;
mod styled;
#[cfg(test)]
mod tests;
mod width;

pub use lines::{EchoStart, SNIP};
pub use looks::Additions;
pub use read::Kept;
pub use replay::Mark;
pub use signals::Signal;
pub use skim::Skimmer;

use crate::terminal::{Modes, Size};
use history::History;
use normalise::{Normaliser, Step};
use signals::Queue;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use styled::Style;
use vt100::Parser;

/// vt100 0.18 panics on a one-column screen, and a terminal of one row has nothing to show.
const SIDE_MIN: u16 = 2;
/// Input taken at once, so that what is made of it stays small.
const PIECE: usize = 16 << 10;

pub struct Emulator {
    parser: Parser<History>,
    normaliser: Normaliser,
    modes: Modes,
    size: Size,
    signals: Queue,
    /// Tab stops, where they are not every 8 columns.
    tabs: Option<Vec<u16>>,
    /// The pens that DECSC saved, of the primary and the alternate screen.
    saved_pens: [Style; 2],
    /// Bytes for vt100.
    out: Vec<u8>,
    /// Lines from this number on may come back to the screen; with the size at which they left it.
    pullable: Option<(u64, Size)>,
    /// Count of changes to what is shown, and of those to the primary screen.
    printed: u64,
    primary_printed: u64,
    erased: u64,
    /// Count of times that the whole primary screen was erased.
    cleared: u64,
    faults: u64,
}

impl Emulator {
    pub fn new(size: Size) -> Self {
        let size = clamped(size);
        Self {
            parser: parser(size, History::new(usize::from(size.cols))),
            normaliser: Normaliser::new(),
            modes: Modes::new(),
            size,
            signals: Queue::default(),
            tabs: None,
            saved_pens: Default::default(),
            out: Vec::new(),
            pullable: None,
            printed: 0,
            primary_printed: 0,
            erased: 0,
            cleared: 0,
            faults: 0,
        }
    }

    /// Takes a chunk of the stream, split anywhere. All signals go to `take_signals`.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            let (used, mark) = self.feed_some(rest);
            rest = &rest[used..];
            match mark {
                Some(Signal::Query(_) | Signal::Erased) => {}
                Some(mark) => self.signals.push(mark),
                None => return,
            }
        }
    }

    /// Takes bytes up to and including the next sequence that the shell tracker must see with the screen as it
    /// was then (an OSC mark, bracketed paste, the alternate screen, a question for the cursor), and returns how
    /// many it took. Call again with the rest until the signal is `None`; only then all was taken. Marks that
    /// are returned are not queued for `take_signals`, except questions, which also need an answer.
    pub fn feed_some(&mut self, bytes: &[u8]) -> (usize, Option<Signal>) {
        let mut used = 0;
        loop {
            let piece = &bytes[used..bytes.len().min(used + PIECE)];
            self.out.clear();
            let mut out = std::mem::take(&mut self.out);
            let (taken, step) = self.normaliser.feed(piece, &mut out);
            self.modes.feed(&piece[..taken]);
            self.process(&out);
            self.out = out;
            used += taken;
            let signal = match step {
                None if used == bytes.len() => return (used, None),
                None => None,
                Some(Step::Signal(signal)) => Some(signal),
                Some(Step::Act(act)) => self.act(act),
            };
            match signal {
                Some(signal) if signal.is_mark() => {
                    if matches!(signal, Signal::Query(_)) {
                        self.signals.push(signal.clone());
                    }
                    return (used, Some(signal));
                }
                Some(signal) => self.signals.push(signal),
                None => {}
            }
        }
    }

    /// Part of the stream was skipped: starts again with a screen of which nothing is known, in the modes behind the gap.
    /// History is kept, and the primary screen too if all that was skipped was on the alternate one.
    pub fn restart(&mut self, skimmed: &Skimmer, modes: &Modes) {
        if skimmed.stays_alternate() && self.is_alternate() {
            self.process(b"\x1b[r\x1b[?6l\x1b[m\x1b[2J");
        } else {
            self.put_away();
            self.begin_anew();
            self.pullable = None;
        }
        self.normaliser.begin_anew();
        self.tabs = None;
        self.feed(&modes.restore());
        self.feed(&modes.pending());
        self.modes = modes.clone();
    }

    /// Scrolls the primary screen into the history, so that its lines keep their numbers, and behind it says that
    /// something is missing.
    fn put_away(&mut self) {
        let primary = reflow::primary(self.screen());
        let spans = lines::spans(&primary);
        let used = spans.get(lines::last_used(&primary, &spans)).map_or(0, |span| {
            // The cursor's line, where nothing stands on it yet, is the next.
            let is_next = lines::line_of(&primary, span.clone()).text.is_empty();
            usize::from(if is_next { span.start } else { span.end })
        });
        let mut bytes =
            format!("\x1b[?1049l\x1b[?6l\x1b[?7h\x1b[r\x1b[m\x1b[{}H", self.size.rows).into_bytes();
        bytes.resize(bytes.len() + used, b'\n');
        bytes.extend_from_slice(format!("\x1b[H\x1b[2J{SNIP}\x1b[{}H\n", self.size.rows).as_bytes());
        self.process(&bytes);
    }

    /// Signals since the last call, in stream order; the oldest are lost where nobody asks. What came while the
    /// panel was hidden was answered by the outer terminal: take and forget it when the panel opens.
    pub fn take_signals(&mut self) -> Vec<Signal> {
        self.signals.take()
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub fn is_alternate(&self) -> bool {
        self.screen().alternate_screen()
    }

    /// The modes of the stream so far, which vt100 knows only in part.
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// How often vt100 panicked and its screen was lost.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// Hands bytes to vt100. They are well-formed and end at ground.
    fn process(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.printed += 1;
        let was_primary = !self.is_alternate();
        let parser = &mut self.parser;
        if catch_unwind(AssertUnwindSafe(|| parser.process(bytes))).is_err() {
            self.recover();
        }
        if was_primary || !self.is_alternate() {
            self.primary_printed += 1;
            self.settle();
        }
    }

    /// A line whose last row left for the history may go on at the top of the screen.
    fn settle(&mut self) {
        let is_wide = !self.is_alternate() && self.screen().cell(0, 0).is_some_and(vt100::Cell::is_wide);
        self.parser.callbacks_mut().settle(is_wide);
    }

    /// An empty screen behind the same history.
    fn begin_anew(&mut self) {
        let mut history = std::mem::take(self.parser.callbacks_mut());
        history.close();
        self.parser = parser(self.size, history);
    }

    /// After a panic nothing of vt100's state is to be relied on, except the history, which is ours.
    fn recover(&mut self) {
        self.faults += 1;
        self.begin_anew();
        let modes = self.modes.restore();
        let parser = &mut self.parser;
        // Modes only; should even they panic, the new screen stands as it is.
        let _ = catch_unwind(AssertUnwindSafe(|| parser.process(&modes)));
    }

    fn history(&self) -> &History {
        self.parser.callbacks()
    }
}

fn clamped(size: Size) -> Size {
    Size { cols: size.cols.max(SIDE_MIN), rows: size.rows.max(SIDE_MIN), ..size }
}

/// A parser without scrollback of its own: rows that leave the screen go to `history`.
fn parser<C: vt100::Callbacks>(size: Size, callbacks: C) -> Parser<C> {
    let side = |n: u16| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
    Parser::new_with_callbacks(side(size.rows), side(size.cols), 0, callbacks)
}
