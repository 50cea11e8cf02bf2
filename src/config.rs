//! Settings: defaults, then the file, then the command line; resolved in [`Config::load`] and nowhere else.

use crate::copilot::policy::{ChainLimit, StartMode};
use crate::error::{Error, status};
use crate::linus::redact;
use crate::linus::{ToolNames, Updates};
use crate::ssh::Patterns;
use serde::Deserialize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Larger is not a configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// The configuration file as it is written. Unknown keys are errors: a misspelt setting must not be silent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub linus: LinusConfig,
    pub keys: KeysConfig,
    pub panel: PanelConfig,
    pub integration: IntegrationConfig,
    pub redact: RedactConfig,
    pub policy: PolicyConfig,
    /// Sections for some hosts only, in the order of the file.
    #[serde(rename = "host")]
    pub hosts: Vec<HostConfig>,
    pub record: RecordConfig,
    /// Where it was read from, and its text: errors found later name the line.
    #[serde(skip)]
    source: Option<(PathBuf, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
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

/// One `[[host]]` section. As in ssh_config(5), for each key the first section that fits the host and has it wins; what
/// no section has is the file's general setting.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostConfig {
    /// Patterns that the host must fit, by the name it was given or the one that ssh resolved it to.
    #[serde(rename = "match", deserialize_with = "patterns")]
    pub patterns: Patterns,
    #[serde(default)]
    pub linus: HostLinusConfig,
    #[serde(default)]
    pub policy: HostPolicyConfig,
}

/// What of `[linus]` a host may have of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostLinusConfig {
    pub updates: Option<Updates>,
    pub watch: Option<bool>,
}

/// How a card gets to the remote. Auto cannot be said here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    pub mode: StartMode,
    /// Commands that auto may send in a row.
    pub chain_limit: ChainLimit,
}

/// What of `[policy]` a host may have of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostPolicyConfig {
    pub mode: Option<StartMode>,
}

fn patterns<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Patterns, D::Error> {
    Patterns::try_from(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// A number of lines from 1 to 1000: more do not fit into a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u16")]
pub struct TailLines(pub u16);

impl TryFrom<u16> for TailLines {
    type Error = String;

    fn try_from(lines: u16) -> Result<Self, String> {
        if (1..=1000).contains(&lines) { Ok(Self(lines)) } else { Err("from 1 to 1000 lines".to_owned()) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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

fn at_least_one<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<PrefixKey>, D::Error> {
    let keys = Vec::<PrefixKey>::deserialize(deserializer)?;
    if keys.is_empty() {
        return Err(serde::de::Error::custom(
            "without a prefix key the panel cannot be opened: name at least one",
        ));
    }
    Ok(keys)
}

/// Where the panel goes when it opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanelMode {
    /// Split from 110 columns on, overlay below.
    #[default]
    Auto,
    /// ssh's terminal becomes narrower.
    Split,
    /// The panel covers the right part; ssh's terminal keeps its size.
    Overlay,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PanelConfig {
    pub mode: PanelMode,
    /// Columns; chosen from the terminal's width when absent.
    pub width: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
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

fn usable<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let patterns = Vec::<String>::deserialize(deserializer)?;
    let options = redact::Options { patterns, ..redact::Options::default() };
    options.check().map_err(serde::de::Error::custom)?;
    Ok(options.patterns)
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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

/// One prefix key as the bytes that a terminal sends for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PrefixKey {
    /// As the configuration writes it.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl TryFrom<String> for PrefixKey {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        /// F1 to F12 as xterm sends them (ctlseqs, PC-style function keys).
        const FUNCTION: [&[u8]; 12] = [
            b"\x1bOP",
            b"\x1bOQ",
            b"\x1bOR",
            b"\x1bOS",
            b"\x1b[15~",
            b"\x1b[17~",
            b"\x1b[18~",
            b"\x1b[19~",
            b"\x1b[20~",
            b"\x1b[21~",
            b"\x1b[23~",
            b"\x1b[24~",
        ];
        let function = name.strip_prefix('F').and_then(|n| n.parse::<usize>().ok()?.checked_sub(1));
        if let Some(bytes) = function.and_then(|i| FUNCTION.get(i)) {
            return Ok(Self { bytes: bytes.to_vec(), name });
        }
        match name.strip_prefix("C-").map(str::as_bytes) {
            // Escape, Enter and Tab are C-[, C-m and C-i: as a prefix they would take the keyboard away.
            Some([b'[' | b'm' | b'M' | b'i' | b'I']) => {}
            Some([c @ (b'a'..=b'z' | b'A'..=b'Z' | b'\\' | b']' | b'^' | b'_')]) => {
                return Ok(Self { bytes: vec![c & 0x1f], name });
            }
            _ => {}
        }
        Err(format!("'{name}' is no prefix key: use C- and a letter or one of \\ ] ^ _, or F1 to F12"))
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

    /// `linus.updates` for the host of these names.
    pub fn updates(&self, names: &[&str]) -> Updates {
        self.of_host(names, |host| host.linus.updates).unwrap_or(self.linus.updates)
    }

    /// `linus.watch` for the host of these names.
    pub fn watch(&self, names: &[&str]) -> bool {
        self.of_host(names, |host| host.linus.watch).unwrap_or(self.linus.watch)
    }

    /// What the first section says that fits the host and says anything.
    /// The mode that a session on the host with these names begins in.
    pub fn start_mode(&self, names: &[&str]) -> StartMode {
        self.of_host(names, |host| host.policy.mode).unwrap_or(self.policy.mode)
    }

    fn of_host<T>(&self, names: &[&str], get: impl Fn(&HostConfig) -> Option<T>) -> Option<T> {
        self.hosts.iter().filter(|host| host.patterns.fit(names)).find_map(get)
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
        toml::from_str(text).map_err(|e| {
            let line = line_of(text, e.span().map_or(0, |s| s.start));
            let written = text.lines().nth(line - 1).unwrap_or_default();
            let key = written.split_once('=').map(|(key, _)| key.trim().to_owned());
            // What a width may be, in words that are not Rust's.
            let message =
                e.message().replace('\n', " ").replace("expected u16", "expected a number up to 65535");
            Complaint { line, key, message }
        })
    }
}

/// The line, from 1, of a byte of the text.
fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

/// What is wrong with a file, and where.
#[derive(Debug, PartialEq, Eq)]
struct Complaint {
    line: usize,
    key: Option<String>,
    message: String,
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = self.key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        write!(f, "line {}: {key}{}", self.line, self.message)
    }
}

/// `config.toml` in the platform's configuration folder for aissh.
pub fn usual_path() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "aissh").map(|dirs| dirs.config_dir().join("config.toml"))
}

/// A text file of a size that a person writes.
pub(crate) fn read(path: &Path) -> std::io::Result<String> {
    use std::io::Read;
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    // Not a FIFO or a device: opening one is harmless, reading it may never end.
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

/// Whether the user has not turned colours off (`NO_COLOR`, no-color.org).
pub fn wants_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests;
