//! The era of each server from one process to the next, so that a legacy one is not asked the modern question at every
//! start of ssh: a small file in the state folder. It is a hint; what it says is checked by the handshake itself.

use std::path::PathBuf;

use super::revision::Era;
use crate::private;

/// More servers are not remembered; the oldest are forgotten.
const SERVERS_LIMIT: usize = 100;
/// A larger file is not ours.
const BYTES_LIMIT: u64 = 64 * 1024;
/// Origins are at most as long as a host name and a port.
const KEY_LIMIT: usize = 300;

/// What is remembered of one server; by default nothing, and nothing is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remembered(Option<Entry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    file: PathBuf,
    key: String,
}

impl Remembered {
    /// In `file`, one `legacy KEY` or `modern KEY` a line, the latest last. The key is an origin or stands for a
    /// command: a path or an argument may hold a secret.
    pub fn new(file: PathBuf, key: &str) -> Self {
        let is_plain = !key.is_empty() && key.len() <= KEY_LIMIT && key.bytes().all(|b| b.is_ascii_graphic());
        Self(is_plain.then(|| Entry { file, key: key.to_owned() }))
    }

    pub(crate) fn get(&self) -> Option<Era> {
        let entry = self.0.as_ref()?;
        entry.read().into_iter().rev().find(|(key, _)| *key == entry.key).map(|(_, era)| era)
    }

    /// Remembers, or forgets. What cannot be written is only found out again.
    pub(crate) fn set(&self, era: Option<Era>) {
        let Some(entry) = &self.0 else { return };
        if self.get() == era {
            return;
        }
        let mut known = entry.read();
        known.retain(|(key, _)| *key != entry.key);
        known.extend(era.map(|era| (entry.key.clone(), era)));
        known.drain(..known.len().saturating_sub(SERVERS_LIMIT));
        let text: String = known.iter().map(|(key, era)| format!("{} {key}\n", word(*era))).collect();
        if let Some(folder) = entry.file.parent()
            && private::folder(folder).is_ok()
        {
            let _ = private::replace(&entry.file, text.as_bytes());
        }
    }
}

impl Entry {
    fn read(&self) -> Vec<(String, Era)> {
        let bytes = private::read(&self.file, BYTES_LIMIT).ok().flatten().unwrap_or_default();
        let line = |line: &str| match line.split_once(' ')? {
            ("legacy", key) => Some((key.to_owned(), Era::Legacy)),
            ("modern", key) => Some((key.to_owned(), Era::Modern)),
            _ => None,
        };
        String::from_utf8_lossy(&bytes).lines().filter_map(line).collect()
    }
}

fn word(era: Era) -> &'static str {
    match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_era_is_there_for_the_next_process_and_for_this_user_alone() {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-eras.XXXXXX")).unwrap();
        let file = dir.join("state/eras");
        let of = |key: &str| Remembered::new(file.clone(), key);
        assert_eq!(of("http://a:1").get(), None);
        of("http://a:1").set(Some(Era::Legacy));
        of("http://b:1").set(Some(Era::Modern));
        of("http://a:1").set(Some(Era::Modern));
        of("http://c:1").set(Some(Era::Legacy));
        of("http://c:1").set(None);
        let eras = ["http://a:1", "http://b:1", "http://c:1"].map(|key| of(key).get());
        assert_eq!(eras, [Some(Era::Modern), Some(Era::Modern), None]);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        for n in 0..300 {
            of(&format!("http://h:{n}")).set(Some(Era::Legacy));
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), SERVERS_LIMIT);
        std::fs::write(&file, "odd\nlegacy\nlegacy http://x:1\n\0\n").unwrap();
        assert_eq!(of("http://x:1").get(), Some(Era::Legacy));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_key_that_is_no_word_is_not_remembered() {
        for key in ["", "a b", "a\nb", "ü", &"x".repeat(301)] {
            assert_eq!(Remembered::new(PathBuf::from("/nonexistent/eras"), key), Remembered::default());
        }
        Remembered::default().set(Some(Era::Legacy));
        assert_eq!(Remembered::default().get(), None);
    }
}
