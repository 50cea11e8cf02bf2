//! Files over SFTP on a real sshd: what is written, what stops, and what is left behind. `-- --nocapture` prints the
//! table, a line a case.
#![allow(clippy::unwrap_used)]

mod support;

use aissh::files::{Doing, FileOutcome, FileResult, SIZE_LIMIT, Stop};
use aissh::linus::contract::Risk;
use aissh::ssh::side_channel::cancel;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;
use support::files::{
    Remote, as_root, change, change_and, left, plan, rights, row, set_cancel, set_mode, text,
};
use support::lab::Lab;

fn write(path: &Path, content: impl Into<Value>) -> Value {
    json!({"action": "write_file", "path": path, "content": content.into()})
}

fn replace(path: &Path, old: &str, new: &str) -> Value {
    json!({"action": "update_file", "mode": "replace", "path": path, "oldContent": old, "content": new})
}

fn append(path: &Path, content: &str) -> Value {
    json!({"action": "update_file", "mode": "append", "path": path, "content": content})
}

fn is_written(case: &str, outcome: Result<FileOutcome, Stop>) -> FileOutcome {
    row(case, &outcome);
    let outcome = outcome.unwrap_or_else(|stop| panic!("{case}: {}", stop.text));
    assert_eq!(outcome.result, FileResult::Written, "{case}");
    outcome
}

/// Why nothing was changed.
fn is_stopped(case: &str, outcome: Result<FileOutcome, Stop>, why: &str) -> Stop {
    row(case, &outcome);
    let stop = match outcome {
        Err(stop) => stop,
        Ok(FileOutcome { result: FileResult::Stopped(stop), .. }) => stop,
        Ok(other) => panic!("{case}: {other:?}"),
    };
    assert!(stop.text.contains(why), "{case}: {}", stop.text);
    stop
}

#[test]
fn a_new_file_has_the_servers_mode_and_a_key_nobody_elses() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.dir().join("new.conf");
    let outcome = is_written("new file", change(&mut sftp, &write(&path, json!(["a", "größe"])), || {}));
    assert_eq!(text(&path), "a\ngröße\n");
    assert_eq!((outcome.bytes_before, outcome.bytes_after, outcome.mode), (None, 10, "write_file"));
    assert!(outcome.diff.contains("@@ -0,0 +1,2 @@\n+a\n+größe\n"), "{}", outcome.diff);
    let umask = remote.run("umask");
    let umask = u32::from_str_radix(umask.trim(), 8).unwrap();
    assert_eq!(rights(&path).0, 0o666 & !umask);
    let key = remote.lab.home().join(".ssh/id_new");
    std::fs::create_dir(remote.lab.home().join(".ssh")).unwrap();
    is_written("new file in .ssh", change(&mut sftp, &write(&key, "k"), || {}));
    assert_eq!(rights(&key).0, 0o600);
    assert_eq!(left(&remote.dir()), Vec::<String>::new());
}

#[test]
fn every_mode_changes_its_place_and_keeps_mode_and_the_rest() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("app.conf", "# head\nport 80\nname x\n");
    set_mode(&path, 0o640);
    let before = rights(&path);
    let outcome = is_written("replace", change(&mut sftp, &replace(&path, "port 80", "port 8080"), || {}));
    assert_eq!((outcome.bytes_before, outcome.bytes_after), (Some(22), 24));
    assert!(outcome.diff.contains(" # head\n-port 80\n+port 8080\n name x\n"), "{}", outcome.diff);
    let insert = json!({"action": "update_file", "mode": "insert", "path": path, "anchor": "# head",
        "position": "after", "content": ["user web"]});
    is_written("insert by anchor", change(&mut sftp, &insert, || {}));
    is_written("append", change(&mut sftp, &append(&path, "end"), || {}));
    assert_eq!(text(&path), "# head\nuser web\nport 8080\nname x\nend\n");
    assert_eq!(rights(&path), before);
    is_written("write_file over an existing file", change(&mut sftp, &write(&path, "all new\n"), || {}));
    assert_eq!((text(&path).as_str(), rights(&path)), ("all new\n", before));
    assert_eq!(left(&remote.dir()), Vec::<String>::new());
}

#[test]
fn what_is_found_not_once_changes_nothing_and_says_the_lines() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("app.conf", "listen 80\n  listen 443\n");
    is_stopped(
        "oldContent is not there",
        change(&mut sftp, &replace(&path, "port", "x"), || {}),
        "does not contain oldContent",
    );
    is_stopped(
        "oldContent is there twice",
        change(&mut sftp, &replace(&path, "listen", "x"), || {}),
        "2 times, in lines 1, 2",
    );
    is_stopped(
        "a placeholder of a secret",
        change(&mut sftp, &replace(&path, "443", "443 ‹password-1›"), || {}),
        "stands for a secret",
    );
    is_stopped(
        "oldContent differs in blanks",
        change(&mut sftp, &replace(&path, "listen 80 \n", "x"), || {}),
        "Line 1 differs from it in blanks",
    );
    is_stopped(
        "it is like that already",
        change(&mut sftp, &write(&path, "listen 80\n  listen 443\n"), || {}),
        "nothing to change",
    );
    assert_eq!(text(&path), "listen 80\n  listen 443\n");
}

#[test]
fn line_ends_and_a_missing_last_newline_are_kept() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("dos.ini", "a=1\r\nb=2\r\n");
    is_written("CRLF", change(&mut sftp, &replace(&path, "a=1\nb", "a=9\nb"), || {}));
    assert_eq!(text(&path), "a=9\r\nb=2\r\n");
    let path = remote.file("no-end", "a\nb");
    is_written("no newline at the end", change(&mut sftp, &append(&path, "c"), || {}));
    assert_eq!(text(&path), "a\nb\nc");
}

#[test]
fn what_is_no_text_or_too_large_is_not_changed() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("binary", "a\0b");
    is_stopped("NUL bytes", change(&mut sftp, &append(&path, "x"), || {}), "NUL");
    is_stopped("NUL bytes, overwritten", change(&mut sftp, &write(&path, "x"), || {}), "NUL");
    std::fs::write(&path, b"caf\xe9\n").unwrap();
    is_stopped("not UTF-8", change(&mut sftp, &append(&path, "x"), || {}), "byte 3 is not UTF-8");
    let large = std::fs::File::create(&path).unwrap();
    large.set_len(SIZE_LIMIT as u64 + 1).unwrap();
    is_stopped("100 MiB and a byte", change(&mut sftp, &append(&path, "x"), || {}), "larger than 100 MiB");
}

#[test]
fn a_large_file_is_changed_in_one_place() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let line = "a line of a log that is neither short nor long\n";
    let body = line.repeat((4 << 20) / line.len());
    let path = remote.file("large", &format!("{body}needle\n{body}"));
    let mut seen = Vec::new();
    let outcome = change_and(&mut sftp, &replace(&path, "needle", "found"), |p| seen.push(p.doing), || {});
    is_written("8 MiB", outcome);
    assert!(text(&path) == format!("{body}found\n{body}"));
    assert!([Doing::Checking, Doing::Writing].iter().all(|doing| seen.contains(doing)));
}

#[test]
fn symlinks_are_followed_and_said_but_not_to_nowhere_and_not_from_where_all_may_write() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let (real, link) = (remote.file("real", "a\n"), remote.dir().join("link"));
    symlink("real", &link).unwrap();
    let shown = plan(&mut sftp, &append(&link, "b")).unwrap();
    assert!(
        shown.notes.iter().any(|note| note.contains("is a symlink: the file that changes is")),
        "{:?}",
        shown.notes
    );
    is_written("symlink", change(&mut sftp, &append(&link, "b"), || {}));
    assert_eq!(text(&real), "a\nb\n");
    assert!(link.is_symlink());
    let other = remote.file("other", "a\nb\n");
    let swap = || {
        std::fs::remove_file(&link).unwrap();
        symlink("other", &link).unwrap();
    };
    is_stopped(
        "symlink turned elsewhere meanwhile",
        change(&mut sftp, &append(&link, "c"), swap),
        "leads to another file",
    );
    assert_eq!(text(&other), "a\nb\n");
    let nowhere = remote.dir().join("nowhere");
    symlink("/nonexistent/x", &nowhere).unwrap();
    is_stopped("dangling symlink", change(&mut sftp, &write(&nowhere, "x"), || {}), "that is not there");
    let open = remote.dir().join("open");
    std::fs::create_dir(&open).unwrap();
    set_mode(&open, 0o1777);
    symlink(&real, open.join("trap")).unwrap();
    is_stopped(
        "symlink in a directory like /tmp",
        change(&mut sftp, &append(&open.join("trap"), "x"), || {}),
        "anybody may write",
    );
    symlink(remote.dir(), remote.lab.home().join("alias")).unwrap();
    let through = remote.lab.home().join("alias/real");
    is_written("symlinked directory", change(&mut sftp, &append(&through, "c"), || {}));
    assert_eq!(text(&real), "a\nb\nc\n");
}

#[test]
fn what_is_no_file_or_has_no_certain_place_is_refused() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let dir = remote.dir();
    is_stopped(
        "missing parent",
        change(&mut sftp, &write(&dir.join("no/x"), "x"), || {}),
        "There is no directory",
    );
    is_stopped("a directory", change(&mut sftp, &write(&dir, "x"), || {}), "is a directory");
    is_stopped("a device", change(&mut sftp, &write(Path::new("/dev/null"), "x"), || {}), "no regular file");
    is_stopped(
        "a relative path",
        change(&mut sftp, &write(Path::new("etc/x"), "x"), || {}),
        "not an absolute path",
    );
    is_stopped(
        "a path with an escape in it",
        change(&mut sftp, &write(Path::new("/tmp/\x1b[2J"), "x"), || {}),
        "control characters",
    );
    is_stopped(
        "update of a file that is not there",
        change(&mut sftp, &replace(&dir.join("none"), "a", "b"), || {}),
        "is not there",
    );
    let parent = remote.file("plain", "x");
    is_stopped(
        "a file in the place of the directory",
        change(&mut sftp, &write(&parent.join("x"), "x"), || {}),
        "",
    );
}

#[test]
fn a_tilde_is_where_the_login_begins() {
    let remote = behind("sftp -d \"$HOME/files\"");
    let path = remote.file("a", "a\n");
    let action = json!({"action": "update_file", "mode": "append", "path": "~/a", "content": "b"});
    is_written("~/…", change(&mut remote.sftp(), &action, || {}));
    assert_eq!(text(&path), "a\nb\n");
}

#[test]
fn a_file_that_changes_after_the_yes_is_left_as_it_is() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("app.conf", "a\n");
    let other = || std::fs::write(&path, "somebody else's\n").unwrap();
    is_stopped("changed meanwhile", change(&mut sftp, &append(&path, "b"), other), "has changed since");
    assert_eq!(text(&path), "somebody else's\n");
    is_stopped(
        "mode changed meanwhile",
        change(&mut sftp, &append(&path, "b"), || set_mode(&path, 0o600)),
        "another owner or mode",
    );
    is_stopped(
        "gone meanwhile",
        change(&mut sftp, &append(&path, "b"), || std::fs::remove_file(&path).unwrap()),
        "has gone",
    );
    let appears = || std::fs::write(&path, "first\n").unwrap();
    is_stopped(
        "come into being meanwhile",
        change(&mut sftp, &write(&path, "b"), appears),
        "has come into being",
    );
    assert_eq!(text(&path), "first\n");
    let during = |p: aissh::files::Progress| {
        if p.doing == Doing::Writing {
            std::fs::write(&path, "at the last moment\n").unwrap();
        }
    };
    is_stopped(
        "changed while it was written",
        change_and(&mut sftp, &append(&path, "b"), during, || {}),
        "was changed while",
    );
    assert_eq!(text(&path), "at the last moment\n");
    assert_eq!(left(&remote.dir()), Vec::<String>::new());
}

#[test]
fn what_the_login_may_not_is_stopped_with_a_way_for_root() {
    let remote = Remote::unprivileged();
    let mut sftp = remote.sftp();
    let path = remote.file("roots", "a\n");
    let name = path.display().to_string();
    as_root(&["chown", "0:0", &name]);
    as_root(&["chmod", "644", &name]);
    let stop =
        is_stopped("owner cannot be kept", change(&mut sftp, &append(&path, "b"), || {}), "cannot give");
    assert_eq!(stop.as_root.as_deref(), Some(name.as_str()));
    as_root(&["chmod", "600", &name]);
    let stop =
        is_stopped("may not be read", change(&mut sftp, &append(&path, "b"), || {}), "Permission denied");
    assert_eq!(stop.as_root.as_deref(), Some(name.as_str()));
    let stop = is_stopped(
        "directory may not be written to",
        change(&mut sftp, &write(Path::new("/etc/aissh-lab-none"), "x"), || {}),
        "making a file in /etc",
    );
    assert_eq!(stop.as_root.as_deref(), Some("/etc/aissh-lab-none"));
    assert_eq!(left(&remote.dir()), Vec::<String>::new());
}

#[test]
fn the_owner_is_kept_where_the_login_can_and_other_names_are_warned_of() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("theirs", "a\n");
    if nix::unistd::geteuid().is_root() {
        as_root(&["chown", "1234:2345", &path.display().to_string()]);
        set_mode(&path, 0o4750);
    }
    let before = rights(&path);
    is_written("another's file, as root", change(&mut sftp, &append(&path, "b"), || {}));
    assert_eq!(rights(&path), before);
    std::fs::hard_link(&path, remote.dir().join("second")).unwrap();
    let shown = plan(&mut sftp, &append(&path, "c")).unwrap();
    assert!(shown.warnings.iter().any(|w| w.contains("2 names (hard links)")), "{:?}", shown.warnings);
    assert!(shown.notes.iter().any(|n| n.contains("ACLs and extended attributes")), "{:?}", shown.notes);
    is_written("hard links (warned of)", change(&mut sftp, &append(&path, "c"), || {}));
    assert_eq!(text(&remote.dir().join("second")), "a\nb\n");
}

#[test]
fn a_high_risk_wants_the_word() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let (path, keys) = (remote.dir().join("authorized_keys"), remote.lab.home().join(".ssh/authorized_keys"));
    std::fs::create_dir(remote.lab.home().join(".ssh")).unwrap();
    let high = plan(&mut sftp, &write(&keys, "k\n")).unwrap();
    assert_eq!(high.level, Risk::High);
    let high = *high.confirm(None).unwrap_err();
    let high = *high.confirm(Some("y")).unwrap_err();
    assert!(high.confirm(Some("yes ")).is_ok());
    let medium = plan(&mut sftp, &write(&path, "x")).unwrap();
    assert_eq!((medium.level, medium.confirm(None).is_ok()), (Risk::Medium, true));
    // A symlink does not make it another file.
    symlink(remote.lab.home().join(".ssh"), remote.dir().join("keys")).unwrap();
    assert_eq!(plan(&mut sftp, &write(&remote.dir().join("keys/x"), "x")).unwrap().level, Risk::High);
}

#[test]
fn a_cancel_midway_leaves_the_file_and_nothing_beside_it() {
    let remote = Remote::start();
    let mut sftp = remote.sftp();
    let path = remote.file("large", "old\n");
    let (canceller, token) = cancel().unwrap();
    let mut canceller = Some(canceller);
    set_cancel(&mut sftp, token);
    let action = write(&path, "x".repeat(8 << 20));
    let stop = |p: aissh::files::Progress| {
        if p.doing == Doing::Writing && p.done > 1 << 20 {
            canceller.take();
        }
    };
    let stop = is_stopped("cancelled midway", change_and(&mut sftp, &action, stop, || {}), "Cancelled");
    assert!(stop.cancelled && !stop.is_lost);
    assert_eq!((text(&path).as_str(), left(&remote.dir())), ("old\n", Vec::new()));
    // The connection is good for the next.
    is_written("the next after a cancel", change(&mut sftp, &append(&path, "new"), || {}));
}

const MOUNTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/files/mounts");

/// A server whose SFTP is started by this script, in which `sftp` is the program with its options.
fn behind(script: &str) -> Remote {
    let text = format!(
        "#!/bin/sh\nsftp() {{ exec /usr/lib/openssh/sftp-server \"$@\"; }}\ncase $SSH_ORIGINAL_COMMAND in\n\
         internal-sftp) {script} ;;\n*) eval \"$SSH_ORIGINAL_COMMAND\" ;;\nesac\n"
    );
    let remote = Remote::with(Lab::builder().sshd_option("ForceCommand $HOME/forced"));
    let path = remote.lab.home().join("forced");
    std::fs::write(&path, text).unwrap();
    set_mode(&path, 0o755);
    remote
}

#[test]
fn a_connection_that_is_lost_midway_is_said_with_what_may_be_left() {
    let remote = behind("echo $$ > \"$HOME/pid\"; sftp");
    let mut sftp = remote.sftp();
    let path = remote.file("large", "old\n");
    let pid = remote.lab.home().join("pid");
    let mut is_killed = false;
    let kill = |p: aissh::files::Progress| {
        if p.doing == Doing::Writing && !is_killed {
            is_killed = true;
            as_root(&["kill", "-9", text(&pid).trim()]);
        }
    };
    let stop = is_stopped(
        "connection lost midway",
        change_and(&mut sftp, &write(&path, "x".repeat(16 << 20)), kill, || {}),
        "the connection has ended",
    );
    let beside = left(&remote.dir());
    assert!(stop.is_lost && beside.iter().all(|name| stop.text.contains(name)), "{beside:?} {}", stop.text);
    assert_eq!((beside.len(), text(&path).as_str()), (1, "old\n"));
}

#[test]
fn servers_that_lack_something_are_dealt_with() {
    let remote = behind("sftp -P fsync,statvfs");
    let path = remote.file("a", "a\n");
    is_written("server without fsync and statvfs", change(&mut remote.sftp(), &append(&path, "b"), || {}));
    let remote = behind("sftp -P posix-rename");
    let path = remote.file("a", "a\n");
    let mut sftp = remote.sftp();
    is_stopped(
        "server without posix-rename",
        change(&mut sftp, &append(&path, "b"), || {}),
        "cannot replace a file in one step",
    );
    is_written("the same, a new file", change(&mut sftp, &write(&remote.dir().join("new"), "b"), || {}));
    // A limit that the file system knows nothing of.
    let remote = behind("trap '' XFSZ; ulimit -f 64; sftp");
    let path = remote.file("a", "a\n");
    let over = change(&mut remote.sftp(), &write(&path, "x".repeat(1 << 20)), || {});
    is_stopped("a quota", over, "it may be a quota");
    assert_eq!((text(&path).as_str(), left(&remote.dir())), ("a\n", Vec::new()));
}

#[test]
fn full_and_read_only_file_systems_are_told_apart() {
    let remote = Remote::with(Lab::builder().mounts(MOUNTS.into()));
    let mut sftp = remote.sftp();
    is_stopped(
        "read-only file system",
        change(&mut sftp, &append(Path::new("/mnt/ro/a"), "b"), || {}),
        "mounted read-only",
    );
    let path = Path::new("/mnt/a");
    is_stopped(
        "no space, known before",
        change(&mut sftp, &write(path, "x".repeat(8 << 20)), || {}),
        "No space left",
    );
    let mut is_filled = false;
    let fill = |p: aissh::files::Progress| {
        if p.doing == Doing::Writing && !is_filled {
            is_filled = true;
            remote.run("head -c 3m /dev/zero > /mnt/filler 2>/dev/null; true");
        }
    };
    let outcome = change_and(&mut sftp, &write(path, "x".repeat(3 << 20)), fill, || {});
    is_stopped("disk full midway", outcome, "No space left");
    assert_eq!(remote.run("cat /mnt/a; ls -A /mnt"), "a\na\nfiller\nro\n");
}
