//! Secrets that programs on the remote ask for, with the real programs: the lock shows, nothing is sent meanwhile,
//! and the answers are in no message and no file.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use aissh::linus::contract::{Envelope, Request};
use support::aissh::{PREFIX, Run, chat, edit_card, open_panel};
use support::envelopes::{card, suggests, to_chats};
use support::lab::{Account, Lab};
use support::linus::Linus;
use support::slow::SlowLink;
use support::terminal::{Size, Terminal};
use support::told::{commands, everything, told, wait_connected};
use support::zebra::Zebra;

const LOCK: &str = "locked: secret input";
const PROMPT: &str = "user@host:~$";

/// Waits for the question and the lock, and answers.
fn answer(terminal: &Terminal, question: &str, secret: &str) {
    terminal.wait_prompt(question);
    terminal.wait_text(LOCK);
    terminal.type_line(secret);
}

/// Every file below `dir`, as text.
fn files(dir: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            all += &files(&entry.path());
        } else {
            all += &String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap_or_default());
        }
    }
    all
}

/// What Linus was told and what aissh left on disk holds none of them.
fn assert_untold(lab: &Lab, linus: &Linus, secrets: &[&str]) {
    let (told, kept) = (everything(linus), files(&lab.client_home()));
    for secret in secrets {
        assert!(!told.contains(secret), "{secret} is in {told}");
        assert!(!kept.contains(secret), "{secret} is in a file");
    }
}

/// A session of the account, with the panel open.
fn session(lab: &Lab, account: &Account, linus: &Linus) -> Terminal {
    let terminal = Run::aissh(lab).linus(linus).ssh(&["-l", &account.user, "lab"]).size(Size::WIDE).start();
    terminal.wait_prompt(PROMPT);
    wait_connected(linus);
    open_panel(&terminal);
    terminal
}

/// Types a command at the account's prompt. Enter comes when the line shows: until then the prompt is the old one.
fn run(terminal: &Terminal, command: &str) {
    terminal.wait_prompt(PROMPT);
    terminal.send(command);
    terminal.wait_prompt(&command[command.len().saturating_sub(12)..]);
    terminal.send("\r");
}

#[test]
fn passwords_of_sudo_passwd_mysql_and_an_inner_ssh_and_one_time_codes_are_not_told() {
    let lab = Lab::builder().sudoer().start();
    let Some(account) = lab.account().cloned() else { return };
    let linus = Linus::modern();
    let terminal = session(&lab, &account, &linus);
    let (user, old, new) = (account.user.as_str(), account.password.as_str(), "correct9horse-battery");

    let sudo = format!("[sudo] password for {user}:");
    run(&terminal, "sudo id -u");
    answer(&terminal, &sudo, "wr0ng-horse");
    terminal.wait_text("Sorry, try again.");
    answer(&terminal, &sudo, old);

    run(&terminal, "passwd");
    answer(&terminal, "Current password:", old);
    answer(&terminal, "New password:", new);
    answer(&terminal, "Retype new password:", new);
    terminal.wait_text("password updated successfully");

    run(&terminal, "mysql -h 127.0.0.1 -P 9 -u root -p");
    answer(&terminal, "Enter password:", "mysql-s3cret");

    let config = lab.ssh_config().display().to_string();
    for (method, question) in [
        ("password", format!("{user}@lab's password:")),
        ("keyboard-interactive", format!("({user}@lab) Password:")),
    ] {
        run(&terminal, &format!("ssh -F {config} -l {user} -o PreferredAuthentications={method} lab"));
        answer(&terminal, &question, new);
        run(&terminal, &format!("echo within {method}"));
        run(&terminal, "exit");
    }

    run(&terminal, "read -rsp 'Verification code: ' x; echo");
    answer(&terminal, "Verification code:", "112233");
    run(&terminal, "read -rp 'Verification code: ' x; echo \"got ${#x}\"");
    answer(&terminal, "Verification code:", "445566");
    terminal.wait_text("got 6");

    run(&terminal, "echo done");
    linus.wait_for(
        |calls| commands(calls).last().is_some_and(|c| c.command == "echo done"),
        support::DEADLINE,
    );
    chat(&terminal, "hello");
    terminal.wait_text("you said: hello");
    let told = everything(&linus);
    assert!(told.contains("got 6") && told.contains("Verification code: ‹hidden›"), "{told}");
    assert_untold(&lab, &linus, &["wr0ng-horse", old, new, "mysql-s3cret", "112233", "445566"]);
    assert!(!terminal.screen_text().contains(LOCK), "{}", terminal.screen_text());
}

#[test]
fn the_login_password_and_the_answers_of_pam_are_not_told() {
    let lab = Lab::builder().account().start();
    let Some(account) = lab.account().cloned() else { return };
    let (user, password) = (account.user.as_str(), account.password.as_str());
    for (method, question) in [
        ("password", format!("{user}@lab's password:")),
        ("keyboard-interactive", format!("({user}@lab) Password:")),
    ] {
        let linus = Linus::modern();
        let option = format!("PreferredAuthentications={method}");
        let terminal = Run::aissh(&lab).linus(&linus).ssh(&["-o", &option, "-l", user, "lab"]).start();
        for (n, answer) in ["wr0ng-horse", password].into_iter().enumerate() {
            let asked = |screen: &vt100::Screen| screen.contents().matches(&question).count() > n;
            terminal.wait_for(asked, "the question");
            terminal.type_line(answer);
        }
        terminal.wait_prompt(PROMPT);
        wait_connected(&linus);
        open_panel(&terminal);
        chat(&terminal, "hello");
        linus.wait_for(|calls| !support::told::messages(calls).is_empty(), support::DEADLINE);
        assert_untold(&lab, &linus, &["wr0ng-horse", password]);
    }
}

#[test]
fn nothing_is_sent_to_a_devices_enable_password() {
    let Some(zebra) = Zebra::start("hunter2-enable") else { return };
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "injected")])));
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).at_prompt();
    wait_connected(&linus);
    open_panel(&terminal);
    terminal.type_line(&format!("telnet 127.0.0.1 {}", zebra.port()));
    answer(&terminal, "Password:", "hunter2-enable");
    terminal.wait_prompt("r1>");
    terminal.type_line("enable");
    terminal.wait_prompt("Password:");
    terminal.wait_text(LOCK);
    chat(&terminal, "hello");
    terminal.wait_text("cmd_001");
    edit_card(&terminal);
    terminal.send("\r");
    terminal.wait_text("Not sent: a secret is asked for");
    terminal.send(format!("{PREFIX}\thunter2-enable\r"));
    terminal.wait_prompt("r1#");
    terminal.type_line("exit");
    terminal.wait_prompt(lab.prompt());
    chat(&terminal, "hello again");
    linus.wait_for(|calls| support::told::messages(calls).len() > 1, support::DEADLINE);
    assert!(commands(&linus.calls()).iter().all(|c| c.command != "injected"));
    assert_untold(&lab, &linus, &["hunter2-enable"]);
}

#[test]
fn over_a_slow_link_a_late_echo_is_no_secret_and_a_secret_is_none_the_less() {
    let lab = Lab::start();
    let linus = Linus::modern();
    linus.reply_with(|request| match request {
        Request::Chat { .. } => suggests(vec![card("cmd_001", "echo x")]),
        _ => Envelope::default(),
    });
    let link = SlowLink::to(lab.port());
    let port = link.port().to_string();
    let terminal = Run::aissh(&lab).linus(&linus).ssh(&["-p", &port, "lab"]).size(Size::WIDE).start();
    terminal.wait_prompt(lab.prompt());
    wait_connected(&linus);
    open_panel(&terminal);
    // A line that ends in a colon, and echoes late.
    terminal.type_line("read -rp 'Name: ' x; echo \"length ${#x}\"");
    terminal.wait_prompt("Name:");
    terminal.send("joe");
    terminal.wait_prompt("Name: joe");
    assert!(!terminal.screen_text().contains(LOCK), "{}", terminal.screen_text());
    terminal.send("\r");
    terminal.wait_text("length 3");
    let ran = told(&linus, 0);
    assert!(ran.command.starts_with("read -rp") && ran.output.contains("Name: joe"), "{ran:?}");
    // The question is on its way while the first of the answer is typed.
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("read -rsp 'Password: ' x; echo; echo \"length ${#x}\"");
    terminal.wait_prompt("Password:");
    terminal.send("hunter2");
    terminal.wait_text(LOCK);
    terminal.send("-late\r");
    terminal.wait_text("length 12");
    let ran = told(&linus, 1);
    assert!(ran.command.starts_with("read -rsp") && ran.output.ends_with("length 12"), "{ran:?}");
    chat(&terminal, "hello");
    terminal.wait_text("cmd_001");
    assert_untold(&lab, &linus, &["hunter2"]);
}
