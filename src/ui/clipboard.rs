//! Text for the clipboard of the user's terminal (OSC 52).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::text::cut;

/// Terminals and multiplexers take some 100,000 characters of base64 (hterm, older kitty); this many bytes are 99,992.
const CLIPBOARD_LIMIT: usize = 74_994;

/// What is written to the terminal, and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    pub bytes: Vec<u8>,
    pub notice: String,
    pub is_whole: bool,
}

/// For this text; what is too much of it is left out.
pub fn copied(text: &str) -> Copied {
    let sent = cut(text, CLIPBOARD_LIMIT);
    let bytes = format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(sent)).into_bytes();
    let is_whole = sent.len() == text.len();
    let notice = if !is_whole {
        format!(
            "The first {} of {} bytes went to your terminal's clipboard (OSC 52).",
            sent.len(),
            text.len()
        )
    } else {
        let characters = sent.chars().count();
        format!("{characters} characters went to your terminal's clipboard (OSC 52).")
    };
    Copied { bytes, notice, is_whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_as_base64_and_no_more_than_terminals_take() {
        let Copied { bytes, notice, .. } = copied("größe\nzwei");
        assert_eq!(bytes, b"\x1b]52;c;Z3LDtsOfZQp6d2Vp\x1b\\");
        assert!(notice.starts_with("10 characters"), "{notice}");
        let Copied { bytes, notice, .. } = copied(&"é".repeat(50_000));
        assert!(bytes.len() < 100_010, "{}", bytes.len());
        assert!(notice.starts_with("The first 74994 of 100000 bytes"), "{notice}");
    }
}
