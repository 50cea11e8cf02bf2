//! Settings: defaults, then the file, then the command line; resolved in [`Config::load`] and nowhere else.
//!
//! `keys` says what the keys mean, `values` what some of them take, `written` where a file has them, `hosts` what some
//! hosts have of their own; `schema` and `shown` print them.

mod health;
mod hosts;
pub mod keys;
mod looks;
mod schema;
mod shown;
mod values;
mod written;

use crate::copilot::policy::{ChainLimit, StartMode};
use crate::error::{Error, status};
use crate::linus::redact;
use crate::linus::{ToolNames, Updates};
use crate::ui::Position;
use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::DeTable;

pub use health::HealthConfig;
pub use hosts::HostConfig;
pub use looks::{colours, has_alternate_screen, has_utf8, theme, wants_colour};
pub use schema::{defaults, schema, value_of};
pub use shown::{Flags, Origin, Setting, json, text};
pub use values::{PanelMode, PanelTheme, PrefixKey, Scrollback, Share, TailLines};
use values::{at_least_one, usable};
use written::{Complaint, Written, line_of};

/// Larger is not a configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// The configuration file as it is written. Unknown keys are errors: a misspelt setting must not be silent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub linus: LinusConfig,
    pub keys: KeysConfig,
    pub panel: PanelConfig,
    pub integration: IntegrationConfig,
    pub redact: RedactConfig,
    pub policy: PolicyConfig,
    pub health: HealthConfig,
    /// Sections for some hosts only, in the order of the file.
    #[serde(rename = "host", skip_serializing)]
    pub hosts: Vec<HostConfig>,
    pub record: RecordConfig,
    pub agents: AgentsConfig,
    pub serve: ServeConfig,
    /// Where it was read from, and its text: errors found later name the line.
    #[serde(skip)]
    source: Option<(PathBuf, String)>,
    #[serde(skip)]
    written: Written,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinusConfig {
    /// MCP endpoint. Without one the built-in Linus answers inside the process.
    pub url: Option<Spanned<String>>,
    /// A Linus on stdio instead: the program and its arguments, run as they are, not by a shell.
    pub command: Option<Spanned<Vec<String>>>,
    /// Names of further environment variables that commands may see.
    pub command_env: Vec<String>,
    /// PEM file of the authorities that are trusted for `url`, instead of the system's.
    pub ca_file: Option<Spanned<String>>,
    /// PEM file of the certificate that is shown to `url`, and the file of its key.
    pub client_cert: Option<Spanned<String>>,
    pub client_key: Option<Spanned<String>>,
    /// Name of the environment variable that holds a bearer token for `url`.
    pub token_env: Option<Spanned<String>>,
    /// A command that prints such a token: the program and its arguments.
    pub token_command: Option<Spanned<Vec<String>>>,
    /// The account under which the system's keyring has such a token.
    pub token_keyring: Option<Spanned<String>>,
    pub oauth: OAuthConfig,
    /// What the contract's tools are called there, where they are called otherwise.
    pub tools: ToolNames,
    /// Lines of the terminal that he is told.
    pub tail_lines: TailLines,
    /// Whether with colours and attributes.
    pub tail_sgr: bool,
    /// Whether a Linus outside of this process is told what happens without being asked.
    pub updates: Updates,
    /// Whether the built-in Linus says without being asked what he sees on the terminal.
    pub watch: bool,
}

impl Default for LinusConfig {
    fn default() -> Self {
        let tail_lines = TailLines(100);
        Self {
            url: None,
            command: None,
            command_env: Vec::new(),
            ca_file: None,
            client_cert: None,
            client_key: None,
            token_env: None,
            token_command: None,
            token_keyring: None,
            oauth: OAuthConfig::default(),
            tools: ToolNames::default(),
            tail_lines,
            tail_sgr: true,
            updates: Updates::On,
            watch: true,
        }
    }
}

/// What `--login` needs where the authorization server does not register clients by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OAuthConfig {
    pub client_id: Option<String>,
    /// Name of the environment variable that holds the client's secret, if it has one.
    pub client_secret_env: Option<Spanned<String>>,
    /// Address of a client ID metadata document for aissh.
    pub client_metadata_url: Option<Spanned<String>>,
    /// The port of the redirect address, if the client was registered with one.
    pub redirect_port: Option<u16>,
}

/// How a card gets to the remote. Auto cannot be said here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    pub mode: StartMode,
    /// Commands that auto may send in a row.
    pub chain_limit: ChainLimit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeysConfig {
    /// The prefix keys: `C-\`, `C-x`, `F1` to `F12`; at least one.
    #[serde(deserialize_with = "at_least_one")]
    pub prefix: Vec<PrefixKey>,
}

impl Default for KeysConfig {
    fn default() -> Self {
        let key = |name: &str| PrefixKey::try_from(name.to_owned()).ok();
        Self { prefix: ["C-\\", "F12"].into_iter().filter_map(key).collect() }
    }
}

impl KeysConfig {
    /// The first prefix as people call it: `Ctrl-\`.
    pub fn name(&self) -> String {
        self.prefix.first().map(|key| key.name.replace("C-", "Ctrl-")).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PanelConfig {
    pub mode: PanelMode,
    pub theme: PanelTheme,
    /// No panel but a dialogue in lines.
    pub plain: bool,
    /// Where it was last, when absent; the right at first.
    pub position: Option<Position>,
    /// Columns of a panel at a side; chosen from the terminal's width when absent.
    pub width: Option<u16>,
    /// Rows of one at the bottom, in the same way.
    pub height: Option<u16>,
    /// Whether the mouse works in both panes while the panel is drawn.
    pub mouse: bool,
    /// Whether the terminal has an alternate screen; found out from the environment when absent.
    pub alternate_screen: Option<bool>,
    /// What is kept of the lines that have left the screen.
    pub scrollback: Scrollback,
}

impl Default for PanelConfig {
    fn default() -> Self {
        Self {
            mode: PanelMode::default(),
            theme: PanelTheme::default(),
            plain: false,
            position: None,
            width: None,
            height: None,
            mouse: true,
            alternate_screen: None,
            scrollback: Scrollback::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IntegrationConfig {
    /// Whether a session says that there is a shell integration where a shell tells no exit statuses. It is never
    /// typed without the key.
    pub offer: bool,
}

impl Default for IntegrationConfig {
    fn default() -> Self {
        Self { offer: true }
    }
}

/// What is kept out of everything that leaves, besides passwords, keys and tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedactConfig {
    pub private_ips: bool,
    pub email: bool,
    pub hostnames: bool,
    /// Regular expressions of the user's own, for one line each.
    #[serde(deserialize_with = "usable")]
    pub patterns: Vec<String>,
}

impl RedactConfig {
    pub fn options(&self) -> redact::Options {
        redact::Options {
            addresses: self.private_ips,
            mail: self.email,
            hostnames: self.hostnames,
            patterns: self.patterns.clone(),
            ..redact::Options::default()
        }
    }
}

/// Other agents, and what they may see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentsConfig {
    pub share: Share,
}

/// The HTTP doors of `--linus` and `--mcp` behind a reverse proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeConfig {
    pub hosts: Vec<String>,
    pub origins: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordConfig {
    /// Whether a session in which Linus has a part leaves an audit log.
    pub audit: bool,
}

impl Default for RecordConfig {
    fn default() -> Self {
        Self { audit: true }
    }
}

impl Config {
    /// Reads `file`, else the user's own file if there is one. A file named on purpose must exist.
    pub fn load(file: Option<&Path>) -> Result<Self, Error> {
        let (path, must_exist) = match file {
            Some(path) => (path.to_owned(), true),
            None => match usual_path() {
                Some(path) => (path, false),
                None => return Ok(Self::default()),
            },
        };
        let bad = |what: String| Error::new(status::CONFIG, format!("{}: {what}", path.display()));
        match read(&path) {
            Ok(text) => match Self::parse(&text) {
                Ok(config) => Ok(Self { source: Some((path, text)), ..config }),
                Err(complaint) => Err(bad(complaint.to_string())),
            },
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && !must_exist => Ok(Self::default()),
            Err(e) => Err(bad(e.to_string())),
        }
    }

    /// The file that it was read from.
    pub fn file(&self) -> Option<&Path> {
        self.source.as_ref().map(|(path, _)| path.as_path())
    }

    /// An error in a value that parsed, with its place in the file.
    pub fn error_at<T>(&self, value: &Spanned<T>, key: &str, message: &str) -> Error {
        self.error_spanned(value.span(), key, message)
    }

    /// The same for the place alone.
    pub fn error_spanned(&self, span: Range<usize>, key: &str, message: &str) -> Error {
        let place = match &self.source {
            Some((path, text)) => {
                let line = line_of(text, span.start);
                format!("{}: line {line}: {key}: ", path.display())
            }
            None => format!("{key}: "),
        };
        Error::new(status::CONFIG, format!("{place}{message}"))
    }

    /// As if it had been read from a file.
    #[cfg(test)]
    pub(crate) fn from_text(text: &str) -> Result<Self, String> {
        let config = Self::parse(text).map_err(|e| e.to_string())?;
        Ok(Self { source: Some((PathBuf::from("config.toml"), text.to_owned())), ..config })
    }

    fn parse(text: &str) -> Result<Self, Complaint> {
        let table = DeTable::parse(text).map_err(|e| complaint(text, None, &e))?;
        let written = Written::read(table.get_ref(), text)?;
        let config = Self::deserialize(toml::Deserializer::from(table));
        let config = config.map_err(|e| complaint(text, Some(&written), &e))?;
        let config = Self { written, ..config };
        match config.hosts.iter().find_map(HostConfig::token_without_url) {
            Some((at, key)) => Err(Complaint {
                line: line_of(text, at.start),
                key: Some(key.to_owned()),
                message: "a section's credentials are for its own linus.url, and it has none".to_owned(),
            }),
            None => Ok(config),
        }
    }
}

/// What the parser has to say, with the key by its whole name where that is known.
fn complaint(text: &str, written: Option<&Written>, e: &toml::de::Error) -> Complaint {
    let line = line_of(text, e.span().map_or(0, |s| s.start));
    let in_file = text.lines().nth(line - 1).unwrap_or_default();
    let as_written = || in_file.split_once('=').map(|(key, _)| key.trim().to_owned());
    let key = written.and_then(|written| written.key_on(line)).map(str::to_owned).or_else(as_written);
    // What a width may be, in words that are not Rust's.
    let message = e.message().replace('\n', " ").replace("expected u16", "expected a number up to 65535");
    Complaint { line, key, message }
}

/// `config.toml` in the platform's configuration folder for aissh.
pub fn usual_path() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "aissh").map(|dirs| dirs.config_dir().join("config.toml"))
}

/// A text file of a size that a person writes.
pub(crate) fn read(path: &Path) -> std::io::Result<String> {
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;
    let mut text = String::new();
    // Opening a FIFO would wait for somebody to write into it, and reading a device may never end.
    let flags = (OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits();
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(std::io::Error::other("larger than 1 MiB"));
    }
    Ok(text)
}

/// The folder of the user's runbooks, beside the usual configuration.
pub(crate) fn runbooks_folder() -> Option<PathBuf> {
    usual_path().map(|path| path.with_file_name("runbooks"))
}

/// The file of the tokens that open the HTTP door of `--linus` or `--mcp`, there too.
pub(crate) fn tokens_file(door: &str) -> Option<PathBuf> {
    usual_path().map(|path| path.with_file_name(format!("tokens-{door}")))
}

#[cfg(test)]
mod tests;
