use super::*;

fn asked(command: &str, dialect: Dialect, known: Known) -> Option<Guard> {
    guard(Asked { command, undo: None, dialect, known, tag: "aissh-t1" })
}

fn with_systemd(command: &str) -> String {
    let known = Known { systemd: Some(true), at: None };
    let guard = asked(command, Dialect::Bash, known).unwrap_or_default();
    assert_eq!(guard.timers.len(), 1, "{command}: {guard:?}");
    guard.timers[0].command.clone()
}

const RUN: &str = "systemd-run --on-active=5min --unit=aissh-t1 sh -c ";

#[test]
fn what_is_in_the_command_is_taken_back_by_its_opposite() {
    for (command, undo) in [
        ("ip addr add 10.0.0.9/24 dev eth0", "'ip addr del 10.0.0.9/24 dev eth0'"),
        ("ip route del default via 10.0.0.1 dev eth0", "'ip route add default via 10.0.0.1 dev eth0'"),
        ("ip route add 10.1.0.0/16 via 10.0.0.7", "'ip route del 10.1.0.0/16 via 10.0.0.7'"),
        ("systemctl stop sshd", "'systemctl start sshd'"),
        ("systemctl disable --now ssh.service", "'systemctl enable --now ssh.service'"),
        ("ifdown eth0", "'ifup eth0'"),
        ("nmcli con down uplink", "'nmcli connection up uplink'"),
        ("ufw enable", "'ufw disable'"),
        ("ufw deny 22/tcp", "'ufw --force delete deny 22/tcp'"),
        ("firewall-cmd --remove-service=ssh", "'firewall-cmd --reload'"),
        (
            "vtysh -c 'conf t' -c 'interface eth0' -c shutdown",
            r"'vtysh -c '\''conf t'\'' -c '\''interface eth0'\'' -c '\''no shutdown'\'''",
        ),
    ] {
        assert_eq!(with_systemd(command), format!("{RUN}{undo}"), "{command}");
    }
}

#[test]
fn what_is_not_in_the_command_is_saved_first() {
    for (command, saves, restores) in [
        (
            "ip link set eth0 down",
            "ip addr save > /run/aissh-t1.addr && ip route save > /run/aissh-t1.route",
            "ip link set eth0 up; ip addr restore < /run/aissh-t1.addr",
        ),
        (
            "ip route del default",
            "ip addr save > ",
            "ip route flush table main; ip route restore < /run/aissh-t1.route",
        ),
        (
            "iptables -F",
            "iptables-save > /run/aissh-t1.iptables",
            "iptables-restore < /run/aissh-t1.iptables",
        ),
        ("iptables -P INPUT DROP", "iptables-save > ", "iptables-restore < "),
        ("nft flush ruleset", "nft list ruleset) > /run/aissh-t1.nft", "nft -f /run/aissh-t1.nft"),
    ] {
        let shown = with_systemd(command);
        let (before, after) = shown.split_once(RUN).unwrap_or_default();
        assert!(before.contains(saves) && before.ends_with(" && "), "{command}: {shown}");
        assert!(after.contains(restores), "{command}: {shown}");
    }
}

#[test]
fn the_last_change_of_a_line_is_taken_back_first_and_rights_are_asked_for_as_the_command_does() {
    let shown = with_systemd("sudo systemctl stop ssh && sudo ip link set eth1 down");
    assert!(shown.starts_with("sudo sh -c 'ip addr save > "), "{shown}");
    assert!(shown.contains(" && sudo systemd-run "), "{shown}");
    assert!(shown.contains("ip link set eth1 up") && shown.ends_with("; systemctl start ssh'"), "{shown}");
}

#[test]
fn where_nothing_is_known_the_user_fills_his_own_undo_in() {
    for command in ["systemctl restart sshd", "pkill sshd", "ip link set $IF down", "netplan apply"] {
        let Some(guard) = asked(command, Dialect::Bash, Known::default()) else { panic!("{command}") };
        assert!(
            guard.timers.iter().all(|t| t.command.contains("<UNDO>") && t.placeholders.len() == 1),
            "{guard:?}"
        );
    }
}

#[test]
fn linuss_own_undo_comes_first() {
    let asked = Asked {
        command: "sudo netplan apply",
        undo: Some("sudo cp /root/old.yaml /etc/netplan/01.yaml && netplan apply # $x"),
        dialect: Dialect::Bash,
        known: Known { systemd: Some(true), at: None },
        tag: "aissh-t1",
    };
    let guard = guard(asked).unwrap_or_default();
    let shown = &guard.timers[0].command;
    assert!(shown.contains("sh -c 'cp /root/old.yaml") && shown.contains("$$x"), "{shown}");
}

#[test]
fn the_means_are_those_that_are_known_and_both_where_none_is() {
    let count = |known| {
        let timers = asked("systemctl stop sshd", Dialect::Bash, known).unwrap_or_default().timers;
        timers.into_iter().map(|t| t.command).collect::<Vec<_>>()
    };
    assert_eq!(
        count(Known::default()),
        [
            "systemd-run --on-active=5min --unit=aissh-t1 sh -c 'systemctl start sshd'",
            "echo 'systemctl start sshd' | at now + 5 minutes",
        ]
    );
    let sleeps = count(Known { systemd: Some(false), at: Some(false) });
    assert_eq!(
        sleeps,
        [
            "sh -c '(trap \"\" HUP; sleep 300; sh -c \"$1\") > /dev/null 2>&1 < /dev/null &' aissh-t1 'systemctl start sshd'"
        ]
    );
    let mut known = Known::default();
    known.learn("sudo systemctl status x", "● x.service", Some(3));
    known.learn("atq", "-bash: atq: command not found", None);
    assert_eq!(known, Known { systemd: Some(true), at: Some(false) });
    known.learn(
        "systemctl is-system-running",
        "System has not been booted with systemd as init system",
        Some(1),
    );
    assert_eq!(known.systemd, Some(false));
}

#[test]
fn nothing_is_offered_where_nothing_is_cut_or_no_undo_helps() {
    for command in ["ls", "reboot", "shutdown -h now", "sudo systemctl poweroff", "rm -r /tmp/x"] {
        assert_eq!(asked(command, Dialect::Bash, Known::default()), None, "{command}");
    }
}

#[test]
fn devices_have_their_makers_means_or_a_word_why_not() {
    let on = |command, dialect| asked(command, dialect, Known::default()).unwrap_or_default();
    let first = |guard: Guard| guard.timers.first().map(|t| (t.command.clone(), t.order, t.cancel.clone()));
    let cancel = |text: &str| Cancel::Command(text.into());
    assert_eq!(
        first(on("shutdown", Dialect::Ios)),
        Some(("reload in 5".into(), Order::Before, cancel("reload cancel")))
    );
    assert_eq!(
        first(on("commit", Dialect::Junos)),
        Some(("commit confirmed 5".into(), Order::Instead, cancel("commit")))
    );
    assert_eq!(
        first(on("delete interfaces ge-0/0/0", Dialect::Junos)),
        Some(("commit confirmed 5".into(), Order::After, cancel("commit")))
    );
    for (command, dialect) in [
        ("reload", Dialect::Ios),
        ("request system reboot", Dialect::Junos),
        ("commit confirmed 5", Dialect::Junos),
    ] {
        assert_eq!(asked(command, dialect, Known::default()), None, "{command}");
    }
    for dialect in [Dialect::RouterOs, Dialect::Vtysh, Dialect::NxOs] {
        let guard =
            on(if dialect == Dialect::RouterOs { "/interface disable ether1" } else { "shutdown" }, dialect);
        assert!(guard.timers.is_empty() && guard.note.is_some(), "{dialect:?}: {guard:?}");
    }
}
