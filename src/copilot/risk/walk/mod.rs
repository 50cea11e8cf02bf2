//! From commands to findings: what each simple command does, with everything that is wrapped in it.

mod code;
mod run;

#[cfg(test)]
pub(super) use run::METHODS;

use super::args::Args;
use super::shell::{self, Direction, Fault, Redirect, Script, Simple, Tongue, Word};
use super::table::{Effect, Entry, table};
use super::verdict::{Class, Finding};
use crate::linus::contract::Risk;

/// Words that are looked at. Whatever has more was not written to be read.
const WORK_LIMIT: usize = 20_000;

/// Folders whose programs are the system's own; a program elsewhere is whatever somebody put there.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/snap/bin",
    "/opt/homebrew/bin",
];

/// Words that are compared with the paths in the table; the rest of a longer line counts as not read.
const PATHS_LIMIT: usize = 400;

const INIT_FOLDERS: &[&str] = &["/etc/init.d/", "/etc/rc.d/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/"];

/// Parts of the names of variables that hold a command.
const PROGRAM_NAMES: &[&str] = &["COMMAND", "PAGER", "EDITOR", "VISUAL", "BROWSER"];

/// Where a command stands.
#[derive(Debug, Clone, Copy, Default)]
struct Place<'a> {
    piped: bool,
    /// A file is its input.
    from_file: bool,
    here: Option<&'a Word>,
    /// What an `echo` before the pipe prints.
    echoed: Option<&'a str>,
    within: &'a [String],
    /// More words will be put behind its own.
    more_words: bool,
}

pub(super) struct Walker {
    tongue: Tongue,
    depth: usize,
    work: usize,
    functions: Vec<String>,
    /// A variable holds what a command printed.
    tainted: bool,
    paths: usize,
    pub(super) findings: Vec<Finding>,
}

impl Walker {
    pub(super) fn new(tongue: Tongue) -> Self {
        Self {
            tongue,
            depth: 0,
            work: 0,
            functions: Vec::new(),
            tainted: false,
            paths: 0,
            findings: Vec::new(),
        }
    }

    fn found(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn unknown(&mut self, reason: impl Into<String>) {
        self.found(Finding::new(Class::Unknown, reason));
    }

    fn too_deep(&mut self) {
        self.found(Finding::new(Class::Unknown, "nested too deep to be read").at(Risk::High));
    }

    /// A text that a shell reads.
    pub(super) fn line(&mut self, text: &str) {
        if self.depth >= shell::DEPTH_LIMIT {
            return self.too_deep();
        }
        self.work += text.len() / 4;
        self.depth += 1;
        let (script, fault) = shell::read(text, self.tongue, self.depth);
        match fault {
            Some(Fault::TooDeep) => self.too_deep(),
            Some(Fault::Unfinished) => self.unknown("something is left open: the shell would wait for more"),
            Some(Fault::Unread) => self.unknown("cannot be read as shell"),
            None => {}
        }
        self.script(&script);
        self.depth -= 1;
    }

    fn script(&mut self, script: &Script) {
        if script.odd_comment {
            self.unknown("a comment that zsh at a prompt would run");
        }
        if let Some(odd) = script.odd {
            self.unknown(odd);
        }
        self.functions.extend(script.functions.iter().cloned());
        let mut echoed = None;
        for command in &script.commands {
            self.work += 1 + command.words.len();
            if self.work > WORK_LIMIT {
                self.found(Finding::new(Class::Unknown, "too much in it to be read").at(Risk::High));
                return;
            }
            self.simple(command, echoed.as_deref());
            echoed = echo_of(command);
        }
    }

    fn simple(&mut self, simple: &Simple, echoed: Option<&str>) {
        for (name, value) in &simple.assignments {
            self.assignment(name, value);
        }
        // `> file` and `: > file` are for emptying it.
        let texts: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
        let idle =
            matches!(texts[..], [] | [":" | "true"] | ["cat", "/dev/null"] | ["echo", "-n"] | ["printf", ""]);
        let alone = idle && !simple.compound;
        for redirect in &simple.redirects {
            self.redirect(redirect, alone);
        }
        let place = Place {
            piped: simple.piped,
            from_file: simple
                .redirects
                .iter()
                .any(|r| r.direction == Direction::Read && !is_sink(&r.target.text)),
            echoed: echoed.filter(|_| simple.piped),
            here: shell::here_text(&simple.redirects),
            within: &simple.within,
            more_words: false,
        };
        self.command(&simple.words, place);
    }

    fn assignment(&mut self, name: &str, value: &Word) {
        if let Some(finding) = table().variable(name) {
            self.found(finding);
            if PROGRAM_NAMES.iter().any(|part| name.contains(part)) {
                self.line(&value.text);
            }
        }
        self.tainted |= value.substituted;
        self.reads(&value.text);
    }

    fn redirect(&mut self, redirect: &Redirect, alone: bool) {
        let target = &redirect.target;
        let shown = shown(&target.text);
        match redirect.direction {
            Direction::Duplicate | Direction::Here => {}
            Direction::Read if is_socket(&target.text) => {
                if !target.is_literal() {
                    self.found(Finding::new(
                        Class::Egress,
                        format!("{shown}: what is in the name leaves the machine"),
                    ));
                }
            }
            Direction::Read => self.reads(&target.text),
            Direction::Overwrite if alone && !is_sink(&target.text) => {
                self.found(Finding::new(Class::Destructive, format!("empties {shown}")));
                self.writes(&target.text);
            }
            Direction::Overwrite | Direction::Append if is_sink(&target.text) => {}
            Direction::Overwrite => {
                self.found(Finding::new(Class::Change, format!("overwrites {shown}")));
                self.writes(&target.text);
            }
            Direction::Append => {
                self.found(Finding::new(Class::Change, format!("appends to {shown}")));
                self.writes(&target.text);
            }
        }
    }

    /// A path that is read, also as a part of a word: `if=PATH`, `@PATH`, `host:PATH`.
    fn reads(&mut self, text: &str) {
        self.paths += 1;
        if self.paths == PATHS_LIMIT {
            self.unknown("more words than are read");
        }
        if self.paths >= PATHS_LIMIT {
            return;
        }
        let parts =
            ['=', '@', ':'].into_iter().filter_map(|sign| text.split_once(sign).map(|(_, part)| part));
        let found = std::iter::once(text)
            .chain(parts)
            .filter(|part| says_enough(part))
            .find_map(|part| table().read(part));
        if let Some(finding) = found {
            self.found(finding);
        }
    }

    fn writes(&mut self, text: &str) {
        if let Some(finding) =
            Some(text).filter(|text| says_enough(text)).and_then(|text| table().write(text))
        {
            self.found(finding);
        }
    }

    /// A command with its words, from the name on.
    fn command(&mut self, words: &[Word], place: Place<'_>) {
        let Some((head, rest)) = words.split_first() else { return };
        if self.depth >= shell::DEPTH_LIMIT {
            return self.too_deep();
        }
        self.depth += 1;
        if let Some(service) = INIT_FOLDERS.iter().find_map(|folder| head.text.strip_prefix(folder)) {
            // An init script, which is what `service NAME` runs.
            let words: Vec<Word> =
                std::iter::once(Word::plain(service)).chain(rest.iter().cloned()).collect();
            self.named("service", &words, place);
        } else {
            match self.name_of(head, place) {
                Some(name) => self.named(&name, rest, place),
                None => rest.iter().for_each(|word| self.reads(&word.text)),
            }
        }
        self.depth -= 1;
    }

    /// The command's name, if it is one that could be in the table.
    fn name_of(&mut self, head: &Word, place: Place<'_>) -> Option<String> {
        // `{}` is whatever xargs or find puts there.
        if !head.is_literal() || head.text.contains("{}") {
            let finding = Finding::new(Class::Unknown, "which command runs is only known to the remote");
            self.found(finding.at(Risk::High));
            return None;
        }
        let name = head.text.as_str();
        if place.within.iter().any(|function| function == name) {
            self.found(Finding::new(Class::Destructive, format!("{name} calls itself without end")));
            return None;
        }
        if self.functions.iter().any(|function| function == name) {
            return None;
        }
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        if name.contains('/') && !SYSTEM_FOLDERS.contains(&folder) {
            self.unknown(format!("{}: a program that is not the system's", shown(name)));
            // It may still be what its name says.
            return table().entry(file).map(|_| file.to_owned());
        }
        Some(file.to_owned())
    }

    fn named(&mut self, name: &str, rest: &[Word], place: Place<'_>) {
        let Some(entry) = table().entry(name) else {
            self.unknown(format!("{}: not known here", shown(name)));
            return rest.iter().for_each(|word| self.reads(&word.text));
        };
        let args = Args::new(rest, entry);
        let base = entry.rules.iter().find(|rule| !rule.adds && args.matches(rule));
        let adds = entry.rules.iter().filter(|rule| rule.adds && args.matches(rule));
        if base.is_none() && entry.rules.iter().any(|rule| !rule.adds) {
            let sub = args.operands.first().map(|w| format!(" {}", shown(&w.text))).unwrap_or_default();
            self.unknown(format!("{name}{sub}: not known here"));
        }
        for rule in base.into_iter().chain(adds) {
            match &rule.effect {
                Effect::Is(..) => self.findings.extend(rule.finding(name)),
                Effect::Run(method, argument) => self.run(method, argument, name, &args, place),
            }
        }
        self.arguments(name, entry, &args, place);
    }

    fn arguments(&mut self, name: &str, entry: &Entry, args: &Args<'_>, place: Place<'_>) {
        let opaque = args.opaque || place.more_words;
        let hidden_word = args.operands.first().is_some_and(|word| !word.is_literal());
        if opaque && entry.depends_on_options() || hidden_word && entry.has_subcommands() {
            self.unknown(format!("{name}: what it does depends on what only the remote knows"));
        }
        let leaves = |word: &Word| word.substituted || self.tainted && word.text.contains(shell::UNKNOWN);
        if entry.sends && args.all.iter().any(leaves) {
            let reason = format!("{name}: what another command prints leaves the machine");
            self.found(Finding::new(Class::Egress, reason).at(Risk::High));
        }
        if args.all.iter().any(|word| word.secret) {
            self.found(Finding::new(
                Class::Secret,
                format!("{name}: uses a variable that is called a secret"),
            ));
        }
        if !entry.looks {
            args.all.iter().for_each(|word| self.reads(&word.text));
        }
        let written: &[&Word] = match entry.writes {
            None => &[],
            Some(true) => &args.operands,
            Some(false) => args.operands.last().map(std::slice::from_ref).unwrap_or_default(),
        };
        written.iter().for_each(|word| self.writes(&word.text));
    }
}

/// What `echo` or `printf` prints, as far as it is in the words.
fn echo_of(simple: &Simple) -> Option<String> {
    let (head, words) = simple.words.split_first()?;
    let words: Vec<&str> =
        words.iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-')).collect();
    (head.text == "echo" || head.text == "printf").then(|| words.join(" "))
}

/// bash opens connections by such names.
fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Whether writing there changes nothing.
fn is_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2" | "")
}

/// A word of which nothing is known could be any path; that is no reason to name one.
fn says_enough(word: &str) -> bool {
    word.starts_with('/') || word.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}

/// Foreign text in a reason: no marks, and short.
fn shown(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { '…' } else { c }).take(40).collect();
    if clean.is_empty() { "''".to_owned() } else { clean }
}
