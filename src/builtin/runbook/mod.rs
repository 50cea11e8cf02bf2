//! Runbooks: what the built-in Linus knows, as data, and the engine that runs it.
//!
//! A runbook is a TOML file. Its parts:
//!
//! | part | says |
//! |---|---|
//! | `name`, `title`, `can`, `example` | its id; what it knows ("full disks"); what it does ("find what …"); a question for it |
//! | `[intent] summary, confidence` | the checklist's heading (template) and 0 to 1 (expression) |
//! | `[trigger] question, except, screen, piped` | patterns on the lower-cased question, and which veto; expressions: the screen shows its subject; what was piped in can be read by it |
//! | `read` | the readers (`df`, `du`, `files`, …) whose tables it uses |
//! | `[[pattern]] table, line, units, key` | a table of its own: a row for each matching line, named captures as fields, units `size` `kib` `percent` `count`, key fields that tell rows apart |
//! | `[[fact]] name, value` | named expressions, in order; a later one may use an earlier one |
//! | `[[trouble]] flag, output, say` | a line that means failure: sets a flag, is said once |
//! | `[[finding]] when, text, cite` | a sentence; `cite` is the row whose line it rests on |
//! | `[[step]] text, when, done, early, remedies` | a line of the checklist; `done` is its evidence; `early` is when its cards are offered before its turn; `remedies` marks the step that offers the remedies |
//! | `[[step.card]] when, command, text, risk, empty` | a command; `empty` is the flag that a run without output sets |
//! | `[[remedy]] id, each, when, by, limit, command, text, risk, gain, undo, verify` | a change: one card for each row of the table `each` for which `when` holds, the largest `by` first |
//! | `close` | when the plan is finished |
//!
//! Expressions: [`expr`]. Templates: [`template`]. In a command every text is quoted. Names of the engine:
//! `question` (in lower case), `asked` (the path in it), `sudo`, `root`, `piped` (the question came with the
//! output that it is about, not in a session), `tried` (a remedy that changes something was run), `null`, and `row`.
//!
//! Evidence is the shape of output, wherever it comes from: a card's command, an equivalent that the user typed,
//! or the screen. A step is done when its `done` holds, in whatever order that happens.

pub(crate) mod compiled;
pub(crate) mod eval;
pub(crate) mod expr;
mod file;
pub(crate) mod outcome;
mod parse;
pub(crate) mod plan;
pub(crate) mod template;
mod tree;

use compiled::Runbook;
use std::sync::{Arc, LazyLock};

const FILES: [&str; 1] = [include_str!("../runbooks/disk-full.toml")];

static COMPILED_IN: LazyLock<Vec<Arc<Runbook>>> = LazyLock::new(|| {
    // A file that does not parse is left out; the test below keeps that from happening.
    FILES.iter().filter_map(|text| Runbook::parse(text).ok()).map(Arc::new).collect()
});

/// The runbooks that are part of the program.
pub(crate) fn compiled_in() -> &'static [Arc<Runbook>] {
    &COMPILED_IN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compiled_in_runbook_is_without_mistakes() {
        for text in FILES {
            if let Err(e) = Runbook::parse(text) {
                panic!("{e}");
            }
        }
    }
}
