use super::*;
use crate::ssh::side_channel::cancel;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// What stands for ssh: a script of this body. Gone with the test.
struct Ssh {
    folder: PathBuf,
}

impl Ssh {
    fn new(body: &str) -> Self {
        let folder = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-health.XXXXXX")).unwrap();
        let path = folder.join("ssh");
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { folder }
    }

    fn route(&self) -> Route {
        Route::new(&self.folder.join("ssh"), &[OsString::from("host")])
    }

    /// The last line of a probe's failure.
    fn fault(&self) -> String {
        let (_canceller, token) = cancel().unwrap();
        answer(&self.route(), &mut None, Extent::Summary, false, &token).expect_err("no answer")
    }
}

impl Drop for Ssh {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn one_shell_answers_probe_after_probe_whatever_a_profile_prints_before() {
    let ssh = Ssh::new("echo \"$@\" >>\"$0.log\"; echo welcome; printf 'no line end'; exec sh");
    let (mut shell, (_canceller, token)) = (None, cancel().unwrap());
    for extent in [Extent::Summary, Extent::Processes, Extent::Summary] {
        let sample = answer(&ssh.route(), &mut shell, extent, false, &token).unwrap();
        assert!(sample.load.is_some() && sample.memory.is_some(), "{sample:?}");
        assert_eq!(sample.processes.is_some(), extent == Extent::Processes);
        assert_eq!(sample.disks.is_empty(), extent == Extent::Processes);
    }
    let log = std::fs::read_to_string(ssh.folder.join("ssh.log")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("-oBatchMode=yes") && log.trim_end().ends_with("-- host exec sh"), "{log}");
}

#[test]
fn what_is_no_shell_is_said() {
    assert!(Ssh::new("echo 'Choose: 1 mail, 2 quit'").fault().contains("a forced command?"));
    assert!(
        Ssh::new("echo 'Permission denied (publickey).' >&2; exit 255").fault().contains("Permission denied")
    );
    assert!(Ssh::new("exec cat /dev/zero").fault().contains("too long"));
    assert!(Ssh::new("kill -9 $$").fault().contains("no shell"));
}

#[test]
fn one_that_never_ends_is_cancelled_and_its_ssh_with_it() {
    let ssh = Ssh::new("echo $$ >\"$0.pid\"; exec sleep 1000");
    let (canceller, token) = cancel().unwrap();
    let route = ssh.route();
    let pid = ssh.folder.join("ssh.pid");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let until = Instant::now() + Duration::from_secs(20);
            while !std::fs::read(&pid).is_ok_and(|text| !text.is_empty()) && Instant::now() < until {
                std::thread::yield_now();
            }
            canceller.cancel();
        });
        assert_eq!(
            answer(&route, &mut None, Extent::Summary, false, &token).expect_err("cancelled"),
            "cancelled"
        );
    });
    let pid = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    let is_there = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None);
    assert_eq!(is_there, Err(nix::errno::Errno::ESRCH));
}

#[test]
fn a_silent_host_is_given_up() {
    let mut command = std::process::Command::new("sleep");
    command.arg("1000");
    let mut channel = Channel::start(command).unwrap();
    let (_canceller, token) = cancel().unwrap();
    let said = receive(&mut channel, "B", Duration::from_millis(50), &token).expect_err("nothing");
    assert!(said.contains("has not answered within"), "{said}");
}
