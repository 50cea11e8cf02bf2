//! MCP over stdio when things go wrong: a Linus who dies, hangs, floods, does not read, or writes what is no message.
//! `mcp_peers` has the real servers; this one is told what to do wrong.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use aissh::linus::helper::Helper;
use aissh::linus::preview::{Learnt, Passed, Tap};
use aissh::linus::{Answer, Budgets, CallError, Canceller, Command, CommandClient, Delivery, Peer, Revision};
use serde_json::Value;
use support::calls::{PATIENCE, chat, update};

type Log = Arc<(Mutex<Vec<Value>>, Condvar)>;

/// A Linus on stdio and what he was sent.
struct Stdio {
    command: Command,
    dir: PathBuf,
    log: Log,
}

impl Stdio {
    fn new(era: &str, fault: &str) -> Self {
        Self::with(era, fault, Budgets::default())
    }

    /// One of whom nobody expects an answer for long.
    fn hasty(era: &str, fault: &str) -> Self {
        let short = Duration::from_millis(1500);
        Self::with(era, fault, Budgets { probe: short, connect: 4 * short, call: short })
    }

    fn with(era: &str, fault: &str, budgets: Budgets) -> Self {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-stdio.XXXXXX")).unwrap();
        let fifo = dir.join("log");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let log = Log::default();
        keep(&fifo, &log);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/stdio_peer.py");
        let argv = ["python3", script.to_str().unwrap(), fifo.to_str().unwrap(), era, fault];
        let helper = Helper::new(&argv.map(str::to_owned), &[]).unwrap();
        Self { command: Command::new(helper, budgets), dir, log }
    }

    fn client(&self) -> CommandClient {
        self.command.client()
    }

    /// Everything that he read over all his lives, as soon as that is enough. He writes it down before he answers.
    fn wait_until(&self, what: &str, is_enough: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let (lock, changed) = &*self.log;
        let missing = |log: &mut Vec<Value>| !is_enough(log);
        let (log, timeout) = changed.wait_timeout_while(lock.lock().unwrap(), PATIENCE, missing).unwrap();
        assert!(!timeout.timed_out(), "no {what}: {log:#?}");
        log.clone()
    }

    /// Waits for a message like that and returns it.
    fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let log = self.wait_until(what, |log| log.iter().any(&is_it));
        log.into_iter().find(|m| is_it(m)).unwrap()
    }

    /// What he was sent, by method, once the call with this message is among it.
    fn methods_until(&self, message: &str) -> Vec<String> {
        let is_call = |m: &Value| m["params"]["arguments"]["message"] == message;
        let log = self.wait_until(message, |log| log.iter().any(is_call));
        log.iter().filter_map(|m| m["method"].as_str()).map(str::to_owned).collect()
    }

    /// Waits until he was started so often, and not more.
    fn lived(&self, times: usize) {
        let lives = |log: &[Value]| log.iter().filter(|m| m["pid"].is_number()).count();
        let log = self.wait_until("life", |log| lives(log) >= times);
        assert_eq!(lives(&log), times);
    }
}

/// Keeps what is written into a FIFO. It is open for writing here too, so that a writer's end is not its end.
fn keep(fifo: &Path, log: &Log) {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(fifo).unwrap();
    let log = Arc::clone(log);
    thread::spawn(move || {
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            if let Ok(message) = serde_json::from_str(&line) {
                log.0.lock().unwrap().push(message);
                log.1.notify_all();
            }
        }
    });
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.command.close();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn call(client: &mut CommandClient, message: &str) -> Result<Answer, CallError> {
    client.call(&chat(message), &Canceller::new(), &mut |_| ())
}

/// What a chat was answered: the message, and the process that did.
fn said(client: &mut CommandClient, message: &str) -> (String, u32) {
    let answer = call(client, message).unwrap().envelope.chat_response.unwrap().message;
    let (text, pid) = answer.rsplit_once(' ').unwrap();
    (text.to_owned(), pid.parse().unwrap())
}

#[test]
fn both_eras_are_spoken_and_both_lanes_have_one_process_and_one_handshake() {
    for (era, handshake) in [
        ("modern", &["server/discover", "tools/list"][..]),
        ("legacy", &["server/discover", "initialize", "notifications/initialized", "tools/list"]),
    ] {
        let linus = Stdio::new(era, "none");
        let (mut one, mut other) = (linus.client(), linus.client());
        let pids = thread::scope(|scope| {
            let first = scope.spawn(|| said(&mut one, "ü€😀").1);
            let second = said(&mut other, "two").1;
            [first.join().unwrap(), second]
        });
        assert_eq!(pids[0], pids[1]);
        let log = linus.wait_until("all", |log| log.len() >= handshake.len() + 3);
        let methods: Vec<_> = log.iter().filter_map(|m| m["method"].as_str()).collect();
        assert_eq!(methods[..handshake.len()], *handshake);
        assert_eq!(methods.len(), handshake.len() + 2, "{methods:?}");
        let ids: Vec<_> = log.iter().filter_map(|m| m["id"].as_u64()).collect();
        let unique: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{ids:?}");
        let is_modern =
            |m: &&Value| m["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string();
        let modern = log.iter().filter(is_modern).count();
        assert_eq!(
            modern,
            if era == "modern" { 4 } else { 1 },
            "only a modern server gets what stands alone"
        );
    }
}

#[test]
fn a_server_that_dies_of_the_probe_or_does_not_answer_it_is_a_legacy_one() {
    for (fault, lives) in [("dies-of-probe", 2), ("deaf-to-probe", 1)] {
        let linus = Stdio::hasty("legacy", fault);
        let mut client = linus.client();
        assert_eq!(client.probe(&Canceller::new()).unwrap().revision, Revision::V2025_11_25, "{fault}");
        linus.lived(lives);
    }
}

#[test]
fn a_slow_update_delays_no_chat() {
    let linus = Stdio::new("modern", "slow-update");
    let (mut background, mut foreground) = (linus.client(), linus.client());
    let cancel = Canceller::new();
    thread::scope(|scope| {
        let canceller = cancel.clone();
        let slow = scope.spawn(move || background.call(&update(), &canceller, &mut |_| ()));
        linus.wait_for("update", |m| m["method"] == "tools/call");
        assert_eq!(said(&mut foreground, "hi").0, "hi");
        cancel.cancel();
        assert_eq!(slow.join().unwrap(), Err(CallError::Cancelled));
    });
}

#[test]
fn a_call_is_taken_back_by_a_notice_in_both_eras_and_the_process_lives_on() {
    let is_hang = |m: &Value| m["params"]["arguments"]["message"] == "hang";
    for era in ["modern", "legacy"] {
        let linus = Stdio::new(era, "none");
        let mut client = linus.client();
        let pid = said(&mut client, "hi").1;
        let cancel = Canceller::new();
        let result = thread::scope(|scope| {
            let call = scope.spawn(|| client.call(&chat("hang"), &cancel, &mut |_| ()));
            linus.wait_for("call", is_hang);
            cancel.cancel();
            call.join().unwrap()
        });
        assert_eq!(result, Err(CallError::Cancelled));
        let note = linus.wait_for("notice", |m| m["method"] == "notifications/cancelled");
        assert_eq!(note["params"]["requestId"], linus.wait_for("call", is_hang)["id"]);
        assert_eq!(said(&mut client, "hi").1, pid);
    }
}

#[test]
fn a_death_in_the_middle_of_a_call_is_told_with_its_reason_and_the_next_call_starts_anew() {
    let linus = Stdio::new("legacy", "none");
    let mut client = linus.client();
    let first = said(&mut client, "hi").1;
    let error = call(&mut client, "die").unwrap_err();
    assert_eq!(error.delivery(), Delivery::Perhaps);
    assert_eq!(
        error.to_string(),
        "the answer was lost: python3: it ended with status 7: [31mno model [0m left"
    );
    let (text, second) = said(&mut client, "again");
    assert!(text == "again" && second != first);
    linus.lived(2);
    let methods = linus.methods_until("again");
    let count = |method: &str| methods.iter().filter(|m| *m == method).count();
    assert_eq!((count("initialize"), count("server/discover")), (2, 1), "the era is kept");
}

#[test]
fn what_complains_and_ends_is_offline_with_its_last_word() {
    let linus = Stdio::new("modern", "complains");
    let error = call(&mut linus.client(), "hi").unwrap_err();
    assert_eq!(error, CallError::Unreachable("python3: it ended with status 3: the last word".into()));
    let missing = Helper::new(&["no-such-linus".to_owned()], &[]).unwrap();
    let error = call(&mut Command::new(missing, Budgets::default()).client(), "hi").unwrap_err();
    assert_eq!(error, CallError::Unreachable("no-such-linus: not found in PATH".into()));
}

#[test]
fn a_flood_or_a_line_without_end_ends_the_process_and_not_the_lane() {
    let linus = Stdio::new("modern", "none");
    let mut client = linus.client();
    for (message, why) in
        [("flood", "more than 16 MiB without an answer"), ("line", "a line of more than 4096 KiB")]
    {
        let error = call(&mut client, message).unwrap_err();
        assert!(matches!(&error, CallError::Lost(text) if text.contains(why)), "{error:?}");
        assert_eq!(said(&mut client, "hi").0, "hi");
    }
    linus.lived(3);
}

#[test]
fn what_is_no_message_or_no_answer_of_ours_is_passed_over() {
    let linus = Stdio::new("legacy", "none");
    let mut heard = Vec::new();
    let answer = linus
        .client()
        .call(&chat("noise"), &Canceller::new(), &mut |text| heard.push(text.to_owned()))
        .unwrap();
    assert!(answer.envelope.chat_response.unwrap().message.starts_with("noise "));
    assert_eq!(heard, ["look"]);
    let answered = |id: &str| linus.wait_for(id, |m| m["id"] == id && m["method"].is_null());
    assert_eq!(answered("p")["result"], serde_json::json!({}));
    assert_eq!(answered("r")["error"]["code"], -32601);
}

#[test]
fn an_error_that_names_no_request_fails_the_one_under_way_at_once() {
    let linus = Stdio::new("modern", "none");
    let error = call(&mut linus.client(), "unreadable").unwrap_err();
    assert_eq!(error, CallError::Protocol("cannot read (-32700)".into()));
}

#[test]
fn who_does_not_read_never_gets_the_message_and_a_probe_starts_him_anew() {
    let linus = Stdio::hasty("modern", "stops-reading");
    let mut client = linus.client();
    client.connect(&Canceller::new()).unwrap();
    // More than a pipe holds: he cannot have acted on what he has not read to its end, but he may have begun.
    let long = "x".repeat(1 << 20);
    let error = call(&mut client, &long).unwrap_err();
    assert_eq!(error, CallError::Timeout);
    let error = call(&mut client, "behind it").unwrap_err();
    assert_eq!(error.delivery(), Delivery::Not, "{error:?}");
    assert!(client.probe(&Canceller::new()).is_err());
    client.connect(&Canceller::new()).unwrap();
    linus.lived(2);
}

#[test]
fn a_command_is_ended_with_the_session_whether_it_wants_or_not() {
    let linus = Stdio::new("legacy", "never-ends");
    let pid = said(&mut linus.client(), "hi").1;
    let started = Instant::now();
    linus.command.close();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let pid = nix::unistd::Pid::from_raw(pid.cast_signed());
    let end = Instant::now() + PATIENCE;
    while nix::sys::signal::kill(pid, None).is_ok() {
        assert!(Instant::now() < end, "it lives");
        thread::yield_now();
    }
    let error = call(&mut linus.client(), "hi").unwrap_err();
    assert!(matches!(error, CallError::Unreachable(text) if text.contains("the session is over")));
}

#[test]
fn what_goes_to_a_command_is_seen_before_it_goes_and_the_next_call_is_known_exactly() {
    let linus = Stdio::new("legacy", "none");
    let (learnt, calls) = (Arc::<Mutex<Learnt>>::default(), Arc::<Mutex<Vec<Value>>>::default());
    let (to_learn, seen) = (Arc::clone(&learnt), Arc::clone(&calls));
    let tap = Tap::new(move |passed| match passed {
        Passed::Call(bytes) => seen.lock().unwrap().push(serde_json::from_slice(bytes).unwrap()),
        Passed::Answer { message, result } => to_learn.lock().unwrap().learn(message, result),
    });
    let mut client = linus.command.clone().watched(tap).client();
    said(&mut client, "what is ‹password-1›?");
    let is_call = |m: &Value| m["method"] == "tools/call";
    let read = linus.wait_for("call", is_call);
    assert_eq!(calls.lock().unwrap().as_slice(), std::slice::from_ref(&read));
    assert_eq!(read["params"]["_meta"]["aissh/placeholders"], serde_json::json!(["‹password-1›"]));
    let (next, is_exact) = learnt.lock().unwrap().preview(&chat("hi"));
    assert!(is_exact, "{next}");
    said(&mut client, "hi");
    let sent = calls.lock().unwrap().last().cloned().unwrap();
    assert_eq!(next["params"]["arguments"], sent["params"]["arguments"]);
    assert_eq!(sent["params"]["_meta"].get("aissh/placeholders"), None);
}

#[test]
fn a_configuration_with_both_a_url_and_a_command_or_with_an_empty_one_is_refused() {
    let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-config.XXXXXX")).unwrap();
    let file = dir.join("config.toml");
    let refused = |text: &str, why: &str| {
        std::fs::write(&file, text).unwrap();
        let mut aissh = std::process::Command::new(env!("CARGO_BIN_EXE_aissh"));
        aissh.env("HOME", &dir).arg("--config").arg(&file).args(["--ask", "why"]);
        let output = aissh.stdin(std::process::Stdio::null()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{error}");
        assert!(error.contains(&format!("config.toml: line {why}")), "{error}");
    };
    refused(
        "[linus]\nurl = \"http://127.0.0.1:1/\"\ncommand = [\"linus\"]\n",
        "3: command: url is set as well",
    );
    refused("[linus]\ncommand = []\n", "2: command: the command is empty");
    refused(
        "[linus]\ncommand = [\"x\"]\ncommand_env = [\"SSH_AUTH_SOCK\"]\n",
        "2: command: SSH_AUTH_SOCK is never passed",
    );
    std::fs::remove_dir_all(dir).unwrap();
}
