//! A terminal of another author (Alacritty's) in the place of the user's.

use std::mem;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Cursor, Dimensions};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use alacritty_terminal::vte;
use alacritty_terminal::vte::ansi::{Color, NamedColor, Processor};
use unicode_width::UnicodeWidthStr;

use crate::ledger::Ledger;

/// What Alacritty does not know, done with what it has: the other ways to its alternate screen, and that the end of origin
/// mode homes the cursor (xterm).
const SHIMS: [&[u8]; 7] =
    [b"\x1b[?47h", b"\x1b[?47l", b"\x1b[?1047h", b"\x1b[?1047l", b"\x1b[?1048h", b"\x1b[?1048l", b"\x1b[?6l"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) cols: u16,
    pub(crate) rows: u16,
}

impl Dimensions for Cells {
    fn total_lines(&self) -> usize {
        usize::from(self.rows)
    }
    fn screen_lines(&self) -> usize {
        usize::from(self.rows)
    }
    fn columns(&self) -> usize {
        usize::from(self.cols)
    }
}

pub(crate) struct Outer {
    term: Term<VoidListener>,
    parser: Processor,
    pub(crate) ledger: Ledger,
    ledger_parser: vte::Parser,
    /// The beginning of one of `SHIMS`.
    held: Vec<u8>,
    /// What DECSC saved on the primary screen, which `swap_alt` forgets.
    saved: Option<Cursor<Cell>>,
}

/// Everything that can be seen of a terminal, and that shows later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The scrollback's rows, and the screen's.
    pub(crate) above: Vec<Row>,
    pub(crate) screen: Vec<Row>,
    /// Row, column, pending wrap.
    pub(crate) cursor: (i32, usize, bool),
    pub(crate) pen: String,
    pub(crate) saved: String,
    pub(crate) flags: TermMode,
    pub(crate) modes: Ledger,
    pub(crate) tabs: Vec<usize>,
    pub(crate) primary: Option<Box<Picture>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) looks: Vec<String>,
    pub(crate) wraps: bool,
    /// Its text with the blanks at its end, without the gap before a wide character.
    full: String,
}

impl Outer {
    pub(crate) fn new(size: Cells) -> Self {
        let config = Config { kitty_keyboard: true, scrolling_history: 20_000, ..Config::default() };
        Self {
            term: Term::new(config, &size, VoidListener),
            parser: Processor::new(),
            ledger: Ledger::default(),
            ledger_parser: vte::Parser::new(),
            held: Vec::new(),
            saved: None,
        }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.ledger_parser.advance(&mut self.ledger, bytes);
        let mut rest = mem::take(&mut self.held);
        rest.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(at) = memchr::memchr(0x1b, &rest[from..]).map(|at| from + at) {
            self.parser.advance(&mut self.term, &rest[from..at]);
            let tail = &rest[at..];
            if SHIMS.iter().any(|shim| shim.len() > tail.len() && shim.starts_with(tail)) {
                self.held = tail.to_vec();
                return;
            }
            let shim = SHIMS.iter().find(|shim| tail.starts_with(shim));
            if let Some(shim) = shim {
                self.shim(shim);
            } else {
                self.parser.advance(&mut self.term, &tail[..1]);
            }
            from = at + shim.map_or(1, |shim| shim.len());
        }
        self.parser.advance(&mut self.term, &rest[from..]);
    }

    fn shim(&mut self, sequence: &[u8]) {
        let on = sequence.ends_with(b"h");
        if sequence.starts_with(b"\x1b[?1048") {
            return self.parser.advance(&mut self.term, if on { b"\x1b7" } else { b"\x1b8" });
        }
        if sequence == b"\x1b[?6l" {
            return self.parser.advance(&mut self.term, b"\x1b[?6l\x1b[H");
        }
        if self.is_alternate() != on {
            let cursor = self.term.grid().cursor.clone();
            let saved = self.term.grid().saved_cursor.clone();
            self.term.swap_alt();
            // The cursor is the terminal's, and only 1049 and DECSC save it.
            self.term.grid_mut().cursor = cursor;
            if on {
                self.saved = Some(saved);
            } else if let Some(saved) = self.saved.take() {
                self.term.grid_mut().saved_cursor = saved;
            }
        }
    }

    pub(crate) fn resize(&mut self, size: Cells) {
        self.term.resize(size);
    }

    pub(crate) fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// The cursor's row, from 1: what CPR says without origin mode.
    pub(crate) fn cursor_row(&self) -> u16 {
        self.term.grid().cursor.point.line.0 as u16 + 1
    }

    /// The end of the terminal: what remains to be seen is seen by what more it would do.
    pub(crate) fn picture(mut self) -> Picture {
        let held = mem::take(&mut self.held);
        self.parser.advance(&mut self.term, &held);
        let mut picture = self.screen();
        picture.tabs = self.tab_stops();
        if self.is_alternate() {
            self.parser.advance(&mut self.term, b"\x18\x1b[?1049l");
            let mut primary = self.screen();
            // Where the cursor was when the screen was left is told by DECRC, if the remote used 1049.
            primary.cursor.2 = false;
            picture.primary = Some(Box::new(primary));
        }
        picture
    }

    fn screen(&self) -> Picture {
        let grid = self.term.grid();
        let row = |line: i32| Row::of(&grid[Line(line)][..]);
        let first = -(grid.history_size() as i32);
        let cursor = &grid.cursor;
        let pen = |cell: &Cell| {
            let link = cell.hyperlink().map(|link| link.uri().to_owned());
            format!("{:?}", (cell.fg, cell.bg, cell.flags, cell.underline_color(), link))
        };
        let saved = &grid.saved_cursor;
        Picture {
            above: (first..0).map(row).collect(),
            screen: (0..grid.screen_lines() as i32).map(row).collect(),
            cursor: (cursor.point.line.0, cursor.point.column.0, cursor.input_needs_wrap),
            pen: format!("{} {:?}", pen(&cursor.template), cursor.charsets),
            saved: if self.ledger.has_saved() {
                format!("{:?} {} {:?}", saved.point, pen(&saved.template), saved.charsets)
            } else {
                String::new()
            },
            flags: *self.term.mode(),
            modes: self.ledger.clone().settled(),
            tabs: Vec::new(),
            primary: None,
        }
    }

    /// Found by going to them.
    fn tab_stops(&mut self) -> Vec<usize> {
        let (cursor, last) = (self.term.grid().cursor.clone(), self.term.columns() - 1);
        self.parser.advance(&mut self.term, b"\x18\r");
        let mut stops = Vec::new();
        while stops.last().is_none_or(|stop| *stop < last) && stops.len() < 600 {
            self.parser.advance(&mut self.term, b"\x1b[I");
            stops.push(self.term.grid().cursor.point.column.0);
        }
        self.term.grid_mut().cursor = cursor;
        stops
    }
}

impl Row {
    fn of(cells: &[Cell]) -> Self {
        let mut row = Self {
            wraps: cells.last().is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE)),
            ..Self::default()
        };
        for cell in cells {
            if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
                row.looks.push(String::new());
                continue;
            }
            // Alacritty keeps the tab in the cell where it was.
            let c = if cell.c == '\t' { ' ' } else { cell.c };
            if !cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
                row.full.push(c);
                row.full.extend(cell.zerowidth().unwrap_or_default());
            }
            let mut flags = cell.flags.difference(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
            // Of a blank only what can be seen counts.
            let lines = Flags::ALL_UNDERLINES | Flags::STRIKEOUT | Flags::INVERSE;
            let is_plain = c == ' ' && !flags.intersects(lines);
            if c == ' ' {
                flags = flags.intersection(lines);
            }
            let fg = if is_plain { Color::Named(NamedColor::Foreground) } else { cell.fg };
            let underline = cell.underline_color().filter(|_| flags.intersects(Flags::ALL_UNDERLINES));
            let link = cell.hyperlink().map(|link| link.uri().to_owned()).filter(|_| c != ' ');
            row.looks.push(format!("{:?}", (fg, cell.bg, flags, underline, link)));
        }
        row.text = row.full.trim_end().to_owned();
        row
    }
}

impl Picture {
    /// Takes rows and cursor from another, so that only modes and pen are compared.
    pub(crate) fn forget_places(&mut self, other: &Self) {
        (self.screen, self.cursor) = (other.screen.clone(), other.cursor);
        if let (Some(primary), Some(other)) = (&mut self.primary, &other.primary) {
            primary.forget_places(other);
        }
    }

    /// The primary screen as lines, whatever rows they are in, and the cursor's place in them. How high a line stands after a
    /// change of width is each terminal's own affair.
    pub(crate) fn flowed(mut self) -> Self {
        if let Some(primary) = self.primary.take() {
            self.primary = Some(Box::new(primary.flowed()));
            return self;
        }
        let cursor_at = self.above.len() + usize::try_from(self.cursor.0).unwrap_or(0);
        let mut lines: Vec<Row> = Vec::new();
        let mut goes_on = false;
        for (index, row) in self.above.drain(..).chain(self.screen.drain(..)).enumerate() {
            if !goes_on {
                lines.push(Row::default());
            }
            let number = lines.len() as i32 - 1;
            let Some(line) = lines.last_mut() else { continue };
            if index == cursor_at {
                self.cursor = (number, line.full.width() + self.cursor.1, self.cursor.2);
            }
            line.full.push_str(&row.full);
            line.looks.extend(row.looks);
            goes_on = row.wraps;
        }
        let plain = Row::of(&[Cell::default()]).looks;
        for line in &mut lines {
            line.text = line.full.trim_end().to_owned();
            line.full.clear();
            let end = line.looks.iter().rposition(|look| !plain.contains(look)).map_or(0, |at| at + 1);
            line.looks.truncate(end);
        }
        let used = lines.iter().rposition(|line| !line.text.is_empty()).map_or(0, |at| at + 1);
        lines.truncate(used);
        // What a terminal does not reflow: what DECSC saved, and tab stops.
        self.saved.clear();
        self.tabs.clear();
        self.screen = lines;
        self
    }
}
