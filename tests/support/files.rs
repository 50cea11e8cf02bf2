//! Files on a lab's server, changed over SFTP as aissh does it, and what came of it as one line of a table.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use aissh::files::{self, Confirmed, FileOutcome, FileResult, Plan, Progress, Stop};
use aissh::linus::contract::FileAction;
use aissh::ssh::sftp::Sftp;
use aissh::ssh::side_channel::{Cancel, Route};
use serde_json::Value;

use super::lab::{Builder, Lab};

/// A server and a way to it.
pub(crate) struct Remote {
    pub(crate) lab: Lab,
    login: Vec<String>,
}

impl Remote {
    pub(crate) fn start() -> Self {
        Self::with(Lab::builder())
    }

    pub(crate) fn with(builder: Builder) -> Self {
        Self { lab: builder.start(), login: Vec::new() }
    }

    /// Logs in as one that is not root: the lab's account, or whoever runs the test.
    pub(crate) fn unprivileged() -> Self {
        let lab = Lab::builder().account().start();
        let login = lab.account().map(|a| vec!["-l".to_owned(), a.user.clone()]).unwrap_or_default();
        Self { lab, login }
    }

    pub(crate) fn route(&self, more: &[&str]) -> Route {
        let words = [self.login.clone(), more.iter().map(|&m| m.to_owned()).collect()].concat();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["lab"]).collect();
        let args: Vec<OsString> = self.lab.args(&words).into_iter().map(OsString::from).collect();
        Route::new(&ssh(), &args)
    }

    pub(crate) fn sftp(&self) -> Sftp {
        let channel = self.route(&[]).sftp().expect("start ssh");
        Sftp::begin(channel, None).unwrap_or_else(|e| panic!("SFTP: {e}"))
    }

    /// A directory that every login may write to, and its name as the server sees it.
    pub(crate) fn dir(&self) -> PathBuf {
        let dir = self.lab.home().join("files");
        if !dir.exists() {
            std::fs::create_dir(&dir).expect("make a directory");
            // Sticky it is not: a rename over another's file is then the owner's business alone.
            set_mode(&dir, 0o775);
            if let Some(account) = self.lab.account() {
                as_root(&["chgrp", &account.user, &dir.display().to_string()]);
            }
        }
        dir
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir().join(name);
        std::fs::write(&path, text).expect("write a file");
        path
    }

    /// Runs a command on the server, in the sessions' own view of it.
    pub(crate) fn run(&self, command: &str) -> String {
        let words: Vec<&str> = self.login.iter().map(String::as_str).chain(["lab", command]).collect();
        let output = Command::new(ssh()).args(self.lab.args(&words)).output().expect("run ssh");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

fn ssh() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    std::env::split_paths(&path).map(|dir| dir.join("ssh")).find(|ssh| ssh.exists()).expect("an ssh")
}

/// Plans an action and confirms it.
pub(crate) fn confirmed(sftp: &mut Sftp, action: &Value) -> Result<Confirmed, Stop> {
    plan(sftp, action).map(|plan| plan.confirm(Some("yes")).expect("a confirmed plan"))
}

pub(crate) fn plan(sftp: &mut Sftp, action: &Value) -> Result<Plan, Stop> {
    files::plan(sftp, &FileAction::read(action).expect("an action"), &mut |_| {})
}

/// The whole way; `meanwhile` happens after the user has said yes.
pub(crate) fn change(sftp: &mut Sftp, action: &Value, meanwhile: impl FnOnce()) -> Result<FileOutcome, Stop> {
    change_and(sftp, action, |_| {}, meanwhile)
}

/// The same, told of every progress of the writing.
pub(crate) fn change_and(
    sftp: &mut Sftp,
    action: &Value,
    mut progress: impl FnMut(Progress),
    meanwhile: impl FnOnce(),
) -> Result<FileOutcome, Stop> {
    let confirmed = confirmed(sftp, action)?;
    meanwhile();
    Ok(files::carry_out(sftp, &confirmed, &mut progress))
}

pub(crate) fn set_cancel(sftp: &mut Sftp, cancel: Cancel) {
    sftp.set_cancel(Some(cancel));
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set a mode");
}

/// Mode and owner.
pub(crate) fn rights(path: &Path) -> (u32, u32, u32) {
    let meta = std::fs::metadata(path).expect("a file");
    (meta.mode() & 0o7777, meta.uid(), meta.gid())
}

pub(crate) fn as_root(command: &[&str]) {
    let sudo: &[&str] = if nix::unistd::geteuid().is_root() { &[] } else { &["sudo", "-n"] };
    let words = [sudo, command].concat();
    let status = Command::new(words[0]).args(&words[1..]).status().expect("run as root");
    assert!(status.success(), "{words:?}");
}

/// Names in a directory that are not files of the test's: what was left lying about.
pub(crate) fn left(dir: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.contains(".aissh-")).collect()
}

/// Prints a line of the table: what was the case, and what came of it.
pub(crate) fn row(case: &str, outcome: &Result<FileOutcome, Stop>) -> String {
    let mut line = String::new();
    let stopped = |stop: &Stop| {
        let sudo = if stop.as_root.is_some() { " [offers sudoedit]" } else { "" };
        format!("nothing changed: {}{sudo}", stop.text)
    };
    let what = match outcome {
        Err(stop) => stopped(stop),
        Ok(FileOutcome { result: FileResult::Stopped(stop), .. }) => stopped(stop),
        Ok(FileOutcome { result: FileResult::Uncertain(why), .. }) => format!("uncertain: {why}"),
        Ok(outcome) => {
            let before = outcome.bytes_before.map_or_else(|| "new".to_owned(), |n| n.to_string());
            format!("written, read back ({before} → {} bytes)", outcome.bytes_after)
        }
    };
    let _ = write!(line, "file | {case} | {}", what.replace('\n', " "));
    println!("{line}");
    line
}
