//! Which file a path means: made absolute, symlinks followed and said, and what stands there.

use super::Stop;
use crate::ssh::sftp::{Attrs, Code, FileType, Sftp, SftpError};
use crate::text::is_sendable_char;

/// Linux's PATH_MAX.
const PATH_LIMIT: usize = 4096;
/// Anybody may make a name there.
const WORLD_WRITABLE: u32 = 0o002;

/// Where the file is, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Absolute, without symlinks.
    pub(super) path: String,
    pub(super) directory: String,
    pub(super) name: String,
    /// Of the file itself; `None` where there is none yet.
    pub(super) attrs: Option<Attrs>,
    pub(super) notes: Vec<String>,
}

pub(super) fn find(sftp: &mut Sftp, asked: &str) -> Result<Place, Stop> {
    let path = absolute(sftp, asked)?;
    let link = match sftp.lstat(&path) {
        Ok(attrs) => attrs,
        Err(SftpError::Status(Code::NoSuchFile, _)) => return new(sftp, &path),
        Err(e) => return Err(failed(&e, &path)),
    };
    let attrs = match link.file_type() {
        FileType::Symlink => follow(sftp, &path)?,
        _ => link,
    };
    match attrs.file_type() {
        FileType::Regular => {}
        FileType::Directory => return Err(Stop::new(format!("{path} is a directory."))),
        _ => {
            return Err(Stop::new(format!(
                "{path} is no regular file, or the server does not say what it is."
            )));
        }
    }
    let real = real(sftp, &path)?;
    let mut notes = Vec::new();
    if link.file_type() == FileType::Symlink {
        notes.push(format!("{path} is a symlink: the file that changes is {real}."));
    } else if real != path {
        notes.push(format!("{path} is {real}, without symlinks."));
    }
    let (directory, name) = split(&real)?;
    Ok(Place { path: real, directory, name, attrs: Some(attrs), notes })
}

/// Linus does not know where the shell stands, and SFTP always stands in the home directory: so no path from there.
fn absolute(sftp: &mut Sftp, asked: &str) -> Result<String, Stop> {
    if asked.len() > PATH_LIMIT || asked.chars().any(|c| !is_sendable_char(c) || c == '\n') {
        return Err(Stop::new("The path is too long, or has control characters in it."));
    }
    if asked.starts_with('/') {
        return Ok(asked.to_owned());
    }
    match asked.strip_prefix("~/") {
        Some(rest) => Ok(format!("{}/{rest}", real(sftp, ".")?.trim_end_matches('/'))),
        None => {
            Err(Stop::new(format!("{asked} is not an absolute path: which file it means is not certain.")))
        }
    }
}

fn new(sftp: &mut Sftp, path: &str) -> Result<Place, Stop> {
    let (directory, name) = split(path)?;
    let parent = match sftp.stat(&directory) {
        Ok(attrs) => attrs,
        Err(SftpError::Status(Code::NoSuchFile, _)) => {
            return Err(Stop::new(format!("There is no directory {directory}. It is not made for you.")));
        }
        Err(e) => return Err(failed(&e, &directory)),
    };
    if parent.file_type() != FileType::Directory {
        return Err(Stop::new(format!("{directory} is no directory.")));
    }
    let real = real(sftp, &directory)?;
    let place = format!("{}/{name}", real.trim_end_matches('/'));
    let mut notes = Vec::new();
    if place != path {
        notes.push(format!("{path} is {place}, without symlinks."));
    }
    Ok(Place { path: place, directory: real, name, attrs: None, notes })
}

/// What a symlink leads to.
fn follow(sftp: &mut Sftp, path: &str) -> Result<Attrs, Stop> {
    let (directory, _) = split(path)?;
    let parent = sftp.stat(&directory).map_err(|e| failed(&e, &directory))?;
    if parent.mode().is_none_or(|mode| mode & WORLD_WRITABLE != 0) {
        return Err(Stop::new(format!(
            "{path} is a symlink in a directory that anybody may write to: it may lead anywhere."
        )));
    }
    match sftp.stat(path) {
        Err(SftpError::Status(Code::NoSuchFile, _)) => {
            Err(Stop::new(format!("{path} is a symlink to something that is not there.")))
        }
        attrs => attrs.map_err(|e| failed(&e, path)),
    }
}

fn real(sftp: &mut Sftp, path: &str) -> Result<String, Stop> {
    let real = sftp.realpath(path).map_err(|e| failed(&e, path))?;
    let real = String::from_utf8(real).ok().filter(|real| real.starts_with('/') && real.len() <= PATH_LIMIT);
    real.ok_or_else(|| Stop::new(format!("{path} is behind a name that is not UTF-8.")))
}

fn split(path: &str) -> Result<(String, String), Stop> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches!(name, "" | "." | "..") {
        return Err(Stop::new(format!("{path} names no file.")));
    }
    Ok((if directory.is_empty() { "/" } else { directory }.to_owned(), name.to_owned()))
}

fn failed(error: &SftpError, path: &str) -> Stop {
    let stop = Stop::of(error, &format!("looking at {path}"));
    if matches!(error, SftpError::Status(Code::Denied, _)) { stop.with_root(path) } else { stop }
}
