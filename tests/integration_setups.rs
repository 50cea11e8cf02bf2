//! Shell integration where the shell is set up in other ways, where it does not belong, and what is kept of the answer.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use support::aissh::{PREFIX, PROGRAM, close_panel, open_panel};
use support::shells::{
    ASH, BASH, DASH, FISH, KSH93, Kind, MKSH, PROMPT, Session, ZSH, integrate, open_dialog,
};

/// A set-up of another kind: statuses and directories are told, and the prompt stays what it is.
fn assert_survives(kind: &Kind) {
    let lab = kind.lab();
    let mut session = kind.session(&lab);
    session.enter(kind.seven);
    let line = |session: &Session| {
        let row = |screen: &vt100::Screen| {
            let (row, col) = screen.cursor_position();
            screen.rows(0, col).nth(row.into()).unwrap()
        };
        session.terminal.screen(row)
    };
    let before = line(&session);
    session.integrate(kind);
    assert_eq!(line(&session).trim_end(), before.trim_end());
    assert!(!session.terminal.screen_text().contains("__aissh"), "{}", session.terminal.screen_text());
    session.run(": from here on");
    for (command, status) in [(kind.seven, 7), ("true", 0), ("false", 1)] {
        assert_eq!(session.run(command).exit_code, Some(status), "{command}");
    }
    let echo = session.run("echo one; echo two");
    assert_eq!((echo.output.as_str(), echo.exit_code), ("one\ntwo", Some(0)));
    assert_eq!(session.run("cd /usr/share").context.cwd.as_deref(), Some("/usr/share"));
    open_dialog(&session.terminal);
    session.terminal.wait_text("It is on in this shell");
}

#[test]
fn bash_with_a_debug_trap_a_list_of_commands_and_a_two_line_prompt_survives() {
    // The trap would show in the output if it saw a command of ours.
    let trap = "PS1='test$ '\ntrap '[[ $BASH_COMMAND == __ai* ]] && echo seen' DEBUG\n";
    let list = "PROMPT_COMMAND=('last=$?' 'PS1=\"[$last] test$ \"')\n";
    let lines = "PROMPT_COMMAND='printf \"%s at noon\\n\" \"$PWD\"'\nPS1='test$ '\n";
    // An audit's set-up.
    let audit = "PS1='test$ '\nPROMPT_COMMAND='seen=$?'\nreadonly PROMPT_COMMAND\n";
    for text in [trap, list, lines, audit] {
        assert_survives(&Kind { rc: (".rc", text), ..BASH });
    }
}

#[test]
fn a_status_is_not_taken_from_a_command_that_someone_put_before_ours() {
    let lab = BASH.lab();
    let mut session = BASH.session(&lab);
    session.integrate(&BASH);
    session.run("PROMPT_COMMAND=\"true;$PROMPT_COMMAND\"");
    assert_eq!(session.run("(exit 7)").exit_code, Some(7));
    session.run("PROMPT_COMMAND=true");
    assert_eq!(session.run("(exit 7)").exit_code, Some(7));
}

#[test]
fn bash_before_5_1_is_integrated_by_its_prompt() {
    // The branch for it, taken by hand: the elements of PROMPT_COMMAND are not known to those versions.
    let text = "PS1='test$ '\nPROMPT_COMMAND='seen=$?'\n";
    let lab = Kind { rc: (".rc", text), ..BASH }.lab();
    let mut session = BASH.session(&lab);
    let line = "__aissh=; PROMPT_COMMAND+=$'\\n''${__aissh+__aissh_post}'";
    session.enter(line);
    session.integrate(&BASH);
    session.run(": from here on");
    for status in [7, 0, 1] {
        assert_eq!(session.run(&format!("(exit {status})")).exit_code, Some(status));
    }
    assert_eq!(session.run("cd /usr/share").context.cwd.as_deref(), Some("/usr/share"));
    assert_eq!(session.says(&lab, "echo \"${#PROMPT_COMMAND[@]}\""), "1");
}

#[test]
fn zsh_themes_that_write_the_prompt_anew_survive() {
    let theme = "autoload -Uz add-zsh-hook\nsetopt prompt_subst\ntheme() { local s=$?; print -Pn '\\e]2;%n@%m: %~\\a'; \
                 PROMPT=\"%(?..$s )%1~ test$ \"; RPROMPT='%(?..:()' }\nadd-zsh-hook precmd theme\n\
                 zle-line-init() { zle reset-prompt }\nzle -N zle-line-init\n";
    let two =
        "PROMPT=$'%F{blue}%~%f\\n%(?.%F{green}.%F{red})test$%f '\nsetopt transient_rprompt\nRPROMPT='%T'\n";
    for text in [theme, two] {
        assert_survives(&Kind { rc: (".zshrc", text), ..ZSH });
    }
}

#[test]
fn starship_survives_in_bash_zsh_and_fish() {
    let found = Command::new("starship").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: starship is not installed");
        return;
    }
    let config = "printf '[character]\\nsuccess_symbol=\"test❯\"\\nerror_symbol=\"test❯\"\\n[container]\\ndisabled=true\\n' \
                  > $HOME/.star.toml\nexport STARSHIP_CONFIG=$HOME/.star.toml\n";
    let rc = |init: &str| -> &'static str { Box::leak(format!("{config}{init}\n").into_boxed_str()) };
    let bash = rc("eval \"$(starship init bash)\"");
    assert_survives(&Kind { rc: (".rc", bash), prompt: "test❯", ..BASH });
    assert_survives(&Kind { rc: (".zshrc", rc("eval \"$(starship init zsh)\"")), prompt: "test❯", ..ZSH });
    let fish = rc("set -g fish_greeting\nstarship init fish | source");
    assert_survives(&Kind { rc: (".config/fish/config.fish", fish), prompt: "test❯", ..FISH });
}

#[test]
fn another_shell_in_its_place_is_not_trusted_and_coming_back_is() {
    let lab = BASH.lab();
    let mut session = BASH.session(&lab);
    session.integrate(&BASH);
    let expect = |session: &Session, on: bool| {
        open_dialog(&session.terminal);
        let is_on = |screen: &vt100::Screen| screen.contents().contains("It is on in this shell");
        session.terminal.wait_for(|screen| is_on(screen) == on, "what the dialog says");
        session.terminal.send("\x1b");
        session.terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
        session.terminal.send(format!("{PREFIX}\t"));
        session.terminal.wait_prompt(PROMPT);
    };
    expect(&session, true);
    session.enter("PS1='test$ ' bash --norc -i");
    expect(&session, false);
    session.enter("exit");
    expect(&session, true);
    session.enter("PS1='test$ ' exec bash --norc -i");
    expect(&session, false);
    session.enter("echo plain");
    assert!(!session.terminal.screen_text().contains("not found"), "{}", session.terminal.screen_text());
}

#[test]
fn nothing_is_typed_without_the_key_nor_where_it_does_not_belong() {
    let lab = BASH.lab();
    let session = BASH.session(&lab);
    let terminal = &session.terminal;
    // Looked at and left.
    open_dialog(terminal);
    for key in ["1", "\r", " ", "\x1b"] {
        terminal.send(key);
    }
    terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
    // A program reads; a secret is asked for; a program has the whole screen.
    // What was held once and left is held again.
    let cases = [
        ("cat > $HOME/got", "anyway", "\x03"),
        ("cat >> $HOME/got", "anyway", "\x03"),
        ("read -rsp 'Pass''word: ' x; echo \"$x\" > $HOME/got", "Not sent: a secret is asked for", "\x03"),
        ("printf '\\e[?1049h'; sleep 99", "Not sent: a full-screen program runs", "\x03"),
    ];
    terminal.send(format!("{PREFIX}\t"));
    for (command, says, end) in cases {
        terminal.type_line(command);
        terminal.send(format!("{PREFIX}i1"));
        terminal.wait_text("What is typed");
        terminal.send("y");
        terminal.wait_text(says);
        terminal.send("\x1b");
        terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
        terminal.send(format!("{PREFIX}\t{end}"));
        terminal.wait_prompt(PROMPT);
        terminal.type_line("printf '\\e[?1049l'; echo ba''ck");
        terminal.wait_text("back");
        terminal.wait_prompt(PROMPT);
    }
    session.enter("echo over");
    close_panel(&session.terminal);
    session.terminal.wait_prompt(PROMPT);
    let all = session.terminal.transcript().join("\n");
    assert!(!all.contains("__aissh") && all.contains("over"), "{all}");
    assert!(!lab.home().join("got").exists() || fs::read(lab.home().join("got")).unwrap().is_empty());
}

#[test]
fn the_answer_is_kept_for_the_host_and_only_changes_what_is_said() {
    const OFFER: &str = "does not tell exit";
    let lab = BASH.lab();
    let file = lab.client_home().join(".local/state/aissh/integration");
    let shell = |answer: &str| {
        let session = BASH.session(&lab);
        open_panel(&session.terminal);
        // What tells the shell, and a status that nothing tells.
        session.enter("nonsense-x");
        session.enter("true");
        if answer == "none" {
            session.enter("true");
            let text = session.terminal.screen_text();
            assert!(!text.contains(OFFER) && !text.contains("__aissh"), "{text}");
        } else {
            session.terminal.wait_text(OFFER);
        }
        session
    };
    let session = shell("first");
    assert!(!session.terminal.screen_text().contains("before."));
    assert!(!file.exists());
    integrate(&session.terminal, '1', 1);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with("yes ") && kept.ends_with("@127.0.0.1\n"), "{kept}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let session = shell("second");
    session.terminal.wait_text("before.");
    open_dialog(&session.terminal);
    session.terminal.wait_text("You said yes on this host before.");
    session.terminal.send("n");
    session.terminal.wait_for(|screen| !screen.contents().contains("Esc  leave"), "the dialog's end");
    assert!(fs::read_to_string(&file).unwrap().starts_with("no "));
    shell("none");
    fs::remove_file(&file).unwrap();
    let config = lab.client_home().join(".config/aissh");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[integration]\noffer = false\n").unwrap();
    shell("none");
}

#[test]
fn the_snippet_for_an_rc_file_tells_statuses_and_is_not_trusted() {
    for kind in [BASH, ZSH, FISH, MKSH, KSH93, DASH, ASH] {
        let output = Command::new(PROGRAM).args(["--integration", kind.name]).output().unwrap();
        let snippet = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !snippet.contains("nonce="), "{snippet}");
        let (file, text) = kind.rc;
        let text = Box::leak(format!("{text}\n{snippet}").into_boxed_str());
        let kind = Kind { rc: (file, text), ..kind };
        let lab = kind.lab();
        let mut session = kind.session(&lab);
        for (command, status) in [(kind.seven, 7), ("true", 0), ("false", 1)] {
            assert_eq!(session.run(command).exit_code, Some(status), "{}: {command}", kind.name);
        }
        assert_eq!(session.run("cd /usr/share").context.cwd.as_deref(), Some("/usr/share"), "{}", kind.name);
        open_dialog(&session.terminal);
        assert!(!session.terminal.screen_text().contains("It is on in this shell"), "{}", kind.name);
    }
}
