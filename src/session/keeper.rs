//! The thread that keeps what outlasts the session in the state folder, so that no slow disk holds up a key.

use super::Event;
use super::wake::Waker;
use crate::linus::Consents;
use crate::linus::dispatch::Ticket;
use crate::linus::queue::{Letter, Mark, Queue};
use crate::private;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Errands waiting. One is a matter of milliseconds, and they come from keys.
const ERRANDS: usize = 256;
/// Leaving waits this long for a disk that is slow; what is lost then was said to be kept a moment ago.
const LEAVING: Duration = Duration::from_secs(1);

/// Something to look up or to keep.
pub(super) enum Errand {
    /// What did the user say of this Linus and this host?
    LookUp { origin: String, host: String },
    /// Remember what they said, or forget it.
    Remember { origin: String, host: String, yes: Option<bool> },
    /// Open the queue of this session, and take over what ended ones left.
    OpenQueue { origin: String, target: String, name: String },
    /// Keep a message.
    Append { key: u64, mark: Mark, at: u64, text: String },
    /// Change a message's mark; the ticket is of the call that waits for it.
    Mark { key: u64, mark: Mark, ticket: Option<Ticket> },
}

/// What came of one.
pub(super) enum Kept {
    Consent(io::Result<Option<bool>>),
    Remembered(io::Result<()>),
    Letters(Vec<Letter>, Vec<String>),
    Appended(io::Result<()>),
    Marked(Option<Ticket>, io::Result<()>),
}

/// The main loop's handle.
pub(super) struct Keeper {
    errand_tx: SyncSender<Errand>,
    gone_rx: Receiver<()>,
}

impl Keeper {
    pub(super) fn start(event_tx: SyncSender<Event>, waker: Waker) -> io::Result<Self> {
        let (errand_tx, errand_rx) = sync_channel(ERRANDS);
        let (gone_tx, gone_rx) = sync_channel(1);
        std::thread::Builder::new().name("keeper".into()).spawn(move || {
            run(&errand_rx, &event_tx, &waker);
            drop(gone_tx);
        })?;
        Ok(Self { errand_tx, gone_rx })
    }

    /// Hands an errand over without waiting; false if the disk has not kept up.
    pub(super) fn send(&self, errand: Errand) -> bool {
        self.errand_tx.try_send(errand).is_ok()
    }

    /// Lets it finish what it has, within bounds.
    pub(super) fn leave(self) {
        drop(self.errand_tx);
        let _: Result<(), RecvTimeoutError> = self.gone_rx.recv_timeout(LEAVING);
    }
}

/// What the thread has at hand.
struct Desk {
    consents: Option<Consents>,
    queue: Result<Queue, String>,
}

fn run(errand_rx: &Receiver<Errand>, event_tx: &SyncSender<Event>, waker: &Waker) {
    let mut desk = Desk { consents: Consents::of_user(), queue: Err("it is not open".to_owned()) };
    while let Ok(errand) = errand_rx.recv() {
        let kept = desk.run(errand);
        // Nobody listens any more: what is left is still kept.
        if event_tx.try_send(Event::Kept(kept)).is_ok() {
            waker.wake();
        }
    }
    if let Ok(queue) = desk.queue {
        queue.close();
    }
}

impl Desk {
    fn run(&mut self, errand: Errand) -> Kept {
        let nowhere = || io::Error::other("there is no home folder");
        match errand {
            Errand::LookUp { origin, host } => {
                Kept::Consent(self.consents.as_ref().map_or(Ok(None), |c| c.get(&origin, &host)))
            }
            Errand::Remember { origin, host, yes } => {
                let consents = self.consents.as_ref().ok_or_else(nowhere);
                Kept::Remembered(consents.and_then(|c| c.set(&origin, &host, yes)))
            }
            Errand::OpenQueue { origin, target, name } => self.open(&origin, &target, &name),
            Errand::Append { key, mark, at, text } => Kept::Appended(match &mut self.queue {
                Ok(queue) => queue.append(key, mark, at, &text),
                Err(why) => Err(io::Error::other(why.clone())),
            }),
            // What is not on the disk needs no mark there.
            Errand::Mark { key, mark, ticket } => {
                Kept::Marked(ticket, self.queue.as_mut().map_or(Ok(()), |queue| queue.mark(key, mark)))
            }
        }
    }

    /// Why there is none is said when a message is to be kept, and not before.
    fn open(&mut self, origin: &str, target: &str, name: &str) -> Kept {
        let Some(folder) = private::state_folder() else {
            self.queue = Err("there is no home folder".to_owned());
            return Kept::Letters(Vec::new(), Vec::new());
        };
        // The folder above is the user's alone, too.
        let opened =
            private::folder(&folder).and_then(|()| Queue::open(&folder.join("queue"), origin, target, name));
        match opened {
            Ok((queue, letters, complaints)) => {
                self.queue = Ok(queue);
                Kept::Letters(letters, complaints)
            }
            Err(e) => {
                self.queue = Err(e.to_string());
                Kept::Letters(Vec::new(), Vec::new())
            }
        }
    }
}
