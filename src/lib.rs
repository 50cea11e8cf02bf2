//! aissh: the user's own ssh with a side panel in which Linus helps.
//!
//! The layers, from the ground up (`tests/layers.rs` enforces that imports point down only):
//! `error private random text` < `ssh` < `terminal` < `shell` < `linus` < `models` < `copilot` < `control files` < `ui` <
//! `builtin` < `agents` < `record` < the top (`config cli trust login peers ask incident risk destination show_config check serve session sessions`).

pub mod agents;
pub mod ask;
pub mod builtin;
mod check;
pub mod cli;
pub mod config;
pub mod control;
pub mod copilot;
mod destination;
pub mod doors;
pub mod error;
pub mod facts;
pub mod files;
mod incident;
pub mod linus;
pub mod login;
pub mod models;
pub mod peers;
pub mod private;
mod random;
pub mod record;
mod risk;
mod runbooks;
mod serve;
pub mod session;
mod sessions;
pub mod shell;
mod show_config;
pub mod ssh;
pub mod terminal;
pub mod text;
mod trust;
pub mod ui;

use crate::cli::Cli;
use crate::config::Config;
use crate::error::{Error, status};
use crate::linus::redact::Redactor;
use crate::peers::Door;
use crate::record::Tape;
use crate::session::Start;
use crate::shell::Shell;
use crate::ssh::surroundings::Observed;
use crate::ssh::{ConfigSays, Invocation, Places, Plan};
use crate::terminal::{monitor, signals, tty};
use std::cell::LazyCell;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

/// Parses, decides and runs; the value is the process's exit status.
pub fn main() -> ExitCode {
    let argv: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some((_, rest)) = argv.split_first().filter(|(first, _)| *first == OsStr::new(monitor::FLAG)) {
        monitor::run(rest)
    }
    if let Some((_, rest)) = argv.split_first().filter(|(first, _)| *first == OsStr::new(login::RENEW)) {
        return login::renew(rest);
    }
    run(&argv).unwrap_or_else(|error| {
        if error.status == 0 {
            print(&error.message);
        } else {
            eprintln!("aissh: {error}");
        }
        ExitCode::from(error.status)
    })
}

fn run(argv: &[OsString]) -> Result<ExitCode, Error> {
    let split = ssh::split_own(argv, Cli::takes_value);
    // The way of every script and tool: none of our options, so none of our code beyond the decision.
    let cli = if split.own.is_empty() { Cli::default() } else { cli::parse(&split.own)? };
    if cli.is_own_mode() { own_mode(&cli, &split.ssh) } else { wrap_or_become(&cli, &split.ssh) }
}

/// The modes in which ssh has no part.
fn own_mode(cli: &Cli, rest: &[OsString]) -> Result<ExitCode, Error> {
    if cli.check {
        return check::run(cli, rest);
    }
    if cli.show_config {
        print(&show_config::run(cli, rest)?);
        return Ok(ExitCode::SUCCESS);
    }
    if cli.sessions && rest.is_empty() {
        print(&sessions::run(cli.json)?);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(extra) = rest.first() {
        let what = format!("unexpected argument '{}': quote the question", extra.to_string_lossy());
        return Err(Error::new(status::USAGE, what));
    }
    if let Some(question) = &cli.ask {
        if question.trim().is_empty() {
            return Err(Error::new(status::USAGE, "--ask needs a question"));
        }
        let (config, door) = settings(cli, None)?;
        let redactor = Redactor::new(config.redact.options());
        let done = ask::run(question, &cli.session, (cli.json, cli.allow), &door, redactor);
        door.close();
        return done;
    }
    if let Some(url) = &cli.login {
        return login::login(url, &Config::load(cli.config.as_deref())?).map(|()| ExitCode::SUCCESS);
    }
    if let Some(url) = &cli.logout {
        return login::logout(url, &Config::load(cli.config.as_deref())?).map(|()| ExitCode::SUCCESS);
    }
    if let Some(name) = &cli.token {
        print(&serve::make_token(cli, name)?);
        return Ok(ExitCode::SUCCESS);
    }
    if cli.linus || cli.mcp {
        return serve::run(cli).map(|()| ExitCode::SUCCESS);
    }
    if cli.risk {
        return risk::run().map(|()| ExitCode::SUCCESS);
    }
    if let Some(id) = &cli.incident {
        return incident::run(id).map(|()| ExitCode::SUCCESS);
    }
    print(&generated(cli));
    Ok(ExitCode::SUCCESS)
}

/// The texts that are made from tables and definitions.
fn generated(cli: &Cli) -> String {
    let snippet = cli.integration.as_deref().and_then(Shell::named).map(Shell::for_rc_file);
    match (snippet, cli.completions) {
        (Some(snippet), _) => snippet,
        (None, None) if cli.schema => format!("{:#}\n", linus::schema::document()),
        (None, None) if cli.config_schema => format!("{:#}\n", config::schema()),
        (None, Some(shell)) => cli::completion_script(shell),
        (None, None) => cli::man_page(),
    }
}

fn wrap_or_become(cli: &Cli, args: &[OsString]) -> Result<ExitCode, Error> {
    let found = ssh::find::find().map_err(|e| Error::new(ssh::find::NOT_FOUND, e.to_string()))?;
    found.leave_trail();
    let ssh = found.path;
    let invocation = Invocation::parse(args);
    // Only where the configuration matters: the account database may be on the network.
    let places = LazyCell::new(Places::of_user);
    let asks = || ConfigSays::ask(&ssh, args, &invocation, &places);
    let observed = Observed::new(window(), signals::is_ignored(nix::libc::SIGHUP));
    if let Plan::Become(_) = ssh::decide(&invocation, &observed.surroundings(), asks) {
        if cli.record.is_some() {
            eprintln!("aissh: --record: this is no session on a terminal, so nothing is recorded");
        }
        return Err(become_ssh(&ssh, args));
    }
    // Who asks for a recording does not want to work without one.
    let tape = cli.record.as_deref().map(Tape::create).transpose()?;
    let host = invocation.host.as_ref().map(|host| host.to_string_lossy());
    let outcome = settings(cli, host.as_deref()).and_then(|(config, door)| {
        let verdict = session::run(Start {
            ssh: &ssh,
            args,
            invocation: &invocation,
            places: &places,
            cli,
            config: &config,
            door: &door,
            tape,
        });
        door.close();
        verdict
    });
    match outcome {
        Ok(verdict) => Ok(verdict.conclude()),
        // Nothing has been started yet: whatever is wrong with us, the user still gets ssh.
        Err(error) => {
            eprintln!("aissh: {error}; this is plain ssh");
            Err(become_ssh(&ssh, args))
        }
    }
}

/// The configuration, and the Linus that is meant: for a host, its own if it has one and no other is named.
fn settings(cli: &Cli, host: Option<&str>) -> Result<(Config, Door), Error> {
    let config = Config::load(cli.config.as_deref())?;
    let config = config.with_linus_of(cli.linus_url.as_deref(), host);
    let door = Door::choose(cli.linus_url.as_deref(), &config)?;
    Ok((config, door))
}

/// Columns and rows of the window, 0 where there is none.
fn window() -> (u16, u16) {
    tty::winsize(io::stdin().as_fd()).map_or((0, 0), |size| (size.cols, size.rows))
}

/// Returns only if it failed.
fn become_ssh(ssh: &Path, args: &[OsString]) -> Error {
    let error = ssh::find::exec(ssh, args);
    // What a shell says of a file that cannot be run.
    Error::new(126, format!("{}: {error}", ssh.display()))
}

/// To stdout; whoever closed it early (`| head`) has what they wanted.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}
