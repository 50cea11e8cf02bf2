//! `journalctl --disk-usage` and the verdict of a vacuum.

use super::Source;
use crate::builtin::facts::Row;
use crate::builtin::size;

pub(super) fn read(source: &Source<'_>) -> Vec<Row> {
    source.lines().iter().filter_map(|line| usage(line).or_else(|| vacuum(line))).collect()
}

/// "Archived and active journals take up 71.1M in the file system." (since 205), "Journals take up 8.0M on disk."
fn usage(line: &str) -> Option<Row> {
    let start =
        line.starts_with("Archived and active journals take up") || line.starts_with("Journals take up");
    let rest = line.split_once("take up ").filter(|_| start)?.1;
    let amount = size::parse(rest.split_whitespace().next()?)?;
    Some(Row::new(line).with_text("kind", "usage").with_bytes("bytes", amount.number))
}

/// "Vacuuming done, freed 55.2M of archived journals from /var/log/journal/…."
fn vacuum(line: &str) -> Option<Row> {
    let rest = line.strip_prefix("Vacuuming done, freed ")?;
    let amount = size::parse(rest.split_whitespace().next()?).filter(|a| a.number > 0.0)?;
    Some(Row::new(line).with_text("kind", "vacuum").with_bytes("bytes", amount.number))
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};

    #[test]
    fn usage_and_vacuum_are_read_and_nothing_else() {
        let rows = fixture::rows(Reader::Journal, &fixture::load("journal"), None);
        assert_eq!(rows[0].number("bytes").map(f64::round), Some((71.1f64 * 1048576.0).round()));
        let rows = fixture::rows(Reader::Journal, &fixture::load("vacuum"), None);
        assert_eq!(rows.iter().filter_map(|r| r.text("kind")).collect::<Vec<_>>(), ["vacuum"]);
        assert!(fixture::rows(Reader::Journal, "app: journals take up 8G, says he", None).is_empty());
    }
}
