//! The settings in force and where each comes from, for `--show-config`. Never a secret.

use serde_json::{Value, json};
use std::fmt::Write;

use super::Config;
use super::keys::{KEYS, Key, Kind};
use super::schema::value_of;
use crate::linus::oauth::shown;
use crate::linus::redact::{Options, Redactor};
use crate::text::sanitize;

/// Variables that stand beside the file.
const ENVIRONMENT: [&str; 3] = ["AISSH", "AISSH_SSH", "NO_COLOR"];
/// Stands for what is not shown.
const HIDDEN: &str = "…";

/// Where a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The file, on this line.
    Line(usize),
    /// An option on the command line.
    Flag(&'static str),
}

/// One key in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub key: &'static Key,
    /// Null where it is not set.
    pub value: Value,
    pub origin: Origin,
}

/// What the command line sets, by key: its option and its value.
pub type Flags<'a> = &'a [(&'static str, &'static str, Option<String>)];

impl Config {
    /// Every setting, for the host that was given by a name and goes by these, or for none.
    pub fn settings(&self, given: Option<&str>, names: &[&str], flags: Flags<'_>) -> Vec<Setting> {
        let of_host = serde_json::to_value(self.for_host(given, names)).unwrap_or_default();
        let setting = |key: &'static Key| {
            let flag = flags.iter().find_map(|(path, option, value)| {
                value.as_ref().filter(|_| *path == key.path).map(|value| (json!(value), Origin::Flag(option)))
            });
            let in_file = || {
                let value = value_of(key, &of_host).cloned().unwrap_or_default();
                (value, self.origin(key, given, names))
            };
            let (value, origin) = flag.unwrap_or_else(in_file);
            Setting { key, value: harmless(key, value, self), origin }
        };
        KEYS.iter().map(setting).collect()
    }

    fn origin(&self, key: &Key, given: Option<&str>, names: &[&str]) -> Origin {
        let line = match self.section_of(key.path, given, names) {
            Some(section) if key.by_host => self.written.line_in_host(section, key.path),
            _ => self.written.line(key.path),
        };
        line.map_or(Origin::Default, Origin::Line)
    }
}

/// A value without what could be a secret: the question of an address, the arguments of a command that prints a token,
/// and what looks like one anywhere.
fn harmless(key: &Key, value: Value, config: &Config) -> Value {
    let patterns = config.redact.patterns.clone();
    let mut redactor = Redactor::new(Options { patterns, ..Options::default() });
    let mut clean = |text: &str| redactor.redact(text).map_or_else(|_| HIDDEN.to_owned(), |done| done.text);
    match value {
        Value::String(text) if key.path.ends_with("url") => clean(&shown(&text)).into(),
        Value::String(text) => clean(&text).into(),
        Value::Array(words) if key.path != "redact.patterns" && key.kind == Kind::List => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let line = words.join(" ");
            let is_bare = key.path.ends_with("token_command") && words.len() > 1;
            if is_bare || clean(&line) != line { json!([words.first(), HIDDEN]) } else { json!(words) }
        }
        other => other,
    }
}

/// The settings as a configuration file in which comments say where they come from.
pub fn text(config: &Config, settings: &[Setting], is_for_host: bool) -> String {
    let file =
        config.file().map_or_else(|| "no configuration file".to_owned(), |path| path.display().to_string());
    let mut out = format!("# {file}\n");
    for Setting { key, value, origin } in settings {
        let origin = match origin {
            _ if value.is_null() => "not set".to_owned(),
            Origin::Default => "default".to_owned(),
            Origin::Line(line) => format!("line {line}"),
            Origin::Flag(option) => (*option).to_owned(),
        };
        let comment = if value.is_null() { "# " } else { "" };
        let assigned = if value.is_null() { String::new() } else { format!(" = {value}") };
        let _ = writeln!(out, "{:<40} # {origin}", format!("{comment}{}{assigned}", key.path));
    }
    for (name, value) in environment() {
        let value = value.map_or_else(|| "is not set".to_owned(), |value| format!("is {value}"));
        let _ = writeln!(out, "# In the environment, {name} {value}");
    }
    if !is_for_host && !config.hosts.is_empty() {
        let _ = writeln!(
            out,
            "# Sections for some hosts: {}. Name one to see what holds there.",
            config.hosts.len()
        );
    }
    out.lines().map(|line| sanitize(line).into_owned() + "\n").collect()
}

/// The same for programs.
pub fn json(config: &Config, settings: &[Setting]) -> Value {
    let settings = settings.iter().map(|Setting { key, value, origin }| {
        let mut setting = json!({"key": key.path, "value": value});
        match origin {
            Origin::Default => setting["from"] = json!("default"),
            Origin::Line(line) => {
                setting["from"] = json!("file");
                setting["line"] = json!(line);
            }
            Origin::Flag(option) => {
                setting["from"] = json!("flag");
                setting["flag"] = json!(option);
            }
        }
        setting
    });
    let environment: serde_json::Map<String, Value> =
        environment().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    json!({
        "file": config.file().map(|path| path.to_string_lossy()),
        "settings": settings.collect::<Vec<_>>(),
        "environment": environment
    })
}

fn environment() -> impl Iterator<Item = (&'static str, Option<String>)> {
    ENVIRONMENT
        .into_iter()
        .map(|name| (name, std::env::var_os(name).map(|v| v.to_string_lossy().into_owned())))
}
