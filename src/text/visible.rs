//! Commands as they are: what cannot be seen is shown by a sign, so that what is shown is what is sent.

use std::borrow::Cow;

use super::classify::{is_control, is_invisible, is_odd_space};

/// The text with every control and invisible character, and every blank that is not the blank, made visible:
/// `␛ ␍ ␉ ⟨U+202E⟩`; a newline is `⏎`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| sign(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(visible_char).collect())
}

/// One character of [`visible`].
pub fn visible_char(c: char) -> Cow<'static, str> {
    sign(c).unwrap_or_else(|| Cow::Owned(c.to_string()))
}

/// Whether a command may hold this character: no control but the newline, since readline and the line
/// discipline act on the others (and a tab asks for a completion).
pub fn is_sendable_char(c: char) -> bool {
    c == '\n' || !is_control(c)
}

fn sign(c: char) -> Option<Cow<'static, str>> {
    match c {
        '\n' => Some("⏎".into()),
        '\x7f' => Some("␡".into()),
        // Unicode's control pictures stand in the order of the controls.
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).map(|p| p.to_string().into()),
        c if is_control(c) || is_invisible(c) || is_odd_space(c) => {
            Some(format!("⟨U+{:04X}⟩", c as u32).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_command_is_borrowed() {
        assert!(matches!(visible("ls -l | sort"), Cow::Borrowed("ls -l | sort")));
    }

    #[test]
    fn controls_and_hidden_characters_get_a_sign() {
        assert_eq!(visible("a\x1b[2J\r\n\tb\x7f\0"), "a␛[2J␍⏎␉b␡␀");
        assert_eq!(visible("echo \u{202e}x\u{200b}y\u{9b}z"), "echo ⟨U+202E⟩x⟨U+200B⟩y⟨U+009B⟩z");
        assert_eq!(visible("rm\u{a0}-rf\u{3000}/"), "rm⟨U+00A0⟩-rf⟨U+3000⟩/");
        assert_eq!(visible("\u{e0041}"), "⟨U+E0041⟩");
    }

    #[test]
    fn only_a_newline_may_be_sent_of_all_controls() {
        let sent: Vec<char> =
            (0..=0x9fu8).map(char::from).filter(|c| c.is_control() && is_sendable_char(*c)).collect();
        assert_eq!(sent, ['\n']);
        assert!(is_sendable_char('é'));
    }
}
