//! From the start of a program to the start of ssh.

use crate::Bench;
use crate::roles::READY;
use crate::stage::Stage;
use crate::table::{Table, median};
use crate::variant::{Inner, Variant};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What becoming ssh may add, and what starting it in a PTY may, in milliseconds.
const EXEC: f64 = 1.5;
const WRAP: f64 = 5.0;

/// No terminal: aissh becomes ssh.
pub(crate) fn exec(bench: &Bench, table: &mut Table) {
    table.heading("exec path (ms: plain ssh, added by aissh; medians of pairs)");
    pair(bench, table, "-V", &["-V"], bench.pick(400, 100));
    if let Some(config) = bench.ssh_config.as_deref().and_then(Path::to_str) {
        pair(bench, table, "host true", &["-F", config, "lab", "true"], bench.pick(60, 15));
    }
    trace(bench, table);
}

fn pair(bench: &Bench, table: &mut Table, name: &str, args: &[&str], rounds: usize) {
    let run = |program: &Path| {
        let mut command = Command::new(program);
        command.args(args).env("HOME", &bench.home);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        assert!(command.status().is_ok_and(|status| status.success()), "{command:?}");
        start.elapsed().as_secs_f64() * 1e3
    };
    let (mut plain, mut added) = (Vec::new(), Vec::new());
    for n in 0..rounds {
        // Whoever is second finds warmer caches.
        let (ssh, aissh) = if n % 2 == 0 {
            let ssh = run(Path::new("ssh"));
            (ssh, run(&bench.aissh))
        } else {
            let aissh = run(&bench.aissh);
            (run(Path::new("ssh")), aissh)
        };
        plain.push(ssh);
        added.push(aissh - ssh);
    }
    let added = median(&added);
    table.row(name, &format!("{:7.2} {added:+7.2}", median(&plain)));
    table.at_most(&format!("exec path, {name}, added ms"), added, EXEC);
}

/// What aissh does before it is ssh, by strace.
fn trace(bench: &Bench, table: &mut Table) {
    let file = bench.home.join("strace");
    let traced = Command::new("strace")
        .args(["-f", "-o"])
        .arg(&file)
        .arg(&bench.aissh)
        .arg("-V")
        .env("HOME", &bench.home)
        .stderr(Stdio::null())
        .status();
    if !traced.is_ok_and(|status| status.success()) {
        return table.row("strace", "not here, or not allowed");
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let calls: Vec<&str> = text.lines().collect();
    let last = calls.iter().rposition(|call| call.contains("execve(")).unwrap_or(0);
    // From the first call after the dynamic linker's.
    let before = &calls[..last];
    let count = |names: &[&str]| before.iter().filter(|c| names.iter().any(|name| c.contains(name))).count();
    let opened: Vec<&str> = before
        .iter()
        .filter(|call| call.contains("open") && !call.contains("ENOENT"))
        .filter_map(|call| call.split('"').nth(1))
        .filter(|path| !path.contains(".so"))
        .collect();
    let threads = count(&["clone(", "clone3(", "fork("]);
    let row = format!("{} system calls, {threads} threads, opened: {}", before.len(), opened.join(" "));
    table.row("before execve", &row);
    table.at_most("exec path, threads", threads as f64, 0.0);
}

/// On a terminal: how much later ssh's first byte comes out.
pub(crate) fn wrap(bench: &Bench, table: &mut Table) {
    table.heading("wrap path (ms until ssh's first byte, added to plain; medians of rounds)");
    let variants = Variant::present();
    let mut times = vec![Vec::new(); variants.len()];
    for _ in 0..bench.pick(60, 15) {
        for (variant, times) in variants.iter().zip(&mut times) {
            let start = Instant::now();
            let mut stage = Stage::start(&mut variant.command(bench, &Inner::role("echo"), &[]));
            stage.wait_for(READY);
            times.push(start.elapsed().as_secs_f64() * 1e3);
            stage.end();
        }
    }
    for (variant, run) in variants.iter().zip(&times) {
        let added: Vec<f64> = run.iter().zip(&times[0]).map(|(time, plain)| time - plain).collect();
        table.row(variant.name(), &format!("{:7.2} {:+7.2}", median(run), median(&added)));
        if *variant == Variant::Hidden {
            table.at_most("wrap path, added ms", median(&added), WRAP);
        }
    }
}
