//! The rewriting that needs to know where the cursor is.

use super::normalise::Act;
use super::reflow::region_and_cursor;
use super::styled::Style;
use super::width::cells_of;
use super::{Emulator, Signal};
use crate::terminal::queries::Query;

impl Emulator {
    /// Does it, and says what the shell tracker should know.
    pub(super) fn act(&mut self, act: Act) -> Option<Signal> {
        let (row, col) = self.screen().cursor_position();
        match act {
            Act::Back(count) => {
                let col = col.min(self.size.cols - 1);
                self.csi(&format!("{}G", col.saturating_sub(count) + 1));
            }
            Act::Vertical(b'd', count) if self.modes.state().is_on(6) => {
                // vt100 counts from the screen's first row; with CUP from the region's.
                self.csi(&format!("{count};{}H", col.min(self.size.cols - 1) + 1));
            }
            Act::Vertical(last, count) => {
                let unwrap =
                    if col >= self.size.cols { format!("\x1b[{}G", self.size.cols) } else { String::new() };
                self.process(format!("{unwrap}\x1b[{count}{}", char::from(last)).as_bytes());
            }
            Act::Tab(count) => self.tab(count),
            Act::SetTab => self.set_tab(col),
            Act::ClearTab { all: true } => self.tabs = Some(Vec::new()),
            Act::ClearTab { all: false } => self.tabs_mut().retain(|tab| *tab != col),
            Act::Text(text) => text.chars().for_each(|c| self.print(c)),
            Act::Coloured(text) => self.print_coloured(&text),
            Act::Shift(last, count) => self.shift(last, count),
            Act::Save => {
                self.saved_pens[usize::from(self.is_alternate())] = Style::pen(self.screen());
                self.process(b"\x1b7");
            }
            Act::Recall => self.recall("\x1b8", usize::from(self.is_alternate())),
            Act::Private(mode, on) => self.csi(&format!("?{mode}{}", if on { 'h' } else { 'l' })),
            Act::Switch(mode, on) => return self.switch(mode, on),
            Act::Erase(part) => {
                self.erase(part);
                return (part == 0 && col == 0 && !self.is_alternate()).then_some(Signal::Erased);
            }
            Act::Region(top, bottom) => {
                let bottom = if bottom == 0 { self.size.rows } else { bottom.min(self.size.rows) };
                if top < bottom {
                    // vt100 homes to the top of the region; with CUP it is where origin mode says.
                    self.csi(&format!("{top};{bottom}r\x1b[H"));
                }
            }
            Act::ReverseIndex => {
                // Above the region nothing scrolls; vt100 would scroll the region.
                let top = self.modes.state().region.map_or(1, |(top, _)| top);
                if row > 0 || top == 1 {
                    self.process(b"\x1bM");
                }
                if row + 1 == top && self.normaliser.pen().is_coloured {
                    self.process(
                        &[self.normaliser.pen().lay_down(), b"\x1b[2K", self.normaliser.pen().take_up()]
                            .concat(),
                    );
                }
            }
            Act::Align => self.align(),
            Act::SoftReset => {
                self.saved_pens = Default::default();
                let (row, col) = (row + 1, col + 1);
                self.csi(&format!("r\x1b[?6l\x1b[?25h\x1b[?1l\x1b>\x1b[m\x1b[H\x1b7\x1b[{row};{col}H"));
            }
            Act::Reset => return self.reset(),
            Act::Report { extended } => return Some(self.report(row, col, extended)),
        }
        None
    }

    /// DECALN: the screen full of E.
    fn align(&mut self) {
        let line = "E".repeat(usize::from(self.size.cols));
        let rows: Vec<String> = (1..=self.size.rows).map(|row| format!("\x1b[{row}H{line}")).collect();
        self.process(format!("\x1b[?6l\x1b[r\x1b[m{}\x1b[H", rows.concat()).as_bytes());
    }

    /// RIS.
    fn reset(&mut self) -> Option<Signal> {
        let was_alternate = self.is_alternate();
        self.parser.callbacks_mut().close();
        (self.tabs, self.pullable) = (None, None);
        self.saved_pens = Default::default();
        self.process(b"\x1bc");
        was_alternate.then_some(Signal::Alternate(false))
    }

    fn report(&self, row: u16, col: u16, extended: bool) -> Signal {
        let state = self.modes.state();
        let top = state.region.filter(|_| state.is_on(6)).map_or(0, |(top, _)| top - 1);
        let (row, col) = (row.saturating_sub(top) + 1, col.min(self.size.cols - 1) + 1);
        Signal::Query(Query::Cursor { row, col, extended })
    }

    /// vt100 has one saved pen for both screens; terminals have one for each.
    fn recall(&mut self, sequence: &str, screen: usize) {
        let mut bytes = format!("{sequence}\x1b[m");
        self.saved_pens[screen].write(Style::default(), &mut bytes);
        self.process(bytes.as_bytes());
    }

    fn csi(&mut self, text: &str) {
        self.process(format!("\x1b[{text}").as_bytes());
    }

    fn tabs_mut(&mut self) -> &mut Vec<u16> {
        self.tabs.get_or_insert_with(|| (0..u16::MAX).step_by(8).collect())
    }

    fn set_tab(&mut self, col: u16) {
        let tabs = self.tabs_mut();
        if let Err(at) = tabs.binary_search(&col) {
            tabs.insert(at, col);
        }
    }

    fn tab(&mut self, count: i32) {
        let last = self.size.cols - 1;
        let mut col = self.screen().cursor_position().1.min(last);
        for _ in 0..count.unsigned_abs().min(u32::from(self.size.cols)) {
            col = match &self.tabs {
                None if count > 0 => (col / 8 + 1) * 8,
                None => col.saturating_sub(1) / 8 * 8,
                Some(tabs) if count > 0 => tabs.iter().copied().find(|tab| *tab > col).unwrap_or(last),
                Some(tabs) => tabs.iter().copied().rev().find(|tab| *tab < col).unwrap_or(0),
            }
            .min(last);
        }
        self.csi(&format!("{}G", col + 1));
    }

    /// A character while autowrap is off, insert mode on or tab stops are moved.
    fn print(&mut self, c: char) {
        if c == '\t' {
            return self.tab(1);
        }
        let mut bytes = String::new();
        let width = cells_of(c) as u16;
        if c >= ' ' && width > 0 {
            let col = self.screen().cursor_position().1;
            if !self.normaliser.autowrap() && col + width > self.size.cols {
                bytes = format!("\x1b[{}G", self.size.cols - width + 1);
            }
            if self.normaliser.insert_mode() && (!bytes.is_empty() || col + width <= self.size.cols) {
                bytes.push_str(&format!("\x1b[{width}@"));
            } else if self.normaliser.insert_mode() {
                // Room is made where the character will go, and then it is let wrap, which joins the rows.
                self.print_coloured("\r\n");
                self.csi(&format!("{width}@"));
                let (row, _) = self.screen().cursor_position();
                self.put_cursor(row.saturating_sub(1), self.size.cols);
            }
        }
        bytes.push(c);
        let (row, col) = self.screen().cursor_position();
        let feeds = matches!(c, '\n' | '\x0b' | '\x0c');
        let wraps = c >= ' ' && width > 0 && self.normaliser.autowrap() && col + width > self.size.cols;
        if (feeds || wraps) && row + 1 == self.margins().end && self.normaliser.pen().is_coloured {
            return self.process_scrolling(&bytes);
        }
        self.process(bytes.as_bytes());
    }

    /// As xterm does it: the cursor keeps its place where it is not restored.
    fn switch(&mut self, mode: u16, on: bool) -> Option<Signal> {
        let (row, col) = self.screen().cursor_position();
        let place = format!("\x1b[{};{}H", row + 1, col + 1);
        let was = self.is_alternate();
        match (mode, on) {
            (1049, true) => {
                self.saved_pens[0] = Style::pen(self.screen());
                self.process(format!("\x1b[?1049h{place}").as_bytes());
            }
            (1049, false) => self.recall("\x1b[?1049l", 0),
            (1047, false) if was => self.process(format!("\x1b[H\x1b[J\x1b[?47l{place}").as_bytes()),
            (_, true) if !was => self.process(format!("\x1b[?47h{place}").as_bytes()),
            (_, false) if was => self.process(format!("\x1b[?47l{place}").as_bytes()),
            _ => {}
        }
        self.share_region();
        (was != on).then_some(Signal::Alternate(on))
    }

    /// Region and origin mode are the terminal's; vt100 has them for each screen.
    fn share_region(&mut self) {
        let (row, col) = self.screen().cursor_position();
        self.put_cursor(row, col);
    }

    /// Sets the cursor, with region, origin mode and pen as they are.
    pub(super) fn put_cursor(&mut self, row: u16, col: u16) {
        let screen = self.screen();
        let mut bytes = region_and_cursor(screen, self.modes.state(), row, col);
        bytes.push_str("\x1b[m");
        Style::pen(screen).write(Style::default(), &mut bytes);
        self.process(bytes.as_bytes());
    }

    fn erase(&mut self, part: u16) {
        if part == 3 {
            self.parser.callbacks_mut().erase();
            self.pullable = None;
            self.erased += 1;
            return;
        }
        let is_all = part == 2 || (part == 0 && self.screen().cursor_position() == (0, 0));
        if is_all && !self.is_alternate() {
            // What is printed next does not continue the last line, and nothing comes back above it.
            self.parser.callbacks_mut().close();
            self.pullable = None;
            self.cleared += 1;
        }
        let pen = self.normaliser.pen();
        let mut bytes = pen.lay_down().to_vec();
        bytes.extend_from_slice(format!("\x1b[{part}J").as_bytes());
        bytes.extend_from_slice(pen.take_up());
        self.process(&bytes);
    }
}
