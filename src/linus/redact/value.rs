//! Whether the value of a name is a secret, or a word, a path, a variable, a mask or a type.

use super::rules::{RULES, Wants};

/// Shorter values are no secrets, or none that could be kept.
const SHORTEST: usize = 3;
/// A token is at least so long.
const SHORTEST_TOKEN: usize = 8;
/// Bits a character in text that was drawn by chance; words have less (gitleaks asks for 3.5 of its generic rule, of
/// values that are longer).
const RANDOM_BITS: f64 = 2.9;

/// What is around a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'v> {
    pub(super) wants: Wants,
    pub(super) is_quoted: bool,
    /// `:`, and not `=`.
    pub(super) is_colon: bool,
    /// There are blanks around the sign, as in code and in ini files.
    pub(super) is_spaced: bool,
    /// The text ends in the value: what is missing is not known.
    pub(super) is_cut: bool,
    /// The name's parts in one, in lower case.
    pub(super) name: &'v str,
    /// What follows in the line.
    pub(super) rest: &'v str,
}

/// Whether this value is a secret.
pub(super) fn is_secret(value: &str, around: &Around<'_>) -> bool {
    let is_count = value.len() < 4 && value.bytes().all(|b| b.is_ascii_digit());
    let is_tight = !around.is_colon && !around.is_spaced && around.wants == Wants::Any && !is_count;
    let least = if around.is_cut { 1 } else { SHORTEST - usize::from(is_tight) };
    if value.chars().count() < least || is_reference(value) || is_mask(value) || is_word(value, around.name) {
        return false;
    }
    // `<paste it here>`: a place whose words are apart.
    if value.starts_with('<') && !value.contains('>') && around.rest.contains('>') {
        return false;
    }
    if !around.is_quoted && is_code(value, around) {
        return false;
    }
    match around.wants {
        _ if is_path(value) => false,
        Wants::Any => !is_prose(value, around),
        Wants::Random => {
            around.is_cut && !is_prose(value, around)
                || is_random(value)
                || around.name == "secret" && !around.is_colon && is_mixed(value)
        }
    }
}

/// A capital, a small letter and a digit in one word: what clusters and clouds call a secret has no capitals.
fn is_mixed(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && value.len() >= SHORTEST_TOKEN
        && !value.contains(['/', '.', ' ', ':'])
}

/// A variable, a template, a reference to where the value is kept.
fn is_reference(value: &str) -> bool {
    const STARTS: [&str; 27] = [
        "${",
        "$(",
        "{{",
        "<%",
        "%(",
        "%{",
        "#{",
        "@{",
        "@@",
        "!vault",
        "!secret",
        "!ref",
        "!sub",
        "!env",
        "env:",
        "env.",
        "process.env",
        "os.environ",
        "os.getenv",
        "getenv",
        "arn:",
        "vault:",
        "ref+",
        "op://",
        "ssm:",
        "secretsmanager:",
        "projects/",
    ];
    let begins = |start: &&str| {
        value.as_bytes().get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    };
    STARTS.iter().any(begins) || is_variable(value) || is_slot(value)
}

/// `$NAME`, `%NAME%`, `%s`.
fn is_variable(value: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.'))
    };
    let is_shell = |name: &str| {
        is_name(name)
            && (name.len() < 2
                || name.bytes().all(|b| !b.is_ascii_lowercase())
                || name.bytes().all(|b| !b.is_ascii_uppercase() && !b.is_ascii_digit()))
    };
    // PHP's `$_POST['x']`, `$this->x`, a shell's `$x{…}`.
    let is_member = |rest: &str| {
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        length > 0 && (rest[length..].starts_with(['[', '{', '(']) || rest[length..].starts_with("->"))
    };
    value.strip_prefix('$').is_some_and(|rest| is_shell(rest) || is_member(rest))
        || value
            .strip_prefix('%')
            .is_some_and(|rest| rest.len() < 3 || rest.strip_suffix('%').is_some_and(is_name))
}

/// `<password>`, `[password]`, `{password}`, `‹password-1›`: a place for one.
fn is_slot(value: &str) -> bool {
    let pairs = [('<', '>'), ('[', ']'), ('{', '}'), ('‹', '›'), ('(', ')')];
    pairs.iter().any(|(open, close)| {
        let inside = value.strip_prefix(*open).and_then(|rest| rest.strip_suffix(*close));
        inside.is_some_and(|inside| !inside.contains(*close) && inside.len() < 64)
    })
}

/// Stars and the like, or a single character again and again.
pub(super) fn is_mask(value: &str) -> bool {
    let first = value.chars().next();
    value.chars().all(|c| Some(c) == first)
        || value
            .chars()
            .all(|c| matches!(c, '*' | '•' | '●' | '.' | '…' | 'x' | 'X' | '-' | '_' | '#' | '?' | '0'))
        || value.rsplit_once(['-', '_']).is_some_and(|(head, tail)| is_prefix(head) && is_left_out(tail))
        || value.contains('*') && value.contains("***")
        || !value.is_ascii() && value.contains("••")
}

/// `ghp`, `sk-proj`: how a token begins.
fn is_prefix(head: &str) -> bool {
    head.len() <= 12 && head.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// `xxxx`, `...`: the rest of a token, in documentation.
fn is_left_out(tail: &str) -> bool {
    tail.chars().count() >= 3 && tail.chars().all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '…' | '•'))
}

/// A word that is no secret, or the name again.
fn is_word(value: &str, name: &str) -> bool {
    let plain = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    if RULES.is_value(&plain) || plain.is_empty() && value.len() < 6 {
        return true;
    }
    let fused: String = plain.chars().filter(|c| c.is_alphanumeric()).collect();
    fused == name
        || fused.strip_prefix("your").is_some_and(|rest| name.ends_with(rest) || rest.starts_with(name))
        || fused.strip_prefix("my").is_some_and(|rest| name.ends_with(rest) && rest.len() > 2)
        || is_place(value)
        || name.ends_with(&fused) && fused.len() > 3
}

/// `put_your_key_here`, `insert-token`, `replace-me`: documentation's place for a value.
fn is_place(value: &str) -> bool {
    const BEGINS: [&str; 5] = ["your", "insert", "replace", "put", "paste"];
    let lower = value.to_lowercase();
    let mut words = lower.split(['_', '-', ' ']);
    let first = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or_default();
    !lower.bytes().any(|b| b.is_ascii_digit())
        && (last == "here" || !last.is_empty() && BEGINS.contains(&first))
        || first == "yourpasswordhere"
}

/// A path or an address: where something is, and not what.
pub(super) fn is_path(value: &str) -> bool {
    if value.starts_with("~/") || value.starts_with("./") || value.starts_with("../") {
        return true;
    }
    if value.starts_with("file:")
        || value.starts_with("http://")
        || value.starts_with("https://")
        || value.starts_with("unix:")
    {
        return true;
    }
    let is_drive = value.as_bytes().get(1..3) == Some(b":\\");
    // Base64 may begin with a slash; a path's parts are words.
    let is_part =
        |part: &str| part.len() < 20 && !is_random(part) || part.contains('.') || part.contains('-');
    is_drive
        || value.strip_prefix('/').is_some_and(|rest| {
            value.len() < 3
                || (rest.contains('/') || rest.bytes().all(|b| b.is_ascii_lowercase()))
                    && rest.split('/').all(is_part)
        })
}

/// An expression of a programming language: a call, a member, an argument, a type.
fn is_code(value: &str, around: &Around<'_>) -> bool {
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'))
            && !name.as_bytes()[0].is_ascii_digit()
    };
    if let Some((callee, arguments)) = value.split_once('(') {
        let is_callee = callee.split(['.', ':']).filter(|p| !p.is_empty()).all(is_name);
        if is_callee
            && (arguments.is_empty() || arguments.contains(')') || around.rest.contains(')') || around.is_cut)
        {
            return true;
        }
    }
    // `Option<String>`.
    if let Some((generic, _)) = value.split_once('<')
        && generic.split("::").all(is_name)
        && value.contains('>')
    {
        return true;
    }
    if let Some((array, _)) = value.split_once('[')
        && is_name(array)
        && value.contains(']')
    {
        return true;
    }
    // PowerShell's `ConvertTo-SecureString`, `Get-Credential`.
    if let Some((verb, noun)) = value.split_once('-')
        && around.is_spaced
        && [verb, noun].iter().all(|word| word.starts_with(|c: char| c.is_ascii_uppercase()) && is_name(word))
        && !has_digit
    {
        return true;
    }
    let members: Vec<&str> = value.trim_end_matches([';', ',', ')']).split('.').collect();
    if members.len() > 1 && !has_digit && members.iter().all(|m| is_name(m)) && is_member(&members) {
        return true;
    }
    let ends_expression = around.rest.starts_with([';', ',', ')']) || value.ends_with([';', ',', ')']);
    around.is_spaced
        && !around.is_colon
        && !has_digit
        && ends_expression
        && is_name(value.trim_end_matches([';', ',', ')']))
}

/// `self.password`, `config.db.pass`: an object that code has, or a member that is called like a secret.
fn is_member(members: &[&str]) -> bool {
    const OBJECTS: [&str; 30] = [
        "self", "this", "config", "settings", "args", "opts", "options", "env", "os", "request", "req",
        "ctx", "cfg", "conf", "var", "data", "local", "module", "props", "params", "user", "auth", "secrets",
        "app", "form", "body", "process", "super", "state", "context",
    ];
    const ENDS: [&str; 9] = ["pass", "word", "secret", "token", "key", "pwd", "cred", "value", "passwd"];
    let last = members.last().map(|m| m.to_ascii_lowercase()).unwrap_or_default();
    OBJECTS.contains(&members[0].to_ascii_lowercase().as_str()) || ENDS.iter().any(|end| last.ends_with(end))
}

/// A word in a sentence: `password: changed by …`.
fn is_prose(value: &str, around: &Around<'_>) -> bool {
    let rest = around.rest.trim_start();
    let is_pair = rest
        .split_once([':', '='])
        .is_some_and(|(name, _)| !name.trim_end().contains(' ') && !name.is_empty());
    let goes_on = rest.starts_with(|c: char| c.is_alphabetic()) && !is_pair;
    let is_plain = value.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | ',' | '.'));
    !around.is_quoted && around.is_colon && is_plain && goes_on
}

/// Whether it looks drawn by chance: no word, no number, no list of words.
pub(super) fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    if value.len() < SHORTEST_TOKEN || value.chars().any(|c| c.is_whitespace() || !c.is_ascii()) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| value.as_bytes().iter().filter(|b| is(b)).count();
    let (digits, uppers, lowers) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    if digits + uppers + lowers < value.len() * 2 / 3 || uppers + lowers == 0 {
        return false;
    }
    let switches = switches(value);
    let is_mixed = digits > 0 && switches >= 3 || uppers > 0 && lowers > 0 && switches >= 4 || digits >= 4;
    is_mixed && bits(value) >= RANDOM_BITS.min((value.len() as f64).log2() * 0.8)
}

/// How often digits, capitals and small letters take turns; a capital before small letters is one word.
fn switches(value: &str) -> usize {
    let kind = |b: u8| match b {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        _ => 3,
    };
    value
        .as_bytes()
        .windows(2)
        .filter(|w| kind(w[0]) != kind(w[1]) && kind(w[0]) != 3 && kind(w[1]) != 3)
        .count()
}

/// Shannon's entropy, bits a byte.
pub(super) fn bits(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|b| counts[usize::from(b)] += 1);
    let all = value.len() as f64;
    // The sum of -p log p with p = n / all; most bytes of a secret are there once, and add nothing.
    let repeated = counts.iter().filter(|n| **n > 1).map(|n| f64::from(*n)).map(|n| n * n.log2());
    all.log2() - repeated.sum::<f64>() / all
}

/// A few characters again and again.
pub(super) fn is_uniform(token: &[u8]) -> bool {
    token.len() >= 12 && distinct(token) < 5
}

fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes.iter().for_each(|b| seen[usize::from(*b)] = true);
    seen.iter().filter(|s| **s).count()
}

/// A token of documentation: a run of one character, counted up, or one that says so.
pub(super) fn is_dummy(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    // Eight of the same in a row are chance once in 10^12 tokens.
    let has_run = token.as_bytes().windows(8).any(|w| w.iter().all(|b| *b == w[0]));
    lower.ends_with("example")
        || lower.ends_with("examplekey")
        || lower.contains("xxxxxx")
        || lower.contains("your_")
        || lower.contains("your-")
        || is_uniform(token.as_bytes())
        || has_run && distinct(token.as_bytes()) < 16
}
