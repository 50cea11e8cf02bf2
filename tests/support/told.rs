//! What Linus was told, picked out of the recorded calls.

use aissh::linus::contract::{Context, Request, SessionEvent, Source};

use super::DEADLINE;
use super::aissh::Run;
use super::lab::Lab;
use super::linus::{Call, Linus};
use super::terminal::{Size, Terminal};

/// One `command_executed`.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) session_id: String,
    pub(crate) command: String,
    pub(crate) source: Source,
    pub(crate) suggestion_id: Option<String>,
    pub(crate) was_edited: Option<bool>,
    pub(crate) output: String,
    pub(crate) exit_code: Option<i32>,
    pub(crate) context: Context,
}

/// A session in a wide window whose beginning Linus was told.
pub(crate) fn session_with(lab: &Lab, linus: &Linus) -> Terminal {
    let terminal = Run::aissh(lab).linus(linus).size(Size::WIDE).at_prompt();
    wait_connected(linus);
    terminal
}

pub(crate) fn wait_connected(linus: &Linus) {
    linus.wait_for(|calls| !events(calls, SessionEvent::Connected).is_empty(), DEADLINE);
}

/// The calls that tell of this event.
pub(crate) fn events(calls: &[Call], wanted: SessionEvent) -> Vec<&Call> {
    let is_it =
        |call: &&Call| matches!(&call.request, Request::SessionState { event, .. } if *event == wanted);
    calls.iter().filter(is_it).collect()
}

/// The `n`th command that was told, counted from 0, when it has been.
pub(crate) fn told(linus: &Linus, n: usize) -> Ran {
    let calls = linus.wait_for(|calls| commands(calls).len() > n, DEADLINE);
    commands(&calls).swap_remove(n)
}

pub(crate) fn commands(calls: &[Call]) -> Vec<Ran> {
    calls.iter().filter_map(ran).collect()
}

fn ran(call: &Call) -> Option<Ran> {
    match call.request.clone() {
        Request::CommandExecuted {
            session_id,
            command,
            source,
            suggestion_id,
            was_edited,
            output,
            exit_code,
            is_final: _,
            context,
        } => Some(Ran { session_id, command, source, suggestion_id, was_edited, output, exit_code, context }),
        _ => None,
    }
}

/// The messages of the chats, in order.
pub(crate) fn messages(calls: &[Call]) -> Vec<String> {
    let message = |call: &Call| match &call.request {
        Request::Chat { message, .. } => Some(message.clone()),
        _ => None,
    };
    calls.iter().filter_map(message).collect()
}

/// Everything that Linus was sent, as it was sent.
pub(crate) fn everything(linus: &Linus) -> String {
    linus.requests().iter().map(|request| format!("{:?} {}\n", request.headers, request.body)).collect()
}
