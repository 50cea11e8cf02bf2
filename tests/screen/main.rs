//! What the user's terminal shows after a panel was opened and closed, beside what it shows without one: the same streams,
//! the same terminal, of another author. Prints a table: `cargo test --test screen -- --nocapture`.
#![allow(clippy::unwrap_used)]

mod judge;
mod ledger;
mod play;
mod streams;
mod table;

use std::panic::catch_unwind;

use judge::Cells;
use play::{Opening, hidden, toggled};
use streams::{Random, Stream};
use table::Table;

/// Points at which the panel opens, for each stream; `AISSH_SCREEN_POINTS` sets another number.
const POINTS: usize = 12;

fn points() -> usize {
    std::env::var("AISSH_SCREEN_POINTS").ok().and_then(|n| n.parse().ok()).unwrap_or(POINTS)
}

fn seed() -> u64 {
    std::env::var("AISSH_SCREEN_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// One to three openings at random, in order.
fn openings(random: &mut Random, length: usize, split: impl Fn(&mut Random) -> Option<u16>) -> Vec<Opening> {
    let mut offsets: Vec<usize> = (0..2 * (1 + random.below(3))).map(|_| random.below(length + 1)).collect();
    offsets.sort_unstable();
    offsets.chunks(2).map(|pair| Opening { open: pair[0], close: pair[1], split: split(random) }).collect()
}

fn size(random: &mut Random, index: usize) -> Cells {
    // Most programs were recorded at this size; what they print is a stream like any other at another.
    if index.is_multiple_of(2) {
        return Cells { cols: 80, rows: 24 };
    }
    Cells { cols: 20 + random.below(180) as u16, rows: 6 + random.below(54) as u16 }
}

fn compare(title: &str, split: impl Fn(&mut Random, Cells) -> Option<u16> + Copy) {
    let mut table = Table::new(title);
    for stream in streams::all() {
        let mut random = Random(seed());
        for index in 0..points() {
            let size = size(&mut random, index);
            let openings = openings(&mut random, stream.bytes.len(), |random| split(random, size));
            case(&mut table, &stream, size, &openings);
        }
    }
    table.finish();
}

fn case(table: &mut Table, stream: &Stream, size: Cells, openings: &[Opening]) {
    if size.cols < 80 && streams::READ_OTHERWISE.contains(&stream.name.as_str()) {
        return;
    }
    // On a taller terminal these programs' scroll regions would not be the whole screen, as they were for them.
    // The user's own screen stands above a session; a program that has the whole screen clears it.
    let starts_below = stream.starts_below && size.rows <= 24;
    let before = if starts_below { &b"mine\r\n$ aissh\r\n"[..] } else { b"" };
    // Alacritty 0.26 panics on some changes of width.
    let judged = catch_unwind(|| hidden(size, before, &stream.bytes, openings));
    let Ok(mut expected) = judged else { return table.unjudged() };
    let (got, held) = toggled(size, before, &stream.bytes, openings);
    let case = format!("{size:?} {openings:?}");
    // In a row shorter than a program thinks Alacritty's DCH blanks what stands before the cursor.
    if size.cols >= 80 && before.is_empty() {
        table.judge_held(stream, &case, &held, &got);
    }
    if openings.iter().any(|opening| opening.split.is_some()) {
        let (mut expected, got) = (expected.flowed(), got.flowed());
        if streams::ADDRESS_ROWS.contains(&stream.name.as_str()) {
            expected.forget_places(&got);
        }
        table.judge(stream, &case, &expected, &got);
    } else {
        if starts_below {
            // How many rows stood above when DECSC was used, which may have scrolled off since, nobody told the emulator.
            expected.saved.clear();
        }
        table.judge(stream, &case, &expected, &got);
    }
}

#[test]
fn an_overlay_leaves_the_terminal_as_if_there_had_been_none() {
    compare("overlay", |_, _| None);
}

#[test]
fn a_split_leaves_it_as_one_that_was_resized_at_the_same_bytes() {
    compare("split", |random, size| Some(10 + random.below(usize::from(size.cols) - 10) as u16));
}
