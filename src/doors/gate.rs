//! Who may come in. What is refused is told in the log, a few lines a second and never with what was shown.

use super::tokens::Tokens;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The user whose token came with a request; empty where none is asked for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Principal(pub(super) Arc<str>);

impl Principal {
    /// The one user of a process, and of an open door on this machine.
    pub(super) fn local() -> Self {
        Self("".into())
    }
}

/// What a client has to show.
#[derive(Debug, Clone)]
pub enum Admission {
    /// A bearer token of the file's.
    Tokens(Tokens),
    /// Nothing: a loopback address, and the user said so.
    Anyone,
}

impl Admission {
    /// `authorization` is the header's value.
    pub(super) fn admit(&self, authorization: Option<&[u8]>) -> Option<Principal> {
        let tokens = match self {
            Self::Anyone => return Some(Principal::local()),
            Self::Tokens(tokens) => tokens,
        };
        let (scheme, token) = std::str::from_utf8(authorization?).ok()?.split_once(' ')?;
        let owner = tokens.owner(token.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
        Some(Principal(owner.into()))
    }
}

/// Lines of the log a second; what is more is counted.
const MAX_LINES: u32 = 10;

#[derive(Default)]
pub(super) struct Refusals(Mutex<Window>);

#[derive(Default)]
struct Window {
    since: Option<Instant>,
    lines: u32,
    left_out: u32,
}

impl Refusals {
    pub(super) fn note(&self, from: SocketAddr, status: u16, why: &str) {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if window.since.is_none_or(|since| now - since >= Duration::from_secs(1)) {
            if window.left_out > 0 {
                eprintln!("aissh: {} more refused", window.left_out);
            }
            *window = Window { since: Some(now), ..Window::default() };
        }
        if window.lines < MAX_LINES {
            window.lines += 1;
            eprintln!("aissh: refused {from}: {status} {why}");
        } else {
            window.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::make;
    use super::*;

    #[test]
    fn only_a_known_bearer_token_comes_in_and_as_its_owner() {
        let anna = make("anna", &[7; 32]);
        let admission = Admission::Tokens(Tokens::read(&anna.line).unwrap());
        let shown = |header: String| admission.admit(Some(header.as_bytes())).map(|p| p.0.to_string());
        assert_eq!(shown(format!("Bearer {}", anna.token)).as_deref(), Some("anna"));
        assert_eq!(shown(format!("bearer  {}", anna.token)).as_deref(), Some("anna"));
        assert_eq!(shown(format!("Basic {}", anna.token)), None);
        assert_eq!(shown("Bearer ".into()), None);
        assert!(admission.admit(None).is_none() && admission.admit(Some(&[0xff, b' ', 1])).is_none());
        assert!(Admission::Anyone.admit(None).is_some_and(|p| p.0.is_empty()));
    }
}
