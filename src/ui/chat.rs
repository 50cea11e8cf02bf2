//! The Chat section: messages from the bottom up, as many as are seen.

use ansi_to_tui::IntoText;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::markdown::{Paragraph, Styled, paragraphs};
use super::paint::{paragraph, part};
use super::theme::Theme;
use super::view::View;
use crate::copilot::{Copilot, Delivery, Entry, Who};
use crate::linus::contract::Level;
use crate::text::{rows, strip_sgr, width, wrap_ranges};

/// Columns before every line of a message but its first.
const INDENT: usize = 2;

/// Attributes of foreign text that are shown: nothing that hides or blinks.
const ATTRIBUTES: Modifier = Modifier::BOLD
    .union(Modifier::DIM)
    .union(Modifier::ITALIC)
    .union(Modifier::UNDERLINED)
    .union(Modifier::CROSSED_OUT);

const EMPTY: &str =
    "Say what you want to know or do, for instance: why is the disk full? Linus sees this terminal.";

/// Seconds after which it is said how long he is waited for.
const SLOW: u64 = 3;

/// The lines of the chat that are seen in `height` rows, top to bottom, and how many are below them. Keeps the
/// view's scroll within what there is.
pub(super) fn body(
    copilot: &Copilot,
    view: &mut View,
    cols: usize,
    height: usize,
) -> (Vec<Line<'static>>, usize) {
    let theme = view.theme;
    if copilot.chat.is_empty() {
        view.scroll = 0;
        return (paragraph(EMPTY, cols, 0, theme.dim()), 0);
    }
    // At the bottom only what is seen is laid out; scrolled up, all of it, so that the text stands still
    // while more arrives.
    let scrolled = view.scroll > 0;
    let from_bottom = from_bottom(copilot, view, cols, if scrolled { usize::MAX } else { height });
    if scrolled {
        let total = from_bottom.len();
        if view.drawn.chat_lines > 0 {
            view.scroll += total.saturating_sub(view.drawn.chat_lines);
        }
        view.drawn.chat_lines = total;
        view.scroll = view.scroll.min(total.saturating_sub(height));
    } else {
        view.drawn.chat_lines = 0;
    }
    let mut lines: Vec<_> = from_bottom.into_iter().skip(view.scroll).take(height).collect();
    lines.reverse();
    (lines, view.scroll)
}

/// Rows that the section would like, counted up to `limit`.
pub(super) fn wanted(copilot: &Copilot, view: &View, cols: usize, limit: usize) -> usize {
    if copilot.chat.is_empty() {
        return paragraph(EMPTY, cols, 0, view.theme.dim()).len();
    }
    from_bottom(copilot, view, cols, limit).len()
}

/// The lines of the chat, bottom line first: whole messages until there are `wanted` lines.
fn from_bottom(copilot: &Copilot, view: &View, cols: usize, wanted: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = tail(copilot, view, cols);
    let mut below = None;
    for entry in copilot.chat.entries().rev() {
        if lines.len() >= wanted {
            break;
        }
        // What the user says starts something new.
        if below.replace(entry.who) == Some(Who::You) {
            lines.push(Line::default());
        }
        lines.extend(entry_lines(entry, cols, theme).into_iter().rev());
    }
    lines
}

/// What stands below the last message, bottom line first: the answer being written, or that one is awaited.
fn tail(copilot: &Copilot, view: &View, cols: usize) -> Vec<Line<'static>> {
    let theme = view.theme;
    let mut lines = match copilot.chat.writing() {
        Some(text) => {
            message(vec![Span::styled("Linus: ", theme.accent())], &format!("{text}…"), cols, theme)
        }
        None if copilot.chat.is_waiting() => {
            let slow = if view.waited >= SLOW { format!(" {} s", view.waited) } else { String::new() };
            paragraph(&format!("Waiting for Linus…{slow} (Esc cancels)"), cols, 0, theme.dim())
        }
        None => Vec::new(),
    };
    if let Some(offer) = copilot.chat.offer() {
        lines.extend(paragraph(offer, cols, 0, theme.warning()));
    }
    lines.reverse();
    lines
}

fn entry_lines(entry: &Entry, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    match entry.who {
        Who::Note => return paragraph(&format!("· {}", entry.text), cols, 0, theme.dim()),
        Who::Notification(level) => {
            let (sign, style) = match level {
                Level::Info => ('·', theme.plain()),
                Level::Warning => ('▲', theme.warning()),
                Level::Critical => ('◆', theme.bad()),
            };
            return paragraph(&format!("{sign} Linus notes: {}", entry.text), cols, INDENT, style);
        }
        Who::Agent => return paragraph(&format!("◇ {}", entry.text), cols, INDENT, theme.plain()),
        Who::You | Who::Linus => {}
    }
    let mut label = Vec::new();
    if entry.who == Who::Linus {
        label.push(Span::styled("Linus: ", theme.accent()));
    } else {
        label.push(Span::styled("You: ", theme.bold()));
        let mark = match entry.delivery {
            Delivery::Sending | Delivery::Delivered => "",
            Delivery::Queued => "(queued) ",
            Delivery::Perhaps => "(perhaps delivered) ",
            Delivery::Cancelled => "(cancelled) ",
        };
        label.push(Span::styled(mark, theme.warning()));
        return plain_message(label, &entry.text, cols);
    }
    message(label, &entry.text, cols, theme)
}

/// A message after its label: Markdown and SGR become style, lines wrap with a hanging indent.
fn message(label: Vec<Span<'static>>, text: &str, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let (text, styles) = foreign(text, theme);
    let mut paragraphs = paragraphs(&Styled { text: &text, styles: &styles }, theme);
    // A list or code begins below the label.
    match paragraphs.first_mut() {
        Some(first) if first.lead.is_none() => first.spans.splice(0..0, label).for_each(drop),
        _ => paragraphs.insert(0, Paragraph { spans: label, ..Paragraph::default() }),
    }
    let mut lines = Vec::new();
    paragraphs.iter().for_each(|paragraph| wrap_paragraph(paragraph, cols, &mut lines));
    lines
}

/// What the user wrote after its label, as it was written.
fn plain_message(label: Vec<Span<'static>>, text: &str, cols: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut label = Some(label);
    for line in text.replace('\t', "    ").split('\n') {
        let mut spans = label.take().unwrap_or_default();
        spans.push(Span::raw(line.to_owned()));
        wrap_paragraph(&Paragraph { spans, ..Paragraph::default() }, cols, &mut lines);
    }
    lines
}

/// Text with SGR as text and styles, which begin at these bytes.
fn foreign(text: &str, theme: Theme) -> (String, Vec<(usize, Style)>) {
    let text = text.replace('\t', "    ");
    let Ok(parsed) = text.into_text() else { return (strip_sgr(&text).into_owned(), Vec::new()) };
    let (mut plain, mut styles) = (String::new(), Vec::new());
    for (index, line) in parsed.lines.into_iter().enumerate() {
        if index > 0 {
            plain.push('\n');
        }
        for span in line.spans {
            styles.push((plain.len(), tamed(span.style, theme)));
            plain.push_str(&span.content);
        }
    }
    (plain, styles)
}

/// Foreign style without what could hide text: backgrounds, conceal, blink.
fn tamed(style: Style, theme: Theme) -> Style {
    let fg = style.fg.filter(|c| theme.is_coloured() && *c != Color::Reset);
    Style { fg, bg: None, add_modifier: style.add_modifier & ATTRIBUTES, ..Style::default() }
}

/// The rows of a line, each but the message's first behind an indent.
fn wrap_paragraph(paragraph: &Paragraph, cols: usize, lines: &mut Vec<Line<'static>>) {
    let spans = &paragraph.spans;
    let plain: String = spans.iter().map(|s| s.content.as_ref()).collect();
    let lead = paragraph.follow.as_ref().map_or(0, |lead| width(&lead.content));
    let room = cols.saturating_sub(INDENT + lead);
    let pieces = if paragraph.is_code { rows(&plain, room) } else { wrap_ranges(&plain, room) };
    for (index, piece) in pieces.into_iter().enumerate() {
        let mut out = Vec::new();
        if !lines.is_empty() {
            out.push(Span::raw(" ".repeat(INDENT)));
        }
        out.extend(if index == 0 { paragraph.lead.clone() } else { paragraph.follow.clone() });
        out.extend(part(spans, piece));
        lines.push(Line::from(out));
    }
}
