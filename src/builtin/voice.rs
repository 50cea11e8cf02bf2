//! What the built-in Linus says of himself: what he is, what he knows, how to ask. Generated from the runbooks.

use super::question::Talk;
use super::runbook::compiled::{Area, Runbook};
use super::runbook::library::Library;
use super::runbook::plan::Plan;
use crate::shell::Dialect;
use std::collections::BTreeMap;

/// The answer to what is no question about the machine. It claims nothing.
pub(crate) fn reply(talk: Talk, library: &Library) -> String {
    match talk {
        Talk::Hello => format!("Hello, I am {WHO}. {}", areas(library)),
        Talk::Who => format!("I am {WHO}. I know\n{}\n{TRY}", everything(library)),
        Talk::Thanks => "You're welcome.".into(),
        Talk::Fine => "Fine.".into(),
    }
}

/// What answers: nobody should take it for more.
pub(crate) const WHO: &str = "the built-in Linus: runbooks, no model";

const TRY: &str = "Try: \"/var is full\".";

/// What is known, by area: the answer to "what do you know".
fn everything(library: &Library) -> String {
    let mut by_area: BTreeMap<Area, Vec<&str>> = BTreeMap::new();
    for runbook in library.all() {
        by_area.entry(runbook.area).or_default().push(&runbook.title);
    }
    let line = |(area, titles): (&Area, &Vec<&str>)| format!("- {}: {}", area.name(), titles.join(", "));
    by_area.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn areas(library: &Library) -> String {
    let mut areas: Vec<Area> = library.all().iter().map(|r| r.area).collect();
    areas.sort();
    areas.dedup();
    let names: Vec<&str> = areas.iter().map(|a| a.name()).collect();
    format!(
        "I have {} runbooks, for {}. \"What do you know?\" lists them. {TRY}",
        library.all().len(),
        names.join(", ")
    )
}

/// To a question that no runbook is about.
pub(crate) fn knows(library: &Library) -> String {
    format!("I don't know. {}", areas(library))
}

/// To a question that a runbook is about, where it found nothing and has nothing to propose.
pub(crate) const NOTHING: &str = "I don't know: nothing that I see answers that.";

/// To a question that no runbook is about, where something was piped in that one can read.
pub(crate) const PIPED: &str = "That question I don't know. What was piped in says:";

/// Where only runbooks for other CLIs exist: what he knows would be taken for a device's configuration.
pub(crate) fn not_here(cli: &str, here: Dialect, library: &Library) -> String {
    let titles: Vec<&str> =
        library.all().iter().filter(|r| r.is_for(here)).map(|r| r.title.as_str()).collect();
    let known = match titles.is_empty() {
        true => String::new(),
        false => format!(" Here I know {}.", titles.join(", ")),
    };
    format!("This is {cli}.{known} My other runbooks have commands for a Unix shell: I propose none here.")
}

/// Several runbooks are as likely.
pub(crate) fn which(runbooks: &[&Runbook]) -> String {
    let line = |(i, r): (usize, &&Runbook)| format!("{}. {} (\"{}\")", i + 1, r.title, r.example);
    let lines: Vec<String> = runbooks.iter().enumerate().map(line).collect();
    format!("That can be several things. Which one? Say its number.\n{}", lines.join("\n"))
}

/// What another runbook sees beside the one at hand.
pub(crate) fn also(finding: &str, example: &str) -> String {
    format!("I also see: {finding}\nFor that ask: \"{example}\".")
}

/// One line, unasked: the finding's sentence without the line that it cites.
pub(crate) fn note(finding: &str, example: &str) -> String {
    format!("{} Ask me: \"{example}\".", finding.lines().next().unwrap_or_default())
}

/// The answer to "be quiet".
pub(crate) const QUIET: &str =
    "I say nothing unasked any more in this session. For good: `watch = false` in [linus].";

pub(crate) fn other(plan: &Plan) -> Option<String> {
    Some(also(&plan.outcome().findings.into_iter().next()?, &plan.runbook.example))
}
