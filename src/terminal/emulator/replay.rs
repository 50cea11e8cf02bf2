//! What the outer terminal must be told when the panel closes. While the panel was drawn on the outer terminal's
//! alternate screen, its primary screen kept what it showed when the panel opened; the lines that came since go
//! into its scrollback in order and once, then the screen, the cursor and the modes are as the remote has them.

use super::charset::SUBSTITUTE;
use super::lines::{EchoStart, line_of, spans};
use super::looks::Look;
use super::reflow::{cursor_below, goto, primary, reprint, saved_cursor, write_line};
use super::styled::{self, Style};
use super::{Emulator, Modes, Size};
use crate::terminal::modes::{self, State};
use vt100::Screen;

/// The outer terminal's state when the panel opened.
#[derive(Debug, Clone)]
pub struct Mark {
    /// What the first row of the primary screen began with.
    top: EchoStart,
    printed: u64,
    primary_printed: u64,
    erased: u64,
    size: Size,
    modes: State,
    /// The outer terminal was cut off inside a character, and may show a substitute for it; or something else was drawn
    /// over all that it showed.
    is_broken: bool,
    /// The cursor's row on the primary screen.
    row: u16,
    cleared: u64,
    tabs: Option<Vec<u16>>,
    /// It was cut off inside an OSC, which Alacritty then obeys as far as it came.
    is_in_command: bool,
    /// How many rows of the outer terminal stand above the remote's first one: what the user did before the session.
    above: Option<u16>,
}

impl Mark {
    /// The outer terminal has no alternate screen: what it showed will have been drawn over, also above the session.
    pub fn is_drawn_over(&mut self) {
        (self.is_broken, self.above) = (true, Some(0));
    }

    /// Says in which row, counted from 1, the outer terminal has its cursor on the primary screen (its answer to CPR).
    pub fn cursor_is_in(&mut self, row: u16) {
        // In origin mode the answer counts from the region's first row, and the session addresses rows.
        let rows = row.saturating_sub(1).saturating_sub(self.row);
        self.above = Some(if self.modes.is_on(6) { 0 } else { rows });
    }

    /// Bytes that make the keyboard of the panel's screen what the remote, which is in `modes` now, has it on its own
    /// alternate screen: before that is left.
    pub fn release(&self, modes: &Modes) -> Vec<u8> {
        modes::keyboard_change(&self.modes.suspended(), modes.state())
    }
}

impl Emulator {
    /// Remembers what the outer terminal shows now, just before the panel is drawn over it.
    pub fn mark(&self) -> Mark {
        let history = self.history();
        Mark {
            top: EchoStart { line: history.next(), offset: styled::cells(history.open()) },
            printed: self.printed,
            primary_printed: self.primary_printed,
            erased: self.erased,
            size: self.size,
            modes: self.modes.state().clone(),
            is_broken: self.normaliser.is_in_character(),
            tabs: self.tabs.clone(),
            is_in_command: self.normaliser.pending().starts_with(b"\x1b]"),
            row: primary(self.screen()).cursor_position().0,
            cleared: self.cleared,
            // Once a row has scrolled off, or all was erased, the session has the whole screen.
            above: (history.next() > 0 || !history.open().is_empty() || self.cleared > 0).then_some(0),
        }
    }

    /// Bytes for the outer terminal, which was cut off at `mark` (`Modes::cut`), set by
    /// `Modes::suspend_for_panel`, let go (`Mark::release`), and is now back on the screen that it was on at the mark: on its primary screen
    /// (`CSI ? 1049 l` undone the panel's own), or, where the remote was on the alternate screen already, still on that.
    /// Empty if nothing was printed since and nothing had been suspended.
    pub fn replay(&self, mark: &Mark) -> Vec<u8> {
        let now = self.modes.state();
        let mut suspended = mark.modes.suspended();
        suspended.keyboard[1].clone_from(&now.keyboard[1]);
        if mark.is_in_command {
            suspended.title = None;
        }
        let (was_alternate, is_alternate) = (mark.modes.alternate != 0, self.is_alternate());
        let resized = (mark.size.cols, mark.size.rows) != (self.size.cols, self.size.rows);
        let is_primary_stale = self.primary_printed != mark.primary_printed || resized || mark.is_broken;
        let is_placed = now.region.is_some() || now.is_on(6) || self.normaliser.has_saved();
        let mut out = Vec::new();
        let is_tabbed = self.tabs != mark.tabs;
        if self.printed == mark.printed && !is_primary_stale && !was_alternate && !is_placed && !is_tabbed {
            out.extend(modes::change(&suspended, now));
            out.extend(self.normaliser.pending());
            return out;
        }

        let mut from = suspended;
        let mut down = 0;
        if is_primary_stale || !is_alternate || is_tabbed {
            from = self.begin(&mut out, &from, mark);
        }
        if is_tabbed {
            out.extend_from_slice(self.tab_stops().as_bytes());
        }
        if is_primary_stale || !was_alternate || is_tabbed {
            let primary = primary(self.screen());
            let above = self.above(mark, resized);
            if is_primary_stale {
                down = self.paint_primary(&mut out, &primary, mark, above);
            } else {
                down = above.unwrap_or(0);
            }
            let mut state = String::new();
            self.saved(&primary, 0, down, &mut state);
            cursor_below(&primary, primary.cursor_position(), down, &mut state);
            out.extend_from_slice(self.shown(&state).as_bytes());
        }
        if is_alternate {
            from = self.paint_alternate(&mut out, &from, now);
            down = 0;
        }
        let geometry = now.placed_in(&from);
        out.extend(modes::change(&from, &geometry));
        self.finish(&mut out, self.screen(), now, down);
        out.extend(modes::change(&geometry, now));
        out.extend(self.normaliser.pending());
        out
    }

    /// Leaves the alternate screen, and all that would change what is painted; the modes reached.
    fn begin(&self, out: &mut Vec<u8>, from: &State, mark: &Mark) -> State {
        let mut to = from.clone();
        to.alternate = 0;
        out.extend(modes::change(from, &to));
        out.extend_from_slice(NEUTRAL);
        out.extend_from_slice(self.neutral_sets(mark));
        if self.normaliser.looks().has_links() {
            out.extend_from_slice(b"\x1b]8;;\x1b\\");
        }
        to
    }

    /// Rows above the session that are not its own; `None` if that is not known, or not any more.
    fn above(&self, mark: &Mark, resized: bool) -> Option<u16> {
        // A full-screen program's region is no matter of the primary screen's, nor is one that is the whole screen.
        let is_part = self.margins() != (0..self.size.rows) || self.modes.state().is_on(6);
        // Cleared since, or addressed by rows: the session has the whole screen.
        if self.cleared != mark.cleared || (is_part && !self.is_alternate()) {
            return Some(0);
        }
        mark.above.filter(|_| !resized)
    }

    /// Enters the alternate screen, unless the terminal is on it, and paints it; the modes reached.
    fn paint_alternate(&self, out: &mut Vec<u8>, from: &State, now: &State) -> State {
        let mut to = from.clone();
        to.alternate = now.alternate;
        to.keyboard = now.keyboard.clone();
        // The pen is saved on the way in, and must be the one to come back to.
        let mut pen = String::new();
        self.saved_pens[0].write(Style::default(), &mut pen);
        self.normaliser.looks().write_pen(self.normaliser.saved(0).1, &mut pen);
        out.extend_from_slice(pen.as_bytes());
        out.extend(modes::change(from, &to));
        out.extend_from_slice(NEUTRAL);
        let mut text = self.screen().contents_formatted();
        self.saved(self.screen(), 1, 0, &mut text);
        out.extend_from_slice(self.shown(&text).as_bytes());
        to
    }

    /// Erases from the session's first row on, row by row (ED 2 pushes the old screen into scrollback in VTE and kitty, ED
    /// from the first row does in tmux), then prints every line since the mark; rows beyond the screen's height scroll off at the top. Where the first row
    /// is not known, what the terminal shows is scrolled off first: repeated rather than lost. The value is where the
    /// screen's first row stands then.
    fn paint_primary(&self, out: &mut Vec<u8>, screen: &Screen, mark: &Mark, above: Option<u16>) -> u16 {
        let history = self.history();
        let rows = self.size.rows;
        let mut text = match above {
            Some(_) => String::new(),
            None => format!("\x1b[{rows};1H{}", "\n".repeat(usize::from(rows))),
        };
        let first = above.unwrap_or(0) + 1;
        (first..=rows).for_each(|row| text.push_str(&format!("\x1b[{row};1H\x1b[2K")));
        text.push_str(&format!("\x1b[{first};1H"));
        if self.erased != mark.erased {
            text.push_str("\x1b[3J");
        }
        let mut scrolled = false;
        if let Some(missing @ 1..) = history.first().checked_sub(mark.top.line) {
            text.push_str(&format!("[aissh: {missing} lines are not here]\r\n"));
            scrolled = true;
        }
        for number in mark.top.line.max(history.first())..history.next() {
            let line = history.get(number).unwrap_or_default();
            if number == mark.top.line && mark.top.offset > 0 {
                text.push_str(&styled::from_cell(line, mark.top.offset));
            } else {
                text.push_str(line);
            }
            text.push_str("\r\n");
            scrolled = true;
        }
        let skip = if mark.top.line == history.next() { mark.top.offset } else { 0 };
        let is_known = history.next() < mark.top.line;
        let head = if is_known { String::new() } else { styled::from_cell(history.open(), skip) };
        scrolled |= !head.is_empty();
        text.push_str(&head);
        let spans = spans(screen);
        // With nothing scrolled, blank rows at the end are blank already; else they push the rest up.
        let last = if scrolled { spans.len() - 1 } else { super::lines::last_used(screen, &spans) };
        for (index, span) in spans[..=last].iter().enumerate() {
            text.push_str(if index > 0 { "\r\n" } else { "" });
            write_line(&line_of(screen, span.clone()), &mut text);
        }
        out.extend_from_slice(self.shown(&text).as_bytes());
        let printed = if scrolled { rows } else { spans[last].end };
        above.unwrap_or(0).min(rows - printed.min(rows))
    }

    /// The cursor and the pen, on a terminal whose region and origin mode are set.
    fn finish(&self, out: &mut Vec<u8>, screen: &Screen, now: &State, down: u16) {
        let (row, col) = screen.cursor_position();
        let mut state = String::new();
        if now.is_on(6) {
            let top = now.region.map_or(0, |(top, _)| top - 1);
            goto(&mut state, row.saturating_sub(top), col.min(self.size.cols - 1));
        } else {
            if let Some((row, col)) = self.repeatable(screen).filter(|_| col < self.size.cols) {
                goto(&mut state, row + down, col);
                reprint(screen, row, col, &mut state);
            }
            cursor_below(screen, (row, col), down, &mut state);
        }
        state.push_str("\x1b[m");
        Style::pen(screen).write(Style::default(), &mut state);
        let mut state = self.shown(&state);
        self.normaliser.looks().write_pen(self.normaliser.pen().look, &mut state);
        out.extend_from_slice(state.as_bytes());
    }

    /// Where the screen has the character that REP would repeat, the nearest before the cursor: printed again it still is.
    fn repeatable(&self, screen: &Screen) -> Option<(u16, u16)> {
        let last = self.normaliser.last()?;
        let (row, col) = screen.cursor_position();
        let is_it = |(row, col): &(u16, u16)| {
            screen.cell(*row, *col).is_some_and(|cell| cell.contents().starts_with(last))
        };
        let before = (0..col).rev().map(|col| (row, col));
        let others = (0..self.size.rows).flat_map(|row| (0..self.size.cols).map(move |col| (row, col)));
        before.chain(others).find(is_it)
    }

    /// The panel's own alternate screen overwrote what the remote had saved by DECSC.
    fn saved(&self, screen: &Screen, which: usize, down: u16, state: &mut String) {
        let (row, col) = saved_cursor(screen);
        let (charsets, look) = self.normaliser.saved(which);
        let (neutral, saved) = (State::default(), State::with_charsets(charsets));
        let [designate, undo] =
            [(&neutral, &saved), (&saved, &neutral)].map(|(from, to)| modes::change(from, to));
        cursor_below(screen, (row, col), down, state);
        state.push_str("\x1b[m");
        self.saved_pens[which].write(Style::default(), state);
        if look != Look::default() {
            self.normaliser.looks().write_pen(look, state);
        }
        state.push_str(&String::from_utf8_lossy(&designate));
        state.push_str("\x1b7\x1b[m");
        state.push_str(&String::from_utf8_lossy(&undo));
    }

    /// G2 and G3, where they were ever designated: the Linux console would print what stands for them.
    fn neutral_sets(&self, mark: &Mark) -> &'static [u8] {
        let saved = [0, 1].map(|screen| self.normaliser.saved(screen).0);
        let all = [mark.modes.charsets, self.modes.state().charsets, saved[0], saved[1]];
        if all.iter().all(|charsets| charsets.g[2..] == *b"BB") { b"" } else { b"\x1b*B\x1b+B" }
    }

    /// Sets the tab stops.
    fn tab_stops(&self) -> String {
        let every_eighth = || (0..self.size.cols).step_by(8).collect();
        let stops = self.tabs.clone().unwrap_or_else(every_eighth);
        let mut text = String::from("\x1b[3g");
        for col in stops.into_iter().filter(|col| *col < self.size.cols) {
            text.push_str(&format!("\x1b[{}G\x1bH", col + 1));
        }
        text
    }

    /// The outer terminal has its own picture for what is not UTF-8, and a place for what vt100 has none for.
    fn shown(&self, text: &str) -> String {
        self.normaliser.looks().shown(&text.replace(SUBSTITUTE, "\u{fffd}"))
    }
}

/// Whatever the terminal restored by itself when it left the alternate screen: painting starts from nothing.
const NEUTRAL: &[u8] = b"\x1b[?6l\x1b[r\x1b[?7h\x1b[4l\x1b(B\x1b)B\x0f\x1b[m";
