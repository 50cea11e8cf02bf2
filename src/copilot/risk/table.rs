//! The rules as data: reads `rules.txt`.
//!
//! | line | means |
//! |---|---|
//! | `@name word…` | a list, used as `@name` where a word may stand |
//! | `= command…` | rules for these commands follow |
//! | `  takes -x --long` | these options take the next word |
//! | `  stops` | what follows the first operand is another command's |
//! | `  words` | options are words with one dash (`-delete`), not letters in a bunch |
//! | `  abbreviates` | sub-commands may be shortened |
//! | `  looks` | paths among its arguments are named, not read |
//! | `  sends` | what is in its arguments leaves the machine |
//! | `  writes last` | it writes the last operand; `all` of them |
//! | `PATTERN : RESULT : REASON` | the first that matches is what the command does; none: not known |
//! | `+ PATTERN : RESULT : REASON` | holds in addition, whenever it matches |
//! | `< PATH : RESULT : REASON` | reading such a path, by any command or redirect; the first that matches, or the worst if only a part is known |
//! | `> PATH : RESULT : REASON` | writing it |
//! | `$ NAME : RESULT : REASON` | setting such a variable |
//!
//! A pattern is a row of: `word` or `a|b` (the next operand; globs), `-x|--long` (an option), `-x=glob` (with such
//! a value), `~glob` (any word), `..` (more operands), `.` (no more operands), `*` alone (nothing is asked), and `!` before
//! one of these for its contrary. A result is `[level] class[,class]`, or `run METHOD [ARGUMENT]` for what is in it.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::verdict::{Class, Classes, Finding};
use super::{glob, shell};
use crate::linus::contract::Risk;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    Word(Vec<String>),
    /// Names, and the globs that the value has to match if there are any.
    Option(Vec<(String, Option<String>)>),
    Any(Vec<String>),
    More,
    NoMore,
    Not(Box<Element>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Level and classes.
    Is(Risk, Classes),
    /// How to find what is in it, and where.
    Run(String, String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) pattern: Vec<Element>,
    pub(super) effect: Effect,
    pub(super) reason: String,
    pub(super) adds: bool,
}

impl Rule {
    pub(super) fn finding(&self, of: &str) -> Option<Finding> {
        let Effect::Is(level, classes) = self.effect else { return None };
        Some(Finding { level, classes, reason: format!("{of}: {}", self.reason) })
    }

    fn only_shows_secrets(&self) -> bool {
        matches!(self.effect, Effect::Is(_, classes) if classes == Classes::of(Class::Secret) || classes == Classes::of(Class::ReadOnly))
    }

    fn has_words(&self) -> bool {
        self.pattern.iter().any(|e| matches!(e, Element::Word(_)))
    }
}

/// One command's rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) takes: Vec<String>,
    pub(super) stops: bool,
    pub(super) words: bool,
    pub(super) abbreviates: bool,
    pub(super) looks: bool,
    pub(super) sends: bool,
    /// Which operands it writes: all (true) or the last.
    pub(super) writes: Option<bool>,
    pub(super) rules: Vec<Rule>,
}

impl Entry {
    /// Whether an argument that is not known could make it do something else.
    pub(super) fn depends_on_options(&self) -> bool {
        let by_option =
            |r: &Rule| r.pattern.iter().any(|e| matches!(e, Element::Option(_) | Element::Not(_)));
        self.rules.iter().any(|r| (r.adds || by_option(r)) && !r.only_shows_secrets())
    }

    /// Whether its operands say what it does.
    pub(super) fn has_subcommands(&self) -> bool {
        self.rules.iter().any(Rule::has_words)
    }
}

/// A rule about a path or a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PathRule {
    globs: Vec<String>,
    level: Risk,
    classes: Classes,
    reason: String,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    names: HashMap<String, usize>,
    lists: HashMap<String, Vec<String>>,
    reads: Vec<PathRule>,
    writes: Vec<PathRule>,
    variables: Vec<PathRule>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in include_str!("rules.txt").lines() {
        // A line that cannot be read is left out here, and fails a test.
        let _ = table.line(line);
    }
    table
});

/// The rules that are compiled in.
pub(super) fn table() -> &'static Table {
    &TABLE
}

impl Table {
    pub(super) fn entry(&self, command: &str) -> Option<&Entry> {
        let by_name = self.names.get(command);
        // `mkfs.ext4` and `python3.12` have one entry for all that follows the dot.
        let family = || self.names.get(&format!("{}.*", command.split_once('.')?.0));
        self.entries.get(*by_name.or_else(family)?)
    }

    pub(super) fn read(&self, path: &str) -> Option<Finding> {
        find(&self.reads, path)
    }

    pub(super) fn write(&self, path: &str) -> Option<Finding> {
        find(&self.writes, path)
    }

    pub(super) fn variable(&self, name: &str) -> Option<Finding> {
        find(&self.variables, name)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        let fail = || format!("rules.txt: {line}");
        let Some(first) = line.chars().next() else { return Ok(()) };
        let rest = line.get(1..).unwrap_or_default().trim();
        match first {
            '#' => Ok(()),
            '@' if !line.contains(" : ") => {
                let mut words = rest.split_whitespace().map(str::to_owned);
                let name = words.next().ok_or_else(fail)?;
                let words: Vec<String> = words.collect();
                self.lists.entry(name).or_default().extend(words);
                Ok(())
            }
            '=' => {
                for name in rest.split_whitespace() {
                    if self.names.insert(name.to_owned(), self.entries.len()).is_some() {
                        return Err(format!("rules.txt: {name} is there twice"));
                    }
                }
                self.entries.push(Entry::default());
                Ok(())
            }
            '<' | '>' | '$' => {
                let rule = self.path_rule(rest).ok_or_else(fail)?;
                match first {
                    '<' => self.reads.push(rule),
                    '>' => self.writes.push(rule),
                    _ => self.variables.push(rule),
                }
                Ok(())
            }
            _ => self.entry_line(line).ok_or_else(fail),
        }
    }

    fn entry_line(&mut self, line: &str) -> Option<()> {
        if line.contains(" : ") {
            let rule = self.rule(line)?;
            self.entries.last_mut()?.rules.push(rule);
            return Some(());
        }
        let mut words = line.split_whitespace();
        let entry = self.entries.last_mut()?;
        match words.next()? {
            "takes" => entry.takes.extend(words.map(str::to_owned)),
            "stops" => entry.stops = true,
            "words" => entry.words = true,
            "abbreviates" => entry.abbreviates = true,
            "looks" => entry.looks = true,
            "sends" => entry.sends = true,
            "writes" => entry.writes = Some(words.next()? == "all"),
            _ => return None,
        }
        Some(())
    }

    fn rule(&self, line: &str) -> Option<Rule> {
        let (adds, line) = line.strip_prefix("+ ").map_or((false, line), |line| (true, line));
        let (pattern, rest) = line.split_once(" : ")?;
        let (result, reason) = rest.split_once(" : ").unwrap_or((rest, "only reads"));
        let pattern = pattern.split_whitespace().filter(|_| pattern != "*");
        let pattern = pattern.map(|word| self.element(word)).collect::<Option<Vec<_>>>()?;
        Some(Rule { pattern, effect: effect(result)?, reason: reason.to_owned(), adds })
    }

    fn element(&self, word: &str) -> Option<Element> {
        let alternatives = |text: &str| -> Option<Vec<String>> {
            let mut all = Vec::new();
            for word in text.split('|') {
                match word.split_once('@').filter(|(before, _)| !before.contains('/')) {
                    Some((before, list)) if self.lists.contains_key(list) => {
                        all.extend(self.lists.get(list)?.iter().map(|w| format!("{before}{w}")));
                    }
                    Some(("", _)) => return None,
                    _ => all.push(word.to_owned()),
                }
            }
            Some(all)
        };
        Some(match word.split_at_checked(1)? {
            ("!", rest) => Element::Not(Box::new(self.element(rest)?)),
            ("~", rest) => Element::Any(alternatives(rest)?),
            ("-", _) => {
                let named = |option: &str| match option.split_once('=') {
                    Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                    None => (option.to_owned(), None),
                };
                Element::Option(word.split('|').map(named).collect())
            }
            _ if word == ".." => Element::More,
            _ if word == "." => Element::NoMore,
            _ => Element::Word(alternatives(word)?),
        })
    }

    fn path_rule(&self, line: &str) -> Option<PathRule> {
        let rule = self.rule(&format!("~{line}"))?;
        let Effect::Is(level, classes) = rule.effect else { return None };
        let [Element::Any(globs)] = rule.pattern.as_slice() else { return None };
        Some(PathRule { globs: globs.clone(), level, classes, reason: rule.reason })
    }
}

fn effect(result: &str) -> Option<Effect> {
    if let Some(run) = result.strip_prefix("run ") {
        let (method, argument) = run.split_once(' ').unwrap_or((run, ""));
        return Some(Effect::Run(method.to_owned(), argument.to_owned()));
    }
    let (level, names) = match result.split_once(' ') {
        Some((level, names)) => (Some(level), names),
        None => (None, result),
    };
    let mut classes = Classes::default();
    for name in names.split(',') {
        classes = classes.with(Classes::of(Class::from_name(name.trim())?));
    }
    let level = match level {
        None => classes.usual_level(),
        Some("low") => Risk::Low,
        Some("medium") => Risk::Medium,
        Some("high") => Risk::High,
        Some(_) => return None,
    };
    Some(Effect::Is(level.max(classes.least_level()), classes))
}

fn find(rules: &[PathRule], path: &str) -> Option<Finding> {
    let mut matching = rules.iter().filter(|rule| rule.globs.iter().any(|glob| glob::may_match(glob, path)));
    // Exceptions come first; they are for paths that are known.
    let rule =
        if shell::is_literal(path) { matching.next() } else { matching.max_by_key(|rule| rule.level) }?;
    let shown: String = path.chars().map(|c| if c.is_control() { '…' } else { c }).take(60).collect();
    Some(Finding { level: rule.level, classes: rule.classes, reason: format!("{shown}: {}", rule.reason) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_rules_can_be_read() {
        let mut table = Table::default();
        let faults: Vec<String> =
            include_str!("rules.txt").lines().filter_map(|line| table.line(line).err()).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let rules: usize = table.entries.iter().map(|e| e.rules.len()).sum();
        let paths = table.reads.len() + table.writes.len() + table.variables.len();
        println!("{} commands, {rules} rules, {paths} rules about paths and variables", table.names.len());
        assert!(table.names.len() > 300 && rules > 500);
    }

    #[test]
    fn every_rule_has_a_reason_and_no_harmful_one_is_low() {
        for (name, at) in &table().names {
            for rule in &table().entries[*at].rules {
                assert!(!rule.reason.trim().is_empty(), "{name}");
                if let Effect::Is(level, classes) = rule.effect {
                    let harmless = classes.iter().all(|c| matches!(c, Class::ReadOnly | Class::Privilege));
                    assert!(harmless || level > Risk::Low, "{name}: {}", rule.reason);
                }
            }
        }
    }

    #[test]
    fn methods_are_ones_that_the_walker_knows() {
        for entry in &table().entries {
            for rule in &entry.rules {
                if let Effect::Run(method, _) = &rule.effect {
                    assert!(super::super::METHODS.contains(&method.as_str()), "{method}");
                }
            }
        }
    }
}
