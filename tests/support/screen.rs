//! What a screen looks like, as text that can be compared and read: cells with their attributes, cursor, modes.

use std::fmt::Write as _;

/// Two screens with the same picture look and behave the same.
pub(crate) fn picture(screen: &vt100::Screen) -> String {
    let (rows, cols) = screen.size();
    let mut picture = format!(
        "{cols}x{rows} cursor {:?} hidden {} alternate {} paste {} app-cursor {} app-keypad {} mouse {:?} {:?}\n",
        screen.cursor_position(),
        screen.hide_cursor(),
        screen.alternate_screen(),
        screen.bracketed_paste(),
        screen.application_cursor(),
        screen.application_keypad(),
        screen.mouse_protocol_mode(),
        screen.mouse_protocol_encoding(),
    );
    for row in 0..rows.get() {
        let _ = writeln!(picture, "│{}", line(screen, row, cols.get()));
    }
    picture
}

/// A row; where the attributes change they stand in braces. Blanks without attributes count as nothing.
fn line(screen: &vt100::Screen, row: u16, cols: u16) -> String {
    let mut line = String::new();
    let mut last = String::new();
    for col in 0..cols {
        let Some(cell) = screen.cell(row, col).filter(|cell| !cell.is_wide_continuation()) else { continue };
        let style = style(cell);
        if style != last {
            let _ = write!(line, "{{{style}}}");
            last = style;
        }
        line.push_str(if cell.has_contents() { cell.contents() } else { " " });
    }
    line.trim_end().to_owned()
}

fn style(cell: &vt100::Cell) -> String {
    let mut style = String::new();
    let colours = [("fg", cell.fgcolor()), ("bg", cell.bgcolor())];
    for (name, colour) in colours.into_iter().filter(|(_, colour)| *colour != vt100::Color::Default) {
        let _ = write!(style, "{name}={colour:?} ");
    }
    let flags = [
        ("bold", cell.bold()),
        ("dim", cell.dim()),
        ("italic", cell.italic()),
        ("underline", cell.underline()),
        ("inverse", cell.inverse()),
    ];
    for (name, _) in flags.into_iter().filter(|(_, on)| *on) {
        let _ = write!(style, "{name} ");
    }
    style.trim_end().to_owned()
}

/// Whether `text` is dim where it stands right after the last `before`; `None` if it is not there.
pub(crate) fn is_dim_after(screen: &vt100::Screen, before: &str, text: &str) -> Option<bool> {
    let (_, cols) = screen.size();
    let rows: Vec<String> = screen.rows(0, cols.get()).collect();
    let both = format!("{before}{text}");
    let (row, at) = rows.iter().enumerate().rev().find_map(|(row, line)| Some((row, line.find(&both)?)))?;
    let start = rows.get(row)?.get(..at + before.len())?.chars().count();
    let cells = start..start + text.chars().count();
    let cell = |col: usize| screen.cell(u16::try_from(row).ok()?, u16::try_from(col).ok()?);
    Some(cells.into_iter().all(|col| cell(col).is_some_and(vt100::Cell::dim)))
}
