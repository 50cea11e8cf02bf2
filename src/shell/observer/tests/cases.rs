//! One behaviour a test, on streams written by hand.

use super::*;
use crate::shell::facts::{CommandRecord, Evidence, ExitStatus, Origin};

pub(super) const BASH: &str = "\x1b[?2004hjoe@web1:~$ ";

/// A bash with its line editor, at its prompt.
pub(super) fn bash() -> Rig {
    let mut rig = Rig::new();
    rig.feed(BASH);
    rig.settle();
    rig.take();
    rig
}

/// Types a command and lets bash accept it.
pub(super) fn run(rig: &mut Rig, command: &str) {
    rig.keys(command);
    rig.feed(command);
    rig.input(Input::Enter);
    rig.feed("\r\n\x1b[?2004l\r");
}

fn record(command: Option<&str>, output: &str) -> CommandRecord {
    CommandRecord {
        command: command.map(str::to_owned),
        origin: Origin::UserTyped,
        output: output.to_owned(),
        exit: None,
        finished: true,
        reported: false,
    }
}

pub(super) fn told(command: Option<&str>, output: &str) -> [ShellEvent; 3] {
    let started = ShellEvent::Started { command: command.map(str::to_owned) };
    [started, ShellEvent::Command(record(command, output)), ShellEvent::Prompt]
}

pub(super) fn records(events: Vec<ShellEvent>) -> Vec<CommandRecord> {
    let record = |e| if let ShellEvent::Command(record) = e { Some(record) } else { None };
    events.into_iter().filter_map(record).collect()
}

#[test]
fn a_typed_command_is_told_with_its_output() {
    let mut rig = bash();
    assert_eq!(rig.state(), State::AtPrompt);
    run(&mut rig, "echo hi");
    assert_eq!(rig.state(), State::Running);
    rig.feed(format!("\x1b[31mhi\x1b[m\r\n{BASH}"));
    rig.settle();
    assert_eq!(rig.take(), told(Some("echo hi"), "\x1b[31mhi\x1b[m"));
    let facts = rig.observer.facts();
    assert_eq!((facts.user.as_deref(), facts.cwd.as_deref()), (Some("joe"), Some("~")));
    assert_eq!((facts.last_command.as_deref(), facts.last_exit), (Some("echo hi"), None));
}

#[test]
fn a_sent_command_keeps_its_text_and_origin_however_it_is_echoed() {
    let mut rig = bash();
    let origin = Origin::Suggested { id: "c1".into(), was_edited: true };
    rig.input(Input::Sent { command: "df -h", origin: origin.clone() });
    rig.feed("d\x08\x1b[32mdf\x1b[m -h\r\n\x1b[?2004l\rfull\r\n");
    rig.feed(BASH);
    rig.settle();
    let expected = CommandRecord { origin, ..record(Some("df -h"), "full") };
    assert_eq!(records(rig.take()), [expected]);
    run(&mut rig, "ls");
    rig.feed(BASH);
    rig.settle();
    assert_eq!(rig.take(), told(Some("ls"), ""), "the next one is the user's again");
}

#[test]
fn an_enter_while_a_command_runs_is_not_a_command() {
    let mut rig = bash();
    run(&mut rig, "cat");
    rig.keys("a line\r");
    rig.feed("a line\r\na line\r\n");
    rig.settle();
    rig.input(Input::Interrupt);
    rig.feed(BASH);
    rig.settle();
    assert_eq!(rig.take(), told(Some("cat"), "a line\na line"));
}

#[test]
fn an_empty_enter_is_not_a_command() {
    let mut rig = bash();
    run(&mut rig, "");
    rig.feed(BASH);
    rig.settle();
    assert_eq!(records(rig.take()), []);
    assert_eq!(rig.state(), State::AtPrompt);
}

#[test]
fn a_long_run_is_told_once_and_its_end_again() {
    let mut rig = bash();
    run(&mut rig, "make");
    rig.feed("one\r\n");
    rig.wait(LONG_RUN * 3);
    let running = CommandRecord { finished: false, ..record(Some("make"), "one") };
    assert_eq!(records(rig.take()), [running]);
    rig.feed(format!("two\r\n{BASH}"));
    rig.settle();
    let ended = CommandRecord { reported: true, ..record(Some("make"), "one\ntwo") };
    assert_eq!(records(rig.take()), [ended]);
}

#[test]
fn the_status_that_a_mark_tells_is_known_and_no_other() {
    let mut rig = Rig::new();
    let prompt = "\x1b]133;A;aid=1\x07$ \x1b]133;B\x07";
    rig.feed(prompt);
    rig.keys("false\r");
    rig.feed(format!("false\r\n\x1b]133;C\x07\x1b]133;D;0;aid=9\x07\x1b]133;D;7;aid=1\x07{prompt}"));
    let exit = Some(ExitStatus { code: 7, evidence: Evidence::Mark });
    assert_eq!(records(rig.take()), [CommandRecord { exit, ..record(Some("false"), "") }]);
    assert_eq!(rig.observer.facts().last_exit, Some(7));
    rig.keys("true\r");
    rig.feed(format!("true\r\n\x1b]133;C\x07{prompt}"));
    assert_eq!(records(rig.take()), [record(Some("true"), "")], "no D, no status");
    assert_eq!(rig.observer.facts().last_exit, None);
}

#[test]
fn a_marked_prompt_that_came_in_two_parts_is_read_as_one() {
    // tcsh's marks: a prompt's begin, and no end.
    let mut rig = Rig::new();
    rig.feed("\x1b]133;A\x07jo");
    rig.settle();
    rig.feed("e@web1:~> ");
    rig.keys("ls");
    rig.feed("ls");
    rig.input(Input::Enter);
    rig.feed("\r\n\x1b]133;C\x07file\r\n\x1b]133;D;0\x07");
    let record = records(rig.take()).remove(0);
    assert_eq!((record.command.as_deref(), record.output.as_str()), (Some("ls"), "file"));
}

#[test]
fn a_status_mark_of_another_shell_is_not_for_this_ones_command() {
    let prompt = "\x1b]133;A\x07$ \x1b]133;B\x07";
    let mut rig = Rig::new();
    rig.feed(prompt);
    for (command, known) in [("bash", None), ("sudo -i", None), ("sudo true", Some(0))] {
        rig.keys(command);
        rig.feed(command);
        rig.input(Input::Enter);
        // Some set-ups send a D at a shell's first prompt too.
        rig.feed(format!("\r\n\x1b]133;C\x07\x1b]133;D;0\x07{prompt}"));
        let exit = records(rig.take()).remove(0).exit.map(|e| e.code);
        assert_eq!(exit, known, "{command}");
    }
}

#[test]
fn a_right_prompt_is_no_part_of_a_command_and_a_tall_prompt_none_of_the_output() {
    let mut rig = Rig::new();
    let prompt = |time: &str| format!("\r\x1b[J~\r\n❯ {}{time}\x1b[78D\x1b[?2004h", " ".repeat(72));
    rig.feed(prompt("12:00"));
    for (n, time) in ["12:01", "12:02"].into_iter().enumerate() {
        let command = format!("echo {n}");
        rig.keys(&command);
        rig.feed(&command);
        rig.input(Input::Enter);
        rig.feed(format!("\x1b[?2004l\r\r\n{n}\r\n{}", prompt(time)));
        assert_eq!(rig.take(), told_at(&command, &n.to_string(), n == 0));
    }
}

fn told_at(command: &str, output: &str, first: bool) -> Vec<ShellEvent> {
    let told = told(Some(command), output);
    if first { [vec![ShellEvent::Prompt], told.to_vec()].concat() } else { told.to_vec() }
}

#[test]
fn marks_that_carry_the_command_line_are_believed_over_the_screen() {
    let mut rig = Rig::new();
    rig.feed("\x1b]133;A\x07\x1b[?2004h~> \x1b]133;B\x07");
    rig.keys("for x\r\r");
    rig.feed(
        "for x\r\n   echo\r\n\x1b[?2004l\x1b]133;C;cmdline_url=for%20x%0Aecho\x07hi\r\n\x1b]133;D;0\x07",
    );
    let exit = Some(ExitStatus { code: 0, evidence: Evidence::Mark });
    assert_eq!(records(rig.take()), [CommandRecord { exit, ..record(Some("for x\necho"), "hi") }]);
}

#[test]
fn a_continuation_is_no_prompt_and_makes_the_command_unknown() {
    let mut rig = bash();
    run(&mut rig, "echo 'a");
    rig.feed("\x1b[?2004h> ");
    rig.wait(LONG_RUN * 2);
    assert_eq!(rig.take(), [], "nothing runs yet");
    rig.keys("b'");
    rig.feed("b'");
    rig.input(Input::Enter);
    rig.feed(format!("\r\n\x1b[?2004l\ra\r\nb\r\n{BASH}"));
    rig.settle();
    assert_eq!(rig.take(), told(None, "a\nb"));
}

#[test]
fn a_program_that_reads_lines_is_not_a_shell() {
    let mut rig = bash();
    run(&mut rig, "python3");
    rig.feed("Python 3.13\r\n\x1b[?2004h>>> ");
    rig.settle();
    assert_eq!(rig.state(), State::Program);
    run(&mut rig, "1+1");
    rig.feed("2\r\n\x1b[?2004h>>> ");
    rig.settle();
    assert_eq!(records(rig.take()), []);
    rig.input(Input::Interrupt);
    rig.feed(format!("\r\n\x1b[?2004l\r{BASH}"));
    rig.settle();
    let ended = records(rig.take());
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].command.as_deref(), Some("python3"));
}

#[test]
fn a_password_is_a_secret_until_its_line_ends() {
    let mut rig = bash();
    run(&mut rig, "sudo -i");
    rig.feed("[sudo] password for joe: ");
    assert_eq!(rig.state(), State::Secret);
    rig.keys("hunter2\r");
    assert_eq!(rig.state(), State::Secret);
    rig.feed("\r\n");
    assert_eq!(rig.state(), State::Running);
    rig.wait(Duration::from_secs(3));
    rig.take();
    rig.feed("\x1b[?2004hroot@web1:~# ");
    rig.settle();
    let nested = CommandRecord { finished: false, ..record(Some("sudo -i"), "[sudo] password for joe:") };
    assert_eq!(records(rig.take()), [nested], "its shell runs, it has not ended");
    assert_eq!(rig.state(), State::AtPrompt);
    assert_eq!(rig.observer.facts().user.as_deref(), Some("root"));
}

#[test]
fn a_question_that_does_not_echo_becomes_a_secret() {
    let mut rig = bash();
    run(&mut rig, "unlock");
    rig.feed("Zaubertrank: ");
    rig.settle();
    rig.keys("x");
    rig.wait(Duration::from_secs(1));
    assert_eq!(rig.state(), State::Secret);
    let mut rig = bash();
    rig.input(Input::LocalSecret(true));
    rig.keys("hunter2\r");
    assert_eq!(rig.state(), State::Secret);
    rig.input(Input::LocalSecret(false));
    assert_eq!(rig.state(), State::AtPrompt);
}

#[test]
fn a_full_screen_program_is_told_at_its_end_without_its_screen() {
    let mut rig = bash();
    run(&mut rig, "vim x");
    rig.feed("\x1b[?1049h\x1b[?2004h\x1b[H~\r\n~ password: ");
    rig.keys(":q\r");
    rig.settle();
    assert_eq!(rig.state(), State::FullScreen);
    rig.feed(format!("\x1b[?2004l\x1b[?1049l{BASH}"));
    rig.settle();
    assert_eq!(rig.take(), told(Some("vim x"), ""));
}

#[test]
fn lines_typed_ahead_are_commands_of_their_own() {
    let mut rig = bash();
    run(&mut rig, "sleep 1");
    rig.keys("echo hi\r");
    rig.feed("echo hi\r\n");
    rig.settle();
    rig.feed(format!("{BASH}echo hi\r\n\x1b[?2004l\rhi\r\n{BASH}"));
    rig.settle();
    let expected = [record(Some("sleep 1"), "echo hi"), record(Some("echo hi"), "hi")];
    assert_eq!(records(rig.take()), expected);
}

#[test]
fn an_unfamiliar_prompt_is_believed_when_it_comes_back() {
    let mut rig = Rig::new();
    rig.feed("welcome\r\nweb1 λ ");
    rig.settle();
    assert_eq!(rig.state(), State::Unknown);
    rig.keys("ls\r");
    rig.feed("ls\r\nfile\r\n");
    rig.settle();
    assert_eq!(rig.state(), State::Unknown);
    rig.feed("web1 λ ");
    rig.settle();
    assert_eq!(rig.take(), told(Some("ls"), "file"));
    // A menu of the login is answered, and does not come back.
    let mut rig = Rig::new();
    rig.feed("1) prod 2) test ? ");
    rig.settle();
    rig.keys("1\r");
    rig.feed(format!("1\r\n{BASH}"));
    rig.settle();
    assert_eq!(rig.take(), [ShellEvent::Prompt]);
}

#[test]
fn a_dropped_line_is_not_a_command() {
    let mut rig = bash();
    rig.keys("rm x\x03");
    rig.feed(format!("rm x^C\r\n\x1b[?2004l\r\x1b[?2004l\r{BASH}"));
    rig.settle();
    run(&mut rig, "ls");
    rig.feed(BASH);
    rig.settle();
    let commands: Vec<_> = records(rig.take()).into_iter().map(|r| r.command).collect();
    assert_eq!(commands, [Some("ls".to_owned())]);
}

#[test]
fn a_directory_that_the_prompt_does_not_renew_is_unknown() {
    let mut rig = Rig::new();
    rig.feed("\x1b]0;joe@web1: ~/a\x07$ ");
    rig.settle();
    assert_eq!(rig.observer.facts().cwd.as_deref(), Some("~/a"));
    rig.keys("cd ..\r");
    rig.feed("cd ..\r\n$ ");
    rig.settle();
    assert_eq!(rig.observer.facts().cwd, None);
}

#[test]
fn what_is_told_of_the_screen_is_plain_if_that_is_wished() {
    let tail = |sgr| {
        let mut observer = Observer::new(Size::new(80, 24)).with_tail(Tail { lines: 2, sgr });
        observer.feed(b"one\r\n\x1b[31mtwo\x1b[m\r\n$ ", Instant::now());
        (observer.tail(1000), observer.shown_since(1, 1000))
    };
    assert_eq!(tail(false), ("two\n$".to_owned(), "two\n$".to_owned()));
    let coloured = "\x1b[31mtwo\x1b[m\n$".to_owned();
    assert_eq!(tail(true), (coloured.clone(), coloured));
}

#[test]
fn output_is_bounded_and_keeps_its_end() {
    let mut rig = bash();
    run(&mut rig, "yes");
    for _ in 0..200 {
        rig.feed("y".repeat(78) + "\r\n");
        rig.feed("0123456789\r\n".repeat(100));
    }
    rig.feed(format!("the end\r\n{BASH}"));
    rig.settle();
    let record = records(rig.take()).remove(0);
    assert!(record.output.len() <= 64 * 1024 && record.output.len() > 60 * 1024);
    assert!(record.output.ends_with("\nthe end"));
}

#[test]
fn keys_at_a_prompt_that_has_not_settled_are_typed_at_it() {
    for fast in [true, false] {
        let mut rig = Rig::new();
        rig.feed("\r\nroot@OpenWrt:~# \x1b[6n");
        for word in ["one", "two"] {
            rig.keys("echo ");
            rig.feed("echo ");
            rig.keys(word);
            rig.feed(word);
            rig.input(Input::Enter);
            rig.feed(format!("\r\n{word}\r\nroot@OpenWrt:~# \x1b[6n"));
            if !fast {
                rig.settle();
            }
        }
        rig.keys("x");
        let commands: Vec<_> = records(rig.take()).into_iter().map(|r| (r.command, r.output)).collect();
        let told = |word: &str| (Some(format!("echo {word}")), word.to_owned());
        assert_eq!(commands, [told("one"), told("two")], "fast: {fast}");
    }
}

#[test]
fn a_prompt_for_which_lines_were_typed_ahead_is_remembered() {
    let mut rig = Rig::new();
    rig.keys("early\r");
    rig.feed("early\r\nweb1$ ");
    rig.settle();
    rig.keys("ls\r");
    rig.feed("ls\r\nfile\r\nweb1$ ");
    rig.settle();
    assert_eq!(records(rig.take()), [record(Some("ls"), "file")]);
}

#[test]
fn a_line_begun_before_its_prompt_is_not_cut() {
    // dash reads what the kernel has echoed before the prompt and after it as one line.
    let mut rig = Rig::new();
    rig.feed("$ ");
    rig.settle();
    rig.keys("sleep 1\r");
    rig.feed("sleep 1\r\n");
    rig.keys("ec");
    rig.feed("ec");
    rig.settle();
    rig.feed("$ ");
    rig.settle();
    rig.keys("ho hi\r");
    rig.feed("ho hi\r\nhi\r\n$ ");
    rig.settle();
    let commands: Vec<_> = records(rig.take()).into_iter().map(|r| r.command).collect();
    assert_eq!(commands, [Some("sleep 1".to_owned()), None]);
}

#[test]
fn a_menu_answered_at_login_does_not_hide_the_prompt_after_it() {
    let mut rig = Rig::new();
    rig.feed("1) prod 2) test ? ");
    rig.settle();
    rig.keys("1\r");
    rig.feed("1\r\njoe@web1:~$ ");
    rig.settle();
    assert_eq!((rig.state(), rig.take()), (State::AtPrompt, vec![ShellEvent::Prompt]));
}

#[test]
fn an_enter_that_a_program_has_read_does_not_stay() {
    let mut rig = bash();
    run(&mut rig, "read x");
    rig.keys("abc\r");
    rig.feed(format!("abc\r\n{BASH}"));
    rig.wait(Duration::from_secs(3));
    assert!(rig.state() == State::AtPrompt && !rig.observer.line_is_taken(rig.now));
    rig.take();
    run(&mut rig, "ls");
    rig.feed(format!("file\r\n{BASH}"));
    rig.wait(Duration::from_secs(3));
    assert_eq!(rig.take(), told(Some("ls"), "file"));
    assert!(!rig.observer.line_is_taken(rig.now));
}
