//! Deleted files that a process still holds open: `lsof +L1`, `lsof | grep deleted`, and `ls -l` of `/proc/*/fd`.

use super::Source;
use crate::builtin::facts::Row;
use regex::Regex;
use std::sync::LazyLock;

static LSOF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // COMMAND PID [TID TASKCMD] USER FD TYPE DEVICE SIZE/OFF [NLINK] NODE NAME
    Regex::new(concat!(
        r"^(?P<name>\S+)\s+(?P<pid>\d+)\s+(?:\d+\s+\S+\s+)?(?P<user>\S+)\s+(?P<fd>\d+|txt|mem|DEL|cwd)\S*\s+REG\s+\S+\s+",
        r"(?P<size>\d+)\s+(?:(?P<links>0)\s+)?\d+\s+(?P<path>/.*?)(?P<gone> \(deleted\))?$"
    ))
    .ok()
});

static PROC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^l.*\s/proc/(?P<pid>\d+)/fd/(?P<fd>\d+) -> (?P<path>/.*) \(deleted\)$").ok()
});

pub(super) fn read(source: &Source<'_>) -> Vec<Row> {
    source.lines().iter().filter_map(|line| lsof(line).or_else(|| proc(line))).collect()
}

fn lsof(line: &str) -> Option<Row> {
    if !line.contains(" REG ") {
        return None;
    }
    let found = LSOF.as_ref()?.captures(line)?;
    if found.name("gone").is_none() && found.name("links").is_none() {
        return None;
    }
    let size = found["size"].parse().ok()?;
    Some(
        row(line, &found["pid"], &found["fd"], &found["path"])
            .with_bytes("bytes", size)
            .with_text("name", &found["name"]),
    )
}

fn proc(line: &str) -> Option<Row> {
    if !line.contains("(deleted)") {
        return None;
    }
    let found = PROC.as_ref()?.captures(line)?;
    Some(row(line, &found["pid"], &found["fd"], &found["path"]).with_text("name", "a process"))
}

fn row(line: &str, pid: &str, fd: &str, path: &str) -> Row {
    Row::new(line).with_text("pid", pid).with_text("fd", fd).with_text("path", path)
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};

    #[test]
    fn the_same_file_is_read_from_lsof_grep_and_proc() {
        for name in ["lsof", "lsof-all", "lsof-grep", "proc-fd"] {
            let rows = fixture::rows(Reader::Deleted, &fixture::load(name), None);
            assert_eq!(rows.len(), 1, "{name}");
            assert_eq!(rows[0].text("path"), Some("/var/log/app-debug.log"), "{name}");
            assert_eq!(rows[0].text("fd"), Some("3"), "{name}");
            let size = rows[0].number("bytes");
            assert_eq!(size, (name != "proc-fd").then_some(62914560.0), "{name}");
        }
    }

    #[test]
    fn open_files_that_still_exist_are_not_deleted() {
        let line = "python3 12628 root    3w   REG    7,0 62914560     1 2875 /var/log/app-debug.log";
        assert!(fixture::rows(Reader::Deleted, line, None).is_empty());
    }
}
