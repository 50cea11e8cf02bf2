//! A command of the user's as a model: the prompt on its standard input, its answer on standard output.
//!
//! It runs as every helper does: no shell, no terminal, a session of its own, a listed part of the environment, and its
//! whole group killed when the call is taken back or takes too long.

use super::http::TEXT_LIMIT;
use super::{Completion, Model, ModelError, Prompt, Role, Setup};
use crate::linus::Canceller;
use crate::linus::helper::{Helper, HelperError};
use std::time::Duration;

/// Where the user does not say what it takes.
const USUAL_WINDOW: u32 = 8192;

pub struct Command {
    helper: Helper,
    setup: Setup,
    time: Duration,
}

impl Command {
    pub fn new(helper: Helper, setup: Setup, time: Duration) -> Self {
        Self { helper, setup, time }
    }

    fn run(&self, text: &str, cancel: &Canceller, hear: &mut dyn FnMut(&[u8])) -> Result<String, ModelError> {
        if let Some(tap) = &self.setup.tap {
            tap.sent(text.as_bytes());
        }
        let printed = self.helper.heard(text.as_bytes(), TEXT_LIMIT, self.time, cancel, hear);
        let printed = printed.map_err(|e| match e {
            HelperError::Cancelled => ModelError::Cancelled,
            e => ModelError::Failed(e.to_string()),
        })?;
        Ok(String::from_utf8_lossy(&printed).trim().to_owned())
    }
}

impl Model for Command {
    fn name(&self) -> &str {
        &self.setup.name
    }

    fn window(&self) -> u32 {
        self.setup.context.unwrap_or(USUAL_WINDOW)
    }

    fn complete(
        &self,
        prompt: &Prompt,
        cancel: &Canceller,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let mut hear = |bytes: &[u8]| on_text(whole(bytes).trim_start());
        let text = self.run(&written(prompt), cancel, &mut hear)?;
        if text.is_empty() {
            return Err(ModelError::Failed(format!("{}: it printed nothing", self.helper.program())));
        }
        Ok(Completion { text, usage: None, is_cut: false })
    }

    fn check(&self, cancel: &Canceller) -> Result<(), ModelError> {
        let text = self.run("Answer with one word.\n\nAre you there?\n", cancel, &mut |_| {})?;
        if text.is_empty() { Err(ModelError::Failed("it printed nothing".into())) } else { Ok(()) }
    }
}

/// What there is of it so far, without half a character at its end.
fn whole(bytes: &[u8]) -> &str {
    let end = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(e) => e.valid_up_to(),
    };
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}

/// A prompt as plain text. A command has no other way to be told what its answer should look like.
fn written(prompt: &Prompt) -> String {
    let mut text = prompt.system.clone();
    if let Some(schema) = &prompt.schema {
        text.push_str(&format!("\n\nAnswer with JSON alone, by this JSON Schema:\n{schema}"));
    }
    for turn in &prompt.turns {
        let who = if turn.role == Role::User { "User" } else { "You" };
        text.push_str(&format!("\n\n{who}:\n{}", turn.text));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Turn;

    fn command(script: &str, time: Duration) -> Command {
        let argv = ["sh", "-c", script].map(str::to_owned);
        let setup = Setup { name: "local".into(), ..Setup::default() };
        Command::new(Helper::new(&argv, &[]).unwrap(), setup, time)
    }

    fn prompt() -> Prompt {
        let turns = vec![Turn { role: Role::User, text: "disk?".into() }];
        Prompt { system: "You are Linus.".into(), turns, schema: None, max_tokens: 10 }
    }

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn the_prompt_goes_in_and_the_text_comes_out_as_it_is_printed() {
        let mut heard = Vec::new();
        let mut hear = |text: &str| heard.push(text.to_owned());
        let script =
            "IFS= read -r first; printf 'I got: %s\\n' \"$first\"; cat > /dev/null; printf 'done é\\n'";
        let completion = command(script, PATIENCE).complete(&prompt(), &Canceller::new(), &mut hear).unwrap();
        assert_eq!(completion.text, "I got: You are Linus.\ndone é");
        assert!(heard.last().is_some_and(|last| last.trim_end() == completion.text), "{heard:?}");
        assert_eq!(written(&prompt()), "You are Linus.\n\nUser:\ndisk?\n");
    }

    #[test]
    fn one_that_fails_says_nothing_hangs_or_never_ends_is_an_error() {
        let failed = |script: &str, time| {
            command(script, time).complete(&prompt(), &Canceller::new(), &mut |_| {}).unwrap_err().to_string()
        };
        assert_eq!(
            failed("echo 'no such model' >&2; exit 4", PATIENCE),
            "sh: it ended with status 4: no such model"
        );
        assert_eq!(failed("true", PATIENCE), "sh: it printed nothing");
        assert!(failed("sleep 600", Duration::from_millis(50)).contains("not done after"));
        assert!(failed("yes", PATIENCE).contains("it printed more than"));
        let (slow, cancel) = (command("sleep 600", PATIENCE), Canceller::new());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| slow.complete(&prompt(), &cancel, &mut |_| {}));
            cancel.cancel();
            assert_eq!(waits.join().unwrap(), Err(ModelError::Cancelled));
        });
    }
}
