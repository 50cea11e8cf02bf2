//! Every key of the configuration file: what its value is, whether a host may have its own, and what it means.
//!
//! The reference in the manual page, the JSON Schema, the search for misspelt keys and `--show-config` are made from
//! this table, and the defaults in them from `Config::default`; a test holds the table against the structs.

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its tables and its name: `linus.url`.
    pub path: &'static str,
    pub kind: Kind,
    /// Whether it may stand in a `[[host]]` section.
    pub by_host: bool,
    /// What it means, in sentences; words to be taken literally are in backquotes.
    pub help: &'static str,
}

/// What values a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A program and its arguments, or other words.
    List,
    /// `true` or `false`.
    Flag,
    /// A whole number within these bounds.
    Number(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Like `List`, with at least one.
    PrefixKeys,
}

/// The patterns of a `[[host]]` section, its only key that is needed.
pub const MATCH: &str = "match";
/// What `match` means.
pub const MATCH_HELP: &str = "Patterns as in ssh_config(5), for the name as given or as ssh resolved it: `*` and `?`, \
     `!` for exceptions, blanks between.";
/// What a section is for.
pub const HOST_HELP: &str = "A section for some hosts, which a key marked so may stand in. For each key the first section that fits and has it wins; what \
     none has is the file's general setting.";

const fn key(path: &'static str, kind: Kind, help: &'static str) -> Key {
    Key { path, kind, by_host: false, help }
}

const fn by_host(path: &'static str, kind: Kind, help: &'static str) -> Key {
    Key { path, kind, by_host: true, help }
}

/// All of them, in the order of the reference.
pub const KEYS: &[Key] = &[
    by_host(
        "linus.url",
        Kind::Text,
        "The address of Linus's MCP endpoint (Streamable HTTP). Without one the built-in Linus answers. Proxies are \
         taken from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, never for this machine. In a section for \
         some hosts it is chosen by the name as given, and such a Linus is shown nothing of the general token and \
         certificate: the section names its own.",
    ),
    key(
        "linus.command",
        Kind::List,
        "A Linus on standard input and output instead, as a list of program and arguments; no shell is involved. It \
         runs in a session of its own without a terminal, is started with the first message, and again when it has \
         ended. It ends with the ssh session: its input is closed, and 50 ms later its process group is killed.",
    ),
    key(
        "linus.command_env",
        Kind::List,
        "Names of environment variables that commands may see besides those for paths, locale, desktop, proxies and \
         certificates. The ssh agent's is never passed.",
    ),
    key(
        "linus.ca_file",
        Kind::Text,
        "A PEM file of the authorities that are trusted for the address, instead of the system's.",
    ),
    by_host(
        "linus.client_cert",
        Kind::Text,
        "A PEM file: the certificate that is shown to a server that asks for one. Needs `client_key`.",
    ),
    by_host("linus.client_key", Kind::Text, "A PEM file: the unencrypted key of `client_cert`."),
    by_host(
        "linus.token_env",
        Kind::Text,
        "The name of the environment variable that holds a bearer token for the address.",
    ),
    by_host(
        "linus.token_command",
        Kind::List,
        "A command that prints such a token on its first line, as a list of program and arguments: \
         `[\"pass\", \"show\", \"linus\"]`. It runs without a shell, in a session of its own without the terminal and \
         with a listed part of the environment; when a token is refused, once more.",
    ),
    by_host(
        "linus.token_keyring",
        Kind::Text,
        "The account under which the system's keyring has such a token, for the service aissh: `secret-tool store \
         --label=Linus service aissh account NAME`; on macOS `security add-generic-password -s aissh -a NAME -w`.",
    ),
    key(
        "linus.oauth.client_id",
        Kind::Text,
        "For `--login` at a server that does not register clients by itself: the id that aissh has there.",
    ),
    key(
        "linus.oauth.client_secret_env",
        Kind::Text,
        "The environment variable that holds that client's secret, if it has one.",
    ),
    key(
        "linus.oauth.client_metadata_url",
        Kind::Text,
        "The address of a client ID metadata document for aissh.",
    ),
    key(
        "linus.oauth.redirect_port",
        Kind::Number(0, 65535),
        "The port of the redirect address `http://127.0.0.1:PORT/callback`, where the server compares it. Without it \
         one that is free.",
    ),
    key(
        "linus.tools.chat",
        Kind::Text,
        "What the tool `linus_chat` is called on your Linus, where otherwise. The only tool of a server that takes a \
         `type` gets all messages.",
    ),
    key("linus.tools.terminal_update", Kind::Text, "The same of `linus_terminal_update`."),
    key("linus.tools.command_executed", Kind::Text, "The same of `linus_command_executed`."),
    key("linus.tools.session_state", Kind::Text, "The same of `linus_session_state`."),
    key(
        "linus.tail_lines",
        Kind::Number(1, 1000),
        "How many lines of the terminal Linus is told; 64 KiB at most, the middle is cut out then.",
    ),
    key("linus.tail_sgr", Kind::Flag, "`false` leaves out their colours and attributes."),
    by_host(
        "linus.updates",
        Kind::Choice(&["on", "off", "ask"]),
        "What a Linus outside of this process is told without being asked: output, commands and the session's \
         beginning and end. `on`: all of it; `off`: nothing; `ask`: nothing before the prefix and `p` in each session. \
         What the user asks goes in any case, with the screen.",
    ),
    by_host(
        "linus.watch",
        Kind::Flag,
        "Whether the built-in Linus says unasked, in one line, what he sees (\"/var is 98 % full …\"): at most once a \
         minute, and once for each subject. `be quiet` in the chat ends it for the session.",
    ),
    key(
        "keys.prefix",
        Kind::PrefixKeys,
        "The prefix keys: `C-` and a letter or one of `\\ ] ^ _`, or `F1` to `F12`.",
    ),
    key(
        "panel.mode",
        Kind::Choice(&["auto", "split", "overlay"]),
        "`split` makes ssh's terminal smaller, `overlay` covers a part of it; `auto` splits from 110 columns on, at the \
         bottom from 36 rows on. Below 60 columns the panel has the whole screen while it has the keys.",
    ),
    key(
        "panel.position",
        Kind::Choice(&["right", "left", "bottom"]),
        "The side that the panel is on. Without it as it was last, and the right at first.",
    ),
    key(
        "panel.plain",
        Kind::Flag,
        "`true` is `--plain`: no panel, but a dialogue in lines on the prefix key, for screen readers and braille.",
    ),
    key(
        "panel.theme",
        Kind::Choice(&["auto", "dark", "light", "none"]),
        "The colours of the panel, by the background that they are read on; `none` has none, and so has everything with \
         `NO_COLOR` set. `auto` goes by `COLORFGBG`; without it, colours that can be read on either background.",
    ),
    key(
        "panel.width",
        Kind::Number(0, 65535),
        "Columns of a panel at a side. Without it as they were last, at first a share of the terminal's.",
    ),
    key("panel.height", Kind::Number(0, 65535), "Rows of a panel at the bottom, in the same way."),
    key(
        "panel.mouse",
        Kind::Flag,
        "Whether the mouse is read while the panel is drawn. In the terminal's pane it is the remote's, if that asked for \
         it. With Shift it is your own terminal's in any case.",
    ),
    key(
        "panel.alternate_screen",
        Kind::Flag,
        "Whether your terminal has an alternate screen. Without it: not within GNU screen, and not where `TERM` is \
         `linux`, `vt220` or the like. Without one, closing the panel paints the session's screen anew; what stood above \
         the session is not there any more.",
    ),
    key("panel.scrollback", Kind::Number(1, 1024), "MiB of lines that are kept for looking back."),
    by_host(
        "policy.mode",
        Kind::Choice(&["suggest", "confirm"]),
        "What Enter on a card does: `suggest` puts it on the remote's line and does not enter it, `confirm` sends it. \
         Auto is no setting: it is turned on inside a session, by the prefix, `m`, and a typed word. Then Linus's own \
         cards of low risk are sent without a key, each after it was shown for two seconds, at prompts with the marks \
         of this session's shell integration, while the panel is open, until the first surprise.",
    ),
    key("policy.chain_limit", Kind::Number(1, 20), "Commands that auto sends in a row."),
    by_host(
        "integration.offer",
        Kind::Flag,
        "`false` keeps aissh from saying, once in a session, that there is a shell integration where a shell tells no \
         exit status.",
    ),
    by_host(
        "health.watch",
        Kind::Flag,
        "`true` turns host health on when a session begins, as the prefix and `h` do: over a connection that you share \
         already, else aissh asks for another login first. It reads load, memory and disks of the host, and writes \
         nothing there.",
    ),
    by_host("health.interval", Kind::Number(2, 3600), "Seconds between two looks at the host."),
    by_host(
        "health.cpu",
        Kind::Number(1, 100),
        "Percent of all processors from which on an alert is raised: once, until it has clearly fallen again.",
    ),
    by_host("health.mem", Kind::Number(1, 100), "The same of the memory that is not available any more."),
    by_host("health.disk", Kind::Number(1, 100), "The same of each local disk, and of its inodes."),
    key(
        "redact.patterns",
        Kind::List,
        "Regular expressions of your own secrets, for one line each; what they match, or their first group, is \
         replaced by a placeholder before anything goes to Linus.",
    ),
    key("redact.private_ips", Kind::Flag, "`true` does the same with private addresses."),
    key("redact.email", Kind::Flag, "`true` does the same with mail addresses."),
    key("redact.hostnames", Kind::Flag, "`true` does the same with names of hosts."),
    key("record.audit", Kind::Flag, "`false` leaves no audit log."),
    by_host(
        "agents.share",
        Kind::Choice(&["ask", "always", "never"]),
        "Whether other agents (`--mcp`) see a session: `ask`: once the user has shared it, by the prefix and `A`; \
         `always`: from its beginning; `never`: not even then. Before that they learn that it is there, its host, user and \
         state, and no more. They see its output without secrets, and can propose; they cannot type.",
    ),
    key(
        "serve.hosts",
        Kind::List,
        "For `--http`: names, with or without a port, that a request's `Host` may have besides this machine's own, where \
         a reverse proxy passes it on: `[\"linus.example.com\"]`.",
    ),
    key(
        "serve.origins",
        Kind::List,
        "Origins that a browser's request may come from: `[\"https://tools.example.com:443\"]`. Without it none but \
         the door's own on loopback; clients that are no browsers send no `Origin`.",
    ),
];

impl Key {
    /// Its name without the tables.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// Its tables: `linus.oauth`.
    pub fn table(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }
}

impl Kind {
    /// In words, for the reference.
    pub fn words(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::List => "a list of texts".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Number(0, most) => format!("a number up to {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                quoted.join(" or ")
            }
            Self::PrefixKeys => "a list of keys, at least one".to_owned(),
        }
    }
}

/// The key of this path.
pub(super) fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// Whether some key is in the table of this path, or below it.
pub(super) fn is_table(path: &str) -> bool {
    KEYS.iter().any(|key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// What was perhaps meant by a path that is no key and no table: the nearest name in the same table, else that of a
/// table, else that of a key in another one.
pub(super) fn nearest(path: &str) -> Option<&'static str> {
    let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
    let beside = KEYS.iter().filter(|key| key.table() == table).map(|key| key.path);
    let elsewhere = KEYS.iter().map(|key| key.path);
    near(name, beside).or_else(|| near(name, KEYS.iter().map(Key::table))).or_else(|| near(name, elsewhere))
}

/// The path whose last part is nearest to the name: of three letters one may be wrong.
fn near(name: &str, paths: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let distance = |path: &&str| strsim::osa_distance(name, path.rsplit('.').next().unwrap_or(path));
    paths.filter(|path| distance(path) <= (name.len() / 3).max(1)).min_by_key(distance)
}
