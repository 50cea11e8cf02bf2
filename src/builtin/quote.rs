//! Quoting of one word for a POSIX shell.
//!
//! The result is always a single line and has no control characters: it is typed into a terminal, where a tab
//! completes, `^C` interrupts and a newline runs half a command.

use super::plain;
use crate::text::quote::posix;
use std::fmt::Write;

/// The word, quoted so that sh, bash, dash, ksh, zsh and busybox read exactly `text`. `None` where that is not
/// possible: a NUL, bytes that were lost on the way (U+FFFD), or a trailing newline, which `$(…)` drops.
pub(crate) fn quote(text: &str) -> Option<String> {
    if text.contains(['\0', '\u{fffd}']) || text.ends_with('\n') {
        return None;
    }
    if text.chars().any(plain::is_hidden) {
        return Some(through_printf(text));
    }
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    // A first letter of its own: a leading dash is an option, `~` a home, `=` a path in zsh.
    if text.starts_with(|c: char| c.is_ascii_alphanumeric() || "_./".contains(c)) && text.chars().all(is_bare)
    {
        return Some(text.into());
    }
    Some(posix(text))
}

/// One word for a network device's CLI, or nothing: what would need quotes there is not proposed.
pub(crate) fn device(text: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
    let is_word = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_plain);
    is_word.then(|| text.into())
}

/// `"$(printf '…')"` with every byte that is not plain as octal: POSIX has no `$'…'`, and a raw control
/// character must not be typed. `!` is octal too: bash expands history inside double quotes.
fn through_printf(text: &str) -> String {
    let mut format = String::new();
    for (i, byte) in text.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || b"_./ ,+:@".contains(&byte) || (byte == b'-' && i > 0);
        if plain {
            format.push(byte as char);
        } else {
            let _ = write!(format, "\\{byte:03o}");
        }
    }
    format!("\"$(printf '{format}')\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const NASTY: [&str; 15] = [
        "/var/log/syslog",
        "",
        "it's \"here\".log",
        "$(touch pwned).log",
        "-rf",
        "a b`id`",
        "new\nline.log",
        "tab\there",
        "back\\slash\\n",
        "%s%n!!$HOME\n'x'",
        "~root",
        "*",
        "; reboot #",
        "bidi\u{202e}gnp.exe",
        "\n-n",
    ];

    #[test]
    fn real_shells_read_back_exactly_what_was_quoted() {
        for shell in ["sh", "bash", "dash"] {
            for text in NASTY {
                let quoted = quote(text).expect("quotable");
                assert!(!quoted.chars().any(plain::is_hidden), "{quoted:?}");
                let Ok(out) = Command::new(shell).args(["-c", &format!("printf '%s' {quoted}")]).output()
                else {
                    continue;
                };
                assert_eq!(String::from_utf8_lossy(&out.stdout), text, "{shell}: {quoted}");
                assert!(out.stderr.is_empty(), "{shell}: {quoted}");
            }
        }
    }

    #[test]
    fn a_device_gets_plain_words_only() {
        assert_eq!(device("GigabitEthernet0/1.100").as_deref(), Some("GigabitEthernet0/1.100"));
        for text in ["", "-x", "a b", "a|b", "a;b", "a?", "\"a\"", "a\nb"] {
            assert_eq!(device(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_written_exactly_is_refused() {
        assert_eq!(quote("a\0b"), None);
        assert_eq!(quote("lost\u{fffd}bytes"), None);
        assert_eq!(quote("ends\n"), None);
    }
}
