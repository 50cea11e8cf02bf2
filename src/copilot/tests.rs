use std::time::Duration;

use serde_json::json;

use super::*;
use crate::linus::contract::{Level, Risk, StepStatus};

// By value: the calls read better with the JSON in place.
#[allow(clippy::needless_pass_by_value)]
fn apply(copilot: &mut Copilot, envelope: serde_json::Value, now: Instant) {
    let (envelope, bad) = Envelope::read(&envelope);
    assert_eq!(bad, Vec::<String>::new());
    copilot.apply(envelope, now)
}

fn card(id: &str, command: &str) -> serde_json::Value {
    json!({ "id": id, "command": command, "description": "d", "risk": "low" })
}

fn cards(list: &[serde_json::Value]) -> serde_json::Value {
    json!({ "suggested_commands": { "commands": list } })
}

/// A copilot with cards `a`, `b`, `c`, proposed some time ago.
fn three() -> (Copilot, Instant) {
    let start = Instant::now();
    let mut copilot = Copilot::new("test");
    apply(&mut copilot, cards(&[card("a", "ls a"), card("b", "ls b"), card("c", "ls c")]), start);
    (copilot, start + Duration::from_secs(1))
}

fn ids(copilot: &Copilot) -> Vec<&str> {
    copilot.suggestions.cards().map(|c| c.id.as_str()).collect()
}

#[test]
fn all_four_blocks_of_one_reply_are_applied() {
    let (mut copilot, now) = three();
    apply(
        &mut copilot,
        json!({
            "chat_response": { "message": "look at d", "mentions": ["d", "b"] },
            "intent_update": { "summary": "Disk", "confidence": 0.85,
                "steps": [{ "status": "done", "text": "df" }, { "status": "current", "text": "du" }] },
            "suggested_commands": { "commands": [card("d", "du -x /var")] },
            "clear_suggestions": { "ids": ["a"] },
        }),
        now,
    );
    assert_eq!(ids(&copilot), ["b", "c", "d"]);
    let mentioned: Vec<&str> =
        copilot.suggestions.cards().filter(|c| c.mentioned).map(|c| c.id.as_str()).collect();
    assert_eq!(mentioned, ["b", "d"]);
    let intent = copilot.intent.as_ref().unwrap();
    assert_eq!((intent.summary.as_str(), intent.confidence, intent.progress()), ("Disk", Some(0.85), (1, 2)));
    assert_eq!(intent.steps[1].status, StepStatus::Current);
    assert_eq!(copilot.chat.entries().last().unwrap().text, "look at d");
}

#[test]
fn notifications_are_lines_of_the_chat_and_are_bounded() {
    let (mut copilot, now) = three();
    let mut notes = vec![json!({"text": "kernel\nOOM \u{1b}[2J\u{202e}in dmesg", "level": "critical"}); 2];
    apply(&mut copilot, json!({"notifications": {"notes": notes}}), now);
    let said: Vec<_> = copilot.chat.entries().map(|e| (e.who, e.text.clone())).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].0, Who::Notification(Level::Critical));
    assert!(said[0].1.starts_with("kernel OOM") && !said[0].1.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    notes = (0..1000).map(|n| json!(format!("{n} {}", "x".repeat(10_000)))).collect();
    apply(&mut copilot, json!({"notifications": notes}), now);
    let texts: Vec<_> = copilot.chat.entries().map(|e| e.text.len()).collect();
    assert_eq!(texts.len(), 12);
    assert!(texts.iter().all(|len| *len < 400), "{texts:?}");
}

#[test]
fn an_empty_reply_changes_nothing() {
    let (mut copilot, now) = three();
    apply(&mut copilot, json!({}), now);
}

#[test]
fn clearing_all_and_proposing_in_one_reply_leaves_the_new_cards() {
    let (mut copilot, now) = three();
    let mut reply = cards(&[card("x", "id")]);
    reply["clear_suggestions"] = json!({ "all": true });
    apply(&mut copilot, reply, now);
    assert_eq!(ids(&copilot), ["x"]);
}

#[test]
fn the_next_message_takes_the_highlight_away() {
    let (mut copilot, now) = three();
    apply(&mut copilot, json!({ "chat_response": { "message": "m", "mentions": ["a"] } }), now);
    apply(&mut copilot, json!({ "chat_response": { "message": "n" } }), now);
    assert!(copilot.suggestions.cards().all(|c| !c.mentioned));
}

#[test]
fn confidence_is_clamped_and_what_is_no_number_is_none() {
    for (given, shown) in [(1.5, Some(1.0)), (-3.0, Some(0.0)), (f64::NAN, None), (f64::INFINITY, None)] {
        let mut copilot = Copilot::new("test");
        let update = crate::linus::contract::IntentUpdate {
            summary: "s".into(),
            confidence: Some(given),
            steps: Vec::new(),
        };
        copilot.apply(Envelope { intent_update: Some(update), ..Envelope::default() }, Instant::now());
        assert_eq!(copilot.intent.unwrap().confidence, shown);
    }
}

#[test]
fn the_same_id_replaces_in_place_and_the_same_command_keeps_its_state() {
    let (mut copilot, now) = three();
    apply(&mut copilot, cards(&[card("b", "ls -l b")]), now);
    assert_eq!(ids(&copilot), ["a", "b", "c"]);
    assert_eq!(copilot.suggestions.get("b").unwrap().command, "ls -l b");

    let later = now + Duration::from_secs(1);
    copilot.suggestions.begin_edit("a", later).unwrap();
    copilot.suggestions.send_edit("ls a").unwrap();
    copilot.suggestions.done("a", Some(2), later);
    apply(&mut copilot, cards(&[card("a", "ls a")]), later);
    assert_eq!(copilot.suggestions.get("a").unwrap().state, CardState::Done { exit: Some(2) });
    apply(&mut copilot, cards(&[card("a", "ls a2")]), later);
    assert_eq!(copilot.suggestions.get("a").unwrap().state, CardState::Proposed);
}

#[test]
fn a_card_being_edited_is_frozen() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("b", now).unwrap();
    apply(&mut copilot, cards(&[card("b", "rm -rf /")]), now);
    apply(&mut copilot, json!({ "clear_suggestions": { "all": true } }), now);
    apply(&mut copilot, cards(&[card("b", "rm -rf /")]), now);
    assert_eq!(copilot.suggestions.editing().unwrap().command, "ls b");
    assert_eq!(copilot.suggestions.send_edit("ls b"), Ok(("b".into(), false)));
    // It runs: still not touched. Its end frees it.
    assert_eq!(copilot.suggestions.get("b").unwrap().command, "ls b");
    copilot.suggestions.done("b", Some(0), now);
    assert_eq!(copilot.suggestions.get("b").unwrap().command, "rm -rf /");
    assert_eq!(copilot.suggestions.pick("b", now), Err(Refusal::Held));
}

#[test]
fn leaving_the_edit_line_lets_the_waiting_replacement_in() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("b", now).unwrap();
    apply(&mut copilot, cards(&[card("b", "ls new")]), now);
    copilot.suggestions.end_edit("ls b", now);
    assert_eq!(copilot.suggestions.get("b").unwrap().command, "ls new");
}

#[test]
fn an_edit_that_was_left_waits_with_its_card() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("a", now).unwrap();
    copilot.suggestions.end_edit("ls -la a", now);
    let card = copilot.suggestions.begin_edit("a", now).unwrap();
    assert_eq!((card.text(), &card.state), ("ls -la a", &CardState::Edited));
    assert_eq!(copilot.suggestions.send_edit("ls -la a"), Ok(("a".into(), true)));
    let card = copilot.suggestions.not_sent("a").unwrap();
    assert_eq!((card.text(), &card.state), ("ls -la a", &CardState::Edited));
    assert_eq!(copilot.suggestions.editing().map(|c| c.id.as_str()), Some("a"));
}

#[test]
fn what_the_user_typed_is_not_overwritten_by_a_reply() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("a", now).unwrap();
    copilot.suggestions.end_edit("mine", now);
    apply(&mut copilot, cards(&[card("a", "theirs")]), now);
    apply(&mut copilot, json!({ "clear_suggestions": { "ids": ["b"] } }), now);
    assert_eq!(copilot.suggestions.get("a").unwrap().text(), "mine");
    // Put back to what it was, the replacement comes in.
    copilot.suggestions.begin_edit("a", now).unwrap();
    copilot.suggestions.end_edit("ls a", now);
    assert_eq!(copilot.suggestions.get("a").unwrap().text(), "theirs");
}

#[test]
fn typing_the_same_text_again_is_no_edit() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("a", now).unwrap();
    copilot.suggestions.end_edit("other", now);
    copilot.suggestions.begin_edit("a", now).unwrap();
    assert_eq!(copilot.suggestions.send_edit("ls a"), Ok(("a".into(), false)));
}

#[test]
fn a_number_that_just_changed_hands_is_held_for_half_a_second() {
    let (mut copilot, now) = three();
    apply(&mut copilot, json!({ "clear_suggestions": { "ids": ["a"] } }), now);
    let pick = |copilot: &Copilot, n, ms| {
        copilot.suggestions.pick_number(n, now + Duration::from_millis(ms)).map(|c| c.id.clone())
    };
    assert_eq!(pick(&copilot, 1, 499), Err(Refusal::Held));
    assert_eq!(pick(&copilot, 1, 500), Ok("b".into()));
    assert_eq!(pick(&copilot, 3, 500), Err(Refusal::Absent));
    // A new card at the end moves nobody.
    apply(&mut copilot, cards(&[card("d", "id")]), now + Duration::from_secs(2));
    assert_eq!(pick(&copilot, 1, 2000), Ok("b".into()));
}

#[test]
fn a_command_that_was_swapped_under_its_number_is_held() {
    let (mut copilot, now) = three();
    apply(&mut copilot, cards(&[card("a", "reboot")]), now);
    assert_eq!(copilot.suggestions.pick_number(1, now), Err(Refusal::Held));
    assert_eq!(copilot.suggestions.pick("a", now), Err(Refusal::Held));
    assert!(copilot.suggestions.pick_number(2, now).is_ok());
}

#[test]
fn numbers_are_for_open_cards_only() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("a", now).unwrap();
    copilot.suggestions.send_edit("ls a").unwrap();
    assert!(copilot.suggestions.dismiss("b", now));
    let numbers: Vec<(usize, &str)> =
        copilot.suggestions.numbered().map(|(n, c)| (n, c.id.as_str())).collect();
    assert_eq!(numbers, [(1, "c")]);
    assert_eq!(ids(&copilot), ["a", "c"]);
    copilot.suggestions.prompt(now);
    assert_eq!(copilot.suggestions.get("a").map(|c| c.state.clone()), Some(CardState::Done { exit: None }));
    // The same proposal does not come back by itself.
    apply(&mut copilot, cards(&[card("b", "ls b")]), now);
    assert_eq!(ids(&copilot), ["a", "c"]);
}

#[test]
fn a_command_with_a_control_character_keeps_its_bytes_and_is_refused() {
    let mut copilot = Copilot::new("test");
    let now = Instant::now();
    for (at, hostile) in ["ls\x1b[2J", "ls\r", "ls\t", "l\x08s", "ls\x7f", "ls\u{9b}"].iter().enumerate() {
        apply(&mut copilot, cards(&[card(&format!("h{at}"), hostile)]), now);
        let shown = copilot.suggestions.get(&format!("h{at}")).unwrap();
        assert_eq!(shown.command, *hostile);
        assert!(shown.refused.is_some(), "{hostile:?}");
        assert!(matches!(copilot.suggestions.pick(&shown.id, now), Err(Refusal::Refused(_))));
    }
    assert_eq!(copilot.suggestions.numbered().count(), 0);
    apply(&mut copilot, cards(&[card("blank", " \n ")]), now);
    assert!(copilot.suggestions.get("blank").is_none(), "a card without a command is none");
    apply(&mut copilot, cards(&[card("ok", "for i in 1 2\ndo echo $i; done")]), now);
    assert_eq!(copilot.suggestions.get("ok").unwrap().refused, None);
}

#[test]
fn what_a_linus_proposed_who_is_not_asked_any_more_cannot_be_sent() {
    let (mut copilot, now) = three();
    copilot.suggestions.disown("linus.example", now);
    assert_eq!(copilot.suggestions.numbered().count(), 0);
    let later = now + Duration::from_secs(5);
    let refusal = copilot.suggestions.begin_edit("a", later).map(|_| ()).unwrap_err();
    assert!(matches!(refusal, Refusal::Refused(why) if why.contains("from linus.example, who is not asked")));
    // The next Linus may propose the same.
    apply(&mut copilot, cards(&[card("a", "ls a")]), later);
    assert_eq!(copilot.suggestions.numbered().count(), 1);
}

#[test]
fn what_the_user_made_of_a_command_is_checked_again() {
    let (mut copilot, now) = three();
    copilot.suggestions.begin_edit("a", now).unwrap();
    assert!(matches!(copilot.suggestions.send_edit("ls\x03"), Err(Refusal::Refused(_))));
    assert!(matches!(copilot.suggestions.send_edit("  "), Err(Refusal::Refused(_))));
    assert_eq!(copilot.suggestions.editing().map(|c| c.id.as_str()), Some("a"), "still on the edit line");
}

#[test]
fn everything_foreign_is_sanitised_on_entry() {
    let mut copilot = Copilot::new("linus\x1b[31m.example\n");
    let bad = "x\x1b]0;t\x07\u{202e}y\r";
    apply(
        &mut copilot,
        json!({
            "chat_response": { "message": format!("\x1b[1m{bad}") },
            "intent_update": { "summary": bad, "steps": [{ "status": "done", "text": bad }] },
            "suggested_commands": { "commands": [{ "id": "a", "command": "ls", "description": bad }] },
        }),
        Instant::now(),
    );
    assert_eq!(copilot.link.peer(), "linus.example");
    assert_eq!(copilot.chat.entries().last().unwrap().text, "\x1b[1mxy");
    let intent = copilot.intent.unwrap();
    assert_eq!((intent.summary.as_str(), intent.steps[0].text.as_str()), ("xy", "xy"));
    let card = copilot.suggestions.get("a").unwrap();
    assert_eq!((card.description.as_str(), card.label), ("xy", Risk::High));
}

#[test]
fn memory_is_bounded_whatever_linus_sends() {
    let mut copilot = Copilot::new("test");
    let now = Instant::now();
    let big = "x".repeat(100_000);
    let many: Vec<_> = (0..200).map(|i| card(&format!("c{i}"), &big)).collect();
    for _ in 0..3 {
        apply(
            &mut copilot,
            json!({ "chat_response": { "message": big },
                "intent_update": { "summary": big, "steps": vec![json!({ "status": "done", "text": big }); 500] },
                "suggested_commands": { "commands": many } }),
            now,
        );
    }
    assert_eq!(copilot.suggestions.cards().count(), 50);
    assert!(copilot.suggestions.cards().all(|c| c.command.len() <= 8192 && c.refused.is_some()));
    assert_eq!(copilot.intent.as_ref().unwrap().steps.len(), 50);
    for _ in 0..100 {
        copilot.chat.answer(&big);
    }
    assert!(copilot.chat.entries().map(|e| e.text.len()).sum::<usize>() <= 512 * 1024);
    apply(&mut copilot, cards(&[card(&big, "ls")]), now);
    assert!(copilot.chat.entries().last().unwrap().text.contains("without a usable id"));
}

#[test]
fn a_full_list_makes_room_by_what_is_done() {
    let mut copilot = Copilot::new("test");
    let now = Instant::now();
    let many: Vec<_> = (0..50).map(|i| card(&format!("c{i}"), "ls")).collect();
    apply(&mut copilot, cards(&many), now);
    copilot.suggestions.dismiss("c7", now);
    apply(&mut copilot, cards(&[card("new", "id"), card("more", "id")]), now);
    assert!(copilot.suggestions.get("new").is_some() && copilot.suggestions.get("more").is_none());
    assert!(copilot.chat.entries().last().unwrap().text.contains("left out"));
}

#[test]
fn a_message_is_marked_by_what_became_of_it() {
    let mut copilot = Copilot::new("test");
    let id = copilot.chat.say("why\x1b[2J is /var full");
    assert!(copilot.chat.is_waiting());
    copilot.chat.set_writing("Looking");
    copilot.chat.set_delivery(id, Delivery::Queued);
    assert!(!copilot.chat.is_waiting());
    copilot.chat.set_delivery(id, Delivery::Delivered);
    copilot.chat.answer("It is the logs.");
    assert_eq!(copilot.chat.writing(), None);
    let said: Vec<&str> = copilot.chat.entries().map(|e| e.text.as_str()).collect();
    assert_eq!(said, ["why is /var full", "It is the logs."]);
}

#[test]
fn the_link_says_why_it_is_down() {
    let mut copilot = Copilot::new("linus.example");
    copilot.link.offline("connect: \x1b[31mrefused\n");
    assert_eq!((copilot.link.is_offline(), copilot.link.problem()), (true, Some("connect: refused")));
    copilot.link.online(Duration::from_millis(12));
    assert_eq!((copilot.link.state(), copilot.link.problem()), (LinkState::Online, None));
}
