//! The secrets of a session: which placeholder stands for which, where each was seen, and the exact matches.
//!
//! A secret that was found once is known again where nothing says that it is one, if it can be told from a word. What was
//! learned (the user filled it in, or it was put back into a command) is known in every form in which programs
//! show it: quoted, in JSON, in URLs, in HTML, in hexadecimal and in base64. All of it is in memory only.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::Class;
use super::block::KEY;
use super::encodings::forms;
use super::found::{Found, Rank};
use super::value::is_random;
use super::view::{View, views};

/// Secrets that are kept. Nobody's terminal shows more in a session, unless to make us forget; the oldest are forgotten
/// then, and stay hidden by the rules that found them.
const SECRETS: usize = 1000;
/// Bytes of a secret that can be put back.
const SECRET_BYTES: usize = 16 * 1024;
/// Bytes of what was learned, all forms together.
const LEARNED_BYTES: usize = 256 * 1024;
/// Found secrets and lines of keys that are looked for everywhere.
const EXACT: usize = 512;
/// Longer ones are not looked for: what is so long is found by its form.
const EXACT_BYTES: usize = 512;
/// Hosts where one was seen.
const PLACES: usize = 8;
/// A part of a secret at an edge of the text is known from so many bytes on.
const PART: usize = 4;
/// A line of a key that is known again.
const KEY_LINE: usize = 16;

/// One secret. Not printed: `Debug` is not derived.
pub(super) struct Secret {
    pub(super) class: Class,
    number: u32,
    value: Vec<u8>,
    /// `user@host`.
    places: Vec<String>,
    is_learned: bool,
}

impl Secret {
    pub(super) fn placeholder(&self) -> String {
        format!("‹{}-{}›", self.class, self.number)
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.value
    }

    pub(super) fn places(&self) -> &[String] {
        &self.places
    }
}

/// Which secret an exact match is, or a line of which key.
#[derive(Clone, Copy)]
enum Of {
    Secret(Class),
    KeyLine,
}

#[derive(Default)]
pub(super) struct Known {
    secrets: VecDeque<Secret>,
    by_value: HashMap<Vec<u8>, String>,
    counts: HashMap<Class, u32>,
    learned: Vec<(Vec<u8>, Class, String)>,
    learned_bytes: usize,
    /// Something was to be learned, and there was no room: from then on nothing may leave.
    is_full: bool,
    exact: VecDeque<(Vec<u8>, Of)>,
    is_exact: HashSet<Vec<u8>>,
    matcher: Option<AhoCorasick>,
    is_stale: bool,
}

impl Known {
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The placeholder for a found secret, the same as ever.
    pub(super) fn placeholder(&mut self, class: Class, value: &[u8], target: &str) -> String {
        if let Some(placeholder) = self.by_value.get(value).cloned() {
            self.note_place(&placeholder, target);
            return placeholder;
        }
        if is_distinct(value) {
            self.look_for(value, Of::Secret(class));
        }
        self.add(class, value, target, false)
    }

    /// The lines of a private key are known again, wherever they are without its head.
    pub(super) fn note_key(&mut self, view: &View, range: &Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let line = at..view.line(at).end.min(range.end);
            let text = view.bytes[line.clone()].trim_ascii();
            if text.len() >= KEY_LINE {
                self.look_for(text, Of::KeyLine);
            }
            at = line.end;
        }
    }

    fn note_place(&mut self, placeholder: &str, target: &str) {
        let secret = self.secrets.iter_mut().find(|s| s.placeholder() == placeholder);
        if let Some(secret) =
            secret.filter(|s| s.places.len() < PLACES && !s.places.iter().any(|p| p == target))
        {
            secret.places.push(target.to_owned());
        }
    }

    fn add(&mut self, class: Class, value: &[u8], target: &str, is_learned: bool) -> String {
        let count = self.counts.entry(class).or_default();
        *count += 1;
        let value = if value.len() > SECRET_BYTES { &[] } else { value };
        let places = vec![target.to_owned()];
        let secret = Secret { class, number: *count, value: value.to_owned(), places, is_learned };
        let placeholder = secret.placeholder();
        self.by_value.insert(value.to_owned(), placeholder.clone());
        self.by_value.remove(&[][..]);
        self.secrets.push_back(secret);
        if self.secrets.len() > SECRETS {
            let oldest = self.secrets.iter().position(|s| !s.is_learned).unwrap_or(0);
            if let Some(forgotten) = self.secrets.remove(oldest) {
                self.by_value.remove(&forgotten.value);
            }
        }
        placeholder
    }

    /// From now on this is a secret wherever it is, in every form.
    pub(super) fn learn(&mut self, secret: &str, class: Class, target: &str) {
        let value = views(secret)[0].bytes.clone();
        if value.is_empty() || self.learned.iter().any(|(known, ..)| *known == value) {
            return;
        }
        let placeholder = match self.by_value.get(&value).cloned() {
            Some(placeholder) => placeholder,
            None => self.add(class, &value, target, true),
        };
        let forms = forms(&value);
        self.learned_bytes += forms.iter().map(Vec::len).sum::<usize>();
        self.is_full |= self.learned_bytes > LEARNED_BYTES;
        if let Some(secret) = self.secrets.iter_mut().find(|s| s.placeholder() == placeholder) {
            secret.is_learned = true;
        }
        if !self.is_full {
            self.learned.extend(forms.into_iter().map(|form| (form, class, placeholder.clone())));
        }
        self.is_stale = true;
    }

    pub(super) fn get(&self, placeholder: &str) -> Option<&Secret> {
        self.secrets.iter().find(|s| s.placeholder() == placeholder)
    }

    fn look_for(&mut self, value: &[u8], of: Of) {
        if value.len() > EXACT_BYTES || !self.is_exact.insert(value.to_owned()) {
            return;
        }
        self.exact.push_back((value.to_owned(), of));
        if self.exact.len() > EXACT
            && let Some((oldest, _)) = self.exact.pop_front()
        {
            self.is_exact.remove(&oldest);
        }
        self.is_stale = true;
    }

    /// All exact matches in the view; `None` if they cannot be looked for.
    pub(super) fn find(&mut self, view: &View) -> Option<Vec<Found>> {
        if self.is_stale {
            let patterns =
                self.learned.iter().map(|(form, ..)| form).chain(self.exact.iter().map(|(value, _)| value));
            self.matcher =
                Some(AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok()?);
            self.is_stale = false;
        }
        let Some(matcher) = &self.matcher else { return Some(Vec::new()) };
        let mut found: Vec<Found> = Vec::new();
        for hit in matcher.find_iter(&view.bytes) {
            let (range, number) = (hit.range(), hit.pattern().as_usize());
            let (class, is_part) = match (self.learned.get(number), number.checked_sub(self.learned.len())) {
                (Some((_, class, _)), _) => (*class, false),
                (None, Some(exact)) => match self.exact.get(exact)?.1 {
                    Of::Secret(class) => (class, false),
                    Of::KeyLine => (KEY, true),
                },
                (None, None) => return None,
            };
            if range.len() < PART && !is_apart(view, &range) {
                continue;
            }
            match found.last_mut().filter(|last| is_part && last.is_part && last.range.end == range.start) {
                Some(last) => last.range.end = range.end,
                None => found.push(Found::new(range, class, Rank::Known, is_part)),
            }
        }
        Some(found)
    }

    /// The placeholder of a learned secret in one of its forms.
    pub(super) fn of_form(&self, form: &[u8]) -> Option<&str> {
        self.learned.iter().find(|(known, ..)| known == form).map(|(_, _, placeholder)| placeholder.as_str())
    }

    /// The end of a known secret where a text begins.
    pub(super) fn end_at(&self, view: &View, start: usize) -> Option<Found> {
        let rest = view.bytes.get(start..)?;
        let length =
            |value: &[u8]| (PART..value.len()).rev().find(|n| rest.starts_with(&value[value.len() - n..]));
        let (length, class) = self.longest(length)?;
        Some(Found::new(start..start + length, class, Rank::Known, true))
    }

    /// The beginning of a known secret where a text ends.
    pub(super) fn begin_at(&self, view: &View, end: usize) -> Option<Found> {
        let text = view.bytes.get(..end)?;
        let (length, class) =
            self.longest(|value| (PART..value.len()).rev().find(|n| text.ends_with(&value[..*n])))?;
        Some(Found::new(end - length..end, class, Rank::Known, true))
    }

    fn longest(&self, length: impl Fn(&[u8]) -> Option<usize>) -> Option<(usize, Class)> {
        let learned = self.learned.iter().map(|(form, class, _)| (form, *class));
        let exact = self.exact.iter().map(|(value, of)| match of {
            Of::Secret(class) => (value, *class),
            Of::KeyLine => (value, KEY),
        });
        learned
            .chain(exact)
            .filter_map(|(value, class)| Some((length(value)?, class)))
            .max_by_key(|(length, _)| *length)
    }
}

/// Whether it can be looked for everywhere: long, and no word.
fn is_distinct(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let has = |is: fn(u8) -> bool| text.bytes().any(is);
    let is_mixed = has(|b| b.is_ascii_digit()) && has(|b| b.is_ascii_alphabetic());
    let has_sign = has(|b| b.is_ascii_punctuation() && !matches!(b, b'-' | b'_' | b'.' | b'/'));
    text.len() >= 8 && (is_random(text) || is_mixed && has_sign || text.len() >= 10 && is_mixed)
}

/// Not within a longer word: a learned secret of three letters would be everywhere.
fn is_apart(view: &View, range: &Range<usize>) -> bool {
    !view.before(range.start).is_some_and(|b| b.is_ascii_alphanumeric())
        && !view.in_line(range.end).is_some_and(|b| b.is_ascii_alphanumeric())
}
