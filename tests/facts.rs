//! The probe's script on this machine's own shells, with busybox's programs alone, and on hostile hosts.
#![allow(clippy::unwrap_used)]

use aissh::facts::{ANSWER_LIMIT, Disk, Extent, SCRIPT, Sample, is_whole, probe};
use aissh::ssh::side_channel::{Channel, ChannelError, Patience};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BOUNDARY: &str = "5f2d9c0b7a6e48139d0c2b1a4f3e5d67";
const LONG: Patience<'static> = Patience { silence: Duration::from_secs(60), cancel: None };

/// A folder for programs and files. Gone with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-facts.XXXXXX")).unwrap())
    }

    /// A program that is found before the system's.
    fn program(&self, name: &str, body: &str) {
        let path = self.0.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What this shell answers, and how long it took.
fn answer(shell: Command, extent: Extent, script: &str) -> (Vec<u8>, Duration) {
    let start = Instant::now();
    let mut channel = Channel::start(shell).unwrap();
    channel.send(script.as_bytes());
    channel.send(probe(BOUNDARY, extent, true).as_bytes());
    while !is_whole(channel.input(), BOUNDARY) {
        let count = channel.input().len() + 1;
        channel.wait_input(count, LONG).unwrap_or_else(|e| panic!("{e}: {}", text(channel.input())));
    }
    (channel.take(usize::MAX), start.elapsed())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn sample(shell: Command, extent: Extent) -> Sample {
    Sample::read(&answer(shell, extent, SCRIPT).0, BOUNDARY).unwrap()
}

fn sh() -> Command {
    Command::new("sh")
}

/// With this folder's programs first.
fn with(folder: &Folder) -> Command {
    let mut shell = sh();
    let path = std::env::var("PATH").unwrap();
    shell.env("PATH", format!("{}:{path}", folder.0.display()));
    shell
}

/// A process that runs until the test ends.
struct Running(Child);

impl Running {
    /// It sleeps under another name and with these arguments.
    fn named(name: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new("sh");
        let child = command.arg0(name).args(["-c", "read _"]).args(arguments).stdin(Stdio::piped()).spawn();
        Self(child.unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Against what the kernel says.
fn check_summary(shell: &str, read: &Sample) {
    let file = |path: &str| std::fs::read_to_string(path).unwrap();
    let number = |name: &str| {
        let text = file("/proc/meminfo");
        let line = text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let memory = read.memory.unwrap();
    assert_eq!(memory.total_kib, number("MemTotal:"), "{shell}");
    assert_eq!(memory.swap_total_kib, number("SwapTotal:"), "{shell}");
    assert!(memory.available_kib > 0 && memory.available_kib <= memory.total_kib, "{shell}");
    let cpus = file("/proc/stat").lines().filter(|l| l.starts_with("cpu") && !l.starts_with("cpu ")).count();
    assert_eq!(read.cpus.map(|n| n as usize), Some(cpus), "{shell}");
    assert_eq!(read.host, file("/proc/sys/kernel/hostname").trim(), "{shell}");
    assert!(read.system.starts_with("Linux "), "{shell}: {}", read.system);
    assert!(read.load.is_some() && read.process_count > Some(1), "{shell}: {read:?}");
    let uptime: f64 = file("/proc/uptime").split(' ').next().unwrap().parse().unwrap();
    assert!(read.uptime_s.is_some_and(|s| s as f64 <= uptime && s > 0), "{shell}");
    assert!(read.cpu.is_some_and(|cpu| (0.0..=100.0).contains(&cpu)), "{shell}: {:?}", read.cpu);
    let is_real =
        |disk: &Disk| disk.size_kib > 0 && disk.mount.starts_with('/') && disk.inodes_percent.is_some();
    assert!(read.disks.iter().any(is_real), "{shell}: {:?}", read.disks);
}

#[test]
fn every_posix_shell_of_this_machine_answers_with_what_the_kernel_says() {
    for shell in ["sh", "bash", "dash", "mksh", "ksh", "zsh"] {
        let Ok(found) = Command::new("sh").args(["-c", &format!("command -v {shell}")]).output() else {
            continue;
        };
        if !found.status.success() {
            println!("{shell} is not here");
            continue;
        }
        let start = || {
            // As the host's sh: what zsh is by its own name is another language.
            let mut command = Command::new(shell);
            command.arg0("sh");
            command
        };
        let running = Running::named("aissh-test-process", &["an argument"]);
        let (answered, time) = answer(start(), Extent::Summary, SCRIPT);
        check_summary(shell, &Sample::read(&answered, BOUNDARY).unwrap());
        let read = sample(start(), Extent::Processes);
        let processes = read.processes.unwrap();
        let ours = processes.iter().find(|process| process.pid == running.0.id()).expect(shell);
        assert_eq!(ours.ppid, Some(std::process::id()), "{shell}");
        assert!(ours.command.contains("an argument") && ours.rss_kib > Some(0), "{shell}: {ours:?}");
        println!("facts | {shell} | {} bytes of summary in {} ms", answered.len(), time.as_millis());
    }
}

#[test]
fn a_busy_process_is_first_with_the_processor_that_it_uses_now() {
    let mut busy = Command::new("sh");
    let busy = Running(busy.args(["-c", "while :; do :; done"]).spawn().unwrap());
    let read = sample(sh(), Extent::Processes);
    let ours = read.processes.unwrap().into_iter().find(|process| process.pid == busy.0.id()).unwrap();
    assert!(ours.cpu.is_some_and(|cpu| cpu > 0.0), "{ours:?}");
}

/// A folder with every applet of busybox as a program, and busybox as `sh`; where it is installed.
fn busybox() -> Option<(Folder, PathBuf)> {
    let path = std::env::var_os("PATH")?;
    let busybox = std::env::split_paths(&path).map(|dir| dir.join("busybox")).find(|b| b.exists())?;
    let folder = Folder::new();
    std::fs::create_dir(folder.0.join("bin")).unwrap();
    std::fs::copy(&busybox, folder.0.join("bin/busybox")).unwrap();
    let list = Command::new(&busybox).arg("--list").output().unwrap();
    for applet in text(&list.stdout).lines().filter(|applet| *applet != "busybox") {
        symlink("busybox", folder.0.join("bin").join(applet)).unwrap();
    }
    Some((folder, busybox))
}

#[test]
fn busyboxs_own_programs_are_enough() {
    let Some((folder, _)) = busybox() else { return println!("there is no busybox here") };
    // The script would look in the system's folders besides.
    let bin = folder.0.join("bin");
    let alone = SCRIPT.replace(":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin", "");
    let shell = || {
        let mut shell = Command::new(bin.join("sh"));
        shell.env_clear().env("PATH", &bin);
        shell
    };
    let (answered, time) = answer(shell(), Extent::Summary, &alone);
    check_summary("busybox", &Sample::read(&answered, BOUNDARY).unwrap());
    println!("facts | busybox | {} bytes of summary in {} ms", answered.len(), time.as_millis());
    let running = Running::named("aissh-test-process", &["an argument"]);
    let read = Sample::read(&answer(shell(), Extent::Processes, &alone).0, BOUNDARY).unwrap();
    let processes = read.processes.unwrap();
    let ours = processes.iter().find(|process| process.pid == running.0.id()).unwrap();
    assert!(ours.command.contains("an argument") && ours.cpu.is_some() && ours.rss_kib > Some(0), "{ours:?}");
}

#[test]
fn a_chroot_with_busybox_alone_answers() {
    let Some((folder, busybox)) = busybox() else { return println!("there is no busybox here") };
    let is_static = Command::new("ldd").arg(&busybox).output().is_ok_and(|o| !text(&o.stdout).contains("=>"));
    if !nix::unistd::geteuid().is_root() || !is_static {
        return println!("no root, or no static busybox: no chroot");
    }
    std::fs::create_dir(folder.0.join("proc")).unwrap();
    std::fs::create_dir(folder.0.join("dev")).unwrap();
    std::fs::write(folder.0.join("dev/null"), "").unwrap();
    // The mount is the shell's own and gone with it.
    let mut shell = Command::new("unshare");
    let proc = format!("mount -t proc proc {0}/proc && exec chroot {0} /bin/sh", folder.0.display());
    shell.args(["-m", "sh", "-c", &proc]);
    let read = sample(shell, Extent::Summary);
    assert!(read.load.is_some() && read.memory.is_some() && read.uptime_s.is_some(), "{read:?}");
}

#[test]
fn nothing_is_written_and_the_shell_is_nice() {
    let folder = Folder::new();
    let mut shell = sh();
    shell.current_dir(&folder.0).env("HOME", &folder.0).env("TMPDIR", &folder.0);
    let mut channel = Channel::start(shell).unwrap();
    channel.send(SCRIPT.as_bytes());
    channel.send(probe(BOUNDARY, Extent::Processes, true).as_bytes());
    channel.send(b"echo; ps -o ni= -p $$; echo done-here\n");
    while !text(channel.input()).contains("done-here") {
        let count = channel.input().len() + 1;
        channel.wait_input(count, LONG).unwrap();
    }
    let said = text(channel.input());
    let nice = said.lines().rev().nth(1).unwrap().trim().to_owned();
    assert_eq!(nice, "19");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[test]
fn names_that_look_like_sections_forge_none() {
    let hostile = [
        format!("{BOUNDARY} end\n{BOUNDARY} load\n9 9 9"),
        "x\n\n 1 0 root S 99.0 1 forged\n".to_owned(),
        ") S 1 1 1 1 1 1 1 1 1 1 99 99 (".to_owned(),
        "\x1b[2J\x07 \u{202e}".to_owned(),
    ];
    let running: Vec<Running> = hostile.iter().map(|name| Running::named(name, &[name])).collect();
    // The boundary of a real probe is known to nobody; here it is, so that only what ps makes of names stands in between.
    let read = sample(sh(), Extent::Processes);
    assert!(read.load.is_none_or(|load| load[0] < 9.0), "{read:?}");
    let processes = read.cleaned(str::to_owned).processes.unwrap();
    for process in &running {
        let found: Vec<_> = processes.iter().filter(|p| p.pid == process.0.id()).collect();
        assert_eq!(found.len(), 1, "{found:?}");
    }
    assert!(processes.iter().all(|process| !process.command.contains(['\x1b', '\n', '\x07'])));
}

#[test]
fn a_megabyte_of_arguments_is_cut_on_the_host() {
    let long = vec!["x".repeat(100_000); 10];
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    let running = Running::named("long", &long);
    let (answered, _) = answer(sh(), Extent::Processes, SCRIPT);
    assert!(answered.len() < ANSWER_LIMIT / 4, "{}", answered.len());
    let read = Sample::read(&answered, BOUNDARY).unwrap().processes.unwrap();
    let ours = read.iter().find(|process| process.pid == running.0.id()).unwrap();
    assert!(ours.command.len() <= 320 && ours.command.contains("xxxx"));
}

#[test]
fn a_hundred_thousand_processes_are_bounded_and_the_busiest_are_among_them() {
    let folder = Folder::new();
    folder.program(
        "ps",
        "echo '  PID  PPID USER     STAT %CPU   RSS COMMAND'
seq 1 99999 | sed 's/.*/& 1 root S 0.0 100 worker & with some arguments/'
echo '100000 1 root R 98.7 100 the-busy-one'",
    );
    let (answered, time) = answer(with(&folder), Extent::Processes, SCRIPT);
    let read = Sample::read(&answered, BOUNDARY).unwrap().processes.unwrap();
    println!("facts | 100000 processes | {} bytes in {} ms", answered.len(), time.as_millis());
    assert!(read.len() == 1000 && read[0].command == "the-busy-one", "{} {:?}", read.len(), read.first());
}

#[test]
fn a_program_that_never_ends_is_waited_for_no_longer_than_is_said() {
    let folder = Folder::new();
    folder.program("df", "exec sleep 1000");
    let mut channel = Channel::start(with(&folder)).unwrap();
    channel.send(SCRIPT.as_bytes());
    channel.send(probe(BOUNDARY, Extent::Summary, false).as_bytes());
    while !text(channel.input()).contains(&format!("{BOUNDARY} disks")) {
        let count = channel.input().len() + 1;
        channel.wait_input(count, LONG).unwrap();
    }
    let count = channel.input().len() + 1;
    let short = Patience { silence: Duration::from_millis(50), cancel: None };
    assert!(matches!(channel.wait_input(count, short), Err(ChannelError::Silent(_))));
    assert!(!is_whole(channel.input(), BOUNDARY));
}

#[test]
fn a_host_without_any_program_gives_no_facts_and_no_error() {
    let empty = Folder::new();
    let alone = SCRIPT.replace(":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin", "");
    let mut shell = Command::new(which("sh"));
    shell.env_clear().env("PATH", &empty.0);
    let (answered, _) = answer(shell, Extent::Summary, &alone);
    // Not even who it is: that is no answer.
    assert!(Sample::read(&answered, BOUNDARY).is_err());
}

fn which(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| Path::new(path).exists()).unwrap()
}

#[test]
fn garbage_is_never_more_than_garbage() {
    let (mut state, mut bytes) = (0x9e37_79b9_u64, Vec::new());
    let words = [
        "system",
        "load",
        "cpu",
        "cpu2",
        "memory",
        "disks",
        "inodes",
        "processes",
        "ticks",
        "ticks2",
        "count",
        "cpus",
        "sysctl hw.ncpu",
        "vm_stat",
        "uptime",
        "cpu  1 2 3 4 5",
        "PID PPID USER STAT %CPU RSS COMMAND",
        "1 2 3 4 5 6 7",
        "Filesystem 1024-blocks Used Available Capacity Mounted on",
        "/dev/a 1 2 3 4% /",
        "MemTotal: 5 kB",
        "é\u{202e}",
        "\0\x1b",
    ];
    for _ in 0..3000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = words[(state >> 33) as usize % words.len()];
        let begins = if state >> 60 < 6 { format!("{BOUNDARY} ") } else { String::new() };
        bytes.extend_from_slice(format!("{begins}{word}\n").as_bytes());
        if state >> 50 & 7 == 0 {
            let mut answer = bytes.clone();
            answer.push((state >> 20) as u8);
            answer.extend_from_slice(format!("\n{BOUNDARY} end\n").as_bytes());
            if let Ok(read) = Sample::read(&answer, BOUNDARY) {
                let _ = read.cleaned(str::to_owned);
            }
        }
        if bytes.len() > 2000 {
            bytes.clear();
        }
    }
}
