//! The session's nonce: what tells the marks of our own integration from everybody else's.
//!
//! It is typed into the remote, so it is on the remote's screen for a moment and in that shell's memory: `mask` keeps
//! it out of everything that leaves. A root on the remote can read it there, so a trusted mark means "said by the
//! shell that the user put the integration into", and nothing more.

use crate::text::hex;
use std::borrow::Cow;

/// The field that carries it, the last one of a mark.
const FIELD: &str = ";nonce=";
/// A part of it that is this long is masked as well: a line editor may show a piece, and the tail may cut it. Chance
/// makes 8 of the same digits in a row once in 170 million places.
const PIECE: usize = 8;
/// What stands in its place.
const MASK: &str = "‹nonce›";

/// 128 random bits, in hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    pub fn new(random: [u8; 16]) -> Self {
        Self(hex(&random))
    }

    /// The field as the snippet sends it.
    pub(crate) fn field(&self) -> String {
        format!("{FIELD}{}", self.0)
    }

    /// An OSC's payload without the field, if it ends in the field with this nonce.
    pub(crate) fn strip<'p>(&self, payload: &'p [u8]) -> Option<&'p [u8]> {
        payload.strip_suffix(self.0.as_bytes())?.strip_suffix(FIELD.as_bytes())
    }

    /// The text without the nonce and without longer pieces of it.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut masked = String::new();
        let mut rest = text;
        let mut copied = 0;
        while let Some(at) = self.find(rest) {
            let length = self.longest(&rest[at..]);
            masked.push_str(&rest[..at]);
            masked.push_str(MASK);
            rest = &rest[at + length..];
            copied += at + length;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(rest);
        Cow::Owned(masked)
    }

    /// Where the first piece begins. Only runs of hexadecimal digits are looked at.
    fn find(&self, text: &str) -> Option<usize> {
        let mut run = 0;
        for (at, byte) in text.bytes().enumerate() {
            run = if matches!(byte, b'0'..=b'9' | b'a'..=b'f') { run + 1 } else { 0 };
            let start = (at + 1).saturating_sub(PIECE);
            if run >= PIECE && self.0.contains(&text[start..=at]) {
                return Some(start);
            }
        }
        None
    }

    /// How much of the beginning of `text`, which has a piece, is a part of the nonce.
    fn longest(&self, text: &str) -> usize {
        let most = text.len().min(self.0.len());
        let is_part = |length: &usize| text.get(..*length).is_some_and(|part| self.0.contains(part));
        (PIECE..=most).take_while(is_part).last().unwrap_or(PIECE)
    }
}

/// The field with a word in the nonce's place.
pub(crate) fn shown_field() -> String {
    format!("{FIELD}{MASK}")
}

/// Not in any message or log.
impl std::fmt::Debug for Nonce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Nonce")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nonce() -> Nonce {
        Nonce::new(*b"\x01\x23\x45\x67\x89\xab\xcd\xef\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87")
    }

    const HEX: &str = "0123456789abcdeff0e1d2c3b4a59687";

    #[test]
    fn only_a_mark_that_ends_in_this_nonce_is_ours() {
        let ours = format!("133;D;0;nonce={HEX}");
        assert_eq!(nonce().strip(ours.as_bytes()), Some(&b"133;D;0"[..]));
        let others = [
            "133;D;0".to_owned(),
            "133;D;0;nonce=".to_owned(),
            format!("133;D;0;nonce={}", HEX.to_uppercase()),
            format!("133;D;0;nonce={HEX};aid=1"),
            format!("133;D;0;nonce={}", &HEX[1..]),
            format!("133;D;0;once={HEX}"),
            format!("133;D;0;nonce={}0", HEX),
        ];
        for other in others {
            assert_eq!(nonce().strip(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_nonce_and_longer_pieces_of_it_are_masked() {
        let mask = |text: &str| nonce().mask(text).into_owned();
        assert_eq!(mask(&format!("a{HEX}b {HEX}\n")), format!("a{MASK}b {MASK}\n").replace("a‹", "a‹"));
        assert_eq!(mask(&format!("{}>", &HEX[..9])), format!("{MASK}>"));
        assert_eq!(mask(&HEX[20..]), MASK);
        // Split over two rows that the remote broke itself.
        let split = format!("x='{}\n{}'", &HEX[..12], &HEX[12..]);
        assert_eq!(mask(&split), format!("x='{MASK}\n{MASK}'"));
        for same in ["", "df -h", "0123456", "größe 89abcde", "deadbeefdeadbeef"] {
            assert!(matches!(nonce().mask(same), Cow::Borrowed(_)), "{same}");
        }
    }

    #[test]
    fn it_is_not_printed_by_accident() {
        assert_eq!(format!("{:?}", nonce()), "Nonce");
    }
}
