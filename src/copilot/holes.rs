//! Holes in a command: `<PASSWORD>`, `<HOST>`. The user fills them on the card; a value is quoted for the language that
//! reads it, and stays here: the card and everything that is told keep the hole.

use std::borrow::Cow;

use super::risk::{Syntax, runs};
use crate::linus::contract::Placeholder;
use crate::shell::Dialect;
use crate::text::quote::is_plain;
use crate::text::{is_sendable_char, sanitize};

mod quote;

/// Holes of one command. More are a form, and no command.
const HOLES_LIMIT: usize = 8;

/// Bytes of a hole's name.
const NAME_LIMIT: usize = 40;

/// Parts of the names of what is not shown while it is typed.
const SECRET_NAMES: [&str; 8] = ["PASS", "SECRET", "TOKEN", "KEY", "PIN", "PSK", "CREDENTIAL", "OTP"];

/// A word that no machine has as a command, to find out whether another shell would read a value.
const PROBE: &str = "aissh_probe";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// Without the brackets.
    pub name: String,
    pub description: String,
    /// Not shown while it is typed.
    pub secret: bool,
    /// Linus says that it is one. Of others only their form says so: it may be two redirects, and can stay as it is.
    pub named: bool,
}

impl Hole {
    fn text(&self) -> String {
        format!("<{}>", self.name)
    }
}

/// What the user typed into a hole. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Value(String);

impl Value {
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Value(…)")
    }
}

/// The holes of a text, in the order in which they stand there, each once.
pub(super) fn holes(text: &str, placeholders: &[Placeholder]) -> Vec<Hole> {
    let mut found: Vec<(usize, Hole)> = Vec::new();
    for placeholder in placeholders {
        let hole = named(placeholder);
        if let Some(at) = text.find(&hole.text()).filter(|_| is_name(&hole.name)) {
            found.push((at, hole));
        }
    }
    for (at, name) in by_form(text) {
        if !found.iter().any(|(_, hole)| hole.name == name) {
            found.push((
                at,
                Hole {
                    name: name.to_owned(),
                    description: String::new(),
                    secret: SECRET_NAMES.iter().any(|part| name.contains(part)),
                    named: false,
                },
            ));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, hole)| hole).take(HOLES_LIMIT).collect()
}

fn named(placeholder: &Placeholder) -> Hole {
    let name = placeholder.name.trim_start_matches('<').trim_end_matches('>').to_owned();
    let secret = placeholder.secret || SECRET_NAMES.iter().any(|part| name.to_uppercase().contains(part));
    let description = sanitize(&placeholder.description).replace(['\n', '\t'], " ");
    Hole { name, description, secret, named: true }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= NAME_LIMIT
        && name.chars().all(|c| is_sendable_char(c) && !matches!(c, '<' | '>' | '\n'))
}

/// `<NAME>` in capitals. `<in >out` and `<<END>file` are redirects; so is `<IN>OUT`.
fn by_form(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('<') {
        let (before, rest) = (text[..at].chars().next_back(), &text[at + 1..]);
        let Some((name, after)) = rest.split_once('>') else { continue };
        let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        let capitals = name.len() > 1
            && name.len() <= NAME_LIMIT
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(is_capital);
        let redirects = before.is_some_and(|c| matches!(c, '<' | '&' | '>') || c.is_ascii_digit())
            || after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '>' | '&' | '|' | '$' | '('));
        if capitals && !redirects {
            found.push((at, name));
        }
    }
    found
}

/// The text as the risk engine is to read it while nothing is filled in: a hole is a word that only the user knows, and
/// not two redirects.
pub(super) fn as_unknown<'t>(text: &'t str, holes: &[Hole], syntax: Syntax) -> Cow<'t, str> {
    let is_shell = matches!(syntax, Syntax::Posix | Syntax::Fish);
    let mut read = Cow::Borrowed(text);
    for hole in holes.iter().filter(|_| is_shell) {
        read = Cow::Owned(read.replace(&hole.text(), "$hole"));
    }
    read
}

/// The text with the values in their holes, quoted. An empty value leaves a hole that has only the form of one.
///
/// # Errors
/// A sentence: which value cannot stand there, and why.
pub(super) fn fill(text: &str, holes: &[Hole], values: &[Value], dialect: Dialect) -> Result<String, String> {
    let mut filled = text.to_owned();
    for (hole, value) in holes.iter().zip(values) {
        if value.as_str().is_empty() && !hole.named {
            continue;
        }
        // The contexts are those of the text as it was: what is filled in closes what it opens.
        filled = fill_one(&filled, hole, value, dialect).map_err(|why| format!("{}: {why}", hole.name))?;
    }
    Ok(filled)
}

fn fill_one(text: &str, hole: &Hole, value: &Value, dialect: Dialect) -> Result<String, String> {
    let name = hole.text();
    let value = value.as_str();
    if value.is_empty() {
        return Err("a value is needed".into());
    }
    if value.chars().any(|c| c == '\n' || !is_sendable_char(c)) {
        return Err("a value is one line without control characters".into());
    }
    if !is_plain(value) && is_read_again(text, &name, dialect) {
        return Err("another shell reads it there: only letters, digits and _-./:@%+,= are safe".into());
    }
    put(text, &name, value, dialect)
}

fn put(text: &str, name: &str, value: &str, dialect: Dialect) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len() + value.len());
    let mut copied = 0;
    for (at, _) in text.match_indices(name) {
        filled.push_str(&text[copied..at]);
        filled.push_str(&quote::quoted(value, text, at, dialect)?);
        copied = at + name.len();
    }
    filled.push_str(&text[copied..]);
    Ok(filled)
}

/// Whether a shell within the command (`sh -c`, `ssh`, `eval`) would read the value once more, so that the quotes around
/// it do not hold: a command hidden in it is found. A hole that is all of what such a shell gets, or all that is echoed,
/// is meant to be a command.
fn is_read_again(text: &str, name: &str, dialect: Dialect) -> bool {
    let syntax = Syntax::of(dialect);
    if dialect.is_device() || syntax == Syntax::Other {
        return false;
    }
    let at = text.find(name).unwrap_or_default();
    let before = text[..at].trim_end();
    if text[..at].ends_with(' ') && (before.ends_with(" -c") || before.ends_with("echo")) {
        return false;
    }
    put(text, name, &format!("a;{PROBE};b"), dialect).is_ok_and(|probed| runs(&probed, syntax, PROBE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placeholder(name: &str) -> Placeholder {
        Placeholder { name: name.into(), description: String::new(), secret: false }
    }

    fn names(text: &str) -> Vec<String> {
        holes(text, &[]).into_iter().map(|hole| hole.name).collect()
    }

    fn filled(text: &str, value: &str, dialect: Dialect) -> Result<String, String> {
        let holes = holes(text, &[placeholder("X")]);
        fill(text, &holes, &[Value::new(value)], dialect)
    }

    #[test]
    fn holes_are_told_from_redirects() {
        assert_eq!(names("mysql -h <HOST> -u <USER>@<HOST> -p<PASSWORD>"), ["HOST", "USER", "PASSWORD"]);
        assert_eq!(names("curl https://<HOST>/x"), ["HOST"]);
        for redirect in [
            "sort <in >out",
            "cat <<END>file",
            "wc -l <FILE",
            "sort <IN>OUT",
            "cmd 0<FILE>&1",
            "grep '<title>' x.html",
            "diff <(a) >(b)",
            "cat <A>>B",
        ] {
            assert_eq!(names(redirect), Vec::<String>::new(), "{redirect}");
        }
    }

    #[test]
    fn what_linus_names_is_a_hole_in_any_spelling_and_secrets_are_known_by_their_names() {
        let text = "passwd <user> <P>";
        let found = holes(text, &[placeholder("<user>"), placeholder("absent"), placeholder("P")]);
        assert_eq!(
            found.iter().map(|h| (h.name.as_str(), h.named)).collect::<Vec<_>>(),
            [("user", true), ("P", true)]
        );
        assert!(holes("x <DB_PASSWORD> <HOST>", &[]).iter().map(|h| h.secret).eq([true, false]));
    }

    #[test]
    fn a_value_is_one_word_wherever_its_hole_stands() {
        let bash = |text: &str, value: &str| filled(text, value, Dialect::Bash);
        assert_eq!(bash("ping <X>", "web-1.example").as_deref(), Ok("ping web-1.example"));
        assert_eq!(bash("ls <X>", "a b; rm c").as_deref(), Ok("ls 'a b; rm c'"));
        assert_eq!(bash("ls <X>", "it's").as_deref(), Ok(r"ls 'it'\''s'"));
        assert_eq!(bash("echo \"<X> y\"", "$(id) `id` !x").as_deref(), Ok("echo \"\"'$(id) `id` !x'\" y\""));
        assert_eq!(bash("echo 'a <X>'", "it's").as_deref(), Ok(r"echo 'a it'\''s'"));
        assert_eq!(bash("echo \"$(cat <X>)\"", "a b").as_deref(), Ok("echo \"$(cat 'a b')\""));
        assert_eq!(filled("ls <X>", r"it's \ x", Dialect::Fish).as_deref(), Ok(r"ls 'it\'s \\ x'"));
        assert_eq!(bash("cp <X> <X>.bak", "a b").as_deref(), Ok("cp 'a b' 'a b'.bak"));
    }

    #[test]
    fn what_cannot_be_quoted_there_is_refused_with_the_reason() {
        let bash = |text: &str, value: &str| filled(text, value, Dialect::Bash);
        for (text, value) in [
            ("cat <<E\n<X>\nE", "a b"),
            ("echo `cat <X>`", "a b"),
            ("ls <X>", "a\nb"),
            ("ls <X>", "a\u{1b}b"),
            ("ls <X>", ""),
            ("sh -c 'ls <X>'", "a;b"),
            ("ssh host ls <X>", "a b"),
            ("sudo bash -lc \"ls <X>\"", "a b"),
            ("eval \"ls <X>\"", "$x"),
        ] {
            assert!(bash(text, value).is_err(), "{text} {value:?}");
        }
        assert_eq!(bash("ssh host ls <X>", "/var/log").as_deref(), Ok("ssh host ls /var/log"));
        assert_eq!(bash("sh -c <X>", "ip link set eth0 up").as_deref(), Ok("sh -c 'ip link set eth0 up'"));
        let device = |value: &str, dialect| filled("username x secret <X>", value, dialect);
        assert!(device("a?b", Dialect::Ios).is_err() && device("a b", Dialect::Ios).is_err());
        assert_eq!(device("a$b", Dialect::Ios).as_deref(), Ok("username x secret a$b"));
        assert_eq!(device("a b", Dialect::Junos).as_deref(), Ok("username x secret \"a b\""));
        assert_eq!(device("a\"b", Dialect::RouterOs).as_deref(), Ok("username x secret \"a\\\"b\""));
    }

    #[test]
    fn an_empty_value_leaves_what_may_be_redirects() {
        let text = "sort <IN> OUT";
        let found = holes(text, &[]);
        assert_eq!(fill(text, &found, &[Value::new("")], Dialect::Bash).as_deref(), Ok(text));
        assert_eq!(format!("{:?}", Value::new("hunter2")), "Value(…)");
    }
}
