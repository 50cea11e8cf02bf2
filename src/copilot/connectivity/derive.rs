//! What takes a command of a shell back, where that can be said from the command alone.
//!
//! Honest or absent: a change whose state before is not in the command is saved first (`prepare`) and restored whole. A
//! command that is not of these forms has no inverse here.

use super::super::risk::{Class, Syntax, assess, plain_commands};
use crate::text::quote;

/// How a change is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Inverse {
    /// Saves what is there before the change, for `undo`.
    pub(super) prepare: Vec<String>,
    /// Runs later, as root and without a terminal.
    pub(super) undo: String,
}

/// Units whose stop may end or lock out the session.
const SERVICES: &[&str] = &[
    "ssh",
    "sshd",
    "dropbear",
    "networking",
    "network",
    "NetworkManager",
    "systemd-networkd",
    "systemd-resolved",
    "wpa_supplicant",
    "dhcpcd",
    "openvpn",
    "tailscaled",
    "frr",
];

/// Commands after which nothing runs that could undo anything.
const ENDS: &[&str] = &["reboot", "poweroff", "halt", "shutdown", "kexec", "init", "telinit"];

impl Inverse {
    fn run(undo: String) -> Option<Self> {
        Some(Self { prepare: Vec::new(), undo })
    }

    fn saved(prepare: String, undo: String) -> Option<Self> {
        Some(Self { prepare: vec![prepare], undo })
    }

    /// Linus's word for it. It runs as the timer's user, so that a `sudo` before it is in the way.
    pub(super) fn of_linus(undo: &str) -> Self {
        let plain = undo.trim().strip_prefix("sudo ").filter(|rest| !rest.contains("sudo"));
        Self { prepare: Vec::new(), undo: plain.unwrap_or(undo.trim()).to_owned() }
    }
}

pub(super) fn uses_sudo(command: &str) -> bool {
    command.split_whitespace().any(|word| word == "sudo")
}

/// Whether the machine is off or starting when the command has done its work.
pub(super) fn is_the_end(command: &str) -> bool {
    let commands = plain_commands(command, Syntax::Posix).unwrap_or_default();
    commands.iter().any(|words| {
        let words = without_sudo(words);
        let first = words.first().map(|w| w.rsplit('/').next().unwrap_or(w));
        let second = words.get(1).map(String::as_str);
        first.is_some_and(|name| ENDS.contains(&name))
            || first == Some("systemctl")
                && second.is_some_and(|verb| {
                    ["reboot", "poweroff", "halt", "kexec", "suspend", "hibernate", "isolate"].contains(&verb)
                })
    })
}

/// Of all commands in a line that touch connectivity, the last one first. One that has no inverse costs all.
pub(super) fn inverse(command: &str, tag: &str) -> Option<Inverse> {
    let mut whole = Inverse::default();
    let mut undos = Vec::new();
    for words in plain_commands(command, Syntax::Posix)? {
        let words: Vec<&str> = without_sudo(&words).iter().map(String::as_str).collect();
        if !touches_connectivity(&words) {
            continue;
        }
        let one = of_words(&words, tag)?;
        whole
            .prepare
            .extend(one.prepare.into_iter().filter(|line| !whole.prepare.contains(line)).collect::<Vec<_>>());
        undos.insert(0, one.undo);
    }
    undos.dedup();
    whole.undo = undos.join("; ");
    (!whole.undo.is_empty()).then_some(whole)
}

fn without_sudo(words: &[String]) -> &[String] {
    let rest = match words.split_first() {
        Some((first, rest)) if first == "sudo" || first == "doas" => rest,
        _ => return words,
    };
    let flags = rest.iter().take_while(|w| ["-n", "-H", "-E"].contains(&w.as_str())).count();
    rest.get(flags..).unwrap_or_default()
}

fn touches_connectivity(words: &[&str]) -> bool {
    assess(&join(words), Syntax::Posix).classes.has(Class::Connectivity)
}

/// Words as a shell takes them.
fn join(words: &[&str]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// A word in quotes, where it needs them.
pub(super) fn quote(word: &str) -> String {
    if quote::is_plain(word) { word.to_owned() } else { quote::posix(word) }
}

fn of_words(words: &[&str], tag: &str) -> Option<Inverse> {
    let (name, rest) = words.split_first()?;
    match name.rsplit('/').next().unwrap_or(name) {
        "ip" => of_ip(rest, tag),
        "ifconfig" => match rest {
            [device, "down"] => of_snapshot(Some(device), tag),
            _ => None,
        },
        "ifdown" => one_word(rest).and_then(|device| Inverse::run(format!("ifup {device}"))),
        "nmcli" => of_nmcli(rest),
        "wg-quick" => match rest {
            ["down", tunnel] => Inverse::run(format!("wg-quick up {}", quote(tunnel))),
            _ => None,
        },
        name @ ("iptables" | "ip6tables") => of_tables(name, tag),
        name @ ("iptables-restore" | "ip6tables-restore") => {
            of_tables(name.trim_end_matches("-restore"), tag)
        }
        "nft" => Inverse::saved(
            format!("(echo flush ruleset; nft list ruleset) > {}", file(tag, "nft")),
            format!("nft -f {}", file(tag, "nft")),
        ),
        "ufw" => of_ufw(rest),
        "firewall-cmd" => of_firewalld(rest),
        "systemctl" => of_systemctl(rest),
        "service" | "rc-service" => match rest {
            [unit, "stop"] => Inverse::run(format!("{name} {} start", quote(unit))),
            _ => None,
        },
        "vtysh" => of_vtysh(rest),
        _ => None,
    }
}

/// The one argument that is no option.
fn one_word(rest: &[&str]) -> Option<String> {
    match rest.iter().filter(|w| !w.starts_with('-')).collect::<Vec<_>>()[..] {
        [word] => Some(quote(word)),
        _ => None,
    }
}

/// Where a state is kept. /run is root's alone, and gone after a restart.
fn file(tag: &str, kind: &str) -> String {
    format!("/run/{tag}.{kind}")
}

fn of_ip(rest: &[&str], tag: &str) -> Option<Inverse> {
    let flags = rest.iter().take_while(|w| w.starts_with('-')).count();
    let (flags, rest) = rest.split_at(flags);
    if !flags.iter().all(|flag| ["-4", "-6"].contains(flag)) {
        return None;
    }
    let (object, rest) = rest.split_first()?;
    let is = |name: &str| !object.is_empty() && name.starts_with(object);
    let with_flags = |verb: &str, args: &[&str]| join(&[&["ip"], flags, &[*object, verb], args].concat());
    match rest {
        ["set", "dev", device, "down"] | ["set", device, "down"] if is("link") => {
            of_snapshot(Some(device), tag)
        }
        ["add", args @ ..] if is("address") || is("route") || is("rule") => {
            Inverse::run(with_flags("del", args))
        }
        ["del" | "delete", args @ ..] if is("rule") => Inverse::run(with_flags("add", args)),
        // All that the route was is in the words.
        ["del" | "delete", args @ ..] if is("route") && args.contains(&"via") && args.contains(&"dev") => {
            Inverse::run(with_flags("add", args))
        }
        ["del" | "delete" | "flush" | "replace" | "change", ..] if is("address") || is("route") => {
            // Restoring routes of IPv6 without those that the kernel makes itself is not that simple.
            let v6 = flags.contains(&"-6") || is("route") && rest.iter().any(|word| word.contains("::"));
            if v6 { None } else { of_snapshot(None, tag) }
        }
        _ => None,
    }
}

/// All addresses and IPv4 routes as they are now. A link that goes down takes its routes with it, and an address that
/// goes away may; that they come back with it is not so.
fn of_snapshot(device: Option<&str>, tag: &str) -> Option<Inverse> {
    let (addresses, routes) = (file(tag, "addr"), file(tag, "route"));
    let up = device.map(|device| format!("ip link set {} up; ", quote(device))).unwrap_or_default();
    Inverse::saved(
        format!("ip addr save > {addresses} && ip route save > {routes}"),
        format!("{up}ip addr restore < {addresses}; ip route flush table main; ip route restore < {routes}"),
    )
}

fn of_tables(name: &str, tag: &str) -> Option<Inverse> {
    let kept = file(tag, name);
    Inverse::saved(format!("{name}-save > {kept}"), format!("{name}-restore < {kept}"))
}

fn of_nmcli(rest: &[&str]) -> Option<Inverse> {
    let connection = |word: &str| !word.is_empty() && "connection".starts_with(word);
    let device = |word: &str| !word.is_empty() && "device".starts_with(word);
    Inverse::run(match rest {
        [what, "down", name @ ..] if connection(what) => format!("nmcli connection up {}", join(name)),
        [what, "disconnect", name] if device(what) => format!("nmcli device connect {}", quote(name)),
        ["networking", "off"] => "nmcli networking on".into(),
        ["radio", kind, "off"] => format!("nmcli radio {} on", quote(kind)),
        _ => return None,
    })
}

fn of_ufw(rest: &[&str]) -> Option<Inverse> {
    let rest: Vec<&str> = rest.iter().copied().filter(|w| *w != "--force").collect();
    match rest[..] {
        ["enable"] => Inverse::run("ufw disable".into()),
        ["allow" | "deny" | "reject" | "limit", ..] => {
            Inverse::run(format!("ufw --force delete {}", join(&rest)))
        }
        _ => None,
    }
}

/// What is not permanent goes with the next reload.
fn of_firewalld(rest: &[&str]) -> Option<Inverse> {
    let is_runtime = !rest.iter().any(|w| w.starts_with("--permanent") || w.ends_with("reload"));
    match rest {
        ["--panic-on"] => Inverse::run("firewall-cmd --panic-off".into()),
        _ if is_runtime => Inverse::run("firewall-cmd --reload".into()),
        _ => None,
    }
}

fn of_systemctl(rest: &[&str]) -> Option<Inverse> {
    let now = rest.contains(&"--now");
    let words: Vec<&str> = rest.iter().copied().filter(|w| !w.starts_with('-')).collect();
    let (verb, units) = words.split_first()?;
    let is_known = |unit: &&str| {
        let name = unit.split('.').next().unwrap_or(unit);
        SERVICES.contains(&name.split('@').next().unwrap_or(name))
    };
    if units.is_empty() || !units.iter().all(is_known) {
        return None;
    }
    let units = join(units);
    Inverse::run(match *verb {
        "stop" => format!("systemctl start {units}"),
        "disable" if now => format!("systemctl enable --now {units}"),
        "mask" => format!("systemctl unmask {units}; systemctl start {units}"),
        _ => return None,
    })
}

/// FRR from a shell: one change as the last of the `-c`, taken back by its `no` form.
fn of_vtysh(rest: &[&str]) -> Option<Inverse> {
    let steps: Vec<&str> = rest
        .chunks(2)
        .map(|pair| if let ["-c", step] = pair { Some(*step) } else { None })
        .collect::<Option<_>>()?;
    let (change, path) = steps.split_last()?;
    let enters = path.first().is_some_and(|step| step.starts_with("conf"));
    let moves =
        |step: &&str| ["conf", "int", "router", "address-family", "vrf"].iter().any(|m| step.starts_with(m));
    if !enters || !path.iter().all(moves) || moves(change) {
        return None;
    }
    let inverse = change.strip_prefix("no ").map_or_else(|| format!("no {change}"), str::to_owned);
    let words: Vec<&str> =
        path.iter().copied().chain([inverse.as_str()]).flat_map(|step| ["-c", step]).collect();
    Inverse::run(format!("vtysh {}", join(&words)))
}
