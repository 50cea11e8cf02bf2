//! `aissh --risk`: commands on stdin, one a line, and what is thought of each.

use std::io::{self, BufRead, Write};

use crate::copilot::risk::{Assessment, Syntax, assess};
use crate::error::{Error, status};
use crate::linus::contract::Risk;

/// Reads to the end. Whoever closes our output early has what they wanted.
pub(crate) fn run() -> Result<(), Error> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        let line = line.map_err(|e| Error::new(status::DATA, format!("standard input: {e}")))?;
        let command = String::from_utf8_lossy(&line);
        if writeln!(output, "{}", row(&assess(&command, Syntax::Posix))).is_err() {
            break;
        }
    }
    Ok(())
}

/// `LEVEL<TAB>classes<TAB>reason`.
fn row(assessment: &Assessment) -> String {
    format!("{}\t{}\t{}", name(assessment.level), assessment.classes, assessment.reason())
}

fn name(level: Risk) -> &'static str {
    match level {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}
