//! aissh(1): the options from their definition, the keys and the settings from their tables, the rest from `man.roff`.

use super::Cli;
use crate::config::{self, keys};
use crate::ui;
use clap::CommandFactory;
use std::fmt::Write;

/// The page without what is in tables; `@OPTIONS@`, `@KEYS@` and `@CONFIGURATION@` say where that goes.
const PAGE: &str = include_str!("man.roff");

/// The whole page, in man(7) macros.
pub(crate) fn page() -> String {
    PAGE.replace("@OPTIONS@", options().trim_end())
        .replace("@KEYS@", bindings().trim_end())
        .replace("@CONFIGURATION@", configuration().trim_end())
}

fn options() -> String {
    let mut out = String::from(".SH OPTIONS\n");
    for option in Cli::command().get_arguments().filter(|a| a.get_long().is_some()) {
        let value = option.get_value_names().and_then(|names| names.first());
        let value = value.filter(|_| option.get_action().takes_values());
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = write!(out, ".TP\n.B \\-\\-{}\n", escaped(option.get_long().unwrap_or_default()));
        if let Some(value) = value {
            // On the tag's line, but not bold.
            out.truncate(out.len() - 1);
            let _ = writeln!(out, " \\fI{}\\fR", escaped(value));
        }
        let _ = writeln!(out, "{}.", escaped(&help));
    }
    out
}

fn bindings() -> String {
    let mut out = String::new();
    let rows = ui::PREFIX.iter().map(|binding| (binding.label, binding.help));
    for (label, help) in rows {
        let _ = write!(out, ".TP\n.B {}\n{}\n", escaped(label), escaped(help));
    }
    for (title, rows) in [("In the panel", ui::PANEL), ("Looking back in the terminal", ui::LOOKING_BACK)] {
        let _ = write!(out, ".PP\n{title}:\n");
        for (label, help) in rows {
            let _ = write!(out, ".TP\n.B {}\n{}\n", escaped(label), escaped(help));
        }
    }
    out
}

/// Each key of the file: what its value is, what it is where nobody sets it, and what it means.
fn configuration() -> String {
    let mut out = String::new();
    let defaults = config::defaults();
    for key in keys::KEYS {
        let default = config::value_of(key, &defaults).map(|default| format!("; default {default}"));
        let host = if key.by_host { "; by host" } else { "" };
        let about = format!("{}{}{host}", key.kind.words(), default.unwrap_or_default());
        let _ = write!(out, ".TP\n.B {}\\fR ({})\n", escaped(key.path), escaped(&about));
        let _ = writeln!(out, "{}", marked(key.help));
    }
    let _ = write!(
        out,
        ".TP\n.B [[host]] match\\fR (text)\n{}\n{}\n",
        marked(keys::HOST_HELP),
        marked(keys::MATCH_HELP)
    );
    out
}

/// Sentences a line each, words in backquotes bold.
fn marked(help: &str) -> String {
    let parts = help.split('`').enumerate().map(|(i, part)| match i % 2 {
        0 => escaped(part),
        _ => format!("\\fB{}\\fR", escaped(part)),
    });
    // A line that begins with a dot or an apostrophe would be a request.
    parts.collect::<String>().replace(". ", ".\n").replace("\n.", "\n\\&.").replace("\n'", "\n\\&'")
}

/// Text for roff: its escape character, and the signs that have names there.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('↔', "\\(<>")
        .replace('↑', "\\(ua")
        .replace('↓', "\\(da")
        .replace('←', "\\(<-")
        .replace('→', "\\(->")
        .replace('…', "\\&...")
}
