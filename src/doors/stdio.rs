//! The door of one client: messages a line on standard input and output, until the input ends.

use super::gate::Principal;
use super::handler::{Handler, Shared};
use super::{GRACE, ended, runtime};
use crate::linus::service::Service;
use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;
use std::io;
use std::sync::Arc;

/// Serves until the client closes its end, or a signal ends it.
pub fn stdio(service: Arc<dyn Service>) -> io::Result<()> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let ended = ended()?;
        let handler = Handler::new(&Shared::new(service), &Principal::local());
        let serving = async {
            match handler.serve(stdio_pipes()).await {
                Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
                // A client that left before it said anything has nothing to be told.
                Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(e) => Err(io::Error::other(e.to_string())),
            }
        };
        tokio::select! {
            done = serving => done,
            () = ended => Ok(()),
        }
    })?;
    runtime.shutdown_timeout(GRACE);
    Ok(())
}
