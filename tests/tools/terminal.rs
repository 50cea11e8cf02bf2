//! Prompts, job control and shared connections on a terminal, with a person at the keyboard.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use nix::sys::signal::Signal;

use crate::cases::{AISSH, path_with, real_ssh};
use crate::support::DEADLINE;
use crate::support::lab::Lab;
use crate::support::process::wait_all_asleep;
use crate::support::terminal::{Exit, Size, Terminal};

const INTERRUPT: &str = "\x03";
const SUSPEND: &str = "\x1a";

/// Starts it with ssh, then with aissh in its place.
fn both(lab: &Lab, program: &str, args: &[&str], play: impl Fn(&Terminal)) -> [Terminal; 2] {
    [real_ssh(), AISSH.into()].map(|ssh| {
        let mut env = lab.env();
        env.retain(|(name, _)| name != "PATH");
        env.push(("PATH".into(), path_with(lab, &ssh)));
        env.push(("PS1".into(), "local> ".into()));
        let program = if program == "ssh" { ssh.to_str().unwrap() } else { program };
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let terminal = Terminal::spawn(program, &args, &env, Size::CLASSIC);
        play(&terminal);
        terminal
    })
}

/// Plays the same on both terminals: the screens, the modes they are left in and the ends must be equal.
fn same(lab: &Lab, program: &str, args: &[&str], play: impl Fn(&Terminal)) -> Exit {
    let terminals = both(lab, program, args, play);
    let [plain, ours] = terminals.map(|t| (t.wait_exit(), t.screen_text(), t.termios().local_flags));
    assert_eq!(plain.1, ours.1, "the screens, with ssh and with aissh");
    assert_eq!(plain, ours);
    plain.0
}

/// ssh itself with the lab's configuration and these arguments.
fn same_ssh(lab: &Lab, args: &[&str], play: impl Fn(&Terminal)) -> Exit {
    let args = lab.args(args);
    same(lab, "ssh", &args.iter().map(String::as_str).collect::<Vec<_>>(), play)
}

/// As ssh's readpassphrase dies of it: by the signal, with the terminal as it was.
fn interrupted(lab: &Lab, args: &[&str], prompt: &str) {
    let args = lab.args(args);
    let terminals = both(lab, "ssh", &args.iter().map(String::as_str).collect::<Vec<_>>(), |terminal| {
        terminal.wait_text(prompt);
        assert_eq!(terminal.press_until_exit(INTERRUPT), Exit::Signal(Signal::SIGINT as i32));
    });
    let [plain, ours] = terminals.map(|terminal| terminal.termios().local_flags);
    assert_eq!(plain, ours);
}

/// A bash with job control in the lab's directory, in which `ssh` is ssh or aissh.
fn same_bash(lab: &Lab, play: impl Fn(&Terminal)) -> Exit {
    same(lab, "bash", &["--norc", "--noprofile", "-i"], |terminal| {
        terminal.wait_prompt("local>");
        terminal.type_line(&format!("cd {}; clear", lab.dir().display()));
        terminal.wait_for(|screen| screen.contents().trim_end() == "local>", "a clear screen");
        play(terminal);
    })
}

fn log_in_and_out(terminal: &Terminal, lab: &Lab) {
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit 7");
}

#[test]
fn the_host_key_question_is_asked_and_takes_every_answer() {
    let lab = Lab::start();
    let known = lab.dir().join("new_known_hosts");
    let file = format!("UserKnownHostsFile={}", known.display());
    let args = ["-o", "StrictHostKeyChecking=ask", "-o", &file, "lab"];
    let ask = |terminal: &Terminal| {
        let _ = std::fs::remove_file(&known);
        terminal.wait_text("(yes/no/[fingerprint])?");
    };
    let no = same_ssh(&lab, &args, |terminal| {
        ask(terminal);
        terminal.type_line("maybe");
        terminal.wait_text("Please type");
        terminal.type_line("no");
    });
    assert_eq!(no, Exit::Code(255));
    interrupted(&lab, &args, "(yes/no/[fingerprint])?");
    let yes = same_ssh(&lab, &args, |terminal| {
        ask(terminal);
        terminal.type_line("yes");
        log_in_and_out(terminal, &lab);
    });
    assert_eq!(yes, Exit::Code(7));
    assert!(known.exists());
}

#[test]
fn a_passphrase_is_asked_for() {
    let lab = Lab::start();
    let key = lab.dir().join("locked");
    std::fs::copy(lab.dir().join("user_key"), &key).unwrap();
    let change = Command::new("ssh-keygen").args(["-q", "-p", "-N", "open sesame", "-f"]).arg(&key).status();
    assert!(change.unwrap().success());
    // The first value would be the lab's own key, which is not locked.
    let config = std::fs::read_to_string(lab.ssh_config()).unwrap().replace("user_key", "locked");
    std::fs::write(lab.ssh_config(), config).unwrap();
    let opened = same_ssh(&lab, &["lab"], |terminal| {
        terminal.wait_text("Enter passphrase for key");
        terminal.type_line("wrong");
        terminal.wait_for(
            |screen| screen.contents().matches("Enter passphrase").count() == 2,
            "a second question",
        );
        terminal.type_line("open sesame");
        log_in_and_out(terminal, &lab);
    });
    assert_eq!(opened, Exit::Code(7));
    interrupted(&lab, &["lab"], "Enter passphrase for key");
}

#[test]
fn a_password_is_asked_for_by_either_method() {
    let lab = Lab::builder().account().start();
    let Some(account) = lab.account() else {
        println!("skipped: only root can make an account with a password");
        return;
    };
    for method in ["password", "keyboard-interactive"] {
        let method = format!("PreferredAuthentications={method}");
        let args = ["-o", &method, "-l", &account.user, "lab"];
        let let_in = same_ssh(&lab, &args, |terminal| {
            terminal.wait_text("assword:");
            // ^U and erase work in the line: it is the terminal's, not ours.
            terminal.type_line(&format!("wrong\x15{}x\x7f", account.password));
            terminal.wait_prompt("user@host:~$");
            terminal.type_line("exit 7");
        });
        assert_eq!(let_in, Exit::Code(7));
        interrupted(&lab, &args, "assword:");
    }
    let refused = same_ssh(
        &lab,
        &[
            "-o",
            "PreferredAuthentications=password",
            "-o",
            "NumberOfPasswordPrompts=1",
            "-l",
            &account.user,
            "lab",
        ],
        |terminal| {
            terminal.wait_text("assword:");
            terminal.type_line("wrong");
        },
    );
    assert_eq!(refused, Exit::Code(255));
}

#[test]
fn a_password_prompt_can_be_suspended_and_asks_again() {
    let lab = Lab::builder().account().start();
    let Some(account) = lab.account() else {
        println!("skipped: only root can make an account with a password");
        return;
    };
    let ssh = format!("ssh -F ssh_config -o PreferredAuthentications=password -l {} lab", account.user);
    same_bash(&lab, |terminal| {
        terminal.type_line(&ssh);
        terminal.wait_text("assword:");
        // A signal between the question and the read is only noted by readpassphrase(3) until the next key.
        wait_all_asleep(terminal.pid());
        terminal.send(SUSPEND);
        terminal.wait_text("Stopped");
        terminal.wait_prompt("local>");
        terminal.type_line("stty -a | grep -o -e ' -*echo ' -e ' -*icanon'");
        terminal.wait_text(" icanon");
        terminal.wait_prompt("local>");
        terminal.type_line("fg");
        terminal.wait_for(|screen| screen.contents().matches("assword:").count() == 2, "a second question");
        terminal.type_line(&account.password);
        terminal.wait_prompt("user@host:~$");
        terminal.type_line("exit 7");
        terminal.wait_prompt("local>");
        terminal.type_line("echo status $?; exit");
    });
}

#[test]
fn what_is_typed_ahead_reaches_the_shell() {
    let lab = Lab::start();
    let exit = same_ssh(&lab, &["lab"], |terminal| {
        // Half of it may still be echoed by the local terminal, so the screen is not the same from run to run.
        terminal.send("clear\rexit 7\r");
        terminal.wait_exit();
        terminal.wait_raw(|raw| raw.ends_with(b"closed.\r\n") || raw.ends_with(b"closed.\r\r\n"), "the end");
    });
    assert_eq!(exit, Exit::Code(7));
}

#[test]
fn a_session_started_in_the_background_stops_until_it_is_in_front() {
    let lab = Lab::start();
    same_bash(&lab, |terminal| {
        terminal.type_line("ssh -F ssh_config -t lab 'echo re''ady; read x; echo got $x; exit 7' &");
        terminal.wait_text("[1] ");
        terminal.wait_prompt("local>");
        terminal.type_line("while ! jobs | grep -q Stopped; do sleep 0.1; done; clear");
        terminal.wait_for(|screen| screen.contents().trim_end() == "local>", "a clear screen");
        terminal.type_line("fg");
        terminal.wait_text("ready");
        terminal.type_line("an answer");
        terminal.wait_text("got an answer");
        terminal.wait_prompt("local>");
        terminal.type_line("echo status $?; exit");
    });
}

#[test]
fn a_shared_connection_outlives_the_terminal_that_opened_it() {
    let lab = Lab::start();
    for (ssh, verbose) in [(&*real_ssh(), "-q"), (Path::new(AISSH), "-q"), (Path::new(AISSH), "-v")] {
        let control = lab.dir().join("control").display().to_string();
        let shared = ["-S", &control, "-o", "ControlPersist=600", "-o", "ControlMaster=auto"];
        let args = [&shared[..], &[verbose, "-t", "lab", "echo first; exit 4"]].concat();
        let terminal = Terminal::spawn(ssh.to_str().unwrap(), &lab.args(&args), &lab.env(), Size::CLASSIC);
        assert_eq!(terminal.wait_exit(), Exit::Code(4));
        drop(terminal);
        assert!(Path::new(&control).exists(), "waited for the master");
        let second =
            Command::new(ssh).args(lab.args(&["-S", &control, "lab", "echo second"])).output().unwrap();
        assert_eq!(second.stdout, b"second\n", "{second:?}");
        let end = Command::new(ssh).args(lab.args(&["-S", &control, "-O", "exit", "lab"])).output().unwrap();
        assert!(end.status.success(), "{end:?}");
        let gone = Instant::now();
        while Path::new(&control).exists() {
            assert!(gone.elapsed() < DEADLINE, "the master did not end");
            std::thread::yield_now();
        }
    }
}
