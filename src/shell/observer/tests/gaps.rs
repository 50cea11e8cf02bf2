//! Output that was too much to read: what may still be said.

use super::*;
use crate::shell::facts::{CommandRecord, ExitStatus};
use crate::terminal::{Modes, Skimmer};

const PROMPT: &str = "\x1b]133;A\x07\x1b[?2004hjoe@web1:~$ \x1b]133;B\x07";

/// Feeds `head`, skips `middle`, goes on with `newest`.
fn skip(rig: &mut Rig, head: &str, middle: &str, newest: &str) {
    let mut modes = Modes::new();
    modes.feed(format!("\x1b[?2004h{head}").as_bytes());
    rig.feed(head);
    let mut skimmed = Skimmer::after(&modes);
    skimmed.feed(middle.as_bytes());
    modes.feed(format!("{middle}{newest}").as_bytes());
    rig.observer.resync(&skimmed, &modes, rig.now);
    rig.feed(newest);
    rig.settle();
}

/// A shell with marks in which `command` was just accepted.
fn running(command: &str) -> Rig {
    let mut rig = Rig::new();
    rig.feed(PROMPT);
    rig.settle();
    rig.keys(command);
    rig.feed(command);
    rig.input(Input::Enter);
    rig.feed("\r\n\x1b[?2004l\r\x1b]133;C\x07");
    rig.take();
    rig
}

fn records(rig: &mut Rig) -> Vec<CommandRecord> {
    let record = |e| if let ShellEvent::Command(record) = e { Some(record) } else { None };
    rig.take().into_iter().filter_map(record).collect()
}

#[test]
fn a_command_whose_middle_was_skipped_is_told_with_its_status_and_its_end() {
    let mut rig = running("cat log");
    skip(&mut rig, "first\r\n", &"line\r\n".repeat(9), &format!("ne\r\nlast\r\n\x1b]133;D;3\x07{PROMPT}"));
    let [record] = records(&mut rig).try_into().expect("one record");
    assert_eq!(record.command.as_deref(), Some("cat log"));
    assert_eq!(record.exit.map(|exit| exit.code), Some(3));
    assert!(record.output.starts_with("first") && record.output.ends_with("last"), "{:?}", record.output);
    assert_eq!(rig.state(), State::AtPrompt);
}

#[test]
fn a_status_in_what_was_skipped_is_not_given_to_another_command() {
    let mut rig = running("false-alarm");
    let next = format!("\x1b]133;D;1\x07{PROMPT}other\r\n\x1b[?2004l\x1b]133;C\x07{}", "x\r\n".repeat(9));
    skip(&mut rig, "first\r\n", &next, &format!("y\r\nlast\r\n\x1b]133;D;0\x07{PROMPT}"));
    let all = records(&mut rig);
    let status = |record: &CommandRecord| record.exit.map(|ExitStatus { code, .. }| code);
    assert_eq!((all[0].command.as_deref(), status(&all[0])), (Some("false-alarm"), Some(1)));
    assert!(all[0].output.ends_with("--- snip ---") && !all[0].output.contains("last"));
    let rest: Vec<_> = all[1..].iter().map(|record| record.command.as_deref()).collect();
    assert!(rest.iter().all(Option::is_none), "what was not seen is not known: {rest:?}");
}

#[test]
fn without_marks_a_line_typed_ahead_makes_the_command_unknown() {
    let mut rig = Rig::new();
    rig.feed("\x1b[?2004hjoe@web1:~$ ");
    rig.settle();
    rig.keys("cat log");
    rig.feed("cat log");
    rig.input(Input::Enter);
    rig.feed("\r\n\x1b[?2004l\r");
    rig.keys("make\r");
    skip(&mut rig, "first\r\n", &"line\r\n".repeat(9), "ne\r\nmade\r\n\x1b[?2004hjoe@web1:~$ ");
    assert!(records(&mut rig).iter().all(|record| record.command.is_none()), "cat did not print \"made\"");
}

#[test]
fn a_sequence_that_was_skipped_in_the_middle_is_no_text() {
    let mut rig = running("img");
    skip(&mut rig, "first\r\n", "line\r\n\x1bPq#0;2;0", ";0;0~~\x1b\\\r\nlast\r\n\x1b]133;D;0\x07");
    let screen = rig.observer.emulator().screen().contents();
    assert!(screen.contains("last") && !screen.contains("~~"), "{screen:?}");
}
