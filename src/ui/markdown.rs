//! Linus's Markdown as lines of spans: emphasis, code, lists, headings, links with their addresses. What is not known is
//! shown as it was written, and nothing in it acts on the terminal.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::theme::Theme;

/// How deep lists and quotes may stand in one another; deeper, they stand no further in.
const DEPTH: usize = 4;

/// Text with the styles that it came with: where each begins.
pub(super) struct Styled<'a> {
    pub(super) text: &'a str,
    pub(super) styles: &'a [(usize, Style)],
}

impl Styled<'_> {
    fn at(&self, at: usize) -> Style {
        self.styles.iter().rev().find(|(start, _)| *start <= at).map_or(Style::new(), |(_, style)| *style)
    }
}

/// A line before it is wrapped.
#[derive(Debug, Clone, Default)]
pub(super) struct Paragraph {
    /// What stands before its first row, and before the others: bullets, bars.
    pub(super) lead: Option<Span<'static>>,
    pub(super) follow: Option<Span<'static>>,
    pub(super) spans: Vec<Span<'static>>,
    /// It is code: broken where the row is full, with every blank.
    pub(super) is_code: bool,
}

/// The lines of a message.
pub(super) fn paragraphs(message: &Styled<'_>, theme: Theme) -> Vec<Paragraph> {
    let mut writer = Writer { theme, ..Writer::default() };
    for (event, range) in Parser::new(message.text).into_offset_iter() {
        writer.event(event, message, &range);
    }
    writer.end();
    writer.out
}

#[derive(Default)]
struct Writer {
    theme: Theme,
    out: Vec<Paragraph>,
    line: Option<Paragraph>,
    /// The attributes that are open.
    styles: Vec<Style>,
    /// The lists that are open: the next number, or none.
    lists: Vec<Option<u64>>,
    /// The item's sign, until its first line.
    bullet: Option<String>,
    quotes: usize,
    code: bool,
    /// The address of the link that is open, and where its text began.
    link: Option<(String, String)>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>, message: &Styled<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.finish(&tag),
            Event::Text(text) if self.code => self.code_lines(&text),
            Event::Text(text) => self.foreign(&text, message, range),
            // Placeholders (`<NAME>`) look like HTML too.
            Event::Html(text) | Event::InlineHtml(text) => self.foreign(&text, message, range),
            Event::Code(text) => {
                let text = if self.theme.is_coloured() { text.to_string() } else { format!("`{text}`") };
                self.push(&text, self.theme.code());
            }
            Event::SoftBreak | Event::HardBreak => self.end(),
            Event::Rule => {
                self.gap();
                self.push("───", self.theme.dim());
                self.end();
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let modifier = |modifier| Style::new().add_modifier(modifier);
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.styles.push(self.theme.heading());
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                self.code = true;
                // The language says nothing that the code does not.
                let _: CodeBlockKind<'_> = kind;
            }
            Tag::List(first) => {
                self.end();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.end();
                self.bullet = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                });
            }
            Tag::Emphasis => self.styles.push(modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(modifier(Modifier::BOLD)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.styles.push(modifier(Modifier::UNDERLINED));
                self.link = Some((dest_url.to_string(), String::new()));
            }
            _ => {}
        }
    }

    fn finish(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end();
            }
            TagEnd::BlockQuote(_) => {
                self.end();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.end();
                self.code = false;
            }
            TagEnd::List(_) => {
                self.end();
                self.lists.pop();
                self.bullet = None;
            }
            TagEnd::Item => {
                if self.bullet.is_some() {
                    self.line();
                }
                self.end();
            }
            TagEnd::Emphasis | TagEnd::Strong => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                // The address is shown: a text may say another one.
                if let Some((url, text)) = self.link.take()
                    && url.trim_start_matches("mailto:") != text
                {
                    self.push(&format!(" ({url})"), self.theme.dim());
                }
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end(),
            _ => {}
        }
    }

    /// Text with the styles that it came with.
    fn foreign(&mut self, text: &str, message: &Styled<'_>, range: &Range<usize>) {
        if let Some((_, said)) = &mut self.link {
            said.push_str(text);
        }
        let is_verbatim = message.text.get(range.clone()) == Some(text);
        let open = self.styles.iter().fold(Style::new(), |all, style| all.patch(*style));
        let mut from = 0;
        // An entity stands for another text than is written.
        while from < text.len() {
            let at = if is_verbatim { range.start + from } else { range.start };
            let next = message.styles.iter().map(|(start, _)| *start).find(|start| *start > at);
            let to =
                next.filter(|_| is_verbatim).map_or(text.len(), |next| (next - range.start).min(text.len()));
            let Some(part) = text.get(from..to) else { return };
            for (index, line) in part.split('\n').enumerate() {
                if index > 0 {
                    self.end();
                }
                self.push(line, message.at(at).patch(open));
            }
            from = to;
        }
    }

    fn code_lines(&mut self, text: &str) {
        for line in text.lines() {
            self.line().is_code = true;
            self.push(line, Style::new());
            self.end();
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        if !text.is_empty() {
            self.line().spans.push(Span::styled(text.to_owned(), style));
        }
    }

    /// The line in progress, with what stands before it.
    fn line(&mut self) -> &mut Paragraph {
        let theme = self.theme;
        let bullet = self.bullet.take();
        let depth = self.lists.len().min(DEPTH);
        let quotes = "▎ ".repeat(self.quotes.min(DEPTH));
        let code = if self.code { "│ " } else { "" };
        self.line.get_or_insert_with(|| {
            let indent = "  ".repeat(depth.saturating_sub(usize::from(bullet.is_some())));
            let start = bullet.clone().unwrap_or_default();
            let width = start.chars().count();
            let lead = format!("{quotes}{indent}{start}{code}");
            let follow = format!("{quotes}{indent}{}{code}", " ".repeat(width));
            let span = |text: String| Some(Span::styled(text, theme.dim())).filter(|s| !s.content.is_empty());
            Paragraph { lead: span(lead), follow: span(follow), ..Paragraph::default() }
        })
    }

    fn end(&mut self) {
        self.out.extend(self.line.take());
    }

    /// An empty line between blocks, not between the items of a list.
    fn gap(&mut self) {
        self.end();
        let is_apart = self.out.last().is_none_or(|line| line.spans.is_empty() && line.lead.is_none());
        if !is_apart && self.lists.is_empty() {
            self.out.push(Paragraph::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::theme::Scheme;
    use super::*;

    /// The lines as text, bold in `*`, italics in `/`, underlined in `_`.
    fn read(text: &str) -> Vec<String> {
        let styled = Styled { text, styles: &[] };
        let line = |paragraph: Paragraph| {
            let mut line = paragraph.lead.map(|lead| lead.content.to_string()).unwrap_or_default();
            for span in paragraph.spans {
                let is = |modifier| span.style.add_modifier.contains(modifier);
                let mark = match () {
                    () if is(Modifier::BOLD) => "*",
                    () if is(Modifier::ITALIC) => "/",
                    () if is(Modifier::UNDERLINED) => "_",
                    () => "",
                };
                line.push_str(&format!("{mark}{}{mark}", span.content));
            }
            line
        };
        paragraphs(&styled, Theme::new(Scheme::None)).into_iter().map(line).collect()
    }

    #[test]
    fn emphasis_code_and_links_are_spans() {
        assert_eq!(read("a **bold** and *slanted* `ls -l` end"), ["a *bold* and /slanted/ `ls -l` end"]);
        assert_eq!(read("see [the manual](https://x.example/a)"), ["see _the manual_ (https://x.example/a)"]);
        assert_eq!(read("<https://x.example/a>"), ["_https://x.example/a_"]);
        assert_eq!(read("snake_case_name and *.log and *.gz"), ["snake_case_name and *.log and *.gz"]);
    }

    #[test]
    fn blocks_stand_apart_and_lists_hang() {
        let text = "# Disk\nIt is full.\nReally.\n\n1. one\n2. two\n   - inner\n\n> said\n\n```sh\ndf -h\n\n  du\n```\nend";
        assert_eq!(
            read(text),
            [
                "*Disk*",
                "",
                "It is full.",
                "Really.",
                "",
                "1. one",
                "2. two",
                "  • inner",
                "",
                "▎ said",
                "",
                "│ df -h",
                "│ ",
                "│   du",
                "",
                "end"
            ]
        );
    }

    #[test]
    fn what_looks_like_html_is_shown() {
        assert_eq!(read("mysql -p<PASSWORD> & <b>x</b>"), ["mysql -p<PASSWORD> & <b>x</b>"]);
        assert_eq!(read("<script>\nalert(1)\n</script>"), ["<script>", "alert(1)", "</script>"]);
        assert_eq!(read("a &amp; b &lt;c&gt;"), ["a & b <c>"]);
        assert_eq!(read("| a | b |\n|---|---|"), ["| a | b |", "|---|---|"]);
    }

    #[test]
    fn styles_that_came_with_the_text_stay() {
        let red = Style::new().fg(ratatui::style::Color::Red);
        let styled = Styled { text: "a red **b**", styles: &[(2, red), (5, Style::new())] };
        let spans = paragraphs(&styled, Theme::new(Scheme::Dark)).remove(0).spans;
        let shown: Vec<_> = spans.iter().map(|s| (s.content.as_ref(), s.style.fg.is_some())).collect();
        assert_eq!(shown, [("a ", false), ("red", true), (" ", false), ("b", false)]);
    }

    #[test]
    fn nothing_is_too_deep() {
        let deep = "> ".repeat(5_000) + &"- ".repeat(5_000) + &"*".repeat(5_000) + "x";
        assert!(!read(&deep).is_empty());
    }
}
