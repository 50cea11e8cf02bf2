//! `--check`: what it says of a machine where everything is in place, and of each thing that is not.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};

use support::aissh::{PROGRAM, Run};
use support::lab::Lab;
use support::linus::{Fault, Linus, MODERN, Setup, tool};
use support::terminal::{Exit, Size, Terminal};

/// A lab, and a PATH in which `aissh` is the program.
struct Bench {
    lab: Lab,
    bin: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let lab = Lab::start();
        let bin = lab.dir().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(PROGRAM, bin.join("aissh")).unwrap();
        // Nothing of aissh's is there yet.
        fs::remove_dir_all(lab.client_home().join(".local")).unwrap();
        Self { lab, bin }
    }

    fn path(&self) -> String {
        format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap())
    }

    fn config(&self, text: &str) -> PathBuf {
        let file = self.lab.client_home().join(".config/aissh/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn env(&self) -> Vec<(String, String)> {
        let mut env = self.lab.env();
        env.retain(|(name, _)| name != "PATH");
        env.push(("PATH".to_owned(), self.path()));
        env
    }

    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        let mut command = Command::new(PROGRAM);
        command.arg("--check").args(args).env_clear().envs(self.env()).envs(env.iter().copied());
        command.stdin(std::process::Stdio::null()).output().unwrap()
    }

    /// The status, and the lines.
    fn check(&self, args: &[&str], env: &[(&str, &str)]) -> (Option<i32>, String) {
        let output = self.run(args, env);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    fn destination(&self) -> Vec<String> {
        self.lab.args(&["lab"])
    }
}

#[track_caller]
fn has_line(text: &str, parts: &[&str]) {
    let found =
        text.lines().any(|line| line.starts_with(parts[0]) && parts.iter().all(|part| line.contains(part)));
    assert!(found, "no line with {parts:?} in\n{text}");
}

#[test]
fn where_everything_is_in_place_every_line_says_so_and_the_status_is_0() {
    let bench = Bench::new();
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.lines().all(|line| line.starts_with("✓ ") || line.starts_with("· ")), "{text}");
    has_line(&text, &["✓ ssh: ", "OpenSSH"]);
    has_line(&text, &["✓ aissh: ", "/bin/aissh"]);
    has_line(&text, &["✓ configuration: no file"]);
    has_line(&text, &["✓ linus: built-in", "nothing leaves"]);
    has_line(&text, &["✓ folders: ", "not there yet"]);
    has_line(&text, &["· alias: ", "alias ssh=aissh"]);
    fs::write(bench.lab.client_home().join(".bashrc"), "alias ssh='aissh'\n").unwrap();
    has_line(&bench.check(&[], &[]).1, &["✓ alias: ~/.bashrc"]);
    // Nothing was made by looking.
    assert!(!bench.lab.client_home().join(".local").exists());
}

#[test]
fn on_a_terminal_it_says_what_the_terminal_can_and_a_destination_what_ssh_makes_of_it() {
    let bench = Bench::new();
    let args = [vec!["--check".to_owned()], bench.destination()].concat();
    let terminal = Terminal::spawn(PROGRAM, &args, &bench.env(), Size { rows: 30, ..Size::WIDE });
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let text = terminal.screen_text();
    for part in
        ["xterm-256color", "stands beside", "UTF-8", "lab is", "@127.0.0.1, port", "a session there has it"]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn an_ssh_that_is_missing_or_leads_back_is_told() {
    let bench = Bench::new();
    let only_us = bench.bin.display().to_string();
    symlink(PROGRAM, bench.bin.join("ssh")).unwrap();
    let (status, text) = bench.check(&[], &[("PATH", &only_us)]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ ssh: no ssh found in PATH", "AISSH_SSH"]);
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(0), "{text}");
    has_line(&text, &["✓ ssh: ", "OpenSSH", "/bin/ssh leads to aissh and is passed over"]);
    let real = Command::new("which").arg("ssh").output().unwrap();
    let (_, text) = bench.check(&[], &[("AISSH_SSH", String::from_utf8(real.stdout).unwrap().trim())]);
    assert!(!text.contains("passed over"), "{text}");
    let (_, text) = bench.check(&[], &[("AISSH_SSH", "/bin/false")]);
    has_line(&text, &["✗ ssh: /bin/false says nothing", "set AISSH_SSH"]);
}

#[test]
fn a_script_named_ssh_that_runs_aissh_is_no_loop() {
    let bench = Bench::new();
    fs::write(bench.bin.join("ssh"), "#!/bin/sh\nexec aissh \"$@\"\n").unwrap();
    fs::set_permissions(bench.bin.join("ssh"), Permissions::from_mode(0o755)).unwrap();
    let destination = bench.destination();
    let args: Vec<&str> = destination.iter().map(String::as_str).collect();
    let (status, text) = bench.check(&args, &[]);
    assert_eq!(status, Some(0), "{text}");
    has_line(&text, &["✓ ssh: ", "/bin/ssh, OpenSSH"]);
    has_line(&text, &["✓ destination: lab is ", "@127.0.0.1"]);
    let shown = Command::new(PROGRAM)
        .arg("--show-config")
        .args(&args)
        .env_clear()
        .envs(bench.env())
        .output()
        .unwrap();
    assert!(shown.status.success());
}

#[test]
fn another_aissh_that_comes_first_in_path_is_told() {
    let bench = Bench::new();
    let first = bench.lab.dir().join("first");
    fs::create_dir(&first).unwrap();
    fs::write(first.join("aissh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(first.join("aissh"), Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", first.display(), bench.path());
    let (status, text) = bench.check(&[], &[("PATH", &path)]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ aissh: the first aissh in PATH is ", "/first/aissh"]);
    let path = format!("{}:{}", bench.path(), first.display());
    has_line(&bench.check(&[], &[("PATH", &path)]).1, &["· aissh: ", "another is ", "/first/aissh"]);
}

#[test]
fn a_wrong_configuration_is_told_with_its_line_and_linus_is_not_asked() {
    let bench = Bench::new();
    let linus = Linus::modern();
    bench.config(&format!("[linus]\nurl = \"{}\"\nulr = 1\n", linus.url()));
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ configuration: ", "line 3: linus.ulr", "did you mean url in [linus]?"]);
    assert!(linus.requests().is_empty());
}

#[test]
fn a_runbook_of_the_users_with_a_mistake_is_told_with_its_line() {
    let bench = Bench::new();
    let folder = bench.config("").with_file_name("runbooks");
    fs::create_dir(&folder).expect("make the folder of the runbooks");
    let good = include_str!("../src/builtin/runbooks/port-in-use.toml");
    fs::write(folder.join("mine.toml"), good).expect("write a runbook");
    has_line(&bench.check(&[], &[]).1, &["✓ runbooks: 1 file of yours"]);
    fs::write(folder.join("other.toml"), "name = 1\n").expect("write a runbook");
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ runbooks: other.toml, line 1: "]);
    // Nobody writes into it: opening it must not wait for that.
    nix::unistd::mkfifo(&folder.join("pipe.toml"), nix::sys::stat::Mode::S_IRWXU).expect("make a FIFO");
    has_line(&bench.check(&[], &[]).1, &["✗ runbooks: pipe.toml cannot be read: not a regular file"]);
}

#[test]
fn linus_is_asked_who_he_is_and_told_of_no_host() {
    let bench = Bench::new();
    let linus = Linus::modern();
    bench.config(&format!("[linus]\nurl = \"{}\"\n", linus.url()));
    let destination = bench.destination();
    let args: Vec<&str> = destination.iter().map(String::as_str).collect();
    let (status, text) = bench.check(&args, &[]);
    assert_eq!(status, Some(0), "{text}");
    has_line(&text, &["✓ linus: 127.", &format!("MCP {MODERN}, handshake and tools in "), " ms"]);
    has_line(&text, &["✓ tools: all of the contract's"]);
    has_line(&text, &["✓ credentials: none"]);
    has_line(&text, &["✓ consent: he is on this machine"]);
    assert!(linus.calls().is_empty() && !linus.requests().is_empty());
    for request in linus.requests() {
        assert!(!request.body.to_string().contains("lab"), "{}", request.body);
    }
    linus.stop();
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ linus: 127.", "see linus.url"]);
}

#[test]
fn a_linus_without_some_tools_or_on_another_machine_is_told() {
    let bench = Bench::new();
    let linus = Linus::start(Setup { pages: vec![vec![tool("linus_chat")]], ..Setup::default() });
    let (status, text) = bench.check(&["--linus-url", &linus.url()], &[]);
    assert_eq!(status, Some(0), "{text}");
    has_line(&text, &["· tools: not there: linus_terminal_update, ", "[linus.tools]"]);
    let remote = Linus::remote();
    let (_, text) = bench.check(&["--linus-url", &remote.remote_url()], &[]);
    has_line(&text, &["· consent: http://0.0.0.0:", "asked once for each host"]);
    let none = Linus::start(Setup { pages: vec![vec![]], ..Setup::default() });
    let (status, text) = bench.check(&["--linus-url", &none.url()], &[]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ linus: ", "has no linus_chat"]);
    // From here on his era is remembered, so this is the first question.
    none.always("tools/list", Fault::Status(500, "text/plain", "no".into()));
    has_line(&bench.check(&["--linus-url", &none.url()], &[]).1, &["✗ linus: ", "HTTP 500"]);
}

#[test]
fn credentials_are_named_and_never_shown() {
    let bench = Bench::new();
    let linus = Linus::start(Setup { token: Some("s3cret-token"), ..Setup::default() });
    bench.config(&format!("[linus]\nurl = \"{}\"\ntoken_env = \"LINUS_TOKEN\"\n", linus.url()));
    let (status, text) = bench.check(&[], &[("LINUS_TOKEN", "s3cret-token")]);
    assert_eq!(status, Some(0), "{text}");
    has_line(&text, &["✓ credentials: a token from the variable LINUS_TOKEN"]);
    assert!(!text.contains("s3cret"), "{text}");
    let (status, text) = bench.check(&[], &[("LINUS_TOKEN", "another-s3cret")]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ linus: ", "LINUS_TOKEN", "is not accepted"]);
    assert!(!text.contains("s3cret"), "{text}");
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ linus: ", "line 3: token_env", "LINUS_TOKEN"]);
}

#[test]
fn a_live_multiplexed_connection_is_found() {
    let bench = Bench::new();
    let socket = bench.lab.dir().join("mux").display().to_string();
    let shared = bench.lab.args(&["-o", &format!("ControlPath={socket}"), "lab"]);
    let args: Vec<&str> = shared.iter().map(String::as_str).collect();
    has_line(&bench.check(&args, &[]).1, &["· side channel: no multiplexed connection is live at ", &socket]);
    let ssh = |first: &[&str]| Command::new("ssh").args(first).args(&args).output().unwrap();
    assert!(ssh(&["-fNM"]).status.success());
    let (status, text) = bench.check(&args, &[]);
    assert!(ssh(&["-O", "exit"]).status.success());
    assert_eq!(status, Some(0), "{text}");
    has_line(&text, &["✓ side channel: your own multiplexed connection is live", &socket]);
    let destination = bench.destination();
    let args: Vec<&str> = destination.iter().map(String::as_str).collect();
    has_line(&bench.check(&args, &[]).1, &["· side channel: ssh shares no connection there"]);
}

#[test]
fn a_match_exec_is_not_run_and_that_is_told() {
    let bench = Bench::new();
    let witness = bench.lab.dir().join("ran");
    let config = bench.lab.dir().join("with-match");
    fs::write(&config, format!("Match exec \"touch {}\"\n  Port 1\n", witness.display())).unwrap();
    let (_, text) = bench.check(&["-F", &config.display().to_string(), "web"], &[]);
    has_line(&text, &["· destination: web: ", "Match exec"]);
    has_line(&text, &["· side channel: not looked for"]);
    assert!(!witness.exists());
}

#[test]
fn files_that_others_can_read_or_write_are_told() {
    let bench = Bench::new();
    let state = bench.lab.client_home().join(".local/state/aissh");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
    has_line(&bench.check(&[], &[]).1, &["✓ folders: ", "is yours alone"]);
    let consent = state.join("consent");
    fs::write(&consent, "").unwrap();
    fs::set_permissions(&consent, Permissions::from_mode(0o644)).unwrap();
    let (status, text) = bench.check(&[], &[]);
    assert_eq!(status, Some(1));
    has_line(&text, &["✗ folders: ", "/consent is open to others (mode 644)", "chmod -R go="]);
    let file = bench.config("");
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    has_line(
        &bench.check(&[], &[]).1,
        &["✗ folders: ", "config.toml can be written by others", "chmod go-w"],
    );
}

#[test]
fn json_has_the_same_facts() {
    let bench = Bench::new();
    let output = bench.run(&["--json"], &[("PATH", "/nonexistent")]);
    assert_eq!(output.status.code(), Some(1));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["ok"], false);
    let facts = value["facts"].as_array().unwrap();
    let ssh = facts.iter().find(|fact| fact["topic"] == "ssh").unwrap();
    assert!(ssh["ok"] == false && ssh["what"].as_str().unwrap().contains("no ssh found"), "{ssh}");
    let alias = facts.iter().find(|fact| fact["topic"] == "alias").unwrap();
    assert!(alias["ok"].is_null() && alias["remedy"].is_string(), "{alias}");
}

#[test]
fn a_session_on_the_checked_host_really_has_the_panel() {
    let bench = Bench::new();
    let terminal = Run::aissh(&bench.lab).at_prompt();
    support::aissh::open_panel(&terminal);
    terminal.send("\x1ca");
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}
