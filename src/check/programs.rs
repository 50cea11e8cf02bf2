//! The real ssh, this program in PATH, and the alias.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::fact::Fact;
use crate::ssh::facts::version;
use crate::ssh::find::FindError;

/// Files in which people keep aliases, below HOME.
const RC_FILES: [&str; 8] = [
    ".bashrc",
    ".bash_aliases",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".config/fish/config.fish",
    ".config/fish/conf.d/aissh.fish",
    ".kshrc",
];
/// Of each; larger is no rc file.
const RC_LIMIT: u64 = 1 << 20;

/// `ssh` is the one that a session would run; it is never this program.
pub(super) fn facts(ssh: &Result<PathBuf, FindError>) -> Vec<Fact> {
    let ssh = match ssh {
        Ok(path) => real(path),
        Err(e) => Fact::bad("ssh", e.to_string()),
    };
    [Some(ssh), in_path(), switched_off(), Some(alias())].into_iter().flatten().collect()
}

fn real(found: &Path) -> Fact {
    let is_named = std::env::var_os("AISSH_SSH").is_some_and(|name| !name.is_empty());
    let passed = programs("ssh").next().filter(|first| !is_named && !is_same(first, found));
    let passed = passed.map(|first| format!("; {} leads to aissh and is passed over", first.display()));
    let path = found.display();
    match version(found) {
        Some(version) if version.contains("OpenSSH") => {
            Fact::good("ssh", format!("{path}, {version}{}", passed.unwrap_or_default()))
        }
        Some(version) => Fact::note("ssh", format!("{path} is not OpenSSH: -V says {version}"))
            .remedy("if it is not the ssh that you mean, set AISSH_SSH to its path"),
        None => Fact::bad("ssh", format!("{path} says nothing when it is asked for its version (-V)"))
            .remedy("set AISSH_SSH to the path of an ssh that runs"),
    }
}

/// Whether the word `aissh` starts this program.
fn in_path() -> Option<Fact> {
    const TOPIC: &str = "aissh";
    let me = std::env::current_exe().ok()?;
    let mut all = programs("aissh");
    let Some(first) = all.next() else {
        return Some(
            Fact::note(TOPIC, format!("{} is not in PATH", me.display()))
                .remedy(format!("add {} to PATH", me.parent().unwrap_or(Path::new("/")).display())),
        );
    };
    if !is_same(&first, &me) {
        return Some(
            Fact::bad(
                TOPIC,
                format!("the first aissh in PATH is {}, and this is {}", first.display(), me.display()),
            )
            .remedy("remove one, or change the order in PATH"),
        );
    }
    let other = all.find(|path| !is_same(path, &me));
    let version = concat!("version ", env!("CARGO_PKG_VERSION"));
    Some(match other {
        Some(other) => {
            Fact::note(TOPIC, format!("{}, {version}; another is {}", first.display(), other.display()))
                .remedy("remove the one that you do not use")
        }
        None => Fact::good(TOPIC, format!("{}, {version}", first.display())),
    })
}

/// The environment may say that there is nothing to wrap.
fn switched_off() -> Option<Fact> {
    use crate::ssh::surroundings::{SWITCH_ENV, WRAPPED_ENV};
    if std::env::var_os(SWITCH_ENV).is_some_and(|value| value == "off") {
        return Some(
            Fact::note("environment", "AISSH=off makes every session plain ssh")
                .remedy("unset it for the panel"),
        );
    }
    let inside = std::env::var_os(WRAPPED_ENV).is_some();
    inside.then(|| {
        Fact::note("environment", "this runs inside a session of aissh, where ssh is not wrapped again")
    })
}

/// Aliases are the shell's own and cannot be seen from here; the files in which they are kept can.
fn alias() -> Fact {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let found = RC_FILES.iter().find(|file| read(&home.join(file)).is_some_and(|text| has_alias(&text)));
    match found {
        Some(file) => Fact::good("alias", format!("~/{file} has one of ssh for aissh")),
        None => Fact::note("alias", "no rc file has one of ssh for aissh")
            .remedy("to have the panel in every session: alias ssh=aissh"),
    }
}

fn has_alias(text: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.trim().splitn(2, char::is_whitespace);
        let rest = words.next().filter(|word| *word == "alias").and(words.next()).unwrap_or_default();
        let value =
            rest.trim_start().strip_prefix("ssh").and_then(|rest| rest.strip_prefix(['=', ' ', '\t']));
        value.is_some_and(|value| value.split(['\'', '"', ' ', '/', ';']).any(|word| word == "aissh"))
    })
}

fn read(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.metadata().ok()?.is_file().then_some(())?;
    file.take(RC_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What PATH has of this name and can be run, in order.
fn programs(name: &str) -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found: Vec<PathBuf> =
        std::env::split_paths(OsStr::new(&path)).map(|folder| folder.join(name)).collect();
    found
        .into_iter()
        .filter(|path| path.is_file() && nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok())
}

fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    identity(one).is_some() && identity(one) == identity(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_found_in_the_spellings_of_every_shell_and_nothing_else_is_one() {
        for yes in [
            "alias ssh=aissh",
            "  alias ssh='aissh'\n",
            "alias ssh aissh",
            "x\nalias ssh=\"/usr/bin/aissh --sidebar\"",
        ] {
            assert!(has_alias(yes), "{yes}");
        }
        for no in [
            "# alias ssh=aissh",
            "alias sshx=aissh",
            "alias ssh='ssh -A'",
            "alias ssh=aissh2",
            "unalias ssh",
            "alias",
        ] {
            assert!(!has_alias(no), "{no}");
        }
    }
}
