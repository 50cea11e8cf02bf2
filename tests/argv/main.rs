//! The argument grammar and the look at ssh_config against the real ssh: generated command lines and configurations.
//! A fixed seed, so that a failure stays one; scripts/fuzz-argv goes on for longer.

#![allow(clippy::unwrap_used, reason = "a failed one is the failure")]

mod configs;
mod fuzz;
mod lines;
mod oracle;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use aissh::ssh::{ConfigSays, Invocation, Places, Plan, Reason, Surroundings, decide, find};

use configs::Configs;
use lines::Line;
use oracle::Oracle;

/// Everything says wrap.
pub(crate) fn terminal() -> Surroundings<'static> {
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

#[test]
fn generated_command_lines_are_read_as_ssh_reads_them() {
    let Some(tally) = fuzz::run::<Line>() else { return };
    for kind in ["wrapped", "session without a terminal", "refused by both"] {
        assert!(tally.contains_key(kind), "none: {kind}");
    }
}

#[test]
fn generated_configurations_never_wrap_what_has_no_terminal() {
    let Some(tally) = fuzz::run::<Configs>() else { return };
    for kind in ["wrapped", "not wrapped", "left to ssh"] {
        assert!(tally.contains_key(kind), "none: {kind}");
    }
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

#[test]
fn a_letter_that_takes_a_value_in_new_versions_only_is_left_to_the_version_at_hand() {
    let Some(ssh) = Oracle::find_ssh() else {
        println!("skipped: there is no ssh in PATH to ask");
        return;
    };
    let oracle = Oracle::new(&ssh);
    let args: Vec<OsString> = ["-F", "none", "-P", "22", "h"].map(OsString::from).into();
    let inv = Invocation::parse(&args);
    let plan = decide(&inv, &terminal(), || ConfigSays::ask(&ssh, &args, &inv, &Places::of_user()));
    let answer = oracle.resolve(&args);
    let want =
        if answer.value("host") == Some("h") { Plan::Wrap } else { Plan::Become(Reason::ConfigUnclear) };
    assert_eq!(plan, want, "{answer:?}");
}
