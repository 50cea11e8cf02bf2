//! The real ssh: where it is, and becoming it. Never this binary, whatever name it goes by in PATH.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(test)]
mod tests;

/// What shells use for a command that is not there.
pub const NOT_FOUND: u8 = 127;

/// PATH where the environment has none, as the C library's.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// A file apart from its names: links to it have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub dev: u64,
    pub ino: u64,
}

/// There is no ssh to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindError {
    NotInPath,
    /// `AISSH_SSH` names nothing that can be run.
    NotExecutable(OsString),
    /// `AISSH_SSH` names this binary, which would start itself for ever.
    Itself(OsString),
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInPath => f.write_str("no ssh found in PATH (set AISSH_SSH to its path)"),
            Self::NotExecutable(name) => {
                write!(f, "AISSH_SSH is {}, which is no program (set it to the path of ssh)", name.display())
            }
            Self::Itself(name) => {
                write!(
                    f,
                    "AISSH_SSH is {}, which is aissh itself (set it to the path of ssh)",
                    name.display()
                )
            }
        }
    }
}

impl std::error::Error for FindError {}

/// What the search goes by.
#[derive(Debug, Clone, Copy)]
struct Search<'a> {
    /// `AISSH_SSH`
    wanted: Option<&'a OsStr>,
    /// `PATH`
    path: Option<&'a OsStr>,
    cwd: &'a Path,
    /// This binary.
    me: Option<Identity>,
}

/// The absolute path of the real ssh, its links not resolved: what it is called may matter to it.
pub fn find() -> Result<PathBuf, FindError> {
    let (wanted, path) = (std::env::var_os("AISSH_SSH"), std::env::var_os("PATH"));
    // Without a current directory only absolute entries can be found.
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let me =
        std::env::current_exe().ok().and_then(|exe| std::fs::metadata(exe).ok()).map(|meta| identity(&meta));
    Search { wanted: wanted.as_deref(), path: path.as_deref(), cwd: &cwd, me }.run(&runnable)
}

impl Search<'_> {
    /// `runnable` says what file a path leads to, links followed, if it can be run.
    fn run(&self, runnable: &dyn Fn(&Path) -> Option<Identity>) -> Result<PathBuf, FindError> {
        let Some(wanted) = self.wanted.filter(|name| !name.is_empty()) else {
            return self.in_path(OsStr::new("ssh"), runnable).ok_or(FindError::NotInPath);
        };
        if !wanted.as_bytes().contains(&b'/') {
            return self.in_path(wanted, runnable).ok_or_else(|| FindError::NotExecutable(wanted.into()));
        }
        let path = self.cwd.join(wanted);
        match runnable(&path) {
            None => Err(FindError::NotExecutable(wanted.into())),
            found if found == self.me => Err(FindError::Itself(wanted.into())),
            Some(_) => Ok(path),
        }
    }

    fn in_path(&self, name: &OsStr, runnable: &dyn Fn(&Path) -> Option<Identity>) -> Option<PathBuf> {
        let path = self.path.unwrap_or(OsStr::new(DEFAULT_PATH));
        // An empty entry is the current directory, as for execvp.
        std::env::split_paths(path)
            .map(|dir| self.cwd.join(dir).join(name))
            .find(|file| runnable(file).is_some_and(|found| Some(found) != self.me))
    }
}

fn runnable(path: &Path) -> Option<Identity> {
    let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).ok()?;
    Some(identity(&meta))
}

fn identity(meta: &std::fs::Metadata) -> Identity {
    Identity { dev: meta.dev(), ino: meta.ino() }
}

/// Becomes ssh; returns only when that failed. `argv[0]` is the absolute path, from which ssh makes the command of
/// its jumps (ProxyJump), so that they do not come back here. Nothing else changes, but for two things that Rust's
/// run time and `Command::exec` decide: SIGPIPE is at its default again (ignored since our start; whether our
/// parent had ignored it cannot be told any more, and ssh ignores it itself), and the signal mask is empty.
pub fn exec(ssh: &Path, args: &[OsString]) -> io::Error {
    Command::new(ssh).args(args).exec()
}
