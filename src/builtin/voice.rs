//! What the built-in Linus says of himself: what he is, what he knows, how to ask. Generated from the runbooks.

use super::question::Talk;
use super::runbook;

/// The answer to what is no question about the machine. It claims nothing.
pub(crate) fn reply(talk: Talk) -> String {
    match talk {
        Talk::Hello => format!("Hello, {}", introduction()),
        Talk::Who => introduction(),
        Talk::Thanks => "You're welcome.".into(),
        Talk::Fine => "Fine.".into(),
    }
}

/// What answers: nobody should take it for more.
pub(crate) const WHO: &str = "the built-in Linus: runbooks, no model";

/// Who answers, what he can do, and how to ask.
fn introduction() -> String {
    let can: Vec<&str> = runbook::compiled_in().iter().map(|r| r.can.as_str()).collect();
    format!("I am {WHO}. I {}. {}", can.join("; "), examples())
}

/// `I only know full disks so far. Try: "/var is full".`
pub(crate) fn knows() -> String {
    let titles: Vec<&str> = runbook::compiled_in().iter().map(|r| r.title.as_str()).collect();
    format!("I only know {} so far. {}", titles.join(", "), examples())
}

/// On a device: what he knows would be taken for its configuration.
pub(crate) fn no_shell(cli: &str) -> String {
    format!("This is {cli}. What I know are commands for a Unix shell: I propose none here.")
}

fn examples() -> String {
    let examples: Vec<String> = runbook::compiled_in().iter().map(|r| format!("\"{}\"", r.example)).collect();
    format!("Try: {}.", examples.join(" or "))
}
