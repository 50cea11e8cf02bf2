//! What is at stake with a file, by its path: `paths.txt`, read once.

use std::sync::LazyLock;

use regex::Regex;

use crate::linus::contract::Risk;

struct Rule {
    only_overwrite: bool,
    pattern: Regex,
    reason: &'static str,
}

static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| include_str!("paths.txt").lines().filter_map(rule).collect());

/// Level and reason. `overwrites` says that the whole of an existing file is given anew.
pub(super) fn judge(path: &str, overwrites: bool) -> (Risk, &'static str) {
    let fits = |rule: &&Rule| (overwrites || !rule.only_overwrite) && rule.pattern.is_match(path);
    match RULES.iter().find(fits) {
        Some(rule) => (Risk::High, rule.reason),
        None if overwrites => (Risk::Medium, "overwrites the whole file"),
        None => (Risk::Medium, "changes a file"),
    }
}

/// Whether a new file there is for its owner's eyes only, whatever the umask says.
pub(super) fn is_private(path: &str) -> bool {
    ["/.ssh/", "/.gnupg/", "/.aws/", "/.kube/"].iter().any(|part| path.contains(part))
        || path.ends_with(".key")
        || path.ends_with(".pem")
}

fn rule(line: &'static str) -> Option<Rule> {
    let line = line.split_once('\t').filter(|_| !line.starts_with('#'))?;
    let (pattern, reason) = line.1.split_once('\t')?;
    Some(Rule { only_overwrite: line.0 == "overwrite", pattern: Regex::new(&regex(pattern)).ok()?, reason })
}

fn regex(pattern: &str) -> String {
    let escaped = regex::escape(pattern);
    let any =
        escaped.replace(r"\*\*", "\0").replace(r"\*", "[^/]*").replace(r"\?", "[^/]").replace('\0', ".*");
    format!("(?s)^{any}$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_rule() {
        let text = include_str!("paths.txt");
        let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        for line in lines.clone() {
            let when = line.split('\t').next().unwrap();
            assert!(rule(line).is_some() && matches!(when, "any" | "overwrite"), "{line}");
        }
        assert_eq!(RULES.len(), lines.count());
    }

    #[test]
    fn what_can_lock_out_or_runs_by_itself_is_high() {
        let high = [
            "/root/.ssh/authorized_keys",
            "/home/joe/.ssh/config",
            "/etc/ssh/sshd_config",
            "/etc/ssh/sshd_config.d/50.conf",
            "/etc/sudoers",
            "/etc/sudoers.d/joe",
            "/etc/cron.d/backup",
            "/etc/cron.daily/x",
            "/var/spool/cron/crontabs/root",
            "/etc/systemd/system/web.service",
            "/etc/fstab",
            "/etc/subuid",
            "/etc/netplan/01.yaml",
            "/home/joe/.bashrc",
            "/etc/ld.so.preload",
            "/usr/lib64/x.so",
            "/srv/tls/web.key",
        ];
        for path in high {
            assert_eq!(judge(path, false).0, Risk::High, "{path}");
        }
        for path in
            ["/etc/nginx/nginx.conf", "/etc/motd", "/home/joe/notes.txt", "/srv/www/index.html", "/etc/sshx"]
        {
            assert_eq!(judge(path, false).0, Risk::Medium, "{path}");
        }
        assert_eq!(judge("/etc/nginx/nginx.conf", true), (Risk::High, "overwrites a system's setting whole"));
        assert_eq!(judge("/srv/www/index.html", true).0, Risk::Medium);
        assert!(is_private("/home/joe/.ssh/id_new") && !is_private("/etc/motd"));
    }
}
