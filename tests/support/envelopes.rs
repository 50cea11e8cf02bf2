//! What Linus says in tests.

use aissh::linus::contract::{
    ChatResponse, Envelope, IntentUpdate, Request, Risk, Step, StepStatus, SuggestedCommands, Suggestion,
};

pub(crate) fn says(message: &str) -> Envelope {
    let chat_response = Some(ChatResponse { message: message.to_owned(), mentions: Vec::new() });
    Envelope { chat_response, ..Envelope::default() }
}

pub(crate) fn card(id: &str, command: &str) -> Suggestion {
    Suggestion {
        id: id.into(),
        command: command.into(),
        description: format!("about {id}"),
        risk: Risk::Low,
        undo: None,
        verify: None,
        placeholders: Vec::new(),
    }
}

pub(crate) fn suggests(cards: Vec<Suggestion>) -> Envelope {
    Envelope { suggested_commands: Some(SuggestedCommands { commands: cards }), ..says("Look at the cards.") }
}

pub(crate) fn plans(summary: &str, steps: &[(StepStatus, &str)]) -> IntentUpdate {
    let step =
        |(status, text): &(StepStatus, &str)| Step { status: *status, text: (*text).to_owned(), check: None };
    let steps = steps.iter().map(step).collect();
    IntentUpdate { summary: summary.into(), confidence: Some(0.85), steps }
}

/// A script that answers every chat with `envelope`, and nothing else.
pub(crate) fn to_chats(envelope: Envelope) -> impl FnMut(&Request) -> Envelope + Send + 'static {
    move |request| match request {
        Request::Chat { .. } => envelope.clone(),
        _ => Envelope::default(),
    }
}
