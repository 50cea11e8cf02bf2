//! Files of the user's own that nobody else may read or replace: 0600, in folders 0700, owned by the effective user.
//!
//! A folder or file that belongs to another is never used: whoever owns it could read what is written, or have put what
//! is read. Symbolic links in the last part of a path are not followed.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use nix::libc::{O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK};
use nix::unistd::Uid;

/// Where aissh keeps what outlasts a session: `$XDG_STATE_HOME/aissh`. `None` where the user has no home.
pub fn state_folder() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "aissh")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
}

/// Makes the folder where it is missing, and checks that it is the user's own. One of theirs that others may enter is
/// closed to them.
pub fn folder(path: &Path) -> io::Result<()> {
    let named = |e| at(path, &e);
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(named)?;
    let meta = fs::symlink_metadata(path).map_err(named)?;
    if !meta.is_dir() {
        return Err(complaint(path, "is not a folder"));
    }
    owned(path, &meta)?;
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(named)?;
    }
    Ok(())
}

/// Opens a file for adding to its end, or makes it. Its folder must have been checked.
pub fn append(path: &Path) -> io::Result<File> {
    opened(path, options().append(true).create(true))
}

/// Opens a file to be read, and written in place; makes it where it is missing. For locks and small stores.
pub fn open(path: &Path) -> io::Result<File> {
    opened(path, options().read(true).write(true).create(true).truncate(false))
}

/// Opens a file that exists to be read, and written in place.
pub fn existing(path: &Path) -> io::Result<File> {
    opened(path, options().read(true).write(true))
}

/// Makes a file that must not exist yet.
pub fn create(path: &Path) -> io::Result<File> {
    opened(path, options().write(true).create_new(true))
}

/// Reads a file whole. `None`: there is none. One that is another's, or longer than `limit` bytes, is an error.
pub fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match opened(path, options().read(true)) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| at(path, &e))?;
    if bytes.len() as u64 > limit {
        return Err(complaint(path, &format!("is larger than {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// Replaces a file whole or not at all: a temporary file beside it, its data on the disk, then a rename.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| complaint(path, "names no file"))?;
    let mut temporary = name.to_owned();
    // Of this process only: two windows that write at once each have their own.
    temporary.push(format!(".{}~", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let _ = fs::remove_file(&temporary);
    let written = options().write(true).create_new(true).open(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(|e| at(path, &e))
}

/// Locks a file of this name, made where it is missing, among all of the user's processes; waits for who has it. The
/// system gives it back when the value or the process ends.
pub fn lock(path: &Path) -> io::Result<Flock<File>> {
    Flock::lock(open(path)?, FlockArg::LockExclusive).map_err(|(_, e)| e.into())
}

/// 0600, no link followed, and no FIFO waited for.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    options
}

fn opened(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let file = options.open(path).map_err(|e| at(path, &e))?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(complaint(path, "is not a regular file"));
    }
    owned(path, &meta)?;
    if meta.mode() & 0o077 != 0 {
        // Through the descriptor: the name may be another file's by now.
        let mode = nix::sys::stat::Mode::S_IRUSR | nix::sys::stat::Mode::S_IWUSR;
        nix::sys::stat::fchmod(file.as_fd(), mode)?;
    }
    Ok(file)
}

fn owned(path: &Path, meta: &fs::Metadata) -> io::Result<()> {
    let user = Uid::effective().as_raw();
    if meta.uid() == user {
        return Ok(());
    }
    Err(complaint(path, &format!("belongs to user {}, not to {user}", meta.uid())))
}

/// An error with the name that it is about.
fn at(path: &Path, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}

fn complaint(path: &Path, what: &str) -> io::Error {
    io::Error::other(format!("{} {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("aissh-private-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir(&path).expect("a scratch folder");
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it exists").mode() & 0o777
    }

    #[test]
    fn folders_and_files_are_the_users_alone_also_where_they_were_open_before() {
        let scratch = Scratch::new("modes");
        let inner = scratch.0.join("a/b");
        folder(&inner).expect("made");
        assert_eq!((mode(&scratch.0.join("a")), mode(&inner)), (0o700, 0o700));
        fs::set_permissions(&inner, Permissions::from_mode(0o755)).expect("opened");
        folder(&inner).expect("closed again");
        assert_eq!(mode(&inner), 0o700);
        let file = inner.join("f");
        fs::write(&file, "x").expect("written");
        fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("opened");
        append(&file).and_then(|mut f| f.write_all(b"y")).expect("added to");
        assert_eq!((mode(&file), fs::read(&file).ok()), (0o600, Some(b"xy".to_vec())));
    }

    #[test]
    fn links_fifos_and_folders_are_no_files() {
        let scratch = Scratch::new("kinds");
        let (real, link, fifo) = (scratch.0.join("real"), scratch.0.join("link"), scratch.0.join("fifo"));
        fs::write(&real, "secret").expect("written");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a fifo");
        for wrong in [&link, &fifo, &scratch.0] {
            assert!(append(wrong).is_err() && open(wrong).is_err() && read(wrong, 10).is_err(), "{wrong:?}");
        }
        std::os::unix::fs::symlink(&scratch.0, scratch.0.join("folder")).expect("linked");
        assert!(folder(&scratch.0.join("folder")).is_err(), "a link to a folder");
    }

    #[test]
    fn a_file_is_replaced_whole_and_read_within_its_bound() {
        let scratch = Scratch::new("replace");
        let file = scratch.0.join("f");
        assert_eq!(read(&file, 3).expect("no file is no error"), None);
        replace(&file, b"old").expect("made");
        replace(&file, b"new").expect("replaced");
        assert_eq!(read(&file, 3).expect("fits"), Some(b"new".to_vec()));
        assert!(read(&file, 2).is_err(), "too long");
        assert_eq!(fs::read_dir(&scratch.0).expect("listed").count(), 1, "no temporary file is left");
        assert!(create(&file).is_err(), "it exists");
    }

    #[test]
    fn what_belongs_to_another_is_refused() {
        // Only root can give a file away.
        if !Uid::effective().is_root() {
            return;
        }
        let scratch = Scratch::new("owner");
        let (file, dir) = (scratch.0.join("f"), scratch.0.join("d"));
        fs::write(&file, "x").expect("written");
        fs::create_dir(&dir).expect("made");
        for path in [&file, &dir] {
            std::os::unix::fs::chown(path, Some(65534), None).expect("given away");
        }
        let error = append(&file).expect_err("another's").to_string();
        assert!(error.contains("belongs to user 65534, not to 0"), "{error}");
        assert!(folder(&dir).is_err());
    }
}
