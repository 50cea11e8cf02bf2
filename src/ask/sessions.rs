//! Live sessions that a question is about: what each would tell Linus itself, through its socket, without its secrets.

use crate::agents::client::{Client, Found, PATIENT, find};
use crate::agents::protocol::Ask;
use crate::agents::runtime::{Entry, Folder};
use crate::error::{Error, status};
use crate::linus::contract::{ChatContext, Request};

/// Sessions of one question: what all of them show still fits into a message.
const SESSIONS: usize = 8;
/// Bytes of what one of several shows.
const EACH: usize = 32 * 1024;

/// The sessions that are meant: those that were named as options, else those whose alias the question has as a word.
fn meant(question: &str, names: &[String]) -> Result<(Folder, Vec<Entry>), Error> {
    let failed = |e: std::io::Error| Error::new(status::UNAVAILABLE, format!("sessions: {e}"));
    let folder = Folder::of_user().map_err(failed)?;
    let mut entries = Vec::new();
    for name in names {
        match find(&folder, name, "").map_err(|why| Error::new(status::DATA, why))? {
            Found::Live(entry) => entries.push(entry),
            Found::Gone(gone) => {
                return Err(Error::new(status::DATA, format!("the session {} has ended", gone.alias)));
            }
        }
    }
    if names.is_empty() {
        let live = folder.live().unwrap_or_default();
        entries.extend(
            live.into_iter().filter(|entry| is_made(&entry.alias) && has_word(question, &entry.alias)),
        );
    }
    entries.dedup();
    if entries.len() > SESSIONS {
        return Err(Error::new(status::USAGE, format!("a question has at most {SESSIONS} sessions")));
    }
    Ok((folder, entries))
}

/// Whether an alias has the form of those that are made from the host's name: an agent may have renamed a session to any
/// word of a question.
fn is_made(alias: &str) -> bool {
    alias
        .rsplit_once('-')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
}

fn has_word(question: &str, alias: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let found = question.match_indices(alias);
    let apart = |(at, _): (usize, &str)| {
        !question[..at].ends_with(is_part) && !question[at + alias.len()..].starts_with(is_part)
    };
    found.into_iter().any(apart)
}

/// Adds them to the question; the value is their names.
pub(super) fn add(question: &str, names: &[String], request: &mut Request) -> Result<Vec<String>, Error> {
    let (folder, entries) = match meant(question, names) {
        Ok(meant) => meant,
        // Nobody asked for any.
        Err(_) if names.is_empty() => return Ok(Vec::new()),
        Err(e) => return Err(e),
    };
    let Request::Chat { context, .. } = request else { return Ok(Vec::new()) };
    let mut told = Vec::new();
    for entry in &entries {
        let context = told_by(&folder, entry)
            .map_err(|why| Error::new(status::DATA, format!("session {}: {why}", entry.alias)))?;
        told.push((entry.alias.as_str(), context));
    }
    let piped = std::mem::take(&mut context.terminal_tail);
    match told.as_mut_slice() {
        [] => context.terminal_tail = piped,
        [(_, one)] => {
            *context = std::mem::replace(one, context.clone());
            if !piped.is_empty() {
                context.terminal_tail = format!("{piped}\n{}", context.terminal_tail);
            }
        }
        several => {
            let parts = several.iter().map(|(alias, context)| labelled(alias, context));
            let parts: Vec<String> = Some(piped).filter(|p| !p.is_empty()).into_iter().chain(parts).collect();
            context.terminal_tail = parts.join("\n");
        }
    }
    Ok(entries.into_iter().map(|entry| entry.alias).collect())
}

fn told_by(folder: &Folder, entry: &Entry) -> Result<ChatContext, String> {
    let mut client = Client::connect(folder, &entry.id, "").map_err(|refused| refused.message)?;
    let context = client.ask(Ask::Context, PATIENT).map_err(|refused| refused.message)?;
    serde_json::from_value(context).map_err(|e| e.to_string())
}

/// One of several, told apart by a line that says which it is.
fn labelled(alias: &str, context: &ChatContext) -> String {
    let mut facts = vec![format!("session {alias}"), context.ssh_host.clone()];
    facts.extend(context.cwd.as_ref().map(|cwd| format!("in {cwd}")));
    if let Some(command) = &context.last_command {
        let exit = context.last_exit_code.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
        facts.push(format!("last command `{command}`, exit status {exit}"));
    }
    format!("=== {} ===\n{}\n", facts.join(", "), crate::text::last(&context.terminal_tail, EACH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_whole_alias() {
        for yes in ["compare web-1 with db", "web-1", "(web-1)?", "is web-1's disk full"] {
            assert!(has_word(yes, "web-1"), "{yes}");
        }
        for no in ["web-10", "my-web-1", "web-1-old", "web", ""] {
            assert!(!has_word(no, "web-1"), "{no}");
        }
    }

    #[test]
    fn each_of_several_is_labelled() {
        let context = ChatContext {
            ssh_host: "root@web".into(),
            ssh_user: "root".into(),
            connected: true,
            terminal_tail: "$ df".into(),
            cwd: Some("/var".into()),
            last_command: Some("df".into()),
            last_exit_code: None,
        };
        let told = labelled("web-1", &context);
        let head = "=== session web-1, root@web, in /var, last command `df`, exit status unknown ===\n";
        assert_eq!(told, format!("{head}$ df\n"));
    }
}
