//! Redacts a message to Linus, field by field.

use super::{Found, Redactor, Start, Unredactable, Whose};
use crate::linus::contract::Request;

impl Redactor {
    /// Takes the secrets out of everything in a message that holds text. The order matters: what is found in the tail is
    /// known in the lines that are a part of it.
    pub fn redact_request(&mut self, request: &mut Request) -> Result<Vec<Found>, Unredactable> {
        let was_in_key = std::mem::take(&mut self.in_key);
        let mut all = Vec::new();
        let mut field = |of: &mut Self, name, text: &mut String, whose, start| {
            let redacted = of.run(text, whose, start)?;
            *text = redacted.text;
            all.extend(redacted.found.into_iter().map(|found| Found { field: name, ..found }));
            Ok::<_, Unredactable>(())
        };
        match request {
            Request::Chat { message, context, .. } => {
                self.target.clone_from(&context.ssh_host);
                field(self, "terminal_tail", &mut context.terminal_tail, Whose::Remote, Start::Cut)?;
                field(self, "message", message, Whose::Ours, Start::Whole)?;
                if let Some(cwd) = &mut context.cwd {
                    field(self, "cwd", cwd, Whose::Remote, Start::Whole)?;
                }
                if let Some(command) = &mut context.last_command {
                    field(self, "last_command", command, Whose::Remote, Start::Whole)?;
                }
                self.in_key = was_in_key;
            }
            Request::TerminalUpdate { new_output, terminal_tail, context, .. } => {
                self.target.clone_from(&context.ssh_host);
                field(self, "terminal_tail", terminal_tail, Whose::Remote, Start::Cut)?;
                if let Some(cwd) = &mut context.cwd {
                    field(self, "cwd", cwd, Whose::Remote, Start::Whole)?;
                }
                let start = if was_in_key { Start::InKey } else { Start::Cut };
                field(self, "new_output", new_output, Whose::Remote, start)?;
            }
            Request::CommandExecuted { command, output, context, .. } => {
                self.target.clone_from(&context.ssh_host);
                field(self, "command", command, Whose::Remote, Start::Whole)?;
                if let Some(cwd) = &mut context.cwd {
                    field(self, "cwd", cwd, Whose::Remote, Start::Whole)?;
                }
                field(self, "output", output, Whose::Remote, Start::Cut)?;
                self.in_key = was_in_key;
            }
            Request::SessionState { .. } => self.in_key = was_in_key,
        }
        Ok(all)
    }
}
