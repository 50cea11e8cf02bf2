//! A value as one word of the language that reads it, for the place where its hole stands.

use crate::shell::Dialect;
use crate::text::quote::{is_plain, within_fish, within_posix};

/// How the text around a hole is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Bare,
    Single,
    Double,
    /// Backquotes, here-documents, comments, `$'…'`: no quotes reach in there.
    Odd,
}

/// The value for the hole at this byte of the text.
pub(super) fn quoted(value: &str, text: &str, at: usize, dialect: Dialect) -> Result<String, String> {
    if dialect.is_device() {
        return on_device(value, dialect);
    }
    if is_plain(value) {
        return Ok(value.to_owned());
    }
    let fish = dialect == Dialect::Fish;
    let inside = match dialect {
        Dialect::Fish => within_fish(value),
        Dialect::PowerShell => value.replace('\'', "''"),
        // History is put in even between single quotes there.
        Dialect::Tcsh if value.contains('!') => return Err("csh takes ! for its history".into()),
        _ => within_posix(value),
    };
    match context(text, at, fish) {
        Context::Bare => Ok(format!("'{inside}'")),
        Context::Single if dialect != Dialect::PowerShell => Ok(inside),
        Context::Double if dialect != Dialect::PowerShell => Ok(format!("\"'{inside}'\"")),
        _ => Err("it cannot be quoted there: only letters, digits and _-./:@%+,= are safe".into()),
    }
}

/// Keys that help or complete cannot be sent, and most devices have no quotes.
fn on_device(value: &str, dialect: Dialect) -> Result<String, String> {
    if value.contains('?') {
        return Err("the device takes ? for a call for help".into());
    }
    if !value.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
        return Err("only ASCII is safe on a device".into());
    }
    let odd = |signs: &str| value.contains(|c: char| signs.contains(c));
    match dialect {
        Dialect::RouterOs if odd(" \"\\$;{}[]()=") => {
            Ok(format!("\"{}\"", value.replace('\\', r"\\").replace('"', "\\\"").replace('$', r"\$")))
        }
        Dialect::Junos | Dialect::JunosLike if odd(" ;|{}[]#") && !odd("\"\\") => Ok(format!("\"{value}\"")),
        _ if odd(" |\";") => Err("the device would end the word at a blank, a quote, ; or |".into()),
        _ => Ok(value.to_owned()),
    }
}

/// Follows quotes, substitutions and here-documents up to this byte.
fn context(text: &str, at: usize, fish: bool) -> Context {
    let mut open: Vec<char> = Vec::new();
    let mut chars = text[..at].chars().peekable();
    let (mut before, mut here) = (' ', false);
    while let Some(c) = chars.next() {
        match (open.last().copied(), c) {
            (Some('#'), '\n') => {
                open.pop();
            }
            (Some('#'), _) => {}
            (Some('\''), '\\') if fish => drop(chars.next()),
            (Some('\''), c) => drop(open.pop_if(|_| c == '\'')),
            (Some('$'), '\\') | (Some('"' | '`' | '(') | None, '\\') => drop(chars.next()),
            (Some('$'), c) => drop(open.pop_if(|_| c == '\'')),
            (Some('"'), '"') | (Some('`'), '`') | (Some('('), ')') => drop(open.pop()),
            (Some('`'), _) => {}
            (_, '`') if !fish => open.push('`'),
            (Some('"'), '(') if before == '$' => open.push('('),
            (Some('"'), _) => {}
            (_, '\'') if before == '$' => open.push('$'),
            (_, quote @ ('\'' | '"' | '(')) => open.push(quote),
            (_, '#') if before.is_whitespace() => open.push('#'),
            (_, '<') if before == '<' => here = chars.peek() != Some(&'<'),
            (_, '\n') if here => return Context::Odd,
            _ => {}
        }
        before = c;
    }
    match open.last() {
        None | Some('(') if !open.contains(&'`') => Context::Bare,
        Some('\'') if !open.contains(&'`') => Context::Single,
        Some('"') if !open.contains(&'`') => Context::Double,
        _ => Context::Odd,
    }
}
