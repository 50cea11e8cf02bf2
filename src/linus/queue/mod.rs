//! Messages that wait for an absent Linus, on the disk: bound to him and to `user@host:port`, and never sent from here.
//!
//! Each session has a file of its own and holds its lock while it lives. A file that nobody holds is of a session that
//! has ended, or was killed: the next one to the same host takes it over and offers what is in it. So no two windows
//! offer the same, and none waits for another.

mod format;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use crate::private;
use format::Found;

pub use format::Mark;

/// Messages that are taken over at most, and their bytes together: what may wait in a session, too.
const LETTERS_LIMIT: usize = 100;
const BYTES_LIMIT: usize = 256 * 1024;
/// Files looked at in one opening: each is a session that ended with something unsent.
const FILES_LIMIT: usize = 64;
/// A session's file at most, what is gone included; a larger one is not read either.
const FILE_LIMIT: u64 = 1024 * 1024;
/// Names tried for a file of our own: another window may clear one away before its lock is ours.
const ATTEMPTS: usize = 3;

/// Tells one message from every other: the caller's numbers for its own, from here on for those taken over.
pub const TAKEN_OVER: u64 = 1 << 32;

/// A message of an earlier session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub key: u64,
    /// A call with it was begun: Linus may have it.
    pub is_perhaps: bool,
    /// Seconds since 1970.
    pub at: u64,
    pub text: String,
}

#[derive(Debug)]
struct Store {
    path: PathBuf,
    file: Flock<File>,
    end: u64,
    /// Messages in it that are not gone.
    live: usize,
}

#[derive(Debug)]
pub struct Queue {
    folder: PathBuf,
    origin: String,
    target: String,
    /// This session's name among the files.
    name: String,
    stores: Vec<Store>,
    /// Which of the stores is this session's.
    own: Option<usize>,
    /// Where each message lies: store and offset of its mark.
    places: BTreeMap<u64, (usize, u64)>,
}

impl Queue {
    /// Opens this session's queue and takes over what ended sessions left, oldest first. The complaints are about files
    /// that stay as they are.
    pub fn open(
        folder: &Path,
        origin: &str,
        target: &str,
        name: &str,
    ) -> io::Result<(Self, Vec<Letter>, Vec<String>)> {
        private::folder(folder)?;
        let mut this = Self {
            folder: folder.to_owned(),
            origin: origin.to_owned(),
            target: target.to_owned(),
            name: name.to_owned(),
            stores: Vec::new(),
            own: None,
            places: BTreeMap::new(),
        };
        let (letters, complaints) = this.take_over()?;
        Ok((this, letters, complaints))
    }

    /// Keeps a message. On an error nothing of it is in the file.
    pub fn append(&mut self, key: u64, mark: Mark, at: u64, text: &str) -> io::Result<()> {
        let own = match self.own {
            Some(own) => own,
            None => self.begin()?,
        };
        let store = &mut self.stores[own];
        let line = format::message(mark, at, text);
        if store.end + line.len() as u64 > FILE_LIMIT {
            return Err(io::Error::other(format!("{} is full", store.path.display())));
        }
        if let Err(e) = store.file.write_all_at(&line, store.end).and_then(|()| store.file.sync_data()) {
            // Half a line would be in the way of the next; a file can be shortened on a full disk, too.
            let _ = store.file.set_len(store.end);
            return Err(e);
        }
        self.places.insert(key, (own, store.end));
        store.end += line.len() as u64;
        store.live += 1;
        Ok(())
    }

    /// Changes a mark, on the disk when it returns. One that was never kept needs none.
    pub fn mark(&mut self, key: u64, mark: Mark) -> io::Result<()> {
        let Some(&(at, offset)) = self.places.get(&key) else { return Ok(()) };
        let store = &mut self.stores[at];
        store.file.write_all_at(&[mark.byte()], offset)?;
        store.file.sync_data()?;
        if mark == Mark::Gone {
            self.places.remove(&key);
            store.live -= 1;
            if store.live == 0 {
                return self.clear(at);
            }
        }
        Ok(())
    }

    /// Nothing in it is left.
    fn clear(&mut self, at: usize) -> io::Result<()> {
        let store = &mut self.stores[at];
        if self.own == Some(at) {
            store.end = format::heading(&self.origin, &self.target).len() as u64;
            return store.file.set_len(store.end);
        }
        fs::remove_file(&store.path)
    }

    /// Ends the session's part; files with something left stay for the next one.
    pub fn close(self) {
        for store in self.stores.iter().filter(|store| store.live == 0) {
            let _ = fs::remove_file(&store.path);
        }
    }

    /// This session's file, locked.
    fn begin(&mut self) -> io::Result<usize> {
        private::folder(&self.folder)?;
        for attempt in 0..ATTEMPTS {
            let path = self.folder.join(format!("{}.{}.{attempt}", self.prefix(), self.name));
            let file = match private::create(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            let file = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, e)| io::Error::from(e))?;
            if file.metadata()?.nlink() == 0 {
                continue;
            }
            let heading = format::heading(&self.origin, &self.target);
            if let Err(e) = file.write_all_at(&heading, 0) {
                let _ = fs::remove_file(&path);
                return Err(e);
            }
            self.stores.push(Store { path, file, end: heading.len() as u64, live: 0 });
            self.own = Some(self.stores.len() - 1);
            return Ok(self.stores.len() - 1);
        }
        Err(io::Error::other(format!("no file can be made in {}", self.folder.display())))
    }

    /// Names of files begin so; the heading inside is what counts.
    fn prefix(&self) -> String {
        // FNV-1a, 64 bits: only to keep the files of other hosts out of the way.
        let bytes = self.origin.bytes().chain([0]).chain(self.target.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    fn take_over(&mut self) -> io::Result<(Vec<Letter>, Vec<String>)> {
        let prefix = self.prefix() + ".";
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                paths.push(entry.path());
            }
        }
        // Nobody has as many; which of them are left for later does not matter.
        paths.truncate(FILES_LIMIT);
        let (mut letters, mut complaints) = (Vec::new(), Vec::new());
        for path in paths {
            match self.take_over_one(&path, &letters) {
                Ok(found) => letters.extend(found),
                Err(e) => complaints.push(format!("{}: {e}", path.display())),
            }
        }
        letters.sort_by_key(|letter| letter.at);
        Ok((letters, complaints))
    }

    /// What is in a file that no living session holds; none where one does, or where it would be too much.
    fn take_over_one(&mut self, path: &Path, so_far: &[Letter]) -> io::Result<Vec<Letter>> {
        let file = private::existing(path)?;
        let mut file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(file) => file,
            Err((_, nix::Error::EAGAIN)) => return Ok(Vec::new()),
            Err((_, e)) => return Err(e.into()),
        };
        if file.metadata()?.nlink() == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        (&mut *file).take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE_LIMIT {
            return Err(io::Error::other(format!("is larger than {FILE_LIMIT} bytes")));
        }
        let Some((heading, found)) = format::read(&bytes) else {
            return Err(io::Error::other("is not a queue of this version"));
        };
        if (heading.origin.as_str(), heading.target.as_str()) != (&self.origin, &self.target) {
            return Ok(Vec::new());
        }
        if found.is_empty() {
            fs::remove_file(path)?;
            return Ok(Vec::new());
        }
        let size = |texts: &mut dyn Iterator<Item = &String>| texts.map(String::len).sum::<usize>();
        let all = size(&mut so_far.iter().map(|l| &l.text)) + size(&mut found.iter().map(|f| &f.text));
        if so_far.len() + found.len() > LETTERS_LIMIT || all > BYTES_LIMIT {
            return Err(io::Error::other("waits until the messages before it are sent or deleted"));
        }
        let at = self.stores.len();
        self.stores.push(Store { path: path.to_owned(), file, end: bytes.len() as u64, live: found.len() });
        Ok(found.into_iter().map(|found| self.letter(found, at)).collect())
    }

    fn letter(&mut self, found: Found, store: usize) -> Letter {
        let last = self.places.keys().next_back().filter(|key| **key >= TAKEN_OVER);
        let key = last.map_or(TAKEN_OVER, |key| key + 1);
        self.places.insert(key, (store, found.offset));
        let is_perhaps = matches!(found.mark, Mark::InFlight | Mark::Perhaps);
        Letter { key, is_perhaps, at: found.at, text: found.text }
    }
}

#[cfg(test)]
mod tests;
