//! The wrapper that keeps a credential out of every text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A credential. It prints as `…` wherever it is printed. It is serialised for the store of sign-ins only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Blanks and newlines around it are dropped: it often comes out of a file or a command.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_never_printed() {
        let secret = Secret::new(" s3cret\n");
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "… Some(…)");
        assert_eq!(secret.expose(), "s3cret");
    }
}
