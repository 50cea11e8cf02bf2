//! Output that was too much to read: what may still be said.

use super::*;
use crate::shell::facts::{CommandRecord, ExitStatus};
use crate::terminal::{SNIP, Skimmer};

const BASH: &str = "\x1b[?2004hjoe@web1:~$ ";
const PROMPT: &str = "\x1b]133;A\x07\x1b[?2004hjoe@web1:~$ \x1b]133;B\x07";

/// Feeds `head`, skips `middle`, goes on with `newest`.
fn skip(rig: &mut Rig, head: &str, middle: &str, newest: &str) {
    rig.feed(head);
    let mut modes = rig.observer.emulator().modes().clone();
    let mut skimmed = Skimmer::after(&modes);
    skimmed.feed(middle.as_bytes());
    modes.feed(middle.as_bytes());
    rig.observer.resync(&skimmed, &modes, rig.now);
    rig.feed(newest);
    rig.settle();
}

/// A bash without marks in which `command` was just accepted.
fn bash(command: &str) -> Rig {
    let mut rig = Rig::new();
    enter(&mut rig, command, BASH);
    rig
}

fn enter(rig: &mut Rig, command: &str, prompt: &str) {
    rig.feed(prompt);
    rig.settle();
    rig.keys(command);
    rig.feed(command);
    rig.input(Input::Enter);
    rig.feed("\r\n\x1b[?2004l\r");
    rig.settle();
    rig.take();
}

fn screen(rig: &Rig) -> String {
    rig.observer.emulator().screen().contents()
}

/// A shell with marks in which `command` was just accepted.
fn running(command: &str) -> Rig {
    let mut rig = Rig::new();
    enter(&mut rig, command, PROMPT);
    rig.feed("\x1b]133;C\x07");
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
    assert!(all[0].output.ends_with(SNIP) && !all[0].output.contains("last"));
    let rest: Vec<_> = all[1..].iter().map(|record| record.command.as_deref()).collect();
    assert!(rest.iter().all(Option::is_none), "what was not seen is not known: {rest:?}");
}

#[test]
fn without_marks_a_line_typed_ahead_makes_the_command_unknown() {
    let mut rig = bash("cat log");
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

#[test]
fn a_full_screen_program_that_left_unseen_is_left_and_the_next_secret_is_one() {
    let mut rig = bash("timg x.mp4");
    skip(&mut rig, "\x1b[?1049hframe", &"\x1b[Hframe".repeat(9), &format!("\x1b[HFRAME\x1b[?1049l{BASH}"));
    assert_eq!((rig.state(), rig.observer.emulator().is_alternate()), (State::AtPrompt, false));
    assert!(!screen(&rig).contains("FRAME"), "{:?}", screen(&rig));
    rig.keys("sudo ls");
    rig.feed("sudo ls");
    rig.input(Input::Enter);
    rig.feed("\r\n\x1b[?2004l\r[sudo] password for joe: ");
    assert_eq!(rig.state(), State::Secret);
}

#[test]
fn a_full_screen_program_that_came_unseen_is_there_and_leaves_the_lines_before_it() {
    let mut rig = bash("cat log; vim x");
    let newest = "tail1\r\ntail2\r\n\x1b[?1049h\x1b[H\x1b[2Jvim";
    skip(&mut rig, "", &"line\r\n".repeat(9), newest);
    assert_eq!((rig.state(), screen(&rig).trim()), (State::FullScreen, "vim"));
    rig.feed(format!("\x1b[?1049l{BASH}"));
    rig.settle();
    assert_eq!(rig.state(), State::AtPrompt);
    assert!(screen(&rig).ends_with("tail1\ntail2\njoe@web1:~$ "), "{:?}", screen(&rig));
}

#[test]
fn what_stood_below_a_full_screen_program_is_there_when_it_leaves() {
    let mut rig = bash("timg x.mp4");
    skip(&mut rig, "old\r\n\x1b[?1049hframe", &"\x1b[Hframe".repeat(9), "\x1b[HFRAME");
    assert_eq!(screen(&rig).trim(), "FRAME");
    rig.feed(format!("\x1b[?1049l{BASH}"));
    assert_eq!(screen(&rig), "joe@web1:~$ timg x.mp4\nold\njoe@web1:~$ ");
}

#[test]
fn marks_of_a_shell_inside_a_full_screen_program_are_not_the_outer_ones() {
    let mut rig = running("tmux attach");
    skip(&mut rig, "", &format!("\x1b[?1049hxx\x1b]133;D;1\x07{PROMPT}"), "y");
    assert_eq!((records(&mut rig), rig.state()), (Vec::new(), State::FullScreen));
}

#[test]
fn however_much_is_skipped_a_status_stays_with_its_command() {
    let other = format!("\x1b]133;D;0\x07{PROMPT}x\r\n\x1b]133;C\x07out\r\n");
    for titles in 0..4 {
        let mut rig = running("false-alarm");
        let first = format!("\x1b]9;4;1;50\x07\x1b]133;D;1\x07{PROMPT}x\r\n\x1b]133;C\x07");
        let middle = format!("{first}{}{}", other.repeat(40), "\x1b]0;t\x07".repeat(titles));
        skip(&mut rig, "first\r\n", &middle, &format!("y\r\n\x1b]133;D;0\x07{PROMPT}"));
        let known = records(&mut rig).into_iter().filter(|record| record.command.is_some());
        let known: Vec<_> = known.map(|record| (record.command, record.exit.map(|exit| exit.code))).collect();
        assert_eq!(known, [(Some("false-alarm".to_owned()), Some(1))]);
    }
}

#[test]
fn an_enter_that_was_answered_unseen_does_not_stay() {
    let mut rig = bash("cat log");
    rig.keys("make\r");
    let middle = format!("line\r\nmake\r\n{BASH}make\r\n\x1b[?2004l\rmade0\r\n");
    skip(&mut rig, "", &middle, &format!("made\r\n{BASH}"));
    rig.wait(Duration::from_secs(3));
    rig.take();
    for _ in 0..2 {
        assert!(rig.state() == State::AtPrompt && !rig.observer.line_is_taken(rig.now));
        rig.keys("ls");
        rig.feed("ls");
        rig.input(Input::Enter);
        rig.feed(format!("\r\n\x1b[?2004l\rfile\r\n{BASH}"));
        rig.wait(Duration::from_secs(3));
        let [record] = records(&mut rig).try_into().expect("one record");
        assert_eq!((record.command.as_deref(), record.output.as_str()), (Some("ls"), "file"));
    }
}

#[test]
fn output_with_a_hole_says_so_and_loses_no_line_besides() {
    let mut rig = running("job");
    let newest = format!("{}\r\nlast\r\n\x1b]133;D;0\x07{PROMPT}", "50%\r".repeat(100));
    skip(&mut rig, "first\r\nsecond\r\n", &"lost\r\n".repeat(9), &newest);
    let [record] = records(&mut rig).try_into().expect("one record");
    assert_eq!(record.output, format!("first\nsecond\n{SNIP}\n50%\nlast"));
    // Empty lines below the text are lines, too.
    let mut rig = running("echo");
    skip(&mut rig, "\r\n\r\n", &"lost\r\n".repeat(9), &format!("one\r\ntwo\r\n\x1b]133;D;0\x07{PROMPT}"));
    let [record] = records(&mut rig).try_into().expect("one record");
    assert_eq!(record.output, format!("\n\n{SNIP}\none\ntwo"));
}

#[test]
fn a_region_set_at_the_end_does_not_hold_for_the_lines_before_it() {
    let mut rig = bash("apt upgrade");
    let lines: String = (0..60).map(|n| format!("line {n}\r\n")).collect();
    skip(&mut rig, "", &"lost\r\n".repeat(9), &format!("{lines}\x1b[1;5r\x1b[1;1Hx"));
    let text = rig.observer.emulator().text_from(0, 200, 4000);
    assert!((0..30).all(|n| text.contains(&format!("line {n}\n"))), "{text}");
}

#[test]
fn a_question_for_a_secret_is_one_though_the_line_was_accepted_unseen() {
    let mut rig = Rig::new();
    rig.feed(BASH);
    rig.settle();
    rig.keys("cat log; sudo ls");
    rig.feed("cat log; sudo ls");
    rig.input(Input::Enter);
    let middle = format!("\r\n\x1b[?2004l\r{}", "line\r\n".repeat(9));
    skip(&mut rig, "", &middle, "x\r\n[sudo] password for joe: ");
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.state(), State::Secret);
}
