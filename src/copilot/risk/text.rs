//! What is to be said of a command before anybody parses it: characters that are not what they seem, and `!`.

use super::verdict::{Class, Finding};
use crate::linus::contract::Risk;
use crate::text::{is_invisible, is_odd_space, is_sendable_char, visible, visible_char};

/// Signs that look like the shell's own and are not.
const POSING: &str = "‐‑‒–—―−﹣－‘’‚‛“”„‟′″＂＇｜；＆＞＜＄｀；⁄∕／∣ǀ";

/// Findings about the text as such.
pub(super) fn findings(command: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(control) = command.chars().find(|c| !is_sendable_char(*c)) {
        let reason = format!("holds the control character {}", visible_char(control));
        found.push(Finding::new(Class::Unknown, reason).at(Risk::High));
    }
    if let Some(hidden) =
        command.chars().find(|c| *c != '\n' && is_sendable_char(*c) && visible_char(*c).starts_with('⟨'))
    {
        let reason = format!("holds the invisible character {}", visible(&hidden.to_string()));
        found.push(Finding::new(Class::Unknown, reason).at(Risk::High));
    }
    if let Some(sign) = command.chars().find(|c| POSING.contains(*c)) {
        found.push(Finding::new(Class::Unknown, format!("{sign} is not the sign that it looks like")));
    }
    if let Some(word) = command.split(|c: char| !c.is_alphanumeric()).find(|word| mixes_alphabets(word)) {
        let reason = format!("{word}: letters of other alphabets among Latin ones");
        found.push(Finding::new(Class::Unknown, reason).at(Risk::High));
    }
    found
}

/// The text as somebody would read it: hidden characters gone, controls as the ends of lines.
pub(super) fn without_tricks(command: &str) -> String {
    let shown = |c: char| match c {
        '\t' => Some(' '),
        c if c.is_control() => Some('\n'),
        c if is_invisible(c) => None,
        c if is_odd_space(c) => Some(' '),
        c => Some(c),
    };
    command.chars().filter_map(shown).collect()
}

/// Latin letters beside others that pass for them.
fn mixes_alphabets(word: &str) -> bool {
    let passes = |c: char| {
        matches!(c,
            // Greek, Cyrillic, Armenian, Cherokee; letterlike and enclosed signs; full width; mathematical letters.
            '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{531}'..='\u{587}' | '\u{13a0}'..='\u{13ff}'
            | '\u{1d00}'..='\u{1dbf}' | '\u{2100}'..='\u{214f}' | '\u{2460}'..='\u{24ff}' | '\u{ab30}'..='\u{abbf}'
            | '\u{ff00}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}')
    };
    let fakes = word.chars().filter(|c| passes(*c)).count();
    // Letters that were made to look like Latin ones are no alphabet of anybody's.
    let only_fakes = word.chars().any(|c| matches!(c, '\u{ff00}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}'));
    only_fakes || fakes > 0 && word.chars().any(|c| c.is_ascii_alphabetic())
}

/// `!` as bash and zsh at a prompt take it: an earlier command is put in its place. Not in single quotes, and not
/// before a blank, `=` or `(`.
pub(super) fn recalls_history(command: &str) -> bool {
    let mut quoted = false;
    let mut double = false;
    let mut chars = command.chars().peekable();
    let mut line_start = true;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '^' if line_start => return true,
            '\\' if !quoted => {
                chars.next();
            }
            '\'' if !double => quoted = !quoted,
            '"' if !quoted => double = !double,
            '!' if !quoted && next.is_some_and(|c| !matches!(c, ' ' | '\n' | '=' | '(')) => return true,
            _ => {}
        }
        line_start = c == '\n';
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_recalled_where_a_shell_would() {
        for command in ["!!", "!rm", "sudo !!", "echo \"!x\"", "ls !$", "^a^b", "ls\n^a^b", "echo it\\'s !x"]
        {
            assert!(recalls_history(command), "{command}");
        }
        for command in ["! grep x f", "[ a != b ]", "echo '!x'", "find . ! -name x", "echo \\!x", "ls !(x)"] {
            assert!(!recalls_history(command), "{command}");
        }
    }

    #[test]
    fn what_is_not_what_it_seems_is_found() {
        for command in
            ["ls\u{1b}[2J", "r\u{43c} -rf", "ls\u{200b}", "rm\u{a0}x", "ls –la", "ｒｍ -rf", "\u{441}at x"]
        {
            assert!(!findings(command).is_empty(), "{command:?}");
        }
        for command in ["grep größe f", "grep Привет f", "ls | sort", "echo 漢字"] {
            assert!(findings(command).is_empty(), "{command:?}");
        }
    }
}
