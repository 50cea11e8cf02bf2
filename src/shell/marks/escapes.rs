//! The two ways in which marks spell bytes that an OSC cannot hold. What does not come out as UTF-8 is not a text.

pub(super) fn percent_decoded(text: &str) -> Option<String> {
    decoded(text, |rest| Some((hex(rest.strip_prefix(b"%")?)?, 3)))
}

/// `\xHH` and `\\`, as VS Code and systemd write them.
pub(super) fn hex_unescaped(text: &str) -> Option<String> {
    decoded(text, |rest| match rest.strip_prefix(b"\\")? {
        [b'\\', ..] => Some((b'\\', 2)),
        [b'x', digits @ ..] => Some((hex(digits)?, 4)),
        _ => None,
    })
}

/// The first two bytes as a hexadecimal number.
fn hex(bytes: &[u8]) -> Option<u8> {
    let digits = bytes.get(..2).filter(|d| d.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn decoded(text: &str, escape: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Option<String> {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let [first, ..] = rest {
        let (byte, used) = escape(rest).unwrap_or((*first, 1));
        bytes.push(byte);
        rest = rest.get(used..).unwrap_or_default();
    }
    String::from_utf8(bytes).ok()
}
