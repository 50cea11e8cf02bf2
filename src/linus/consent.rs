//! Which Linus may be told of which host: what the user said, in a file of the state folder that is theirs to edit.
//!
//! One line each: `yes` or `no`, Linus's origin, the host. Only a yes that was read lets anything out: a file that
//! cannot be read, or belongs to another, is no yes.

use std::io;
use std::path::{Path, PathBuf};

use crate::private;

/// The newest that are kept: more hosts than anybody knows by name.
const LIMIT: usize = 10_000;
/// A larger file is not ours.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The host's name where there is none: what was piped into `--ask`.
pub const PIPED: &str = "-";

const HEADING: &str = "# Which Linus may be told of which host. A line that is deleted is asked again.\n";

#[derive(Debug, Clone)]
pub struct Consents {
    path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    yes: bool,
    origin: String,
    host: String,
}

impl Consents {
    /// The user's file; `None` where they have no state folder.
    pub fn of_user() -> Option<Self> {
        private::state_folder().map(|folder| Self::at(folder.join("consent")))
    }

    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// What the user said, if anything.
    pub fn get(&self, origin: &str, host: &str) -> io::Result<Option<bool>> {
        let lines = self.read()?;
        Ok(lines.iter().rev().find(|line| line.is_of(origin, host)).map(|line| line.yes))
    }

    /// Remembers what the user said, or forgets it with `None`. Another window may do the same at this moment.
    pub fn set(&self, origin: &str, host: &str, yes: Option<bool>) -> io::Result<()> {
        if [origin, host].iter().any(|word| word.is_empty() || word.contains(is_blank)) {
            return Err(io::Error::other("the host's name has blanks in it"));
        }
        private::folder(self.path.parent().unwrap_or(Path::new("/")))?;
        let _lock = private::lock(&self.path.with_extension("lock"))?;
        let mut lines = self.read()?;
        lines.retain(|line| !line.is_of(origin, host));
        lines.extend(yes.map(|yes| Line { yes, origin: origin.to_owned(), host: host.to_owned() }));
        lines.drain(..lines.len().saturating_sub(LIMIT));
        let text: String = lines.iter().map(Line::text).collect();
        private::replace(&self.path, (HEADING.to_owned() + &text).as_bytes())
    }

    fn read(&self) -> io::Result<Vec<Line>> {
        let bytes = private::read(&self.path, MAX_BYTES)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).lines().filter_map(Line::parse).collect())
    }
}

impl Line {
    /// Anything else than exactly this is no answer.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let yes = match words.next()? {
            "yes" => true,
            "no" => false,
            _ => return None,
        };
        let (origin, host) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(Self { yes, origin, host }).filter(|_| words.next().is_none())
    }

    fn text(&self) -> String {
        format!("{} {} {}\n", if self.yes { "yes" } else { "no" }, self.origin, self.host)
    }

    fn is_of(&self, origin: &str, host: &str) -> bool {
        self.origin == origin && self.host == host
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ORIGIN: &str = "https://linus.example:443";

    fn folder() -> PathBuf {
        nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-consent.XXXXXX")).expect("make a folder")
    }

    #[test]
    fn a_yes_holds_for_that_linus_and_that_host_until_it_is_forgotten() {
        let dir = folder();
        let (one, other) = (Consents::at(dir.join("s/consent")), Consents::at(dir.join("s/consent")));
        let get = |origin, host| one.get(origin, host).expect("read");
        assert_eq!(get(ORIGIN, "web1"), None);
        one.set(ORIGIN, "web1", Some(true)).expect("write");
        other.set(ORIGIN, "web2", Some(false)).expect("write");
        assert_eq!((get(ORIGIN, "web1"), get(ORIGIN, "web2")), (Some(true), Some(false)));
        assert_eq!((get("http://linus.example:80", "web1"), get(ORIGIN, "[web1]:2222")), (None, None));
        one.set(ORIGIN, "web1", None).expect("write");
        assert_eq!((get(ORIGIN, "web1"), get(ORIGIN, "web2")), (None, Some(false)));
        assert!(one.set(ORIGIN, "web1\nyes x y", Some(true)).is_err());
        fs::remove_dir_all(dir).expect("clean up");
    }

    #[test]
    fn what_is_no_line_of_ours_is_no_yes() {
        let dir = folder();
        let path = dir.join("consent");
        let text = format!(
            "yes\nyes {ORIGIN}\nYES {ORIGIN} a\nyes {ORIGIN} a b\nyes  {ORIGIN} a\n\0\nyes {ORIGIN} ok"
        );
        fs::write(&path, text).expect("write");
        let consents = Consents::at(path.clone());
        assert_eq!(consents.get(ORIGIN, "a").expect("read"), None);
        assert_eq!(consents.get(ORIGIN, "ok").expect("read"), Some(true));
        fs::remove_file(&path).expect("remove");
        std::os::unix::fs::symlink("/dev/null", &path).expect("link");
        assert!(consents.get(ORIGIN, "ok").is_err(), "a link");
        fs::remove_dir_all(dir).expect("clean up");
    }

    #[test]
    fn windows_that_answer_at_once_lose_no_answer() {
        let dir = folder();
        let path = dir.join("consent");
        std::thread::scope(|scope| {
            for n in 0..8 {
                let consents = Consents::at(path.clone());
                scope.spawn(move || {
                    for m in 0..5 {
                        consents.set(ORIGIN, &format!("h{n}-{m}"), Some(true)).expect("write");
                    }
                });
            }
        });
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(text.lines().filter(|line| line.starts_with("yes ")).count(), 40, "{text}");
        fs::remove_dir_all(dir).expect("clean up");
    }
}
