//! What shells and devices print of themselves: banners, and how they refuse a command.
//!
//! Wordings are exact, and taken from the programs or from public documentation and transcripts of them. A text
//! that other programs print too names the family only.

use super::super::marks::user_host_dir;
use super::{Clue, Dialect};

/// Words of a login banner, or of the answer to `show version`, and whose they are.
const BANNERS: [(&str, Dialect); 16] = [
    ("Hello, this is FRRouting (version ", Dialect::Vtysh),
    ("FRRouting ", Dialect::Vtysh),
    ("--- JUNOS ", Dialect::Junos),
    ("Junos: ", Dialect::Junos),
    ("MikroTik RouterOS ", Dialect::RouterOs),
    ("Info: The max number of VTY users is ", Dialect::Vrp),
    ("Huawei Versatile Routing Platform Software", Dialect::Vrp),
    ("Number of failed attempts since last successful login: ", Dialect::PanOs),
    ("Cisco IOS Software", Dialect::Ios),
    ("Cisco IOS XE Software", Dialect::Ios),
    ("Cisco Nexus Operating System (NX-OS) Software", Dialect::NxOs),
    ("Arista vEOS", Dialect::Eos),
    ("Arista cEOS", Dialect::Eos),
    ("Arista DCS-", Dialect::Eos),
    ("Arista CCS-", Dialect::Eos),
    ("Welcome to fish, the friendly interactive shell", Dialect::Fish),
];

/// What stands at the begin of a line of a banner.
pub(super) fn banner(line: &str) -> Option<Dialect> {
    let line = line.trim();
    BANNERS.iter().find(|(words, _)| line.starts_with(words)).map(|(_, dialect)| *dialect)
}

/// How a device refused a command: its last line.
pub(super) fn device_refusal(command: &str, line: &str) -> Option<Dialect> {
    // zebra's own CLI puts its name in front.
    let line =
        line.trim().strip_prefix("% [ZEBRA] ").map_or(line.trim().to_owned(), |rest| format!("% {rest}"));
    let (line, command) = (line.as_str(), command.trim());
    let starts = |words: &str| line.starts_with(words);
    Some(match line {
        // Ruijie and others have IOS's words to the letter.
        "% Invalid input detected at '^' marker." | "% Incomplete command." => Dialect::IosLike,
        "% Invalid command at '^' marker." | "% Incomplete command at '^' marker." => Dialect::NxOs,
        "Error: Unrecognized command found at '^' position."
        | "Error: Incomplete command found at '^' position."
        | "Error: Wrong parameter found at '^' position." => Dialect::Vrp,
        "syntax error, expecting <command>." | "unknown command." => Dialect::Junos,
        "Unknown action 0" => Dialect::FortiOs,
        _ if starts("Command fail. Return code ") || starts("command parse error before ") => {
            Dialect::FortiOs
        }
        _ if starts("% Invalid input (at token ") => Dialect::Eos,
        _ if starts("% Ambiguous command:") => Dialect::IosLike,
        _ if line.strip_prefix("% Unknown command: ") == Some(command) => Dialect::Vtysh,
        _ if line.strip_prefix("Unknown command: ") == Some(command) => Dialect::PanOs,
        _ if starts("bad command name ") && line.ends_with(')') && line.contains(" (line ") => {
            Dialect::RouterOs
        }
        _ => return None,
    })
}

/// How a shell refused the first word of a simple command: its last line.
pub(super) fn shell_refusal(command: &str, line: &str) -> Option<Dialect> {
    let word = command.split_whitespace().next()?;
    if command.contains(['|', '&', ';', '<', '>', '(', ')', '{', '}', '`', '$', '\n', '\'', '"', '\\']) {
        return None;
    }
    let line = line.trim_end();
    if [format!("fish: Unknown command: {word}"), format!("fish: Unknown command '{word}'")]
        .iter()
        .any(|m| m == line)
    {
        return Some(Dialect::Fish);
    }
    if line == format!("{word}: Command not found.") {
        return Some(Dialect::Tcsh);
    }
    // Windows PowerShell and pwsh 7 put the word in front, or the line number after.
    if line.contains(&format!("The term '{word}' is not recognized as ")) {
        return Some(Dialect::PowerShell);
    }
    let (shell, message) = line.strip_prefix("E: ").unwrap_or(line).split_once(": ")?;
    let shell = shell.trim_start_matches('-');
    let shell = shell.rsplit('/').next().unwrap_or(shell);
    if shell == "zsh" && message.strip_prefix("command not found: ") == Some(word) {
        return Some(Dialect::Zsh);
    }
    // dash counts its input lines between the two; bash says "line 1" only in scripts.
    let (numbered, message) = match message.split_once(": ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => (true, rest),
        _ => (false, message),
    };
    let why = message.strip_prefix(word)?.strip_prefix(": ")?;
    Some(match (shell, why) {
        ("bash" | "rbash" | "sh", "command not found") => Dialect::Bash,
        ("dash" | "sh", "not found") if numbered => Dialect::Dash,
        ("ash", "not found") => Dialect::Ash,
        ("ksh" | "ksh93", "not found [No such file or directory]") => Dialect::Ksh,
        ("ksh" | "mksh", "inaccessible or not found") => Dialect::Ksh,
        ("sh" | "dash", "not found") => Dialect::Posix,
        _ => return None,
    })
}

/// The shell that is its own prompt: bash's and PowerShell's defaults, and the forms that POSIX shells are given.
pub(super) fn prompt(text: &str) -> Option<Dialect> {
    let trimmed = text.trim_end();
    // bash's own default, `\s-\v\$ `: "bash-5.2$", "-bash-4.2#", and "sh-5.1$" where it is called sh.
    let version = |t: &str| {
        t.starts_with(|c: char| c.is_ascii_digit()) && t.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let stem = trimmed.strip_suffix(['$', '#']).map(|t| t.trim_start_matches('-'));
    if stem.and_then(|t| t.split_once('-')).is_some_and(|(s, v)| matches!(s, "bash" | "sh") && version(v)) {
        return Some(Dialect::Bash);
    }
    if powershell(trimmed) {
        return Some(Dialect::PowerShell);
    }
    // FortiOS has a blank before its "$". A root's "#" is a device's too, but for Debian's `root@host:dir#`.
    let (own, sign) = (trimmed.strip_suffix(['$', '#'])?, trimmed.chars().next_back());
    let posix = match sign {
        Some('$') => !own.ends_with(' ') || own.contains(['~', '/']),
        _ => !own.ends_with(' ') && user_host_dir(own).is_some(),
    };
    posix.then_some(Dialect::Posix)
}

/// `PS C:\Users\joe>`, `PS /home/joe>`, and with the name of an environment or a remote host in front.
fn powershell(trimmed: &str) -> bool {
    let own = match trimmed.split_once("PS ") {
        Some(("", own)) => own,
        Some((before, own)) if before.ends_with(") ") || before.ends_with("]: ") => own,
        _ => return false,
    };
    let drive =
        own.split_once(":\\").is_some_and(|(d, _)| !d.is_empty() && d.chars().all(char::is_alphanumeric));
    own.ends_with('>') && (drive || own.starts_with('/'))
}

/// A mark that names the shell: iTerm2's `ShellIntegrationVersion=15;shell=zsh`.
pub(super) fn named(shell: &str) -> Option<(Dialect, Clue)> {
    let dialect = match shell {
        "bash" => Dialect::Bash,
        "zsh" => Dialect::Zsh,
        "fish" => Dialect::Fish,
        "tcsh" | "csh" => Dialect::Tcsh,
        "ksh" => Dialect::Ksh,
        _ => return None,
    };
    Some((dialect, Clue::Mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_shell_that_made_them() {
        for (line, dialect) in [
            ("bash: nope: command not found", Dialect::Bash),
            ("-bash: nope: command not found", Dialect::Bash),
            ("zsh: command not found: nope", Dialect::Zsh),
            ("fish: Unknown command: nope", Dialect::Fish),
            ("dash: 5: nope: not found", Dialect::Dash),
            ("-sh: 1: nope: not found", Dialect::Dash),
            ("-sh: nope: not found", Dialect::Posix),
            ("ash: nope: not found", Dialect::Ash),
            ("E: mksh: nope: inaccessible or not found", Dialect::Ksh),
            ("nope: Command not found.", Dialect::Tcsh),
            ("nope: The term 'nope' is not recognized as a name of a cmdlet, function,", Dialect::PowerShell),
        ] {
            assert_eq!(shell_refusal("nope -x", line), Some(dialect), "{line}");
        }
        for line in ["nope", "log: nope: command not found", "bash: other: command not found", ""] {
            assert_eq!(shell_refusal("nope", line), None, "{line}");
        }
        assert_eq!(shell_refusal("a | nope", "bash: nope: command not found"), None);
    }

    #[test]
    fn refusals_name_the_device_or_its_family() {
        for (line, dialect) in [
            ("% Invalid input detected at '^' marker.", Dialect::IosLike),
            ("% Invalid command at '^' marker.", Dialect::NxOs),
            ("% Invalid input (at token 1: 'nope')", Dialect::Eos),
            ("% Unknown command: nope", Dialect::Vtysh),
            ("syntax error, expecting <command>.", Dialect::Junos),
            ("Error: Unrecognized command found at '^' position.", Dialect::Vrp),
            ("bad command name nope (line 1 column 1)", Dialect::RouterOs),
            ("Unknown command: nope", Dialect::PanOs),
            ("Command fail. Return code -61", Dialect::FortiOs),
        ] {
            assert_eq!(device_refusal("nope", line), Some(dialect), "{line}");
        }
        assert_eq!(device_refusal("nope", "% Unknown command: other"), None);
    }

    #[test]
    fn prompts_name_a_shell_only_where_no_other_has_them() {
        for (text, dialect) in [
            ("bash-5.2$ ", Some(Dialect::Bash)),
            ("-bash-4.2# ", Some(Dialect::Bash)),
            ("sh-5.1$ ", Some(Dialect::Bash)),
            ("PS C:\\Users\\Administrator> ", Some(Dialect::PowerShell)),
            ("PS /home/joe> ", Some(Dialect::PowerShell)),
            ("[10.0.0.1]: PS C:\\x> ", Some(Dialect::PowerShell)),
            ("(base) PS C:\\x> ", Some(Dialect::PowerShell)),
            ("$ ", Some(Dialect::Posix)),
            ("joe@web1:~$ ", Some(Dialect::Posix)),
            ("web1$ ", Some(Dialect::Posix)),
            ("root@web1:~# ", Some(Dialect::Posix)),
            ("root@freebsd:~ # ", None),
            ("[root@web1 ~]# ", None),
            ("FGT-01 $ ", None),
            ("FGT-01 (global) $ ", None),
            ("web1# ", None),
            ("# ", None),
            ("web1% ", None),
            ("C:\\Users\\joe> ", None),
            ("❯ ", None),
        ] {
            assert_eq!(prompt(text), dialect, "{text}");
        }
    }
}
