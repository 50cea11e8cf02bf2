//! `df` in its forms: `-h`, `-k`, `-P`, `-T`, `-i`, BusyBox, BSD; wrapped long device names; rows through `grep`.
//!
//! A row counts only if its numbers agree (`used / (used + available)` is the percentage) and a header or a `df`
//! command stands above the block: a line of a log that mentions `98% /var` is not a row.

use super::Source;
use crate::builtin::command;
use crate::builtin::facts::{Row, Unit, Value};
use crate::builtin::size::{self, Amount};

/// Two significant digits (`9.8G`) leave the percentage uncertain by this much; bare numbers by rounding only.
const TOLERANCE_ROUNDED: f64 = 7.0;
const TOLERANCE_EXACT: f64 = 2.0;

struct Raw<'a> {
    line: &'a str,
    filesystem: String,
    amounts: [Amount; 3],
    percent: f64,
    mount: &'a str,
}

pub(super) fn read(source: &Source<'_>, inodes: bool) -> Vec<Row> {
    let lines = source.lines();
    let mut rows = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        let mut block = Vec::new();
        while let Some((raw, used)) = row_at(lines, at) {
            block.push(raw);
            at += used;
        }
        if block.is_empty() {
            at += 1;
        } else {
            finish(source, start, &block, inodes, &mut rows);
        }
    }
    rows
}

/// The row at line `at` and how many lines it takes: a long device name stands on a line of its own.
fn row_at<'a>(lines: &[&'a str], at: usize) -> Option<(Raw<'a>, usize)> {
    let line = *lines.get(at)?;
    if line.contains('%') {
        return columns(line, None).map(|raw| (raw, 1));
    }
    let is_name = !line.is_empty() && !line.contains(char::is_whitespace);
    let next =
        lines.get(at + 1).filter(|n| is_name && n.starts_with(char::is_whitespace) && n.contains('%'))?;
    columns(next, Some(line)).map(|raw| (raw, 2))
}

fn columns<'a>(line: &'a str, name: Option<&str>) -> Option<Raw<'a>> {
    let words: Vec<(usize, &str)> = words(line);
    let first = if name.is_some() { 3 } else { 4 };
    let (i, percent) =
        words.iter().enumerate().skip(first).find_map(|(i, (_, w))| Some((i, percentage(w)?)))?;
    let amount = |back: usize| words.get(i.checked_sub(back)?).and_then(|(_, w)| size::parse(w));
    let amounts = [amount(3)?, amount(2)?, amount(1)?];
    let mut mount = i + 1;
    // BSD and macOS print the inode columns between the capacity and the mount point.
    if words.get(mount + 2).is_some_and(|(_, w)| percentage(w).is_some()) {
        mount += 3;
    }
    let mount = line.get(words.get(mount)?.0..)?;
    let filesystem = match name {
        Some(name) => name.to_owned(),
        None => words[..i - 3].iter().map(|(_, w)| *w).collect::<Vec<_>>().join(" "),
    };
    mount.starts_with('/').then_some(Raw { line, filesystem, amounts, percent, mount })
}

fn words(line: &str) -> Vec<(usize, &str)> {
    // Twelve columns are the most that any df has; mount points with spaces are taken from the line itself.
    let start = line.as_ptr() as usize;
    line.split_whitespace().take(16).map(|w| (w.as_ptr() as usize - start, w)).collect()
}

fn percentage(word: &str) -> Option<f64> {
    let digits = word.strip_suffix('%')?;
    let is_number = (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

/// A header in any language: several words, no path, and `Use%` or a block size.
fn is_header(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    words.len() >= 5
        && !words.iter().any(|w| w.starts_with('/'))
        && words.iter().any(|w| {
            let percent = w.strip_suffix('%').is_some_and(|w| w.chars().any(char::is_alphabetic));
            percent || ["1024", "512-", "1K", "1M", "1G"].iter().any(|size| w.starts_with(size))
        })
}

fn finish(source: &Source<'_>, start: usize, block: &[Raw<'_>], inodes: bool, rows: &mut Vec<Row>) {
    let lines = source.lines();
    let header =
        start.checked_sub(1).and_then(|l| lines.get(l)).copied().filter(|l| is_header(l)).unwrap_or("");
    let hint = source.hint(if header.is_empty() { start } else { start - 1 });
    let arguments = hint.and_then(|h| command::arguments(h, "df"));
    if header.is_empty() && arguments.is_none() {
        return;
    }
    let lower = header.to_lowercase();
    let counts_inodes = lower.contains("inode") && !lower.contains("iused")
        || lower.contains("iuse%")
        || header.is_empty() && arguments.as_ref().is_some_and(|a| command::has_option(a, 'i', "inodes"));
    if counts_inodes != inodes {
        return;
    }
    let has_units = block.iter().any(|r| r.amounts.iter().any(|a| a.has_unit));
    let unit = if has_units || inodes { 1.0 } else { block_size(header) };
    let is_typed = arguments.as_ref().is_some_and(|a| command::has_option(a, 'T', "print-type"))
        || block.iter().all(|r| r.filesystem.contains(' '));
    let operands: Vec<&str> = arguments.iter().flat_map(|a| command::operands(a)).collect();
    let is_filtered = hint.is_some_and(|h| h.contains("grep"));
    let whole = match &arguments {
        Some(_) => operands.is_empty() && !is_filtered,
        None => block.len() >= 3,
    };
    let asked = if let ([operand], [_]) = (operands.as_slice(), block) { *operand } else { "" };
    for raw in block.iter().filter(|raw| agrees(raw, has_units)) {
        let [size, used, avail] = raw.amounts.map(|a| Value::Number(a.number * unit, amount_unit(inodes)));
        let (filesystem, kind) = match raw.filesystem.rsplit_once(' ') {
            Some((filesystem, kind)) if is_typed => (filesystem, kind),
            _ => (raw.filesystem.as_str(), ""),
        };
        rows.push(
            Row::new(&join(raw))
                .with_text("filesystem", filesystem)
                .with_text("type", kind)
                .with("size", size)
                .with("used", used)
                .with("avail", avail)
                .with("use", Value::Number(raw.percent, Unit::Percent))
                .with_text("mount", raw.mount)
                .with("fixed", Value::Bool(is_fixed(filesystem, kind, raw.mount)))
                .with("whole", Value::Bool(whole))
                .with("hinted", Value::Bool(arguments.is_some()))
                .with_text("of", asked),
        );
    }
}

fn amount_unit(inodes: bool) -> Unit {
    if inodes { Unit::Count } else { Unit::Bytes }
}

fn join(raw: &Raw<'_>) -> String {
    if raw.line.starts_with(char::is_whitespace) {
        format!("{} {}", raw.filesystem, raw.line.trim_start())
    } else {
        raw.line.to_owned()
    }
}

fn block_size(header: &str) -> f64 {
    let has = |text: &str| header.split_whitespace().any(|w| w.starts_with(text));
    // POSIX without -k, and BSD, count blocks of 512 bytes; `df -m` and `-BG` say so in the header.
    match () {
        () if has("512") => 512.0,
        () if has("1M") => 1048576.0,
        () if has("1G") => 1073741824.0,
        () => 1024.0,
    }
}

fn agrees(raw: &Raw<'_>, has_units: bool) -> bool {
    let [size, used, avail] = raw.amounts.map(|a| a.number);
    if size <= 0.0 || used > size * 1.1 {
        return false;
    }
    let usable = used + avail;
    let tolerance = if has_units { TOLERANCE_ROUNDED } else { TOLERANCE_EXACT };
    usable > 0.0 && (used / usable * 100.0 - raw.percent).abs() <= tolerance
}

/// Filesystems that are full by nature (snaps, images) or that show another one once more (container layers).
fn is_fixed(filesystem: &str, kind: &str, mount: &str) -> bool {
    matches!(kind, "squashfs" | "iso9660" | "overlay" | "efivarfs" | "erofs" | "udf")
        || matches!(filesystem, "overlay" | "efivarfs" | "squashfs" | "shm")
        || (filesystem.starts_with("/dev/loop") && (mount.starts_with("/snap/") || mount.contains("/snapd/")))
        || mount.starts_with("/sys/")
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};

    fn df(text: &str, command: Option<&str>) -> Vec<(String, f64, f64)> {
        fixture::rows(Reader::Df, text, command)
            .iter()
            .map(|r| {
                let number = |n| r.number(n).unwrap_or(f64::NAN);
                (r.text("mount").unwrap_or("").into(), number("use"), (number("used") / 1048576.0).round())
            })
            .collect()
    }

    #[test]
    fn every_form_of_the_same_full_filesystem_reads_the_same() {
        for name in ["df-h", "df-all", "df-k", "df-P", "df-hT", "bb-df", "bb-df-long"] {
            let rows = df(&fixture::load(name), None);
            let var = rows.iter().find(|r| r.0 == "/var").unwrap_or_else(|| panic!("{name}: {rows:?}"));
            assert_eq!(var.1, 100.0, "{name}");
            assert!((723.0..=724.0).contains(&var.2), "{name}: {var:?}");
        }
    }

    #[test]
    fn types_are_told_from_device_names() {
        let rows = fixture::rows(Reader::Df, &fixture::load("df-hT"), None);
        let var = rows.iter().find(|r| r.text("mount") == Some("/var")).expect("there");
        assert_eq!((var.text("filesystem"), var.text("type")), (Some("/dev/loop0"), Some("ext4")));
    }

    #[test]
    fn long_device_names_may_wrap() {
        let rows = df(&fixture::load("mount-tmpfs"), None);
        assert_eq!(rows.iter().filter(|r| r.0 == "/mnt/long").count(), 3, "{rows:?}");
    }

    #[test]
    fn inodes_are_another_table() {
        let text = fixture::load("ino-df-i");
        assert!(df(&text, None).is_empty());
        let rows = fixture::rows(Reader::Inodes, &text, None);
        assert_eq!(rows.first().and_then(|r| r.number("use")), Some(100.0));
        assert_eq!(rows.first().and_then(|r| r.number("size")), Some(1024.0));
        assert!(fixture::rows(Reader::Inodes, &fixture::load("df-h"), None).is_empty());
    }

    #[test]
    fn headers_in_other_languages_are_headers() {
        let text = "Dateisystem    Größe Benutzt Verf. Verw% Eingehängt auf\n/dev/sda1        45G     42G  1,2G   98% /\n";
        assert_eq!(df(text, None).first().map(|r| (r.0.clone(), r.1)), Some(("/".into(), 98.0)));
    }

    #[test]
    fn a_row_through_grep_needs_the_command() {
        let row = "/dev/sdb1        20G   20G     0 100% /var\n";
        assert!(df(row, None).is_empty());
        assert_eq!(df(row, Some("df -h | grep var")).len(), 1);
        assert_eq!(df(&format!("root@web:~# df -h | grep var\n{row}"), None).len(), 1);
    }

    #[test]
    fn text_that_mentions_a_percentage_is_no_row() {
        for line in [
            "Nov 30 00:31:02 web app[3]: disk 98% /var",
            "WARN usage 20G 19G 1G 12% /var",
            "98% /var",
            "a b c d e% /var",
        ] {
            assert!(
                df(&format!("Filesystem Size Used Avail Use% Mounted on\n{line}\n"), None).is_empty(),
                "{line}"
            );
        }
    }

    #[test]
    fn mount_points_with_spaces_and_bsd_columns_are_read() {
        // From documentation: df on macOS.
        let text = "Filesystem     512-blocks      Used Available Capacity iused ifree %iused  Mounted on\n\
                    /dev/disk3s5    965595304 915595304  50000000    95%    1000  9000   10%   /System/Volumes/My Data\n";
        let rows = df(text, None);
        assert_eq!(rows.first().map(|r| r.0.as_str()), Some("/System/Volumes/My Data"));
        assert_eq!(rows.first().map(|r| r.2), Some((915595304.0f64 / 2048.0).round()));
    }
}
