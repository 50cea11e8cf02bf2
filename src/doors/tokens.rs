//! Who has which token: a file of names and digests. A token itself is shown once, when it is made, and kept nowhere.

use ring::digest::{SHA256, digest};
use std::fmt::Write;

/// A longer file is none of ours.
const MAX_LINES: usize = 10_000;
/// With what a client calls itself behind it, it still fits where an agent's name is shown.
const MAX_NAME: usize = 24;
/// As many random bytes as a token has: 256 bits, so its digest needs no salt and no stretching.
const TOKEN_BYTES: usize = 32;
/// What a token begins with, so that scanners of secrets know one.
const PREFIX: &str = "aissh_";

/// The file's entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens(Vec<(String, [u8; 32])>);

/// A new token, and the line that knows it.
#[derive(Debug)]
pub struct MadeToken {
    pub token: String,
    pub line: String,
}

/// Letters, digits and `. _ @ -`: a name goes into logs and databases as it is.
pub fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._@-".contains(c);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain)
}

/// A token for this name, from the random bytes.
pub fn make(name: &str, random: &[u8; TOKEN_BYTES]) -> MadeToken {
    let token = format!("{PREFIX}{}", hex(random));
    let line = format!("{name} sha256:{}\n", hex(digest(&SHA256, token.as_bytes()).as_ref()));
    MadeToken { token, line }
}

impl Tokens {
    /// Lines `NAME sha256:HEX`; `#` begins a comment. What is wrong is named with its line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut entries: Vec<(String, [u8; 32])> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            let (name, rest) =
                line.split_once(char::is_whitespace).ok_or_else(|| wrong("not NAME sha256:HEX"))?;
            let hex =
                rest.trim().strip_prefix("sha256:").ok_or_else(|| wrong("no sha256: after the name"))?;
            if !is_name(name) {
                return Err(wrong("a name has letters, digits and . _ @ - and at most 24 of them"));
            }
            if entries.len() >= MAX_LINES {
                return Err(wrong("more than 10000 tokens"));
            }
            entries.push((name.to_owned(), unhex(hex).ok_or_else(|| wrong("not 64 hexadecimal digits"))?));
        }
        Ok(Self(entries))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Whose token it is. Digests are compared, all of them: how long it takes says nothing of a token.
    pub fn owner(&self, token: &str) -> Option<&str> {
        let given = digest(&SHA256, token.as_bytes());
        let mut owner = None;
        for (name, known) in &self.0 {
            let differs = known.iter().zip(given.as_ref()).fold(0, |sum, (a, b)| sum | (a ^ b));
            if differs == 0 {
                owner = Some(name.as_str());
            }
        }
        owner
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn unhex(hex: &str) -> Option<[u8; 32]> {
    let digit = |c: u8| char::from(c).to_digit(16);
    let mut bytes = [0; 32];
    if hex.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_its_owners_and_nobody_elses() {
        let (anna, bob) = (make("anna", &[1; 32]), make("bob", &[2; 32]));
        let tokens = Tokens::read(&format!("# the team\n{}\n{}", anna.line, bob.line)).unwrap();
        assert_eq!(tokens.owner(&anna.token), Some("anna"));
        assert_eq!(tokens.owner(&bob.token), Some("bob"));
        for other in ["", "anna", &anna.token[..anna.token.len() - 1], &anna.token.to_uppercase(), &anna.line]
        {
            assert_eq!(tokens.owner(other), None, "{other}");
        }
        assert!(!anna.line.contains(&anna.token));
    }

    #[test]
    fn what_is_wrong_in_the_file_is_named_with_its_line() {
        let line = make("anna", &[1; 32]).line;
        for (text, what) in [
            ("\nanna", "line 2: not NAME"),
            ("anna md5:00", "line 1: no sha256:"),
            ("anna sha256:00", "line 1: not 64 hex"),
            ("an/na sha256:00", "line 1: a name has"),
            (&line.replace("sha256:0", "sha256:x").replace("sha256:1", "sha256:x"), ""),
        ] {
            match Tokens::read(text) {
                Err(why) => assert!(why.starts_with(what), "{why}"),
                Ok(_) => assert!(what.is_empty(), "{text}"),
            }
        }
        assert!(!is_name("") && !is_name("a b") && !is_name("ä") && is_name("anna.b@x-1_2"));
    }
}
