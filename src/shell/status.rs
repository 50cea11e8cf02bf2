//! An exit status that a shell's own message proves: 127 for a command that is not there, 126 for one that may
//! not be run.
//!
//! Only the exact wordings of the shells, only as the last line, and only for a command so simple that the message
//! cannot be about a part of it.

use super::facts::{Evidence, ExitStatus};

/// What a shell calls itself in front of its messages (login shells add `-`, some print their path).
const SHELLS: [&str; 9] = ["bash", "rbash", "zsh", "dash", "ash", "sh", "ksh", "mksh", "ksh93"];

/// The status that the last line of `output` (plain text) proves for `command`.
pub(crate) fn proven(command: &str, output: &str) -> Option<ExitStatus> {
    let word = simple_word(command)?;
    let line = output.lines().rev().map(str::trim_end).find(|l| !l.is_empty())?;
    let code = code_of(line.strip_prefix("E: ").unwrap_or(line), word)?;
    Some(ExitStatus { code, evidence: Evidence::Text })
}

/// The first word of a command that is one simple command: in a list, a pipe or a negation the status is another's.
fn simple_word(command: &str) -> Option<&str> {
    if command.contains(['|', '&', ';', '<', '>', '(', ')', '{', '}', '`', '$', '\n']) {
        return None;
    }
    let word = command.split_whitespace().next()?;
    (!word.contains(['\'', '"', '\\', '!', '=', '*', '?', '[', '~'])).then_some(word)
}

fn code_of(line: &str, word: &str) -> Option<i32> {
    let fish_127 = [format!("fish: Unknown command: {word}"), format!("fish: Unknown command '{word}'")];
    if fish_127.iter().any(|m| m == line) {
        return Some(127);
    }
    let (shell, message) = line.split_once(": ")?;
    let shell = shell.trim_start_matches('-');
    let shell = shell.rsplit('/').next().unwrap_or(shell);
    if !SHELLS.contains(&shell) {
        return None;
    }
    // dash counts its input lines between the two: "dash: 5: x: not found".
    let message = match message.split_once(": ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => message,
    };
    if let Some(why) = message.strip_prefix(word).and_then(|m| m.strip_prefix(": ")) {
        return match why {
            "command not found" | "not found" | "inaccessible or not found" => Some(127),
            "not found [No such file or directory]" => Some(127),
            "Permission denied" | "cannot execute [Permission denied]" => Some(126),
            _ => None,
        };
    }
    match message.strip_suffix(word)? {
        "command not found: " => Some(127),
        "permission denied: " => Some(126),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(command: &str, output: &str) -> Option<i32> {
        proven(command, output).map(|s| s.code)
    }

    #[test]
    fn the_exact_words_of_the_shells_prove_a_status() {
        for message in [
            "bash: nope: command not found",
            "-bash: nope: command not found",
            "zsh: command not found: nope",
            "dash: 5: nope: not found",
            "-sh: nope: not found",
            "/bin/sh: nope: not found",
            "ash: nope: not found",
            "-ksh: nope: not found [No such file or directory]",
            "E: mksh: nope: inaccessible or not found",
            "fish: Unknown command: nope",
        ] {
            assert_eq!(code("nope -x", &format!("a line\n{message}\n")), Some(127), "{message}");
        }
        assert_eq!(code("./x", "bash: ./x: Permission denied"), Some(126));
        assert_eq!(code("./x", "zsh: permission denied: ./x"), Some(126));
    }

    #[test]
    fn a_message_about_something_else_proves_nothing() {
        for (command, output) in [
            ("cat x", "bash: nope: command not found"),
            ("nope | cat", "bash: nope: command not found"),
            ("nope; true", "bash: nope: command not found"),
            ("! nope", "bash: nope: command not found"),
            ("nope", "bash: nope: command not found\nmore"),
            ("nope", "log: nope: command not found"),
            ("./s.sh", "./s.sh: line 2: nope: command not found"),
            ("cat x", "cat: x: Permission denied"),
            ("nope", ""),
            ("", "bash: : command not found"),
        ] {
            assert_eq!(code(command, output), None, "{command}");
        }
    }
}
