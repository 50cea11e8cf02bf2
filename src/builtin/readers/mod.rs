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
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

/// Cleaned output and what is known about where it came from.
pub(crate) struct Source<'a> {
    lines: Vec<&'a str>,
    command: Option<&'a str>,
    cwd: Option<&'a str>,
    /// What the reported command does.
    doing: Doing,
    /// Prompts in the text: the line, the command behind it, and what it does.
    prompts: Vec<(usize, &'a str, Doing)>,
}

/// What a command does with text, told once for all the lines that it printed.
#[derive(Clone, Copy)]
struct Doing {
    only_views: bool,
    shows_a_log: bool,
}

impl Doing {
    fn of(command: &str) -> Self {
        Self { only_views: command::only_views(command), shows_a_log: command::shows_a_log(command) }
    }
}

/// A prompt with a command: `root@web:~# df -h`, `[ada@web ~]$ ls`, `$ ls`, `r1# show ip bgp`.
static PROMPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:\(\S+\) ?)?(?:\[?[\w.-]+@[\w.-]+[^$#%>❯\n]{0,120}[$#%>❯]|[$#%❯]|[A-Za-z][\w.-]*(?:\([\w-]+\))?[#>])",
        r" ?(?P<command>[\w./~(\[{:!].*)$"
    ))
    .ok()
});

impl<'a> Source<'a> {
    /// `text` has no escape sequences any more; `command` is what printed it, if the session says so.
    pub(crate) fn new(text: &'a str, command: Option<&'a str>, cwd: Option<&'a str>) -> Self {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let prompts = if command.is_some() { Vec::new() } else { prompts(&lines) };
        Self { lines, command, cwd, doing: Doing::of(command.unwrap_or_default()), prompts }
    }

    /// What printed the whole text, where the session says so.
    pub(crate) fn command(&self) -> Option<&'a str> {
        self.command
    }

    /// The command that printed a line: the reported one, or that of the last prompt above.
    pub(crate) fn command_of(&self, line: usize) -> Option<&'a str> {
        self.told(line).map(|(command, _)| command)
    }

    fn told(&self, line: usize) -> Option<(&'a str, Doing)> {
        let prompted = || {
            let above = self.prompts.partition_point(|(n, ..)| *n <= line);
            let (_, command, doing) = self.prompts.get(above.checked_sub(1)?)?;
            Some((*command, *doing))
        };
        self.command.map(|command| (command, self.doing)).or_else(prompted)
    }

    /// Whether a line can be what a tool said: what a viewer shows is no state of this machine, and what it shows of
    /// a log only where logs are meant.
    pub(crate) fn may_read(&self, line: usize, is_log: bool, tools: &[String]) -> bool {
        let Some((command, doing)) = self.told(line) else { return true };
        let is_of_tool =
            || tools.is_empty() || tools.iter().any(|t| command::arguments(command, t).is_some());
        match doing.only_views {
            true => {
                let is_own = || self.lines.get(line).is_some_and(|l| command::is_own_message(command, l));
                is_log && doing.shows_a_log || is_own() || !tools.is_empty() && is_of_tool()
            }
            false => is_of_tool(),
        }
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

fn prompts<'a>(lines: &[&'a str]) -> Vec<(usize, &'a str, Doing)> {
    let signs = ['$', '#', '%', '>', '❯'];
    let command = |line: &'a str| {
        // Most lines have no sign of a prompt near their beginning.
        let start = line.get(..line.len().min(120)).unwrap_or(line);
        let found = start.contains(signs).then(|| PROMPT.as_ref()?.captures(line)).flatten()?;
        Some(found.name("command")?.as_str())
    };
    lines.iter().enumerate().filter_map(|(n, line)| command(line).map(|c| (n, c, Doing::of(c)))).collect()
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
