//! `tests/fixtures/shell/*.jsonl` (written by `scripts/record-shells` and `record-programs`): what real shells sent, and
//! what is true.

mod score;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;
use crate::shell::facts::CommandRecord;
use score::{Table, score};

/// How a recording's output arrives.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Replay {
    Whole,
    EveryByte,
    /// Later than it was by this many milliseconds, so that keys are typed blind. To user and tracker a relay with
    /// half of that each way looks the same.
    Late(u64),
    /// Each piece is torn at some point, and the rest comes after a pause in which output settles.
    Torn(u64),
}

/// Longer than the pause after which output has settled.
const PAUSE: u64 = 110;

pub(super) struct Recording {
    pub(super) name: String,
    theirs: bool,
    expect: Vec<Value>,
    /// Time, whether it is input, bytes as Latin-1.
    pub(super) events: Vec<(u64, bool, String)>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shell")
}

/// `RECORDING=name` replays one, and prints all that the tracker tells.
fn only() -> Option<String> {
    std::env::var("RECORDING").ok()
}

pub(super) fn recordings() -> Vec<Recording> {
    let paths = std::fs::read_dir(fixtures()).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "jsonl")).collect();
    paths.sort();
    if let Some(only) = only() {
        paths.retain(|p| p.file_stem().is_some_and(|name| *name == *only));
    }
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Recording {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let head = lines.next().unwrap();
    let events = lines.map(|e| {
        let (key, is_input) = if e.get("in").is_some() { ("in", true) } else { ("out", false) };
        (e["t"].as_u64().unwrap(), is_input, e[key].as_str().unwrap().to_owned())
    });
    Recording {
        name: head["shell"].as_str().unwrap().to_owned(),
        theirs: head["theirs"].as_bool().unwrap(),
        expect: head["expect"].as_array().unwrap().clone(),
        events: events.collect(),
    }
}

/// What the recorded shells sent.
pub(super) fn recorded_bytes() -> Vec<Vec<u8>> {
    let sent = |r: &Recording| {
        let out = r.events.iter().filter(|(_, is_input, _)| !is_input);
        out.flat_map(|(_, _, text)| text.chars().map(|c| c as u8)).collect()
    };
    recordings().iter().map(sent).collect()
}

/// The events in the order and at the times at which they arrive.
fn arriving(recording: &Recording, how: Replay) -> Vec<(u64, bool, Vec<u8>)> {
    let bytes = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let mut random = Random(0);
    let mut free = 0;
    let mut events = Vec::new();
    for (t, is_input, text) in &recording.events {
        match how {
            _ if *is_input => events.push((*t, true, text.clone().into_bytes())),
            Replay::Whole => events.push((*t, false, bytes(text))),
            Replay::EveryByte => events.extend(bytes(text).chunks(1).map(|b| (*t, false, b.to_vec()))),
            Replay::Late(by) => events.push((t + by, false, bytes(text))),
            Replay::Torn(seed) => {
                random.0 ^= seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                let all = bytes(text);
                // One in eight: a packet was lost in the middle of what belongs together.
                let at = if random.below(8) == 0 { random.below(all.len() + 1) } else { all.len() };
                let (first, rest) = all.split_at(at);
                events.push(((*t).max(free), false, first.to_vec()));
                free = (*t).max(free) + if rest.is_empty() { 0 } else { PAUSE };
                events.push((free, false, rest.to_vec()));
            }
        }
    }
    events.sort_by_key(|(t, ..)| *t);
    events
}

/// Everything the tracker told, and each command with the facts known at the prompt after it.
pub(super) fn replay(recording: &Recording, how: Replay) -> (Vec<ShellEvent>, Vec<(CommandRecord, Facts)>) {
    let mut rig = Rig::new();
    let start = rig.now;
    let (mut all, mut commands) = (Vec::new(), Vec::<(CommandRecord, Facts)>::new());
    let mut fresh = false;
    let mut note = |rig: &mut Rig| {
        for event in rig.take() {
            match &event {
                ShellEvent::Command(record) => {
                    if record.reported {
                        let first = commands.iter().rposition(|(r, _)| !r.finished);
                        first.map(|at| commands.remove(at));
                    }
                    commands.push((record.clone(), rig.observer.facts().clone()));
                    fresh = true;
                }
                ShellEvent::Prompt => {
                    if let Some((_, facts)) = commands.last_mut().filter(|_| std::mem::take(&mut fresh)) {
                        *facts = rig.observer.facts().clone();
                    }
                }
                _ => {}
            }
            all.push(event);
        }
    };
    for (t, is_input, bytes) in arriving(recording, how) {
        let at = start + Duration::from_millis(t);
        rig.wait(at - rig.now);
        note(&mut rig);
        if is_input {
            rig.keys(std::str::from_utf8(&bytes).unwrap());
        } else {
            rig.feed(&bytes);
        }
        note(&mut rig);
    }
    rig.wait(Duration::from_secs(1));
    note(&mut rig);
    (all, commands)
}

/// The table for all recordings; fails on anything that is wrong.
fn table(how: Replay) -> Table {
    let mut table = Table::default();
    for recording in recordings() {
        let (events, told) = replay(&recording, how);
        assert!(!format!("{events:?}").contains("hunter2"), "{}: a password", recording.name);
        if only().is_some() {
            events.iter().for_each(|event| println!("{event:?}"));
        }
        table.add(&recording, score(&recording, &told));
    }
    let wrong = table.wrong();
    assert!(wrong.is_empty(), "{table}\n{}", wrong.join("\n"));
    table
}

#[test]
fn nothing_told_of_recorded_shells_is_wrong_and_what_is_known_is_what_the_table_says() {
    let table = table(Replay::Whole).to_string();
    println!("{table}");
    let path = fixtures().join("table.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    if only().is_none() {
        assert_eq!(table, std::fs::read_to_string(path).unwrap(), "UPDATE=1 writes it anew");
    }
}

#[test]
fn nothing_is_wrong_when_output_comes_300_ms_late() {
    println!("300 ms late\n{}", table(Replay::Late(300)));
}

#[test]
fn nothing_is_wrong_when_pauses_tear_the_output() {
    // `SEED=n` tears as that one does; `LONG=1` in more ways.
    let last = if std::env::var_os("LONG").is_some() { 32 } else { 3 };
    let one = std::env::var("SEED").map(|seed| seed.parse().unwrap());
    for seed in one.map_or(1..=last, |seed| seed..=seed) {
        println!("torn, seed {seed}");
        println!("{}", table(Replay::Torn(seed)));
    }
}

#[test]
fn splitting_output_at_every_byte_changes_nothing() {
    // Some of them: all take a minute. `LONG=1` does.
    let step = if std::env::var_os("LONG").is_some() { 1 } else { 9 };
    for recording in recordings().into_iter().step_by(step) {
        let (whole, _) = replay(&recording, Replay::Whole);
        let (split, _) = replay(&recording, Replay::EveryByte);
        for (a, b) in whole.iter().zip(&split) {
            assert_eq!(a, b, "{}", recording.name);
        }
        assert_eq!(whole.len(), split.len(), "{}", recording.name);
    }
}
