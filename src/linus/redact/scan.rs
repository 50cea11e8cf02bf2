//! Goes through a view once, asks the rules about everything that a secret may begin with, and settles what overlaps.
//!
//! What it costs is counted (`budget.rs`).

use std::ops::Range;

use super::block::Manifests;
use super::budget::Exhausted;
use super::found::{Found, Rank, settled};
use super::optional::Optional;
use super::pattern::Hit;
use super::rules::{Lead, Login, RULES};
use super::view::View;
use super::{assign, block, card, columns, header, login, pair, program, sentence, table, url, value};

/// What an anchor costs by itself: most are dismissed after a few bytes.
const LEAD_COST: usize = 32;
/// What a byte costs that no rule asks about: the anchors, cards and tables are looked for in it.
const BYTE_COST: usize = 12;
/// What a byte of a token costs: whether it is one of documentation is looked for in all of it.
const TOKEN_BYTE_COST: usize = 8;
/// What a secret costs that was found: it is named, and looked for everywhere.
const FOUND_COST: usize = 800;

/// Everything in the view that the rules call a secret, in order.
pub(super) fn scan(view: &View, optional: &Optional) -> Result<Vec<Found>, Exhausted> {
    view.spend(view.len() * BYTE_COST);
    let mut scan = Scan::of(view);
    for (start, end, lead) in RULES.leads(&view.bytes).ok_or(Exhausted)? {
        view.spend(LEAD_COST);
        scan.ask(start..end, lead);
        view.check()?;
    }
    let mut found = scan.found;
    found.extend(card::find(view));
    found.extend(table::find(view));
    found.extend(columns::find(view));
    found.extend(optional.find(view)?);
    view.check()?;
    Ok(settled(found))
}

/// What was found so far, and what was asked about up to where: the next anchor in it asks nothing new.
struct Scan<'v> {
    view: &'v View,
    found: Vec<Found>,
    /// Ends of the last name, command, secret and line of cookies.
    named: usize,
    told: usize,
    covered: usize,
    cookies: usize,
    /// The end of a token of a few characters again and again: each of them begins another one.
    uniform: usize,
    /// The end of data that only a cluster can decrypt (SealedSecret).
    sealed: usize,
    manifests: Manifests,
}

impl<'v> Scan<'v> {
    fn of(view: &'v View) -> Self {
        let manifests = Manifests::default();
        let found = Vec::new();
        Self { view, found, named: 0, told: 0, covered: 0, cookies: 0, uniform: 0, sealed: 0, manifests }
    }

    /// Asks the rules about an anchor.
    fn ask(&mut self, anchor: Range<usize>, lead: Lead) {
        let (view, start, end, before) = (self.view, anchor.start, anchor.end, self.found.len());
        match lead {
            Lead::Token(number) if start >= self.uniform => self.token(number, start),
            Lead::Name if start >= self.covered => self.name(anchor),
            Lead::Word(class) => self.found.extend(program::word(view, anchor, class)),
            Lead::Likely(class) => self.found.extend(sentence::likely(view, anchor, class)),
            Lead::Phrase(class) => self.found.extend(sentence::phrase(view, anchor, class)),
            Lead::Noun(class) if start >= self.covered.max(self.sealed) => {
                self.found.extend(sentence::find(view, anchor, class))
            }
            Lead::Login(words) => self.found.extend(self.login(anchor, words)),
            Lead::Sealed if start >= self.sealed => self.sealed = block::end_of_entry(view, start),
            Lead::Coded(class) => self.found.extend(program::coded(view, anchor, class)),
            Lead::Program(number) if start >= self.told && program::is_program(view, &anchor) => {
                let line = program::rest_of_command(view, end);
                self.told = line.end;
                self.found.extend(program::find(view, line, &RULES.programs[number]));
            }
            Lead::Piped(class, is_user) => self.found.extend(program::piped(view, anchor, class, is_user)),
            Lead::Dsn => self.found.extend(url::dsn(view, start)),
            Lead::KeyEnd if start > self.covered => self.found.extend(block::before_end(view, start)),
            Lead::Url => self.found.extend(url::find(view, start)),
            Lead::Block if start >= self.covered => self.found.extend(block::find(view, start)),
            Lead::Header => self.found.extend(header::find(view, anchor, &mut self.cookies)),
            Lead::Kind if block::is_secret(view, start) => {
                self.found.extend(self.manifests.find(view, start));
            }
            Lead::Token(_) | Lead::Noun(_) | Lead::Sealed => {}
            Lead::Name | Lead::Program(_) | Lead::Block | Lead::KeyEnd | Lead::Kind => {}
        }
        for new in &self.found[before..] {
            view.spend(FOUND_COST + new.range.len());
            self.covered = self.covered.max(new.range.end);
        }
    }

    fn login(&self, anchor: Range<usize>, words: Login) -> Option<Found> {
        let find = match words {
            Login::Basic => login::basic,
            Login::Plain => login::plain,
            Login::Asked => login::asked,
            Login::Imap => login::imap,
            Login::Pass => login::pass,
            Login::Redis => login::redis,
            Login::Access => login::access,
        };
        find(self.view, anchor)
    }

    fn name(&mut self, stem: Range<usize>) {
        let name = assign::name_at(self.view, stem);
        if name.end > self.named && name.start >= self.sealed {
            self.named = name.end;
            let found = assign::find(self.view, &name);
            let found = found.or_else(|| program::netrc(self.view, &name));
            self.found.extend(found.or_else(|| pair::find(self.view, &name)));
        }
    }

    fn token(&mut self, number: usize, at: usize) {
        let (class, pattern) = &RULES.tokens[number];
        let (range, is_part) = match pattern.find(self.view, at) {
            None => return,
            Some(Hit::Whole(range)) => (range, false),
            Some(Hit::Part(range)) => (range, true),
        };
        let text = &self.view.bytes[range.clone()];
        self.view.spend(range.len() * TOKEN_BYTE_COST);
        if value::is_uniform(text) {
            self.uniform = range.end;
        }
        if is_part || !value::is_dummy(&String::from_utf8_lossy(text)) {
            self.found.push(Found::new(range, class, Rank::Token, is_part));
        }
    }
}
