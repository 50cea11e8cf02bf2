//! aissh's own command line. ssh has only single letters, so every option here is long and the two never meet.

mod completions;
mod man;

use crate::copilot::policy::StartMode;
use crate::error::{Error, status};
use clap::{CommandFactory, Parser};
pub use completions::Shell;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The options before ssh's own (`split_own` takes them out of the command line).
#[derive(Debug, Default, Parser)]
#[command(
    name = "aissh",
    version,
    about = "ssh with a side panel: Linus reads the terminal with you and suggests commands that you edit and send",
    override_usage = "aissh [OPTIONS] [ssh options] destination [command...]\n       ... | aissh --ask QUESTION [--json]\n       ... | aissh --risk\n       aissh --sessions [--json]\n       aissh --linus | --mcp --stdio | --http ADDR:PORT | --token NAME\n       aissh --check [destination] [--json]\n       aissh --login URL | --logout URL",
    after_help = "Everything else is ssh's, passed on untouched: see ssh(1). In a session, Ctrl-\\ a opens the panel\n\
                  and Ctrl-\\ ? lists the keys. AISSH=off in the environment makes aissh plain ssh.",
    disable_help_flag = true,
    disable_version_flag = true,
    group = clap::ArgGroup::new("printed").args(["ask", "check", "show_config", "sessions"]),
    group = clap::ArgGroup::new("served").args(["linus", "mcp"])
)]
pub struct Cli {
    /// Answer once, from what is piped in, and exit; no ssh
    #[arg(long, value_name = "QUESTION")]
    pub ask: Option<String>,
    /// With --ask, --check, --show-config and --sessions: print JSON
    #[arg(long, requires = "printed")]
    pub json: bool,
    /// With --ask: let a Linus on another machine answer, now and from now on
    #[arg(long, requires = "ask")]
    pub allow: bool,
    /// With --ask: what this live session shows, by its id, alias or user@host; more than once for several
    #[arg(long, value_name = "SESSION", requires = "ask")]
    pub session: Vec<String>,
    /// List your live sessions
    #[arg(long, conflicts_with_all = ["ask", "check", "show_config"])]
    pub sessions: bool,
    /// Judge the commands on standard input, one a line: level, classes and reason of each
    #[arg(long, conflicts_with = "ask")]
    pub risk: bool,
    /// Is everything in place: ssh, the configuration, the terminal, Linus; and for a destination, what ssh makes of it
    #[arg(long)]
    pub check: bool,
    /// Print the settings in force, also for a destination, and where each comes from
    #[arg(long)]
    pub show_config: bool,
    /// Print a JSON Schema of the configuration file, for editors
    #[arg(long)]
    pub config_schema: bool,
    /// Open the panel at the start of the session
    #[arg(long)]
    pub sidebar: bool,
    /// No panel: a dialogue in lines on the prefix key, for screen readers and braille
    #[arg(long, conflicts_with = "no_copilot")]
    pub plain: bool,
    /// Only wrap ssh: no panel, no Linus
    #[arg(long, conflicts_with = "sidebar")]
    pub no_copilot: bool,
    /// Record the terminal in this file, which must not exist yet (asciicast v3)
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Print a session's timeline as Markdown, by its id or the beginning of it; `last` is the newest
    #[arg(long, value_name = "ID")]
    pub incident: Option<String>,
    /// What Enter on a card does: suggest puts it on the remote's line, confirm (the default) sends it
    #[arg(long, value_name = "suggest|confirm", conflicts_with = "no_copilot")]
    pub policy: Option<StartMode>,
    /// Talk to the Linus at this MCP endpoint instead of the built-in one
    #[arg(long, value_name = "URL")]
    pub linus_url: Option<String>,
    /// Read this configuration file instead of the usual one
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Sign in to the Linus at this address, in the browser
    #[arg(long, value_name = "URL", conflicts_with = "ask")]
    pub login: Option<String>,
    /// Forget the sign-in to the Linus at this address
    #[arg(long, value_name = "URL", conflicts_with_all = ["ask", "login"])]
    pub logout: Option<String>,
    /// Run the built-in Linus as an MCP server of his own, for a team or for any MCP client
    #[arg(long, requires = "door", conflicts_with_all = ["ask", "mcp"])]
    pub linus: bool,
    /// Give your live sessions to other agents, as an MCP server
    #[arg(long, requires = "door", conflicts_with = "ask")]
    pub mcp: bool,
    /// With --linus and --mcp: on standard input and output
    #[arg(long, group = "door", requires = "served")]
    pub stdio: bool,
    /// With --linus and --mcp: on HTTP at this address and port, path /mcp
    #[arg(long, value_name = "ADDR:PORT", group = "door", requires = "served")]
    pub http: Option<SocketAddr>,
    /// With --http on a loopback address: ask for no token
    #[arg(long, requires = "http")]
    pub no_token: bool,
    /// With --linus and --mcp: make a token for a user of its HTTP door, and print it; its digest is kept
    #[arg(long, value_name = "NAME", group = "door", requires = "served")]
    pub token: Option<String>,
    /// Print what makes a shell mark its prompts and commands, for an rc file
    #[arg(long, value_name = "SHELL", value_parser = crate::shell::Shell::NAMES)]
    pub integration: Option<String>,
    /// Print the contract with Linus as JSON Schema, both directions
    #[arg(long)]
    pub schema: bool,
    /// Print the completions for a shell
    #[arg(long, value_name = "SHELL")]
    pub completions: Option<Shell>,
    /// Print the man page
    #[arg(long)]
    pub man: bool,
    /// Print this help (ssh's own: -h is no option of ssh)
    #[arg(long, action = clap::ArgAction::Help)]
    pub help: Option<bool>,
    /// Print aissh's version (ssh's: -V)
    #[arg(long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,
}

impl Cli {
    /// Whether this is a mode of aissh's own in which ssh has no part.
    pub fn is_own_mode(&self) -> bool {
        self.ask.is_some()
            || self.risk
            || self.sessions
            || self.linus
            || self.mcp
            || self.stdio
            || self.http.is_some()
            || self.no_token
            || self.token.is_some()
            || self.login.is_some()
            || self.logout.is_some()
            || self.incident.is_some()
            || self.integration.is_some()
            || self.schema
            || self.check
            || self.show_config
            || self.config_schema
            || self.completions.is_some()
            || self.man
    }

    /// Whether an option (without its dashes) takes a value.
    pub fn takes_value(long: &str) -> bool {
        Self::command().get_arguments().any(|a| a.get_long() == Some(long) && a.get_action().takes_values())
    }
}

/// Parses aissh's own options. `--help` and `--version` come back as `Err` with status 0 and their text.
pub fn parse(own: &[OsString]) -> Result<Cli, Error> {
    let argv = std::iter::once(OsString::from("aissh")).chain(own.iter().cloned());
    Cli::try_parse_from(argv).map_err(|e| {
        use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};
        match e.kind() {
            DisplayHelp | DisplayVersion => Error::new(0, e.render().to_string()),
            // A wrong option where ssh was meant is an error of ssh's command line, and that is 255.
            _ if own.iter().any(is_mode) => usage(&e, status::USAGE),
            _ => usage(&e, status::SSH),
        }
    })
}

/// Whether an option belongs to a mode in which ssh has no part.
fn is_mode(option: &OsString) -> bool {
    let option = option.to_string_lossy();
    let is_door = ["--linus", "--mcp", "--stdio", "--no-token"].contains(&&*option);
    let begins = [
        "--ask",
        "--json",
        "--allow",
        "--risk",
        "--session",
        "--incident",
        "--login",
        "--logout",
        "--integration",
        "--schema",
        "--check",
        "--show-config",
        "--config-schema",
        "--completions",
        "--man",
        "--http",
        "--token",
    ];
    is_door || begins.iter().any(|mode| option.starts_with(mode))
}

fn usage(e: &clap::Error, status: u8) -> Error {
    let text = e.render().to_string();
    Error::new(status, text.trim_start_matches("error: ").trim_end())
}

/// The man page.
pub fn man_page() -> String {
    man::page()
}

/// The completion script for a shell.
pub fn completion_script(shell: Shell) -> String {
    let command = Cli::command();
    let described: Vec<(String, Option<String>, String)> = command
        .get_arguments()
        .filter_map(|a| {
            let help = a.get_help().map(ToString::to_string).unwrap_or_default();
            let choices: Vec<String> =
                a.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
            let name = a.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
            let value = if choices.is_empty() { name } else { Some(choices.join("|")) };
            Some((a.get_long()?.to_owned(), value.filter(|_| a.get_action().takes_values()), help))
        })
        .collect();
    let options: Vec<completions::Opt<'_>> = described
        .iter()
        .map(|(long, value, help)| completions::Opt { long, value: value.as_deref(), help })
        .collect();
    completions::script(shell, &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(words: &[&str]) -> Result<Cli, Error> {
        parse(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
        assert!(Cli::command().get_arguments().all(|a| a.get_short().is_none()), "single letters are ssh's");
    }

    #[test]
    fn an_unknown_option_names_itself_and_the_nearest() {
        let error = own(&["--sidebarr"]).expect_err("unknown");
        assert_eq!(error.status, 255);
        assert!(error.message.contains("--sidebarr") && error.message.contains("--sidebar'"), "{error}");
        assert_eq!(own(&["--ask", "x", "--jsn"]).expect_err("unknown").status, 64);
    }

    #[test]
    fn values_are_known_from_the_definition() {
        assert!(Cli::takes_value("linus-url") && Cli::takes_value("ask"));
        assert!(!Cli::takes_value("sidebar") && !Cli::takes_value("help") && !Cli::takes_value("nonsense"));
    }
}
