//! The second step: a confirmed plan is carried out, or stops with the file as it was.
//!
//! Order: look again, write a file beside (O_EXCL; mode 600 until it is complete), owner, mode, fsync, look once more,
//! rename over the target (`posix-rename`; a new file by the plain rename, which fails where somebody was faster), fsync
//! of the directory, read back. What goes wrong before the rename takes the file beside away again, or names it.

use super::place::{Place, find};
use super::{Confirmed, Doing, FileOutcome, FileResult, Plan, Progress, Stop, paths, read_text};
use crate::random;
use crate::ssh::sftp::{Attrs, CREATE, Code, EXCLUSIVE, Handle, READ, Room, Sftp, SftpError, WRITE};
use crate::text::cut;

/// While it is being written.
const PRIVATE: u32 = 0o600;
/// Less the server's umask, as any new file.
const DEFAULT: u32 = 0o666;
/// What of a name is in the name of the file beside it: names have 255 bytes at most, and 24 are added.
const NAME_KEPT: usize = 200;

/// Carries a confirmed plan out.
pub fn carry_out(sftp: &mut Sftp, confirmed: &Confirmed, progress: &mut dyn FnMut(Progress)) -> FileOutcome {
    let plan = &confirmed.0;
    let result = match replace(sftp, plan, progress) {
        Ok(()) => read_back(sftp, plan, progress),
        Err(Trouble::Before(stop)) => FileResult::Stopped(stop),
        Err(Trouble::During(why)) => FileResult::Uncertain(why),
    };
    plan.outcome(result)
}

/// What went wrong, by what it means for the file.
enum Trouble {
    Before(Stop),
    /// The rename was asked for, and its answer has not come.
    During(String),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Self::Before(stop)
    }
}

fn replace(sftp: &mut Sftp, plan: &Plan, progress: &mut dyn FnMut(Progress)) -> Result<(), Trouble> {
    let place = find(sftp, &plan.asked)?;
    let attrs = unchanged(sftp, plan, &place, progress)?;
    if attrs.is_some() && !sftp.has("posix-rename@openssh.com") {
        let why = "The server cannot replace a file in one step (no posix-rename).";
        return Err(Stop::new(why).into());
    }
    has_room(sftp, &place, plan.after.len())?;
    let beside = beside(&place)?;
    let mut writing = Writing { sftp, plan, place: &place, beside: &beside, attrs, progress };
    if let Err(stop) = writing.write() {
        return Err(stop.into());
    }
    if let Err(stop) = writing.still_the_same() {
        return Err(writing.take_away(stop).into());
    }
    writing.rename()
}

/// Makes sure that the file is what the plan was made for. The value is what is known of it now.
fn unchanged(
    sftp: &mut Sftp,
    plan: &Plan,
    place: &Place,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Attrs>, Stop> {
    let changed =
        |what: &str| Stop::new(format!("{} {what} since the diff was made. Look at it again.", plan.path));
    if place.path != plan.path {
        return Err(changed("leads to another file"));
    }
    let (before, attrs) = match (&plan.before, place.attrs) {
        (None, None) => return Ok(None),
        (None, Some(_)) => return Err(changed("has come into being")),
        (Some(_), None) => return Err(changed("has gone")),
        (Some(before), Some(attrs)) => (before, attrs),
    };
    let rights = |a: &Attrs| (a.uid, a.gid, a.permissions);
    if rights(&attrs) != rights(&before.attrs) {
        return Err(changed("has another owner or mode"));
    }
    let text = read_text(sftp, &place.path, Doing::Checking, Some(before.text.len()), progress)?;
    if text == before.text { Ok(Some(attrs)) } else { Err(changed("has changed")) }
}

/// What is certain before anything is written. Where the server does not tell, the writing will.
fn has_room(sftp: &mut Sftp, place: &Place, bytes: usize) -> Result<(), Stop> {
    match sftp.room(&place.directory) {
        Ok(room) if room.read_only => Err(read_only(&place.directory)),
        Ok(room) if room.free < bytes as u64 => Err(no_space(&place.directory, bytes, room)),
        _ => Ok(()),
    }
}

fn read_only(directory: &str) -> Stop {
    Stop::new(format!("{directory} is on a file system that is mounted read-only."))
}

fn no_space(directory: &str, bytes: usize, room: Room) -> Stop {
    Stop::new(format!(
        "No space left in {directory}: {bytes} bytes are needed beside the old file, {} bytes and {} new files are free.",
        room.available, room.inodes
    ))
}

/// A name that no `*.conf`, cron or run-parts takes for one of its own, and that nobody can know before.
fn beside(place: &Place) -> Result<String, Stop> {
    let random = random::bytes().map_err(|e| Stop::new(format!("No random name can be made: {e}.")))?;
    let name = cut(&place.name, NAME_KEPT);
    let random = u64::from_ne_bytes(random);
    Ok(format!("{}/.{name}.aissh-{random:016x}", place.directory.trim_end_matches('/')))
}

/// The file beside, from its making to the rename.
struct Writing<'a> {
    sftp: &'a mut Sftp,
    plan: &'a Plan,
    place: &'a Place,
    beside: &'a str,
    /// Of the file that it takes the place of.
    attrs: Option<Attrs>,
    progress: &'a mut dyn FnMut(Progress),
}

impl Writing<'_> {
    /// Makes it, complete and on the disk. On an error it is gone again.
    fn write(&mut self) -> Result<(), Stop> {
        let is_private = self.attrs.is_some() || paths::is_private(&self.place.path);
        let mode = if is_private { PRIVATE } else { DEFAULT };
        let made = self.sftp.open(self.beside, WRITE | CREATE | EXCLUSIVE, Some(mode));
        let handle = match made {
            Ok(handle) => handle,
            Err(e @ SftpError::Status(Code::Denied, _)) => {
                let doing = format!("making a file in {}, which replacing needs", self.place.directory);
                return Err(Stop::of(&e, &doing).with_root(&self.place.path));
            }
            Err(e @ SftpError::Status(..)) => return Err(self.refused(&e)),
            // It may have been made all the same.
            Err(e) => {
                let stop = self.refused(&e);
                return Err(self.take_away(stop));
            }
        };
        let filled = self.fill(&handle);
        // Network file systems tell of a full disk or a quota here.
        let closed = self.sftp.close(handle).map_err(|e| self.refused(&e));
        filled.and(closed).map_err(|stop| self.take_away(stop))
    }

    fn fill(&mut self, handle: &Handle) -> Result<(), Stop> {
        let total = Some(self.plan.after.len());
        let progress = &mut *self.progress;
        let tell = |done| progress(Progress { doing: Doing::Writing, done, total });
        let written = self.sftp.write_all(handle, self.plan.after.as_bytes(), tell);
        written.map_err(|e| self.refused(&e))?;
        self.dress(handle)?;
        self.sftp.sync(handle).map_err(|e| self.refused(&e))?;
        let now = self.sftp.fstat(handle).map_err(|e| self.refused(&e))?;
        self.is_right(&now)
    }

    /// Owner before mode: chown(2) clears set-ID bits.
    fn dress(&mut self, handle: &Handle) -> Result<(), Stop> {
        let Some(old) = self.attrs else { return Ok(()) };
        let now = self.sftp.fstat(handle).map_err(|e| self.refused(&e))?;
        let (Some(uid), Some(gid), Some(mode)) = (old.uid, old.gid, old.mode()) else {
            return Err(Stop::new("The server does not tell owner and mode, so they cannot be kept."));
        };
        if (now.uid, now.gid) != (old.uid, old.gid) {
            self.sftp.set_owner(handle, uid, gid).map_err(|e| match e {
                SftpError::Status(..) => self.cannot_keep(&format!("owner {uid}:{gid}")),
                other => self.refused(&other),
            })?;
        }
        self.sftp.set_mode(handle, mode).map_err(|e| self.refused(&e))
    }

    /// What the server says of the new file is what was asked for.
    fn is_right(&self, now: &Attrs) -> Result<(), Stop> {
        if now.size.is_some_and(|size| size != self.plan.after.len() as u64) {
            return Err(Stop::new("The new file is not as long as it should be."));
        }
        match self.attrs {
            Some(old) if (now.uid, now.gid) != (old.uid, old.gid) => Err(self.cannot_keep("its owner")),
            Some(old) if now.mode() != old.mode() => Err(self.cannot_keep("its mode")),
            _ => Ok(()),
        }
    }

    fn cannot_keep(&self, what: &str) -> Stop {
        let text = format!("This login cannot give the new {} {what}.", self.place.path);
        Stop::new(text).with_root(&self.place.path)
    }

    /// The last look, a moment before the rename.
    fn still_the_same(&mut self) -> Result<(), Stop> {
        let now = match self.sftp.lstat(&self.place.path) {
            Ok(now) => Some(now),
            Err(SftpError::Status(Code::NoSuchFile, _)) => None,
            Err(e) => return Err(Stop::of(&e, &format!("looking at {}", self.place.path))),
        };
        if now == self.attrs {
            return Ok(());
        }
        let path = &self.place.path;
        Err(Stop::new(format!("{path} was changed while its successor was written. It is left as it is.")))
    }

    fn rename(mut self) -> Result<(), Trouble> {
        // From here on there is no cancelling: whether it came in time would not be known.
        self.sftp.set_cancel(None);
        let path = &self.place.path;
        let renamed = match self.attrs {
            Some(_) => self.sftp.rename_over(self.beside, path),
            None => self.sftp.rename_new(self.beside, path),
        };
        match renamed {
            Ok(()) => {
                self.sync_directory();
                Ok(())
            }
            Err(e @ SftpError::Status(..)) => {
                let stop = Stop::of(&e, &format!("renaming {} to {path}", self.beside));
                Err(self.take_away(stop).into())
            }
            Err(e) => Err(Trouble::During(format!(
                "While {} was renamed to {path}: {e}. It is one or the other: look which.",
                self.beside
            ))),
        }
    }

    /// So that the new name survives a crash. OpenSSH opens a directory for reading as any file; what cannot be done here
    /// cannot be done over SFTP.
    fn sync_directory(&mut self) {
        if let Ok(handle) = self.sftp.open(&self.place.directory, READ, None) {
            let _ = self.sftp.sync(&handle);
            let _ = self.sftp.close(handle);
        }
    }

    /// Why it could not be written: most reasons are one code in SFTP, and the file system tells which.
    fn refused(&mut self, error: &SftpError) -> Stop {
        let directory = &self.place.directory;
        if let SftpError::Status(Code::Failure, _) = error
            && let Ok(room) = self.sftp.room(directory)
        {
            // What was written of it takes room until it is taken away.
            if room.read_only {
                return read_only(directory);
            }
            if room.available < self.plan.after.len() as u64 {
                return no_space(directory, self.plan.after.len(), room);
            }
        }
        let mut stop = Stop::of(error, &format!("writing beside {}", self.place.path));
        if let SftpError::Status(Code::Failure, _) = error {
            stop.text.push_str(" There is room on the file system; it may be a quota.");
        }
        stop
    }

    /// Removes the file beside, also after a cancel; where that fails, says that it is there.
    fn take_away(&mut self, mut stop: Stop) -> Stop {
        self.sftp.set_cancel(None);
        match self.sftp.remove(self.beside) {
            Ok(()) | Err(SftpError::Status(Code::NoSuchFile, _)) => {}
            Err(e) => {
                stop.is_lost |= !matches!(e, SftpError::Status(..));
                stop.text.push_str(&format!(
                    " {} was not changed, but {} may be left.",
                    self.place.path, self.beside
                ));
            }
        }
        stop
    }
}

/// The file is in its place: is it what it should be?
fn read_back(sftp: &mut Sftp, plan: &Plan, progress: &mut dyn FnMut(Progress)) -> FileResult {
    let text = read_text(sftp, &plan.path, Doing::Checking, Some(plan.after.len()), progress);
    match text {
        Ok(text) if text == plan.after => FileResult::Written,
        Ok(_) => FileResult::Uncertain(format!(
            "{} was written, but reads back otherwise: somebody else has written to it.",
            plan.path
        )),
        Err(stop) => FileResult::Uncertain(format!(
            "{} was written, but could not be read back: {}",
            plan.path, stop.text
        )),
    }
}
