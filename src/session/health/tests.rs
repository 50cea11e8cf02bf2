use super::*;
use crate::session::wake;
use crate::ssh::side_channel::Route;
use serde_json::json;
use std::sync::mpsc::{Receiver, channel, sync_channel};

/// A watcher whose worker is never started.
fn health(now: Instant) -> Health {
    let route = Route::new("/nonexistent/ssh".as_ref(), &["web1".into()]);
    let (event_tx, _) = sync_channel(1);
    let (waker, _) = wake::pair().unwrap();
    Health::new(Means { route, may_check: || false, event_tx, waker }, Settings::default(), now)
}

fn sample(rest: &str) -> Sample {
    let answer = format!("\nB system\nweb1\nB count\n3\n{rest}\nB end\n");
    Sample::read(answer.as_bytes(), "B").unwrap()
}

fn call(health: &mut Health, name: &str, now: Instant) -> Receiver<Result<Outcome, ToolError>> {
    let (reply_tx, reply_rx) = channel();
    let reply: Reply = Box::new(move |outcome| drop(reply_tx.send(outcome)));
    health.call(name, json!({}).as_object().unwrap(), reply, now);
    reply_rx
}

#[test]
fn off_it_never_wakes_anybody_and_reads_nothing_for_anybody() {
    let now = Instant::now();
    let mut health = health(now);
    assert_eq!(health.deadline(true), None);
    let refused = call(&mut health, "system_summary", now).recv().unwrap().unwrap_err();
    assert!(refused.message.contains("off in this session"), "{refused:?}");
    assert_eq!(call(&mut health, "plugin_status", now).recv().unwrap().unwrap().value["state"], json!("off"));
    assert_eq!(call(&mut health, "nonsense", now).recv().unwrap().unwrap_err().code, -32601);
    assert!(health.worker.is_none() && health.deadline(true).is_none());
    assert_eq!(health.line(now), None);
}

#[test]
fn on_it_wakes_once_an_interval() {
    let now = Instant::now();
    let mut health = health(now);
    health.turn_on(Way::Shared, now);
    assert_eq!(health.deadline(true), Some(now));
    health.is_looking = true;
    assert_eq!(health.deadline(true), None, "it waits for the terminal's place");
    assert_eq!(health.line(now).unwrap().text, "Health: reading");
}

#[test]
fn a_call_waits_for_the_probe_that_it_needs() {
    let now = Instant::now();
    let mut health = health(now);
    health.turn_on(Way::Shared, now);
    let (top, summary) = (call(&mut health, "processes_top", now), call(&mut health, "system_summary", now));
    assert!(top.try_recv().is_err() && health.extent(now) == Extent::Summary);
    health.watcher.note(sample("B load\n1 1 1"), now);
    health.answer_calls(now);
    assert_eq!(summary.recv().unwrap().unwrap().value["load"], json!([1.0, 1.0, 1.0]));
    health.summary_due = now + FRESH;
    assert!(top.try_recv().is_err() && health.extent(now) == Extent::Processes);
    health.watcher.note(sample("B processes\nPID USER VSZ STAT COMMAND\n7 root 1 S sshd"), now);
    health.answer_calls(now);
    assert_eq!(top.recv().unwrap().unwrap().value["processes"][0]["pid"], json!(7));
    // Another within the moment is answered from the same.
    assert!(call(&mut health, "processes_top", now).try_recv().unwrap().is_ok());
    assert!(call(&mut health, "processes_top", now + FRESH).try_recv().is_err());
}

#[test]
fn a_flood_of_calls_is_bounded_and_everyone_hears_the_end() {
    let now = Instant::now();
    let mut health = health(now);
    health.turn_on(Way::Login, now);
    let replies: Vec<_> = (0..1000).map(|_| call(&mut health, "system_summary", now)).collect();
    let refused = replies.iter().filter(|reply| matches!(reply.try_recv(), Ok(Err(_)))).count();
    assert_eq!((refused, health.calls.len()), (1000 - CALLS, CALLS));
    health.stop("turned off");
    assert_eq!(replies[0].recv().unwrap().unwrap_err().message, "turned off");
    assert_eq!(health.deadline(true), None);
}

#[test]
fn a_shorter_interval_brings_the_next_probe_forward() {
    let now = Instant::now();
    let mut health = health(now);
    health.turn_on(Way::Shared, now);
    health.summary_due = now + Duration::from_secs(600);
    health.due = Some(health.summary_due);
    let (reply_tx, reply_rx) = channel();
    let arguments = json!({"interval_ms": 3000});
    let reply: Reply = Box::new(move |outcome| drop(reply_tx.send(outcome)));
    health.call("config_set", arguments.as_object().unwrap(), reply, now);
    assert!(reply_rx.recv().unwrap().is_ok());
    assert_eq!(health.deadline(false), Some(now + Duration::from_secs(3)));
}
