//! The door of many clients: Streamable HTTP at `/mcp`. In this order: a token, the room for the body, then the SDK, which
//! judges Host, Origin and the protocol's own headers. No TLS: a reverse proxy before it has that.

use super::gate::{Admission, Principal, Refusals, is_own};
use super::handler::{Handler, Shared};
use super::{GRACE, ended, runtime};
use crate::linus::service::Service;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The one path.
const PATH: &str = "/mcp";
/// Connections at once. Each has a buffer of some KiB.
const MAX_CONNECTIONS: usize = 2048;
/// Sessions of the handshake revisions that one principal may have at once, behind however many clients.
const MAX_SESSIONS: usize = 512;
/// Bytes of one request: 10 MiB of piped text, escaped as JSON.
const MAX_BODY: usize = 16 << 20;
/// KiB of a principal's requests that are being read or judged: two of the largest.
const BODY_ROOM: usize = 2 * (MAX_BODY >> 10);
/// The header has to be there within this, also the next one of a connection that is kept.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// And the body.
const BODY_TIME: Duration = Duration::from_secs(30);
/// A session that says nothing for this long is forgotten.
const SESSION_TIME: Duration = Duration::from_secs(30 * 60);
/// Bytes of a header.
const MAX_HEADER: usize = 64 << 10;

/// Where, and who may come in.
#[derive(Debug)]
pub struct HttpOptions {
    pub admission: Admission,
    /// Names that a request's `Host` may have, beside those of this machine's loopback.
    pub hosts: Vec<String>,
    /// Origins that a browser's request may come from, beside the door's own address on loopback.
    pub origins: Vec<String>,
}

type Sdk = StreamableHttpService<Handler, LocalSessionManager>;
type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// Everything that connections share.
struct Door {
    options: HttpOptions,
    port: u16,
    shared: Arc<Shared>,
    /// Each principal has its own: nobody's session id means anything at another's.
    rooms: Mutex<HashMap<Principal, Room>>,
    refusals: Refusals,
    closing: CancellationToken,
}

#[derive(Clone)]
struct Room {
    sdk: Sdk,
    sessions: Arc<LocalSessionManager>,
    bodies: Arc<Semaphore>,
}

/// Serves until SIGINT or SIGTERM. Calls under way then have a few seconds.
pub fn http(listener: TcpListener, service: Arc<dyn Service>, options: HttpOptions) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let runtime = runtime()?;
    let door = Arc::new(Door {
        options,
        port,
        shared: Shared::new(service),
        rooms: Mutex::default(),
        refusals: Refusals::start()?,
        closing: CancellationToken::new(),
    });
    let served = runtime.block_on(async {
        let ended = ended()?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (stop_tx, stop_rx) = watch::channel(());
        tokio::select! {
            () = ended => {}
            () = accept(&listener, &door, &stop_rx) => {}
        }
        drop((listener, stop_rx));
        close(&door, &stop_tx).await;
        Ok(())
    });
    runtime.shutdown_timeout(Duration::from_millis(100));
    served
}

/// New connections are not taken any more: the calls under way end, then the streams that would never.
async fn close(door: &Door, stop: &watch::Sender<()>) {
    let _ = timeout(GRACE, door.shared.quiet()).await;
    door.closing.cancel();
    let _ = stop.send(());
    let _ = timeout(GRACE, stop.closed()).await;
}

async fn accept(listener: &tokio::net::TcpListener, door: &Arc<Door>, stop: &watch::Receiver<()>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        // Nobody closes it.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            // EMFILE, ECONNABORTED: it may be better soon, and spinning does not make it so.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Answers are small and each is waited for.
        let _ = stream.set_nodelay(true);
        let (door, mut stop) = (Arc::clone(door), stop.clone());
        let to = stream.local_addr();
        tokio::spawn(async move {
            if matches!(door.options.admission, Admission::Anyone) {
                let look = tokio::task::spawn_blocking(move || to.is_ok_and(|to| is_own(from, to)));
                if !look.await.unwrap_or(false) {
                    return door.refusals.note(from, 0, "another user's program");
                }
            }
            let service = hyper::service::service_fn(move |request| {
                let door = Arc::clone(&door);
                async move { Ok::<_, Infallible>(door.answer(request, from).await) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .max_buf_size(MAX_HEADER)
                .serve_connection(TokioIo::new(stream), service);
            let mut connection = std::pin::pin!(connection);
            tokio::select! {
                _ = connection.as_mut() => {}
                _ = stop.changed() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            drop(place);
        });
    }
}

impl Door {
    async fn answer(&self, request: Request<Incoming>, from: SocketAddr) -> Answer {
        match self.take(request).await {
            Ok(answer) => {
                if answer.status().is_client_error() && answer.status() != StatusCode::NOT_FOUND {
                    self.refusals.note(from, answer.status().as_u16(), "by the protocol's rules");
                }
                answer
            }
            Err((status, why)) => {
                self.refusals.note(from, status.as_u16(), why);
                refusal(status, why)
            }
        }
    }

    async fn take(&self, request: Request<Incoming>) -> Result<Answer, (StatusCode, &'static str)> {
        let shown = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let Some(principal) = self.options.admission.admit(shown) else {
            return Err((StatusCode::UNAUTHORIZED, "no valid token"));
        };
        if request.uri().path() != PATH {
            return Err((StatusCode::NOT_FOUND, "the endpoint is /mcp"));
        }
        let room = self.room(&principal);
        if is_handshake(&request) && room.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            return Err((StatusCode::SERVICE_UNAVAILABLE, "too many sessions of this token"));
        }
        let (parts, body) = request.into_parts();
        let size = body.size_hint().upper().and_then(|size| usize::try_from(size).ok()).unwrap_or(MAX_BODY);
        if size > MAX_BODY {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 16 MiB"));
        }
        let room_for = u32::try_from(size.div_ceil(1024)).unwrap_or(u32::MAX);
        // Held until the answer begins: that is how long the text of the request lives.
        let Ok(_held) = room.bodies.try_acquire_many(room_for) else {
            return Err((StatusCode::SERVICE_UNAVAILABLE, "too many large requests of this token at once"));
        };
        let body = match timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
            Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body did not come")),
            Ok(Err(e)) if e.is::<http_body_util::LengthLimitError>() => {
                return Err((StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 16 MiB"));
            }
            Ok(Err(_)) => return Err((StatusCode::BAD_REQUEST, "the body broke off")),
            Ok(Ok(body)) => body.to_bytes(),
        };
        let request = Request::from_parts(parts, Full::new(body));
        let sdk = TowerToHyperService::new(room.sdk);
        let Ok(answer) = hyper::service::Service::call(&sdk, request).await;
        Ok(answer.map(BodyExt::boxed_unsync))
    }

    fn room(&self, principal: &Principal) -> Room {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(room) = rooms.get(principal) {
            return room.clone();
        }
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(SESSION_TIME);
        let sessions = Arc::new(manager);
        let (shared, owner) = (Arc::clone(&self.shared), principal.clone());
        let factory = move || Ok(Handler::new(&shared, &owner));
        let sdk = Sdk::new(factory, Arc::clone(&sessions), self.config());
        let room = Room { sdk, sessions, bodies: Arc::new(Semaphore::new(BODY_ROOM)) };
        rooms.insert(principal.clone(), room.clone());
        room
    }

    fn config(&self) -> StreamableHttpServerConfig {
        let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
        config.allowed_hosts.extend(self.options.hosts.iter().cloned());
        // A page of this door's own address could be no other's; one of another local port could.
        let own = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{}", self.port));
        config.allowed_origins = own.into_iter().chain(self.options.origins.iter().cloned()).collect();
        config.max_request_body_bytes = MAX_BODY;
        config.cancellation_token = self.closing.child_token();
        config
    }
}

/// Whether a request may begin a session: one of a handshake revision that is of none yet. That it is `initialize` is in
/// the body; the stateless era says its revision here.
fn is_handshake(request: &Request<Incoming>) -> bool {
    let headers = request.headers();
    let is_stateless =
        headers.get("mcp-protocol-version").is_some_and(|version| version.as_bytes() >= b"2026".as_slice());
    request.method() == Method::POST && !headers.contains_key("mcp-session-id") && !is_stateless
}

fn refusal(status: StatusCode, why: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(format!("{why}\n"))).boxed_unsync());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("text/plain; charset=utf-8"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"aissh\""));
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}
