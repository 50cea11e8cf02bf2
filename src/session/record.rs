//! What is kept of this session: passes on what happened to the audit and to the recording.

use super::wake::Waker;
use super::{Session, Verdict};
use crate::copilot::policy::{Change, Mode};
use crate::copilot::{By, Happening};
use crate::files::{FileOutcome, FileResult};
use crate::linus::contract::{Request, Risk, StepStatus};
use crate::linus::redact::Class;
use crate::record::{Audit, Digest, Event, Step, Tape, Window};
use crate::shell::{CommandRecord, Origin};
use crate::terminal::Size;

/// How Linus is called in the records.
const LINUS: &str = "Linus";

/// The session's recorders.
pub(super) struct Recorders {
    audit: Audit,
    tape: Option<Tape>,
    waker: Waker,
}

impl Recorders {
    pub(super) fn new(audit: Audit, tape: Option<Tape>, waker: Waker) -> Self {
        Self { audit, tape, waker }
    }

    /// Records an event; `clean` cuts secrets out of its texts.
    fn note(&mut self, event: Event, clean: &mut dyn FnMut(&str) -> Option<String>) {
        if let (Some(tape), Some(label)) = (&mut self.tape, marker(&event)) {
            tape.marker(&label);
        }
        let waker = self.waker.clone();
        self.audit.note(event, clean, move || waker.wake());
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        if let Some(tape) = &mut self.tape {
            tape.output(bytes);
        }
    }

    /// Whether what the remote prints is recorded.
    pub(super) fn has_tape(&self) -> bool {
        self.tape.is_some()
    }

    /// Whether the audit log was lost in this session.
    pub(super) fn is_lost(&self) -> bool {
        self.audit.is_lost()
    }

    fn learn(&mut self, secret: String, class: Class) {
        if let Some(tape) = &mut self.tape {
            tape.learn(secret, class);
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        if let Some(tape) = &mut self.tape {
            tape.resize(window(size));
        }
    }
}

pub(super) fn window(size: Size) -> Window {
    Window { cols: size.cols, rows: size.rows }
}

impl Session {
    /// Records an event.
    pub(super) fn record(&mut self, event: Event) {
        let side = &mut self.side;
        self.recorders.note(event, &mut |text| match side {
            Some(side) => side.linus.harmless(text).ok(),
            // Without its side the session knows none of its secrets.
            None => None,
        });
    }

    /// Tells when there is no audit any more, which ends auto.
    pub(super) fn mind_audit(&mut self) {
        if let (Some(why), Some(side)) = (self.recorders.audit.loss(), &mut self.side) {
            side.on_audit_lost(&why);
        }
    }

    /// Records what happened in the panel and to Linus since the last time.
    pub(super) fn record_all(&mut self) {
        let Some(side) = &mut self.side else { return };
        // Before the output in which they come back.
        for (secret, class) in side.linus.learned.drain(..) {
            side.agents.learn(&secret, class);
            self.recorders.learn(secret, class);
        }
        let happened = side.copilot.take_happenings();
        if !happened.is_empty() {
            side.agents.cards_changed();
        }
        let mut events: Vec<Event> = happened.into_iter().map(event).collect();
        events.append(&mut side.linus.recorded);
        for event in events {
            self.record(event);
        }
        self.mind_audit();
    }

    /// The last records. What the disk does not take in time is left.
    pub(super) fn end_records(&mut self, verdict: Verdict) -> Option<String> {
        self.record_all();
        let (status, code) = match verdict {
            Verdict::Code(code) => (format!("exit status {code}"), i32::from(code)),
            // As a shell gives a death by signal.
            Verdict::Signal(signal) => (format!("killed by signal {signal}"), 128 + signal),
        };
        self.record(Event::Ended { status });
        self.recorders.audit.end();
        self.recorders.tape.take()?.finish(code)
    }
}

/// A command as the tracker reported it. Sent cards that still run are recorded twice, like they are reported.
pub(super) fn ran(record: &CommandRecord) -> Option<Event> {
    let by = match &record.origin {
        Origin::UserTyped => "user".to_owned(),
        Origin::Suggested { id, .. } => id.clone(),
        Origin::Integration => return None,
    };
    Some(Event::Ran {
        command: record.command.clone(),
        by,
        exit: record.exit.map(|exit| exit.code),
        finished: record.finished,
        output: Digest::of(record.output.as_bytes()),
    })
}

/// A message that leaves for `to`.
pub(super) fn payload(request: &Request, to: &str) -> Event {
    let bytes = serde_json::to_vec(request).unwrap_or_default();
    Event::Payload { kind: request.tool().to_owned(), to: to.to_owned(), payload: Digest::of(&bytes) }
}

/// The policy is another.
pub(super) fn mode(change: &Change) -> Event {
    let reason = match (change.to, &change.why) {
        (_, Some(why)) => why.text(),
        (Mode::Auto, None) => "the user typed it".to_owned(),
        (_, None) => "chosen by the user".to_owned(),
    };
    Event::Mode { mode: change.to.name().to_owned(), reason }
}

/// How a file action ended, with its diff.
pub(super) fn file(outcome: &FileOutcome) -> Event {
    let result = match &outcome.result {
        FileResult::Written => format!("written, {} bytes", outcome.bytes_after),
        FileResult::Stopped(stop) => format!("nothing changed: {}", stop.text),
        FileResult::Uncertain(why) => format!("uncertain: {why}"),
    };
    Event::File {
        path: outcome.path.clone(),
        action: outcome.mode.to_owned(),
        result,
        diff: outcome.diff.clone(),
    }
}

fn event(happening: Happening) -> Event {
    match happening {
        Happening::Asked(text) => Event::Asked { text },
        Happening::Answered(text) => Event::Answered { by: LINUS.into(), text },
        Happening::Planned(intent) => Event::Plan {
            summary: intent.summary,
            confidence: intent.confidence,
            steps: intent
                .steps
                .into_iter()
                .map(|step| Step { status: status(step.status).into(), text: step.text })
                .collect(),
        },
        Happening::Proposed { id, by, command, level, reason } => {
            Event::Proposed { id, by, command, risk: level.name().into(), reason }
        }
        Happening::Edited { id, text } => Event::Edited { id, text },
        Happening::Confirmed { id, command, by, level, reason } => {
            let (how, was_edited) = match by {
                By::Auto => ("auto", false),
                // The edit line takes no less for a high risk than the typed word.
                By::User { was_edited } if level == Risk::High => ("typed", was_edited),
                By::User { was_edited } => ("enter", was_edited),
            };
            Event::Confirmed {
                id,
                command,
                edited: was_edited,
                risk: level.name().into(),
                reason,
                how: how.into(),
            }
        }
        Happening::Sent { id, command } => Event::Sent { id, command },
        Happening::Refused { id, reason } => Event::Refused { id, reason },
        Happening::Dismissed { id } => Event::Closed { id, by: "user".into() },
        Happening::Cleared { id, by } => Event::Closed { id, by },
        Happening::Said { by, text } => Event::Answered { by, text },
    }
}

fn status(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Done => "done",
        StepStatus::Current => "current",
        StepStatus::Pending => "pending",
    }
}

/// Questions, cards and decisions are places in a recording.
fn marker(event: &Event) -> Option<String> {
    match event {
        Event::Asked { text } => Some(format!("asked: {text}")),
        Event::Answered { by, text } => Some(format!("{by}: {text}")),
        Event::Proposed { command, risk, .. } => Some(format!("suggested ({risk}): {command}")),
        Event::Confirmed { command, how, .. } => Some(format!("confirmed ({how}): {command}")),
        Event::Refused { reason, .. } => Some(format!("not sent: {reason}")),
        Event::Closed { id, by } => Some(format!("card {id} put away by {by}")),
        Event::Mode { mode, .. } => Some(format!("policy: {mode}")),
        Event::File { path, action, result, .. } => Some(format!("file {path}: {action}: {result}")),
        Event::Agent { agent, tool, action, outcome } if tool == "copilot" => {
            Some(format!("{agent}: {action}: {outcome}"))
        }
        _ => None,
    }
}
