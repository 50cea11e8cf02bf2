//! What a model is asked: composed from the session, within the model's context window.
//!
//! The texts stand in their own files, one for all and one for each kind of machine. What machines printed is data, and
//! fenced ([`fence`]). Pure.

mod budget;
mod fence;
mod kind;
mod schema;
#[cfg(test)]
mod tests;

use crate::models::{Prompt, Role, Turn};
use crate::text::cut;
use budget::Room;
pub(super) use budget::tokens;
use fence::{Keep, fenced};
pub(super) use kind::Kind;

/// Of a terminal's text this much is told at most: the panel sends 64 KiB, a pipe can have 10 MiB, and tokens cost.
const MAX_TERMINAL: usize = 64 * 1024;
const MAX_PIPED: usize = 192 * 1024;
/// Of facts, plan and memory, each.
const MAX_FACTS: usize = 8 * 1024;

/// Everything that a model is told for one question.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    pub(super) kind: Kind,
    /// What the user wrote, or what happened.
    pub(super) message: String,
    /// Host, user, shell, directory, the last command: lines.
    pub(super) facts: String,
    pub(super) memory: String,
    /// The runbook's plan, with findings and cards: lines.
    pub(super) plan: String,
    /// What the terminal shows, or what a command printed; without escape sequences.
    pub(super) terminal: String,
    /// Earlier turns, the oldest first.
    pub(super) history: Vec<Turn>,
}

/// A prompt, and what had to be left out of it.
#[derive(Debug, Clone)]
pub(super) struct Composed {
    pub(super) prompt: Prompt,
    pub(super) cuts: Vec<&'static str>,
}

impl Question {
    /// The prompt for a context window of so many tokens. `None`: not even the rules and a question fit.
    ///
    /// Left out are, in this order: earlier turns, the oldest first; the middle of the terminal's text; the end of memory,
    /// plan and facts; the question's end.
    pub(super) fn compose(&self, window: u32) -> Option<Composed> {
        let (system, schema) = (system(self.kind), schema::of(self.kind));
        let max_tokens = budget::answer(window);
        let mut room = Room::new(window.checked_sub(max_tokens)?);
        room.take(&system)?;
        room.take(&schema.to_string())?;
        room.take_turn("")?;
        let mut cuts = Vec::new();
        // What matters most takes its share first.
        let message = cut(&self.message, room.bytes() / 2);
        if message.len() < self.message.len() {
            cuts.push("the end of the question");
        }
        room.take(message).filter(|()| !message.is_empty())?;
        let mut part = |name, text: &str, most: usize, keep, what| {
            let (text, is_cut) = fenced(name, text, room.bytes().min(most), keep);
            cuts.extend(is_cut.then_some(what));
            let _ = room.take(&text);
            text
        };
        let facts = part("session", &self.facts, MAX_FACTS, Keep::Start, "facts of the session");
        let plan = part("plan of the runbook", &self.plan, MAX_FACTS, Keep::Start, "the end of the plan");
        let memory = part("memory", &self.memory, MAX_FACTS, Keep::Start, "the end of the memory");
        let most = if self.kind == Kind::Piped { MAX_PIPED } else { MAX_TERMINAL };
        let what = "the middle of the terminal's text";
        let terminal = part("terminal", &self.terminal, most, Keep::Ends, what);
        let mut turns = self.turns(&mut room, &mut cuts);
        let text = [&facts, &memory, &plan, &terminal].map(String::as_str).concat() + message;
        turns.push(Turn { role: Role::User, text });
        Some(Composed { prompt: Prompt { system, turns, schema: Some(schema), max_tokens }, cuts })
    }

    /// The earlier turns that have room, the newest of them. The first is the user's: servers want it so.
    fn turns(&self, room: &mut Room, cuts: &mut Vec<&'static str>) -> Vec<Turn> {
        let kept = self.history.iter().rev().take_while(|turn| room.take_turn(&turn.text).is_some()).count();
        let mut turns = self.history[self.history.len() - kept..].to_vec();
        if kept < self.history.len() {
            cuts.push("the beginning of the conversation");
        }
        turns.drain(..turns.iter().take_while(|turn| turn.role == Role::Assistant).count());
        turns
    }
}

fn system(kind: Kind) -> String {
    let files = if kind.takes_files() { include_str!("files.txt").trim_end() } else { "" };
    format!("{}\n{}", include_str!("common.txt").replace("FILES", files), kind.text())
}
