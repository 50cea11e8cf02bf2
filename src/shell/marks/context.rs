//! OSC 3008, hierarchical contexts (UAPI.15): `start=ID;type=…;cwd=…` and `end=ID;exit=…;status=…`. systemd's
//! `profile.d` sends them around every prompt and command of bash, run0 and nspawn around what they open.

use super::escapes::hex_unescaped;
use super::place::{Place, directory, name};
use super::{Mark, status};

/// systemd cuts the directory here, in bytes and before it is sent: a longer one is not whole.
const CUT: usize = 255;
/// What systemd puts in the place of a control character.
const NOT_SHOWN: char = '⍰';

/// What a context stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    Shell,
    Command,
    /// Another user or machine takes over (elevate, chpriv, container, vm, remote, …), and its shells tell who they
    /// are; the place is where it leads, where that is said.
    Other,
}

pub(super) fn parse(rest: &str) -> Option<Mark> {
    let mut fields = rest.split(';').take(32).filter_map(|f| f.split_once('='));
    let (verb, id) = fields.next()?;
    let id = id.to_owned();
    match verb {
        "start" => Some(start(id, fields)),
        "end" => Some(end(id, fields)),
        _ => None,
    }
}

fn start<'f>(id: String, fields: impl Iterator<Item = (&'f str, &'f str)>) -> Mark {
    let (mut kind, mut here, mut target) = (Context::Other, Place::default(), Place::default());
    for (key, raw) in fields {
        let Some(value) = hex_unescaped(raw) else { continue };
        match key {
            "type" if value == "shell" => kind = Context::Shell,
            "type" if value == "command" => kind = Context::Command,
            "user" => here.user = name(&value),
            "hostname" => here.host = name(&value),
            "targetuser" => target.user = name(&value),
            "targethost" => target.host = name(&value),
            "cwd" => here.cwd = whole(raw, &value),
            _ => {}
        }
    }
    Mark::ContextStart { id, kind, place: if kind == Context::Other { target } else { here } }
}

/// A directory that came complete: systemd 258 spells a backslash in a way that cannot be read back.
fn whole(raw: &str, value: &str) -> Option<String> {
    let ok = value.starts_with('/') && raw.len() < CUT && !value.contains([NOT_SHOWN, '\\']);
    directory(value).filter(|_| ok)?.cwd
}

fn end<'f>(id: String, fields: impl Iterator<Item = (&'f str, &'f str)>) -> Mark {
    let (mut success, mut code, mut by_signal) = (None, None, None);
    for (key, value) in fields {
        match key {
            "exit" if value == "success" => success = Some(0),
            "status" => code = status(value),
            "signal" => by_signal = signalled(value),
            _ => {}
        }
    }
    Mark::ContextEnd { id, exit: code.or(success).or(by_signal) }
}

/// The status of a shell whose command died by a signal: 128 and its number, for those that have one number
/// everywhere. systemd 258 and 259 write a number instead of the name, which is the status less 127.
fn signalled(signal: &str) -> Option<i32> {
    const NUMBERS: [(&str, i32); 12] = [
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("ILL", 4),
        ("TRAP", 5),
        ("ABRT", 6),
        ("FPE", 8),
        ("KILL", 9),
        ("SEGV", 11),
        ("PIPE", 13),
        ("ALRM", 14),
        ("TERM", 15),
    ];
    if let Some(number) = status(signal) {
        return (0..=128).contains(&number).then_some(number + 127);
    }
    let name = signal.strip_prefix("SIG")?;
    NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, number)| 128 + number)
}
