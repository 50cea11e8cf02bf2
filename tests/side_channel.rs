//! The side channel on a real sshd: over the user's own multiplexed connection, or a login of its own that asks nothing.
#![allow(clippy::unwrap_used)]

mod support;

use aissh::ssh::sftp::{Sftp, SftpError};
use std::process::{Command, Stdio};
use support::files::Remote;
use support::lab::Lab;

fn logins(lab: &Lab) -> usize {
    lab.log().matches("Accepted publickey").count()
}

fn fault(result: Result<Sftp, SftpError>) -> String {
    result.err().expect("an error").to_string()
}

fn ssh(lab: &Lab, rest: &[&str]) {
    // `-f` returns when the socket is there, and what stays behind would hold the pipes of a test that is captured.
    let quiet = Command::new("ssh").args(lab.args(rest)).stdin(Stdio::null()).stderr(Stdio::null()).status();
    assert!(quiet.unwrap().success(), "{rest:?}");
}

#[test]
fn a_live_master_is_used_and_nobody_logs_in_anew() {
    let remote = Remote::start();
    let path = format!("ControlPath={}", remote.lab.dir().join("cm-%C").display());
    ssh(&remote.lab, &["-fN", "-o", "ControlMaster=yes", "-o", &path, "lab"]);
    let route = remote.route(&["-o", &path]);
    assert!(route.is_multiplexed());
    let mut sftp = Sftp::begin(route.sftp().unwrap(), None).unwrap_or_else(|e| panic!("{e}"));
    assert!(sftp.stat("/").is_ok());
    assert_eq!(logins(&remote.lab), 1);
    drop(sftp);
    assert!(route.is_multiplexed(), "the user's connection stays");
    ssh(&remote.lab, &["-O", "exit", "-o", &path, "lab"]);
    assert!(!route.is_multiplexed());
}

#[test]
fn a_login_of_its_own_makes_no_master_whatever_the_options_say() {
    let remote = Remote::start();
    let path = format!("ControlPath={}", remote.lab.dir().join("cm").display());
    let options = ["-A", "-X", "-tt", "-L", "1:localhost:2", "-o", "ControlMaster=auto", "-o", &path];
    let route = remote.route(&options);
    assert!(!route.is_multiplexed());
    let mut sftp = Sftp::begin(route.sftp().unwrap(), None).unwrap_or_else(|e| panic!("{e}"));
    assert!(sftp.stat("/").is_ok());
    assert!(!remote.lab.dir().join("cm").exists() && logins(&remote.lab) == 1);
    drop(sftp);
    assert!(remote.lab.wait_log("Received disconnect"), "it ends with the conversation");
}

#[test]
fn a_forced_command_is_said_and_nothing_is_taken_for_an_answer() {
    let menu = Lab::builder().sshd_option("ForceCommand echo 'Choose: 1 mail, 2 quit'");
    let remote = Remote::with(menu);
    let said = fault(Sftp::begin(remote.route(&[]).sftp().unwrap(), None));
    assert!(said.contains("a forced command?") && said.contains("Choose: 1 mail, 2 quit"), "{said}");
}

#[test]
fn a_server_that_wants_a_password_is_asked_for_nothing() {
    let remote = Remote::start();
    let options = ["-o", "IdentityFile=/nonexistent", "-o", "IdentitiesOnly=yes", "-F", "/dev/null"];
    let port = remote.lab.port().to_string();
    let more = ["-p", &port, "-o", "HostName=127.0.0.1", "-o", "StrictHostKeyChecking=no"];
    let known = ["-o", "UserKnownHostsFile=/dev/null"];
    let route = remote.route(&[&options[..], &more[..], &known[..]].concat());
    let said = fault(Sftp::begin(route.sftp().unwrap(), None));
    assert!(said.contains("Permission denied"), "{said}");
}
