//! Forms of prompts: what stays of one when numbers and paths change, and those that are well known.

use super::super::marks::{Place, name, user_host_dir};
use super::MAX_PROMPT;

/// Statements that zsh names in its continuation prompts (zshmisc(1), %_).
const ZSH_OPEN: [&str; 28] = [
    "quote",
    "dquote",
    "bquote",
    "cmdsubst",
    "mathsubst",
    "math",
    "for",
    "while",
    "until",
    "repeat",
    "select",
    "if",
    "then",
    "else",
    "elif",
    "elif-then",
    "case",
    "function",
    "subsh",
    "cursh",
    "braceparam",
    "array",
    "heredoc",
    "heredocd",
    "pipe",
    "cmdand",
    "cmdor",
    "foreach",
];

/// What stays when numbers and paths change: a number becomes `0`, a path becomes `~`.
pub(super) fn shape(text: &str) -> String {
    let text = match rhel(text) {
        Some((head, tail)) => format!("{head}~{tail}"),
        None => text.to_owned(),
    };
    let mut shape = String::with_capacity(text.len());
    let mut chars = text.trim_end().chars().peekable();
    while let Some(c) = chars.next() {
        let start = shape.chars().next_back().is_none_or(|p| matches!(p, ' ' | ':' | '[' | '('));
        // The digits of a host's name do not vary.
        if c.is_ascii_digit() && !shape.ends_with(char::is_alphabetic) {
            while chars.next_if(char::is_ascii_digit).is_some() {}
            shape.push('0');
        } else if matches!(c, '/' | '~') && start {
            while chars.next_if(|c| !matches!(c, ' ' | '$' | '#' | '%' | '>' | ':' | ']' | ')')).is_some() {}
            shape.push('~');
        } else {
            shape.push(c);
        }
    }
    shape
}

/// `[user@host dir]$ `: what stands before and after the directory.
fn rhel(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let (who, rest) = inner.split_once(' ')?;
    let (user, host) = who.split_once('@')?;
    let end = rest.find(']')?;
    name(user).and(name(host))?;
    Some((text.get(..who.len() + 2)?, rest.get(end..)?))
}

/// The trailing `$`, `#` or `%` of a shell. Not `=#` and `-#` (psql), not a percentage, not a bar of `#`. `>` only
/// after user, host and directory (tcsh).
pub(crate) fn is_form(text: &str) -> bool {
    let trimmed = text.trim_end();
    let mut back = trimmed.chars().rev();
    let (last, before) = (back.next(), back.next());
    let word = trimmed.rsplit(' ').next().unwrap_or("");
    let is_number = |w: &str| w.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    if text.len() > MAX_PROMPT || text.len() - trimmed.len() > 1 {
        return false;
    }
    match last {
        Some('$') => true,
        // Alone and with no blank behind it, it is zsh's sign of a missing newline, whose blanks are to come.
        Some('%' | '#') if before.is_none() => text != trimmed,
        Some('#') => !matches!(before, Some('=' | '-' | '#' | '(' | '*')),
        Some('%') => !is_number(word.trim_end_matches('%')),
        Some('>') => trimmed.strip_suffix('>').and_then(user_host_dir).is_some(),
        _ => false,
    }
}

/// A continuation prompt: bash, dash, ksh and ash print `> `, zsh names what is open, some themes after the words
/// of the prompt.
pub(crate) fn is_continuation(text: &str) -> bool {
    let Some(open) = text.trim_end().strip_suffix('>') else { return false };
    let last = open.rsplit(' ').next().unwrap_or("");
    open.trim().is_empty() || ZSH_OPEN.contains(&last)
}

/// Who and where, from the prompts that are defaults of distributions and shells: `[user@host dir]$`,
/// `user@host:dir$`, and `user@host` before something else: a name at the very end may go on after a
/// pause. What follows a blank in a directory may be no part of it.
pub(crate) fn place(prompt: &str) -> Option<Place> {
    let who = user_host(prompt.trim_start())?;
    let prompt = prompt.trim();
    if rhel(prompt).is_some() {
        return Some(who);
    }
    // Debian puts the name of a chroot in front.
    let text = prompt.strip_prefix('(').and_then(|t| t.split_once(')')).map_or(prompt, |(_, rest)| rest);
    let whole = text.strip_suffix(['$', '#', '%', '>']).and_then(user_host_dir);
    Some(whole.filter(|p| p.cwd.as_ref().is_some_and(|dir| !dir.contains(' '))).unwrap_or(who))
}

/// `user@host` as the first words, behind signs and brackets and the name of a chroot.
fn user_host(prompt: &str) -> Option<Place> {
    let text = prompt.strip_prefix('(').and_then(|t| t.split_once(')')).map_or(prompt, |(_, rest)| rest);
    let text =
        text.trim_start_matches(|c: char| c == '[' || c == ' ' || !c.is_ascii() && !c.is_alphanumeric());
    let (user, rest) = text.split_once('@')?;
    let end =
        rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))).unwrap_or(rest.len());
    let (host, after) = rest.split_at_checked(end)?;
    let apart = after.chars().next().is_some_and(|c| !matches!(c, '@' | '/' | '+'));
    let place = Place { user: name(user), host: name(host), cwd: None };
    (apart && place.user.is_some() && place.host.is_some()).then_some(place)
}
