//! The standalone stream of a legacy session: what the server asks outside of any call.
//!
//! It is only opened where something is offered, which aissh itself never does. One GET on a thread of its own, never
//! repeated: a server that refuses it, or ends it, has no such questions. Clients that came back for it made up most of
//! some servers' requests.

use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;

use serde_json::Value;

use super::answer::Reading;
use super::wire::{Line, Wire};
use crate::linus::cancel::Canceller;
use crate::linus::peer::{Asked, Listener, Post};

/// What is asked before the stream stands is lost, so a call waits for it; but not long, since it may be refused late.
const OPEN_WAIT: Duration = Duration::from_secs(2);
/// The stream lasts as long as the session; this is only a number that is an end.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Opens the stream on `line`, which is its own. It ends with the line's agent.
pub(super) fn start(line: Line, asked: Asked) {
    let (open_tx, open_rx) = sync_channel(1);
    let run = move || {
        let (cancel, message) = (Canceller::new(), Value::Null);
        let revision = line.revision;
        let post = Post { message: &message, revision, mirrored: &[], budget: LIFE, cancel: &cancel };
        let wire = Wire::new(&line, &post);
        let response = wire.listen();
        let _ = open_tx.send(());
        if let Ok(response) = response {
            // Whatever ends it, there is nobody to tell.
            let _ = Reading::new(&wire, &Value::Null, &mut Ear(asked)).listen(response);
        }
    };
    if Builder::new().name("linus-listen".into()).spawn(run).is_ok() {
        let _ = open_rx.recv_timeout(OPEN_WAIT);
    }
}

struct Ear(Asked);

impl Listener for Ear {
    fn notice(&mut self, _: &str, _: &Value) {}

    fn asked(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.0.answer(method, params)
    }
}
