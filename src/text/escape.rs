//! Where an escape sequence ends (ECMA-48, and how xterm reads it).
//!
//! Linear in the text: a string sequence is looked for only up to the next control character.

/// An escape sequence at the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// `CSI … m` with nothing but digits, `;` and `:` inside; this many bytes.
    Sgr(usize),
    /// Anything else, whole or broken; this many bytes are to be dropped.
    Other(usize),
}

/// Longest SGR that is kept: `38;2;255;255;255;48;2;255;255;255` and a few attributes fit twice.
const SGR_LIMIT: usize = 80;

/// The sequence that starts `text`, if its first character is ESC or a C1 control.
pub(super) fn sequence(text: &str) -> Option<Sequence> {
    let first = text.chars().next()?;
    let (kind, introducer) = match first {
        '\x1b' => match text[1..].chars().next() {
            Some(c @ ('[' | ']' | 'P' | 'X' | '^' | '_')) => (c, 2),
            _ => return Some(Sequence::Other(1 + two_character(&text[1..]))),
        },
        '\u{9b}' => ('[', 2),
        '\u{9d}' => (']', 2),
        '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => ('P', 2),
        '\u{80}'..='\u{9f}' => return Some(Sequence::Other(2)),
        _ => return None,
    };
    let body = &text[introducer..];
    match kind {
        '[' => Some(csi(body, introducer)),
        _ => Some(Sequence::Other(introducer + string(body))),
    }
}

/// `ESC`, intermediates, final: how many bytes after the ESC.
fn two_character(rest: &str) -> usize {
    let intermediates = rest.bytes().take_while(|b| (0x20..=0x2f).contains(b)).count();
    match rest.as_bytes().get(intermediates) {
        Some(0x30..=0x7e) => intermediates + 1,
        // A lone ESC: only itself goes.
        _ => 0,
    }
}

fn csi(body: &str, introducer: usize) -> Sequence {
    let inside = body.bytes().take_while(|b| (0x20..=0x3f).contains(b)).count();
    let (parameters, rest) = body.split_at(inside);
    match rest.bytes().next() {
        Some(b'm')
            if inside <= SGR_LIMIT
                && parameters.bytes().all(|b| b.is_ascii_digit() || b == b';' || b == b':') =>
        {
            Sequence::Sgr(introducer + inside + 1)
        }
        Some(0x40..=0x7e) => Sequence::Other(introducer + inside + 1),
        _ => Sequence::Other(introducer + inside),
    }
}

/// The payload of OSC, DCS, SOS, PM, APC up to BEL or ST. One that does not end loses its introducer only, so
/// that it cannot swallow the text that follows.
fn string(body: &str) -> usize {
    let Some((at, control)) = body.char_indices().find(|(_, c)| c.is_control()) else { return 0 };
    match control {
        '\x07' => at + 1,
        '\u{9c}' => at + 2,
        '\x1b' if body[at + 1..].starts_with('\\') => at + 2,
        _ => 0,
    }
}
