use std::io::Read;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, poll};

use super::*;
use crate::linus::cancel::Canceller;

/// What nothing in a passing test takes.
const PATIENCE: Duration = Duration::from_secs(20);
const LIMIT: usize = 64 * 1024;

fn helper(argv: &[&str]) -> Helper {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    Helper::new(&argv, &[]).unwrap()
}

fn output(argv: &[&str]) -> Result<String, HelperError> {
    helper(argv).output(b"in\n", LIMIT, PATIENCE, &Canceller::new()).map(|o| String::from_utf8(o).unwrap())
}

#[test]
fn what_it_prints_is_returned_and_what_it_is_given_reaches_it() {
    assert_eq!(output(&["sh", "-c", "cat; echo $1", "sh", "a b;c"]), Ok("in\na b;c\n".into()));
    assert_eq!(output(&["true"]), Ok(String::new()), "who does not read is not waited for");
    // More than a pipe holds, both ways at once.
    let much = vec![b'x'; 1 << 20];
    let back = helper(&["cat"]).output(&much, much.len(), PATIENCE, &Canceller::new());
    assert_eq!(back.map(|b| b.len()), Ok(much.len()));
}

#[test]
fn a_failure_names_the_program_its_status_and_its_last_complaint_and_not_what_it_printed() {
    let error = output(&["sh", "-c", "echo t0ken; echo no; echo 'denied\x1b[2J' >&2; exit 3"]).unwrap_err();
    assert_eq!(error.to_string(), "sh: it ended with status 3: denied [2J");
    assert_eq!(output(&["sh", "-c", "kill -9 $$"]).unwrap_err().to_string(), "sh: it died of SIGKILL");
    let error = output(&["no-such-program-of-aissh"]).unwrap_err();
    assert_eq!(error.to_string(), "no-such-program-of-aissh: not found in PATH");
    assert_eq!(output(&["/no/such"]).unwrap_err().to_string(), "/no/such: there is no such file");
}

#[test]
fn what_takes_too_long_prints_too_much_or_is_taken_back_is_killed() {
    let started = Instant::now();
    let brief = Duration::from_millis(50);
    let late = helper(&["sleep", "1000"]).output(b"", LIMIT, brief, &Canceller::new());
    assert_eq!(late, Err(HelperError::TimedOut { program: "sleep".into(), after: brief }));
    let much = helper(&["yes"]).output(b"", LIMIT, PATIENCE, &Canceller::new());
    assert_eq!(much, Err(HelperError::TooMuch { program: "yes".into(), limit: LIMIT }));
    let cancel = Canceller::new();
    let result = std::thread::scope(|scope| {
        let canceller = cancel.clone();
        let running =
            scope.spawn(move || helper(&["sleep", "1000"]).output(b"", LIMIT, PATIENCE, &canceller));
        cancel.cancel();
        running.join().unwrap()
    });
    assert_eq!(result, Err(HelperError::Cancelled));
    assert!(started.elapsed() < PATIENCE);
}

/// An agent that it leaves behind holds its pipes.
#[test]
fn the_end_of_the_helper_is_the_end_and_not_that_of_its_pipes() {
    let started = Instant::now();
    assert_eq!(output(&["sh", "-c", "sleep 1000 & echo done"]), Ok("done\n".into()));
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn the_whole_group_is_killed_when_it_is_dropped() {
    let mut group = helper(&["sh", "-c", "sleep 1000 & echo up; wait"]).spawn().unwrap();
    let readable = |group: &Group| {
        let mut fds = [PollFd::new(group.stdout.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut fds, 20_000u16), Ok(1), "nothing to read within 20 s");
    };
    readable(&group);
    let mut text = [0; 64];
    assert_eq!(group.stdout.read(&mut text).unwrap(), 3);
    // Both held the pipe; its end means that both are gone.
    group.killer().kill();
    readable(&group);
    assert_eq!(group.stdout.read(&mut text).unwrap(), 0);
    let status = group.finish().unwrap();
    assert!(!status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn it_has_a_session_of_its_own_and_three_descriptors() {
    // pid, and the session from /proc: the name in parentheses has no blank here.
    let script = "set -- $$ $(cat /proc/$$/stat); echo $1 $7; test -e /proc/$$/fd/77 && echo inherited";
    let spare = std::fs::File::open("/dev/null").unwrap();
    let spare = nix::fcntl::fcntl(&spare, nix::fcntl::FcntlArg::F_DUPFD(77)).unwrap();
    assert!(spare >= 77);
    let text = output(&["sh", "-c", &format!("{script}; true").replace("77", &spare.to_string())]).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words.len(), 2, "{text}");
    assert_eq!(words[0], words[1], "not the leader of a session");
}

#[test]
fn of_the_environment_only_what_is_listed_is_passed_and_never_an_agent() {
    let own = [
        ("PATH", true),
        ("HOME", true),
        ("LC_ALL", true),
        ("XDG_RUNTIME_DIR", true),
        ("WANTED", true),
        ("SSH_AUTH_SOCK", false),
        ("AISSH_TOKEN", false),
        ("AWS_SECRET_ACCESS_KEY", false),
        ("LD_PRELOAD", false),
        ("SSH_CONNECTION", false),
    ];
    let all = || own.iter().map(|(name, _)| (OsString::from(name), OsString::from("x")));
    let argv = ["env".to_owned()];
    let helper = Helper::within(&argv, &["WANTED".to_owned()], all()).unwrap();
    let passed: Vec<_> = helper.environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    let wanted: Vec<_> = own.iter().filter(|(_, passed)| *passed).map(|(name, _)| *name).collect();
    assert_eq!(passed, wanted);
    for never in NEVER {
        let error = Helper::within(&argv, &[never.to_owned()], all()).unwrap_err();
        assert_eq!(error.to_string(), format!("{never} is never passed to a command"));
    }
    let path = [(OsString::from("PATH"), std::env::var_os("PATH").unwrap())];
    let helper = Helper::within(&argv, &[], path.into_iter()).unwrap();
    let text = helper.output(b"", LIMIT, PATIENCE, &Canceller::new()).unwrap();
    assert_eq!(String::from_utf8(text).unwrap().lines().count(), 1, "and really no more");
}

#[test]
fn a_command_that_is_none_is_refused_before_it_is_run() {
    for argv in [vec![], vec![""], vec![" "], vec!["a\0b"], vec!["a", "\0"]] {
        let argv: Vec<String> = argv.into_iter().map(str::to_owned).collect();
        assert!(matches!(Helper::new(&argv, &[]), Err(HelperError::Bad(_))), "{argv:?}");
    }
}
