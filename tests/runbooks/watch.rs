//! What the built-in Linus says unasked, and runbooks of the user's own.

use super::story::Story;
use aissh::builtin::{Builtin, check};
use aissh::linus::contract::Envelope;

const DF: &str = "Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 45G 44G 0.9G 98% /var\n";

fn watching() -> Story {
    let linus = Builtin::new();
    linus.set_watch(true);
    Story::with(linus, "root")
}

fn note(envelope: &Envelope) -> Option<String> {
    let notes = envelope.notifications.as_ref()?;
    assert_eq!(notes.notes.len(), 1);
    Some(notes.notes[0].text.clone())
}

#[test]
fn a_full_filesystem_on_the_screen_is_told_in_one_line_and_once() {
    let mut story = watching();
    story.on_screen("df -h", DF);
    let envelope = story.update(DF);
    let text = note(&envelope).expect("a note");
    assert!(text.starts_with("/var is 98 % full") && text.contains("Ask me: \"/var is full\"."), "{text}");
    assert!(
        !text.contains('\n') && envelope.suggested_commands.is_none() && envelope.chat_response.is_none()
    );
    for _ in 0..200 {
        assert_eq!(note(&story.update(DF)), None, "said once");
    }
}

#[test]
fn notes_are_a_minute_apart_and_end_when_the_user_has_enough() {
    let mut story = watching();
    story.on_screen("df -h", DF);
    assert!(note(&story.update(DF)).is_some());
    story.on_screen("nginx", "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\n");
    for _ in 0..59 {
        assert_eq!(note(&story.update("x\n")), None);
    }
    let text = (0..3).find_map(|_| note(&story.update("x\n"))).expect("the next one");
    assert!(text.contains("another one has the port"), "{text}");
    assert!(story.chat("be quiet").contains("nothing unasked"));
    story.on_screen("dmesg", "[1] Out of memory: Killed process 42 (mysqld) total-vm:9kB, anon-rss:2048kB\n");
    for _ in 0..200 {
        assert_eq!(note(&story.update("x\n")), None);
    }
}

#[test]
fn nothing_is_said_unasked_where_it_is_off_or_only_quoted() {
    let mut story = Story::new("root");
    story.on_screen("df -h", DF);
    assert_eq!(note(&story.update(DF)), None, "off until it is switched on");
    let mut story = watching();
    story.on_screen(
        "cat notes.txt",
        "Out of memory: Killed process 42 (mysqld) total-vm:9kB, anon-rss:2048kB\n",
    );
    story.on_screen("cat ticket", DF.lines().nth(1).unwrap_or_default());
    assert_eq!(note(&story.update("x\n")), None, "what a viewer shows is no state");
    // While a plan is at hand, that speaks.
    let mut story = watching();
    story.chat("/var is full");
    assert_eq!(note(&story.update(DF)), None);
}

const OWN: &str = r#"
name = "license-server"
area = "services"
title = "the license server"
example = "license server is down"

[intent]
summary = "Looking at the license server"

[trigger]
question = ['\blicense server\b']

[[pattern]]
table = "feature"
line = '^Users of (?P<name>\w+): .*Total of (?P<total>\d+) licenses issued; +Total of (?P<used>\d+)'
units = { total = "count", used = "count" }
key = ["name"]

[[fact]]
name = "f"
value = "last(feature)"

[[finding]]
when = "f.used >= f.total"
text = "All {f.total} licenses of {f.name} are taken."
cite = "f"

[[step]]
text = "Ask it"
done = "known(f)"

[[step.card]]
command = "lmstat -a"
text = "Licenses in use"
risk = "low"
"#;

#[test]
fn a_runbook_of_the_users_own_works_and_one_with_our_name_takes_its_place() {
    let (linus, mistakes) = Builtin::with_runbooks([("own.toml", OWN)].into_iter());
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let mut story = Story::with(linus, "root");
    story.chat("license server is down");
    let answer = story.run(
        "lmstat -a",
        "Users of cad: (Total of 5 licenses issued;  Total of 5 licenses in use)\n",
        Some(0),
    );
    assert!(answer.contains("All 5 licenses of cad are taken."), "{answer}");
    let ours = OWN.replace("license-server", "port-in-use");
    let (linus, _) = Builtin::with_runbooks([("mine.toml", ours.as_str())].into_iter());
    let mut story = Story::with(linus, "root");
    assert!(story.chat("port 80 is in use").starts_with("I don't know."), "ours has given way");
}

#[test]
fn a_bad_file_costs_itself_and_says_where_it_is_wrong() {
    let bad = OWN.replace("last(feature)", "last(features)").replace("f.used >= f.total", "f.used >=");
    let mistakes = check(&bad).expect_err("two mistakes");
    let lines: Vec<usize> = mistakes.iter().map(|m| m.line).collect();
    let line_of = |part: &str| bad.lines().position(|l| l.contains(part)).map_or(0, |at| at + 1);
    assert_eq!(lines, [line_of("last(features)"), line_of("f.used >=")], "{mistakes:?}");
    assert!(mistakes[0].what.contains("unknown table `features`; known are feature"), "{mistakes:?}");
    let files = [("bad.toml", bad.as_str()), ("garbage.toml", "not toml ["), ("own.toml", OWN)];
    let (linus, mistakes) = Builtin::with_runbooks(files.into_iter());
    assert_eq!(mistakes.len(), 3);
    let mut story = Story::with(linus, "root");
    let answer = story.chat("license server is down");
    assert!(
        answer.contains("I left out bad.toml (line ") && answer.contains("garbage.toml (line 1"),
        "{answer}"
    );
    assert!(story.commands() == ["lmstat -a"] && check(OWN).is_ok_and(|s| s.name == "license-server"));
}

#[test]
fn the_subject_can_change_and_come_back() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    assert_eq!(story.commands(), ["df -h /var"]);
    story.run("df -h /var", DF, Some(0));
    let plan: Vec<String> = story.commands().into_iter().map(Into::into).collect();
    story.chat("port 80 is already in use");
    assert_eq!(story.commands(), ["ss -Hltnp 'sport = :80'"]);
    story.chat("port 443 is already in use");
    assert_eq!(story.commands(), ["ss -Hltnp 'sport = :443'"], "another port is another question");
    let answer = story.chat("back to the full /var");
    assert_eq!(story.commands(), plan, "its evidence was kept: {answer}");
    assert!(answer.contains("/var is 98 % full"), "{answer}");
}

#[test]
fn where_two_are_as_likely_the_user_is_asked_and_a_number_answers() {
    let mut story = Story::new("root");
    let answer = story.chat("dns and the clock: is ntp wrong or name resolution?");
    assert!(answer.starts_with("That can be several things. Which one?"), "{answer}");
    assert!(story.commands().is_empty());
    let wanted = answer.lines().position(|l| l.contains("clock")).expect("the clock is among them");
    story.chat(&wanted.to_string());
    assert_eq!(story.commands(), ["timedatectl"]);
}
