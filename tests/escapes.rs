//! ssh's own escapes (`~.`, `~C`, …) and job control, as with ssh alone.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};

use nix::sys::signal::{Signal, kill};
use support::aissh::wait_panel;
use support::both::{Left, Way, bash, same};
use support::lab::{Lab, free_port};
use support::process::wait_asleep;
use support::terminal::{Exit, Size, Terminal};

const UNSEEN: &[Way] = &[Way::Alone, Way::Hidden];
const ALL: &[Way] = &[Way::Alone, Way::Hidden, Way::Shown];
/// `~C` is off by default since OpenSSH 9.2.
const COMMANDS: &[&str] = &["-o", "EnableEscapeCommandline=yes", "lab"];

/// At a prompt, with nothing else on the screen but a word.
fn clear(terminal: &Terminal, lab: &Lab) {
    terminal.type_line("clear; echo cle''ared");
    let wanted = format!("cleared\n{}", lab.prompt());
    terminal.wait_for(|screen| screen.contents().trim_end() == wanted, "a clear screen");
}

/// The remote has answered an Enter: what comes next begins a line, for ssh's escapes too.
fn new_line(terminal: &Terminal, lab: &Lab) {
    let prompts = |screen: &vt100::Screen| screen.contents().matches(lab.prompt()).count();
    let had = terminal.screen(prompts);
    terminal.send("\r");
    terminal.wait_for(|screen| prompts(screen) > had, "another prompt");
}

#[test]
fn each_escape_says_what_it_says_with_ssh() {
    let lab = Lab::start();
    // Keys, and the end of what they show.
    let cases = [
        ("~?", "(Note that escapes are only recognized immediately after newline.)"),
        ("~#", "io 0x01/0x01)"),
        ("~~", "~"),
        ("~x", "~x"),
        ("~V", "[LogLevel "),
        ("~v", "[LogLevel "),
        ("~B", "~B"),
        ("~R", ""),
        ("a~?", "a~?"),
        ("~", ""),
    ];
    let (_, exit, _) = same(UNSEEN, |way| {
        let terminal = way.run(&lab).ssh(COMMANDS).start();
        terminal.wait_prompt(lab.prompt());
        let screens = cases.map(|(keys, shows)| {
            clear(&terminal, &lab);
            new_line(&terminal, &lab);
            terminal.send(keys);
            terminal.wait_text(shows);
            // The remote's answer shows that all before it is there.
            new_line(&terminal, &lab);
            terminal.screen_text()
        });
        terminal.send("~.");
        (screens, terminal.wait_exit(), terminal.termios())
    });
    assert_eq!(exit, Exit::Code(255));
}

#[test]
fn the_escape_that_disconnects_does_it_with_the_panel_too() {
    let lab = Lab::start();
    let cases: [(&[&str], &str, Exit); 4] = [
        (&["lab"], "\r~.", Exit::Code(255)),
        (&["-e", "^B", "lab"], "\r\x02.", Exit::Code(255)),
        (&["-e", "%", "lab"], "\r~.\x15exit 3\r", Exit::Code(3)),
        (&["-e", "none", "lab"], "\r~.\x15exit 4\r", Exit::Code(4)),
    ];
    for (rest, keys, expected) in cases {
        let (exit, _) = same(ALL, |way| {
            let terminal = way.run(&lab).ssh(rest).start();
            terminal.wait_prompt(lab.prompt());
            terminal.send(keys);
            let left = Left::of(&terminal);
            (left.exit, left.termios)
        });
        assert_eq!(exit, expected, "{rest:?}");
    }
}

#[test]
fn the_escape_command_line_is_ssh_s() {
    let lab = Lab::start();
    let asked = |terminal: &Terminal| terminal.wait_raw(|raw| raw.ends_with(b"ssh> "), "the question");
    let cases = [
        ("-h", "-KD[bind_address:]port"),
        ("-L 1:a:2:b:3", "Bad local forwarding specification."),
        ("-KL 9", "Unknown port forwarding."),
    ];
    same(UNSEEN, |way| {
        let terminal = way.run(&lab).ssh(COMMANDS).start();
        terminal.wait_prompt(lab.prompt());
        cases.map(|(line, shows)| {
            clear(&terminal, &lab);
            new_line(&terminal, &lab);
            terminal.send("~C");
            asked(&terminal);
            // F12 and ^U are the line's own.
            terminal.send(format!("rubbish\x15{line}\r"));
            terminal.wait_text(shows);
            // The terminal is raw again before ssh waits for what comes next: until then it would echo the line end.
            wait_asleep(way.ssh(&terminal));
            new_line(&terminal, &lab);
            terminal.screen_text()
        })
    });
    // An interrupt there ends the question and nothing else.
    let (exit, _) = same(ALL, |way| {
        let terminal = way.run(&lab).ssh(COMMANDS).start();
        terminal.wait_prompt(lab.prompt());
        terminal.send("\r~C");
        asked(&terminal);
        wait_asleep(way.ssh(&terminal));
        terminal.send("\x03");
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("exit 5");
        (terminal.wait_exit(), terminal.termios())
    });
    assert_eq!(exit, Exit::Code(5));
}

/// What the shell around it says to this.
fn ask(shell: &Terminal, command: &str) -> String {
    // The screen may still show the end of the one before.
    let ends = |raw: &[u8]| raw.windows(6).filter(|bytes| *bytes == b"done\r\n").count();
    let before = ends(&shell.raw());
    shell.type_line(&format!("status=$?; clear; {command}; echo do''ne"));
    shell.wait_raw(|raw| ends(raw) > before, "its end");
    shell.wait_prompt("outer>");
    shell.screen_text()
}

/// Started by a shell, and at the remote prompt.
fn start_below(shell: &Terminal, lab: &Lab, way: Way, rest: &[&str]) {
    shell.type_line(&format!("clear; {}", way.command(lab, rest)));
    shell.wait_prompt(lab.prompt());
    if way == Way::Shown {
        wait_panel(shell);
    }
}

#[test]
fn what_goes_to_the_background_lives_on() {
    let lab = Lab::start();
    let (_, said) = same(UNSEEN, |way| {
        let (port, target) = (free_port(), lab.port());
        let forward = format!("{port}:127.0.0.1:{target}");
        let shell = bash(&lab, Size::CLASSIC);
        let after = "stty -g > \"$HOME/modes\"; echo sta''tus $?";
        shell.type_line(&format!("{}; {after}", way.command(&lab, &["-L", &forward, "lab"])));
        shell.wait_prompt(lab.prompt());
        // sshd's word to whoever comes, through the forwarding and back.
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("SSH-2.0"));
        shell.send("\r~&");
        // What ssh says from there on ("[backgrounded]", "logout") stands in the middle of what the shell says, or
        // nowhere: aissh has left, and its terminal is gone.
        shell.wait_text("status 0");
        let modes = fs::read_to_string(lab.client_home().join("modes")).unwrap();
        stream.write_all(b"no ssh at all\r\n").unwrap();
        (modes, lines.next().unwrap().unwrap())
    });
    assert_eq!(said, "Invalid SSH identification string.");
}

#[test]
fn a_session_is_stopped_and_continued_in_front_and_in_the_background() {
    let lab = Lab::start();
    same(ALL, |way| {
        let shell = bash(&lab, Size::WIDE);
        start_below(&shell, &lab, way, &["lab"]);
        shell.send("\r~\x1a");
        shell.wait_text("Stopped");
        shell.wait_prompt("outer>");
        let stopped = ask(&shell, "stty -a; jobs | cut -c 1-20");
        // Continued behind, it wants the terminal back and is stopped for that; the terminal stays the shell's.
        let behind = ask(&shell, "bg > /dev/null; until jobs | grep -q Stopped; do :; done; clear; stty -a");
        bring_back_and_end(&shell, &lab);
        (stopped, behind, ask(&shell, "stty -a; echo $status; jobs"))
    });
}

/// The stopped session is continued in front, and ended from inside.
fn bring_back_and_end(shell: &Terminal, lab: &Lab) {
    shell.type_line("clear; fg");
    shell.send("\r");
    shell.wait_prompt(lab.prompt());
    shell.type_line("exit 6");
    shell.wait_prompt("outer>");
}

#[test]
fn stops_from_outside_stop_it_and_it_goes_on() {
    let lab = Lab::start();
    // Only the first can be caught by something that wants to stop, and put the panel away before.
    let signals = [
        (Signal::SIGTSTP, ALL),
        (Signal::SIGSTOP, UNSEEN),
        (Signal::SIGTTIN, UNSEEN),
        (Signal::SIGTTOU, UNSEEN),
    ];
    for (signal, ways) in signals {
        same(ways, |way| {
            let shell = bash(&lab, Size::WIDE);
            start_below(&shell, &lab, way, &["lab"]);
            kill(way.job_below(&shell), signal).unwrap();
            shell.wait_text("Stopped");
            shell.wait_prompt("outer>");
            let stopped = ask(&shell, "stty -a; jobs | cut -c 1-12");
            bring_back_and_end(&shell, &lab);
            (stopped, ask(&shell, "stty -a; echo $status; jobs"))
        });
    }
}

#[test]
fn signals_that_end_nothing_change_nothing() {
    let lab = Lab::start();
    same(ALL, |way| {
        let terminal = way.at_prompt(&lab);
        let raw = terminal.termios();
        for signal in [Signal::SIGWINCH, Signal::SIGCONT, Signal::SIGCHLD, Signal::SIGURG, Signal::SIGPIPE] {
            terminal.kill(signal);
            terminal.type_line(&format!("echo af''ter {signal}"));
            terminal.wait_text(&format!("after {signal}"));
        }
        terminal.type_line("exit 3");
        (raw, terminal.wait_exit(), terminal.termios())
    });
}
