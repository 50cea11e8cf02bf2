//! The side channel's command line: the session's, without what belongs to its terminal, command or forwardings.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::ssh::grammar::{Item, Walk};

/// Where and how to connect and as whom. Everything else of the session's (terminal, forwardings, command, logs) is
/// left out.
const KEPT: &[u8] = b"46BbCcFIiJKklmoPpS";

/// First, since ssh keeps the first value it finds: no terminal, no X11, no agent; no question, no master, and nothing
/// else that the configuration does in a session.
const OURS: &[&str] = &[
    "-T",
    "-x",
    "-a",
    "-oBatchMode=yes",
    "-oControlMaster=no",
    "-oClearAllForwardings=yes",
    "-oRemoteCommand=none",
    "-oPermitLocalCommand=no",
    "-oTunnel=no",
    // Banners are not errors.
    "-oLogLevel=ERROR",
];

/// For SFTP on the pipes of ssh.
pub(super) fn sftp(args: &[OsString]) -> Vec<OsString> {
    beside(args, &["-s"], "sftp")
}

/// For a shell on the pipes of ssh. Whatever the login shell is, it becomes a `sh`.
pub(super) fn shell(args: &[OsString]) -> Vec<OsString> {
    beside(args, &[], "exec sh")
}

fn beside(args: &[OsString], how: &[&str], what: &str) -> Vec<OsString> {
    let (kept, destination) = kept(args);
    let first = OURS.iter().chain(how).map(OsString::from);
    let last = ["--".into(), destination, what.into()];
    first.chain(kept).chain(last).collect()
}

/// For the question whether a connection is shared.
pub(super) fn check(args: &[OsString]) -> Vec<OsString> {
    let (kept, destination) = kept(args);
    let first = ["-Ocheck", "-oBatchMode=yes"].map(OsString::from);
    first.into_iter().chain(kept).chain(["--".into(), destination]).collect()
}

fn kept(args: &[OsString]) -> (Vec<OsString>, OsString) {
    let (mut kept, mut destination) = (Vec::new(), OsString::new());
    for item in Walk::new(args) {
        match item {
            Item::Flag(letter) if KEPT.contains(&letter) => kept.push(option(letter, OsStr::new(""))),
            // Attached, so that a value of any spelling stays one; an empty one cannot be.
            Item::Value { letter, value, .. } if KEPT.contains(&letter) && !value.is_empty() => {
                kept.push(option(letter, value));
            }
            Item::Value { letter, value, .. } if KEPT.contains(&letter) => {
                kept.extend([option(letter, OsStr::new("")), value.to_owned()]);
            }
            Item::Destination(text) => text.clone_into(&mut destination),
            _ => {}
        }
    }
    (kept, destination)
}

fn option(letter: u8, value: &OsStr) -> OsString {
    OsString::from_vec([&[b'-', letter], value.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(args: &[&str]) -> Vec<String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        sftp(&args).into_iter().skip(OURS.len() + 1).map(|a| a.into_string().unwrap()).collect()
    }

    #[test]
    fn where_and_as_whom_is_kept_and_what_the_session_does_is_not() {
        let session =
            ["-tt", "-A", "-F", "c", "-p22", "-J", "jump", "-L", "1:h:2", "-vl", "joe", "-E", "log"];
        let rest = [
            "-o", "User=x", "-MS", "sock", "-R2", "-D", "3", "-w", "1", "-e", "none", "web1", "-6", "top",
            "-n",
        ];
        let kept = ["-Fc", "-p22", "-Jjump", "-ljoe", "-oUser=x", "-Ssock", "-6", "--", "web1", "sftp"];
        assert_eq!(of(&[&session[..], &rest[..]].concat()), kept);
    }

    #[test]
    fn a_destination_stays_as_it_was_written() {
        for name in ["ssh://joe@web1:2222", "joe@corp@web1", "fe80::1%eth0"] {
            assert_eq!(of(&[name]), ["--", name, "sftp"]);
            assert_eq!(of(&["--", name]), ["--", name, "sftp"]);
        }
        assert_eq!(of(&["-o", "", "web1"]), ["-o", "", "--", "web1", "sftp"]);
    }

    #[test]
    fn ours_come_first_and_never_make_a_master() {
        let all = sftp(&["-o".into(), "ControlMaster=auto".into(), "web1".into()]);
        let at = |text: &str| all.iter().position(|word| word == text).unwrap();
        assert!(at("-oControlMaster=no") < at("-oControlMaster=auto"));
        assert!(!all.iter().any(|word| word == "-M"));
    }
}
