//! One session with a user: the plan at hand, the cards on the panel, what was already said.

mod choose;
mod watch;

use super::question::{self, Talk};
use super::runbook::library::Library;
use super::runbook::outcome::{Outcome, Proposal};
use super::runbook::plan::{Asker, Observed, Plan};
use super::{command, plain, voice};
use crate::linus::contract::{
    ChatContext, ChatResponse, ClearSuggestions, Context, Envelope, IntentUpdate, Risk, Source,
    SuggestedCommands, Suggestion,
};
use crate::shell::{Dialect, dialect_of};
use crate::text::{cut, last};
use choose::Candidate;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Findings that are remembered as said. A plan has a few dozen; when it is full, one may be told twice.
const MAX_SAID: usize = 256;
/// A question that is longer is a paste: its first part decides.
const MAX_QUESTION: usize = 4096;
/// Of the terminal's text, this much from its end tells what prompts there.
const MAX_SCREEN: usize = 16 * 1024;
/// Characters of the next command in an answer: the card has all of it, and a panel's line about forty columns.
const MAX_NEXT: usize = 40;
/// Other subjects that are named beside the one that is told.
const MAX_OTHERS: usize = 2;

pub(crate) struct Session {
    library: Arc<Library>,
    is_introduced: bool,
    plan: Option<Plan>,
    /// Plans that wait while another is at hand, the last one last.
    shelf: Vec<Plan>,
    /// What the user was asked to choose among.
    choices: Vec<Plan>,
    /// Runbooks that were named without being asked for.
    mentioned: BTreeSet<String>,
    cards: Vec<Live>,
    last_id: u32,
    intent: Option<IntentUpdate>,
    said: BTreeSet<String>,
    /// What reads commands there.
    here: Dialect,
    /// A plan saw that this host has no systemd: the next ones need not find out.
    has_no_systemd: bool,
    /// A card's command was reported without output: what it prints comes with the updates, or never.
    waiting: Option<Live>,
    watch: watch::Watch,
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
    pub(crate) fn new(library: Arc<Library>) -> Self {
        Self {
            library,
            is_introduced: false,
            plan: None,
            shelf: Vec::new(),
            choices: Vec::new(),
            mentioned: BTreeSet::new(),
            cards: Vec::new(),
            last_id: 0,
            intent: None,
            said: BTreeSet::new(),
            here: Dialect::Unknown,
            has_no_systemd: false,
            waiting: None,
            watch: watch::Watch::default(),
        }
    }

    pub(crate) fn chat(&mut self, message: &str, context: &ChatContext) -> Envelope {
        let message = cut(message, MAX_QUESTION);
        self.look(if context.connected { &context.terminal_tail } else { "" });
        self.settle();
        if question::says_nothing(message)
            && let (Some(plan), Some(card)) = (&mut self.plan, self.waiting.take())
        {
            if let Some(flag) = &card.proposal.empty {
                plan.set_flag(flag);
            }
            return self.answer(Vec::new(), Tell::New);
        }
        if let Some(talk) = question::talk(message) {
            return self.talk(talk);
        }
        if watch::is_enough(message) {
            self.watch.end();
            return self.only_says(&[voice::QUIET.into()]);
        }
        if let Some(plan) = self.chosen(message) {
            self.turn_to(plan);
            return self.answer(Vec::new(), Tell::All);
        }
        // Outside of a session there is no host, and the terminal's text is what was piped in.
        let is_piped = !context.connected && context.ssh_host.is_empty();
        let asker = Asker { is_root: context.ssh_user == "root", is_piped };
        let mut found = self.candidates(message, context, asker);
        // In a session a plan that has nothing to say yet may wait; what was piped in is all there will be.
        let answers = |c: &Candidate| c.is_asked && !(is_piped && c.is_mute);
        if found.iter().any(answers) {
            found.retain(answers);
            return self.choose(found);
        }
        found.retain(|c| c.is_seen);
        self.without_subject(message, context, is_piped, found)
    }

    /// The answer to a question that is about no runbook: what stands, what is seen, or that he does not know.
    fn without_subject(
        &mut self,
        message: &str,
        context: &ChatContext,
        is_piped: bool,
        found: Vec<Candidate>,
    ) -> Envelope {
        if let Some(cli) = self.foreign().filter(|_| !self.has_plan_here()) {
            return self.has_nothing_for(cli);
        }
        let is_vague = question::is_vague(message);
        if self.has_plan_here() && is_vague {
            self.read_screen(context);
            return self.answer(Vec::new(), Tell::All);
        }
        let mut found = found.into_iter();
        let best = found.next();
        match best {
            Some(best) if self.plan.is_none() && (is_piped || is_vague) => {
                let lead = match (is_piped, is_vague) {
                    (true, true) => Vec::new(),
                    (true, false) => vec![voice::PIPED.into()],
                    (false, _) => vec!["You did not ask about it, but the screen says:".into()],
                };
                self.begin(best.plan);
                let others = found.take(MAX_OTHERS).filter(|c| c.plan.shows_on_screen());
                let others = others.filter_map(|c| voice::other(&c.plan)).collect();
                self.answer_after(Ended { notes: lead, others, ..Ended::default() }, Tell::All)
            }
            best => {
                let best = best.filter(|_| self.plan.is_none());
                let finding = best.and_then(|c| c.plan.outcome().findings.into_iter().next());
                self.unknown(finding.as_deref())
            }
        }
    }

    fn has_plan_here(&self) -> bool {
        self.plan.as_ref().is_some_and(|p| p.runbook.is_for(self.here))
    }

    /// What prompts at the end of the terminal decides which runbooks' commands can be typed there.
    pub(crate) fn look(&mut self, tail: &str) {
        self.here = dialect_of(&plain::clean(last(tail, MAX_SCREEN)));
    }

    /// All cards, if there are any.
    fn take_cards_back(&mut self) -> Option<ClearSuggestions> {
        let had = !std::mem::take(&mut self.cards).is_empty();
        had.then(|| ClearSuggestions { ids: Vec::new(), all: true })
    }

    /// The cards of a plan are not for this CLI; the plan stands for when its shell comes back.
    fn has_nothing_for(&mut self, cli: &str) -> Envelope {
        let clear_suggestions = self.take_cards_back();
        let mut parts = vec![voice::not_here(cli, self.here, &self.library)];
        self.sign(&mut parts);
        Envelope { clear_suggestions, ..self.only_says(&parts) }
    }

    fn read_screen(&mut self, context: &ChatContext) {
        let is_new = self.intent.is_none();
        if let Some(plan) = &mut self.plan {
            let clean = plain::clean(&context.terminal_tail);
            plan.observe(&self.library, &self.library.read(&clean, None, context.cwd.as_deref()));
            if is_new {
                plan.begin();
            }
        }
    }

    pub(crate) fn terminal_update(&mut self, new_output: &str, context: &Context) -> Envelope {
        if self.plan.is_some() && !self.has_plan_here() {
            return Envelope { clear_suggestions: self.take_cards_back(), ..Envelope::default() };
        }
        let Some(plan) = &mut self.plan else { return Envelope::default() };
        let clean = plain::clean(new_output);
        let observed = plan.observe(&self.library, &self.library.read(&clean, None, context.cwd.as_deref()));
        if !observed.has_news && !observed.has_trouble {
            return Envelope::default();
        }
        // The prose comes with the command's report, unless that was already made and had no output yet.
        match self.waiting.take() {
            Some(_) => self.answer_after(Ended { acknowledged: Some(READ), ..Ended::default() }, Tell::New),
            // The end is told at once: there is no plan any more when the command's report comes.
            None if plan.outcome().is_closed => self.answer(Vec::new(), Tell::New),
            None => self.answer(Vec::new(), Tell::Nothing),
        }
    }

    pub(crate) fn command_executed(&mut self, executed: &Executed<'_>) -> Envelope {
        if !self.has_plan_here() {
            return Envelope::default();
        }
        let library = self.library.clone();
        let clean = plain::clean(executed.output);
        let reading = library.read(&clean, Some(executed.command), executed.context.cwd.as_deref());
        let asker = Asker { is_root: executed.context.ssh_user == "root", is_piped: false };
        let also = self.also(&reading, asker);
        let Some(plan) = &mut self.plan else { return Envelope::default() };
        let observed = plan.observe(&library, &reading);
        let at = self.cards.iter().position(|card| match executed.source {
            Source::Suggested => executed.suggestion_id == Some(card.id.as_str()),
            Source::UserTyped if card.proposal.remedy.is_some() => {
                command::does_the_same(executed.command, &card.proposal.command)
            }
            Source::UserTyped => card.proposal.command == executed.command.trim(),
        });
        let card = at.map(|at| self.cards[at].clone());
        // What an update has read already is still to be told, also where it took the card away.
        let is_untold = plan.outcome().findings.iter().any(|finding| !self.said.contains(finding));
        let is_news = observed.has_news || observed.has_trouble || is_untold || also.is_some();
        if card.is_none() && !is_news {
            return Envelope::default();
        }
        let mut ended = Ended { others: also.into_iter().collect(), ..Ended::default() };
        if let Some(card) = &card {
            ended.notes.extend(self.conclude(card, executed, observed));
        }
        let is_waiting = self.waiting.as_ref().is_some_and(|w| card.as_ref().is_some_and(|c| c.id == w.id));
        if !is_waiting {
            ended.acknowledged = Some(acknowledge(card.as_ref(), executed, observed));
        }
        ended.consumed = card.map(|c| c.id);
        self.answer_after(ended, Tell::New)
    }

    /// What the end of a card's own command says beyond its output.
    fn conclude(&mut self, card: &Live, executed: &Executed<'_>, observed: Observed) -> Option<String> {
        let plan = self.plan.as_mut()?;
        let is_blank = plain::clean(executed.output).trim().is_empty();
        // The silence of an edited command is no evidence: it is not what the card promised.
        let is_verbatim = card.proposal.command == executed.command.trim();
        let has_failed = executed.exit_code.is_some_and(|code| code != 0);
        let command = plain::printable(executed.command);
        match &card.proposal {
            // Edited or not: the user did with it what they wanted, and it is not offered once more.
            Proposal { remedy: Some(remedy), .. } if !has_failed && !observed.has_trouble => {
                plan.mark_tried(remedy, card.proposal.risk > Risk::Low);
                None
            }
            Proposal { empty: Some(flag), .. } if is_blank && is_verbatim => match executed.exit_code {
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
            _ if is_blank && is_verbatim && executed.exit_code.is_none() => {
                self.waiting = Some(card.clone());
                None
            }
            _ => None,
        }
    }

    fn talk(&mut self, talk: Talk) -> Envelope {
        let mut parts = vec![voice::reply(talk, &self.library)];
        self.is_introduced |= matches!(talk, Talk::Hello | Talk::Who);
        parts.extend(self.next());
        self.only_says(&parts)
    }

    fn unknown(&mut self, seen: Option<&str>) -> Envelope {
        let mut parts = vec![voice::knows(&self.library)];
        parts.extend(seen.map(|seen| format!("What I do see on the screen: {seen}\nAsk me about it.")));
        if let Some(next) = self.next() {
            parts.push("The plan at hand still stands.".into());
            parts.push(next);
        }
        self.sign(&mut parts);
        self.only_says(&parts)
    }

    fn only_says(&self, parts: &[String]) -> Envelope {
        let chat_response = Some(ChatResponse { message: parts.join("\n"), mentions: self.mentions() });
        Envelope { chat_response, ..Envelope::default() }
    }

    /// Once in a session he says what he is.
    fn sign(&mut self, parts: &mut Vec<String>) {
        if !std::mem::replace(&mut self.is_introduced, true) {
            parts.push(format!("I am {}.", voice::WHO));
            parts.extend(self.library.left_out.as_deref().map(plain::printable));
        }
    }

    fn mentions(&self) -> Vec<String> {
        self.cards.iter().take(1).map(|c| c.id.clone()).collect()
    }

    /// The first card is the plan's next step.
    fn next(&self) -> Option<String> {
        let card = self.cards.first()?;
        let command = plain::printable(&card.proposal.command);
        let short: String = command.chars().take(MAX_NEXT).collect();
        let more = if short.len() < command.len() { "…" } else { "" };
        Some(format!("Next: {}{more} ({}).", short.trim_end(), card.id))
    }

    fn answer(&mut self, notes: Vec<String>, tell: Tell) -> Envelope {
        self.answer_after(Ended { notes, ..Ended::default() }, tell)
    }

    /// The envelope for the plan as it stands.
    fn answer_after(&mut self, ended: Ended, tell: Tell) -> Envelope {
        let Some(plan) = &mut self.plan else { return Envelope::default() };
        let outcome = plan.outcome();
        self.has_no_systemd |= plan.has_no_systemd();
        let before: Vec<String> = self.cards.iter().map(|c| c.id.clone()).collect();
        self.cards.retain(|c| Some(&c.id) != ended.consumed.as_ref());
        let cards = self.place(&outcome);
        let gone = out_of_place(&before, &self.cards);
        let is_news = !gone.is_empty() || self.cards.len() != before.len();
        let mut envelope =
            Envelope { chat_response: self.speak(&outcome, ended, tell), ..Envelope::default() };
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
            undo: None,
            verify: None,
            placeholders: Vec::new(),
        };
        self.cards.iter().map(card).collect()
    }

    fn speak(&mut self, outcome: &Outcome, ended: Ended, tell: Tell) -> Option<ChatResponse> {
        if tell == Tell::Nothing {
            return None;
        }
        let mut parts = ended.notes;
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
        parts.extend(ended.others);
        match (parts.is_empty(), ended.acknowledged, self.next()) {
            (true, None, _) if tell == Tell::New => return None,
            (true, Some(done), Some(next)) => parts.push(format!("{done} {next}")),
            (true, Some(done), None) => parts.push(done.into()),
            (true, None, None) => parts.push(voice::NOTHING.into()),
            (_, _, next) => parts.extend(next),
        }
        self.sign(&mut parts);
        Some(ChatResponse { message: parts.join("\n"), mentions: self.mentions() })
    }
}

/// What the end of a command leaves to say and to take away.
#[derive(Default)]
struct Ended {
    notes: Vec<String>,
    /// What other runbooks see, behind the findings.
    others: Vec<String>,
    /// The card that was sent and is therefore gone.
    consumed: Option<String>,
    /// Said where nothing else is: a person who did something wants to see that it was noticed.
    acknowledged: Option<&'static str>,
}

/// For output that was read and led to no new sentence.
const READ: &str = "Read.";

fn acknowledge(card: Option<&Live>, executed: &Executed<'_>, observed: Observed) -> &'static str {
    let is_remedy = card.is_some_and(|c| c.proposal.remedy.is_some());
    match executed.exit_code {
        Some(0) if is_remedy => "Done.",
        None if is_remedy => "It ended; I saw no error.",
        _ if observed.rows > 0 => READ,
        _ => "Nothing in that output that I can use.",
    }
}

/// The cards of the panel to take away: those that are not wanted any more, and those that a card that comes now
/// goes before. A panel appends what it does not have, so these leave and come again in the same reply.
fn out_of_place(before: &[String], wanted: &[Live]) -> Vec<String> {
    let is_wanted = |id: &&String| wanted.iter().any(|c| c.id == **id);
    let kept = before.iter().filter(is_wanted);
    let in_place = kept.zip(wanted).take_while(|(id, card)| **id == card.id).count();
    let stays = |id: &String| wanted.iter().take(in_place).any(|c| c.id == *id);
    before.iter().filter(|id| !stays(id)).cloned().collect()
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
