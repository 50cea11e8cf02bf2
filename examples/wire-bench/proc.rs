//! What the kernel counts of a process, by /proc.

use std::fs;

fn tasks(pid: u32) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().display().to_string()).collect()
}

/// Seconds on a CPU, of all threads that live.
pub(crate) fn cpu(pid: u32) -> f64 {
    let of = |task: &String| {
        let text = fs::read_to_string(format!("{task}/schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0)
    };
    tasks(pid).iter().map(of).sum::<f64>() / 1e9
}

/// Times that any thread was taken off a CPU: a thread that sleeps has none, each wake-up makes one.
pub(crate) fn switches(pid: u32) -> u64 {
    tasks(pid).iter().map(|task| field(&format!("{task}/status"), "ctxt_switches")).sum()
}

/// Resident memory in MiB: all of it, and the part that no file backs.
pub(crate) fn rss(pid: u32) -> (f64, f64) {
    let status = format!("/proc/{pid}/status");
    (field(&status, "VmRSS") as f64 / 1024.0, field(&status, "RssAnon") as f64 / 1024.0)
}

pub(crate) fn threads(pid: u32) -> usize {
    tasks(pid).len()
}

/// The sum of the fields whose names contain `name`.
fn field(path: &str, name: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(':')).filter(|(key, _)| key.contains(name));
    lines.filter_map(|(_, value)| value.split_whitespace().next()?.parse::<u64>().ok()).sum()
}
