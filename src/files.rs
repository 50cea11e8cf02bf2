//! The only code that writes files on the remote, over SFTP and never through shell text. It takes actions that the
//! user has confirmed ([`Confirmed`]) and nothing else.
//!
//! Two steps. [`plan`] reads the file, finds the place, and says what would change. [`carry_out`] looks again, writes a
//! new file beside the old one, gives it its owner and mode, puts it in its place in one step, and reads it back.
//! Whatever does not fit stops with nothing changed.
//!
//! Decided, where a careful administrator could do otherwise:
//! - A symlink is followed and said; the file behind it is what changes. Not where it leads nowhere, and not out of a
//!   directory that anybody may write to (as Linux's protected_symlinks).
//! - Only text is changed: no NUL, valid UTF-8.
//! - Owner, group and mode are kept, or nothing is done. ACLs, extended attributes and the other names of a file with
//!   several cannot be kept by a rename, nor seen over SFTP (but for the number of names): that is said before.
//! - A directory that cannot be written to is not worked around (writing in place can be torn): `sudoedit` is offered.

mod change;
mod diff;
mod paths;
mod place;
mod plan;
mod write;

use crate::linus::contract::{Risk, UpdateMode};
use crate::ssh::sftp::{Attrs, Sftp, SftpError};

pub use diff::{Diff, DiffKind, DiffLine};
pub use plan::plan;
pub use write::carry_out;

/// What is read and written at most: a text that somebody edits is far below, and it is held in memory.
pub const SIZE_LIMIT: usize = 100 << 20;

/// What the user types to confirm a change of high risk.
pub const CONFIRMATION: &str = "yes";

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Sentences for the user; may quote the remote.
    pub text: String,
    /// The login may not, but root could: the file that `sudoedit` would open. Offered as a card and never run.
    pub as_root: Option<String>,
    pub cancelled: bool,
    /// The connection cannot be used any more.
    pub is_lost: bool,
}

impl Stop {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), as_root: None, cancelled: false, is_lost: false }
    }

    /// `doing` is what failed, as in "reading /etc/motd".
    fn of(error: &SftpError, doing: &str) -> Self {
        use crate::ssh::side_channel::ChannelError::Cancelled;
        let cancelled = matches!(error, SftpError::Channel(Cancelled));
        let is_lost = !cancelled && !matches!(error, SftpError::Status(..));
        let text = if cancelled { "Cancelled.".to_owned() } else { format!("While {doing}: {error}.") };
        Self { text, as_root: None, cancelled, is_lost }
    }

    /// There is no connection for files.
    pub fn connecting(error: &SftpError) -> Self {
        Self::of(error, "connecting for files")
    }

    /// ssh could not be started.
    pub fn starting(error: &std::io::Error) -> Self {
        Self::new(format!("ssh could not be started: {error}."))
    }

    fn with_root(mut self, path: &str) -> Self {
        self.as_root = Some(path.to_owned());
        self
    }
}

/// A file as it is before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Existing {
    attrs: Attrs,
    text: String,
}

/// What would be done, for the user to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// As Linus gave it, and the file that it means on the remote.
    pub asked: String,
    pub path: String,
    pub mode: Option<UpdateMode>,
    pub diff: Diff,
    /// What else there is to know, and what would be lost.
    pub notes: Vec<String>,
    pub warnings: Vec<String>,
    pub level: Risk,
    pub reason: String,
    before: Option<Existing>,
    after: String,
}

/// A plan that the user has said yes to.
#[derive(Debug)]
pub struct Confirmed(Plan);

impl Plan {
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// One more reason to look twice: it has to be confirmed by typing.
    pub fn raise(&mut self, reason: &str) {
        if self.level < Risk::High {
            self.level = Risk::High;
            reason.clone_into(&mut self.reason);
        } else {
            self.warnings.push(reason.to_owned());
        }
    }

    /// `typed` is what the user typed; at high risk it must be [`CONFIRMATION`].
    pub fn confirm(self, typed: Option<&str>) -> Result<Confirmed, Box<Self>> {
        if self.level < Risk::High || typed.is_some_and(|word| word.trim() == CONFIRMATION) {
            Ok(Confirmed(self))
        } else {
            Err(Box::new(self))
        }
    }

    /// What is to be recorded if it ends like this.
    pub fn outcome(&self, result: FileResult) -> FileOutcome {
        FileOutcome {
            path: self.path.clone(),
            mode: self.mode.map_or("write_file", UpdateMode::name),
            bytes_before: self.before.as_ref().map(|before| before.text.len()),
            bytes_after: self.after.len(),
            diff: self.diff.text(&self.path),
            result,
        }
    }
}

impl Confirmed {
    pub fn plan(&self) -> &Plan {
        &self.0
    }
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileResult {
    /// In its place, read back, and the same.
    Written,
    ///.
    Stopped(Stop),
    /// It may have been changed; why that is not known, or not as it should be.
    Uncertain(String),
}

/// One file action from beginning to end: what an audit needs, and nothing of how it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    pub path: String,
    /// `write_file`, or the update's mode.
    pub mode: &'static str,
    /// `None` for a new file.
    pub bytes_before: Option<usize>,
    pub bytes_after: usize,
    pub diff: String,
    pub result: FileResult,
}

impl FileOutcome {
    /// Why nothing was changed, if it was not.
    pub fn stop(&self) -> Option<&Stop> {
        match &self.result {
            FileResult::Stopped(stop) => Some(stop),
            FileResult::Written | FileResult::Uncertain(_) => None,
        }
    }
}

/// The outcome where the connection, over which the plan was made, is gone.
pub fn not_connected(confirmed: &Confirmed) -> FileOutcome {
    confirmed.0.outcome(FileResult::Stopped(Stop::new("The connection has ended. Look at the file again.")))
}

/// What is being done, and how much of it (bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub doing: Doing,
    pub done: usize,
    pub total: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Reading,
    Writing,
    Checking,
}

impl Doing {
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Checking => "reading back",
        }
    }
}

/// All of a file as text; the sentence says why it is none.
fn read_text(
    sftp: &mut Sftp,
    path: &str,
    doing: Doing,
    total: Option<usize>,
    progress: &mut dyn FnMut(Progress),
) -> Result<String, Stop> {
    use crate::ssh::sftp::{Code, READ};
    let failed = |e: SftpError| {
        let denied = matches!(e, SftpError::Status(Code::Denied, _));
        let stop = Stop::of(&e, &format!("reading {path}"));
        if denied { stop.with_root(path) } else { stop }
    };
    let handle = sftp.open(path, READ, None).map_err(failed)?;
    let text = sftp.read_all(&handle, SIZE_LIMIT, |done| progress(Progress { doing, done, total }));
    let closed = sftp.close(handle);
    let text = text.map_err(failed)?.ok_or_else(|| too_big(path))?;
    closed.map_err(failed)?;
    if memchr::memchr(0, &text).is_some() {
        return Err(Stop::new(format!("{path} is not text: it has NUL bytes.")));
    }
    String::from_utf8(text).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Stop::new(format!("{path} is not text: byte {at} is not UTF-8."))
    })
}

fn too_big(path: &str) -> Stop {
    Stop::new(format!("{path} is larger than {} MiB, which is the limit.", SIZE_LIMIT >> 20))
}
