//! What a command that has paused waits for: a key (pager, question), or lines of its own language.
//!
//! Told from the text before the cursor. It can only hold a send back: a command is never taken for ended by it.

/// Longer lines are output.
const MAX_LINE: usize = 200;
/// Of a program's own prompt. A longer text that ends in `>` is output.
const MAX_PROMPT: usize = 60;

/// Programs whose prompt is their name; and python's.
const PROGRAMS: [&str; 10] =
    [">>", "mysql", "sqlite", "sftp", "ftp", "lftp", "ghci", "julia", "scala", "cqlsh"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreground {
    /// It takes keys one by one.
    Pager,
    /// It takes a key or a line.
    Question,
    /// It reads lines, as a shell does.
    Program,
}

/// What the line before the cursor shows. `command` is what runs, where that is known; `shells` says that another
/// shell may have begun, whose prompt is not known yet.
pub(crate) fn read(line: &str, command: Option<&str>, shells: bool) -> Option<Foreground> {
    let text = line.trim();
    if text.is_empty() || line.len() > MAX_LINE {
        return None;
    }
    if is_pager(text, command) {
        Some(Foreground::Pager)
    } else if is_question(text) {
        Some(Foreground::Question)
    } else {
        is_program(line, text, command, shells).then_some(Foreground::Program)
    }
}

fn is_pager(text: &str, command: Option<&str>) -> bool {
    let lower = text.to_lowercase();
    // IOS and more(1), VRP and Comware, Junos, ASA, ProCurve, RouterOS.
    let more = ["--more--", "---- more ----", "---(more", "<--- more --->", "-- more --", "-- [q quit|"];
    if more.iter().any(|m| lower.starts_with(m)) {
        return true;
    }
    // less: its short, medium and long prompts, its end, man's, and git's and systemd's through it.
    let lines = lower.strip_prefix("lines ").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    let man = lower.starts_with("manual page ") && lower.contains(" line ");
    let named = || {
        let mut words = command.unwrap_or("").split_whitespace();
        let pager = words.next().is_some_and(|w| matches!(w, "less" | "more" | "zless"));
        pager && words.any(|w| text == w || text.strip_prefix(w).is_some_and(|r| r.starts_with(" (file ")))
    };
    text == ":" || text.ends_with("(END)") || text == "...skipping..." || lines || man || named()
}

fn is_question(text: &str) -> bool {
    let lower = text.to_lowercase();
    let keys = ["press any key", "hit any key", "press enter to continue", "press return to continue"];
    let answers = [
        "[y/n]",
        "(y/n)",
        "[yes/no]",
        "(yes/no)",
        "[confirm]",
        "(yes/no/[fingerprint])",
        "[y,n]",
        "[y|n]",
        "[yes,no] (no)",
        "[yes,no] (yes)",
    ];
    let bare = lower.trim_end_matches(['?', ':', ' ', '.']);
    keys.iter().any(|k| lower.contains(k)) || answers.iter().any(|a| bare.ends_with(a)) || text.ends_with('?')
}

fn is_program(line: &str, text: &str, command: Option<&str>, shells: bool) -> bool {
    if text.len() > MAX_PROMPT || line.len() - line.trim_end().len() > 1 {
        return false;
    }
    // psql's say by what they end in whether they go on; "(gdb)", "(Pdb)", "(lldb)" are whole. A bar of "=" is neither.
    let named = text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let psql =
        named && ["=#", "=>", "-#", "->", "(#", "(>", "'#", "'>"].iter().any(|end| text.ends_with(end));
    let debugger = text.starts_with('(') && text.ends_with("db)") && !text.contains(' ');
    let ipython = text.strip_prefix("In [").is_some_and(|n| n.ends_with("]:"));
    // `Router>` is of this form too.
    let known = |t: &str| PROGRAMS.contains(&t) || named && !shells && !t.contains(' ');
    let word = text.strip_suffix('>').is_some_and(known);
    let maria = text.starts_with("MariaDB [") && text.ends_with("]>");
    let more =
        text == "..." && line.ends_with("... ") || ["...>", "->", "'>", "\">", "`>", "-->"].contains(&text);
    // A bare ">" is node's, and many others': only where it cannot be a shell's continuation.
    let bare =
        text == ">" && command.is_some_and(|c| !c.contains(['\'', '"', '\\', '(', '{', '|', '&', '<']));
    psql || debugger || ipython || word || maria || more || bare
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, command: Option<&str>) -> Option<Foreground> {
        super::read(line, command, false)
    }

    #[test]
    fn pagers_are_known_by_their_prompts() {
        for line in [
            "--More--",
            " --More-- ",
            "--More--(12%)",
            "--More-- or (q)uit",
            "  ---- More ----",
            "---(more)---",
            "---(more 25%)---",
            "<--- More --->",
            "-- [Q quit|D dump|down]",
            "-- MORE --, next page: Space, next line: Enter, quit: Control-C",
            "(END)",
            ":",
            "lines 1-24",
            "lines 45-67/67 (END)",
            " Manual page ls(1) line 1 (press h for help or q to quit)",
        ] {
            assert_eq!(read(line, None), Some(Foreground::Pager), "{line}");
        }
        assert_eq!(read("/etc/passwd", Some("less /etc/passwd")), Some(Foreground::Pager));
        assert_eq!(read("a.txt (file 1 of 2)", Some("less a.txt b.txt")), Some(Foreground::Pager));
        assert_eq!(read("/etc/passwd", Some("echo /etc/passwd")), None);
    }

    #[test]
    fn questions_wait_too() {
        for line in [
            "Do you want to continue? [Y/n] ",
            "Overwrite (y/n)? ",
            "Proceed with reload? [confirm]",
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
            "rm: remove regular file 'x'? ",
            "Press any key to continue . . . ",
            "Are you sure to continue?[Y/N]",
            "Reboot the system ? [yes,no] (no) ",
            "Reboot, yes? [y/N]:",
        ] {
            assert_eq!(read(line, Some("x")), Some(Foreground::Question), "{line}");
        }
    }

    #[test]
    fn programs_that_read_lines_are_no_shells() {
        for line in [
            ">>> ",
            "... ",
            "In [1]: ",
            "mysql> ",
            "    -> ",
            "MariaDB [(none)]> ",
            "sqlite> ",
            "   ...> ",
            "shop=# ",
            "shop-> ",
            "(gdb) ",
            "(Pdb) ",
            "irb(main):001:0> ",
            "127.0.0.1:6379> ",
        ] {
            assert_eq!(read(line, Some("x")), Some(Foreground::Program), "{line}");
        }
        assert_eq!(read("> ", Some("node")), Some(Foreground::Program));
        assert_eq!(super::read("Router>", Some("ssh router"), true), None, "a device's prompt");
        assert_eq!(super::read("mysql> ", Some("sudo mysql"), true), Some(Foreground::Program));
        for line in ["> ", "", "45%", "Password: ", "a line of output", "<b>", "copying", "[=====>", "====>"]
        {
            assert_eq!(read(line, None), None, "{line}");
        }
    }
}
