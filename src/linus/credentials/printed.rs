//! A token that a command prints: one that the user configured, or the one that asks the system's keyring.
//!
//! The keyring is asked through the system's own program (`secret-tool`, on macOS `security`): it unlocks a locked one
//! in the system's way, and no D-Bus library or async runtime has to be carried for one string.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use crate::linus::call_error::CallError;
use crate::linus::cancel::Canceller;
use crate::linus::helper::{Helper, HelperError};
use crate::linus::secret::Secret;

/// The user may have to type a passphrase into a window, or touch a key.
const TIME: Duration = Duration::from_secs(120);
/// A token and what a password manager keeps below it.
const OUTPUT_LIMIT: usize = 64 * 1024;
/// A command whose new token was refused is not run again for so long: each run may open a window for a passphrase.
const PAUSE: Duration = Duration::from_secs(300);
/// How often a lane looks whether the other one's run of the command is over.
const LOOK: Duration = Duration::from_millis(20);

/// The service under which the keyring has Linus's tokens.
const SERVICE: &str = "aissh";

#[derive(Debug)]
pub struct Printed {
    helper: Helper,
    /// What it is called in advice.
    name: String,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    token: Option<Secret>,
    /// When it was run again because of a refusal.
    again: Option<Instant>,
}

impl Printed {
    /// What a command of this setting (`linus.token_command`) prints; `also` names further environment variables that
    /// it may see.
    pub fn command(setting: &str, argv: &[String], also: &[String]) -> Result<Self, HelperError> {
        let helper = Helper::new(argv, also)?;
        let name = format!("{} ({setting})", helper.program());
        Ok(Self { helper, name, known: Mutex::default() })
    }

    /// The same of a setting (`linus.token_keyring`) that names the account whose secret it is.
    pub fn keyring(setting: &str, account: &str) -> Result<Self, HelperError> {
        let words: &[&str] = if cfg!(target_os = "macos") {
            &["security", "find-generic-password", "-w", "-s", SERVICE, "-a", account]
        } else {
            &["secret-tool", "lookup", "service", SERVICE, "account", account]
        };
        let argv: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let name = format!("the keyring ({setting} = \"{account}\")");
        Ok(Self { helper: Helper::new(&argv, &[])?, name, known: Mutex::default() })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The token that is known, else what the command prints now.
    pub(crate) fn token(&self, cancel: &Canceller) -> Result<Secret, CallError> {
        let mut known = self.lock(cancel)?;
        if let Some(token) = &known.token {
            return Ok(token.clone());
        }
        let token = self.run(cancel)?;
        known.token = Some(token.clone());
        Ok(token)
    }

    /// Another one than `shown`, which was refused: tokens of commands often end after an hour.
    pub(crate) fn another(&self, shown: &Secret, cancel: &Canceller) -> Result<Option<Secret>, CallError> {
        let mut known = self.lock(cancel)?;
        if known.token.as_ref().is_some_and(|token| token != shown) {
            return Ok(known.token.clone());
        }
        if known.again.is_some_and(|again| again.elapsed() < PAUSE) {
            return Ok(None);
        }
        known.again = Some(Instant::now());
        let token = self.run(cancel)?;
        known.token = Some(token.clone());
        Ok(Some(token).filter(|token| token != shown))
    }

    /// Both lanes need the token at once when a session begins; one runs the command, the other waits for it.
    fn lock(&self, cancel: &Canceller) -> Result<MutexGuard<'_, Known>, CallError> {
        loop {
            match self.known.try_lock() {
                Ok(known) => return Ok(known),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if cancel.wait(LOOK) => return Err(CallError::Cancelled),
                Err(TryLockError::WouldBlock) => {}
            }
        }
    }

    fn run(&self, cancel: &Canceller) -> Result<Secret, CallError> {
        let printed = self.helper.output(&[], OUTPUT_LIMIT, TIME, cancel).map_err(|e| match e {
            HelperError::Cancelled => CallError::Cancelled,
            e => CallError::auth(format!("no token from {}: {e}", self.name)),
        })?;
        // The first line, as `pass` has it; the lines below are its owner's notes.
        let text = String::from_utf8_lossy(&printed);
        let token = Secret::new(text.lines().next().unwrap_or_default());
        if token.is_empty() {
            return Err(CallError::auth(format!("no token from {}: it is empty", self.name)));
        }
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Printed {
        Printed::command("linus.token_command", &["sh", "-c", script].map(str::to_owned), &[]).unwrap()
    }

    #[test]
    fn the_first_line_is_the_token_and_the_command_runs_once() {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-token.XXXXXX")).unwrap();
        let runs = dir.join("runs");
        let printed = shell(&format!("echo run >> {}; printf 't0ken\\r\\nuser: joe\\n'", runs.display()));
        let cancel = Canceller::new();
        for _ in 0..2 {
            assert_eq!(printed.token(&cancel), Ok(Secret::new("t0ken")));
        }
        let count = || std::fs::read_to_string(&runs).unwrap().lines().count();
        assert_eq!(count(), 1);
        // A refusal runs it again, once; it prints the same, so there is nothing else to show.
        for _ in 0..2 {
            assert_eq!(printed.another(&Secret::new("t0ken"), &cancel), Ok(None));
        }
        assert_eq!(count(), 2);
        // The other lane's refused token is older than the one that is known.
        assert_eq!(printed.another(&Secret::new("old"), &cancel), Ok(Some(Secret::new("t0ken"))));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_command_that_gives_nothing_is_named_without_its_arguments() {
        for (script, why) in
            [("exit 3 # s3cret", "status 3"), ("echo", "empty"), ("printf '\\n\\nx'", "empty")]
        {
            let error = shell(script).token(&Canceller::new()).unwrap_err().to_string();
            assert!(error.contains("sh (linus.token_command)") && error.contains(why), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_command_that_hangs_is_ended_when_the_call_is_taken_back() {
        let (printed, cancel) = (shell("sleep 600"), Canceller::new());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| printed.token(&cancel));
            cancel.cancel();
            assert_eq!(waits.join().unwrap(), Err(CallError::Cancelled));
        });
    }
}
