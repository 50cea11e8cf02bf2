//! Which Linus: the one at a URL, the one that is a command, or the built-in one in this process.

use crate::builtin;
use crate::config::Config;
use crate::error::{Error, status};
use crate::linus::contract::Request;
use crate::linus::helper::Helper;
use crate::linus::preview::Tap;
use crate::linus::service::Call;
use crate::linus::{
    Answer, Budgets, CallError, Canceller, Client, Command, HttpConfig, Local, Origin, Peer, Remembered,
    Server,
};
use crate::login;
use crate::private;
use crate::runbooks;
use crate::trust;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What the built-in Linus is called: he is no model, and says so.
const BUILT_IN: &str = "built-in (runbooks, no model)";

/// Who gets what is sent, where it leaves this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// What the consent and the waiting messages are bound to.
    pub origin: String,
    /// It leaves this machine: the user is asked first.
    pub is_remote: bool,
}

/// The Linus of this process. He is made when his first message comes, on the thread that brings it: reading his runbooks
/// and the user's takes longer than ssh takes to start.
#[derive(Default)]
pub struct Inside {
    server: OnceLock<builtin::server::Server>,
    watches: AtomicBool,
}

impl Inside {
    fn answer(
        &self,
        message: &Value,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Option<Value> {
        let server = self.server.get_or_init(runbooks::server);
        server.set_watch(self.watches.load(Ordering::Relaxed));
        server.answer(message, &mut Call { principal: "", client: "", cancel, on_progress })
    }
}

/// Where Linus is.
#[derive(Clone)]
pub enum Door {
    BuiltIn(Arc<Inside>),
    Http(Box<HttpConfig>),
    Command(Command),
}

impl Door {
    /// `--linus-url` first, then the configuration, else the built-in Linus. The address is checked here, once; a
    /// command is not started yet.
    pub fn choose(flag: Option<&str>, config: &Config) -> Result<Self, Error> {
        if let Some(command) = config.linus.command.as_ref().filter(|_| flag.is_none()) {
            let wrong = |what: &str| config.error_at(command, "command", what);
            if config.linus.url.is_some() {
                return Err(wrong(
                    "url is set as well, and Linus is either at a URL or a command: remove one",
                ));
            }
            let helper = Helper::new(command.get_ref(), &config.linus.command_env);
            let helper = helper.map_err(|e| wrong(&e.to_string()))?;
            let command = Command::new(helper, Budgets::default());
            return Ok(Self::Command(command.naming(config.linus.tools.clone())));
        }
        let url = flag.or(config.linus.url.as_ref().map(|url| url.get_ref().as_str()));
        let Some(url) = url else { return Ok(Self::inside()) };
        let mut http = HttpConfig::new(url);
        http.credentials = login::credentials(config, url)?;
        http.tls = trust::tls(config)?;
        http.tools = config.linus.tools.clone();
        if let Err(e) = Client::new(http.clone()) {
            let what = format!("{url}: {e}");
            return Err(match &config.linus.url {
                Some(value) if flag.is_none() => config.error_at(value, "url", &what),
                _ => Error::new(status::CONFIG, format!("--linus-url {what}")),
            });
        }
        Ok(Self::Http(Box::new(http)))
    }

    /// The Linus in this process: nothing leaves through it.
    pub fn inside() -> Self {
        Self::BuiltIn(Arc::default())
    }

    /// Whether the built-in Linus says unasked what he sees; another one decides for himself.
    pub fn set_watch(&self, is_on: bool) {
        if let Self::BuiltIn(inside) = self {
            inside.watches.store(is_on, Ordering::Relaxed);
        }
    }

    /// The same, with an eye on what goes through it.
    pub fn watched(self, tap: Tap) -> Self {
        match self {
            Self::BuiltIn(inside) => Self::BuiltIn(inside),
            Self::Http(mut http) => {
                http.tap = Some(tap);
                Self::Http(http)
            }
            Self::Command(command) => Self::Command(command.watched(tap)),
        }
    }

    /// `None` where nothing leaves this process.
    pub fn recipient(&self) -> Option<Recipient> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Http(http) => {
                // An address that cannot be read was refused by `choose`; should one come here, it is asked for.
                let unread = Origin { text: http.url.clone(), is_remote: true };
                let origin = Origin::of(&http.url).unwrap_or(unread);
                Some(Recipient { origin: origin.text, is_remote: origin.is_remote })
            }
            // A program of the user's own choice, on this machine.
            Self::Command(command) => {
                Some(Recipient { origin: format!("command:{}", command.key()), is_remote: false })
            }
        }
    }

    /// What Linus is called in the panel.
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(_) => BUILT_IN.to_owned(),
            Self::Http(http) => {
                let rest = http.url.split_once("://").map_or(http.url.as_str(), |(_, rest)| rest);
                rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
            }
            Self::Command(command) => format!("{} (command)", command.name()),
        }
    }

    /// A connection of its own: each lane has one. All built-in ones share one Linus, and so do those of a command.
    pub fn peer(&self) -> Box<dyn Peer> {
        match self {
            Self::BuiltIn(inside) => {
                let inside = Arc::clone(inside);
                Box::new(Local::new(
                    move |message: &Value, cancel: &Canceller, on_progress: &mut dyn FnMut(&str)| {
                        inside.answer(message, cancel, on_progress)
                    },
                ))
            }
            Self::Http(http) => match Client::new((**http).clone()) {
                Ok(client) => Box::new(client.remembering(remembered(&http.origin()))),
                Err(error) => Box::new(Closed(error)),
            },
            Self::Command(command) => Box::new(command.client().remembering(remembered(&command.key()))),
        }
    }

    /// Ends a command with what it was for.
    pub fn close(&self) {
        if let Self::Command(command) = self {
            command.close();
        }
    }
}

/// The era of a server, from earlier processes.
fn remembered(key: &str) -> Remembered {
    private::state_folder().map(|folder| Remembered::new(folder.join("mcp-eras"), key)).unwrap_or_default()
}

/// A door that does not open (no trust store, for one): every call says why.
struct Closed(CallError);

impl Peer for Closed {
    fn call(&mut self, _: &Request, _: &Canceller, _: &mut dyn FnMut(&str)) -> Result<Answer, CallError> {
        Err(self.0.clone())
    }

    fn probe(&mut self, _: &Canceller) -> Result<Server, CallError> {
        Err(self.0.clone())
    }
}
