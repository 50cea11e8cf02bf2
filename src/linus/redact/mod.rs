//! Redaction: takes secrets out of everything that leaves, and knows them again.
//!
//! A [`Redactor`] belongs to a session. It finds secrets by their form (`rules.txt`: tokens of providers, names with
//! values, options of programs) and by code for what has a grammar (addresses, keys, headers, tables, cards), on a view of
//! the text without escape sequences and line ends (`view.rs`), and puts typed placeholders in their place,
//! `‹github-token-1›`: the same secret has the same one to the end of the session. What looks like a placeholder and
//! comes from elsewhere is made unlike one.
//!
//! **Edges.** A text may begin or end within a secret: a tail is cut, an update ends in the middle of a token. What
//! is known by its beginning is hidden from there to the end of the text, as `‹github-token-part›`, which stands for
//! nothing. What was cut at the beginning is hidden if it is the end of a secret that was seen whole, a line of a key that
//! was seen, or looks like the rest of a private key. What cannot be told is a token of which the distinctive part
//! comes last, or one that was never seen whole and whose beginning is cut off; the terminal's tail and updates are cut
//! at lines, so that this takes a secret of several lines. A known value of one to three bytes is hidden only where no
//! letter or digit is glued to it: hidden in every word that holds it, it would be told by the gaps.
//!
//! **Fails closed.** No rule takes more than linear time, all of it is counted, and a text that costs more than its
//! budget is not redacted at all: [`Unredactable`], and nothing may leave. The built-in Linus gets the same texts: one path
//! for all, and what a later remote Linus or a record would get is what is tried every day.
//!
//! Pure, and in memory only: nothing here is written, printed or logged.

mod assign;
mod block;
mod budget;
mod card;
mod columns;
mod encodings;
mod exact;
mod found;
mod header;
mod known;
mod login;
mod name;
mod optional;
mod pair;
mod pattern;
mod pieces;
mod placeholder;
mod program;
mod request;
mod restore;
mod rules;
mod scan;
mod sentence;
mod table;
mod url;
mod value;
mod view;

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use budget::{Budget, Exhausted};
use known::Known;
use optional::Optional;
use pieces::Piece;
use view::{View, views_within};

pub use placeholder::named_in;
pub use restore::{Filled, Place, Quoting, Restoring, places, programs};

/// What kind of secret: `github-token`, `password`, …; the first part of its placeholder.
pub type Class = &'static str;

/// Longer texts are none that leave: `--ask` reads 10 MiB.
const TEXT_LIMIT: usize = 16 * 1024 * 1024;
/// Steps a byte, and for any text. A step is at most about a nanosecond of a release build (`budget.rs`), so that
/// 64 KiB take no more than 5 ms.
const STEPS: usize = 72;
const LEAST_STEPS: usize = 256 * 1024;
/// Steps for a byte that becomes a view's, and for a placeholder that is none of ours.
const VIEW_COST: usize = 4;
const FOREIGN_COST: usize = 200;
/// Steps for a secret that was not known.
const NEW_COST: usize = 2000;

/// What is redacted besides the rules, and how much it may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Private addresses of hosts.
    pub addresses: bool,
    /// Mail addresses.
    pub mail: bool,
    /// Names of hosts.
    pub hostnames: bool,
    /// Regular expressions for one line; the first group, if there is one, is the secret.
    pub patterns: Vec<String>,
    /// Steps a byte of text.
    pub budget: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { addresses: false, mail: false, hostnames: false, patterns: Vec::new(), budget: STEPS }
    }
}

impl Options {
    /// Whether the patterns can be used; else what is wrong with which.
    pub fn check(&self) -> Result<(), String> {
        self.optional().map(|_| ())
    }

    fn optional(&self) -> Result<Optional, String> {
        Optional::new([self.addresses, self.mail, self.hostnames], &self.patterns)
    }
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    pub found: Vec<Found>,
}

/// A secret that was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub class: Class,
    /// What stands for it, `‹password-1›`; `‹password-part›` for one that was cut.
    pub placeholder: String,
    /// Where that is in the redacted text, in bytes.
    pub range: Range<usize>,
    /// The message's field that it was in, by its name on the wire; empty for a text alone.
    pub field: &'static str,
}

/// Why a text could not be redacted: it must not leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unredactable {
    /// More to do than the budget allows.
    Costly,
    TooLong,
    /// A pattern of the user's cannot be used.
    Pattern(String),
    /// More was filled in than can be looked for.
    Full,
}

impl fmt::Display for Unredactable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Costly => f.write_str("looking for secrets in it takes too long"),
            Self::TooLong => f.write_str("it is too long to look for secrets in it"),
            Self::Pattern(why) => write!(f, "[redact] patterns: {why}"),
            Self::Full => f.write_str("more secrets were filled in than can be kept out of it"),
        }
    }
}

impl std::error::Error for Unredactable {}

impl From<Exhausted> for Unredactable {
    fn from(Exhausted: Exhausted) -> Self {
        Self::Costly
    }
}

/// Whose text it is: only the remote's may not hold placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Remote,
    Ours,
}

/// How a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Whole,
    /// Something was before it that is not here.
    Cut,
    /// And a private key had not ended there.
    InKey,
}

/// Redacts one session's texts.
pub struct Redactor {
    optional: Result<Optional, String>,
    budget: usize,
    known: Known,
    /// Who is logged in where: what a secret that is found now belongs to.
    target: String,
    /// The last update ended within a private key.
    in_key: bool,
}

impl Redactor {
    #[must_use]
    // By value: they are the session's, and a pattern that cannot be used is told at the first text.
    #[allow(clippy::needless_pass_by_value)]
    pub fn new(options: Options) -> Self {
        let optional = options.optional();
        Self {
            optional,
            budget: options.budget,
            known: Known::default(),
            target: String::new(),
            in_key: false,
        }
    }

    /// Secrets that are found from now on were seen at this `user@host`.
    pub fn set_target(&mut self, target: &str) {
        target.clone_into(&mut self.target);
    }

    /// A text of the remote's, or of a file.
    pub fn redact(&mut self, text: &str) -> Result<Redacted, Unredactable> {
        self.run(text, Whose::Remote, Start::Whole)
    }

    /// A text of the user's or of Linus's: placeholders of this session stay in it.
    pub fn redact_ours(&mut self, text: &str) -> Result<Redacted, Unredactable> {
        self.run(text, Whose::Ours, Start::Whole)
    }

    /// From now on this is a secret wherever and however it is shown: the user filled it in, or it was put back.
    pub fn learn(&mut self, secret: &str, class: Class) {
        let target = self.target.clone();
        self.known.learn(secret, class, &target);
    }

    /// What of a text of the remote's is replaced, in its order and apart, and by what: for who hands a text out in parts
    /// and needs to know where in it each lies. `is_cut`: something was before it that is not here any more.
    pub fn replaced(
        &mut self,
        text: &str,
        is_cut: bool,
    ) -> Result<Vec<(Range<usize>, String)>, Unredactable> {
        let start = if is_cut { Start::Cut } else { Start::Whole };
        let pieces = self.pieces(text, Whose::Remote, start)?;
        Ok(pieces::apart(text, pieces).into_iter().map(|piece| (piece.range, piece.text)).collect())
    }

    fn run(&mut self, text: &str, whose: Whose, start: Start) -> Result<Redacted, Unredactable> {
        Ok(pieces::assemble(text, self.pieces(text, whose, start)?))
    }

    fn pieces(&mut self, text: &str, whose: Whose, start: Start) -> Result<Vec<Piece>, Unredactable> {
        if text.len() > TEXT_LIMIT {
            return Err(Unredactable::TooLong);
        }
        if self.known.is_full() {
            return Err(Unredactable::Full);
        }
        let optional = self.optional.as_ref().map_err(|why| Unredactable::Pattern(why.clone()))?;
        let budget = Rc::new(Budget::new(LEAST_STEPS + text.len() * self.budget));
        self.in_key = false;
        budget.spend(text.len() * VIEW_COST);
        let views = views_within(text, &budget);
        let mut scanned = Vec::new();
        for view in &views {
            let mut found = scan::scan(view, optional)?;
            found.retain(|found| !placeholder::is_all(&view.bytes[found.range.clone()]));
            scanned.push(found);
        }
        // What one place of the text gives away is a secret in all others: `KEY=x`, and then `echo $KEY`.
        for (view, found) in views.iter().zip(&scanned) {
            let before = self.known.count();
            self.note_whole(view, found);
            budget.spend(self.known.count().saturating_sub(before) * NEW_COST);
        }
        budget.check()?;
        let mut pieces = Vec::new();
        for (view, mut found) in views.iter().zip(scanned) {
            found.extend(self.known.find(view)?);
            found.extend(self.at_edges(view, start)?);
            let found = found::settled(found);
            pieces.extend(self.foreign(view, &found, whose));
            pieces.extend(found.iter().map(|found| self.piece(view, found)));
        }
        budget.check()?;
        Ok(pieces)
    }

    /// Secrets that were found whole are known from here on.
    fn note_whole(&mut self, view: &View, found: &[found::Found]) {
        for found in found.iter().filter(|found| !found.is_part) {
            let value = &view.bytes[found.range.clone()];
            if self.known.of_form(value).is_none() {
                self.known.placeholder(found.class, value, &self.target);
            }
        }
    }

    /// What is cut at an end of the text, or where a part of it was left out.
    fn at_edges(&self, view: &View, start: Start) -> Result<Vec<found::Found>, Exhausted> {
        let begins = (start != Start::Whole).then_some(0).into_iter().chain(view.resumes());
        let mut found = Vec::new();
        for at in begins {
            let was_open = at == 0 && start == Start::InKey;
            found.extend(block::rest_of_key(view, at, was_open));
            found.extend(self.known.end_at(view, at));
            view.check()?;
        }
        for at in view.cuts().chain([view.len()]) {
            found.extend(self.known.begin_at(view, at));
            view.check()?;
        }
        Ok(found)
    }

    /// The text for a secret, which is known from now on.
    fn piece(&mut self, view: &View, found: &found::Found) -> Piece {
        let value = &view.bytes[found.range.clone()];
        if found.class == block::KEY {
            self.known.note_key(view, &found.range);
            self.in_key |= found.is_part && view.is_end(found.range.end);
        }
        let text = match self.known.of_form(value) {
            Some(placeholder) => placeholder.to_owned(),
            None if found.is_part => placeholder::part(found.class),
            None => self.known.placeholder(found.class, value, &self.target),
        };
        Piece { range: view.in_text(&found.range), text, class: Some(found.class) }
    }

    /// What looks like a placeholder and is none of ours.
    fn foreign(&self, view: &View, secrets: &[found::Found], whose: Whose) -> Vec<Piece> {
        // They are in order and apart.
        let is_free = |range: &Range<usize>| {
            let after = secrets.partition_point(|secret| secret.range.end <= range.start);
            secrets.get(after).is_none_or(|secret| secret.range.start >= range.end)
        };
        let foreign = placeholder::find(&view.bytes).into_iter().filter(is_free);
        let quoted = foreign.filter_map(|range| {
            view.spend(FOREIGN_COST);
            let shown = String::from_utf8_lossy(&view.bytes[range.clone()]);
            let is_ours = whose == Whose::Ours
                && (placeholder::class(&shown).is_none() || self.known.get(&shown).is_some());
            let text = placeholder::quoted(&shown);
            (!is_ours).then(|| Piece { range: view.in_text(&range), text, class: None })
        });
        quoted.collect()
    }
}

#[cfg(test)]
mod tests;
