//! A runbook ready to run: its file's patterns, expressions and templates read, every name checked.

use super::super::facts::{MAX_ROWS, Row, Unit, Value};
use super::super::readers::{Reader, Source};
use super::super::size;
use super::eval::ENGINE_NAMES;
use super::expr::Expr;
use super::file::{CardFile, File, FindingFile, Measure, PatternFile, RemedyFile, StepFile, TroubleFile};
use super::template::Template;
use crate::linus::contract::Risk;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// A table that the runbook reads itself: one row for each line that matches, a field for each named capture.
pub(crate) struct Pattern {
    pub(crate) table: &'static str,
    line: Regex,
    units: BTreeMap<String, Measure>,
    pub(crate) key: Vec<String>,
}

pub(crate) struct Trouble {
    pub(crate) flag: String,
    pub(crate) output: Regex,
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
    pub(crate) title: String,
    pub(crate) can: String,
    pub(crate) example: String,
    pub(crate) summary: Template,
    pub(crate) confidence: Expr,
    questions: Vec<Regex>,
    except: Vec<Regex>,
    pub(crate) screen: Option<Expr>,
    pub(crate) piped: Option<Expr>,
    pub(crate) readers: Vec<Reader>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) facts: Vec<(String, Expr)>,
    pub(crate) troubles: Vec<Trouble>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) steps: Vec<Step>,
    pub(crate) remedies: Vec<Remedy>,
    pub(crate) close: Expr,
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|e| e.to_string())
}

fn optional<T>(text: Option<&str>, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    text.map(parse).transpose()
}

impl Runbook {
    /// Reads and checks a file: every pattern, expression, template and name.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        let runbook = Self {
            summary: Template::parse(&file.intent.summary)?,
            confidence: Expr::parse(&file.intent.confidence)?,
            questions: file.trigger.question.iter().map(|q| regex(q)).collect::<Result<_, _>>()?,
            except: file.trigger.except.iter().map(|q| regex(q)).collect::<Result<_, _>>()?,
            screen: optional(file.trigger.screen.as_deref(), Expr::parse)?,
            piped: optional(file.trigger.piped.as_deref(), Expr::parse)?,
            readers: file.read,
            patterns: file.pattern.into_iter().map(Pattern::compile).collect::<Result<_, _>>()?,
            facts: file
                .fact
                .into_iter()
                .map(|f| Ok((f.name, Expr::parse(&f.value)?)))
                .collect::<Result<_, String>>()?,
            troubles: file.trouble.into_iter().map(Trouble::compile).collect::<Result<_, _>>()?,
            findings: file.finding.iter().map(Finding::compile).collect::<Result<_, _>>()?,
            steps: file.step.into_iter().map(Step::compile).collect::<Result<_, _>>()?,
            remedies: file.remedy.into_iter().map(Remedy::compile).collect::<Result<_, _>>()?,
            close: Expr::parse(&file.close)?,
            name: file.name,
            title: file.title,
            can: file.can,
            example: file.example,
        };
        runbook.check().map_err(|e| format!("{}: {e}", runbook.name))?;
        Ok(runbook)
    }

    /// Whether a question is about this.
    pub(crate) fn is_about(&self, question: &str) -> bool {
        let question = question.to_lowercase();
        self.questions.iter().any(|q| q.is_match(&question))
            && !self.except.iter().any(|q| q.is_match(&question))
    }

    /// Every name must be a fact, a flag or the engine's, every table one that is read.
    fn check(&self) -> Result<(), String> {
        let mut names: BTreeSet<&str> = ENGINE_NAMES.into_iter().collect();
        names.extend(self.facts.iter().map(|(name, _)| name.as_str()));
        names.extend(self.troubles.iter().map(|t| t.flag.as_str()));
        names.extend(self.steps.iter().flat_map(|s| &s.cards).filter_map(|c| c.empty.as_deref()));
        let mut tables: BTreeSet<&str> = self.readers.iter().map(|r| r.table().0).collect();
        tables.extend(self.patterns.iter().map(|p| p.table));
        let mut unknown = BTreeSet::new();
        self.names(&mut |name, is_table| {
            if !if is_table { &tables } else { &names }.contains(name) {
                unknown.insert(name.to_owned());
            }
        });
        for table in self.remedies.iter().filter_map(|r| r.each.as_deref()).filter(|t| !tables.contains(t)) {
            unknown.insert(table.into());
        }
        if !unknown.is_empty() {
            return Err(format!("unknown names: {unknown:?}"));
        }
        if !self.is_about(&self.example) {
            return Err("its example is no question for it".into());
        }
        // Whoever changes something is told the way back, even if there is none.
        match self.remedies.iter().find(|r| r.risk > Risk::Low && r.undo.is_none()) {
            Some(remedy) => Err(format!("remedy {} does not say how to undo it", remedy.id)),
            None => Ok(()),
        }
    }

    fn names(&self, found: &mut dyn FnMut(&str, bool)) {
        self.summary.names(found);
        self.confidence.names(found);
        self.close.names(found);
        self.screen.iter().chain(&self.piped).for_each(|e| e.names(found));
        self.facts.iter().for_each(|(_, e)| e.names(found));
        self.troubles.iter().for_each(|t| t.say.names(found));
        for finding in &self.findings {
            finding.when.names(found);
            finding.text.names(found);
            finding.cite.iter().for_each(|e| e.names(found));
        }
        for step in &self.steps {
            step.text.names(found);
            step.done.names(found);
            step.when.iter().chain(&step.early).for_each(|e| e.names(found));
            for card in &step.cards {
                card.when.iter().for_each(|e| e.names(found));
                card.command.names(found);
                card.text.names(found);
            }
        }
        for remedy in &self.remedies {
            remedy.when.names(found);
            remedy.by.iter().chain(&remedy.gain).for_each(|e| e.names(found));
            remedy.command.names(found);
            remedy.text.names(found);
            remedy.verify.iter().for_each(|t| t.names(found));
        }
    }
}

impl Pattern {
    fn compile(file: PatternFile) -> Result<Self, String> {
        // Tables are named by the runbooks that are loaded once at start: the leak is bounded by their text.
        let table = Box::leak(file.table.into_boxed_str());
        Ok(Self { table, line: regex(&file.line)?, units: file.units, key: file.key })
    }

    pub(crate) fn read(&self, source: &Source<'_>) -> Vec<Row> {
        let captures = source.lines().iter().filter_map(|line| self.line.captures(line).map(|c| (line, c)));
        captures.take(MAX_ROWS).map(|(line, captures)| self.row(line, &captures)).collect()
    }

    fn row(&self, line: &str, captures: &regex::Captures<'_>) -> Row {
        let mut row = Row::new(line);
        for name in self.line.capture_names().flatten() {
            let Some(found) = captures.name(name).map(|m| m.as_str()) else { continue };
            let number = |unit, scale: f64| match size::parse(found) {
                Some(amount) => Value::Number(amount.number * scale, unit),
                None => Value::Null,
            };
            let value = match self.units.get(name) {
                None => Value::text(found),
                Some(Measure::Size) => number(Unit::Bytes, 1.0),
                Some(Measure::Kib) => number(Unit::Bytes, 1024.0),
                Some(Measure::Percent) => number(Unit::Percent, 1.0),
                Some(Measure::Count) => number(Unit::Count, 1.0),
            };
            row = row.with(name.to_owned(), value);
        }
        row
    }
}

impl Trouble {
    fn compile(file: TroubleFile) -> Result<Self, String> {
        Ok(Self { flag: file.flag, output: regex(&file.output)?, say: Template::parse(&file.say)? })
    }
}

impl Finding {
    fn compile(file: &FindingFile) -> Result<Self, String> {
        Ok(Self {
            when: Expr::parse(&file.when)?,
            text: Template::parse(&file.text)?,
            cite: optional(file.cite.as_deref(), Expr::parse)?,
        })
    }
}

impl Step {
    fn compile(file: StepFile) -> Result<Self, String> {
        Ok(Self {
            text: Template::parse(&file.text)?,
            when: optional(file.when.as_deref(), Expr::parse)?,
            done: Expr::parse(&file.done)?,
            early: optional(file.early.as_deref(), Expr::parse)?,
            remedies: file.remedies,
            cards: file.card.into_iter().map(Card::compile).collect::<Result<_, _>>()?,
        })
    }
}

impl Card {
    fn compile(file: CardFile) -> Result<Self, String> {
        Ok(Self {
            when: optional(file.when.as_deref(), Expr::parse)?,
            command: Template::parse(&file.command)?,
            text: Template::parse(&file.text)?,
            risk: file.risk,
            empty: file.empty,
        })
    }
}

impl Remedy {
    fn compile(file: RemedyFile) -> Result<Self, String> {
        Ok(Self {
            id: file.id,
            each: file.each,
            when: Expr::parse(&file.when)?,
            by: optional(file.by.as_deref(), Expr::parse)?,
            limit: file.limit.unwrap_or(1),
            command: Template::parse(&file.command)?,
            text: Template::parse(&file.text)?,
            risk: file.risk,
            gain: optional(file.gain.as_deref(), Expr::parse)?,
            undo: file.undo,
            verify: optional(file.verify.as_deref(), Template::parse)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        name = "t"
        title = "test"
        can = "test"
        example = "x?"
        close = "known(oom)"
        [intent]
        summary = "s"
        confidence = "0.5"
        [trigger]
        question = ["x"]
        [[pattern]]
        table = "kills"
        line = 'Killed process (?P<pid>\d+) \((?P<comm>[^)]+)\).*anon-rss:(?P<rss>\d+)kB'
        units = { pid = "count", rss = "kib" }
        key = ["pid"]
        [[fact]]
        name = "oom"
        value = "top(kills, row.rss > 0, row.rss)"
        [[step]]
        text = "t"
        done = "known(oom)"
    "#;

    #[test]
    fn named_captures_become_fields_with_units() {
        let runbook = Runbook::parse(SMALL).unwrap_or_else(|e| panic!("{e}"));
        let text = "Out of memory: Killed process 42 (mysqld) total-vm:9kB, anon-rss:2048kB, file-rss:0kB";
        let rows = runbook.patterns[0].read(&Source::new(text, None, None));
        assert_eq!(rows[0].get("rss"), Some(&Value::Number(2048.0 * 1024.0, Unit::Bytes)));
        assert_eq!(rows[0].text("comm"), Some("mysqld"));
    }

    #[test]
    fn mistakes_in_a_file_are_named() {
        let error = |from: &str, to: &str| Runbook::parse(&SMALL.replace(from, to)).err().unwrap_or_default();
        assert!(error("known(oom)\"\n        [intent]", "known(ooom)\"\n        [intent]").contains("ooom"));
        assert!(error("top(kills,", "top(skills,").contains("skills"));
        assert!(error("title =", "tilte =").contains("tilte"));
        assert!(error("x?", "y?").contains("example"));
        assert!(error("[^)]+", "[^)+").contains("regex"));
    }
}
