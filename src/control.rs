//! The only code that makes input for the remote. It takes what the user confirmed and nothing else.

/// Why a command is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    Empty,
    /// A control character, which the remote's line editor would act on instead of inserting it.
    Control(char),
    /// Several lines where the remote has no bracketed paste: each line would run on its own.
    Lines,
}

impl Refusal {
    /// For the panel: what, and the remedy.
    pub fn text(&self) -> String {
        match self {
            Self::Empty => "nothing to send".into(),
            Self::Control(c) => {
                format!("control character U+{:04X} in the command; edit it out", u32::from(*c))
            }
            Self::Lines => {
                "not sent: several lines, and this remote has no bracketed paste, so each would run \
                            on its own; make it one line"
                    .into()
            }
        }
    }
}

/// A command that the user confirmed, as the bytes to type: with Enter, and as one paste when it has several lines.
pub fn keystrokes(command: &str, bracketed_paste: bool) -> Result<Vec<u8>, Refusal> {
    // A newline at the end is what Enter is anyway.
    let command = command.trim_end_matches('\n');
    if command.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    if let Some(c) = command.chars().find(|c| c.is_control() && *c != '\n') {
        return Err(Refusal::Control(c));
    }
    match (command.contains('\n'), bracketed_paste) {
        (false, _) => Ok(format!("{command}\r").into_bytes()),
        (true, true) => Ok(format!("\x1b[200~{command}\x1b[201~\r").into_bytes()),
        (true, false) => Err(Refusal::Lines),
    }
}

/// A command that the user wants on the remote's line and not entered. As a paste where the remote has it, so that
/// no key of it is bound to something else.
pub fn line_without_enter(command: &str, bracketed_paste: bool) -> Result<Vec<u8>, Refusal> {
    let keys = keystrokes(command, bracketed_paste)?;
    let command = command.trim_end_matches('\n');
    if bracketed_paste {
        return Ok(format!("\x1b[200~{command}\x1b[201~").into_bytes());
    }
    Ok(keys.strip_suffix(b"\r").map(<[u8]>::to_vec).unwrap_or_default())
}

/// The line of the shell integration. As a paste where the remote has it, so that no key of it is bound to something
/// else (closing quotes, completion); the blank that keeps it out of the history is typed before, since a paste into
/// an empty line may lose it (fish).
pub fn line_keystrokes(line: &str, bracketed_paste: bool) -> Result<Vec<u8>, Refusal> {
    let keys = keystrokes(line, bracketed_paste)?;
    if line.contains('\n') {
        return Err(Refusal::Control('\n'));
    }
    match line.strip_prefix(' ') {
        Some(rest) if bracketed_paste => Ok(format!(" \x1b[200~{rest}\x1b[201~\r").into_bytes()),
        _ => Ok(keys),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_typed_with_enter() {
        assert_eq!(keystrokes("df -h", true), Ok(b"df -h\r".to_vec()));
        assert_eq!(keystrokes("grep größe x", false), Ok("grep größe x\r".as_bytes().to_vec()));
        assert_eq!(keystrokes("df -h\n", false), Ok(b"df -h\r".to_vec()));
    }

    #[test]
    fn a_suggestion_is_put_on_the_line_and_never_entered() {
        assert_eq!(line_without_enter("df -h\n", false), Ok(b"df -h".to_vec()));
        assert_eq!(line_without_enter("df -h", true), Ok(b"\x1b[200~df -h\x1b[201~".to_vec()));
        assert_eq!(line_without_enter("a\nb", true), Ok(b"\x1b[200~a\nb\x1b[201~".to_vec()));
        assert_eq!(line_without_enter("a\nb", false), Err(Refusal::Lines));
        for hostile in ["a\rb", "a\x1b[201~\r", "x\x03"] {
            assert!(matches!(line_without_enter(hostile, true), Err(Refusal::Control(_))), "{hostile:?}");
        }
    }

    #[test]
    fn several_lines_are_one_paste_or_nothing() {
        assert_eq!(keystrokes("a\nb", true), Ok(b"\x1b[200~a\nb\x1b[201~\r".to_vec()));
        assert_eq!(keystrokes("a\nb", false), Err(Refusal::Lines));
    }

    #[test]
    fn the_integrations_line_is_one_paste_after_its_blank() {
        assert_eq!(line_keystrokes(" x=1; y", true), Ok(b" \x1b[200~x=1; y\x1b[201~\r".to_vec()));
        assert_eq!(line_keystrokes(" x=1; y", false), Ok(b" x=1; y\r".to_vec()));
        assert_eq!(line_keystrokes(" x\ny", true), Err(Refusal::Control('\n')));
        assert_eq!(line_keystrokes(" x\x1b[201~", true), Err(Refusal::Control('\x1b')));
    }

    #[test]
    fn nothing_that_a_line_editor_acts_on_is_typed() {
        for hostile in ["a\x1b[201~\rrm -rf /", "a\rb", "a\x03", "a\tb", "\u{9b}31m", "x\0", "x\x7f"] {
            assert!(matches!(keystrokes(hostile, true), Err(Refusal::Control(_))), "{hostile:?}");
        }
        assert_eq!(keystrokes("  \n ", true), Err(Refusal::Empty));
    }
}
