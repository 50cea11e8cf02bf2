//! What the user said to the shell integration, by host: a small file in the state folder. It chooses words and is
//! never a reason to type anything.

use std::cell::OnceCell;
use std::io;
use std::path::{Path, PathBuf};

use crate::private;

/// More hosts are not remembered; the oldest are forgotten.
const HOSTS: usize = 1000;
/// A larger file is not ours.
const MAX_BYTES: u64 = 1024 * 1024;

/// The file, one `yes user@host` or `no user@host` a line, the latest last. It is read when it is first asked: most
/// sessions never do.
pub(super) struct Answers {
    path: Option<PathBuf>,
    known: OnceCell<Vec<(String, bool)>>,
}

impl Answers {
    /// The usual file; without a state folder nothing is remembered.
    pub(super) fn of_user() -> Self {
        Self::at(private::state_folder().map(|folder| folder.join("integration")))
    }

    fn at(path: Option<PathBuf>) -> Self {
        Self { path, known: OnceCell::new() }
    }

    fn read(&self) -> Vec<(String, bool)> {
        self.path.as_deref().map(read).unwrap_or_default()
    }

    pub(super) fn get(&self, target: &str) -> Option<bool> {
        let known = self.known.get_or_init(|| self.read());
        known.iter().rev().find(|(host, _)| host == target).map(|(_, yes)| *yes)
    }

    /// Remembers an answer, also for the sessions to come.
    pub(super) fn set(&mut self, target: &str, yes: bool) -> io::Result<()> {
        if target.is_empty() || target.contains(char::is_whitespace) || self.get(target) == Some(yes) {
            return Ok(());
        }
        // Another session may have written since.
        let mut known = self.read();
        known.retain(|(host, _)| host != target);
        known.push((target.to_owned(), yes));
        known.drain(..known.len().saturating_sub(HOSTS));
        let written = self.path.as_deref().map_or(Ok(()), |path| write(path, &known));
        self.known = OnceCell::from(known);
        written
    }
}

/// A file that cannot be read is as good as none: the user is asked anew.
fn read(path: &Path) -> Vec<(String, bool)> {
    let Ok(Some(bytes)) = private::read(path, MAX_BYTES) else { return Vec::new() };
    let line = |line: &str| match line.split_once(' ')? {
        ("yes", host) => Some((host.to_owned(), true)),
        ("no", host) => Some((host.to_owned(), false)),
        _ => None,
    };
    String::from_utf8_lossy(&bytes).lines().filter_map(line).collect()
}

/// Whole or not at all, and for this user alone.
fn write(path: &Path, known: &[(String, bool)]) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    private::folder(folder)?;
    let word = |yes: bool| if yes { "yes" } else { "no" };
    let text: String = known.iter().map(|(host, yes)| format!("{} {host}\n", word(*yes))).collect();
    private::replace(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> PathBuf {
        nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-answers.XXXXXX")).expect("make a folder")
    }

    #[test]
    fn an_answer_is_there_in_the_next_session_and_for_this_user_alone() {
        let dir = folder();
        let path = dir.join("state/integration");
        let mut one = Answers::at(Some(path.clone()));
        let mut other = Answers::at(Some(path.clone()));
        assert_eq!(one.get("joe@web1"), None);
        one.set("joe@web1", true).expect("write");
        other.set("joe@web2", false).expect("write");
        one.set("joe@web1", false).expect("write");
        let next = Answers::at(Some(path.clone()));
        assert_eq!((next.get("joe@web1"), next.get("joe@web2")), (Some(false), Some(false)));
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&dir.join("state"))), (0o600, 0o700));
        fs::remove_dir_all(dir).expect("clean up");
    }

    #[test]
    fn what_is_no_file_of_ours_is_no_answer() {
        let dir = folder();
        fs::write(dir.join("integration"), "yes\nmaybe a@b\n\0\nyes c@d\n").expect("write");
        let answers = Answers::at(Some(dir.join("integration")));
        assert_eq!((answers.get("a@b"), answers.get("c@d")), (None, Some(true)));
        assert_eq!(Answers::at(Some(dir.clone())).get("c@d"), None, "a folder");
        fs::remove_dir_all(dir).expect("clean up");
    }
}
