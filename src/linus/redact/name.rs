//! The name of a value, taken apart: `DB_PASSWORD`, `db-password`, `dbPassword` are the same words.

/// A name's parts in lower case: they begin at punctuation, at a capital after a small letter, at digits.
#[derive(Debug, Default)]
pub(super) struct Name {
    /// All parts in one.
    fused: String,
    /// Where each begins.
    starts: Vec<usize>,
}

impl Name {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut name = Self { fused: String::with_capacity(text.len()), starts: Vec::new() };
        let mut is_apart = true;
        for (i, byte) in bytes.iter().enumerate() {
            if !byte.is_ascii_alphanumeric() {
                is_apart = true;
                continue;
            }
            if is_apart || begins(bytes, i) {
                name.starts.push(name.fused.len());
            }
            name.fused.push(char::from(byte.to_ascii_lowercase()));
            is_apart = false;
        }
        name
    }

    pub(super) fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        let end = |i: usize| self.starts.get(i + 1).copied().unwrap_or(self.fused.len());
        self.starts.iter().enumerate().map(move |(i, start)| &self.fused[*start..end(i)])
    }

    /// All parts in one, and the last of them, without so many at the end.
    pub(super) fn without(&self, endings: usize) -> Option<(&str, &str)> {
        let kept = self.starts.len().checked_sub(endings)?;
        let end = self.starts.get(kept).copied().unwrap_or(self.fused.len());
        let start = *self.starts.get(kept.checked_sub(1)?)?;
        Some((&self.fused[..end], &self.fused[start..end]))
    }

    pub(super) fn fused(&self) -> &str {
        &self.fused
    }
}

/// Whether a part begins at this letter or digit, whatever the sign before it.
fn begins(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|i| bytes[i]) else { return false };
    let next_is_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    if bytes[at].is_ascii_uppercase() {
        before.is_ascii_lowercase() || before.is_ascii_digit() || before.is_ascii_uppercase() && next_is_small
    } else {
        bytes[at].is_ascii_digit() && !before.is_ascii_digit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_at_signs_capitals_and_digits() {
        for (text, parts) in [
            ("DB_PASSWORD", &["db", "password"][..]),
            ("dbPassword2", &["db", "password", "2"]),
            ("AWSSecretKey", &["aws", "secret", "key"]),
            ("spring.datasource--pw", &["spring", "datasource", "pw"]),
            ("", &[]),
        ] {
            assert_eq!(Name::new(text).parts().collect::<Vec<_>>(), parts, "{text}");
        }
        assert_eq!(Name::new("db_pass_hash").without(1), Some(("dbpass", "pass")));
        assert_eq!(Name::new("hash").without(1), None);
    }
}
