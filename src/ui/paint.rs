//! Lines into a part of the screen, clipped, whatever its size.

use std::num::NonZeroU16;
use std::ops::Range;

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::{char_width, truncate, visible_char, width, wrap};

/// A line in one style.
pub(super) fn styled(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}

/// Text in one style, wrapped, each line after `indent` blanks.
pub(super) fn paragraph(text: &str, cols: usize, indent: usize, style: Style) -> Vec<Line<'static>> {
    let lines = wrap(text, cols.saturating_sub(indent));
    lines.into_iter().map(|l| styled(format!("{}{l}", " ".repeat(indent)), style)).collect()
}

/// What of the spans stands in these bytes of their text.
pub(super) fn part(spans: &[Span<'static>], piece: Range<usize>) -> Vec<Span<'static>> {
    let (mut out, mut start) = (Vec::new(), 0);
    for span in spans {
        let end = start + span.content.len();
        let (from, to) = (piece.start.max(start), piece.end.min(end));
        if from < to {
            out.push(Span::styled(span.content[from - start..to - start].to_owned(), span.style));
        }
        start = end;
    }
    out
}

/// Rows that show every character, controls and odd blanks by a sign; what does not fit goes on below the text,
/// which begins after `sign`.
pub(super) fn by_character(sign: &str, text: &str, cols: usize) -> Vec<String> {
    let mut rows = vec![sign.to_owned()];
    let indent = " ".repeat(width(sign));
    let mut used = width(sign);
    for c in text.chars() {
        let shown = visible_char(c);
        let wide = width(&shown);
        if used + wide > cols.max(indent.len() + 1) {
            rows.push(indent.clone());
            used = indent.len();
        }
        if let Some(row) = rows.last_mut() {
            row.push_str(&shown);
        }
        used += wide;
    }
    rows
}

/// Draws lines from the top of `area`; what does not fit is not drawn.
pub(super) fn lines(buffer: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
    let area = area.intersection(buffer.area);
    for (y, line) in (area.top()..area.bottom()).zip(lines) {
        put(buffer, area, y, line);
    }
}

/// One row, a character a cell and its marks with it. Not by grapheme, as ratatui has it: terminals disagree on how wide
/// one is. Each character is as wide as `text::width` says, and what it may join stands apart.
fn put(buffer: &mut Buffer, area: Rect, y: u16, line: &Line<'_>) {
    let (mut x, mut last) = (area.x, None);
    for span in line.iter() {
        let style = line.style.patch(span.style);
        for c in span.content.chars().filter(|c| !c.is_control()) {
            let cells = u16::try_from(char_width(c)).unwrap_or(0);
            if cells == 0 {
                if let Some((at, cells)) = last {
                    let cell = &mut buffer[(at, y)];
                    let marked = format!("{}{c}", cell.symbol());
                    cell.set_symbol(&marked);
                    force(cell, cells);
                }
                continue;
            }
            if x + cells > area.right() {
                return;
            }
            for at in x..x + cells {
                if let Some(cell) = buffer.cell_mut((at, y)) {
                    cell.set_char(if at == x { c } else { ' ' }).set_style(style);
                }
            }
            force(&mut buffer[(x, y)], cells);
            (last, x) = (Some((x, cells)), x + cells);
        }
    }
}

/// Makes a cell count for so many columns, whatever its text counts for by itself.
pub(super) fn force(cell: &mut Cell, cells: u16) {
    if let Some(forced) = NonZeroU16::new(cells).filter(|_| cell.cell_width() != cells) {
        cell.set_diff_option(CellDiffOption::ForcedWidth(forced));
    }
}

/// The first of `count` lines that [`window`] shows.
pub(super) fn start(count: usize, focus: usize, height: usize) -> usize {
    if count <= height || height < 2 {
        return 0;
    }
    let rows = height - 1;
    (focus + 1).saturating_sub(rows).min(count - rows)
}

/// What of the lines is shown in `height` rows: from the top if that holds `focus`, else scrolled to it. The
/// last row tells how much is below.
pub(super) fn window(
    lines: Vec<Line<'static>>,
    focus: usize,
    height: usize,
    dim: Style,
) -> Vec<Line<'static>> {
    if lines.len() <= height || height < 2 {
        return lines.into_iter().take(height).collect();
    }
    let rows = height - 1;
    let start = start(lines.len(), focus, height);
    let below = lines.len() - rows - start;
    let mut shown: Vec<_> = lines.into_iter().skip(start).take(rows).collect();
    let mark = match (start, below) {
        (_, 0) => format!("… {start} more above"),
        (0, _) => format!("… {below} more"),
        _ => format!("… {start} above, {below} below"),
    };
    shown.push(styled(mark, dim));
    shown
}

/// Left and right part of one line; the right part stays whole if the left one can be shortened.
pub(super) fn ends(cols: usize, mut left: Span<'static>, right: Span<'static>) -> Line<'static> {
    let room = cols.saturating_sub(width(&right.content) + 1);
    left.content = truncate(&left.content, room).into();
    let gap = cols.saturating_sub(width(&left.content) + width(&right.content));
    Line::from(vec![left, Span::raw(" ".repeat(gap)), right])
}

/// A section's heading: its title, a rule, and what belongs to the right.
pub(super) fn heading(
    cols: usize,
    title: &str,
    style: Style,
    rule: Style,
    right: Vec<Span<'static>>,
) -> Line<'static> {
    let right_cols: usize = right.iter().map(|s| width(&s.content)).sum();
    let title = truncate(title, cols);
    let mut used = width(&title) + 1;
    let right = if used + right_cols + 3 <= cols { right } else { Vec::new() };
    if !right.is_empty() {
        used += right_cols + 1;
    }
    let mut spans = vec![
        Span::styled(title, style),
        Span::styled(format!(" {}", "─".repeat(cols.saturating_sub(used))), rule),
    ];
    if !right.is_empty() {
        spans.push(Span::raw(" "));
        spans.extend(right);
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &Line<'_>) -> String {
        line.spans.iter().map(|s| s.content.as_ref()).collect()
    }

    #[test]
    fn a_heading_fills_its_line_and_gives_up_the_right_part_first() {
        let heading =
            |cols| text(&heading(cols, "Intent", Style::new(), Style::new(), vec![Span::raw("2/5")]));
        assert_eq!(heading(16), "Intent ───── 2/5");
        assert_eq!(heading(10), "Intent ───");
        assert_eq!(heading(4), "Int… ");
    }

    #[test]
    fn the_left_end_is_shortened_before_the_right_one() {
        let ends = |cols| text(&ends(cols, Span::raw("root@host.example"), Span::raw("confirm")));
        assert_eq!(ends(30), "root@host.example      confirm");
        assert_eq!(ends(16), "root@ho… confirm");
    }

    #[test]
    fn nothing_is_drawn_outside_whatever_the_area() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        lines(&mut buffer, Rect::new(1, 0, 50, 50), &vec![styled("abcdef", Style::new()); 9]);
        lines(&mut buffer, Rect::new(9, 9, 5, 5), &[styled("x", Style::new())]);
        assert_eq!(buffer, Buffer::with_lines([" ab"]));
    }

    /// What stands behind a text stands in the column that the text's width says, whatever a terminal makes of the text.
    #[test]
    fn wide_text_and_emoji_move_nothing() {
        let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        let texts =
            ["漢字かな", "👍🏽 ok", family, "☁\u{fe0f} ❤\u{fe0f}x", "🇩🇪🇯🇵", "1\u{fe0f}\u{20e3}", "각", "ｶﾞ"];
        let odd = ["e\u{301}\u{302}", "क्षि", "لا", "🏽", "\u{1f3f4}\u{e0067}\u{e0062}", "ไทยน้ำ"];
        for text in texts.into_iter().chain(odd) {
            for shown in [crate::text::sanitize(text), crate::text::visible(text)] {
                let line = Line::from(vec![Span::raw(shown.to_string()), Span::raw("|")]);
                let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 1));
                lines(&mut buffer, Rect::new(0, 0, 80, 1), &[line]);
                let at = (0..80).find(|x| buffer[(*x, 0)].symbol() == "|");
                assert_eq!(at.map(usize::from), Some(width(&shown)), "{text:?} as {shown:?}");
            }
        }
    }
}
