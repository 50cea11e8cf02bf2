//! A look at a runbook without running it: what is in it, or every mistake with its line.

use super::runbook::compile::Mistake;
use super::runbook::compiled::Runbook;

/// What a runbook has, for a table of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub name: String,
    pub area: String,
    pub title: String,
    /// The tables that its evidence is in.
    pub evidence: Vec<String>,
    pub findings: usize,
    pub remedies: usize,
}

/// Checks a runbook's text: its form, its patterns, expressions and templates, and every name in them.
pub fn check(text: &str) -> Result<Summary, Vec<Mistake>> {
    let runbook = Runbook::parse_strictly(text)?;
    let readers = runbook.readers.iter().map(|r| r.table().0);
    let mut evidence: Vec<String> =
        readers.chain(runbook.patterns.iter().map(|p| p.table)).map(ToOwned::to_owned).collect();
    evidence.sort();
    evidence.dedup();
    Ok(Summary {
        area: runbook.area.name().to_owned(),
        evidence,
        findings: runbook.findings.len(),
        remedies: runbook.remedies.len(),
        name: runbook.name,
        title: runbook.title,
    })
}
