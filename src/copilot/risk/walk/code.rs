//! Small languages in arguments: sed scripts, awk programs, SQL, and one-liners of the large ones.
//!
//! No parsers: each looks for the few things that write, run or delete, and what it cannot follow is not low.

use super::super::shell::UNKNOWN;
use super::super::verdict::{Class, Finding};
use crate::linus::contract::Risk;

/// What a sed script does beside editing its output.
pub(super) enum SedAct {
    Found(Finding),
    Writes(String),
    Runs(String),
}

/// `w` and `e`, as commands and as flags of `s`. Addresses and other commands are walked over.
pub(super) fn sed(script: &str) -> Vec<SedAct> {
    let mut acts = Vec::new();
    for line in script.split('\n') {
        let mut rest = line;
        while !rest.is_empty() {
            rest = sed_command(rest, &mut acts);
        }
    }
    if script.contains(UNKNOWN) && acts.is_empty() {
        // A variable in the text of a substitution is common, and could hold an `e` only if it held the whole end.
        let ends_unknown = script.ends_with(UNKNOWN) || script.starts_with(UNKNOWN);
        if ends_unknown {
            acts.push(SedAct::Found(Finding::new(Class::Unknown, "sed: part of the script is not known")));
        }
    }
    acts
}

/// Reads one command; the value is what is left of the line.
fn sed_command<'a>(text: &'a str, acts: &mut Vec<SedAct>) -> &'a str {
    let text = skip_addresses(text);
    let Some(command) = text.chars().next() else { return "" };
    let rest = &text[command.len_utf8()..];
    match command {
        's' => return sed_substitute(rest, acts),
        'y' => return after_parts(rest, 2),
        'w' | 'W' => {
            let path = rest.trim();
            acts.push(SedAct::Found(Finding::new(Class::Change, format!("sed: writes {path}"))));
            acts.push(SedAct::Writes(path.to_owned()));
        }
        'e' => {
            acts.push(SedAct::Found(Finding::new(
                Class::Change,
                "sed: its e command runs what is in the text",
            )));
            acts.push(SedAct::Runs(rest.trim().to_owned()));
        }
        // To the end of the line: text, labels, files to read, comments.
        'a' | 'i' | 'c' | 'r' | 'R' | ':' | '#' => {}
        'b' | 't' | 'T' | 'q' | 'Q' | 'l' | 'L' => {
            return rest.split_once(';').map_or("", |(_, rest)| rest);
        }
        _ => return rest,
    }
    ""
}

fn skip_addresses(text: &str) -> &str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, ' ' | ',' | '$' | '~' | '+' | '!' | ';' | '{' | '}' | 'I' | 'M')
        });
        rest = match trimmed.chars().next() {
            Some('/') => after_parts(trimmed, 1),
            Some('\\') => after_parts(&trimmed[1..], 1),
            _ if trimmed.len() == rest.len() => return rest,
            _ => trimmed,
        };
    }
}

/// Behind `count` parts that end in the first character.
fn after_parts(text: &str, count: usize) -> &str {
    let mut chars = text.char_indices();
    let Some((_, delimiter)) = chars.next() else { return "" };
    let (mut left, mut escaped) = (count, false);
    for (at, c) in chars {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == delimiter {
            left -= 1;
            if left == 0 {
                return &text[at + c.len_utf8()..];
            }
        }
    }
    ""
}

fn sed_substitute<'a>(text: &'a str, acts: &mut Vec<SedAct>) -> &'a str {
    let flags = after_parts(text, 2);
    for (at, c) in flags.char_indices() {
        match c {
            'e' => {
                let reason = "sed: the flag e runs the result as a command";
                acts.push(SedAct::Found(Finding::new(Class::Change, reason).at(Risk::High)));
                let delimiter = text.chars().next().unwrap_or('/');
                acts.extend(text.split(delimiter).nth(2).map(|line| SedAct::Runs(line.to_owned())));
            }
            'w' => {
                let path = flags[at + 1..].trim();
                acts.push(SedAct::Found(Finding::new(Class::Change, format!("sed: writes {path}"))));
                acts.push(SedAct::Writes(path.to_owned()));
                return "";
            }
            ';' | '}' => return &flags[at + 1..],
            _ => {}
        }
    }
    ""
}

/// Programs that print, and those that write, run or send.
pub(super) fn awk(program: &str) -> Vec<Finding> {
    // Printing to the error output is printing.
    let program = &program.replace("> \"/dev/stderr\"", "").replace(">\"/dev/stderr\"", "");
    let code = without_strings(program);
    let mut found = Vec::new();
    let mut note = |class, level, reason: &str| found.push(Finding::new(class, reason).at(level));
    if code.contains("system") || program.contains("|&") {
        note(Class::Unknown, Risk::High, "awk: runs other commands");
    }
    // `|` outside of strings is a pipe to or from a command, unless it is `||`.
    if code.replace("||", "").contains('|') {
        note(Class::Unknown, Risk::High, "awk: pipes to or from a command");
    }
    let prints_to = code.split(['\n', ';', '{', '}']).any(|statement| {
        statement.contains("print") && statement.split("print").skip(1).any(|rest| rest.contains('>'))
    });
    if prints_to {
        note(Class::Change, Risk::Medium, "awk: prints into a file");
    }
    if program.contains("/inet") {
        note(Class::Egress, Risk::Medium, "awk: opens a network connection");
    }
    if code.contains("@load") || code.contains("@include") {
        note(Class::Unknown, Risk::Medium, "awk: loads other code");
    }
    found
}

/// What stands outside of double-quoted strings.
fn without_strings(program: &str) -> String {
    let (mut code, mut quoted, mut escaped) = (String::new(), false, false);
    for c in program.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ if !quoted => code.push(c),
            _ => {}
        }
    }
    // Where the strings do not add up, everything counts.
    if quoted { program.to_owned() } else { code }
}

/// The texts in quotes.
pub(super) fn strings(program: &str) -> impl Iterator<Item = &str> {
    // What is between two quotes of any kind; what is outside of them is read too, and finds nothing.
    program.split(['"', '\'', '`']).filter(|text| text.contains(' '))
}

/// What a database's client gives to a shell: `\! LINE`, `system LINE`.
pub(super) fn sql_escape(text: &str) -> Option<&str> {
    let text = text.trim();
    let line = text.strip_prefix("\\!").or_else(|| text.strip_prefix("system "))?;
    Some(line.trim())
}

/// Without what is in single quotes, where the quotes add up.
fn without_texts(statement: &str) -> String {
    let parts: Vec<&str> = statement.split('\'').collect();
    if parts.len().is_multiple_of(2) {
        statement.to_owned()
    } else {
        parts.into_iter().step_by(2).collect::<Vec<_>>().join(" ")
    }
}

/// By the first word of each statement.
pub(super) fn sql(name: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for statement in text.split(';').map(str::trim).filter(|s| !s.is_empty()) {
        let upper = without_texts(statement).to_uppercase();
        let words: Vec<&str> =
            upper.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\\' || c == '.')).collect();
        let has = |word: &str| words.contains(&word);
        let first = words.iter().find(|w| !w.is_empty()).copied().unwrap_or_default();
        let (class, level, what) = match first {
            "DROP" | "TRUNCATE" | "DELETE" | "PURGE" => (Class::Destructive, Risk::High, "deletes data"),
            "GRANT" | "REVOKE" => (Class::Privilege, Risk::High, "changes who may do what"),
            "SHUTDOWN" => (Class::Destructive, Risk::High, "stops the server"),
            "UPDATE" if !has("WHERE") => (Class::Destructive, Risk::High, "changes every row"),
            _ if has("DROP") || has("DELETE") || has("TRUNCATE") => {
                (Class::Destructive, Risk::High, "deletes data")
            }
            "SELECT" | "WITH" | "SHOW" | "EXPLAIN" | "DESCRIBE" | "DESC" | "TABLE" | "VALUES" | "USE"
            | "PRAGMA" | ".TABLES" | ".SCHEMA" | "\\L" | "\\D" | "\\DT" | "\\DU" | "\\DI" | "\\DN"
            | "\\CONNINFO" | "\\TIMING" | "\\X" | "STATUS" | "\\S" => select(&upper, &words),
            _ => (Class::Change, Risk::Medium, "changes data or settings"),
        };
        found.push(Finding::new(class, format!("{name}: {what}")).at(level));
    }
    if text.contains(UNKNOWN) {
        found.push(Finding::new(Class::Unknown, format!("{name}: part of the statement is not known")));
    }
    found
}

/// Reading, unless a function or a clause in it does more.
fn select(upper: &str, words: &[&str]) -> (Class, Risk, &'static str) {
    const ACTS: &[&str] = &[
        "PG_TERMINATE_BACKEND",
        "PG_CANCEL_BACKEND",
        "INSERT",
        "UPDATE",
        "SETVAL",
        "NEXTVAL",
        "LO_UNLINK",
        "DBLINK",
        "PG_RELOAD_CONF",
        "SLEEP",
        "PG_SLEEP",
        "LO_EXPORT",
        "LO_IMPORT",
        "PG_ADVISORY_LOCK",
        "ALTER",
        "CREATE",
        "PG_SWITCH_WAL",
        "PG_PROMOTE",
        "SET_CONFIG",
        "LOAD_EXTENSION",
        "WRITEFILE",
    ];
    const SECRETS: &[&str] = &[
        "PG_SHADOW",
        "PG_AUTHID",
        "PASSWORD",
        "PASSWD",
        "AUTHENTICATION_STRING",
        "ROLPASSWORD",
        "SECRET",
        "TOKEN",
        "API_KEY",
        "PASSWORD_HASH",
        "PG_READ_FILE",
        "LOAD_FILE",
        "CREDENTIALS",
        "PASSWORDS",
        "SECRETS",
        "TOKENS",
    ];
    if upper.contains("INTO OUTFILE") || upper.contains("INTO DUMPFILE") || words.contains(&"INTO") {
        return (Class::Change, Risk::Medium, "writes what it selects");
    }
    if words.iter().any(|word| ACTS.contains(word)) || upper.contains("FOR UPDATE") {
        return (Class::Change, Risk::Medium, "calls what changes something");
    }
    if words.iter().any(|word| SECRETS.contains(word)) {
        return (Class::Secret, Risk::High, "reads secrets");
    }
    if words.first() == Some(&"PRAGMA") && upper.contains('=') {
        return (Class::Change, Risk::Medium, "changes a setting");
    }
    (Class::ReadOnly, Risk::Low, "only reads")
}

/// A program in a large language: never low, and high where it plainly deletes, runs or sends.
pub(super) fn program(name: &str, text: &str) -> Vec<Finding> {
    const DELETES: &[&str] = &[
        "rmtree",
        "unlink",
        "os.remove",
        "rmdir",
        "removedirs",
        "FileUtils.rm",
        "rmSync",
        "File.delete",
        "truncate",
    ];
    const RUNS: &[&str] = &[
        "os.system",
        "subprocess",
        "popen",
        "exec(",
        "eval(",
        "system(",
        "spawn",
        "`",
        "execSync",
        "pty.",
        "fork",
        "qx",
        "exec ",
        "system ",
    ];
    const SENDS: &[&str] =
        &["socket", "urllib", "requests.", "http", "fetch(", "Net::", "LWP", "smtp", "ftplib"];
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let mut found = vec![Finding::new(Class::Unknown, format!("{name}: a program that is not read here"))];
    if has(DELETES) {
        found.push(Finding::new(Class::Destructive, format!("{name}: the program deletes files")));
    }
    if has(RUNS) {
        found.push(Finding::new(Class::Unknown, format!("{name}: the program runs commands")).at(Risk::High));
    }
    if has(SENDS) {
        found.push(Finding::new(Class::Egress, format!("{name}: the program talks to the network")));
    }
    found
}
