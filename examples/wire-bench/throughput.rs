//! A flood through each variant, in turns: how long it takes until all of it has come out, and what that costs.

use crate::Bench;
use crate::roles::{DONE, READY};
use crate::stage::Stage;
use crate::table::{Table, median};
use crate::variant::{Inner, Variant};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The share of the relay's throughput that aissh must reach.
const SHARE: f64 = 0.97;

/// Texts that the fake ssh prints in a loop.
const TEXTS: [&str; 3] = ["plain", "coloured", "utf-8"];

#[derive(Default)]
struct Runs {
    rates: Vec<f64>,
    /// Seconds of CPU for 100 MB.
    cpus: Vec<f64>,
}

pub(crate) fn fake(bench: &Bench, table: &mut Table) {
    let bytes = bench.pick(256_000_000, 48_000_000);
    for text in TEXTS {
        let inner = |n: usize| Some(Inner::role(&format!("print {text} {n}")));
        compare(bench, table, &format!("hidden throughput, {text}"), bytes, &inner);
    }
}

pub(crate) fn real(bench: &Bench, table: &mut Table) {
    let bytes = bench.pick(256_000_000, 48_000_000);
    let inner = |n: usize| {
        let lines = "yes 'The quick brown fox jumps over the lazy dog and then does it all over again'";
        let script =
            format!("printf READY; head -n 1 >/dev/null; {lines} | head -c {n}; printf DONE; head -n 1");
        Inner::ssh(bench, &["-t", "lab", &script])
    };
    if inner(0).is_none() {
        return table.heading("real sshd: none here");
    }
    compare(bench, table, "hidden throughput, real sshd", bytes, &inner);
}

/// With the panel beside it, in turns with tmux: both draw from an emulator.
pub(crate) fn split(bench: &Bench, table: &mut Table) {
    if !Variant::present().contains(&Variant::Tmux) {
        return table.heading("split: no tmux here");
    }
    let bytes = bench.pick(64_000_000, 16_000_000);
    for text in TEXTS {
        let mut best = [0f64; 2];
        for _ in 0..bench.pick(5, 3) {
            for (index, (variant, own)) in
                [(Variant::Hidden, &["--sidebar"][..]), (Variant::Tmux, &[])].into_iter().enumerate()
            {
                let inner = Inner::role(&format!("print {text} {bytes}"));
                let (seconds, _) = flood(bench, variant, &inner, own);
                best[index] = best[index].max(bytes as f64 / 1e6 / seconds);
            }
        }
        // A figure and no target: what the panel's own parser does is no concern of the wire's.
        let [aissh, tmux] = best;
        table.heading(&format!("split throughput, {text} (MB/s; best run; {} MB)", bytes / 1_000_000));
        table.row("aissh, panel beside it", &format!("{aissh:8.1}   {:.2} of tmux's", aissh / tmux));
        table.row("tmux", &format!("{tmux:8.1}"));
    }
}

fn compare(
    bench: &Bench,
    table: &mut Table,
    what: &str,
    bytes: usize,
    inner: &dyn Fn(usize) -> Option<Inner>,
) {
    let mut runs: HashMap<&str, Runs> = HashMap::new();
    let variants = Variant::present();
    for _ in 0..bench.pick(7, 3) {
        for variant in &variants {
            // tmux is slower by an order of magnitude.
            let bytes = if *variant == Variant::Tmux { bytes / 8 } else { bytes };
            let Some(inner) = inner(bytes) else { return };
            let (seconds, cpu) = flood(bench, *variant, &inner, &[]);
            let runs = runs.entry(variant.name()).or_default();
            runs.rates.push(bytes as f64 / 1e6 / seconds);
            runs.cpus.push(cpu / (bytes as f64 / 1e8));
        }
    }
    table
        .heading(&format!("{what} (MB/s, of the relay's, CPU s/100 MB; best run; {} MB)", bytes / 1_000_000));
    let relay = &runs["relay"].rates;
    for variant in variants {
        let run = &runs[variant.name()];
        let shares: Vec<f64> = run.rates.iter().zip(relay).map(|(rate, relay)| rate / relay).collect();
        let best = run.rates.iter().copied().fold(0.0, f64::max);
        let share = median(&shares);
        let row = format!("{best:8.1} {share:7.3} {:7.3}", median(&run.cpus));
        table.row(variant.name(), &row);
        if matches!(variant, Variant::Hidden | Variant::NoCopilot) {
            table.at_least(&format!("{what}, {} / relay", variant.name()), share, SHARE);
        }
    }
}

/// Seconds and CPU seconds of one flood.
fn flood(bench: &Bench, variant: Variant, inner: &Inner, own: &[&str]) -> (f64, f64) {
    let mut stage = Stage::start(&mut variant.command(bench, inner, own));
    stage.wait_for(READY);
    stage.settle(Duration::from_millis(150));
    let cpu = variant.cpu(stage.pid());
    let start = Instant::now();
    stage.send(b"\n");
    stage.wait_for(DONE);
    let seconds = start.elapsed().as_secs_f64();
    // What is parsed after the flood belongs to its cost.
    stage.settle(Duration::from_millis(300));
    let cpu = variant.cpu(stage.pid()) - cpu;
    stage.send(b"\n");
    stage.end();
    (seconds, cpu)
}
