//! How long the built-in Linus takes to answer, with all runbooks loaded and 64 KiB on the terminal.
//!
//! The bound of 5 ms is for an optimised build: `cargo test --release --test runbooks speed -- --nocapture`.

use super::story::said;
use aissh::builtin::Builtin;
use aissh::linus::contract::{ChatContext, Context, Request, Source};
use std::time::{Duration, Instant};

const TAIL: usize = 64 * 1024;
const ROUNDS: usize = if cfg!(debug_assertions) { 2 } else { 60 };

/// Recorded output of everything, one after the other, until the tail is full.
fn tails() -> Vec<String> {
    let folder = format!("{}/tests/fixtures/runbooks", env!("CARGO_MANIFEST_DIR"));
    let mut outputs = Vec::new();
    for runbook in std::fs::read_dir(&folder).expect("fixtures").flatten() {
        // The README beside the folders is none.
        let Ok(files) = std::fs::read_dir(runbook.path()) else { continue };
        for file in files.flatten() {
            outputs.push(std::fs::read_to_string(file.path()).expect("a fixture"));
        }
    }
    outputs.sort();
    let mixed = |start: usize| {
        let all = outputs.iter().cycle().skip(start * 17);
        let mut tail = String::new();
        for output in all {
            if tail.len() >= TAIL {
                break;
            }
            tail.push_str(&format!("root@web1:~# x\n{output}"));
        }
        tail.truncate((0..=TAIL).rev().find(|at| tail.is_char_boundary(*at)).unwrap_or(0));
        tail
    };
    let log =
        "Nov 30 20:22:34 web1 app[115]: request 4711 failed: connection reset, retry in 5 s\n".repeat(900);
    (0..4).map(mixed).chain([log[..TAIL].to_owned(), "-rw-r--r-- 1 root root 1 x\n".repeat(2400)]).collect()
}

fn chat(message: &str, tail: &str) -> Request {
    Request::Chat {
        session_id: "s".into(),
        message: message.into(),
        context: ChatContext {
            ssh_host: "root@web".into(),
            ssh_user: "root".into(),
            connected: true,
            terminal_tail: tail.into(),
            cwd: None,
            last_command: None,
            last_exit_code: Some(1),
        },
    }
}

#[test]
fn answers_come_within_milliseconds_for_a_full_tail() {
    let questions =
        ["/var is full", "is something wrong?", "port 80 is in use", "how do I exit vim", "why slow"];
    let tails = tails();
    let first = Instant::now();
    let linus = Builtin::new();
    linus.handle(&chat("hello", ""));
    let load = first.elapsed();
    // Patterns are compiled when they are first needed: once in a process.
    let first = Instant::now();
    linus.sibling().handle(&chat("is something wrong?", &tails[0]));
    let warm = first.elapsed();
    let mut times: Vec<(Duration, &str)> = Vec::new();
    let mut time = |what, linus: &mut Builtin, request: &Request| {
        let start = Instant::now();
        let envelope = linus.handle(request);
        times.push((start.elapsed(), what));
        said(&envelope)
    };
    for round in 0..ROUNDS {
        for tail in &tails {
            let question = questions[round % questions.len()];
            let mut linus = linus.sibling();
            let answer = time(question, &mut linus, &chat(question, tail));
            assert!(!answer.is_empty(), "{question}");
            let context = Context { ssh_host: "root@web".into(), ssh_user: "root".into(), cwd: None };
            let executed = Request::CommandExecuted {
                session_id: "s".into(),
                command: "x".into(),
                source: Source::UserTyped,
                was_edited: None,
                suggestion_id: None,
                output: tail.clone(),
                exit_code: Some(0),
                is_final: true,
                context,
            };
            time("a command's end", &mut linus, &executed);
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "loading {load:?}, first answer {warm:?}; of {} answers: median {:?}, p99 {:?}, max {:?}",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    // Unoptimised code with its checks on a busy machine can take a thousand times as long: there the bound only tells work
    // that never ends.
    let bound = if cfg!(debug_assertions) { Duration::from_secs(30) } else { Duration::from_millis(5) };
    assert!(at(0.99).0 <= bound, "p99 {:?}", at(0.99));
}
