//! A wrapped session is ssh: its end, its window, its bytes and its terminal are what they are with ssh alone.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::Read;

use nix::sys::signal::{Signal, kill};
use support::aissh::{PROGRAM, Run, open_panel, wait_panel};
use support::lab::Lab;
use support::process::{ssh_of, wait_gone};
use support::terminal::{Exit, Size, Terminal};

const ALONE: &[&str] = &["--no-copilot"];

fn random(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn exit_statuses_are_ssh_s() {
    let lab = Lab::start();
    for status in [0, 7, 255] {
        let terminal = Run::aissh(&lab).at_prompt();
        terminal.type_line(&format!("exit {status}"));
        assert_eq!(terminal.wait_exit(), Exit::Code(status));
    }
    let terminal = Run::aissh(&lab).ssh(&["-p", "1", "-o", "HostName=127.0.0.1", "lab"]).start();
    assert_eq!(terminal.wait_exit(), Exit::Code(255));
    assert!(terminal.screen_text().contains("Connection refused"), "{}", terminal.screen_text());
}

#[test]
fn a_remote_command_on_a_terminal_is_wrapped_and_its_status_comes_back() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).ssh(&["-t", "lab", "echo $((6 * 7)); exit 9"]).start();
    assert_eq!(terminal.wait_exit(), Exit::Code(9));
    assert!(terminal.screen_text().contains("42"));
}

#[test]
fn when_ssh_is_killed_aissh_ends_as_ssh_would() {
    let lab = Lab::start();
    let signals =
        [Signal::SIGKILL, Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGALRM, Signal::SIGSEGV];
    for signal in signals {
        let plain = Run::plain(&lab).at_prompt();
        plain.kill(signal);
        let expected = plain.wait_exit();
        let terminal = Run::aissh(&lab).at_prompt();
        kill(ssh_of(&terminal), signal).unwrap();
        assert_eq!(terminal.wait_exit(), expected, "{signal}");
    }
}

#[test]
fn signals_sent_to_aissh_reach_ssh_and_the_terminal_is_given_back() {
    let lab = Lab::start();
    let given =
        Terminal::spawn("stty", &["-ixon".into(), "intr".into(), "^G".into()], &lab.env(), Size::CLASSIC);
    assert_eq!(given.wait_exit(), Exit::Code(0));
    let signals = [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGALRM, Signal::SIGINT, Signal::SIGUSR1];
    for signal in signals {
        let plain = Run::plain(&lab).at_prompt();
        plain.kill(signal);
        let expected = plain.wait_exit();
        for panel in [false, true] {
            let terminal = Run::aissh(&lab).in_script("stty -ixon intr ^G; exec \"$@\"");
            terminal.wait_prompt(lab.prompt());
            if panel {
                open_panel(&terminal);
            }
            terminal.kill(signal);
            assert_eq!(terminal.wait_exit(), expected, "{signal}");
            assert_eq!(terminal.termios(), given.termios(), "{signal}");
            terminal.screen(|screen| {
                assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{signal} panel {panel}");
                assert!(!screen.bracketed_paste(), "{signal} panel {panel}");
            });
        }
    }
}

#[test]
fn the_terminal_is_given_back_after_an_exit() {
    let lab = Lab::start();
    let given =
        Terminal::spawn("stty", &["-ixon".into(), "intr".into(), "^G".into()], &lab.env(), Size::CLASSIC);
    assert_eq!(given.wait_exit(), Exit::Code(0));
    for own in [&[] as &[&str], ALONE, &["--sidebar"]] {
        let terminal = Run::aissh(&lab).own(own).in_script("stty -ixon intr ^G; exec \"$@\"");
        terminal.wait_prompt(lab.prompt());
        assert_ne!(terminal.termios(), given.termios(), "raw during the session");
        terminal.type_line("exit");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        assert_eq!(terminal.termios(), given.termios(), "{own:?}");
        assert!(
            !terminal.screen(vt100::Screen::alternate_screen),
            "{own:?} {:?}",
            String::from_utf8_lossy(&terminal.raw())
        );
    }
}

#[test]
fn the_remote_gets_the_users_terminal_settings() {
    let lab = Lab::start();
    for run in [Run::plain(&lab), Run::aissh(&lab)] {
        let terminal = run.in_script("stty intr ^G erase ^H; exec \"$@\"");
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("stty -a | head -3; echo do''ne");
        terminal.wait_text("done");
        let text = terminal.screen_text();
        assert!(text.contains("intr = ^G") && text.contains("erase = ^H"), "{text}");
    }
}

#[test]
fn the_remote_sees_the_window_and_its_change_in_cells_and_pixels() {
    // TIOCGWINSZ: rows, columns, width and height in pixels. Perl is on every Debian.
    const ASK: &str = "perl -e '$|=1; sub ask { ioctl(STDIN, 0x5413, my $b = \"\\0\" x 8); print \"is \" . join(\" \", unpack(\"S4\", $b)) . \"\\n\" } \
                       $SIG{WINCH} = sub { ask; exit }; ask; sleep 60'";
    let lab = Lab::start();
    for own in [ALONE, &[]] {
        let terminal = Run::aissh(&lab).own(own).at_prompt();
        terminal.type_line("stty size");
        terminal.wait_text("24 80");
        terminal.type_line(ASK);
        terminal.wait_text("is 24 80 640 384");
        terminal.resize(Size { cols: 101, rows: 33 });
        terminal.wait_text("is 33 101 808 528");
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("stty size");
        terminal.wait_text("33 101");
    }
}

#[test]
fn output_is_the_same_byte_for_byte() {
    let lab = Lab::start();
    fs::write(lab.home().join("random"), random(1 << 20)).unwrap();
    // The whole of what the terminal got, from the first byte to the last.
    let rest = [
        "-t",
        "lab",
        "stty raw -echo; printf 'begin'; cat $HOME/random; printf '\\33[?1049h\\33[?2004h\\33]0;t\\7end'",
    ];
    let expected = Run::plain(&lab).ssh(&rest).mute().start();
    assert_eq!(expected.wait_exit(), Exit::Code(0));
    assert!(expected.raw().len() > 1 << 20);
    for own in [ALONE, &[]] {
        let terminal = Run::aissh(&lab).own(own).ssh(&rest).mute().start();
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
        let (got, wanted) = (terminal.raw(), expected.raw());
        let same = got.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        assert!(got == wanted, "{own:?}: {} bytes, not {}, alike up to {same}", got.len(), wanted.len());
    }
}

/// Sends `bytes` to a remote `head` that puts them into a file, and compares.
fn assert_arrives(lab: &Lab, own: &[&str], bytes: &[u8]) {
    let remote = format!("stty raw -echo; echo ready; head -c {} > $HOME/got; echo done", bytes.len());
    let terminal = Run::aissh(lab).own(own).ssh(&["-e", "none", "-t", "lab", &remote]).mute().start();
    terminal.wait_text("ready");
    terminal.send(bytes);
    terminal.wait_text("done");
    let got = fs::read(lab.home().join("got")).unwrap();
    let same = got.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    assert!(got == bytes, "{own:?}: {} bytes of {}, alike up to {same}", got.len(), bytes.len());
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn input_arrives_byte_for_byte() {
    let lab = Lab::start();
    let bytes = random(1 << 20);
    assert_arrives(&lab, ALONE, &bytes);
    // With the panel there are two keys that are ours; F12 is six bytes that do not come by chance.
    let bytes: Vec<u8> = bytes.into_iter().filter(|byte| *byte != 0x1c).collect();
    assert_arrives(&lab, &[], &bytes);
}

#[test]
fn a_paste_arrives_byte_for_byte_with_the_prefix_in_it() {
    let lab = Lab::start();
    let mut paste = b"\x1b[200~".to_vec();
    paste.extend(random(1 << 18));
    paste.extend(b"\x1ca \x1c\x1c \x1b[24~a \x1c1\x1b[201~");
    assert_arrives(&lab, &[], &paste);
}

/// A shell with job control around aissh, at its prompt.
fn shell(lab: &Lab) -> Terminal {
    let args: Vec<String> = ["--norc", "--noprofile", "-i"].map(str::to_owned).into();
    let mut env = lab.env();
    env.push(("PS1".into(), "outer> ".into()));
    let terminal = Terminal::spawn("bash", &args, &env, Size::WIDE);
    terminal.wait_prompt("outer>");
    terminal
}

#[test]
fn the_session_can_be_suspended_and_continued_with_and_without_the_panel() {
    let lab = Lab::start();
    for own in [ALONE, &[], &["--sidebar"]] {
        let terminal = shell(&lab);
        let args = Run::aissh(&lab).own(own).args().join(" ");
        terminal.type_line(&format!("{PROGRAM} {args}"));
        terminal.wait_prompt(lab.prompt());
        for round in ["first", "second"] {
            terminal.type_line(&format!("echo {round} ro''und"));
            terminal.wait_text(&format!("{round} round"));
            terminal.wait_prompt(lab.prompt());
            terminal.send("\r~\x1a");
            terminal.wait_prompt("outer>");
            terminal.type_line("stty -a | grep -o ' icanon'; stty size; jobs");
            terminal.wait_text("40 130");
            terminal.wait_prompt("outer>");
            let text = terminal.screen_text();
            // What ssh said before it stopped is there before the shell's word.
            let said = text.rfind("[suspend ssh]").is_some_and(|at| text[at..].contains("Stopped"));
            assert!(said, "{text}");
            assert!(!terminal.screen(vt100::Screen::alternate_screen));
            terminal.type_line("fg");
            if own == ["--sidebar"] {
                wait_panel(&terminal);
            }
            terminal.send("\r");
            terminal.wait_prompt(lab.prompt());
        }
        terminal.type_line("echo b''ack; exit 6");
        terminal.wait_text("back");
        terminal.wait_prompt("outer>");
        terminal.type_line("echo status $?");
        terminal.wait_text("status 6");
    }
}

#[test]
fn ssh_runs_in_the_callers_directory_with_its_environment_and_umask() {
    let lab = Lab::start();
    let about = "LocalCommand=(env | grep -v '^_=' | grep -v '^AISSH_WRAPPED=' | sort; umask; pwd; ulimit -c; \
                 grep -E '^Sig(Blk|Ign)' /proc/self/status) > about";
    let rest = ["-o", "PermitLocalCommand=yes", "-o", about, "lab"];
    let dir = lab.client_home().join("some where");
    fs::create_dir(&dir).unwrap();
    // A relative file name is found, an unset SHELL stays unset, what is ignored stays ignored.
    let scripts = [
        "cd \"$HOME/some where\"; umask 027; exec \"$@\"",
        "cd \"$HOME/some where\"; trap '' QUIT INT USR1; exec \"$@\"",
        "cd \"$HOME/some where\"; export SHELL=/bin/dash LC_ALL=C.UTF-8 LINES=3; exec \"$@\"",
    ];
    for script in scripts {
        let said = [Run::plain(&lab), Run::aissh(&lab)].map(|run| {
            let terminal = run.ssh(&rest).in_script(script);
            terminal.wait_prompt(lab.prompt());
            terminal.type_line("exit");
            assert_eq!(terminal.wait_exit(), Exit::Code(0));
            fs::read_to_string(dir.join("about")).unwrap()
        });
        assert!(said[0].contains("HOME="), "{}", said[0]);
        assert_eq!(said[0], said[1], "{script}");
    }
    fs::copy(lab.ssh_config(), dir.join("relative")).unwrap();
    let script = format!("cd \"$HOME/some where\"; exec {PROGRAM} -F relative lab");
    let terminal = Run::aissh(&lab).in_script(&script);
    terminal.wait_prompt(lab.prompt());
}

#[test]
fn a_working_directory_that_is_gone_does_not_matter() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab)
        .in_script("mkdir \"$HOME/gone\"; cd \"$HOME/gone\"; rmdir \"$HOME/gone\"; exec \"$@\"");
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit 3");
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
}

#[test]
fn nothing_is_left_running_when_the_terminal_goes_away() {
    let lab = Lab::start();
    let mut terminal = Run::aissh(&lab).own(&["--sidebar"]).at_prompt();
    let (ssh, aissh) = (ssh_of(&terminal), terminal.pid());
    terminal.hang_up();
    wait_gone(ssh);
    wait_gone(aissh);
}
