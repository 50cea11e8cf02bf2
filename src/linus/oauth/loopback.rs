//! Where the browser comes back to: a door on 127.0.0.1 that opens for one redirect (RFC 8252 7.3), and the user's typed
//! line beside it for a browser on another machine.
//!
//! Everything on this machine may knock: what is not the answer to this sign-in gets a 404 and changes nothing.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// The path of the redirect address.
const PATH: &str = "/callback";
/// A request with cookies of other servers of this host, and a long code.
const REQUEST_LIMIT: usize = 64 * 1024;
/// Browsers open connections ahead that say nothing; the oldest gives way.
const CONNECTIONS: usize = 8;
/// A typed line; a terminal in line mode gives 4095 bytes of one.
const LINE_LIMIT: usize = 64 * 1024;
/// For handing a browser its page.
const WRITE: Duration = Duration::from_secs(2);

const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>aissh</title>\
    <p>aissh has the answer. You can close this window and go back to the terminal.</p></html>\n";
const OTHER: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>aissh</title>\
    <p>This is not the sign-in that aissh waits for.</p></html>\n";

/// Why no redirect came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed {
    Deadline,
    Failed(String),
}

#[derive(Debug)]
pub struct Loopback {
    listener: TcpListener,
    port: u16,
}

impl Loopback {
    /// On this port, or, for `None`, on one that the system chooses.
    pub fn bind(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// The redirect address.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port of an address of [`Loopback::address`].
    pub fn port_of(address: &str) -> Option<u16> {
        address.strip_prefix("http://127.0.0.1:")?.strip_suffix(PATH)?.parse().ok()
    }

    /// Waits for the redirect whose query `is_answer`, here or as a line on `typed`; `complain` gets lines that are
    /// something else.
    pub fn wait(
        &self,
        is_answer: &dyn Fn(&str) -> bool,
        mut typed: Option<BorrowedFd<'_>>,
        complain: &mut dyn FnMut(),
        end: Instant,
    ) -> Result<String, Missed> {
        let mut connections: Vec<Connection> = Vec::new();
        let mut line = Vec::new();
        loop {
            let (knock, keys) = self.poll(&connections, typed, end)?;
            if let Some(fd) = typed.filter(|_| keys) {
                match read_lines(fd, &mut line) {
                    Some(lines) => {
                        for text in lines.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
                            match query_of(text).filter(|query| is_answer(query)) {
                                Some(query) => return Ok(query.to_owned()),
                                None => complain(),
                            }
                        }
                    }
                    // The end of the input: the browser may still come.
                    None => typed = None,
                }
            }
            // All are looked at: reading one that has nothing to say costs a system call.
            let mut kept = Vec::new();
            for mut connection in connections {
                match connection.read() {
                    Progress::Waiting => kept.push(connection),
                    Progress::Over => {}
                    Progress::Asked(target) => {
                        let query = target.strip_prefix(PATH).and_then(|rest| rest.strip_prefix('?'));
                        if let Some(query) = query.filter(|query| is_answer(query)) {
                            connection.answer("200 OK", PAGE);
                            return Ok(query.to_owned());
                        }
                        connection.answer("404 Not Found", OTHER);
                    }
                }
            }
            connections = kept;
            if let Some(stream) = knock.then(|| self.listener.accept().ok()).flatten() {
                if connections.len() == CONNECTIONS {
                    connections.remove(0);
                }
                connections.extend(Connection::new(stream.0));
            }
        }
    }

    /// Waits until something happens: whether somebody knocks, and whether something was typed.
    fn poll(
        &self,
        connections: &[Connection],
        typed: Option<BorrowedFd<'_>>,
        end: Instant,
    ) -> Result<(bool, bool), Missed> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Missed::Deadline);
        }
        // Rounded up, so that the last wait does not end a millisecond early and spin.
        let timeout = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
        let mut fds = vec![PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)];
        fds.extend(connections.iter().map(|c| PollFd::new(c.stream.as_fd(), PollFlags::POLLIN)));
        fds.extend(typed.map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        match poll(&mut fds, PollTimeout::try_from(timeout).unwrap_or(PollTimeout::MAX)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(e) => return Err(Missed::Failed(e.desc().to_owned())),
        }
        let is_ready = |fd: Option<&PollFd<'_>>| fd.and_then(PollFd::any).unwrap_or_default();
        let keys = typed.is_some() && is_ready(fds.last());
        Ok((is_ready(fds.first()), keys))
    }
}

enum Progress {
    Waiting,
    /// The target of a whole GET request.
    Asked(String),
    Over,
}

struct Connection {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Connection {
    fn new(stream: TcpStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Self { stream, bytes: Vec::new() })
    }

    fn read(&mut self) -> Progress {
        let mut chunk = [0; 4096];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Progress::Over,
                Ok(n) => self.bytes.extend_from_slice(&chunk[..n]),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Progress::Waiting,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Progress::Over,
            }
            if self.bytes.windows(4).any(|end| end == b"\r\n\r\n") {
                return target(&self.bytes).map_or(Progress::Over, Progress::Asked);
            }
            if self.bytes.len() > REQUEST_LIMIT {
                return Progress::Over;
            }
        }
    }

    /// A browser that does not take its page goes without.
    fn answer(mut self, status: &str, page: &str) {
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\n\
             X-Content-Type-Options: nosniff\r\n\r\n{page}",
            page.len()
        );
        let _ = self.stream.set_nonblocking(false);
        let _ = self.stream.set_write_timeout(Some(WRITE));
        let _ = self.stream.write_all(text.as_bytes());
    }
}

/// The target of a GET request.
fn target(request: &[u8]) -> Option<String> {
    let line = request.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    (words.next() == Some("GET")).then(|| words.next().map(str::to_owned)).flatten()
}

/// The query of a pasted address, or of what is left of one.
fn query_of(line: &str) -> Option<&str> {
    let line = line.trim_matches(['"', '\'']);
    let line = line.split('#').next().unwrap_or_default();
    Some(line.split_once('?').map_or(line, |(_, query)| query)).filter(|query| query.contains('='))
}

/// The lines that are whole by now, `None` at the end of the input.
fn read_lines(fd: BorrowedFd<'_>, begun: &mut Vec<u8>) -> Option<Vec<String>> {
    let mut chunk = [0; 4096];
    match nix::unistd::read(fd, &mut chunk) {
        Ok(0) => return None,
        Ok(n) => begun.extend_from_slice(&chunk[..n]),
        Err(Errno::EINTR | Errno::EAGAIN) => {}
        Err(_) => return None,
    }
    let mut lines = Vec::new();
    while let Some(end) = begun.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        lines.push(String::from_utf8_lossy(&begun[..end]).into_owned());
        begun.drain(..=end);
    }
    begun.truncate(LINE_LIMIT);
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Waits on a door while `visit` does what it does with its port.
    fn visited(visit: impl FnOnce(u16) + Send) -> Result<String, Missed> {
        let door = Loopback::bind(None).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        thread::scope(|scope| {
            scope.spawn(|| visit(door.port));
            door.wait(&|query| query.contains("state=st"), None, &mut || (), end)
        })
    }

    fn get(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn only_the_answer_to_this_sign_in_opens_the_door_and_gets_a_page() {
        let query = visited(|port| {
            for other in
                ["/favicon.ico", "/callback", "/callback?state=other", "/?state=st", "/callbackx?state=st"]
            {
                assert!(get(port, other).starts_with("HTTP/1.1 404"), "{other}");
            }
            let page = get(port, "/callback?code=c&state=st");
            assert!(page.starts_with("HTTP/1.1 200") && page.contains("back to the terminal"), "{page}");
            assert!(page.contains("no-store") && !page.contains("code=c"), "{page}");
        });
        assert_eq!(query.as_deref(), Ok("code=c&state=st"));
    }

    #[test]
    fn connections_that_say_nothing_or_too_much_do_not_keep_the_browser_out() {
        let query = visited(|port| {
            let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
            let _silent: Vec<TcpStream> = (0..CONNECTIONS * 2).map(|_| connect()).collect();
            let mut endless = connect();
            // The door closes on it, so writing may fail.
            let _ = endless.write_all(&vec![b'x'; REQUEST_LIMIT * 2]);
            let mut slow = connect();
            for byte in b"GET /callback?state=st&slow=1 HTTP/1.1\r\n\r\n" {
                slow.write_all(&[*byte]).unwrap();
            }
        });
        assert_eq!(query.as_deref(), Ok("state=st&slow=1"));
    }

    #[test]
    fn a_pasted_address_is_as_good_as_the_browser_and_the_end_of_the_input_is_not_the_end() {
        let door = Loopback::bind(None).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let (typed, mut keyboard) = io::pipe().unwrap();
        writeln!(keyboard, "\nhello\nhttp://127.0.0.1:{}/callback?code=c&state=st#x", door.port).unwrap();
        let mut complaints = 0;
        let is_answer = |query: &str| query.ends_with("state=st");
        let query = door.wait(&is_answer, Some(typed.as_fd()), &mut || complaints += 1, end);
        assert_eq!((query.as_deref(), complaints), (Ok("code=c&state=st"), 1));
        drop(keyboard);
        let soon = Instant::now() + Duration::from_millis(50);
        assert_eq!(door.wait(&is_answer, Some(typed.as_fd()), &mut || (), soon), Err(Missed::Deadline));
    }

    #[test]
    fn the_door_is_on_this_machine_only_and_its_port_can_be_had_again() {
        let door = Loopback::bind(None).unwrap();
        assert!(door.listener.local_addr().unwrap().ip().is_loopback());
        let port = Loopback::port_of(&door.address()).unwrap();
        assert_eq!(port, door.port);
        assert!(Loopback::bind(Some(port)).is_err(), "taken");
        drop(door);
        assert_eq!(Loopback::bind(Some(port)).unwrap().port, port);
    }
}
