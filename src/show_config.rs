//! `--show-config [destination]`: the settings in force, for all hosts or for one.

use crate::cli::Cli;
use crate::config::{self, Config};
use crate::destination::{Destination, real_ssh};
use crate::error::Error;
use std::ffi::OsString;

/// What is to be printed.
pub(crate) fn run(cli: &Cli, args: &[OsString]) -> Result<String, Error> {
    let config = Config::load(cli.config.as_deref())?;
    let destination = Destination::of(args, real_ssh().ok().as_deref())?;
    let (given, names) = destination.as_ref().map(|it| (it.given(), it.names())).unwrap_or_default();
    let policy = cli.policy.map(|mode| mode.mode().name().to_owned());
    let flags = [("linus.url", "--linus-url", cli.linus_url.clone()), ("policy.mode", "--policy", policy)];
    let settings = config.settings(given, &names, &flags);
    if cli.json {
        return Ok(format!("{:#}\n", config::json(&config, &settings)));
    }
    Ok(config::text(&config, &settings, destination.is_some()))
}
