//! Who may come in. What is refused is told in the log, a few lines a second and never with what was shown.

use super::tokens::Tokens;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
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
    /// Nothing: a loopback address, and the user said so. Only this user's programs come in all the same.
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

/// Whether the other end of a connection on loopback is a socket of this user's, as Linux has it in `/proc/net/tcp` and
/// `tcp6`. What is not found there is not.
pub(super) fn is_own(from: SocketAddr, to: SocketAddr) -> bool {
    let table = if from.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    let Ok(table) = std::fs::read_to_string(table) else { return false };
    is_of(&table, from, to, nix::unistd::Uid::effective().as_raw())
}

/// Whether the table has a socket from one address to the other, of this user.
fn is_of(table: &str, from: SocketAddr, to: SocketAddr, user: u32) -> bool {
    let (from, to) = (listed(from), listed(to));
    table.lines().any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let ends = words.next() == Some(&from) && words.next() == Some(&to);
        // State, queues, timer, retransmissions, and then whose it is.
        ends && words.nth(4).and_then(|word| word.parse().ok()) == Some(user)
    })
}

/// An address as the kernel lists it: words of 32 bits in the machine's order, and the port.
fn listed(address: SocketAddr) -> String {
    let octets = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let word = |word: &[u8]| format!("{:08X}", u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    format!("{}:{:04X}", octets.chunks(4).map(word).collect::<String>(), address.port())
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
    fn a_socket_of_another_user_or_none_is_not_own() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
            0: 0100007F:A3D2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0 20 4 30 10 -1\n";
        let (from, to) = ("127.0.0.1:41938".parse().unwrap(), "127.0.0.1:8080".parse().unwrap());
        assert!(is_of(table, from, to, 1000));
        assert!(!is_of(table, from, to, 1001) && !is_of(table, to, from, 1000) && !is_of("", from, to, 1000));
        let listener =
            std::net::TcpListener::bind("[::1]:0").or_else(|_| std::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.unwrap();
        let stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(is_own(stream.local_addr().unwrap(), stream.peer_addr().unwrap()));
    }

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
