//! Hosts on which systemd does not run: containers, and other init systems.

use regex::Regex;
use std::sync::LazyLock;

/// Its own tools say so.
static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^System has not been booted with systemd",
        r"|^(?:\S*sh: )?(?:line \d+: |\d+: )?(?:sudo: )?systemctl: (?:command )?not found$",
        r"|^.?systemd.? is not running in this container"
    ))
    .ok()
});

/// The first process, as `ps -p 1`, `ps -ef` and `ps aux` list it.
static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:\s*1\s+(?:\?|pts/\d+|console)\s+\d\d:\d\d:\d\d|root\s+1\s+[\d.]+\s.*?\s\d+:\d\d(?::\d\d)?)",
        r" (?:/\S*/)?(?P<name>[\w.-]+)(?: |$)"
    ))
    .ok()
});

/// A service by name: what every init system's `service` understands as well.
static SERVICE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\bsystemctl (start|stop|restart|reload|status|reload-or-restart) ([A-Za-z][\w@.-]*?)(?:\.service)?(?: --no-pager)?( &&|;|$)",
    )
    .ok()
});

/// Without a pattern, for the many lines that have nothing to do with it.
pub(crate) fn may_be_missing(line: &str) -> bool {
    let line = line.trim_start();
    let first = line.strip_prefix("root").unwrap_or(line).trim_start();
    first.starts_with("1 ") || line.contains("systemd") || line.contains("systemctl")
}

pub(crate) fn is_missing(line: &str) -> bool {
    // `init` may be systemd by its old name.
    let first = || FIRST.as_ref()?.captures(line).map(|f| !matches!(&f["name"], "systemd" | "init"));
    MISSING.as_ref().is_some_and(|p| p.is_match(line)) || first() == Some(true)
}

/// The command without systemd, where there is one: `service NAME ACTION` for services.
pub(crate) fn without(command: &str) -> Option<String> {
    const TOOLS: [&str; 6] =
        ["systemctl", "journalctl", "timedatectl", "loginctl", "resolvectl", "hostnamectl"];
    let by_service = |found: &regex::Captures<'_>| {
        let action = if &found[1] == "reload-or-restart" { "restart" } else { &found[1] };
        format!("service {} {action}{}", &found[2], &found[3])
    };
    let command = SERVICE.as_ref()?.replace_all(command, by_service).into_owned();
    let has_tool = |w: &str| TOOLS.contains(&w);
    (!command.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(has_tool)).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_systemd_is_told_by_what_its_tools_say() {
        for line in [
            "System has not been booted with systemd as init system (PID 1). Can't operate.",
            "bash: systemctl: command not found",
            "sh: 1: systemctl: not found",
            "      1 ?        00:00:00 tini",
            "    1 ?        00:00:00 bash",
            "root         1  0.0  0.0   4364  3200 ?        Ss   10:02   0:00 /usr/bin/dumb-init -- nginx",
            "root           1       0  0 Nov30 ?        00:00:00 sleep infinity",
        ] {
            assert!(may_be_missing(line) && is_missing(line), "{line}");
        }
        for line in [
            "      1 ?        00:00:04 systemd",
            "root           1  0.0  0.1 168000 11000 ?  Ss   Nov30   0:04 /sbin/init",
            "      1 ?        00:00:04 /sbin/init",
            "Failed to start nginx.service: Unit nginx.service not found.",
            "  101 pts/0    00:00:00 bash",
            "-rw-r--r-- 1 root root 120 Nov 30 10:30 notes",
        ] {
            assert!(!is_missing(line), "{line}");
        }
    }

    #[test]
    fn a_service_has_another_command_there_and_a_unit_of_a_pid_has_none() {
        assert_eq!(
            without("sudo systemctl restart nginx.service").as_deref(),
            Some("sudo service nginx restart")
        );
        assert_eq!(
            without("systemctl status cron.service --no-pager").as_deref(),
            Some("service cron status")
        );
        assert_eq!(without("df -h /var").as_deref(), Some("df -h /var"));
        for command in ["systemctl status 4711 --no-pager", "systemctl --failed", "journalctl -u nginx -n 20"]
        {
            assert_eq!(without(command), None, "{command}");
        }
    }
}
