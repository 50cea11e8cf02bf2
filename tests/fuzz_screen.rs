//! Any bytes at any size, with a panel that opens and closes at any time: no panic, no hang, memory bounded. A few seconds in
//! the tests; `scripts/fuzz-screen` goes on from a printed seed.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::time::{Duration, Instant};

use aissh::terminal::{Emulator, InputModes, Mark, Modes, Size};

use streams::{Random, all};

// Only the streams: memory is measured, so that nothing else runs in this process.
#[allow(dead_code)]
#[path = "screen/streams.rs"]
mod streams;

/// What one walk may take, in a debug build on a busy machine.
const WITHIN: Duration = Duration::from_secs(30);
/// What the process may grow by: history (8 MiB), its screens, and what the allocator keeps.
const GROWTH: usize = 64 << 20;
/// What closing may write: the history and the screen, with attributes.
const REPLAY: usize = 48 << 20;

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_bytes_at_no_size_harm_the_emulator() {
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let corpus: Vec<Vec<u8>> = all().into_iter().map(|stream| stream.bytes).collect();
    walk(seed, &corpus);
    let before = resident();
    for seed in seed..seed + number("FUZZ_COUNT").unwrap_or(15) {
        let start = Instant::now();
        walk(seed, &corpus);
        assert!(start.elapsed() < WITHIN, "seed {seed} took {:?}", start.elapsed());
        let grown = resident().saturating_sub(before);
        assert!(grown < GROWTH, "seed {seed}: {grown} bytes more");
    }
}

/// Resident memory of this process.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

fn walk(seed: usize, corpus: &[Vec<u8>]) {
    let mut random = Random(seed as u64);
    let mut emulator = Emulator::new(any_size(&mut random));
    let mut modes = Modes::new();
    let mut open: Option<(Mark, InputModes)> = None;
    for _ in 0..60 {
        let bytes = bytes(&mut random, corpus);
        emulator.feed(&bytes);
        modes.feed(&bytes);
        emulator.take_signals();
        match (random.below(5), &mut open) {
            (0, _) => emulator.resize(any_size(&mut random)),
            (1, None) => {
                let mut mark = emulator.mark();
                mark.cursor_is_in(random.below(300) as u16);
                assert!(modes.cut().len() + modes.suspend_for_panel().len() < 16 << 10, "seed {seed}");
                open = Some((mark, InputModes::default()));
            }
            (2, Some((mark, _))) => {
                assert!(mark.release(&modes).len() < 1 << 10, "seed {seed}");
                assert!(emulator.replay(mark).len() < REPLAY, "seed {seed}");
                open = None;
            }
            (_, Some((_, input))) => assert!(input.follow(&modes, true).len() < 1 << 10, "seed {seed}"),
            _ => {}
        }
        let (row, col) = emulator.screen().cursor_position();
        assert!(row < emulator.size().rows && col <= emulator.size().cols, "seed {seed}");
    }
    assert!(emulator.tail(100, 8 << 10, true).len() <= 8 << 10, "seed {seed}");
    assert_eq!(emulator.faults(), 0, "seed {seed}: vt100 panicked");
}

fn any_size(random: &mut Random) -> Size {
    let most = if random.below(8) == 0 { (500, 200) } else { (100, 40) };
    Size::new(random.below(most.0) as u16, random.below(most.1) as u16)
}

/// A part of a recording or of a written stream, mutated; or bytes that nobody chose.
fn bytes(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if random.below(6) == 0 {
        return (0..random.below(400)).map(|_| random.below(256) as u8).collect();
    }
    let stream = &corpus[random.below(corpus.len())];
    let from = random.below(stream.len());
    let mut bytes = stream[from..stream.len().min(from + random.below(2000))].to_vec();
    for _ in 0..random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.below(256) as u8),
            2 => drop(bytes.splice(at..at, *b"\x1b[65535;0;99999999")),
            3 => drop(bytes.splice(
                at..at,
                [&b"\x1b]8;;"[..], b"\x1bP0;1q", b"\x1b_Gi=", b"\x1b]52;c"][random.below(4)].to_vec(),
            )),
            _ => drop(bytes.splice(at..at, "漢\u{fe0f}\u{200d}\u{e0fff}".bytes())),
        }
    }
    if random.below(40) == 0 {
        bytes.extend(vec![b'x'; 200_000]);
    }
    bytes
}
