//! The user's terminal: opened on its own, raw while ssh runs, given back on every way out.
//!
//! It is opened anew by name instead of through descriptors 0 to 2: `O_NONBLOCK` belongs to the open file
//! description, and descriptors 0 to 2 share theirs with the user's shell (atuin#4217, mitogen#712).

use super::{Size, crash};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::termios::{
    self, InputFlags, LocalFlags, OutputFlags, SetArg, SpecialCharacterIndices, Termios,
};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long giving the terminal back may wait for a terminal that does not read.
const LEAVE_WITHIN: Duration = Duration::from_millis(200);

/// The controlling terminal, non-blocking.
pub struct Tty {
    file: File,
    cooked: Termios,
}

impl Tty {
    /// Opens the controlling terminal. `standard` is one of the standard descriptors, known to be it.
    pub fn open(standard: BorrowedFd<'_>) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY | nix::libc::O_CLOEXEC)
            .open(path(standard)?)?;
        let cooked = termios::tcgetattr(&file)?;
        Ok(Self { file, cooked })
    }

    /// The settings that the user had before.
    pub fn cooked(&self) -> &Termios {
        &self.cooked
    }

    pub fn size(&self) -> io::Result<Size> {
        winsize(self.file.as_fd())
    }

    /// Raw mode as ssh's own (sshtty.c, `enter_raw_mode`), until the guard goes. What it restores is read anew
    /// each time: a shell may have changed the settings while we were suspended.
    pub fn raw(&mut self) -> io::Result<RawGuard> {
        self.cooked = termios::tcgetattr(&self.file)?;
        // Armed before the change: whatever fails in between leaves a terminal that is given back.
        let guard = RawGuard { file: self.file.try_clone()?, cooked: self.cooked.clone(), leave: Vec::new() };
        crash::arm(guard.file.as_fd(), &self.cooked);
        self.enter_raw()?;
        Ok(guard)
    }

    /// Whether the settings are still those of raw mode. A program that opened the terminal by its name (pinentry, for an
    /// agent that ssh asks) has other ones while it reads.
    pub fn is_raw(&self) -> bool {
        termios::tcgetattr(&self.file).is_ok_and(|now| {
            !now.local_flags.intersects(LocalFlags::ISIG | LocalFlags::ICANON | LocalFlags::ECHO)
        })
    }

    /// Raw mode again, under the same guard.
    pub fn enter_raw(&self) -> io::Result<()> {
        let mut raw = self.cooked.clone();
        raw.input_flags |= InputFlags::IGNPAR;
        raw.input_flags -= InputFlags::ISTRIP | InputFlags::INLCR | InputFlags::IGNCR | InputFlags::ICRNL;
        raw.input_flags -= InputFlags::IXON | InputFlags::IXANY | InputFlags::IXOFF;
        raw.local_flags -= LocalFlags::ISIG | LocalFlags::ICANON | LocalFlags::IEXTEN;
        raw.local_flags -= LocalFlags::ECHO | LocalFlags::ECHOE | LocalFlags::ECHOK | LocalFlags::ECHONL;
        raw.output_flags -= OutputFlags::OPOST;
        raw.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
        raw.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        // TCSADRAIN and not TCSAFLUSH: what was typed ahead belongs to the session.
        Ok(termios::tcsetattr(&self.file, SetArg::TCSADRAIN, &raw)?)
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// On Linux `/dev/tty` also works where the terminal's own node is not in this mount namespace (containers);
/// on macOS poll(2) does not work on `/dev/tty`.
fn path(standard: BorrowedFd<'_>) -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/dev/tty".into()) } else { Ok(nix::unistd::ttyname(standard)?) }
}

/// Cells and pixels by TIOCGWINSZ (crossterm's `size` loses the pixels when one of them is zero).
pub fn winsize(fd: BorrowedFd<'_>) -> io::Result<Size> {
    nix::ioctl_read_bad!(tiocgwinsz, nix::libc::TIOCGWINSZ, nix::libc::winsize);
    let mut ws = nix::libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCGWINSZ writes one winsize into the pointed-to value, which lives across the call.
    #[allow(unsafe_code)]
    unsafe {
        tiocgwinsz(fd.as_raw_fd(), &mut ws)?;
    }
    Ok(Size { cols: ws.ws_col, rows: ws.ws_row, xpixel: ws.ws_xpixel, ypixel: ws.ws_ypixel })
}

/// Gives the terminal back when dropped, which unwinding does as well.
pub struct RawGuard {
    file: File,
    cooked: Termios,
    /// Bytes that undo what was switched on (alternate screen, cursor, …).
    leave: Vec<u8>,
}

impl RawGuard {
    /// Sets the bytes that are written before the settings are restored, on whichever way out.
    pub fn on_leave(&mut self, bytes: Vec<u8>) {
        crash::on_leave(&bytes);
        self.leave = bytes;
    }
}

impl Drop for RawGuard {
    fn drop(&mut self) {
        write_within(&mut self.file, &self.leave, LEAVE_WITHIN);
        with_ttou_blocked(|| {
            // TCSANOW: a terminal that stopped reading (^S, a hung window) must not keep us from leaving.
            let _ = termios::tcsetattr(&self.file, SetArg::TCSANOW, &self.cooked);
        });
        crash::disarm();
    }
}

/// A background process that sets terminal attributes is stopped by SIGTTOU; leaving must not stop (bun#41505).
pub(crate) fn with_ttou_blocked<T>(act: impl FnOnce() -> T) -> T {
    let mut ttou = SigSet::empty();
    ttou.add(Signal::SIGTTOU);
    let mut before = SigSet::empty();
    let blocked = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&ttou), Some(&mut before)).is_ok();
    let value = act();
    if blocked {
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None);
    }
    value
}

/// Writes to a non-blocking terminal, waiting for it at most `limit` in all.
fn write_within(file: &mut File, mut bytes: &[u8], limit: Duration) {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let end = Instant::now() + limit;
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return,
            Ok(n) => bytes = &bytes[n..],
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                let left = end.saturating_duration_since(Instant::now());
                let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
                let mut fds = [PollFd::new(file.as_fd(), PollFlags::POLLOUT)];
                if left.is_zero() || !matches!(poll(&mut fds, timeout), Ok(1..)) {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}
