//! A cheap look at ssh_config, before `ssh -G`: could a file change whether ssh asks for a remote terminal, and
//! would `-G` run a command? It over-reads on purpose (Host and Match are ignored): a false yes costs one `-G`.
//! It never decides what a setting is; ssh does.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::ssh::config_line;
use crate::ssh::glob;
use crate::ssh::grammar::Invocation;

#[cfg(test)]
mod tests;

/// The keywords that can turn a wrap into an exec.
const TTY_WORDS: [&str; 5] =
    ["requesttty", "remotecommand", "sessiontype", "stdinnull", "forkafterauthentication"];

/// READCONF_MAX_DEPTH of readconf.c.
const MAX_DEPTH: usize = 16;
/// One file; the largest configurations seen (generated, thousands of hosts) have a few hundred KiB.
const MAX_FILE: u64 = 4 << 20;
/// All files of one scan, each counted as often as it is included.
const MAX_FILES: usize = 512;
/// Names in one directory that an Include lists.
const MAX_NAMES: usize = 4096;

/// Where ssh builds look for the system's file: the usual place, the vendor's of distributions that keep /etc
/// empty, and those of what builds its own (BSD's ports, Homebrew, MacPorts, pkgsrc). One too many costs a stat().
const SYSTEM_DIRS: [&str; 7] = [
    "/etc/ssh",
    "/usr/etc/ssh",
    "/usr/local/etc/ssh",
    "/opt/homebrew/etc/ssh",
    "/home/linuxbrew/.linuxbrew/etc/ssh",
    "/opt/local/etc/ssh",
    "/usr/pkg/etc/ssh",
];

/// What was found anywhere in the files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scan {
    /// One of the words of a session without a remote terminal.
    pub has_tty_words: bool,
    /// `Match … exec`, which `ssh -G` would run.
    pub has_match_exec: bool,
}

impl Scan {
    /// What must be assumed of files that could not be looked at whole.
    const UNKNOWN: Self = Self { has_tty_words: true, has_match_exec: true };
}

/// Where the files are.
#[derive(Debug, Clone)]
pub struct Places {
    /// The account's home directory, where ssh finds `.ssh/config` whatever `HOME` says.
    pub account_home: PathBuf,
    /// `HOME`, which is what `~` means in an Include.
    pub home: PathBuf,
    /// Directories that may have the system's `ssh_config`.
    pub system: Vec<PathBuf>,
}

impl Places {
    /// Those of this user on this machine.
    pub fn of_user() -> Self {
        let account = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
        let env = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let account_home = account.map(|user| user.dir).or_else(|| env.clone()).unwrap_or_default();
        let home = env.unwrap_or_else(|| account_home.clone());
        Self { account_home, home, system: SYSTEM_DIRS.iter().map(PathBuf::from).collect() }
    }
}

/// Reads the files that ssh would read for this command line.
pub fn scan(inv: &Invocation, places: &Places) -> Scan {
    let mut walk = Walk { places, scan: Scan::default(), files: 0 };
    match inv.config_file.as_deref() {
        Some(file) if file.eq_ignore_ascii_case("none") => {}
        Some(file) => walk.file(Path::new(file), &places.home.join(".ssh"), 0),
        None => {
            walk.file(&places.account_home.join(".ssh/config"), &places.home.join(".ssh"), 0);
            for dir in &places.system {
                walk.file(&dir.join("ssh_config"), dir, 0);
            }
        }
    }
    walk.scan
}

struct Walk<'a> {
    places: &'a Places,
    scan: Scan,
    files: usize,
}

impl Walk<'_> {
    fn file(&mut self, path: &Path, relative_to: &Path, depth: usize) {
        if self.scan == Scan::UNKNOWN {
            return;
        }
        self.files += 1;
        if depth > MAX_DEPTH || self.files > MAX_FILES {
            self.scan = Scan::UNKNOWN;
            return;
        }
        let text = match read(path) {
            Text::Absent => return,
            Text::Unreadable => {
                self.scan = Scan::UNKNOWN;
                return;
            }
            Text::Read(text) => text,
        };
        let found = Findings::of(&text);
        self.scan.has_tty_words |= found.scan.has_tty_words;
        self.scan.has_match_exec |= found.scan.has_match_exec;
        for include in found.includes {
            // Before OpenSSH 10 nothing is substituted; the reading of the ssh at hand is one of the two.
            let substituted = substitute(&include, self.places, &|name| std::env::var_os(name));
            self.include(&include, relative_to, depth);
            if let Some(other) = substituted.filter(|other| *other != include) {
                self.include(&other, relative_to, depth);
            }
        }
    }

    fn include(&mut self, pattern: &[u8], relative_to: &Path, depth: usize) {
        let Some(pattern) = absolute(pattern, relative_to, self.places) else { return };
        match glob::expand(&pattern, &names_in) {
            Some(paths) => paths.iter().for_each(|path| self.file(path, relative_to, depth + 1)),
            None => self.scan = Scan::UNKNOWN,
        }
    }
}

/// What one file has, without following its includes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    scan: Scan,
    includes: Vec<Vec<u8>>,
}

impl Findings {
    fn of(text: &[u8]) -> Self {
        let mut this = Self::default();
        for line in text.split(|&b| b == b'\n') {
            let Some((key, rest)) = config_line::keyword(line) else { continue };
            match key.as_str() {
                "match" => this.scan.has_match_exec |= match_runs_a_command(rest),
                "include" => this.includes.extend(config_line::arguments(rest).unwrap_or_default()),
                word => this.scan.has_tty_words |= TTY_WORDS.contains(&word),
            }
        }
        this
    }
}

/// Any word `exec` counts, even one that is another criterion's argument: better one `-G` too few.
fn match_runs_a_command(rest: &[u8]) -> bool {
    // With a quote left open ssh gives up, before it runs anything.
    let words = config_line::arguments(rest).unwrap_or_default();
    // OpenSSH before 10 takes the line apart as it does a keyword.
    words.iter().chain(&config_line::delimited_words(rest)).any(|word| {
        let word = word.strip_prefix(b"!").unwrap_or(word);
        let name = word.split(|&b| b == b'=').next().unwrap_or_default();
        name.eq_ignore_ascii_case(b"exec")
    })
}

/// An Include's argument as an absolute pattern; `None` where ssh would skip it.
fn absolute(text: &[u8], relative_to: &Path, places: &Places) -> Option<Vec<u8>> {
    if text.starts_with(b"/") {
        return Some(text.to_vec());
    }
    let Some(rest) = text.strip_prefix(b"~") else {
        return Some(join(relative_to, text));
    };
    let (name, path) = rest.split_at(rest.iter().position(|&b| b == b'/').unwrap_or(rest.len()));
    if name.is_empty() {
        return Some(join(&places.home, path));
    }
    let user = nix::unistd::User::from_name(std::str::from_utf8(name).ok()?).ok().flatten()?;
    Some(join(&user.dir, path))
}

fn join(base: &Path, path: &[u8]) -> Vec<u8> {
    [base.as_os_str().as_bytes(), b"/", path].concat()
}

/// `${VAR}` and `%` tokens, as OpenSSH 10 has them; `None` where it would skip the Include. A token that only ssh
/// can know becomes `*`, which finds more.
fn substitute(text: &[u8], places: &Places, env: &dyn Fn(&str) -> Option<OsString>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b'%', Some(&token)) => {
                rest = &after[1..];
                match token {
                    b'%' => out.push(b'%'),
                    b'd' => out.extend_from_slice(places.account_home.as_os_str().as_bytes()),
                    _ => out.push(b'*'),
                }
            }
            (b'$', Some(b'{')) => {
                let end = after.iter().position(|&b| b == b'}')?;
                let name = std::str::from_utf8(&after[1..end]).ok()?;
                out.extend_from_slice(env(name)?.as_bytes());
                rest = &after[end + 1..];
            }
            _ => out.push(byte),
        }
    }
    Some(out)
}

enum Text {
    /// ssh goes on without it, or says itself that it is not there. So it does with a directory.
    Absent,
    /// There, but not to be read by us: a pipe would be emptied, a huge file would take its time.
    Unreadable,
    Read(Vec<u8>),
}

fn read(path: &Path) -> Text {
    if path == OsStr::new("/dev/null") {
        return Text::Absent;
    }
    // Looked at before it is opened: opening a FIFO would wait for its writer.
    match fs::metadata(path) {
        Err(_) => return Text::Absent,
        Ok(meta) if meta.is_dir() => return Text::Absent,
        Ok(meta) if !meta.is_file() || meta.len() > MAX_FILE => return Text::Unreadable,
        Ok(_) => {}
    }
    let mut text = Vec::new();
    match File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut text)) {
        Err(_) => Text::Absent,
        Ok(_) if text.len() as u64 > MAX_FILE => Text::Unreadable,
        Ok(_) => Text::Read(text),
    }
}

/// `None` where there are too many; a directory that cannot be read has none, for ssh as well.
fn names_in(dir: &Path) -> Option<Vec<OsString>> {
    let Ok(entries) = fs::read_dir(dir) else { return Some(Vec::new()) };
    let names: Vec<OsString> = entries.flatten().take(MAX_NAMES + 1).map(|entry| entry.file_name()).collect();
    (names.len() <= MAX_NAMES).then_some(names)
}
