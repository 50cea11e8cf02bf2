//! One runbook at work: what was seen, and what follows from it.
//!
//! A plan only observes and concludes; cards' ids and what the user was already told are the session's.

use super::super::facts::{Facts, Row, Value};
use super::super::question::path_in;
use super::super::{command, plain, systemd};
use super::compiled::Runbook;
use super::eval::{MISSING, Scope};
use super::library::{Library, Reading};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

static NO_SUDO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:\S*sh: )?(?:line \d+: |\d+: )?sudo: (?:command )?not found|is not in the sudoers file",
        r"|^Sorry, user \S+ (?:may not run|is not allowed to execute)|^sudo: a (?:password|terminal) is required"
    ))
    .ok()
});

/// A shell that does not find a tool: `bash: ss: command not found`, `sh: 1: ss: not found`.
static NOT_FOUND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:\S*sh: )?(?:line \d+: |\d+: )?(?:sudo: )?(?P<tool>[\w.+-]+): (?:command )?not found$")
        .ok()
});

/// The flag of a host on which systemd does not run: no card may use it, whatever the runbook says.
pub(super) const NO_SYSTEMD: &str = "no_systemd";
/// What runbooks call it when a process belongs to no unit.
const NO_UNIT: &str = "no_unit";

pub(crate) struct Plan {
    pub(crate) runbook: Arc<Runbook>,
    /// The path in the question.
    pub(crate) asked: Option<String>,
    question: String,
    /// The runbook's words of the question.
    words: Vec<(String, Value)>,
    /// The question came together with the output that it is about, and nothing else will come.
    is_piped: bool,
    pub(super) facts: Facts,
    values: BTreeMap<String, Value>,
    is_root: bool,
    /// Remedies that were run: their ids with the key of their row.
    pub(super) tried: BTreeSet<String>,
    /// Whether one of them changed something.
    has_changed: bool,
    /// Whether something was changed and nobody has looked at the effect since.
    pub(super) is_look_due: bool,
    troubles: Vec<String>,
}

/// Who asks, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker {
    pub(crate) is_root: bool,
    /// Not in a session: the text to look at came with the question.
    pub(crate) is_piped: bool,
}

/// What an observation brought.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Observed {
    pub(crate) rows: usize,
    pub(crate) has_news: bool,
    pub(crate) has_trouble: bool,
}

impl Plan {
    pub(crate) fn new(runbook: &Arc<Runbook>, question: &str, asker: Asker) -> Self {
        let word = |pattern: &super::lazy::Lazy| {
            let found = pattern.captures(question)?;
            Some(Value::text(found.get(1).or(found.get(0))?.as_str()))
        };
        let mut plan = Self {
            runbook: runbook.clone(),
            asked: path_in(question),
            words: runbook.names.iter().map(|(n, p)| (n.clone(), word(p).unwrap_or(Value::Null))).collect(),
            question: question.to_lowercase(),
            facts: Facts::default(),
            values: BTreeMap::new(),
            is_root: asker.is_root,
            is_piped: asker.is_piped,
            tried: BTreeSet::new(),
            has_changed: false,
            is_look_due: false,
            troubles: Vec::new(),
        };
        plan.conclude();
        plan
    }

    /// Reads output. `library` is where the reading was made.
    pub(crate) fn observe(&mut self, library: &Library, reading: &Reading<'_>) -> Observed {
        let mut observed = Observed::default();
        let source = &reading.source;
        let runbook = self.runbook.clone();
        let is_shown_only = source.command().is_some_and(command::only_views);
        for reader in runbook.readers.iter().filter(|_| !is_shown_only) {
            let (table, key) = reader.table();
            let before = observed;
            self.keep(table, Some(key), reader.read(source), &mut observed);
            self.see_effect(reader.shows_effect(), before, observed, source.command().is_some());
        }
        let mut at = library.start_of(&runbook);
        for pattern in &runbook.patterns {
            let key: Option<Vec<&str>> = pattern.key.as_ref().map(|k| k.iter().map(String::as_str).collect());
            let before = observed;
            self.keep(pattern.table, key.as_deref(), pattern.read(source, reading.hits(), at), &mut observed);
            self.see_effect(!pattern.log, before, observed, source.command().is_some());
            at += 1 + usize::from(pattern.head.is_some());
        }
        self.find_troubles(reading, at, &mut observed);
        self.conclude();
        observed
    }

    /// A screen that is read again shows what was before the change.
    fn see_effect(&mut self, can_show: bool, before: Observed, after: Observed, is_reported: bool) {
        let is_fresh = after.rows > before.rows && (is_reported || after.has_news && !before.has_news);
        self.is_look_due &= !(can_show && is_fresh);
    }

    /// `key`: the fields that tell rows apart; by their lines where there are none.
    fn keep(&mut self, table: &'static str, key: Option<&[&str]>, rows: Vec<Row>, observed: &mut Observed) {
        for row in rows {
            let parts = |key: &[&str]| key.iter().map(|k| row.key(k)).collect::<Vec<_>>().join("\n");
            let key = key.map_or_else(|| row.line.clone(), parts);
            observed.rows += 1;
            observed.has_news |= self.facts.put(table, key, row);
        }
    }

    fn find_troubles(&mut self, reading: &Reading<'_>, start: usize, observed: &mut Observed) {
        let runbook = self.runbook.clone();
        let lines = reading.source.lines();
        // Error messages are short; a long line is data.
        let is_said = |n: &usize| lines[*n].len() < 300 && reading.source.may_read(*n, false, &[]);
        for line in reading.remarks().iter().filter(|n| is_said(n)).map(|n| lines[*n]) {
            if !self.has_no_systemd() && systemd::is_missing(line) {
                observed.has_news = true;
                self.say_no_systemd();
            }
            if NO_SUDO.as_ref().is_some_and(|p| p.is_match(line)) && self.facts.set_flag("no_sudo") {
                observed.has_trouble = true;
                self.troubles.push(format!(
                    "sudo does not work here ({}); I go on without it.",
                    plain::printable(line)
                ));
            }
            let tool = NOT_FOUND.as_ref().and_then(|p| p.captures(line));
            observed.has_news |=
                tool.is_some_and(|t| self.facts.set_flag(&format!("{MISSING}{}", &t["tool"])));
        }
        for (i, trouble) in runbook.troubles.iter().enumerate() {
            for line in reading.hits().of(start + i).iter().filter(|n| is_said(n)).map(|n| lines[*n]) {
                if trouble.output.is_match(line) && self.facts.set_flag(&trouble.flag) {
                    observed.has_trouble = true;
                    observed.has_news = true;
                    let said = trouble.say.text(self.scope(None)).unwrap_or_default();
                    self.troubles.push(format!("{said}\n    {}", plain::printable(line)));
                }
            }
        }
    }

    pub(crate) fn has_no_systemd(&self) -> bool {
        self.facts.has_flag(NO_SYSTEMD)
    }

    /// This host has no systemd, as was seen here or in an earlier plan.
    pub(crate) fn say_no_systemd(&mut self) {
        self.facts.set_flag(NO_SYSTEMD);
        self.facts.set_flag(NO_UNIT);
        self.conclude();
    }

    /// Whether a question that `fresh` was made for is about what this plan is about: the same runbook, and no other
    /// path, port or name.
    pub(crate) fn is_about_the_same(&self, fresh: &Self) -> bool {
        let same_word = |(new, old): (&(String, Value), &(String, Value))| new.1 == Value::Null || new == old;
        self.runbook.name == fresh.runbook.name
            && (fresh.asked.is_none() || fresh.asked == self.asked)
            && fresh.words.iter().zip(&self.words).all(same_word)
    }

    /// Takes over what a plan that was made for the screen has read there.
    pub(crate) fn take_screen_of(&mut self, fresh: Self) {
        self.facts.take(fresh.facts);
        self.troubles.extend(fresh.troubles);
        self.conclude();
    }

    /// The effect is measured from what is known now.
    pub(crate) fn begin(&mut self) {
        self.facts.begin();
        self.conclude();
    }

    pub(crate) fn set_flag(&mut self, flag: &str) {
        self.facts.set_flag(flag);
        // What was looked for is not there: that is a look at the effect, too.
        self.is_look_due = false;
        self.conclude();
    }

    pub(crate) fn mark_tried(&mut self, remedy: &str, is_change: bool) {
        self.tried.insert(remedy.into());
        self.has_changed |= is_change;
        self.is_look_due |= is_change;
        self.conclude();
    }

    pub(crate) fn take_troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.troubles)
    }

    /// Whether what was piped in is something that this runbook can read.
    pub(crate) fn shows_in_pipe(&self) -> bool {
        self.runbook.piped.as_ref().is_some_and(|s| s.holds(self.scope(None)))
    }

    pub(crate) fn shows_on_screen(&self) -> bool {
        self.runbook.screen.as_ref().is_some_and(|s| s.holds(self.scope(None)))
    }

    pub(super) fn scope<'a>(&'a self, row: Option<&'a Arc<Row>>) -> Scope<'a> {
        Scope { facts: &self.facts, values: &self.values, row }
    }

    /// Every fact anew, in the file's order.
    fn conclude(&mut self) {
        let sudo = if self.is_root || self.facts.has_flag("no_sudo") { "" } else { "sudo " };
        let asked = self.asked.as_ref().map_or(Value::Null, Value::text);
        self.values = BTreeMap::from([
            ("asked".to_owned(), asked),
            ("question".to_owned(), Value::text(self.question.as_str())),
            ("sudo".to_owned(), Value::text(sudo)),
            ("root".to_owned(), Value::Bool(self.is_root)),
            ("piped".to_owned(), Value::Bool(self.is_piped)),
            ("tried".to_owned(), Value::Bool(self.has_changed)),
        ]);
        self.values.extend(self.words.iter().cloned());
        let runbook = self.runbook.clone();
        for (name, expr) in &runbook.facts {
            let value = expr.eval(self.scope(None));
            self.values.insert(name.clone(), value);
        }
    }
}
