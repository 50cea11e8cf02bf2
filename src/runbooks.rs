//! The user's runbooks: finds and reads their files. What is in them the built-in Linus judges.

use crate::builtin::Builtin;
use crate::builtin::server::Server;
use crate::config;
use std::io;
use std::path::Path;

/// Files that are looked at; a team's folder has some dozens.
const MAX_FILES: usize = 512;

/// The built-in Linus with the user's runbooks. What is wrong with one he says himself, in his first answer; `--check` says
/// it as well, and which cannot be read.
pub(crate) fn server() -> Server {
    let files = files();
    let read = files.iter().filter_map(|(name, text)| Some((name.as_str(), text.as_deref().ok()?)));
    let (linus, _) = Builtin::with_runbooks(read);
    Server::of(linus)
}

/// Every `*.toml` of the folder by its name, with its text, or why it cannot be read.
pub(crate) fn files() -> Vec<(String, io::Result<String>)> {
    let Some(Ok(entries)) = config::runbooks_folder().map(std::fs::read_dir) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|e| e.path()));
    let mut paths: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().take(MAX_FILES).map(|path| (name(path), config::read(path))).collect()
}
