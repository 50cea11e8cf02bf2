//! Those who wait for something to happen: bounded, each with its deadline, and asleep until something may have.

use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::State;
use super::board::Board;
use crate::agents::protocol::{PATTERN_LIMIT, Refused, Until, WAIT_LIMIT_MS, Why, answer};
use crate::shell::State as Shell;

/// Waits at once, of one client and of all.
const EACH: usize = 32;
const ALL: usize = 256;
/// How often patterns are held against what a flood prints.
const AGAIN: Duration = Duration::from_millis(50);
/// What of it they are held against.
const LOOKED_AT: usize = 64 * 1024;
/// Bytes of a compiled pattern.
const COMPILED: usize = 1024 * 1024;

pub(super) struct Wait {
    token: u64,
    id: u64,
    agent: String,
    until: Until,
    deadline: Instant,
    pattern: Option<Regex>,
    /// The line that is looked at from.
    from: u64,
    /// Commands that had ended.
    commands: u64,
}

#[derive(Default)]
pub(super) struct Waits {
    waits: Vec<Wait>,
    /// Not before this are patterns held against output again.
    match_at: Option<Instant>,
}

/// What is asked for.
pub(super) struct Wanted {
    pub(super) until: Until,
    pub(super) timeout_ms: u64,
    pub(super) pattern: Option<String>,
    pub(super) since_cursor: Option<u64>,
    pub(super) since_commands: Option<u64>,
}

impl Waits {
    pub(super) fn has(&self, token: u64) -> bool {
        self.waits.iter().any(|wait| wait.token == token)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        self.waits.retain(|wait| keep(wait.token));
    }

    fn of(&self, until: Until) -> bool {
        self.waits.iter().any(|wait| wait.until == until)
    }

    /// When one of them is over, or may be.
    pub(super) fn deadline(&self, board: &Board) -> Option<Instant> {
        let first = self.waits.iter().map(|wait| wait.deadline).min();
        let quiet = board.quiet_at().filter(|_| self.of(Until::Idle));
        let again = self.match_at.filter(|_| self.of(Until::OutputMatches));
        [first, quiet, again].into_iter().flatten().min()
    }
}

/// The pattern, linear in the text whatever it is.
fn compiled(pattern: Option<&str>) -> Result<Regex, Refused> {
    let bad = |what: String| Refused::new(Why::Bad, what);
    let pattern = pattern.filter(|pattern| !pattern.is_empty());
    let pattern = pattern.ok_or_else(|| bad("pattern: output_matches needs one".to_owned()))?;
    if pattern.len() > PATTERN_LIMIT {
        return Err(bad(format!("pattern: longer than {PATTERN_LIMIT} bytes")));
    }
    let built = RegexBuilder::new(pattern).multi_line(true).size_limit(COMPILED).build();
    built.map_err(|e| bad(format!("pattern: {}", e.to_string().replace('\n', " "))))
}

impl State {
    /// An agent waits; the answer comes with [`State::check_waits`], at once where it is met already.
    pub(super) fn begin_wait(
        &mut self,
        (token, id): (u64, u64),
        agent: &str,
        wanted: &Wanted,
    ) -> Result<(), Refused> {
        if !self.board.is_shared && matches!(wanted.until, Until::CommandFinished | Until::OutputMatches) {
            return Err(self.board.not_shared());
        }
        let of_it = self.waits.waits.iter().filter(|wait| wait.token == token).count();
        if of_it >= EACH || self.waits.waits.len() >= ALL {
            return Err(Refused::new(Why::Busy, "too many waits at once"));
        }
        let pattern = match wanted.until {
            Until::OutputMatches => Some(compiled(wanted.pattern.as_deref())?),
            _ => None,
        };
        let timeout = Duration::from_millis(wanted.timeout_ms.min(WAIT_LIMIT_MS));
        self.waits.waits.push(Wait {
            token,
            id,
            agent: agent.to_owned(),
            until: wanted.until,
            deadline: Instant::now() + timeout,
            pattern,
            from: wanted.since_cursor.unwrap_or_else(|| self.transcript.end()),
            commands: wanted.since_commands.unwrap_or(self.board.commands),
        });
        self.waits.match_at = None;
        Ok(())
    }

    /// Answers those that are met, or over.
    pub(super) fn check_waits(&mut self) {
        let now = Instant::now();
        let looks = self.looks_at_output(now);
        let mut waits = std::mem::take(&mut self.waits.waits);
        waits.retain(|wait| {
            let met = self.is_met(wait, looks, now);
            let is_over = now >= wait.deadline || self.board.exit.is_some();
            let is_closed =
                !self.board.is_shared && matches!(wait.until, Until::CommandFinished | Until::OutputMatches);
            let result = match met {
                _ if is_closed => Err(self.board.not_shared()),
                Ok(None) if !is_over => return true,
                Ok(found) => Ok(self.waited(wait, found, now)),
                Err(refused) => Err(refused),
            };
            self.end_wait(wait, &result);
            false
        });
        self.waits.waits = waits;
    }

    /// Whether patterns are held against output now; if not yet, it is not told of more before that.
    fn looks_at_output(&mut self, now: Instant) -> bool {
        if !self.waits.of(Until::OutputMatches) {
            self.inbox.want_output(self.waits.of(Until::Idle) && self.board.last_output.is_none());
            return false;
        }
        let looks = self.waits.match_at.is_none_or(|at| now >= at) || self.board.exit.is_some();
        if looks {
            self.waits.match_at = None;
            self.inbox.want_output(true);
            // What came before it was wanted.
            self.take_heap();
        }
        looks
    }

    /// `Some` once it is met, with the line that matched.
    fn is_met(&mut self, wait: &Wait, looks: bool, now: Instant) -> Result<Option<Value>, Refused> {
        let board = &self.board;
        let met = match wait.until {
            Until::Exited => board.exit.is_some(),
            Until::AtPrompt => board.seen.state == Shell::AtPrompt && !board.is_secret(),
            Until::Idle => board.is_quiet(now) && board.seen.state != Shell::FullScreen && !board.is_secret(),
            Until::CommandFinished => board.commands > wait.commands,
            Until::OutputMatches if looks && !board.is_secret() => {
                self.waits.match_at = Some(now + AGAIN);
                let text = self.transcript.since(wait.from, LOOKED_AT, &mut self.redactor);
                let text = text.map_err(|why| Refused::new(Why::Failed, why.to_string()))?;
                let line = |at: usize| text[at..].lines().next().unwrap_or_default();
                let found = wait.pattern.as_ref().and_then(|pattern| pattern.find(&text));
                let start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
                return Ok(found.map(|found| json!(crate::text::cut(line(start(found.start())), 1000))));
            }
            Until::OutputMatches => false,
        };
        Ok(met.then_some(Value::Null))
    }

    fn waited(&self, wait: &Wait, found: Option<Value>, now: Instant) -> Value {
        let (is_met, exit) = (found.is_some(), self.board.exit);
        let mut value = json!({
            "met": is_met, "timed_out": !is_met && exit.is_none(), "state": self.board.state(now),
        });
        if self.board.is_shared {
            value["commands"] = json!(self.board.commands);
            value["cursor"] = json!(self.transcript.end());
        }
        if let Some(exit) = exit {
            value["exit_code"] = json!(exit);
        }
        if wait.until == Until::CommandFinished && is_met {
            value["last_exit_code"] = json!(self.board.last.as_ref().and_then(|last| last.exit));
        }
        if let Some(Value::String(line)) = found {
            value["line"] = json!(line);
        }
        value
    }

    fn end_wait(&mut self, wait: &Wait, result: &Result<Value, Refused>) {
        let outcome = match result {
            Ok(value) if value["met"] == true => "met",
            Ok(value) if value["timed_out"] == true => "timed out",
            Ok(_) => "the session ended",
            Err(refused) => &refused.message,
        };
        let outcome = outcome.to_owned();
        self.called(&wait.agent, "session", "wait", &outcome);
        if let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == wait.token) {
            conn.send(&answer(wait.id, result));
        }
    }
}
