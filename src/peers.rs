//! Which Linus: the one at a URL, or the built-in one in this process.

use crate::builtin;
use crate::config::Config;
use crate::error::{Error, status};
use crate::linus::contract::Request;
use crate::linus::{Answer, CallError, Canceller, Client, HttpConfig, Local, Peer, Secret, Server};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What the built-in Linus is called: he is no model, and says so.
const BUILT_IN: &str = "built-in (runbooks, no model)";

/// Where Linus is.
#[derive(Clone)]
pub enum Door {
    BuiltIn(Arc<Mutex<builtin::server::Server>>),
    Http(Box<HttpConfig>),
}

impl Door {
    /// `--linus-url` first, then the configuration, else the built-in Linus. The address is checked here, once.
    pub fn choose(flag: Option<&str>, config: &Config) -> Result<Self, Error> {
        let url = flag.or(config.linus.url.as_ref().map(|url| url.get_ref().as_str()));
        let Some(url) = url else { return Ok(Self::BuiltIn(Arc::default())) };
        let mut http = HttpConfig::new(url);
        if let Some(name) = &config.linus.token_env {
            let token = std::env::var(name.get_ref())
                .map_err(|e| config.error_at(name, "token_env", &format!("{}: {e}", name.get_ref())))?;
            http.bearer = Some(Secret::new(token));
        }
        if let Err(e) = Client::new(http.clone()) {
            let what = format!("{url}: {e}");
            return Err(match &config.linus.url {
                Some(value) if flag.is_none() => config.error_at(value, "url", &what),
                _ => Error::new(status::CONFIG, format!("--linus-url {what}")),
            });
        }
        Ok(Self::Http(Box::new(http)))
    }

    /// Whether nothing leaves this process through it.
    pub fn is_inside(&self) -> bool {
        matches!(self, Self::BuiltIn(_))
    }

    /// What Linus is called in the panel.
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(_) => BUILT_IN.to_owned(),
            Self::Http(http) => {
                let rest = http.url.split_once("://").map_or(http.url.as_str(), |(_, rest)| rest);
                rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
            }
        }
    }

    /// A connection of its own: each lane has one. All built-in ones share one Linus.
    pub fn peer(&self) -> Box<dyn Peer> {
        match self {
            Self::BuiltIn(server) => {
                let server = Arc::clone(server);
                Box::new(Local::new(move |message: &Value| {
                    server.lock().unwrap_or_else(PoisonError::into_inner).answer(message)
                }))
            }
            Self::Http(http) => match Client::new((**http).clone()) {
                Ok(client) => Box::new(client),
                Err(error) => Box::new(Closed(error)),
            },
        }
    }
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
