//! What aissh costs, measured beside plain ssh, a bare relay, tmux and script(1) in one run.
//!
//! This program is the terminal around each of them, and also the relay that everything is compared with (`relay`).
//! What runs inside is a fake ssh that prints or echoes (`examples/fake-ssh`), or the real one. Started by
//! `scripts/bench-wire`.

mod agent;
mod latency;
mod proc;
mod relay;
mod residence;
mod roles;
mod servers;
mod stage;
mod startup;
mod table;
mod throughput;
#[allow(dead_code)]
#[path = "../../tests/support/tty.rs"]
mod tty;
mod variant;

use std::path::PathBuf;
use std::process::ExitCode;
use table::Table;

/// What all measurements need to know.
struct Bench {
    aissh: PathBuf,
    /// Configuration of a throwaway sshd, where there is one.
    ssh_config: Option<PathBuf>,
    /// A home without any configuration.
    home: PathBuf,
    short: bool,
    /// Only parts whose names begin so.
    only: Option<String>,
}

impl Bench {
    fn wants(&self, part: &str) -> bool {
        self.only.as_ref().is_none_or(|only| part.starts_with(only.as_str()))
    }

    fn pick(&self, full: usize, short: usize) -> usize {
        if self.short { short } else { full }
    }
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    match args.split_first() {
        Some((first, rest)) if *first == *aissh::terminal::monitor::FLAG => {
            aissh::terminal::monitor::run(rest)
        }
        Some((first, rest)) if *first == *"relay" => relay::run(rest),
        _ => {}
    }
    let Some(bench) = options(args.into_iter().map(|arg| arg.to_string_lossy().into_owned())) else {
        eprintln!("usage: wire-bench --aissh FILE --home DIR [--ssh-config FILE] [--short] [--only PART]");
        return ExitCode::from(64);
    };
    let mut table = Table::default();
    for (part, measure) in [
        ("exec", startup::exec as fn(&Bench, &mut Table)),
        ("wrap", startup::wrap),
        ("throughput", throughput::fake),
        ("real", throughput::real),
        ("screen", residence::screen),
        ("echo", latency::hidden),
        ("linus", latency::linus),
        ("agent", agent::attached),
        ("shown", latency::shown),
        ("open", residence::open),
        ("split", throughput::split),
        ("memory", residence::memory),
        ("idle", residence::idle),
    ] {
        if bench.wants(part) {
            measure(&bench, &mut table);
        }
    }
    table.verdicts()
}

fn options(mut args: impl Iterator<Item = String>) -> Option<Bench> {
    let (mut aissh, mut home) = (None, None);
    let (mut ssh_config, mut short, mut only) = (None, false, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--aissh" => aissh = Some(args.next()?.into()),
            "--home" => home = Some(args.next()?.into()),
            "--ssh-config" => ssh_config = Some(args.next()?.into()),
            "--only" => only = Some(args.next()?),
            "--short" => short = true,
            _ => return None,
        }
    }
    Some(Bench { aissh: aissh?, home: home?, ssh_config, short, only })
}
