//! Whether the Linus that is meant can be reached, with what, and what he has. He is told nothing but that aissh asks.

use std::time::Instant;

use super::fact::Fact;
use crate::config::{Config, LinusConfig};
use crate::linus::oauth::{Key, Store, shown};
use crate::linus::{Canceller, Server};
use crate::peers::Door;

const TOPIC: &str = "linus";

/// `config` is that of the host, if one is meant; `flag` is `--linus-url`.
pub(super) fn facts(flag: Option<&str>, config: &Config, tell: &mut dyn FnMut(Vec<Fact>)) {
    let door = match Door::choose(flag, config) {
        Ok(door) => door,
        Err(e) => return tell(vec![Fact::bad(TOPIC, e.message)]),
    };
    if matches!(door, Door::BuiltIn(_)) {
        return tell(vec![Fact::good(TOPIC, format!("{}: in this process, nothing leaves", door.name()))]);
    }
    tell([Some(credentials(flag, &config.linus)), consent(&door)].into_iter().flatten().collect());
    tell(reach(&door));
    door.close();
}

fn reach(door: &Door) -> Vec<Fact> {
    let begun = Instant::now();
    let server = door.peer().probe(&Canceller::new());
    let took = begun.elapsed().as_millis();
    match server {
        Ok(server) => told(door, &server, took),
        Err(e) => {
            let remedy =
                "messages to him wait until he is back; see linus.url, linus.command and the credentials";
            vec![Fact::bad(TOPIC, format!("{}: {e}", door.name())).remedy(remedy)]
        }
    }
}

fn told(door: &Door, server: &Server, took: u128) -> Vec<Fact> {
    let name = if server.name.is_empty() { String::new() } else { format!(" ({})", server.name) };
    let revision = server.revision.as_str();
    let mut facts = vec![Fact::good(
        TOPIC,
        format!("{}{name}: MCP {revision}, handshake and tools in {took} ms", door.name()),
    )];
    if server.missing.is_empty() {
        facts.push(Fact::good("tools", "all of the contract's"));
    } else {
        let missing = format!("not there: {}", server.missing.join(", "));
        facts.push(
            Fact::note("tools", missing)
                .remedy("he is not told what they are for; [linus.tools] maps other names"),
        );
    }
    facts
}

/// What he is shown, by name; never what it is.
fn credentials(flag: Option<&str>, linus: &LinusConfig) -> Fact {
    const TOPIC: &str = "credentials";
    let url = flag.or(linus.url.as_ref().map(|url| url.get_ref().as_str()));
    let certificate = if linus.client_cert.is_some() { ", and a client certificate" } else { "" };
    if let Some(name) = &linus.token_env {
        return Fact::good(TOPIC, format!("a token from the variable {}{certificate}", name.get_ref()));
    }
    if let Some(command) = &linus.token_command {
        let program = command.get_ref().first().map(String::as_str).unwrap_or_default();
        return Fact::good(TOPIC, format!("a token that {program} prints{certificate}"));
    }
    if let Some(account) = &linus.token_keyring {
        return Fact::good(
            TOPIC,
            format!("a token in the keyring, account {}{certificate}", account.get_ref()),
        );
    }
    let Some(url) = url else { return Fact::good(TOPIC, "none are shown to a command") };
    let stored = Store::of_user().zip(Key::of(url).ok()).map(|(store, key)| store.read(&key));
    match stored {
        Some(Ok(Some(sign_in))) => {
            Fact::good(TOPIC, format!("signed in at {}{certificate}", shown(&sign_in.issuer)))
        }
        Some(Err(e)) => Fact::bad(TOPIC, format!("the sign-in cannot be read: {e}"))
            .remedy(format!("sign in again: aissh --login {}", shown(url))),
        _ => Fact::good(TOPIC, format!("none{certificate}")),
    }
}

/// Whether the user is asked before anything goes to him.
fn consent(door: &Door) -> Option<Fact> {
    let recipient = door.recipient()?;
    Some(if recipient.is_remote {
        Fact::note(
            "consent",
            format!(
                "{} is another machine: you are asked once for each host before anything goes there",
                recipient.origin
            ),
        )
    } else {
        Fact::good("consent", "he is on this machine, and gets what you share without being asked for")
    })
}
