//! Command lines as words, as far as a reader needs: which tool ran, with which arguments.
//!
//! Used on the command that the session reports and on the lines above a table (a prompt with the command).
//! It only helps to read output; nothing is allowed or forbidden because of it.

use crate::text::cut;

/// Longest command line that is looked at.
const MAX_COMMAND: usize = 8192;

/// The line as simple commands, each a list of words; quotes are removed, operators separate.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = cut(line, MAX_COMMAND).chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(chars.by_ref().take_while(|&c| c != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|&c| c != '"') {
                    word.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            ' ' | '\t' | '|' | ';' | '&' | '\n' | '(' | ')' => {
                if let (Some(word), Some(last)) = (word.take(), commands.last_mut()) {
                    last.push(word);
                }
                if !matches!(c, ' ' | '\t') && commands.last().is_some_and(|c| !c.is_empty()) {
                    commands.push(Vec::new());
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    if let (Some(word), Some(last)) = (word, commands.last_mut()) {
        last.push(word);
    }
    commands.retain(|c| !c.is_empty());
    commands
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The arguments of the last run of `tool` on the line, wherever a prompt or `sudo` stands before it.
pub(crate) fn arguments(line: &str, tool: &str) -> Option<Vec<String>> {
    // Most lines do not name the tool at all; do not split those.
    if !line.contains(tool) {
        return None;
    }
    split(line).into_iter().rev().find_map(|words| {
        let at = words.iter().position(|w| base(w) == tool)?;
        Some(words[at + 1..].to_vec())
    })
}

/// Whether a short option is among the arguments (`-xh` has `h`), or one of the long spellings.
pub(crate) fn has_option(arguments: &[String], short: char, long: &str) -> bool {
    arguments.iter().any(|a| match a.strip_prefix("--") {
        Some(name) => !long.is_empty() && name.split('=').next() == Some(long),
        None => a.strip_prefix('-').is_some_and(|letters| letters.contains(short)),
    })
}

/// The arguments that are no options.
pub(crate) fn operands(arguments: &[String]) -> impl Iterator<Item = &str> {
    arguments
        .iter()
        .map(String::as_str)
        .filter(|a| !a.starts_with('-') && !a.contains('>') && !a.starts_with('+'))
}

/// Tools that show text which somebody wrote before: what they print is no state of this machine.
const VIEWERS: [&str; 17] = [
    "cat",
    "less",
    "more",
    "tail",
    "head",
    "grep",
    "zgrep",
    "zcat",
    "journalctl",
    "dmesg",
    "vi",
    "vim",
    "view",
    "nano",
    "git",
    "man",
    "echo",
];

/// Whether everything on the line only shows text.
pub(crate) fn only_views(line: &str) -> bool {
    let is_prefix =
        |w: &&String| matches!(base(w), "sudo" | "doas" | "nice" | "time" | "env") || w.contains('=');
    let views = |words: &Vec<String>| {
        words.iter().find(|w| !is_prefix(w)).is_some_and(|w| VIEWERS.contains(&base(w)))
            // journalctl also reports on itself, and what the kernel shows as files is the state of the machine.
            && !words.iter().any(|w| w == "--disk-usage" || w.starts_with("--vacuum-"))
            && !words.iter().any(|w| w.starts_with("/proc/") || w.starts_with("/sys/"))
    };
    // Filters are viewers too, so `df -h | grep var` is told by its first command.
    let commands = split(line);
    !commands.is_empty() && commands.iter().all(views)
}

/// Whether a line that only shows text shows a log of this machine.
pub(crate) fn shows_a_log(line: &str) -> bool {
    let is_log = |w: &String| matches!(base(w), "journalctl" | "dmesg") || w.contains("/var/log/");
    split(line).iter().any(|words| words.iter().any(is_log))
}

/// Whether an output line is what a tool of the command says itself: `cat: /x: Input/output error`.
pub(crate) fn is_own_message(command: &str, line: &str) -> bool {
    let Some((tool, _)) = line.split_once(": ") else { return false };
    split(command).iter().flatten().any(|word| base(word) == tool)
}

/// Whether a typed line is a suggested command or does the same: without `sudo`, with other options, into a pipe.
pub(crate) fn does_the_same(typed: &str, suggested: &str) -> bool {
    // Tools of which the file alone says what was done; `find` on one directory can count or delete.
    const BY_FILE: [&str; 4] = ["tail", "truncate", "rm", "gzip"];
    let bare = |line: &str| -> Vec<Vec<String>> {
        let mut commands = split(line);
        for words in &mut commands {
            let start = words.iter().position(|w| !matches!(base(w), "sudo" | "doas")).unwrap_or(words.len());
            words.drain(..start);
            words.retain(|w| w != "--");
        }
        commands
    };
    let suggested = bare(suggested);
    let Some(wanted) = suggested.first().filter(|w| !w.is_empty()) else { return false };
    let paths = |words: &[String]| -> Vec<String> {
        words.iter().skip(1).filter(|w| w.contains('/')).cloned().collect()
    };
    let is_by_file = BY_FILE.contains(&base(&wanted[0])) && !paths(wanted).is_empty();
    // More than one suggested command is a pipe of a reader: all of it must be there.
    if suggested.len() > 1 {
        return bare(typed).starts_with(&suggested);
    }
    bare(typed).iter().any(|words| {
        let same_file =
            || words.first().is_some_and(|w| base(w) == base(&wanted[0])) && paths(words) == paths(wanted);
        words == wanted || is_by_file && same_file()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_is_found_behind_prompts_sudo_and_pipes() {
        let args = |l, t| arguments(l, t).map(|a| a.join(" "));
        assert_eq!(
            args("root@web:~# sudo /usr/bin/du -xh -- '/a b' | sort -rh", "du").as_deref(),
            Some("-xh -- /a b")
        );
        assert_eq!(args("cd /var && du -sh *", "du").as_deref(), Some("-sh *"));
        assert_eq!(args("dude du-x", "du"), None);
        assert_eq!(args("$ df -h", "df").as_deref(), Some("-h"));
    }

    #[test]
    fn viewers_are_told_from_tools() {
        assert!(only_views("sudo cat /tmp/df.txt | grep var"));
        assert!(only_views("journalctl -u x"));
        assert!(!only_views("df -h | grep var"));
        assert!(!only_views("cat x; df -h"));
        assert!(!only_views("sudo journalctl --disk-usage") && !only_views("cat /proc/meminfo"));
        assert!(!only_views(""));
        assert!(shows_a_log("sudo journalctl -k | grep oom") && shows_a_log("tail -f /var/log/syslog"));
        assert!(is_own_message("sudo cat /x", "cat: /x: Input/output error"));
        assert!(!is_own_message("cat /x", "touch: /x: Input/output error"));
        assert!(!shows_a_log("cat notes.txt") && !shows_a_log("echo journal"));
    }

    #[test]
    fn what_does_the_same_is_known_however_it_was_typed() {
        let tail = "sudo tail -n 20 -- '/var/log/my app.log'";
        for typed in
            ["tail -n 20 -- '/var/log/my app.log'", "sudo tail -50 /var/log/my\\ app.log | cut -c1-50", tail]
        {
            assert!(does_the_same(typed, tail), "{typed}");
        }
        assert!(does_the_same("apt-get clean", "sudo apt-get clean"));
        for (typed, suggested) in [
            ("tail /var/log/other", tail),
            ("cat '/var/log/my app.log'", tail),
            ("apt-get update", "apt-get clean"),
            ("journalctl --disk-usage", "journalctl --vacuum-size=17M"),
            ("find /srv/s -type f | wc -l", "find /srv/s -type f -delete"),
            ("", ""),
        ] {
            assert!(!does_the_same(typed, suggested), "{typed}");
        }
    }

    #[test]
    fn unbalanced_quotes_and_operators_never_panic() {
        for line in ["'", "\"", "\\", "|||;;&&", "a'b\"c\\", "((((", "$(("] {
            let _ = (split(line), only_views(line));
        }
    }
}
