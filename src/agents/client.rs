//! The other side of a session's socket: for agents, for `--sessions`, and for the user's own questions.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::protocol::{ANSWER_LIMIT, Ask, Heard, News, Refused, Request, VERSION, Why};
use super::runtime::{Entry, Folder, Gone};
use crate::linus::Canceller;

/// A session answers at once, unless it is stopped.
pub const PROMPT: Duration = Duration::from_secs(5);
/// Cards and contexts need the session's main loop.
pub const PATIENT: Duration = Duration::from_secs(30);

/// A connection to one session.
pub struct Client {
    reader: BufReader<UnixStream>,
    agent: String,
    next: u64,
}

fn gone(e: &io::Error) -> Refused {
    let what = match e.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            "the session does not answer: it may be stopped"
        }
        _ => return Refused::new(Why::Gone, format!("the session cannot be reached: {e}")),
    };
    Refused::new(Why::Gone, what)
}

impl Client {
    /// `agent` is empty for the user's own aissh.
    pub fn connect(folder: &Folder, id: &str, agent: &str) -> Result<Self, Refused> {
        let stream = folder.connect(id).map_err(|e| gone(&e))?;
        stream.set_write_timeout(Some(PROMPT)).map_err(|e| gone(&e))?;
        Ok(Self { reader: BufReader::new(stream), agent: agent.to_owned(), next: 0 })
    }

    /// Asks and waits for the answer, `patience` at most.
    pub fn ask(&mut self, ask: Ask, patience: Duration) -> Result<Value, Refused> {
        self.next += 1;
        let request = Request { v: VERSION, id: self.next, agent: self.agent.clone(), ask };
        let mut line = serde_json::to_vec(&request).unwrap_or_default();
        line.push(b'\n');
        self.reader.get_mut().write_all(&line).map_err(|e| gone(&e))?;
        let end = Instant::now() + patience;
        loop {
            match self.heard(end).map_err(|e| gone(&e))? {
                Heard::Answer { id, result } if id == self.next || id == 0 => return result,
                Heard::Answer { .. } | Heard::News(_) => {}
            }
        }
    }

    /// The same, and given up when the call is taken back.
    pub fn ask_until(&mut self, ask: Ask, patience: Duration, cancel: &Canceller) -> Result<Value, Refused> {
        let stream = self.reader.get_ref().try_clone().map_err(|e| gone(&e))?;
        let _hook = cancel.on_cancel(move || drop(stream.shutdown(Shutdown::Both)));
        self.ask(ask, patience)
    }

    fn heard(&mut self, end: Instant) -> io::Result<Heard> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.reader.get_ref().set_read_timeout(Some(left))?;
        let mut line = Vec::new();
        let count = self.reader.by_ref().take(ANSWER_LIMIT as u64).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has ended"));
        }
        let unread = || io::Error::new(io::ErrorKind::InvalidData, "what it says cannot be read");
        Heard::read(&line).filter(|_| line.ends_with(b"\n")).ok_or_else(unread)
    }

    /// What a watched session has told, once there is something to read; `None`: it is over.
    pub fn news(&mut self) -> Option<News> {
        loop {
            match self.heard(Instant::now() + PROMPT) {
                Ok(Heard::News(news)) => return Some(news),
                Ok(Heard::Answer { .. }) => {}
                Err(_) => return None,
            }
        }
    }

    /// Whether more has been read than was taken.
    pub fn has_read(&self) -> bool {
        !self.reader.buffer().is_empty()
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.get_ref().as_fd()
    }
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Live(Entry),
    Gone(Gone),
}

/// What every live session says of itself; one that does not answer has the state `unresponsive`.
pub fn sessions(folder: &Folder, agent: &str) -> Result<Vec<Value>, String> {
    let live = folder.live().map_err(|e| e.to_string())?;
    let about = |entry: &Entry| {
        let asked = Client::connect(folder, &entry.id, agent).and_then(|mut it| it.ask(Ask::About, PROMPT));
        match asked {
            Ok(about) => Some(about),
            // It has ended meanwhile.
            Err(_) if folder.connect(&entry.id).is_err() => None,
            Err(_) => Some(serde_json::json!({
                "id": entry.id, "alias": entry.alias, "state": "unresponsive", "shared": false,
            })),
        }
    };
    // At once: one that is stopped holds nobody up.
    Ok(std::thread::scope(|scope| {
        let asking: Vec<_> = live.iter().map(|entry| scope.spawn(move || about(entry))).collect();
        asking.into_iter().filter_map(|asked| asked.join().ok().flatten()).collect()
    }))
}

/// The session that is meant by its id, its alias, or a `user@host` that only one has.
///
/// # Errors
/// One sentence for every name that means none, and one for a name that means several.
pub fn find(folder: &Folder, name: &str, agent: &str) -> Result<Found, String> {
    let live = folder.live().map_err(|e| e.to_string())?;
    if let Some(entry) = live.iter().find(|entry| entry.id == name || entry.alias == name) {
        return Ok(Found::Live(entry.clone()));
    }
    if name.contains('@') {
        let all = sessions(folder, agent)?;
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let those: Vec<Entry> = all
            .iter()
            .filter(|about| about["ssh_host"] == name)
            .map(|about| Entry { id: text(about, "id"), alias: text(about, "alias") })
            .collect();
        if let [one] = those.as_slice() {
            return Ok(Found::Live(one.clone()));
        }
        if !those.is_empty() {
            let names: Vec<String> = those.into_iter().map(|entry| entry.alias).collect();
            return Err(format!("{name} means several sessions: {}", names.join(", ")));
        }
    }
    let gone = folder.gone().into_iter().find(|gone| gone.id == name || gone.alias == name);
    gone.map(Found::Gone).ok_or_else(|| format!("unknown session {:?}", crate::text::truncate(name, 60)))
}
