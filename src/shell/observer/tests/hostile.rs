//! Streams that lie, and streams of anything: what is claimed then names its source, and nothing is wedged.
//!
//! `scripts/fuzz-shell [SEED]` runs the random ones for long.

use super::recorded::recorded_bytes;
use super::*;
use crate::shell::facts::{CommandRecord, Evidence, Origin};

/// What someone may put into a file that is looked at with `cat`.
const LIES: &str = "\x1b]133;D;0;aid=1\x07\x1b]133;A\x07root@prod:~# \x1b]133;B\x07rm -rf /\r\n\x1b]133;C\x07\
    \x1b]133;D;0\x07\x1b]633;E;curl x|sh;\x07\x1b]633;C\x07\x1b]633;D;0\x07\x1b]3008;end=c1;exit=success\x07\
    \x1b]3008;start=c2;type=elevate;targetuser=root\x07\x1b]3008;start=s9;type=shell;user=root;hostname=prod;cwd=/\x07\
    \x1b]7;file://prod/etc\x07\x1b]1337;RemoteHost=root@prod\x07\x1b]0;root@prod: /root\x07joe@web1:~$ ls\r\n\
    [127] root@prod:~# \r\nbash: cat: command not found\r\nPassword: \r\n\x1b[?2004h\x1b[?2004l\x1b[J$ \r\n";

fn commands(rig: &mut Rig) -> Vec<CommandRecord> {
    let record = |e| if let ShellEvent::Command(record) = e { Some(record) } else { None };
    rig.take().into_iter().filter_map(record).collect()
}

/// Types a line at the prompt that the shell shows before and after it.
fn line(rig: &mut Rig, command: &str, answer: &str, output: &str, prompt: &str) {
    rig.keys(command);
    rig.feed(command);
    rig.input(Input::Enter);
    rig.feed(format!("\r\n{answer}{output}{prompt}"));
    rig.settle();
}

#[test]
fn a_file_full_of_marks_and_prompts_names_its_sources_and_wedges_nothing() {
    let shells = [
        ("\x1b[?2004h\x1b]0;joe@web1: ~\x07joe@web1:~$ ", "\x1b[?2004l\r"),
        ("joe@web1:~$ ", ""),
        (
            "\x1b]133;D;0\x07\x1b]133;A\x07\x1b[?2004hjoe@web1:~$ \x1b]133;B\x07",
            "\x1b[?2004l\r\x1b]133;C\x07",
        ),
    ];
    for (prompt, answer) in shells {
        let mut rig = Rig::new();
        rig.feed(prompt);
        rig.settle();
        line(&mut rig, "ls", answer, "file\r\n", prompt);
        let before = commands(&mut rig).pop().unwrap();
        assert_eq!((before.command.as_deref(), before.output.as_str()), (Some("ls"), "file"));
        line(&mut rig, "cat file", answer, LIES, prompt);
        for record in commands(&mut rig) {
            let forged = record.exit.is_none_or(|exit| exit.evidence != Evidence::Prompt);
            assert!(forged, "{record:?}: a number in a file is no status that the user's prompt shows");
        }
        let facts = rig.observer.facts();
        let sources = [
            (facts.cwd.is_some(), facts.sources.cwd),
            (facts.user.is_some(), facts.sources.user),
            (facts.host.is_some(), facts.sources.host),
            (facts.last_exit.is_some(), facts.sources.last_exit),
        ];
        assert!(sources.iter().all(|(known, source)| *known == source.is_some()), "{facts:?}");
        // Whatever was believed, the real prompts set it right.
        line(&mut rig, "true", answer, "", prompt);
        line(&mut rig, "id", answer, "uid=1\r\n", prompt);
        let after = commands(&mut rig).pop().unwrap();
        assert_eq!((after.command.as_deref(), after.output.as_str()), (Some("id"), "uid=1"), "{prompt:?}");
        assert_eq!(rig.state(), State::AtPrompt);
    }
}

/// Whether what was fed so far can support a status: a superset of what it does.
fn supported(stream: &str, code: i32, evidence: Evidence) -> bool {
    let digits = |after: &str| {
        stream.match_indices(after).any(|(at, _)| {
            let rest = &stream[at + after.len()..];
            let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end] == code.to_string()
        })
    };
    let signals = || {
        digits("status=")
            || code == 0 && stream.contains("success")
            || code >= 127 && stream.contains("signal=")
    };
    match evidence {
        Evidence::Mark => digits("3;D;") || digits("err=") || signals(),
        Evidence::Prompt => stream.contains(&code.to_string()),
        Evidence::Text => {
            code == 127 && stream.contains("not found") || code == 126 && stream.contains("ermission")
        }
        Evidence::Title | Evidence::Trusted => false,
    }
}

const PIECES: [&str; 34] = [
    "\x1b[?2004h",
    "\x1b[?2004l\r",
    "\x1b]133;A\x07",
    "\x1b]133;A;aid=7\x07",
    "\x1b]133;B\x07",
    "\x1b]133;C\x07",
    "\x1b]133;D\x07",
    "\x1b]133;D;x\x07",
    "\x1b]133;D;3\x07",
    "\x1b]133;D;4;aid=7\x07",
    "\x1b]3008;end=c;exit=interrupt\x07",
    "\x1b]3008;end=c;exit=success\x07",
    "\x1b]3008;start=c;type=command\x07",
    "\x1b]3008;start=s;type=shell;user=joe\x1b\\",
    "\x1b]3008;start=e;type=elevate;targetuser=root\x07",
    "\x1b]3008;end=e\x07",
    "\x1b]633;E;ls\x07",
    "\x1b]0;joe@web1: ~\x07",
    "\x1b]7;file://web1/a%\x07",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[J",
    "\x1b[6n",
    "$ ",
    "> ",
    "[127] joe@web1:~$ ",
    "bash: echo: command not found\r\n",
    "Password: ",
    "\r\n",
    "\x1b[2J\x1b[H",
    "echo hi",
    "\x1b[A\x1b[K",
    "漢字\x08\x08",
    "\u{fffd}\x1b]",
];

/// One random walk; `real` is what shells sent, of which parts come in between.
fn walk(seed: u64, real: &[Vec<u8>]) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut rig = Rig::new();
    let mut fed = Vec::new();
    let mut feed = |rig: &mut Rig, bytes: &[u8]| {
        fed.extend_from_slice(bytes);
        rig.feed(bytes);
        let stream = String::from_utf8_lossy(&fed);
        let facts = rig.observer.facts();
        if let Some(code) = facts.last_exit {
            let evidence = facts.sources.last_exit.expect("every status has a source");
            assert!(supported(&stream, code, evidence), "seed {seed}: {code} by {evidence:?}");
        }
    };
    for _ in 0..100 {
        match random.below(10) {
            0 => rig.input(Input::Enter),
            1 => rig.input(Input::Interrupt),
            2 => rig.input(Input::Text),
            3 => rig.wait(Duration::from_millis(random.below(200) as u64)),
            4 => {
                let noise: Vec<u8> = (0..random.below(12)).map(|_| random.below(256) as u8).collect();
                feed(&mut rig, &noise);
            }
            5 => rig.input(Input::LocalSecret(random.below(2) == 0)),
            6 => match random.below(8) {
                0 => rig.wait(LONG_RUN),
                1 => rig.observer.resize(Size::new(random.below(90) as u16, random.below(30) as u16)),
                2 => rig.input(Input::Sent { command: "ls", origin: Origin::UserTyped }),
                3 if !real.is_empty() => {
                    let bytes = &real[random.below(real.len())];
                    let from = random.below(bytes.len());
                    feed(&mut rig, &bytes[from..(from + random.below(600)).min(bytes.len())]);
                }
                _ => {}
            },
            7 => {
                let piece = PIECES[random.below(PIECES.len())].as_bytes();
                feed(&mut rig, &piece[..random.below(piece.len() + 1)]);
            }
            _ => feed(&mut rig, PIECES[random.below(PIECES.len())].as_bytes()),
        }
        // A tick may end a command too.
        feed(&mut rig, b"");
    }
    for record in commands(&mut rig) {
        let stream = String::from_utf8_lossy(&fed);
        assert!(
            record.exit.is_none_or(|e| supported(&stream, e.code, e.evidence)),
            "seed {seed}: {record:?}"
        );
    }
}

#[test]
fn no_stream_panics_or_yields_a_status_that_nothing_told() {
    let number = |name: &str, usual| std::env::var(name).map_or(usual, |n| n.parse().expect("a number"));
    let (first, count) = (number("FUZZ_SEED", 1), number("FUZZ_COUNT", 120));
    let real = recorded_bytes();
    for seed in first..first + count {
        walk(seed, &real);
    }
}
