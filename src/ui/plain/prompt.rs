//! What the edit line asks for, and what stands in it.

use super::line::Prompt;
use super::pages;
use crate::copilot::Copilot;
use crate::text::{visible, width};
use crate::ui::fill::Fill;
use crate::ui::line::CONFIRMATION;
use crate::ui::view::View;

pub(super) fn now(view: &View, copilot: &Copilot) -> Prompt {
    if let Some(prompt) = pages::prompt(view) {
        return prompt;
    }
    let Some(edit) = view.edit.as_ref().filter(|_| copilot.suggestions.editing().is_some()) else {
        return Prompt::of("Ask: ".to_owned(), &view.input);
    };
    if let Some(word) = &view.confirm {
        return Prompt::of(format!("{CONFIRMATION}? "), word);
    }
    let Some(fill) = &view.fill else {
        return Prompt::of(format!("{}: ", name(copilot)), edit);
    };
    filled(fill)
}

/// The value of a hole, or the whole command once all are filled in.
fn filled(fill: &Fill) -> Prompt {
    match fill.asked() {
        Some((hole, typed)) => Prompt {
            label: format!("{}: ", visible(&hole.name)),
            text: visible(typed).into_owned(),
            cursor: width(&visible(fill.before_cursor())),
        },
        None => Prompt::key("Enter sends it, Esc goes back: "),
    }
}

/// What the card on the edit line is called.
pub(super) fn name(copilot: &Copilot) -> String {
    let suggestions = &copilot.suggestions;
    let id = suggestions.editing().map(|card| card.id.as_str()).unwrap_or_default();
    match suggestions.numbered().find(|(_, card)| card.id == id) {
        Some((number, _)) => format!("Edit {number}"),
        None => "Edit".to_owned(),
    }
}
