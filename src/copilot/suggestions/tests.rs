//! Companions: the undo and the check of a command that was sent, timers and what cancels them.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::copilot::{Copilot, Order, Place};
use crate::linus::contract::{Envelope, Risk};
use crate::shell::Dialect;

struct Desk {
    copilot: Copilot,
    now: Instant,
}

impl Desk {
    fn with(dialect: Dialect, commands: &serde_json::Value) -> Self {
        let mut desk = Self { copilot: Copilot::new("test"), now: Instant::now() };
        desk.copilot.suggestions.set_tag("t-");
        desk.copilot.suggestions.set_place(Place { dialect, ..Place::default() }, desk.now);
        desk.reply(&json!({ "suggested_commands": { "commands": commands } }));
        desk
    }

    fn reply(&mut self, reply: &serde_json::Value) {
        self.now += Duration::from_secs(1);
        self.copilot.apply(Envelope::read(reply).0, self.now);
        self.now += Duration::from_secs(1);
    }

    fn send(&mut self, id: &str) {
        let suggestions = &mut self.copilot.suggestions;
        let text = suggestions.begin_edit(id, self.now).unwrap().text().to_owned();
        suggestions.send_edit(&text).unwrap();
        suggestions.sent(id, self.now);
    }

    fn ends(&mut self, id: &str, output: &str, exit: Option<i32>) {
        let command = self.copilot.suggestions.get(id).unwrap().text().to_owned();
        self.copilot.suggestions.learn(Some(id), &command, output, exit, self.now);
        self.copilot.suggestions.done(id, exit, self.now);
    }

    fn open(&self) -> Vec<(&str, &str)> {
        let open = self.copilot.suggestions.cards().filter(|c| c.is_open());
        open.map(|c| (c.id.as_str(), c.text())).collect()
    }
}

#[test]
fn undo_and_check_are_cards_once_their_command_was_sent_and_are_judged_as_all_are() {
    let card =
        json!([{ "id": "a", "command": "touch x", "risk": "low", "undo": "rm -r x", "verify": "ls x" }]);
    let mut desk = Desk::with(Dialect::Bash, &card);
    assert_eq!(desk.open(), [("a", "touch x")]);
    desk.send("a");
    assert_eq!(desk.open(), [("a/undo", "rm -r x"), ("a/verify", "ls x")]);
    let level = |id: &str| desk.copilot.suggestions.get(id).unwrap().judgement().level;
    assert_eq!((level("a/undo"), level("a/verify")), (Risk::High, Risk::Low));
    // The answer to the command's end may clear all that was there before.
    desk.reply(&json!({ "clear_suggestions": { "all": true }, "suggested_commands": { "commands": [
        { "id": "b", "command": "touch y", "undo": "rm y" } ] } }));
    assert_eq!(desk.open(), [("a/undo", "rm -r x"), ("a/verify", "ls x"), ("b", "touch y")]);
    desk.send("b");
    assert_eq!(desk.open(), [("a/undo", "rm -r x"), ("b/undo", "rm y")], "the last check is of use no more");
}

#[test]
fn a_card_that_was_held_back_brings_none() {
    let card = json!([{ "id": "a", "command": "touch x", "undo": "rm x" }]);
    let mut desk = Desk::with(Dialect::Bash, &card);
    desk.copilot.suggestions.begin_edit("a", desk.now).unwrap();
    desk.copilot.suggestions.send_edit("touch x").unwrap();
    desk.copilot.suggestions.not_sent("a").unwrap();
    assert_eq!(desk.open().len(), 1);
}

#[test]
fn the_undos_at_hand_are_the_latest() {
    let mut desk = Desk::with(Dialect::Bash, &json!([]));
    for n in 0..6 {
        desk.reply(&json!({ "suggested_commands": { "commands": [
            { "id": format!("c{n}"), "command": "touch x", "undo": format!("rm {n}") } ] } }));
        desk.send(&format!("c{n}"));
    }
    assert_eq!(desk.open().iter().map(|(_, c)| *c).collect::<Vec<_>>(), ["rm 3", "rm 4", "rm 5"]);
}

#[test]
fn a_command_that_may_cut_the_session_brings_its_timer_and_its_end_brings_the_cancel() {
    let mut desk = Desk::with(
        Dialect::Bash,
        &json!([
        { "id": "a", "command": "sudo systemctl stop sshd" }, { "id": "z", "command": "ls" } ]),
    );
    let timer = "sudo systemd-run --on-active=5min --unit=aissh-t-1 sh -c 'systemctl start sshd'";
    let at = "echo 'systemctl start sshd' | sudo at now + 5 minutes";
    assert_eq!(
        desk.open(),
        [
            ("a", "sudo systemctl stop sshd"),
            ("aissh:aissh-t-1-1", timer),
            ("aissh:aissh-t-1-2", at),
            ("z", "ls")
        ]
    );
    let timing = desk.copilot.suggestions.timer_of("a");
    assert_eq!(timing, Some(Timing::Offered { number: 2, order: Order::Before }));
    // Linus has no say over it, nor can he pass for it.
    desk.reply(&json!({ "suggested_commands": { "commands": [
        { "id": "aissh:aissh-t-1-1", "command": "true" } ] }, "clear_suggestions": { "ids": ["z"] } }));
    assert_eq!(desk.open()[1], ("aissh:aissh-t-1-1", timer));
    desk.send("aissh:aissh-t-1-1");
    assert_eq!(desk.open().len(), 1, "the other means is of no use any more: {:?}", desk.open());
    desk.ends("aissh:aissh-t-1-1", "Running timer as unit: aissh-t-1.timer", Some(0));
    assert_eq!(desk.copilot.suggestions.timer_of("a"), Some(Timing::Set));
    assert_eq!(desk.open().len(), 1, "nothing to cancel before the change");
    desk.send("a");
    assert_eq!(desk.open(), []);
    desk.ends("a", "", Some(0));
    assert_eq!(desk.open(), [("aissh:cancel a", "sudo systemctl stop aissh-t-1.timer")]);
}

#[test]
fn ats_job_is_cancelled_by_its_number_and_a_timer_that_failed_is_not_set() {
    let of = |exit, output: &str| {
        let mut desk = Desk::with(Dialect::Bash, &json!([{ "id": "a", "command": "ifdown eth0" }]));
        desk.send("aissh:aissh-t-1-2");
        desk.ends("aissh:aissh-t-1-2", output, exit);
        desk.send("a");
        desk.ends("a", "", None);
        desk.open().first().map(|(_, command)| (*command).to_owned())
    };
    let output = "warning: commands will be executed using /bin/sh\njob 17 at Mon Nov 30 16:05:00 2026";
    assert_eq!(of(None, output).as_deref(), Some("atrm 17"));
    assert_eq!(of(Some(0), "something else"), None);
    assert_eq!(of(Some(1), output), None);
    assert_eq!(of(None, "-bash: at: command not found"), None);
}

#[test]
fn a_timer_that_was_not_set_is_offered_again_by_the_means_that_are_left() {
    let mut desk = Desk::with(Dialect::Bash, &json!([{ "id": "a", "command": "ifdown eth0" }]));
    desk.send("aissh:aissh-t-1-1");
    desk.ends("aissh:aissh-t-1-1", "System has not been booted with systemd as init system (PID 1).", None);
    assert_eq!(
        desk.copilot.suggestions.timer_of("a"),
        Some(Timing::Offered { number: 2, order: Order::Before })
    );
    assert!(desk.open().iter().all(|(_, command)| !command.contains("systemd-run")), "{:?}", desk.open());
    assert_eq!(desk.open().len(), 3);
}

#[test]
fn the_timer_follows_the_text_of_its_card() {
    let mut desk = Desk::with(Dialect::Bash, &json!([{ "id": "a", "command": "ifdown eth0" }]));
    let suggestions = &mut desk.copilot.suggestions;
    suggestions.begin_edit("a", desk.now).unwrap();
    suggestions.end_edit("ifdown eth1", desk.now);
    assert!(desk.open()[1].1.contains("'ifup eth1'"), "{:?}", desk.open());
    let suggestions = &mut desk.copilot.suggestions;
    suggestions.begin_edit("a", desk.now).unwrap();
    suggestions.end_edit("ip -br addr", desk.now);
    assert_eq!(desk.open(), [("a", "ip -br addr")]);
}

#[test]
fn one_that_was_put_away_stays_away_and_a_device_has_its_own() {
    let mut desk = Desk::with(Dialect::Junos, &json!([{ "id": "a", "command": "commit" }]));
    assert_eq!(desk.open()[1].1, "commit confirmed 5");
    desk.send("aissh:aissh-t-1-1");
    desk.ends("aissh:aissh-t-1-1", "commit complete", None);
    assert_eq!(desk.open()[1], ("aissh:cancel a", "commit"));
    let mut desk = Desk::with(Dialect::Ios, &json!([{ "id": "a", "command": "shutdown" }]));
    desk.copilot.suggestions.dismiss("aissh:aissh-t-1-1", desk.now);
    desk.reply(&json!({ "suggested_commands": { "commands": [{ "id": "b", "command": "show clock" }] } }));
    assert_eq!(desk.open().len(), 2, "{:?}", desk.open());
    let desk = Desk::with(Dialect::Vtysh, &json!([{ "id": "a", "command": "shutdown" }]));
    assert!(desk.copilot.suggestions.get("a").unwrap().note.is_some());
}
