//! The argument grammar against the real ssh: generated command lines, each also given to `ssh -G`.
//! A fixed seed, so that a failure stays one.

#![allow(clippy::unwrap_used, reason = "a failed one is the failure")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use aissh::ssh::{ConfigSays, Invocation, Places, Plan, Reason, RequestTty, Surroundings, decide, find};

/// Each costs one or two runs of `ssh -G` (10 to 18 ms).
const CASES: usize = 300;
/// Every n-th case is asked for the presence of a command as well.
const COMMAND_EVERY: usize = 2;

/// Option words that every OpenSSH since 8 has, and that do not make `-G` itself fail or write files.
const OPTIONS: &[&[&str]] = &[
    &["-4"],
    &["-t"],
    &["-tt"],
    &["-T"],
    &["-N"],
    &["-AxC"],
    &["-n"],
    &["-Kgt"],
    &["-p", "2222"],
    &["-p2223"],
    &["-Ap", "2224"],
    &["-p", "ssh"],
    &["-l", "ann"],
    &["-lbob"],
    &["-xlcarl"],
    &["-l", "--"],
    &["-o", "User=dora"],
    &["-oPort 2225"],
    &["-oport=2226"],
    &["-o", "user = eve # x"],
    &["-o", "RequestTTY=yes"],
    &["-orequesttty=no"],
    &["-oRequestTTY auto"],
    &["-oRequestTTY=force"],
    &["-oSessionType=none"],
    &["-oSessionType=default"],
    &["-o", "StdinNull=no"],
    &["-L", "1:h:2"],
    &["-D9"],
    &["-e", "none"],
    &["-i", "/dev/null"],
    &["-m", "hmac-sha2-256"],
    &["-c", "aes128-ctr"],
    &["-b", "127.0.0.1"],
    &["-S", "none"],
    &["--"],
];

const ODD: &[&[&str]] = &[&["-d"], &["-tz"], &["--sidebar"], &["-p"], &["-l"], &["-A-"], &["-"], &[""]];

const DESTINATIONS: &[&str] = &[
    "host",
    "u@host",
    "a@b@host",
    "ssh://host",
    "ssh://u@host:2300",
    "ssh://u%40v@host.example.",
    "ssh://a;b=c@host/",
    "ssh://[host]:2301",
    "ssh://host:",
    "ssh://host:ssh",
    "ssh://host/path",
    "ssh://@host",
    "ssh://u+v@host",
    "ssh://host:0",
    "@host",
    "u@",
    "host:22",
    "::1",
];

const WORDS: &[&str] = &["ls", "-l", "", "--", "-p", "22", "a b", "--all"];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's MMIX constants; the low bits of such a generator are poor.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    fn argv(&mut self) -> Vec<OsString> {
        let mut argv: Vec<&str> = Vec::new();
        for _ in 0..self.below(4) {
            argv.extend(self.pick(OPTIONS));
        }
        if self.below(12) == 0 {
            argv.extend(self.pick(ODD));
        }
        argv.push(self.pick(DESTINATIONS));
        for _ in 0..self.below(3) {
            argv.extend(self.pick(OPTIONS));
        }
        if self.below(12) == 0 {
            argv.extend(self.pick(ODD));
        }
        if self.below(2) == 0 {
            for _ in 0..self.below(4) {
                argv.push(self.pick(WORDS));
            }
        }
        argv.into_iter().map(OsString::from).collect()
    }
}

struct Answer {
    good: bool,
    stdout: String,
    stderr: String,
}

impl Answer {
    fn value(&self, key: &str) -> Option<&str> {
        self.stdout.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
    }
}

fn ssh(before: &[&str], args: &[OsString]) -> Option<Answer> {
    let output = Command::new("ssh")
        .args(["-F", "none", "-G"])
        .args(before)
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    Some(Answer {
        good: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn terminal() -> Surroundings<'static> {
    Surroundings {
        stdin: true,
        stdout: true,
        stderr: true,
        foreground: true,
        sighup_ignored: false,
        term: Some(OsStr::new("xterm")),
        cells: (80, 24),
        off: false,
        nested: false,
    }
}

/// ssh says on stderr that it wants a terminal but has none on stdin, which is whether it would ask for a remote one.
fn check_tty(inv: &Invocation, answer: &Answer) {
    if inv.stdin_null == Some(true) || inv.request_tty == Some(RequestTty::Force) {
        return;
    }
    let asked = answer.stderr.contains("Pseudo-terminal will not be allocated");
    let plan = decide(inv, &terminal(), || ConfigSays::Nothing);
    assert_eq!(plan == Plan::Wrap, asked, "{plan:?}");
}

fn check_target(inv: &Invocation, answer: &Answer, default_user: &str) {
    let text = |slot: &Option<OsString>| slot.as_ref().map(|text| text.to_string_lossy().into_owned());
    // Before OpenSSH 8.7 `-G` printed no `host`; `hostname` is the same but for case.
    let host = answer.value("host").or_else(|| answer.value("hostname"));
    assert_eq!(text(&inv.host).as_deref(), host);
    assert_eq!(text(&inv.user).as_deref().unwrap_or(default_user), answer.value("user").unwrap());
    let port = match text(&inv.port).as_deref() {
        None | Some("ssh") => 22,
        Some(_) => inv.port_number().unwrap(),
    };
    assert_eq!(Some(port.to_string().as_str()), answer.value("port"));
}

#[test]
fn generated_command_lines_are_read_as_ssh_reads_them() {
    let Some(baseline) = ssh(&[], &["host".into()]) else {
        println!("skipped: there is no ssh in PATH to compare with");
        return;
    };
    let default_user = baseline.value("user").unwrap();
    let says_tty = baseline.stderr.contains("Pseudo-terminal");
    let mut random = Random(2024);
    let (mut compared, mut refused, mut commands) = (0, 0, 0);
    for case in 0..CASES {
        let argv = random.argv();
        println!("{case}: {argv:?}");
        let inv = Invocation::parse(&argv);
        let answer = ssh(&[], &argv).unwrap();
        if answer.stderr.contains("usage: ssh") {
            assert!(inv.usage_error, "ssh prints its usage");
            refused += 1;
            continue;
        }
        if !answer.good {
            // Refused for a reason that is not grammar ("hostname contains invalid characters").
            continue;
        }
        assert!(!inv.usage_error, "ssh accepts it");
        check_target(&inv, &answer, default_user);
        if says_tty {
            check_tty(&inv, &answer);
        }
        compared += 1;
        if case % COMMAND_EVERY == 0 {
            // A command is what cannot go with a RemoteCommand.
            let answer = ssh(&["-oRemoteCommand=x"], &argv).unwrap();
            let both = answer.stderr.contains("Cannot execute command-line and remote command");
            assert_eq!(inv.has_command(), both, "is there a command?");
            commands += usize::from(both);
        }
    }
    println!("{compared} compared, {refused} refused by both, {commands} with a command");
    assert!(compared > CASES / 2 && refused > CASES / 20 && commands > CASES / 20);
}

/// What is decided for a host of this configuration file.
fn plan_with(config: &Path, ssh: &Path, host: &str) -> Plan {
    let args: Vec<OsString> = vec!["-F".into(), config.into(), host.into()];
    let inv = Invocation::parse(&args);
    decide(&inv, &terminal(), || ConfigSays::ask(ssh, &args, &inv, &Places::of_user()))
}

#[test]
fn the_configuration_decides_through_the_real_ssh_and_match_exec_is_not_run() {
    let Ok(real) = find::find().map(|found| found.path) else {
        println!("skipped: there is no ssh in PATH to ask");
        return;
    };
    let dir = std::env::temp_dir().join(format!("aissh-argv-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let config = dir.join("config");
    let write = |text: &str| fs::write(&config, text).unwrap();

    write("Host quiet\n RequestTTY no\nHost job\n RemoteCommand top\nHost tunnel\n SessionType none\n");
    for (host, want) in [
        ("plain", Plan::Wrap),
        ("quiet", Plan::Become(Reason::NoTty)),
        ("job", Plan::Become(Reason::Command)),
        ("tunnel", Plan::Become(Reason::NoSession)),
    ] {
        assert_eq!(plan_with(&config, &real, host), want, "{host}");
    }

    write("Host *\n RequestTTY no\n NoSuchOption yes\n");
    assert_eq!(plan_with(&config, &real, "h"), Plan::Become(Reason::ConfigUnclear));

    let trace = dir.join("ran");
    write(&format!("Match exec \"touch {}\"\n RequestTTY no\n", trace.display()));
    assert_eq!(plan_with(&config, &real, "h"), Plan::Become(Reason::MatchExec));
    assert!(!trace.exists(), "Match exec was run");
    write(&format!("Match exec \"touch {}\"\n User u\n", trace.display()));
    assert_eq!(plan_with(&config, &real, "h"), Plan::Wrap);
    assert!(!trace.exists(), "Match exec was run");
    fs::remove_dir_all(&dir).unwrap();
}
