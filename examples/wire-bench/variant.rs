//! What stands between the terminal and ssh.

use crate::Bench;
use crate::proc;
use crate::roles;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Nothing.
    Plain,
    Relay,
    /// aissh with the panel hidden.
    Hidden,
    NoCopilot,
    Tmux,
    Script,
}

impl Variant {
    pub(crate) const ALL: [Self; 6] =
        [Self::Plain, Self::Relay, Self::Hidden, Self::NoCopilot, Self::Tmux, Self::Script];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Relay => "relay",
            Self::Hidden => "aissh",
            Self::NoCopilot => "--no-copilot",
            Self::Tmux => "tmux",
            Self::Script => "script",
        }
    }

    /// All that this machine has.
    pub(crate) fn present() -> Vec<Self> {
        let has = |tool: &str| Command::new(tool).arg("-V").output().is_ok();
        let all = Self::ALL.into_iter();
        all.filter(|v| !matches!(v, Self::Tmux | Self::Script) || has(v.name())).collect()
    }

    pub(crate) fn command(self, bench: &Bench, inner: &Inner, own: &[&str]) -> Command {
        let mut command = match self {
            Self::Plain => Command::new(&inner.program),
            Self::Relay => {
                let mut command = Command::new(me());
                command.arg("relay").arg(&inner.program);
                command
            }
            Self::Hidden | Self::NoCopilot => {
                let mut command = Command::new(&bench.aissh);
                command.env("AISSH_SSH", &inner.program);
                command.args((self == Self::NoCopilot).then_some("--no-copilot")).args(own);
                command
            }
            Self::Tmux => {
                let mut command = Command::new("tmux");
                command.args(["-L", &socket(), "-f", "/dev/null", "new-session"]).arg(&inner.program);
                command
            }
            Self::Script => {
                let mut command = Command::new("script");
                command.args(["-q", "-c"]).arg(inner.line()).arg("/dev/null");
                command
            }
        };
        if self != Self::Script {
            command.args(&inner.args);
        }
        if let Some(role) = &inner.role {
            command.env(roles::ENV, role);
        }
        for name in ["TMUX", "AISSH", "AISSH_WRAPPED", "NO_COLOR", "SSH_AUTH_SOCK"] {
            command.env_remove(name);
        }
        command.env("HOME", &bench.home).env("XDG_CONFIG_HOME", bench.home.join(".config"));
        // Where its sessions are found.
        command.env("XDG_RUNTIME_DIR", &bench.home);
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        command
    }

    /// Seconds of CPU of what this variant adds; `pid` was started.
    pub(crate) fn cpu(self, pid: u32) -> f64 {
        match self {
            Self::Plain => 0.0,
            Self::Tmux => proc::cpu(pid) + tmux_server().map_or(0.0, proc::cpu),
            _ => proc::cpu(pid),
        }
    }
}

fn me() -> PathBuf {
    std::env::current_exe().expect("our own path")
}

fn socket() -> String {
    format!("wire-bench-{}", std::process::id())
}

fn tmux_server() -> Option<u32> {
    let out =
        Command::new("tmux").args(["-L", &socket(), "display-message", "-p", "#{pid}"]).output().ok()?;
    String::from_utf8_lossy(&out.stdout).trim().parse().ok()
}

/// What runs in the place of ssh.
pub(crate) struct Inner {
    program: PathBuf,
    args: Vec<OsString>,
    role: Option<String>,
}

impl Inner {
    /// The fake ssh in a role, called as ssh with a destination.
    pub(crate) fn role(role: &str) -> Self {
        Self {
            program: me().with_file_name("fake-ssh"),
            args: vec!["host".into()],
            role: Some(role.to_owned()),
        }
    }

    /// The real ssh.
    pub(crate) fn ssh(bench: &Bench, args: &[&str]) -> Option<Self> {
        let config = bench.ssh_config.as_ref()?;
        let path = std::env::var_os("PATH")?;
        let program = std::env::split_paths(&path).map(|dir| dir.join("ssh")).find(|file| file.is_file())?;
        let mut all = vec!["-F".into(), config.into()];
        all.extend(args.iter().map(OsString::from));
        Some(Self { program, args: all, role: None })
    }

    /// As a line for a shell.
    fn line(&self) -> String {
        let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
        let words =
            std::iter::once(self.program.as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
        let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
        format!("exec {}", words.join(" "))
    }
}
