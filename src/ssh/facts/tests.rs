use super::*;

fn args(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[test]
fn the_answer_of_ssh_is_read() {
    let facts = Facts::parse(
        b"host web\nuser deploy\nhostname 10.0.0.5\nport 2222\nrequesttty force\nsessiontype none\nstdinnull yes\n\
          forkafterauthentication no\nremotecommand a \"b  c\" # d\nidentityfile ~/.ssh/id\n",
    );
    assert_eq!(facts.user.as_deref(), Some("deploy"));
    assert_eq!(facts.host.as_deref(), Some("web"));
    assert_eq!(facts.hostname.as_deref(), Some("10.0.0.5"));
    assert_eq!(facts.port, Some(2222));
    assert_eq!(facts.request_tty, Some(RequestTty::Force));
    assert_eq!(facts.session_type, Some(SessionType::None));
    assert_eq!((facts.stdin_null, facts.fork_after_authentication), (Some(true), Some(false)));
    assert_eq!(facts.remote_command, Some("a \"b  c\" # d".into()));
}

#[test]
fn nonsense_gives_no_facts() {
    for text in [&b""[..], b"\n\n", b"user", b"port many\nport 99999\n", b"\xff\xfe", b"requesttty maybe"] {
        assert_eq!(Facts::parse(text), Facts::default(), "{}", text.escape_ascii());
    }
    assert_eq!(Facts::parse(b"remotecommand none\n").remote_command, None);
}

#[test]
fn the_command_line_is_the_fallback() {
    let facts = Facts::from_invocation(&Invocation::parse(&args(&["-p", "ssh", "-l", "u", "alias"])));
    assert_eq!(
        (facts.user.as_deref(), facts.hostname.as_deref(), facts.port),
        (Some("u"), Some("alias"), None)
    );
}

#[test]
fn the_question_keeps_everything_but_logging() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["h"], &["-G", "h"]),
        (&["-vE", "log", "-y", "h", "-Elog2", "-p22", "ls", "-E"], &["-G", "-v", "h", "-p22", "ls", "-E"]),
        (&["-vvtp", "22", "--", "h", "-y"], &["-G", "-v", "-v", "-t", "-p", "22", "--", "h", "-y"]),
        (&["-l", "--", "h", "-v"], &["-G", "-l", "--", "h", "-v"]),
        (&["-l--", "h", "-v"], &["-G", "-l--", "h", "-v"]),
        (&["h", "-A-", "x"], &["-G", "h", "-A", "-A-", "x"]),
        (&["h", "--", "-p", "1"], &["-G", "h", "--", "-p", "1"]),
    ];
    for (given, want) in cases {
        assert_eq!(question(&args(given)), args(want), "{given:?}");
    }
}

fn sh(script: &str) -> Option<Vec<u8>> {
    // Longer than any of these scripts needs on a loaded machine, and never waited for but by the one that hangs.
    output(Command::new("/bin/sh").args(["-c", script]), Duration::from_secs(20))
}

#[test]
fn output_is_taken_whole_or_not_at_all() {
    assert_eq!(sh("printf 'user a\\n'"), Some(b"user a\n".to_vec()));
    assert_eq!(sh("printf x; exit 1"), None);
    assert_eq!(sh("cat; echo quiet >&2; printf end"), Some(b"end".to_vec()), "stdin must be empty");
    assert_eq!(sh("head -c 300000 /dev/zero"), None);
    assert_eq!(output(&mut Command::new("/nonexistent/ssh"), TIME_LIMIT), None);
}

#[test]
fn a_program_that_hangs_is_killed() {
    let start = Instant::now();
    let limit = Duration::from_millis(50);
    assert_eq!(output(Command::new("/bin/sh").args(["-c", "printf a; exec sleep 60"]), limit), None);
    assert_eq!(output(Command::new("/bin/sh").args(["-c", "exec >&-; exec sleep 60"]), limit), None);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn match_exec_keeps_ssh_from_being_asked() {
    let scan = Scan { has_tty_words: true, has_match_exec: true };
    assert_eq!(Facts::ask(Path::new("/bin/true"), &[], scan), None);
}
