//! `tests/fixtures/shell/*.jsonl` (written by `scripts/record-shells`): what real shells sent, and what is true.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::*;
use crate::shell::facts::CommandRecord;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Replay {
    Whole,
    EveryByte,
    /// What is printed arrives this much later than it was: keys are typed blind.
    Late(u64),
}

#[derive(Default, Clone, Copy)]
struct Score {
    right: usize,
    unknown: usize,
    wrong: usize,
}

pub(super) struct Recording {
    pub(super) name: String,
    home: String,
    expect: Vec<Value>,
    /// Time, whether it is input, bytes as Latin-1.
    pub(super) events: Vec<(u64, bool, String)>,
}

pub(super) fn recordings() -> Vec<Recording> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shell");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
        let head = lines.next().unwrap();
        let events = lines.map(|e| {
            let (key, is_input) = if e.get("in").is_some() { ("in", true) } else { ("out", false) };
            (e["t"].as_u64().unwrap(), is_input, e[key].as_str().unwrap().to_owned())
        });
        Recording {
            name: head["shell"].as_str().unwrap().to_owned(),
            home: head["home"].as_str().unwrap().to_owned(),
            expect: head["expect"].as_array().unwrap().clone(),
            events: events.collect(),
        }
    };
    paths.iter().map(read).collect()
}

/// Everything the tracker told, each finished command with the facts known at the prompt after it.
pub(super) fn replay(recording: &Recording, how: Replay) -> (Vec<ShellEvent>, Vec<(CommandRecord, Facts)>) {
    let mut events: Vec<_> = recording.events.iter().collect();
    let shift = if let Replay::Late(by) = how { by } else { 0 };
    events.sort_by_key(|(t, is_input, _)| t + if *is_input { 0 } else { shift });
    let mut rig = Rig::new();
    let start = rig.now;
    let (mut all, mut commands) = (Vec::new(), Vec::new());
    let mut note = |rig: &mut Rig| {
        for event in rig.take() {
            match &event {
                ShellEvent::Command(record) if record.finished => {
                    commands.push((record.clone(), Facts::default()))
                }
                ShellEvent::Prompt => {
                    if let Some((_, facts)) = commands.last_mut() {
                        *facts = rig.observer.facts().clone();
                    }
                }
                _ => {}
            }
            all.push(event);
        }
    };
    for (t, is_input, text) in events {
        let at = start + Duration::from_millis(t + if *is_input { 0 } else { shift });
        rig.wait(at - rig.now);
        note(&mut rig);
        if *is_input {
            rig.keys(text);
        } else {
            let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
            match how {
                Replay::EveryByte => bytes.chunks(1).for_each(|b| rig.feed(b)),
                _ => rig.feed(&bytes),
            }
        }
        note(&mut rig);
    }
    rig.wait(Duration::from_secs(1));
    note(&mut rig);
    (all, commands)
}

/// Without SGR and blanks at the ends of lines.
fn plain(text: &str) -> String {
    let parts = text.split("\x1b[").enumerate();
    let text: String = parts.map(|(i, p)| if i == 0 { p } else { p.split_once('m').unwrap().1 }).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Compares what was told with what is true, fact by fact.
fn score(recording: &Recording, told: &[(CommandRecord, Facts)]) -> BTreeMap<&'static str, Score> {
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    let mut next = 0;
    let mut mark = |fact: &'static str, verdict: Option<bool>, what: String| {
        let score = scores.entry(fact).or_default();
        match verdict {
            Some(true) => score.right += 1,
            None => score.unknown += 1,
            Some(false) => {
                score.wrong += 1;
                println!("{}: wrong {fact}: {what}", recording.name);
            }
        }
    };
    for (record, facts) in told {
        let rest = recording.expect.get(next..).unwrap_or_default();
        let same = |truth: &Value| match &record.command {
            Some(command) => truth["command"].as_str() == Some(command),
            None => truth["output"].as_str().is_some_and(|o| plain(o) == plain(&record.output)),
        };
        let Some(skipped) = rest.iter().position(same) else {
            let verdict = record.command.is_some().then_some(false);
            mark("command", verdict, format!("{:?}", record.command));
            continue;
        };
        (0..skipped).for_each(|_| mark("command", None, String::new()));
        let truth = &rest[skipped];
        next += skipped + 1;
        mark("command", record.command.as_ref().map(|_| true), String::new());
        if let Some(output) = truth["output"].as_str() {
            mark(
                "output",
                Some(plain(output) == plain(&record.output)),
                format!("{:?}: {:?} not {output:?}", record.command, record.output),
            );
        }
        let exit = record.exit.map(|e| truth["exit"].as_i64() == Some(e.code.into()));
        mark("exit", exit, format!("{record:?} not {}", truth["exit"]));
        let expected = truth["cwd"].as_str();
        let cwd = facts.cwd.as_ref().map(|c| expected == Some(c.replace('~', &recording.home).as_str()));
        mark("cwd", cwd, format!("after {:?}", record.command));
        mark("user", facts.user.as_ref().map(|u| u == "joe"), format!("{:?}", facts.user));
        mark("host", facts.host.as_ref().map(|h| h == "web1"), format!("{:?}", facts.host));
    }
    (next..recording.expect.len()).for_each(|_| mark("command", None, String::new()));
    scores
}

fn table(how: Replay) {
    println!("{:14} right/unknown/wrong", format!("{}", if let Replay::Late(ms) = how { ms } else { 0 }));
    let mut wrong = 0;
    for recording in recordings() {
        let (_, told) = replay(&recording, how);
        let scores = score(&recording, &told);
        let columns = ["command", "output", "exit", "cwd", "user", "host"].map(|fact| {
            let s = scores.get(fact).copied().unwrap_or_default();
            wrong += s.wrong;
            format!("{fact} {:>2}/{:>2}/{}", s.right, s.unknown, s.wrong)
        });
        println!("{:14} {}", recording.name, columns.join("  "));
        let commands = scores.get("command").copied().unwrap_or_default();
        if how == Replay::Whole {
            assert!(
                commands.right * 10 >= recording.expect.len() * 8,
                "{}: too little is known",
                recording.name
            );
        }
    }
    assert_eq!(wrong, 0);
}

#[test]
fn nothing_told_of_recorded_shells_is_wrong() {
    table(Replay::Whole);
}

#[test]
fn nothing_is_wrong_when_output_comes_300_ms_late() {
    table(Replay::Late(300));
}

#[test]
fn splitting_output_at_every_byte_changes_nothing() {
    for recording in recordings() {
        let (whole, _) = replay(&recording, Replay::Whole);
        let (split, _) = replay(&recording, Replay::EveryByte);
        for (a, b) in whole.iter().zip(&split) {
            assert_eq!(a, b, "{}", recording.name);
        }
        assert_eq!(whole.len(), split.len(), "{}", recording.name);
    }
}

#[test]
fn a_password_is_in_no_event() {
    for recording in recordings() {
        let (events, _) = replay(&recording, Replay::Whole);
        assert!(!format!("{events:?}").contains("hunter2"), "{}", recording.name);
    }
}
