//! File actions in the panel, on a real sshd: what the user sees, agrees to and confirms, and where nothing is offered.
#![allow(clippy::unwrap_used)]

mod support;

use aissh::linus::contract::{Envelope, FileAction, FileActions};
use aissh::record::{Event, parse};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::DEADLINE;
use support::aissh::{PREFIX, Run, chat, close_panel, open_panel};
use support::envelopes::{card, says, suggests, to_chats};
use support::files::{set_mode, text};
use support::lab::{Builder, Lab};
use support::linus::Linus;
use support::terminal::{Exit, Size, Terminal};
use support::told::{commands, told, wait_connected};
use support::zebra::Zebra;

/// Who the prompt says is there, as ssh resolved it.
fn login_prompt(builder: Builder) -> Builder {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().unwrap().name;
    builder.prompt(&format!("{user}@web1:\\w\\$ "))
}

/// Linus wants these files changed; the panel is open and shows the first of them.
fn session(lab: &Lab, linus: &Linus, prompt: &str, actions: &[Value]) -> Terminal {
    let actions = actions.iter().map(|action| FileAction::read(action).unwrap()).collect();
    let wants = Envelope { file_actions: Some(FileActions { actions }), ..says("Look at the files.") };
    linus.reply_with(to_chats(wants));
    let terminal = Run::aissh(lab).linus(linus).size(Size::WIDE).start();
    terminal.wait_text(prompt);
    wait_connected(linus);
    // What is told of a command is told of a prompt that was recognised.
    terminal.type_line("true");
    told(linus, 0);
    open_panel(&terminal);
    chat(&terminal, "go");
    terminal.wait_text("file_1");
    terminal
}

fn file(lab: &Lab, name: &str, content: &str) -> PathBuf {
    let path = lab.home().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn replace(path: &Path, old: &str, new: &str) -> Value {
    json!({"action": "update_file", "mode": "replace", "path": path, "oldContent": old, "content": new})
}

#[test]
fn a_file_is_changed_after_consent_a_look_at_the_diff_and_a_word() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let path = file(&lab, "app.conf", "# head\nport 80\n\tname\x1b[31m x\n");
    let terminal = session(&lab, &linus, "@web1:~", &[replace(&path, "port 80", "port 8080")]);
    terminal.wait_text("file_1 replace");
    terminal.wait_text("+1 −1");
    terminal.send(format!("{PREFIX}1"));
    for shown in ["logs in", "forced", "BatchMode=yes", "y      use it"] {
        terminal.wait_text(shown);
    }
    assert_eq!(lab.log().matches("Accepted publickey").count(), 1, "nobody logs in unasked");
    terminal.send("y");
    for shown in ["File: replace", "@@ -1,3 +1,3 @@", "-port 80", "+port 8080", "␉name␛[31m x", "Enter  "]
    {
        terminal.wait_text(shown);
    }
    assert_eq!(text(&path), "# head\nport 80\n\tname\x1b[31m x\n", "nothing is written yet");
    terminal.send("\r");
    terminal.wait_text("y     write it");
    terminal.send("y");
    terminal.wait_text("Done.");
    assert_eq!(text(&path), "# head\nport 8080\n\tname\x1b[31m x\n");
    terminal.send("\r");
    terminal.wait_text("written");
    terminal.wait_text("File ");
    assert_eq!(lab.log().matches("Accepted publickey").count(), 2);
    close_panel(&terminal);
    terminal.type_line("exit");
    terminal.wait_exit();
    assert!(lab.wait_log("Disconnected from user"), "the side channel ends with the session");
    // The audit has it, with its diff.
    let folder = lab.client_home().join(".local/state/aissh/audit");
    let log = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let logged = parse(&std::fs::read(log).unwrap());
    let is_it = |event: &Event| {
        matches!(event, Event::File { path: of, result, diff, .. }
            if *of == path.display().to_string() && result.starts_with("written") && diff.contains("+port 8080"))
    };
    assert!(logged.entries.iter().any(|entry| is_it(&entry.event)), "{logged:#?}");
}

#[test]
fn a_refused_consent_connects_to_nothing_and_a_high_risk_wants_yes() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    std::fs::create_dir(lab.home().join(".ssh")).unwrap();
    let path = file(&lab, ".ssh/authorized_keys", "old\n");
    let action = json!({"action": "update_file", "mode": "append", "path": path, "content": "new"});
    let terminal = session(&lab, &linus, "@web1:~", &[action]);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("logs in");
    terminal.send("n");
    terminal.wait_text("Ask Linus");
    assert_eq!(lab.log().matches("Accepted publickey").count(), 1);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("logs in");
    terminal.send("y");
    terminal.wait_text("◆ high");
    terminal.wait_text("ssh keys");
    terminal.send("\ry\r");
    terminal.wait_text("was not typed");
    terminal.send("\ryes\r");
    terminal.wait_text("Done.");
    assert_eq!(text(&path), "old\nnew\n");
}

#[test]
fn another_users_shell_is_offered_nothing() {
    // The prompt's user is not the login's: as after `sudo -i`, or in a container.
    let lab = Lab::builder().prompt("nobody@web1:\\w\\$ ").start();
    let linus = Linus::modern();
    let path = file(&lab, "a", "a\n");
    let terminal = session(&lab, &linus, "nobody@web1:~", &[replace(&path, "a", "b")]);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("Not here.");
    assert_eq!((text(&path).as_str(), lab.log().matches("Accepted publickey").count()), ("a\n", 1));
}

#[test]
fn a_shell_inside_the_session_is_no_place_for_files_until_it_ends() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let path = file(&lab, "a", "a\n");
    let terminal = session(&lab, &linus, "@web1:~", &[replace(&path, "a", "b")]);
    // As a nested ssh: another host's prompt. It is typed into the terminal.
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("PS1='\\u@db1:\\w\\$ ' bash --norc --noprofile");
    terminal.wait_text("@db1:~");
    terminal.type_line("true");
    linus.wait_for(|calls| commands(calls).iter().filter(|ran| ran.command == "true").count() == 2, DEADLINE);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("Not here.");
    terminal.send(format!("\r{PREFIX}\t"));
    terminal.type_line("exit");
    terminal.type_line("echo ba''ck");
    terminal.wait_text("back");
    terminal.type_line("true");
    linus.wait_for(|calls| commands(calls).iter().filter(|ran| ran.command == "true").count() == 3, DEADLINE);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("logs in");
    terminal.send("y");
    terminal.wait_text("File: replace");
    // And once more: the place changes while the diff is shown.
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("PS1='\\u@db1:\\w\\$ ' bash --norc --noprofile");
    terminal.wait_text("@db1:~");
    terminal.type_line("true");
    linus.wait_for(|calls| commands(calls).iter().filter(|ran| ran.command == "true").count() == 4, DEADLINE);
    terminal.send(format!("{PREFIX}\t\ry"));
    terminal.wait_text("Nothing was changed.");
    assert_eq!(text(&path), "a\n");
}

#[test]
fn a_network_device_is_offered_nothing() {
    let Some(zebra) = Zebra::start("hunter2") else { return };
    let lab = Lab::builder().sshd_option(&format!("ForceCommand {}", zebra.vtysh())).start();
    let linus = Linus::modern();
    let terminal = session(&lab, &linus, "r1#", &[replace(Path::new("/etc/frr/frr.conf"), "a", "b")]);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("Not here.");
    terminal.wait_text("vtysh,");
    assert_eq!(lab.log().matches("Accepted publickey").count(), 1);
}

#[test]
fn a_server_that_never_answers_can_be_left_and_the_session_goes_on() {
    let lab = login_prompt(Lab::builder().sshd_option("ForceCommand $HOME/forced")).start();
    let forced =
        "#!/bin/sh\ncase $SSH_ORIGINAL_COMMAND in '') exec bash --login ;; *) exec sleep 1000 ;; esac\n";
    set_mode(&file(&lab, "forced", forced), 0o755);
    let linus = Linus::modern();
    let path = file(&lab, "a", "a\n");
    let terminal = session(&lab, &linus, "@web1:~", &[replace(&path, "a", "b")]);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("logs in");
    terminal.send("y");
    terminal.wait_text("connecting");
    assert!(lab.wait_log("Starting session: forced-command"));
    terminal.send("\x1b");
    terminal.wait_text("Ask Linus");
    terminal.send(format!("{PREFIX}\t"));
    terminal.type_line("echo still he''re");
    terminal.wait_text("still here");
    close_panel(&terminal);
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn a_shell_that_does_not_say_who_it_is_wants_a_typed_yes() {
    let lab = Lab::builder().prompt("% ").start();
    let linus = Linus::modern();
    let path = file(&lab, "a", "a\n");
    let terminal = session(&lab, &linus, "% ", &[replace(&path, "a", "b")]);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("logs in");
    terminal.send("y");
    terminal.wait_text("◆ high");
    terminal.wait_text("not tell who");
    terminal.send("\r\x1b");
    terminal.wait_text("Enter  ");
    assert_eq!(text(&path), "a\n");
}

#[test]
fn what_is_not_found_and_what_is_not_permitted_is_said_and_root_gets_a_card() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let path = file(&lab, "a", "a\n");
    let none = replace(&path, "z", "b");
    let terminal = session(&lab, &linus, "@web1:~", &[none, replace(&lab.home().join("none/x"), "a", "b")]);
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("logs in");
    terminal.send("y");
    terminal.wait_text("Nothing was changed");
    terminal.wait_text("oldContent.");
    terminal.send(format!("\r{PREFIX}2"));
    terminal.wait_text("no directory");
    terminal.send("\r");
    terminal.wait_text("file_2");
}

#[test]
fn cards_for_files_stand_beside_commands_and_can_be_dismissed() {
    let lab = login_prompt(Lab::builder()).start();
    let linus = Linus::modern();
    let action =
        json!({"action": "write_file", "path": "/srv/x", "content": ["a", "b"], "description": "what for"});
    let actions = vec![FileAction::read(&action).unwrap()];
    let both =
        Envelope { file_actions: Some(FileActions { actions }), ..suggests(vec![card("cmd_1", "df -h")]) };
    linus.reply_with(to_chats(both));
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).start();
    terminal.wait_text("@web1:~");
    wait_connected(&linus);
    open_panel(&terminal);
    chat(&terminal, "go");
    for shown in ["1 cmd_1", "2 file_1 write", "+2 −?", "/srv/x", "what for"] {
        terminal.wait_text(shown);
    }
    terminal.send("\x1b[B\x1b[B");
    terminal.wait_text("Enter opens");
    terminal.send("\x1b[3~");
    terminal.wait_for(|screen| !screen.contents().contains("file_1"), "the card is gone");
}
