//! Command lines by chance, and whether aissh reads them as ssh does.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use aissh::ssh::{ConfigSays, Facts, Invocation, Plan, Reason, RequestTty, decide, split_own};

use crate::fuzz::{Case, Random};
use crate::oracle::{Answer, Oracle, Wish};
use crate::terminal;

/// Flags of every OpenSSH since 7, but for those that end the reading.
const FLAGS: &[u8] = b"246AaCfgKkMNnqsTtvXxYy";
/// Twice as likely, as they say what is to be started.
const SESSION_FLAGS: &[u8] = b"fNnsTttt";

/// Letters with a value: two good ones, then some that ssh refuses.
const VALUES: &[(u8, &[&str])] = &[
    (b'B', &["lo"]),
    (b'D', &["9", "h:9"]),
    (b'E', &["/dev/null"]),
    (b'F', &["none", "/dev/null", "NONE"]),
    (b'I', &["/x"]),
    (b'J', &["j", "u@j:22,k", "-x"]),
    (b'L', &["1:h:2", "/s:h:2"]),
    (b'O', &["check", "exit", "nonsense"]),
    (b'Q', &["cipher", "key", "nonsense"]),
    (b'R', &["1", "1:h:2"]),
    (b'S', &["none", "/x"]),
    (b'W', &["h:1", "h:ssh", "h"]),
    (b'b', &["127.0.0.1"]),
    (b'c', &["aes128-ctr"]),
    (b'e', &["none", "~", "^]", "two"]),
    (b'i', &["/dev/null"]),
    (b'l', &["ann", "a b", "", "--", "-x", "a@b"]),
    (b'm', &["hmac-sha2-256"]),
    (b'p', &["22", " 22", "+22", "022", "ssh", "0", "70000", "22x", ""]),
    (b'w', &["0:1", "any"]),
];

/// Keywords of `-o`, with values.
const SETTINGS: &[(&str, &[&str])] = &[
    ("user", &["dora", "\"e f\"", "'g h'"]),
    ("port", &["2225", "ssh"]),
    ("requesttty", &["no", "yes", "auto", "force", "FORCE", "true", "nonsense", ""]),
    ("sessiontype", &["none", "subsystem", "default", "\"none\""]),
    ("stdinnull", &["yes", "no", "true", "false"]),
    ("forkafterauthentication", &["yes", "no"]),
    ("remotecommand", &["none", "NONE", "echo 'a  b'", "x # y", "\"a b\"", ""]),
    ("escapechar", &["none"]),
    ("setenv", &["A=b", "\"A=b c\""]),
    ("nosuchoption", &["yes"]),
];
const BETWEEN: &[&str] = &["=", " ", "\t", " = ", "  ", "= "];

const USERS: &[&str] = &["", "u@", "a@b@", "@", "u%40v@", "a;b=c@", "u+v@", "u%00@", "u%4@", "-u@", "ö@"];
const HOSTS: &[&str] =
    &["host", "host.example.", "10.0.0.1", "::1", "[host]", "[::1]", "ho_st", "a..b", "", "-h"];
const TAILS: &[&str] =
    &["", "", ":22", ":", ":ssh", ":0", ":-0", ":+22", ":70000", "/", "/path", ":22/", ":22/p"];

const ODD: &[&str] = &["-d", "-tz", "--sidebar", "-p", "-vl", "-A-", "-", "", "-V", "-G", "-H", "-1", "--"];
const WORDS: &[&[u8]] = &[b"ls", b"-l", b"", b"--", b"-p", b"22", b"a b", b"--all", b"'q", b"\xff\xfe", b"#"];

#[derive(Clone, Debug)]
pub(crate) struct Line(Vec<OsString>);

impl Line {
    fn push(&mut self, bytes: &[u8]) {
        self.0.push(OsString::from_vec(bytes.to_vec()));
    }

    /// A letter's value in the same argument or in the next.
    fn push_value(&mut self, random: &mut Random, option: &[u8], value: &[u8]) {
        if random.once_in(2) && !value.is_empty() {
            self.push(&[option, value].concat());
        } else {
            self.push(option);
            self.push(value);
        }
    }

    fn options(&mut self, random: &mut Random, most: usize) {
        for _ in 0..random.below(most + 1) {
            let mut cluster = vec![b'-'];
            for _ in 0..random.below(4) {
                let flags = if random.once_in(2) { FLAGS } else { SESSION_FLAGS };
                cluster.push(flags[random.below(flags.len())]);
            }
            match random.below(24) {
                0 => self.push(random.pick(ODD).as_bytes()),
                1..=7 => {
                    let (key, values) = SETTINGS[random.below(SETTINGS.len())];
                    let key = random.odd_case(key);
                    let setting = format!("{key}{}{}", random.pick(BETWEEN), random.pick_good(values));
                    cluster.push(b'o');
                    self.push_value(random, &cluster, setting.as_bytes());
                }
                8..=15 => {
                    let (letter, values) = VALUES[random.below(VALUES.len())];
                    cluster.push(letter);
                    let value = random.pick_good(values);
                    self.push_value(random, &cluster, value.as_bytes());
                }
                _ if cluster.len() > 1 => self.push(&cluster),
                _ => {}
            }
        }
    }

    fn destination(&mut self, random: &mut Random) {
        let (user, host, tail) = (random.pick_good(USERS), random.pick_good(HOSTS), random.pick_good(TAILS));
        let scheme = if random.once_in(3) { "ssh://" } else { "" };
        self.push(format!("{scheme}{user}{host}{tail}").as_bytes());
    }
}

impl Case for Line {
    fn generate(random: &mut Random) -> Self {
        let mut line = Self(Vec::new());
        line.options(random, 3);
        line.destination(random);
        line.options(random, 2);
        if random.once_in(2) {
            for _ in 0..random.below(4) {
                line.push(WORDS[random.below(WORDS.len())]);
            }
        }
        line
    }

    fn smaller(&self) -> Vec<Self> {
        let without = |at: usize| Self([&self.0[..at], &self.0[at + 1..]].concat());
        let shorter = |at: usize| {
            let bytes = self.0[at].as_bytes();
            (0..bytes.len()).map(move |cut| {
                let mut args = self.0.clone();
                args[at] = OsString::from_vec([&bytes[..cut], &bytes[cut + 1..]].concat());
                Self(args)
            })
        };
        let all = 0..self.0.len();
        all.clone().map(without).chain(all.flat_map(shorter)).collect()
    }

    fn check(&self, oracle: &Oracle) -> Result<&'static str, String> {
        self.check_own_options()?;
        let inv = Invocation::parse(&self.0);
        let plan = decide(&inv, &terminal(), || ConfigSays::Nothing);
        let answer = oracle.resolve(&self.0);
        let usage = answer.stderr.contains("usage: ssh");
        if usage {
            return expect(inv.usage_error || names_a_service(&inv), "ssh prints its usage")
                .map(|()| "refused by both");
        }
        if !answer.resolved() {
            // Something else was printed (-V), or there is a fault that is not of grammar ("Bad port").
            expect(!answer.good || plan != Plan::Wrap, "ssh only prints something")?;
            return Ok(if answer.good { "printed something" } else { "refused by ssh" });
        }
        expect(!inv.usage_error, "ssh accepts it")?;
        check_target(&inv, &answer)?;
        check_rewritten(&self.0, &inv, &answer, oracle)?;
        check_wish(&self.0, &inv, plan, oracle)
    }
}

/// A port in the URI that is no number: whether there is a service of that name is for ssh to find out.
fn names_a_service(inv: &Invocation) -> bool {
    let destination = inv.destination.as_deref().unwrap_or_default().to_string_lossy();
    let port = destination.strip_prefix("ssh://").and_then(|uri| uri.rsplit_once(':'));
    port.is_some_and(|(_, port)| port.parse::<i64>().is_err())
}

pub(crate) fn expect(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.into()) }
}

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: {ours:?} to aissh, {theirs:?} to ssh")) }
}

impl Line {
    /// An option of aissh's before everything else changes nothing of the rest.
    fn check_own_options(&self) -> Result<(), String> {
        let split = split_own(&self.0, |_| false);
        let more = split_own(&[&[OsString::from("--no-copilot")], &self.0[..]].concat(), |_| false);
        same("what is left for ssh", &more.ssh, &split.ssh)?;
        expect(!split.own.is_empty() || split.ssh == self.0, "what is not ours is ssh's")
    }
}

/// The destination, by the lines that `-G` has for it.
fn check_target(inv: &Invocation, answer: &Answer) -> Result<(), String> {
    let text = |slot: &Option<OsString>| slot.as_ref().map(|text| text.to_string_lossy().into_owned());
    // Before OpenSSH 8.7 there was no `host`; `hostname` is the same but for case.
    let host = answer.value("host").or_else(|| answer.value("hostname"));
    same("host", &text(&inv.host).as_deref(), &host)?;
    if let Some(user) = text(&inv.user) {
        same("user", &Some(user.as_str()), &answer.value("user"))?;
    }
    let port = match text(&inv.port).as_deref() {
        None | Some("ssh") => 22,
        Some(_) => inv.port_number().ok_or("a port that ssh accepts")?,
    };
    same("port", &Some(port.to_string().as_str()), &answer.value("port"))
}

/// The same said another way, from what was understood: ssh must resolve it to the same, whole.
fn check_rewritten(
    args: &[OsString],
    inv: &Invocation,
    answer: &Answer,
    oracle: &Oracle,
) -> Result<(), String> {
    let mut plain = Vec::new();
    for (letter, value) in [(b'l', &inv.user), (b'p', &inv.port)] {
        plain.extend(value.iter().flat_map(|value| [OsString::from_vec(vec![b'-', letter]), value.clone()]));
    }
    for (letter, value) in &inv.options {
        plain.push(OsString::from_vec(vec![b'-', *letter]));
        plain.extend(value.clone());
    }
    plain.push("--".into());
    plain.extend(inv.host.clone());
    plain.extend(inv.command.iter().cloned());
    let again = oracle.resolve(&plain);
    same(&format!("ssh -G of {plain:?}"), &again.stdout, &answer.stdout)?;
    // And so does what aissh asks.
    let facts =
        Facts::ask(oracle.asked(), &[&["-F".into(), "none".into()], args].concat(), Default::default());
    same("facts", &facts, &Some(Facts::parse(answer.stdout.as_bytes())))
}

/// What it would ask of the other side.
fn check_wish(
    args: &[OsString],
    inv: &Invocation,
    plan: Plan,
    oracle: &Oracle,
) -> Result<&'static str, String> {
    // These have another master, or none, or connect to nothing.
    if b"GMOSV".iter().any(|&letter| inv.has(letter)) {
        return Ok("resolved");
    }
    match oracle.wish(args) {
        Wish::Nothing => {
            // `-f` without a command and the like are found only now.
            expect(plan != Plan::Wrap, "ssh asks for nothing")?;
            Ok("asked for nothing")
        }
        Wish::StandardStreams => {
            same("a plan for -W", &plan, &Plan::Become(Reason::StdioForward))?;
            Ok("standard streams")
        }
        Wish::Session { tty, subsystem, command } => {
            let want = match plan {
                Plan::Wrap => Some(true),
                Plan::Become(Reason::NoTty | Reason::NoSession | Reason::Command) => Some(false),
                Plan::Become(Reason::StdinNull) => Some(inv.request_tty == Some(RequestTty::Force)),
                Plan::Become(_) => None,
            };
            same("a terminal", &want.unwrap_or(tty), &tty)?;
            expect(plan != Plan::Wrap || !subsystem, "a subsystem")?;
            let words: Vec<&[u8]> = inv.command.iter().map(|word| word.as_bytes()).collect();
            let remote = inv.remote_command.as_deref().filter(|text| !text.eq_ignore_ascii_case("none"));
            let said = [&words.join(&b' ')[..], remote.map_or(b"", OsStr::as_bytes)].concat();
            same("command", &OsStr::from_bytes(&said), &OsStr::from_bytes(&command))?;
            same("has a command", &inv.has_command(), &!command.is_empty())?;
            Ok(if plan == Plan::Wrap { "wrapped" } else { "session without a terminal" })
        }
    }
}
