//! The picture in ASCII, for a terminal whose locale is not UTF-8. Every cell has its one character, so that nothing moves;
//! what ASCII has nothing for is a `?` a column, the remote's text included.

use ratatui::Frame;
use ratatui::buffer::{Buffer, CellWidth};

use super::backend::Cursor;
use super::layout::Layout;
use super::panel;
use super::status::Status;
use super::view::View;
use crate::copilot::Copilot;
use crate::text::char_width;

/// Draws both panes, in ASCII where the terminal shows nothing else; the value is where the cursor belongs.
pub fn draw(
    frame: &mut Frame<'_>,
    layout: &Layout,
    screen: &vt100::Screen,
    view: &mut View,
    copilot: &Copilot,
    status: &Status,
) -> Cursor {
    let cursor = panel::draw(frame, layout, screen, view, copilot, status);
    if view.theme.is_ascii() {
        cells(frame.buffer_mut());
    }
    cursor
}

/// What stands for a character of ours in its one column.
fn sign(c: char) -> Option<char> {
    Some(match c {
        ' '..='~' => c,
        '─' | '━' | '–' | '—' | '−' | '·' => '-',
        '═' => '=',
        '│' | '┃' => '|',
        '║' => '#',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => '+',
        '✓' => 'x',
        '▸' | '›' | '→' | '⟩' => '>',
        '‹' | '←' | '⟨' => '<',
        '○' => 'o',
        '●' | '•' | '∙' => '*',
        '▲' => '!',
        '◆' | '█' => '#',
        '░' => '.',
        '≠' => '/',
        '↑' => '^',
        '↓' => 'v',
        '↔' => '-',
        '…' => '~',
        '‘' | '’' => '\'',
        '“' | '”' | '„' => '"',
        _ => return None,
    })
}

/// The drawn frame, cell by cell.
fn cells(buffer: &mut Buffer) {
    let area = buffer.area;
    for y in area.top()..area.bottom() {
        let mut x = area.left();
        while x < area.right() {
            let cell = &mut buffer[(x, y)];
            let wide = cell.cell_width().max(1);
            if !cell.symbol().is_ascii() {
                let mut chars = cell.symbol().chars();
                let only = chars.next().filter(|_| wide == 1 && chars.next().is_none());
                cell.set_char(only.and_then(sign).unwrap_or('?'));
                for rest in x + 1..(x + wide).min(area.right()) {
                    buffer[(rest, y)].set_char('?');
                }
            }
            x += wide;
        }
    }
}

/// A line of text. A sign that stands for what must not be mistaken is spelt out: there is room.
pub(super) fn text(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match (c, sign(c)) {
            ('…', _) => out.push_str("..."),
            ('—' | '–', _) => out.push_str("--"),
            ('⏎', _) => out.push_str("<LF>"),
            (_, Some(sign)) => out.push(sign),
            ('\n' | '\t', _) => out.push(c),
            (_, None) => out.push_str(&"?".repeat(char_width(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width;

    #[test]
    fn nothing_moves_and_all_of_it_is_ascii() {
        let lines = ["✓ done │ “漢字” … größe", "a\u{301}b ☁ 👍x ▸ ⟨U+202E⟩", "│──●─○"];
        let mut buffer = Buffer::with_lines(lines);
        cells(&mut buffer);
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        assert_eq!(row(0).trim_end(), "x done | \"????\" ~ gr??e");
        assert_eq!(row(1).trim_end(), "?b ? ??x > <U+202E>");
        assert_eq!(row(2).trim_end(), "|--*-o");
    }

    #[test]
    fn a_line_says_what_it_leaves_out() {
        assert_eq!(text("ls⏎rm — “why” 漢 é…"), "ls<LF>rm -- \"why\" ?? ?...");
        assert!(text("e\u{301}x").is_ascii());
        assert_eq!(width(&text("a漢b")), 4);
    }
}
