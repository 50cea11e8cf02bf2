//! Payloads as the shells and terminals write them, and garbage.

use super::*;

fn place(user: &str, host: &str, cwd: &str) -> Place {
    let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
    Place { user: some(user), host: some(host), cwd: some(cwd) }
}

fn end(exit: Option<i32>, aid: Option<&str>) -> Option<Mark> {
    Some(Mark::End { exit, aid: aid.map(str::to_owned) })
}

#[test]
fn prompt_marks_are_read_with_their_fields() {
    assert_eq!(parse(b"133;A;cl=m;aid=12"), Some(Mark::PromptStart { aid: Some("12".into()) }));
    assert_eq!(parse(b"133;A;k=s"), Some(Mark::Continuation));
    assert_eq!(parse(b"133;P;k=i"), Some(Mark::PromptStart { aid: None }));
    assert_eq!(parse(b"133;P;k=r"), None);
    assert_eq!(parse(b"633;F"), Some(Mark::Continuation));
    assert_eq!(parse(b"133;B"), Some(Mark::InputStart));
    let command = Some("ls -l é".to_owned());
    assert_eq!(parse(b"133;C;cmdline_url=ls%20-l%20%C3%A9"), Some(Mark::OutputStart { command }));
    assert_eq!(parse(b"133;C;cmdline=$'a b'"), Some(Mark::OutputStart { command: None }));
    assert_eq!(parse(b"633;E;echo a\\x3b b\\\\c;nonce"), Some(Mark::CommandLine("echo a; b\\c".into())));
}

#[test]
fn an_exit_status_is_only_what_is_a_number() {
    assert_eq!(parse(b"133;D;7;aid=x"), end(Some(7), Some("x")));
    assert_eq!(parse(b"633;D;130"), end(Some(130), None));
    assert_eq!(parse(b"133;D;;err=9;aid=x"), end(Some(9), Some("x")));
    assert_eq!(parse(b"133;D;3;err=CANCEL"), end(Some(3), None));
    for none in
        ["133;D;err=CANCEL", "133;D", "133;D;", "133;D;aid=4", "133;D;99999999999", "133;D;0x1", "133;D;--1"]
    {
        assert!(matches!(parse(none.as_bytes()), Some(Mark::End { exit: None, .. })), "{none}");
    }
}

#[test]
fn places_come_from_seven_and_thirteen_thirty_seven_and_nine() {
    let cases: &[(&str, Place)] = &[
        ("7;file://web1/tmp/a%20b", place("", "web1", "/tmp/a b")),
        ("7;file:///tmp", place("", "", "/tmp")),
        ("7;file://localhost/tmp", place("", "", "/tmp")),
        ("7;file://web1/gr%C3%B6%C3%9Fe%25", place("", "web1", "/größe%")),
        ("7;kitty-shell-cwd://web1/a%20b", place("", "web1", "/a%20b")),
        ("1337;CurrentDir=/x", place("", "", "/x")),
        ("1337;RemoteHost=joe@web1", place("joe", "web1", "")),
        ("9;9;\"C:\\Users\"", place("", "", "C:\\Users")),
        ("633;P;Cwd=/a\\x3bb", place("", "", "/a;b")),
        ("633;P;Cwd=", Place { cwd: Some(String::new()), ..Place::default() }),
    ];
    for (payload, expected) in cases {
        assert_eq!(parse(payload.as_bytes()), Some(Mark::Place(expected.clone())), "{payload}");
    }
    for none in ["7;web1/tmp", "7;file://web1", "9;4;1;50", "1337;SetMark", "633;P;IsWindows=True"] {
        assert_eq!(parse(none.as_bytes()), None, "{none}");
    }
}

#[test]
fn titles_are_taken_only_in_the_two_well_known_forms() {
    for title in ["0;joe@web1: ~/src", "2;joe@web1:~/src"] {
        assert_eq!(parse(title.as_bytes()), Some(Mark::Title(place("joe", "web1", "~/src"))));
    }
    for none in
        ["0;vim", "2;echo hi ~", "0;ssh joe@web1", "0;a b@c: /x", "0;joe@web1: make: done", "1;a@b: /"]
    {
        assert_eq!(parse(none.as_bytes()), None, "{none}");
    }
}

#[test]
fn systemd_contexts_carry_place_and_status() {
    let start = parse(b"3008;start=c1;user=joe;hostname=web1;type=command;cwd=/a\\x3bb");
    let kind = Context::Command;
    assert_eq!(
        start,
        Some(Mark::ContextStart { id: "c1".into(), kind, place: place("joe", "web1", "/a;b") })
    );
    let end = |exit| Some(Mark::ContextEnd { id: "c1".into(), exit });
    assert_eq!(parse(b"3008;end=c1;exit=success"), end(Some(0)));
    assert_eq!(parse(b"3008;end=c1;exit=failure;status=2"), end(Some(2)));
    assert_eq!(parse(b"3008;end=c1;exit=failure;status=130;signal=SIGINT"), end(Some(130)));
    assert_eq!(parse(b"3008;end=c1;exit=interrupt;signal=SIGINT"), end(Some(130)));
    // systemd 258: a command that was not found, and one that ^C ended.
    assert_eq!(parse(b"3008;end=c1;exit=interrupt;signal=0"), end(Some(127)));
    assert_eq!(parse(b"3008;end=c1;exit=interrupt;signal=3"), end(Some(130)));
    for unknown in ["exit=failure", "exit=crash", "exit=interrupt;signal=SIGRTMIN", "signal=999", "status="] {
        assert_eq!(parse(format!("3008;end=c1;{unknown}").as_bytes()), end(None), "{unknown}");
    }
}

#[test]
fn a_context_of_another_user_says_where_it_leads() {
    let run0 = parse(b"3008;start=e;user=joe;hostname=web1;type=elevate;targetuser=root;cmdline=bash");
    let kind = Context::Other;
    assert_eq!(run0, Some(Mark::ContextStart { id: "e".into(), kind, place: place("root", "", "") }));
    let remote = parse(b"3008;start=r;user=joe;type=remote;targetuser=amy;targethost=db1");
    assert_eq!(remote, Some(Mark::ContextStart { id: "r".into(), kind, place: place("amy", "db1", "") }));
}

#[test]
fn a_directory_that_did_not_come_whole_is_none() {
    let long = "/a".repeat(140);
    for cut in [&long[..255], "/a\\x5xb", "/a⍰b", "relative", "/a\\xff"] {
        let start = parse(format!("3008;start=s;type=shell;user=joe;cwd={cut}").as_bytes());
        let kind = Context::Shell;
        assert_eq!(start, Some(Mark::ContextStart { id: "s".into(), kind, place: place("joe", "", "") }));
    }
    for none in [&b"7;file://web1/a%ffb"[..], b"7;file://web1/a%0ab", b"633;P;Cwd=/a\\xff", b"9;9;/\xff"] {
        assert_eq!(parse(none), None);
    }
}

#[test]
fn garbage_and_giants_are_nothing() {
    for none in [&b""[..], b"133", b"133;", b";;;", b"\xff\xfe;\xff", b"3008;=", b"7;file://%", b"52;c;?"] {
        assert_eq!(parse(none), None);
    }
    assert_eq!(parse(&[b"7;file:///".to_vec(), vec![b'a'; MAX_PAYLOAD]].concat()), None);
}
