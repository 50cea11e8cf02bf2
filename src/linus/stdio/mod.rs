//! Linus as a command: MCP over its standard input and output, one JSON-RPC message a line.
//!
//! Both lanes talk to **one** process: what Linus knows of a session is in his memory, and a chat must reach the one
//! who saw the terminal. Requests of both lanes are in flight side by side, so a slow update still delays no chat.
//! A process that ended is started anew by the next call; how often that may be is the breaker's to say.

mod lines;
mod process;
mod slot;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call_error::CallError;
use super::forms::ToolNames;
use super::helper::Helper;
use super::jsonrpc;
use super::mcp::{Budgets, Common, Mcp};
use super::peer::{Failure, Listener, Post, Posted, Transport};
use super::preview::Tap;
use super::revision::Era;
use process::{Process, Refused, not_offered};
use slot::Event;

/// Leaving waits this long for a command that ends by itself or is killed.
const CLOSE_WAIT: Duration = Duration::from_millis(100);

/// A Linus who is a command. Clones are the same one.
#[derive(Clone)]
pub struct Command {
    hub: Arc<Hub>,
    common: Arc<Common>,
    budgets: Budgets,
    names: ToolNames,
    tap: Option<Tap>,
}

/// A client of a command; each lane has one.
pub type CommandClient = Mcp<Pipe>;

impl Command {
    /// Nothing is started yet.
    pub fn new(helper: Helper, budgets: Budgets) -> Self {
        let hub = Hub { helper, running: Mutex::default() };
        Self { hub: Arc::new(hub), common: Arc::default(), budgets, names: ToolNames::default(), tap: None }
    }

    /// The command's names for the contract's tools.
    #[must_use]
    pub fn naming(mut self, names: ToolNames) -> Self {
        self.names = names;
        self
    }

    /// The same, with an eye on what goes to it.
    #[must_use]
    pub fn watched(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    pub fn client(&self) -> CommandClient {
        let pipe = Pipe { hub: Arc::clone(&self.hub), tap: self.tap.clone() };
        let client = Mcp::sharing(pipe, self.budgets, Arc::clone(&self.common));
        client.naming(self.names.clone())
    }

    /// The program's name, without its path.
    pub fn name(&self) -> &str {
        let program = self.hub.helper.program();
        program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program)
    }

    /// Stands for the command where it is remembered; its arguments are nobody's business.
    pub fn key(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.hub.helper.argv().hash(&mut hasher);
        format!("command:{:016x}", hasher.finish())
    }

    /// Ends the process: its input first, itself a moment later. No call starts it again.
    pub fn close(&self) {
        let mut running = self.hub.lock();
        running.is_closed = true;
        if let Some(process) = &running.process {
            process.stop();
            process.wait(CLOSE_WAIT);
        }
    }
}

/// The process of the moment.
struct Hub {
    helper: Helper,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    process: Option<Arc<Process>>,
    /// Counts the processes that there were.
    epoch: u64,
    is_closed: bool,
}

impl Hub {
    /// The process, if it lives; else why it does not.
    fn living(&self) -> Result<Arc<Process>, CallError> {
        let running = self.lock();
        match &running.process {
            Some(process) => match process.end() {
                None => Ok(Arc::clone(process)),
                Some(why) => Err(self.gone(&why)),
            },
            None => Err(self.gone("not started")),
        }
    }

    fn start(&self) -> Result<(), CallError> {
        let mut running = self.lock();
        if running.process.as_ref().is_some_and(|process| process.end().is_none()) {
            return Ok(());
        }
        if running.is_closed {
            return Err(self.gone("the session is over"));
        }
        running.process = None;
        let process = Process::start(&self.helper).map_err(|e| CallError::unreachable(e.to_string()))?;
        running.process = Some(process);
        running.epoch += 1;
        Ok(())
    }

    fn gone(&self, why: &str) -> CallError {
        CallError::unreachable(format!("{}: {why}", self.helper.program()))
    }

    fn lost(&self, why: &str) -> CallError {
        CallError::lost(format!("{}: {why}", self.helper.program()))
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        if let Some(process) = &self.lock().process {
            process.stop();
        }
    }
}

/// The transport of one lane.
pub struct Pipe {
    hub: Arc<Hub>,
    tap: Option<Tap>,
}

impl Transport for Pipe {
    fn post(&mut self, post: &Post<'_>, listener: &mut dyn Listener) -> Result<Posted, Failure> {
        if post.cancel.is_cancelled() {
            return Err(CallError::Cancelled.into());
        }
        let process = self.hub.living().map_err(Failure::SessionLost)?;
        let refused = |refused| match refused {
            Refused::Dead(why) => Failure::SessionLost(self.hub.gone(&why)),
            Refused::Full => self.hub.gone("it does not read what it is sent").into(),
        };
        let Some(id) = post.message.get("id").and_then(Value::as_u64) else {
            process.tell(post.message).map_err(refused)?;
            return Ok(None);
        };
        // What is not seen must not go either: the tap looks first.
        if let Some(tap) = &self.tap {
            tap.going(post.message, post.message.to_string().as_bytes());
        }
        let slot = process.call(id, post.message).map_err(refused)?;
        let deadline = Instant::now() + post.budget;
        loop {
            match slot.next(deadline, post.cancel) {
                Event::Notice { method, params } => listener.notice(&method, &params),
                Event::Asked { id, method, params } => {
                    let result = listener.asked(&method, &params);
                    let answer =
                        result.map_or_else(|| not_offered(&id), |result| jsonrpc::result(&id, &result));
                    // If it cannot be sent, the end of the process says the rest.
                    let _ = process.tell(&answer);
                }
                Event::Answer(outcome) => {
                    if let (Some(tap), Ok(result)) = (&self.tap, &outcome) {
                        tap.answered(post.message, result);
                    }
                    return Ok(Some(outcome));
                }
                Event::Foreign(error) => {
                    process.drop_call(id);
                    return Err(error.into_call_error().into());
                }
                Event::Dead { sent: true, why } => return Err(self.hub.lost(&why).into()),
                Event::Dead { sent: false, why } => return Err(Failure::SessionLost(self.hub.gone(&why))),
                Event::Late if process.drop_call(id) => return Err(CallError::Timeout.into()),
                Event::Late => return Err(self.hub.gone("it does not read what it is sent").into()),
                Event::Cancelled => {
                    process.drop_call(id);
                    return Err(CallError::Cancelled.into());
                }
            }
        }
    }

    fn begin(&mut self) -> Result<(), CallError> {
        self.hub.start()
    }

    fn epoch(&self) -> u64 {
        let running = self.hub.lock();
        let is_alive = running.process.as_ref().is_some_and(|process| process.end().is_none());
        // No handshake was ever of this one.
        if is_alive { running.epoch } else { u64::MAX }
    }

    fn is_process(&self) -> bool {
        true
    }

    fn abandon(&mut self) {
        if let Some(process) = &self.hub.lock().process {
            process.stop();
            process.wait(CLOSE_WAIT);
        }
    }

    fn takes_back(&self, _: Era) -> bool {
        true
    }
}
