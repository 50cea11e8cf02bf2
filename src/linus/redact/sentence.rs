//! Secrets in sentences: `the new password is …`, `das Passwort lautet …`, `nowe hasło to …`.

use std::ops::Range;

use super::Class;
use super::assign::{self, Value, peek, skip_blanks};
use super::found::{Found, Rank};
use super::rules::{RULES, Wants};
use super::view::View;

/// A sentence is looked at for so long, and for so many words behind what it is about.
const LIMIT: usize = 160;
const WORDS: usize = 9;
/// And for so long before that.
const BEFORE: usize = 40;
/// Steps for a word for a secret, and for a byte behind it.
const COST: usize = 40;
const BYTE_COST: usize = 2;

/// What says that the secret comes next.
const LINKS: &[&str] = &[
    "is", "ist", "lautet", "est", "es", "è", "é", "era", "sarà", "será", "to", "brzmi", "je", "är", "er",
    "=", "-", "–", "—", "are", "sind", "on", "это", "was", "becomes", "wäre", "wird", "wordt", "devient",
    "diventa", "zní", "este", "hedder", "->", "=>",
];
/// What may come between that and the secret.
const BETWEEN: &[&str] = &[
    "now",
    "jetzt",
    "nun",
    "currently",
    "maintenant",
    "ora",
    "adesso",
    "ahora",
    "agora",
    "teraz",
    "nu",
    "nå",
    "теперь",
    "still",
    "immer",
    "noch",
    "today",
    "heute",
    "just",
    "simply",
    "einfach",
    "set",
    "to",
    "ab",
    "sofort",
    "wieder",
    "again",
    "the",
    "following",
    "this",
    "dies",
    "same",
    "as",
    "obecnie",
    "nyní",
    "şimdi",
    "stesso",
    "désormais",
];
/// What a secret is not behind a colon: whose or where it is.
const OWNERS: &[&str] = &[
    "user",
    "username",
    "account",
    "host",
    "login",
    "id",
    "uid",
    "name",
    "email",
    "mail",
    "file",
    "realm",
    "principal",
    "benutzer",
    "konto",
    "server",
    "utilisateur",
    "usuario",
    "utente",
    "key",
    "service",
    "address",
    "from",
    "error",
];

/// The secret that a sentence tells behind a word for one; what is no word of a language has a digit.
pub(super) fn find(view: &View, noun: Range<usize>, class: Class) -> Option<Found> {
    let is_of_name =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'=' | b'@');
    if view.before(noun.start).is_some_and(is_of_name) {
        return None;
    }
    let mut at = noun.end;
    // `lösenordet`, `hasła`: what a language adds.
    while at < noun.end + 4 && peek(view, at).is_some_and(|b| b.is_ascii_alphabetic() || b >= 0x80) {
        at += 1;
    }
    let is_direct = peek(view, at) == Some(b':') && at > noun.start;
    if !is_direct && !matches!(peek(view, at), Some(b' ')) {
        return None;
    }
    let end = view.line(at.saturating_sub(1)).end.min(at + LIMIT).max(at);
    view.spend(COST + (end - at) * BYTE_COST);
    let from = view.line(noun.start).start.max(noun.start.saturating_sub(BEFORE));
    let before = String::from_utf8_lossy(&view.bytes[from..noun.start]).to_lowercase();
    let is_failure = ["failed ", "invalid ", "incorrect ", "wrong ", "accepted ", "bad "]
        .iter()
        .any(|w| before.ends_with(w));
    if is_failure {
        return None;
    }
    let is_set = ["set ", "chang", "reset", "geändert", "hasło"].iter().any(|w| before.contains(w))
        || view.bytes[noun].first().is_some_and(|b| *b == b'h');
    let range = told(view, at..end, is_set)?;
    let is_secret = assign::is_secret(view, &Value::word(range.clone(), false), Wants::Any, "");
    is_secret.then(|| Found::new(range, class, Rank::Name, false))
}

/// The word behind the link in what follows.
fn told(view: &View, rest: Range<usize>, is_set: bool) -> Option<Range<usize>> {
    let mut is_linked = false;
    let mut words = words(view, rest).peekable();
    let mut count = 0;
    while let Some(word) = words.next() {
        count += 1;
        if count > WORDS {
            return None;
        }
        let text = String::from_utf8_lossy(&view.bytes[word.clone()]).to_lowercase();
        if is_linked && let Some(inside) = odd(view, word.clone()) {
            return Some(inside);
        }
        let plain = text.trim_end_matches(':').trim_matches(|c: char| "\"'`,".contains(c));
        if text.ends_with(':') && !OWNERS.contains(&plain) {
            is_linked = true;
        } else if is_linked {
            // `admin / secret`.
            let is_pair = words.peek().is_some_and(|next| &view.bytes[next.clone()] == b"/");
            if is_pair {
                words.next();
            } else if !BETWEEN.contains(&plain) {
                return None;
            }
        } else if LINKS.contains(&plain) && (plain != "to" || is_set) && (plain != "-" || count == 1) {
            is_linked = true;
        } else if text.ends_with(['.', ';', '?', '!', ')']) {
            return None;
        }
    }
    None
}

/// Words between blanks.
fn words(view: &View, rest: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = rest.start;
    std::iter::from_fn(move || {
        let text = view.bytes.get(at..rest.end)?;
        let skip = text.iter().position(|b| *b != b' ')?;
        let length = text[skip..].iter().position(|b| *b == b' ').unwrap_or(text.len() - skip);
        at += skip + length;
        Some(at - length..at)
    })
}

/// Without quotes and the signs of a sentence, if it has a letter and a digit.
fn odd(view: &View, mut word: Range<usize>) -> Option<Range<usize>> {
    let text = &view.bytes[word.clone()];
    word.start += text.iter().take_while(|b| matches!(b, b'"' | b'\'' | b'`')).count();
    // A remark, or a link of Markdown.
    if matches!(view.bytes.get(word.start), Some(b'(' | b'[')) {
        return None;
    }
    while word.end > word.start
        && matches!(view.bytes[word.end - 1], b',' | b'.' | b';' | b')' | b'\'' | b'"' | b'`' | b'?' | b':')
    {
        word.end -= 1;
    }
    let text = &view.bytes[word.clone()];
    // Behind a quote within the word something else follows.
    let length = text.iter().position(|b| matches!(b, b'"' | b'`')).unwrap_or(text.len());
    word.end = word.start + length;
    let text = &view.bytes[word.clone()];
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    let is_odd = text.len() >= 6 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    (is_odd && !is_known(&String::from_utf8_lossy(text).to_lowercase())).then_some(word)
}

/// `PASSWORD2`, `sha256-hashed`: a word with a number, or of a method.
fn is_known(word: &str) -> bool {
    let first = word.split('-').next().unwrap_or_default();
    RULES.is_value(word.trim_end_matches(|c: char| c.is_ascii_digit()))
        || RULES.is_value(first) && first.len() > 2 && first.bytes().any(|b| b.is_ascii_digit())
}

/// A word that the secret follows at once: what is no word has a digit.
pub(super) fn likely(view: &View, word: Range<usize>, class: Class) -> Option<Found> {
    let is_sign = |i: &usize| matches!(peek(view, *i), Some(b' ' | b':' | b'"' | b'\'' | b'`'));
    let start = (word.end..word.end + 8).find(|i| !is_sign(i))?;
    let is_of_word = |b: &&u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'`');
    let mut end = start + view.piece(start, LIMIT).iter().take_while(is_of_word).count();
    view.spend(end - start);
    while end > start && matches!(view.bytes[end - 1], b',' | b'.' | b';' | b')' | b'\'' | b'!' | b'?') {
        end -= 1;
    }
    let text = &view.bytes[start..end];
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    let is_odd = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && text.len() >= 6;
    let is_name = view.bytes[word].eq_ignore_ascii_case(b"invalid user") && !has(u8::is_ascii_punctuation);
    let is_secret =
        is_odd && !is_name && assign::is_secret(view, &Value::word(start..end, false), Wants::Any, "");
    is_secret.then(|| Found::new(start..end, class, Rank::Name, false))
}

/// `Mot de passe : …`, `contraseña = …`: what is no word of a sentence.
pub(super) fn phrase(view: &View, words: Range<usize>, class: Class) -> Option<Found> {
    let sign = skip_blanks(view, words.end);
    let piece = view.piece(sign, 3);
    let is_colon = piece.starts_with("：".as_bytes()) || piece.first() == Some(&b':');
    let length = if piece.first().is_some_and(u8::is_ascii) { 1 } else { 3 };
    if !is_colon && piece.first() != Some(&b'=') {
        return None;
    }
    let value = assign::read(view, skip_blanks(view, sign + length))?;
    let text = &view.bytes[value.range.clone()];
    let is_sign = |b: &u8| b.is_ascii_punctuation() && !b"-'.,;:!?()\"".contains(b);
    let is_odd = text.iter().any(|b| b.is_ascii_digit() || is_sign(b));
    let is_secret = (is_odd || !is_colon) && assign::is_secret(view, &value.with_colon(), Wants::Any, "");
    is_secret.then(|| Found::new(value.range, class, Rank::Name, value.is_cut))
}
