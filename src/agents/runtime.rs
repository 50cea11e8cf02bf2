//! The folder in which this user's sessions are found: `$XDG_RUNTIME_DIR/aissh`, else one in the state folder.
//!
//! A session has three files there: `ID.sock`, which it listens on, `ID.lock`, which it holds locked to its end and which
//! has its alias, and after its end `ID.gone`, a small tombstone. Whoever makes, renames or sweeps holds the lock of
//! `registry`, so that nobody sees a session half made, and none that lives is ever swept: the system itself gives a dead
//! one's lock back. Folder, files and peers must be this user's own, and links are not followed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::Uid;
use serde::{Deserialize, Serialize};

use super::alias::{checked, looks_like_id, of_host};
use crate::private;

/// Sessions that are listed; a user has fewer windows.
pub const SESSIONS: usize = 64;
/// Tombstones that are kept, and for how long.
const GONE: usize = 64;
const GONE_FOR: Duration = Duration::from_secs(60 * 60);
/// Bytes of a lock file and of a tombstone.
const SMALL: u64 = 4096;

/// The checked folder.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

/// A session that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub alias: String,
}

/// What is left of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    pub id: String,
    pub alias: String,
    pub ssh_host: String,
    pub user: String,
    /// As a shell gives it: 128 and the signal where one ended ssh.
    pub exit_code: i32,
}

/// Who is on the other end of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    /// Where the system tells it.
    pub pid: Option<i32>,
}

impl Folder {
    /// The usual one, made where it is missing.
    pub fn of_user() -> io::Result<Self> {
        let told = directories::BaseDirs::new().and_then(|dirs| dirs.runtime_dir().map(Path::to_owned));
        // MCP clients start a server with little of the environment; logind's folder is there all the same.
        let runtime = told.or_else(|| Some(PathBuf::from(format!("/run/user/{}", Uid::effective()))));
        let runtime = runtime.filter(|path| is_own(path)).map(|path| path.join("aissh"));
        let path = runtime.or_else(|| private::state_folder().map(|path| path.join("run")));
        Self::at(path.ok_or_else(|| io::Error::other("there is no home folder to keep sessions in"))?)
    }

    pub fn at(path: PathBuf) -> io::Result<Self> {
        private::folder(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    fn file(&self, id: &str, kind: &str) -> PathBuf {
        self.0.join(format!("{id}.{kind}"))
    }

    fn locked(&self) -> io::Result<Flock<File>> {
        private::lock(&self.0.join("registry"))
    }

    /// A session begins: it listens, and has an alias of its own.
    pub fn register(&self, id: &str, host: &str) -> io::Result<Registration> {
        let _all = self.locked()?;
        let live = self.sweep()?;
        if live.len() >= SESSIONS {
            return Err(io::Error::other(format!("there are {SESSIONS} sessions already")));
        }
        let alias = of_host(host, |alias| live.iter().any(|entry| entry.alias == alias));
        let file = private::create(&self.file(id, "lock"))?;
        let mut lock =
            Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, e)| io::Error::from(e))?;
        lock.write_all(alias.as_bytes())?;
        let socket = self.file(id, "sock");
        let bound = UnixListener::bind(&socket).and_then(|listener| {
            fs::set_permissions(&socket, fs::Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        match bound {
            Ok(listener) => {
                Ok(Registration { folder: self.clone(), id: id.to_owned(), alias, listener, _lock: lock })
            }
            Err(e) => {
                let _ = fs::remove_file(self.file(id, "lock"));
                Err(io::Error::new(e.kind(), format!("{}: {e}", socket.display())))
            }
        }
    }

    /// The sessions that live; what dead ones left is swept.
    pub fn live(&self) -> io::Result<Vec<Entry>> {
        let _all = self.locked()?;
        self.sweep()
    }

    /// With `registry` locked.
    fn sweep(&self) -> io::Result<Vec<Entry>> {
        let mut live = Vec::new();
        for id in self.ids("lock")? {
            let path = self.file(&id, "lock");
            let Ok(file) = private::existing(&path) else { continue };
            if Flock::lock(file, FlockArg::LockExclusiveNonblock).is_ok() {
                // Nobody holds it: its session is dead.
                let _ = fs::remove_file(self.file(&id, "sock"));
                let _ = fs::remove_file(&path);
                continue;
            }
            let bytes = private::read(&path, SMALL).ok().flatten().unwrap_or_default();
            if let Ok(alias) = checked(&String::from_utf8_lossy(&bytes)) {
                live.push(Entry { id, alias });
            }
        }
        live.sort_by(|a, b| a.alias.cmp(&b.alias));
        live.truncate(SESSIONS);
        Ok(live)
    }

    /// The ids of all files of a kind.
    fn ids(&self, kind: &str) -> io::Result<Vec<String>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let name = entry?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(kind)?.strip_suffix('.'));
            ids.extend(id.filter(|id| looks_like_id(id)).map(str::to_owned));
        }
        Ok(ids)
    }

    /// Sessions that ended not long ago.
    pub fn gone(&self) -> Vec<Gone> {
        let ids = self.ids("gone").unwrap_or_default();
        let read = |id: &String| private::read(&self.file(id, "gone"), SMALL).ok().flatten();
        ids.iter().filter_map(read).filter_map(|bytes| serde_json::from_slice(&bytes).ok()).collect()
    }

    fn bury(&self, gone: &Gone) -> io::Result<()> {
        let mut old: Vec<(SystemTime, PathBuf)> = Vec::new();
        for id in self.ids("gone")? {
            let path = self.file(&id, "gone");
            old.extend(fs::symlink_metadata(&path).and_then(|meta| meta.modified()).map(|at| (at, path)));
        }
        old.sort();
        let late = |at: &SystemTime| at.elapsed().is_ok_and(|age| age > GONE_FOR);
        let over = (old.len() + 1).saturating_sub(GONE);
        for (n, (at, path)) in old.iter().enumerate() {
            if n < over || late(at) {
                let _ = fs::remove_file(path);
            }
        }
        private::replace(&self.file(&gone.id, "gone"), &serde_json::to_vec(gone).unwrap_or_default())
    }

    /// Connects to a session of this user's. The other end is checked too: a path can be stolen.
    pub fn connect(&self, id: &str) -> io::Result<UnixStream> {
        if !looks_like_id(id) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no session has such an id"));
        }
        let path = self.file(id, "sock");
        let meta = fs::symlink_metadata(&path)?;
        let user = Uid::effective().as_raw();
        if !meta.file_type().is_socket() || meta.uid() != user {
            return Err(io::Error::other(format!("{} is no socket of this user's", path.display())));
        }
        let stream = UnixStream::connect(&path)?;
        let peer = peer(&stream)?;
        if peer.uid == user {
            return Ok(stream);
        }
        Err(io::Error::other(format!("{} is answered by user {}, not by {user}", path.display(), peer.uid)))
    }
}

/// A runtime folder that others can write into is none.
fn is_own(path: &Path) -> bool {
    let user = Uid::effective().as_raw();
    fs::symlink_metadata(path)
        .is_ok_and(|meta| meta.is_dir() && meta.uid() == user && meta.mode() & 0o022 == 0)
}

/// The kernel's word for who connected, or listens.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let of = nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerCredentials)?;
    Ok(Peer { uid: of.uid(), pid: Some(of.pid()) })
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let (uid, _) = nix::unistd::getpeereid(stream)?;
    Ok(Peer { uid: uid.as_raw(), pid: None })
}

/// A session's place among the others, until it is dropped.
pub struct Registration {
    folder: Folder,
    id: String,
    pub alias: String,
    pub listener: UnixListener,
    _lock: Flock<File>,
}

impl Registration {
    /// Another alias, if no other session has it.
    pub fn rename(&mut self, wanted: &str) -> Result<(), String> {
        let alias = checked(wanted)?;
        let failed = |e: io::Error| format!("the alias cannot be kept: {e}");
        let _all = self.folder.locked().map_err(failed)?;
        let live = self.folder.sweep().map_err(failed)?;
        if live.iter().any(|entry| entry.alias == alias && entry.id != self.id) {
            return Err(format!("another session is called {alias}"));
        }
        // In place: the lock is the file's, and a new file would have none.
        let path = self.folder.file(&self.id, "lock");
        private::existing(&path)
            .and_then(|mut file| {
                file.set_len(0)?;
                file.write_all(alias.as_bytes())
            })
            .map_err(failed)?;
        self.alias = alias;
        Ok(())
    }

    /// The session is over.
    pub fn end(self, gone: &Gone) {
        // Without it an agent that asks later hears that there is no such session.
        let _ = self.folder.bury(gone);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.file(&self.id, "sock"));
        let _ = fs::remove_file(self.folder.file(&self.id, "lock"));
    }
}

#[cfg(test)]
mod tests;
