//! The ends that nobody wished for: a signal, a lost link, a closed terminal. The status is ssh's, the terminal is
//! given back, and what the remote had switched on in it is switched off, and nothing else.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;
use nix::sys::termios::LocalFlags;
use nix::unistd::Pid;
use support::aissh::wait_panel;
use support::both::{Left, Way, same};
use support::lab::Lab;
use support::namespace::Namespace;
use support::process::{child_of, wait_asleep, wait_gone};
use support::terminal::{Exit, Size, Terminal};

const UNSEEN: &[Way] = &[Way::Alone, Way::Hidden];
const ALL: &[Way] = &[Way::Alone, Way::Hidden, Way::Shown];

/// Everything that a remote may leave on, and how it is put back; in the order in which it is.
const MODES: [(&str, &str); 27] = [
    ("?2026h", "?2026l"),
    ("]8;;http://host/", "]8;;"),
    ("?1049h", "?1049l"),
    ("[>1u", "[<1u"),
    ("[>4;2m", "[>4m"),
    ("?1000h", "?1000l"),
    ("?1002h", "?1002l"),
    ("?1003h", "?1003l"),
    ("?1005h", "?1005l"),
    ("?1006h", "?1006l"),
    ("?1015h", "?1015l"),
    ("?1016h", "?1016l"),
    ("?1004h", "?1004l"),
    ("?2004h", "?2004l"),
    ("?2031h", "?2031l"),
    ("?2048h", "?2048l"),
    ("?1h", "?1l"),
    ("?6h", "?6l"),
    ("?7l", "?7h"),
    ("?25l", "?25h"),
    ("=", ">"),
    ("[4h", "[4l"),
    ("[20h", "[20l"),
    ("[3;20r", "[r"),
    ("[5 q", "[0 q"),
    ("(0", "(B"),
    ("[1;31m", "[m"),
];

fn sequence(short: &str) -> String {
    let string_end = if short.starts_with(']') { "\x1b\\" } else { "" };
    format!("\x1b{}{short}{string_end}", if short.starts_with('?') { "[" } else { "" })
}

/// For a remote printf.
fn octal(text: &str) -> String {
    text.bytes().map(|byte| format!("\\{byte:03o}")).collect()
}

/// All of them on. The keyboard's first: each screen has flags of its own, and those of the alternate one are lost
/// with it.
fn all_on() -> String {
    let keyboard = MODES.iter().filter(|(on, _)| *on == "[>1u");
    let rest = MODES.iter().filter(|(on, _)| *on != "[>1u");
    keyboard.chain(rest).map(|(on, _)| sequence(on)).collect()
}

fn all_off() -> String {
    MODES.iter().map(|(_, off)| sequence(off)).collect()
}

/// What `way` prints more than ssh, when the remote prints `text` and then, at an Enter, does `then`.
fn printed_more(lab: &Lab, way: Way, text: &str, then: &str) -> String {
    let remote = format!("stty -echo; printf '{}READY'; read x; {then}", octal(text));
    let [expected, left] = [Way::Ssh, way].map(|way| {
        let terminal = way.run(lab).ssh(&["-t", "lab", &remote]).mute().start();
        terminal.wait_raw(|raw| raw.ends_with(b"READY"), "the remote");
        terminal.send("\r");
        Left::of(&terminal)
    });
    assert_eq!((left.exit, &left.termios), (expected.exit, &expected.termios), "{way:?}");
    let more = left.printed.strip_prefix(&expected.printed[..]);
    let more = more.unwrap_or_else(|| panic!("{way:?}: {left:?}\nis not {expected:?}"));
    more.escape_ascii().to_string()
}

#[test]
fn what_the_remote_left_on_is_put_back_and_nothing_else() {
    let lab = Lab::start();
    let (on, off) = (all_on(), all_off());
    let dropped = "kill -9 $PPID; sleep 60";
    let reset = off.as_bytes().escape_ascii().to_string();
    let cases = [
        (on.clone(), dropped, reset.as_str()),
        ("plain".into(), dropped, ""),
        (on.clone() + &off, dropped, ""),
        ("\x1b[?1004h\x1b[?2004h\x1b[?2004l".into(), dropped, "\\x1b[?1004l"),
        // Of a session that ends well, the remote is the judge.
        (on, "exit 3", ""),
    ];
    for (text, then, more) in cases {
        for way in UNSEEN {
            assert_eq!(printed_more(&lab, *way, &text, then), more, "{way:?}");
        }
    }
}

/// At the prompt, with modes on that would be a nuisance afterwards.
fn with_modes_on(lab: &Lab, way: Way, rest: &[&str], wrap: &[String]) -> Terminal {
    let terminal = way.run(lab).ssh(rest).wrapped(wrap).start();
    terminal.wait_prompt(lab.prompt());
    if way == Way::Shown {
        wait_panel(&terminal);
    }
    let modes = "\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b[?25l";
    terminal.type_line(&format!("stty -echo; printf '{}REA''DY'", octal(modes)));
    terminal.wait_text("READY");
    terminal
}

fn assert_clean(terminal: &Terminal, what: &str) {
    terminal.screen(|screen| {
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{what}");
        assert!(!screen.bracketed_paste() && !screen.application_cursor(), "{what}");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "{what}");
    });
}

/// Plays an end on ssh and on aissh: the same status, and a terminal that is as before.
fn ends(lab: &Lab, rest: &[&str], wrap: &[String], end: impl Fn(Way, &Terminal)) -> Exit {
    let left = same(ALL, |way| {
        let terminal = with_modes_on(lab, way, rest, wrap);
        end(way, &terminal);
        let exit = terminal.wait_exit();
        if way != Way::Ssh {
            assert_clean(&terminal, &format!("{way:?}"));
        }
        (exit, terminal.termios())
    });
    left.0
}

#[test]
fn a_link_that_is_lost_ends_it_as_it_ends_ssh() {
    let lab = Lab::start();
    let dropped = ends(&lab, &["lab"], &[], |_, terminal| terminal.type_line("kill -9 $PPID"));
    assert_eq!(dropped, Exit::Code(255));
    let given_up = ends(&lab, &["lab"], &[], |_, terminal| terminal.send("\r~."));
    assert_eq!(given_up, Exit::Code(255));
    // The other side falls silent.
    let alive = ["-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=1", "lab"];
    let silent = ends(&lab, &alive, &[], |_, terminal| terminal.type_line("kill -STOP $PPID"));
    assert_eq!(silent, Exit::Code(255));
}

#[test]
fn a_network_that_is_cut_ends_it_as_it_ends_ssh() {
    let Some(network) = Namespace::new() else {
        println!("skipped: a network namespace of one's own needs root, unshare(1) and ip(8)");
        return;
    };
    let lab = Lab::builder().inside(network.enter()).start();
    let alive = ["-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2", "lab"];
    let cut = ends(&lab, &alive, &network.enter(), |_, terminal| {
        assert!(network.ip("link set lo down"));
        terminal.send("typed into the void");
        terminal.wait_exit();
        assert!(network.ip("link set lo up"));
    });
    assert_eq!(cut, Exit::Code(255));
}

#[test]
fn every_signal_that_ends_ssh_ends_it_the_same_way() {
    let lab = Lab::start();
    use Signal::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGKILL, SIGPROF, SIGQUIT, SIGSEGV, SIGSYS, SIGTERM,
        SIGUSR1, SIGUSR2, SIGVTALRM,
    };
    // Those that ssh catches, those that end it, and faults.
    let signals = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO, SIGKILL,
        SIGABRT, SIGSEGV, SIGSYS,
    ];
    for signal in signals {
        same(&[Way::Hidden], |way| {
            let terminal = way.at_prompt(&lab);
            let ssh = way.ssh(&terminal);
            terminal.kill(signal);
            let exit = terminal.wait_exit();
            wait_gone(ssh);
            (signal, exit)
        });
    }
}

#[test]
fn a_terminal_that_is_closed_ends_it_and_the_remote_session() {
    let lab = Lab::start();
    let exit = same(ALL, |way| {
        let mut terminal = way.at_prompt(&lab);
        let ssh = way.ssh(&terminal);
        terminal.type_line("echo $$ > shell; echo wri''tten");
        terminal.wait_text("written");
        terminal.wait_prompt(lab.prompt());
        let shell = fs::read_to_string(lab.home().join("shell")).unwrap().trim().parse().unwrap();
        // A line that was not entered is not entered (portable-pty's writer types Enter and ^D when it is dropped).
        terminal.send("touch entered");
        terminal.wait_text("touch entered");
        terminal.hang_up();
        wait_gone(ssh);
        wait_gone(Pid::from_raw(shell));
        (terminal.wait_exit(), lab.home().join("entered").exists())
    });
    assert_eq!(exit, (Exit::Code(255), false));
}

#[test]
fn a_shared_connection_neither_keeps_it_nor_ends_with_its_terminal() {
    let lab = Lab::start();
    for verbose in ["-q", "-v"] {
        same(ALL, |way| {
            let control = lab.dir().join("control").display().to_string();
            // The master that it leaves behind would stay for a minute, longer than anything here is waited for; with -v
            // it keeps the terminal open.
            let shared = ["-S", &control, "-o", "ControlPersist=60", "-o", "ControlMaster=auto"];
            let terminal = way.run(&lab).ssh(&[&shared[..], &[verbose, "lab"]].concat()).start();
            terminal.wait_prompt(lab.prompt());
            terminal.type_line("exit 4");
            let exit = terminal.wait_exit();
            drop(terminal);
            let ssh = |rest: &[&str]| {
                let args = lab.args(&[&["-S", &control], rest].concat());
                Command::new("ssh").args(args).stdin(Stdio::null()).output().unwrap()
            };
            let second = ssh(&["lab", "echo second"]);
            assert!(ssh(&["-O", "exit", "lab"]).status.success());
            (exit, String::from_utf8_lossy(&second.stdout).into_owned())
        });
    }
}

#[test]
fn before_there_is_a_session_it_ends_as_ssh_does() {
    let lab = Lab::start();
    // Takes connections and never says a word.
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    type End = fn(&Terminal);
    let ends: [(&str, End); 6] = [
        ("^C", |terminal| terminal.send("\x03")),
        ("^\\", |terminal| terminal.send("\x1c")),
        ("SIGINT", |terminal| terminal.kill(Signal::SIGINT)),
        ("SIGTERM", |terminal| terminal.kill(Signal::SIGTERM)),
        ("SIGHUP", |terminal| terminal.kill(Signal::SIGHUP)),
        ("SIGUSR1", |terminal| terminal.kill(Signal::SIGUSR1)),
    ];
    for (name, end) in ends {
        same(ALL, |way| {
            let terminal = way.run(&lab).ssh(&["-p", &port, "lab"]).start();
            let _connection = silent.accept().unwrap();
            wait_asleep(way.ssh(&terminal));
            end(&terminal);
            (name, Left::of(&terminal))
        });
    }
}

#[test]
fn a_signal_in_the_first_moment_leaves_the_terminal_as_it_was() {
    let lab = Lab::start();
    let given = Terminal::spawn("true", &[], &lab.env(), Size::CLASSIC);
    given.wait_exit();
    let moments: [fn(&Terminal); 3] = [
        |_| (),
        |terminal| assert_ne!(child_of(terminal.pid(), "--monitor"), terminal.pid()),
        |terminal| while terminal.termios().local_flags.contains(LocalFlags::ICANON) {},
    ];
    for moment in moments {
        for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGALRM] {
            let terminal = Way::Shown.run(&lab).ssh(&["-o", "ProxyCommand=sleep 60", "lab"]).start();
            moment(&terminal);
            terminal.kill(signal);
            assert_eq!(terminal.wait_exit(), Exit::Signal(signal as i32));
            assert_eq!(terminal.termios(), given.termios());
        }
    }
}
