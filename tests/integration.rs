//! Shell integration in real shells behind a real sshd: sent on a key, its marks are trusted, and nothing of the
//! user's is other than before.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::shells::{ASH, BASH, DASH, FISH, KSH93, Kind, MKSH, PROMPT, ZSH};
use support::told::{commands, everything};

/// Everything that must hold in every shell.
fn assert_integrates(kind: &Kind) {
    let lab = kind.lab();
    let mut session = kind.session(&lab);
    let before = session.says(&lab, kind.facts);
    assert!(before.starts_with('='), "{before}");
    session.enter(kind.seven);
    session.integrate(kind);
    // The echo is gone, and so is the nonce from the screen.
    let text = session.terminal.screen_text();
    assert!(!text.contains("__aissh") && text.matches(PROMPT).count() >= 3, "{text}");
    // What was the user's is as it was; the prompt too, on the screen.
    assert_eq!(session.says(&lab, kind.facts).replace("=7=", "=0="), before.replace("=7=", "=0="));
    session.run(": from here on");
    // Statuses and directories are told.
    for (command, status) in [(kind.seven, 7), ("true", 0), ("nonsense-x", 127), ("true", 0)] {
        assert_eq!(session.run(command).exit_code, Some(status), "{}: {command}", kind.name);
    }
    let dir = session.run("cd /usr/share").context.cwd;
    assert_eq!(dir.as_deref(), Some("/usr/share"), "{}", kind.name);
    let echo = session.run("echo one; echo two");
    assert_eq!((echo.output.as_str(), echo.exit_code), ("one\ntwo", Some(0)), "{}", kind.name);
    // A second time changes nothing.
    session.run(kind.seven);
    session.integrate(kind);
    assert!(!session.terminal.screen_text().contains("__aissh"), "the second echo");
    assert_eq!(session.run("false").exit_code, Some(1));
    assert_eq!(session.says(&lab, kind.facts).replace("=1=", "=0="), before.replace("=7=", "=0="));
    if !kind.history.is_empty() {
        let history = session.says(&lab, kind.history);
        assert!(history.contains("cd /usr/share") && !history.contains("aissh"), "{history}");
    }
    // The nonce is in no program's environment, and Linus has not seen it.
    session.run("env > $HOME/env");
    session.run(&format!("echo {} > $HOME/nonce", kind.nonce));
    let nonce = fs::read_to_string(lab.home().join("nonce")).unwrap();
    let nonce = nonce.trim().strip_prefix(";nonce=").unwrap();
    assert_eq!(nonce.len(), 32);
    let env = fs::read_to_string(lab.home().join("env")).unwrap();
    assert!(!env.contains(nonce), "{env}");
    session.run(&format!("echo {}", kind.nonce));
    let told = everything(&session.linus);
    assert!(told.contains("‹nonce›"), "{told}");
    for piece in [&nonce[..9], &nonce[12..22], &nonce[23..]] {
        assert!(!told.contains(piece), "{piece} of {nonce} is in {told}");
    }
    // No command of the user's was the integration.
    assert!(!commands(&session.linus.calls()).iter().any(|ran| ran.command.contains("__aissh_")));
}

#[test]
fn bash_is_integrated_and_all_else_stays() {
    assert_integrates(&BASH);
}

#[test]
fn zsh_is_integrated_and_all_else_stays() {
    assert_integrates(&ZSH);
}

#[test]
fn fish_is_integrated_and_all_else_stays() {
    assert_integrates(&FISH);
}

#[test]
fn mksh_is_integrated_and_all_else_stays() {
    assert_integrates(&MKSH);
}

#[test]
fn ksh93_is_integrated_and_all_else_stays() {
    assert_integrates(&KSH93);
}

#[test]
fn dash_is_integrated_and_all_else_stays() {
    assert_integrates(&DASH);
}

#[test]
fn busybox_ash_is_integrated_and_all_else_stays() {
    assert_integrates(&ASH);
}
