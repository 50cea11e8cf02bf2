//! MCP above a transport: what is agreed on with a server, and calling its tools.
//!
//! The era is found once and kept, in memory and by origin on disk; an answer that contradicts it makes the next call
//! look again. A lost session is begun anew once a call. Nothing here knows of HTTP or of pipes.

mod call;
mod common;
mod handshake;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::call_error::CallError;
use super::cancel::Canceller;
use super::contract::{Request, TOOLS};
use super::eras::Remembered;
use super::forms::ToolNames;
use super::peer::{Answer, Asked, Offers, Peer, Server, Transport};
use super::reply;

pub(crate) use common::Common;
use common::Connected;

/// 2026-07-28: the headers do not say what the body says.
const HEADER_MISMATCH: i64 = -32020;
/// 2026-07-28: a client capability is needed that we do not have.
const MISSING_CAPABILITY: i64 = -32021;
/// 2026-07-28: the server does not speak the revision.
const UNSUPPORTED_VERSION: i64 = -32022;

/// The times that whole exchanges may take.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    /// `server/discover`: a legacy server may not answer it at all, and nobody wants to wait for that.
    pub probe: Duration,
    /// Each message of the handshake.
    pub connect: Duration,
    /// A `tools/call`.
    pub call: Duration,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            // The SDKs take 10 s; a user who waits for a first answer should not.
            probe: Duration::from_secs(4),
            connect: Duration::from_secs(15),
            // Models on small machines think for minutes.
            call: Duration::from_secs(600),
        }
    }
}

/// An MCP client over any transport.
pub struct Mcp<T> {
    transport: T,
    budgets: Budgets,
    common: Arc<Common>,
    remembered: Remembered,
    offers: Option<Asked>,
    names: ToolNames,
}

impl<T: Transport> Mcp<T> {
    pub(crate) fn over(transport: T, budgets: Budgets) -> Self {
        Self::sharing(transport, budgets, Arc::default())
    }

    /// One that shares its ids and what was agreed on with the others of `common`: they talk to one process.
    pub(crate) fn sharing(transport: T, budgets: Budgets, common: Arc<Common>) -> Self {
        Self {
            transport,
            budgets,
            common,
            remembered: Remembered::default(),
            offers: None,
            names: ToolNames::default(),
        }
    }

    /// Keeps the era of the server in `remembered`.
    #[must_use]
    pub fn remembering(mut self, remembered: Remembered) -> Self {
        self.remembered = remembered;
        self
    }

    /// The server's names for the contract's tools.
    #[must_use]
    pub fn naming(mut self, names: ToolNames) -> Self {
        self.names = names;
        self
    }

    /// Answers what the server asks in the middle of a call. Without this nothing is offered.
    #[must_use]
    pub fn offering(mut self, offers: impl Offers + 'static) -> Self {
        self.offers = Some(Asked::new(offers));
        self
    }

    /// Finds the era, shakes hands and lists the tools, unless that was done.
    pub fn connect(&mut self, cancel: &Canceller) -> Result<Server, CallError> {
        Ok(self.connected(cancel)?.server.clone())
    }

    /// The tools that may be called, by name, with their input schemas; none before it is connected.
    pub fn tools(&self) -> Vec<(String, Value)> {
        let connected = self.common.connected(self.transport.epoch());
        connected.map(|connected| connected.tools.all()).unwrap_or_default()
    }

    /// Calls a tool of any name; the result as it came, with `isError` and all.
    pub fn call_tool(
        &mut self,
        name: &str,
        arguments: Map<String, Value>,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Value, CallError> {
        self.connected(cancel).map_err(before_sending)?;
        self.invoke(name, arguments, false, cancel, on_progress)
    }

    fn capabilities(&self) -> Value {
        self.offers.as_ref().map_or_else(|| json!({}), Asked::capabilities)
    }
}

impl<T: Transport> Peer for Mcp<T> {
    fn call(
        &mut self,
        request: &Request,
        cancel: &Canceller,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Answer, CallError> {
        let connected = self.connected(cancel).map_err(before_sending)?;
        can_chat(&connected).map_err(before_sending)?;
        let takes = connected.server.takes;
        // What a server has no tool for it is not told; only the chat must be.
        let Some((tool, arguments)) = connected.tools.message(request) else {
            return Ok(Answer { takes, ..Answer::default() });
        };
        let is_chat = matches!(request, Request::Chat { .. });
        let result = self.invoke(&tool, arguments, is_chat, cancel, on_progress)?;
        let is_asked = !matches!(request, Request::TerminalUpdate { .. });
        Ok(Answer { takes, ..reply::read(&result, is_asked)? })
    }

    fn probe(&mut self, cancel: &Canceller) -> Result<Server, CallError> {
        if !self.transport.is_process() {
            self.common.disconnect();
            return self.linus(cancel);
        }
        // What lives keeps what it knows; what does not answer is ended, and begun anew by the next.
        let server = self.linus(cancel)?;
        let listed = self.list_tools(server.revision, cancel);
        listed.inspect_err(|_| self.transport.abandon())?;
        Ok(server)
    }
}

impl<T: Transport> Mcp<T> {
    /// Connects, and it must be a Linus.
    fn linus(&mut self, cancel: &Canceller) -> Result<Server, CallError> {
        let connected = self.connected(cancel)?;
        can_chat(&connected)?;
        Ok(connected.server.clone())
    }
}

/// Without the chat a server is no Linus; the tools that it does have say what it is instead.
fn can_chat(connected: &Connected) -> Result<(), CallError> {
    let chat = TOOLS[0];
    if !connected.server.missing.contains(&chat) {
        return Ok(());
    }
    let name = connected.tools.name_of(chat);
    let text = match connected.tools.refused(name) {
        Some(why) => format!("the server's {name} cannot be called: {why}"),
        None => format!("the server has no {name}; {}", connected.tools.in_words()),
    };
    Err(CallError::protocol(text))
}

/// A failed handshake means that the message itself never left.
fn before_sending(error: CallError) -> CallError {
    match error {
        CallError::Unreachable(_) | CallError::Auth(_) | CallError::Cancelled | CallError::Withheld(_) => {
            error
        }
        CallError::Lost(text) | CallError::Protocol(text) | CallError::Tool(text) => {
            CallError::Unreachable(text)
        }
        CallError::Timeout => CallError::unreachable("no answer to the handshake in time"),
        CallError::Http(status) => CallError::unreachable(format!("HTTP {status} to the handshake")),
    }
}
