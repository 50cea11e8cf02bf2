//! `--check [destination]`: is everything in place? A line a fact, and what to do where one is not as it should be.
//!
//! The check is the user's own act, so it may ask the configured Linus who he is; no host is named to him, and nothing of
//! a session or this machine. It logs in nowhere, and keeps no more than which protocol he speaks.

mod fact;
mod folders;
mod linus;
mod programs;
mod runbooks;
mod target;
mod terminal;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::cli::Cli;
use crate::config::{Config, has_utf8, wants_colour};
use crate::destination::{Destination, real_ssh};
use crate::error::Error;
use fact::{Fact, State, Style};

/// Prints what it finds, a line as soon as it is known: 0 where all is well, else 1.
pub(crate) fn run(cli: &Cli, args: &[OsString]) -> Result<ExitCode, Error> {
    let ssh = real_ssh();
    let destination = Destination::of(args, ssh.as_deref().ok())?;
    let style = Style { utf8: has_utf8(), colour: io::stdout().is_terminal() && wants_colour() };
    let mut told = Vec::new();
    let mut tell = |facts: Vec<Fact>| {
        if !cli.json {
            print(&fact::text(&facts, style));
        }
        told.extend(facts);
    };
    tell(programs::facts(&ssh));
    look(cli, destination.as_ref(), &mut tell);
    if let (Some(destination), Ok(ssh)) = (&destination, &ssh) {
        tell(target::facts(destination, ssh, args));
    }
    if cli.json {
        print(&format!("{:#}\n", fact::json(&told)));
    }
    let is_well = told.iter().all(|fact| fact.state != State::Bad);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn look(cli: &Cli, destination: Option<&Destination>, tell: &mut dyn FnMut(Vec<Fact>)) {
    let loaded = Config::load(cli.config.as_deref());
    tell(vec![configuration(&loaded)]);
    let config = loaded.as_ref().cloned().unwrap_or_default();
    tell(terminal::facts(config.panel.mode));
    tell(folders::facts(&config));
    tell(runbooks::facts());
    if loaded.is_ok() {
        let (flag, host) = (cli.linus_url.as_deref(), destination.and_then(Destination::given));
        linus::facts(flag, &config.with_linus_of(flag, host), tell);
    }
}

/// Whoever closed the pipe has what they wanted.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
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
