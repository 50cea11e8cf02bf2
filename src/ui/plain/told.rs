//! All that there is to say now, each sentence with the place that it stands for.

use super::{pages, prompt};
use crate::copilot::{Card, CardState, Copilot, Delivery, Entry, FileCard, FileState, Who};
use crate::linus::contract::{Level, Risk, StepStatus};
use crate::text::{strip_sgr, visible};
use crate::ui::around;
use crate::ui::file_cards;
use crate::ui::fill::Fill;
use crate::ui::status::Status;
use crate::ui::view::View;

/// What a sentence is about. The same place with other words is said again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Said once in a session.
    Once,
    Session,
    You,
    Chat,
    Waiting,
    Plan,
    Card,
    Page,
    Edit,
    Notice,
}

type Told = Vec<(Place, String)>;

fn place(kind: Kind, id: impl Into<String>) -> Place {
    Place { kind, id: id.into() }
}

pub(super) fn notice_place() -> Place {
    place(Kind::Notice, "")
}

pub(super) fn all(view: &View, copilot: &Copilot, status: &Status) -> Told {
    let mut told = vec![
        (place(Kind::Once, "hint"), hint(&status.prefix)),
        (place(Kind::Session, ""), session(copilot, status)),
    ];
    told.extend(chat(copilot));
    told.extend(plan(copilot));
    told.extend(cards(copilot));
    told.extend(pages::told(view, status).into_iter().map(|(id, text)| (place(Kind::Page, id), text)));
    told.extend(edited(view, copilot, status));
    told.extend(selected(view, copilot));
    told.extend(view.notice.as_ref().map(|notice| (notice_place(), notice.clone())));
    told
}

fn hint(prefix: &str) -> String {
    format!(
        "Type a question, or a card's number, and Enter. Esc goes back to the session. {prefix} ? tells the keys."
    )
}

/// Who answers whom, and how cards are sent.
fn session(copilot: &Copilot, status: &Status) -> String {
    let link = &copilot.link;
    let mut text = format!("Linus: {}", link.peer());
    if link.is_offline() {
        let problem = link.problem().map(|problem| format!(", {problem}")).unwrap_or_default();
        text.push_str(&format!(", offline{problem}; what you ask waits until he is back"));
    }
    if let Some(word) = status.sharing {
        text.push_str(&format!("; {word}"));
    }
    if !status.target.is_empty() {
        text.push_str(&format!(". Session: {}", visible(&status.target)));
    }
    text.push_str(&format!(". Mode: {}.", status.policy.mode.name()));
    if status.secret {
        text.push_str(" A secret is asked for there.");
    }
    text
}

fn chat(copilot: &Copilot) -> Told {
    let mut told: Told = copilot.chat.entries().map(entry).collect();
    if copilot.chat.is_waiting() {
        told.push((place(Kind::Waiting, ""), "Waiting for Linus. Esc cancels.".to_owned()));
    }
    told.extend(copilot.chat.offer().map(|offer| (place(Kind::Waiting, "offer"), offer.to_owned())));
    told
}

fn entry(entry: &Entry) -> (Place, String) {
    let text = strip_sgr(&entry.text);
    let (kind, text) = match entry.who {
        Who::You => {
            let fate = match entry.delivery {
                Delivery::Sending | Delivery::Delivered => "",
                Delivery::Queued => " (queued)",
                Delivery::Perhaps => " (perhaps delivered)",
                Delivery::Cancelled => " (cancelled)",
            };
            let kind = if fate.is_empty() { Kind::You } else { Kind::Chat };
            (kind, format!("You{fate}: {text}"))
        }
        Who::Linus => (Kind::Chat, format!("Linus: {text}")),
        Who::Notification(Level::Info) => (Kind::Chat, format!("Linus notes: {text}")),
        Who::Notification(Level::Warning) => (Kind::Chat, format!("Linus warns: {text}")),
        Who::Notification(Level::Critical) => (Kind::Chat, format!("Linus, critical: {text}")),
        Who::Agent | Who::Note => (Kind::Chat, text.into_owned()),
    };
    (place(kind, entry.id.to_string()), text)
}

/// The last thing that Linus said.
pub(super) fn last_answer(copilot: &Copilot) -> Option<Place> {
    let last = copilot.chat.entries().rev().find(|entry| entry.who == Who::Linus)?;
    Some(place(Kind::Chat, last.id.to_string()))
}

fn plan(copilot: &Copilot) -> Told {
    let Some(intent) = &copilot.intent else { return Vec::new() };
    let sure = intent.confidence.map(|c| format!(", {:.0} % sure", c * 100.0)).unwrap_or_default();
    let (done, all) = intent.progress();
    let head = format!("Plan, {done} of {all} done{sure}: {}", intent.summary);
    let mut told = vec![(place(Kind::Plan, ""), head)];
    for (at, step) in intent.steps.iter().enumerate() {
        let (word, check) = match step.status {
            StepStatus::Done => ("done", None),
            StepStatus::Current => ("now", step.check.as_ref()),
            StepStatus::Pending => ("later", None),
        };
        let check = check.map(|check| format!(" (check: {})", visible(check))).unwrap_or_default();
        told.push((
            place(Kind::Plan, at.to_string()),
            format!("Step {}, {word}: {}{check}", at + 1, step.text),
        ));
    }
    told
}

fn cards(copilot: &Copilot) -> Told {
    let numbered = |id: &str| copilot.suggestions.numbered().find(|(_, c)| c.id == id).map(|(n, _)| n);
    let commands = copilot
        .suggestions
        .cards()
        .map(|c| (place(Kind::Card, format!("command {}", c.id)), card(c, numbered(&c.id), copilot)));
    let files = file_cards::numbered(copilot)
        .map(|(number, file)| (place(Kind::Card, format!("file {}", file.id)), file_card(file, number)));
    commands.chain(files).collect()
}

/// `1. low  df -h /var — shows what is full`
fn card(card: &Card, number: Option<usize>, copilot: &Copilot) -> String {
    let command = visible(card.text());
    let end = match card.state {
        CardState::Sent => Some("runs".to_owned()),
        CardState::Done { exit: Some(code) } => Some(format!("exit {code}")),
        CardState::Done { exit: None } => Some("done, exit unknown".to_owned()),
        _ => None,
    };
    if let Some(end) = end {
        return format!("{end}: {command}");
    }
    let number = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
    let judgement = card.judgement();
    let mut text = format!("{number} {}  {command}", judgement.level.name());
    if card.state == CardState::Edited {
        text.push_str(" (edited)");
    }
    if !card.description.is_empty() {
        text.push_str(&format!(" — {}", card.description.replace('\n', " ")));
    }
    if judgement.level > Risk::Low {
        text.push_str(&format!(". Risk: {}", visible(&judgement.reason)));
    }
    for (word, command) in [("Undo", &card.undo), ("Verify", &card.verify)] {
        let Some(command) = command else { continue };
        text.push_str(&format!(". {word}: {}", visible(command)));
    }
    text.extend(card.refused.iter().map(|why| format!(". {why}")));
    text.extend(copilot.suggestions.change(&card.id).map(|change| format!(". {change}")));
    text.extend(card.note.map(|note| format!(". {note}")));
    text
}

fn file_card(file: &FileCard, number: Option<usize>) -> String {
    let number = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
    let mut text = format!("{number} file  {} {} {}", file.how(), visible(&file.action.path), file.counts());
    if !file.action.description.is_empty() {
        text.push_str(&format!(" — {}", visible(&file.action.description)));
    }
    if let FileState::Failed(why) = &file.state {
        text.push_str(&format!(". {}", visible(why)));
    }
    text
}

/// What belongs to the card on the edit line: where it goes, what is thought of it, what hinders it.
fn edited(view: &View, copilot: &Copilot, status: &Status) -> Told {
    let Some(card) = copilot.suggestions.editing().filter(|_| view.is_editing()) else { return Vec::new() };
    let mut told = Vec::new();
    let mut say = |id: &str, text: String| told.push((place(Kind::Edit, format!("{id} {}", card.id)), text));
    say(
        "to",
        format!(
            "{}, to {}. Enter sends it, Esc leaves it.",
            prompt::name(copilot),
            around::target(copilot, status)
        ),
    );
    if let Some(judgement) = view.judged(copilot).filter(|judgement| judgement.level > Risk::Low) {
        say("risk", format!("{} risk: {}", judgement.level.name(), visible(&judgement.reason)));
    }
    if let Some(hindrance) = around::hindrance(copilot, card) {
        say("hindrance", hindrance);
    }
    if let Some((hole, _)) = view.fill.as_ref().and_then(Fill::asked) {
        let secret = if hole.secret { " It is not shown." } else { "" };
        let what = if hole.description.is_empty() { &hole.name } else { &hole.description };
        say(
            &format!("hole {}", hole.name),
            format!("Fill in {}: {}.{secret}", visible(&hole.name), visible(what)),
        );
    }
    if let Some(shown) = view.fill.as_ref().and_then(Fill::shown) {
        say("whole", format!("Filled in: {}", visible(shown)));
    }
    if view.is_confirming() {
        say("confirm", "Type yes and Enter to send it, Esc goes back.".to_owned());
    }
    told
}

/// The card that the arrows have chosen.
fn selected(view: &View, copilot: &Copilot) -> Told {
    let number =
        view.selected.as_ref().filter(|_| !view.is_editing()).map(|id| {
            copilot.suggestions.numbered().find(|(_, card)| card.id == *id).map(|(number, _)| number)
        });
    let chosen = number.or_else(|| {
        let id = view.selected_file.as_ref()?;
        file_cards::numbered(copilot).find(|(_, file)| file.id == *id).map(|(number, _)| number)
    });
    let Some(number) = chosen.filter(|_| view.file.is_none()) else { return Vec::new() };
    let card =
        number.map_or_else(|| "the card without a number".to_owned(), |number| format!("card {number}"));
    vec![(place(Kind::Notice, "selected"), format!("On {card}: Enter opens it, Del puts it away."))]
}

/// The keys, as they are here.
pub(super) fn help(prefix: &str) -> Vec<String> {
    let rows = [
        ("a", "read: who Linus is, the last answer, plan and cards again"),
        ("Space", "ask Linus"),
        ("1 to 9", "edit card n; Enter sends it, and the session goes on"),
        ("Tab", "to the dialogue, and back to the session"),
        ("m", "mode: suggest puts a card on the line, confirm sends it"),
        ("!", "cancel calls to Linus"),
        ("i", "shell integration"),
        ("w", "what leaves this machine, and what left"),
        ("p", "pause what Linus is told, or go on"),
        ("?", "this list"),
    ];
    let mut lines = vec![format!("After {prefix}:")];
    lines.extend(rows.iter().map(|(key, does)| format!("{key}: {does}")));
    lines.push("In the dialogue: a number and Enter is card n. Up and Down choose a card, Ctrl-X puts it away. Esc cancels what Linus is asked, then goes back to the session.".to_owned());
    lines
}
