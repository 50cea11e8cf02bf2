//! What the remote is given, and what comes back of it: the same as with ssh alone.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::both::{Left, Way, same};
use support::lab::Lab;
use support::terminal::Exit;

const UNSEEN: &[Way] = &[Way::Alone, Way::Hidden];

/// What a remote command says, without a terminal's echo: it goes to a file. Nothing is drawn over it then.
fn remote_says(lab: &Lab, way: Way, script: &str, command: &str) -> String {
    let said = lab.home().join("said");
    let _ = fs::remove_file(&said);
    let terminal =
        way.run(lab).ssh(&["-t", "lab", &format!("({command}) > $HOME/said 2>&1")]).in_script(script);
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    fs::read_to_string(said).unwrap()
}

#[test]
fn the_remote_terminal_has_every_setting_of_the_local_one() {
    let lab = Lab::start();
    // Each is something that pty-req carries (RFC 4254, section 8), and unlike the defaults of a new PTY.
    let settings = [
        "sane",
        "-ixon ixany -imaxbel iutf8",
        "-iutf8 intr ^G quit ^X erase ^H kill ^Y eof ^B susp undef start ^R stop ^T werase ^E lnext ^L rprnt ^P",
        "cs7 parenb parodd -icrnl inlcr igncr istrip inpck ignpar",
        "-onlcr ocrnl onlret -opost olcuc",
        "-echo -echoe -echok echonl noflsh tostop -echoctl -echoke iuclc",
        "ispeed 9600 ospeed 1200",
        "raw",
        "evenp -isig",
    ];
    for setting in settings {
        let script = format!("stty {setting}; exec \"$@\"");
        let said = same(UNSEEN, |way| remote_says(&lab, way, &script, "stty -a < /dev/tty"));
        assert!(said.contains("speed"), "{said}");
    }
}

#[test]
fn the_remote_session_has_the_same_attributes() {
    let lab = Lab::builder().sshd_option("AcceptEnv *").start();
    let about = "env | grep -v -e '^SSH_' -e '^_=' -e '^AISSH_WRAPPED=' | sort; umask; pwd; id; nice; ulimit -a; \
                 grep -E '^Sig(Pnd|Blk|Ign|Cgt)|^Seccomp|^Groups' /proc/self/status; ls /proc/self/fd | wc -l; stty size < /dev/tty";
    for script in [
        "exec \"$@\"",
        "export TERM=vt220 LC_ALL=C FOO='a b' COLORTERM=truecolor; exec \"$@\"",
        "TERM=xterm-kitty; exec \"$@\" ",
    ] {
        let ssh = |way: Way| {
            let run = way.run(&lab).ssh(&["-o", "SendEnv=*", "-o", "SetEnv=BAR=x", "lab", "-t", about]);
            Left::of(&run.in_script(script))
        };
        let left = same(UNSEEN, ssh);
        let printed = String::from_utf8_lossy(&left.printed).into_owned();
        assert!(printed.contains("BAR=x") && printed.contains("TERM="), "{printed}");
    }
}

#[test]
fn ssh_itself_has_the_same_attributes() {
    let lab = Lab::start();
    // What ssh's own children see: its helpers, LocalCommand, ProxyCommand, Match exec.
    let about = "(env | grep -v -e '^_=' -e '^AISSH_WRAPPED=' | sort; umask; pwd; nice; ulimit -a; id; \
                 grep -E '^Sig(Blk|Ign)|^Seccomp|^NoNewPrivs' /proc/self/status; chrt -p $$ | sed 's/pid [0-9]*//'; \
                 ls -l /proc/self/fd | grep -c pts) > about";
    let local = format!("LocalCommand={about}");
    for script in [
        "cd /tmp; cd \"$HOME\"; exec \"$@\"",
        "cd \"$HOME\"; umask 027; nice -n 3 \"$@\"",
        "cd \"$HOME\"; ulimit -S -n 100 -c 0 -f 100; unset SHELL; exec \"$@\"",
        "cd \"$HOME\"; trap '' QUIT INT TERM USR1 TSTP TTIN TTOU PIPE ALRM CHLD WINCH; exec \"$@\"",
    ] {
        let said = same(UNSEEN, |way| {
            let run = way.run(&lab).ssh(&["-o", "PermitLocalCommand=yes", "-o", &local, "-t", "lab", "true"]);
            let terminal = run.in_script(script);
            assert_eq!(terminal.wait_exit(), Exit::Code(0));
            let said = fs::read_to_string(lab.client_home().join("about")).unwrap();
            fs::remove_file(lab.client_home().join("about")).unwrap();
            said
        });
        assert!(said.contains("HOME=") && said.contains("SigIgn"), "{said}");
    }
}

#[test]
fn every_byte_and_the_status_are_those_of_ssh() {
    let lab = Lab::start();
    let nowhere = ["-o", "ProxyCommand=head -c 1 > /dev/null", "lab"];
    let refused = ["-o", "HostName=127.0.0.1", "-p", "1", "lab"];
    let cases: [(&[&str], Exit); 14] = [
        (&["-t", "lab", "exit 0"], Exit::Code(0)),
        (&["-t", "lab", "echo out; echo err >&2; exit 7"], Exit::Code(7)),
        (&["-t", "lab", "exit 255"], Exit::Code(255)),
        (&["-t", "lab", "exit 126"], Exit::Code(126)),
        (&["-t", "lab", "kill -9 $$"], Exit::Code(255)),
        (&["-t", "lab", "kill -TERM $$"], Exit::Code(255)),
        (&["-tt", "-q", "lab", "exit 3"], Exit::Code(3)),
        (&["-t", "lab", "/nonexistent/program"], Exit::Code(127)),
        (
            &[
                "-t",
                "-o",
                "BatchMode=yes",
                "-i",
                "/nonexistent",
                "-o",
                "IdentityFile=/nonexistent",
                "lab",
                ":",
            ],
            Exit::Code(0),
        ),
        (&["-t", "-l", "nobody-of-that-name", "lab"], Exit::Code(255)),
        (&nowhere, Exit::Code(255)),
        (&refused, Exit::Code(255)),
        (&["-t", "-o", "HostName=no-such-host.invalid", "lab"], Exit::Code(255)),
        (&["-t", "-o", "HostKeyAlias=unknown", "lab"], Exit::Code(255)),
    ];
    for (rest, expected) in cases {
        let left = same(UNSEEN, |way| Left::of(&way.run(&lab).ssh(rest).start()));
        assert_eq!(left.exit, expected, "{rest:?}: {left:?}");
    }
}

#[test]
fn the_shell_s_descriptors_are_left_as_they_are() {
    let lab = Lab::start();
    // O_NONBLOCK belongs to the open file, which is the shell's and every other program's: off it stays off, and on it
    // does no harm. fcntl(F_SETFL) and O_NONBLOCK as Linux numbers them.
    for flags in ["2", "2050"] {
        let look = "grep flags /proc/self/fdinfo/[012] > \"$HOME/flags\"; exit 5";
        let script = format!("perl -e 'fcntl(STDIN, 4, {flags}); system @ARGV' \"$@\"; {look}");
        let (left, _) = same(UNSEEN, |way| {
            let terminal = way.run(&lab).ssh(&["-t", "lab", "seq 3000"]).in_script(&script);
            (Left::of(&terminal), fs::read_to_string(lab.client_home().join("flags")).unwrap())
        });
        assert_eq!(left.exit, Exit::Code(5));
    }
}

#[test]
fn what_was_typed_before_the_start_is_kept_and_shown_once() {
    let lab = Lab::start();
    // The shell takes the first line; the rest is in the terminal's queue, and on the screen, when ssh starts.
    let typed = "go\rahead=5\rhalf";
    let nowhere = ["-o", "ProxyCommand=head -c 1 > /dev/null", "lab"];
    let script = "read -r go; while [ ! -e typed ]; do sleep 0.02; done; exec \"$@\"";
    let start = |way: Way, rest: &[&str]| {
        let done = lab.client_home().join("typed");
        let _ = fs::remove_file(&done);
        let terminal = way.run(&lab).ssh(rest).in_script(&format!("cd \"$HOME\"; {script}"));
        terminal.send(typed);
        terminal.wait_raw(|raw| raw.ends_with(b"half"), "the terminal's echo");
        fs::write(done, "").unwrap();
        terminal
    };
    same(UNSEEN, |way| Left::of(&start(way, &nowhere)));
    let exit = same(UNSEEN, |way| {
        let terminal = start(way, &["lab"]);
        terminal.wait_prompt(&format!("{} half", lab.prompt()));
        terminal.type_line("=1; exit $((ahead + half))");
        terminal.wait_exit()
    });
    assert_eq!(exit, Exit::Code(6));
}
