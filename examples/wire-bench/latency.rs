//! A key in, its echo out: sessions that live side by side, asked in turns.

use crate::Bench;
use crate::roles::READY;
use crate::servers;
use crate::stage::Stage;
use crate::table::{Table, quantile};
use crate::variant::{Inner, Variant};
use std::time::{Duration, Instant};

/// Keys that occur in no escape sequence of tmux's or ours.
const KEYS: &[u8; 3] = b"{|}";
/// How far aissh may be above what it is judged by.
const P50: f64 = 1.1;
const P99: f64 = 1.2;
/// The session that knows no Linus but the one inside.
const ALONE: &str = "aissh, no Linus elsewhere";
/// Milliseconds until an echo is drawn: a frame (60 a second), and the work.
const SHOWN: f64 = 20.0;

pub(crate) struct Session {
    name: String,
    stage: Stage,
    micros: Vec<f64>,
}

impl Session {
    pub(crate) fn start(bench: &Bench, name: &str, variant: Variant, own: &[&str]) -> Self {
        let mut stage = Stage::start(&mut variant.command(bench, &Inner::role("echo"), own));
        stage.wait_for(READY);
        stage.settle(Duration::from_millis(300));
        Self { name: name.to_owned(), stage, micros: Vec::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn pid(&self) -> u32 {
        self.stage.pid()
    }

    fn round(&mut self, key: u8) {
        let start = Instant::now();
        self.stage.send(&[key]);
        self.stage.wait_for(&[key]);
        self.micros.push(start.elapsed().as_secs_f64() * 1e6);
    }
}

pub(crate) fn hidden(bench: &Bench, table: &mut Table) {
    let variants = Variant::present();
    let mut all: Vec<Session> =
        variants.iter().map(|variant| Session::start(bench, variant.name(), *variant, &[])).collect();
    race(&mut all, bench.pick(10_000, 3_000));
    report(table, "echo", &mut all, "relay", &["aissh", "--no-copilot"]);
}

/// Linus hangs, floods, hangs up, or is a command that floods: each beside a relay, and judged by a session
/// without him: the keys must not notice.
pub(crate) fn linus(bench: &Bench, table: &mut Table) {
    let config = bench.home.join("flood.toml");
    std::fs::write(&config, "[linus]\ncommand = [\"yes\", \"{\"]\n").expect("write a configuration");
    let config = config.display().to_string();
    let url = |server: fn() -> String| ["--linus-url".to_owned(), server()];
    for (what, own) in [
        ("hangs", url(servers::hang)),
        ("floods", url(servers::flood)),
        ("dies", url(servers::die)),
        ("is a command that floods", ["--config".to_owned(), config]),
    ] {
        let name = format!("aissh, Linus {what}");
        let mut all = vec![
            Session::start(bench, "relay", Variant::Relay, &[]),
            Session::start(bench, ALONE, Variant::Hidden, &[]),
            Session::start(bench, &name, Variant::Hidden, &own.each_ref().map(String::as_str)),
        ];
        // Long enough for updates to be due and calls to be under way.
        race(&mut all, bench.pick(10_000, 3_000));
        report(table, &format!("echo, Linus {what}"), &mut all, ALONE, &[&name]);
    }
}

pub(crate) fn shown(bench: &Bench, table: &mut Table) {
    let mut all = vec![Session::start(bench, "aissh, panel shown", Variant::Hidden, &["--sidebar"])];
    let mut micros = Vec::new();
    for n in 0..bench.pick(2_000, 300) {
        all[0].round(KEYS[n % KEYS.len()]);
        // As fast as keys repeat, and not in step with frames.
        all[0].stage.settle(Duration::from_micros(5_000 + (n as u64 * 7_919) % 20_000));
    }
    micros.append(&mut all[0].micros);
    table.heading("echo, panel shown (ms)");
    let (p50, p99) = (quantile(&mut micros, 0.5) / 1e3, quantile(&mut micros, 0.99) / 1e3);
    table.row("aissh, panel shown", &format!("p50 {p50:6.2}  p99 {p99:6.2}"));
    table.at_most("echo, panel shown, p99 in ms", p99, SHOWN);
    all.into_iter().for_each(|session| session.stage.end());
}

pub(crate) fn race(all: &mut [Session], rounds: usize) {
    for n in 0..rounds {
        for session in all.iter_mut() {
            session.round(KEYS[n % KEYS.len()]);
        }
    }
}

/// Each session's figures and their ratio to those of `base`; those of `judged` have targets.
pub(crate) fn report(table: &mut Table, what: &str, all: &mut Vec<Session>, base: &str, judged: &[&str]) {
    table.heading(&format!("{what} (µs: p50, p99; of those of {base})"));
    let figures =
        |session: &mut Session| (quantile(&mut session.micros, 0.5), quantile(&mut session.micros, 0.99));
    let of =
        all.iter_mut().find(|session| session.name == base).map(figures).expect("a session to compare with");
    for session in all.iter_mut() {
        let (p50, p99) = figures(session);
        let (of50, of99) = (p50 / of.0, p99 / of.1);
        table.row(&session.name, &format!("{p50:7.1} {p99:7.1}   {of50:6.3} {of99:6.3}"));
        if judged.contains(&session.name.as_str()) {
            table.at_most(&format!("{what}, {} / {base}, p50", session.name), of50, P50);
            table.at_most(&format!("{what}, {} / {base}, p99", session.name), of99, P99);
        }
    }
    all.drain(..).for_each(|session| session.stage.end());
}
