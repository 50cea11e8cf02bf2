//! `--record FILE`: takes the session's output and marks from the main loop, and has a thread that writes them.
//!
//! What the disk does not take in time is left out, and the recording says where.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant, SystemTime};

use super::cast::{Cast, Window};
use crate::error::{Error, status};
use crate::linus::redact::{Class, Redactor};
use crate::private;

/// Pieces that wait for the disk, of a read's 16 KiB at most: 16 MiB.
const WAITING: usize = 1024;

/// Leaving waits this long for the disk.
const FAREWELL: Duration = Duration::from_secs(2);

enum Piece {
    Output(Vec<u8>),
    Resize(Window),
    Marker(String),
    Exit(i32),
    Learn(String, Class),
}

/// The main loop's end.
pub struct Tape {
    piece_tx: SyncSender<(Duration, Piece)>,
    /// Why no more is written; disconnected when the thread has ended.
    lost_rx: Receiver<String>,
    started: Instant,
    /// Bytes of output that there was no room for.
    left_out: usize,
    /// Secrets that there was no room for: until they are known no output is recorded.
    unlearned: Vec<(String, Class)>,
}

impl Tape {
    /// Makes the file. One that exists is not overwritten.
    pub fn create(path: &Path) -> Result<File, Error> {
        private::create(path).map_err(|e| {
            let why = match e.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    format!("{} exists: name another file, or remove it", path.display())
                }
                _ => e.to_string(),
            };
            Error::new(status::SSH, format!("--record: {why}"))
        })
    }

    /// Starts the thread that writes to the file.
    pub fn start(
        mut file: File,
        window: Window,
        title: &str,
        mut redactor: Redactor,
    ) -> std::io::Result<Self> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let term = std::env::var("TERM").ok();
        let header = Cast::header(window, term.as_deref(), now.as_secs(), title);
        file.write_all(header.as_bytes())?;
        let (piece_tx, piece_rx) = sync_channel(WAITING);
        let (lost_tx, lost_rx) = sync_channel(1);
        let thread = move || {
            if let Err(e) = write(&mut file, &piece_rx, &mut redactor) {
                let _ = lost_tx.try_send(e.to_string());
            }
        };
        Builder::new().name("tape".into()).spawn(thread)?;
        Ok(Self { piece_tx, lost_rx, started: Instant::now(), left_out: 0, unlearned: Vec::new() })
    }

    /// Something that ssh printed.
    pub fn output(&mut self, bytes: &[u8]) {
        if !self.tell_secrets() || !self.tell_gap() || !self.send(Piece::Output(bytes.to_owned())) {
            self.left_out += bytes.len();
        }
    }

    fn tell_secrets(&mut self) -> bool {
        while let Some((secret, class)) = self.unlearned.last().cloned() {
            if !self.send(Piece::Learn(secret, class)) {
                return false;
            }
            self.unlearned.pop();
        }
        true
    }

    fn tell_gap(&mut self) -> bool {
        if self.left_out == 0 {
            return true;
        }
        let gap = format!("{} bytes of output are left out here: the disk did not keep up", self.left_out);
        let told = self.send(Piece::Marker(gap));
        if told {
            self.left_out = 0;
        }
        told
    }

    /// ssh's terminal has another size.
    pub fn resize(&mut self, window: Window) {
        self.send(Piece::Resize(window));
    }

    /// What is a secret from now on.
    pub fn learn(&mut self, secret: String, class: Class) {
        self.unlearned.push((secret, class));
        self.tell_secrets();
    }

    /// A question, a card, a decision.
    pub fn marker(&mut self, text: &str) {
        self.send(Piece::Marker(text.to_owned()));
    }

    /// ssh has ended. Waits a moment for the disk; the value is why the recording is not whole.
    pub fn finish(mut self, status: i32) -> Option<String> {
        self.send(Piece::Exit(status));
        let Self { piece_tx, lost_rx, left_out, .. } = self;
        drop(piece_tx);
        match lost_rx.recv_timeout(FAREWELL) {
            Ok(why) => Some(why),
            Err(RecvTimeoutError::Timeout) => Some("the disk does not keep up".into()),
            Err(RecvTimeoutError::Disconnected) => (left_out > 0).then(|| "its end is left out".into()),
        }
    }

    /// False if there is no room. A thread that has ended takes everything: why it did is told at the end.
    fn send(&mut self, piece: Piece) -> bool {
        let piece = (self.started.elapsed(), piece);
        !matches!(self.piece_tx.try_send(piece), Err(TrySendError::Full(_)))
    }
}

fn clean(redactor: &mut Redactor, text: &str) -> Option<String> {
    redactor.redact(text).ok().map(|redacted| redacted.text)
}

/// The thread's body.
fn write(
    file: &mut File,
    pieces: &Receiver<(Duration, Piece)>,
    redactor: &mut Redactor,
) -> std::io::Result<()> {
    let mut cast = Cast::default();
    while let Ok((at, piece)) = pieces.recv() {
        match piece {
            Piece::Output(bytes) => cast.output(at, &bytes),
            Piece::Resize(window) => cast.resize(at, window),
            Piece::Marker(text) => cast.marker(at, &text),
            Piece::Exit(status) => cast.exit(at, status),
            Piece::Learn(secret, class) => redactor.learn(&secret, class),
        }
        let lines = cast.take_lines(&mut |text| clean(redactor, text));
        if !lines.is_empty() {
            file.write_all(lines.as_bytes())?;
        }
    }
    file.write_all(cast.take(&mut |text| clean(redactor, text)).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linus::redact::Options;

    fn path(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("aissh-tape-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_recording_is_for_the_user_alone_and_overwrites_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let path = path("mode");
        let _ = std::fs::remove_file(&path);
        let window = Window { cols: 80, rows: 24 };
        let file = Tape::create(&path).expect("made");
        let mut tape = Tape::start(file, window, "web1", Redactor::new(Options::default())).expect("started");
        tape.output(b"hello ");
        tape.marker("asked: why?");
        tape.output(b"world\r\n");
        tape.learn("zanzibar-41".into(), "filled-in");
        tape.output(b"login zanzi");
        tape.output(b"bar-41");
        assert_eq!(tape.finish(3), None);
        let text = std::fs::read_to_string(&path).expect("there");
        let codes: Vec<String> = text
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str::<(f64, String, String)>(line).expect("an event"))
            .map(|(_, code, what)| format!("{code} {what}"))
            .collect();
        assert_eq!(codes, ["o hello ", "m asked: why?", "o world\r\n", "o login ", "o ‹filled-in-1›", "x 3"]);
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        let error = Tape::create(&path).expect_err("it exists");
        assert!(error.message.contains(" exists: ") && error.status == 255, "{error}");
        std::fs::remove_file(path).expect("clean up");
    }
}
