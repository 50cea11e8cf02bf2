//! Who may come in. What is refused is told in the log, a few lines a second and never with what was shown.

use super::tokens::Tokens;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::mpsc::{SyncSender, sync_channel};
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
/// Lines that wait for who reads the log. One who does not read it costs lines, and no client's time.
const MAX_WAITING: usize = 64;

/// The log of what was refused, on a thread of its own.
pub(super) struct Refusals {
    lines: SyncSender<String>,
    window: Mutex<Window>,
}

#[derive(Default)]
struct Window {
    since: Option<Instant>,
    lines: u32,
    left_out: u32,
}

impl Refusals {
    pub(super) fn start() -> io::Result<Self> {
        let (line_tx, line_rx) = sync_channel::<String>(MAX_WAITING);
        // A closed standard error is nobody's trouble here.
        let write = move || line_rx.iter().for_each(|line| drop(writeln!(io::stderr(), "aissh: {line}")));
        std::thread::Builder::new().name("door: log".to_owned()).spawn(write)?;
        Ok(Self { lines: line_tx, window: Mutex::default() })
    }

    pub(super) fn note(&self, from: SocketAddr, status: u16, why: &str) {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if window.since.is_none_or(|since| now - since >= Duration::from_secs(1)) {
            if window.left_out > 0 {
                let _ = self.lines.try_send(format!("{} more refused", window.left_out));
            }
            *window = Window { since: Some(now), ..Window::default() };
        }
        window.lines += 1;
        let is_told = window.lines <= MAX_LINES
            && self.lines.try_send(format!("refused {from}: {status} {why}")).is_ok();
        window.left_out += u32::from(!is_told);
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
