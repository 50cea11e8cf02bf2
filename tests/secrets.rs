//! Secrets belong to ssh and to the remote: nothing that is typed without echo is kept, told or taken for a key of
//! ours.
#![allow(clippy::unwrap_used)]

mod support;

use std::process::Command;

use nix::unistd::Pid;
use support::aissh::{PREFIX, Run, chat, open_panel, wait_panel};
use support::lab::Lab;
use support::linus::Linus;
use support::process::{ssh_of, wait_asleep};
use support::terminal::{Exit, Size, Terminal};
use support::told::{everything, session_with, told, wait_connected};

/// Puts a passphrase on the lab's key; it is the lab's own.
fn protect_key(lab: &Lab, passphrase: &str) {
    let key = lab.ssh_config().with_file_name("user_key");
    let args = ["-q", "-p", "-P", "", "-N", passphrase, "-f"];
    let output = Command::new("ssh-keygen").args(args).arg(key).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Waits for the `n`th question. ssh has echo off before it asks; between the question and its read(2) it would not
/// notice a signal.
fn wait_question(terminal: &Terminal, n: usize, ssh: impl Fn(&Terminal) -> Pid) {
    let asked = |screen: &vt100::Screen| screen.contents().matches("Enter passphrase for key").count() >= n;
    terminal.wait_for(asked, "the question");
    wait_asleep(ssh(terminal));
}

#[test]
fn a_passphrase_prompt_takes_every_key_and_linus_learns_nothing_of_it() {
    let lab = Lab::start();
    // F12 is a prefix in a session; here its bytes are part of the secret.
    let passphrase = "hunter2 \x1b[24~a correct horse";
    protect_key(&lab, passphrase);
    for own in [&[] as &[&str], &["--sidebar"]] {
        let linus = Linus::modern();
        let terminal = Run::aissh(&lab).linus(&linus).own(own).size(Size::WIDE).start();
        wait_question(&terminal, 1, ssh_of);
        // There is no session yet, and no panel over ssh's question.
        assert!(linus.calls().is_empty());
        assert!(!terminal.screen_text().contains("Suggested Commands"), "{}", terminal.screen_text());
        terminal.send(format!("{passphrase}\r"));
        terminal.wait_prompt(lab.prompt());
        wait_connected(&linus);
        if own.is_empty() {
            open_panel(&terminal);
        } else {
            wait_panel(&terminal);
        }
        chat(&terminal, "hello");
        terminal.wait_text("you said: hello");
        let told = everything(&linus);
        assert!(told.contains("hello"), "{told}");
        for part in ["hunter2", "correct horse"] {
            assert!(!told.contains(part) && !terminal.screen_text().contains(part), "{part} is in {told}");
        }
    }
}

/// Where the ssh of a terminal is.
type Find = fn(&Terminal) -> Pid;

/// ssh alone and ssh under aissh, and where their ssh is.
fn both(lab: &Lab) -> [(Run<'_>, Find); 2] {
    [(Run::plain(lab), Terminal::pid), (Run::aissh(lab).own(&["--sidebar"]), ssh_of)]
}

#[test]
fn ctrl_backslash_at_a_local_prompt_is_the_quit_character() {
    let lab = Lab::start();
    protect_key(&lab, "secret");
    let mut ends = Vec::new();
    for (run, ssh) in both(&lab) {
        let terminal = run.start();
        wait_question(&terminal, 1, ssh);
        terminal.send(PREFIX);
        ends.push(terminal.wait_exit());
    }
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0], Exit::Signal(3));
}

#[test]
fn a_wrong_passphrase_is_asked_for_again_and_an_interrupt_ends_it_as_with_ssh() {
    let lab = Lab::start();
    protect_key(&lab, "secret");
    let mut ends = Vec::new();
    for (run, ssh) in both(&lab) {
        let terminal = run.start();
        wait_question(&terminal, 1, ssh);
        terminal.send("wrong\r");
        wait_question(&terminal, 2, ssh);
        terminal.send("\x03");
        ends.push((terminal.wait_exit(), terminal.screen(|screen| screen.contents())));
    }
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn what_the_remote_reads_without_echo_is_not_told() {
    let lab = Lab::builder().marks().start();
    let linus = Linus::modern();
    let terminal = session_with(&lab, &linus);
    for (n, panel) in [false, true].into_iter().enumerate() {
        if panel {
            open_panel(&terminal);
        }
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("read -rsp 'Pass''word: ' x; echo; echo \"length ${#x}\"");
        terminal.wait_for(|screen| screen.contents().matches("\nPassword:").count() > n, "the question");
        terminal.type_line("hunter2-correct");
        terminal.wait_for(|screen| screen.contents().matches("length 15").count() > n, "the answer taken");
        assert!(told(&linus, n).command.starts_with("read -rsp"));
    }
    chat(&terminal, "done");
    terminal.wait_text("you said: done");
    let told = everything(&linus);
    assert!(told.contains("length 15") && !told.contains("hunter2"), "{told}");
}

#[test]
fn a_host_key_question_is_answered_by_the_user_alone() {
    let lab = Lab::start();
    let linus = Linus::modern();
    let known = lab.client_home().join("known_hosts");
    let option = format!("UserKnownHostsFile={}", known.display());
    let terminal = Run::aissh(&lab)
        .linus(&linus)
        .own(&["--sidebar"])
        .size(Size::WIDE)
        .ssh(&["-o", &option, "-o", "StrictHostKeyChecking=ask", "lab"])
        .start();
    terminal.wait_text("(yes/no/[fingerprint])?");
    terminal.send("yes\r");
    terminal.wait_prompt(lab.prompt());
    wait_panel(&terminal);
    wait_connected(&linus);
    assert!(std::fs::read_to_string(known).unwrap().contains("lab ssh-ed25519"));
}
