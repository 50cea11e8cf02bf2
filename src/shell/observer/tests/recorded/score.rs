//! What was told of a recording beside what is true: right, unknown or wrong, fact by fact.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::{CommandRecord, Facts, Recording};

const FACTS: [&str; 7] = ["prompt", "command", "output", "status", "cwd", "user", "host"];

#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    unknown: usize,
    wrong: usize,
}

#[derive(Default)]
pub(super) struct Score {
    counts: BTreeMap<&'static str, Count>,
    wrong: Vec<String>,
    /// Commands of which nothing, or not their text, was told.
    unknown: Vec<String>,
}

impl Score {
    fn mark(&mut self, fact: &'static str, verdict: Option<bool>, what: impl FnOnce() -> String) {
        let count = self.counts.entry(fact).or_default();
        match verdict {
            Some(true) => count.right += 1,
            None => count.unknown += 1,
            Some(false) => {
                count.wrong += 1;
                self.wrong.push(format!("{fact}: {}", what()));
            }
        }
    }

    fn missed(&mut self, truth: &Value) {
        self.mark("prompt", None, String::new);
        self.not_told(truth);
    }

    fn not_told(&mut self, truth: &Value) {
        self.mark("command", None, String::new);
        let text = truth["command"].as_str().unwrap_or("?").replace('\n', "⏎");
        self.unknown.push(text.chars().take(24).collect());
    }
}

/// Without SGR and blanks at the ends of lines.
fn plain(text: &str) -> String {
    let parts = text.split("\x1b[").enumerate();
    let text: String = parts.map(|(i, p)| if i == 0 { p } else { p.split_once('m').unwrap().1 }).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Compares in order. A command whose text was not told is known by its output, once it has ended; without any, only where
/// it is the next.
pub(super) fn score(recording: &Recording, told: &[(CommandRecord, Facts)]) -> Score {
    let mut score = Score::default();
    let (mut next, mut found) = (0, Vec::new());
    for (record, facts) in told {
        let rest = recording.expect.get(next..).unwrap_or_default();
        let same = |(ahead, truth): (usize, &Value)| match &record.command {
            Some(command) => truth["command"].as_str() == Some(command),
            // What was printed so far tells nothing.
            None if !record.finished || ahead > 0 && record.output.is_empty() => false,
            None => truth["output"].as_str().is_some_and(|o| plain(o) == plain(&record.output)),
        };
        let Some(skipped) = rest.iter().enumerate().position(same) else {
            let verdict = record.command.is_some().then_some(false);
            score.mark("command", verdict, || format!("{:?}", record.command));
            continue;
        };
        rest[..skipped].iter().for_each(|truth| score.missed(truth));
        compare(&mut score, &rest[skipped], record);
        found.push((next + skipped, facts));
        next += skipped + 1;
    }
    recording.expect[next..].iter().for_each(|truth| score.missed(truth));
    let ends = found.iter().skip(1).map(|(at, _)| *at).chain([recording.expect.len()]);
    for ((at, facts), end) in found.iter().zip(ends) {
        compare_places(&mut score, &recording.expect[*at..end], facts);
    }
    score
}

fn compare(score: &mut Score, truth: &Value, record: &CommandRecord) {
    score.mark("prompt", Some(true), String::new);
    match &record.command {
        Some(_) => score.mark("command", Some(true), String::new),
        None => score.not_told(truth),
    }
    // It opened another shell and runs on; if it is said to have ended, nothing may be said of its end.
    if truth["opens"] == true {
        return score.mark("status", record.exit.map(|_| false), || format!("{record:?}"));
    }
    let command = record.command.as_deref().or(truth["command"].as_str()).unwrap_or("?");
    if let Some(output) = truth["output"].as_str() {
        let right = plain(output) == plain(&record.output);
        score.mark("output", Some(right), || format!("{command}: {:?} not {output:?}", record.output));
    }
    let right = |exit: i32| truth["exit"].as_i64() == Some(exit.into());
    score.mark("status", record.exit.map(|e| right(e.code)), || {
        format!("{command}: {:?} not {}", record.exit, truth["exit"])
    });
}

/// Who and where, at the prompt after a command, or after the last of those behind it of which nothing was told: their
/// prompts came and went unseen.
fn compare_places(score: &mut Score, truths: &[Value], facts: &Facts) {
    if truths[0]["opens"] == true {
        return;
    }
    let command = &truths[0]["command"];
    for (name, fact) in [("cwd", &facts.cwd), ("user", &facts.user), ("host", &facts.host)] {
        let is = |truth: &Value, fact: &str| {
            let home = truth["home"].as_str().unwrap();
            let fact = if name == "cwd" { fact.replacen('~', home, 1) } else { fact.to_owned() };
            truth[name] == fact
        };
        let verdict = fact.as_ref().map(|fact| truths.iter().any(|truth| is(truth, fact)));
        score.mark(name, verdict, || format!("after {command}: {fact:?}"));
    }
}

/// Shells and prompts by facts.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<(String, Score)>,
}

impl Table {
    pub(super) fn add(&mut self, recording: &Recording, score: Score) {
        let mark = if recording.theirs { "*" } else { "" };
        self.rows.push((format!("{}{mark}", recording.name), score));
    }

    pub(super) fn wrong(&self) -> Vec<String> {
        let of_row = |(name, score): &(String, Score)| {
            score.wrong.iter().map(|what| format!("{name}: {what}")).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(of_row).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "right/unknown/wrong; * as its makers ship it\n")?;
        write!(f, "{:22}", "")?;
        FACTS.iter().try_for_each(|fact| write!(f, "{fact:>9}"))?;
        writeln!(f, "  commands whose text is unknown")?;
        for (name, score) in &self.rows {
            write!(f, "{name:22}")?;
            for fact in FACTS {
                let count = score.counts.get(fact).copied().unwrap_or_default();
                write!(f, "{:>9}", format!("{}/{}/{}", count.right, count.unknown, count.wrong))?;
            }
            let unknown = score.unknown.join(", ");
            writeln!(f, "{}{unknown}", if unknown.is_empty() { "" } else { "  " })?;
        }
        Ok(())
    }
}
