//! One session with a user: the plan at hand, the cards on the panel, what was already said.

use super::runbook::compiled::Runbook;
use super::runbook::outcome::{Outcome, Proposal};
use super::runbook::plan::{Observed, Plan, path_in};
use super::{plain, runbook};
use crate::linus::contract::{
    ChatContext, ChatResponse, ClearSuggestions, Context, Envelope, IntentUpdate, Risk, Source,
    SuggestedCommands, Suggestion,
};
use std::collections::BTreeSet;

/// Findings that are remembered as said. A plan has a few dozen; when it is full, one may be told twice.
const MAX_SAID: usize = 256;
/// A question that is longer is a paste: its first part decides.
const MAX_QUESTION: usize = 4096;

#[derive(Default)]
pub(crate) struct Session {
    is_introduced: bool,
    plan: Option<Plan>,
    cards: Vec<Live>,
    last_id: u32,
    intent: Option<IntentUpdate>,
    said: BTreeSet<String>,
    /// A card's command was reported without output: what it prints comes with the updates, or never.
    waiting: Option<Live>,
}

/// A card on the panel.
#[derive(Clone)]
struct Live {
    id: String,
    proposal: Proposal,
}

/// A command that was run.
pub(crate) struct Executed<'a> {
    pub(crate) command: &'a str,
    pub(crate) source: Source,
    pub(crate) suggestion_id: Option<&'a str>,
    pub(crate) output: &'a str,
    pub(crate) exit_code: Option<i32>,
    pub(crate) context: &'a Context,
}

impl Session {
    pub(crate) fn chat(&mut self, message: &str, context: &ChatContext) -> Envelope {
        let message = plain::first(message, MAX_QUESTION);
        if says_nothing(message)
            && let (Some(plan), Some(card)) = (&mut self.plan, self.waiting.take())
        {
            if let Some(flag) = &card.proposal.empty {
                plan.set_flag(flag);
            }
            return self.answer(Vec::new(), Tell::New);
        }
        let is_root = context.ssh_user == "root";
        let about = runbook::compiled_in().iter().find(|r| r.is_about(message));
        let is_vague = is_vague(message);
        if let Some(runbook) = about {
            let asked = path_in(message);
            if !self
                .plan
                .as_ref()
                .is_some_and(|p| p.runbook.name == runbook.name && (asked.is_none() || p.asked == asked))
            {
                self.begin(Plan::new(runbook, message, is_root));
            }
            self.read_screen(context);
            return self.answer(Vec::new(), Tell::All);
        }
        if self.plan.is_some() && is_vague {
            self.read_screen(context);
            return self.answer(Vec::new(), Tell::All);
        }
        let on_screen = Self::on_screen(context, is_root);
        match on_screen {
            Some(plan) if is_vague && self.plan.is_none() => {
                let lead = format!("You did not ask about it, but the screen says: {}.", plan.runbook.title);
                self.begin(plan);
                self.answer(vec![lead], Tell::All)
            }
            other => self.unknown(other.as_ref().map(|p| p.runbook.as_ref())),
        }
    }

    /// What a runbook recognises on the screen without being asked.
    fn on_screen(context: &ChatContext, is_root: bool) -> Option<Plan> {
        runbook::compiled_in().iter().find_map(|runbook| {
            let mut plan = Plan::new(runbook, "", is_root);
            plan.observe(&context.terminal_tail, None, context.cwd.as_deref());
            plan.begin();
            plan.shows_on_screen().then_some(plan)
        })
    }

    fn begin(&mut self, plan: Plan) {
        self.plan = Some(plan);
        self.said.clear();
        self.intent = None;
        self.waiting = None;
    }

    fn read_screen(&mut self, context: &ChatContext) {
        let is_new = self.intent.is_none();
        if let Some(plan) = &mut self.plan {
            plan.observe(&context.terminal_tail, None, context.cwd.as_deref());
            if is_new {
                plan.begin();
            }
        }
    }

    pub(crate) fn terminal_update(&mut self, new_output: &str, context: &Context) -> Envelope {
        let Some(plan) = &mut self.plan else { return Envelope::default() };
        let observed = plan.observe(new_output, None, context.cwd.as_deref());
        if !observed.has_news && !observed.has_trouble {
            return Envelope::default();
        }
        // The prose comes with the command's report, unless that was already made and had no output yet.
        let tell = if self.waiting.take().is_some() { Tell::New } else { Tell::Nothing };
        self.answer(Vec::new(), tell)
    }

    pub(crate) fn command_executed(&mut self, executed: &Executed<'_>) -> Envelope {
        let Some(plan) = &mut self.plan else { return Envelope::default() };
        let observed = plan.observe(executed.output, Some(executed.command), executed.context.cwd.as_deref());
        let at = self.cards.iter().position(|card| match executed.source {
            Source::Suggested => executed.suggestion_id == Some(card.id.as_str()),
            Source::UserTyped => card.proposal.command == executed.command.trim(),
        });
        let card = at.map(|at| self.cards[at].clone());
        let mut notes = Vec::new();
        if let Some(card) = &card {
            // An edited command is not what the card promised: only its output counts.
            if card.proposal.command == executed.command.trim() {
                notes.extend(self.conclude(card, executed, observed));
            }
        } else if !observed.has_news && !observed.has_trouble {
            return Envelope::default();
        }
        let consumed = card.map(|c| c.id);
        self.answer_after(notes, Tell::New, consumed.as_deref())
    }

    /// What the end of a card's own command says beyond its output.
    fn conclude(&mut self, card: &Live, executed: &Executed<'_>, observed: Observed) -> Option<String> {
        let plan = self.plan.as_mut()?;
        let is_blank = plain::clean(executed.output).trim().is_empty();
        let has_failed = executed.exit_code.is_some_and(|code| code != 0);
        let command = plain::printable(executed.command);
        match &card.proposal {
            Proposal { remedy: Some(remedy), .. } if !has_failed && !observed.has_trouble => {
                plan.mark_tried(remedy, card.proposal.risk > Risk::Low);
                None
            }
            Proposal { empty: Some(flag), .. } if is_blank => match executed.exit_code {
                // lsof and grep end with 1 when they find nothing.
                Some(0 | 1) => {
                    plan.set_flag(flag);
                    None
                }
                // No status: it may still run. Silence is no evidence.
                None => {
                    self.waiting = Some(card.clone());
                    Some(format!(
                        "No output from `{command}` yet. I read it when it comes; if it ended without any, say \"nothing\"."
                    ))
                }
                Some(code) => Some(format!("`{command}` ended with {code} and said nothing.")),
            },
            _ if has_failed && observed.rows == 0 && !observed.has_trouble => {
                let clean = plain::clean(executed.output);
                let first = clean.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("no output");
                let code = executed.exit_code.unwrap_or_default();
                Some(format!(
                    "`{command}` ended with {code}: {}\nThat error I do not know.",
                    plain::printable(first)
                ))
            }
            _ if is_blank && executed.exit_code.is_none() => {
                self.waiting = Some(card.clone());
                None
            }
            _ => None,
        }
    }

    fn unknown(&mut self, seen: Option<&Runbook>) -> Envelope {
        self.is_introduced = true;
        let mut message = format!("I don't know. {}", introduction());
        if let Some(seen) = seen {
            message.push_str(&format!("\nWhat I do see on the screen: {}. Ask me about it.", seen.title));
        }
        if let Some(current) = self.plan.as_ref().and_then(|p| p.outcome().current) {
            message.push_str(&format!("\nThe plan at hand still stands; its next step: {current}."));
        }
        Envelope {
            chat_response: Some(ChatResponse { message, mentions: Vec::new() }),
            ..Envelope::default()
        }
    }

    fn answer(&mut self, notes: Vec<String>, tell: Tell) -> Envelope {
        self.answer_after(notes, tell, None)
    }

    /// The envelope for the plan as it stands. `consumed` is a card that was sent and is therefore gone.
    fn answer_after(&mut self, notes: Vec<String>, tell: Tell, consumed: Option<&str>) -> Envelope {
        let Some(plan) = &mut self.plan else { return Envelope::default() };
        let outcome = plan.outcome();
        let before: Vec<String> = self.cards.iter().map(|c| c.id.clone()).collect();
        self.cards.retain(|c| Some(c.id.as_str()) != consumed);
        let cards = self.place(&outcome);
        let gone: Vec<String> =
            before.iter().filter(|id| self.cards.iter().all(|c| c.id != **id)).cloned().collect();
        let is_news = !gone.is_empty() || self.cards.len() != before.len();
        let mut envelope =
            Envelope { chat_response: self.speak(&outcome, notes, tell), ..Envelope::default() };
        if self.intent.as_ref() != Some(&outcome.intent) || tell == Tell::All {
            envelope.intent_update = Some(outcome.intent.clone());
            self.intent = Some(outcome.intent);
        }
        if !cards.is_empty() && (is_news || tell == Tell::All) {
            envelope.suggested_commands = Some(SuggestedCommands { commands: cards });
        }
        if outcome.is_closed {
            envelope.clear_suggestions =
                (!before.is_empty()).then(|| ClearSuggestions { ids: Vec::new(), all: true });
            self.cards.clear();
            self.plan = None;
        } else if !gone.is_empty() {
            envelope.clear_suggestions = Some(ClearSuggestions { ids: gone, all: false });
        }
        envelope
    }

    /// Gives the outcome's cards their ids: a card that is already there keeps its own.
    fn place(&mut self, outcome: &Outcome) -> Vec<Suggestion> {
        let wanted: &[Proposal] = if outcome.is_closed { &[] } else { &outcome.cards };
        let mut placed = Vec::with_capacity(wanted.len());
        for proposal in wanted {
            let old =
                self.cards.iter().find(|c| c.proposal.command == proposal.command).map(|c| c.id.clone());
            let id = old.unwrap_or_else(|| {
                self.last_id += 1;
                format!("cmd_{:03}", self.last_id)
            });
            placed.push(Live { id, proposal: proposal.clone() });
        }
        self.cards = placed;
        let card = |c: &Live| Suggestion {
            id: c.id.clone(),
            command: c.proposal.command.clone(),
            description: c.proposal.text.clone(),
            risk: c.proposal.risk,
        };
        self.cards.iter().map(card).collect()
    }

    fn speak(&mut self, outcome: &Outcome, notes: Vec<String>, tell: Tell) -> Option<ChatResponse> {
        if tell == Tell::Nothing {
            return None;
        }
        let mut parts = notes;
        parts.extend(self.plan.as_mut().map(Plan::take_troubles).unwrap_or_default());
        for finding in &outcome.findings {
            let is_new = !self.said.contains(finding);
            if is_new && self.said.len() < MAX_SAID {
                self.said.insert(finding.clone());
            }
            if is_new || tell == Tell::All {
                parts.push(finding.clone());
            }
        }
        if parts.is_empty() && tell == Tell::New {
            return None;
        }
        let mentions: Vec<String> = self.cards.iter().take(1).map(|c| c.id.clone()).collect();
        if let (Some(current), Some(card)) = (&outcome.current, mentions.first()) {
            parts.push(format!("Next: {current} ({card})."));
        }
        if !self.is_introduced {
            self.is_introduced = true;
            parts.push(introduction());
        }
        Some(ChatResponse { message: parts.join("\n"), mentions })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tell {
    /// Everything known: the user asked.
    All,
    /// What was not said yet: something happened.
    New,
    /// Panels only.
    Nothing,
}

/// Who answers, and what he knows.
pub(crate) fn introduction() -> String {
    let titles: Vec<&str> = runbook::compiled_in().iter().map(|r| r.title.as_str()).collect();
    format!("I am the built-in Linus: runbooks, no model. I know: {}.", titles.join(", "))
}

/// "What now?", "is something wrong?": questions that name no subject.
fn is_vague(message: &str) -> bool {
    const WORDS: [&str; 14] = [
        "next",
        "continue",
        "go on",
        "now what",
        "what now",
        "and now",
        "wrong",
        "what is this",
        "what's this",
        "help",
        "problem",
        "happen",
        "look",
        "status",
    ];
    let message = message.to_lowercase();
    message.len() < 120 && (WORDS.iter().any(|w| message.contains(w)) || message.trim() == "?")
}

fn says_nothing(message: &str) -> bool {
    let word = message.trim().trim_end_matches(['.', '!']).to_lowercase();
    matches!(word.as_str(), "nothing" | "no output" | "none" | "empty" | "nothing came")
}
