//! How MCP clients reach a service of ours: standard input and output, or Streamable HTTP. The official SDK (rmcp) speaks
//! the protocol in all its revisions; this adds who may come in, how many, and for how long.
//!
//! The only place with an async runtime, started when a door opens. A wrapped session never opens one. Calls block, so
//! each has a thread while it lasts; how many there are is bounded.

mod gate;
mod handler;
mod http;
mod stdio;
mod tokens;

pub use gate::Admission;
pub use http::{HttpOptions, http};
pub use stdio::stdio;
pub use tokens::{MadeToken, Tokens, is_name, make};

use signal_hook::consts::{SIGINT, SIGTERM};
use std::io;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// Calls that run at once, over all clients. Most wait for something (a model, an event), and sleep meanwhile.
const MAX_CALLS: usize = 512;
/// Calls of one principal at once.
const MAX_CALLS_EACH: usize = 64;
/// Calls under way have this long when the door closes.
const GRACE: Duration = Duration::from_secs(5);

fn runtime() -> io::Result<Runtime> {
    // Two threads carry bytes; what takes time is on the blocking pool.
    Builder::new_multi_thread().worker_threads(2).max_blocking_threads(MAX_CALLS + 8).enable_all().build()
}

/// Resolves with the first SIGINT or SIGTERM; the second ends the process at once. Call within the runtime.
fn ended() -> io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tokio::spawn(async move {
            let number = tokio::select! {
                _ = interrupt.recv() => SIGINT,
                _ = terminate.recv() => SIGTERM,
            };
            let _ = signal_hook::low_level::emulate_default_handler(number);
        });
    })
}
