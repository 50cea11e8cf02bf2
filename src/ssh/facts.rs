//! What ssh itself resolves for a command line: `ssh -G` asked, its answer read. Runs nothing but the real ssh,
//! and not even that where the configuration has `Match exec`, which `-G` would run unasked.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::ssh::config_scan::{Places, Scan, scan};
use crate::ssh::grammar::{Invocation, Item, RequestTty, SessionType, Walk, yes_or_no};

#[cfg(test)]
mod tests;

/// `-G` takes 10 to 18 ms; a configuration that canonicalises host names asks DNS, whose resolvers give up later
/// than a user should wait.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// `-G` prints about 5 KiB, and a line for each `IdentityFile`, forward or `SendEnv`.
const OUTPUT_LIMIT: usize = 256 << 10;
/// Between two looks whether ssh, whose output has ended, is gone.
const EXIT_POLL: Duration = Duration::from_millis(1);

/// What is known of the connection; `None` where it is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub user: Option<String>,
    /// The destination's host as it was given. Printed since OpenSSH 8.7.
    pub host: Option<String>,
    /// The name or address that ssh connects to, behind any alias.
    pub hostname: Option<String>,
    pub port: Option<u16>,
    /// Where a shared connection is looked for.
    pub control_path: Option<String>,
    pub request_tty: Option<RequestTty>,
    pub remote_command: Option<OsString>,
    pub session_type: Option<SessionType>,
    pub stdin_null: Option<bool>,
    pub fork_after_authentication: Option<bool>,
}

impl Facts {
    /// Reads the output of `ssh -G`.
    pub fn parse(output: &[u8]) -> Self {
        let mut this = Self::default();
        for line in output.split(|&b| b == b'\n') {
            let Some(at) = line.iter().position(|&b| b == b' ') else { continue };
            let (key, value) = (&line[..at], &line[at + 1..]);
            let text = || Some(String::from_utf8_lossy(value).into_owned());
            match key {
                b"user" => this.user = text(),
                b"host" => this.host = text(),
                b"hostname" => this.hostname = text(),
                b"port" => this.port = std::str::from_utf8(value).ok().and_then(|port| port.parse().ok()),
                b"controlpath" if value != b"none" => this.control_path = text(),
                b"requesttty" => this.request_tty = RequestTty::from_word(value),
                b"remotecommand" if value != b"none" => {
                    this.remote_command = Some(OsString::from_vec(value.to_vec()));
                }
                b"sessiontype" => this.session_type = SessionType::from_word(value),
                b"stdinnull" => this.stdin_null = yes_or_no(value),
                b"forkafterauthentication" => this.fork_after_authentication = yes_or_no(value),
                _ => {}
            }
        }
        this
    }

    /// What the command line alone says; an alias stays an alias.
    pub fn from_invocation(inv: &Invocation) -> Self {
        let text = |slot: &Option<OsString>| slot.as_ref().map(|text| text.to_string_lossy().into_owned());
        Self {
            user: text(&inv.user),
            host: text(&inv.host),
            hostname: text(&inv.host),
            port: inv.port_number(),
            control_path: None,
            request_tty: inv.request_tty,
            remote_command: inv.remote_command.clone().filter(|text| !text.eq_ignore_ascii_case("none")),
            session_type: inv.session_type,
            stdin_null: inv.stdin_null,
            fork_after_authentication: inv.fork,
        }
    }

    /// Asks the real ssh. `None` when it refuses, is killed for its time, or must not be asked.
    pub fn ask(ssh: &Path, args: &[OsString], scan: Scan) -> Option<Self> {
        if scan.has_match_exec {
            return None;
        }
        Some(Self::parse(&output(Command::new(ssh).args(question(args)), TIME_LIMIT)?))
    }
}

/// What `ssh -V` says of itself; `None` if it says nothing.
pub fn version(ssh: &Path) -> Option<String> {
    // It goes to standard error, which is made the same pipe as the output.
    let (read, write) = io::pipe().ok()?;
    let output = Command::new(ssh)
        .arg("-V")
        .stdin(Stdio::null())
        .stdout(write.try_clone().ok()?)
        .stderr(write)
        .spawn();
    let mut child = output.ok()?;
    let text = read_until(read, Instant::now() + TIME_LIMIT);
    if text.is_none() {
        let _ = child.kill();
    }
    let _ = child.wait();
    let text = String::from_utf8_lossy(&text?).into_owned();
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// What the configuration files say about a remote terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSays {
    /// None of the words occurs: the command line decides.
    Nothing,
    /// One of them does (or `-P`), and ssh resolved what it means here.
    Resolved(Box<Facts>),
    /// One of them does, and asking would run the user's `Match exec` commands.
    MatchExec,
    /// One of them does, and ssh gave no answer, or one for another host.
    NoAnswer,
}

impl ConfigSays {
    /// Scans the files and asks ssh only where a word occurs.
    pub fn ask(ssh: &Path, args: &[OsString], inv: &Invocation, places: &Places) -> Self {
        let found = scan(inv, places);
        // Which word is the host depends on the version of ssh: before 9.4 `-P` took no value.
        let unclear = inv.has(b'P');
        if !found.has_tty_words && !unclear {
            return Self::Nothing;
        }
        if found.has_match_exec {
            return Self::MatchExec;
        }
        let host = inv.host.as_ref().map(|host| host.to_string_lossy().into_owned());
        Facts::ask(ssh, args, found)
            .filter(|facts| !unclear || facts.host == host)
            .map_or(Self::NoAnswer, |facts| Self::Resolved(Box::new(facts)))
    }
}

/// The arguments for `-G`: the same, but for `-E` and `-y`, whose log the session itself writes to.
fn question(args: &[OsString]) -> Vec<OsString> {
    let mut out = vec![OsString::from("-G")];
    for item in Walk::new(args) {
        match item {
            Item::Value { letter: b'E', .. } | Item::Flag(b'y') | Item::Bad => {}
            Item::Flag(letter) => out.push(OsString::from_vec(vec![b'-', letter])),
            Item::Value { letter, value, attached: true } => {
                out.push(OsString::from_vec([&[b'-', letter], value.as_bytes()].concat()));
            }
            Item::Value { letter, value, attached: false } => {
                out.push(OsString::from_vec(vec![b'-', letter]));
                out.push(value.to_owned());
            }
            Item::Long(text) | Item::Destination(text) => out.push(text.to_owned()),
            Item::End => out.push("--".into()),
            Item::Command(words) => out.extend_from_slice(words),
        }
    }
    out
}

/// Everything that the program prints, if it ends well in time and prints no more than the limit.
fn output(command: &mut Command, limit: Duration) -> Option<Vec<u8>> {
    let deadline = Instant::now() + limit;
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let text = child.stdout.take().and_then(|stdout| read_until(stdout, deadline));
    if text.is_some() && exits_well(&mut child, deadline) {
        return text;
    }
    // Errors mean that it is gone already.
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn read_until(mut stdout: impl Read + AsFd, deadline: Instant) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).ok()?;
        match poll(&mut [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(_) => return None,
        }
        match stdout.read(&mut chunk).ok()? {
            0 => return Some(text),
            count if text.len() + count > OUTPUT_LIMIT => return None,
            count => text.extend_from_slice(&chunk[..count]),
        }
    }
}

fn exits_well(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(EXIT_POLL),
            _ => return false,
        }
    }
}
