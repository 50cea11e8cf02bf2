//! The directory tree that `du` listings show, followed to where the space is.

use super::super::facts::{Row, Table};
use super::super::path::parent;
use std::collections::HashMap;
use std::sync::Arc;

/// A child that holds at least this share of its parent is followed; below it the space is spread.
const SHARE: f64 = 0.5;
/// Deepest descent: paths are bounded, and so is the patience of a person who lists level by level.
const MAX_LEVELS: usize = 32;

/// From `start` down, always to the child that dominates, as far as the listings go.
pub(crate) fn descend(table: &Table, start: &str) -> String {
    // By directory: its largest child, and the sum of the children where its own size was not printed.
    let mut children: HashMap<&str, (&Arc<Row>, f64)> = HashMap::new();
    for row in table.rows() {
        let Some(parent) = row.text("path").and_then(parent) else { continue };
        let bytes = |r: &Row| r.number("bytes").unwrap_or(0.0);
        let (best, sum) = children.entry(parent).or_insert((row, 0.0));
        *sum += bytes(row);
        if bytes(row) > bytes(best) {
            *best = row;
        }
    }
    let mut at = start.to_owned();
    for _ in 0..MAX_LEVELS {
        let Some((child, sum)) = children.get(at.as_str()) else { break };
        let total = table.get(&at).and_then(|r| r.number("bytes")).unwrap_or(*sum);
        let is_file = child.get("file").is_some_and(|f| f.is_true());
        let dominates = child.number("bytes").is_some_and(|bytes| bytes >= total * SHARE && bytes > 0.0);
        match child.text("path") {
            Some(path) if dominates && !is_file => at = path.into(),
            _ => break,
        }
    }
    at
}

/// Whether what lies directly below `path` was seen: listed on its own, or part of a listing that goes deeper.
pub(crate) fn is_listed(table: &Table, path: &str) -> bool {
    let is_true = |row: &Row, name| row.get(name).is_some_and(|v| v.is_true());
    table.rows().any(|row| {
        let is_child = row.text("path").and_then(parent) == Some(path);
        (row.text("root") == Some(path) && is_true(row, "listed")) || (is_child && is_true(row, "deep"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::Facts;
    use super::super::super::readers::{Reader, fixture};
    use super::*;

    fn facts(outputs: &[(&str, Option<&str>)]) -> Facts {
        let mut facts = Facts::default();
        for (name, command) in outputs {
            for row in fixture::rows(Reader::Du, &fixture::load(name), *command) {
                facts.put("du", row.text("path").expect("path").into(), row);
            }
        }
        facts
    }

    #[test]
    fn each_listing_leads_one_level_down_until_files_dominate() {
        let du = "du -xh --max-depth=1 -- x";
        let mut seen = vec![("du-var", Some(du))];
        for (next, listed) in [("/var/log", "du-log"), ("/var/log/nginx", "du-nginx")] {
            let facts = facts(&seen);
            let table = facts.table("du").expect("du");
            assert_eq!(descend(table, "/var"), next);
            assert!(!is_listed(table, next));
            seen.push((listed, Some(du)));
        }
        let facts = facts(&seen);
        let table = facts.table("du").expect("du");
        assert_eq!(descend(table, "/var"), "/var/log/nginx");
        assert!(is_listed(table, "/var/log/nginx"));
        assert_eq!(descend(table, "/nowhere"), "/nowhere");
    }

    #[test]
    fn one_deep_listing_does_it_all() {
        let facts = facts(&[("du-ah", Some("du -ah /var | sort -rh | head -20"))]);
        let table = facts.table("du").expect("du");
        assert_eq!(descend(table, "/var"), "/var/log/nginx");
        assert!(is_listed(table, "/var/log/nginx") && is_listed(table, "/var"));
    }
}
