//! The secrets of a session: which placeholder stands for which, where each was seen, and the exact matches.
//!
//! A secret that was found once is known again where nothing says that it is one, if it can be told from a word. What was
//! learned (the user filled it in, or it was put back into a command) is known in every form in which programs
//! show it: quoted, in JSON, in URLs, in HTML, in hexadecimal and in base64. All of it is in memory only.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::{Finder, FinderRev};

use super::Class;
use super::Unredactable;
use super::encodings::forms;
use super::exact::{Exact, Of, START};
use super::found::{Found, Rank};
use super::placeholder;
use super::value::is_random;
use super::view::{View, views};

/// Secrets that are kept, and their bytes together. Nobody's terminal shows more in a session, unless to make us forget;
/// the oldest are forgotten then, and stay hidden by the rules that found them.
const SECRETS: usize = 4096;
const ALL_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a secret that can be put back.
const SECRET_BYTES: usize = 16 * 1024;
/// Bytes of what was learned, all forms together.
const LEARNED_BYTES: usize = 256 * 1024;
/// Hosts where one was seen.
const PLACES: usize = 8;
/// A part of a secret at an edge of the text is known from so many bytes on.
const PART: usize = 4;
/// A line of a key that is known again.
const KEY_LINE: usize = 16;
/// Steps for a byte where what was learned is looked for, and for a known secret that may be cut at an edge.
const BYTE_COST: usize = 4;
const EDGE_COST: usize = 40;

/// One secret. Not printed: `Debug` is not derived.
pub(super) struct Secret {
    pub(super) class: Class,
    number: u32,
    /// Empty if it is too long to be put back.
    value: Arc<[u8]>,
    /// `user@host`.
    places: Vec<String>,
    is_learned: bool,
}

impl Secret {
    pub(super) fn placeholder(&self) -> String {
        placeholder::whole(self.class, self.number)
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.value
    }

    pub(super) fn places(&self) -> &[String] {
        &self.places
    }
}

/// What was learned, in one of the forms in which it is shown.
struct Form {
    class: Class,
    placeholder: String,
}

#[derive(Default)]
pub(super) struct Known {
    /// By their age.
    secrets: BTreeMap<u64, Secret>,
    next: u64,
    by_value: HashMap<Arc<[u8]>, u64>,
    /// Of all their values.
    bytes: usize,
    by_name: HashMap<(Class, u32), u64>,
    counts: HashMap<Class, u32>,
    forms: Vec<(Arc<[u8]>, Form)>,
    by_form: HashMap<Arc<[u8]>, usize>,
    learned_bytes: usize,
    /// Something was to be learned, and there was no room: from then on nothing may leave.
    is_full: bool,
    exact: Exact,
    matcher: Option<AhoCorasick>,
    is_stale: bool,
}

impl Known {
    /// How many secrets there were.
    pub(super) fn count(&self) -> usize {
        usize::try_from(self.next).unwrap_or(usize::MAX)
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The placeholder for a found secret, the same as ever.
    pub(super) fn placeholder(&mut self, class: Class, value: &[u8], target: &str) -> String {
        if let Some(secret) = self.by_value.get(value).and_then(|age| self.secrets.get_mut(age)) {
            if secret.places.len() < PLACES && !secret.places.iter().any(|place| place == target) {
                secret.places.push(target.to_owned());
            }
            return secret.placeholder();
        }
        let value: Arc<[u8]> = value.into();
        if is_distinct(&value) {
            self.exact.add(&value, Of::Secret(class));
        }
        self.add(class, &value, target).placeholder()
    }

    /// The lines of a private key are known again, wherever they are without its head.
    pub(super) fn note_key(&mut self, view: &View, range: &Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let line = at..view.line(at).end.min(range.end);
            let text = view.bytes[line.clone()].trim_ascii();
            if text.len() >= KEY_LINE {
                self.exact.add(&text.into(), Of::KeyLine);
            }
            at = line.end;
        }
    }

    fn add(&mut self, class: Class, value: &Arc<[u8]>, target: &str) -> &mut Secret {
        let count = self.counts.entry(class).or_default();
        *count += 1;
        let number = *count;
        let age = self.next;
        self.next += 1;
        self.by_name.insert((class, number), age);
        let is_kept = value.len() <= SECRET_BYTES;
        let value = if is_kept { Arc::clone(value) } else { Arc::default() };
        if is_kept {
            self.by_value.insert(Arc::clone(&value), age);
        }
        self.bytes += value.len();
        while (self.secrets.len() >= SECRETS || self.bytes > ALL_BYTES) && self.forget() {}
        let secret = Secret { class, number, value, places: vec![target.to_owned()], is_learned: false };
        self.secrets.entry(age).or_insert(secret)
    }

    /// The oldest that was not learned; false if there is none.
    fn forget(&mut self) -> bool {
        let oldest = self.secrets.iter().find(|(_, secret)| !secret.is_learned).map(|(age, _)| *age);
        let Some(forgotten) = oldest.and_then(|age| self.secrets.remove(&age)) else { return false };
        self.bytes -= forgotten.value.len();
        self.by_value.remove(&forgotten.value);
        self.by_name.remove(&(forgotten.class, forgotten.number));
        true
    }

    /// From now on this is a secret wherever it is, in every form.
    pub(super) fn learn(&mut self, secret: &str, class: Class, target: &str) {
        let value: Arc<[u8]> = views(secret)[0].bytes.as_slice().into();
        if value.is_empty() || self.by_form.contains_key(&value) {
            return;
        }
        let age = self.by_value.get(&value).copied().filter(|age| self.secrets.contains_key(age));
        let secret = match age.and_then(|age| self.secrets.get_mut(&age)) {
            Some(secret) => secret,
            None => self.add(class, &value, target),
        };
        secret.is_learned = true;
        let placeholder = secret.placeholder();
        let forms = forms(&value);
        self.learned_bytes += forms.iter().map(Vec::len).sum::<usize>();
        self.is_full |= self.learned_bytes > LEARNED_BYTES;
        if !self.is_full {
            for form in forms {
                let form: Arc<[u8]> = form.into();
                self.by_form.entry(Arc::clone(&form)).or_insert(self.forms.len());
                self.forms.push((form, Form { class, placeholder: placeholder.clone() }));
            }
        }
        self.is_stale = true;
    }

    pub(super) fn get(&self, placeholder: &str) -> Option<&Secret> {
        let (class, number) = placeholder::class(placeholder)?;
        self.by_name.get(&(class, number)).and_then(|age| self.secrets.get(age))
    }

    /// All exact matches in the view.
    pub(super) fn find(&mut self, view: &View) -> Result<Vec<Found>, Unredactable> {
        let mut found = self.learned(view)?;
        let exact = self.exact.find(view)?;
        for (range, of) in exact {
            let is_part = matches!(of, Of::KeyLine);
            match found.last_mut().filter(|last| is_part && last.is_part && last.range.end == range.start) {
                Some(last) => last.range.end = range.end,
                None => found.push(Found::new(range, of.class(), Rank::Known, is_part)),
            }
        }
        Ok(found)
    }

    /// What was learned, in any of its forms.
    fn learned(&mut self, view: &View) -> Result<Vec<Found>, Unredactable> {
        if self.is_stale {
            let forms = self.forms.iter().map(|(form, _)| form);
            let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms);
            self.matcher = Some(matcher.map_err(|_| Unredactable::Full)?);
            self.is_stale = false;
        }
        let Some(matcher) = &self.matcher else { return Ok(Vec::new()) };
        view.spend(view.len() * BYTE_COST);
        let hits =
            matcher.find_iter(&view.bytes).filter(|hit| hit.len() >= PART || is_apart(view, &hit.range()));
        let found = hits.filter_map(|hit| {
            let (_, form) = self.forms.get(hit.pattern().as_usize())?;
            Some(Found::new(hit.range(), form.class, Rank::Known, false))
        });
        Ok(found.collect())
    }

    /// The placeholder of a learned secret in one of its forms.
    pub(super) fn of_form(&self, form: &[u8]) -> Option<&str> {
        self.by_form.get(form).and_then(|i| self.forms.get(*i)).map(|(_, form)| form.placeholder.as_str())
    }

    /// The end of a known secret where a text begins.
    pub(super) fn end_at(&self, view: &View, start: usize) -> Option<Found> {
        let rest = view.bytes.get(start..)?;
        let first = Finder::new(rest.get(..PART)?);
        let (length, class) = self.longest(view, |value| {
            let begins = |at: &usize| *at > 0 && rest.starts_with(&value[*at..]);
            first.find_iter(value).find(begins).map(|at| value.len() - at)
        })?;
        Some(Found::new(start..start + length, class, Rank::Known, true))
    }

    /// The beginning of a known secret where a text ends.
    pub(super) fn begin_at(&self, view: &View, end: usize) -> Option<Found> {
        let text = view.bytes.get(..end)?;
        let last = FinderRev::new(text.get(end.checked_sub(PART)?..)?);
        let (length, class) = self.longest(view, |value| {
            let ends = |at: &usize| at + PART < value.len() && text.ends_with(&value[..at + PART]);
            last.rfind_iter(value).find(ends).map(|at| at + PART)
        })?;
        Some(Found::new(end - length..end, class, Rank::Known, true))
    }

    fn longest(&self, view: &View, length: impl Fn(&[u8]) -> Option<usize>) -> Option<(usize, Class)> {
        let learned = self.forms.iter().map(|(value, form)| (&**value, form.class));
        let all = learned.chain(self.exact.values());
        let cut = all.filter_map(|(value, class)| {
            view.spend(EDGE_COST);
            Some((length(value)?, class))
        });
        cut.max_by_key(|(length, _)| *length)
    }
}

/// Whether it can be looked for everywhere: long, and no word.
fn is_distinct(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let has = |is: fn(u8) -> bool| text.bytes().any(is);
    let is_mixed = has(|b| b.is_ascii_digit()) && has(|b| b.is_ascii_alphabetic());
    let has_sign = has(|b| b.is_ascii_punctuation() && !matches!(b, b'-' | b'_' | b'.' | b'/'));
    text.len() >= START && (is_mixed && (has_sign || text.len() >= 10) || is_random(text))
}

/// Not within a longer word: a learned secret of one to three letters would be everywhere, and every place where it was
/// hidden would give it away. Where a letter or digit is glued to one, it stays.
fn is_apart(view: &View, range: &Range<usize>) -> bool {
    !view.before(range.start).is_some_and(|b| b.is_ascii_alphanumeric())
        && !view.in_line(range.end).is_some_and(|b| b.is_ascii_alphanumeric())
}
