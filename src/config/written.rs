//! What a configuration file says and where: each key with its line, and the first that there is none of.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::keys::{self, MATCH};

/// The lines on which keys stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    general: BTreeMap<&'static str, usize>,
    /// A section each, in the order of the file.
    hosts: Vec<BTreeMap<&'static str, usize>>,
}

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) line: usize,
    pub(super) key: Option<String>,
    pub(super) message: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        write!(f, "line {}: {key}{}", self.line, self.message)
    }
}

/// The line, from 1, of a byte of the text.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

impl Written {
    /// Looks for every key of `table`, which was read from `text`.
    pub(super) fn read(table: &DeTable<'_>, text: &str) -> Result<Self, Complaint> {
        let mut walk = Walk { text, faults: Vec::new() };
        let mut this = Self { general: walk.section(table, false), hosts: Vec::new() };
        if let Some(sections) = table.get("host") {
            let sections = sections.get_ref().as_array().map(|array| array.iter()).into_iter().flatten();
            let tables = sections.filter_map(|section| section.get_ref().as_table());
            this.hosts = tables.map(|table| walk.section(table, true)).collect();
        }
        // Tables are sorted by name; the user reads from the top.
        match walk.faults.into_iter().min_by_key(|fault| fault.line) {
            Some(fault) => Err(fault),
            None => Ok(this),
        }
    }

    /// The line of a general key.
    pub(super) fn line(&self, path: &str) -> Option<usize> {
        self.general.get(path).copied()
    }

    /// The key on this line, if there is one.
    pub(super) fn key_on(&self, line: usize) -> Option<&'static str> {
        let mut all = std::iter::once(&self.general).chain(&self.hosts).flatten();
        all.find(|(_, at)| **at == line).map(|(path, _)| *path)
    }

    /// The line of a key in the section of this number.
    pub(super) fn line_in_host(&self, section: usize, path: &str) -> Option<usize> {
        self.hosts.get(section)?.get(path).copied()
    }
}

/// A walk through the tables of a file.
struct Walk<'a> {
    text: &'a str,
    faults: Vec<Complaint>,
}

impl Walk<'_> {
    fn section(&mut self, table: &DeTable<'_>, is_host: bool) -> BTreeMap<&'static str, usize> {
        let mut lines = BTreeMap::new();
        self.table(table, "", is_host, &mut lines);
        lines
    }

    fn table(
        &mut self,
        table: &DeTable<'_>,
        prefix: &str,
        is_host: bool,
        lines: &mut BTreeMap<&'static str, usize>,
    ) {
        for (name, value) in table.iter() {
            let path =
                if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{name}") };
            let at = name.span();
            match (keys::find(&path), value.get_ref()) {
                // Read on their own; where they are none, serde says so.
                (None, _) if prefix.is_empty() && path == if is_host { MATCH } else { "host" } => {}
                (Some(key), _) if is_host && !key.by_host => {
                    self.fault(at, path, "this key is for all hosts, not for some".to_owned());
                }
                (Some(key), _) => {
                    lines.insert(key.path, line_of(self.text, at.start));
                }
                (None, DeValue::Table(inner)) if keys::is_table(&path) => {
                    self.table(inner, &path, is_host, lines);
                }
                (None, _) if keys::is_table(&path) => {
                    self.fault(at, path.clone(), format!("this is a table: [{path}]"));
                }
                (None, _) => {
                    let message = unknown(&path);
                    self.fault(at, path, message);
                }
            }
        }
    }

    fn fault(&mut self, at: Range<usize>, key: String, message: String) {
        self.faults.push(Complaint { line: line_of(self.text, at.start), key: Some(key), message });
    }
}

fn unknown(path: &str) -> String {
    match keys::nearest(path) {
        Some(meant) if keys::is_table(meant) => format!("there is no such table; did you mean [{meant}]?"),
        Some(meant) => format!("there is no such key; did you mean {}?", spelt(meant)),
        None => "there is no such key; aissh(1) lists all under CONFIGURATION".to_owned(),
    }
}

/// As it stands in a file: `url in [linus]`.
fn spelt(path: &str) -> String {
    path.rsplit_once('.').map_or_else(|| path.to_owned(), |(table, name)| format!("{name} in [{table}]"))
}
