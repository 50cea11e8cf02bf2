//! What a session holds and does while nobody asks anything of it, and whether its screen is right.

use crate::Bench;
use crate::proc;
use crate::roles::{DONE, READY};
use crate::stage::{COLS, ROWS, Stage};
use crate::table::{Table, quantile};
use crate::variant::{Inner, Variant};
use std::time::{Duration, Instant};

/// MiB that aissh may take of its own (what no file backs) beside its history, and the history's cap.
const OWN: f64 = 6.0;
const HISTORY: f64 = 8.0;
/// A large terminal, and the milliseconds in which the panel must be drawn there: a frame.
const LARGE: (u16, u16) = (200, 60);
const OPENED: f64 = 16.0;
/// The panel's key.
const PANEL: &[u8] = b"\x1ca";

fn start(bench: &Bench, role: &str, own: &[&str]) -> Stage {
    let mut stage = Stage::start(&mut Variant::Hidden.command(bench, &Inner::role(role), own));
    stage.wait_for(READY);
    stage.settle(Duration::from_secs(1));
    stage
}

pub(crate) fn memory(bench: &Bench, table: &mut Table) {
    table.heading(
        "memory (MiB resident, and of that not backed by a file: after the start; after the output)",
    );
    let texts = [
        ("plain", bench.pick(1_000_000_000, 100_000_000)),
        ("utf-8", bench.pick(1_000_000_000, 100_000_000)),
        ("osc", bench.pick(200_000_000, 50_000_000)),
        ("short", bench.pick(30_000_000, 30_000_000)),
    ];
    for (text, bytes) in texts {
        let mut stage = start(bench, &format!("print {text} {bytes}"), &[]);
        let before = proc::rss(stage.pid());
        stage.send(b"\n");
        stage.wait_for(DONE);
        stage.settle(Duration::from_secs(1));
        let after = proc::rss(stage.pid());
        table.row(text, &format!("{:6.1} {:6.1}  {:6.1} {:6.1}", before.0, before.1, after.0, after.1));
        table.at_most(&format!("memory, {text}, MiB beside the history"), after.1 - HISTORY, OWN);
        stage.end();
    }
    // A flood is skipped; what comes slowly fills the history.
    let mut stage = start(bench, "echo", &[]);
    let before = proc::rss(stage.pid());
    // Less than a terminal's queue takes at once.
    let line = format!("{}\r\n", "0123456789".repeat(11)).repeat(18) + "~";
    let until = Instant::now() + Duration::from_secs(bench.pick(20, 8) as u64);
    let mut sent = 0;
    while sent < 20_000_000 && Instant::now() < until {
        stage.send(line.as_bytes());
        stage.wait_for(b"~");
        stage.settle(Duration::from_millis(1));
        sent += line.len();
    }
    stage.settle(Duration::from_secs(1));
    let after = proc::rss(stage.pid());
    let what = format!("{:.1} MB slowly", sent as f64 / 1e6);
    table.row(&what, &format!("{:6.1} {:6.1}  {:6.1} {:6.1}", before.0, before.1, after.0, after.1));
    table.at_most("memory, history filled slowly, MiB beside it", after.1 - HISTORY, OWN);
    stage.end();
}

pub(crate) fn idle(bench: &Bench, table: &mut Table) {
    let seconds = bench.pick(10, 5) as u64;
    table.heading(&format!(
        "idle (threads; wake-ups and CPU ms of all of them in {seconds} s; wake-ups a minute)"
    ));
    for (name, own) in [("hidden", &[][..]), ("panel shown", &["--sidebar"])] {
        let mut stage = start(bench, "echo", own);
        // Linus has been told of the session, and of what was printed, by then.
        stage.settle(Duration::from_secs(4));
        let (before, cpu) = (proc::switches(stage.pid()), proc::cpu(stage.pid()));
        stage.settle(Duration::from_secs(seconds));
        let (woken, cpu) = (proc::switches(stage.pid()) - before, proc::cpu(stage.pid()) - cpu);
        let minute = woken * 60 / seconds;
        table.row(name, &format!("{} {woken:5} {:6.2} {minute:5}", proc::threads(stage.pid()), cpu * 1e3));
        table.at_most(&format!("idle, {name}, wake-ups"), woken as f64, 0.0);
        stage.end();
    }
}

/// From the prefix key to the end of the panel's first frame, over a large screen full of text.
pub(crate) fn open(bench: &Bench, table: &mut Table) {
    let command = &mut Variant::Hidden.command(bench, &Inner::role("print plain 40000"), &[]);
    let mut stage = Stage::sized(command, LARGE.0, LARGE.1);
    stage.wait_for(READY);
    stage.send(b"\n");
    stage.wait_for(DONE);
    stage.settle(Duration::from_secs(1));
    let mut millis = Vec::new();
    for n in 0..bench.pick(1_000, 200) {
        let start = Instant::now();
        stage.send(PANEL);
        stage.wait_for(b"\x1b[?2026l");
        millis.push(start.elapsed().as_secs_f64() * 1e3);
        // Not in step with anything.
        stage.settle(Duration::from_micros(20_000 + (n as u64 * 7_919) % 20_000));
        stage.send(PANEL);
        stage.wait_for(b"\x1b[?1049l");
        stage.settle(Duration::from_millis(10));
    }
    let (p50, p99) = (quantile(&mut millis, 0.5), quantile(&mut millis, 0.99));
    table.heading(&format!("prefix key to the panel drawn at {}x{} (ms)", LARGE.0, LARGE.1));
    table.row(&format!("{} times", millis.len()), &format!("p50 {p50:6.2}  p99 {p99:6.2}"));
    table.at_most("prefix key to the panel drawn, p99 in ms", p99, OPENED);
    stage.end();
}

/// The panel is opened right after a flood: its screen must show the flood's end.
pub(crate) fn screen(bench: &Bench, table: &mut Table) {
    let last = bench.pick(5_000_000, 1_000_000);
    table.heading(&format!("screen after seq 1 {last}, and how long the panel took (ms)"));
    for pause in [0, 500] {
        let mut stage = start(bench, &format!("print seq {last}"), &[]);
        stage.send(b"\n");
        stage.wait_for(DONE);
        stage.settle(Duration::from_millis(pause));
        stage.seen = Some(Vec::new());
        let start = Instant::now();
        stage.send(PANEL);
        stage.wait_for(DONE);
        let took = start.elapsed().as_secs_f64() * 1e3;
        stage.settle(Duration::from_millis(300));
        let mut screen = vt100_of(stage.seen.as_deref().unwrap_or_default());
        screen.retain(|row| !row.is_empty());
        let numbers: Vec<usize> = screen.iter().filter_map(|row| row.parse().ok()).collect();
        let right = numbers.len() > usize::from(ROWS) / 2
            && numbers.last() == Some(&last)
            && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
        table.row(&format!("opened after {pause} ms"), &format!("{took:7.1} {} numbers", numbers.len()));
        table.target(
            right,
            format!("screen after a flood, panel opened after {pause} ms: numbers to the last"),
        );
        stage.end();
    }
}

/// The terminal pane's rows, up to the panel's border.
fn vt100_of(bytes: &[u8]) -> Vec<String> {
    let side = |n| std::num::NonZeroU16::new(n).expect("not zero");
    let mut parser = vt100::Parser::new(side(ROWS), side(COLS), 0);
    parser.process(bytes);
    parser.screen().rows(0, 40).map(|row| row.trim().to_owned()).collect()
}
