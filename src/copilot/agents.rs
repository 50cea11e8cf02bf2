//! Blocks of the contract from other agents: the same cards, plan and chat as Linus's, under the agent's name.

use std::time::Instant;

use super::Copilot;
use super::happening::Happening;
use super::intent::Intent;
use crate::linus::contract::{Envelope, Suggestion};
use crate::linus::redact;

/// Open cards that all agents may have at once: Linus's must have room, too.
const OPEN: usize = 12;

impl Copilot {
    /// What an agent brings. The value is what was left out, a sentence each, for the agent.
    ///
    /// # Errors
    /// Nothing of it was taken, and why.
    pub fn apply_from(
        &mut self,
        agent: &str,
        mut envelope: Envelope,
        now: Instant,
    ) -> Result<Vec<String>, String> {
        let place = self.suggestions.place().clone();
        name_ids(&mut envelope, agent);
        let commands = envelope.suggested_commands.map(|block| block.commands).unwrap_or_default();
        let files = envelope.file_actions.map(|block| block.actions).unwrap_or_default();
        if commands.iter().any(names_a_secret) {
            return Err("a placeholder such as ‹password-1› stands for a secret that only Linus's cards may use: write a \
                        hole, <PASSWORD>, that the user fills in"
                .to_owned());
        }
        let is_new = |id: &str| self.suggestions.get(id).is_none() && self.files.get(id).is_none();
        let new = commands.iter().filter(|command| is_new(&command.id)).count() + files.len();
        if self.open_of_agents() + new > OPEN {
            return Err(format!("agents may have {OPEN} open cards together: clear some of yours"));
        }
        let clear = envelope.clear_suggestions.as_ref();
        let mut left_out = self.files.apply(Some(agent), clear, files);
        left_out.extend(self.suggestions.apply(Some(agent), clear, commands, &place, now));
        if let Some(update) = envelope.intent_update {
            let mut intent = Intent::from_wire(update);
            intent.summary = format!("{agent}: {}", intent.summary);
            self.happened.push(Happening::Planned(intent.clone()));
            self.intent = Some(intent);
        }
        if let Some(response) = envelope.chat_response {
            self.chat.heard(agent, &response.message);
            self.happened.push(Happening::Said { by: agent.to_owned(), text: response.message });
        }
        Ok(left_out)
    }

    fn open_of_agents(&self) -> usize {
        let cards = self.suggestions.cards().filter(|card| card.sender.is_some() && card.is_open()).count();
        cards + self.files.open().filter(|card| card.sender.is_some()).count()
    }
}

/// An agent's ids begin with its name, so that nobody's card is taken for another's.
pub fn own_id(agent: &str, id: &str) -> String {
    let prefix = format!("{agent}:");
    if id.starts_with(&prefix) { id.to_owned() } else { format!("{prefix}{id}") }
}

fn name_ids(envelope: &mut Envelope, agent: &str) {
    let commands = envelope.suggested_commands.iter_mut().flat_map(|block| &mut block.commands);
    for command in commands {
        command.id = own_id(agent, &command.id);
        command.description = format!("{agent}: {}", command.description);
    }
    let ids = envelope.clear_suggestions.iter_mut().flat_map(|clear| &mut clear.ids);
    ids.for_each(|id| *id = own_id(agent, id));
    let files = envelope.file_actions.iter_mut().flat_map(|block| &mut block.actions);
    for (n, file) in files.enumerate() {
        let id = file.id.clone().unwrap_or_else(|| format!("file_{}", n + 1));
        file.id = Some(own_id(agent, &id));
    }
}

/// Placeholders are this session's own; what an agent was shown has others.
fn names_a_secret(suggestion: &Suggestion) -> bool {
    let texts = [Some(&suggestion.command), suggestion.undo.as_ref(), suggestion.verify.as_ref()];
    texts.into_iter().flatten().any(|text| !redact::places(text).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn suggest(id: &str, command: &str) -> Envelope {
        let card = json!({"id": id, "command": command, "risk": "low"});
        Envelope::read(&json!({"suggested_commands": {"commands": [card]}})).0
    }

    fn clear_all() -> Envelope {
        Envelope::read(&json!({"clear_suggestions": {"all": true}})).0
    }

    fn ids(copilot: &Copilot) -> Vec<&str> {
        copilot.suggestions.cards().map(|card| card.id.as_str()).collect()
    }

    #[test]
    fn nobodys_cards_are_touched_by_another() {
        let (mut copilot, now) = (Copilot::new("built-in"), Instant::now());
        copilot.apply(suggest("c1", "df -h"), now);
        assert_eq!(copilot.apply_from("a", suggest("c1", "uptime"), now), Ok(vec![]));
        assert_eq!(copilot.apply_from("b", suggest("c1", "id"), now), Ok(vec![]));
        assert_eq!(ids(&copilot), ["c1", "a:c1", "b:c1"]);
        // Not even by a name that is made up for it.
        copilot.apply(suggest("a:c1", "rm -rf /"), now);
        copilot.apply_from("a", suggest("b:c1", "rm -rf /"), now).expect("its own card a:b:c1");
        assert!(
            copilot
                .suggestions
                .cards()
                .filter(|card| card.command.starts_with("rm"))
                .all(|c| c.id == "a:b:c1")
        );
        copilot.apply_from("a", clear_all(), now).expect("cleared");
        assert_eq!(ids(&copilot), ["c1", "b:c1"]);
        copilot.apply(clear_all(), now);
        assert_eq!(ids(&copilot), ["b:c1"]);
    }

    #[test]
    fn an_agent_has_its_name_at_everything() {
        let (mut copilot, now) = (Copilot::new("built-in"), Instant::now());
        copilot.apply_from("a", suggest("c", "df"), now).expect("taken");
        let blocks =
            json!({"chat_response": {"message": "hello"}, "intent_update": {"summary": "plan", "steps": []}});
        copilot.apply_from("a", Envelope::read(&blocks).0, now).expect("taken");
        let card = copilot.suggestions.get("a:c").expect("there");
        assert_eq!((card.by(), card.description.as_str()), ("a", "a:"));
        assert_eq!(copilot.intent.as_ref().map(|intent| intent.summary.as_str()), Some("a: plan"));
        assert_eq!(copilot.chat.entries().last().map(|entry| entry.text.as_str()), Some("a: hello"));
    }

    #[test]
    fn cards_of_agents_are_bounded_and_have_no_placeholders() {
        let (mut copilot, now) = (Copilot::new("built-in"), Instant::now());
        for n in 0..OPEN {
            copilot.apply_from("a", suggest(&format!("c{n}"), "df"), now).expect("room");
        }
        assert!(
            copilot.apply_from("b", suggest("c", "df"), now).is_err_and(|why| why.contains("clear some"))
        );
        assert_eq!(copilot.apply_from("a", suggest("c0", "uptime"), now), Ok(vec![]), "its own again");
        let secret = suggest("s", "mysql -p‹password-1›");
        assert!(copilot.apply_from("a", secret, now).is_err_and(|why| why.contains("placeholder")));
    }
}
