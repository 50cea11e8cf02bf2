//! Patterns of tokens: literals and sets of characters with counts, matched around an anchor in one go.
//!
//! Not regular expressions: without alternatives and backtracking a match costs as many steps as it has characters, and
//! a line end inside a token is a matter of each step. `[a-z]{3,5}` is a set with a count, `{3,}` has no end, `\` takes
//! the next character literally, everything else stands for itself.

use std::ops::Range;

use super::view::View;

/// Where `{3,}` ends all the same. Longer than any token in use.
const ENDLESS: usize = 4096;
/// A row of a token's characters alone goes on with it, whatever its width.
const WHOLE_ROW: usize = 24;
/// A shorter beginning is in too many words.
const LEAST_ANCHOR: usize = 3;
/// A piece of a token in the next row is believed on its length alone from here on.
const LONG_PIECE: usize = 12;
/// A shorter one is a word of its own: what of a token would stay is nothing to guess the rest from.
const SHORT_PIECE: usize = 4;

/// Steps for a byte of a token, and for one of a row that may go on with it.
const SET_COST: usize = 4;
const ROW_COST: usize = 2;

/// A set of ASCII characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Set(u128);

impl Set {
    pub(super) const fn of(members: &[u8]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < members.len() {
            if members[i] < 128 {
                bits |= 1 << members[i];
            }
            i += 1;
        }
        Self(bits)
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 & (1 << byte) != 0
    }

    fn add(&mut self, range: std::ops::RangeInclusive<u8>) {
        range.filter(|b| *b < 128).for_each(|b| self.0 |= 1 << b);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Literal(Vec<u8>),
    Set { set: Set, min: usize, max: usize },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    before: Vec<Item>,
    anchor: Vec<u8>,
    after: Vec<Item>,
    /// The secret begins behind the anchor (`^`).
    inner: bool,
}

/// Where a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hit {
    Whole(Range<usize>),
    /// The text ends before the token does.
    Part(Range<usize>),
}

/// How a run of characters ended.
enum End {
    At(usize),
    TextEnds,
    TooShort,
}

impl Pattern {
    /// Reads a pattern; `None` if it is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let inner = text.contains("^[");
        let mut items = items(text.replace("^[", "[").as_bytes())?;
        let literal = |item: &Item| match item {
            Item::Literal(literal) => literal.len(),
            Item::Set { .. } => 0,
        };
        // The first item if that can be one: what is before an anchor is matched without knowing how it begins. Else the
        // longest literal, the first of equals.
        let at = if items.first().is_some_and(|first| literal(first) >= LEAST_ANCHOR) {
            0
        } else {
            let best = items.iter().enumerate().max_by_key(|(i, item)| (literal(item), usize::MAX - i))?;
            best.0
        };
        let after = items.split_off(at + 1);
        let Some(Item::Literal(anchor)) = items.pop() else { return None };
        Some(Self { before: items, anchor, after, inner })
    }

    /// What is looked for.
    pub(super) fn anchor(&self) -> &[u8] {
        &self.anchor
    }

    /// The token whose anchor may stand at `at`.
    pub(super) fn find(&self, view: &View, at: usize) -> Option<Hit> {
        let anchor_end = at + self.anchor.len();
        if view.bytes.get(at..anchor_end)? != self.anchor {
            return None;
        }
        let start = if self.inner { anchor_end } else { self.start(view, at)? };
        let mut end = anchor_end;
        for item in &self.after {
            end = match forward(view, end, item) {
                End::At(end) => end,
                // With nothing behind the anchor nothing is known of the secret.
                End::TextEnds if end > anchor_end || view.len() > anchor_end => {
                    return Some(Hit::Part(start..next_end(view, anchor_end)));
                }
                End::TextEnds | End::TooShort => return None,
            };
        }
        if let Some(Item::Set { set, max, .. }) = self.after.last()
            && *max < ENDLESS
            && view.in_line(end).is_some_and(|b| set.has(b))
        {
            return None;
        }
        Some(Hit::Whole(start..end))
    }

    fn start(&self, view: &View, at: usize) -> Option<usize> {
        let mut start = at;
        for item in self.before.iter().rev() {
            start = backward(view, start, item)?;
        }
        let is_glued = match self.before.first() {
            Some(Item::Set { set, .. }) => view.before(start).is_some_and(|b| set.has(b)),
            _ => {
                let first = view.bytes.get(start).copied().unwrap_or_default();
                // In base64 anything may stand somewhere.
                let is_plain = self.anchor.iter().all(u8::is_ascii_alphanumeric);
                is_plain && matches!(view.before(start), Some(b'+' | b'/'))
                    || first.is_ascii_alphanumeric() && is_in_word(view, start)
            }
        };
        (!is_glued).then_some(start)
    }
}

/// Where the text ends or was cut, from `at` on.
pub(super) fn next_end(view: &View, at: usize) -> usize {
    (at..view.len()).find(|i| view.is_end(*i)).unwrap_or(view.len())
}

/// Whether a letter or digit stands before, and no escape of JSON (`\n`) or of a URL (`%3D`).
pub(super) fn is_in_word(view: &View, at: usize) -> bool {
    let Some(before) = view.before(at).filter(u8::is_ascii_alphanumeric) else { return false };
    let of = |back: usize| at.checked_sub(back).and_then(|at| view.bytes.get(at)).copied();
    let is_json = of(2) == Some(b'\\') && matches!(before, b'n' | b'r' | b't');
    let is_url = of(3) == Some(b'%') && before.is_ascii_hexdigit();
    !is_json && !is_url
}

fn forward(view: &View, at: usize, item: &Item) -> End {
    match item {
        Item::Literal(literal) => {
            let end = at + literal.len();
            let there = &view.bytes[at.min(view.len())..end.min(view.len())];
            let stops = (at..end).find(|i| view.is_end(*i));
            match stops {
                Some(stop) if literal.starts_with(&there[..stop - at]) => End::TextEnds,
                None if there == literal => End::At(end),
                _ => End::TooShort,
            }
        }
        Item::Set { set, min, max } => run(view, at, *set, *min, *max),
    }
}

/// A row's end is passed while the token is too short, and where the row may have been wrapped.
fn run(view: &View, at: usize, set: Set, min: usize, max: usize) -> End {
    let mut end = at;
    while end - at < max && !view.is_end(end) && set.has(view.bytes[end]) {
        let is_row = || is_whole_row(view, end, set) || view.is_soft(end) && goes_on(view, end, set);
        if view.is_break(end) && end - at >= min && !is_row() {
            break;
        }
        end += 1;
    }
    view.spend((end - at) * SET_COST);
    match end - at {
        length if length >= min => End::At(end),
        _ if view.is_end(end) => End::TextEnds,
        _ => End::TooShort,
    }
}

/// Whether this row has nothing but characters of a token, and many.
fn is_whole_row(view: &View, at: usize, set: Set) -> bool {
    let row = &view.bytes[view.line(at)];
    view.spend(row.len().min(ENDLESS) * ROW_COST);
    row.len() >= WHOLE_ROW && row.len() < ENDLESS && row.iter().all(|b| set.has(*b) || *b == b'.')
}

/// Whether what stands at the beginning of this row looks like the rest of a token, and not like a word of its own.
pub(super) fn goes_on(view: &View, at: usize, set: Set) -> bool {
    let row = &view.bytes[view.line(at)];
    let piece = row.iter().take(ENDLESS).take_while(|b| set.has(**b)).count();
    view.spend(piece * ROW_COST);
    match row.get(piece) {
        None => true,
        Some(b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b';' | b')' | b'}' | b'<' | b'&') => {
            let looks = |b: &u8| b.is_ascii_digit() || b.is_ascii_uppercase();
            piece >= LONG_PIECE || piece >= SHORT_PIECE && row[..piece].iter().any(looks)
        }
        Some(_) => false,
    }
}

fn backward(view: &View, end: usize, item: &Item) -> Option<usize> {
    match item {
        Item::Literal(literal) => {
            let start = end.checked_sub(literal.len())?;
            (&view.bytes[start..end] == literal).then_some(start)
        }
        Item::Set { set, min, max } => {
            let mut start = end;
            while end - start < *max && start > 0 && set.has(view.bytes[start - 1]) {
                if view.is_break(start) && end - start >= *min {
                    break;
                }
                start -= 1;
            }
            (end - start >= *min).then_some(start)
        }
    }
}

fn items(mut text: &[u8]) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut literal = Vec::new();
    while let Some((byte, rest)) = text.split_first() {
        text = rest;
        match byte {
            b'[' => {
                let (set, rest) = set(text)?;
                let ((min, max), rest) = count(rest)?;
                if !literal.is_empty() {
                    items.push(Item::Literal(std::mem::take(&mut literal)));
                }
                items.push(Item::Set { set, min, max });
                text = rest;
            }
            b'\\' => {
                let (byte, rest) = text.split_first()?;
                literal.push(*byte);
                text = rest;
            }
            byte => literal.push(*byte),
        }
    }
    if !literal.is_empty() {
        items.push(Item::Literal(literal));
    }
    Some(items)
}

/// The members up to `]`; `a-z` is a range, a `-` at the end is itself.
fn set(mut text: &[u8]) -> Option<(Set, &[u8])> {
    let mut set = Set::default();
    loop {
        match text {
            [b']', rest @ ..] => return Some((set, rest)),
            [first, b'-', last, rest @ ..] if *last != b']' => {
                set.add(*first..=*last);
                text = rest;
            }
            [one, rest @ ..] => {
                set.add(*one..=*one);
                text = rest;
            }
            [] => return None,
        }
    }
}

/// `{3}`, `{3,}` or `{3,5}`; without one, once.
fn count(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let [b'{', rest @ ..] = text else { return Some(((1, 1), text)) };
    let end = rest.iter().position(|b| *b == b'}')?;
    let inside = std::str::from_utf8(&rest[..end]).ok()?;
    let (min, max) = match inside.split_once(',') {
        None => (inside.parse().ok()?, inside.parse().ok()?),
        Some((min, "")) => (min.parse().ok()?, ENDLESS),
        Some((min, max)) => (min.parse().ok()?, max.parse().ok()?),
    };
    (min <= max && max <= ENDLESS).then_some(((min, max), &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::super::view::views;
    use super::*;

    fn find(pattern: &str, text: &str) -> Option<Hit> {
        let pattern = Pattern::parse(pattern).unwrap();
        let view = &views(text)[0];
        let anchor = pattern.anchor().to_owned();
        (0..view.len())
            .find_map(|at| view.bytes[at..].starts_with(&anchor).then(|| pattern.find(view, at))?)
    }

    #[test]
    fn a_token_is_found_around_its_anchor() {
        assert_eq!(find("ab_[0-9]{3}", "x ab_123 y"), Some(Hit::Whole(2..8)));
        assert_eq!(find("[a-z]{2}.ab_[0-9]{1,2}", "xy.ab_12"), Some(Hit::Whole(0..8)));
        for no in ["xab_123", "ab_1234", "ab_12 ", "ab_12x"] {
            assert_eq!(find("ab_[0-9]{3}", no), None, "{no}");
        }
        assert_eq!(find("ab_[0-9]{3}", "\\nab_123"), Some(Hit::Whole(2..8)));
        assert_eq!(find("ab_[0-9]{3}", "a%3Dab_123"), Some(Hit::Whole(4..10)));
    }

    #[test]
    fn a_token_goes_on_in_the_next_row() {
        assert_eq!(find("ab_[0-9]{3}", "x\na\nb_1\n23\nx"), Some(Hit::Whole(1..7)));
        assert_eq!(find("ab_[0-9a-z]{3,}", "ab_123\ndone"), Some(Hit::Whole(0..6)));
        let row = format!("ab_{}", "1".repeat(37));
        let end = |text: &str| match find("ab_[0-9a-z]{3,}", text) {
            Some(Hit::Whole(range)) => range.end,
            other => panic!("{other:?}"),
        };
        assert_eq!(end(&format!("{row}\n2a3b\nx")), 44, "the row is full");
        assert_eq!(end(&format!("{row}\nroot@host:~# ")), 40, "a prompt is no rest");
        assert_eq!(end(&format!("{row}\ntotal 5")), 40, "a word is no rest");
    }

    #[test]
    fn a_token_that_is_cut_is_a_part() {
        for length in 4..6 {
            assert_eq!(find("ab_[0-9]{3}", &"ab_123"[..length]), Some(Hit::Part(0..length)), "{length}");
        }
        assert_eq!(find("ab_[0-9]{3}", "ab_"), None);
        assert_eq!(find("ab_[0-9]{3}.[0-9]{2}", "ab_123"), Some(Hit::Part(0..6)));
        assert_eq!(find("ab_[0-9]{3}", "ab_1\n--- snip ---\n23"), Some(Hit::Part(0..4)));
    }

    #[test]
    fn what_is_no_pattern_is_not_read() {
        for wrong in ["[a-z", "[a-z]{3", "[a-z]{x}", "[a-z]{3,2}", "ab\\", "[a]{3}"] {
            assert_eq!(Pattern::parse(wrong), None, "{wrong}");
        }
    }
}
