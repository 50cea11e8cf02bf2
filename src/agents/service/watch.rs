//! Tells a subscriber what changes: one thread that sleeps until a session says something, or one comes or goes.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::URI;
use crate::agents::client::{Client, PROMPT};
use crate::agents::protocol::{Ask, News};
use crate::agents::runtime::Folder;
use crate::linus::service::Change;

/// Ends the thread when it is dropped.
pub(super) struct Watch {
    _end: UnixStream,
}

pub(super) fn begin(folder: Folder, sink: Box<dyn Fn(Change) + Send + Sync>) -> io::Result<Watch> {
    let (ours, theirs) = UnixStream::pair()?;
    let notices = Notices::of(&folder)?;
    // Here, so that what happens once the subscription stands is told.
    let mut watcher = Watcher { folder, notices, end: theirs, sessions: BTreeMap::new(), sink };
    watcher.follow();
    std::thread::Builder::new().name("watch sessions".into()).spawn(move || watcher.run())?;
    Ok(Watch { _end: ours })
}

struct Watcher {
    folder: Folder,
    notices: Notices,
    end: UnixStream,
    /// Those that live, by id; a connection to each that takes one.
    sessions: BTreeMap<String, Option<Client>>,
    sink: Box<dyn Fn(Change) + Send + Sync>,
}

impl Watcher {
    fn run(mut self) {
        while let Some((folder_changed, said)) = self.wait() {
            for id in said {
                self.hear(&id);
            }
            if folder_changed {
                self.notices.clear();
                if self.follow() {
                    (self.sink)(Change::Resources);
                }
            }
        }
    }

    /// Whether the folder has changed, and which sessions have something to say; `None`: nobody listens any more.
    fn wait(&self) -> Option<(bool, Vec<String>)> {
        let connected: Vec<(&String, &Client)> =
            self.sessions.iter().filter_map(|(id, client)| Some((id, client.as_ref()?))).collect();
        let mut fds = vec![PollFd::new(self.end.as_fd(), PollFlags::POLLIN)];
        fds.extend(self.notices.fd().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        let first = fds.len();
        fds.extend(connected.iter().map(|(_, client)| PollFd::new(client.as_fd(), PollFlags::POLLIN)));
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => return None,
        }
        let is_ready = |at: usize| fds[at].revents().is_some_and(|events| !events.is_empty());
        if is_ready(0) {
            return None;
        }
        let said = connected.iter().enumerate().filter(|(at, _)| is_ready(first + at));
        Some((first > 1 && is_ready(1), said.map(|(_, (id, _))| (*id).clone()).collect()))
    }

    fn hear(&mut self, id: &str) {
        let Some(Some(client)) = self.sessions.get_mut(id) else { return };
        loop {
            match client.news() {
                Some(News::Changed) => (self.sink)(Change::Resource(format!("{URI}{id}"))),
                Some(News::Listed) => (self.sink)(Change::Resources),
                Some(News::Exited) | None => {
                    (self.sink)(Change::Resource(format!("{URI}{id}")));
                    (self.sink)(Change::Resources);
                    self.sessions.insert(id.to_owned(), None);
                    return;
                }
            }
            if !client.has_read() {
                return;
            }
        }
    }

    /// Whether there are others than before.
    fn follow(&mut self) -> bool {
        let live = self.folder.live().unwrap_or_default();
        let ids: Vec<&String> = live.iter().map(|entry| &entry.id).collect();
        let before = self.sessions.len();
        self.sessions.retain(|id, _| ids.contains(&id));
        let mut is_changed = self.sessions.len() != before;
        for id in ids {
            if !self.sessions.contains_key(id) {
                is_changed = true;
                let client = Client::connect(&self.folder, id, "").ok();
                let watching =
                    client.and_then(|mut client| client.ask(Ask::Watch, PROMPT).ok().map(|_| client));
                self.sessions.insert(id.clone(), watching);
            }
        }
        is_changed
    }
}

/// Word of files that come and go in the folder.
#[cfg(any(target_os = "linux", target_os = "android"))]
struct Notices(nix::sys::inotify::Inotify);

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Notices {
    fn of(folder: &Folder) -> io::Result<Self> {
        use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        inotify.add_watch(folder.path(), AddWatchFlags::IN_CREATE | AddWatchFlags::IN_DELETE)?;
        Ok(Self(inotify))
    }

    fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }

    fn clear(&self) {
        while self.0.read_events().is_ok() {}
    }
}

/// Elsewhere only the sessions that were there at first are followed.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
struct Notices;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Notices {
    fn of(_: &Folder) -> io::Result<Self> {
        Ok(Self)
    }

    fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        None
    }

    fn clear(&self) {}
}
