//! The mouse in the panel, and what is marked as new.

use super::*;
use crate::terminal::mouse::{Mouse, MouseKind};

impl Desk {
    fn mouse(&mut self, kind: MouseKind, (x, y): (u16, u16)) -> Vec<Action> {
        let remote = RemoteMouse::default();
        self.view.mouse(Mouse::new(kind, x, y), remote, &mut self.copilot, self.now)
    }

    fn click(&mut self, text: &str) -> Vec<Action> {
        let (buffer, _) = self.draw(120, 40);
        let at = find(&buffer, text);
        let actions = self.mouse(MouseKind::Press, at);
        assert_eq!(self.mouse(MouseKind::Release, at), []);
        actions
    }
}

#[test]
fn a_click_selects_a_card_and_a_second_one_edits_it_and_none_sends() {
    let mut desk = Desk::new();
    assert_eq!(desk.click("sudo journalctl"), []);
    assert_eq!(desk.view.selected.as_deref(), Some("cmd_002"));
    assert!(!desk.view.is_editing());
    assert_eq!(desk.click("cmd_002"), []);
    assert!(desk.view.is_editing());
    assert_eq!(desk.click("cmd_002"), [], "it is on the edit line, and stays there");
    assert_eq!(desk.state("cmd_002"), &CardState::Proposed);
    // While one is edited, another takes its place; a click elsewhere does nothing.
    desk.click("cmd_001");
    assert_eq!(desk.copilot.suggestions.editing().map(|card| card.id.as_str()), Some("cmd_001"));
    desk.click("Intent");
    assert!(desk.view.is_editing());
}

#[test]
fn the_wheel_scrolls_what_it_is_over_and_gives_no_focus() {
    let mut desk = Desk::new();
    for n in 0..40 {
        desk.copilot.chat.answer(&format!("message {n}"));
    }
    desk.view.leave();
    let (buffer, _) = desk.draw(80, 24);
    let at = find(&buffer, "message 39");
    desk.mouse(MouseKind::WheelUp, at);
    let shown = picture(&desk.draw(80, 24).0);
    assert!(!shown.contains("message 39") && shown.contains("↓ 3 more"), "{shown}");
    assert_eq!(desk.view.focus(), Focus::Terminal);
    desk.draw(80, 14);
    let cards = desk.view.drawn.places.cards;
    let first = |desk: &mut Desk| {
        let (buffer, _) = desk.draw(80, 14);
        let row: Vec<&str> = (cards.x..80).map(|x| buffer[(x, cards.y)].symbol()).collect();
        row.concat()
    };
    let top = first(&mut desk);
    desk.mouse(MouseKind::WheelDown, (cards.x, cards.y));
    assert_ne!(first(&mut desk), top);
    for _ in 0..9 {
        desk.mouse(MouseKind::WheelDown, (cards.x, cards.y));
    }
    let (buffer, _) = desk.draw(80, 14);
    assert!(picture(&buffer).contains("more above"), "{}", picture(&buffer));
    for _ in 0..3 {
        desk.mouse(MouseKind::WheelUp, (cards.x, cards.y));
    }
    assert_eq!(first(&mut desk), top, "turned too far down, the way back is not longer");
}

#[test]
fn the_divider_is_dragged_and_the_terminal_gets_the_focus_by_a_click() {
    let mut desk = Desk::new();
    desk.draw(120, 40);
    let divider = desk.view.drawn.layout.unwrap().divider;
    desk.mouse(MouseKind::Press, (divider.x, 5));
    assert_eq!(desk.mouse(MouseKind::Drag, (divider.x - 6, 5)), [Action::Relayout]);
    desk.mouse(MouseKind::Release, (divider.x - 6, 5));
    let layout = Layout::new(Size::new(120, 40), desk.view.choice());
    assert_eq!(layout.divider.x, divider.x - 6);
    desk.mouse(MouseKind::Press, (3, 3));
    assert_eq!(desk.view.focus(), Focus::Terminal);
    let drag = Action::LookBack(Begin::Drag { from: (3, 3), to: (9, 3) });
    assert_eq!(desk.mouse(MouseKind::Drag, (9, 3)), [drag]);
}

#[test]
fn what_came_unseen_is_new_until_a_key() {
    let mut desk = Desk::new();
    assert!(desk.picture().contains("1 new") && desk.picture().contains("4 new"));
    desk.press(KeyCode::Char('x'));
    assert!(!desk.picture().contains(" new"), "{}", desk.picture());
    desk.copilot.chat.answer("while you look");
    assert!(!desk.picture().contains(" new"));
    // Scrolled up it is not seen, nor while the terminal has the keys.
    for n in 0..60 {
        desk.copilot.chat.answer(&format!("message {n}"));
    }
    desk.picture();
    desk.press(KeyCode::PageUp);
    desk.copilot.chat.answer("below");
    assert!(desk.picture().contains("1 new"), "{}", desk.picture());
    desk.press(KeyCode::PageDown);
    desk.press(KeyCode::PageDown);
    assert!(!desk.picture().contains(" new"));
    desk.prefix(PrefixAction::Focus);
    desk.copilot.chat.answer("elsewhere");
    assert!(desk.picture().contains("1 new"));
}

#[test]
fn up_is_the_first_card_and_without_cards_an_earlier_message() {
    let mut desk = Desk::new();
    desk.press(KeyCode::Up);
    assert_eq!(desk.view.selected.as_deref(), Some("cmd_001"));
    let now = desk.now;
    let mut copilot = Copilot::new("test");
    let mut view = focused(&mut copilot, now);
    for c in "earlier".chars() {
        view.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &mut copilot, now);
    }
    view.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), &mut copilot, now);
    view.key(KeyEvent::new(KeyCode::Up, KeyModifiers::NONE), &mut copilot, now);
    assert_eq!(view.input(), "earlier");
}
