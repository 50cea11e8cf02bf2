//! Messages that wait: on the disk while Linus is away, offered where an earlier session left some. What was perhaps
//! delivered, and what an earlier session left, only the user sends.

use super::Side;
use super::keeper::Errand;
use crate::copilot::Delivery;
use crate::linus::CallError;
use crate::linus::contract::SessionEvent;
use crate::linus::dispatch::{Due, Fate, Lane, Link, Ticket};
use crate::linus::queue::{Letter, Mark};
use crate::linus::sharing::Consent;
use std::collections::HashMap;
use std::io;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Complaints about files that are shown; the rest say the same.
const COMPLAINTS: usize = 3;

type Call = (Lane, Due<super::linus::Ran, SessionEvent>);

/// A message that only the user sends.
pub(super) struct Offer {
    pub(super) key: u64,
    pub(super) text: String,
    /// Seconds since 1970.
    pub(super) at: u64,
    pub(super) is_perhaps: bool,
    /// Its place in the chat, where it was written in this session.
    entry: Option<u64>,
}

/// Where a message of the dispatch's lies on the disk.
#[derive(Clone, Copy)]
struct Place {
    key: u64,
    /// It was perhaps delivered before.
    is_perhaps: bool,
}

#[derive(Default)]
pub(super) struct Waiting {
    pub(super) offers: Vec<Offer>,
    /// By the dispatch's numbers.
    places: HashMap<u64, Place>,
    /// Calls that wait until the disk says that they are in flight.
    marking: HashMap<Ticket, Call>,
    /// That the disk keeps nothing was said.
    is_said: bool,
}

pub(super) fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default()
}

impl Side {
    /// Whether messages to this Linus may be on the disk.
    fn keeps(&self) -> bool {
        self.outside.is_some() && matches!(self.linus.sharing.consent(), Consent::Given | Consent::Needless)
    }

    /// Opens this session's queue, once it is known that this Linus may be told of this host.
    pub(super) fn open_queue(&mut self) {
        if !self.keeps() {
            return;
        }
        let name = self.linus.session_id().to_owned();
        if let Some(outside) = &mut self.outside {
            outside.open_queue(name);
        }
    }

    fn errand(&self, errand: Errand) -> bool {
        self.outside.as_ref().is_some_and(|outside| outside.send(errand))
    }

    pub(super) fn on_letters(&mut self, letters: Vec<Letter>, complaints: &[String]) {
        for complaint in complaints.iter().take(COMPLAINTS) {
            self.copilot.chat.note(&format!("Waiting messages are left alone: {complaint}"));
        }
        let offer = |Letter { key, is_perhaps, at, text }| Offer { key, text, at, is_perhaps, entry: None };
        self.waiting.offers.extend(letters.into_iter().map(offer));
        self.show_offers();
    }

    /// While Linus is away, what waits is put on the disk.
    pub(super) fn keep_waiting(&mut self) {
        if matches!(self.linus.dispatch.link(), Link::Offline { .. }) {
            self.keep_unsent();
        }
    }

    fn keep_unsent(&mut self) {
        if !self.keeps() {
            return;
        }
        let waiting = self.linus.dispatch.waiting_chats();
        let new: Vec<(u64, String)> = waiting
            .filter(|(id, _)| !self.waiting.places.contains_key(id))
            .map(|(id, text)| (id, text.to_owned()))
            .collect();
        for (id, text) in new {
            self.keep(id, Mark::Waiting, &text);
        }
    }

    fn keep(&mut self, id: u64, mark: Mark, text: &str) {
        self.waiting.places.insert(id, Place { key: id, is_perhaps: mark == Mark::Perhaps });
        let kept = self.linus.harmless(text).map_err(|why| why.to_string()).and_then(|text| {
            let is_sent = self.errand(Errand::Append { key: id, mark, at: seconds(), text });
            is_sent.then_some(()).ok_or_else(|| "the disk does not keep up".to_owned())
        });
        self.on_appended(kept.map_err(io::Error::other));
    }

    pub(super) fn on_appended(&mut self, result: io::Result<()>) {
        if let Err(e) = result
            && !std::mem::replace(&mut self.waiting.is_said, true)
        {
            let said = format!("Messages that wait are kept in memory only, until the session ends: {e}");
            self.copilot.chat.note(&said);
        }
    }

    /// A call that the disk must know of before it is made; false if it need not.
    pub(super) fn marks_first(&mut self, ticket: Ticket, call: &Call) -> bool {
        let Due::Chat { id, .. } = call.1 else { return false };
        let Some(place) = self.waiting.places.get(&id).copied() else { return false };
        self.waiting.marking.insert(ticket, call.clone());
        if !self.errand(Errand::Mark { key: place.key, mark: Mark::InFlight, ticket: Some(ticket) }) {
            self.on_marked(Some(ticket), Err(io::Error::other("the disk does not keep up")), Instant::now());
        }
        true
    }

    /// The disk knows, or cannot be told: then the message is not sent, or it could be offered again after a crash as
    /// if it had never left.
    pub(super) fn on_marked(&mut self, ticket: Option<Ticket>, result: io::Result<()>, now: Instant) {
        let Some(ticket) = ticket else { return };
        let Some(call) = self.waiting.marking.remove(&ticket) else { return };
        match result {
            Ok(()) => self.go_on(ticket, call, now),
            Err(e) => {
                if let Due::Chat { id, .. } = call.1 {
                    self.waiting.places.remove(&id);
                }
                self.copilot.chat.note(&format!("Not sent, because the disk cannot be told of it: {e}"));
                self.on_reply(ticket, Err(CallError::Cancelled), std::time::Duration::ZERO, now);
            }
        }
    }

    /// Takes back what waits for its mark.
    pub(super) fn unmarked(&mut self) -> Vec<Ticket> {
        self.waiting.marking.drain().map(|(ticket, _)| ticket).collect()
    }

    /// What became of a message, for the disk.
    pub(super) fn settle_on_disk(&mut self, id: u64, fate: Fate, text: Option<String>) {
        let place = self.waiting.places.get(&id).copied();
        let mark = match (fate, place) {
            (Fate::Queued, Some(place)) if place.is_perhaps => Mark::Perhaps,
            (Fate::Queued, _) => Mark::Waiting,
            (Fate::PerhapsDelivered, _) => Mark::Perhaps,
            (Fate::Answered | Fate::Failed | Fate::Cancelled, _) => Mark::Gone,
        };
        match place {
            Some(place) => drop(self.errand(Errand::Mark { key: place.key, mark, ticket: None })),
            None if fate == Fate::PerhapsDelivered && self.keeps() => {
                self.keep(id, mark, text.as_deref().unwrap_or_default());
            }
            None => {}
        }
        if fate == Fate::PerhapsDelivered
            && self.keeps()
            && let Some(text) = text
        {
            let key = place.map_or(id, |place| place.key);
            let entry = self.linus.entry(id);
            self.waiting.offers.push(Offer { key, text, at: seconds(), is_perhaps: true, entry });
            self.show_offers();
        }
        if fate != Fate::Queued {
            self.waiting.places.remove(&id);
        }
    }

    /// The user sends what an earlier session left, in order; not what was perhaps delivered.
    pub(super) fn send_offers(&mut self, now: Instant) {
        let keys: Vec<u64> = self.waiting.offers.iter().filter(|o| !o.is_perhaps).map(|o| o.key).collect();
        if keys.is_empty() {
            self.panel.view.set_notice("No message waits for that.");
        }
        keys.into_iter().for_each(|key| self.send_offer(key, now));
    }

    pub(super) fn send_offer(&mut self, key: u64, now: Instant) {
        let Some(at) = self.waiting.offers.iter().position(|offer| offer.key == key) else { return };
        match self.linus.dispatch.chat(self.waiting.offers[at].text.clone()) {
            Ok(id) => {
                let Offer { key, text, is_perhaps, entry, .. } = self.waiting.offers.remove(at);
                let entry = entry.unwrap_or_else(|| self.copilot.ask(&text));
                self.waiting.places.insert(id, Place { key, is_perhaps });
                self.said(id, entry, now);
            }
            Err(refused) => self.panel.view.set_notice(refused.as_str()),
        }
        self.show_offers();
    }

    /// The user deletes all that is offered.
    pub(super) fn drop_offers(&mut self) {
        let keys: Vec<u64> = self.waiting.offers.iter().map(|offer| offer.key).collect();
        self.panel.view.set_notice(match keys.len() {
            0 => "No message waits for that.",
            _ => "The waiting messages are deleted.",
        });
        keys.into_iter().for_each(|key| self.drop_offer(key));
    }

    pub(super) fn drop_offer(&mut self, key: u64) {
        let Some(at) = self.waiting.offers.iter().position(|offer| offer.key == key) else { return };
        let offer = self.waiting.offers.remove(at);
        self.errand(Errand::Mark { key, mark: Mark::Gone, ticket: None });
        if let Some(entry) = offer.entry {
            self.copilot.chat.set_delivery(entry, Delivery::Cancelled);
        }
        self.show_offers();
    }

    /// The user takes back a message that waits in this session.
    pub(super) fn withdraw(&mut self, id: u64) {
        if self.linus.dispatch.withdraw(id) {
            self.settle(id, Fate::Cancelled, None);
        }
    }

    /// Another Linus is to answer: what waits for this one is taken from him, but not from the disk.
    pub(super) fn forget_waiting(&mut self) {
        let waiting: Vec<u64> = self.linus.dispatch.waiting_chats().map(|(id, _)| id).collect();
        for id in waiting {
            self.waiting.places.remove(&id);
            self.withdraw(id);
        }
        self.waiting.offers.clear();
        self.show_offers();
    }

    fn show_offers(&mut self) {
        let offers = &self.waiting.offers;
        let unsent = offers.iter().filter(|offer| !offer.is_perhaps).count();
        let oldest = offers.iter().map(|offer| offer.at).min().unwrap_or_default();
        let age = ago(seconds().saturating_sub(oldest));
        self.copilot.chat.set_offer(line(unsent, offers.len() - unsent, &age, &self.prefix));
        self.panel.dirty = true;
    }

    /// The session ends: what has not left is kept for the next one, and what is under way was perhaps delivered.
    pub(super) fn keep_for_later(&mut self) {
        self.keep_unsent();
        let flying = self.linus.dispatch.chat_in_flight().map(|(id, text)| (id, text.to_owned()));
        if let Some((id, text)) =
            flying.filter(|(id, _)| self.keeps() && !self.waiting.places.contains_key(id))
        {
            self.keep(id, Mark::Perhaps, &text);
        }
    }
}

/// The sentence that offers what waits.
fn line(unsent: usize, perhaps: usize, age: &str, prefix: &str) -> Option<String> {
    let many = |n: usize| if n == 1 { "1 message".to_owned() } else { format!("{n} messages") };
    let were = |n: usize| if n == 1 { "was" } else { "were" };
    let what = match (unsent, perhaps) {
        (0, 0) => return None,
        (0, n) => format!("{} from {age} {} perhaps delivered: ", many(n), were(n)),
        (n, 0) => format!("{} from {age} {} not sent: Alt-s sends, ", many(n), were(n)),
        (n, m) => format!(
            "{} from {age} {} not sent, {m} perhaps delivered: Alt-s sends what was not, ",
            many(n),
            were(n)
        ),
    };
    Some(format!("{what}Alt-x deletes, {prefix} w shows."))
}

pub(super) fn ago(seconds: u64) -> String {
    let (n, unit) = match seconds {
        0..60 => return "a moment ago".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offer_says_how_many_from_when_and_what_the_keys_do() {
        assert_eq!(line(0, 0, "", "F12"), None);
        let offer = line(2, 0, &ago(3 * 86_400), "F12").unwrap();
        assert_eq!(
            offer,
            "2 messages from 3 days ago were not sent: Alt-s sends, Alt-x deletes, F12 w shows."
        );
        let offer = line(0, 1, &ago(3600), "F12").unwrap();
        assert_eq!(offer, "1 message from 1 hour ago was perhaps delivered: Alt-x deletes, F12 w shows.");
        let both = line(1, 2, &ago(59), "F12").unwrap();
        assert!(
            both.starts_with("1 message from a moment ago was not sent, 2 perhaps delivered: Alt-s sends"),
            "{both}"
        );
    }
}
