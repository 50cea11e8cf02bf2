//! What marks with the session's nonce are worth, and what others are not.

use super::*;
use crate::shell::facts::{CommandRecord, Evidence};
use crate::shell::{Nonce, Shell};

const PROMPT: &str = "joe@web1:~$ ";

fn nonce() -> Nonce {
    Nonce::new([0x5a; 16])
}

/// A mark as the integrated shell sends it.
fn ours(mark: &str) -> String {
    format!("\x1b]{mark}{}\x07", nonce().field())
}

fn prompt(status: i32) -> String {
    let (end, start) = (ours(&format!("133;D;{status}")), ours("133;A;redraw=0"));
    format!("{end}{start}\x1b[?2004h{PROMPT}{}\x1b]133;B\x07", ours("633;P;Cwd=/srv"))
}

/// A bash whose integration was sent, up to the prompt after it.
fn integrated(size: Size) -> Rig {
    let mut rig = Rig { observer: Observer::new(size), ..Rig::new() };
    rig.feed(format!("Last login: today\r\n\x1b[?2004h{PROMPT}"));
    rig.settle();
    let line = Shell::Bash.line(&nonce());
    rig.input(Input::Integrate { line: &line, nonce: nonce() });
    rig.feed(format!("{line}\r\n\x1b[?2004l\r"));
    rig.feed(prompt(3));
    rig.settle();
    rig
}

/// Types a command, and lets the shell run it.
fn run(rig: &mut Rig, command: &str, output: &str) {
    rig.keys(command);
    rig.feed(command);
    rig.input(Input::Enter);
    rig.feed(format!("\r\n\x1b[?2004l\r{}{output}", ours("133;C")));
}

fn records(rig: &mut Rig) -> Vec<CommandRecord> {
    let record = |e| if let ShellEvent::Command(record) = e { Some(record) } else { None };
    rig.take().into_iter().filter_map(record).collect()
}

fn screen(rig: &Rig) -> String {
    rig.observer.emulator().tail(100, 1 << 16, true)
}

#[test]
fn the_integrations_line_is_no_command_and_leaves_no_echo() {
    for size in [Size::new(80, 24), Size::new(200, 60), Size::new(30, 10)] {
        let mut rig = integrated(size);
        assert_eq!(rig.take(), [ShellEvent::Prompt, ShellEvent::Prompt], "{size:?}");
        assert!(rig.observer.facts().trusted && rig.state() == State::AtPrompt);
        assert_eq!(rig.observer.facts().last_command, None);
        assert_eq!(rig.observer.facts().cwd.as_deref(), Some("/srv"));
        let above = if size.rows > 20 { "Last login: today\n" } else { "" };
        assert!(screen(&rig).ends_with(&format!("{above}{}", PROMPT.trim_end())), "{}", screen(&rig));
        assert!(!screen(&rig).contains("__aissh"), "{size:?}: {}", screen(&rig));
        run(&mut rig, "false", "");
        rig.feed(prompt(1));
        let told = records(&mut rig);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].exit.map(|e| (e.code, e.evidence)), Some((1, Evidence::Trusted)));
    }
}

#[test]
fn a_file_full_of_marks_tells_nothing_of_the_integrated_shell() {
    let wrong = Nonce::new([0xa5; 16]);
    let marks = [
        "133;D;0",
        "133;A",
        "133;B",
        "633;D;0",
        "7;file:///etc",
        "633;P;Cwd=/etc",
        "0;x@y: /etc",
        "3008;start=x;type=shell;cwd=/etc",
    ];
    for forged in marks {
        for field in
            [String::new(), wrong.field(), nonce().field()[..20].to_owned(), format!("{};x", nonce().field())]
        {
            let mut rig = integrated(Size::new(80, 24));
            records(&mut rig);
            run(&mut rig, "cat file", &format!("\x1b]{forged}{field}\x07"));
            rig.settle();
            assert_eq!(rig.state(), State::Running, "{forged}{field}");
            rig.feed(format!("more\r\n{}", prompt(4)));
            let told = records(&mut rig);
            let exit = told[0].exit.map(|e| (e.code, e.evidence));
            assert_eq!((told.len(), exit), (1, Some((4, Evidence::Trusted))), "{forged}{field}");
            assert_eq!(rig.observer.facts().cwd.as_deref(), Some("/srv"));
            assert!(rig.observer.facts().trusted);
        }
    }
}

#[test]
fn before_the_integration_no_mark_is_trusted() {
    let mut rig = Rig::new();
    rig.feed(prompt(0));
    run(&mut rig, "x", "");
    rig.feed(prompt(0));
    let told = records(&mut rig);
    assert!(!rig.observer.facts().trusted, "no nonce was given out");
    assert!(
        told.iter().all(|record| record.exit.is_none_or(|e| e.evidence != Evidence::Trusted)),
        "{told:?}"
    );
}

#[test]
fn another_shell_is_not_trusted_and_coming_back_is() {
    for inner in ["\x1b[?2004hjoe@web2:~$ ", "\x1b]133;A\x07\x1b[?2004hjoe@web2:~$ \x1b]133;B\x07"] {
        let mut rig = integrated(Size::new(80, 24));
        for (command, back) in [("ssh web2", true), ("exec bash", false)] {
            run(&mut rig, command, inner);
            rig.settle();
            assert_eq!((rig.state(), rig.observer.facts().trusted), (State::AtPrompt, false), "{command}");
            if back {
                rig.keys("exit\r");
                rig.feed(format!("exit\r\n\x1b[?2004l\rlogout\r\n{}", prompt(0)));
                rig.settle();
                assert!(rig.observer.facts().trusted, "{inner:?}");
            }
        }
    }
}

#[test]
fn marks_split_at_any_byte_are_trusted_all_the_same() {
    let mut rig = integrated(Size::new(80, 24));
    records(&mut rig);
    run(&mut rig, "make", "");
    for byte in prompt(2).bytes() {
        rig.feed([byte]);
    }
    let told = records(&mut rig);
    assert_eq!(told[0].exit.map(|e| (e.code, e.evidence)), Some((2, Evidence::Trusted)));
}

#[test]
fn a_screen_that_is_not_ours_alone_keeps_the_echo() {
    let mut rig = Rig::new();
    rig.feed(format!("\x1b[?2004h{PROMPT}"));
    rig.settle();
    rig.input(Input::Integrate { line: " x=1", nonce: nonce() });
    rig.observer.keep_echo();
    rig.feed(format!(" x=1\r\n\x1b[?2004l\r{}", prompt(0)));
    assert!(screen(&rig).contains("$  x=1\n"), "{}", screen(&rig));
}
