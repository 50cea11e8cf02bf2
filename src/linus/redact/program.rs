//! Secrets on command lines and in configurations: options of programs, words with a value, what is piped in.

use std::ops::Range;

use super::Class;
use super::assign::{self, Value, peek, skip_blanks};
use super::found::{Found, Rank};
use super::pattern;
use super::rules::{Arg, Style, Wants};
use super::value;
use super::view::View;

/// A command is looked at for so long.
const COMMAND_LIMIT: usize = 1024;
/// Steps for a byte of a command that is taken apart.
const WORD_BYTE_COST: usize = 4;
/// Steps for an option that a word may be.
const ARG_COST: usize = 8;
/// How far before a pipe an `echo` is looked for.
pub(super) const ECHO_LIMIT: usize = 256;

/// Whether the word here is a program's name: at the beginning of a word, and a blank behind it.
pub(super) fn is_program(view: &View, word: &Range<usize>) -> bool {
    let is_before = matches!(
        view.before(word.start),
        None | Some(
            b'\\'
                | b' '
                | b'\t'
                | b'/'
                | b'|'
                | b';'
                | b'&'
                | b'('
                | b'`'
                | b'"'
                | b'\''
                | b'$'
                | b'#'
                | b'>'
        )
    );
    let is_exe = view.piece(word.end, 4).eq_ignore_ascii_case(b".exe");
    let end = word.end + if is_exe { 4 } else { 0 };
    is_before && matches!(peek(view, end), Some(b' ' | b'\t'))
}

/// The command's words: up to a pipe, a semicolon or the line's end.
pub(super) fn rest_of_command(view: &View, at: usize) -> Range<usize> {
    let piece = view.piece(at, COMMAND_LIMIT);
    let mut quote = None;
    let length = piece.iter().enumerate().position(|(i, byte)| match (quote, byte) {
        (Some(q), b) if q == b => {
            quote = None;
            false
        }
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (None, b'|' | b';') => true,
        (None, b'&') => piece.get(i + 1) == Some(&b'&'),
        _ => false,
    });
    let length = length.unwrap_or(piece.len());
    view.spend(length * WORD_BYTE_COST);
    at..at + length
}

/// The secrets among a program's words.
pub(super) fn find(view: &View, line: Range<usize>, args: &[Arg]) -> Vec<Found> {
    let words = words(view, line);
    let mut found = Vec::new();
    for i in 0..words.len() {
        view.spend(args.len() * ARG_COST);
        for arg in args {
            let secret = of_arg(view, &words, i, arg);
            found.extend(secret.and_then(|secret| option_value(view, &secret, arg)));
        }
    }
    found
}

/// What the program's option has as its value, if the word number `i` is that option.
fn of_arg(view: &View, words: &[Range<usize>], i: usize, arg: &Arg) -> Option<Range<usize>> {
    let text = |word: &Range<usize>| String::from_utf8_lossy(&view.bytes[word.clone()]);
    let word = words.get(i)?;
    let (this, behind) = (text(word), &words[i + 1..]);
    match arg.style {
        // `-` stands for the program itself.
        Style::Operand(number) if this == arg.flag || i == 0 && arg.flag == "-" => {
            let operands = &words[i + usize::from(arg.flag != "-")..];
            operands.iter().filter(|w| !text(w).starts_with('-')).nth(number.saturating_sub(1)).cloned()
        }
        // A share is known by how it begins.
        Style::Slashed(number)
            if this == arg.flag
                || arg.flag == r"\\" && this.trim_start_matches('"').starts_with(arg.flag) =>
        {
            let value = behind.iter().filter(|w| !text(w).starts_with('/')).nth(number.saturating_sub(1));
            value.filter(|w| is_odd(&view.bytes[(*w).clone()])).cloned()
        }
        // `@`: only with a service behind it.
        Style::Slash if arg.flag == "-" || this.contains('@') => login(view, word),
        Style::Keyword if this == arg.flag => {
            let is_any = !matches!(arg.flag, "key" | "auth" | "priv");
            let value = behind.iter().find(|w| !is_code(&text(w)));
            value.filter(|w| is_any || is_odd(&view.bytes[(*w).clone()])).cloned()
        }
        Style::Operand(_) | Style::Slashed(_) | Style::Slash | Style::Keyword => None,
        Style::Attached if is_flag(&this, arg.flag) => None,
        _ if is_flag(&this, arg.flag) => behind.first().cloned(),
        _ => attaches(&this, arg).then(|| word.start + arg.flag.len()..word.end),
    }
}

/// `-psecret`, for a flag of one letter; a longer one is a word of its own, or ends in a sign.
fn attaches(word: &str, arg: &Arg) -> bool {
    let takes = arg.flag.len() == 2 && arg.flag.starts_with('-') || arg.flag.ends_with([':', '=', '>']);
    takes
        && word.get(..arg.flag.len()).is_some_and(|begin| is_flag(begin, arg.flag))
        && word.len() > arg.flag.len()
}

/// Windows' options are written in either case.
fn is_flag(word: &str, flag: &str) -> bool {
    word == flag || flag.starts_with('/') && word.eq_ignore_ascii_case(flag)
}

/// How the value behind a device's keyword is written, which stands between the two.
fn is_code(word: &str) -> bool {
    const CODES: [&str; 28] = [
        "encryption",
        "simple",
        "cipher",
        "plain",
        "plaintext",
        "ciphertext",
        "encrypted",
        "clear",
        "hex",
        "ascii",
        "ascii-text",
        "hexadecimal",
        "md5",
        "sha",
        "sha1",
        "sha256",
        "sha512",
        "hmac-sha1",
        "aes",
        "aes128",
        "aes256",
        "des",
        "3des",
        "128",
        "192",
        "256",
        "key",
        "ENC",
    ];
    word.len() == 1 && word.bytes().all(|b| b.is_ascii_digit()) || CODES.contains(&word)
}

/// A digit, a capital among small letters or a sign: no word.
fn is_odd(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    let is_sign = |b: &u8| b.is_ascii_punctuation() && !b"-._/'\",:()".contains(b);
    word.len() >= 4 && has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || has(is_sign))
}

/// The password of Oracle's `user/password@service`, with `userid=` before it perhaps.
fn login(view: &View, word: &Range<usize>) -> Option<Range<usize>> {
    let mut start = word.start;
    let text = &view.bytes[word.clone()];
    start += text.iter().take_while(|b| matches!(b, b'"' | b'\'')).count();
    let named = ["userid=", "target=", "catalog="].iter().find(|n| {
        view.bytes[start..word.end]
            .get(..n.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(n.as_bytes()))
    });
    start += named.map_or(0, |n| n.len());
    let user = view.bytes[start..word.end]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#'))
        .count();
    let password = start + user + 1;
    if user == 0 || !view.bytes[start].is_ascii_alphabetic() || view.bytes.get(password - 1) != Some(&b'/') {
        return None;
    }
    let rest = view.bytes.get(password..word.end)?;
    let end = match rest.strip_prefix(b"\"") {
        Some(inside) => 1 + inside.iter().position(|b| *b == b'"')?,
        // The last one begins the service; `//host` and the like hold none.
        None => rest.iter().rposition(|b| *b == b'@').unwrap_or(rest.len()),
    };
    let end = rest[..end].iter().position(|b| matches!(b, b'/' | b'\'')).unwrap_or(end);
    rest[..end].iter().any(u8::is_ascii_alphabetic).then_some(password..password + end)
}

fn option_value(view: &View, word: &Range<usize>, arg: &Arg) -> Option<Found> {
    let mut word = unquoted(view, word.clone());
    let sign = match arg.style {
        Style::User => Some(b':'),
        Style::Percent => Some(b'%'),
        _ => None,
    };
    if let Some(sign) = sign {
        word.start += view.bytes[word.clone()].iter().position(|b| *b == sign)? + 1;
        word = unquoted(view, word);
    }
    for scheme in [&b"pass:"[..], b"token:"] {
        if view.bytes[word.clone()].starts_with(scheme) {
            word.start += scheme.len();
        }
    }
    let is_cut = view.is_open_end(word.end);
    let text = String::from_utf8_lossy(&view.bytes[word.clone()]).into_owned();
    let is_source = ["env:", "file:", "fd:", "stdin", "-"].iter().any(|s| text.starts_with(s));
    let is_source = is_source && (arg.style != Style::Keyword || text == "-");
    // `-p 8080:80` of docker run, `-p 3306`: ports are none.
    let is_ports = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'/'))
        && (text.contains(':') || text.len() < 6);
    let is_value = !is_source
        && !is_ports
        && assign::is_secret(view, &Value::word(word.clone(), is_cut), Wants::Any, "");
    is_value.then(|| Found::new(word, arg.class, Rank::Name, is_cut))
}

/// The words of a command with their quotes; a quote may begin within one.
fn words(view: &View, line: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    for at in line.clone() {
        let byte = view.bytes[at];
        // What stands in the next row is another word, unless it looks like the rest of this one.
        let is_closed = || at > 0 && matches!(view.bytes[at - 1], b'"' | b'\'');
        if quote.is_none() && view.is_break(at) && (is_closed() || !pattern::goes_on(view, at, assign::ANY)) {
            words.extend(start.take().map(|start| start..at));
        }
        match (quote, byte) {
            (Some(q), b) if q == b => quote = None,
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                start = start.or(Some(at));
            }
            (None, b' ' | b'\t') => words.extend(start.take().map(|start| start..at)),
            _ => start = start.or(Some(at)),
        }
    }
    words.extend(start.map(|start| start..line.end));
    words
}

fn unquoted(view: &View, mut word: Range<usize>) -> Range<usize> {
    if let Some(quote @ (b'"' | b'\'')) = view.bytes.get(word.start).copied().filter(|_| !word.is_empty()) {
        word.start += 1;
        if word.end > word.start && view.bytes[word.end - 1] == quote {
            word.end -= 1;
        }
    }
    word
}

/// The value of a configuration's word: `requirepass …`, `enable secret 5 …`, `IDENTIFIED BY '…'`.
pub(super) fn word(view: &View, word: Range<usize>, class: Class) -> Option<Found> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if is_word(view.bytes[word.start]) && view.before(word.start).is_some_and(is_word) {
        return None;
    }
    let mut at = skip_blanks(view, word.end);
    if at == word.end && view.bytes[word.end - 1] != b':' {
        return None;
    }
    at = behind_code(view, at).unwrap_or(at);
    let value = assign::read(view, at)?;
    let is_secret = assign::is_secret(view, &value.with_colon(), Wants::Any, "");
    is_secret.then(|| Found::new(value.range, class, Rank::Name, value.is_cut))
}

/// `password 7 0822455D0A16`, `secret 5 $1$…`, `key 0 plain`.
pub(super) fn coded(view: &View, word: Range<usize>, class: Class) -> Option<Found> {
    let at = skip_blanks(view, word.end);
    if at == word.end || view.before(word.start).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let value = assign::read(view, behind_code(view, at)?)?;
    let length = value.range.len();
    let is_secret = length >= 4 && assign::is_secret(view, &value, Wants::Any, "");
    // A digit and a word are in sentences too: `key 1 is`.
    let text = &view.bytes[value.range.clone()];
    let has_digit = text.iter().any(u8::is_ascii_digit) || text.iter().any(u8::is_ascii_uppercase);
    (is_secret && has_digit).then(|| Found::new(value.range, class, Rank::Name, value.is_cut))
}

/// Behind a digit that says how the value is encoded (Cisco: 0, 4 to 9).
fn behind_code(view: &View, at: usize) -> Option<usize> {
    let is_code = matches!(peek(view, at), Some(b'0' | b'4'..=b'9')) && peek(view, at + 1) == Some(b' ');
    is_code.then(|| skip_blanks(view, at + 1))
}

/// What is echoed into the program here: the last word before the pipe, or behind `<<<`.
pub(super) fn piped(view: &View, program: Range<usize>, class: Class, is_user: bool) -> Option<Found> {
    let line = view.line(program.start);
    let from = line.start.max(program.start.saturating_sub(ECHO_LIMIT));
    let before = &view.bytes[from..program.start];
    view.spend(before.len() * WORD_BYTE_COST);
    let here = skip_blanks(view, program.end);
    let word = if view.bytes.get(here..here + 3) == Some(b"<<<") {
        words(view, rest_of_command(view, here + 3)).into_iter().next()?
    } else {
        let pipe = before.iter().rposition(|b| *b == b'|')?;
        let echo = ["echo ", "printf "]
            .iter()
            .filter_map(|e| Some(rfind(&before[..pipe], e.as_bytes())? + e.len()))
            .max()?;
        let words = words(view, from + echo..from + pipe);
        let is_format =
            |w: &Range<usize>| [&b"'%s'"[..], b"\"%s\"", b"%s", b"'%s\\n'"].contains(&&view.bytes[w.clone()]);
        words.into_iter().rfind(|w| view.bytes[w.start] != b'-' && !is_format(w))?
    };
    let mut word = unquoted(view, word);
    if view.bytes[word.clone()].ends_with(b"\\n") {
        word.end -= 2;
    }
    if is_user {
        word.start += view.bytes[word.clone()].iter().position(|b| *b == b':')? + 1;
    }
    let is_secret = assign::is_secret(view, &Value::word(word.clone(), false), Wants::Any, "");
    is_secret.then(|| Found::new(word, class, Rank::Name, false))
}

fn rfind(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).rposition(|w| w == what)
}

/// `login X password Y` of `.netrc`, on one line or on lines of their own.
pub(super) fn netrc(view: &View, name: &Range<usize>) -> Option<Found> {
    let at = skip_blanks(view, name.end);
    let is_alone = !matches!(view.before(name.start), Some(b) if !matches!(b, b' ' | b'\t'));
    let is_password = view.bytes[name.clone()].eq_ignore_ascii_case(b"password");
    if at == name.end || !is_alone || !is_password && &view.bytes[name.clone()] != b"key" {
        return None;
    }
    let line = view.line(name.start);
    let is_first = view.bytes[line.start..name.start].trim_ascii_start().is_empty();
    let before = if is_first { view.line(line.start.saturating_sub(1)) } else { line.start..name.start };
    let before = &view.bytes[before.start.max(name.start.saturating_sub(ECHO_LIMIT))..before.end];
    let asks = |word: &&[u8]| [&b"login"[..], b"user", b"account", b"machine"].contains(word);
    let words = || before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_asked = || words().rev().nth(1).as_ref().is_some_and(asks);
    if !(is_first || is_password && is_asked()) {
        return None;
    }
    view.spend(before.len() * WORD_BYTE_COST);
    let begins = words().next().as_ref().is_some_and(asks) || words().any(|word| word == b"machine");
    let is_netrc = begins && (is_first || is_asked());
    let before = String::from_utf8_lossy(before);
    let is_radius = is_first && ["radius", "tacacs", "address"].iter().any(|w| before.contains(w));
    let is_key = is_radius && is_cell(view, at);
    if !(is_password || is_key) {
        return None;
    }
    let begins = begins || !is_password;
    let is_netrc = is_netrc || begins && !is_password;
    let is_row = is_first && at >= name.end + 2 && is_cell(view, at);
    let is_netrc = is_netrc || is_row;
    let value = assign::read(view, at).filter(|_| is_netrc)?;
    let is_secret = !value::is_mask(&String::from_utf8_lossy(&view.bytes[value.range.clone()]))
        && assign::is_secret(view, &value.with_colon(), Wants::Any, "");
    is_secret.then(|| Found::new(value.range, "password", Rank::Name, value.is_cut))
}

/// The last cell of a table's row, with a password that is no word (`vault kv get`).
fn is_cell(view: &View, at: usize) -> bool {
    let cell = view.bytes[at..view.line(at).end].trim_ascii();
    let has = |is: fn(&u8) -> bool| cell.iter().any(is);
    cell.len() >= 8 && !cell.contains(&b' ') && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}
