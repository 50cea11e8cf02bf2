//! The runbooks that a Linus knows, and one pass over a text for all of them.

use super::super::readers::Source;
use super::super::systemd;
use super::compile::Mistake;
use super::compiled::Runbook;
use super::finder::{Finder, Hits};
use std::sync::{Arc, LazyLock};

/// Most runbooks: a team's folder may have some hundreds.
const MAX_RUNBOOKS: usize = 1024;
/// A longer question is a paste.
const MAX_QUESTION: usize = 1024;

/// Runbooks in the order in which they are asked.
pub(crate) struct Library {
    runbooks: Vec<Arc<Runbook>>,
    /// Where each one's patterns on lines, and on questions, begin among those of all.
    starts: Vec<(usize, usize)>,
    on_lines: Finder,
    on_questions: Finder,
    /// Files of the user that have mistakes, for the first answer.
    pub(crate) left_out: Option<String>,
}

/// A text, and which patterns can match where in it.
pub(crate) struct Reading<'a> {
    pub(crate) source: Source<'a>,
    hits: Hits,
    /// Lines that may say something of the host itself, found once for all runbooks.
    remarks: Vec<usize>,
}

static COMPILED_IN: LazyLock<Arc<Library>> = LazyLock::new(|| {
    // A file that does not parse is left out; a test keeps that from happening.
    Arc::new(Library::new(super::super::runbooks::FILES.iter().filter_map(|text| Runbook::parse(text).ok())))
});

impl Library {
    fn new(runbooks: impl Iterator<Item = Runbook>) -> Self {
        let runbooks: Vec<_> = runbooks.take(MAX_RUNBOOKS).map(Arc::new).collect();
        let mut starts = Vec::with_capacity(runbooks.len());
        let mut at = (0, 0);
        for runbook in &runbooks {
            starts.push(at);
            at = (at.0 + runbook.on_lines().count(), at.1 + runbook.questions.len());
        }
        Self {
            on_lines: Finder::new(runbooks.iter().flat_map(|r| r.on_lines())),
            on_questions: Finder::new(runbooks.iter().flat_map(|r| &r.questions)),
            runbooks,
            starts,
            left_out: None,
        }
    }

    /// Those that are part of the program.
    pub(crate) fn compiled_in() -> Arc<Self> {
        COMPILED_IN.clone()
    }

    /// The user's before those of the program; one with the same name takes its place. A bad file costs itself.
    pub(crate) fn with<'a>(
        texts: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> (Self, Vec<(String, Mistake)>) {
        let (mut runbooks, mut mistakes) = (Vec::new(), Vec::new());
        for (file, text) in texts {
            match Runbook::parse_strictly(text) {
                Ok(runbook) => runbooks.push(runbook),
                Err(wrong) => mistakes.extend(wrong.into_iter().map(|m| (file.to_owned(), m))),
            }
        }
        let own = super::super::runbooks::FILES.iter().filter_map(|text| Runbook::parse(text).ok());
        for runbook in own {
            if runbooks.iter().all(|r: &Runbook| r.name != runbook.name) {
                runbooks.push(runbook);
            }
        }
        let left_out = left_out(&mistakes);
        (Self { left_out, ..Self::new(runbooks.into_iter()) }, mistakes)
    }

    pub(crate) fn all(&self) -> &[Arc<Runbook>] {
        &self.runbooks
    }

    /// `clean` has no escape sequences any more; `command` is what printed it, where the session knows.
    pub(crate) fn read<'a>(
        &self,
        clean: &'a str,
        command: Option<&'a str>,
        cwd: Option<&'a str>,
    ) -> Reading<'a> {
        let source = Source::new(clean, command, cwd);
        let hits = self.on_lines.find(clean, source.lines());
        let remarks = (0..source.lines().len()).filter(|n| may_be_of_the_host(source.lines()[*n])).collect();
        Reading { source, hits, remarks }
    }

    /// Those that a question is about.
    pub(crate) fn about(&self, question: &str) -> Vec<bool> {
        let question = crate::text::cut(question, MAX_QUESTION).to_lowercase();
        let hits = self.on_questions.find(&question, &[&question]);
        let is_about = |(runbook, (_, start)): (&Arc<Runbook>, &(usize, usize))| {
            runbook.is_about(&question, |i| !hits.of(start + i).is_empty())
        };
        self.runbooks.iter().zip(&self.starts).map(is_about).collect()
    }

    /// Where a runbook's patterns begin in a reading's hits.
    pub(super) fn start_of(&self, runbook: &Arc<Runbook>) -> usize {
        let at = self.runbooks.iter().position(|r| Arc::ptr_eq(r, runbook));
        at.and_then(|at| self.starts.get(at)).map_or(0, |(lines, _)| *lines)
    }

    /// Whether anything in the text could be a row or a trouble of this runbook's own patterns.
    pub(crate) fn can_read(&self, runbook: &Arc<Runbook>, reading: &Reading<'_>) -> bool {
        let start = self.start_of(runbook);
        (0..runbook.on_lines().count()).any(|i| !reading.hits.of(start + i).is_empty())
    }
}

/// `I left out x.toml (line 3: unknown name …).` The first mistake of a file is the one to mend first.
fn left_out(mistakes: &[(String, Mistake)]) -> Option<String> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for (file, mistake) in mistakes {
        if files.iter().all(|(name, _)| name != file) {
            files.push((file, format!("{file} (line {}: {})", mistake.line, mistake.what)));
        }
    }
    let texts: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
    (!texts.is_empty()).then(|| {
        format!("Of your runbooks I left out {}. `aissh --check` names every mistake.", texts.join(", "))
    })
}

/// Of sudo, of a tool that is not there, or of the first process. Error messages are short; a long line is data.
fn may_be_of_the_host(line: &str) -> bool {
    line.len() < 300 && (systemd::may_be_missing(line) || line.contains("sudo") || line.contains("not found"))
}

impl Reading<'_> {
    pub(crate) fn remarks(&self) -> &[usize] {
        &self.remarks
    }

    pub(crate) fn hits(&self) -> &Hits {
        &self.hits
    }
}
