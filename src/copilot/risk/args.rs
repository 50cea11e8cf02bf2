//! A command's words as options and operands, and whether a rule's pattern matches them.

use super::glob;
use super::shell::Word;
use super::table::{Element, Entry, Rule};

#[derive(Debug, Default)]
pub(super) struct Args<'a> {
    /// As written, up to the `=`, letters one by one; with the value if it has one.
    pub(super) options: Vec<(String, Option<String>)>,
    pub(super) operands: Vec<&'a Word>,
    /// Everything after the command's name.
    pub(super) all: &'a [Word],
    /// Where the first operand stands in `all`.
    pub(super) first_operand: usize,
    /// A word may turn out to be an option.
    pub(super) opaque: bool,
    abbreviates: bool,
}

impl<'a> Args<'a> {
    pub(super) fn new(all: &'a [Word], entry: &Entry) -> Self {
        let mut args =
            Self { all, first_operand: all.len(), abbreviates: entry.abbreviates, ..Self::default() };
        let mut at = 0;
        while let Some(word) = all.get(at) {
            at += 1;
            if word.text == "--" {
                args.operand_from(at);
                break;
            }
            args.opaque |= word.may_be_an_option();
            if !word.text.starts_with('-') || word.text == "-" {
                args.first_operand = args.first_operand.min(at - 1);
                args.operands.push(word);
                if entry.stops {
                    args.operand_from(at);
                    break;
                }
            } else if args.option(&word.text, entry, all.get(at)) {
                at += 1;
            }
        }
        args
    }

    fn operand_from(&mut self, at: usize) {
        self.first_operand = self.first_operand.min(at);
        self.operands.extend(self.all.iter().skip(at));
    }

    /// Takes one option word apart; true if the next word is its value.
    fn option(&mut self, text: &str, entry: &Entry, next: Option<&Word>) -> bool {
        let next = || next.map(|w| w.text.clone());
        if text.starts_with("--") || entry.words {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            let takes = value.is_none() && entry.takes.iter().any(|t| t == name);
            self.options.push((name.to_owned(), if takes { next() } else { value }));
            return takes;
        }
        for (at, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            if entry.takes.contains(&name) {
                let rest = &text[at + letter.len_utf8()..];
                let value = if rest.is_empty() { next() } else { Some(rest.to_owned()) };
                self.options.push((name, value));
                return rest.is_empty();
            }
            self.options.push((name, None));
        }
        // Programs with single-dash words (`-rf` is two letters, `-name` is one word): both are on record.
        if text.chars().count() > 2 {
            self.options.push((text.to_owned(), None));
        }
        false
    }

    pub(super) fn matches(&self, rule: &Rule) -> bool {
        let mut at = 0;
        rule.pattern.iter().all(|element| self.element(element, &mut at))
    }

    fn element(&self, element: &Element, at: &mut usize) -> bool {
        match element {
            Element::Word(words) => {
                let Some(operand) = self.operands.get(*at) else { return false };
                *at += 1;
                words.iter().any(|word| self.is_word(word, &operand.text))
            }
            Element::Option(options) => {
                options.iter().any(|(name, value)| self.has(name, value.as_deref(), true))
            }
            Element::Any(globs) => {
                self.all.iter().any(|word| globs.iter().any(|glob| glob::may_match(glob, &word.text)))
            }
            Element::More => self.operands.len() > *at,
            Element::NoMore => self.operands.len() <= *at,
            // What makes a command harmless has to be there in full.
            Element::Not(inner) => match inner.as_ref() {
                Element::Option(options) => {
                    !options.iter().any(|(name, value)| self.has(name, value.as_deref(), false))
                }
                other => !self.element(other, &mut at.clone()),
            },
        }
    }

    /// Whether an operand is this sub-command. Shortened ones count where the command takes them, a glob never.
    fn is_word(&self, word: &str, operand: &str) -> bool {
        let shortened = self.abbreviates && !operand.is_empty() && word.starts_with(operand);
        shortened || glob::matches(word, operand)
    }

    fn has(&self, name: &str, value: Option<&str>, shortened: bool) -> bool {
        // GNU's getopt takes any unique beginning of a long option.
        let same = |given: &str| {
            given == name
                || shortened && given.len() > 2 && given.starts_with("--") && name.starts_with(given)
        };
        self.options.iter().any(|(given, has)| {
            same(given)
                && match (value, has) {
                    (None, _) => true,
                    (Some(glob), Some(has)) => glob::may_match(&glob.to_lowercase(), &has.to_lowercase()),
                    (Some(_), None) => false,
                }
        })
    }

    /// The values of an option.
    pub(super) fn values<'s>(&'s self, names: &'s str) -> impl Iterator<Item = &'s str> {
        let is_one = move |given: &str| names.split('|').any(|name| name == given);
        self.options.iter().filter(move |(given, _)| is_one(given)).filter_map(|(_, value)| value.as_deref())
    }
}
