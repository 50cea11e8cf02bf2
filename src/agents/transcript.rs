//! What a shared session has printed, as agents read it: bytes as they came, and lines without escape sequences.
//!
//! Both are bounded; what is older is evicted by whole lines. Positions grow for ever: a line's number and a byte's offset
//! never mean another one. Secrets are taken out of all that is retained before a page is cut from it, so that pages of
//! any size put together are that text and nothing more. Pure.

use std::collections::VecDeque;
use std::ops::Range;

use super::lines::Lines;
use crate::linus::redact::{Redactor, Unredactable};

/// Bytes that are retained of either form: some thousand lines, and no more than is looked through for secrets at once.
const RETAINED: usize = 256 * 1024;
/// Lines that are retained: empty ones have no bytes.
const LINES: usize = 10_000;
/// Bytes of one page.
const PAGE: usize = 48 * 1024;
/// Lines of a page, if none are asked for, and at most.
const PAGE_LINES: (u64, u64) = (200, 1000);

/// Which page is asked for; without a place the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Want {
    /// Where the last page ended: what came since.
    pub(super) since: Option<u64>,
    /// A line's number, or a byte's offset.
    pub(super) from: Option<u64>,
    /// Lines, or bytes.
    pub(super) limit: Option<u64>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) start: u64,
    /// The oldest position that is retained.
    pub(super) oldest: u64,
    /// Where the page ends, and the next one begins.
    pub(super) end: u64,
    /// Everything that there is.
    pub(super) total: u64,
    /// Positions between what was asked for and the oldest: they are gone.
    pub(super) missed: u64,
    /// What is older than the page was left out, or what is newer.
    pub(super) truncated: bool,
}

impl Page {
    pub(super) fn has_more(&self) -> bool {
        self.end < self.total
    }
}

/// Both forms.
#[derive(Default)]
pub(super) struct Transcript {
    raw: Raw,
    lines: Lines,
    kept: VecDeque<String>,
    /// The number of the first line that is kept, and bytes of all.
    first: u64,
    bytes: usize,
}

#[derive(Default)]
struct Raw {
    /// The offset of the first byte.
    start: u64,
    bytes: Vec<u8>,
}

impl Raw {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Seldom: an eviction moves all that is kept.
        if self.bytes.len() > RETAINED + RETAINED / 2 {
            let least = self.bytes.len() - RETAINED;
            let line_end = memchr::memchr(b'\n', &self.bytes[least..]).map_or(least, |at| least + at + 1);
            self.skip(line_end);
        }
    }

    fn skip(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.start += count as u64;
    }

    /// As text in which every byte has its place: what is no UTF-8 is `?`.
    fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes.len());
        for chunk in self.bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
        text
    }
}

impl Transcript {
    /// Something was printed.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.raw.push(bytes);
        let done = self.lines.feed(bytes);
        for line in done {
            self.bytes += line.len();
            self.kept.push_back(line);
        }
        while self.bytes > RETAINED || self.kept.len() > LINES {
            let Some(line) = self.kept.pop_front() else { break };
            self.bytes -= line.len();
            self.first += 1;
        }
    }

    /// Without what was retained; positions go on.
    pub(super) fn begun_anew(&self) -> Self {
        let raw = Raw { start: self.raw.start + self.raw.bytes.len() as u64, bytes: Vec::new() };
        Self { raw, first: self.end(), ..Self::default() }
    }

    /// So many bytes and lines were printed that nobody kept: they are as good as evicted, and all before them.
    pub(super) fn lost(&mut self, bytes: u64, lines: u64) {
        self.raw.skip(self.raw.bytes.len());
        self.raw.start += bytes;
        self.first = self.end() + lines;
        self.kept.clear();
        (self.bytes, self.lines) = (0, self.lines.after_gap());
    }

    /// The number that the next line will have.
    pub(super) fn end(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// The line that has not ended yet is the last of them, and is shown with every page that reaches the end.
    pub(super) fn clean(&self, want: Want, redactor: &mut Redactor) -> Result<(Page, String), Unredactable> {
        let mut text = String::with_capacity(self.bytes + self.kept.len() + 200);
        let mut ends = Vec::with_capacity(self.kept.len());
        for line in &self.kept {
            text.push_str(line);
            text.push('\n');
            ends.push(text.len());
        }
        let complete = text.len();
        text.push_str(&self.lines.current());
        let source = Source::new(&text, self.first > 0, redactor)?;
        let limit = want.limit.unwrap_or(PAGE_LINES.0).clamp(1, PAGE_LINES.1);
        let mut page = self.place(want, self.first, self.end(), limit);
        let at = |line: u64| match (line - self.first) as usize {
            0 => 0,
            n => ends.get(n - 1).copied().unwrap_or(complete),
        };
        let asked = page.end;
        while page.end > page.start + 1 && source.len(at(page.start)..at(page.end)) > PAGE {
            page.end = page.start + (page.end - page.start) / 2;
        }
        page.truncated |= page.end < asked;
        page.text = source.slice(at(page.start)..at(page.end));
        let current = source.slice(complete..text.len());
        Ok((page, current))
    }

    /// Bytes as they came.
    pub(super) fn raw(&self, want: Want, redactor: &mut Redactor) -> Result<Page, Unredactable> {
        let text = self.raw.text();
        let (first, total) = (self.raw.start, self.raw.start + self.raw.bytes.len() as u64);
        let source = Source::new(&text, first > 0, redactor)?;
        let limit = want.limit.unwrap_or(PAGE as u64 / 3).clamp(1, PAGE as u64);
        let mut page = self.place(want, first, total, limit);
        let at = |offset: u64| char_start(&text, (offset - first) as usize);
        let start = at(page.start);
        // Whole characters: the first to its start, the last to its end.
        let end = char_end(&text, ((page.end - first) as usize).max(start));
        page.start = first + start as u64;
        page.end = first + end as u64;
        page.text = source.slice(start..end);
        Ok(page)
    }

    fn place(&self, want: Want, oldest: u64, total: u64, limit: u64) -> Page {
        let asked = want.since.or(want.from);
        let start = asked.unwrap_or_else(|| total.saturating_sub(limit));
        let missed = oldest.saturating_sub(start);
        let start = start.clamp(oldest, total);
        let end = start.saturating_add(limit).min(total);
        let truncated = end < total || asked.is_none() && start > oldest;
        Page { text: String::new(), start, oldest, end, total, missed, truncated }
    }

    /// The lines from this one on, at most the last `limit` bytes of them, without secrets: what patterns are held against.
    pub(super) fn since(
        &self,
        line: u64,
        limit: usize,
        redactor: &mut Redactor,
    ) -> Result<String, Unredactable> {
        let skip = line.saturating_sub(self.first) as usize;
        let mut text: String = self.kept.iter().skip(skip).flat_map(|line| [line.as_str(), "\n"]).collect();
        text.push_str(&self.lines.current());
        let text = crate::text::last(&text, limit);
        let source = Source::new(text, true, redactor)?;
        Ok(source.slice(0..text.len()))
    }
}

/// A text with what is replaced in it.
struct Source<'a> {
    text: &'a str,
    replaced: Vec<(Range<usize>, String)>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, is_cut: bool, redactor: &mut Redactor) -> Result<Self, Unredactable> {
        Ok(Self { text, replaced: redactor.replaced(text, is_cut)? })
    }

    /// A part of it. What stands for a secret is in the part in which that begins, whole.
    fn slice(&self, range: Range<usize>) -> String {
        let mut out = String::new();
        let mut at = range.start;
        let first = self.replaced.partition_point(|(replaced, _)| replaced.end <= range.start);
        for (replaced, text) in &self.replaced[first..] {
            if replaced.start >= range.end {
                break;
            }
            out.push_str(self.text.get(at..replaced.start).unwrap_or_default());
            if replaced.start >= range.start {
                out.push_str(text);
            }
            at = replaced.end.min(range.end);
        }
        out.push_str(self.text.get(at..range.end).unwrap_or_default());
        out
    }

    /// About how long that part is.
    fn len(&self, range: Range<usize>) -> usize {
        range.len()
    }
}

fn char_start(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn char_end(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
