//! What was seen: values, rows read from output, and the tables that keep them.
//!
//! Bounded: a table keeps a fixed number of rows, a row a fixed length of text.

use crate::text::cut;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rows kept in a table. A plan looks at the largest of something; a few hundred are more than any screen.
pub(crate) const MAX_ROWS: usize = 512;
/// The longest text of a field: PATH_MAX on Linux.
const MAX_TEXT: usize = 4096;
/// The longest line that is kept for citing.
const MAX_LINE: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Count,
    Bytes,
    Percent,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64, Unit),
    Text(String),
    Row(Arc<Row>),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.len() > MAX_TEXT {
            // A cut name is a wrong name: the scar makes sure that it is never quoted into a command.
            text.truncate(cut(&text, MAX_TEXT).len());
            text.push('\u{fffd}');
        }
        Self::Text(text)
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n, _) => Some(*n),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(t) => Some(t),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }
}

/// One row of a table that a tool printed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    fields: Vec<(Cow<'static, str>, Value)>,
    /// The line that the row rests on, for citing.
    pub(crate) line: String,
    /// The row as it was when the plan began.
    pub(crate) was: Option<Arc<Row>>,
}

impl Row {
    pub(crate) fn new(line: &str) -> Self {
        Self { fields: Vec::new(), line: cut(line.trim(), MAX_LINE).replace('\t', "  "), was: None }
    }

    pub(crate) fn with(mut self, name: impl Into<Cow<'static, str>>, value: Value) -> Self {
        self.fields.push((name.into(), value));
        self
    }

    pub(crate) fn with_text(self, name: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        self.with(name, Value::text(text))
    }

    pub(crate) fn with_bytes(self, name: impl Into<Cow<'static, str>>, bytes: f64) -> Self {
        self.with(name, Value::Number(bytes, Unit::Bytes))
    }

    pub(crate) fn with_count(self, name: impl Into<Cow<'static, str>>, count: f64) -> Self {
        self.with(name, Value::Number(count, Unit::Count))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }

    /// A field as part of the key that tells rows apart.
    pub(crate) fn key(&self, name: &str) -> String {
        match self.get(name) {
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Number(number, _)) => number.to_string(),
            _ => String::new(),
        }
    }
}

/// Rows under their keys; a newer row takes the place of the older one with its key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    rows: BTreeMap<String, (u64, Arc<Row>)>,
    seen: u64,
}

impl Table {
    fn put(&mut self, key: String, mut row: Row) -> bool {
        self.seen += 1;
        let old = self.rows.get(&key).map(|(_, old)| old);
        row.was = old.map(|old| old.was.clone().unwrap_or_else(|| old.clone()));
        let is_news = old.is_none_or(|old| old.fields != row.fields);
        self.rows.insert(key, (self.seen, Arc::new(row)));
        if self.rows.len() > MAX_ROWS {
            let oldest = self.rows.iter().min_by_key(|(_, (seen, _))| *seen).map(|(key, _)| key.clone());
            oldest.map(|key| self.rows.remove(&key));
        }
        is_news
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Arc<Row>> {
        self.rows.values().map(|(_, row)| row)
    }

    /// The rows, the one that was read last first.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Arc<Row>> {
        let mut rows: Vec<_> = self.rows.values().collect();
        rows.sort_by_key(|(seen, _)| std::cmp::Reverse(*seen));
        rows.into_iter().map(|(_, row)| row)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Row>> {
        self.rows.get(key).map(|(_, row)| row)
    }
}

/// All tables of one plan, and its flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    tables: BTreeMap<&'static str, Table>,
    flags: BTreeSet<String>,
}

impl Facts {
    /// Keeps a row; whether it says anything new.
    pub(crate) fn put(&mut self, table: &'static str, key: String, row: Row) -> bool {
        self.tables.entry(table).or_default().put(key, row)
    }

    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    /// Keeps what other facts have, as newer than these.
    pub(crate) fn take(&mut self, other: Self) {
        for (name, table) in other.tables {
            let mut rows: Vec<_> = table.rows.into_iter().collect();
            rows.sort_by_key(|(_, (seen, _))| *seen);
            for (key, (_, row)) in rows {
                self.put(name, key, Arc::unwrap_or_clone(row));
            }
        }
        self.flags.extend(other.flags);
    }

    /// From now on `was` is what is known now: a plan measures its effect from its own start.
    pub(crate) fn begin(&mut self) {
        for table in self.tables.values_mut() {
            for (_, row) in table.rows.values_mut() {
                if row.was.is_some() {
                    let mut fresh = (**row).clone();
                    fresh.was = None;
                    *row = Arc::new(fresh);
                }
            }
        }
    }

    pub(crate) fn set_flag(&mut self, name: &str) -> bool {
        self.flags.insert(name.into())
    }

    pub(crate) fn has_flag(&self, name: &str) -> bool {
        self.flags.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_row_remembers_what_was_when_the_plan_began() {
        let mut facts = Facts::default();
        let row = |n| Row::new("l").with_count("n", n);
        assert!(facts.put("t", "k".into(), row(1.0)));
        assert!(facts.put("t", "k".into(), row(2.0)));
        facts.begin();
        assert!(facts.put("t", "k".into(), row(3.0)));
        assert!(!facts.put("t", "k".into(), row(3.0)), "the same again is no news");
        let row = facts.table("t").and_then(|t| t.get("k")).expect("kept");
        assert_eq!(row.was.as_ref().and_then(|w| w.number("n")), Some(2.0));
    }

    #[test]
    fn a_table_keeps_a_bounded_number_of_rows() {
        let mut facts = Facts::default();
        for i in 0..MAX_ROWS * 2 {
            facts.put("t", i.to_string(), Row::new("x"));
        }
        assert_eq!(facts.table("t").map(|t| t.rows().count()), Some(MAX_ROWS));
    }
}
