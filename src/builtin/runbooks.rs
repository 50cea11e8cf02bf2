//! The runbooks that are part of the program, as they are written. Their schema is in `runbooks/README.md`.

macro_rules! files {
    ($($name:literal)*) => {
        /// Their texts; a test holds the list against the folder.
        pub(crate) const FILES: &[&str] = &[$(include_str!(concat!("runbooks/", $name, ".toml"))),*];

        #[cfg(test)]
        const NAMES: &[&str] = &[$($name),*];
    };
}

files! {
    "access-control"
    "account-locked"
    "apache-config"
    "apt-lock"
    "apt-unmet"
    "bgp-neighbor"
    "clock-skew"
    "connection-refused"
    "connection-timeout"
    "conntrack-full"
    "crash-loop"
    "cron-not-running"
    "deleted-open"
    "device-cpu"
    "device-interface"
    "disk-full"
    "disk-smart"
    "dns-failing"
    "docker-oom"
    "docker-restarting"
    "docker-space"
    "dpkg-interrupted"
    "err-disabled"
    "failed-unit"
    "firewall-drops"
    "haproxy-config"
    "high-iowait"
    "high-load"
    "host-key-changed"
    "interface-down"
    "io-errors"
    "journal-large"
    "junos-bgp"
    "junos-cpu"
    "junos-interface"
    "junos-ospf"
    "junos-vlan"
    "kube-pod"
    "logrotate"
    "memory"
    "mtu"
    "mysql-connections"
    "nfs-stale"
    "nginx-config"
    "no-route"
    "oom-kill"
    "ospf-neighbor"
    "permission-denied"
    "port-in-use"
    "postgres-connections"
    "postgres-down"
    "raid-degraded"
    "read-only"
    "reboot-pending"
    "redis-memory"
    "rpm-broken"
    "runaway-process"
    "ssh-key-refused"
    "stack-trace"
    "sudo-denied"
    "swap-storm"
    "thin-pool"
    "tls-certificate"
    "too-many-files"
    "unit-masked"
    "vlan-mismatch"
    "zombies"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::runbook::compiled::Runbook;

    #[test]
    fn every_file_of_the_folder_is_compiled_in_and_without_mistakes() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtin/runbooks");
        let files =
            std::fs::read_dir(folder).expect(folder).filter_map(|e| e.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> =
            files.filter_map(|f| Some(f.strip_suffix(".toml")?.to_owned())).collect();
        names.sort();
        assert_eq!(names, NAMES, "the list in runbooks.rs, sorted");
        for (name, text) in NAMES.iter().zip(FILES) {
            let runbook = Runbook::parse_strictly(text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            assert_eq!(runbook.name, *name);
        }
    }
}
