//! `aissh --incident ID`: a session's timeline as Markdown.

use std::io::{self, Write};

use crate::error::{Error, status};
use crate::record::{Found, find, folder, report};

/// Prints it. Whoever closes our output early has what they wanted.
pub(crate) fn run(id: &str) -> Result<(), Error> {
    let failed = |what: String| Error::new(status::DATA, format!("--incident {id}: {what}"));
    let folder = folder().ok_or_else(|| failed("there is no state folder without a home".into()))?;
    match find(&folder, id).map_err(|e| failed(e.to_string()))? {
        Found::One(logged) => {
            let _ = io::stdout().write_all(report(&logged).as_bytes());
            Ok(())
        }
        Found::Choose(known) if known.is_empty() => {
            Err(failed(format!("no session has left an audit log in {}", folder.display())))
        }
        Found::Choose(known) => Err(failed(format!(
            "no log, or more than one, has that id; the newest are:\n  {}",
            known.join("\n  ")
        ))),
    }
}
