//! What the keys do, and what never reaches the screen.

mod additions;
mod confirm;
mod fill;
mod policy;

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use serde_json::json;

use super::golden::{draw_at, focused, picture, remote, status, story};
use super::*;
use crate::copilot::{CardState, Copilot, Delivery, Place};
use crate::linus::contract::{Envelope, Risk};
use crate::shell::Dialect;
use crate::terminal::Size;

/// A focused panel over the contract's story, told a while ago.
struct Desk {
    view: View,
    copilot: Copilot,
    now: Instant,
}

impl Desk {
    fn new() -> Self {
        let start = Instant::now();
        let mut copilot = story(start);
        let now = start + Duration::from_secs(1);
        let view = focused(&mut copilot, now);
        Self { view, copilot, now }
    }

    fn press(&mut self, code: KeyCode) -> Vec<Action> {
        self.press_with(code, KeyModifiers::NONE)
    }

    fn press_with(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<Action> {
        self.view.key(KeyEvent::new(code, modifiers), &mut self.copilot, self.now)
    }

    fn prefix(&mut self, action: PrefixAction) -> Vec<Action> {
        self.view.prefix(action, &mut self.copilot, self.now)
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            assert_eq!(self.press(KeyCode::Char(c)), []);
        }
    }

    fn reply(&mut self, reply: &serde_json::Value) {
        self.copilot.apply(Envelope::read(reply).0, self.now);
    }

    fn draw(&mut self, cols: u16, rows: u16) -> (Buffer, Cursor) {
        draw_at(cols, rows, &mut self.view, &self.copilot, &status())
    }

    fn picture(&mut self) -> String {
        picture(&self.draw(120, 40).0)
    }

    fn state(&self, id: &str) -> &CardState {
        &self.copilot.suggestions.get(id).unwrap().state
    }
}

fn find(buffer: &Buffer, text: &str) -> (u16, u16) {
    for y in 0..buffer.area.height {
        let row: Vec<&str> = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
        for x in 0..row.len() {
            if row[x..].concat().starts_with(text) {
                return (x as u16, y);
            }
        }
    }
    panic!("{text:?} is not on the screen:\n{}", picture(buffer));
}

#[test]
fn typing_goes_to_the_chat_and_enter_submits_it() {
    let mut desk = Desk::new();
    desk.type_text("why 1 and 2?");
    assert_eq!(desk.press(KeyCode::Enter), [Action::SubmitChat("why 1 and 2?".into())]);
    assert_eq!(desk.press(KeyCode::Enter), [], "nothing is there to submit");
    desk.press_with(KeyCode::Char('p'), KeyModifiers::CONTROL);
    assert_eq!(desk.press(KeyCode::Enter), [Action::SubmitChat("why 1 and 2?".into())]);
}

#[test]
fn a_card_is_selected_then_edited_then_sent_and_never_by_less() {
    let mut desk = Desk::new();
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Down);
    assert_eq!(desk.press(KeyCode::Enter), []);
    assert!(desk.view.is_editing());
    assert_eq!(desk.state("cmd_002"), &CardState::Proposed);
    assert_eq!(
        desk.press(KeyCode::Enter),
        [Action::SendCard {
            id: "cmd_002".into(),
            text: "sudo journalctl --disk-usage".into(),
            was_edited: false
        }]
    );
    assert_eq!(desk.state("cmd_002"), &CardState::Sent);
    assert!(!desk.view.is_editing());
    assert_eq!(desk.press(KeyCode::Enter), [], "one Enter sends once");
}

#[test]
fn a_changed_text_is_sent_as_edited() {
    let mut desk = Desk::new();
    desk.press_with(KeyCode::Char('1'), KeyModifiers::ALT);
    desk.type_text(" -v");
    let sent = desk.press(KeyCode::Enter);
    let [Action::SendCard { text, was_edited: true, .. }] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(text, "ls -lhS /var/log/*.log | head -10 -v");
}

#[test]
fn a_digit_alone_is_text() {
    let mut desk = Desk::new();
    desk.type_text("1");
    assert!(!desk.view.is_editing());
}

#[test]
fn esc_leaves_the_edit_line_then_the_selection_then_the_panel() {
    let mut desk = Desk::new();
    desk.prefix(PrefixAction::Card(1));
    desk.type_text("x");
    assert_eq!(desk.press(KeyCode::Esc), []);
    assert_eq!(desk.state("cmd_001"), &CardState::Edited);
    assert_eq!(desk.press(KeyCode::Esc), []);
    assert_eq!(desk.press(KeyCode::Esc), []);
    assert_eq!(desk.view.focus(), Focus::Terminal);
    // What was typed waits on the card.
    desk.prefix(PrefixAction::Card(1));
    assert!(desk.picture().contains("head -10x"));
}

#[test]
fn esc_cancels_a_call_that_is_awaited() {
    let mut desk = Desk::new();
    let id = desk.copilot.chat.say("slow question");
    assert_eq!(desk.press(KeyCode::Esc), [Action::CancelChat]);
    desk.copilot.chat.set_delivery(id, Delivery::Cancelled);
    assert_eq!(desk.press(KeyCode::Esc), []);
    assert_eq!(desk.view.focus(), Focus::Terminal);
}

#[test]
fn a_card_on_the_edit_line_is_frozen_and_what_is_seen_is_what_is_sent() {
    let mut desk = Desk::new();
    desk.prefix(PrefixAction::Card(2));
    desk.reply(&json!({
        "suggested_commands": { "commands": [{ "id": "cmd_002", "command": "rm -rf /", "risk": "low" }] },
        "clear_suggestions": { "ids": ["cmd_001", "cmd_002"] },
    }));
    assert!(desk.picture().contains("› sudo journalctl --disk-usage"), "{}", desk.picture());
    let sent = desk.press(KeyCode::Enter);
    let [Action::SendCard { text, was_edited: false, .. }] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(text, "sudo journalctl --disk-usage");
}

#[test]
fn a_number_that_just_moved_is_not_obeyed() {
    let mut desk = Desk::new();
    desk.reply(&json!({ "clear_suggestions": { "ids": ["cmd_001"] } }));
    desk.prefix(PrefixAction::Card(1));
    assert!(!desk.view.is_editing());
    assert!(desk.picture().contains("The cards have just changed"), "{}", desk.picture());
    desk.now += Duration::from_millis(500);
    desk.prefix(PrefixAction::Card(1));
    assert!(desk.view.is_editing());
}

#[test]
fn dismissing_puts_a_card_away() {
    let mut desk = Desk::new();
    desk.press(KeyCode::Down);
    assert_eq!(desk.press(KeyCode::Delete), []);
    assert!(!desk.picture().contains("cmd_001"));
    desk.prefix(PrefixAction::Card(1));
    assert_eq!(desk.press_with(KeyCode::Char('x'), KeyModifiers::CONTROL), []);
    assert!(!desk.view.is_editing());
}

#[test]
fn a_paste_never_sends_and_never_submits() {
    let mut desk = Desk::new();
    desk.view.paste("one\ntwo\n");
    assert!(desk.picture().contains("› one⏎"));
    desk.prefix(PrefixAction::Card(1));
    desk.view.paste("\nreboot\n");
    assert!(desk.view.is_editing());
    assert_eq!(desk.state("cmd_001"), &CardState::Proposed);
}

#[test]
fn an_empty_or_unsendable_edit_line_stays_and_says_why() {
    let mut desk = Desk::new();
    desk.prefix(PrefixAction::Card(1));
    desk.press_with(KeyCode::Char('u'), KeyModifiers::CONTROL);
    assert_eq!(desk.press(KeyCode::Enter), []);
    assert!(desk.view.is_editing() && desk.picture().contains("not sent: there is no command"));
}

#[test]
fn picking_another_card_keeps_the_first_edit() {
    let mut desk = Desk::new();
    desk.prefix(PrefixAction::Card(1));
    desk.type_text("!");
    desk.press_with(KeyCode::Char('2'), KeyModifiers::ALT);
    assert_eq!(desk.state("cmd_001"), &CardState::Edited);
    assert!(desk.picture().contains("Edit 2 cmd_002"));
}

#[test]
fn a_key_release_is_no_key() {
    let mut desk = Desk::new();
    desk.prefix(PrefixAction::Card(1));
    let release = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(desk.view.key(release, &mut desk.copilot, desk.now), []);
    assert!(desk.view.is_editing());
}

#[test]
fn the_prefix_opens_focuses_and_resizes() {
    let now = Instant::now();
    let mut copilot = Copilot::new("test");
    let mut view = View::new(Theme::new(Scheme::Dark), Choice::default());
    assert_eq!(view.prefix(PrefixAction::Toggle, &mut copilot, now), [Action::OpenPanel]);
    let open = [Action::OpenPanel];
    assert_eq!(view.clone().prefix(PrefixAction::Ask, &mut copilot, now), open);
    assert_eq!(view.clone().prefix(PrefixAction::Help, &mut copilot, now), open);
    assert_eq!(view.prefix(PrefixAction::Wider, &mut copilot, now), [], "not shown");

    view.set_shown(true);
    assert_eq!((view.prefix(PrefixAction::Focus, &mut copilot, now), view.focus()), (vec![], Focus::Panel));
    assert_eq!(
        (view.prefix(PrefixAction::Focus, &mut copilot, now), view.focus()),
        (vec![], Focus::Terminal)
    );
    draw_at(120, 40, &mut view, &copilot, &status());
    assert_eq!(view.prefix(PrefixAction::Wider, &mut copilot, now), [Action::Relayout]);
    assert_eq!(view.choice().width, Some(49));
    assert_eq!(view.prefix(PrefixAction::Mode, &mut copilot, now), [Action::Relayout]);
    assert_eq!(Layout::new(Size::new(120, 40), view.choice()).mode, Mode::Overlay);
    assert_eq!(view.prefix(PrefixAction::Toggle, &mut copilot, now), [Action::ClosePanel]);
    view.set_shown(false);
    assert_eq!(view.focus(), Focus::Terminal);
}

#[test]
fn the_chat_scrolls_and_stands_still_while_more_arrives() {
    let mut desk = Desk::new();
    for n in 0..60 {
        desk.copilot.chat.answer(&format!("message {n}"));
    }
    assert!(desk.picture().contains("message 59"));
    desk.press(KeyCode::PageUp);
    desk.press(KeyCode::PageUp);
    let before = desk.picture();
    assert!(!before.contains("message 59") && before.contains("↓"), "{before}");
    let top = before.lines().find(|l| l.contains("message")).unwrap().to_owned();
    desk.copilot.chat.answer("message 60");
    assert!(desk.picture().contains(top.trim()), "{}", desk.picture());
    for _ in 0..100 {
        desk.press(KeyCode::PageUp);
    }
    assert!(desk.picture().contains("hey linus"));
    // Pressed past the top, the first way back is not lost.
    desk.press(KeyCode::PageDown);
    assert!(!desk.picture().contains("hey linus"));
    for _ in 0..50 {
        desk.press(KeyCode::PageDown);
    }
    assert!(desk.picture().contains("message 60"));
}

#[test]
fn a_mentioned_card_stands_out() {
    let mut desk = Desk::new();
    let (buffer, _) = desk.draw(120, 40);
    let (x, y) = find(&buffer, "•1 cmd_001");
    assert_eq!((buffer[(x, y)].fg, buffer[(x, y)].modifier), (Color::Cyan, Modifier::BOLD));
    let (x, y) = find(&buffer, " 2 cmd_002");
    assert_eq!((buffer[(x, y)].fg, buffer[(x, y)].modifier), (Color::Reset, Modifier::empty()));
}

#[test]
fn without_colour_there_is_none_of_ours_and_all_of_the_remotes() {
    let mut desk = Desk::new();
    desk.view.theme = Theme::new(Scheme::None);
    desk.copilot.chat.answer("\x1b[31mred\x1b[0m");
    let (buffer, _) = desk.draw(120, 40);
    let panel = Layout::new(Size::new(120, 40), Choice::default()).panel;
    for y in 0..40 {
        for x in panel.x..120 {
            assert_eq!((buffer[(x, y)].fg, buffer[(x, y)].bg), (Color::Reset, Color::Reset));
        }
    }
    let (x, y) = find(&buffer, "98%");
    assert_eq!(buffer[(x, y)].fg, Color::Indexed(1));
}

#[test]
fn the_cursor_is_in_the_pane_that_has_the_focus() {
    let mut desk = Desk::new();
    desk.type_text("hi");
    let (buffer, cursor) = desk.draw(120, 40);
    let (x, y) = find(&buffer, "› hi");
    assert_eq!(cursor.position, Some((x + 4, y).into()));
    desk.prefix(PrefixAction::Focus);
    let (_, cursor) = desk.draw(120, 40);
    assert_eq!(cursor.position, Some((20, 7).into()));
}

#[test]
fn in_a_narrow_terminal_the_remote_has_the_screen_while_it_has_the_focus() {
    let mut desk = Desk::new();
    assert!(!picture(&desk.draw(50, 30).0).contains("root@prod-web-03"));
    desk.prefix(PrefixAction::Focus);
    let shown = picture(&desk.draw(50, 30).0);
    assert!(shown.contains("root@prod-web-03") && !shown.contains("Suggested"));
}

/// Everything Linus can say, hostile, drawn to bytes: what a terminal would act on must be ours alone.
#[test]
fn hostile_text_never_escapes_into_the_terminal() {
    let bad = "x\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}evil\u{2066}\r\x08\x1bP1$r\x1b\\\u{200b}\u{e0041}";
    let now = Instant::now();
    let mut copilot = Copilot::new(bad);
    copilot.link.offline(bad);
    let reply = json!({
        "chat_response": { "message": format!("\x1b[8;5;41m{bad}\x1b[1m\x1b[?25l"), "mentions": [bad] },
        "intent_update": { "summary": bad, "confidence": 9, "steps": [{ "status": "current", "text": bad }] },
        "suggested_commands": { "commands": [
            { "id": bad, "command": bad, "description": bad, "risk": bad },
            { "id": "b", "command": "echo \u{202e}hidden\u{200b}", "description": bad },
        ] },
    });
    copilot.apply(Envelope::read(&reply).0, now);
    copilot.chat.note(bad);
    copilot.chat.set_writing(bad);
    let mut view = focused(&mut copilot, now);
    view.set_notice(bad);
    view.paste(bad);
    let status = Status { target: bad.into(), ..status() };

    let size = Size::new(120, 40);
    let layout = Layout::new(size, view.choice());
    let parser = remote(&layout, size);
    let mut screen = Screen::new(size);
    let bytes = screen.draw(|frame| draw(frame, &layout, parser.screen(), &mut view, &copilot, &status));
    let drawn = String::from_utf8(bytes).unwrap();
    for c in drawn.chars().filter(|c| *c != '\x1b') {
        assert!(!c.is_control(), "{c:?}");
        assert!(
            !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
        );
    }
    // Ours: moves, pens, one erase, cursor, shape, synchronized output.
    for sequence in drawn.split('\x1b').skip(1) {
        let ours = sequence.starts_with('[')
            && (sequence.starts_with("[2J")
                || sequence.starts_with("[?2026")
                || sequence.starts_with("[?25")
                || sequence.starts_with("[0 q")
                || sequence[1..]
                    .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
                    .starts_with(['H', 'm']));
        assert!(ours, "{sequence:?}");
    }
    assert_eq!(drawn.matches("\x1b[2J").count(), 1);
    let (buffer, _) = draw_at(120, 40, &mut view, &copilot, &status);
    let shown = picture(&buffer);
    assert!(shown.contains("␛]0;owned␇") && shown.contains("⟨U+202E⟩hidden"), "{shown}");
    let hidden = Modifier::HIDDEN | Modifier::SLOW_BLINK | Modifier::RAPID_BLINK;
    assert!(buffer.content().iter().all(|cell| !cell.modifier.intersects(hidden) && cell.bg == Color::Reset));
}

#[test]
fn any_size_and_any_state_draws_without_a_panic() {
    let mut desk = Desk::new();
    desk.copilot.chat.answer(&"漢字 wide text ".repeat(50));
    for step in 0..5 {
        match step {
            1 => drop(desk.prefix(PrefixAction::Card(1))),
            2 => desk.view.paste(&"漢\n".repeat(100)),
            3 => drop(desk.press(KeyCode::Enter)),
            4 => drop(desk.prefix(PrefixAction::Help)),
            _ => {}
        }
        for cols in (1..70).chain([109, 110, 300]) {
            for rows in [1, 2, 3, 5, 8, 12, 16, 20, 33, 70] {
                let (_, cursor) = desk.draw(cols, rows);
                assert!(cursor.position.is_none_or(|p| p.x < cols && p.y < rows));
            }
        }
    }
}

#[test]
fn a_terminal_shows_what_was_drawn_frame_after_frame() {
    let mut desk = Desk::new();
    let size = Size::new(120, 40);
    let dimension = |n: u16| std::num::NonZeroU16::new(n).unwrap();
    let mut outer = vt100::Parser::new(dimension(40), dimension(120), 0);
    let mut screen = Screen::new(size);
    for step in 0..6 {
        match step {
            1 => desk.type_text("漢字 größer"),
            2 => drop(desk.press(KeyCode::Enter)),
            3 => desk.copilot.chat.answer("\x1b[32m漢字\x1b[0m ✓ ok e\u{301}"),
            4 => drop(desk.prefix(PrefixAction::Help)),
            5 => drop(desk.prefix(PrefixAction::Card(3))),
            _ => {}
        }
        let layout = Layout::new(size, desk.view.choice());
        let parser = remote(&layout, size);
        let (view, copilot) = (&mut desk.view, &desk.copilot);
        outer.process(&screen.draw(|frame| draw(frame, &layout, parser.screen(), view, copilot, &status())));
        let shown: Vec<String> = outer.screen().rows(0, 120).map(|r| r.trim_end().to_owned()).collect();
        assert_eq!(shown.join("\n") + "\n", desk.picture(), "step {step}");
        let cursor = desk.draw(120, 40).1.position;
        let (row, col) = outer.screen().cursor_position();
        assert!(
            cursor.is_none_or(|p| (p.x, p.y) == (col, row))
                && cursor.is_none() == outer.screen().hide_cursor()
        );
    }
}
