//! Host health in the panel, on a real sshd: what the user is asked, what is read and where nothing is.
#![allow(clippy::unwrap_used)]

mod support;

use aissh::linus::contract::Request;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;
use support::DEADLINE;
use support::aissh::{PREFIX, Run, close_panel, open_panel};
use support::files::set_mode;
use support::lab::{Builder, Lab};
use support::linus::{Call, Linus};
use support::terminal::{Exit, Size, Terminal};
use support::told::{told, wait_connected};
use support::zebra::Zebra;

/// Who the prompt says is there, as ssh resolved it.
fn login_prompt(builder: Builder) -> Builder {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().unwrap().name;
    builder.prompt(&format!("{user}@web1:\\w\\$ "))
}

fn logins(lab: &Lab) -> usize {
    lab.log().matches("Accepted publickey").count()
}

/// A session with these settings at a prompt that was recognised; the panel is open.
fn session(lab: &Lab, linus: &Linus, config: &str, prompt: &str, ssh: &[&str]) -> Terminal {
    let file = lab.client_home().join("health.toml");
    std::fs::write(&file, format!("[health]\n{config}")).unwrap();
    let words: Vec<&str> = ssh.iter().copied().chain(["lab"]).collect();
    let own = ["--config", file.to_str().unwrap()];
    let terminal = Run::aissh(lab).own(&own).linus(linus).ssh(&words).size(Size::WIDE).start();
    terminal.wait_text(prompt);
    wait_connected(linus);
    terminal.type_line("true");
    told(linus, 0);
    open_panel(&terminal);
    terminal
}

fn press_h(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}h"));
}

/// Waits for the question, and says yes.
fn agree(terminal: &Terminal) {
    press_h(terminal);
    terminal.wait_text("aissh logs");
    terminal.send("y");
}

/// The line at the foot: what stands between `load` and its age.
fn line(screen: &vt100::Screen) -> Option<String> {
    let text = screen.contents();
    let line = text.lines().find_map(|line| Some(line.split_at(line.find("load ")?).1.trim().to_owned()))?;
    (line.contains(" mem ") && line.ends_with(" now")).then_some(line)
}

fn wait_line(terminal: &Terminal) -> String {
    terminal.wait_for(|screen| line(screen).is_some(), "the health line");
    terminal.screen(line).unwrap()
}

/// The session's login is as usual; another one's shell is made by this script, in which `$HOME` is the lab's.
fn beside(lab: &Lab, script: &str) -> PathBuf {
    let path = lab.home().join("forced");
    let text = format!("#!/bin/sh\ncase $SSH_ORIGINAL_COMMAND in '') exec bash --login ;; esac\n{script}\n");
    std::fs::write(&path, text).unwrap();
    set_mode(&path, 0o755);
    lab.home()
}

fn forced() -> Builder {
    login_prompt(Lab::builder().sshd_option("ForceCommand $HOME/forced"))
}

/// A shell in which every probe leaves a line in `probes`.
const COUNTED: &str = "mkdir -p $HOME/bin
printf '#!/bin/sh\\n[ \"$1\" = -n ] && echo >>%s/probes\\nexec /usr/bin/env PATH=/usr/bin:/bin uname \"$@\"\\n' \"$HOME\" >$HOME/bin/uname
chmod 755 $HOME/bin/uname
PATH=$HOME/bin:$PATH
exec sh";

/// Waits until there were so many.
fn wait_probes(lab: &Lab, count: usize) {
    let until = Instant::now() + DEADLINE;
    let probes = || std::fs::read_to_string(lab.home().join("probes")).map_or(0, |text| text.lines().count());
    while probes() < count {
        assert!(Instant::now() < until, "{} probes of {count}", probes());
        std::thread::yield_now();
    }
}

fn updates(calls: &[Call]) -> String {
    let update = |call: &Call| match &call.request {
        Request::TerminalUpdate { new_output, .. } => Some(new_output.clone()),
        _ => None,
    };
    calls.iter().filter_map(update).collect()
}

#[test]
fn after_consent_the_panel_shows_the_hosts_own_numbers_until_it_is_off() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "", "@web1:~", &[]);
    press_h(&terminal);
    for shown in ["Host health", "aissh logs", "BatchMode=yes", "-- lab", "y    yes"] {
        terminal.wait_text(shown);
    }
    assert_eq!(logins(&lab), 1, "nobody logs in unasked");
    terminal.send("n");
    terminal.wait_text("Ask Linus");
    agree(&terminal);
    let shown = wait_line(&terminal);
    // `load 0.50 cpu 3% mem 40% / 56% now`: the fullest disk as df has it.
    let words: Vec<&str> = shown.split(' ').collect();
    let at = words.iter().position(|word| *word == "mem").unwrap();
    let (mount, percent) = (words[at + 2], words[at + 3].trim_end_matches('%').parse::<i32>().unwrap());
    let df = Command::new("df").args(["-P", "-k", mount]).output().unwrap();
    let df = String::from_utf8(df.stdout).unwrap();
    let real: i32 = df.split_whitespace().find_map(|word| word.strip_suffix('%')?.parse().ok()).unwrap();
    assert!((real - percent).abs() <= 1, "{shown}\n{df}");
    let load = words[1].parse::<f64>().unwrap();
    assert!(load >= 0.0 && words[at + 1].ends_with('%'), "{shown}");
    assert_eq!(logins(&lab), 2);
    press_h(&terminal);
    terminal.wait_text("Host health is off");
    terminal.wait_for(|screen| line(screen).is_none(), "no line");
    assert!(lab.wait_log("Disconnected from user"), "its connection ends with it");
    // Once agreed to, it is not asked again in this session.
    press_h(&terminal);
    wait_line(&terminal);
    close_panel(&terminal);
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn a_connection_that_the_user_shares_is_used_without_a_question() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let path = format!("ControlPath={}", lab.dir().join("cm").display());
    let master = ["-fN", "-o", "ControlMaster=yes", "-o", &path, "lab"];
    let quiet =
        Command::new("ssh").args(lab.args(&master)).stdin(Stdio::null()).stderr(Stdio::null()).status();
    assert!(quiet.unwrap().success());
    let terminal = session(&lab, &linus, "interval = 2\n", "@web1:~", &["-o", &path]);
    press_h(&terminal);
    wait_line(&terminal);
    assert_eq!(logins(&lab), 1, "all of it over one login");
    // The connection goes, and nobody logs in instead.
    let exit = ["-O", "exit", "-o", &path, "lab"];
    let quiet = Command::new("ssh").args(lab.args(&exit)).stdin(Stdio::null()).stderr(Stdio::null()).status();
    assert!(quiet.unwrap().success());
    terminal.wait_exit();
    assert_eq!(logins(&lab), 1);
}

#[test]
fn a_threshold_of_one_percent_raises_one_alert_and_linus_is_told_once() {
    let lab = forced().start();
    beside(&lab, COUNTED);
    let linus = Linus::modern();
    let config = "interval = 2\nmem = 1\ncpu = 100\ndisk = 100\n";
    let terminal = session(&lab, &linus, config, "@web1:~", &[]);
    agree(&terminal);
    terminal.wait_text("Host health: memory");
    let mark = "[aissh, host health: memory";
    linus.wait_for(|calls| updates(calls).contains(mark), DEADLINE);
    wait_probes(&lab, 4);
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("true");
    told(&linus, 1);
    let text = terminal.screen_text();
    assert_eq!(text.matches("Host health: memory").count(), 1, "{text}");
    assert_eq!(updates(&linus.calls()).matches(mark).count(), 1);
    assert_eq!(logins(&lab), 2, "one shell for all probes");
}

#[test]
fn where_the_terminal_is_elsewhere_nothing_is_read() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "interval = 2\n", "@web1:~", &[]);
    agree(&terminal);
    wait_line(&terminal);
    // As a nested ssh: another host's prompt. It is typed into the terminal.
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("PS1='\\u@db1:\\w\\$ ' bash --norc --noprofile");
    terminal.wait_text("Health paused: ");
    terminal.wait_text("db1");
    terminal.type_line("exit");
    terminal.type_line("true");
    wait_line(&terminal);
    // And as sudo: another user's.
    terminal.type_line("PS1='nobody@web1:\\w\\$ ' bash --norc --noprofile");
    terminal.wait_text("Health paused: ");
    terminal.wait_text("nobody");
    press_h(&terminal);
    terminal.wait_text("Host health is off");
    press_h(&terminal);
    terminal.wait_text("No host health here");
    assert_eq!(logins(&lab), 2);
}

#[test]
fn another_users_shell_and_a_network_device_are_refused() {
    let lab = Lab::builder().prompt("nobody@web1:\\w\\$ ").start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "", "nobody@web1:~", &[]);
    press_h(&terminal);
    terminal.wait_text("No host health here");
    assert_eq!(logins(&lab), 1);
    let Some(zebra) = Zebra::start("hunter2") else { return };
    let lab = Lab::builder().sshd_option(&format!("ForceCommand {}", zebra.vtysh())).start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "watch = true\n", "r1#", &[]);
    terminal.wait_text("No host health here");
    terminal.wait_text("vtysh,");
    assert_eq!(logins(&lab), 1);
}

#[test]
fn a_host_that_is_to_be_watched_is_not_logged_in_to_unasked() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "watch = true\n", "@web1:~", &[]);
    terminal.wait_text("waits for your yes");
    assert_eq!(logins(&lab), 1);
    if !terminal.screen_text().contains("aissh logs") {
        press_h(&terminal);
    }
    terminal.wait_text("aissh logs");
    terminal.send("y");
    wait_line(&terminal);
    assert_eq!(logins(&lab), 2);
}

#[test]
fn a_probe_that_is_killed_or_hangs_costs_the_session_nothing() {
    let lab = forced().start();
    let home = beside(&lab, "echo $$ >$HOME/probe.pid\nexec sh");
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "interval = 2\n", "@web1:~", &[]);
    agree(&terminal);
    wait_line(&terminal);
    let pid: i32 = std::fs::read_to_string(home.join("probe.pid")).unwrap().trim().parse().unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    // It comes back by itself, as was agreed to.
    let is_back = |screen: &vt100::Screen| line(screen).is_some() && logins(&lab) == 3;
    terminal.wait_for(is_back, "the line again");
    // From now on what is asked hangs.
    beside(&lab, "exec sleep 1000");
    press_h(&terminal);
    terminal.wait_text("Host health is off");
    press_h(&terminal);
    terminal.wait_text("Health: reading");
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("echo still he''re");
    terminal.wait_text("still here");
    close_panel(&terminal);
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn a_forced_command_is_said_and_it_is_off() {
    let lab = forced().start();
    beside(&lab, "echo 'Choose: 1 mail, 2 quit'");
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "", "@web1:~", &[]);
    agree(&terminal);
    terminal.wait_text("Host health is off");
    terminal.wait_text("forced command");
    assert_eq!(logins(&lab), 2, "it is not tried again");
}
