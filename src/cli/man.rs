//! aissh(1): the options from their definition, the keys from their table, the rest from `man.roff`.

use super::Cli;
use crate::ui;
use clap::CommandFactory;
use std::fmt::Write;

/// The page without options and keys; `@OPTIONS@` and `@KEYS@` say where they go.
const PAGE: &str = include_str!("man.roff");

/// The whole page, in man(7) macros.
pub(crate) fn page() -> String {
    PAGE.replace("@OPTIONS@", options().trim_end()).replace("@KEYS@", keys().trim_end())
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

fn keys() -> String {
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
