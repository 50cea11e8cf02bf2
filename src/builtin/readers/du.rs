//! `du` listings as a tree: `-h`, `-k`, `-m`, `-b`, `-a`, `-s`, sorted or not, absolute or relative names.
//!
//! Without a `du` command in sight a listing counts only if it is one: a row that contains all the others and
//! is at least as large, or sizes with units. `uniq -c` and `wc -l` print the same columns, but only bare numbers.
//! Relative names without any directory (a listing piped in) stay relative, below `.`.

use super::Source;
use crate::builtin::command;
use crate::builtin::facts::{MAX_ROWS, Row, Value};
use crate::builtin::path::{absolute, is_under, parent};
use crate::builtin::size::{self, Amount};

/// One entry of a listing.
pub(super) struct Entry<'a> {
    pub(super) line: &'a str,
    pub(super) path: String,
    pub(super) bytes: f64,
    /// Has the looks of a file (`du -a`): nothing listed below it, and a file's name.
    pub(super) is_file: bool,
}

pub(super) struct Listing<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    root: String,
    /// Whether the root's children are all considered: not a mere sum.
    is_listed: bool,
    /// Whether it goes deeper than the root's children.
    is_deep: bool,
}

pub(super) fn read(source: &Source<'_>) -> Vec<Row> {
    listings(source).iter().flat_map(rows).collect()
}

fn rows(listing: &Listing<'_>) -> Vec<Row> {
    let row = |e: &Entry<'_>| {
        Row::new(e.line)
            .with_text("path", e.path.as_str())
            .with_bytes("bytes", e.bytes)
            .with_text("root", listing.root.as_str())
            .with("listed", Value::Bool(listing.is_listed))
            .with("deep", Value::Bool(listing.is_deep))
            .with("file", Value::Bool(e.is_file))
    };
    listing.entries.iter().map(row).collect()
}

/// Every listing in the text, its entries cut to the largest ones.
pub(super) fn listings<'a>(source: &Source<'a>) -> Vec<Listing<'a>> {
    let lines = source.lines();
    let mut listings = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        let mut block = Vec::new();
        while let Some(line) = lines.get(at) {
            match row(line) {
                Some(row) => block.push(row),
                // Errors stand between the rows: "du: cannot read directory '/x': Permission denied".
                None if line.starts_with("du: ") => {}
                None => break,
            }
            at += 1;
        }
        listings.extend(listing(source, start, &block));
        at = at.max(start + 1);
    }
    listings
}

fn row(line: &str) -> Option<(&str, Amount, &str)> {
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (amount, path) = line.split_once([' ', '\t'])?;
    let path = path.trim_start();
    (!path.is_empty()).then_some(())?;
    Some((line, size::parse(amount)?, path))
}

fn listing<'a>(
    source: &Source<'a>,
    start: usize,
    block: &[(&'a str, Amount, &'a str)],
) -> Option<Listing<'a>> {
    if block.is_empty() {
        return None;
    }
    let hint = source.hint(start);
    let arguments = hint.and_then(|h| command::arguments(h, "du"));
    if arguments.as_ref().is_some_and(|a| command::has_option(a, '\0', "inodes")) {
        return None;
    }
    // A terminal's text has no tabs: with them, this is a pipe, and its directory is the reader's own.
    let is_raw = hint.is_none() && source.cwd.is_none() && block.iter().all(|(line, ..)| line.contains('\t'));
    let directory = source.directory(hint);
    let unit = unit(block, arguments.as_deref());
    let mut entries: Vec<Entry<'a>> = block
        .iter()
        // `du -c` ends with a row named "total", which is no path.
        .filter(|(_, _, path)| path.starts_with('/') || ((arguments.is_some() || is_raw) && *path != "total"))
        .filter_map(|&(line, amount, path)| {
            let bytes = if amount.has_unit { amount.number } else { amount.number * unit };
            let path = absolute(path, directory.as_deref()).or_else(|| relative(path).filter(|_| is_raw))?;
            Some(Entry { line, path, bytes, is_file: false })
        })
        .collect();
    entries.sort_by(|a, b| b.bytes.total_cmp(&a.bytes).then(a.path.len().cmp(&b.path.len())));
    let (root, has_root) = root(&entries)?;
    let is_tree = has_root && entries.len() > 1 && is_consistent(&entries, &root);
    let is_one = matches!(block, [(_, amount, path)] if amount.has_unit && !path.contains(' '));
    let has_units = block.iter().all(|(_, amount, _)| amount.has_unit || amount.number == 0.0);
    let are_siblings = !has_root && entries.len() > 1 && has_units;
    if arguments.is_none() && !is_tree && !is_one && !are_siblings {
        return None;
    }
    let is_deep = entries.iter().any(|e| depth(&e.path, &root) > 1);
    let by_find = hint.is_some_and(|h| command::arguments(h, "find").is_some());
    mark_files(&mut entries, arguments.as_deref(), is_deep, by_find);
    let is_sum = arguments.as_ref().is_some_and(|a| is_sum(a));
    let is_listed =
        (entries.len() > 1 && (has_root || !by_find)) || (arguments.is_some() && has_root && !is_sum);
    entries.truncate(MAX_ROWS / 2);
    Some(Listing { entries, root, is_listed, is_deep })
}

/// A relative name below `.`, in one form.
fn relative(name: &str) -> Option<String> {
    let name = name.strip_prefix("./").unwrap_or(name).trim_end_matches('/');
    let is_plain = !name.is_empty() && !name.starts_with('/') && !name.split('/').any(|part| part == "..");
    is_plain.then(|| if name == "." { name.into() } else { format!("./{name}") })
}

fn is_sum(arguments: &[String]) -> bool {
    let depth_0 = arguments.iter().any(|a| matches!(a.as_str(), "--max-depth=0" | "-d0"));
    depth_0 || command::has_option(arguments, 's', "summarize")
}

/// Bare numbers are blocks of 1024 bytes unless an option or another row's unit says otherwise.
fn unit(block: &[(&str, Amount, &str)], arguments: Option<&[String]>) -> f64 {
    let option = |short, long| arguments.is_some_and(|a| command::has_option(a, short, long));
    if block.iter().any(|(_, amount, _)| amount.has_unit) || option('b', "bytes") {
        1.0
    } else if option('m', "") {
        1048576.0
    } else {
        1024.0
    }
}

/// The path that contains all the others, and whether it is an entry itself.
fn root(entries: &[Entry<'_>]) -> Option<(String, bool)> {
    let shortest = entries.iter().map(|e| e.path.as_str()).min_by_key(|p| p.len())?;
    if entries.iter().all(|e| is_under(&e.path, shortest)) {
        return Some((shortest.into(), true));
    }
    let parent = parent(shortest)?;
    entries.iter().all(|e| is_under(&e.path, parent)).then(|| (parent.into(), false))
}

/// A directory is at least as large as its largest entry and as the sum of its direct ones; sums of rounded
/// numbers may be a tenth too large.
fn is_consistent(entries: &[Entry<'_>], root: &str) -> bool {
    let Some(total) = entries.iter().find(|e| e.path == root).map(|e| e.bytes) else { return false };
    let direct: f64 = entries.iter().filter(|e| depth(&e.path, root) == 1).map(|e| e.bytes).sum();
    entries.iter().all(|e| e.bytes <= total) && direct <= total * 1.1 + 8192.0
}

fn depth(path: &str, root: &str) -> usize {
    let below = path.strip_prefix(root.trim_end_matches('/')).unwrap_or("");
    below.split('/').filter(|p| !p.is_empty()).count()
}

/// Which entries may be files. Only listings that can contain some: `-a`, operands one by one, or unknown.
fn mark_files(entries: &mut [Entry<'_>], arguments: Option<&[String]>, is_deep: bool, by_find: bool) {
    let possible = match arguments {
        Some(a) => by_find || command::has_option(a, 'a', "all") || is_sum(a),
        None => is_deep,
    };
    if !possible {
        return;
    }
    let parents: std::collections::HashSet<String> =
        entries.iter().filter_map(|e| parent(&e.path)).map(Into::into).collect();
    let has_name = if arguments.is_some() { has_file_name } else { is_surely_file };
    for entry in entries {
        entry.is_file = !parents.contains(&entry.path) && has_name(&entry.path);
    }
}

fn has_file_name(path: &str) -> bool {
    const LOGS: [&str; 8] = ["syslog", "messages", "secure", "maillog", "debug", "dmesg", "btmp", "wtmp"];
    let name = path.rsplit('/').next().unwrap_or(path);
    if LOGS.contains(&name) || name.starts_with("ibdata") {
        return true;
    }
    // `cron.d` and the like are directories.
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && end != "d"
            && (1..=8).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Where nothing says that files are listed at all: `python3.11` and `app-1.2.3` are directories, a log is not.
fn is_surely_file(path: &str) -> bool {
    const ENDS: [&str; 29] = [
        "log", "gz", "xz", "bz2", "zst", "zip", "tar", "tgz", "deb", "rpm", "iso", "img", "qcow2", "vmdk",
        "journal", "sql", "dump", "sqlite", "ibd", "jar", "war", "out", "err", "bak", "old", "swp", "mp4",
        "csv", "json",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, end)) if end.bytes().all(|b| b.is_ascii_digit()) => {
            stem.ends_with(".log") || !stem.contains('.') && has_file_name(stem)
        }
        Some((_, end)) => has_file_name(path) && ENDS.contains(&end),
        None => has_file_name(path),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};
    use super::*;

    fn du(text: &str, command: Option<&str>, cwd: Option<&str>) -> Vec<(String, u64)> {
        Reader::Du
            .read(&Source::new(text, command, cwd))
            .iter()
            .map(|r| {
                (r.text("path").unwrap_or("").into(), (r.number("bytes").unwrap_or(-1.0) / 1048576.0) as u64)
            })
            .collect()
    }

    #[test]
    fn sorted_listings_of_every_unit_are_trees_without_a_hint() {
        assert_eq!(du(&fixture::load("du-var"), None, None)[1], ("/var/log".into(), 542));
        assert_eq!(du(&fixture::load("bb-du"), None, None)[0].0, "/var");
        let k = du(&fixture::load("du-k"), None, None);
        assert_eq!(k[0].0, "/var/log");
        assert!((520..560).contains(&k[0].1), "{k:?}");
        assert_eq!(du(&fixture::load("du-denied"), None, None)[0].0, "/var", "errors stand between the rows");
    }

    #[test]
    fn files_of_du_a_are_told_from_directories() {
        let rows =
            fixture::rows(Reader::Du, &fixture::load("du-ah"), Some("du -ah /var | sort -rh | head -20"));
        let file =
            |p: &str| rows.iter().find(|r| r.text("path") == Some(p)).and_then(|r| r.get("file")).cloned();
        assert_eq!(file("/var/log/nginx/error.log"), Some(Value::Bool(true)));
        assert_eq!(file("/var/log/syslog.1"), Some(Value::Bool(true)));
        assert_eq!(file("/var/log/nginx"), Some(Value::Bool(false)));
        assert_eq!(file("/var/cache/apt/archives"), Some(Value::Bool(false)));
    }

    #[test]
    fn without_the_command_a_version_in_a_name_makes_no_file() {
        let text = "4.9G\t/usr\n3.9G\t/usr/lib\n900M\t/usr/lib/python3.11\n3M\t/usr/lib/x.log\n2M\t/usr/lib/syslog.1\n";
        let rows = fixture::rows(Reader::Du, text, None);
        let files: Vec<&str> = rows
            .iter()
            .filter(|r| r.get("file").is_some_and(Value::is_true))
            .filter_map(|r| r.text("path"))
            .collect();
        assert_eq!(files, ["/usr/lib/x.log", "/usr/lib/syslog.1"]);
    }

    #[test]
    fn relative_names_need_the_command_and_the_directory() {
        let text = fixture::load("du-rel");
        assert!(du(&text, None, Some("/var")).is_empty());
        assert!(du(&text, Some("du -sh *"), None).is_empty());
        assert_eq!(du(&text, Some("du -sh *"), Some("/var"))[0], ("/var/log".into(), 542));
        assert_eq!(du(&text, Some("cd /var && du -sh *"), Some("/root"))[0].0, "/var/log");
        assert!(du("4.0K\t../x\n", Some("du -sh ../x"), Some("/var")).is_empty());
    }

    #[test]
    fn a_listing_that_was_piped_in_may_be_relative_or_without_its_sum() {
        assert_eq!(du("3.0G\t./log\n1.0G\t./lib\n4.0G\t.\n", None, None)[1], ("./log".into(), 3072));
        assert_eq!(du(&fixture::load("du-rel"), None, None)[0], ("./log".into(), 542));
        assert_eq!(du("3.9G\t/usr/lib\n0\t/usr/x\n900M\t/usr/share\n", None, None)[0].0, "/usr/lib");
        assert!(du("3.9G\t../lib\n1G\t../bin\n", None, None).is_empty());
        assert!(du("12\tcommits by ada\n3\tcommits by bob\n", None, None).is_empty(), "bare numbers");
        assert!(du("542M    log\n71M    cache\n", None, None).is_empty(), "no tabs: a terminal's text");
    }

    #[test]
    fn counts_of_lines_are_no_sizes() {
        assert!(du("1532 /index.html\n900 /favicon.ico\n", None, None).is_empty());
        assert!(du("12 /a\n13 /a/b\n", None, None).is_empty(), "a child larger than its parent");
        assert!(du(&fixture::load("find-printf"), None, None).is_empty());
    }

    #[test]
    fn a_mere_sum_does_not_list_its_directory() {
        let rows =
            fixture::rows(Reader::Du, &fixture::load("du-apt"), Some("du -sh /var/cache/apt/archives"));
        assert_eq!(rows[0].get("listed"), Some(&Value::Bool(false)));
        let rows = fixture::rows(
            Reader::Du,
            &fixture::load("du-nginx"),
            Some("du -xh --max-depth=1 -- /var/log/nginx"),
        );
        assert!(rows[0].get("listed").is_some_and(Value::is_true));
    }
}
