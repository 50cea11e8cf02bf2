//! What of aissh's is on the disk: whose it is, and who else can read or change it. Changes nothing.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::Uid;

use super::fact::Fact;
use crate::config::Config;
use crate::private;

const TOPIC: &str = "folders";
/// Of a folder at most so many entries are looked at, and so deep.
const ENTRIES: usize = 1000;
const DEPTH: usize = 3;

pub(super) fn facts(config: &Config) -> Vec<Fact> {
    let file = config.file().and_then(settings);
    let state = match private::state_folder() {
        Some(folder) => state(&folder),
        None => Fact::bad(TOPIC, "there is no home folder, so nothing is kept").remedy("set HOME"),
    };
    file.into_iter().chain([state]).collect()
}

/// Commands are run as the file says: nobody else may write it.
fn settings(path: &Path) -> Option<Fact> {
    let meta = fs::metadata(path).ok()?;
    let shown = path.display();
    Some(if !is_mine(&meta) && meta.uid() != 0 {
        Fact::bad(TOPIC, format!("{shown} belongs to user {}", meta.uid()))
            .remedy("make it yours: it says which commands are run")
    } else if meta.mode() & 0o022 != 0 {
        Fact::bad(TOPIC, format!("{shown} can be written by others")).remedy(format!("chmod go-w {shown}"))
    } else {
        Fact::good(TOPIC, format!("{shown} can be changed by you alone"))
    })
}

/// What outlasts a session, for the user alone.
fn state(folder: &Path) -> Fact {
    let shown = folder.display();
    let meta = match fs::symlink_metadata(folder) {
        Ok(meta) => meta,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Fact::good(
                TOPIC,
                format!("{shown} is not there yet; it is made, for you alone, when something is kept"),
            );
        }
        Err(e) => return Fact::bad(TOPIC, format!("{shown}: {e}")),
    };
    if !meta.is_dir() {
        return Fact::bad(TOPIC, format!("{shown} is not a folder")).remedy("move it away");
    }
    let mut open = Vec::new();
    look(folder, &meta, DEPTH, &mut open);
    match open.first() {
        None => Fact::good(TOPIC, format!("{shown} is yours alone, and so is what is in it")),
        Some(first) => {
            let more = if open.len() > 1 { format!(" and {} more", open.len() - 1) } else { String::new() };
            Fact::bad(TOPIC, format!("{first}{more}"))
                .remedy(format!("chmod -R go= {shown}, and chown it to yourself"))
        }
    }
}

/// Adds what is wrong with a path and what is below it.
fn look(path: &Path, meta: &Metadata, depth: usize, wrong: &mut Vec<String>) {
    if !is_mine(meta) {
        wrong.push(format!("{} belongs to user {}, and is not used", path.display(), meta.uid()));
    } else if meta.mode() & 0o077 != 0 && !meta.is_symlink() {
        wrong.push(format!("{} is open to others (mode {:o})", path.display(), meta.mode() & 0o777));
    }
    if !meta.is_dir() || depth == 0 {
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten().take(ENTRIES) {
        if let Ok(meta) = entry.metadata() {
            look(&entry.path(), &meta, depth - 1, wrong);
        }
    }
}

fn is_mine(meta: &Metadata) -> bool {
    meta.uid() == Uid::effective().as_raw()
}
