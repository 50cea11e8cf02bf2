//! Goes through a view once, asks the rules about everything that a secret may begin with, and settles what overlaps.
//!
//! What it costs is counted (`budget.rs`).

use super::budget::{Budget, Exhausted};
use super::found::{Found, Rank, settled};
use super::pattern::Hit;
use super::rules::{Lead, RULES};
use super::view::View;
use super::{assign, block, card, header, optional, program, table, url, value};

/// What an anchor costs, in steps of about a nanosecond: most are dismissed after a few bytes.
const LEAD_COST: usize = 64;

/// Everything in the view that the rules call a secret, in order.
pub(super) fn scan(
    view: &View,
    optional: &optional::Optional,
    budget: &mut Budget,
) -> Result<Vec<Found>, Exhausted> {
    budget.spend(view.len())?;
    let mut found = Vec::new();
    // What a name, a program or a line was asked about, up to here: the next anchor in it asks nothing new.
    let (mut named, mut told, mut covered, mut cookies) = (0, 0, 0, 0);
    for (start, end, lead) in RULES.leads(&view.bytes).ok_or(Exhausted)? {
        budget.spend(LEAD_COST)?;
        let before = found.len();
        match lead {
            Lead::Token(number) => found.extend(token(view, number, start)),
            Lead::Name if start >= covered => {
                let name = assign::name_at(view, start..end);
                if name.end > named {
                    named = name.end;
                    budget.spend(name.len())?;
                    found.extend(assign::find(view, &name).or_else(|| program::netrc(view, &name)));
                }
            }
            Lead::Word(class) => found.extend(program::word(view, start..end, class)),
            Lead::Likely(class) => found.extend(program::likely(view, start..end, class)),
            Lead::Coded(class) => found.extend(program::coded(view, start..end, class)),
            Lead::Program(number) if start >= told && program::is_program(view, &(start..end)) => {
                let line = program::rest_of_command(view, end);
                budget.spend(line.len())?;
                told = line.end;
                found.extend(program::find(view, line, &RULES.programs[number]));
            }
            Lead::Piped(class, is_user) => {
                budget.spend(program::ECHO_LIMIT)?;
                found.extend(program::piped(view, start..end, class, is_user));
            }
            Lead::Dsn => found.extend(url::dsn(view, start)),
            Lead::KeyEnd if start > covered => found.extend(block::before_end(view, start)),
            Lead::Url => found.extend(url::find(view, start)),
            Lead::Block if start >= covered => found.extend(block::find(view, start)),
            Lead::Header => found.extend(header::find(view, start..end, &mut cookies)),
            Lead::Kind if block::is_secret(view, start) => {
                budget.spend(block::MANIFEST_LIMIT)?;
                found.extend(block::manifest(view, start));
            }
            Lead::Name | Lead::Program(_) | Lead::Block | Lead::KeyEnd | Lead::Kind => {}
        }
        for new in &found[before..] {
            budget.spend(new.range.len())?;
            covered = covered.max(new.range.end);
        }
    }
    found.extend(card::find(view));
    found.extend(table::find(view));
    found.extend(optional.find(view, budget)?);
    Ok(settled(found))
}

fn token(view: &View, number: usize, at: usize) -> Option<Found> {
    let (class, pattern) = &RULES.tokens[number];
    let (range, is_part) = match pattern.find(view, at)? {
        Hit::Whole(range) => (range, false),
        Hit::Part(range) => (range, true),
    };
    let text = String::from_utf8_lossy(&view.bytes[range.clone()]);
    (is_part || !value::is_dummy(&text)).then(|| Found::new(range, class, Rank::Token, is_part))
}
