//! Commands of network devices: their words looked up in `devices.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::verdict::{Class, Classes, Finding};
use super::{Syntax, glob};
use crate::linus::contract::Risk;

/// Filters behind a `|` that only choose what is shown.
const FILTERS: &[&str] = &[
    "include",
    "exclude",
    "begin",
    "section",
    "count",
    "grep",
    "egrep",
    "no-more",
    "match",
    "except",
    "find",
    "last",
    "trim",
    "wc",
    "head",
    "tail",
    "json",
    "xml",
    "sort",
    "uniq",
    "display",
    "hold",
    "resolve",
    "json-pretty",
    "next",
    "nz",
    "cut",
    "diff",
    "sed",
    "compare",
];

/// One word of a pattern: its alternatives.
enum Element {
    Word(Vec<&'static str>),
    Anywhere(Vec<&'static str>),
    End,
}

struct Rule {
    /// Whether it stands against the others.
    settles: bool,
    pattern: Vec<Element>,
    level: Risk,
    classes: Classes,
    reason: &'static str,
}

static TABLE: LazyLock<HashMap<&'static str, Vec<Rule>>> = LazyLock::new(|| {
    let mut table: HashMap<&str, Vec<Rule>> = HashMap::new();
    let mut section = "";
    for line in include_str!("devices.txt").lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name;
        } else if let Some(rule) = rule(line) {
            table.entry(section).or_default().push(rule);
        }
    }
    table
});

fn rule(line: &'static str) -> Option<Rule> {
    if line.starts_with('#') {
        return None;
    }
    let (settles, line) = line.strip_prefix("= ").map_or((false, line), |line| (true, line));
    let (pattern, rest) = line.split_once(" : ")?;
    let (result, reason) = rest.split_once(" : ")?;
    let (level, names) = result.split_once(' ').map_or((None, result), |(level, names)| (Some(level), names));
    let mut classes = Classes::default();
    for name in names.split(',') {
        classes = classes.with(Classes::of(Class::from_name(name)?));
    }
    let level = match level {
        Some("low") => Risk::Low,
        Some("medium") => Risk::Medium,
        Some("high") => Risk::High,
        Some(_) => return None,
        None => classes.usual_level(),
    };
    let element = |word: &'static str| match word.strip_prefix('~') {
        Some(words) => Element::Anywhere(words.split('|').collect()),
        None if word == "." => Element::End,
        None => Element::Word(word.split('|').collect()),
    };
    let pattern = pattern.split_whitespace().map(element).collect();
    Some(Rule { settles, pattern, level: level.max(classes.least_level()), classes, reason })
}

/// What is found in a line, or several.
pub(super) fn findings(command: &str, syntax: Syntax) -> Vec<Finding> {
    let section = match syntax {
        Syntax::Junos => "junos",
        Syntax::Vrp => "vrp",
        Syntax::RouterOs => "routeros",
        Syntax::Frr => "frr",
        Syntax::Ios | Syntax::Posix | Syntax::Fish => "ios",
    };
    let mut found = Vec::new();
    // NX-OS and RouterOS take several commands in a line.
    for line in command.split(['\n', ';']) {
        // RouterOS writes `/ip/address/print` and `/ip address print`.
        let line = if syntax == Syntax::RouterOs { spaced(line) } else { line.to_lowercase() };
        let mut parts = line.split('|');
        let first: Vec<&str> = parts.next().unwrap_or_default().split_whitespace().collect();
        if first.is_empty() || first[0].starts_with(['!', '#']) {
            continue;
        }
        found.extend(command_findings(section, &first, syntax));
        parts.for_each(|filter| found.extend(filter_finding(filter)));
    }
    if found.is_empty() {
        found.push(Finding::new(Class::Unknown, "no command"));
    }
    found
}

fn spaced(line: &str) -> String {
    let line = line.trim().to_lowercase();
    match line.strip_prefix('/') {
        Some(path) => {
            let (menu, rest) = path.split_once(' ').unwrap_or((path, ""));
            format!("/{} {rest}", menu.replace('/', " "))
        }
        None => line,
    }
}

fn command_findings(section: &str, words: &[&str], syntax: Syntax) -> Vec<Finding> {
    let shown: String =
        words.iter().take(3).copied().collect::<Vec<_>>().join(" ").chars().take(40).collect();
    // RouterOS has a language of its own: what is in brackets runs.
    let is_script = syntax == Syntax::RouterOs && words.iter().any(|word| word.contains(['[', '{', '$']));
    let rules = TABLE.get(section).map(Vec::as_slice).unwrap_or_default();
    let mut matching: Vec<&Rule> = rules.iter().filter(|rule| matches(rule, words)).collect();
    if matching.iter().any(|rule| rule.settles) {
        matching.retain(|rule| rule.settles);
    }
    let mut found: Vec<Finding> = matching
        .iter()
        .map(|rule| Finding {
            level: rule.level,
            classes: rule.classes,
            reason: format!("{shown}: {}", rule.reason),
        })
        .collect();
    if is_script {
        found.push(Finding::new(Class::Unknown, format!("{shown}: a script that is not read here")));
    }
    if found.is_empty() {
        found.push(Finding::new(Class::Unknown, format!("{shown}: not known here")));
    }
    found
}

fn matches(rule: &Rule, words: &[&str]) -> bool {
    let mut at = 0;
    rule.pattern.iter().all(|element| match element {
        Element::End => at >= words.len(),
        Element::Anywhere(names) => words
            .iter()
            .any(|word| names.iter().any(|name| glob::matches(name, word.trim_start_matches('/')))),
        Element::Word(names) => {
            let word = words.get(at);
            at += 1;
            word.is_some_and(|word| names.iter().any(|name| is_shortened(word, name)))
        }
    })
}

fn is_shortened(word: &str, name: &str) -> bool {
    name.starts_with(word) || glob::matches(name, word)
}

/// What stands behind a `|`.
fn filter_finding(filter: &str) -> Option<Finding> {
    let word = filter.split_whitespace().next().unwrap_or_default();
    if !word.is_empty() && FILTERS.iter().any(|known| known.starts_with(word)) {
        return None;
    }
    match word {
        "redirect" | "tee" | "append" | "save" | "file" => {
            Some(Finding::new(Class::Change, format!("{word}: writes a file or sends it")))
        }
        _ => Some(Finding::new(Class::Unknown, format!("{}: a filter that is not known", filter.trim()))),
    }
}
