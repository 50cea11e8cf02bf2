//! A network namespace for a test: a network of its own that can be cut. Needs root, unshare(1), nsenter(1) and ip(8).

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

/// Lasts as long as this lives.
pub(crate) struct Namespace {
    holder: Child,
    _stdin: ChildStdin,
}

impl Namespace {
    /// With its loopback up. `None` where there may be none.
    pub(crate) fn new() -> Option<Self> {
        let script = "ip link set lo up && echo ready && cat";
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = command.stderr(Stdio::null()).spawn().ok()?;
        let stdin = holder.stdin.take()?;
        let mut said = String::new();
        BufReader::new(holder.stdout.take()?).read_line(&mut said).ok()?;
        (said == "ready\n").then_some(Self { holder, _stdin: stdin })
    }

    /// A process in it.
    pub(crate) fn pid(&self) -> u32 {
        self.holder.id()
    }

    /// What runs a command in it.
    pub(crate) fn enter(&self) -> Vec<String> {
        ["nsenter", "--net", "--target", &self.pid().to_string()].map(str::to_owned).into()
    }

    /// Runs ip(8) there; false if it fails.
    pub(crate) fn ip(&self, line: &str) -> bool {
        let words = [self.enter(), vec!["ip".into()], line.split(' ').map(str::to_owned).collect()].concat();
        Command::new(&words[0]).args(&words[1..]).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}
