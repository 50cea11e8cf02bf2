//! OpenSSH's argument grammar: BSD getopt over one table, with options allowed again after the destination.
//! Arguments in, values out; it looks only, and hands nothing on changed. What ssh_config says is not known here.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::ssh::config_line;

mod destination;
mod walk;

pub(crate) use walk::{Item, Walk};

#[cfg(test)]
mod tests;

/// RequestTTY; `-t` asks, `-tt` (or more) forces, `-T` refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestTty {
    No,
    Auto,
    Yes,
    Force,
}

impl RequestTty {
    pub(crate) fn from_word(word: &[u8]) -> Option<Self> {
        match word.to_ascii_lowercase().as_slice() {
            b"no" | b"false" => Some(Self::No),
            b"auto" => Some(Self::Auto),
            b"yes" | b"true" => Some(Self::Yes),
            b"force" => Some(Self::Force),
            _ => None,
        }
    }
}

/// SessionType; `-N` is none, `-s` is subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionType {
    None,
    Subsystem,
    Default,
}

impl SessionType {
    pub(crate) fn from_word(word: &[u8]) -> Option<Self> {
        match word.to_ascii_lowercase().as_slice() {
            b"none" => Some(Self::None),
            b"subsystem" => Some(Self::Subsystem),
            b"default" => Some(Self::Default),
            _ => None,
        }
    }
}

/// ssh's yes and no, as `StdinNull` and others take it.
pub(crate) fn yes_or_no(word: &[u8]) -> Option<bool> {
    match word.to_ascii_lowercase().as_slice() {
        b"yes" | b"true" => Some(true),
        b"no" | b"false" => Some(false),
        _ => None,
    }
}

/// What ssh would read from its command line. Where ssh keeps the first value (user, port, every `-o`), so does
/// this; where a later flag overrides (`-t`, `-T`, `-N`, `-F`), it is the state after the last one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Every option letter in order, with its value.
    pub options: Vec<(u8, Option<OsString>)>,
    /// Every `-o`, the key in lower case, in order.
    pub settings: Vec<(String, OsString)>,
    /// The destination as it was written.
    pub destination: Option<OsString>,
    pub user: Option<OsString>,
    pub host: Option<OsString>,
    /// As written: a number or the name of a service.
    pub port: Option<OsString>,
    /// The words of the remote command.
    pub command: Vec<OsString>,
    /// How often `-t` was given.
    pub tty_requests: usize,
    pub request_tty: Option<RequestTty>,
    pub session_type: Option<SessionType>,
    pub stdin_null: Option<bool>,
    pub fork: Option<bool>,
    /// `-o RemoteCommand=…`; `none` included.
    pub remote_command: Option<OsString>,
    /// The last `-F`, which is the one that ssh reads.
    pub config_file: Option<OsString>,
    /// ssh would print its usage or refuse the command line as a whole.
    pub usage_error: bool,
}

impl Invocation {
    /// Reads ssh's arguments, without the program's name and without aissh's own options.
    pub fn parse(args: &[OsString]) -> Self {
        let mut this = Self::default();
        for item in Walk::new(args) {
            match item {
                Item::Flag(letter) => this.flag(letter),
                Item::Value { letter, value, .. } => this.value(letter, value),
                Item::Bad | Item::Long(_) => this.usage_error = true,
                Item::End => {}
                Item::Destination(text) => this.destination(text),
                Item::Command(words) => this.command = words.to_vec(),
            }
        }
        let nameless = this.session_type == Some(SessionType::Subsystem) && this.command.is_empty();
        this.usage_error |= this.host.is_none() || nameless;
        this
    }

    /// Was this option given, in whatever cluster?
    pub fn has(&self, letter: u8) -> bool {
        self.options.iter().any(|(seen, _)| *seen == letter)
    }

    /// The first `-o` of that key (lower case), which is the one that counts.
    pub fn setting(&self, key: &str) -> Option<&OsStr> {
        self.settings.iter().find(|(seen, _)| seen == key).map(|(_, value)| value.as_os_str())
    }

    /// A command is given, here or by `-o RemoteCommand`. One empty word is none to ssh, which then starts a shell.
    pub fn has_command(&self) -> bool {
        let words = &self.command;
        words.len() > 1
            || words.first().is_some_and(|word| !word.is_empty())
            || self.remote_command.as_ref().is_some_and(|text| !text.eq_ignore_ascii_case("none"))
    }

    /// The port where it was written as a number.
    pub fn port_number(&self) -> Option<u16> {
        destination::port_number(self.port.as_ref()?.as_bytes())
    }

    fn flag(&mut self, letter: u8) {
        self.options.push((letter, None));
        match letter {
            // Version 1 of the protocol is refused outright.
            b'1' => self.usage_error = true,
            b'n' => self.stdin_null = Some(true),
            b'f' => {
                self.fork = Some(true);
                self.stdin_null = Some(true);
            }
            b't' => {
                self.tty_requests += 1;
                self.request_tty = Some(match self.request_tty {
                    Some(RequestTty::Yes) => RequestTty::Force,
                    // As ssh does it: a `-t` after `RequestTTY=force` is a plain request again.
                    _ => RequestTty::Yes,
                });
            }
            b'T' => self.request_tty = Some(RequestTty::No),
            b'N' => {
                self.session_type = Some(SessionType::None);
                self.request_tty = Some(RequestTty::No);
            }
            b's' => self.session_type = Some(SessionType::Subsystem),
            _ => {}
        }
    }

    fn value(&mut self, letter: u8, value: &OsStr) {
        self.options.push((letter, Some(value.to_owned())));
        match letter {
            b'l' => first(&mut self.user, value),
            b'p' => first(&mut self.port, value),
            b'F' => self.config_file = Some(value.to_owned()),
            b'W' => {
                self.request_tty = Some(RequestTty::No);
                self.session_type = Some(SessionType::None);
            }
            b'o' => self.set(value.as_bytes()),
            _ => {}
        }
    }

    fn set(&mut self, line: &[u8]) {
        let Some((key, rest)) = config_line::keyword(line) else { return };
        let value = if key == "remotecommand" {
            config_line::rest_of_line(rest).to_vec()
        } else {
            config_line::arguments(rest).and_then(|words| words.into_iter().next()).unwrap_or_default()
        };
        match key.as_str() {
            "user" => first(&mut self.user, OsStr::from_bytes(&value)),
            "port" => first(&mut self.port, OsStr::from_bytes(&value)),
            "requesttty" => self.request_tty = self.request_tty.or(RequestTty::from_word(&value)),
            "sessiontype" => self.session_type = self.session_type.or(SessionType::from_word(&value)),
            "stdinnull" => self.stdin_null = self.stdin_null.or(yes_or_no(&value)),
            "forkafterauthentication" => self.fork = self.fork.or(yes_or_no(&value)),
            "remotecommand" => first(&mut self.remote_command, OsStr::from_bytes(&value)),
            _ => {}
        }
        self.settings.push((key, OsString::from_vec(value)));
    }

    fn destination(&mut self, text: &OsStr) {
        self.destination = Some(text.to_owned());
        let Some(parts) = destination::parse(text.as_bytes()) else {
            self.usage_error = true;
            return;
        };
        self.host = Some(OsString::from_vec(parts.host));
        if let Some(user) = parts.user {
            first(&mut self.user, OsStr::from_bytes(&user));
        }
        if let Some(port) = parts.port {
            first(&mut self.port, OsStr::from_bytes(&port));
        }
    }
}

fn first(slot: &mut Option<OsString>, value: &OsStr) {
    if slot.is_none() {
        *slot = Some(value.to_owned());
    }
}

/// aissh's own options and everything else, both in order and untouched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    pub own: Vec<OsString>,
    pub ssh: Vec<OsString>,
}

/// Takes aissh's own options out of the arguments: `--name`, `--name=value` and, where `takes_value` says so of
/// `name` (without dashes), `--name value`. They count only where ssh expects an option and before the destination:
/// the value of an ssh option, what follows `--`, and everything from the destination on is ssh's.
pub fn split_own(argv: &[OsString], takes_value: impl Fn(&str) -> bool) -> Split {
    let mut split = Split::default();
    let mut walk = Walk::new(argv);
    loop {
        let start = walk.position();
        let own = match walk.next() {
            None => return split,
            Some(Item::Destination(_)) => {
                split.ssh.extend_from_slice(&argv[start..]);
                return split;
            }
            Some(Item::Long(arg)) => {
                if arg.to_str().is_some_and(|text| !text.contains('=') && takes_value(&text[2..])) {
                    walk.pass_over();
                }
                true
            }
            Some(_) => false,
        };
        let to = if own { &mut split.own } else { &mut split.ssh };
        to.extend_from_slice(&argv[start..walk.position()]);
    }
}
