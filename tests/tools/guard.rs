//! Whatever stands in PATH under the name of ssh, aissh does not start itself for ever.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::cases::{AISSH, real_ssh};
use crate::support::lab::Lab;
use crate::support::terminal::{Exit, Size, Terminal};

/// A directory of the lab's with a program named ssh in it.
fn copy(lab: &Lab, name: &str) -> PathBuf {
    let dir = lab.dir().join(name);
    fs::create_dir(&dir).unwrap();
    fs::copy(AISSH, dir.join("ssh")).unwrap();
    dir
}

fn script(lab: &Lab, name: &str, text: &str) -> PathBuf {
    let dir = lab.dir().join(name);
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("ssh"), format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(dir.join("ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// PATH with these in front.
fn path(dirs: &[&Path]) -> String {
    let rest = std::env::var("PATH").unwrap();
    dirs.iter().map(|dir| format!("{}:", dir.display())).collect::<String>() + &rest
}

/// A session in which ssh's own environment is shown as well. Who starts itself for ever is ended.
fn session(lab: &Lab, program: &Path, path: &str, more: &[(&str, &Path)]) -> Output {
    Command::new("timeout")
        .args(["--kill-after=1", "30"])
        .arg(program)
        .args(lab.args(&["-o", "PermitLocalCommand=yes", "-o", "LocalCommand=env | grep ^AISSH"]))
        .args(["lab", "cat; exit 7"])
        .env("PATH", path)
        .envs(more.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn copies_of_the_binary_are_stepped_over() {
    let lab = Lab::start();
    let (one, two) = (copy(&lab, "one"), copy(&lab, "two"));
    let plain = session(&lab, &real_ssh(), &path(&[]), &[]);
    assert_eq!(plain.status.code(), Some(7), "{plain:?}");
    for program in [one.join("ssh"), two.join("ssh"), AISSH.into()] {
        assert_eq!(session(&lab, &program, &path(&[&one, &two, &one]), &[]), plain, "{program:?}");
    }
    let nothing = format!("{}:{}", one.display(), two.display());
    let output = Command::new(one.join("ssh")).arg("-V").env("PATH", nothing).output().unwrap();
    assert_eq!(output.status.code(), Some(127));
}

#[test]
fn scripts_that_run_aissh_are_run_once_and_ssh_does_not_hear_of_it() {
    let lab = Lab::start();
    let one = script(&lab, "exec", &format!("echo one >&2\nexec {AISSH} \"$@\""));
    let two = script(&lab, "child", &format!("echo two >&2\n{AISSH} \"$@\""));
    for (program, said) in [
        // The user's own call is the first, aissh's the second.
        (one.join("ssh"), "one\none\ntwo\n"),
        (two.join("ssh"), "two\none\ntwo\n"),
        (AISSH.into(), "one\ntwo\n"),
    ] {
        let output = session(&lab, &program, &path(&[&one, &two]), &[]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), said, "{program:?}");
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(7), &b""[..]), "{program:?}");
    }
}

#[test]
fn a_variable_that_names_what_runs_aissh_is_an_error() {
    let lab = Lab::start();
    for program in [script(&lab, "exec", &format!("exec {AISSH} \"$@\"")), copy(&lab, "copy")] {
        let wanted = program.join("ssh");
        let output = session(&lab, AISSH.as_ref(), &path(&[]), &[("AISSH_SSH", &wanted)]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("which is aissh itself or runs it (set it to the path of ssh)"), "{said}");
        assert_eq!(output.status.code(), Some(127));
    }
}

#[test]
fn a_script_that_goes_its_own_way_to_ssh_is_the_users_ssh() {
    let lab = Lab::start();
    let own = script(&lab, "own", &format!("echo by the script >&2\nexec {} \"$@\"", real_ssh().display()));
    let output = session(&lab, AISSH.as_ref(), &path(&[&own]), &[]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "by the script\n");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_proxy_command_that_calls_aissh_again_is_no_loop() {
    let lab = Lab::start();
    let own = script(&lab, "own", &format!("echo by the script >&2\nexec {} \"$@\"", real_ssh().display()));
    let config = fs::read_to_string(lab.ssh_config()).unwrap();
    let proxy =
        format!("  ProxyCommand {AISSH} -o ProxyCommand=none -F {} -W %h:%p lab", lab.ssh_config().display());
    fs::write(lab.ssh_config(), format!("{}\n{proxy}\n", config.trim_end())).unwrap();
    let named = session(&lab, AISSH.as_ref(), &path(&[]), &[("AISSH_SSH", &own.join("ssh"))]);
    for output in [named, session(&lab, AISSH.as_ref(), &path(&[&own]), &[])] {
        // The jump's own environment is shown by nobody; the session's is OpenSSH's, started by a script.
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("by the script").count(), 2, "{said}");
        assert_eq!(output.status.code(), Some(7), "{said}");
    }
}

#[test]
fn a_script_that_closes_what_it_does_not_know_runs_aissh_a_few_times() {
    let lab = Lab::start();
    let close = "for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -lt 48 ] || exec {fd}>&-; done";
    let forgets = script(
        &lab,
        "forgets",
        &format!("exec bash -c 'echo again >&2; {close}; exec {AISSH} \"$@\"' sh \"$@\""),
    );
    let output = session(&lab, AISSH.as_ref(), &path(&[&forgets]), &[]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "again\n".repeat(16));
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_login_through_such_a_script_is_a_login() {
    let lab = Lab::start();
    let said = lab.dir().join("said");
    let dir =
        script(&lab, "exec", &format!("[ ! -t 0 ] || echo once >> {}\nexec {AISSH} \"$@\"", said.display()));
    let mut env = lab.env();
    env.retain(|(name, _)| name != "PATH");
    env.push(("PATH".into(), path(&[&dir])));
    let program = dir.join("ssh").display().to_string();
    let terminal = Terminal::spawn(&program, &lab.args(&["lab"]), &env, Size::CLASSIC);
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit 7");
    assert_eq!(terminal.wait_exit(), Exit::Code(7));
    assert_eq!(fs::read_to_string(said).unwrap(), "once\nonce\n", "the user's call, and the session's");
}
