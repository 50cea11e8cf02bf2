//! Which strings draw a picture: sixel (DEC STD 070), kitty's graphics protocol, iTerm2's inline images.

use super::Kind;

/// `body` is what came after the opener, or its beginning.
pub(super) fn is_one(kind: Kind, body: &[u8]) -> bool {
    match kind {
        // Numbers and `q`; with an intermediate before that it is a question (DECRQSS, XTGETTCAP).
        Kind::Dcs => body.iter().find(|b| !matches!(b, b'0'..=b'9' | b';')) == Some(&b'q'),
        Kind::Apc => body.strip_prefix(b"G").is_some_and(is_drawn),
        Kind::Osc => body.starts_with(b"1337;File=") || body.starts_with(b"1337;MultipartFile="),
        Kind::Other => false,
    }
}

/// Whether kitty's keys say that something is put on the screen, and not only sent, asked or deleted. The parts after the
/// first say nothing of it.
fn is_drawn(keys: &[u8]) -> bool {
    let keys = keys.split(|b| *b == b';').next().unwrap_or_default();
    keys.split(|b| *b == b',').any(|key| matches!(key, b"a=T" | b"a=p"))
}
