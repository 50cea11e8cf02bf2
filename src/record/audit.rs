//! A session's audit: takes events from the main loop, and has a thread that writes them.
//!
//! The log begins with the first thing that Linus has a part in, and then also tells what the user ran shortly before;
//! a session without him leaves no file. Once a record could not be written the log is lost for the session: it is said
//! once, and nothing that needs a log goes on.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Builder;
use std::time::{Duration, SystemTime};

use super::entry::{Entry, Event, VERSION};
use super::log::Log;

/// Entries from before the log's beginning: the user's last commands, enough for an incident's first lines.
const EARLY: usize = 50;

/// Entries that wait for the disk. One that takes none for so long is not waited for.
const WAITING: usize = 1024;

/// Leaving waits this long for the disk.
const FAREWELL: Duration = Duration::from_millis(200);

/// What the main loop holds.
pub struct Audit {
    session_id: String,
    head: Entry,
    state: State,
}

enum State {
    /// Nothing of Linus's has happened yet: where the log will be, and what it will begin with.
    Early(PathBuf, VecDeque<Entry>),
    Writing(Writer),
    /// Turned off, or at its end.
    Over,
    /// Lost, and said so.
    Lost,
}

struct Writer {
    entry_tx: SyncSender<Entry>,
    /// Why no more is written; disconnected when the thread has ended.
    lost_rx: Receiver<String>,
    /// The main thread's own reason.
    full: bool,
}

impl Audit {
    /// Of a session that has just begun. Without a folder nothing is kept.
    pub fn new(folder: Option<PathBuf>, session_id: &str, target: &str, linus: &str) -> Self {
        let event = Event::Session {
            version: VERSION,
            aissh: env!("CARGO_PKG_VERSION").to_owned(),
            session_id: session_id.to_owned(),
            target: target.to_owned(),
            linus: linus.to_owned(),
        };
        let state = folder.map_or(State::Over, |folder| State::Early(folder, VecDeque::new()));
        let head = Entry { time: SystemTime::now(), event };
        Self { session_id: session_id.to_owned(), head, state }
    }

    /// Records an event. `clean` cuts secrets out of its texts; `wake` is called by the thread when the log is lost.
    pub fn note(
        &mut self,
        mut event: Event,
        clean: &mut dyn FnMut(&str) -> Option<String>,
        wake: impl Fn() + Send + 'static,
    ) {
        if matches!(self.state, State::Over | State::Lost) {
            return;
        }
        event.redact(clean);
        if let State::Early(..) = self.state {
            self.follow_target(&event);
            if event.is_of_linus() {
                self.begin(wake);
            }
        }
        let entry = Entry { time: SystemTime::now(), event };
        match &mut self.state {
            State::Early(_, early) => {
                early.push_back(entry);
                if early.len() > EARLY {
                    early.pop_front();
                }
            }
            State::Writing(writer) => writer.put(entry),
            State::Over | State::Lost => {}
        }
    }

    /// Why the log is lost, once.
    pub fn loss(&mut self) -> Option<String> {
        let State::Writing(writer) = &self.state else { return None };
        let why = if writer.full {
            "the disk does not keep up".to_owned()
        } else {
            match writer.lost_rx.try_recv() {
                Ok(why) => why,
                Err(std::sync::mpsc::TryRecvError::Empty) => return None,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => "its thread has ended".to_owned(),
            }
        };
        self.state = State::Lost;
        Some(why)
    }

    /// Whether [`Audit::loss`] has told of one.
    pub fn is_lost(&self) -> bool {
        matches!(self.state, State::Lost)
    }

    /// The session is over. Gives the disk a moment to take what is left.
    pub fn end(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Over);
        if let State::Writing(Writer { entry_tx, lost_rx, .. }) = state {
            drop(entry_tx);
            // The thread ends after its last record, and the channel with it.
            while !matches!(
                lost_rx.recv_timeout(FAREWELL),
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout)
            ) {}
        }
    }

    /// The head of a log that has not begun says who is logged in as ssh resolved it.
    fn follow_target(&mut self, event: &Event) {
        if let (Event::Target { target: resolved }, Event::Session { target, .. }) =
            (event, &mut self.head.event)
        {
            target.clone_from(resolved);
        }
    }

    fn begin(&mut self, wake: impl Fn() + Send + 'static) {
        let State::Early(folder, early) = &mut self.state else { return };
        let (folder, early) = (std::mem::take(folder), std::mem::take(early));
        let (entry_tx, entry_rx) = sync_channel(WAITING);
        let (lost_tx, lost_rx) = sync_channel(1);
        let (id, head) = (self.session_id.clone(), self.head.clone());
        let spawned = Builder::new().name("audit".into()).spawn(move || {
            if let Err(e) = write(Log::create(&folder, &id, &head), &entry_rx) {
                let _ = lost_tx.try_send(e.to_string());
                wake();
            }
        });
        let mut writer = Writer { entry_tx, lost_rx, full: spawned.is_err() };
        early.into_iter().for_each(|entry| writer.put(entry));
        self.state = State::Writing(writer);
    }
}

impl Writer {
    fn put(&mut self, entry: Entry) {
        use std::sync::mpsc::TrySendError::{Disconnected, Full};
        match self.entry_tx.try_send(entry) {
            // Why it has ended is in the other channel.
            Ok(()) | Err(Disconnected(_)) => {}
            Err(Full(_)) => self.full = true,
        }
    }
}

/// The thread's body.
fn write(log: std::io::Result<Log>, entries: &Receiver<Entry>) -> std::io::Result<()> {
    let mut log = log?;
    while let Ok(entry) = entries.recv() {
        log.write(&entry)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::entry::Digest;
    use super::super::read::{Found, Logged, find};
    use super::*;
    use std::path::Path;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("aissh-audit-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    fn note(audit: &mut Audit, event: Event) {
        audit.note(event, &mut |text| Some(text.replace("hunter2", "‹password-1›")), || ());
    }

    fn ran(command: &str) -> Event {
        let (command, output) = (Some(command.to_owned()), Digest::of(b""));
        Event::Ran { command, by: "user".into(), exit: Some(0), finished: true, output }
    }

    fn read(folder: &Path) -> Logged {
        match find(folder, "id") {
            Ok(Found::One(logged)) => logged,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_log_begins_with_linus_and_tells_what_was_run_before() {
        let folder = scratch("begin");
        let mut audit = Audit::new(Some(folder.clone()), "id", "web1", "built-in");
        for n in 0..60 {
            note(&mut audit, ran(&format!("command {n}")));
        }
        note(&mut audit, Event::Target { target: "joe@web1.example".into() });
        assert!(!folder.exists(), "nothing of Linus's yet");
        note(&mut audit, Event::Asked { text: "is hunter2 a good password?".into() });
        audit.end();
        let events: Vec<Event> = read(&folder).entries.into_iter().map(|e| e.event).collect();
        assert!(matches!(&events[0], Event::Session { target, .. } if target == "joe@web1.example"));
        assert_eq!(events[1], ran("command 11"), "the last fifty, with the target");
        assert_eq!(events[51..], [Event::Asked { text: "is ‹password-1› a good password?".into() }]);
        std::fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_session_without_linus_leaves_nothing() {
        let folder = scratch("none");
        let mut audit = Audit::new(Some(folder.clone()), "id", "web1", "built-in");
        note(&mut audit, ran("ls"));
        note(&mut audit, Event::Ended { status: "0".into() });
        audit.end();
        assert!(!folder.exists());
    }

    #[test]
    fn a_log_that_cannot_be_made_or_is_gone_is_lost_once_and_says_why() {
        let folder = scratch("lost");
        std::fs::write(&folder, "a file where the folder should be").expect("written");
        let mut audit = Audit::new(Some(folder.clone()), "id", "web1", "built-in");
        let (woken_tx, woken_rx) = sync_channel(1);
        let wake = move || woken_tx.try_send(()).unwrap_or_default();
        audit.note(Event::Asked { text: "why?".into() }, &mut |t| Some(t.into()), wake);
        woken_rx.recv_timeout(Duration::from_secs(10)).expect("the main loop is woken");
        let why = audit.loss().expect("lost");
        assert!(why.contains("aissh-audit-lost"), "{why}");
        assert!(audit.loss().is_none(), "said once");
        note(&mut audit, Event::Asked { text: "again".into() });
        std::fs::remove_file(folder).expect("clean up");
    }
}
