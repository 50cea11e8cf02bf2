//! File actions in a session: whether they may be offered here, the user's consent to a connection, and what goes to and
//! comes from the thread that does the work. The session never waits for it.
//!
//! What came of an action is told in the chat, to the user. The contract has no message for it: Linus hears of it when
//! the user says so, or when the file shows on the screen.

mod place;
mod worker;

use super::{Session, Side};
use crate::copilot::{FileState, Place as Spot};
use crate::files::{FileOutcome, FileResult, Plan, Progress, Stop};
use crate::linus::contract::{Envelope, Risk, SuggestedCommands, Suggestion, UpdateMode};
use crate::shell::State;
use crate::ssh::side_channel::{Canceller, cancel};
use crate::ui::{FileAnswer, FilePage, FileShown};
use std::time::Instant;

pub(super) use place::{Place, compare};
use worker::Job;
pub(super) use worker::{FileEvent, Way, Worker};

/// The file actions of this session.
pub(super) struct Files {
    worker: Worker,
    /// How the user has agreed that files go.
    agreed: Option<Way>,
    open: Option<Open>,
    /// The number of the action that is open, or was last: what comes for another is too late.
    ticket: u64,
    /// As ssh resolved it, or as it was given; `None` where it is not known.
    pub(super) login_user: Option<String>,
    /// The observer was replaced: what it saw first is not the login.
    pub(super) is_blind: bool,
    /// `sudoedit` cards that were offered.
    offered: Vec<String>,
}

/// The action that is open.
struct Open {
    id: String,
    stage: Stage,
    /// Dropping it cancels what is being done.
    canceller: Option<Canceller>,
}

enum Stage {
    /// Is there a connection of the user's own?
    Checking,
    Asking(Way),
    Reading,
    Shown(Box<Plan>),
    Writing,
    Ended,
}

impl Files {
    pub(super) fn new(worker: Worker) -> Self {
        Self {
            worker,
            agreed: None,
            open: None,
            ticket: 0,
            login_user: None,
            is_blind: false,
            offered: Vec::new(),
        }
    }

    /// Hands a job over, with a way to stop it. False where that cannot be done.
    fn start(&mut self, stage: Stage, job: Job) -> bool {
        let Some(open) = &mut self.open else { return false };
        let Ok((canceller, token)) = cancel() else { return false };
        (open.stage, open.canceller) = (stage, Some(canceller));
        self.worker.send(self.ticket, job, token)
    }

    /// What was begun is stopped, and the connection ends. A write takes away what it has made so far.
    pub(super) fn end(self) {
        drop(self.open);
        self.worker.end();
    }
}

impl Session {
    /// The user has picked a file card.
    pub(super) fn open_file(&mut self, id: &str) {
        let Some(side) = &mut self.side else { return };
        side.leave_file();
        if side.files.open.is_some() {
            return side.panel.view.set_notice("A file is still being written. The chat tells its end.");
        }
        let place = if self.connected {
            side.place_for_files()
        } else {
            Place::Other("nothing: ssh is not connected".into())
        };
        let Some(action) = side.copilot.files.begin(id) else { return };
        side.files.ticket += 1;
        side.files.open = Some(Open { id: id.to_owned(), stage: Stage::Ended, canceller: None });
        side.panel.view.open_file(id, &action.path);
        if let Place::Other(what) = place {
            let target = side.linus.target().to_owned();
            return side.file_failed(&[
                "Not here.".to_owned(),
                format!("Files are changed as the login of this session, {target}. What is shown is {what}."),
            ]);
        }
        match side.files.agreed {
            Some(_) => side.read_file(),
            None => side.start_job(Stage::Checking, Job::Check),
        }
    }

    /// What the user has said to the dialog.
    pub(super) fn on_file_answer(&mut self, answer: FileAnswer) {
        let Some(side) = &mut self.side else { return };
        match answer {
            FileAnswer::Agree => side.agree(),
            FileAnswer::Write(word) => side.write_file(word.as_deref()),
            FileAnswer::Cancel => side.cancel_file(),
            FileAnswer::Leave => side.leave_file(),
            FileAnswer::Dismiss => {
                let id = side.files.open.as_ref().map(|open| open.id.clone());
                side.leave_file();
                if let Some(id) = id {
                    side.copilot.files.dismiss(&id);
                }
            }
        }
    }
}

impl Side {
    /// Compares the shown shell with the login. The remote's word can only forbid.
    fn place_for_files(&mut self) -> Place {
        let device = self.watch.here().map(|observer| observer.facts().dialect).filter(|d| d.is_device());
        match device {
            Some(device) => Place::Other(format!("{}, a network device", device.name().unwrap_or("unknown"))),
            None => self.beside_login(),
        }
    }

    /// What the terminal shows, where it is certainly not the login.
    pub(super) fn elsewhere(&mut self) -> Option<String> {
        match self.beside_login() {
            Place::Other(what) => Some(what),
            Place::Same | Place::Unsure(_) => None,
        }
    }

    fn beside_login(&mut self) -> Place {
        let (login_user, is_blind) = (self.files.login_user.clone(), self.files.is_blind);
        let Some(observer) = self.watch.here() else {
            return Place::Unsure("The terminal is not followed.".into());
        };
        let facts = observer.facts();
        let first = observer.login().filter(|_| !is_blind).map(|facts| Spot::new(facts, State::AtPrompt));
        let is_busy = matches!(
            observer.state(),
            State::Running | State::Program | State::FullScreen | State::Waiting | State::Secret
        );
        compare(first.as_ref(), &Spot::new(facts, observer.state()), login_user.as_deref(), is_busy)
    }

    fn start_job(&mut self, stage: Stage, job: Job) {
        if !self.files.start(stage, job) {
            let why = "What was begun before has not ended yet. Try again in a moment.";
            self.file_failed(&["Nothing was changed.".to_owned(), why.to_owned()]);
        }
    }

    fn agree(&mut self) {
        let Some(Open { stage: Stage::Asking(way), .. }) = self.files.open else { return };
        self.files.agreed = Some(way);
        self.read_file();
    }

    fn read_file(&mut self) {
        let (Some(open), Some(way)) = (&self.files.open, self.files.agreed) else { return };
        let Some(action) = self.copilot.files.get(&open.id).map(|card| card.action.clone()) else { return };
        self.show_file(FilePage::Busy("connecting, then reading".to_owned()));
        self.start_job(Stage::Reading, Job::Plan { action, way });
    }

    /// The user said yes. Where the shell is, is looked at once more: it may be another one since.
    fn write_file(&mut self, word: Option<&str>) {
        let place = self.place_for_files();
        let Some(open) = &mut self.files.open else { return };
        let plan = match std::mem::replace(&mut open.stage, Stage::Ended) {
            Stage::Shown(plan) => plan,
            other => return open.stage = other,
        };
        if let Place::Other(what) = place {
            return self.file_failed(&[
                "Nothing was changed.".to_owned(),
                format!("The terminal shows another place than the login now: {what}."),
            ]);
        }
        match plan.confirm(word) {
            Ok(confirmed) => {
                self.show_file(FilePage::Busy("writing".to_owned()));
                self.start_job(Stage::Writing, Job::Write(confirmed));
            }
            Err(plan) => open.stage = Stage::Shown(plan),
        }
    }

    /// Stops what is being done. A write ends with what came of it; anything else can be left at once.
    fn cancel_file(&mut self) {
        let Some(open) = &mut self.files.open else { return };
        match open.stage {
            Stage::Writing => {
                open.canceller = None;
                self.show_file(FilePage::Busy("cancelling".to_owned()));
            }
            _ => self.leave_file(),
        }
    }

    /// The dialog is put away. A write goes on, and the chat tells its end.
    pub(super) fn leave_file(&mut self) {
        self.panel.view.close_file();
        let Some(open) = self.files.open.take() else { return };
        if matches!(open.stage, Stage::Writing) {
            self.files.open = Some(open);
            return;
        }
        self.copilot.files.end(&open.id, FileState::Proposed);
    }

    /// What the worker has to say.
    pub(super) fn on_file(&mut self, ticket: u64, event: FileEvent, now: Instant) {
        let is_open = self.files.open.is_some() && ticket == self.files.ticket;
        if !is_open {
            return;
        }
        self.panel.dirty = true;
        match event {
            FileEvent::Way(way) => self.ask_for(way),
            FileEvent::Progress(progress) => self.show_file(FilePage::Busy(words(progress))),
            FileEvent::Planned(Ok(plan)) => self.show_plan(plan),
            FileEvent::Planned(Err(stop)) => self.file_stopped(&stop, now),
            FileEvent::Ended(outcome) => {
                self.linus.recorded.push(super::record::file(&outcome));
                self.file_ended(&outcome, now);
            }
        }
    }

    fn ask_for(&mut self, way: Way) {
        let target = self.linus.target().to_owned();
        let text = match way {
            Way::Shared => vec![
                format!(
                    "To read and change files on {target}, aissh opens an SFTP session over the connection that you share (ControlPath)."
                ),
                "Where the server has a forced command, it runs that instead.".to_owned(),
            ],
            Way::Login => vec![
                format!(
                    "To read and change files on {target}, aissh logs in once more, with the same ssh and options, and stays so until this session ends. It asks for no password, and shares nothing."
                ),
                format!("It runs: {}", self.files.worker.shown()),
                "Where the server has a forced command, it runs that instead.".to_owned(),
            ],
        };
        if let Some(open) = &mut self.files.open {
            open.stage = Stage::Asking(way);
        }
        self.files.agreed = None;
        self.show_file(FilePage::Asking(text));
    }

    fn show_plan(&mut self, mut plan: Box<Plan>) {
        match self.place_for_files() {
            Place::Same => {}
            Place::Unsure(why) => plan.raise(&why),
            Place::Other(what) => {
                return self.file_failed(&[
                    "Not here.".to_owned(),
                    format!("The terminal shows another place than the login now: {what}."),
                ]);
            }
        }
        let shown = FileShown {
            path: plan.path.clone(),
            how: how(&plan).to_owned(),
            target: self.linus.target().to_owned(),
            level: plan.level,
            reason: plan.reason.clone(),
            warnings: plan.warnings.clone(),
            notes: plan.notes.clone(),
            diff: plan.diff.clone(),
        };
        let Some(open) = &mut self.files.open else { return };
        self.copilot.files.count(&open.id, plan.diff.added, plan.diff.removed);
        (open.stage, open.canceller) = (Stage::Shown(plan), None);
        self.show_file(FilePage::Shown(Box::new(shown)));
    }

    fn file_ended(&mut self, outcome: &FileOutcome, now: Instant) {
        let (path, mode) = (&outcome.path, outcome.mode);
        match &outcome.result {
            FileResult::Stopped(stop) => self.file_stopped(stop, now),
            FileResult::Uncertain(why) => {
                self.copilot.chat.note(&format!("File {path}: {why}"));
                self.file_failed(&["Not certain.".to_owned(), why.clone()]);
            }
            FileResult::Written => {
                let before = outcome.bytes_before.map_or_else(|| "new".to_owned(), |n| format!("{n} bytes"));
                let text = format!(
                    "{path} ({mode}, {before} → {} bytes) is written and reads back the same.",
                    outcome.bytes_after
                );
                self.copilot.chat.note(&format!("File {text}"));
                self.end_file(FileState::Written);
                self.show_file(FilePage::Ended { is_good: true, text: vec!["Done.".to_owned(), text] });
            }
        }
    }

    /// Nothing was changed: says why, and offers what root could do.
    fn file_stopped(&mut self, stop: &Stop, now: Instant) {
        let mut text = vec!["Nothing was changed.".to_owned(), stop.text.clone()];
        if let Some(path) = &stop.as_root
            && self.offer_sudoedit(path, now)
        {
            text.push("There is a card that opens it as root in your editor (sudoedit).".to_owned());
        }
        self.file_failed(&text);
    }

    fn file_failed(&mut self, text: &[String]) {
        self.end_file(FileState::Failed(text.last().cloned().unwrap_or_default()));
        if !self.panel.view.has_file() {
            self.copilot.chat.note(&format!("File: {}", text.join(" ")));
        }
        self.show_file(FilePage::Ended { is_good: false, text: text.to_vec() });
    }

    fn end_file(&mut self, state: FileState) {
        let Some(open) = &mut self.files.open else { return };
        self.copilot.files.end(&open.id, state);
        (open.stage, open.canceller) = (Stage::Ended, None);
        if !self.panel.view.has_file() {
            self.files.open = None;
        }
    }

    /// A command that the user may edit and send. False if it was offered before.
    fn offer_sudoedit(&mut self, path: &str, now: Instant) -> bool {
        let Some(quoted) = quoted(path).filter(|_| !self.files.offered.iter().any(|p| p == path)) else {
            return false;
        };
        self.files.offered.push(path.to_owned());
        let card = Suggestion {
            id: format!("sudoedit_{}", self.files.offered.len()),
            command: format!("sudoedit {quoted}"),
            description:
                "From aissh: opens a copy in your editor, and puts it in place as root when you save.".into(),
            risk: Risk::Medium,
            undo: None,
            verify: None,
            placeholders: Vec::new(),
        };
        let suggested_commands = Some(SuggestedCommands { commands: vec![card] });
        self.copilot.apply(Envelope { suggested_commands, ..Envelope::default() }, now);
        true
    }

    fn show_file(&mut self, page: FilePage) {
        if let Some(open) = &self.files.open {
            self.panel.view.show_file(&open.id, page);
        }
        self.panel.dirty = true;
    }
}

fn how(plan: &Plan) -> &'static str {
    match plan.mode {
        _ if plan.is_new() => "new file",
        None => "overwrite",
        Some(mode) => UpdateMode::name(mode),
    }
}

fn words(progress: Progress) -> String {
    let doing = progress.doing.name();
    match progress.total {
        Some(total) if total > 0 => format!("{doing}: {} %", progress.done.min(total) * 100 / total),
        _ => doing.to_owned(),
    }
}

/// A path as one word of a POSIX shell. `None` for what no line can hold.
fn quoted(path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@%:".contains(c);
    if path.chars().any(|c| !crate::text::is_sendable_char(c) || c == '\n') {
        return None;
    }
    Some(if path.chars().all(is_plain) { path.to_owned() } else { crate::text::quote::posix(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_the_shell() {
        assert_eq!(quoted("/etc/nginx/nginx.conf").as_deref(), Some("/etc/nginx/nginx.conf"));
        assert_eq!(quoted("/srv/a b'c;$(x)").as_deref(), Some(r"'/srv/a b'\''c;$(x)'"));
        assert_eq!(quoted("/tmp/\x1b[2J"), None);
    }
}
