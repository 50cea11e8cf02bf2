//! `--show-config` as a user runs it, and a `[[host]]` section's Linus in a real session.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::{Command, Output};

use support::DEADLINE;
use support::aissh::{PROGRAM, Run, chat, open_panel};
use support::lab::Lab;
use support::linus::Linus;

fn show(lab: &Lab, config: &str, args: &[&str]) -> Output {
    let file = lab.dir().join("aissh.toml");
    fs::write(&file, config).unwrap();
    let mut command = Command::new(PROGRAM);
    command.arg("--config").arg(&file).args(args).env_clear().envs(lab.env());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn settings_are_shown_with_where_they_come_from_for_the_name_that_ssh_resolves() {
    let lab = Lab::start();
    let config = "[linus]\nupdates = \"ask\"\n[[host]]\nmatch = \"127.0.0.1\"\nlinus.updates = \"off\"\n";
    let ssh_config = lab.ssh_config().display().to_string();
    let general = text(&show(&lab, config, &["--show-config"]).stdout);
    assert!(general.contains("linus.updates = \"ask\"                    # line 2\n"), "{general}");
    assert!(general.contains("Sections for some hosts: 1."), "{general}");
    // The lab's host has another name: only ssh knows its address.
    let own = text(&show(&lab, config, &["--show-config", "-F", &ssh_config, "lab"]).stdout);
    assert!(own.contains("linus.updates = \"off\"                    # line 5\n"), "{own}");
    let args = ["--policy", "suggest", "--show-config", "--json", "-F", &ssh_config, "lab"];
    let value: serde_json::Value = serde_json::from_slice(&show(&lab, config, &args).stdout).unwrap();
    let of = |key: &str| {
        let all = value["settings"].as_array().unwrap();
        all.iter().find(|setting| setting["key"] == key).unwrap().clone()
    };
    let policy = of("policy.mode");
    assert_eq!((policy["from"].as_str(), policy["flag"].as_str()), (Some("flag"), Some("--policy")));
    assert_eq!((of("linus.updates")["line"].as_u64(), of("linus.url")["value"].is_null()), (Some(5), true));
}

#[test]
fn a_wrong_file_or_command_line_is_told_and_nothing_shown() {
    let lab = Lab::start();
    let output = show(&lab, "[panel]\nmod = 1\n", &["--show-config"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(78), 0));
    let said = text(&output.stderr);
    assert!(said.contains("line 2: panel.mod: ") && said.contains("did you mean mode in [panel]?"), "{said}");
    for args in [&["--show-config", "-p", "22"] as &[&str], &["--json"], &["--config-schema", "x"]] {
        let output = show(&lab, "", args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(64), 0), "{args:?}");
    }
}

#[test]
fn a_session_talks_to_the_hosts_own_linus_and_shows_him_no_token_of_another() {
    let lab = Lab::start();
    let (general, own) = (Linus::modern(), Linus::modern());
    let config = lab.client_home().join(".config/aissh/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let text = format!(
        "[linus]\nurl = \"{}\"\ntoken_env = \"LINUS_TOKEN\"\n[[host]]\nmatch = \"la?\"\nlinus.url = \"{}\"\n",
        general.url(),
        own.url()
    );
    fs::write(&config, text).unwrap();
    let terminal = Run::aissh(&lab).env("LINUS_TOKEN", "for-the-general-one").at_prompt();
    open_panel(&terminal);
    chat(&terminal, "who is there");
    own.wait_for(|calls| calls.iter().any(|call| call.arguments.get("message").is_some()), DEADLINE);
    terminal.wait_text("you said: who is there");
    assert!(general.requests().is_empty(), "{:?}", general.methods());
    for request in own.requests() {
        assert_eq!(request.header("authorization"), None);
    }
}
