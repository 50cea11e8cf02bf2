//! What ssh itself asks: each question, and each key that is more than an answer, as with ssh alone.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Command;

use nix::sys::signal::Signal;
use support::both::{Left, Way, bash, same};
use support::lab::Lab;
use support::process::wait_asleep;
use support::terminal::{Exit, Size, Terminal};

const WAYS: &[Way] = &[Way::Hidden, Way::Shown];

/// One of ssh's questions.
struct Question {
    /// What `-F CONFIG` is followed by.
    args: Vec<String>,
    /// The end of its text.
    asks: &'static str,
    wrong: &'static str,
    right: String,
    /// The prompt that the right answer leads to.
    prompt: &'static str,
}

/// A lab that asks all of them, and what it asks.
fn questions() -> (Lab, Vec<Question>) {
    let lab = Lab::builder().account().start();
    let locked = lab.dir().join("locked");
    fs::copy(lab.dir().join("user_key"), &locked).unwrap();
    let change =
        Command::new("ssh-keygen").args(["-q", "-p", "-N", "open sesame", "-f"]).arg(&locked).status();
    assert!(change.unwrap().success());
    // The first IdentityFile would be the lab's own key, which opens without a question.
    let config = fs::read_to_string(lab.ssh_config()).unwrap();
    let locked = lab.dir().join("locked_config");
    fs::write(&locked, config.replace("user_key", "locked")).unwrap();
    let words = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
    // An unknown key, and a file that takes no other.
    let ask = ["-o", "StrictHostKeyChecking=ask", "-o", "UserKnownHostsFile=/dev/null", "lab"];
    let mut all = vec![
        Question {
            args: words(&ask),
            asks: "(yes/no/[fingerprint])? ",
            wrong: "maybe",
            right: "yes".into(),
            prompt: lab.prompt(),
        },
        Question {
            args: words(&["-F", locked.to_str().unwrap(), "-o", "PreferredAuthentications=publickey", "lab"]),
            asks: "locked': ",
            wrong: "close sesame",
            right: "open sesame".into(),
            prompt: lab.prompt(),
        },
    ];
    match lab.account().cloned() {
        None => println!("skipped: passwords; only root can make an account with one"),
        Some(account) => all.extend(["password", "keyboard-interactive"].map(|method| {
            let method = format!("PreferredAuthentications={method}");
            Question {
                args: words(&["-o", &method, "-l", &account.user, "lab"]),
                asks: "assword: ",
                wrong: "wrong",
                right: account.password.clone(),
                prompt: "user@host:~$",
            }
        })),
    }
    (lab, all)
}

impl Question {
    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    fn start(&self, lab: &Lab, way: Way) -> Terminal {
        let terminal = way.run(lab).ssh(&self.args()).start();
        self.wait(&terminal, way, 1);
        terminal
    }

    /// Asked for the `n`th time, and ssh has begun to read: before that it would lose a signal.
    fn wait(&self, terminal: &Terminal, way: Way, n: usize) {
        self.wait_raw(terminal, n);
        wait_asleep(way.ssh(terminal));
    }

    fn wait_raw(&self, terminal: &Terminal, n: usize) {
        let asked = |raw: &[u8]| String::from_utf8_lossy(raw).matches(self.asks).count() >= n;
        terminal.wait_raw(asked, &format!("the question {:?}", self.asks));
    }
}

#[test]
fn wrong_and_right_answers_and_the_editing_of_a_line() {
    let (lab, questions) = questions();
    for question in &questions {
        let left = same(&[Way::Hidden], |way| {
            let terminal = question.start(&lab, way);
            terminal.type_line(question.wrong);
            // The host key's has other words the second time.
            match question.wrong {
                "maybe" => terminal.wait_text("Please type 'yes', 'no' or the fingerprint: "),
                _ => question.wait_raw(&terminal, 2),
            }
            wait_asleep(way.ssh(&terminal));
            // ^U, ^V and erase are the line's.
            terminal.type_line(&format!("rubbish\x15{}x\x7f", question.right));
            terminal.wait_prompt(question.prompt);
            terminal.type_line("exit 7");
            let left = Left::of(&terminal);
            (left.exit, left.termios)
        });
        assert_eq!(left.0, Exit::Code(7));
    }
}

#[test]
fn keys_that_are_no_answer_end_it_as_they_end_ssh() {
    let (lab, questions) = questions();
    // ^C, ^\, the same in the middle of an answer, and ^D.
    let keys: [&[&str]; 4] =
        [&["\x03", "\x04"], &["\x03", "\x1c", "half\x03", "\x04"], &["\x03"], &["\x1c", "\x04"]];
    for (question, keys) in questions.iter().zip(keys) {
        for keys in keys {
            same(WAYS, |way| {
                let args = [&["-o", "NumberOfPasswordPrompts=1"], &question.args()[..]].concat();
                let terminal = way.run(&lab).ssh(&args).start();
                question.wait(&terminal, way, 1);
                terminal.send(keys);
                without_echo(Left::of(&terminal))
            });
        }
    }
}

/// Linux echoes `^C` after it has sent the signal (`n_tty_receive_signal_char`): ssh alone may have ended by then.
fn without_echo(left: Left) -> Left {
    let printed = left.printed.escape_ascii().to_string().replace("^C", "").replace("^\\\\", "");
    Left { printed: printed.into_bytes(), ..left }
}

#[test]
fn signals_from_outside_end_it_as_they_end_ssh() {
    use Signal::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1};
    let (lab, questions) = questions();
    let signals: [&[Signal]; 4] =
        [&[SIGINT, SIGTERM], &[SIGHUP, SIGQUIT, SIGALRM, SIGUSR1], &[SIGTERM], &[SIGHUP, SIGINT]];
    for (question, signals) in questions.iter().zip(signals) {
        for signal in signals {
            let (exit, _) = same(WAYS, |way| {
                let terminal = question.start(&lab, way);
                terminal.kill(*signal);
                let left = Left::of(&terminal);
                // USR1 is none that readpassphrase(3) catches: ssh alone leaves the terminal without echo.
                (left.exit, (*signal != SIGUSR1).then_some(left.termios))
            });
            assert_eq!(exit, Exit::Signal(*signal as i32));
        }
    }
}

#[test]
fn what_is_typed_ahead_is_kept_or_lost_as_with_ssh() {
    let (lab, questions) = questions();
    for question in &questions {
        let exit = same(WAYS, |way| {
            let terminal = question.start(&lab, way);
            terminal.send(format!("{}\rahead=5\r", question.right));
            terminal.wait_prompt(question.prompt);
            terminal.type_line("exit ${ahead:-4}");
            terminal.wait_exit()
        });
        // readpassphrase(3) drops it where it sets the terminal's echo back.
        assert_eq!(exit, Exit::Code(if question.right == "yes" { 5 } else { 4 }), "{}", question.asks);
    }
}

#[test]
fn it_can_be_suspended_and_asks_again() {
    let (lab, questions) = questions();
    for question in &questions {
        same(&[Way::Alone, Way::Hidden], |way| {
            let terminal = bash(&lab, Size::CLASSIC);
            terminal.type_line(&format!("clear; {}", way.command(&lab, &question.args())));
            question.wait_raw(&terminal, 1);
            wait_asleep(way.ssh_below(&terminal));
            terminal.send("half\x1a");
            terminal.wait_text("Stopped");
            terminal.wait_prompt("outer>");
            terminal.type_line("clear; stty -a; jobs | cut -c 1-20; echo do''ne");
            terminal.wait_text("done");
            terminal.wait_prompt("outer>");
            let stopped = terminal.screen_text();
            terminal.type_line("clear; fg");
            question.wait_raw(&terminal, 2);
            wait_asleep(way.ssh_below(&terminal));
            terminal.type_line(&question.right);
            terminal.wait_prompt(question.prompt);
            terminal.type_line("exit 7");
            terminal.wait_prompt("outer>");
            terminal.type_line("echo status $?");
            terminal.wait_text("status 7");
            stopped
        });
    }
}

#[test]
fn the_window_may_change_while_a_secret_is_typed() {
    let (lab, questions) = questions();
    for question in &questions {
        let size = same(WAYS, |way| {
            let terminal = question.start(&lab, way);
            for (n, byte) in question.right.char_indices() {
                terminal.resize(Size { cols: 100 + n as u16, rows: 30 });
                terminal.send(byte.to_string());
            }
            terminal.resize(Size { cols: 97, rows: 31 });
            terminal.send("\r");
            terminal.wait_prompt(question.prompt);
            terminal.type_line("exit $(stty size | cut -d ' ' -f 2)");
            terminal.wait_exit()
        });
        assert_eq!(size, Exit::Code(97));
    }
}
