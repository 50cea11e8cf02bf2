use super::*;

use std::ffi::OsString;

use crate::ssh::facts::Facts;

fn terminal() -> Surroundings<'static> {
    Surroundings {
        stdin: true,
        stdout: true,
        stderr: true,
        foreground: true,
        sighup_ignored: false,
        term: Some(OsStr::new("xterm-256color")),
        cells: (80, 24),
        off: false,
        nested: false,
    }
}

fn inv(line: &str) -> Invocation {
    Invocation::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
}

fn by_line(line: &str) -> Plan {
    decide(&inv(line), &terminal(), || ConfigSays::Nothing)
}

#[test]
fn sessions_with_a_remote_terminal_are_wrapped() {
    for line in [
        "host",
        "u@host",
        "-p 22 -i key host",
        "-A -X -v host",
        "-L 1:h:2 host",
        "-J jump host",
        "-M -S sock host",
        "-t host top",
        "host -t top",
        "-tt host top",
        "-o RequestTTY=force host top",
        "-o RequestTTY=yes host top",
        "-o RequestTTY=auto host",
        "-o RemoteCommand=top -t host",
        "-Tt host",
        "-o StdinNull=no host",
        "-o SessionType=default host",
        "-o ForkAfterAuthentication=no host",
        "ssh://u@host:22",
        "-E log host",
    ] {
        assert_eq!(by_line(line), Plan::Wrap, "{line}");
    }
}

#[test]
fn everything_else_becomes_ssh() {
    let cases = [
        ("-V", Reason::Information),
        ("-vV", Reason::Information),
        ("-Q cipher", Reason::Information),
        ("-G host", Reason::Information),
        ("host -G", Reason::Information),
        ("-O check host", Reason::MuxCommand),
        ("-Oexit host", Reason::MuxCommand),
        ("-W a:22 host", Reason::StdioForward),
        ("-s host sftp", Reason::Subsystem),
        ("-ts host sftp", Reason::Subsystem),
        ("-o SessionType=subsystem host sftp", Reason::Subsystem),
        ("-N host", Reason::NoSession),
        ("-fN host", Reason::NoSession),
        ("-Nt host", Reason::NoSession),
        ("-o sessiontype=none host", Reason::NoSession),
        ("-f host sleep 9", Reason::Fork),
        ("-tf host sleep 9", Reason::Fork),
        ("-oForkAfterAuthentication=yes -t host x", Reason::Fork),
        ("-n host", Reason::StdinNull),
        ("-ntt host x", Reason::StdinNull),
        ("-o StdinNull=yes host", Reason::StdinNull),
        ("-T host", Reason::NoTty),
        ("-vT host", Reason::NoTty),
        ("-o RequestTTY=no host", Reason::NoTty),
        ("-o RequestTTY=no -o RequestTTY=yes host", Reason::NoTty),
        ("host ls", Reason::Command),
        ("host -p 22 ls -t", Reason::Command),
        ("host -- -t", Reason::Command),
        ("-o RequestTTY=auto host ls", Reason::Command),
        ("-o RemoteCommand=ls host", Reason::Command),
        ("", Reason::UsageError),
        ("-p", Reason::UsageError),
        ("-d host", Reason::UsageError),
        ("host --sidebar", Reason::UsageError),
        ("@host", Reason::UsageError),
    ];
    for (line, reason) in cases {
        assert_eq!(by_line(line), Plan::Become(reason), "{line}");
    }
}

#[test]
fn surroundings_that_are_no_interactive_terminal_become_ssh() {
    let t = terminal();
    let cases = [
        (Surroundings { off: true, ..t }, Reason::Off),
        (Surroundings { nested: true, ..t }, Reason::Nested),
        (Surroundings { stdin: false, ..t }, Reason::Stdin),
        (Surroundings { stdout: false, ..t }, Reason::Stdout),
        (Surroundings { stderr: false, ..t }, Reason::Stderr),
        (Surroundings { foreground: false, ..t }, Reason::Background),
        (Surroundings { sighup_ignored: true, ..t }, Reason::HangupIgnored),
        (Surroundings { term: None, ..t }, Reason::DumbTerminal),
        (Surroundings { term: Some(OsStr::new("")), ..t }, Reason::DumbTerminal),
        (Surroundings { term: Some(OsStr::new("dumb")), ..t }, Reason::DumbTerminal),
        (Surroundings { cells: (1, 24), ..t }, Reason::TinyWindow),
        (Surroundings { cells: (80, 1), ..t }, Reason::TinyWindow),
        (Surroundings { cells: (0, 0), ..t }, Reason::TinyWindow),
    ];
    for (around, reason) in cases {
        let plan = decide(&inv("host"), &around, || panic!("the configuration must not be asked"));
        assert_eq!(plan, Plan::Become(reason));
    }
    let small = Surroundings { cells: (2, 2), ..t };
    assert_eq!(decide(&inv("host"), &small, || ConfigSays::Nothing), Plan::Wrap);
}

#[test]
fn the_configuration_is_not_asked_where_the_arguments_decide() {
    for line in ["-N host", "host ls", "-T host", "-V", "-d"] {
        let plan = decide(&inv(line), &terminal(), || panic!("{line}"));
        assert!(matches!(plan, Plan::Become(_)), "{line}");
    }
}

#[test]
fn the_configuration_can_turn_a_wrap_into_ssh() {
    let base = Facts { request_tty: Some(RequestTty::Auto), ..Facts::default() };
    let resolved = |facts: Facts| ConfigSays::Resolved(Box::new(facts));
    let become_ssh = |reason| Plan::Become(reason);
    let command = Facts { remote_command: Some("top".into()), ..base.clone() };
    let cases = [
        ("host", resolved(base.clone()), Plan::Wrap),
        ("host", ConfigSays::MatchExec, become_ssh(Reason::MatchExec)),
        ("host", ConfigSays::NoAnswer, become_ssh(Reason::ConfigUnclear)),
        ("host", resolved(command.clone()), become_ssh(Reason::Command)),
        ("-t host", resolved(Facts { request_tty: Some(RequestTty::Yes), ..command }), Plan::Wrap),
        (
            "host",
            resolved(Facts { request_tty: Some(RequestTty::No), ..base.clone() }),
            become_ssh(Reason::NoTty),
        ),
        (
            "host",
            resolved(Facts { session_type: Some(SessionType::None), ..base.clone() }),
            become_ssh(Reason::NoSession),
        ),
        ("host", resolved(Facts { stdin_null: Some(true), ..base.clone() }), become_ssh(Reason::StdinNull)),
        ("host", resolved(Facts { fork_after_authentication: Some(true), ..base }), become_ssh(Reason::Fork)),
    ];
    for (line, says, want) in cases {
        let shown = format!("{line} {says:?}");
        assert_eq!(decide(&inv(line), &terminal(), || says), want, "{shown}");
    }
}
