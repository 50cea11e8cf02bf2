use super::*;

fn args(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn parse(line: &str) -> Invocation {
    Invocation::parse(&args(&line.split_whitespace().collect::<Vec<_>>()))
}

/// `user host port command`, with `-` for what is not known.
fn target(inv: &Invocation) -> String {
    let text =
        |slot: &Option<OsString>| slot.as_ref().map_or("-".into(), |s| s.to_string_lossy().into_owned());
    let command = inv.command.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join("_");
    format!("{} {} {} [{command}]", text(&inv.user), text(&inv.host), text(&inv.port))
}

#[test]
fn targets_are_found_as_ssh_finds_them() {
    let cases = [
        ("host", "- host - []"),
        ("u@host", "u host - []"),
        ("a@b@host", "a@b host - []"),
        ("-p 22 host", "- host 22 []"),
        ("-p22 host", "- host 22 []"),
        ("-vvNTp2222 host", "- host 2222 []"),
        ("host -p 22 ls -l", "- host 22 [ls_-l]"),
        ("host -v -p22 -- -p 23", "- host 22 [-p_23]"),
        ("host -- -p 22", "- host - [-p_22]"),
        ("-- host -p 22", "- host - [-p_22]"),
        ("-- -host", "- -host - []"),
        ("-v -- host -v", "- host - [-v]"),
        ("-l -- host -v", "-- host - [-v]"),
        ("-l-- host -v", "-- host - []"),
        ("-p 1 -p 2 host -p 3", "- host 1 []"),
        ("-l a b@host", "a host - []"),
        ("b@host -l a", "b host - []"),
        ("-o User=c b@host", "c host - []"),
        ("-oUser=c -l a host", "c host - []"),
        ("-o port=7 -p 8 host", "- host 7 []"),
        ("ssh://u@h:22", "u h 22 []"),
        ("ssh://u%40v@h.:23 -p 24", "u@v h 23 []"),
        ("ssh://h/", "- h - []"),
        ("ssh://[h]:9", "- h 9 []"),
        ("ssh://a;b=c@h", "a h - []"),
        ("-p 5 ssh://h:6", "- h 5 []"),
        ("host:22", "- host:22 - []"),
        ("::1", "- ::1 - []"),
        ("host ls -la -- x", "- host - [ls_-la_--_x]"),
        ("-i key -F none -J a@b,c:22 -L 1:h:2 -D 9 host uptime", "- host - [uptime]"),
        ("- x", "- - - [x]"),
        // Not sensible, but what getopt makes of a '-' at the end of a cluster.
        ("host -A- x", "- host - [-A-_x]"),
        ("-v- x", "- -v- - [x]"),
    ];
    for (line, want) in cases {
        let inv = parse(line);
        assert_eq!(target(&inv), want, "{line}");
        assert!(!inv.usage_error, "{line}");
    }
}

#[test]
fn what_ssh_refuses_is_a_usage_error() {
    for line in [
        "",
        "-v",
        "-p",
        "-p 22",
        "-d host",
        "-vd host",
        "-H host",
        "--sidebar host",
        "host --sidebar",
        "-v-x host",
        "-1 host",
        "@host",
        "-s host",
        "-oSessionType=subsystem host",
        "host -p",
        "ssh://",
        "ssh://@h",
        "ssh://h/path",
        "ssh://h:22/path",
        "ssh://h:/",
        "ssh://h:0",
        "ssh://h:-0",
        "ssh://h:+0",
        "ssh://h:70000",
        "ssh://[::1]:22",
        "ssh://u%00@h",
        "ssh://u%4@h",
        "ssh://u%+4@h",
        "ssh://a..b",
        "ssh://-h",
        "--",
    ] {
        assert!(parse(line).usage_error, "{line}");
    }
}

#[test]
fn terminal_requests_follow_the_order_of_the_flags() {
    use RequestTty::{Auto, Force, No, Yes};
    let cases = [
        ("h", None, 0),
        ("-t h", Some(Yes), 1),
        ("-tt h", Some(Force), 2),
        ("-t h -t", Some(Force), 2),
        // The third `-t` is a plain request again in ssh as well.
        ("-ttt h", Some(Yes), 3),
        ("-T h", Some(No), 0),
        ("-Tt h", Some(Yes), 1),
        ("-tT h", Some(No), 1),
        ("-Nt h", Some(Yes), 1),
        ("-tN h", Some(No), 1),
        ("-W a:1 h", Some(No), 0),
        ("-o RequestTTY=force h", Some(Force), 0),
        ("-orequesttty=YES h", Some(Yes), 0),
        ("-oRequestTTY=auto h", Some(Auto), 0),
        ("-oRequestTTY=no -oRequestTTY=yes h", Some(No), 0),
        ("-t -oRequestTTY=no h", Some(Yes), 1),
        ("-oRequestTTY=yes -t h", Some(Force), 1),
        ("-oRequestTTY=force -t h", Some(Yes), 1),
        ("-oRequestTTY=nonsense h", None, 0),
    ];
    for (line, want, count) in cases {
        let inv = parse(line);
        assert_eq!((inv.request_tty, inv.tty_requests), (want, count), "{line}");
    }
}

#[test]
fn options_of_the_session_have_two_spellings() {
    for line in ["-N h", "-oSessionType=none h", "-W a:1 h", "h -N", "-vN h"] {
        assert_eq!(parse(line).session_type, Some(SessionType::None), "{line}");
    }
    for line in ["-s h sftp", "-osessiontype=Subsystem h sftp"] {
        assert_eq!(parse(line).session_type, Some(SessionType::Subsystem), "{line}");
    }
    for line in ["-n h", "-f h x", "-oStdinNull=yes h", "-oStdinNull=true h"] {
        assert_eq!(parse(line).stdin_null, Some(true), "{line}");
    }
    for line in ["-f h x", "-oForkAfterAuthentication=yes h x"] {
        assert_eq!(parse(line).fork, Some(true), "{line}");
    }
    assert_eq!(parse("-oStdinNull=no h").stdin_null, Some(false));
}

#[test]
fn settings_keep_their_order_and_lose_their_case() {
    let inv = Invocation::parse(&args(&[
        "-o",
        "LogLevel  QUIET",
        "-ologlevel=DEBUG",
        "-o",
        "RemoteCommand= echo 'a  b' # c",
        "-o",
        " SetEnv \"A=b c\"",
        "-o",
        "broken",
        "-o",
        "",
        "h",
    ]));
    assert_eq!(inv.setting("loglevel"), Some(OsStr::new("QUIET")));
    assert_eq!(inv.setting("setenv"), Some(OsStr::new("A=b c")));
    assert_eq!(inv.remote_command.as_deref(), Some(OsStr::new("echo 'a  b' # c")));
    assert_eq!(inv.settings.len(), 5);
    assert!(inv.has_command());
    assert!(!inv.usage_error);
}

#[test]
fn an_empty_word_is_no_command() {
    assert!(!Invocation::parse(&args(&["h", ""])).has_command());
    assert!(Invocation::parse(&args(&["h", "", ""])).has_command());
    assert!(Invocation::parse(&args(&["h", "ls"])).has_command());
    assert!(!Invocation::parse(&args(&["-oRemoteCommand=none", "h"])).has_command());
}

#[test]
fn bytes_that_are_no_text_survive() {
    let odd = OsString::from_vec(b"u\xff@h\xfe".to_vec());
    let inv = Invocation::parse(&[odd.clone(), OsString::from_vec(b"\x80".to_vec())]);
    assert_eq!(inv.user.unwrap().as_bytes(), b"u\xff");
    assert_eq!(inv.host.unwrap().as_bytes(), b"h\xfe");
    assert_eq!(inv.destination, Some(odd));
    assert_eq!(inv.command[0].as_bytes(), b"\x80");
}

#[test]
fn ports_are_numbers_or_names() {
    for (text, want) in [("22", Some(22)), ("+22", Some(22)), (" 22", Some(22)), ("0", None), ("ssh", None)] {
        assert_eq!(Invocation::parse(&args(&["-p", text, "h"])).port_number(), want, "{text}");
    }
    assert_eq!(parse("-p 65536 h").port_number(), None);
}

fn split(line: &str) -> (String, String) {
    let words = args(&line.split_whitespace().collect::<Vec<_>>());
    let split = split_own(&words, |name| matches!(name, "ask" | "linus-url"));
    let text = |list: &[OsString]| list.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ");
    (text(&split.own), text(&split.ssh))
}

#[test]
fn own_options_count_only_before_the_destination() {
    let cases = [
        ("host", "", "host"),
        ("--sidebar host", "--sidebar", "host"),
        ("-v --sidebar -p 22 host -v", "--sidebar", "-v -p 22 host -v"),
        ("host --sidebar", "", "host --sidebar"),
        ("host ls --all", "", "host ls --all"),
        ("--linus-url http://x host", "--linus-url http://x", "host"),
        ("--linus-url=http://x host", "--linus-url=http://x", "host"),
        ("--linus-url -- host", "--linus-url --", "host"),
        ("--ask", "--ask", ""),
        ("--ask why --json", "--ask why --json", ""),
        // Values of ssh's options are ssh's.
        ("-o --ask host", "", "-o --ask host"),
        ("-vo --ask host", "", "-vo --ask host"),
        ("-o--ask host", "", "-o--ask host"),
        ("-p 22 -l --json --sidebar host", "--sidebar", "-p 22 -l --json host"),
        // After `--` nothing is ours.
        ("-- --sidebar", "", "-- --sidebar"),
        ("--sidebar -- host --json", "--sidebar", "-- host --json"),
        ("-v- --sidebar", "", "-v- --sidebar"),
        ("-d --sidebar host", "--sidebar", "-d host"),
        ("--check", "--check", ""),
        ("- --check", "", "- --check"),
        ("", "", ""),
    ];
    for (line, own, ssh) in cases {
        assert_eq!(split(line), (own.into(), ssh.into()), "{line}");
    }
}

#[test]
fn splitting_keeps_every_argument_once() {
    let pool =
        ["-v", "-p", "22", "-oA=b", "--ask", "--x=y", "--", "-", "host", "", "-vl", "--json", "-d", "-v-"];
    let mut seed = 7_u64;
    for _ in 0..2000 {
        let mut words = Vec::new();
        for _ in 0..(seed >> 33) % 7 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            words.push(OsString::from(pool[(seed >> 33) as usize % pool.len()]));
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let split = split_own(&words, |name| name == "ask");
        let mut both = [split.own.clone(), split.ssh.clone()].concat();
        let mut all = words.clone();
        both.sort();
        all.sort();
        assert_eq!(both, all, "{words:?}");
        // What is left for ssh has nothing of ours before the destination.
        assert_eq!(split_own(&split.ssh, |name| name == "ask").own, Vec::<OsString>::new(), "{words:?}");
    }
}
