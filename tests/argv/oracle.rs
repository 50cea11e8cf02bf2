//! What the real ssh makes of a command line: its `-G`, and what it asks a master of for the session.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aissh::ssh::find;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Longer than any ssh needs to say what it wants, on whatever machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// What `ssh -G` answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) good: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.stdout.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
    }

    /// It is the resolved configuration, and not something else that ssh prints and ends well.
    pub(crate) fn resolved(&self) -> bool {
        self.good && self.value("hostname").is_some()
    }
}

/// What ssh wants of the connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Session {
        tty: bool,
        subsystem: bool,
        command: Vec<u8>,
    },
    StandardStreams,
    /// It ended before it asked.
    Nothing,
}

/// ssh with a home of its own, a terminal as its input, and a master of ours to connect through.
pub(crate) struct Oracle {
    ssh: PathBuf,
    with_home: PathBuf,
    dir: PathBuf,
    socket: PathBuf,
    master: UnixListener,
    terminal: OwnedFd,
    /// Keeps the terminal alive.
    _keyboard: OwnedFd,
}

impl Oracle {
    pub(crate) fn find_ssh() -> Option<PathBuf> {
        find::find().ok().map(|found| found.path)
    }

    pub(crate) fn new(ssh: &Path) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("aissh-argv-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join(".ssh")).unwrap();
        let with_home = dir.join("ssh");
        fs::write(&with_home, format!("#!/bin/sh\nHOME={} exec {} \"$@\"\n", dir.display(), ssh.display()))
            .unwrap();
        fs::set_permissions(&with_home, fs::Permissions::from_mode(0o755)).unwrap();
        let socket = dir.join("master");
        let master = UnixListener::bind(&socket).unwrap();
        let pty = nix::pty::openpty(None, None).unwrap();
        Self {
            ssh: ssh.to_owned(),
            with_home,
            dir,
            socket,
            master,
            terminal: pty.slave,
            _keyboard: pty.master,
        }
    }

    /// For whoever runs it without the environment that [`Oracle::resolve`] gives it.
    pub(crate) fn asked(&self) -> &Path {
        &self.with_home
    }

    /// Its HOME.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.ssh);
        // No configuration but what the arguments name.
        command.args(["-F", "none"]).env("HOME", &self.dir).env("LC_ALL", "C").env("TERM", "xterm");
        command
    }

    pub(crate) fn resolve(&self, args: &[OsString]) -> Answer {
        let output = self.command().arg("-G").args(args).stdin(Stdio::null()).output().unwrap();
        Answer {
            good: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Lets it start a session on a terminal, as far as its request.
    pub(crate) fn wish(&self, args: &[OsString]) -> Wish {
        let path = format!("-oControlPath={}", self.socket.display());
        let mut child = self
            .command()
            .args(["-oControlMaster=no", &path])
            .args(args)
            .stdin(self.terminal.try_clone().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let wish = self.wish_of(&mut child);
        // Without its master it would go on to connect by itself.
        let _ = child.kill();
        child.wait().unwrap();
        wish
    }

    fn wish_of(&self, child: &mut Child) -> Wish {
        let stdout = child.stdout.as_ref().unwrap();
        let look = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let mut fds = [look(self.master.as_fd()), look(stdout.as_fd())];
        let deadline = PollTimeout::try_from(DEADLINE).unwrap();
        assert_ne!(poll(&mut fds, deadline).unwrap(), 0, "ssh neither asked nor ended");
        if !fds[0].any().unwrap() {
            return Wish::Nothing;
        }
        let (stream, _) = self.master.accept().unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        Master(stream).serve().unwrap_or(Wish::Nothing)
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// The master's side of PROTOCOL.mux, until the client says what it is for.
struct Master(UnixStream);

impl Master {
    const HELLO: [u32; 2] = [1, 4];
    const NEW_SESSION: u32 = 0x1000_0002;
    const ALIVE_CHECK: u32 = 0x1000_0004;
    const OPEN_FORWARD: u32 = 0x1000_0006;
    const NEW_STDIO_FORWARD: u32 = 0x1000_0008;
    const OK: u32 = 0x8000_0001;
    const ALIVE: u32 = 0x8000_0005;

    fn serve(mut self) -> io::Result<Wish> {
        self.receive()?;
        self.send(&Self::HELLO)?;
        loop {
            let mut packet = self.receive()?;
            let [kind, request] = [packet.number()?, packet.number()?];
            match kind {
                Self::ALIVE_CHECK => self.send(&[Self::ALIVE, request, std::process::id()])?,
                Self::OPEN_FORWARD => self.send(&[Self::OK, request])?,
                Self::NEW_STDIO_FORWARD => return Ok(Wish::StandardStreams),
                Self::NEW_SESSION => return packet.session(),
                _ => return Ok(Wish::Nothing),
            }
        }
    }

    fn send(&mut self, numbers: &[u32]) -> io::Result<()> {
        let length = [u32::try_from(4 * numbers.len()).unwrap()];
        let bytes: Vec<u8> = length.iter().chain(numbers).flat_map(|number| number.to_be_bytes()).collect();
        self.0.write_all(&bytes)
    }

    fn receive(&mut self) -> io::Result<Packet> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length)?;
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut body)?;
        Ok(Packet(body.into_iter()))
    }
}

struct Packet(std::vec::IntoIter<u8>);

impl Packet {
    fn number(&mut self) -> io::Result<u32> {
        let bytes: Vec<u8> = self.0.by_ref().take(4).collect();
        Ok(u32::from_be_bytes(bytes.try_into().map_err(|_| io::ErrorKind::UnexpectedEof)?))
    }

    fn string(&mut self) -> io::Result<Vec<u8>> {
        let length = self.number()? as usize;
        Ok(self.0.by_ref().take(length).collect())
    }

    fn session(&mut self) -> io::Result<Wish> {
        let _reserved = self.string()?;
        let tty = self.number()? != 0;
        let (_x11, _agent) = (self.number()?, self.number()?);
        let subsystem = self.number()? != 0;
        let (_escape, _term) = (self.number()?, self.string()?);
        Ok(Wish::Session { tty, subsystem, command: self.string()? })
    }
}
