//! Audit logs read back: one by its id, or what there is to choose from. Lines that are not ours or torn are counted
//! and skipped.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::entry::{Entry, Event};
use crate::private;

/// Larger than any that is written.
const FILE_LIMIT: u64 = 64 * 1024 * 1024;

/// A log, oldest entry first.
#[derive(Debug, Default, PartialEq)]
pub struct Logged {
    pub entries: Vec<Entry>,
    /// Lines that could not be read: torn by a kill, or of a later version.
    pub torn: usize,
}

/// What [`find`] came to.
#[derive(Debug)]
pub enum Found {
    One(Logged),
    /// No log, or more than one, has an id that begins so. The newest, as `ID  time  target`.
    Choose(Vec<String>),
}

/// The log whose id is `id` or begins with it; `last` is the newest.
pub fn find(folder: &Path, id: &str) -> io::Result<Found> {
    let mut known = ids(folder)?;
    known.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let mut matching = known.iter().filter(|(_, known)| known.starts_with(id));
    let chosen = match (id, matching.next(), matching.next()) {
        ("last", ..) => known.first(),
        (_, Some(one), None) if !id.is_empty() => Some(one),
        _ => None,
    };
    match chosen {
        Some((_, id)) => read(folder, id).map(Found::One),
        None => Ok(Found::Choose(known.iter().take(10).map(|(_, id)| title(folder, id)).collect())),
    }
}

/// Reads the lines of a log.
pub fn parse(bytes: &[u8]) -> Logged {
    let mut logged = Logged::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(entry) => logged.entries.push(entry),
            Err(_) => logged.torn += 1,
        }
    }
    logged
}

fn ids(folder: &Path) -> io::Result<Vec<(SystemTime, String)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(io::Error::new(e.kind(), format!("{}: {e}", folder.display()))),
    };
    let id = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let id = name.strip_suffix(".jsonl").filter(|id| !id.contains('.'))?.to_owned();
        Some((entry.metadata().ok()?.modified().ok()?, id))
    };
    Ok(entries.flatten().filter_map(id).collect())
}

/// Both files of a session as one.
fn read(folder: &Path, id: &str) -> io::Result<Logged> {
    let mut whole = Logged::default();
    for name in [format!("{id}.1.jsonl"), format!("{id}.jsonl")] {
        if let Some(bytes) = private::read(&folder.join(name), FILE_LIMIT)? {
            let part = parse(&bytes);
            whole.entries.extend(part.entries);
            whole.torn += part.torn;
        }
    }
    Ok(whole)
}

fn title(folder: &Path, id: &str) -> String {
    let first = read(folder, id).ok().and_then(|logged| logged.entries.into_iter().next());
    match first {
        Some(Entry { time, event: Event::Session { target, .. } }) => {
            let target = crate::text::sanitize(&target).into_owned();
            format!("{id}  {}  {target}", humantime::format_rfc3339_seconds(time))
        }
        _ => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_costs_itself_only() {
        let whole = "{\"time\":\"2026-11-30T12:00:00.000Z\",\"event\":\"asked\",\"text\":\"why?\"}\n";
        let both = whole.repeat(2);
        for cut in 0..=whole.len() {
            let logged = parse(&both.as_bytes()[..whole.len() + cut]);
            // Without its line feed the last one is whole, but for it.
            let expected = if cut + 1 >= whole.len() { (2, 0) } else { (1, usize::from(cut > 0)) };
            assert_eq!((logged.entries.len(), logged.torn), expected, "{cut}");
        }
    }

    #[test]
    fn what_is_not_ours_is_counted_and_never_panics() {
        let logged =
            parse(b"\0\xff\n{\"event\":\"later\",\"time\":\"2026-11-30T12:00:00Z\"}\n[]\n\n{\"time\":1}");
        assert_eq!((logged.entries.len(), logged.torn), (0, 4));
    }

    #[test]
    fn an_id_is_found_by_its_beginning_and_what_is_unknown_offers_the_newest() {
        let folder = std::env::temp_dir().join(format!("aissh-read-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        assert!(matches!(find(&folder, "last"), Ok(Found::Choose(none)) if none.is_empty()));
        private::folder(&folder).expect("made");
        let line = |target: &str| {
            format!(
                "{{\"time\":\"2026-11-30T12:00:00.000Z\",\"event\":\"session\",\"version\":1,\"aissh\":\"0\",\
                 \"session_id\":\"i\",\"target\":\"{target}\",\"linus\":\"l\"}}\n"
            )
        };
        private::replace(&folder.join("abc.jsonl"), line("joe@one").as_bytes()).expect("written");
        private::replace(&folder.join("abd.jsonl"), line("joe@two").as_bytes()).expect("written");
        private::replace(&folder.join("abd.1.jsonl"), line("joe@two").as_bytes()).expect("written");
        let Ok(Found::One(one)) = find(&folder, "abd") else { panic!("not found") };
        assert_eq!(one.entries.len(), 2, "both of its files");
        for unclear in ["ab", "x", ""] {
            let Ok(Found::Choose(list)) = find(&folder, unclear) else { panic!("{unclear} found one") };
            assert_eq!(list.len(), 2);
            assert!(list.iter().any(|line| line == "abc  2026-11-30T12:00:00Z  joe@one"), "{list:?}");
        }
        assert!(matches!(find(&folder, "last"), Ok(Found::One(_))));
        fs::remove_dir_all(folder).expect("clean up");
    }
}
