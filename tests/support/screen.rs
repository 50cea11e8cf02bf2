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

/// Where `text` stands as a whole in one row: row and first column, the last occurrence.
pub(crate) fn find(screen: &vt100::Screen, text: &str) -> Option<(u16, u16)> {
    let (_, cols) = screen.size();
    let rows: Vec<String> = screen.rows(0, cols.get()).collect();
    rows.iter().enumerate().rev().find_map(|(row, line)| {
        let at = line.rfind(text)?;
        let col = line.get(..at)?.chars().count();
        Some((u16::try_from(row).ok()?, u16::try_from(col).ok()?))
    })
}

/// Whether all of `text`, where it stands last, is dim; `None` if it is not there.
pub(crate) fn is_dim(screen: &vt100::Screen, text: &str) -> Option<bool> {
    let (row, col) = find(screen, text)?;
    let end = col + u16::try_from(text.chars().count()).ok()?;
    Some((col..end).all(|col| screen.cell(row, col).is_some_and(vt100::Cell::dim)))
}
