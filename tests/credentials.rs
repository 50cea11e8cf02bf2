//! Tokens in use: renewed once for all windows, never lost, told nobody, and what the user is told when one is refused.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use aissh::linus::Canceller;
use aissh::linus::oauth::{Key, SignIn, Store, now};
use serde_json::json;
use support::DEADLINE;
use support::aissh::{PROGRAM, Run, chat, open_panel};
use support::authority::Authority;
use support::lab::Lab;
use support::linus::{Linus, Setup};
use support::terminal::Size;

/// A home of its own, in which the user signed in to a Linus.
struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-home.XXXXXX")).unwrap())
    }

    fn state(&self) -> PathBuf {
        self.0.join(".local/state")
    }

    fn store(&self) -> Store {
        Store::at(self.state().join("aissh/sign-ins"))
    }

    /// A sign-in whose `access-1` has ended, or was got long ago.
    fn sign_in(&self, linus: &Linus, authority: &Authority, ended: bool) {
        let expires = if ended { now() - 1 } else { now() + 3600 };
        let text = json!({
            "serial": 0, "server": linus.url(), "resource": authority.resource(), "issuer": authority.issuer(),
            "token_endpoint": format!("{}/token", authority.issuer()), "revocation_endpoint": null,
            "client": {"id": "client-1", "auth": "none"}, "scope": null,
            "access": "access-1", "refresh": "refresh-1", "obtained": now() - 3600, "expires": expires,
        });
        let key = Key::of(&linus.url()).unwrap();
        let store = self.store();
        store.lock(&key, &Canceller::new()).unwrap().write(serde_json::from_value(text).unwrap()).unwrap();
    }

    fn read(&self, linus: &Linus) -> SignIn {
        self.store().read(&Key::of(&linus.url()).unwrap()).unwrap().unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env("HOME", &self.0).env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn ask(&self, linus: &Linus) -> Child {
        self.command(&["--linus-url", &linus.url(), "--ask", "hello"]).spawn().unwrap()
    }

    /// Asks with this configuration.
    fn ask_with(&self, config: &str, env: &[(&str, &str)]) -> Output {
        let file = self.0.join("config.toml");
        fs::write(&file, config).unwrap();
        let mut command = self.command(&["--config", &file.display().to_string(), "--ask", "hello"]);
        command.envs(env.iter().copied()).output().unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn linus(token: &'static str) -> Linus {
    Linus::start(Setup { token: Some(token), ..Setup::default() })
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

#[test]
fn many_windows_that_need_a_new_token_at_once_renew_it_once() {
    for ended in [true, false] {
        let (linus, authority, home) = (linus("access-2"), Authority::start(), Home::new());
        home.sign_in(&linus, &authority, ended);
        // Nobody gets it before all want it.
        authority.hold(true);
        let windows: Vec<Child> = (0..8).map(|_| home.ask(&linus)).collect();
        authority.wait_asked("/token", DEADLINE);
        authority.hold(false);
        for window in windows {
            let output = window.wait_with_output().unwrap();
            assert!(said(&output).contains("you said: hello"), "{}", said(&output));
        }
        assert_eq!(authority.forms("/token").len(), 1, "one refresh, of refresh-1");
        let kept = serde_json::to_string(&home.read(&linus)).unwrap();
        assert!(kept.contains("access-2") && kept.contains("refresh-2"));
    }
}

#[test]
fn a_session_that_dies_in_the_middle_of_a_renewal_does_not_lose_the_sign_in() {
    let (linus, authority, home) = (linus("access-2"), Authority::start(), Home::new());
    home.sign_in(&linus, &authority, true);
    authority.hold(true);
    let mut window = home.ask(&linus);
    authority.wait_asked("/token", DEADLINE);
    window.kill().unwrap();
    window.wait().unwrap();
    authority.hold(false);
    let end = Instant::now() + DEADLINE;
    while home.read(&linus).serial == 1 {
        assert!(Instant::now() < end, "the answer was read by nobody");
        std::thread::yield_now();
    }
    let output = home.ask(&linus).wait_with_output().unwrap();
    assert!(said(&output).contains("you said: hello"), "{}", said(&output));
    assert_eq!(authority.forms("/token").len(), 1);
}

#[test]
fn a_sign_in_that_was_taken_back_is_said_once_and_the_server_is_not_asked_again() {
    let (linus, authority, home) = (linus("access-2"), Authority::start(), Home::new());
    home.sign_in(&linus, &authority, true);
    authority.answer(
        "/token",
        400,
        json!({"error": "invalid_grant", "error_description": "refresh-1 was used"}),
    );
    for _ in 0..2 {
        let output = home.ask(&linus).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(69));
        let said = said(&output);
        assert!(said.contains(&format!("run aissh --login {}", linus.url())), "{said}");
        assert!(!said.contains("refresh-1"), "{said}");
    }
    assert_eq!(authority.forms("/token").len(), 1);
    // A server in trouble is another matter: the sign-in stays.
    let home = Home::new();
    home.sign_in(&linus, &authority, true);
    authority.answer("/token", 503, json!({}));
    let output = home.ask(&linus).wait_with_output().unwrap();
    assert!(said(&output).contains("could not be renewed"), "{}", said(&output));
    assert_eq!(home.read(&linus).serial, 1);
}

#[test]
fn a_server_that_refuses_every_token_is_not_asked_for_ever() {
    let (linus, authority, home) = (linus("access-99"), Authority::start(), Home::new());
    home.sign_in(&linus, &authority, false);
    for _ in 0..3 {
        let output = home.ask(&linus).wait_with_output().unwrap();
        assert!(
            said(&output).contains("HTTP 401: the sign-in is not accepted: run aissh --login"),
            "{}",
            said(&output)
        );
    }
    assert_eq!(authority.forms("/token").len(), 1);
}

#[test]
fn the_panel_says_what_to_run_and_goes_on_by_itself_when_that_was_done() {
    let (lab, linus, authority) = (Lab::start(), linus("access-2"), Authority::start());
    let home = Home::new();
    let state = home.state().display().to_string();
    let terminal = Run::aissh(&lab).linus(&linus).env("XDG_STATE_HOME", &state).size(Size::WIDE).at_prompt();
    open_panel(&terminal);
    terminal.wait_text("aissh --login");
    // Signed in elsewhere meanwhile, with a token that is about to be renewed.
    home.sign_in(&linus, &authority, true);
    chat(&terminal, "secretless");
    terminal.wait_text("you said: secretless");
    assert_eq!(authority.forms("/token").len(), 1);
    let tokens = ["access-1", "access-2", "refresh-1", "refresh-2"];
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    let told = format!("{:?}", linus.calls().iter().map(|call| &call.arguments).collect::<Vec<_>>());
    let shown = [("the terminal", raw), ("messages", told), ("command lines", command_lines())];
    for token in tokens {
        for (what, text) in &shown {
            assert!(!text.contains(token), "{token} is in {what}");
        }
        let files = files_with(&home.0, token);
        let elsewhere: Vec<&PathBuf> = files.iter().filter(|file| !file.starts_with(home.state())).collect();
        assert!(elsewhere.is_empty() && files.len() <= 1, "{token} is in {files:?}");
    }
}

/// Those of all processes; the renewing one's may be gone by now, but it had to come through here.
fn command_lines() -> String {
    let lines = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).collect()
}

fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files_with(&entry.path(), text));
        } else if fs::read(entry.path()).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text)) {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn a_token_comes_from_a_command_and_one_that_fails_is_named_without_its_secrets() {
    let (linus, home) = (linus("t0ken-1"), Home::new());
    let config = |command: &str| format!("[linus]\nurl = \"{}\"\ntoken_command = {command}\n", linus.url());
    let output = home.ask_with(&config(r#"["printf", "t0ken-1\nuser: joe\n"]"#), &[]);
    assert!(said(&output).contains("you said: hello"), "{}", said(&output));
    for (command, wanted) in [
        (r#"["printf", "t0ken-2"]"#, "HTTP 401: the token from printf (linus.token_command) is not accepted"),
        (
            r#"["sh", "-c", "exit 4 # t0ken-2"]"#,
            "no token from sh (linus.token_command): sh: it ended with status 4",
        ),
        (r#"["/nonexistent"]"#, "no token from /nonexistent (linus.token_command)"),
        // It has no terminal to ask on, and no agent to ask.
        (r#"["sh", "-c", "test -z \"$SSH_AUTH_SOCK\" && ! (: > /dev/tty) && exit 6"]"#, "status 6"),
    ] {
        let output = home.ask_with(&config(command), &[("SSH_AUTH_SOCK", "/x")]);
        assert_eq!(output.status.code(), Some(69));
        assert!(said(&output).contains(wanted) && !said(&output).contains("t0ken-2"), "{}", said(&output));
    }
    let env = format!("[linus]\nurl = \"{}\"\ntoken_env = \"LINUS_TOKEN\"\n", linus.url());
    let output = home.ask_with(&env, &[("LINUS_TOKEN", "t0ken-2")]);
    assert!(said(&output).contains("the token in LINUS_TOKEN (linus.token_env)"), "{}", said(&output));
}

#[test]
fn a_token_comes_from_the_systems_keyring() {
    let (linus, home) = (linus("t0ken-1"), Home::new());
    let config = home.0.join("config.toml");
    let text = |account: &str| format!("[linus]\nurl = \"{}\"\ntoken_keyring = \"{account}\"\n", linus.url());
    fs::write(&config, text("joe")).unwrap();
    fs::write(home.0.join("nobody.toml"), text("nobody")).unwrap();
    // A real one on a bus of its own, unlocked with a password as a login does it.
    let script = "printf lock | gnome-keyring-daemon --unlock --components=secrets > /dev/null &&\n\
        printf t0ken-1 | secret-tool store --label=Linus service aissh account joe &&\n\
        \"$1\" --config config.toml --ask hello; \"$1\" --config nobody.toml --ask hello; exit 0";
    let mut command = Command::new("dbus-run-session");
    command.args(["--", "sh", "-c", script, "sh", PROGRAM]).current_dir(&home.0);
    command
        .env("HOME", &home.0)
        .env("XDG_RUNTIME_DIR", &home.0)
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::null());
    command.env_remove("XDG_DATA_HOME").env_remove("DISPLAY");
    let output = command.output().unwrap();
    let _ = std::io::stderr().write_all(&output.stderr);
    let said = said(&output);
    assert!(said.contains("you said: hello"), "{said}");
    assert!(said.contains("no token from the keyring (linus.token_keyring = \"nobody\")"), "{said}");
}
