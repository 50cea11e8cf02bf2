//! A service as the SDK's handler: types of rmcp on one side, JSON on the other.

use super::gate::Principal;
use super::{MAX_CALLS, MAX_CALLS_EACH};
use crate::linus::service::{Call, Change, Service, Watching};
use crate::linus::{Canceller, ErrorObject};
use crate::text::{sanitize, truncate};
use rmcp::handler::server::ServerHandler;
use rmcp::model::*;
use rmcp::service::{MaybeSendFuture, NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast, watch};
use tokio::task::AbortHandle;

/// Characters of a client's name that are kept.
const MAX_CLIENT: usize = 64;
/// Changes that wait to be told; a client that is behind by more is told that all have changed.
const MAX_CHANGES: usize = 64;
/// Resources that one client may watch by name.
const MAX_WATCHED: usize = 256;

/// What all handlers of a door share.
pub(super) struct Shared {
    pub(super) service: Arc<dyn Service>,
    /// How many of each principal are under way.
    calls: Mutex<HashMap<String, usize>>,
    ended: Notify,
    /// What all clients are told of, from one watch of the service's.
    changes: OnceLock<Option<Changes>>,
}

struct Changes {
    sender: broadcast::Sender<Change>,
    _watching: Mutex<Watching>,
}

impl Shared {
    pub(super) fn new(service: Arc<dyn Service>) -> Arc<Self> {
        Arc::new(Self { service, calls: Mutex::default(), ended: Notify::new(), changes: OnceLock::new() })
    }

    /// What changes from now on. The first one begins the watch, which may take its time.
    async fn changes(self: Arc<Self>) -> Option<broadcast::Receiver<Change>> {
        let begin = move || {
            let changes = self.changes.get_or_init(|| {
                let (sender, _) = broadcast::channel(MAX_CHANGES);
                let sink = sender.clone();
                let watching = self.service.watch(Box::new(move |change| drop(sink.send(change))))?;
                Some(Changes { sender, _watching: Mutex::new(watching) })
            });
            changes.as_ref().map(|changes| changes.sender.subscribe())
        };
        tokio::task::spawn_blocking(begin).await.ok().flatten()
    }

    /// Resolves when no call is under way.
    pub(super) async fn quiet(&self) {
        loop {
            let ended = self.ended.notified();
            if held(&self.calls).is_empty() {
                return;
            }
            ended.await;
        }
    }
}

/// One connection's or one HTTP session's handler.
pub(super) struct Handler {
    shared: Arc<Shared>,
    principal: Principal,
    /// URIs that a client of a handshake revision has subscribed to, while it watches.
    subscribed: Arc<Mutex<HashSet<String>>>,
    watching: Mutex<Option<AbortHandle>>,
}

impl Drop for Handler {
    fn drop(&mut self) {
        if let Some(watching) = held(&self.watching).take() {
            watching.abort();
        }
    }
}

/// A place among the calls, given back when it is dropped.
struct Seat {
    shared: Arc<Shared>,
    principal: String,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut calls = held(&self.shared.calls);
        if let Some(count) = calls.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                calls.remove(&self.principal);
            }
        }
        self.shared.ended.notify_waiters();
    }
}

impl Handler {
    pub(super) fn new(shared: &Arc<Shared>, principal: &Principal) -> Self {
        Self {
            shared: Arc::clone(shared),
            principal: principal.clone(),
            subscribed: Arc::default(),
            watching: Mutex::new(None),
        }
    }

    fn seat(&self) -> Result<Seat, ErrorData> {
        let mut calls = held(&self.shared.calls);
        let all: usize = calls.values().sum();
        let own = calls.get(&*self.principal.0).copied().unwrap_or_default();
        if all >= MAX_CALLS || own >= MAX_CALLS_EACH {
            let what =
                format!("too many calls at once: {own} of this client's, {all} in all; wait for one to end");
            return Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, what, None));
        }
        *calls.entry(self.principal.0.to_string()).or_default() += 1;
        Ok(Seat { shared: Arc::clone(&self.shared), principal: self.principal.0.to_string() })
    }

    /// Runs one call on a thread of its own; it is taken back when the client no longer wants it.
    async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&dyn Service, &mut Call<'_>) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let seat = self.seat()?;
        let cancel = Canceller::new();
        let (canceller, token) = (cancel.clone(), context.ct.clone());
        let watcher = tokio::spawn(async move {
            token.cancelled().await;
            canceller.cancel();
        });
        let client = context.client_info().map(|info| client_name(&info.name)).unwrap_or_default();
        let notes = progress(context);
        let done = tokio::task::spawn_blocking(move || {
            let mut on_progress = |text: &str| {
                if let Some(notes) = &notes {
                    notes.send_replace(text.to_owned());
                }
            };
            let mut call = Call {
                principal: &seat.principal,
                client: &client,
                cancel: &cancel,
                on_progress: &mut on_progress,
            };
            work(&*seat.shared.service, &mut call)
        })
        .await;
        watcher.abort();
        done.map_err(|_| ErrorData::internal_error("the call has failed inside; see the server's log", None))
    }

    /// Watches for a client of a handshake revision, once.
    fn begin_to_watch(&self, peer: Peer<RoleServer>) {
        let mut watching = held(&self.watching);
        if watching.is_some() {
            return;
        }
        let (shared, subscribed) = (Arc::clone(&self.shared), Arc::clone(&self.subscribed));
        let telling = tokio::spawn(async move {
            let Some(mut changes) = shared.changes().await else { return };
            loop {
                let change = changes.recv().await;
                let Some((lists, uris)) = to_tell(change, &held(&subscribed)) else { return };
                if lists && peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
                for uri in uris {
                    let note = ResourceUpdatedNotificationParam::new(uri);
                    if peer.notify_resource_updated(note).await.is_err() {
                        return;
                    }
                }
            }
        });
        *watching = Some(telling.abort_handle());
    }
}

/// What a client hears of a change: whether the list is another, and which of the resources that it watches are. All of
/// them where it was behind; `None` where there is no more to come.
fn to_tell(change: Result<Change, RecvError>, watched: &HashSet<String>) -> Option<(bool, Vec<String>)> {
    match change {
        Ok(Change::Resources) => Some((true, Vec::new())),
        Ok(Change::Resource(uri)) => Some((false, watched.get(&uri).cloned().into_iter().collect())),
        Err(RecvError::Lagged(_)) => Some((true, watched.iter().cloned().collect())),
        Err(RecvError::Closed) => None,
    }
}

/// Notes go to the client as they come, where it gave a token for them. Each has the whole answer so far: of those that
/// wait the newest is all that counts.
fn progress(context: &RequestContext<RoleServer>) -> Option<watch::Sender<String>> {
    let token = context.meta.get_progress_token()?;
    let (note_tx, mut note_rx) = watch::channel(String::new());
    let peer = context.peer.clone();
    tokio::spawn(async move {
        let mut count = 0.0;
        while note_rx.changed().await.is_ok() {
            count += 1.0;
            let text = note_rx.borrow_and_update().clone();
            let note = ProgressNotificationParam::new(token.clone(), count).with_message(text);
            if peer.notify_progress(note).await.is_err() {
                break;
            }
        }
    });
    Some(note_tx)
}

fn client_name(name: &str) -> String {
    truncate(&sanitize(name), MAX_CLIENT).trim().to_owned()
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A service's JSON as the SDK's type of it. 2026-07-28 wants its kind said; for earlier revisions the SDK takes it out.
fn typed<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    serde_json::from_value(value)
        .map_err(|e| ErrorData::internal_error(format!("not what MCP wants: {e}"), None))
}

fn refused(error: ErrorObject) -> ErrorData {
    let code = i32::try_from(error.code).unwrap_or(ErrorCode::INTERNAL_ERROR.0);
    ErrorData::new(ErrorCode(code), error.message, Some(error.data).filter(|data| !data.is_null()))
}

/// Everything fits one page, so no cursor was ever given out.
fn first_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        Some(_) => Err(ErrorData::invalid_params("unknown cursor", None)),
        None => Ok(()),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = self.shared.service.about();
        let mut capabilities = json!({"tools": {}});
        if self.shared.service.has_resources() {
            capabilities["resources"] = json!({"subscribe": true, "listChanged": true});
        }
        let info = json!({
            "protocolVersion": ProtocolVersion::default(), "capabilities": capabilities,
            "serverInfo": {"name": about.name, "title": about.title, "version": env!("CARGO_PKG_VERSION")},
            "instructions": about.instructions,
        });
        // Not reachable: a value of the SDK's own form.
        serde_json::from_value(info).unwrap_or_default()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(request.as_ref())?;
        typed(json!({"tools": self.shared.service.tools()}))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments: Map<String, Value> = request.arguments.unwrap_or_default();
        let name = request.name;
        let done = self.run(&context, move |service, call| service.call(&name, &arguments, call)).await?;
        let result: CallToolResult = typed(done.map_err(refused)?)?;
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !self.shared.service.has_resources() {
            return Err(ErrorData::method_not_found::<ListResourcesRequestMethod>());
        }
        first_page(request.as_ref())?;
        let resources = self.run(&context, |service, call| service.resources(call)).await?;
        typed(json!({"resources": resources}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !self.shared.service.has_resources() {
            return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
        }
        let uri = request.uri;
        let done = self.run(&context, move |service, call| service.read(&uri, call)).await?;
        let result: ReadResourceResult = typed(done.map_err(refused)?)?;
        Ok(result.into())
    }

    #[allow(deprecated, reason = "the handshake revisions have no other way to subscribe")]
    fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        let outcome = if self.shared.service.has_resources() {
            let mut subscribed = held(&self.subscribed);
            if subscribed.len() < MAX_WATCHED || subscribed.contains(&request.uri) {
                subscribed.insert(request.uri);
                drop(subscribed);
                self.begin_to_watch(context.peer);
                Ok(())
            } else {
                Err(ErrorData::invalid_params(format!("more than {MAX_WATCHED} subscriptions"), None))
            }
        } else {
            Err(ErrorData::method_not_found::<SubscribeRequestMethod>())
        };
        std::future::ready(outcome)
    }

    #[allow(deprecated, reason = "as above")]
    fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture + '_ {
        held(&self.subscribed).remove(&request.uri);
        std::future::ready(Ok(()))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // A client of a handshake revision hears of new lists without asking for it.
        if self.shared.service.has_resources() {
            self.begin_to_watch(context.peer);
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.as_ref().map_or(0, Vec::len);
        (self.shared.service.has_resources() && uris <= MAX_WATCHED).then(|| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        // A place among the calls: a stream lasts.
        let _seat = self.seat()?;
        let Some(mut changes) = Arc::clone(&self.shared).changes().await else {
            context.cancelled().await;
            return Ok(());
        };
        let watched: HashSet<String> =
            context.accepted().resource_subscriptions.iter().flatten().cloned().collect();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            let Some((lists, uris)) = to_tell(change, &watched) else { return Ok(()) };
            // What the client did not want is no failure; a closed stream ends in `cancelled`.
            if lists {
                let _ = context.sink().notify_resource_list_changed().await;
            }
            for uri in uris {
                let _ = context.sink().notify_resource_updated(uri).await;
            }
        }
    }
}
