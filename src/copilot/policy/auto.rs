//! Auto while it is on: one card after the other, each announced, watched and sent only if everything holds.

use std::time::{Duration, Instant};

use super::chain::Chain;
use super::hidden::Scan;
use super::scene::{Candidate, Line, Linus, Scene, Sender};
use super::stop::Stop;
use crate::linus::contract::Risk;
use crate::shell::{Evidence, ExitStatus, Nonce, State};

/// How long a card is shown before it is sent: time to read a command and to reach for a key.
pub const MOMENT: Duration = Duration::from_secs(2);
/// Nobody looked at the clock for so long: the process was stopped, and what was to be seen was not. Counted anew.
const LATE: Duration = Duration::from_secs(1);
/// Something on the remote's line goes away by itself within this (a prompt that is drawn in pieces), or it is typed.
const TAKEN: Duration = Duration::from_secs(1);
/// Consent does not lie about: with nothing to do for so long, auto ends.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// A card to be typed, with Enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    pub id: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// Since when there has been nothing to do.
    Idle(Instant),
    /// A card is announced. Until when, once that was drawn.
    Announced { send: Send, until: Option<Instant> },
    /// A card was sent; its end has not been told.
    Sent { id: String },
}

#[derive(Debug)]
pub(super) struct Auto {
    limit: u8,
    chain: Chain,
    phase: Phase,
    scan: Scan,
    taken_since: Option<Instant>,
}

impl Auto {
    /// Only if auto could act here at this moment.
    pub(super) fn begin(scene: &Scene<'_>, limit: u8, nonce: Nonce, now: Instant) -> Result<Self, Stop> {
        Self::check(scene)?;
        let (chain, phase, scan) = (Chain::default(), Phase::Idle(now), Scan::new(nonce));
        Ok(Self { limit, chain, phase, scan, taken_since: None })
    }

    /// Whether it could begin.
    pub(super) fn check(scene: &Scene<'_>) -> Result<(), Stop> {
        Self::always(scene)?;
        Self::at_prompt(scene)?;
        if scene.line_taken { Err(Stop::LineTaken) } else { Ok(()) }
    }

    /// What must hold whatever auto is at.
    fn always(scene: &Scene<'_>) -> Result<(), Stop> {
        match scene.line {
            Line::Secret => return Err(Stop::Secret),
            Line::Local => return Err(Stop::NotConnected),
            Line::Remote => {}
        }
        if !scene.shown {
            return Err(Stop::NotShown);
        }
        match scene.state {
            State::Secret => Err(Stop::Secret),
            State::FullScreen => Err(Stop::FullScreen),
            State::Waiting | State::Program => Err(Stop::Waiting),
            _ if scene.linus == Linus::Offline => Err(Stop::Offline),
            State::Unknown | State::AtPrompt | State::Running => Ok(()),
        }
    }

    /// What must hold where a card may be sent.
    fn at_prompt(scene: &Scene<'_>) -> Result<(), Stop> {
        if scene.state != State::AtPrompt {
            return Err(Stop::NoPrompt);
        }
        if !scene.trusted {
            return Err(Stop::Untrusted);
        }
        scene.changed.as_ref().map_or(Ok(()), |what| Err(Stop::Target(what.clone())))
    }

    fn card(card: &Candidate<'_>) -> Result<(), Stop> {
        let id = card.id.to_owned();
        match (card.sender, card.refused) {
            (Sender::Other(who), _) => return Err(Stop::Sender(who.to_owned())),
            (Sender::Linus, Some(why)) => return Err(Stop::Refused { id, why: why.to_owned() }),
            (Sender::Linus, None) => {}
        }
        if card.edited {
            return Err(Stop::Edited { id });
        }
        if card.holes {
            return Err(Stop::Holes { id });
        }
        if card.text.contains('\n') {
            return Err(Stop::Lines { id });
        }
        if card.level > Risk::Low {
            return Err(Stop::Level { id, level: card.level, why: card.why.clone() });
        }
        Ok(())
    }

    pub(super) fn step(&mut self, scene: &Scene<'_>, now: Instant) -> Result<Option<Send>, Stop> {
        Self::always(scene)?;
        if let Some(found) = self.scan.found() {
            return Err(found.into());
        }
        if matches!(self.phase, Phase::Sent { .. }) {
            return Ok(None);
        }
        if scene.state == State::Running {
            (self.phase, self.taken_since) = (Phase::Idle(now), None);
            return Ok(None);
        }
        Self::at_prompt(scene)?;
        if self.line_is_taken(scene, now)? {
            return Ok(None);
        }
        match &scene.card {
            Some(card) if !scene.user_is_busy && scene.linus == Linus::Ready => self.attend(card, now),
            _ => {
                self.rest(now);
                self.is_idle(now)
            }
        }
    }

    /// Something stands there for a moment, or for longer. While a card was announced it is the end.
    fn line_is_taken(&mut self, scene: &Scene<'_>, now: Instant) -> Result<bool, Stop> {
        if !scene.line_taken {
            self.taken_since = None;
            return Ok(false);
        }
        let since = *self.taken_since.get_or_insert(now);
        let is_announced = matches!(self.phase, Phase::Announced { .. });
        if is_announced || now >= since + TAKEN { Err(Stop::LineTaken) } else { Ok(true) }
    }

    fn attend(&mut self, card: &Candidate<'_>, now: Instant) -> Result<Option<Send>, Stop> {
        Self::card(card)?;
        self.chain.check(card.text, self.limit)?;
        let next = Send { id: card.id.to_owned(), text: card.text.to_owned() };
        match &mut self.phase {
            Phase::Announced { send, until } if *send == next => match *until {
                Some(at) if now >= at + LATE => *until = None,
                Some(at) if now >= at => return Ok(Some(self.send(next))),
                Some(_) | None => {}
            },
            _ => self.phase = Phase::Announced { send: next, until: None },
        }
        Ok(None)
    }

    fn send(&mut self, send: Send) -> Send {
        self.chain.push(&send.text);
        self.scan.begin();
        self.phase = Phase::Sent { id: send.id.clone() };
        send
    }

    /// There is nothing to announce.
    fn rest(&mut self, now: Instant) {
        if !matches!(self.phase, Phase::Idle(_)) {
            self.phase = Phase::Idle(now);
        }
    }

    fn is_idle(&self, now: Instant) -> Result<Option<Send>, Stop> {
        match self.phase {
            Phase::Idle(since) if now >= since + IDLE => Err(Stop::Idle),
            _ => Ok(None),
        }
    }

    /// A frame was drawn with what is announced.
    pub(super) fn drawn(&mut self, now: Instant) {
        if let Phase::Announced { until, .. } = &mut self.phase {
            until.get_or_insert(now + MOMENT);
        }
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        self.scan.feed(bytes);
    }

    /// A command ended.
    pub(super) fn ended(&mut self, ended: &str, exit: Option<ExitStatus>, now: Instant) -> Result<(), Stop> {
        match &self.phase {
            Phase::Sent { id } if id == ended => self.phase = Phase::Idle(now),
            _ => return Ok(()),
        }
        match exit {
            Some(ExitStatus { code, evidence: Evidence::Trusted }) => self.chain.ended(code),
            Some(_) | None => Err(Stop::UnknownExit),
        }
    }

    /// A prompt came. Of the command that was sent nothing was told, if its end was not told by now.
    pub(super) fn prompt(&self) -> Result<(), Stop> {
        if matches!(self.phase, Phase::Sent { .. }) { Err(Stop::UnknownExit) } else { Ok(()) }
    }

    /// The user asked Linus something: what follows is another chain.
    pub(super) fn asked(&mut self, now: Instant) {
        self.chain = Chain::default();
        if !matches!(self.phase, Phase::Sent { .. }) {
            self.rest(now);
        }
    }

    pub(super) fn announced(&self) -> Option<(&str, Option<Instant>)> {
        match &self.phase {
            Phase::Announced { send, until } => Some((send.id.as_str(), *until)),
            _ => None,
        }
    }

    pub(super) fn length(&self) -> usize {
        self.chain.length()
    }

    pub(super) fn limit(&self) -> u8 {
        self.limit
    }

    /// When `step` has something to do, if nothing happens before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let phase = match &self.phase {
            Phase::Idle(since) => Some(*since + IDLE),
            Phase::Announced { until, .. } => *until,
            Phase::Sent { .. } => None,
        };
        phase.into_iter().chain(self.taken_since.map(|since| since + TAKEN)).min()
    }
}
