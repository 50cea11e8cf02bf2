//! Counts by path: `find -printf '%h\n' | sort | uniq -c | sort -rn`.

use super::Source;
use crate::builtin::command;
use crate::builtin::facts::{MAX_ROWS, Row};

pub(super) fn read(source: &Source<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut inside = false;
    for (i, line) in source.lines().iter().enumerate() {
        let Some((count, path)) = row(line) else {
            inside = false;
            continue;
        };
        // `uniq -c` counts anything; only directories that `find` printed are meant.
        inside = inside
            || source.hint(i).is_some_and(|h| {
                command::arguments(h, "uniq").is_some() && command::arguments(h, "find").is_some()
            });
        if inside && rows.len() < MAX_ROWS {
            rows.push(Row::new(line).with_text("path", path).with_count("count", count));
        }
    }
    rows
}

fn row(line: &str) -> Option<(f64, &str)> {
    let (count, path) = line.trim_start().split_once(' ')?;
    let is_count = count.len() <= 12 && count.bytes().all(|b| b.is_ascii_digit());
    let count = if is_count { count.parse().ok()? } else { return None };
    path.starts_with('/').then_some((count, path))
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};

    #[test]
    fn only_counts_of_directories_are_read() {
        let text = fixture::load("ino-count");
        let command = "find /srv -xdev -printf '%h\\n' | sort | uniq -c | sort -rn | head -20";
        let rows = fixture::rows(Reader::Counts, &text, Some(command));
        assert_eq!((rows[0].text("path"), rows[0].number("count")), (Some("/srv/sessions"), Some(1011.0)));
        assert!(
            fixture::rows(Reader::Counts, &text, Some("awk '{print $7}' access.log | sort | uniq -c"))
                .is_empty()
        );
    }
}
