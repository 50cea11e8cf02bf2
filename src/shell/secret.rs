//! When input is a secret: the local line does not echo, or a program asks for a password.
//!
//! Decides only; it never sees what is typed. Where a program echoes the answer to such a question (one-time codes),
//! the answer is cut from every text that leaves the tracker.

use std::collections::VecDeque;

use super::command::plain;

/// Words that ask for a secret, in lower case. Programs translate theirs, so the common languages are here too.
const ASKING: [&str; 31] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "verification code",
    "one-time",
    "secret",
    "token",
    "pin",
    "otp",
    "totp",
    "hotp",
    "mfa",
    "2fa",
    "authentication code",
    "security code",
    "access code",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "пароль",
    "wachtwoord",
    "hasło",
    "heslo",
    "parola",
    "パスワード",
    "密码",
    "密碼",
    "암호",
];
/// A question is short; a longer line is text that ends in a colon.
const MAX_QUESTION: usize = 200;

/// Questions whose answers were echoed and are kept out of texts; the oldest go first. Nobody answers more in the
/// hundred lines that are told.
const MAX_ECHOED: usize = 32;
/// What stands for an echoed answer.
const HIDDEN: &str = " ‹hidden›";

/// A secret that is being asked for on the remote.
#[derive(Debug, Default)]
pub(crate) struct Secret {
    /// ICANON without ECHO on the PTY: ssh itself asks.
    pub(crate) local: bool,
    /// The line of the question, and its text as asked.
    asked: Option<(u64, String)>,
    /// The questions of which an answer was seen on the screen.
    echoed: VecDeque<String>,
}

impl Secret {
    pub(crate) fn is_on(&self) -> bool {
        self.local || self.asked.is_some()
    }

    /// Looks at the cursor's line. `may_begin` is false where that line is the user's own input.
    pub(crate) fn look(&mut self, line: u64, before_cursor: &str, may_begin: bool) {
        if let Some((at, question)) = &self.asked {
            // An answer may show as stars (sudo's pwfeedback), or as it is (a one-time code): a secret all the same.
            let answer = before_cursor.strip_prefix(question.as_str()).filter(|_| *at == line);
            match answer {
                Some(answer) if answer.chars().all(|c| matches!(c, '*' | '•' | ' ')) => return,
                Some(_) if asks(question) => return self.answer_shows(),
                _ => self.asked = None,
            }
        }
        if may_begin && asks(before_cursor) {
            self.begin(line, before_cursor);
        }
    }

    /// The line of the question.
    pub(crate) fn line(&self) -> Option<u64> {
        self.asked.as_ref().map(|(line, _)| *line)
    }

    /// What stands behind the question, while the cursor is on its line.
    pub(crate) fn answer<'t>(&self, line: u64, before_cursor: &'t str) -> Option<&'t str> {
        let (at, question) = self.asked.as_ref()?;
        before_cursor.strip_prefix(question.as_str()).filter(|_| *at == line).map(str::trim_start)
    }

    /// It was no question: a prompt stands on its line.
    pub(crate) fn was_none(&mut self) {
        self.asked = None;
    }

    /// The cursor has left that line, and this is what stands on it: the whole answer may have come at once.
    pub(crate) fn left(&mut self, text: &str) {
        let Some((_, question)) = &self.asked else { return };
        let shows = |a: &str| !a.chars().all(|c| matches!(c, '*' | '•' | ' '));
        if asks(question) && text.strip_prefix(question.as_str()).is_some_and(shows) {
            self.answer_shows();
        }
        self.asked = None;
    }

    fn answer_shows(&mut self) {
        let Some((_, question)) = &self.asked else { return };
        if self.echoed.contains(question) {
            return;
        }
        if self.echoed.len() >= MAX_ECHOED {
            self.echoed.pop_front();
        }
        self.echoed.push_back(question.clone());
    }

    /// The text without the answers that were echoed in it. Lines with one lose their colours.
    pub(crate) fn hide(&self, text: String) -> String {
        let is_line = |line: &str| self.echoed.iter().any(|question| line.contains(question.as_str()));
        if self.echoed.is_empty() || !text.contains("\x1b[") && !text.split('\n').any(is_line) {
            return text;
        }
        let lines = text.split('\n').map(|line| self.hide_line(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn hide_line(&self, line: &str) -> String {
        let plain = plain(line);
        let end = self.echoed.iter().filter_map(|q| plain.find(q.as_str()).map(|at| at + q.len())).min();
        match end.and_then(|end| plain.split_at_checked(end)) {
            Some((question, answer)) if !answer.trim().is_empty() => format!("{question}{HIDDEN}"),
            _ => line.to_owned(),
        }
    }

    /// The line is taken for a question for which no echo comes.
    pub(crate) fn begin(&mut self, line: u64, question: &str) {
        self.asked = Some((line, question.trim_end().to_owned()));
    }
}

/// "Password:", "[sudo] password for joe: ", "Enter PIN for 'x': " …
fn asks(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_QUESTION || !line.ends_with([':', '：', '?']) {
        return false;
    }
    let in_colon = !line.ends_with('?');
    let line = line.to_lowercase();
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    ASKING.iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + word.len()..]);
            // Short words only whole: "pin" is in "mapping", "otp" in "footpath". Chinese has no blanks.
            let is_long = word.len() > 5;
            let is_whole = edge(before.chars().next_back()) && edge(after.chars().next());
            // Any text may end in a question mark: then it has to be a long word's.
            if in_colon { is_long || is_whole } else { is_long && after == "?" }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_secrets_are_known_in_any_case() {
        for line in [
            "Password: ",
            "[sudo] password for joe: ",
            "joe@web1's password: ",
            "Enter passphrase for key '/home/joe/.ssh/id_ed25519': ",
            "Verification code: ",
            "Enter PIN for authenticator: ",
            "(current) UNIX PASSWORD:",
            "Passwort: ",
            "[sudo] joe 的密码：",
            "Passcode or option (1-3): ",
            "Enter TOTP code: ",
            "MFA code: ",
            "Your security code? ",
        ] {
            assert!(asks(line), "{line}");
        }
        for line in [
            "mapping: ",
            "Forgot the password for good? [y/N] ?",
            "secret> ",
            "password",
            "Enter your name: ",
            "$ ",
            "",
            ":",
            &format!("password{}:", " x".repeat(200)),
        ] {
            assert!(!asks(line), "{line}");
        }
    }

    #[test]
    fn a_secret_lasts_until_its_line_ends_or_echoes() {
        let mut secret = Secret::default();
        secret.look(3, "Password: ", true);
        assert!(secret.is_on());
        secret.look(3, "Password: ***", true);
        assert!(secret.is_on(), "stars are no echo");
        secret.look(4, "", true);
        assert!(!secret.is_on());
        secret.look(6, "$ echo password:", false);
        assert!(!secret.is_on());
        secret.begin(7, "Zaubertrank: ");
        secret.look(7, "Zaubertrank: a", true);
        assert!(!secret.is_on(), "it echoes, late, and asked for no secret");
    }

    #[test]
    fn an_answer_that_comes_at_once_with_what_follows_is_seen() {
        let mut secret = Secret::default();
        secret.look(5, "Verification code: ", true);
        secret.left("Verification code: 123456");
        assert!(!secret.is_on());
        assert_eq!(secret.hide("Verification code: 123456".into()), "Verification code: ‹hidden›");
    }

    #[test]
    fn an_echoed_code_is_a_secret_too_and_is_in_no_text() {
        let mut secret = Secret::default();
        secret.look(5, "Verification code: ", true);
        for shown in ["Verification code: 1", "Verification code: 123456"] {
            secret.look(5, shown, true);
            assert!(secret.is_on());
        }
        secret.look(6, "", true);
        assert!(!secret.is_on());
        let text = "login\n\x1b[1mVerification code:\x1b[m 123456\nVerification code:\nok".to_owned();
        assert_eq!(secret.hide(text), "login\nVerification code: ‹hidden›\nVerification code:\nok");
        assert_eq!(secret.hide("\x1b[1mother\x1b[m".to_owned()), "\x1b[1mother\x1b[m");
    }
}
