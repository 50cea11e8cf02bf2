//! When input is a secret: the local line does not echo, or a program asks for a password.
//!
//! Decides only; it never sees what is typed.

/// Words that ask for a secret, in lower case. Programs translate theirs, so the common languages are here too.
const ASKING: [&str; 16] = [
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
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "пароль",
];
/// A question is short; a longer line is text that ends in a colon.
const MAX_QUESTION: usize = 200;

/// A secret that is being asked for on the remote.
#[derive(Debug, Default)]
pub(crate) struct Secret {
    /// ICANON without ECHO on the PTY: ssh itself asks.
    pub(crate) local: bool,
    /// The line of the question, and its text as asked.
    asked: Option<(u64, String)>,
}

impl Secret {
    pub(crate) fn is_on(&self) -> bool {
        self.local || self.asked.is_some()
    }

    /// Looks at the cursor's line. `may_begin` is false where that line is the user's own input.
    pub(crate) fn look(&mut self, line: u64, before_cursor: impl FnOnce() -> String, may_begin: bool) {
        if self.asked.is_none() && !may_begin {
            return;
        }
        let before_cursor = before_cursor();
        if let Some((at, question)) = &self.asked {
            // sudo's pwfeedback answers every key with a star; anything else is an echo, and no secret.
            let same = before_cursor.strip_prefix(question.as_str());
            if *at == line && same.is_some_and(|more| more.chars().all(|c| matches!(c, '*' | '•' | ' '))) {
                return;
            }
            self.asked = None;
        }
        if may_begin && asks(&before_cursor) {
            self.begin(line, &before_cursor);
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
    if line.len() > MAX_QUESTION || !line.ends_with(':') {
        return false;
    }
    let line = line.to_lowercase();
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    ASKING.iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            // Short words only whole: "pin" is in "mapping", "otp" in "footpath".
            word.len() > 5
                || edge(line[..at].chars().next_back()) && edge(line[at + word.len()..].chars().next())
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
        ] {
            assert!(asks(line), "{line}");
        }
        for line in [
            "mapping: ",
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
        secret.look(3, || "Password: ".into(), true);
        assert!(secret.is_on());
        secret.look(3, || "Password: ***".into(), true);
        assert!(secret.is_on(), "stars are no echo");
        secret.look(4, || "".into(), true);
        assert!(!secret.is_on());
        secret.look(5, || "New token: ".into(), true);
        secret.look(5, || "New token: abc".into(), true);
        assert!(!secret.is_on(), "it echoes");
        secret.look(6, || "$ echo password:".into(), false);
        assert!(!secret.is_on());
    }
}
