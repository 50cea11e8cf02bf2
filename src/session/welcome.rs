//! The five lines that the first panel of all shows: what it does, what leaves this machine, how to close it, where help is,
//! how to be rid of it. That they were shown is remembered by an empty file in the state folder.

use super::Side;
use crate::private;
use std::io;
use std::path::Path;

/// In the state folder.
const FILE: &str = "welcomed";

impl Side {
    /// Says them where nobody has been told yet. What cannot be remembered is said again: better twice than never.
    pub(super) fn welcome(&mut self) {
        if std::mem::replace(&mut self.is_welcomed, true) {
            return;
        }
        let Some(folder) = private::state_folder() else { return };
        if note(&folder).is_ok_and(|is_first| !is_first) {
            return;
        }
        let is_plain = self.panel.plain.is_some();
        let leaves = leaves(self.outside.as_ref().map(|outside| outside.names().0), &self.prefix);
        for line in lines(&leaves, &self.prefix, is_plain) {
            self.copilot.chat.note(&line);
        }
        self.panel.dirty = true;
    }
}

/// Remembers it; whether this was the first time.
fn note(folder: &Path) -> io::Result<bool> {
    private::folder(folder)?;
    match private::create(&folder.join(FILE)) {
        Ok(_) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e),
    }
}

fn leaves(origin: Option<&str>, prefix: &str) -> String {
    match origin {
        None => "What leaves this machine: nothing. Linus is built in, has runbooks and no model.".to_owned(),
        Some(origin) => format!(
            "What leaves: what you ask and what this terminal shows, without the secrets that are recognised, to {origin} \
             and nowhere else. {prefix} w shows it, {prefix} p pauses it."
        ),
    }
}

fn lines(leaves: &str, prefix: &str, is_plain: bool) -> [String; 5] {
    let close = if is_plain {
        format!(
            "Esc goes back to the session. {prefix} Space comes here again, {prefix} a says all that there is."
        )
    } else {
        format!("{prefix} a closes this and opens it again. {prefix} Tab goes to the terminal and back.")
    };
    [
        "Linus reads this terminal with you. Ask him; edit a command that he suggests; Enter sends it. Without your \
         key nothing runs, unless you turn auto on."
            .to_owned(),
        leaves.to_owned(),
        close,
        format!("{prefix} ? lists the keys."),
        "To turn it off: AISSH=off in the environment, or --no-copilot. These lines are shown once.".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_first_time_once() {
        let dir =
            nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-welcome.XXXXXX")).expect("make a folder");
        let folder = dir.join("state");
        assert!(note(&folder).expect("made"));
        assert!(!note(&folder).expect("there"));
        assert!(note(Path::new("/dev/null/no")).is_err());
        std::fs::remove_dir_all(dir).expect("clean up");
    }

    #[test]
    fn what_leaves_is_said_as_it_is_configured() {
        assert!(leaves(None, "F12").contains("nothing"));
        assert!(
            leaves(Some("https://linus.example"), "F12")
                .contains("to https://linus.example and nowhere else. F12 w")
        );
    }
}
