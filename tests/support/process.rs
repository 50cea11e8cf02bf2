//! The program's processes, from /proc.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use nix::unistd::Pid;

use super::DEADLINE;
use super::terminal::Terminal;

/// The ssh that aissh runs for the session: below the monitor, which is below aissh itself.
pub(crate) fn ssh_of(terminal: &Terminal) -> Pid {
    ssh_below(terminal.pid())
}

pub(crate) fn ssh_below(aissh: Pid) -> Pid {
    child_of(child_of(aissh, "--monitor"), "ssh")
}

/// The child whose command line contains `words`. It may still be on its way.
pub(crate) fn child_of(parent: Pid, words: &str) -> Pid {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let found = children(parent).into_iter().find(|pid| command_line(*pid).contains(words));
        if let Some(pid) = found {
            return pid;
        }
        assert!(Instant::now() < deadline, "{parent} has no child {words:?}");
        std::thread::yield_now();
    }
}

pub(crate) fn children(parent: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
        .map(Pid::from_raw)
        .collect()
}

fn command_line(pid: Pid) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// Waits until a process sleeps in the kernel: it waits for what comes next.
pub(crate) fn wait_asleep(pid: Pid) {
    let deadline = Instant::now() + DEADLINE;
    while !fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") S ")) {
        assert!(Instant::now() < deadline, "{pid} does not wait: {}", command_line(pid));
        std::thread::yield_now();
    }
}

/// Waits until everything below a process does: it, its children and theirs.
pub(crate) fn wait_all_asleep(parent: Pid) {
    for pid in children(parent) {
        wait_asleep(pid);
        wait_all_asleep(pid);
    }
}

/// Waits until a process is gone. Only its parent is told of its end, so this looks again and again.
pub(crate) fn wait_gone(pid: Pid) {
    let deadline = Instant::now() + DEADLINE;
    let is_there =
        || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while is_there() {
        assert!(Instant::now() < deadline, "{pid} is still there: {}", command_line(pid));
        std::thread::yield_now();
    }
}

/// Sockets of this process that listen: local addresses, from the kernel's own tables.
pub(crate) fn listening(pid: Pid) -> Vec<String> {
    let fds = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let links = fds.filter_map(|fd| fs::read_link(fd.path()).ok());
    let inodes: HashSet<String> = links
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    // 0A is TCP_LISTEN; 07 is what an unconnected, bound UDP socket shows.
    let tables = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];
    let mut found = Vec::new();
    for (table, state) in tables {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields.get(3) == Some(&state) && fields.get(9).is_some_and(|inode| inodes.contains(*inode)) {
                found.push(format!("{table} {}", fields.get(1).unwrap_or(&"")));
            }
        }
    }
    found
}

/// Waits until somebody else has made this file.
pub(crate) fn wait_file(path: &Path) {
    let deadline = Instant::now() + DEADLINE;
    while !path.exists() {
        assert!(Instant::now() < deadline, "there is no {}", path.display());
        std::thread::yield_now();
    }
}
