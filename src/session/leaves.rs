//! What the view of what leaves is told: the next payloads, what waits, and the last that went.

use super::linus::Preview;
use super::waiting::{Offer, ago, seconds};
use super::{Event, Side};
use crate::linus::dispatch::Gate;
use crate::linus::preview::{Learnt, Passed, Tap};
use crate::linus::sharing::Consent;
use crate::ui::{Leaf, LeafAction, Leaves, What};
use serde_json::Value;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use super::wake::Waker;

/// Payloads that are kept to be looked at, and their bytes together: a screen of control characters, escaped, is 400 KiB.
const SENT_LIMIT: usize = 10;
const BYTES_LIMIT: usize = 4 * 1024 * 1024;

struct Sent {
    at: Instant,
    tool: String,
    body: Rc<str>,
}

/// What went to Linus, the last first.
#[derive(Default)]
pub(super) struct Ledger {
    sent: VecDeque<Sent>,
    learnt: Learnt,
}

impl Ledger {
    /// A call's bytes have gone out.
    pub(super) fn on_sent(&mut self, bytes: &[u8], at: Instant) {
        let parsed: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let tool = parsed.pointer("/params/name").and_then(Value::as_str).unwrap_or("a call").to_owned();
        let body = String::from_utf8_lossy(bytes).into();
        self.sent.push_front(Sent { at, tool, body });
        self.sent.truncate(SENT_LIMIT);
        while self.sent.len() > 1 && self.sent.iter().map(|sent| sent.body.len()).sum::<usize>() > BYTES_LIMIT
        {
            self.sent.pop_back();
        }
    }

    pub(super) fn on_answer(&mut self, message: &Value, result: &Value) {
        self.learnt.learn(message, result);
    }
}

/// Tells the main loop what passes on the lines to Linus.
pub(super) fn tap(event_tx: SyncSender<Event>, waker: Waker) -> Tap {
    Tap::new(move |passed| {
        let event = match passed {
            Passed::Call(bytes) => Event::Sent(bytes.to_vec()),
            Passed::Answer { message, result } => {
                Event::Answered(Box::new((message.clone(), result.clone())))
            }
        };
        // The lane waits if the main loop is behind: what is not seen here must not go either.
        if event_tx.send(event).is_ok() {
            waker.wake();
        }
    })
}

impl Side {
    /// What the view shows, while it is open.
    pub(super) fn leaves(&mut self, now: Instant) -> Option<Leaves> {
        if !self.panel.view.has_leaves() {
            return None;
        }
        let (next, is_exact) = self.next_payloads(now);
        let mut leaves = next;
        let waiting = self.linus.dispatch.waiting_chats();
        leaves.extend(waiting.map(|(id, text)| leaf(What::Waiting(id), format!("waits: {text}"), text)));
        leaves.extend(self.waiting.offers.iter().map(offered));
        leaves.extend(self.ledger.sent.iter().map(|sent| {
            let age = ago(now.saturating_duration_since(sent.at).as_secs());
            leaf(What::Sent, format!("sent {age}: {}", sent.tool), &sent.body)
        }));
        let (to, consent) = self.recipient(is_exact);
        Some(Leaves { to, consent, leaves })
    }

    /// The messages that would go now, and whether the handshake has told what of them Linus takes.
    fn next_payloads(&mut self, now: Instant) -> (Vec<Leaf>, bool) {
        let gate = self.linus.dispatch.gate();
        let message = self.panel.view.input().to_owned();
        let mut kinds = vec![("next, if you ask now", Preview::Chat(message))];
        if gate == Gate::Open {
            kinds.push(("next, by itself", Preview::Update));
        }
        let mut all_exact = true;
        let mut leaves = Vec::new();
        for (title, kind) in kinds {
            let Some(request) = self.preview(kind, now) else {
                let title = format!("{title}: nothing, for its secrets cannot be taken out");
                leaves.push(leaf(What::Next, title, ""));
                continue;
            };
            let (call, is_exact) = self.ledger.learnt.preview(&request);
            all_exact &= is_exact;
            let title = format!("{title}: {}", request.tool());
            leaves.push(leaf(What::Next, title, &call.to_string()));
        }
        (leaves, all_exact)
    }

    /// Who gets it, and what the user can change about that.
    fn recipient(&self, is_exact: bool) -> (String, Option<&'static str>) {
        let inside = "To the built-in Linus, inside this process: nothing leaves";
        let Some((origin, host)) = self.outside.as_ref().map(|outside| outside.names()) else {
            return (format!("{inside}."), None);
        };
        let (mut to, consent) = match self.linus.sharing.consent() {
            Consent::Refused => (format!("{inside}. {origin} may not know of {host}."), Some("let it know")),
            Consent::Given => (format!("To {origin}, who may know of {host}."), Some("take that back")),
            Consent::Needless => (format!("To {origin}, on this machine."), None),
            Consent::Asked | Consent::Unknown => {
                (format!("To {origin}, after your yes: nothing before."), None)
            }
        };
        if let Some(word) = self.linus.sharing.word() {
            to.push_str(&format!(" Now: {word}."));
        }
        if !is_exact && self.linus.sharing.consent() != Consent::Refused {
            to.push_str(" He has not said yet what of it he takes.");
        }
        (to, consent)
    }

    /// What a key in the view asks for.
    pub(super) fn on_leaf(&mut self, action: LeafAction, now: Instant) {
        match action {
            LeafAction::Send(What::Offer(key)) => self.send_offer(key, now),
            LeafAction::Delete(What::Offer(key)) => self.drop_offer(key),
            LeafAction::Delete(What::Waiting(id)) => self.withdraw(id),
            LeafAction::Send(_) | LeafAction::Delete(_) => {}
            LeafAction::ToggleConsent => self.toggle_consent(now),
        }
    }
}

fn leaf(what: What, title: String, body: &str) -> Leaf {
    Leaf { what, title, body: body.into() }
}

fn offered(offer: &Offer) -> Leaf {
    let state = if offer.is_perhaps { "perhaps delivered" } else { "not sent" };
    let age = ago(seconds().saturating_sub(offer.at));
    leaf(What::Offer(offer.key), format!("{state}, {age}: {}", offer.text), &offer.text)
}
