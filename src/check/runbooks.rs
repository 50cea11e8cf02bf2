//! The user's own runbooks: whether the built-in Linus can use each.

use std::io;

use super::fact::Fact;
use crate::builtin::check;
use crate::runbooks::files;

const TOPIC: &str = "runbooks";

/// Nothing where there are none.
pub(super) fn facts() -> Vec<Fact> {
    let files = files();
    let wrong: Vec<Fact> = files.iter().flat_map(|(name, text)| mistakes(name, text.as_deref())).collect();
    if !wrong.is_empty() {
        return wrong;
    }
    let good = match files.len() {
        0 => return Vec::new(),
        1 => "1 file of yours, without a mistake".to_owned(),
        n => format!("{n} files of yours, without a mistake"),
    };
    vec![Fact::good(TOPIC, good)]
}

fn mistakes(name: &str, text: Result<&str, &io::Error>) -> Vec<Fact> {
    let wrong = |what: String| Fact::bad(TOPIC, what).remedy("it is left out until then");
    match text.map(check) {
        Ok(Ok(_)) => Vec::new(),
        Ok(Err(mistakes)) => {
            mistakes.iter().map(|m| wrong(format!("{name}, line {}: {}", m.line, m.what))).collect()
        }
        Err(e) => vec![wrong(format!("{name} cannot be read: {e}"))],
    }
}
