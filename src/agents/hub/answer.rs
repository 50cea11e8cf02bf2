//! What is asked of the session, and what it answers.

use std::time::Instant;

use serde_json::{Value, json};

use super::agents::Leave;
use super::waits::Wanted;
use super::{Act, State};
use crate::agents::protocol::{Ask, News, Refused, Request, VERSION, Why, agent_name, answer};
use crate::agents::transcript::{Page, Want};

/// What the main loop has been asked and not answered yet.
const ASKED: usize = 16;

/// A call that the main loop answers.
pub(super) struct Asked {
    ticket: u64,
    token: u64,
    id: u64,
    agent: String,
    tool: &'static str,
    action: String,
}

/// Who asks what: the connection, the request's number, and the agent's name, which is empty for the user's own aissh.
struct Caller {
    token: u64,
    id: u64,
    agent: String,
}

impl State {
    pub(super) fn on_line(&mut self, token: u64, line: &[u8]) {
        let request = match serde_json::from_slice::<Request>(line) {
            Ok(request) => request,
            Err(e) => return self.on_nonsense(token, &e.to_string()),
        };
        let now = Instant::now();
        let own = request.agent.is_empty();
        let agent = if own { String::new() } else { agent_name(&request.agent) };
        let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == token) else { return };
        conn.active_at = now;
        let pid = conn.pid;
        let is_new = !own && conn.agent.as_ref() != Some(&agent);
        if is_new {
            conn.agent = Some(agent.clone());
        }
        let caller = Caller { token, id: request.id, agent };
        if request.v != VERSION {
            let what = format!("this session speaks version {VERSION} of the protocol, not {}", request.v);
            return self.refuse(&caller, &request.ask, &Refused::new(Why::Bad, what));
        }
        let (tool, action) = request.ask.name();
        let leave = match own {
            true => Leave::Granted,
            false => self.agents.ask(&caller.agent, pid, &format!("{tool} {action}"), now),
        };
        if is_new {
            self.tell_attached();
        }
        match leave {
            Leave::Granted => self.on_ask(&caller, &request.ask, now),
            Leave::Muted => {
                let what = "the user has muted this agent";
                self.refuse(&caller, &request.ask, &Refused::new(Why::Muted, what));
            }
            Leave::Full => {
                self.refuse(&caller, &request.ask, &Refused::new(Why::Busy, "too many agents are attached"));
            }
            Leave::TooMany { is_new } => {
                let refused = Refused::new(Why::Busy, "too many calls: wait a moment");
                match is_new {
                    true => self.refuse(&caller, &request.ask, &refused),
                    false => self.send(&caller, &Err(refused)),
                }
            }
        }
    }

    /// What is no request: answered once, and the connection is over.
    fn on_nonsense(&mut self, token: u64, why: &str) {
        let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == token) else { return };
        let agent = conn.agent.clone().unwrap_or_else(|| "an agent".to_owned());
        conn.is_over = true;
        conn.send(&answer(0, &Err(Refused::new(Why::Bad, format!("no request: {why}")))));
        self.called(&agent, "connect", "", "refused: what came is no request");
    }

    fn on_ask(&mut self, caller: &Caller, ask: &Ask, now: Instant) {
        let result = match ask {
            Ask::About => Ok(self.board.about(caller.agent.is_empty(), &mut self.redactor, now)),
            Ask::Output { raw, since_cursor, from_line, limit } => {
                let want = Want { since: *since_cursor, from: *from_line, limit: *limit };
                self.output(*raw, want)
            }
            Ask::Wait { until, timeout_ms, pattern, since_cursor, since_commands } => {
                let wanted = Wanted {
                    until: *until,
                    timeout_ms: *timeout_ms,
                    pattern: pattern.clone(),
                    since_cursor: *since_cursor,
                    since_commands: *since_commands,
                };
                match self.begin_wait((caller.token, caller.id), &caller.agent, &wanted) {
                    Ok(()) => return,
                    Err(refused) => Err(refused),
                }
            }
            Ask::Rename { alias } => self.rename(alias),
            Ask::Copilot { .. } | Ask::Host { .. } | Ask::Context => match self.hand_over(caller, ask) {
                Ok(()) => return,
                Err(refused) => Err(refused),
            },
            Ask::Watch => {
                let watching = self.conns.iter_mut().find(|conn| conn.token == caller.token);
                watching.into_iter().for_each(|conn| conn.is_watching = true);
                Ok(json!({"shared": self.board.is_shared}))
            }
        };
        match result {
            Ok(_) => self.tell_done(caller, ask),
            Err(ref refused) => return self.refuse(caller, ask, refused),
        }
        self.send(caller, &result);
    }

    fn output(&mut self, raw: bool, want: Want) -> Result<Value, Refused> {
        if !self.board.is_shared {
            return Err(self.board.not_shared());
        }
        if self.board.is_secret() {
            return Err(Refused::new(Why::Secret, "a secret is being entered: nothing is told meanwhile"));
        }
        let failed = |why: crate::linus::redact::Unredactable| Refused::new(Why::Failed, why.to_string());
        if raw {
            let page = self.transcript.raw(want, &mut self.redactor).map_err(failed)?;
            return Ok(paged(&page, "raw"));
        }
        let (page, current) = self.transcript.clean(want, &mut self.redactor).map_err(failed)?;
        let mut value = paged(&page, "clean");
        if !page.has_more() {
            value["current_line"] = json!(current);
        }
        Ok(value)
    }

    fn rename(&mut self, alias: &str) -> Result<Value, Refused> {
        if !self.board.is_shared {
            return Err(self.board.not_shared());
        }
        self.registration.rename(alias).map_err(|why| Refused::new(Why::Bad, format!("alias: {why}")))?;
        self.board.alias = self.registration.alias.clone();
        (self.act)(Act::Alias(self.board.alias.clone()));
        self.news(News::Listed);
        Ok(json!({"id": self.board.id, "alias": self.board.alias}))
    }

    /// To the main loop, which answers when it comes to it.
    fn hand_over(&mut self, caller: &Caller, ask: &Ask) -> Result<(), Refused> {
        if self.asked.len() >= ASKED {
            return Err(Refused::new(Why::Busy, "too many calls wait for the session"));
        }
        let (tool, action) = ask.name();
        self.next += 1;
        let ticket = self.next;
        let act = match ask {
            Ask::Copilot { .. } | Ask::Host { .. } if !self.board.is_shared => {
                return Err(self.board.not_shared());
            }
            Ask::Copilot { blocks, .. } => {
                Act::Call { ticket, agent: caller.agent.clone(), blocks: blocks.clone() }
            }
            Ask::Host { tool, arguments } => Act::Host {
                ticket,
                agent: caller.agent.clone(),
                tool: tool.clone(),
                arguments: arguments.clone(),
            },
            _ if !caller.agent.is_empty() => {
                return Err(Refused::new(Why::Bad, "only the user's own questions take a context"));
            }
            _ => Act::Context { ticket },
        };
        self.asked.push(Asked {
            ticket,
            token: caller.token,
            id: caller.id,
            agent: caller.agent.clone(),
            tool,
            action: action.to_owned(),
        });
        (self.act)(act);
        Ok(())
    }

    /// The main loop has answered.
    pub(super) fn on_done(&mut self, ticket: u64, result: &Result<Value, Refused>) {
        let Some(at) = self.asked.iter().position(|asked| asked.ticket == ticket) else { return };
        let asked = self.asked.remove(at);
        let outcome =
            result.as_ref().map_or_else(|why| format!("refused: {}", why.message), |_| "done".to_owned());
        self.called(who(&asked.agent), asked.tool, &asked.action, &outcome);
        if let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == asked.token) {
            conn.send(&answer(asked.id, result));
        }
    }

    fn refuse(&mut self, caller: &Caller, ask: &Ask, refused: &Refused) {
        let (tool, action) = ask.name();
        self.called(who(&caller.agent), tool, action, &format!("refused: {}", refused.message));
        self.send(caller, &Err(refused.clone()));
    }

    /// Every call of an agent's is recorded; that the user's own aissh lists the sessions is nobody's call.
    fn tell_done(&self, caller: &Caller, ask: &Ask) {
        if !caller.agent.is_empty() {
            let (tool, action) = ask.name();
            self.called(&caller.agent, tool, action, "done");
        }
    }

    fn send(&mut self, caller: &Caller, result: &Result<Value, Refused>) {
        if let Some(conn) = self.conns.iter_mut().find(|conn| conn.token == caller.token) {
            conn.send(&answer(caller.id, result));
        }
    }
}

fn who(agent: &str) -> &str {
    if agent.is_empty() { "the user" } else { agent }
}

/// A page as agents get it.
fn paged(page: &Page, format: &str) -> Value {
    json!({
        "format": format,
        "text": page.text,
        "start_offset": page.start,
        "oldest_offset": page.oldest,
        "cursor": page.end,
        "next_cursor": page.has_more().then_some(page.end),
        "has_more": page.has_more(),
        "truncated": page.truncated,
        "missed_count": page.missed,
    })
}
