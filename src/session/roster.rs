//! The pages of this user's sessions and of the agents that are attached to this one.

use super::Side;
use super::waiting::ago;
use crate::ui::{List, Roster, RosterKey, Row};
use serde_json::Value;
use std::time::Instant;

/// Cards of another session that are listed.
const CARDS: usize = 9;

impl Side {
    pub(super) fn open_roster(&mut self, list: List) {
        if list == List::Sessions {
            self.agents.sessions = None;
            self.agents.look_for_sessions();
        }
    }

    /// What the page shows, while one is open.
    pub(super) fn roster(&self) -> Option<Roster> {
        Some(match self.panel.view.roster()? {
            List::Sessions => self.sessions_page(),
            List::Agents => self.agents_page(),
        })
    }

    fn sessions_page(&self) -> Roster {
        let (head, rows) = match &self.agents.sessions {
            None => ("Looking…".to_owned(), Vec::new()),
            Some(Err(why)) => (format!("They cannot be listed: {why}"), Vec::new()),
            Some(Ok(all)) => {
                let own = self.linus.session_id();
                (format!("{} live", all.len()), all.iter().map(|about| session_row(about, own)).collect())
            }
        };
        Roster { title: "Your sessions", head, rows, keys: vec![('r', "look again")] }
    }

    fn agents_page(&self) -> Roster {
        let agents = &self.agents;
        let shared = if agents.is_shared { "shared" } else { "not shared" };
        let mut head = match &agents.failure {
            Some(why) => format!("Agents cannot find this session: {why}"),
            None => format!("This session is {}, and {shared}.", agents.alias),
        };
        if agents.attached.is_empty() {
            head.push_str(" No agent has asked for anything.");
        }
        let row = |agent: &crate::agents::hub::Attached| {
            let is = match (agent.is_muted, agent.is_connected) {
                (true, _) => "muted",
                (false, true) => "attached",
                (false, false) => "was here",
            };
            let pid = agent.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
            Row {
                key: agent.name.clone(),
                text: format!("{}: {is}", agent.name),
                below: vec![format!("{} calls, the last: {}{pid}", agent.calls, agent.last)],
            }
        };
        let share = if agents.is_shared { "stop sharing" } else { "share this session" };
        let keys = vec![('s', share), ('m', "mute, or let speak"), ('x', "disconnect")];
        Roster { title: "Other agents", head, rows: agents.attached.iter().map(row).collect(), keys }
    }

    /// A key on a page.
    pub(super) fn on_roster(&mut self, key: &RosterKey, _: Instant) {
        self.panel.dirty = true;
        match (key.list, key.key, &key.row) {
            (List::Sessions, 'r', _) => self.open_roster(List::Sessions),
            (List::Agents, 's', _) => self.toggle_share(),
            (List::Agents, 'm', Some(name)) => {
                let is_muted = self.agents.attached.iter().any(|agent| agent.name == *name && agent.is_muted);
                self.agents.mute(name, !is_muted);
            }
            (List::Agents, 'x', Some(name)) => self.agents.disconnect(name),
            _ => {}
        }
    }
}

/// `web-1  root@web  at_prompt  2 cards`
fn session_row(about: &Value, own: &str) -> Row {
    let text = |key: &str| about[key].as_str().unwrap_or_default();
    let pending = about["pending_cards"].as_u64().unwrap_or_default();
    let cards = match pending {
        0 => String::new(),
        1 => "  1 card".to_owned(),
        n => format!("  {n} cards"),
    };
    let here = if text("id") == own { "  (this one)" } else { "" };
    let shared = if about["shared"] == true { "  shared" } else { "" };
    let mut below = vec![format!("since {}", ago(about["age_s"].as_u64().unwrap_or_default()))];
    if let Some(command) = about["last_command"]["command"].as_str() {
        let exit = about["last_command"]["exit_code"].as_i64();
        let exit = exit.map_or_else(|| "?".to_owned(), |code| code.to_string());
        below.push(format!("last: {command} → {exit}"));
    }
    let open = |card: &&Value| matches!(card["state"].as_str(), Some("proposed" | "edited"));
    let listed = about["cards"].as_array().into_iter().flatten().filter(open).take(CARDS);
    below.extend(listed.map(|card| {
        format!(
            "{}: {}",
            card["by"].as_str().unwrap_or_default(),
            card["command"].as_str().unwrap_or_default()
        )
    }));
    let line = format!("{}  {}  {}{cards}{shared}{here}", text("alias"), text("ssh_host"), text("state"));
    Row { key: text("id").to_owned(), text: line, below }
}
