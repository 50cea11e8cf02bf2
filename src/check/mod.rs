//! `--check [destination]`: is everything in place? A line a fact, and what to do where one is not as it should be.
//!
//! The check is the user's own act, so it may ask the configured Linus who he is; no host is named to him, and nothing of
//! a session or this machine. It logs in nowhere, and keeps no more than which protocol he speaks.

mod fact;
mod folders;
mod linus;
mod programs;
mod target;
mod terminal;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use crate::cli::Cli;
use crate::config::{Config, wants_colour};
use crate::destination::Destination;
use crate::error::Error;
use fact::{Fact, State, Style};

/// What is to be printed, and the exit status: 0 or 1.
pub(crate) fn run(cli: &Cli, args: &[OsString]) -> Result<(String, ExitCode), Error> {
    let destination = Destination::of(args)?;
    let facts = facts(cli, destination.as_ref(), args);
    let is_well = facts.iter().all(|fact| fact.state != State::Bad);
    let code = if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if cli.json {
        return Ok((format!("{:#}\n", fact::json(&facts)), code));
    }
    let style = Style { utf8: terminal::is_utf8(), colour: io::stdout().is_terminal() && wants_colour() };
    Ok((fact::text(&facts, style), code))
}

fn facts(cli: &Cli, destination: Option<&Destination>, args: &[OsString]) -> Vec<Fact> {
    let mut facts = programs::facts();
    let loaded = Config::load(cli.config.as_deref());
    facts.push(configuration(&loaded));
    let config = loaded.as_ref().cloned().unwrap_or_default();
    facts.extend(terminal::facts(config.panel.mode));
    if loaded.is_ok() {
        let host = destination.and_then(Destination::given).filter(|_| cli.linus_url.is_none());
        facts.extend(linus::facts(cli.linus_url.as_deref(), &config.with_linus_of(host)));
    }
    facts.extend(folders::facts(&config));
    facts.extend(destination.into_iter().flat_map(|destination| target::facts(destination, args)));
    facts
}

fn configuration(loaded: &Result<Config, Error>) -> Fact {
    const TOPIC: &str = "configuration";
    match loaded {
        Ok(config) => match config.file() {
            Some(path) => Fact::good(TOPIC, path.display().to_string()),
            None => Fact::good(TOPIC, "no file, so everything is as by default"),
        },
        Err(e) => Fact::bad(TOPIC, e.message.clone()).remedy("sessions are plain ssh until this is mended"),
    }
}
