//! Completion as people have it: real shells on a terminal, their own completion for ssh, and the Tab key.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::aissh::PROGRAM;
use support::terminal::{Size, Terminal};

/// Where Debian and Fedora have it.
const BASH_COMPLETION: &str = "/usr/share/bash-completion/bash_completion";
const PROMPT: &str = "READY> ";

/// A home with hosts that ssh's files name, and the committed scripts.
struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-completing.XXXXXX")).unwrap();
        fs::create_dir(dir.join(".ssh")).unwrap();
        let config = "Host zeppelin-web *.wild\n  Port 22\nHost $(touch${IFS}ran)zeppelin2\n";
        fs::write(dir.join(".ssh/config"), config).unwrap();
        let known = "knownzebra.example,[otherzebra]:2222 ssh-ed25519 AAAA\n|1|abc=|def= ssh-ed25519 AAAA\n\
                     @revoked badzebra ssh-ed25519 AAAA\n";
        fs::write(dir.join(".ssh/known_hosts"), known).unwrap();
        fs::create_dir(dir.join("fpath")).unwrap();
        fs::copy(script("zsh"), dir.join("fpath/_aissh")).unwrap();
        Self(dir)
    }

    fn env(&self) -> Vec<(String, String)> {
        let (home, path) = (self.0.display().to_string(), std::env::var("PATH").unwrap());
        let path = format!("{}:{path}", Path::new(PROGRAM).parent().unwrap().display());
        let env = [("HOME", home.clone()), ("ZDOTDIR", home), ("PATH", path), ("LANG", "C.UTF-8".into())];
        let term = [("TERM", "xterm-256color".to_owned())];
        env.into_iter().chain(term).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// A shell that has read `rc`.
    fn shell(&self, program: &str, args: &[&str], rc: (&str, &str)) -> Terminal {
        fs::write(self.0.join(rc.0), rc.1).unwrap();
        let args: Vec<String> =
            args.iter().map(|arg| arg.replace("HOME", &self.0.display().to_string())).collect();
        let terminal = Terminal::spawn(program, &args, &self.env(), Size::WIDE);
        terminal.wait_text(PROMPT);
        terminal
    }

    fn bash(&self, with_completion: bool) -> Terminal {
        let load = if with_completion { format!(". {BASH_COMPLETION}\n") } else { String::new() };
        let rc = format!("{load}. {}\nPS1='{PROMPT}'\n", script("bash").display());
        self.shell("bash", &["--noprofile", "--rcfile", "HOME/rc", "-i"], ("rc", &rc))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn script(shell: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("completions/aissh.{shell}"))
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Types, presses Tab, and waits for what comes of it; then takes the line back.
#[track_caller]
fn completes(terminal: &Terminal, typed: &str, becomes: &str) {
    terminal.send(format!("{typed}\t"));
    terminal.wait_for(|screen| screen.contents().contains(&format!("{PROMPT}{becomes}")), becomes);
    terminal.send("\x15\x0c");
    let is_empty = |screen: &vt100::Screen| screen.contents().trim_end().ends_with(PROMPT.trim_end());
    terminal.wait_for(is_empty, "an empty line");
}

/// What every shell does where ssh's own completion is there.
fn everything(terminal: &Terminal) {
    completes(terminal, "aissh zeppelin-", "aissh zeppelin-web");
    completes(
        terminal,
        "aissh --sidebar --policy suggest knownz",
        "aissh --sidebar --policy suggest knownzebra.example",
    );
    completes(terminal, "aissh -p 22 zeppelin-", "aissh -p 22 zeppelin-web");
    completes(terminal, "aissh --sidebar joe@knownz", "aissh --sidebar joe@knownzebra.example");
    completes(terminal, "aissh --side", "aissh --sidebar");
    completes(terminal, "aissh --policy sug", "aissh --policy suggest");
    completes(terminal, "aissh --check zeppelin-", "aissh --check zeppelin-web");
    completes(terminal, "aissh -o StrictHostK", "aissh -o StrictHostKeyChecking=");
}

#[test]
fn bash_with_bash_completion_completes_our_options_and_all_that_it_knows_of_ssh() {
    if !Path::new(BASH_COMPLETION).exists() {
        return;
    }
    let home = Home::new();
    everything(&home.bash(true));
}

#[test]
fn bash_alone_completes_our_options_and_the_hosts_of_sshs_files_and_runs_nothing_of_them() {
    let home = Home::new();
    let terminal = home.bash(false);
    completes(&terminal, "aissh --side", "aissh --sidebar");
    completes(&terminal, "aissh zeppelin-", "aissh zeppelin-web");
    completes(&terminal, "aissh -p 22 joe@knownz", "aissh -p 22 joe@knownzebra.example");
    completes(&terminal, "aissh otherz", "aissh otherzebra");
    // Revoked, hashed and patterns are none.
    completes(&terminal, "aissh badz", "aissh badz");
    completes(&terminal, "aissh z", "aissh zeppelin-web");
    assert!(!home.0.join("ran").exists() && !Path::new("ran").exists());
}

#[test]
fn zsh_completes_our_options_and_all_that_it_knows_of_ssh() {
    if !is_there("zsh") {
        return;
    }
    let home = Home::new();
    let rc = format!(
        "fpath=({}/fpath $fpath)\nautoload -Uz compinit && compinit -D -u\nPS1='{PROMPT}'\nunsetopt zle_bracketed_paste prompt_sp\n",
        home.0.display()
    );
    let terminal = home.shell("zsh", &["-d", "-i"], (".zshrc", &rc));
    everything(&terminal);
}

#[test]
fn fish_completes_our_options_and_all_that_it_knows_of_ssh() {
    if !is_there("fish") {
        return;
    }
    let home = Home::new();
    let file = script("fish");
    let complete = |line: &str| {
        let code = format!("source {}; complete -C '{line}'", file.display());
        let output = Command::new("fish").args(["-c", &code]).env_clear().envs(home.env()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    };
    let has = |line: &str, word: &str| {
        let said = complete(line);
        assert!(
            said.lines().any(|found| found.split('\t').next() == Some(word)),
            "{line}: no {word} in {said}"
        );
    };
    has("aissh zeppelin-", "zeppelin-web");
    has("aissh --sidebar --policy suggest knownz", "knownzebra.example");
    has("aissh -p 22 zeppelin-", "zeppelin-web");
    has("aissh --side", "--sidebar");
    has("aissh --policy sug", "suggest");
    has("aissh --check zeppelin-", "zeppelin-web");
    has("aissh -o StrictHostK", "StrictHostKeyChecking");
}
