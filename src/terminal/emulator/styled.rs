//! Text with SGR, as lines of history are kept: reading it glyph by glyph, and writing it as short as it goes.

use super::looks::bare;
use super::width::cells_of;
use vt100::{Cell, Color, Screen};

/// The attributes that vt100 keeps for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    fg: Color,
    bg: Color,
    /// 0 normal, 1 bold, 2 dim: vt100 has them exclusive.
    weight: u8,
    italic: bool,
    underline: bool,
    inverse: bool,
}

impl Style {
    pub(super) fn of(cell: &Cell) -> Self {
        if !cell.has_contents() {
            // An erased cell shows its background only, though vt100 gives it all attributes.
            return Self { bg: cell.bgcolor(), ..Self::default() };
        }
        Self {
            fg: cell.fgcolor(),
            bg: cell.bgcolor(),
            weight: u8::from(cell.bold()) | u8::from(cell.dim()) << 1,
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }

    /// What the next character would be printed with.
    pub(super) fn pen(screen: &Screen) -> Self {
        Self {
            fg: screen.fgcolor(),
            bg: screen.bgcolor(),
            weight: u8::from(screen.bold()) | u8::from(screen.dim()) << 1,
            italic: screen.italic(),
            underline: screen.underline(),
            inverse: screen.inverse(),
        }
    }

    pub(super) fn dimmed(self) -> Self {
        Self { weight: 2, ..self }
    }

    pub(super) fn is_dim(self) -> bool {
        self.weight == 2
    }

    /// Takes the parameters of an SGR sequence, in the forms that vt100 and `write` produce.
    fn apply(&mut self, params: &str) {
        let mut numbers = params.split(';').map(|n| n.parse::<u16>().unwrap_or(0));
        while let Some(n) = numbers.next() {
            match n {
                0 => *self = Self::default(),
                1 | 2 => self.weight = n as u8,
                3 | 23 => self.italic = n == 3,
                4 | 24 => self.underline = n == 4,
                7 | 27 => self.inverse = n == 7,
                22 => self.weight = 0,
                30..=37 => self.fg = Color::Idx((n - 30) as u8),
                40..=47 => self.bg = Color::Idx((n - 40) as u8),
                90..=97 => self.fg = Color::Idx((n - 82) as u8),
                100..=107 => self.bg = Color::Idx((n - 92) as u8),
                39 => self.fg = Color::Default,
                49 => self.bg = Color::Default,
                38 | 48 => {
                    let mut next = || numbers.next().unwrap_or(0).min(255) as u8;
                    let color = match next() {
                        5 => Color::Idx(next()),
                        _ => Color::Rgb(next(), next(), next()),
                    };
                    *(if n == 38 { &mut self.fg } else { &mut self.bg }) = color;
                }
                _ => {}
            }
        }
    }

    /// The SGR that leads from `from` to here.
    pub(super) fn write(self, from: Self, out: &mut String) {
        if self == from {
            return;
        }
        out.push_str("\x1b[");
        let start = out.len();
        let mut base = from;
        let is_removed = (from.weight != 0 && from.weight != self.weight)
            || (from.italic && !self.italic)
            || (from.underline && !self.underline)
            || (from.inverse && !self.inverse)
            || (from.fg != Color::Default && self.fg == Color::Default)
            || (from.bg != Color::Default && self.bg == Color::Default);
        if is_removed {
            base = Self::default();
            // `CSI m` alone is the reset; with more to say it is a leading 0.
            out.push_str(if self == base { "" } else { "0;" });
        }
        for (is, was, code) in [
            (self.weight == 1, base.weight == 1, "1;"),
            (self.weight == 2, base.weight == 2, "2;"),
            (self.italic, base.italic, "3;"),
            (self.underline, base.underline, "4;"),
            (self.inverse, base.inverse, "7;"),
        ] {
            out.push_str(if is && !was { code } else { "" });
        }
        for (is, was, offset) in [(self.fg, base.fg, 0), (self.bg, base.bg, 10)] {
            if is != was {
                color(is, offset, out);
            }
        }
        if out.len() > start {
            out.pop();
        }
        out.push('m');
    }
}

fn color(color: Color, offset: u16, out: &mut String) {
    let text = match color {
        Color::Default => format!("{};", 39 + offset),
        Color::Idx(n @ 0..=7) => format!("{};", 30 + offset + u16::from(n)),
        Color::Idx(n @ 8..=15) => format!("{};", 82 + offset + u16::from(n)),
        Color::Idx(n) => format!("{};5;{n};", 38 + offset),
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b};", 38 + offset),
    };
    out.push_str(&text);
}

/// A character with what combines with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Glyph<'a> {
    pub(super) text: &'a str,
    pub(super) style: Style,
    pub(super) cells: usize,
}

impl Glyph<'_> {
    fn is_blank(&self) -> bool {
        self.text.starts_with(' ') && bare(self.text.to_owned()) == " "
    }
}

/// The glyphs of a line of text with SGR.
pub(super) fn glyphs(line: &str) -> impl Iterator<Item = Glyph<'_>> {
    let mut rest = line;
    let mut style = Style::default();
    std::iter::from_fn(move || {
        while let Some(sequence) = rest.strip_prefix("\x1b[") {
            let (params, after) = sequence.split_once('m').unwrap_or((sequence, ""));
            style.apply(params);
            rest = after;
        }
        let base = rest.chars().next()?;
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c == '\x1b' || cells_of(*c) > 0)
            .map_or(rest.len(), |(at, _)| at);
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Glyph { text, style, cells: cells_of(base) })
    })
}

/// How many cells a line takes, without the gaps before wide characters that did not fit.
pub(super) fn cells(line: &str) -> usize {
    if line.is_ascii() && !line.contains('\x1b') {
        return line.len();
    }
    glyphs(line).map(|glyph| glyph.cells).sum()
}

pub(super) fn plain(line: &str) -> String {
    if !line.contains('\x1b') {
        return bare(line.to_owned());
    }
    bare(glyphs(line).map(|glyph| glyph.text).collect())
}

/// The line without blanks at its end, whatever their colour.
pub(super) fn trimmed(line: &str) -> String {
    let keep = glyphs(line).enumerate().filter(|(_, glyph)| !glyph.is_blank()).map(|(at, _)| at + 1).last();
    let mut writer = Writer::new();
    for glyph in glyphs(line).take(keep.unwrap_or(0)) {
        writer.push(glyph.style, glyph.text);
    }
    writer.finish()
}

/// The part of the line from the given cell on.
pub(super) fn from_cell(line: &str, cell: usize) -> String {
    let mut writer = Writer::new();
    let mut at = 0;
    for glyph in glyphs(line) {
        if at >= cell {
            writer.push(glyph.style, glyph.text);
        }
        at += glyph.cells;
    }
    writer.finish()
}

/// How many rows of `cols` cells the line takes.
pub(super) fn rows(line: &str, cols: usize) -> usize {
    let (mut rows, mut col) = (1, 0);
    for glyph in glyphs(line) {
        if col + glyph.cells > cols {
            rows += 1;
            col = 0;
        }
        col += glyph.cells;
    }
    rows
}

/// Builds a line that begins and ends with default attributes.
pub(super) struct Writer {
    out: String,
    style: Style,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self { out: String::new(), style: Style::default() }
    }

    pub(super) fn push(&mut self, style: Style, text: &str) {
        style.write(self.style, &mut self.out);
        self.style = style;
        self.out.push_str(text);
    }

    pub(super) fn finish(mut self) -> String {
        Style::default().write(self.style, &mut self.out);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "a\x1b[1;31mred\x1b[0;4;48;2;1;2;3m 你e\u{301}\x1b[m  ";

    #[test]
    fn a_line_is_read_and_written_alike() {
        let mut writer = Writer::new();
        for glyph in glyphs(LINE) {
            writer.push(glyph.style, glyph.text);
        }
        assert_eq!(writer.finish(), LINE);
    }

    #[test]
    fn widths_plain_text_and_trimming_ignore_attributes() {
        assert_eq!(cells(LINE), 10);
        assert_eq!(plain(LINE), "ared 你e\u{301}  ");
        assert_eq!(trimmed("ok\x1b[44m   \x1b[m"), "ok");
        assert_eq!(from_cell("ab\x1b[2mcd\x1b[m", 3), "\x1b[2md\x1b[m");
    }

    #[test]
    fn rows_leave_a_gap_before_a_wide_character_that_does_not_fit() {
        assert_eq!(rows("", 4), 1);
        assert_eq!(rows("abcd", 4), 1);
        assert_eq!(rows("abc你", 4), 2);
        assert_eq!(rows("abc你你x", 4), 3);
    }
}
