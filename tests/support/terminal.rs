//! A terminal around a program: what the user would see, and what the user would type.
//!
//! A reader thread feeds an emulator and wakes whoever waits for a screen; nothing here sleeps or polls. The
//! emulator is vt100, as in the program under test, so it proves what aissh sends, not that vt100 is right.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::num::NonZeroU16;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::Winsize;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::Pid;

use super::{DEADLINE, tty};

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) cols: u16,
    pub(crate) rows: u16,
}

impl Size {
    pub(crate) const CLASSIC: Self = Self { cols: 80, rows: 24 };
    /// Wide enough for the split panel.
    pub(crate) const WIDE: Self = Self { cols: 130, rows: 40 };

    fn cells(self) -> (NonZeroU16, NonZeroU16) {
        let side = |cells| NonZeroU16::new(cells).expect("a terminal has cells");
        (side(self.rows), side(self.cols))
    }

    fn winsize(self) -> Winsize {
        // 8 by 16 pixels a cell, as a plausible terminal: pixel sizes have to get through as well.
        Winsize { ws_row: self.rows, ws_col: self.cols, ws_xpixel: self.cols * 8, ws_ypixel: self.rows * 16 }
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
}

pub(crate) struct Terminal {
    name: String,
    pid: Pid,
    master: File,
    /// Its end is the end of the reader.
    reader: Option<UnixStream>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    emulator: Option<vt100::Parser<Replies>>,
    raw: Vec<u8>,
    /// Nothing more will come: every holder of the terminal is gone.
    eof: bool,
    exit: Option<Exit>,
}

/// What a terminal answers to the common questions.
#[derive(Default)]
struct Replies {
    enabled: bool,
    pending: Vec<u8>,
}

impl vt100::Callbacks for Replies {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        i1: Option<u8>,
        _i2: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        if !self.enabled {
            return;
        }
        let param = params.first().and_then(|sub| sub.first()).copied().unwrap_or(0);
        let (row, col) = screen.cursor_position();
        match (i1, param, c) {
            // Cursor position report.
            (None, 6, 'n') => self.pending.extend(format!("\x1b[{};{}R", row + 1, col + 1).bytes()),
            // Primary device attributes: a VT220 with colours.
            (None, 0, 'c') => self.pending.extend(b"\x1b[?62;22c"),
            _ => {}
        }
    }
}

impl Terminal {
    /// Starts the program with exactly this environment.
    pub(crate) fn spawn(program: &str, args: &[String], env: &[(String, String)], size: Size) -> Self {
        Self::start(program, args, env, size, true)
    }

    /// As `spawn`, on a terminal that answers no questions: for tests whose bytes may look like one.
    pub(crate) fn spawn_mute(program: &str, args: &[String], env: &[(String, String)], size: Size) -> Self {
        Self::start(program, args, env, size, false)
    }

    fn start(program: &str, args: &[String], env: &[(String, String)], size: Size, replies: bool) -> Self {
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(env.iter().map(|(name, value)| (name, value)));
        let (master, child) = tty::spawn(&mut command, size.winsize())
            .unwrap_or_else(|error| panic!("start {program} on a terminal: {error}"));
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid is an i32"));
        let shared = Arc::new(Shared::default());
        let callbacks = Replies { enabled: replies, pending: Vec::new() };
        let (rows, cols) = size.cells();
        let emulator = vt100::Parser::new_with_callbacks(rows, cols, 10_000, callbacks);
        shared.lock().emulator = Some(emulator);
        let reader = File::from(tty::duplicate(&master).expect("duplicate the master"));
        let (shared_rx, shared_exit) = (Arc::clone(&shared), Arc::clone(&shared));
        let (reader_tx, reader_rx) = UnixStream::pair().expect("make a pair of sockets");
        std::thread::spawn(move || shared_rx.run_reader(reader, &reader_rx));
        std::thread::spawn(move || shared_exit.run_waiter(child));
        Self { name: program.to_owned(), pid, master, reader: Some(reader_tx), shared }
    }

    /// Types bytes. Fails if the program does not take them in time.
    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        let deadline = Instant::now() + DEADLINE;
        while !rest.is_empty() {
            match (&self.master).write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait_writable(deadline),
                Err(error) => self.fail(&format!("typing: {error}")),
            }
        }
    }

    /// Types a line and Enter.
    pub(crate) fn type_line(&self, line: &str) {
        self.send(format!("{line}\r"));
    }

    /// Waits until the screen is as wanted.
    pub(crate) fn wait_for(&self, wanted: impl Fn(&vt100::Screen) -> bool, what: &str) {
        self.wait(|state| state.emulator.as_ref().is_some_and(|emulator| wanted(emulator.screen())), what);
    }

    /// Waits until `text` is on the screen.
    pub(crate) fn wait_text(&self, text: &str) {
        self.wait_for(|screen| screen.contents().contains(text), &format!("{text:?}"));
    }

    /// Waits until the line with the cursor ends in `prompt` (blanks aside).
    pub(crate) fn wait_prompt(&self, prompt: &str) {
        let at_prompt = |screen: &vt100::Screen| {
            let (row, col) = screen.cursor_position();
            let line = screen.rows(0, col).nth(usize::from(row));
            line.is_some_and(|line| line.trim_end().ends_with(prompt))
        };
        self.wait_for(at_prompt, &format!("the prompt {prompt:?}"));
    }

    /// Waits for bytes that need not show on the screen.
    pub(crate) fn wait_raw(&self, wanted: impl Fn(&[u8]) -> bool, what: &str) {
        self.wait(|state| wanted(&state.raw), what);
    }

    /// Waits for the program's end, and for the last of its output.
    pub(crate) fn wait_exit(&self) -> Exit {
        self.wait_quietly(|state| state.exit.is_some(), "the program's exit");
        // Whatever it left running may keep the terminal open; then there is no end to wait for.
        let unmet = |state: &mut State| !state.eof;
        let wait = self.shared.changed.wait_timeout_while(self.shared.lock(), DEADLINE / 10, unmet);
        let (state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        state.exit.expect("waited for it")
    }

    /// Presses a key until the program has ended by it. More than once, as readpassphrase loses a signal that
    /// comes between its prompt and its read.
    pub(crate) fn press_until_exit(&self, key: &str) -> Exit {
        let (started, a_while) = (Instant::now(), DEADLINE / 40);
        while started.elapsed() < DEADLINE {
            self.send(key);
            let unmet = |state: &mut State| state.exit.is_none();
            let wait = self.shared.changed.wait_timeout_while(self.shared.lock(), a_while, unmet);
            if wait.unwrap_or_else(PoisonError::into_inner).0.exit.is_some() {
                return self.wait_exit();
            }
        }
        self.fail(&format!("{key:?} did not end it"));
    }

    /// Runs `look` on the screen as it is now.
    pub(crate) fn screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        let state = self.shared.lock();
        look(state.emulator.as_ref().expect("the emulator failed; use raw()").screen())
    }

    /// All lines that the user can scroll through: what has left the screen at the top, and the screen. Without
    /// blanks at their ends.
    pub(crate) fn transcript(&self) -> Vec<String> {
        let mut state = self.shared.lock();
        let screen = state.emulator.as_mut().expect("the emulator failed; use raw()").screen_mut();
        let (rows, cols) = screen.size();
        let above = screen.scrollback_len();
        let mut lines = Vec::new();
        for offset in (1..=above).rev() {
            screen.set_scrollback(offset);
            lines.extend(screen.rows(0, cols.get()).take(1));
        }
        screen.set_scrollback(0);
        lines.extend(screen.rows(0, cols.get()).take(usize::from(rows.get())));
        lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
    }

    pub(crate) fn screen_text(&self) -> String {
        self.shared.lock().picture()
    }

    /// Everything that the program has written so far.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.shared.lock().raw.clone()
    }

    /// Makes the terminal another size; the program gets SIGWINCH.
    pub(crate) fn resize(&self, size: Size) {
        let mut state = self.shared.lock();
        let (rows, cols) = size.cells();
        if let Some(emulator) = &mut state.emulator {
            emulator.screen_mut().set_size(rows, cols);
        }
        tty::set_size(&self.master, size.winsize()).expect("set the window size");
    }

    /// The terminal's modes, also after the program's end: to prove that it put them back.
    pub(crate) fn termios(&self) -> Termios {
        tcgetattr(&self.master).expect("read the terminal's modes")
    }

    /// Closes the window: the program loses its terminal.
    pub(crate) fn hang_up(&mut self) {
        self.reader = None;
        self.wait_quietly(|state| state.eof, "the reader's end");
        self.master = File::open("/dev/null").expect("open /dev/null");
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn kill(&self, signal: Signal) {
        // Under the lock, so that a program known to be gone is never signalled by its old number.
        let state = self.shared.lock();
        if state.exit.is_none() {
            let _ = kill(self.pid, signal);
        }
    }

    /// Writes the screen as text into a file, for debugging.
    pub(crate) fn screenshot(&self, file: impl AsRef<Path>) {
        std::fs::write(file, self.screen_text()).expect("write the screenshot");
    }

    fn wait_writable(&self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLOUT)];
        match poll(&mut fds, timeout) {
            Ok(0) => self.fail("the program does not read what is typed"),
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(error) => self.fail(&format!("typing: {error}")),
        }
    }

    /// As `wait_quietly`, but an end of the program is the end of the wait.
    fn wait(&self, wanted: impl Fn(&State) -> bool, what: &str) {
        self.wait_quietly(|state| wanted(state) || state.eof, what);
        // The condition is asked again: it may have come true with the last bytes.
        let met = wanted(&self.shared.lock());
        if !met {
            self.fail(&format!("the program ended before {what}"));
        }
    }

    fn wait_quietly(&self, wanted: impl Fn(&State) -> bool, what: &str) {
        let unmet = |state: &mut State| !wanted(state);
        let wait = self.shared.changed.wait_timeout_while(self.shared.lock(), DEADLINE, unmet);
        let (state, timeout) = wait.unwrap_or_else(PoisonError::into_inner);
        drop(state);
        if timeout.timed_out() {
            self.fail(&format!("no {what} within {} s", DEADLINE.as_secs()));
        }
    }

    fn fail(&self, what: &str) -> ! {
        let exit = self.shared.lock().exit;
        panic!("{}: {what} (exit: {exit:?})\n{}", self.name, self.screen_text());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- {} ---\n{}", self.name, self.screen_text());
        }
        self.kill(Signal::SIGKILL);
    }
}

impl Shared {
    /// A panic elsewhere must not hide the screen that explains it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_reader(&self, mut master: File, end: &UnixStream) {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match master.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let replies = self.lock().feed(&buffer[..count]);
                    self.changed.notify_all();
                    // Best effort: a program that asks and does not read its answer is the test's business.
                    let _ = master.write(&replies);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let (master, end) = (master.as_fd(), end.as_fd());
                    let mut fds = [master, end].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
                    let _ = poll(&mut fds, PollTimeout::NONE);
                    if fds[1].any() == Some(true) {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // EIO on Linux: the last holder of the slave is gone and everything has been read.
                Err(_) => break,
            }
        }
        self.lock().eof = true;
        self.changed.notify_all();
    }

    fn run_waiter(&self, mut child: Child) {
        let status = child.wait().expect("wait for the program");
        let exit = status.code().map(Exit::Code).or(status.signal().map(Exit::Signal));
        self.lock().exit = exit;
        self.changed.notify_all();
    }
}

impl State {
    /// Returns what the terminal answers.
    fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.raw.extend_from_slice(bytes);
        let Some(mut emulator) = self.emulator.take() else { return Vec::new() };
        // vt100 panics on some input. The raw bytes go on; the screen is then gone and says so.
        let fed = std::panic::catch_unwind(AssertUnwindSafe(move || {
            emulator.process(bytes);
            let replies = std::mem::take(&mut emulator.callbacks_mut().pending);
            (emulator, replies)
        }));
        let Ok((emulator, replies)) = fed else { return Vec::new() };
        self.emulator = Some(emulator);
        replies
    }

    /// The screen in a frame, with the cursor's place.
    fn picture(&self) -> String {
        let Some(emulator) = &self.emulator else { return "(the emulator failed on this output)".to_owned() };
        let screen = emulator.screen();
        let (rows, cols) = screen.size();
        let (row, col) = screen.cursor_position();
        let mut picture = format!("{cols}x{rows}, cursor at row {row} column {col}");
        picture.push_str(if screen.alternate_screen() { ", alternate screen\n" } else { "\n" });
        for line in screen.rows(0, cols.get()) {
            let _ = writeln!(picture, "│{line}");
        }
        picture
    }
}
