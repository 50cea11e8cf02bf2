//! From a runbook's file to a runbook: every pattern, expression, template and name is checked, and every mistake
//! is told with its line.

use super::super::facts::Value;
use super::compiled::{Card, Finding, Pattern, Remedy, Runbook, Step, Trouble};
use super::eval::ENGINE_NAMES;
use super::expr::Expr;
use super::file::{CardFile, File, PatternFile, RemedyFile, StepFile, Text, TroubleFile};
use super::lazy::Lazy;
use super::template::Template;
use crate::linus::contract::Risk;
use std::collections::BTreeSet;

/// A file that is larger is no runbook; the largest that ships has 32 KiB.
const MAX_FILE: usize = 256 * 1024;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// From 1.
    pub line: usize,
    pub what: String,
}

impl Runbook {
    /// Reads and checks a file. Its patterns are compiled when they are needed.
    pub(crate) fn parse(text: &str) -> Result<Self, Vec<Mistake>> {
        Self::parse_with(text, Compiler::default())
    }

    /// The same, and every pattern is compiled to see that it can be.
    pub(crate) fn parse_strictly(text: &str) -> Result<Self, Vec<Mistake>> {
        Self::parse_with(text, Compiler { is_strict: true, ..Compiler::default() })
    }

    fn parse_with(text: &str, mut compiler: Compiler) -> Result<Self, Vec<Mistake>> {
        let line_at = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        if text.len() > MAX_FILE {
            let what = format!("the file is larger than {} KiB: split it", MAX_FILE / 1024);
            return Err(vec![Mistake { line: 1, what }]);
        }
        let file: File = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |span| line_at(span.start));
            vec![Mistake { line, what: e.message().to_owned() }]
        })?;
        let runbook = compiler.runbook(file);
        let mistake = |(at, what)| Mistake { line: line_at(at), what };
        let mut mistakes: Vec<Mistake> = compiler.mistakes.into_iter().map(mistake).collect();
        mistakes.sort_by_key(|m| m.line);
        if mistakes.is_empty() { Ok(runbook) } else { Err(mistakes) }
    }
}

#[derive(Default)]
struct Compiler {
    is_strict: bool,
    /// Where, and what is wrong there.
    mistakes: Vec<(usize, String)>,
    /// Names that something uses: the name, whether it is a table's, and where.
    used: Vec<(String, bool, usize)>,
    /// Tables that its patterns fill.
    tables: BTreeSet<&'static str>,
}

fn has_capture(line: &Lazy, head: &Option<Lazy>, name: &str) -> bool {
    line.capture_names().chain(head.iter().flat_map(Lazy::capture_names)).any(|n| n == name)
}

impl Compiler {
    fn wrong(&mut self, text: &Text, what: impl Into<String>) {
        self.mistakes.push((text.span().start, what.into()));
    }

    fn expr(&mut self, text: &Text) -> Expr {
        match Expr::parse(text.get_ref()) {
            Ok(expr) => {
                self.look_into(&expr, text);
                expr
            }
            Err(why) => {
                self.wrong(text, why);
                Expr::Literal(Value::Null)
            }
        }
    }

    fn maybe(&mut self, text: Option<&Text>) -> Option<Expr> {
        text.map(|t| self.expr(t))
    }

    fn template(&mut self, text: &Text) -> Template {
        let template = Template::parse(text.get_ref()).unwrap_or_else(|why| {
            self.wrong(text, why);
            Template::default()
        });
        template.holes().for_each(|hole| self.look_into(hole, text));
        template
    }

    fn look_into(&mut self, expr: &Expr, text: &Text) {
        let at = text.span().start;
        expr.names(&mut |name, is_table| self.used.push((name.to_owned(), is_table, at)));
        expr.patterns(&mut |pattern| self.try_out(pattern, at));
    }

    fn try_out(&mut self, pattern: &Lazy, at: usize) {
        if let Some(why) = self.is_strict.then(|| pattern.compile().err()).flatten() {
            self.mistakes.push((at, why));
        }
    }

    fn pattern(&mut self, text: &Text) -> Option<Lazy> {
        let pattern = Lazy::parse(text.get_ref()).map_err(|why| self.wrong(text, why)).ok()?;
        self.try_out(&pattern, text.span().start);
        Some(pattern)
    }

    fn patterns(&mut self, texts: &[Text]) -> Vec<Lazy> {
        texts.iter().filter_map(|t| self.pattern(t)).collect()
    }

    fn runbook(&mut self, file: File) -> Runbook {
        let dialects: Vec<String> = file.trigger.dialect.iter().map(|d| d.get_ref().clone()).collect();
        let names = file.trigger.names.iter().filter_map(|(name, p)| Some((name.clone(), self.pattern(p)?)));
        let names: Vec<(String, Lazy)> = names.collect();
        let runbook = Runbook {
            name: file.name.get_ref().clone(),
            area: file.area,
            title: file.title,
            example: file.example.get_ref().clone(),
            summary: self.template(&file.intent.summary),
            confidence: self.maybe(file.intent.confidence.as_ref()),
            questions: self.patterns(&file.trigger.question),
            except: self.patterns(&file.trigger.except),
            is_general: file.trigger.general,
            dialects,
            exits: file.trigger.exit,
            names,
            screen: self.maybe(file.trigger.screen.as_ref()),
            piped: self.maybe(file.trigger.piped.as_ref()),
            readers: file.read,
            patterns: file.pattern.into_iter().filter_map(|p| self.table(p)).collect(),
            facts: file.fact.iter().map(|f| (f.name.clone(), self.expr(&f.value))).collect(),
            troubles: file.trouble.into_iter().filter_map(|t| self.trouble(t)).collect(),
            findings: file
                .finding
                .iter()
                .map(|f| Finding {
                    when: self.expr(&f.when),
                    text: self.template(&f.text),
                    cite: self.maybe(f.cite.as_ref()),
                })
                .collect(),
            steps: file.step.into_iter().map(|s| self.step(s)).collect(),
            remedies: file.remedy.into_iter().map(|r| self.remedy(r)).collect(),
            close: self.maybe(file.close.as_ref()),
        };
        self.check_names(&runbook);
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if runbook.name.is_empty() || !runbook.name.chars().all(is_name) {
            self.wrong(&file.name, "a name has lower-case letters, digits and `-` only");
        }
        if !runbook.is_about(&runbook.example.to_lowercase(), |_| true) {
            self.wrong(
                &file.example,
                "its example matches none of its trigger.question, or one of its except",
            );
        }
        for dialect in file.trigger.dialect.iter().filter(|d| !crate::shell::is_device_name(d.get_ref())) {
            self.wrong(dialect, format!("no network device is called {:?}", dialect.get_ref()));
        }
        runbook
    }

    /// Every name must be a fact, a flag, a word of the question or the engine's, every table one that is read.
    fn check_names(&mut self, runbook: &Runbook) {
        let mut names: BTreeSet<&str> = ENGINE_NAMES.into_iter().collect();
        names.extend(runbook.facts.iter().map(|(name, _)| name.as_str()));
        names.extend(runbook.names.iter().map(|(name, _)| name.as_str()));
        names.extend(runbook.troubles.iter().map(|t| t.flag.as_str()));
        names.extend(runbook.steps.iter().flat_map(|s| &s.cards).filter_map(|c| c.empty.as_deref()));
        let mut tables: BTreeSet<&str> = runbook.readers.iter().map(|r| r.table().0).collect();
        tables.extend(&self.tables);
        for (name, is_table, at) in std::mem::take(&mut self.used) {
            let (known, what) = if is_table { (&tables, "table") } else { (&names, "name") };
            if !known.contains(name.as_str()) {
                let known: Vec<&str> = known.iter().copied().collect();
                self.mistakes.push((at, format!("unknown {what} `{name}`; known are {}", known.join(", "))));
            }
        }
    }

    fn table(&mut self, file: PatternFile) -> Option<Pattern> {
        // Tables are named by the runbooks that are loaded once at start: the leak is bounded by their text.
        let table: &'static str = Box::leak(file.table.into_boxed_str());
        // A mistake in its pattern makes no table unknown.
        self.tables.insert(table);
        let line = self.pattern(&file.line)?;
        let head = match &file.head {
            Some(head) => Some(self.pattern(head)?),
            None => None,
        };
        let named = file.units.keys().chain(file.key.iter().flatten());
        // Which captures there are is known when a pattern is compiled; the program's own wait for their first use.
        for name in named
            .filter(|_| self.is_strict)
            .filter(|n| !has_capture(&line, &head, n))
            .cloned()
            .collect::<Vec<_>>()
        {
            self.wrong(&file.line, format!("`units` and `key` name captures, and none is called `{name}`"));
        }
        Some(Pattern {
            table,
            line,
            head,
            units: file.units,
            key: file.key,
            log: file.log,
            tool: file.tool,
            strict: file.strict,
        })
    }

    fn trouble(&mut self, file: TroubleFile) -> Option<Trouble> {
        Some(Trouble { flag: file.flag, output: self.pattern(&file.output)?, say: self.template(&file.say) })
    }

    fn step(&mut self, file: StepFile) -> Step {
        Step {
            text: self.template(&file.text),
            when: self.maybe(file.when.as_ref()),
            done: self.expr(&file.done),
            early: self.maybe(file.early.as_ref()),
            remedies: file.remedies,
            cards: file.card.into_iter().map(|c| self.card(c)).collect(),
        }
    }

    fn card(&mut self, file: CardFile) -> Card {
        Card {
            when: self.maybe(file.when.as_ref()),
            command: self.template(&file.command),
            text: self.template(&file.text),
            risk: file.risk,
            empty: file.empty,
        }
    }

    fn remedy(&mut self, file: RemedyFile) -> Remedy {
        // Whoever changes something is told the way back, even if there is none, and how to see the effect.
        if file.risk > Risk::Low && (file.undo.is_none() || file.verify.is_none()) {
            self.wrong(&file.id, "a remedy whose risk is not low says `undo` and `verify`");
        }
        if let Some(table) = &file.each {
            self.used.push((table.get_ref().clone(), true, table.span().start));
        }
        Remedy {
            id: file.id.into_inner(),
            each: file.each.map(toml::Spanned::into_inner),
            when: self.expr(&file.when),
            by: self.maybe(file.by.as_ref()),
            limit: file.limit.unwrap_or(1),
            command: self.template(&file.command),
            text: self.template(&file.text),
            risk: file.risk,
            gain: self.maybe(file.gain.as_ref()),
            undo: file.undo,
            verify: file.verify.as_ref().map(|v| self.template(v)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::Unit;
    use super::super::super::readers::Source;
    use super::super::finder::Finder;
    use super::*;

    const SMALL: &str = r#"name = "t"
        area = "memory"
        title = "test"
        example = "x?"
        close = "known(oom)"
        [intent]
        summary = "s"
        [trigger]
        question = ["x"]
        [[pattern]]
        table = "kills"
        line = 'Killed process (?P<pid>\d+) \((?P<comm>[^)]+)\).*anon-rss:(?P<rss>\d+)kB'
        head = '^(?P<host>\S+) kernel'
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
    fn named_captures_become_fields_with_units_and_a_head_gives_its_own() {
        let runbook = Runbook::parse_strictly(SMALL).unwrap_or_else(|e| panic!("{e:?}"));
        let text = "Killed process 1 (a) anon-rss:1kB\nweb1 kernel:\n\
            Out of memory: Killed process 42 (mysqld) total-vm:9kB, anon-rss:2048kB, file-rss:0kB";
        let source = Source::new(text, None, None);
        let hits = Finder::new(runbook.on_lines()).find(text, source.lines());
        let rows = runbook.patterns[0].read(&source, &hits, 0);
        assert_eq!(rows.len(), 1, "a line without its head is no row");
        assert_eq!(rows[0].get("rss"), Some(&Value::Number(2048.0 * 1024.0, Unit::Bytes)));
        assert_eq!((rows[0].text("comm"), rows[0].text("host")), (Some("mysqld"), Some("web1")));
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        let error = |from: &str, to: &str| match Runbook::parse_strictly(&SMALL.replacen(from, to, 1)) {
            Ok(_) => panic!("{to} is no mistake"),
            Err(mistakes) => (mistakes[0].line, mistakes[0].what.clone()),
        };
        for (from, to, line, word) in [
            ("known(oom)", "known(ooom)", 5, "`ooom`"),
            ("top(kills,", "top(skills,", 18, "`skills`"),
            ("title =", "tilte =", 3, "tilte"),
            ("x?", "y?", 4, "example"),
            ("[^)]+", "[^)+", 12, "unclosed"),
            ("(?P<pid>\\d+)", "(?P<pid>\\w{1000}{1000})", 12, "size"),
            ("\"memory\"", "\"brain\"", 2, "brain"),
        ] {
            let (at, what) = error(from, to);
            assert!(at == line && what.contains(word), "{to}: {at}: {what}");
        }
    }
}
