//! An agent that is attached and reads along: what it costs the keys, and the CPU, beside a session without one.

use crate::Bench;
use crate::latency::{Session, report};
use crate::proc;
use crate::table::Table;
use crate::variant::Variant;
use aissh::agents::client::{Client, PROMPT};
use aissh::agents::protocol::{Ask, Until};
use aissh::agents::runtime::Folder;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const WITHOUT: &str = "aissh, no agent";
const WITH: &str = "aissh, agent attached";
/// The agent waits so long for a line that does not come, reads what is new, and waits again.
const WAIT_MS: u64 = 200;

pub(crate) fn attached(bench: &Bench, table: &mut Table) {
    let config = bench.home.join("shared.toml");
    std::fs::write(&config, "[agents]\nshare = \"always\"\n").expect("write a configuration");
    let config = config.display().to_string();
    let relay = Session::start(bench, "relay", Variant::Relay, &[]);
    let without = Session::start(bench, WITHOUT, Variant::Hidden, &[]);
    let mut all = vec![relay, without, Session::start(bench, WITH, Variant::Hidden, &["--config", &config])];
    let is_over = AtomicBool::new(false);
    let (began, before) = (Instant::now(), all.iter().map(Session::cpu).collect::<Vec<f64>>());
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| read_along(bench, &is_over));
        crate::latency::race(&mut all, bench.pick(20_000, 3_000));
        is_over.store(true, Ordering::Release);
        let (calls, bytes) = reading.join().expect("the agent reads along");
        table.heading("what the agent did");
        table.row(
            WITH,
            &format!("{calls} calls, {bytes} bytes read in {:.1} s", began.elapsed().as_secs_f64()),
        );
    });
    let cpu: Vec<f64> = all.iter().zip(before).map(|(session, before)| session.cpu() - before).collect();
    table.heading("CPU in that time (s)");
    for (session, cpu) in all.iter().zip(&cpu) {
        table.row(session.name(), &format!("{cpu:6.2}"));
    }
    report(table, "echo, agent attached", &mut all, WITHOUT, &[WITH]);
}

/// As an agent does that watches for something: the only shared session is its own.
fn read_along(bench: &Bench, is_over: &AtomicBool) -> (u64, u64) {
    let folder = Folder::at(bench.home.join("aissh")).expect("the sessions' folder");
    let shared = folder.live().expect("listed").into_iter().find_map(|entry| {
        let mut client = Client::connect(&folder, &entry.id, "bench").ok()?;
        let about = client.ask(Ask::About, PROMPT).ok()?;
        (about["shared"] == true).then_some(client)
    });
    let mut client = shared.expect("one is shared");
    let (mut calls, mut bytes, mut cursor) = (0, 0, None);
    while !is_over.load(Ordering::Acquire) {
        let wait = Ask::Wait {
            until: Until::OutputMatches,
            timeout_ms: WAIT_MS,
            pattern: Some("^never to be seen$".into()),
            since_cursor: None,
            since_commands: None,
        };
        client.ask(wait, PROMPT + Duration::from_millis(WAIT_MS)).expect("waited");
        let output = Ask::Output { raw: true, since_cursor: cursor, from_line: None, limit: None };
        let page = client.ask(output, PROMPT).expect("a page");
        (calls, cursor) = (calls + 2, page["cursor"].as_u64());
        bytes += page["text"].as_str().map_or(0, |text| text.len() as u64);
    }
    (calls, bytes)
}

impl Session {
    fn cpu(&self) -> f64 {
        proc::cpu(self.pid())
    }
}
