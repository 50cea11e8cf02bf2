//! The audit log's file: JSON lines, one `write` a record, so that a killed process leaves at most its last one torn.
//!
//! A file that has grown to its bound becomes `ID.1.jsonl`, and the one before that is gone; old sessions' files go
//! when the folder has grown to its own. A log whose file was removed or moved is lost, and says so: what is written
//! to it then nobody would find.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::fcntl::{Flock, FlockArg};

use super::entry::Entry;
use crate::private;

/// Bytes of one file: some ten thousand records.
const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// Bytes of all sessions' files together.
const FOLDER_LIMIT: u64 = 128 * 1024 * 1024;

/// `audit` in the state folder.
pub fn folder() -> Option<PathBuf> {
    Some(private::state_folder()?.join("audit"))
}

/// An open log.
pub struct Log {
    path: PathBuf,
    /// Locked while the session lives, so that no other takes it for an old one.
    file: Flock<File>,
    length: u64,
    limit: u64,
    /// The first line of every file: which session this is.
    head: String,
}

impl Log {
    /// Makes the log of a session; `head` tells which.
    pub fn create(folder: &Path, session_id: &str, head: &Entry) -> io::Result<Self> {
        Self::with_limits(folder, session_id, head, FILE_LIMIT, FOLDER_LIMIT)
    }

    fn with_limits(
        folder: &Path,
        session_id: &str,
        head: &Entry,
        limit: u64,
        folder_limit: u64,
    ) -> io::Result<Self> {
        private::folder(folder)?;
        make_room(folder, folder_limit.saturating_sub(2 * limit));
        let path = folder.join(format!("{session_id}.jsonl"));
        let file = open(&path)?;
        let length = file.metadata()?.len();
        let mut log = Self { path, file, length, limit, head: line(head)? };
        if length == 0 {
            let head = log.head.clone();
            log.put(&head)?;
        }
        Ok(log)
    }

    /// Adds a record.
    pub fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let line = line(entry)?;
        self.check()?;
        if self.length + line.len() as u64 > self.limit {
            self.rotate()?;
        }
        self.put(&line)
    }

    /// Whether the file is still where it was opened.
    fn check(&self) -> io::Result<()> {
        let (ours, there) = (self.file.metadata()?, fs::symlink_metadata(&self.path));
        match there {
            Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => Ok(()),
            Ok(_) => Err(io::Error::other(format!("{} was replaced", self.path.display()))),
            Err(e) => Err(io::Error::new(e.kind(), format!("{}: {e}", self.path.display()))),
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        fs::rename(&self.path, self.path.with_extension("1.jsonl"))?;
        self.file = open(&self.path)?;
        self.length = 0;
        let head = self.head.clone();
        self.put(&head)
    }

    fn put(&mut self, line: &str) -> io::Result<()> {
        let path = self.path.display();
        self.file.write_all(line.as_bytes()).map_err(|e| io::Error::new(e.kind(), format!("{path}: {e}")))?;
        self.length += line.len() as u64;
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<Flock<File>> {
    let taken = |(_, e): (File, nix::Error)| io::Error::other(format!("{}: {e}", path.display()));
    Flock::lock(private::append(path)?, FlockArg::LockExclusiveNonblock).map_err(taken)
}

fn line(entry: &Entry) -> io::Result<String> {
    Ok(serde_json::to_string(entry)? + "\n")
}

/// Removes the oldest files until the others fit; those of living sessions stay. What cannot be removed is left.
fn make_room(folder: &Path, limit: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "jsonl"))
        .filter_map(|entry| {
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((meta.modified().ok()?, meta.len(), entry.path()))
        })
        .collect();
    files.sort();
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in files {
        if total <= limit {
            break;
        }
        if open(&path).is_ok() && fs::remove_file(&path).is_ok() {
            total -= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::{Event, VERSION};
    use super::super::read::parse;
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("aissh-log-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn entry(event: Event) -> Entry {
        Entry { time: SystemTime::UNIX_EPOCH, event }
    }

    fn head(id: &str) -> Entry {
        let (target, linus) = ("joe@web1".to_owned(), "built-in".to_owned());
        entry(Event::Session { version: VERSION, aissh: "0".into(), session_id: id.into(), target, linus })
    }

    fn asked(text: &str) -> Entry {
        entry(Event::Asked { text: text.into() })
    }

    #[test]
    fn a_full_file_moves_aside_once_and_both_say_whose_they_are() {
        let folder = scratch("rotate");
        let mut log = Log::with_limits(&folder, "id", &head("id"), 1000, 1 << 20).expect("made");
        for n in 0..60 {
            log.write(&asked(&format!("question {n}"))).expect("written");
        }
        let (old, new) = (folder.join("id.1.jsonl"), folder.join("id.jsonl"));
        for path in [&old, &new] {
            let bytes = fs::read(path).expect("there");
            assert!(bytes.len() <= 1000, "{}", bytes.len());
            let logged = parse(&bytes);
            assert_eq!((logged.entries[0].clone(), logged.torn), (head("id"), 0));
        }
        assert!(parse(&fs::read(new).expect("there")).entries.contains(&asked("question 59")));
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_log_whose_file_is_gone_or_another_says_so() {
        let folder = scratch("lost");
        let mut log = Log::create(&folder, "id", &head("id")).expect("made");
        fs::remove_file(folder.join("id.jsonl")).expect("removed");
        let error = log.write(&asked("x")).expect_err("gone").to_string();
        assert!(error.contains("id.jsonl") && error.contains("No such file"), "{error}");
        fs::write(folder.join("id.jsonl"), "").expect("another");
        assert!(log.write(&asked("x")).expect_err("another").to_string().contains("was replaced"));
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn the_oldest_sessions_make_room_and_the_living_stay() {
        let folder = scratch("room");
        let mut living = Log::with_limits(&folder, "living", &head("living"), 4096, 1 << 20).expect("made");
        living.write(&asked(&"x".repeat(2000))).expect("written");
        for n in 0..20 {
            let id = format!("s{n:02}");
            let mut log = Log::with_limits(&folder, &id, &head(&id), 4096, 20_000).expect("made");
            log.write(&asked(&"x".repeat(2000))).expect("written");
        }
        let names: Vec<String> = fs::read_dir(&folder)
            .expect("listed")
            .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
            .collect();
        assert!(names.contains(&"living.jsonl".into()) && names.contains(&"s19.jsonl".into()), "{names:?}");
        assert!(!names.contains(&"s00.jsonl".into()) && names.len() < 10, "{names:?}");
        living.write(&asked("still here")).expect("written");
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        // The device that is always full stands in for a disk.
        let full = fs::OpenOptions::new().append(true).open("/dev/full").expect("Linux has it");
        let file = Flock::lock(full, FlockArg::LockExclusiveNonblock).expect("locked");
        let head = line(&head("id")).expect("JSON");
        let mut log = Log { path: "/dev/full".into(), file, length: 0, limit: FILE_LIMIT, head };
        let error = log.write(&asked("x")).expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().starts_with("/dev/full: "), "{error}");
    }
}
