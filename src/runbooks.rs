//! The user's runbooks: finds and reads their files. What is in them the built-in Linus judges.

use crate::builtin::Builtin;
use crate::builtin::server::Server;
use crate::config;

/// Files that are looked at; a team's folder has some dozens.
const MAX_FILES: usize = 512;

/// The built-in Linus with the user's runbooks.
pub(crate) fn server() -> Server {
    let files = files();
    let (linus, _) = Builtin::with_runbooks(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    // What is wrong with a file he says himself, in his first answer; `--check` says it as well.
    Server::of(linus)
}

/// Every `*.toml` of the folder by its name, with its text. What cannot be read has none, and is told as a mistake.
pub(crate) fn files() -> Vec<(String, String)> {
    let Some(Ok(entries)) = config::runbooks_folder().map(std::fs::read_dir) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|e| e.path()));
    let mut paths: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    let text = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = config::read(path).unwrap_or_else(|why| format!("cannot be read: {why}"));
        (name, text)
    };
    paths.iter().take(MAX_FILES).map(text).collect()
}
