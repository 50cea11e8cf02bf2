//! The help screen, from the tables of the keys.

use ratatui::text::{Line, Span};

use super::bindings::{Key, PANEL, PREFIX};
use super::paint::styled;
use super::scrollback::KEYS;
use super::theme::Theme;
use crate::text::{width, wrap};

pub(super) fn lines(prefix: &str, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut out = vec![styled(format!("After {prefix}"), theme.bold())];
    let rows = PREFIX.iter().map(|b| (if b.key == Key::Prefix { prefix } else { b.label }, b.help));
    out.extend(table(&rows.collect::<Vec<_>>(), cols, theme));
    out.push(Line::default());
    out.push(styled("In the panel", theme.bold()));
    out.extend(table(PANEL, cols, theme));
    out.push(Line::default());
    out.push(styled("Looking back in the terminal", theme.bold()));
    out.extend(table(KEYS, cols, theme));
    out.push(Line::default());
    out.push(styled("Any key closes this.", theme.dim()));
    out
}

/// Keys in a column as wide as the widest, what they do beside it.
pub(super) fn table<T: AsRef<str>>(rows: &[(&str, T)], cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let column = rows.iter().map(|(label, _)| width(label)).max().unwrap_or(0) + 2;
    let mut out = Vec::new();
    for (label, help) in rows {
        for (at, line) in wrap(help.as_ref(), cols.saturating_sub(column)).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            let label = format!("{label}{}", " ".repeat(column.saturating_sub(width(label))));
            out.push(Line::from(vec![Span::styled(label, theme.accent()), Span::raw(line)]));
        }
    }
    out
}
