//! The real ssh: where it is, and becoming it. Never this binary, whatever name it goes by in PATH.
//!
//! Three things named ssh would start aissh for ever. A link to this binary has its device and inode. A copy of it,
//! of any version, is known by its bytes. What is neither that nor OpenSSH (a script that says `exec aissh "$@"`, a
//! version manager's shim) may be a detour on the user's way to ssh, so it is run, once: `trail` tells every aissh
//! below it to look further.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ssh::program::{Program, Recognizer};
use crate::ssh::trail::{Identity, Trail};

#[cfg(test)]
mod tests;

/// OpenSSH's ssh is 1 MB, and not 4 where it is linked statically. What is larger is not read to its end.
const READ_LIMIT: u64 = 8 << 20;

/// What shells use for a command that is not there.
pub const NOT_FOUND: u8 = 127;

/// PATH where the environment has none, as the C library's.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// There is no ssh to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindError {
    NotInPath,
    /// `AISSH_SSH` names nothing that can be run.
    NotExecutable(OsString),
    /// `AISSH_SSH` names this binary, or what runs it: it would start itself for ever.
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
                    "AISSH_SSH is {}, which is aissh itself or runs it (set it to the path of ssh)",
                    name.display()
                )
            }
        }
    }
}

impl std::error::Error for FindError {}

/// The ssh to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Absolute, its links not resolved: what it is called may matter to it.
    pub path: PathBuf,
    /// For it: empty for OpenSSH.
    trail: Trail,
}

impl Found {
    /// To be called before it is run, while there is one thread.
    pub fn leave_trail(&self) {
        self.trail.clone().leave();
    }
}

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
    trail: &'a Trail,
}

/// The files of the machine.
trait Files {
    /// What file a path leads to, links followed, if it can be run.
    fn runnable(&self, path: &Path) -> Option<Identity>;
    fn program(&self, path: &Path) -> Program;
}

/// Looks for the real ssh.
pub fn find() -> Result<Found, FindError> {
    let (wanted, path) = (std::env::var_os("AISSH_SSH"), std::env::var_os("PATH"));
    // Without a current directory only absolute entries can be found.
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let me = std::env::current_exe().ok().and_then(|exe| Machine.runnable(&exe));
    let trail = Trail::of_process();
    Search { wanted: wanted.as_deref(), path: path.as_deref(), cwd: &cwd, me, trail: &trail }.run(&Machine)
}

impl Search<'_> {
    fn run(&self, files: &dyn Files) -> Result<Found, FindError> {
        let Some(wanted) = self.wanted.filter(|name| !name.is_empty()) else {
            return self.in_path(OsStr::new("ssh"), files).ok_or(FindError::NotInPath);
        };
        if !wanted.as_bytes().contains(&b'/') {
            return self.in_path(wanted, files).ok_or_else(|| FindError::NotExecutable(wanted.into()));
        }
        let path = self.cwd.join(wanted);
        if files.runnable(&path).is_none() {
            return Err(FindError::NotExecutable(wanted.into()));
        }
        self.take(path, files).ok_or_else(|| FindError::Itself(wanted.into()))
    }

    fn in_path(&self, name: &OsStr, files: &dyn Files) -> Option<Found> {
        let path = self.path.unwrap_or(OsStr::new(DEFAULT_PATH));
        // An empty entry is the current directory, as for execvp.
        std::env::split_paths(path).find_map(|dir| self.take(self.cwd.join(dir).join(name), files))
    }

    /// Unless it cannot be run, or is us in one way or another.
    fn take(&self, path: PathBuf, files: &dyn Files) -> Option<Found> {
        let found = files.runnable(&path)?;
        if Some(found) == self.me || self.trail.tried.contains(&found) {
            return None;
        }
        let trail = match files.program(&path) {
            Program::Aissh => return None,
            Program::OpenSsh => Trail::default(),
            Program::Unknown => self.trail.and(found),
        };
        Some(Found { path, trail })
    }
}

struct Machine;

impl Files for Machine {
    fn runnable(&self, path: &Path) -> Option<Identity> {
        let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).ok()?;
        Some(Identity { dev: meta.dev(), ino: meta.ino() })
    }

    fn program(&self, path: &Path) -> Program {
        // One that may be run but not read tells nothing.
        File::open(path).and_then(recognize).unwrap_or(Program::Unknown)
    }
}

fn recognize(file: File) -> io::Result<Program> {
    let mut recognizer = Recognizer::default();
    let mut file = file.take(READ_LIMIT);
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            count => recognizer.feed(&piece[..count]),
        }
    }
    // Its end may have named aissh.
    if file.limit() == 0 && recognizer.program() == Program::OpenSsh {
        return Ok(Program::Unknown);
    }
    Ok(recognizer.program())
}

/// Becomes ssh; returns only when that failed. `argv[0]` is the absolute path, from which ssh makes the command of
/// its jumps (ProxyJump), so that they do not come back here. Nothing else changes, but for one thing that Rust's run
/// time decides: SIGPIPE is at its default again (ignored since our start; whether our parent had ignored it cannot
/// be told any more, and ssh ignores it itself).
pub fn exec(ssh: &Path, args: &[OsString]) -> io::Error {
    Command::new(ssh).args(args).exec()
}
