//! What the shell tracker costs beside the emulator: the recorded shells' streams through both, in one run.
//!
//! `cargo run --release --example tracker-cost`. Keys are told as they were typed, and time passes as it did, so
//! that prompts settle and commands end; the clock is not waited for.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aissh::shell::{Input, Observer};
use aissh::terminal::{Emulator, Size};
use serde_json::Value;

/// Times each way; the least is taken, as other processes only ever add.
const ROUNDS: usize = 15;

enum Step {
    Out(Vec<u8>),
    In(String),
}

struct Recording {
    name: String,
    steps: Vec<(Duration, Step)>,
}

fn main() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/shell");
    let paths = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect();
    paths.sort();
    let recordings: Vec<Recording> = paths.iter().map(|path| read(path)).collect();
    let (mut emulator, mut tracker) = (Duration::ZERO, Duration::ZERO);
    let per_cent = |part: Duration, whole: Duration| 100.0 * part.as_secs_f64() / whole.as_secs_f64();
    for recording in &recordings {
        let alone = least(|| run_emulator(recording));
        let both = least(|| run_observer(recording));
        let own = both.saturating_sub(alone);
        println!(
            "{:22} emulator {alone:>10.1?}  tracker {own:>10.1?}  {:6.1} %",
            recording.name,
            per_cent(own, alone)
        );
        (emulator, tracker) = (emulator + alone, tracker + own);
    }
    println!(
        "{:22} emulator {emulator:>10.1?}  tracker {tracker:>10.1?}  {:6.1} %",
        "all",
        per_cent(tracker, emulator)
    );
    let flood = flood();
    let alone = least(|| {
        timed(|| {
            let mut emulator = Emulator::new(Size::new(80, 24));
            flood.chunks(4096).for_each(|chunk| emulator.feed(chunk));
            black_box(emulator.cursor_line());
        })
    });
    let both = least(|| {
        timed(|| {
            let mut observer = Observer::new(Size::new(80, 24));
            let now = Instant::now();
            observer.feed(b"$ ", now);
            observer.tick(now + Duration::from_secs(1));
            observer.input(Input::Enter, now);
            flood.chunks(4096).for_each(|chunk| observer.feed(chunk, now));
            black_box(observer.take_events());
        })
    });
    let own = both.saturating_sub(alone);
    println!(
        "{:22} emulator {alone:>10.1?}  tracker {own:>10.1?}  {:6.1} %",
        "flood, 4 MB",
        per_cent(own, alone)
    );
}

fn flood() -> Vec<u8> {
    (0..60_000)
        .flat_map(|n| {
            format!("{n:08} a line of a log file with some \x1b[32mcolour\x1b[m in it\r\n").into_bytes()
        })
        .collect()
}

fn read(path: &std::path::Path) -> Recording {
    let text = std::fs::read_to_string(path).unwrap();
    let steps = text.lines().skip(1).map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        let at = Duration::from_millis(event["t"].as_u64().unwrap());
        let step = match event["out"].as_str() {
            Some(out) => Step::Out(out.chars().map(|c| c as u8).collect()),
            None => Step::In(event["in"].as_str().unwrap().to_owned()),
        };
        (at, step)
    });
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    Recording { name, steps: steps.collect() }
}

fn least(run: impl Fn() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| run()).min().unwrap()
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn run_emulator(recording: &Recording) -> Duration {
    timed(|| {
        let mut emulator = Emulator::new(Size::new(80, 24));
        for (_, step) in &recording.steps {
            if let Step::Out(bytes) = step {
                emulator.feed(bytes);
            }
        }
        black_box(emulator.cursor_line());
    })
}

fn run_observer(recording: &Recording) -> Duration {
    timed(|| {
        let mut observer = Observer::new(Size::new(80, 24));
        let start = Instant::now();
        for (at, step) in &recording.steps {
            let now = start + *at;
            while let Some(due) = observer.deadline().filter(|due| *due <= now) {
                observer.tick(due);
            }
            match step {
                Step::Out(bytes) => observer.feed(bytes, now),
                Step::In(keys) => keys.chars().for_each(|key| observer.input(input(key), now)),
            }
        }
        black_box(observer.take_events());
    })
}

fn input(key: char) -> Input<'static> {
    match key {
        '\r' => Input::Enter,
        '\x03' | '\x04' => Input::Interrupt,
        _ => Input::Text,
    }
}
