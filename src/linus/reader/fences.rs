//! Fenced blocks (CommonMark 4.5) and command lines in a text.

use std::ops::Range;

/// What a block's info string says that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Shell,
    /// A shell's session: prompts, and perhaps output. Also blocks that do not say.
    Session,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'t> {
    pub(super) kind: Kind,
    pub(super) inner: &'t str,
    /// With its fences, in the text.
    pub(super) range: Range<usize>,
    pub(super) is_closed: bool,
}

/// All blocks, in order.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(Fence, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (&open, fence(line)) {
            (None, Some(fence)) => open = Some((fence, at, next)),
            (Some((begun, start, from)), Some(end)) if end.ends(begun) => {
                let (inner, range) = (&text[*from..at], *start..next);
                blocks.push(Block { kind: begun.kind, inner, range, is_closed: true });
                open = None;
            }
            _ => {}
        }
        at = next;
    }
    if let Some((begun, start, from)) = open {
        let (inner, range) = (&text[from..], start..text.len());
        blocks.push(Block { kind: begun.kind, inner, range, is_closed: false });
    }
    blocks
}

/// The inside of a text that is JSON, or one fenced block and nothing else.
pub(crate) fn whole_json(text: &str) -> &str {
    let text = text.trim();
    match blocks(text).as_slice() {
        [block] if block.is_closed && block.range == (0..text.len()) => block.inner.trim(),
        _ => text,
    }
}

/// The command lines: of a shell block its line, or `None` where it has several; of what is outside of blocks, and of
/// a session that shows nothing else, what stands after `$ `. The same line twice is one.
pub(super) fn shell_lines<'t>(
    text: &'t str,
    blocks: &'t [Block<'t>],
) -> impl Iterator<Item = Option<&'t str>> {
    let in_blocks = blocks.iter().filter_map(|block| match block.kind {
        Kind::Shell => Some(only_line(block.inner).map(|line| prompted(line).unwrap_or(line))),
        Kind::Session => only_line(block.inner).and_then(prompted).map(Some),
        Kind::Json | Kind::Other => None,
    });
    let mut seen: Option<&str> = None;
    in_blocks.chain(outside(text, blocks).flat_map(str::lines).filter_map(prompted).map(Some)).filter(
        move |line| {
            let is_again = line.is_some() && *line == seen;
            seen = seen.or(*line);
            !is_again
        },
    )
}

fn outside<'t>(text: &'t str, blocks: &'t [Block<'t>]) -> impl Iterator<Item = &'t str> {
    let starts = std::iter::once(0).chain(blocks.iter().map(|b| b.range.end));
    let ends = blocks.iter().map(|b| b.range.start).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end])
}

fn only_line(inner: &str) -> Option<&str> {
    let mut lines = inner.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().filter(|_| lines.next().is_none())
}

/// What stands after `$ `, if anything does.
fn prompted(line: &str) -> Option<&str> {
    line.trim().strip_prefix("$ ").map(str::trim).filter(|command| !command.is_empty())
}

/// A line that begins or ends a block.
#[derive(Debug, Clone, Copy)]
struct Fence {
    sign: char,
    len: usize,
    is_bare: bool,
    kind: Kind,
}

impl Fence {
    fn ends(self, begun: &Self) -> bool {
        self.sign == begun.sign && self.len >= begun.len && self.is_bare
    }
}

fn fence(line: &str) -> Option<Fence> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let sign = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(sign);
    let (len, info) = (text.len() - rest.len(), rest.trim());
    // Of backticks an info string has none: that is code within a line.
    if len < 3 || sign == '`' && info.contains('`') {
        return None;
    }
    let word = info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let kind = match word.as_str() {
        "json" | "jsonc" | "json5" => Kind::Json,
        "sh" | "bash" | "shell" | "zsh" | "ksh" | "dash" | "fish" => Kind::Shell,
        "" | "console" | "terminal" | "shell-session" | "shellsession" | "sh-session" | "text" => {
            Kind::Session
        }
        _ => Kind::Other,
    };
    Some(Fence { sign, len, is_bare: info.is_empty(), kind })
}
