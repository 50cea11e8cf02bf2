//! What a command does, before it is sent: a level, classes and reasons.
//!
//! Pure: text in, [`Assessment`] out. The text is read as a shell reads it (`shell`), every command in it is looked up
//! in a table of rules (`rules.txt`, read by `table`), and what wraps commands is unwrapped (`walk`). On network devices
//! the words are looked up in a table of their own (`device`). What is not known or not read is never low.
//!
//! **Why a reader of our own.** The parsers that exist were tried first (release build, two busy cores).
//! `brush-parser` 0.4.0 (MIT, MSRV 1.88) has no panic in 200 000 mutated lines and reads 4 KiB of pipelines in 1 ms,
//! but: 20 opening parentheses take 14 ms, 22 take 54, 64 do not end within 10 s (its grammar backtracks); it brings 36
//! crates to a program that has few (`insta`, `tempfile`, `tracing` and two proc-macro stacks among them); it keeps the
//! last 64 texts in caches of the process, and what users fill into cards is not to be kept; it gives nothing for a
//! line that it cannot read to its end; and it has no fish. `rable` 0.2 wants Rust 1.93, `yash-syntax` is GPL,
//! `conch-parser` was last released in 2019, `tree-sitter-bash` is C that would read hostile text. What is needed here
//! is less than a shell's parser: which commands are in the text, not how they hang together.

mod args;
mod device;
mod glob;
mod shell;
mod table;
mod text;
mod verdict;
mod walk;

pub use verdict::{Assessment, Class, Classes, Finding};

use self::shell::Tongue;
use self::walk::Walker;
use crate::linus::contract::Risk;
use crate::shell::Dialect;

#[cfg(test)]
use self::walk::METHODS;

/// Bytes of a command: longer than anything one reads before sending it.
pub(crate) const COMMAND_LIMIT: usize = 8 * 1024;

/// The language that the remote reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// sh, bash, zsh, ksh, dash, or not known.
    #[default]
    Posix,
    Fish,
    /// Cisco IOS, NX-OS, Arista EOS.
    Ios,
    Junos,
    /// Huawei VRP.
    Vrp,
    RouterOs,
    /// FRRouting's vtysh.
    Frr,
    /// A language that is not read here: nothing in it is low.
    Other,
}

impl Syntax {
    /// The language of what was recognised. Nothing recognised is read as a shell's.
    pub fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Unknown
            | Dialect::Posix
            | Dialect::Bash
            | Dialect::Zsh
            | Dialect::Ksh
            | Dialect::Dash
            | Dialect::Ash => Self::Posix,
            Dialect::Fish => Self::Fish,
            Dialect::IosLike | Dialect::Ios | Dialect::NxOs | Dialect::Eos => Self::Ios,
            Dialect::Vtysh => Self::Frr,
            Dialect::JunosLike | Dialect::Junos => Self::Junos,
            Dialect::VrpLike | Dialect::Vrp => Self::Vrp,
            Dialect::RouterOs => Self::RouterOs,
            Dialect::Tcsh | Dialect::PowerShell | Dialect::PanOs | Dialect::FortiOs => Self::Other,
        }
    }
}

/// Judges a command.
pub fn assess(command: &str, syntax: Syntax) -> Assessment {
    if command.len() > COMMAND_LIMIT {
        let reason = format!("longer than {} KiB: nobody reads that before sending it", COMMAND_LIMIT / 1024);
        return Assessment::of(vec![Finding::new(Class::Unknown, reason).at(Risk::High)]);
    }
    let mut findings = text::findings(command);
    // Readline and the terminal act on controls, and nothing that holds one is sent. What it would be without them is
    // said all the same.
    let command = &text::without_tricks(command);
    match syntax {
        Syntax::Posix => findings.extend(in_shell(command, Tongue::Posix).0),
        Syntax::Fish => findings.extend(in_shell(command, Tongue::Fish).0),
        Syntax::Other => findings.push(Finding::new(Class::Unknown, "in a language that is not read here")),
        _ => findings.extend(device::findings(command, syntax)),
    }
    if syntax != Syntax::Posix {
        findings.extend(as_posix(command, syntax));
    }
    Assessment::of(findings)
}

/// Whether a shell's text runs a command of this name anywhere, shells within it included.
pub(super) fn runs(text: &str, syntax: Syntax, name: &str) -> bool {
    let tongue = if syntax == Syntax::Fish { Tongue::Fish } else { Tongue::Posix };
    in_shell(text, tongue).0.iter().any(|finding| finding.reason.starts_with(name))
}

/// The words of the simple commands in a line that holds nothing else: no pipe, redirect, loop or substitution, and no
/// word that only the remote knows. They run one after the other.
pub(super) fn plain_commands(text: &str, syntax: Syntax) -> Option<Vec<Vec<String>>> {
    let tongue = if syntax == Syntax::Fish { Tongue::Fish } else { Tongue::Posix };
    let (script, fault) = shell::read(text, tongue, 0);
    let apart = text.replace("&&", " ");
    let more = fault.is_some() || script.odd.is_some() || script.odd_comment || !script.functions.is_empty();
    if more || apart.contains(['|', '&', '(', '{', '`', '\n', '#']) {
        return None;
    }
    script.commands.iter().map(plain_words).collect()
}

/// Words that make more than a command out of what follows.
const KEYWORDS: [&str; 10] = ["if", "while", "until", "for", "case", "select", "!", "time", "then", "do"];

fn plain_words(command: &shell::Simple) -> Option<Vec<String>> {
    let bare = command.assignments.is_empty() && command.redirects.is_empty() && !command.compound;
    let plain = command.words.iter().all(|word| word.is_literal() && !word.substituted);
    let keyword = command.words.first().is_some_and(|word| KEYWORDS.contains(&word.text.as_str()));
    (bare && plain && !keyword).then(|| command.words.iter().map(|word| word.text.clone()).collect())
}

/// The second reading, as a shell's. Which language a remote reads is known from what it printed, and that may be a
/// lie: it can make a command graver, never more harmless. What is only unknown to a shell says nothing of another
/// language, unless the shell could read the text to its end, or a line of it.
fn as_posix(command: &str, syntax: Syntax) -> Vec<Finding> {
    let (findings, faulty) = in_shell(command, Tongue::Posix);
    let counts = syntax == Syntax::Fish && (!faulty || command.contains('\n'));
    let says_something = |f: &Finding| !f.classes.has(Class::Unknown) && !f.classes.has(Class::ReadOnly);
    findings.into_iter().filter(|finding| counts || says_something(finding)).collect()
}

/// What is in a shell's text, and whether it could not be read to its end.
fn in_shell(command: &str, tongue: Tongue) -> (Vec<Finding>, bool) {
    let mut walker = Walker::new(tongue);
    walker.line(command);
    let (mut findings, faulty) = (walker.findings, walker.faulty);
    if tongue == Tongue::Posix && text::recalls_history(command) {
        findings.push(Finding::new(Class::Unknown, "! puts an earlier command in here"));
    }
    if findings.is_empty() {
        findings.push(Finding::new(Class::ReadOnly, "runs nothing"));
    }
    (findings, faulty)
}
