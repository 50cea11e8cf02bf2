//! Who asks: each agent by its name, with how much it may ask, and whether the user has muted it.

use std::time::{Duration, Instant};

use super::conn::Conn;

/// Agents that are known; more than anybody attaches.
const AGENTS: usize = 16;
/// Calls that one agent may have in a burst, and how fast they come back.
const BURST: f64 = 60.0;
const A_SECOND: f64 = 20.0;
/// How often it is recorded that calls were too many.
const TOLD: Duration = Duration::from_secs(10);

/// A row for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    pub name: String,
    pub pid: Option<i32>,
    pub calls: u64,
    /// What it did last.
    pub last: String,
    pub is_muted: bool,
    pub is_connected: bool,
}

struct Agent {
    name: String,
    pid: Option<i32>,
    calls: u64,
    last: String,
    is_muted: bool,
    seen_at: Instant,
    left: f64,
    told_at: Option<Instant>,
}

#[derive(Default)]
pub(super) struct Agents(Vec<Agent>);

/// Whether a call may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Granted,
    Muted,
    /// Too many; whether that is to be recorded.
    TooMany {
        is_new: bool,
    },
    /// There are too many agents.
    Full,
}

impl Agents {
    /// An agent asks something. A muted one is known by its process, too: another name does not help it.
    pub(super) fn ask(&mut self, name: &str, pid: Option<i32>, what: &str, now: Instant) -> Leave {
        if self.0.iter().any(|agent| agent.is_muted && (agent.name == name || is_same(agent.pid, pid))) {
            return Leave::Muted;
        }
        let at = match self.0.iter().position(|agent| agent.name == name) {
            Some(at) => at,
            None if self.0.len() < AGENTS || self.forget(now) => {
                self.0.push(Agent::new(name, now));
                self.0.len() - 1
            }
            None => return Leave::Full,
        };
        let agent = &mut self.0[at];
        let earned = (now - agent.seen_at).as_secs_f64() * A_SECOND;
        agent.left = (agent.left + earned).min(BURST);
        (agent.seen_at, agent.pid) = (now, pid);
        if agent.left < 1.0 {
            let is_new = agent.told_at.is_none_or(|at| now - at > TOLD);
            if is_new {
                agent.told_at = Some(now);
            }
            return Leave::TooMany { is_new };
        }
        agent.left -= 1.0;
        agent.calls += 1;
        what.clone_into(&mut agent.last);
        Leave::Granted
    }

    /// Makes room by one that has not been heard for a while, and that the user has said nothing of.
    fn forget(&mut self, now: Instant) -> bool {
        let old = |agent: &Agent| !agent.is_muted && now - agent.seen_at > TOLD;
        let Some(at) = self.0.iter().position(old) else { return false };
        self.0.remove(at);
        true
    }

    pub(super) fn mute(&mut self, name: &str, on: bool) {
        self.0.iter_mut().filter(|agent| agent.name == name).for_each(|agent| agent.is_muted = on);
    }

    pub(super) fn rows(&self, conns: &[Conn]) -> Vec<Attached> {
        let row = |agent: &Agent| Attached {
            name: agent.name.clone(),
            pid: agent.pid,
            calls: agent.calls,
            last: agent.last.clone(),
            is_muted: agent.is_muted,
            is_connected: conns.iter().any(|conn| conn.agent.as_ref() == Some(&agent.name)),
        };
        self.0.iter().map(row).collect()
    }
}

impl Agent {
    fn new(name: &str, now: Instant) -> Self {
        Self {
            name: name.to_owned(),
            pid: None,
            calls: 0,
            last: String::new(),
            is_muted: false,
            seen_at: now,
            left: BURST,
            told_at: None,
        }
    }
}

fn is_same(one: Option<i32>, other: Option<i32>) -> bool {
    one.is_some() && one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_refused_and_told_once_and_ends() {
        let (mut agents, start) = (Agents::default(), Instant::now());
        let asked: Vec<Leave> = (0..1000).map(|_| agents.ask("a", Some(7), "output", start)).collect();
        assert_eq!(asked.iter().filter(|leave| **leave == Leave::Granted).count(), BURST as usize);
        assert_eq!(asked.iter().filter(|leave| **leave == Leave::TooMany { is_new: true }).count(), 1);
        assert_eq!(agents.ask("b", Some(8), "output", start), Leave::Granted, "another is not held back");
        assert_eq!(agents.ask("a", Some(7), "output", start + Duration::from_secs(1)), Leave::Granted);
    }

    #[test]
    fn a_muted_agent_is_muted_under_any_name_of_its_process() {
        let (mut agents, now) = (Agents::default(), Instant::now());
        agents.ask("a", Some(7), "say", now);
        agents.mute("a", true);
        assert_eq!(agents.ask("a", Some(9), "say", now), Leave::Muted);
        assert_eq!(agents.ask("other", Some(7), "say", now), Leave::Muted);
        agents.mute("a", false);
        assert_eq!(agents.ask("a", Some(7), "say", now), Leave::Granted);
    }

    #[test]
    fn names_are_bounded() {
        let (mut agents, now) = (Agents::default(), Instant::now());
        let asked: Vec<Leave> = (0..100).map(|n| agents.ask(&n.to_string(), Some(n), "", now)).collect();
        assert_eq!(asked.iter().filter(|leave| **leave == Leave::Full).count(), 100 - AGENTS);
    }
}
