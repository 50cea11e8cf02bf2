//! `--login` and `--logout`: the user's own commands for signing in to a Linus, and out again.
//!
//! Only the user starts them; a session never opens a browser and never asks for a password. It says which command to
//! run.

mod person;
mod renew;
mod settings;

use crate::config::Config;
use crate::error::{Error, status};
use crate::linus::credentials::{SignedIn, Source, renew_here};
use crate::linus::oauth::{self, Challenge, Fetcher, Key, SignIn, Store, shown};
use crate::linus::{Budgets, CallError, Canceller, Client, Credentials, HttpConfig, Server, Tls};
use crate::trust;
use std::io::Write;
use std::time::Duration;

pub use renew::{FLAG as RENEW, run as renew};
pub use settings::credentials;

/// For each question to Linus: a person waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// Signs in to the Linus at `url`.
pub fn login(url: &str, config: &Config) -> Result<(), Error> {
    let (store, key) = place(url)?;
    let settings = settings::oauth(config)?;
    let tls = trust::tls(config)?;
    let challenge = challenge(url, &tls)?;
    if let Some(other) = settings::other_source(config) {
        eprintln!("aissh: sessions use {other} while it is set, and not this sign-in");
    }
    let fetcher = Fetcher::new(&tls);
    let done = oauth::sign_in(url, &challenge, &settings, &store, &fetcher, &mut person::Person);
    let sign_in = done.map_err(|why| Error::new(status::UNAVAILABLE, format!("not signed in: {why}")))?;
    let renew = renew_here(fetcher);
    let signed_in = SignedIn::new(store.clone(), url, renew).map_err(|e| Error::new(status::USAGE, e))?;
    match ask(url, Credentials::new(Source::SignedIn(signed_in)), &tls) {
        Err(CallError::Auth(why)) => {
            Err(Error::new(status::DENIED, format!("signed in, but {} says: {why}", shown(url))))
        }
        answered => {
            say(&told(url, &sign_in, answered.ok(), &store.path(&key).display().to_string()));
            Ok(())
        }
    }
}

/// What was got, for the user.
fn told(url: &str, sign_in: &SignIn, server: Option<Server>, file: &str) -> String {
    let name = server.map(|server| server.name).filter(|name| !name.is_empty());
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    let scope = sign_in.scope.as_deref().map(|scope| format!(", scope {}", shown(scope))).unwrap_or_default();
    let renewed = if sign_in.refresh.is_some() { "it renews itself" } else { "it ends and is not renewed" };
    format!(
        "Signed in to {}{name} at {}{scope}; {renewed}. It is kept in {file}\n",
        shown(url),
        shown(&sign_in.issuer)
    )
}

/// Forgets the sign-in for the Linus at `url`.
pub fn logout(url: &str, config: &Config) -> Result<(), Error> {
    let (store, key) = place(url)?;
    let out = oauth::sign_out(&store, &key, &Fetcher::new(&trust::tls(config)?))
        .map_err(|e| Error::new(status::IO, e))?;
    match out {
        None => say(&format!("There was no sign-in to {}\n", shown(url))),
        Some(Ok(())) => say(&format!("Signed out of {}\n", shown(url))),
        Some(Err(why)) => say(&format!("The sign-in to {} is forgotten here; {why}\n", shown(url))),
    }
    Ok(())
}

fn place(url: &str) -> Result<(Store, Key), Error> {
    let key = Key::of(url).map_err(|e| Error::new(status::USAGE, e))?;
    let store =
        Store::of_user().ok_or_else(|| Error::new(status::CONFIG, "no home folder to keep sign-ins in"))?;
    Ok((store, key))
}

/// What Linus says to one who shows no token.
fn challenge(url: &str, tls: &Tls) -> Result<Challenge, Error> {
    let credentials = Credentials::none();
    match ask(url, credentials.clone(), tls) {
        Err(e @ CallError::Unreachable(_)) if credentials.challenge().is_none() => {
            Err(Error::new(status::UNAVAILABLE, format!("{}: {e}", shown(url))))
        }
        // Some answer until a tool is called, and some say no more than 401.
        _ => Ok(credentials.challenge().unwrap_or_default()),
    }
}

fn ask(url: &str, credentials: Credentials, tls: &Tls) -> Result<Server, CallError> {
    let budgets = Budgets { probe: PATIENCE, connect: PATIENCE, call: PATIENCE };
    let config = HttpConfig { credentials, budgets, tls: tls.clone(), ..HttpConfig::new(url) };
    Client::new(config)?.connect(&Canceller::new())
}

fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
