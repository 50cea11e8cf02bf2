//! Getting to know a server: the era, `initialize` where it is of the legacy one, and its tools.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::common::Connected;
use super::{HEADER_MISMATCH, MISSING_CAPABILITY, Mcp, UNSUPPORTED_VERSION};
use crate::linus::call_error::{CallError, one_line};
use crate::linus::cancel::Canceller;
use crate::linus::jsonrpc::{self, ErrorObject};
use crate::linus::peer::{Deaf, Failure, Post, Posted, Server, Transport};
use crate::linus::revision::{Era, Revision};
use crate::linus::tools::Tools;

/// Pages of `tools/list` read at most: a server with more tools than this is looping.
const PAGES_LIMIT: usize = 64;

/// What a server is said to be, by itself.
struct Discovered {
    is_modern: bool,
    name: String,
    /// It was refused for want of a token; what else was asked may be allowed all the same.
    denied: Option<CallError>,
}

impl<T: Transport> Mcp<T> {
    /// The handshake that holds, or a new one.
    pub(super) fn connected(&mut self, cancel: &Canceller) -> Result<Arc<Connected>, CallError> {
        let common = Arc::clone(&self.common);
        let _turn = common.turn(cancel)?;
        if let Some(connected) = common.connected(self.transport.epoch()) {
            return Ok(connected);
        }
        let connected = self.shake_hands(cancel).inspect_err(|_| {
            if self.transport.is_process() {
                self.transport.abandon();
            }
        })?;
        let connected = Arc::new(connected);
        common.agree(&connected);
        self.remembered.set(Some(connected.server.revision.era()));
        Ok(connected)
    }

    /// As the server was known to be; if that fails, as it is.
    fn shake_hands(&mut self, cancel: &Canceller) -> Result<Connected, CallError> {
        if let Some(era) = self.common.era().or_else(|| self.remembered.get()) {
            match self.as_era(era, None, cancel) {
                Err(
                    CallError::Lost(_) | CallError::Timeout | CallError::Http(_) | CallError::Protocol(_),
                ) => {
                    self.common.forget();
                    self.remembered.set(None);
                }
                done => return done,
            }
        }
        self.transport.begin()?;
        let discovered = self.discover(cancel)?;
        let era = if discovered.is_modern { Era::Modern } else { Era::Legacy };
        let done = self.as_era(era, Some(discovered.name), cancel);
        match (done, discovered.denied) {
            // A modern server that wants a token has no better word for the legacy question than that it is wrong.
            (Err(error), Some(denied)) if error != CallError::Cancelled => Err(denied),
            (done, _) => done,
        }
    }

    fn as_era(&mut self, era: Era, name: Option<String>, cancel: &Canceller) -> Result<Connected, CallError> {
        // A process that died of the probe is begun anew.
        self.transport.begin()?;
        let (revision, name) = match era {
            Era::Modern => (Revision::MODERN, name.unwrap_or_default()),
            Era::Legacy => self.initialize(cancel)?,
        };
        let (tools, told) = self.list_tools(revision, cancel)?;
        let name = if name.is_empty() { told } else { name };
        let (missing, takes) = (tools.missing(), tools.takes());
        let server = Server { revision, name, missing, takes };
        Ok(Connected { server, tools, epoch: self.transport.epoch() })
    }

    /// Asks a server of the modern era about itself. It is to be tried as a legacy one after everything but a clear
    /// answer, since legacy servers refuse the question in every way there is.
    fn discover(&mut self, cancel: &Canceller) -> Result<Discovered, CallError> {
        let legacy = |denied| Ok(Discovered { is_modern: false, name: String::new(), denied });
        // Again after a refusal that names the revision that we asked in: a gateway may be of two minds.
        for _ in 0..2 {
            let budget = self.budgets.probe;
            let params = json!({});
            match self.exchange("server/discover", &params, Some(Revision::MODERN), budget, cancel) {
                Ok(Some(Ok(result))) => {
                    let is_modern = names_modern(result.get("supportedVersions"));
                    return Ok(Discovered { is_modern, name: server_name(&result), denied: None });
                }
                Ok(Some(Err(error))) if matches!(error.code, HEADER_MISMATCH | MISSING_CAPABILITY) => {
                    return Err(error.into_call_error());
                }
                Ok(Some(Err(error)))
                    if error.code == UNSUPPORTED_VERSION && names_modern(error.data.get("supported")) => {}
                Err(Failure::Call(error @ (CallError::Unreachable(_) | CallError::Cancelled))) => {
                    return Err(error);
                }
                Err(Failure::Call(denied @ CallError::Auth(_))) => return legacy(Some(denied)),
                _ => return legacy(None),
            }
        }
        legacy(None)
    }

    fn initialize(&mut self, cancel: &Canceller) -> Result<(Revision, String), CallError> {
        let params = json!({
            "protocolVersion": Revision::LATEST_LEGACY.as_str(),
            "capabilities": self.capabilities(),
            "clientInfo": client_info()
        });
        let budget = self.budgets.connect;
        let posted = self.exchange("initialize", &params, None, budget, cancel);
        let result = outcome(posted.map_err(Failure::into_call_error)?)?;
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or("none");
        let revision = Revision::parse(version).filter(|r| r.era() == Era::Legacy).ok_or_else(|| {
            CallError::protocol(format!("the server speaks MCP revision {version}, which aissh does not"))
        })?;
        let message = jsonrpc::notification("notifications/initialized", &Value::Null);
        let post = Post { message: &message, revision: Some(revision), mirrored: &[], budget, cancel };
        self.transport.post(&post, &mut Deaf).map_err(Failure::into_call_error)?;
        if let Some(offers) = &self.offers {
            self.transport.listen(offers);
        }
        Ok((revision, server_name(&result)))
    }

    /// All tools, and the server's name if it tells that here.
    pub(super) fn list_tools(
        &mut self,
        revision: Revision,
        cancel: &Canceller,
    ) -> Result<(Tools, String), CallError> {
        let (mut tools, mut name) = (Tools::named(self.names.clone()), String::new());
        let mut cursors: Vec<Value> = Vec::new();
        for _ in 0..PAGES_LIMIT {
            // An empty string is a cursor like any other.
            let params = cursors.last().map_or(json!({}), |c| json!({"cursor": c}));
            let budget = self.budgets.connect;
            let posted = self.exchange("tools/list", &params, Some(revision), budget, cancel);
            let page = outcome(posted.map_err(Failure::into_call_error)?)?;
            tools.add_page(&page, revision.era() == Era::Modern);
            name = server_name(&page);
            let Some(next) = page.get("nextCursor").filter(|c| c.is_string()) else { break };
            if cursors.contains(next) {
                break;
            }
            cursors.push(next.clone());
        }
        Ok((tools, name))
    }

    /// One message of the handshake. It may be repeated without harm, so a connection that turns out to have
    /// been closed by the server costs nothing.
    fn exchange(
        &mut self,
        method: &str,
        params: &Value,
        revision: Option<Revision>,
        budget: Duration,
        cancel: &Canceller,
    ) -> Result<Posted, Failure> {
        let mut once = || {
            let (_, message) = self.message(method, params.clone(), revision);
            let post = Post { message: &message, revision, mirrored: &[], budget, cancel };
            self.transport.post(&post, &mut Deaf)
        };
        match once() {
            Err(Failure::Call(CallError::Lost(_))) => once(),
            posted => posted,
        }
    }

    /// A request with the next id and, in the modern era, the `_meta` that makes it stand alone.
    pub(super) fn message(
        &self,
        method: &str,
        mut params: Value,
        revision: Option<Revision>,
    ) -> (u64, Value) {
        let id = self.common.next_id();
        if let Some(revision) = revision.filter(|r| r.era() == Era::Modern)
            && let Some(params) = params.as_object_mut()
        {
            let meta = params.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            meta["io.modelcontextprotocol/protocolVersion"] = revision.as_str().into();
            meta["io.modelcontextprotocol/clientInfo"] = client_info();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities();
        }
        (id, jsonrpc::request(id, method, &params))
    }
}

pub(super) fn outcome(posted: Posted) -> Result<Value, CallError> {
    match posted {
        Some(outcome) => outcome.map_err(ErrorObject::into_call_error),
        None => Err(CallError::protocol("a request was taken as a notification")),
    }
}

/// Servers name several revisions, in any order, or one of those that they speak.
fn names_modern(versions: Option<&Value>) -> bool {
    let versions = versions.and_then(Value::as_array);
    versions.is_some_and(|v| v.iter().any(|v| v == Revision::MODERN.as_str()))
}

fn client_info() -> Value {
    json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")})
}

/// Name and version from a result, where the era at hand has them.
fn server_name(result: &Value) -> String {
    let info = result.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    let info = info.or_else(|| result.get("serverInfo"));
    let field = |name| info.and_then(|i| i.get(name)).and_then(Value::as_str).unwrap_or_default();
    one_line(&format!("{} {}", field("name"), field("version")))
}
