//! A runbook ready to run. How one is made of its file is in [`super::compile`].

use super::super::facts::{MAX_ROWS, Row, Unit, Value};
use super::super::readers::{Reader, Source};
use super::super::size;
use super::expr::Expr;
pub(crate) use super::file::Area;
use super::file::Measure;
use super::finder::Hits;
use super::lazy::Lazy;
use super::template::{Syntax, Template};
use crate::linus::contract::Risk;
use crate::shell::Dialect;
use std::collections::BTreeMap;

/// A table that the runbook reads itself: one row for each line that matches, a field for each named capture.
pub(crate) struct Pattern {
    pub(crate) table: &'static str,
    pub(super) line: Lazy,
    /// A line above whose captures are the row's as well: the interface above its counters.
    pub(super) head: Option<Lazy>,
    pub(super) units: BTreeMap<String, Measure>,
    /// The fields that tell rows apart: by their whole lines where nothing is said, one row only where it is empty.
    pub(crate) key: Option<Vec<String>>,
    /// It reads what was logged, so also what `journalctl`, `dmesg` and viewers of /var/log show.
    pub(crate) log: bool,
    /// The tools that print it; a line of which another command is known is not read.
    pub(super) tool: Vec<String>,
    /// Nor is one of which no command is known: its form alone says nothing.
    pub(super) strict: bool,
}

pub(crate) struct Trouble {
    pub(crate) flag: String,
    pub(crate) output: Lazy,
    pub(crate) say: Template,
}

pub(crate) struct Finding {
    pub(crate) when: Expr,
    pub(crate) text: Template,
    pub(crate) cite: Option<Expr>,
}

pub(crate) struct Step {
    pub(crate) text: Template,
    pub(crate) when: Option<Expr>,
    pub(crate) done: Expr,
    pub(crate) early: Option<Expr>,
    pub(crate) remedies: bool,
    pub(crate) cards: Vec<Card>,
}

pub(crate) struct Card {
    pub(crate) when: Option<Expr>,
    pub(crate) command: Template,
    pub(crate) text: Template,
    pub(crate) risk: Risk,
    pub(crate) empty: Option<String>,
}

pub(crate) struct Remedy {
    pub(crate) id: String,
    pub(crate) each: Option<String>,
    pub(crate) when: Expr,
    pub(crate) by: Option<Expr>,
    pub(crate) limit: usize,
    pub(crate) command: Template,
    pub(crate) text: Template,
    pub(crate) risk: Risk,
    pub(crate) gain: Option<Expr>,
    pub(crate) undo: Option<String>,
    pub(crate) verify: Option<Template>,
}

/// One runbook, ready to run.
pub(crate) struct Runbook {
    pub(crate) name: String,
    pub(crate) area: Area,
    pub(crate) title: String,
    pub(crate) example: String,
    pub(crate) summary: Template,
    pub(crate) confidence: Option<Expr>,
    pub(super) questions: Vec<Lazy>,
    pub(super) except: Vec<Lazy>,
    /// It gives way to one that is about something more special.
    pub(crate) is_general: bool,
    /// The devices whose CLI its commands are for; for a Unix shell where none is named.
    pub(super) dialects: Vec<String>,
    pub(crate) exits: Vec<i32>,
    /// Words of the question that expressions may use.
    pub(crate) names: Vec<(String, Lazy)>,
    pub(crate) screen: Option<Expr>,
    pub(crate) piped: Option<Expr>,
    pub(crate) readers: Vec<Reader>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) facts: Vec<(String, Expr)>,
    pub(crate) troubles: Vec<Trouble>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) steps: Vec<Step>,
    pub(crate) remedies: Vec<Remedy>,
    /// When it is finished; when all its steps are done where nothing is said.
    pub(crate) close: Option<Expr>,
}

impl Runbook {
    /// Whether a question, in lower case, is about this. `can_match` is what a finder leaves of the patterns.
    pub(super) fn is_about(&self, question: &str, can_match: impl Fn(usize) -> bool) -> bool {
        let mut asked = self.questions.iter().enumerate();
        asked.any(|(i, q)| can_match(i) && q.is_match(question))
            && !self.except.iter().any(|q| q.is_match(question))
    }

    /// The patterns on lines, in the order in which a [`Hits`] counts them.
    pub(super) fn on_lines(&self) -> impl Iterator<Item = &Lazy> {
        let patterns = self.patterns.iter().flat_map(|p| std::iter::once(&p.line).chain(&p.head));
        patterns.chain(self.troubles.iter().map(|t| &t.output))
    }

    /// Whether its commands can be typed where such a CLI reads them.
    pub(crate) fn is_for(&self, dialect: Dialect) -> bool {
        let is_foreign = dialect.is_device() || dialect == Dialect::PowerShell;
        match self.dialects.is_empty() {
            true => !is_foreign,
            false => [dialect, dialect.family()]
                .iter()
                .filter_map(|d| d.name())
                .any(|name| self.dialects.iter().any(|d| d == name)),
        }
    }

    pub(crate) fn syntax(&self) -> Syntax {
        if self.dialects.is_empty() { Syntax::Shell } else { Syntax::Device }
    }
}

impl Pattern {
    /// Rows of the lines that `hits` names for the pattern; `at` is its number there, its head's is the next.
    pub(crate) fn read(&self, source: &Source<'_>, hits: &Hits, at: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut lines: Vec<usize> = hits.of(at).to_vec();
        if self.head.is_some() {
            lines.extend(hits.of(at + 1));
            lines.sort_unstable();
            lines.dedup();
        }
        let mut above: Option<(usize, Vec<(String, Value)>)> = None;
        for n in lines {
            let is_known = || source.command_of(n).is_some();
            if !source.may_read(n, self.log, &self.tool) || self.strict && !is_known() {
                continue;
            }
            let Some(line) = source.lines().get(n) else { continue };
            if let Some(head) = self.head.as_ref().and_then(|head| head.captures(line)) {
                above = Some((n, self.fields(&head)));
            }
            let Some(captures) = self.line.captures(line) else { continue };
            let inherited = match &above {
                Some((head, fields)) if source.command_of(*head) == source.command_of(n) => fields.clone(),
                _ if self.head.is_some() => continue,
                _ => Vec::new(),
            };
            let fields = inherited.into_iter().chain(self.fields(&captures));
            rows.push(fields.fold(Row::new(line), |row, (name, value)| row.with(name, value)));
        }
        // Of a long log the end counts.
        rows.split_off(rows.len().saturating_sub(MAX_ROWS))
    }

    fn fields(&self, captures: &regex::Captures<'_>) -> Vec<(String, Value)> {
        let names = self.line.capture_names().chain(self.head.iter().flat_map(Lazy::capture_names));
        let found = names.filter_map(|name| Some((name, captures.name(name)?.as_str())));
        found.map(|(name, text)| (name.to_owned(), self.value(name, text))).collect()
    }

    fn value(&self, name: &str, text: &str) -> Value {
        let number = |unit, scale: f64| match size::parse(text) {
            Some(amount) => Value::Number(amount.number * scale, unit),
            None => Value::Null,
        };
        match self.units.get(name) {
            None => Value::text(text),
            Some(Measure::Size) => number(Unit::Bytes, 1.0),
            Some(Measure::Kib) => number(Unit::Bytes, 1024.0),
            Some(Measure::Mib) => number(Unit::Bytes, 1048576.0),
            Some(Measure::Percent) => number(Unit::Percent, 1.0),
            Some(Measure::Count) => number(Unit::Count, 1.0),
        }
    }
}
