//! Placeholders in commands: where they stand, what they would be given to, and the command with the secrets in it.
//!
//! Says what would be done and does it on a text; whether it may be done is decided by the cards (`copilot`), and the
//! text goes into the session and nowhere else.

use std::ops::Range;

use super::known::Secret;
use super::{Class, Redactor, placeholder};
use crate::text::quote;

/// A placeholder in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// `‹password-1›`.
    pub placeholder: String,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// The program that gets it: the first word of its part of the command.
    pub sink: String,
    quote: Quote,
}

/// What is around a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
    /// A substitution, a here-document: what is quoted there is not told.
    Nested,
}

/// How the remote's shell reads quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    Posix,
    Fish,
    /// Nothing is quoted there: only a value without blanks and signs is put in.
    None,
}

/// What putting the secrets of a command in would take.
pub struct Restoring<'r> {
    /// The placeholders in the order in which they stand.
    pub places: Vec<Place>,
    /// Why it cannot be done.
    pub refused: Option<String>,
    secrets: Vec<&'r Secret>,
    command: &'r str,
}

/// A command with its secrets: for the session, and for nothing else.
#[derive(Clone, PartialEq, Eq)]
pub struct Filled {
    pub command: String,
    /// What was put in, to be learned.
    pub secrets: Vec<(String, Class)>,
}

/// Not in any message or log.
impl std::fmt::Debug for Filled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Filled")
    }
}

/// All placeholders in a command that can stand for something.
pub fn places(command: &str) -> Vec<Place> {
    let ranges = placeholder::find(command.as_bytes()).into_iter();
    let all = ranges.filter(|range| placeholder::class(&command[range.clone()]).is_some());
    let (quotes, parts) = read(command);
    let place = |range: Range<usize>| {
        let part = parts.iter().find(|part| part.contains(&range.start)).cloned().unwrap_or(0..0);
        let quote =
            quotes.iter().rev().find(|(at, _)| *at <= range.start).map_or(Quote::None, |(_, quote)| *quote);
        Place { placeholder: command[range.clone()].to_owned(), sink: sink(&command[part]), range, quote }
    };
    all.map(place).collect()
}

/// The programs that a command runs, as far as its text says: the first words of its parts, and of what `sudo` and the
/// like are given.
pub fn programs(command: &str) -> Vec<String> {
    read(command).1.into_iter().map(|part| sink(&command[part])).collect()
}

impl Redactor {
    /// What the placeholders in a command stand for, if it may be put in at this `user@host`.
    pub fn restore<'r>(&'r self, command: &'r str, target: &str) -> Restoring<'r> {
        let places = places(command);
        let mut refused = None;
        let mut secrets = Vec::new();
        for place in &places {
            match self.known.get(&place.placeholder) {
                None => refused = Some(format!("{} stands for nothing in this session", place.placeholder)),
                Some(secret) if target.is_empty() || !secret.places().iter().any(|p| p == target) => {
                    let seen = secret.places().join(", ");
                    let seen = if seen.is_empty() { "no known host".to_owned() } else { seen };
                    refused =
                        Some(format!("{} was seen on {seen}, and this is another place", place.placeholder));
                }
                Some(secret) => secrets.push(secret),
            }
            if place.quote == Quote::Nested {
                refused = Some(format!("{} stands within a substitution", place.placeholder));
            }
        }
        Restoring { places, refused, secrets, command }
    }
}

impl Redactor {
    /// A text for the user's own eyes: with the secrets that its placeholders stand for.
    pub fn reveal(&self, text: &str) -> String {
        let mut revealed = String::with_capacity(text.len());
        let mut done = 0;
        for range in placeholder::find(text.as_bytes()) {
            let value = self
                .known
                .get(&text[range.clone()])
                .and_then(|secret| std::str::from_utf8(secret.value()).ok());
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                revealed.push_str(&text[done..range.start]);
                revealed.push_str(value);
                done = range.end;
            }
        }
        revealed.push_str(&text[done..]);
        revealed
    }
}

impl Restoring<'_> {
    /// The command with its secrets, each one word of it; or why not.
    pub fn fill(&self, quoting: Quoting) -> Result<Filled, String> {
        if let Some(why) = &self.refused {
            return Err(why.clone());
        }
        let mut filled = Filled { command: String::new(), secrets: Vec::new() };
        let mut done = 0;
        for (place, secret) in self.places.iter().zip(&self.secrets) {
            let value = std::str::from_utf8(secret.value()).ok().filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| format!("{} is too long to be put in", place.placeholder))?;
            let word = quoted(value, quoting)
                .ok_or_else(|| format!("{} holds signs that cannot be quoted here", place.placeholder))?;
            filled.command.push_str(&self.command[done..place.range.start]);
            // Next to each other, quoted pieces are one word.
            match place.quote {
                Quote::Single => filled.command.extend(["'", &word, "'"]),
                Quote::Double => filled.command.extend(["\"", &word, "\""]),
                Quote::None | Quote::Nested => filled.command.push_str(&word),
            }
            filled.secrets.push((value.to_owned(), secret.class));
            done = place.range.end;
        }
        filled.command.push_str(&self.command[done..]);
        Ok(filled)
    }
}

/// The value as one word.
fn quoted(value: &str, quoting: Quoting) -> Option<String> {
    match quoting {
        Quoting::Posix => Some(quote::posix(value)),
        Quoting::Fish => Some(quote::fish(value)),
        Quoting::None => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./+=:@%^*#~,".contains(c);
            value.chars().all(is_plain).then(|| value.to_owned())
        }
    }
}

/// Where which quotes begin, and the parts of a command: between pipes, semicolons and brackets.
fn read(command: &str) -> (Vec<(usize, Quote)>, Vec<Range<usize>>) {
    let (mut quote, mut start, mut escaped) = (Quote::None, 0, false);
    let (mut quotes, mut parts) = (Vec::new(), Vec::new());
    for (at, c) in command.char_indices() {
        let before = &command[..at];
        let next = match (quote, c) {
            _ if std::mem::take(&mut escaped) => quote,
            (Quote::None | Quote::Double, '\\') => {
                escaped = true;
                quote
            }
            (Quote::None, '\'') => Quote::Single,
            (Quote::Single, '\'') | (Quote::Double, '"') => Quote::None,
            (Quote::None, '"') => Quote::Double,
            (Quote::None | Quote::Double, '`') => Quote::Nested,
            (Quote::None | Quote::Double, '(') if before.ends_with('$') => Quote::Nested,
            (Quote::None, '<') if before.ends_with('<') => Quote::Nested,
            _ => quote,
        };
        if next != quote {
            quotes.push((at, next));
            quote = next;
        }
        if matches!(quote, Quote::None | Quote::Nested)
            && matches!(c, '|' | ';' | '&' | '\n' | '(' | '{' | '`')
        {
            parts.push(start..at);
            start = at + c.len_utf8();
        }
    }
    parts.push(start..command.len());
    (quotes, parts)
}

/// The program's name, without assignments and `sudo` before it.
fn sink(part: &str) -> String {
    let is_wrapper = |word: &str| {
        ["sudo", "doas", "env", "exec", "command", "time", "nohup"].contains(&word) || word.starts_with('-')
    };
    let is_assignment =
        |word: &str| word.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '-', '‹']));
    let word = part.split_whitespace().find(|word| !is_wrapper(word) && !is_assignment(word));
    let name = word.map_or("the environment", |word| word.rsplit('/').next().unwrap_or(word));
    let plain: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    if plain.is_empty() { "the command line".to_owned() } else { plain }
}
