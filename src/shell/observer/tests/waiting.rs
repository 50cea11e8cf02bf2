//! Pagers, questions and programs that read lines: waiting, and never taken for the end of a command.

use super::cases::{BASH, bash, run, told};
use super::recorded::{Recording, recordings};
use super::*;

/// The states that a recording goes through, without repeats, as keys and output come in their own time.
fn states(recording: &Recording) -> Vec<State> {
    let mut rig = Rig::new();
    let start = rig.now;
    let mut states = Vec::new();
    for (t, is_input, text) in &recording.events {
        rig.wait(start + Duration::from_millis(*t) - rig.now);
        states.push(rig.state());
        if *is_input {
            rig.keys(text);
        } else {
            rig.feed(text.chars().map(|c| c as u8).collect::<Vec<u8>>());
        }
    }
    states.dedup();
    states
}

fn recorded(name: &str) -> Recording {
    recordings().into_iter().find(|r| r.name == name).unwrap()
}

#[test]
fn a_recorded_pager_waits_and_ends_in_a_prompt() {
    for name in ["vtysh", "zebra"] {
        let states = states(&recorded(name));
        let waits = states.iter().filter(|s| **s == State::Waiting).count();
        assert!(waits >= 1, "{name}: {states:?}");
        assert_eq!(states.last(), Some(&State::AtPrompt), "{name}");
        let secret = states.contains(&State::Secret);
        assert_eq!(secret, name == "zebra", "{name}: {states:?}");
    }
}

#[test]
fn recorded_programs_that_read_lines_are_states_of_their_own() {
    let states = states(&recorded("programs"));
    assert!(
        states.iter().filter(|s| **s == State::Waiting).count() >= 3,
        "less, more, a question: {states:?}"
    );
    assert!(states.iter().filter(|s| **s == State::Program).count() >= 2, "python, sqlite: {states:?}");
    assert_eq!(states.last(), Some(&State::AtPrompt));
}

#[test]
fn output_that_ends_as_a_question_is_none_when_the_prompt_follows_on_its_line() {
    let mut rig = bash();
    run(&mut rig, "printf 'Password: '");
    rig.feed("Password: ");
    assert_eq!(rig.state(), State::Secret);
    rig.feed(BASH);
    rig.settle();
    assert_eq!(rig.take(), told(Some("printf 'Password: '"), "Password:"));
    assert_eq!(rig.state(), State::AtPrompt);
    // Without a line editor's signal.
    let mut rig = Rig::new();
    rig.feed("$ ");
    rig.settle();
    for output in ["hi\r\n", "Password: "] {
        rig.keys("x\r");
        rig.feed(format!("x\r\n{output}"));
        rig.feed("$ ");
        rig.settle();
        assert_eq!(rig.state(), State::AtPrompt, "{output}");
    }
}

#[test]
fn a_code_that_is_echoed_together_with_the_next_prompt_is_told_to_nobody() {
    let marked = format!("\x1b]133;D;0\x07\x1b]133;A\x07{BASH}\x1b]133;B\x07");
    for next in [BASH, &format!("\x1b]0;joe@web1: ~\x07{BASH}"), &marked] {
        let mut rig = bash();
        run(&mut rig, "read -rp 'Verification code: ' x; echo got");
        rig.feed("\x1b]133;C\x07Verification code: ");
        assert_eq!(rig.state(), State::Secret);
        rig.keys("445566\r");
        rig.feed(format!("445566\r\ngot\r\n{next}"));
        rig.settle();
        let told = format!("{:?}{:?}", rig.take(), rig.observer.hide_secrets(rig.observer.tail(1000)));
        assert!(told.matches("got").count() > 2 && !told.contains("445566"), "{next:?}: {told}");
    }
}
