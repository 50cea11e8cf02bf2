//! What a sign-in needs of chance: the verifier with its challenge (RFC 7636), and the state.

use std::fmt;

use crate::random;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

/// RFC 7636 4.1 recommends 32 octets, 43 characters of base64url.
const RANDOM_BYTES: usize = 32;

/// A verifier and the challenge that the authorization server is given of it. Method S256, the only one used.
pub(super) struct Pkce {
    verifier: String,
}

impl Pkce {
    /// Fails only where the system gives no random numbers.
    pub(super) fn new() -> Result<Self, String> {
        random().map(|verifier| Self { verifier })
    }

    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, self.verifier.as_bytes()))
    }

    pub(super) fn verifier(&self) -> &str {
        &self.verifier
    }
}

impl fmt::Debug for Pkce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pkce(…)")
    }
}

/// 256 bits as base64url.
pub(super) fn random() -> Result<String, String> {
    let bytes = random::bytes::<RANDOM_BYTES>().map_err(|e| e.to_string())?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_rfc() {
        // RFC 7636 appendix B.
        let pkce = Pkce { verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".into() };
        assert_eq!(pkce.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn every_sign_in_has_its_own_verifier_and_it_is_not_printed() {
        let (one, two) = (Pkce::new().unwrap(), Pkce::new().unwrap());
        assert_ne!(one.verifier, two.verifier);
        assert_eq!(one.verifier.len(), 43);
        assert!(!format!("{one:?}").contains(&one.verifier));
    }
}
