//! One line of ssh_config, which is also the value of `-o`: keyword and arguments, as ssh's strdelim() and
//! argv_split() (misc.c) take it apart. Never knows what a keyword means.

/// What ssh takes for blank.
const BLANK: &[u8] = b" \t\r\n";

/// The keyword in lower case, and what follows it untouched; `None` for blank lines, comments and lines that ssh
/// ignores (an unclosed quote in the keyword).
pub(crate) fn keyword(line: &[u8]) -> Option<(String, &[u8])> {
    // To C the line ends there.
    let line = line.split(|&b| b == 0).next()?;
    // A form feed is allowed at the end of a line only.
    let end = line.iter().rposition(|b| !BLANK.contains(b) && *b != 0x0c)?;
    let (mut word, mut rest) = delimited(&line[..=end])?;
    if word.is_empty() {
        // Leading blanks (or one '=') end an empty first word.
        (word, rest) = delimited(rest)?;
    }
    if word.is_empty() || word[0] == b'#' {
        return None;
    }
    word.make_ascii_lowercase();
    Some((String::from_utf8_lossy(&word).into_owned(), skip_blank(rest)))
}

/// The arguments after a keyword: blanks part them, either quote joins, `\` escapes what it may, `#` ends.
/// `None` when a quote stays open, which is an error for ssh.
pub(crate) fn arguments(rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b' ' | b'\t' => at += 1,
            b'#' => break,
            _ => {
                let (word, next) = argument(rest, at)?;
                words.push(word);
                at = next;
            }
        }
    }
    Some(words)
}

/// What follows a keyword, taken apart as the keyword is, up to a comment or a quote that stays open.
pub(crate) fn delimited_words(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    while let Some((word, more)) = delimited(rest).filter(|_| !rest.is_empty()) {
        if word.starts_with(b"#") {
            break;
        }
        words.push(word);
        rest = more;
    }
    words
}

/// The value of a keyword that takes the rest of the line as it is, such as RemoteCommand.
pub(crate) fn rest_of_line(rest: &[u8]) -> &[u8] {
    let start = rest.iter().position(|b| !BLANK.contains(b) && *b != b'=').unwrap_or(rest.len());
    &rest[start..]
}

fn argument(text: &[u8], mut at: usize) -> Option<(Vec<u8>, usize)> {
    let mut word = Vec::new();
    let mut quote = None;
    while at < text.len() {
        let byte = text[at];
        match (byte, quote) {
            (b'\\', _) => match text.get(at + 1) {
                Some(&next) if matches!(next, b'\'' | b'"' | b'\\') || (next == b' ' && quote.is_none()) => {
                    word.push(next);
                    at += 1;
                }
                _ => word.push(byte),
            },
            (b' ' | b'\t', None) => return Some((word, at)),
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            _ => word.push(byte),
        }
        at += 1;
    }
    quote.is_none().then_some((word, at))
}

/// strdelim(): the text up to a blank, one '=' or a closing quote, and what follows.
fn delimited(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let Some(at) = text.iter().position(|b| BLANK.contains(b) || matches!(b, b'"' | b'=')) else {
        return Some((text.to_vec(), &[]));
    };
    let after = &text[at + 1..];
    if text[at] == b'"' {
        let close = after.iter().position(|&b| b == b'"')?;
        let word = [&text[..at], &after[..close]].concat();
        return Some((word, skip_blank(&after[close + 1..])));
    }
    let rest = skip_blank(after);
    match rest.strip_prefix(b"=") {
        // Only one '=' is skipped.
        Some(more) if text[at] != b'=' => Some((text[..at].to_vec(), skip_blank(more))),
        _ => Some((text[..at].to_vec(), rest)),
    }
}

fn skip_blank(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|b| !BLANK.contains(b)).unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case<T> = (&'static [u8], Option<T>);

    #[test]
    fn a_keyword_ends_at_a_blank_an_equals_sign_or_a_quote() {
        let cases: &[Case<(&str, &[u8])>] = &[
            (b"User root", Some(("user", b"root"))),
            (b"user=root", Some(("user", b"root"))),
            (b"USER = root\r\n", Some(("user", b"root"))),
            (b"  \tUser\t=\troot  ", Some(("user", b"root"))),
            (b"=User root", Some(("user", b"root"))),
            (b"\"User\" root", Some(("user", b"root"))),
            (b"User==root", Some(("user", b"=root"))),
            (b"User", Some(("user", b""))),
            (b"User root\x0c", Some(("user", b"root"))),
            (b"User root\0x", Some(("user", b"root"))),
            (b"\0User root", None),
            (b"\"User root", None),
            (b"# User root", None),
            (b"   # User root", None),
            (b" \t\r\n", None),
            (b"", None),
            (b"=", None),
        ];
        for (line, want) in cases {
            let got = keyword(line);
            let got = got.as_ref().map(|(key, rest)| (key.as_str(), *rest));
            assert_eq!(got, *want, "{}", line.escape_ascii());
        }
    }

    #[test]
    fn arguments_follow_ssh_quoting() {
        let cases: &[Case<&[&[u8]]>] = &[
            (b"a b\tc", Some(&[b"a", b"b", b"c"])),
            (b"\"a b\" 'c d'", Some(&[b"a b", b"c d"])),
            (b"a\"b c\"d", Some(&[b"ab cd"])),
            (b"a\\ b \\\"c \\x", Some(&[b"a b", b"\"c", b"\\x"])),
            (b"'a\\ b'", Some(&[b"a\\ b"])),
            (b"a # b", Some(&[b"a"])),
            (b"a#b", Some(&[b"a#b"])),
            (b"\"\"", Some(&[b""])),
            (b"\"a", None),
            (b"", Some(&[])),
            (b"a\\", Some(&[b"a\\"])),
        ];
        for (rest, want) in cases {
            let got = arguments(rest);
            let want = want.map(|words| words.iter().map(|w| w.to_vec()).collect::<Vec<_>>());
            assert_eq!(got, want, "{}", rest.escape_ascii());
        }
    }

    #[test]
    fn a_command_keeps_its_quotes() {
        assert_eq!(rest_of_line(b" = echo 'a  b' # c"), b"echo 'a  b' # c");
        assert_eq!(rest_of_line(b"  "), b"");
    }
}
