//! OSC payloads in which a shell says what it does: 133, 633, 3008, 7, 1337, 9;9 and window titles.
//!
//! Parsing only. Anything on the remote can print these, so a mark is a claim; the tracker decides what it is
//! worth. What is not understood is `None`, never an error.

use std::borrow::Cow;

/// Longer payloads are not marks. A path is at most 4096 bytes (PATH_MAX), percent-encoded up to three times that.
const MAX_PAYLOAD: usize = 16 * 1024;
/// No user or host name is longer (POSIX HOST_NAME_MAX is 255).
const MAX_NAME: usize = 255;

/// One claim of the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// 133;A, 633;A: a prompt begins here.
    PromptStart { aid: Option<String> },
    /// 133;P;k=s, 133;A;k=s: a continuation prompt begins here.
    Continuation,
    /// 133;B, 633;B: the prompt ends here, input begins.
    InputStart,
    /// 133;C, 633;C: the command runs, its output begins. fish and kitty add the command line.
    OutputStart { command: Option<String> },
    /// 133;D, 633;D: the command ended.
    End { exit: Option<i32>, aid: Option<String> },
    /// 633;E: the command line, before its C.
    CommandLine(String),
    /// 3008 start.
    ContextStart { id: String, kind: Context, place: Place },
    /// 3008 end.
    ContextEnd { id: String, exit: Option<i32> },
    /// OSC 7, 1337, 9;9, 633;P;Cwd.
    Place(Place),
    /// OSC 0 and 2 of the form `user@host: dir`.
    Title(Place),
}

/// What a 3008 context stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    Shell,
    Command,
    Other,
}

/// Where and as whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) user: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) cwd: Option<String>,
}

/// Reads the payload of one OSC (without `ESC ]` and terminator).
pub(crate) fn parse(payload: &[u8]) -> Option<Mark> {
    if payload.len() > MAX_PAYLOAD {
        return None;
    }
    let text = String::from_utf8_lossy(payload);
    let (number, rest) = text.split_once(';')?;
    match number {
        "133" => semantic(rest),
        "633" => vscode(rest),
        "3008" => context(rest),
        "7" => file_url(rest).map(Mark::Place),
        "1337" => iterm(rest).map(Mark::Place),
        "9" => cwd(rest.strip_prefix("9;")?.trim_matches('"')).map(Mark::Place),
        "0" | "2" => user_host_dir(rest).map(Mark::Title),
        _ => None,
    }
}

fn semantic(rest: &str) -> Option<Mark> {
    let mut fields = rest.split(';');
    let kind = fields.next()?;
    let fields: Vec<&str> = fields.take(16).collect();
    let value = |key: &str| fields.iter().find_map(|f| f.strip_prefix(key)?.strip_prefix('='));
    let aid = value("aid").map(str::to_owned);
    let secondary = value("k").is_some_and(|k| matches!(k, "s" | "c"));
    match kind {
        "A" | "P" | "N" if secondary => Some(Mark::Continuation),
        "A" | "N" => Some(Mark::PromptStart { aid }),
        "B" => Some(Mark::InputStart),
        "C" => {
            // `cmdline` is quoted for a shell; only an unquoted one can be taken as it is.
            let plain = value("cmdline").filter(|c| !c.contains(['\'', '"', '\\', '$']));
            let command = value("cmdline_url").map(percent_decoded).or(plain.map(str::to_owned));
            Some(Mark::OutputStart { command })
        }
        "D" => Some(Mark::End { exit: fields.first().and_then(|n| status(n)), aid }),
        _ => None,
    }
}

fn vscode(rest: &str) -> Option<Mark> {
    let (kind, fields) = rest.split_once(';').unwrap_or((rest, ""));
    match kind {
        "A" => Some(Mark::PromptStart { aid: None }),
        "B" => Some(Mark::InputStart),
        "C" => Some(Mark::OutputStart { command: None }),
        "D" => Some(Mark::End { exit: status(fields.split(';').next().unwrap_or("")), aid: None }),
        "E" => Some(Mark::CommandLine(hex_unescaped(fields.split(';').next().unwrap_or("")))),
        // Empty: the directory is one that the sender cannot spell, and the last one told is over.
        "P" if fields == "Cwd=" => Some(Mark::Place(Place { cwd: Some(String::new()), ..Place::default() })),
        "P" => cwd(&hex_unescaped(fields.strip_prefix("Cwd=")?)).map(Mark::Place),
        _ => None,
    }
}

/// systemd's context marks: `start=ID;type=…;cwd=…` and `end=ID;exit=…;status=…`.
fn context(rest: &str) -> Option<Mark> {
    let mut fields = rest.split(';').take(32).filter_map(|f| f.split_once('='));
    let (verb, id) = fields.next()?;
    let id = id.to_owned();
    let (mut kind, mut place, mut exit) = (Context::Other, Place::default(), None);
    for (key, value) in fields {
        let value = hex_unescaped(value);
        match key {
            "type" if value == "shell" => kind = Context::Shell,
            "type" if value == "command" => kind = Context::Command,
            "user" => place.user = name(&value),
            "hostname" => place.host = name(&value),
            "cwd" => place.cwd = Some(value).filter(|v| v.starts_with('/')),
            "exit" if value == "success" => exit = Some(0),
            "status" => exit = status(&value),
            _ => {}
        }
    }
    match verb {
        "start" => Some(Mark::ContextStart { id, kind, place }),
        "end" => Some(Mark::ContextEnd { id, exit }),
        _ => None,
    }
}

fn iterm(rest: &str) -> Option<Place> {
    if let Some(path) = rest.strip_prefix("CurrentDir=") {
        return cwd(path);
    }
    let (user, host) = rest.strip_prefix("RemoteHost=")?.split_once('@')?;
    Some(Place { user: name(user), host: name(host), cwd: None })
}

fn file_url(url: &str) -> Option<Place> {
    let (rest, encoded) = match url.strip_prefix("file://") {
        Some(rest) => (rest, true),
        None => (url.strip_prefix("kitty-shell-cwd://")?, false),
    };
    let (host, path) = rest.split_at(rest.find('/')?);
    let path = if encoded { percent_decoded(path) } else { path.to_owned() };
    Some(Place { host: name(host), ..cwd(&path)? })
}

fn cwd(path: &str) -> Option<Place> {
    let ok = !path.is_empty() && !path.contains(char::is_control);
    ok.then(|| Place { cwd: Some(path.to_owned()), ..Place::default() })
}

/// `user@host: dir` (Debian) and `user@host:dir` (RHEL); titles with anything else after the host are not taken.
pub(crate) fn user_host_dir(text: &str) -> Option<Place> {
    let (who, dir) = text.trim().split_once(':')?;
    let (user, host) = who.split_once('@')?;
    let dir = dir.trim_start();
    let path = dir.starts_with(['/', '~']) && !dir.contains(char::is_control);
    let (user, host) = (name(user)?, name(host)?);
    path.then(|| Place { user: Some(user), host: Some(host), cwd: Some(dir.to_owned()) })
}

/// A user or host name, or nothing when it cannot be one.
pub(crate) fn name(text: &str) -> Option<String> {
    let ok = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '$' | '+' | '\\');
    (!text.is_empty() && text.len() <= MAX_NAME && text.chars().all(ok)).then(|| text.to_owned())
}

/// Only digits: a status that cannot be read is unknown.
fn status(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn percent_decoded(text: &str) -> String {
    decoded(text, |rest| Some((hex(rest.strip_prefix(b"%")?)?, 3)))
}

/// `\xHH` and `\\`, as VS Code and systemd write them.
fn hex_unescaped(text: &str) -> String {
    decoded(text, |rest| match rest.strip_prefix(b"\\")? {
        [b'\\', ..] => Some((b'\\', 2)),
        [b'x', digits @ ..] => Some((hex(digits)?, 4)),
        _ => None,
    })
}

/// The first two bytes as a hexadecimal number.
fn hex(bytes: &[u8]) -> Option<u8> {
    let digits = bytes.get(..2).filter(|d| d.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn decoded(text: &str, escape: impl Fn(&[u8]) -> Option<(u8, usize)>) -> String {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let [first, ..] = rest {
        let (byte, used) = escape(rest).unwrap_or((*first, 1));
        bytes.push(byte);
        rest = rest.get(used..).unwrap_or_default();
    }
    match String::from_utf8_lossy(&bytes) {
        Cow::Borrowed(_) => String::from_utf8(bytes).unwrap_or_default(),
        Cow::Owned(text) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(user: &str, host: &str, cwd: &str) -> Place {
        let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
        Place { user: some(user), host: some(host), cwd: some(cwd) }
    }

    fn end(exit: Option<i32>, aid: Option<&str>) -> Option<Mark> {
        Some(Mark::End { exit, aid: aid.map(str::to_owned) })
    }

    #[test]
    fn prompt_marks_are_read_with_their_fields() {
        assert_eq!(parse(b"133;A;cl=m;aid=12"), Some(Mark::PromptStart { aid: Some("12".into()) }));
        assert_eq!(parse(b"133;A;k=s"), Some(Mark::Continuation));
        assert_eq!(parse(b"133;B"), Some(Mark::InputStart));
        let command = Some("ls -l é".to_owned());
        assert_eq!(parse(b"133;C;cmdline_url=ls%20-l%20%C3%A9"), Some(Mark::OutputStart { command }));
        assert_eq!(parse(b"133;C;cmdline=$'a b'"), Some(Mark::OutputStart { command: None }));
        assert_eq!(parse(b"633;E;echo a\\x3b b\\\\c;nonce"), Some(Mark::CommandLine("echo a; b\\c".into())));
    }

    #[test]
    fn an_exit_status_is_only_what_is_a_number() {
        assert_eq!(parse(b"133;D;7;aid=x"), end(Some(7), Some("x")));
        assert_eq!(parse(b"633;D;130"), end(Some(130), None));
        for none in ["133;D", "133;D;", "133;D;aid=4", "133;D;99999999999", "133;D;0x1", "133;D;--1"] {
            assert!(matches!(parse(none.as_bytes()), Some(Mark::End { exit: None, .. })), "{none}");
        }
    }

    #[test]
    fn places_come_from_seven_and_thirteen_thirty_seven_and_nine() {
        let cases: &[(&str, Place)] = &[
            ("7;file://web1/tmp/a%20b", place("", "web1", "/tmp/a b")),
            ("7;file:///tmp", place("", "", "/tmp")),
            ("7;kitty-shell-cwd://web1/a%20b", place("", "web1", "/a%20b")),
            ("1337;CurrentDir=/x", place("", "", "/x")),
            ("1337;RemoteHost=joe@web1", place("joe", "web1", "")),
            ("9;9;\"C:\\Users\"", place("", "", "C:\\Users")),
            ("633;P;Cwd=/a\\x3bb", place("", "", "/a;b")),
            ("633;P;Cwd=", Place { cwd: Some(String::new()), ..Place::default() }),
        ];
        for (payload, expected) in cases {
            assert_eq!(parse(payload.as_bytes()), Some(Mark::Place(expected.clone())), "{payload}");
        }
        for none in ["7;web1/tmp", "7;file://web1", "9;4;1;50", "1337;SetMark", "633;P;IsWindows=True"] {
            assert_eq!(parse(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn titles_are_taken_only_in_the_two_well_known_forms() {
        for title in ["0;joe@web1: ~/src", "2;joe@web1:~/src"] {
            assert_eq!(parse(title.as_bytes()), Some(Mark::Title(place("joe", "web1", "~/src"))));
        }
        for none in
            ["0;vim", "2;echo hi ~", "0;ssh joe@web1", "0;a b@c: /x", "0;joe@web1: make: done", "1;a@b: /"]
        {
            assert_eq!(parse(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn systemd_contexts_carry_place_and_status() {
        let start = parse(b"3008;start=c1;user=joe;hostname=web1;type=command;cwd=/a\\x3bb");
        let kind = Context::Command;
        assert_eq!(
            start,
            Some(Mark::ContextStart { id: "c1".into(), kind, place: place("joe", "web1", "/a;b") })
        );
        let end = |exit| Some(Mark::ContextEnd { id: "c1".into(), exit });
        assert_eq!(parse(b"3008;end=c1;exit=success"), end(Some(0)));
        assert_eq!(parse(b"3008;end=c1;exit=failure;status=2"), end(Some(2)));
        assert_eq!(parse(b"3008;end=c1;exit=interrupt;signal=SIGINT"), end(None));
    }

    #[test]
    fn garbage_and_giants_are_nothing() {
        for none in [&b""[..], b"133", b"133;", b";;;", b"\xff\xfe;\xff", b"3008;=", b"7;file://%", b"52;c;?"]
        {
            assert_eq!(parse(none), None);
        }
        assert_eq!(parse(&[b"7;file:///".to_vec(), vec![b'a'; MAX_PAYLOAD]].concat()), None);
    }
}
