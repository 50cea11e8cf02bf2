//! Readers: what tools print, as rows.
//!
//! A reader goes by the shape of the output, checks it (the columns of `df` must agree with each other, a `du`
//! listing must be a tree), and takes the command line only as a hint. Headers may be in any language. What does
//! not fit is left out: a reader never guesses.

mod counts;
mod deleted;
mod df;
mod docker;
mod du;
mod files;
mod journal;

use super::command;
use super::facts::Row;
use serde::Deserialize;

/// Cleaned output and what is known about where it came from.
pub(crate) struct Source<'a> {
    lines: Vec<&'a str>,
    command: Option<&'a str>,
    cwd: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// `text` has no escape sequences any more; `command` is what printed it, if the session says so.
    pub(crate) fn new(text: &'a str, command: Option<&'a str>, cwd: Option<&'a str>) -> Self {
        Self { lines: text.lines().map(str::trim_end).collect(), command, cwd }
    }

    pub(crate) fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// The command that printed the block starting at `line`: the reported one, else the line above, which is
    /// a prompt with the command in a terminal's tail.
    fn hint(&self, line: usize) -> Option<&'a str> {
        self.command.or_else(|| line.checked_sub(1).and_then(|l| self.lines.get(l).copied()))
    }

    /// Where relative names of the block start: a `cd` on the same line, an absolute operand, or the directory.
    fn directory(&self, hint: Option<&str>) -> Option<String> {
        let cd = hint.and_then(|h| command::arguments(h, "cd")).and_then(|a| a.into_iter().next());
        match cd {
            Some(to) if to.starts_with('/') => Some(to),
            Some(_) => None,
            None => self.cwd.map(Into::into),
        }
    }
}

/// The readers that a runbook can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reader {
    Df,
    Inodes,
    Du,
    Files,
    Journal,
    Deleted,
    Counts,
    DockerDf,
}

impl Reader {
    /// The table's name in expressions, and the fields that tell its rows apart.
    pub(crate) fn table(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Df => ("df", &["mount"]),
            Self::Inodes => ("inodes", &["mount"]),
            Self::Du => ("du", &["path"]),
            Self::Files => ("files", &["path"]),
            Self::Journal => ("journal", &["kind"]),
            Self::Deleted => ("deleted", &["pid", "fd"]),
            Self::Counts => ("counts", &["path"]),
            Self::DockerDf => ("docker_df", &["kind"]),
        }
    }

    /// Whether its table is where the effect of freeing space is seen.
    pub(crate) fn shows_effect(self) -> bool {
        matches!(self, Self::Df | Self::Inodes)
    }

    pub(crate) fn read(self, source: &Source<'_>) -> Vec<Row> {
        match self {
            Self::Df => df::read(source, false),
            Self::Inodes => df::read(source, true),
            Self::Du => du::read(source),
            Self::Files => files::read(source),
            Self::Journal => journal::read(source),
            Self::Deleted => deleted::read(source),
            Self::Counts => counts::read(source),
            Self::DockerDf => docker::read(source),
        }
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::*;
    use crate::builtin::plain;

    /// A recorded output from `tests/fixtures/builtin`.
    pub(crate) fn load(name: &str) -> String {
        let path = format!("{}/tests/fixtures/builtin/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        plain::clean(&std::fs::read_to_string(&path).expect(&path))
    }

    pub(crate) fn rows(reader: Reader, text: &str, command: Option<&str>) -> Vec<Row> {
        reader.read(&Source::new(text, command, None))
    }
}
