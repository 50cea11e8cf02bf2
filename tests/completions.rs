//! Completion scripts as the shells run them. A shell that is not installed is skipped, except bash.

use std::process::{Command, Stdio};

#[allow(unreachable_pub, reason = "reachable in the crate, not in this test")]
#[path = "../src/cli/completions.rs"]
mod completions;

use completions::{Opt, Shell, script};

const OPTIONS: &[Opt<'_>] = &[
    Opt { long: "sidebar", value: None, help: "Open the side panel at the start" },
    Opt { long: "policy", value: Some("suggest|confirm"), help: "How it's sent: on the line, or entered" },
    Opt { long: "config", value: Some("FILE"), help: "Read this file" },
    Opt { long: "ask", value: Some("QUESTION"), help: "Answer and exit" },
];

fn run(shell: &str, args: &[&str], text: &str) -> Option<Vec<String>> {
    let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-completions.XXXXXX")).expect("mkdtemp");
    let file = dir.join("script");
    std::fs::write(&file, text).expect("write the script");
    let mut command = Command::new(shell);
    command.args(args).arg(&file).stdin(Stdio::null()).env("HOME", &dir);
    let output = command.output();
    std::fs::remove_dir_all(&dir).expect("remove the directory");
    let output = output.ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && stderr.is_empty(), "{shell}: {stderr}");
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// What bash completes for these words, the last one being completed. ssh's own completion is a stand-in that
/// shows the words it was given.
fn bash(words: &str) -> Vec<String> {
    let stand_in = "_ssh() { COMPREPLY=(\"ssh sees: ${COMP_WORDS[*]}|$COMP_CWORD|$COMP_LINE|$1|$2|$3\"); }\n\
                    complete -F _ssh ssh\n";
    let call = format!(
        "COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE=${{COMP_WORDS[*]}}; _aissh 2>&1\n\
         [ ${{#COMPREPLY[@]}} = 0 ] || printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    );
    run("bash", &["--norc"], &(stand_in.to_owned() + &script(Shell::Bash, OPTIONS) + &call))
        .expect("bash runs")
}

#[test]
fn bash_completes_own_options_before_the_destination() {
    assert_eq!(bash("aissh --"), ["--sidebar", "--policy", "--config", "--ask"]);
    assert_eq!(bash("aissh --sidebar -p 22 --co"), ["--config"]);
    assert_eq!(bash("aissh --policy ''"), ["suggest", "confirm"]);
}

#[test]
fn bash_hands_everything_else_to_the_completion_for_ssh() {
    assert_eq!(bash("aissh --sidebar --ask why -o"), ["ssh sees: ssh -o|1|ssh -o|ssh|-o|ssh"]);
    assert_eq!(bash("aissh --sidebar -p 22 web"), ["ssh sees: ssh -p 22 web|3|ssh -p 22 web|ssh|web|22"]);
    // After the destination nothing is ours.
    assert_eq!(bash("aissh web --"), ["ssh sees: ssh web --|2|ssh web --|ssh|--|web"]);
    assert_eq!(bash("aissh web --ask x"), ["ssh sees: ssh web --ask x|3|ssh web --ask x|ssh|x|--ask"]);
}

#[test]
fn an_attached_value_of_an_ssh_option_does_not_swallow_the_destination() {
    assert_eq!(
        bash("aissh -oUser=bob web --"),
        ["ssh sees: ssh -oUser=bob web --|3|ssh -oUser=bob web --|ssh|--|web"]
    );
    assert_eq!(bash("aissh -vvp 22 --si"), ["--sidebar"]);
}

#[test]
fn fish_completes_own_options_before_the_destination() {
    let complete = |line: &str| {
        let text = script(Shell::Fish, OPTIONS) + &format!("complete --do-complete '{line}'\n");
        run("fish", &["--no-config"], &text)
    };
    let Some(lines) = complete("aissh -p 22 --po") else { return };
    assert_eq!(lines, ["--policy\tHow it's sent: on the line, or entered"]);
    assert_eq!(
        complete("aissh --policy su"),
        Some(vec!["suggest\tHow it's sent: on the line, or entered".to_owned()])
    );
    assert_eq!(complete("aissh web --po"), Some(Vec::new()));
}

#[test]
fn zsh_accepts_the_script_and_completes_own_options() {
    // The completion system needs a terminal; a stand-in for its functions shows what is offered.
    let stand_in =
        "_describe() { print -l -- \"${(@P)3}\" }\n_ssh() { print ssh: $words[1,-2] $CURRENT $service }\n";
    let complete = |words: &str, prefix: &str| {
        let set = format!("words=({words}); CURRENT=$#words; PREFIX='{prefix}'\n");
        run("zsh", &["-f"], &(stand_in.to_owned() + &set + &script(Shell::Zsh, OPTIONS)))
    };
    let Some(lines) = complete("aissh -p 22 --po", "--po") else { return };
    assert_eq!(lines[1], "--policy:How it's sent: on the line, or entered");
    assert_eq!(complete("aissh --ask why web ''", ""), Some(vec!["ssh: ssh web 3 ssh".to_owned()]));
}

#[test]
fn scripts_without_any_option_are_still_valid() {
    for (shell, name) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
        let text = script(shell, &[]);
        assert!(!text.contains('@') || shell != Shell::Fish, "a placeholder is left in {text}");
        run(name, &["-n"], &text);
    }
}
