//! An SFTP client, version 3 with OpenSSH's extensions: just what it takes to change one file with care.
//!
//! Of our own, for these reasons. The system's `sftp` cannot do it: `put` opens its target without O_EXCL and writes
//! through a symlink that somebody has put there, owners and numbers of links are not told, failures are one exit
//! status, and its option letters are others than ssh's (`-p`, `-l`), so that the session's would have to be
//! translated. The client crates bring an async runtime, which a wrapped session has not, or an SSH transport of their
//! own, which is not the user's ssh. Version 3 is thirteen messages.
//!
//! Owns no policy: it does what it is asked. `files` is the only caller that writes.

mod packet;
mod transfer;

use std::fmt;
use std::time::Duration;

use super::side_channel::{Cancel, Channel, ChannelError, Patience};
use packet::{Fields, Packet};

pub use packet::{Attrs, FileType};

/// Between two signs of life. A disk that has gone to sleep takes ten seconds.
const SILENCE: Duration = Duration::from_secs(30);
/// A login takes what it takes: DNS, a jump host, a touch of a security key.
const LOGIN: Duration = Duration::from_secs(60);
/// Of what came instead of SFTP, for the user.
const GREETING_LIMIT: usize = 200;
/// Entries of a directory that are looked through for the number of links.
const ENTRIES_LIMIT: usize = 5000;
/// The protocol's bound (section 3).
const HANDLE_LIMIT: usize = 256;

pub const READ: u32 = 0x01;
pub const WRITE: u32 = 0x02;
pub const CREATE: u32 = 0x08;
pub const EXCLUSIVE: u32 = 0x20;

/// The server's codes that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Eof,
    NoSuchFile,
    Denied,
    /// Everything else that can go wrong with a file: no space, read-only, exists already, …
    Failure,
    Unsupported,
    Other(u32),
}

/// Why a request was not done.
#[derive(Debug)]
pub enum SftpError {
    Channel(ChannelError),
    /// The server says no; its words are its own.
    Status(Code, String),
    /// What came is not SFTP: a forced command, or a shell's rc file that prints. What it said.
    NotSftp(String),
    /// It is, but not as it should be.
    Protocol(&'static str),
}

impl fmt::Display for SftpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(e) => e.fmt(f),
            Self::Status(code, said) if said.is_empty() => write!(f, "{code:?}"),
            Self::Status(_, said) => f.write_str(said),
            Self::NotSftp(said) if said.is_empty() => {
                f.write_str("the server offers no SFTP (no subsystem, or a forced command instead)")
            }
            Self::NotSftp(said) => {
                write!(f, "the server runs something else than SFTP (a forced command?); it said: {said}")
            }
            Self::Protocol(what) => write!(f, "the server's SFTP is not understood: {what}"),
        }
    }
}

impl From<ChannelError> for SftpError {
    fn from(e: ChannelError) -> Self {
        Self::Channel(e)
    }
}

pub type Result<T> = std::result::Result<T, SftpError>;

/// An open file.
#[derive(Debug)]
pub struct Handle(Vec<u8>);

/// Room on a file system, as `statvfs` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that root could still write, and anybody.
    pub free: u64,
    pub available: u64,
    /// Files that could still be made.
    pub inodes: u64,
    pub read_only: bool,
}

/// A conversation with a server.
pub struct Sftp {
    channel: Channel,
    number: u32,
    extensions: Vec<Vec<u8>>,
    cancel: Option<Cancel>,
}

impl Sftp {
    /// Begins on a channel that was just started.
    pub fn begin(channel: Channel, cancel: Option<Cancel>) -> Result<Self> {
        let mut this = Self { channel, number: 0, extensions: Vec::new(), cancel };
        this.channel.send(&Packet::new(packet::INIT, 3).finish());
        if let Err(e) = this.channel.wait_input(5, Patience { silence: LOGIN, cancel: this.cancel.as_ref() })
        {
            return Err(this.no_greeting(e));
        }
        let mut head = Fields(this.channel.input());
        let length = head.u32().unwrap_or(u32::MAX) as usize;
        if length > packet::PACKET_LIMIT || head.u8() != Some(packet::VERSION) {
            return Err(this.not_sftp());
        }
        let greeting = this.packet()?;
        let mut fields = Fields(&greeting[1..]);
        fields.u32().filter(|version| *version >= 3).ok_or(SftpError::Protocol("an old version"))?;
        while let (Some(name), Some(_)) = (fields.string(), fields.string()) {
            this.extensions.push(name.to_vec());
        }
        Ok(this)
    }

    /// What stops the requests from now on, or nothing.
    pub fn set_cancel(&mut self, cancel: Option<Cancel>) {
        self.cancel = cancel;
    }

    pub fn take_cancel(&mut self) -> Option<Cancel> {
        self.cancel.take()
    }

    pub fn has(&self, extension: &str) -> bool {
        self.extensions.iter().any(|name| name == extension.as_bytes())
    }

    pub fn realpath(&mut self, path: &str) -> Result<Vec<u8>> {
        let request = self.request(packet::REALPATH).string(path.as_bytes());
        let reply = self.call(request, packet::NAME)?;
        let mut fields = Fields(&reply);
        let name = fields.u32().filter(|count| *count == 1).and_then(|_| fields.string());
        name.map(<[u8]>::to_vec).ok_or(SftpError::Protocol("no name in REALPATH's answer"))
    }

    /// Follows a symlink.
    pub fn stat(&mut self, path: &str) -> Result<Attrs> {
        let request = self.request(packet::STAT).string(path.as_bytes());
        self.attrs(request)
    }

    /// Does not.
    pub fn lstat(&mut self, path: &str) -> Result<Attrs> {
        let request = self.request(packet::LSTAT).string(path.as_bytes());
        self.attrs(request)
    }

    pub fn fstat(&mut self, handle: &Handle) -> Result<Attrs> {
        let request = self.request(packet::FSTAT).string(&handle.0);
        self.attrs(request)
    }

    /// `flags` of [`READ`], [`WRITE`], [`CREATE`], [`EXCLUSIVE`]; `mode` is a new file's, before its umask.
    pub fn open(&mut self, path: &str, flags: u32, mode: Option<u32>) -> Result<Handle> {
        let request = self.request(packet::OPEN).string(path.as_bytes()).u32(flags);
        self.handle(match mode {
            Some(mode) => request.mode(mode),
            None => request.u32(0),
        })
    }

    pub fn close(&mut self, handle: Handle) -> Result<()> {
        let Handle(handle) = handle;
        let request = self.request(packet::CLOSE).string(&handle);
        self.status(request)
    }

    pub fn set_mode(&mut self, handle: &Handle, mode: u32) -> Result<()> {
        let request = self.request(packet::FSETSTAT).string(&handle.0).mode(mode);
        self.status(request)
    }

    pub fn set_owner(&mut self, handle: &Handle, uid: u32, gid: u32) -> Result<()> {
        let request = self.request(packet::FSETSTAT).string(&handle.0).owner(uid, gid);
        self.status(request)
    }

    pub fn remove(&mut self, path: &str) -> Result<()> {
        let request = self.request(packet::REMOVE).string(path.as_bytes());
        self.status(request)
    }

    /// Fails where `to` exists.
    pub fn rename_new(&mut self, from: &str, to: &str) -> Result<()> {
        let request = self.request(packet::RENAME).string(from.as_bytes()).string(to.as_bytes());
        self.status(request)
    }

    /// rename(2): takes the place of `to` in one step.
    pub fn rename_over(&mut self, from: &str, to: &str) -> Result<()> {
        let request = self.extended("posix-rename@openssh.com")?.string(from.as_bytes());
        self.status(request.string(to.as_bytes()))
    }

    /// False where the server does not know how.
    pub fn sync(&mut self, handle: &Handle) -> Result<bool> {
        let Ok(request) = self.extended("fsync@openssh.com") else { return Ok(false) };
        self.status(request.string(&handle.0)).map(|()| true)
    }

    pub fn room(&mut self, path: &str) -> Result<Room> {
        let request = self.extended("statvfs@openssh.com")?.string(path.as_bytes());
        let reply = self.call(request, packet::EXTENDED_REPLY)?;
        let mut fields = Fields(&reply);
        let mut all = [0_u64; 11];
        for field in &mut all {
            *field = fields.u64().ok_or(SftpError::Protocol("a short answer to statvfs"))?;
        }
        let [_, fragment, _, free, available, _, _, inodes, _, flags, _] = all;
        Ok(Room {
            free: free.saturating_mul(fragment),
            available: available.saturating_mul(fragment),
            inodes,
            read_only: flags & 1 != 0,
        })
    }

    /// How many names a file has; `None` where that is not told, or the directory is too long to look through.
    pub fn links(&mut self, directory: &str, name: &str) -> Result<Option<u32>> {
        let request = self.request(packet::OPENDIR).string(directory.as_bytes());
        let handle = self.handle(request)?;
        let found = self.find_links(&handle, name.as_bytes());
        self.close(handle)?;
        found
    }

    fn find_links(&mut self, handle: &Handle, wanted: &[u8]) -> Result<Option<u32>> {
        let mut seen = 0;
        while seen < ENTRIES_LIMIT {
            let request = self.request(packet::READDIR).string(&handle.0);
            let reply = match self.call(request, packet::NAME) {
                Ok(reply) => reply,
                Err(SftpError::Status(Code::Eof, _)) => return Ok(None),
                Err(e) => return Err(e),
            };
            let mut fields = Fields(&reply);
            for _ in 0..fields.u32().unwrap_or(0) {
                let entry = (fields.string(), fields.string(), fields.attrs());
                let (Some(name), Some(long), Some(_)) = entry else {
                    return Err(SftpError::Protocol("a short list of names"));
                };
                if name == wanted {
                    return Ok(packet::links(long));
                }
                seen += 1;
            }
            // An answer without names would go on for ever.
            seen += 1;
        }
        Ok(None)
    }

    fn request(&mut self, kind: u8) -> Packet {
        self.number = self.number.wrapping_add(1);
        Packet::new(kind, self.number)
    }

    fn extended(&mut self, name: &str) -> Result<Packet> {
        if !self.has(name) {
            return Err(SftpError::Status(Code::Unsupported, format!("the server has no {name}")));
        }
        Ok(self.request(packet::EXTENDED).string(name.as_bytes()))
    }

    fn status(&mut self, request: Packet) -> Result<()> {
        self.call(request, packet::STATUS).map(drop)
    }

    fn attrs(&mut self, request: Packet) -> Result<Attrs> {
        let reply = self.call(request, packet::ATTRS)?;
        Fields(&reply).attrs().ok_or(SftpError::Protocol("short attributes"))
    }

    fn handle(&mut self, request: Packet) -> Result<Handle> {
        let reply = self.call(request, packet::HANDLE)?;
        let handle = Fields(&reply).string().filter(|h| h.len() <= HANDLE_LIMIT);
        handle.map(|h| Handle(h.to_vec())).ok_or(SftpError::Protocol("a short handle"))
    }

    /// Sends a request and waits for its answer, which must be of this kind. The value is what follows the number.
    fn call(&mut self, request: Packet, kind: u8) -> Result<Vec<u8>> {
        let number = self.number;
        self.channel.send(&request.finish());
        loop {
            let (at, got, body) = self.reply()?;
            // Answers to what was cancelled may still come.
            if at == number {
                return expect(got, kind, body);
            }
        }
    }

    /// The next answer: number, kind, and the rest.
    fn reply(&mut self) -> Result<(u32, u8, Vec<u8>)> {
        let mut packet = self.packet()?;
        let mut fields = Fields(&packet);
        let (Some(kind), Some(number)) = (fields.u8(), fields.u32()) else {
            return Err(SftpError::Protocol("a short packet"));
        };
        packet.drain(..5);
        Ok((number, kind, packet))
    }

    /// The next packet, without its length.
    fn packet(&mut self) -> Result<Vec<u8>> {
        let patience = Patience { silence: SILENCE, cancel: self.cancel.as_ref() };
        self.channel.wait_input(4, patience)?;
        let length = Fields(self.channel.input()).u32().unwrap_or(u32::MAX) as usize;
        if length > packet::PACKET_LIMIT || length == 0 {
            return Err(SftpError::Protocol("a packet of no possible length"));
        }
        self.channel.wait_input(4 + length, patience)?;
        let mut packet = self.channel.take(4 + length);
        packet.drain(..4);
        Ok(packet)
    }

    fn no_greeting(&mut self, e: ChannelError) -> SftpError {
        match e {
            // ssh's own words, if it has any, say more.
            ChannelError::Ended(said) if !said.is_empty() && self.channel.input().is_empty() => {
                SftpError::Channel(ChannelError::Ended(said))
            }
            ChannelError::Ended(_) => self.not_sftp(),
            other => other.into(),
        }
    }

    fn not_sftp(&mut self) -> SftpError {
        let said = self.channel.take(GREETING_LIMIT);
        SftpError::NotSftp(String::from_utf8_lossy(&said).trim().to_owned())
    }
}

/// The body of an answer that is of the kind asked for; a STATUS is an error unless it says that all is well.
fn expect(got: u8, kind: u8, body: Vec<u8>) -> Result<Vec<u8>> {
    if got == packet::STATUS {
        let mut fields = Fields(&body);
        let code = fields.u32().ok_or(SftpError::Protocol("a short status"))?;
        if code != 0 {
            let said = fields.string().map(String::from_utf8_lossy).unwrap_or_default();
            return Err(SftpError::Status(code_of(code), said.into_owned()));
        }
    }
    if got == kind { Ok(body) } else { Err(SftpError::Protocol("an answer of another kind")) }
}

fn code_of(code: u32) -> Code {
    match code {
        1 => Code::Eof,
        2 => Code::NoSuchFile,
        3 => Code::Denied,
        4 => Code::Failure,
        8 => Code::Unsupported,
        other => Code::Other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn server(script: &str) -> Channel {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Channel::start(command).expect("start sh")
    }

    fn fault(script: &str) -> String {
        match Sftp::begin(server(script), None) {
            Ok(_) => panic!("{script} is taken for SFTP"),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn what_is_not_sftp_is_said_with_its_words() {
        assert!(fault("echo 'Welcome to the menu'; cat").contains("it said: Welcome to the menu"));
        assert!(fault("printf hi").contains("it said: hi"));
        assert!(fault("exit 1").contains("offers no SFTP"));
        assert!(
            fault("echo 'joe@web1: Permission denied (publickey).' >&2; exit 255")
                .contains("Permission denied")
        );
        // A whole greeting of version 2.
        assert!(fault(r"printf '\0\0\0\5\2\0\0\0\2'; cat > /dev/null").contains("an old version"));
    }

    #[test]
    fn answers_that_are_wrong_end_the_request_and_nothing_else() {
        let hello = r"printf '\0\0\0\5\2\0\0\0\3';";
        let wrong = [
            (r"printf '\377\377\377\377'; cat > /dev/null", "no possible length"),
            (r"printf '\0\0\0\1\151'; cat > /dev/null", "a short packet"),
            (r"printf '\0\0\0\5\151\0\0\0\1'; cat > /dev/null", "short attributes"),
            (r"printf '\0\0\0\5\147\0\0\0\1'; cat > /dev/null", "of another kind"),
            (r"printf '\0\0\0\7\151'", "the connection has ended"),
        ];
        for (answer, why) in wrong {
            let mut sftp = Sftp::begin(server(&format!("{hello} {answer}")), None).expect("a greeting");
            let error = sftp.stat("/").expect_err(answer).to_string();
            assert!(error.contains(why), "{answer}: {error}");
        }
    }
}
