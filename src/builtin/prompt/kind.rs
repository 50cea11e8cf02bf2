//! What kind of machine is at the other end: which prompt it gets, and what may be proposed there.

use crate::shell::Dialect;

/// The kind of the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    #[default]
    Linux,
    /// BSD and macOS.
    Bsd,
    Windows,
    Device,
    /// No session: text that was piped in.
    Piped,
}

/// What only BSD and macOS print of themselves, in banners, prompts and `uname`.
const BSD: [&str; 6] = ["FreeBSD", "OpenBSD", "NetBSD", "DragonFly", "Darwin", "macOS"];

impl Kind {
    /// From what prompts there and what the terminal shows; `before` is what it was taken for until now.
    pub(crate) fn of(dialect: Dialect, screen: &str, before: Self) -> Self {
        if dialect.is_device() {
            return Self::Device;
        }
        if dialect == Dialect::PowerShell {
            return Self::Windows;
        }
        // A banner scrolls away and the system stays what it is.
        if before == Self::Bsd || BSD.iter().any(|word| screen.contains(word)) {
            return Self::Bsd;
        }
        Self::Linux
    }

    /// Whether a file may be proposed.
    pub(crate) fn takes_files(self) -> bool {
        matches!(self, Self::Linux | Self::Bsd)
    }

    /// What the model is told of it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Linux => include_str!("linux.txt"),
            Self::Bsd => include_str!("bsd.txt"),
            Self::Windows => include_str!("windows.txt"),
            Self::Device => include_str!("device.txt"),
            Self::Piped => include_str!("piped.txt"),
        }
    }
}

/// First words of a Unix shell's lines that no device's CLI has, and the ways from a CLI into a shell.
const SHELL: &str = "sudo doas su bash sh zsh ash ksh dash csh tcsh fish awk sed cat df du ps kill systemctl journalctl \
    apt apt-get yum dnf rm cp mv chmod chown ls ip ss tee vi vim nano python python3 perl curl wget head tail grep find \
    xargs guestshell tclsh";
const WAYS: [&str; 5] = ["start shell", "run start shell", "request shell", "run bash", "do bash"];
/// What only a Unix shell reads.
const SIGNS: [&str; 6] = ["&&", "||", "$(", "`", "2>", "> /"];

/// Whether a line is for a Unix shell rather than for a device's CLI.
pub(crate) fn is_for_a_shell(command: &str) -> bool {
    let command = command.trim().to_ascii_lowercase();
    command.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        let line = words.join(" ");
        // FRR's and IOS's `show ip …` begin with show; a line that begins with `ip` is configuration there.
        let is_configuration = first == "ip"
            && !matches!(words.get(1), Some(&("a" | "addr" | "link" | "-s" | "-br" | "neigh" | "-4" | "-6")));
        SHELL.split_whitespace().any(|word| word == first) && !is_configuration
            || first.starts_with('/') && first.matches('/').count() > 1
            || WAYS.iter().any(|way| line.starts_with(way))
            || SIGNS.iter().any(|sign| line.contains(sign))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prompts_decides_and_a_banner_is_remembered() {
        assert_eq!(Kind::of(Dialect::Ios, "Darwin", Kind::Linux), Kind::Device);
        assert_eq!(Kind::of(Dialect::PowerShell, "", Kind::Linux), Kind::Windows);
        assert_eq!(Kind::of(Dialect::Zsh, "Darwin Kernel Version 24", Kind::Linux), Kind::Bsd);
        assert_eq!(Kind::of(Dialect::Zsh, "", Kind::Bsd), Kind::Bsd);
        assert_eq!(Kind::of(Dialect::Unknown, "", Kind::Linux), Kind::Linux);
        assert!(!Kind::Device.takes_files() && !Kind::Windows.takes_files() && !Kind::Piped.takes_files());
    }

    #[test]
    fn shell_lines_are_told_from_a_devices_own() {
        for shell in [
            "sudo ip link set eth0 up",
            "cat /etc/passwd",
            "start shell",
            "show run && ls",
            "/bin/ls /",
            "show version $(id)",
            "bash",
            "ip addr show",
            "show log > /tmp/x",
            "ip route\nrm -rf /",
            "  Start  Shell user root",
        ] {
            assert!(is_for_a_shell(shell), "{shell}");
        }
        for own in [
            "show version",
            "show log | include err",
            "ip route 0.0.0.0 0.0.0.0 10.0.0.1",
            "ip address 10.0.0.1 255.0.0.0",
            "/ip address print",
            "/interface print",
            "show interfaces terse | match ge",
            "display ip routing-table",
            "configure terminal\ninterface Gi0/1\n shutdown",
        ] {
            assert!(!is_for_a_shell(own), "{own}");
        }
    }
}
