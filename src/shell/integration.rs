//! Shell integration: what makes a shell mark its prompts and commands, as lines for an rc file and as the one line
//! that is typed. Text only; `control` types it.
//!
//! A snippet has one statement or part of one a line, so that its lines joined by blanks are the typed line. Lines
//! that end in `#typed` are only for that: they put `$?`, `$_` and the history right.

use super::dialect::Dialect;
use super::nonce::{self, Nonce};

/// A shell that there is a snippet for. tcsh is not among them: its `precmd` would have to be put together with the
/// user's own by text in which `!` and quotes mean something, and its history cannot be told to leave a line out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    /// mksh and ksh93.
    Ksh,
    Dash,
    /// busybox.
    Ash,
}

impl Shell {
    pub const ALL: [Self; 6] = [Self::Bash, Self::Zsh, Self::Fish, Self::Ksh, Self::Dash, Self::Ash];
    /// As the command line names them.
    pub const NAMES: [&'static str; 6] = ["bash", "zsh", "fish", "ksh", "dash", "ash"];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shell| shell.name() == name)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The shell that the remote speaks, if there is a snippet for it.
    pub fn of(dialect: Dialect) -> Option<Self> {
        Some(match dialect {
            Dialect::Bash => Self::Bash,
            Dialect::Zsh => Self::Zsh,
            Dialect::Fish => Self::Fish,
            Dialect::Ksh => Self::Ksh,
            Dialect::Dash => Self::Dash,
            Dialect::Ash => Self::Ash,
            _ => return None,
        })
    }

    fn source(self) -> &'static str {
        match self {
            Self::Bash => include_str!("integration/bash.sh"),
            Self::Zsh => include_str!("integration/zsh.sh"),
            Self::Fish => include_str!("integration/fish.fish"),
            Self::Ksh => include_str!("integration/ksh.sh"),
            Self::Dash => include_str!("integration/dash.sh"),
            Self::Ash => include_str!("integration/ash.sh"),
        }
    }

    /// For the user's own rc file: its marks have no nonce. A nonce that was typed into this shell stays.
    pub fn for_rc_file(self) -> String {
        let kept = if self == Self::Fish { "$__aissh" } else { "${__aissh-}" };
        let lines = self.source().lines().filter(|line| !line.ends_with(TYPED));
        lines.map(|line| format!("{}\n", line.replace(NONCE, kept))).collect()
    }

    /// The line to type, with the blank in front for which shells leave a line out of their history.
    pub fn line(self, nonce: &Nonce) -> String {
        self.line_with(&nonce.field())
    }

    /// The same for the eye: with a word in the place of the nonce.
    pub fn shown_line(self) -> String {
        self.line_with(&nonce::shown_field())
    }

    fn line_with(self, field: &str) -> String {
        let lines = self.source().lines().filter(|line| !line.starts_with('#'));
        let parts: Vec<&str> = lines.map(|line| line.trim_end_matches(TYPED).trim()).collect();
        format!(" {}", parts.join(" ").replace(NONCE, &format!("'{field}'")))
    }

    /// What it changes in the shell.
    pub fn changes(self) -> &'static str {
        match self {
            Self::Bash => {
                "PROMPT_COMMAND gets a command before and one after yours; PS1 and PS0 get marks that do not show. \
                 From bash 4.4 on."
            }
            Self::Zsh => {
                "precmd_functions gets a function before and one after yours, preexec_functions one more; PS1 gets a \
                 mark that does not show."
            }
            Self::Fish => "Three functions on the events fish_prompt, fish_preexec and fish_postexec.",
            Self::Ksh | Self::Dash | Self::Ash => {
                "PS1 gets marks that do not show. The begin of a command's output cannot be marked in this shell."
            }
        }
    }

    /// Whether the typed line stays in the history.
    pub fn history(self) -> &'static str {
        match self {
            Self::Bash => "The line is taken out of the history.",
            Self::Zsh => {
                "With HIST_IGNORE_SPACE the line stays out of the history; without it, it is in there."
            }
            Self::Fish => "The line stays out of the history.",
            Self::Ksh | Self::Ash => "This shell keeps the line in its history, if it has one.",
            Self::Dash => "This shell has no history.",
        }
    }
}

const NONCE: &str = "@NONCE@";
const TYPED: &str = " #typed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_line_is_one_line_that_no_line_editor_acts_on() {
        let nonce = Nonce::new([7; 16]);
        for shell in Shell::ALL {
            let line = shell.line(&nonce);
            assert!(line.starts_with(' ') && line.contains(&nonce.field()), "{line}");
            assert!(line.chars().all(|c| c.is_ascii() && !c.is_ascii_control()), "{line}");
            assert!(!line.contains(NONCE) && !line.contains('#') || shell != Shell::Fish, "{line}");
            // History expansion, in bash and zsh also inside double quotes.
            assert!(!line.contains('!') || matches!(shell, Shell::Zsh), "{line}");
            // A terminal in canonical mode takes 4095 bytes a line (termios(3)).
            assert!(line.len() < 2000, "{} bytes", line.len());
        }
    }

    #[test]
    fn the_rc_file_gets_no_nonce_and_nothing_that_is_only_for_typing() {
        for shell in Shell::ALL {
            let rc = shell.for_rc_file();
            assert!(!rc.contains(NONCE) && !rc.contains("#typed") && !rc.contains("__aissh_s"), "{rc}");
            assert!(rc.contains("133;A") && rc.contains("133;D") && rc.contains("633;P;Cwd="), "{rc}");
            assert_eq!(Shell::named(shell.name()), Some(shell));
        }
    }
}
