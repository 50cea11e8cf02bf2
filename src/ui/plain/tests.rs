//! The dialogue in lines, as a terminal gets it.

use super::*;
use crate::copilot::Place;
use crate::copilot::policy::Mode;
use crate::linus::contract::{ChatResponse, Envelope, Risk, SuggestedCommands, Suggestion};
use crate::ui::{Action, Choice, Integration, PolicyStatus, PrefixAction, Scheme, Theme};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::{Duration, Instant};

struct Talk {
    plain: Plain,
    view: View,
    copilot: Copilot,
    status: Status,
    now: Instant,
}

impl Talk {
    fn new() -> Self {
        let policy = PolicyStatus {
            mode: Mode::Confirm,
            chain: None,
            limit: 8,
            announced: None,
            stopped: None,
            obstacle: None,
        };
        let status = Status {
            target: "joe@web1".into(),
            device: None,
            policy,
            sharing: None,
            question: None,
            leaves: None,
            roster: None,
            health: None,
            secret: false,
            recording: false,
            prefix: "Ctrl-\\".into(),
            integration: Integration::default(),
        };
        let mut view = View::new(Theme::new(Scheme::None), Choice::default());
        view.set_shown(true);
        view.enter();
        let mut copilot = Copilot::new("built-in (runbooks, no model)");
        copilot.suggestions.set_place(Place::default(), Instant::now());
        Self { plain: Plain::default(), view, copilot, status, now: Instant::now() }
    }

    fn drawn(&mut self) -> String {
        let bytes = self.plain.draw(&mut self.view, &self.copilot, &self.status, 80);
        String::from_utf8(bytes).unwrap()
    }

    fn press(&mut self, code: KeyCode) -> Vec<Action> {
        self.plain.note_key(code == KeyCode::Enter);
        self.view.key(KeyEvent::new(code, KeyModifiers::NONE), &mut self.copilot, self.now)
    }

    fn card(&mut self, command: &str) {
        let card = Suggestion {
            id: "c1".into(),
            command: command.into(),
            description: "shows it".into(),
            risk: Risk::Low,
            undo: None,
            verify: None,
            placeholders: Vec::new(),
        };
        let envelope = Envelope {
            suggested_commands: Some(SuggestedCommands { commands: vec![card] }),
            chat_response: Some(ChatResponse {
                message: "Look\n\x1b[31mhere\x1b[m".into(),
                mentions: vec![],
            }),
            ..Envelope::default()
        };
        self.copilot.apply(envelope, self.now);
        self.now += Duration::from_secs(1);
    }
}

#[test]
fn each_thing_is_said_once_and_again_when_asked() {
    let mut talk = Talk::new();
    let first = talk.drawn();
    assert!(first.starts_with("Type a question") && first.ends_with("Mode: confirm.\r\nAsk: "), "{first:?}");
    assert_eq!(talk.drawn(), "");
    talk.card("df -h /var");
    let news = "\r\x1b[KLinus: Look\r\nhere\r\n1. low  df -h /var — shows it\r\nAsk: ";
    assert_eq!(talk.drawn(), news);
    assert_eq!(talk.drawn(), "");
    talk.plain.say_again();
    let again = talk.drawn();
    assert!(again.contains("Linus: built-in") && again.contains("Linus: Look") && again.contains("1. low"));
    assert!(!again.contains("Type a question"), "{again:?}");
}

#[test]
fn what_the_user_enters_stays_and_is_not_repeated() {
    let mut talk = Talk::new();
    talk.drawn();
    for c in "why".chars() {
        talk.press(KeyCode::Char(c));
    }
    assert_eq!(talk.drawn(), "why");
    assert_eq!(talk.press(KeyCode::Enter), [Action::SubmitChat("why".into())]);
    talk.copilot.ask("why");
    assert_eq!(talk.drawn(), "\r\nWaiting for Linus. Esc cancels.\r\nAsk: ");
}

#[test]
fn a_card_of_high_risk_says_why_and_takes_the_word() {
    let mut talk = Talk::new();
    talk.card("rm -rf /srv/x");
    assert!(talk.drawn().contains("1. high  rm -rf /srv/x — shows it. Risk: destructive"));
    talk.view.prefix(PrefixAction::Card(1), &mut talk.copilot, talk.now);
    let edit = talk.drawn();
    assert!(edit.contains("Edit 1, to ") && edit.contains("high risk: destructive"), "{edit:?}");
    assert!(edit.ends_with("Edit 1: rm -rf /srv/x"), "{edit:?}");
    assert_eq!(talk.press(KeyCode::Enter), []);
    assert_eq!(talk.drawn(), "\r\nType yes and Enter to send it, Esc goes back.\r\nyes? ");
    for round in 0..2 {
        talk.press(KeyCode::Char('y'));
        talk.drawn();
        assert_eq!(talk.press(KeyCode::Enter), []);
        assert_eq!(talk.drawn(), "\r\nNot sent: yes was not typed.\r\nyes? ", "{round}");
    }
    for c in "yes".chars() {
        talk.press(KeyCode::Char(c));
    }
    assert!(matches!(talk.press(KeyCode::Enter)[..], [Action::SendCard { .. }]));
}

#[test]
fn an_edit_that_raises_the_risk_says_so_at_once() {
    let mut talk = Talk::new();
    talk.card("ls /srv");
    talk.view.prefix(PrefixAction::Card(1), &mut talk.copilot, talk.now);
    talk.drawn();
    for c in "; rm -r x".chars() {
        talk.press(KeyCode::Char(c));
        let drawn = talk.drawn();
        if drawn.contains("risk: ") {
            assert!(
                drawn.starts_with("\r\x1b[Khigh risk: ") || drawn.starts_with("\r\x1b[Kmedium risk: "),
                "{drawn:?}"
            );
            return;
        }
    }
    panic!("no risk was told");
}

#[test]
fn nothing_that_others_say_acts_on_the_terminal() {
    let mut talk = Talk::new();
    talk.card("echo \x1b[2J\r\x07x");
    let drawn = talk.drawn();
    let after_ours = drawn.replace("\r\n", "").replace("\r\x1b[K", "");
    assert!(!after_ours.chars().any(char::is_control), "{drawn:?}");
}
