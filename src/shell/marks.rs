//! OSC payloads in which a shell says what it does: 133, 633, 3008, 7, 1337, 9;9 and window titles.
//!
//! Parsing only. Anything on the remote can print these, so a mark is a claim; the tracker decides what it is
//! worth. What is not understood is `None`, never an error.

mod context;
mod escapes;
mod place;

use std::borrow::Cow;

pub(crate) use context::Context;
use escapes::{hex_unescaped, percent_decoded};
pub(crate) use place::{Place, name, user_host_dir};

/// Longer payloads are not marks. A path is at most 4096 bytes (PATH_MAX), percent-encoded up to three times that.
const MAX_PAYLOAD: usize = 16 * 1024;

/// One claim of the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// 133;A, 633;A: a prompt begins here.
    PromptStart { aid: Option<String> },
    /// 133;P;k=s, 133;A;k=s, 633;F: a continuation prompt begins here.
    Continuation,
    /// 133;B, 133;I, 633;B: the prompt ends here, input begins.
    InputStart,
    /// 133;C, 633;C: the command runs, its output begins. fish and kitty add the command line.
    OutputStart { command: Option<String> },
    /// 133;D, 633;D: the command ended.
    End { exit: Option<i32>, aid: Option<String> },
    /// 633;E: the command line, before its C.
    CommandLine(String),
    /// 3008 start.
    ContextStart { id: String, kind: Context, place: Place },
    /// 3008 end.
    ContextEnd { id: String, exit: Option<i32> },
    /// OSC 7, 1337, 9;9, 633;P;Cwd.
    Place(Place),
    /// OSC 0 and 2 of the form `user@host: dir`.
    Title(Place),
}

/// Reads the payload of one OSC (without `ESC ]` and terminator).
pub(crate) fn parse(payload: &[u8]) -> Option<Mark> {
    if payload.len() > MAX_PAYLOAD {
        return None;
    }
    let text: Cow<str> = String::from_utf8_lossy(payload);
    let (number, rest) = text.split_once(';')?;
    match number {
        "133" => semantic(rest),
        "633" => vscode(rest),
        "3008" => context::parse(rest),
        "7" => place::file_url(rest).map(Mark::Place),
        "1337" => place::iterm(rest).map(Mark::Place),
        "9" => place::directory(rest.strip_prefix("9;")?.trim_matches('"')).map(Mark::Place),
        "0" | "2" => user_host_dir(rest).map(Mark::Title),
        _ => None,
    }
}

/// FinalTerm's marks with the options of the semantic-prompts proposal (`aid`, `err`, `k`) and kitty's `cmdline`.
fn semantic(rest: &str) -> Option<Mark> {
    let mut fields = rest.split(';');
    let kind = fields.next()?;
    let fields: Vec<&str> = fields.take(16).collect();
    let value = |key: &str| fields.iter().find_map(|f| f.strip_prefix(key)?.strip_prefix('='));
    let aid = value("aid").map(str::to_owned);
    match (kind, value("k")) {
        ("A" | "N" | "P", Some("s" | "c")) => Some(Mark::Continuation),
        // A right prompt is no place where input begins.
        ("A" | "N" | "P", Some("r")) => None,
        ("A" | "N" | "P", _) => Some(Mark::PromptStart { aid }),
        ("B" | "I", _) => Some(Mark::InputStart),
        ("C", _) => {
            // `cmdline` is quoted for a shell; only an unquoted one can be taken as it is.
            let plain = value("cmdline").filter(|c| !c.contains(['\'', '"', '\\', '$']));
            let command = value("cmdline_url").and_then(percent_decoded).or(plain.map(str::to_owned));
            Some(Mark::OutputStart { command })
        }
        ("D", _) => {
            let exit = fields.first().and_then(|n| status(n)).or_else(|| status(value("err")?));
            Some(Mark::End { exit, aid })
        }
        _ => None,
    }
}

fn vscode(rest: &str) -> Option<Mark> {
    let (kind, fields) = rest.split_once(';').unwrap_or((rest, ""));
    let first = fields.split(';').next().unwrap_or("");
    match kind {
        "A" => Some(Mark::PromptStart { aid: None }),
        "B" => Some(Mark::InputStart),
        "C" => Some(Mark::OutputStart { command: None }),
        "D" => Some(Mark::End { exit: status(first), aid: None }),
        "E" => hex_unescaped(first).map(Mark::CommandLine),
        "F" => Some(Mark::Continuation),
        // Empty: the directory is one that the sender cannot spell, and the last one told is over.
        "P" if fields == "Cwd=" => Some(Mark::Place(Place { cwd: Some(String::new()), ..Place::default() })),
        "P" => place::directory(&hex_unescaped(fields.strip_prefix("Cwd=")?)?).map(Mark::Place),
        _ => None,
    }
}

/// Only digits: a status that cannot be read is unknown.
fn status(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
